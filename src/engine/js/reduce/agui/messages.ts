import { type JsonObject, own } from "../../../../json/object.js";
import { copyTree } from "../../../../json/tree.js";
import { GrowingText } from "../growing-text.js";

/** Entries of one block; a full one is split in two. */
const BLOCK = 512;

/** A part of the list, so that an insertion moves a few entries only. */
interface Block {
  entries: MessageEntry[];
}

/** One message of the model. */
export class MessageEntry {
  readonly id: string;
  value: JsonObject;
  readonly content = new GrowingText();
  /** The calls that it holds, in the order of its `toolCalls`. */
  readonly calls: CallEntry[] = [];
  /** The last change logged for it; the change log's own. */
  change: { readonly field: string | undefined } | undefined = undefined;
  /** A fork holds the value, too. */
  shared = false;
  /** Where it stands; the list's own. */
  block: Block | undefined = undefined;
  /** The last of the tool messages that follow it, as far as is known; the list's own, of one of its generations. */
  lastResult: MessageEntry | undefined = undefined;
  lastResultIn = 0;

  constructor(value: JsonObject) {
    this.id = value.id as string;
    this.value = value;
  }

  get role(): string {
    return this.value.role as string;
  }

  /** The value, and those of its calls, are about to be changed. */
  claim(): void {
    if (!this.shared) return;
    this.shared = false;
    this.value = copyTree(this.value) as JsonObject;
    const values = callsOf(this.value) as JsonObject[];
    for (const call of this.calls) call.value = values[call.index]!;
  }
}

/** One tool call that a message holds. */
export class CallEntry {
  readonly id: string;
  readonly message: MessageEntry;
  /** Its place in the message's `toolCalls`. */
  readonly index: number;
  value: JsonObject;
  readonly text = new GrowingText();
  /** Path of the arguments in the message. */
  readonly field: string;

  constructor(message: MessageEntry, index: number, value: JsonObject) {
    this.id = value.id as string;
    this.message = message;
    this.index = index;
    this.value = value;
    this.field = `toolCalls.${index}.function.arguments`;
  }

  get function(): { name: string; arguments: string } {
    return this.value.function as { name: string; arguments: string };
  }
}

/** The messages of a model in their order, with the first of each id and the first holder of each call. */
export class MessageList {
  private readonly blocks: Block[] = [];
  private count = 0;
  private readonly byId = new Map<string, MessageEntry>();
  private readonly callsById = new Map<string, CallEntry>();
  /** Where several messages hold calls of one id: all but the first, in their order. */
  private readonly laterCalls = new Map<string, Set<CallEntry>>();
  /** Grows when a message goes, or another one becomes the first of its id: what was known of texts and of results is void then. */
  generation = 0;

  get length(): number {
    return this.count;
  }

  find(id: string): MessageEntry | undefined {
    return this.byId.get(id);
  }

  findCall(id: string): CallEntry | undefined {
    return this.callsById.get(id);
  }

  *[Symbol.iterator](): IterableIterator<MessageEntry> {
    for (const { entries } of this.blocks) yield* entries;
  }

  values(): JsonObject[] {
    const values: JsonObject[] = [];
    for (const { entries } of this.blocks) for (const { value } of entries) values.push(value);
    return values;
  }

  indexOf(entry: MessageEntry): number {
    let before = 0;
    for (const block of this.blocks) {
      if (block === entry.block) return before + block.entries.lastIndexOf(entry);
      before += block.entries.length;
    }
    return -1;
  }

  /** Puts a message behind all others. */
  push(entry: MessageEntry): void {
    let block = this.blocks[this.blocks.length - 1];
    if (block === undefined || block.entries.length === BLOCK) {
      block = { entries: [] };
      this.blocks.push(block);
    }
    block.entries.push(entry);
    entry.block = block;
    entry.lastResult = undefined;
    this.count++;
    if (!this.byId.has(entry.id)) this.byId.set(entry.id, entry);
    this.enterCalls(entry);
  }

