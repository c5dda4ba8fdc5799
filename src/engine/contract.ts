import type { Bytes } from "../bytes.js";
import type { Fault, StreamfoldError, WarningCode, WarningFacts } from "../errors.js";
import type { Limits } from "../limits.js";
import type { AdapterOptions, AdaptOptions } from "./adapting.js";
import type { ChangeSet } from "./types/changes.js";
import type { DocumentLimits, DocumentOptions, EngineDocument, JsonDocument } from "./types/documents.js";
import type {
  AssembledBlock,
  AssemblerLimits,
  AssemblerStats,
  EngineAssembler,
  FrameAssemblerOptions,
  FrameBlockOptions,
  LeastBudget,
  MissingFrames,
} from "./types/frames.js";

export type * from "./types/changes.js";
export type * from "./types/documents.js";
export type * from "./types/frames.js";

// ---------------------------------------------------------------- what both engines implement (internal)

export type EngineKind = "wasm-simd" | "wasm-scalar" | "js";
export type Protocol = "agentue" | "ag-ui";
export type Transport = "sse" | "ndjson" | "json" | "msgpack" | "protobuf";
/** Forms of a model that goes in or out as bytes. */
export type ModelFormat = "json" | "msgpack";
export type Sequence = "dedupe" | "strict" | "off";
/** What an event does that patches a reference without its body. */
export type Unresolved = "error" | "pause";
export type OnViolation = "refuse-stream" | "skip-event";
export type Frames = "keep" | "guard";
/** Status of an AG-UI run (docs/semantics-agui.md §8). */
export type RunStatus =
  | "idle"
  | "running"
  | "finished"
  | "interrupted"
  | "cancelled"
  | "failed"
  | "rejected"
  | "truncated";
/** `status()`: AgentUE (docs/semantics.md §4) `none` to `refused`; AG-UI that of the run, and `none` for a stream that does not exist. */
export type StreamStatus = "none" | "open" | "errored" | "ended" | "refused" | RunStatus;
export type OnDeltaFailure = "warn" | "fail" | "upsert";
export type UnknownEnum = "fatal" | "strip";
/** Middleware by event type, `"*"` for all: gets the event as a value of its own, gives one, several or none (docs/semantics-agui.md §3). */
export type Middleware = Record<string, Handler["handle"]>;

interface Handler {
  // a method: its parameter may be declared as the event that it is
  handle(event: unknown): unknown;
}

/** The AG-UI part of a session's options. */
export interface AguiSessionOptions {
  /** The peer's ceiling as `major.minor[.patch]` numbers; undefined: a current peer. */
  maxProtocolVersion: readonly number[] | undefined;
  onDeltaFailure: OnDeltaFailure;
  unknownEnum: UnknownEnum;
  middleware: Middleware | undefined;
  /** What the run begins with. */
  input: Baseline | undefined;
}

/** A partial RunAgentInput that the public layer has copied, and held to the schema and to the limits; what was learned of it on the way. */
export interface Baseline {
  /** Those that count: `threadId`, `runId`, `parentRunId`, `messages`, `state`. Sessions copy what they keep. */
  members: Record<string, unknown>;
  /** At most so many levels of nesting. */
  depth: number;
  /** At most so many bytes as compact JSON. */
  bound: number;
  /** Whether numbers may be among them whose digits a double does not keep. */
  exact: boolean;
}

/** What a session is made with; every member is filled in and checked by the public reducer. */
export interface SessionOptions {
  protocol: Protocol;
  transport: Transport;
  limits: Limits;
  sequence: Sequence;
  frames: Frames;
  onViolation: OnViolation;
  unresolved: Unresolved;
  utf8: "fatal" | "replace";
  unterminatedTail: "use" | "discard";
  undecodable: "fail" | "skip";
  /** More ended streams than this are released, the first ended first; Infinity keeps all. */
  keepEnded: number;
  /** Whether accepted events are reported; they are built only then. */
  events: boolean;
  /** Only these types of events are reported; undefined: all (AG-UI). */
  eventTypes?: readonly string[] | undefined;
  /** There when the protocol is "ag-ui". */
  agui?: AguiSessionOptions;
  /** The session is a transcoder's: accepted events go out on another wire. */
  transcode?: TranscodeOptions;
}

