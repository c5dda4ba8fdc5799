import { mayReorder, mayRespell, readSpelled, type Spellings } from "../../../../json/exact.js";
import type { JsonObject } from "../../../../json/object.js";

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
