import { readable } from "../../arguments.js";
import { usageError } from "../../errors.js";
import type { AGUIEvent } from "../types.generated.js";
import { type CompactOptions, type Compactor, EventCompactor } from "./compactor.js";

export type { CompactOptions, Compactor } from "./compactor.js";

/**
 * Fewer events that fold to the same snapshot: deltas of one text are joined, snapshots take in the deltas that follow, and nothing else changes
 * its place (docs/agui-producing.md). What comes out passes the verifier where the log did, is folded the same by readers of every
 * `onDeltaFailure`, also up to the end of each run, and is left alone by a second call. A log may be compacted in parts: `compact([...compact(a), ...b])`
 * folds as `[...a, ...b]`.
 *
 * @param events wire events in their order, from the beginning of a log or from anywhere in it; they are not changed
 * @returns values of the caller's own, never more of them than were given
 * @throws StreamfoldError `bad_event`, `chunk_conflict` with path and `eventIndex`; `not_json`, `too_deep`; `bad_argument` for options and for what is not iterable
 */
export function compact(events: Iterable<unknown>, options?: CompactOptions): AGUIEvent[] {
  const compactor = new EventCompactor(options);
  if (typeof readable(() => events?.[Symbol.iterator]) !== "function")
    throw usageError("bad_argument", "the events must be iterable");
  for (const event of events) compactor.add(event);
  return compactor.take();
}

/**
 * The same for a log that grows: `take` gives what was added since, compact, to be stored behind what was stored before. Texts, chunk streams and
 * values that are open at the end of a batch go on in the next.
 *
 * @throws StreamfoldError `bad_argument` for options
 */
export function createCompactor(options?: CompactOptions): Compactor {
  return new EventCompactor(options);
}
