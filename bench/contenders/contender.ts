import type { AgentueEvent, Model } from "../fixtures.js";

/** Something that folds the bytes of one connection into models. */
export interface Folder {
  /** Takes one chunk, cut anywhere. */
  push(chunk: Uint8Array): void;
  /** The model of a stream as a JavaScript value; `""` is the unnamed stream. */
  value(streamId: string): unknown;
  /** The model as compact JSON in a buffer of the caller. */
  bytes(streamId: string): Uint8Array;
  close(): void;
}

/** Who ranks against whom: the WebAssembly engines, everything in JavaScript, and limits shown for scale only. */
export type Side = "wasm" | "js" | "limit";

export interface FoldContender {
  name: string;
  side: Side;
  open(): Folder;
}

export type { AgentueEvent, Model };
