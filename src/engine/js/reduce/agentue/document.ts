import { writeJson } from "../../../../json/exact.js";
import { type JsonObject, own, put } from "../../../../json/object.js";
import { utf8Length } from "../../../../json/text.js";
import { copyTree } from "../../../../json/tree.js";
import { GrowingText } from "../growing-text.js";

/** What the change log remembers of a block. */
export interface BlockChange {
  readonly field: string | undefined;
}

/** One block of a model. */
export class BlockEntry {
  readonly id: string;
  /** Its place in the model's `blocks`. */
  readonly index: number;
  value: JsonObject;
  reference: boolean;
  /** A fork holds the value, too. */
  shared = false;
  /** The last change logged for it; the change log's own. */
  change: BlockChange | undefined = undefined;

  /** The member whose text is appended to, "" for none. */
  private field = "";
  private readonly text = new GrowingText();

  constructor(id: string, index: number, value: JsonObject) {
    this.id = id;
    this.index = index;
    this.value = value;
    this.reference = Object.hasOwn(value, "ref");
  }

  replace(value: JsonObject): void {
    this.value = value;
    this.shared = false;
    this.reference = Object.hasOwn(value, "ref");
    this.settle();
  }

  /** Appends to a member that holds the string `current`. */
  appendText(field: string, current: string, text: string): void {
    if (this.field !== field) {
      this.field = field;
      this.text.settle();
    }
    this.value[field] = this.text.append(current, text);
  }

  /** A part of the string that stands at a member, in code units. */
  sliceText(field: string, from: number, to: number): string {
    const current = own(this.value, field) as string;
    return this.field === field ? this.text.slice(current, from, to) : current.slice(from, to);
  }

  /** Forgets the text under append: the value was changed otherwise, or was flattened by a reader. */
  settle(): void {
    this.field = "";
    this.text.settle();
  }
}

/** Documents made so far. */
let documents = 0;

/** One stream's model with its index of blocks and its size. */
export class Document {
  /** No other document has it. */
  readonly number = ++documents;
  readonly model: JsonObject;
  meta: JsonObject;
  /** A fork holds `meta`, too. */
  private metaShared = false;
  readonly blocks: JsonObject[];
  readonly entries: Map<string, BlockEntry>;
  readonly references: boolean;
  /** Whether it may hold an `ExactNumber`. */
  exact: boolean;
  /** Bytes as compact JSON: exact when `counted`, else an upper bound. */
  size: number;
  counted = false;
  /** Blocks that may be storage frames; undefined until somebody asks. */
  private frames: Set<BlockEntry> | undefined = undefined;
  /** The block that was appended to last. */
  recent: BlockEntry | undefined = undefined;

  /** @param model a judged model, owned from now on, and the entries of its blocks */
  constructor(model: JsonObject, entries: Map<string, BlockEntry>, exact: boolean, bound: number) {
    this.model = model;
    this.meta = model.meta as JsonObject;
    this.blocks = model.blocks as JsonObject[];
    this.entries = entries;
    this.references = model.version === "1.1";
    this.exact = exact;
    this.size = bound;
  }

  /**
   * Makes room for a change, unless the model would exceed `limit` bytes.
   *
   * @param bound at least as many bytes as the change adds
   * @param growth the bytes that it adds exactly; asked only near the limit
   */
  admit(bound: number, limit: number, growth: () => number): boolean {
    if (!this.counted) {
      if (this.size + bound <= limit) {
        this.size += bound;
        return true;
      }
      // From here on every change is counted exactly, so that the whole model is measured once only.
      this.size = jsonLength(this.model, this.exact);
      this.counted = true;
    }
    const size = this.size + growth();
    if (size > limit) return false;
    this.size = size;
    return true;
  }

  /** Whether the model itself is within `limit` bytes. */
  fits(limit: number): boolean {
    if (this.size <= limit) return true;
    this.size = jsonLength(this.model, this.exact);
    this.counted = true;
    return this.size <= limit;
  }

  settle(): void {
    for (const entry of this.entries.values()) entry.settle();
  }

  /** Notes that a block is a frame or may have become one, or that it is another block. */
  noteFrame(entry: BlockEntry, may: boolean): void {
    if (may) this.frames?.add(entry);
    else this.frames?.delete(entry);
  }

  /** Whether the model holds no block of that id, but frames of it. */
  isInFrames(id: string): boolean {
    if (this.entries.has(id)) return false;
    if (this.frames === undefined) {
      this.frames = new Set();
      for (const entry of this.entries.values()) if (entry.value.type === "frame") this.frames.add(entry);
    }
    for (const { value } of this.frames) if (value.type === "frame" && own(value, "block_id") === id) return true;
    return false;
  }

  /** A document of its own with the same values, which either one copies before it changes them. */
  fork(): Document {
    const entries = new Map<string, BlockEntry>();
    for (const entry of this.entries.values()) {
      const twin = new BlockEntry(entry.id, entry.index, entry.value);
      entry.shared = twin.shared = true;
      entries.set(twin.id, twin);
    }
    const model: JsonObject = {};
    for (const name of Object.keys(this.model)) put(model, name, this.model[name]);
    model.blocks = this.blocks.slice();
    const fork = new Document(model, entries, this.exact, this.size);
    fork.counted = this.counted;
    fork.metaShared = this.metaShared = true;
    this.recent = undefined;
    return fork;
  }

  /** The value of a block that is about to be changed. */
  claim(entry: BlockEntry): JsonObject {
    if (entry.shared) {
      entry.shared = false;
      entry.value = copyTree(entry.value) as JsonObject;
      this.blocks[entry.index] = entry.value;
    }
    return entry.value;
  }

  /** `meta`, which is about to be changed. */
  claimMeta(): JsonObject {
    if (this.metaShared) {
      this.metaShared = false;
      this.meta = copyTree(this.meta) as JsonObject;
      this.model.meta = this.meta;
    }
    return this.meta;
  }
}

/** Bytes of a value as compact JSON. */
export function jsonLength(value: unknown, exact: boolean): number {
  return utf8Length(writeJson(value, exact));
}

/** Bytes that `name: value` adds to or changes in an object. */
export function memberGrowth(object: JsonObject, name: string, value: unknown, exact: boolean): number {
  const before = own(object, name);
  const length = jsonLength(value, exact);
  if (before !== undefined) return length - jsonLength(before, exact);
  return length + jsonLength(name, false) + 1 + (Object.keys(object).length > 0 ? 1 : 0);
}
