import { OpenValues } from "../caller.js";
import type { Output } from "../output.js";
import { ARRAY, correctMap, MAP, MsgpackItems, ROOM } from "./put.js";

/** Writes callers' values as MessagePack in its shortest form (docs/msgpack.md §3). Does not recurse. */
export class MsgpackWriter {
  private readonly items: MsgpackItems;
  private readonly open: OpenValues;
  /** For each open container where its head stands behind `out.from`, and the members that were left out. */
  private readonly heads: number[] = [];
  private readonly skips: number[] = [];

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
    const { items, open } = this;
    const { out } = items;
    let node: object = open.root(event);
    let names: readonly string[] | undefined = Object.keys(node);
    let count = names.length;
    let place = 0;
    let skipped = 0;
    out.reserve(ROOM);
    open.enter(node, names, undefined);
    this.heads[0] = out.length - out.from;
    items.head(MAP, count);
    for (;;) {
      if (place === count) {
        const level = open.leave();
        if (skipped > 0) correctMap(items, this.heads[level]! + out.from, count, count - skipped);
        if (level === 0) return;
        node = open.nodes[level - 1]!;
        names = open.names[level - 1];
        count = names === undefined ? (node as unknown[]).length : names.length;
        place = open.places[level - 1]!;
        skipped = this.skips[level - 1]!;
        continue;
      }
      let step: string | number;
      let value: unknown;
      if (names === undefined) {
        step = place;
        value = (node as unknown[])[place++];
      } else {
        step = names[place++]!;
        value = (node as Readonly<Record<string, unknown>>)[step];
      }
      if (typeof value === "object" ? value !== null : typeof value === "bigint" || typeof value === "function")
        value = open.resolve(value, step);
      if (value === undefined && names !== undefined) {
        skipped++;
        continue;
      }
      // For a short name and a short value.
      out.reserve(2 * ROOM);
      if (names !== undefined) items.string(step as string);
      if (typeof value === "string") items.string(value);
      else if (typeof value === "number" && Number.isFinite(value)) items.number(value);
      else if (typeof value === "boolean") items.byte(value ? 0xc3 : 0xc2);
      else if (value === null) items.byte(0xc0);
      else if (typeof value === "object") {
        open.places[open.level - 1] = place;
        this.skips[open.level - 1] = skipped;
        node = value;
        names = Array.isArray(node) ? undefined : Object.keys(node);
        count = names === undefined ? (node as unknown[]).length : names.length;
        place = 0;
        skipped = 0;
        open.enter(node, names, step);
        this.heads[open.level - 1] = out.length - out.from;
        items.head(names === undefined ? ARRAY : MAP, count);
      } else throw open.fault("not_json", step);
    }
  }
}
