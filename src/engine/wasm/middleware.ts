import { type Fault, type HandlerFailure, NO_EVENT_GIVEN } from "../../errors.js";
import type { Middleware } from "../contract.js";

/** A caller's value as compact JSON (UTF-8) of at most `depth` levels, or why it has none. */
export type TextOf = (value: unknown, depth: number) => Uint8Array | Fault;

/** What the middleware made of an event: the texts of the events that go on in its place, or how it has failed. */
export interface MiddlewareAnswer {
  /** Type of the event it was given. */
  type: string;
  texts: Uint8Array[] | HandlerFailure;
}

/**
 * Gives an event to the middleware of its type, else to that of all (docs/semantics-agui.md §3).
 *
 * @param text the event as JSON
 * @returns its events as JSON; the event itself when nobody wanted it. What is thrown, and what is no object that JSON can express, is a failure.
 */
export function callMiddleware(middleware: Middleware, text: string, textOf: TextOf, depth: number): MiddlewareAnswer {
  const event = JSON.parse(text) as { type: string };
  const { type } = event;
  const handle = Object.hasOwn(middleware, type) ? middleware[type] : middleware["*"];
  if (handle === undefined) return { type, texts: [new TextEncoder().encode(text)] };
  const texts: Uint8Array[] = [];
  try {
    const given = handle(event);
    for (const one of Array.isArray(given) ? given : given === undefined || given === null ? [] : [given]) {
      const json = isObject(one) ? textOf(one, depth) : undefined;
      if (json === undefined || "code" in json) return { type, texts: NO_EVENT_GIVEN };
      texts.push(json);
    }
  } catch (cause) {
    return { type, texts: { cause } };
  }
  return { type, texts };
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