/** The transcoder's part of a session's options. */
export interface TranscodeOptions {
  to: TranscoderOptions["to"];
  /** Whether events are judged as a reducer judges them; otherwise every object that decodes is passed on, and no model is kept. */
  enforce: boolean;
  /** Small results share larger buffers. */
  pool: boolean;
  /** AG-UI goes out as AgentUE (docs/adapter.md). */
  adapt?: AdaptOptions;
}

/** What a call brings forth, in the order of the wire (docs/semantics.md §8). Sessions push into an array that the caller owns. */
export type Report =
  | { kind: "event"; event: unknown; streamId: string; eventIndex: number }
  | ({ kind: "warning"; streamId?: string; seq?: number; eventIndex: number } & WarningFacts)
  | { kind: "error"; fault: Fault }
  | { kind: "gap"; gap: Gap }
  | { kind: "unresolved"; pause: ReferencePause };

/** A stream has paused by itself: an event patches a block that is a reference (docs/semantics.md §5). */
export interface ReferencePause {
  streamId: string;
  /** The block. */
  id: string;
  /** Its opaque key; other blocks may have the same one (AgentUE §3.4). */
  ref: string;
  /** Of the event, which waits. */
  seq: number;
  eventIndex: number;
}

/** An unresolved reference of a model. */
export interface Reference {
  /** The block. */
  id: string;
  /** Its opaque key (AgentUE §3.4). */
  ref: string;
  /** The model's `biz`: it selects the application that the key belongs to. */
  biz: string;
  /** Another number whenever a `start`, `load` or `restore` has put another model in the place of this one. Only ever compared for equality. */
  generation: number;
}

export interface Gap {
  streamId: string;
  op: "set" | "append" | "error" | "ping" | "end";
  /** The last seq known before this event. */
  lastSeq: number;
  /** The seq that came. */
  seq: number;
  eventIndex: number;
}

export interface FinishResult {
  status: "complete" | "truncated";
  streams: { streamId: string; status: StreamStatus }[];
}

/** Counters; without a stream they are those of the whole reducer since it was made or reset. */
export interface Stats {
  /** Messages read (accepted or not). Whole reducer only; 0 for one stream. */
  events: number;
  /** Wire bytes read. Whole reducer only; 0 for one stream. */
  bytes: number;
  /** Events accepted. */
  applied: number;
  /** Events skipped because their seq was not above the last one; AG-UI: dropped with a warning. */
  skipped: number;
  /** Events dropped because their stream was refused. */
  dropped: number;
  /** Failures reported or counted. Whole reducer only; 0 for one stream. */
  errors: number;
  /** Warnings reported or counted. Whole reducer only; 0 for one stream. */
  warnings: number;
  /** Streams that exist (whole reducer) or 1. */
  streams: number;
  /** Blocks of the model(s). */
  blocks: number;
  /** Messages queued while paused. */
  queued: number;
  /** docs/semantics.md §4; whole reducer: 0. */
  version: number;
  /** Bytes of engine memory charged to the stream(s); 0 where the engine cannot tell. */
  memory: number;
}

/**
 * One connection's state: decoder, streams, models. Methods never throw for bad input: they report or return a `Fault`.
 * A WASM session throws a StreamfoldError only for `engine_lost` and `out_of_memory`.
 */
