import { ExactNumber } from "../../json/exact.js";
import { isContainer } from "../../json/tree.js";
import { isForeign, OpenValues, type Step } from "../caller.js";
import type { BackwardBytes } from "./bytes.js";

/** Tags: kinds of a Value, an element or entry, key and value of an entry. */
const NULL = 0x08;
const NUMBER = 0x11;
const STRING = 0x1a;
const BOOL = 0x20;
const STRUCT = 0x2a;
const LIST = 0x32;
const ENTRY = 0x0a;
const KEY = 0x0a;
const VALUE = 0x12;

/** Writes open JSON: google.protobuf.Value and Struct. Does not recurse. */
export class ValueWriter {
  readonly open = new OpenValues(Number.POSITIVE_INFINITY);
  /** The order of members of objects whose names JavaScript lists otherwise. */
  orders: ReadonlyMap<object, readonly string[]> | undefined = undefined;
  private readonly out: BackwardBytes;
  /** Of each open container the names of an object's members, how many of those are still to be written, the bytes when it began. */
  private readonly names: (readonly string[] | undefined)[] = [];
  private readonly lefts: number[] = [];
  private readonly befores: number[] = [];

  constructor(out: BackwardBytes) {
    this.out = out;
  }

  /**
   * Writes a value as a field that holds a google.protobuf.Value or, `asStruct`, an object as a Struct.
   *
   * @param depth levels of nesting allowed
   * @throws Unwritable whose path begins at the value; and whatever a getter or `toJSON` throws
   */
  write(tag: number, root: unknown, asStruct: boolean, depth: number): void {
    const { out, open, befores } = this;
    open.level = 0;
    open.depth = depth;
    if (!isContainer(root)) {
      const before = out.size;
      this.scalar(root, undefined);
      out.close(tag, before);
      return;
    }
    let node: object = root;
    let names = this.namesOf(node);
    // Members and elements that are still to be written, the last ones first.
    let left = names === undefined ? (node as unknown[]).length : names.length;
    open.enter(node, undefined);
    this.names[0] = names;
    befores[0] = out.size;
    for (;;) {
      let before: number;
      if (left === 0) {
        const level = open.leave();
        before = befores[level]!;
        if (level > 0 || !asStruct) out.close(names === undefined ? LIST : STRUCT, before);
        if (level === 0) {
          out.close(tag, before);
          return;
        }
        node = open.nodes[level - 1]!;
        names = this.names[level - 1];
        left = this.lefts[level - 1]!;
      } else {
        left--;
        const step = names === undefined ? left : names[left]!;
        let value = (node as Readonly<Record<string | number, unknown>>)[step];
        if (isForeign(value) && !(value instanceof ExactNumber)) value = open.resolve(value, step);
        if (value === undefined && names !== undefined) continue;
        before = out.size;
        if (isContainer(value)) {
          this.lefts[open.level - 1] = left;
          node = value;
          names = this.namesOf(node);
          left = names === undefined ? (node as unknown[]).length : names.length;
          open.enter(node, step);
          this.names[open.level - 1] = names;
          befores[open.level - 1] = before;
          continue;
        }
        this.scalar(value, step);
      }
      // What was written last is an element or a member of the container that is open now.
      if (names === undefined) out.close(ENTRY, before);
      else {
        out.close(VALUE, before);
        const name = names[left]!;
        if (name !== "") out.string(KEY, name);
        out.close(ENTRY, before);
      }
    }
  }

  /** The names of an object's members, undefined for an array. */
  private namesOf(node: object): readonly string[] | undefined {
    return Array.isArray(node) ? undefined : (this.orders?.get(node) ?? Object.keys(node));
  }

  private scalar(value: unknown, step: Step): void {
    const { out } = this;
    if (typeof value === "string") {
      out.string(STRING, value);
    } else if (typeof value === "boolean") {
      out.varint(value ? 1 : 0);
      out.varint(BOOL);
    } else if (value === null) {
      out.varint(0);
      out.varint(NULL);
    } else if (value instanceof ExactNumber || (typeof value === "number" && Number.isFinite(value))) {
      // A number text beyond the range of a double becomes an infinity, which is read as null.
      out.double(typeof value === "number" ? value : Number(value.text));
      out.varint(NUMBER);
    } else throw this.open.fault("not_json", step);
  }
}
