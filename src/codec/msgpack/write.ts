import { ExactNumber } from "../../json/exact.js";
import type { JsonObject } from "../../json/object.js";
import type { Losses } from "../losses.js";
import { Output } from "../output.js";
import { MsgpackFault } from "./fault.js";
import { integerOf } from "./integer.js";
import { msgpackLosses } from "./losses.js";
import { ARRAY, MAP, MsgpackItems, ROOM } from "./put.js";

/**
 * Writes a JSON value as MessagePack in its shortest form (docs/msgpack.md): the same bytes for the same value.
 *
 * @param value plain objects, arrays, strings, finite numbers, booleans, null and `ExactNumber`s; nested to any depth
 * @param orders the order of members of objects whose names JavaScript lists otherwise, as `readOrdered` tells it
 * @param losses takes LOSS_NUMBER and LOSS_SURROGATE, unless there is a fault
 * @returns bytes of the caller's own; a `MsgpackFault` with reason `range` for a number beyond the range of a double
 */
export function writeMsgpack(
  value: unknown,
  orders?: ReadonlyMap<object, string[]>,
  losses?: Losses,
): Uint8Array | MsgpackFault {
  const items = new MsgpackItems(new Output(2 * ROOM));
  try {
    writeItems(items, value, orders);
  } catch (fault) {
    if (fault instanceof MsgpackFault) return fault;
    throw fault;
  }
  if (losses !== undefined) losses.bits |= msgpackLosses(value);
  return items.out.copy();
}

/** `writeMsgpack` behind what there is. Throws MsgpackFault. */
export function writeItems(items: MsgpackItems, root: unknown, orders?: ReadonlyMap<object, string[]>): void {
  const { out } = items;
  const nodes: (unknown[] | JsonObject)[] = [];
  const names: (string[] | undefined)[] = [];
  const places: number[] = [];
  let value = root;
  for (;;) {
    out.reserve(ROOM);
    if (Array.isArray(value)) {
      items.head(ARRAY, value.length);
      nodes.push(value);
      names.push(undefined);
      places.push(0);
    } else if (typeof value === "object" && value !== null && !(value instanceof ExactNumber)) {
      const keys = orders?.get(value) ?? Object.keys(value);
      items.head(MAP, keys.length);
      nodes.push(value as JsonObject);
      names.push(keys);
      places.push(0);
    } else {
      scalar(items, value);
    }
    for (;;) {
      const top = nodes.length - 1;
      if (top < 0) return;
      const node = nodes[top]!;
      const keys = names[top];
      const place = places[top]!;
      if (place < (keys ?? (node as unknown[])).length) {
        places[top] = place + 1;
        if (keys === undefined) {
          value = (node as unknown[])[place];
        } else {
          out.reserve(ROOM);
          items.string(keys[place]!);
          value = (node as JsonObject)[keys[place]!];
        }
        break;
      }
      nodes.pop();
      names.pop();
      places.pop();
    }
  }
}

function scalar(items: MsgpackItems, value: unknown): void {
  if (typeof value === "string") items.string(value);
  else if (typeof value === "number") items.number(value);
  else if (value instanceof ExactNumber) exact(items, value.text);
  else items.byte(value === null ? 0xc0 : value === true ? 0xc3 : 0xc2);
}

/** A number text: integers of 64 bits by their value, anything else as the nearest double. */
function exact(items: MsgpackItems, text: string): void {
  const value = integerOf(text);
  if (value === undefined) {
    const double = Number(text);
    if (!Number.isFinite(double)) throw new MsgpackFault("bad_msgpack", 0, "range");
    items.number(double);
  } else if (value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER) items.number(Number(value));
  else items.large(value);
}
