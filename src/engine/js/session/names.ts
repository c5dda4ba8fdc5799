import { memberNames } from "../../../json/exact.js";
import type { NamesAt } from "../reduce/agentue/validate.js";

const INTEGER_NAME = /^(?:0|[1-9][0-9]*)$/;

/** Where the order of members is told that JavaScript lists otherwise. */
export type Orders = ReadonlyMap<object, readonly string[]>;

/** Member names in document order, as `namesOf` gives them. */
export function namesIn(text: string | undefined, orders: Orders | undefined): NamesAt {
  return (path, object) => namesOf(text, orders, path, object);
}

/**
 * The member names of an object in the order of its document; JavaScript lists integer-like names first.
 *
 * @param text of the document
 * @param orders told with the tree where there is no text; an object that is not there has JavaScript's order
 * @param path from the root of the document to the object
 */
export function namesOf(
  text: string | undefined,
  orders: Orders | undefined,
  path: readonly (string | number)[],
  object: object,
): readonly string[] {
  if (text === undefined) return orders?.get(object) ?? Object.keys(object);
  const names = Object.keys(object);
  return names.length === 0 || !INTEGER_NAME.test(names[0]!) ? names : memberNames(text, path);
}
