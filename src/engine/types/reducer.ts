// The reducer as applications see it.
import type { Bytes } from "../../bytes.js";
import type { StreamfoldError, WarningCode } from "../../errors.js";
import type { Limits } from "../../limits.js";
import type { ChangeSet } from "./changes.js";
import type {
  FinishResult,
  Frames,
  Gap,
  Middleware,
  ModelFormat,
  OnDeltaFailure,
  OnViolation,
  Protocol,
  Reference,
  ReferencePause,
  Sequence,
  Stats,
  StreamStatus,
  Transport,
  UnknownEnum,
  Unresolved,
} from "./terms.js";

export interface Warning {
  code: WarningCode;
  message: string;
  path?: string;
  streamId?: string;
  seq?: number;
  eventIndex: number;
  /** AG-UI: the type of the event. */
  eventType?: string;
  /** AG-UI: the id, name or value that is meant. */
  subject?: string;
  /** Number of the operation of a patch. */
  opIndex?: number;
  /** `bad_arguments`: code units of the argument text before the fault. */
  position?: number;
}

/** Where an event came from. */
export interface EventInfo {
  streamId: string;
  eventIndex: number;
}

/** What a reducer is made with. Options of the other protocol are `bad_argument`; the answers to rules that are named here are in docs/api.md. */
export interface ReducerOptions {
  /** The protocol of the events: "agentue" (1.1, and models of 1.0) or "ag-ui" (1.1). */
  protocol: Protocol;
  /** The wire: "sse", "ndjson", "json" (each `push` is one whole event), "msgpack"; for AG-UI also "protobuf". */
  transport: Transport;
  /** Bounds on what a stream may make the reducer hold; those that are not given are `DEFAULT_LIMITS`. */
  limits?: Partial<Limits>;
  /** What to do with a seq that is not above the last one. Default "dedupe" (docs/semantics.md §3). */
  sequence?: Sequence;
  /**
   * AgentUE, storage frames: "keep" (default) treats them as the blocks they are; "guard" refuses patches of a block that the model holds in frames only
   * (`unresolved_frames`, docs/frames.md §6).
   */
  frames?: Frames;
  /** What an event does that breaks the protocol: "refuse-stream" (default) refuses its stream until the next `start` (AG-UI: for good), "skip-event" drops the event alone. */
  onViolation?: OnViolation;
  /**
   * AgentUE, an event that patches a block which is a reference: default "error" refuses it alone with `unresolved_reference`; "pause" pauses its stream before it,
   * so that nothing behind it is applied until the block was materialized and the stream resumed (docs/references.md).
   */
  unresolved?: Unresolved;
  /** Ill-formed UTF-8: default "fatal". */
  utf8?: "fatal" | "replace";
  /** A last message without its terminator: default "use". */
  unterminatedTail?: "use" | "discard";
  /** A message that cannot be decoded: default "fail" (the connection fails). */
  undecodable?: "fail" | "skip";
  /** Ended streams kept before the first ended one is released. Default: all. */
  keepEnded?: number;
  /** AG-UI, partial RunAgentInput: `messages` and `state` are the baseline, `threadId`, `runId`, `parentRunId` are shown until a run starts. */
  input?: unknown;
  /** AG-UI: the newest protocol version the peer knows ("0.0.57"); what it cannot mean is removed with a warning. */
  maxProtocolVersion?: string;
  /** AG-UI: see `Middleware`. */
  middleware?: Middleware;
  /** AG-UI, a patch that does not apply: default "warn" keeps the value, "fail" refuses the stream, "upsert" creates what is missing (not RFC 6902). */
  onDeltaFailure?: OnDeltaFailure;
  /** AG-UI, a value that a closed set does not list: default "fatal", "strip" removes it with a warning. */
  unknownEnum?: UnknownEnum;
  /** AG-UI: only events of these types go to `onEvent`, those of chunks under the names of what they expand to. Default: all. */
  eventTypes?: readonly string[];
  /**
   * Each accepted event, after its chunk was folded, in the order of the wire; AG-UI: expanded and held to the schema. Events are built as values only when somebody
   * listens, which costs more than folding them. Declare the parameter as what it is, such as `AgentUEEvent` or `AGUIEvent`.
   */
  onEvent?(event: unknown, info: EventInfo): void;
  /** What was tolerated and should be known (docs/errors.md): what was stripped, skipped, replaced, or a patch that does not apply. */
  onWarning?(warning: Warning): void;
  /**
   * Each failure. Whether it is there decides who throws: without it, a call throws the first failure of its chunk (after all of the chunk was folded; `errors` holds
   * them all); with it, only a failure of the connection is thrown, by each call until `reconnect()`.
   */
  onError?(error: StreamfoldError): void;
  /** AgentUE: events are missing before this one (its `seq` jumps, or a `ping` is ahead). The event is applied. */
  onGap?(gap: Gap): void;
  /** A stream has paused by itself before a patch of a reference; with `unresolved: "pause"` only. */
  onUnresolved?(pause: ReferencePause): void;
}