export interface EngineSession {
  /** Consumes the whole chunk; returns the number of events accepted. After a connection failure it reports that same failure again and consumes nothing. */
  push(chunk: Uint8Array, reports: Report[]): number;
  /**
   * One event as JSON text (UTF-8), outside of the framing; text faults are reported without being sticky. Returns 0 or 1.
   *
   * @param isValue the text stands for a value, which `messageBytes` does not concern; for sessions without `applyValue`
   */
  applyText(text: Uint8Array, reports: Report[], isValue?: boolean): number;
  /** One event as a JavaScript value; only object sessions have it. Returns 0 or 1. Reports `not_json` for a value JSON cannot express. */
  applyValue?(event: unknown, reports: Report[]): number;
  /** End of the body; handles the unterminated tail; returns the number of events accepted. */
  finish(reports: Report[]): number;
  finishResult(): FinishResult;
  /** The connection's sticky failure, if any. */
  failure(): Fault | undefined;
  reconnect(): void;
  reset(): void;
  /** `model`: a model in the form `format`. `seq` undefined: unknown. Paths of faults point into the model. */
  load(streamId: string, seq: number | undefined, model: Uint8Array, format: ModelFormat): Fault | undefined;
  /** Like `load` for a JavaScript value; only object sessions have it. */
  loadValue?(streamId: string, seq: number | undefined, model: unknown): Fault | undefined;
  checkpoint(): Bytes;
  restore(bytes: Uint8Array): Fault | undefined;
  /** `block`: JSON text. Paths of faults point into the block. `id`: the one that it must have. */
  materialize(streamId: string, block: Uint8Array, id?: string): Fault | undefined;
  materializeValue?(streamId: string, block: unknown, id?: string): Fault | undefined;
  /** `materialize` for a whole block of an assembler on the same core, of which nothing leaves it; `false` for another assembler: nothing was done. */
  materializeAssembled?(streamId: string, assembler: EngineAssembler, blockId: string): Fault | undefined | false;
  /** What there is to know of a block, or without `id` of the one that the stream waits for, when it is a reference. */
  unresolved(streamId: string, id?: string): Reference | undefined;
  pause(streamId: string): Fault | undefined;
  /**
   * Applies what was queued; returns the number of events accepted (0 for a stream that is not paused or does not exist).
   *
   * @param skip whether an unresolved reference that the first event patches is an error
   */
  resume(streamId: string, reports: Report[], skip?: boolean): number;
  status(streamId: string): StreamStatus;
  seq(streamId: string): number | undefined;
  /** A fresh JavaScript value of the model, or undefined without one. */
  snapshot(streamId: string, integers: "number" | "bigint"): unknown;
  /**
   * Calls `use` with the model as compact JSON or MessagePack (valid inside the callback only); returns undefined without calling when there is no model,
   * and a fault (`bad_msgpack`) when the model holds what MessagePack cannot express, a number beyond the range of a double.
   */
  withSnapshotBytes<T>(
    streamId: string,
    format: ModelFormat,
    use: (view: Uint8Array) => T,
  ): { value: T } | Fault | undefined;
  changes(streamId: string, since: number | undefined): ChangeSet;
  stats(streamId?: string): Stats;
  streamIds(): string[];
  readonly lastEventId: string | undefined;
  readonly retry: number | undefined;
  /** False when there was no such stream. */
  release(streamId: string): boolean;
  /**
   * A session of its own with one stream: model, place in the timeline, counters, pause and queue (docs/semantics.md §12). This one stays as it is, also
   * when it fails.
   *
   * @param as its id there
   * @param options those of this session, with listeners of their own
   */
  fork(streamId: string, as: string, options: SessionOptions): EngineSession | Fault;
  /** Of a session with `transcode`: what was written since the last call, in the order of the wire, owned by the caller. */
  takeOutput?(): Bytes;
  /** AG-UI: the argument text of a tool call from code unit `from` on; undefined when no such call is held. */
  argumentText?(toolCallId: string, from: number): ArgumentText | undefined;
  close(): void;
}

/** What `argumentText` gives. */
export interface ArgumentText {
  /** The text from `from` on; the whole text when `from` is beyond its end. */
  text: string;
  /** Where `text` begins: `from`, or 0. */
  from: number;
  /** Changes whenever texts may have been replaced rather than grown: then everything read before is void. */
  generation: number;
  /** The call has ended: no more text is expected. */
  complete: boolean;
}

