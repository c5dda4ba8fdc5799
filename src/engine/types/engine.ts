// A loaded engine, and the assembler of storage frames, as applications see them.
import type { Bytes } from "../../bytes.js";
import type { DocumentOptions, JsonDocument } from "./documents.js";
import type {
  AssembledBlock,
  AssemblerStats,
  FrameAssemblerOptions,
  FrameBlockOptions,
  MissingFrames,
} from "./frames.js";
import type { Reducer, ReducerOptions, StreamSelector } from "./reducer.js";
import type { EngineKind, EngineMemory } from "./terms.js";
import type { Transcoder, TranscoderOptions } from "./transcoder.js";

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
  /** What runs: "wasm-simd", "wasm-scalar" or "js". */
  readonly kind: EngineKind;
  /** In plain words why it is this kind, for a log: where a binary could not be had, this is where it is said. */
  readonly reason: string;
  /** A reducer for one connection. @throws StreamfoldError `bad_argument`, `unsupported_transport` for options, `out_of_memory`, `closed` */
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
  /** The same for a plain value, which is not changed. */
  resolveFrames<Model>(model: Model): Model;
  /** An assembler for storage frames of many blocks as they come. @throws StreamfoldError `bad_argument` for options; `out_of_memory` */
  createFrameAssembler(options?: FrameAssemblerOptions): FrameAssembler;
  /** Memory of all that the engine has made; zeros for "js" and after `close()`. */
  memory(): EngineMemory;
  /** Closes all that the engine has made, and gives its memory back. Idempotent; every other call throws `closed` from then on. */
  close(): void;
}