export interface StreamSelector {
  /** The logical stream; omitted or "" is the unnamed one (AgentUE §4.2). */
  streamId?: string;
}

/** What `fork` takes: the listeners are those of the fork, which has none of the reducer's. */
export interface ForkOptions
  extends StreamSelector,
    Pick<ReducerOptions, "onEvent" | "onWarning" | "onError" | "onGap" | "onUnresolved"> {
  /** AgentUE: the id of the stream in the fork; the same by default. */
  as?: string;
}

/**
 * Folds one connection's events into one model per logical stream.
 *
 * Every method but `close` throws `closed` after `close()`. Inside a listener, calls that feed, change or close this reducer throw
 * `reentrant`; reading is allowed. Inside the callback of `withSnapshotBytes` every call on a reducer of the engine does.
 */
export interface SlimReducer {
  /**
   * Folds wire bytes, cut anywhere (`transport: "json"`: one whole event). All of them are consumed, none are kept: the buffer may be used again.
   *
   * @param chunk bytes; text is `bad_argument`
   * @returns how many events were accepted
   * @throws StreamfoldError a failure of the connection (`bad_json`, `invalid_utf8`, `too_deep`, `too_large`, `not_an_event`, `bad_msgpack`, `bad_protobuf`), which stays until
   *   `reconnect()` or `reset()`; without `onError` also the first violation of a stream, with `applied` and `errors`; `bad_argument`, `out_of_memory`, `engine_lost`. Whatever it
   *   throws, what was accepted stays (docs/errors.md)
   */
  push(chunk: ArrayBuffer | ArrayBufferView): number;
  /**
   * Folds one event that is not on the wire.
   *
   * @param event a plain object, which must not be changed afterwards, or JSON text (such as the text message of a WebSocket)
   * @returns 1 when it was accepted, else 0
   * @throws StreamfoldError as `push`, but no failure is one of the connection; `not_json` for a value that JSON cannot express
   */
  apply(event: unknown): number;
  /**
   * The end of the body. An unterminated last event is used when it is whole (option `unterminatedTail`). May be called again; a `push` behind it begins another body.
   *
   * @returns "complete" when no message was cut and every stream has ended (AG-UI: the run), else "truncated", which is never success
   * @throws StreamfoldError as `push`, for what the tail brings
   */
  finish(): FinishResult;
  /** A new connection for the same streams: unfinished bytes and the connection's failure are forgotten; models, seq and `lastEventId` stay (docs/semantics.md §7). */
  reconnect(): void;
  /**
   * Puts a stored model in, as a `start` does; the stream is open afterwards.
   *
   * @param model a value, JSON text or its bytes; with `format: "msgpack"` bytes of MessagePack. AG-UI: what `snapshot` gives, or a part of it
   * @param options `seq`: of the last event that it covers; without it any next one is accepted
   * @throws StreamfoldError `bad_model`, `bad_block`, `duplicate_id` with a path into the model, `limit`, text faults with `byteOffset`, `not_json`, `bad_argument`; nothing has changed then
   */
  load(model: unknown, options?: StreamSelector & { seq?: number; format?: "json" }): void;
  /** Everything as bytes of the caller's: models, queues, counters, unfinished bytes of the wire. Any engine of this version reads what another wrote (docs/semantics.md §10). */
  checkpoint(): Bytes;
  /** Becomes what a checkpoint holds; the options stay. @throws StreamfoldError `bad_checkpoint`, also for one of another protocol or wire; nothing has changed then */
  restore(bytes: Uint8Array): void;
  /** AgentUE: the inline body of a reference takes its place. `id`: the one that it must have, else `bad_block`. */
  materialize(block: unknown, options?: StreamSelector & { id?: string }): void;
  /**
   * AgentUE: the reference that a stream waits for which has paused by itself, or with `id` that block when it is a reference; undefined otherwise. Costs nothing
   * like a snapshot.
   */
  unresolved(options?: StreamSelector & { id?: string }): Reference | undefined;
  /** Lets the events of a stream queue from here on, up to `limits.queuedBytes`. @throws StreamfoldError `no_model` for a stream that does not exist */
  pause(options?: StreamSelector): void;
  /**
   * Applies what was queued, in order; returns how many events were accepted. Throws as `push` does.
   *
   * @param options `skip`: the first event, when it patches a reference, is refused with `unresolved_reference` instead of waiting again
   */
  resume(options?: StreamSelector & { skip?: boolean }): number;
  /** The model as a fresh value, or undefined without one. `Model` is what the caller takes it for, such as `AgentUEModel` of streamfold/agentue. */
  snapshot<Model = unknown>(options?: StreamSelector & { integers?: "number" | "bigint" }): Model | undefined;
  /**
   * The model as bytes of the caller's, compact JSON or MessagePack: mostly a copy of what is in memory.
   *
   * @throws StreamfoldError `no_model` for a stream without one: ask `status` first; `bad_msgpack` for a number that MessagePack cannot express
   */
  snapshotBytes(options?: StreamSelector & { format?: "json" }): Bytes;
  /**
   * The same without a copy.
   *
   * @param use gets a view that is valid inside of it only; nothing of the engine may be called there (`reentrant`)
   * @returns what `use` returns
   */
  withSnapshotBytes<T>(use: (view: Uint8Array) => T, options?: StreamSelector & { format?: "json" }): T;
  /**
   * What has changed since a version, coalesced: what to draw, without reading the model.
   *
   * @param options `since`: the `version` of the last answer, 0 for all
   * @returns the version now, and the changes, or `resync: true` where they are not known any more: draw the snapshot (docs/semantics.md §6). What a change names is drawn from a
   *   snapshot that may show later changes of the same answer, too
   */
  changes(options?: StreamSelector & { since?: number }): ChangeSet;
  /** What has become of a stream, "none" where there is none; AG-UI: of the run. */
  status(options?: StreamSelector): StreamStatus;
  /** AgentUE: the last seq of a stream, or undefined. */
  seq(options?: StreamSelector): number | undefined;
  /** Counters of the reducer, or of one stream; `no_model` for one that does not exist. */
  stats(options?: StreamSelector): Stats;
  /** The ids of the streams there are, in the order they were opened; "" is the unnamed one. */
  streamIds(): string[];
  /** AgentUE over SSE: the `id` of the last event that was read, for the `Last-Event-ID` of a reconnect; undefined when none came. */
  readonly lastEventId: string | undefined;
  /** AgentUE over SSE: milliseconds to wait before a reconnect, as the server said; undefined when it did not. */
  readonly retry: number | undefined;
  /** Forgets a stream and gives its memory back; false when there was none. */
  release(options?: StreamSelector): boolean;
  /**
   * A reducer of its own, of the same engine and options, that holds one stream as it stands now: the model, the place in the timeline, the counters of
   * the stream, what is open, its pause and what waits in its queue. Text is shared, so that a fork costs next to nothing; neither sees what the other
   * one does, and closing one gives back what it alone holds. The connection is a new one, and changes are known from here on (docs/semantics.md §12).
   *
   * @throws StreamfoldError `no_model` for a stream that does not exist; `bad_argument`, also for another id of a stream with a queue, whose events say
   *   whose they are; `out_of_memory`, after which everything is as it was
   */
  fork(options?: ForkOptions): SlimReducer;
  /** Forgets everything, streams and counters included. */
  reset(): void;
  /** Gives the memory back. Idempotent; every other call throws `closed` from then on. A reducer that nobody holds any more gives it back too, some time after. */
  close(): void;
  [Symbol.dispose](): void;
}

/** A reducer of either protocol, whose models go in and out as MessagePack, too. */
export interface Reducer extends SlimReducer {
  load(model: unknown, options?: StreamSelector & { seq?: number; format?: ModelFormat }): void;
  snapshotBytes(options?: StreamSelector & { format?: ModelFormat }): Bytes;
  withSnapshotBytes<T>(use: (view: Uint8Array) => T, options?: StreamSelector & { format?: ModelFormat }): T;
  /** As for `SlimReducer`. */
  fork(options?: ForkOptions): Reducer;
  /** AG-UI: the value of a tool call's arguments as far as they have come (docs/semantics-agui.md §11); undefined when no such call is held. */
  partialArgs<Value = unknown>(toolCallId: string): Value | undefined;
}