/** What engine/load hands to the public layer. */
export interface EngineCore {
  readonly kind: EngineKind;
  /** Why it is not the best kind, or what was asked for. */
  readonly reason: string;
  createSession(options: SessionOptions): EngineSession;
  /** A session of the plain JavaScript engine, for events that arrive as objects. */
  createObjectSession(options: SessionOptions): EngineSession;
  /**
   * A document of JSON text (UTF-8). Faults: `bad_json`, `invalid_utf8`, `too_deep`, and `limit` for a number text, with `byteOffset`; `limit`
   * for `limits.bytes` (reason `R_LIMIT_MODEL`) without a position.
   *
   * @param limits complete and checked
   */
  createDocument(text: Uint8Array, limits: DocumentLimits): EngineDocument | Fault;
  /**
   * Cuts one inline block into storage frames (docs/frames.md §2). Faults: of the text with `byteOffset`, `bad_block` with a path.
   *
   * @param block JSON text (UTF-8)
   * @param maxBytes of one frame's JSON; an integer from 1 on
   * @param ids the text that each id begins with, its number following, or what gives the id of a frame by its number, asked once for each in order
   * @returns NDJSON, or the least budget that would do when `maxBytes` is too small (with a function: for the frame that does not fit)
   */
  frameBlock(block: Uint8Array, maxBytes: number, ids: string | ((seq: number) => string)): Bytes | LeastBudget | Fault;
  /** Restores the block of its frames, NDJSON in any order (docs/frames.md §3). */
  unframe(frames: Uint8Array): Bytes | Fault;
  /** Puts every block that is kept in frames back into a stored model (docs/frames.md §5): JSON text in, JSON text out. */
  resolveFrames(model: Uint8Array): Bytes | Fault;
  /** @param limits complete and checked */
  createAssembler(limits: AssemblerLimits): EngineAssembler;
  memory(): EngineMemory;
  close(): void;
}

export interface EngineMemory {
  /** Bytes in use by streams and buffers; 0 where the engine cannot tell. */
  live: number;
  /** Bytes of linear memory; 0 for `js`. */
  held: number;
}

// ---------------------------------------------------------------- what applications see (public)

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

