import { PROTOCOL_AGENTUE, TRANSPORT_JSON, TRANSPORT_NDJSON, TRANSPORT_SSE } from "../../../../assembly/abi/codes.js";
import type { JsonObject } from "../../../json/object.js";
import { nestingOf } from "../../../json/text.js";
import type { SessionOptions, Transport } from "../../contract.js";
import { writeJson } from "../codec/clone.js";
import type { Framer } from "../frame/sink.js";
import { SseFramer } from "../frame/sse.js";
import type { AgentueReducer } from "../reduce/agentue/reducer.js";
import { UNKNOWN_SEQ } from "../reduce/agentue/state.js";
import type { Checkpoint, SavedStream } from "./checkpoint.js";
import { namesIn } from "./names.js";
import { Counters } from "./pipeline.js";
import { MessageQueue } from "./queue.js";
import { Stream, Streams } from "./streams.js";
import { readString } from "./text.js";

const TRANSPORTS: Record<Transport, number> = { sse: TRANSPORT_SSE, ndjson: TRANSPORT_NDJSON, json: TRANSPORT_JSON };
/** Strings, kept, and the white space between tokens. */
const SPACE = /("(?:[^"\\]|\\.)*")|[ \t\n\r]+/gs;

/** What a checkpoint holds and a session is made of. */
export interface Saved {
  framer: Framer;
  streams: Streams;
  counters: Counters;
  finished: boolean;
  /** The body ended inside a message. */
  cut: boolean;
}

/** A session's state for a checkpoint; a connection that has failed is saved as after `reconnect`. */
export function save(state: Saved, transport: Transport, failed: boolean): Checkpoint {
  const { framer, counters } = state;
  const sse = framer instanceof SseFramer ? framer : undefined;
  // Between two connections there is nothing to go on with.
  const idle = failed || state.finished;
  return {
    protocol: PROTOCOL_AGENTUE,
    transport: TRANSPORTS[transport],
    offset: failed ? 0 : framer.offset,
    eventIndex: failed ? 0 : counters.nextIndex,
    retry: sse?.retry,
    events: counters.events,
    applied: counters.applied,
    skipped: counters.skipped,
    dropped: counters.dropped,
    errors: counters.errors,
    warnings: counters.warnings,
    started: !idle && sse?.started === true,
    swallowLf: !idle && sse?.swallowLf === true,
    finished: !failed && state.finished,
    cut: !failed && state.cut,
    skipping: !idle && framer.skipping,
    skippedLine: !idle && sse?.skipping === true && sse.skippedLine,
    lastEventId: sse?.lastEventId,
    partial: idle ? new Uint8Array(0) : framer.partial(),
    streams: [...state.streams.all()].map(saveStream),
  };
}

function saveStream(stream: Stream): SavedStream {
  const { document, queue } = stream;
  return {
    id: stream.id,
    status: stream.status,
    seq: stream.seq === UNKNOWN_SEQ ? undefined : stream.seq,
    paused: queue !== undefined,
    skipping: stream.skipping,
    lost: queue?.lost === true,
    version: stream.changes.version,
    applied: stream.applied,
    skipped: stream.skipped,
    dropped: stream.dropped,
    endOrder: stream.endOrder,
    queue: (queue?.messages ?? []).map((message) => ({ ...message, text: message.text.replace(SPACE, "$1") })),
    model: writeJson(document!.model, document!.exact),
  };
}

/**
 * Makes a session's parts from a checkpoint.
 *
 * @param framer a fresh one; it takes over the saved state
 * @returns what is wrong with the checkpoint, as a sentence
 */
export function rebuild(
  checkpoint: Checkpoint,
  framer: Framer,
  options: SessionOptions,
  reducer: AgentueReducer,
): Saved | string {
  if (checkpoint.protocol !== PROTOCOL_AGENTUE) return "it belongs to another protocol";
  if (checkpoint.transport !== TRANSPORTS[options.transport]) return "it belongs to another transport";
  if (checkpoint.streams.length > options.limits.streams) return "it holds more streams than the limit";
  const streams = new Streams(options.keepEnded);
  for (const saved of checkpoint.streams) {
    const stream = rebuildStream(saved, options, reducer);
    if (stream === undefined) return `stream ${JSON.stringify(saved.id)} is malformed or beyond a limit`;
    streams.add(stream);
  }
  streams.restoreEnded();
  if (!resumeFraming(checkpoint, framer)) return "the partial message is malformed";
  const counters = new Counters();
  counters.nextIndex = checkpoint.eventIndex;
  counters.bytes = checkpoint.offset;
  counters.events = checkpoint.events;
  counters.applied = checkpoint.applied;
  counters.skipped = checkpoint.skipped;
  counters.dropped = checkpoint.dropped;
  counters.errors = checkpoint.errors;
  counters.warnings = checkpoint.warnings;
  const { finished, cut } = checkpoint;
  return { framer, streams, counters, finished, cut };
}

function rebuildStream(saved: SavedStream, options: SessionOptions, reducer: AgentueReducer): Stream | undefined {
  const { limits } = options;
  const model = readString(saved.model, limits);
  if (model === undefined) return undefined;
  const stream = new Stream(saved.id);
  const seq = saved.seq ?? UNKNOWN_SEQ;
  if (reducer.load(stream, seq, model.value, namesIn(model.text), model.source, false) !== undefined) return undefined;
  stream.status = saved.status;
  stream.skipping = saved.skipping;
  stream.applied = saved.applied;
  stream.skipped = saved.skipped;
  stream.dropped = saved.dropped;
  stream.endOrder = saved.endOrder;
  stream.changes.restore(saved.version);
  if (!saved.paused) return stream;
  stream.queue = new MessageQueue(limits.queuedBytes);
  stream.queue.lost = saved.lost;
  for (const message of saved.queue) {
    if (!isRouted(message.text, saved.id, options) || !stream.queue.add(message)) return undefined;
  }
  return stream;
}

/** Whether a queued text is an event of the stream. */
function isRouted(text: string, streamId: string, { limits }: SessionOptions): boolean {
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch {
    return false;
  }
  if (typeof event !== "object" || event === null || Array.isArray(event)) return false;
  const { stream_id: id = "" } = event as JsonObject;
  return id === streamId && nestingOf(text, limits.depth + 1) <= limits.depth;
}

function resumeFraming(checkpoint: Checkpoint, framer: Framer): boolean {
  let partial = true;
  const stop = (): boolean => {
    partial = false;
    return false;
  };
  if (framer instanceof SseFramer) {
    framer.started = checkpoint.started;
    framer.lastEventId = checkpoint.lastEventId;
    framer.retry = checkpoint.retry;
  }
  framer.resume(checkpoint.partial, checkpoint.offset, { message: stop, illFormed: stop, tooLarge: stop });
  framer.skipping = checkpoint.skipping;
  if (framer instanceof SseFramer) {
    if (framer.started !== checkpoint.started) return false;
    framer.swallowLf = checkpoint.swallowLf;
    framer.skippedLine = checkpoint.skippedLine;
  }
  return partial;
}
