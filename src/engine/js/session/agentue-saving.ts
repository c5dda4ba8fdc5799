import { writeJson } from "../../../json/exact.js";
import type { SessionOptions } from "../../contract.js";
import type { AgentueReducer } from "../reduce/agentue/reducer.js";
import { UNKNOWN_SEQ } from "../reduce/agentue/state.js";
import type { SavedStream } from "./checkpoint.js";
import { namesIn } from "./names.js";
import { compact, MessageQueue, objectOf } from "./queue.js";
import { Stream } from "./streams.js";
import { readString } from "./text.js";
import { awaitedReference } from "./waiting.js";

/** One stream for a checkpoint (docs/semantics.md §10). */
export function saveStream(stream: Stream): SavedStream {
  const { document, queue } = stream;
  return {
    id: stream.id,
    status: stream.status,
    seq: stream.seq === UNKNOWN_SEQ ? undefined : stream.seq,
    paused: queue !== undefined,
    waiting: stream.waiting,
    skipping: stream.skipping,
    lost: queue?.lost === true,
    version: stream.changes.version,
    applied: stream.applied,
    skipped: stream.skipped,
    dropped: stream.dropped,
    endOrder: stream.endOrder,
    queue: (queue?.messages ?? []).map(compact),
    model: writeJson(document!.model, document!.exact),
  };
}

/** A stream from a checkpoint; undefined when it is malformed or beyond a limit. */
export function rebuildStream(
  saved: SavedStream,
  options: SessionOptions,
  reducer: AgentueReducer,
): Stream | undefined {
  const { limits } = options;
  const model = readString(saved.model, limits);
  if (model === undefined) return undefined;
  const stream = new Stream(saved.id);
  const seq = saved.seq ?? UNKNOWN_SEQ;
  if (reducer.load(stream, seq, model.value, namesIn(model.text, undefined), model.source, false) !== undefined)
    return undefined;
  stream.status = saved.status;
  stream.skipping = saved.skipping;
  stream.applied = saved.applied;
  stream.skipped = saved.skipped;
  stream.dropped = saved.dropped;
  stream.endOrder = saved.endOrder;
  stream.changes.restore(saved.version);
  // An AgentUE stream begins with its first version and is ended or not.
  if (saved.version === 0 || saved.endOrder > 0 !== (saved.status === 3)) return undefined;
  if (!saved.paused) return stream;
  stream.queue = new MessageQueue(limits.queuedBytes);
  stream.queue.lost = saved.lost;
  for (const message of saved.queue) {
    const event = objectOf(message.text, limits.depth);
    if (event === undefined || (event.stream_id ?? "") !== saved.id || !stream.queue.add(message)) return undefined;
  }
  stream.waiting = saved.waiting === true;
  return stream.waiting && awaitedReference(stream) === undefined ? undefined : stream;
}