export interface ReducerOptions {
  protocol: Protocol;
  transport: Transport;
  limits?: Partial<Limits>;
  /** What to do with a seq that is not above the last one. Default "dedupe" (docs/semantics.md §3). */
  sequence?: Sequence;
  /**
   * AgentUE, storage frames: "keep" (default) treats them as the blocks they are; "guard" refuses patches of a block that the model holds in frames only
   * (`unresolved_frames`, docs/frames.md §6).
   */
  frames?: Frames;
  /** Default "refuse-stream". */
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
  onEvent?(event: unknown, info: EventInfo): void;
  onWarning?(warning: Warning): void;
  onError?(error: StreamfoldError): void;
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
export interface Reducer {
  push(chunk: ArrayBuffer | ArrayBufferView): number;
  apply(event: unknown): number;
  finish(): FinishResult;
  reconnect(): void;
  load(model: unknown, options?: StreamSelector & { seq?: number; format?: ModelFormat }): void;
  checkpoint(): Bytes;
  restore(bytes: Uint8Array): void;
  /** AgentUE: the inline body of a reference takes its place. `id`: the one that it must have, else `bad_block`. */
  materialize(block: unknown, options?: StreamSelector & { id?: string }): void;
  /**
   * AgentUE: the reference that a stream waits for which has paused by itself, or with `id` that block when it is a reference; undefined otherwise. Costs nothing
   * like a snapshot.
   */
  unresolved(options?: StreamSelector & { id?: string }): Reference | undefined;
  pause(options?: StreamSelector): void;
  /** Applies what was queued. `skip`: the first event, when it patches a reference, is refused with `unresolved_reference` instead of waiting again. */
  resume(options?: StreamSelector & { skip?: boolean }): number;
  /** The model as a fresh value, or undefined without one. `Model` is what the caller takes it for, such as `AgentUEModel` of streamfold/agentue. */
  snapshot<Model = unknown>(options?: StreamSelector & { integers?: "number" | "bigint" }): Model | undefined;
  snapshotBytes(options?: StreamSelector & { format?: ModelFormat }): Bytes;
  withSnapshotBytes<T>(use: (view: Uint8Array) => T, options?: StreamSelector & { format?: ModelFormat }): T;
  changes(options?: StreamSelector & { since?: number }): ChangeSet;
  status(options?: StreamSelector): StreamStatus;
  seq(options?: StreamSelector): number | undefined;
  stats(options?: StreamSelector): Stats;
  streamIds(): string[];
  readonly lastEventId: string | undefined;
  readonly retry: number | undefined;
  release(options?: StreamSelector): boolean;
  /**
   * A reducer of its own, of the same engine and options, that holds one stream as it stands now: the model, the place in the timeline, the counters of
   * the stream, what is open, its pause and what waits in its queue. Text is shared, so that a fork costs next to nothing; neither sees what the other
   * one does, and closing one gives back what it alone holds. The connection is a new one, and changes are known from here on (docs/semantics.md §12).
   *
   * @throws StreamfoldError `no_model` for a stream that does not exist; `bad_argument`, also for another id of a stream with a queue, whose events say
   *   whose they are; `out_of_memory`, after which everything is as it was
   */
  fork(options?: ForkOptions): Reducer;
  /** AG-UI: the value of a tool call's arguments as far as they have come (docs/semantics-agui.md §11); undefined when no such call is held. */
  partialArgs<Value = unknown>(toolCallId: string): Value | undefined;
  reset(): void;
  close(): void;
  [Symbol.dispose](): void;
}

/** Options that a transcoder has no use for: it has two wires, and nobody reads its events or its model. */
export type ReducerOnly =
  | "transport"
  | "onEvent"
  | "eventTypes"
  | "middleware"
  | "keepEnded"
  | "unresolved"
  | "onUnresolved";

/** What a transcoder is made with: the options of a reducer that judge events, and the two wires. */
export interface TranscoderOptions extends Omit<ReducerOptions, ReducerOnly> {
  from: Transport;
  /** Any wire of the protocol but "json", which has no framing. */
  to: Exclude<Transport, "json">;
  /**
   * true (default): events are judged as a reducer judges them, which keeps the model; what it refuses, drops or skips does not go out, and what it strips from
   * an event is gone. false: every object that decodes goes out, and nothing is kept.
   */
  enforce?: boolean;
  /** The protocol that is written: that of the events (default), or "agentue" for those of AG-UI (docs/adapter.md), with `to` a wire of AgentUE. */
  toProtocol?: Protocol;
  /** With `toProtocol: "agentue"` for AG-UI. */
  adapt?: AdapterOptions;
  /**
   * Whether small results (under 4 KiB at most) share larger buffers, as small `Buffer`s of Node do: that saves an allocation a call. `bytes.buffer` then holds other output
   * too, so it must be neither sent nor transferred. Default false: each result has a buffer of its own.
   */
  pool?: boolean;
}

/**
 * Turns the events of one wire into those of another, bytes to bytes (docs/transcoding.md). Every method but `close` throws `closed` after `close()`.
 * A call that throws loses nothing: what was written before comes with the next call that returns. A failure of the connection stays, and so does a
 * refused stream, until `reset()`.
 */
export interface Transcoder {
  /** Consumes the chunk, cut anywhere (a whole message for `from: "json"`); returns what it came to, owned by the caller. Throws as `push` of a reducer does. */
  push(chunk: ArrayBuffer | ArrayBufferView): Bytes;
  /** The end of the body: returns what its tail came to. `status` says whether the body was whole. A later `push` begins another body. */
  finish(): Bytes;
  /** "open" until `finish()`, then as the `status` it gives for a reducer; without enforcement "complete" is a body that was not cut inside of a message. */
  readonly status: "open" | "complete" | "truncated";
  stats(): Stats;
  /** Begins anew, as just made: the failure is forgotten, and so are models, halves that are held, losses that were told, counters, and output that no call has returned. */
  reset(): void;
  close(): void;
  [Symbol.dispose](): void;
}

/**
 * Takes storage frames of many blocks as they come and restores each block once it is whole (docs/frames.md §4). Every method but `close` throws `closed` after `close()`;
 * from inside of `onError` every call but reading is `reentrant`.
 */
export interface FrameAssembler {
  /**
   * Consumes a chunk of NDJSON, cut anywhere; returns the number of frames taken. A frame that is refused concerns no other.
   *
   * @throws StreamfoldError without `onError` the first refusal, codes as in docs/frames.md §4, with all of them in `errors`; `out_of_memory`
   */
  push(chunk: ArrayBuffer | ArrayBufferView): number;
  /** Takes one frame: a plain value, or its JSON as text or bytes. Returns 1, or 0 when it is refused. Throws as `push` does; `not_json` for a value. */
  add(frame: unknown): number;
  /** The end of the body: a line without its end is a frame. Status "complete": no block lacks frames. A later `push` begins another body. */
  finish(): { status: "complete" | "truncated"; missing: MissingFrames[] };
  /** What blocks are held, in the order their first frames came. */
  blocks(): AssembledBlock[];
  /** What the blocks lack that are not whole, or one of them. */
  missing(blockId?: string): MissingFrames[];
  /** The text of a whole block, byte for byte, owned by the caller; the assembler forgets it. `missing_frames` when it is not whole, `missing_block` when none of its frames has come. */
  take(blockId: string): Bytes;
  /**
   * Hands a whole block to a reducer as `reducer.materialize` does, inside of the core where both are of one engine; the assembler forgets it, unless the reducer refuses.
   *
   * @throws StreamfoldError as `take` and `reducer.materialize`; `bad_argument` for what is no reducer of this package
   */
  materialize(reducer: Reducer, blockId: string, options?: StreamSelector): void;
  /** Forgets a block and its frames; false when there is none. */
  release(blockId: string): boolean;
  stats(): AssemblerStats;
  close(): void;
  [Symbol.dispose](): void;
}

/** A loaded engine. */
export interface Engine {
  readonly kind: EngineKind;
  readonly reason: string;
  createReducer(options: ReducerOptions): Reducer;
  /** A transcoder between two wires of one protocol. */
  createTranscoder(options: TranscoderOptions): Transcoder;
  /** A document of JSON text (bytes) or of a plain value; a string is a value, a JSON string. */
  createDocument(source: unknown, options?: DocumentOptions): JsonDocument;
  /**
   * Cuts one inline block into storage frames of bounded size (AgentUE §3.3, docs/frames.md §2).
   *
   * @param block JSON text as bytes, or a plain value
   * @returns NDJSON, one frame a line, owned by the caller
   * @throws StreamfoldError of a text `bad_json`, `invalid_utf8`, `too_deep` with `byteOffset`, of a value `not_json`, `too_deep`; `bad_block` with a path;
   *   `bad_argument` for options, also for a budget that is too small, whose message names the least one; `out_of_memory`
   */
  frameBlock(block: unknown, options: FrameBlockOptions): Bytes;
  /**
   * Restores a block (AgentUE §3.3, docs/frames.md §3).
   *
   * @param frames all of its frames as NDJSON, in any order
   * @returns its JSON text, byte for byte, owned by the caller
   * @throws StreamfoldError `bad_json`, `invalid_utf8`, `too_deep`, `bad_block`, `frame_conflict`, `duplicate_id` with the frame's number as `eventIndex`, or with the
   *   block's id as `subject` where the restored text is meant; `missing_frames`; `out_of_memory`
   */
  unframe(frames: ArrayBuffer | ArrayBufferView): Bytes;
  /**
   * Puts every block that is kept in frames back into a stored model, at the place of its first frame (AgentUE §3.3, docs/frames.md §5): bytes in, bytes out; a plain
   * value in, a fresh one out.
   *
   * @throws StreamfoldError as `unframe`, with a path into the model; `bad_model`; `not_json` for a value
   */
  resolveFrames(model: ArrayBuffer | ArrayBufferView): Bytes;
  resolveFrames<Model>(model: Model): Model;
  /** An assembler for storage frames of many blocks as they come. @throws StreamfoldError `bad_argument` for options; `out_of_memory` */
  createFrameAssembler(options?: FrameAssemblerOptions): FrameAssembler;
  memory(): EngineMemory;
  close(): void;
}
