import { type HandlerFailure, NO_EVENT_GIVEN } from "../../../errors.js";
import type { JsonObject } from "../../../json/object.js";
import { isObject } from "../../../json/tree.js";
import { cloneValue } from "../codec/clone.js";
import { copyValue } from "../codec/value.js";
import type { OwnedTree } from "./protocol.js";

type Handle = (event: unknown) => unknown;

/** The middleware for a type. */
export function handlerOf(middleware: object, type: unknown): Handle | undefined {
  const table = middleware as Record<string, Handle>;
  if (typeof type === "string" && Object.hasOwn(table, type)) return table[type];
  return Object.hasOwn(table, "*") ? table["*"] : undefined;
}

/**
 * Gives an event to middleware as a value of its own (docs/semantics-agui.md §3).
 *
 * @param depth levels that what it answers with may have
 * @returns the events that it answers with, or how it has failed: it has thrown, or has given what is no event
 */
export function callHandler(handle: Handle, event: JsonObject, depth: number): OwnedTree[] | HandlerFailure {
  let events: unknown[];
  try {
    const given = handle(cloneValue(event, "number"));
    // A list may be a proxy.
    events = given === undefined || given === null ? [] : Array.isArray(given) ? [...given] : [given];
  } catch (cause) {
    return { cause };
  }
  const copies: OwnedTree[] = [];
  for (const one of events) {
    const copy = copyValue(one, depth);
    if ("code" in copy || !isObject(copy.value)) return NO_EVENT_GIVEN;
    const source = { nesting: copy.depth - 1, bytes: copy.bound, exact: copy.exact };
    copies.push({ value: copy.value, text: undefined, source });
  }
  return copies;
}
