import type { Bytes } from "../bytes.js";
import type { Fault, WarningFacts } from "../errors.js";
import type { Limits } from "../limits.js";
import type { AdaptOptions } from "./adapting.js";
import type { ChangeSet } from "./types/changes.js";
import type { DocumentLimits, EngineDocument } from "./types/documents.js";
import type { AssemblerLimits, EngineAssembler, LeastBudget } from "./types/frames.js";
import type {
  EngineKind,
  EngineMemory,
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
} from "./types/terms.js";
import type { TranscoderOptions } from "./types/transcoder.js";

export type * from "./types/changes.js";
export type * from "./types/documents.js";
export type * from "./types/engine.js";
export type * from "./types/frames.js";
export type * from "./types/reducer.js";
export type * from "./types/terms.js";
export type * from "./types/transcoder.js";

// ---------------------------------------------------------------- what both engines implement (internal)

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

/** What reducers need of an engine. */
export interface SessionCore {
  readonly kind: EngineKind;
  /** Why it is not the best kind, or what was asked for. */
  readonly reason: string;
  /** It knows no binary wires, so that models go in and out as JSON alone. Default false. */
  readonly textOnly?: boolean;
  createSession(options: SessionOptions): EngineSession;
  /** A session of the plain JavaScript engine, for events that arrive as objects. Missing: they go into the engine's own, as text where it takes nothing else. */
  createObjectSession?(options: SessionOptions): EngineSession;
  memory(): EngineMemory;
  close(): void;
}

/** What engine/load hands to the public layer. */
export interface EngineCore extends SessionCore {
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
}
