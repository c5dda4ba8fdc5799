import { type JsonObject, own } from "../../../json/object.js";
import type { BlockEntry } from "../reduce/agentue/document.js";
import { isObject } from "../reduce/agentue/kinds.js";
import type { Stream } from "./streams.js";

/** The block of that id when it is an unresolved reference. */
export function referenceOf(stream: Stream, id: unknown): BlockEntry | undefined {
  const entry = typeof id === "string" ? stream.document?.entries.get(id) : undefined;
  return entry?.reference ? entry : undefined;
}

/** The reference that the first queued event patches; undefined: there is no such event, or the block is none (any more). */
export function awaitedReference(stream: Stream): BlockEntry | undefined {
  const first = stream.queue?.messages[0];
  if (first === undefined) return undefined;
  const event = JSON.parse(first.text) as JsonObject;
  const block = own(event, "block");
  return typeof own(event, "mask") === "string" && isObject(block) ? referenceOf(stream, own(block, "id")) : undefined;
}

/**
 * Another model has taken the place of the one whose reference the stream waited for: what waited has no effect any more.
 *
 * @returns how many events were dropped
 */
export function dropWaiting(stream: Stream): number {
  if (!stream.waiting) return 0;
  const count = stream.queue!.messages.length;
  stream.dropped += count;
  stream.queue = undefined;
  stream.waiting = false;
  return count;
}
