// Storage frames (docs/frames.md): options, limits and answers, and what engines give. What hands a block to a reducer stands in engine.ts.
import type { Bytes } from "../../bytes.js";
import type { Fault, StreamfoldError } from "../../errors.js";

/** How a block is cut into storage frames. */
export interface FrameBlockOptions {
  /** Most bytes of one frame's JSON, its line end not counted; at least what its ids, its numbers and one character take. */
  maxBytes: number;
  /** Ids of the frames: a text that each begins with, its number following, or a function of that number, called once for each in order. Default: random. */
  id?: string | ((seq: number) => string);
}

/** Bounds on one frame assembler. All are checked before anything is allocated. */
export interface AssemblerLimits {
  /** Blocks that are held, whole or not. Default 10,000. */
  groups: number;
  /** Bytes of the JSON of all frames held and of the texts of whole blocks, and of one line. Default 256 MiB. */
  bytes: number;
  /** Frames of blocks that are not whole. Default 1,000,000. */
  frames: number;
}

/** One block of a frame assembler. */
export interface AssembledBlock {
  blockId: string;
  /** Frames that have come. */
  frames: number;
  /** Frames that there are. */
  total: number;
  /** What the limit `bytes` counts for it. */
  bytes: number;
  /** All frames have come, and the block was restored. */
  whole: boolean;
}

export interface AssemblerStats {
  /** Frames read, and those of them that were taken. */
  read: number;
  taken: number;
  /** Blocks, frames and bytes held, as the limits count them. */
  groups: number;
  frames: number;
  bytes: number;
  /** Bytes of engine memory; 0 where the engine cannot tell. */
  memory: number;
}

/** What a block still lacks. */
export interface MissingFrames {
  blockId: string;
  total: number;
  /** Ranges of `seq`, both ends included, in ascending order. */
  missing: [from: number, to: number][];
}

export interface FrameAssemblerOptions {
  limits?: Partial<AssemblerLimits>;
  /** Hears of every frame that is refused; without it `push`, `add` and `finish` throw the first one. */
  onError?(error: StreamfoldError): void;
}

/** Frames of many blocks as they come. Methods report or return a `Fault` for bad input; a WASM assembler throws a StreamfoldError only for `engine_lost` and, once the call has done everything else, `out_of_memory`. */
export interface EngineAssembler {
  /** Consumes the whole chunk of NDJSON, cut anywhere; each frame that is refused goes to `refuse`, and the others are taken. */
  push(chunk: Uint8Array, refuse: (fault: Fault) => void): void;
  /** Takes one frame, JSON text. */
  add(frame: Uint8Array): Fault | undefined;
  /** The end of the body: a line without its end is a frame. */
  finish(refuse: (fault: Fault) => void): void;
  /** What blocks there are, in the order their first frames came. */
  list(): AssembledBlock[];
  /** Total and numbers of the frames of a block that is not whole; undefined for any other. */
  numbers(blockId: string): { total: number; numbers: Float64Array } | undefined;
  /** The text of a whole block, owned by the caller; undefined for any other. */
  text(blockId: string): Bytes | undefined;
  isWhole(blockId: string): boolean;
  /** Forgets a block; false when there is none. */
  drop(blockId: string): boolean;
  stats(): AssemblerStats;
  /** Frames taken so far. */
  readonly taken: number;
  close(): void;
}

/** What `maxBytes` would have to be at least. */
export interface LeastBudget {
  least: number;
}