  /** Puts a message that holds no calls behind another one; returns its index. */
  insertBehind(before: MessageEntry, entry: MessageEntry): number {
    let block = before.block as Block;
    let place = block.entries.lastIndexOf(before) + 1;
    if (block.entries.length >= BLOCK) {
      const upper: Block = { entries: block.entries.splice(BLOCK / 2) };
      for (const moved of upper.entries) moved.block = upper;
      this.blocks.splice(this.blocks.indexOf(block) + 1, 0, upper);
      if (place > BLOCK / 2) {
        place -= BLOCK / 2;
        block = upper;
      }
    }
    block.entries.splice(place, 0, entry);
    entry.block = block;
    this.count++;
    const index = this.indexOf(entry);
    const first = this.byId.get(entry.id);
    if (first === undefined) {
      this.byId.set(entry.id, entry);
    } else if (index < this.indexOf(first)) {
      this.byId.set(entry.id, entry);
      this.generation++;
    }
    return index;
  }

  /** Takes the last message out again. */
  pop(): void {
    const { entries } = this.blocks[this.blocks.length - 1]!;
    const entry = entries.pop()!;
    if (entries.length === 0) this.blocks.pop();
    this.count--;
    if (this.byId.get(entry.id) === entry) this.byId.delete(entry.id);
    for (const call of entry.calls) this.forgetCall(call);
    entry.block = undefined;
  }

  /** Gives an entry another message, of the same id and without calls. */
  replace(entry: MessageEntry, value: JsonObject): void {
    for (const call of entry.calls) this.forgetCall(call);
    entry.calls.length = 0;
    entry.value = value;
    entry.shared = false;
    entry.content.settle();
    this.generation++;
  }

  /** Enters a call that was put behind the others of a message and is held nowhere else. */
  addCall(message: MessageEntry, value: JsonObject): CallEntry {
    const call = new CallEntry(message, message.calls.length, value);
    message.calls.push(call);
    this.callsById.set(call.id, call);
    return call;
  }

  /** Takes the call out again that was added last. */
  dropCall(call: CallEntry): void {
    call.message.calls.pop();
    this.callsById.delete(call.id);
  }

  /** The last of the tool messages that follow a message, or that message itself. */
  lastResultOf(message: MessageEntry): MessageEntry {
    let last = message.lastResultIn === this.generation ? (message.lastResult ?? message) : message;
    for (;;) {
      const next = this.nextOf(last);
      if (next === undefined || next.role !== "tool") break;
      last = next;
    }
    message.lastResult = last;
    message.lastResultIn = this.generation;
    return last;
  }

  /** Strings were flattened by a reader. */
  settle(): void {
    for (const entry of this) {
      entry.content.settle();
      for (const call of entry.calls) call.text.settle();
    }
  }

  /** A list of its own with the same values, which either one copies before it changes them. */
  fork(): MessageList {
    const fork = new MessageList();
    for (const entry of this) {
      const twin = new MessageEntry(entry.value);
      entry.shared = twin.shared = true;
      fork.push(twin);
    }
    return fork;
  }

  private nextOf(entry: MessageEntry): MessageEntry | undefined {
    const block = entry.block as Block;
    const place = block.entries.lastIndexOf(entry) + 1;
    if (place < block.entries.length) return block.entries[place];
    return this.blocks[this.blocks.indexOf(block) + 1]?.entries[0];
  }

  private enterCalls(entry: MessageEntry): void {
    entry.calls.length = 0;
    for (const value of callsOf(entry.value)) {
      const call = new CallEntry(entry, entry.calls.length, value as JsonObject);
      entry.calls.push(call);
      if (!this.callsById.has(call.id)) {
        this.callsById.set(call.id, call);
        continue;
      }
      const later = this.laterCalls.get(call.id);
      if (later === undefined) this.laterCalls.set(call.id, new Set([call]));
      else later.add(call);
    }
  }

  /** The next holder of a call takes the place of one that goes. */
  private forgetCall(call: CallEntry): void {
    const later = this.laterCalls.get(call.id);
    later?.delete(call);
    if (this.callsById.get(call.id) !== call) return;
    const next: CallEntry | undefined = later?.values().next().value;
    if (next === undefined) {
      this.callsById.delete(call.id);
    } else {
      later?.delete(next);
      this.callsById.set(next.id, next);
    }
  }
}

/** The calls that a message holds. */
function callsOf(message: JsonObject): unknown[] {
  return (own(message, "toolCalls") as unknown[] | undefined) ?? [];
}
