import { expectOptions } from "../arguments.js";
import type { ChangeSet, EventInfo, FinishResult, SlimReducer } from "../engine/contract.js";
import { usageError } from "../errors.js";
import { OBSERVE } from "../reducer/hooks.js";
import { expectWaits, finishWaiting, type Waits } from "./waits.js";

/** What a stream that emits events gives for each accepted one. */
export interface StreamEvent extends EventInfo {
  event: unknown;
}

/** What a stream that emits changes gives: one entry per logical stream that a chunk changed. */
export type StreamChanges = ChangeSet & { streamId: string };

export interface ReducerStreamOptions<Emit extends "events" | "changes" | "bytes" = "events" | "changes" | "bytes"> {
  /** What comes out after each chunk: its accepted events, what it changed, or the chunk itself. */
  emit: Emit;
  /** Only this logical stream's events or changes; all of them by default. */
  streamId?: string;
  /** Called with the result when the body has ended. */
  onFinish?(result: FinishResult): void;
  /**
   * AgentUE: the resolver of the reducer's references. What is applied when a body has come goes out when nothing is being loaded any more, at the latest with the next
   * chunk, and at the end of the body its loads are waited for.
   */
  resolver?: Waits;
}

interface Emitted {
  events: StreamEvent;
  changes: StreamChanges;
  bytes: Uint8Array;
}

/**
 * A TransformStream that folds wire bytes into a reducer. Back-pressure is that of the pipe. The reducer stays the caller's: it is
 * finished when the body ends, never closed.
 *
 * A call that throws (a failed connection; any failure when the reducer has no `onError`) errors the stream with that StreamfoldError.
 *
 * @param reducer takes the bytes. For `emit: "events"` it must have an `onEvent` listener or not have been used yet
 * @returns a stream of Uint8Array to `StreamEvent`, `StreamChanges` or Uint8Array
 * @throws StreamfoldError `bad_argument` for an option that there is not, an unknown `emit`, or for events of a reducer that cannot report them any more
 */
export function createReducerStream<Emit extends "events" | "changes" | "bytes">(
  reducer: SlimReducer,
  options: ReducerStreamOptions<Emit>,
): TransformStream<Uint8Array, Emitted[Emit]>;
export function createReducerStream(
  reducer: SlimReducer,
  options: ReducerStreamOptions,
): TransformStream<Uint8Array, unknown> {
  expectOptions(options, "emit", "streamId", "onFinish", "resolver");
  const { emit, streamId, onFinish, resolver } = options;
  expectWaits(resolver);
  const emitted =
    emit === "events"
      ? eventsOf(reducer, streamId)
      : emit === "changes"
        ? changesOf(reducer, streamId)
        : emit === "bytes"
          ? (chunk?: Uint8Array) => (chunk === undefined ? [] : [chunk])
          : undefined;
  if (emitted === undefined) throw usageError("bad_argument", 'emit must be "events", "changes" or "bytes"');
  const enqueue = (controller: TransformStreamDefaultController<unknown>, chunk?: Uint8Array): void => {
    for (const item of emitted(chunk)) controller.enqueue(item);
  };
  /** Somebody sees to what is applied between chunks. */
  let watched = false;
  const watch = async (resolver: Waits, controller: TransformStreamDefaultController<unknown>): Promise<void> => {
    watched = true;
    await resolver.idle();
    watched = false;
    enqueue(controller);
  };
  return new TransformStream<Uint8Array, unknown>({
    transform(chunk, controller) {
      reducer.push(chunk);
      enqueue(controller, chunk);
      // the stream may have been given up meanwhile, or the reducer closed: the next chunk says so
      if (resolver !== undefined && !watched) watch(resolver, controller).catch(() => {});
    },
    async flush(controller) {
      const result = resolver === undefined ? reducer.finish() : await finishWaiting(reducer, resolver, (idle) => idle);
      enqueue(controller);
      onFinish?.(result);
    },
  });
}

function eventsOf(reducer: SlimReducer, streamId: string | undefined): () => StreamEvent[] {
  const observe = (reducer as { [OBSERVE]?(listener: (event: unknown, info: EventInfo) => void): void })[OBSERVE];
  if (observe === undefined) throw usageError("bad_argument", "the reducer must be one that createReducer gave");
  let batch: StreamEvent[] = [];
  observe.call(reducer, (event, info) => {
    if (streamId === undefined || info.streamId === streamId) batch.push({ event, ...info });
  });
  return () => {
    const taken = batch;
    batch = [];
    return taken;
  };
}

/** Remembers how far each stream was told; what was there before the first chunk counts as told. */
function changesOf(reducer: SlimReducer, streamId: string | undefined): () => StreamChanges[] {
  let told = new Map(streamsOf(reducer, streamId).map((id) => [id, reducer.changes({ streamId: id }).version]));
  return () => {
    const out: StreamChanges[] = [];
    const now = new Map<string, number>();
    for (const id of streamsOf(reducer, streamId)) {
      const since = told.get(id) ?? 0;
      const set = reducer.changes({ streamId: id, since });
      if (set.version !== since) out.push({ streamId: id, ...set });
      now.set(id, set.version);
    }
    told = now;
    return out;
  };
}

function streamsOf(reducer: SlimReducer, streamId: string | undefined): string[] {
  const ids = reducer.streamIds();
  if (streamId === undefined) return ids;
  return ids.includes(streamId) ? [streamId] : [];
}
