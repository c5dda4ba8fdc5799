import { ExactNumber, mayReorder, mayRespell, readSpelled, type Spellings } from "../../../../json/exact.js";
import { type JsonObject, put } from "../../../../json/object.js";
import { isContainer } from "../../../../json/tree.js";

/** What the tree of an event does not tell of its text. */
export interface Spelled {
  /** The order of members where JavaScript has another one; also of members that are gone, and without new ones. */
  readonly orders: ReadonlyMap<object, readonly string[]>;
  readonly spellings: Spellings;
}

export const PLAIN: Spelled = { orders: new Map(), spellings: new Map() };

/** Reads a well-formed text with all that is to be told of it, undefined where `JSON.parse` loses nothing. */
export function readSpelledText(text: string): { event: JsonObject; spelled: Spelled } | undefined {
  if (!mayRespell(text) && !mayReorder(text)) return undefined;
  const orders = new Map<object, string[]>();
  const spellings: Spellings = new Map();
  return { event: readSpelled(text, orders, spellings) as JsonObject, spelled: { orders, spellings } };
}

/** The names of an object in the order of its text, as far as they are still there; new ones come last. */
export function orderedNames(object: JsonObject, order: readonly string[] | undefined): string[] {
  const keys = Object.keys(object);
  if (order === undefined) return keys;
  const first = new Set(order.filter((name) => Object.hasOwn(object, name)));
  return [...first, ...keys.filter((name) => !first.has(name))];
}

/** The orders of objects whose members may have changed since. */
export function presentOrders(orders: Spelled["orders"]): Map<object, string[]> {
  const present = new Map<object, string[]>();
  for (const [object, order] of orders) present.set(object, orderedNames(object as JsonObject, order));
  return present;
}

/** A copy with doubles in the place of all `ExactNumber`s within their range. Does not recurse. */
export function withDoubles(root: JsonObject): JsonObject {
  const top: JsonObject = {};
  const open: [source: unknown[] | JsonObject, target: unknown[] | JsonObject][] = [[root, top]];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [source, target] = pair;
    for (const [name, value] of Object.entries(source)) {
      let copy: unknown = value;
      if (isContainer(value)) {
        copy = Array.isArray(value) ? [] : {};
        open.push([value, copy as unknown[] | JsonObject]);
      } else if (value instanceof ExactNumber && Number.isFinite(Number(value.text))) copy = Number(value.text);
      if (Array.isArray(target)) target.push(copy);
      else put(target, name, copy);
    }
  }
  return top;
}
