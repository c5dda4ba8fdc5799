import { isForeign, OpenValues, RECURSION, type Step } from "../caller.js";
import type { Output } from "../output.js";
import { ARRAY, MAP, MsgpackItems, ROOM } from "./put.js";
import { writeItems } from "./write.js";

/** Writes callers' values as MessagePack in its shortest form (docs/msgpack.md §3). */
export class MsgpackWriter {
  private readonly items: MsgpackItems;
  private readonly open: OpenValues;

  /** @param depth levels of nesting allowed */
  constructor(out: Output, depth: number) {
    this.items = new MsgpackItems(out);
    this.open = new OpenValues(depth);
  }

  /**
   * Appends an event as one message.
   *
   * @throws Unwritable `not_json`, `not_an_event`, `too_deep`; and whatever a getter or `toJSON` throws
   */
  write(event: unknown): void {
    const object = this.open.root(event);
    this.items.out.reserve(ROOM);
    this.object(object, undefined);
  }

  /** A map; room is there for its head, as it is for the others'. */
  private object(node: Readonly<Record<string, unknown>>, step: Step): void {
    const { items, open } = this;
    const { out } = items;
    open.enter(node, step);
    const head = out.length - out.from;
    items.head(MAP, 0);
    let count = 0;
    // With the names of `for … in` the members are read by their place, whatever the object's shape.
    for (const name in node) {
      let value = node[name];
      if (open.mayInherit && !Object.hasOwn(node, name)) continue;
      if (isForeign(value)) value = open.resolve(value, name);
      if (value === undefined) continue;
      count++;
      // For a short name and a short value.
      out.reserve(2 * ROOM);
      items.string(name);
      this.value(value, name);
    }
    items.setCount(head, count);
    open.leave();
  }

  private array(node: readonly unknown[], step: Step): void {
    const { items, open } = this;
    open.enter(node, step);
    const { length } = node;
    items.head(ARRAY, length);
    for (let i = 0; i < length; i++) {
      let value = node[i];
      if (isForeign(value)) value = open.resolve(value, i);
      items.out.reserve(ROOM);
      this.value(value, i);
    }
    open.leave();
  }

  /** A value for which `toJSON` has spoken; room is there for a scalar. */
  private value(value: unknown, step: Step): void {
    const { items } = this;
    if (typeof value === "string") items.string(value);
    else if (typeof value === "number" && Number.isFinite(value)) items.number(value);
    else if (value === null) items.byte(0xc0);
    else if (typeof value === "boolean") items.byte(value ? 0xc3 : 0xc2);
    else if (typeof value !== "object") throw this.open.fault("not_json", step);
    else if (this.open.level >= RECURSION) writeItems(items, this.open.copy(value, step));
    else if (Array.isArray(value)) this.array(value, step);
    else this.object(value as Readonly<Record<string, unknown>>, step);
  }
}
