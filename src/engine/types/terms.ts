// What options and answers are made of, the same for both engines and for applications.

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

export interface EngineMemory {
  /** Bytes in use by streams and buffers; 0 where the engine cannot tell. */
  live: number;
  /** Bytes of linear memory; 0 for `js`. */
  held: number;
}
