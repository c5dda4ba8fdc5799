import type { StreamStatus } from "../../../contract.js";
import type { BlockEntry, Document } from "./document.js";

/** Numbers of assembly/abi/codes.ts; OPEN and ERRORED, the ones that take patches, come first after NONE. */
export const NONE = 0;
export const OPEN = 1;
export const ERRORED = 2;
export const ENDED = 3;
export const REFUSED = 4;

export const STATUS_NAMES: readonly StreamStatus[] = ["none", "open", "errored", "ended", "refused"];

/** Seq of a stream whose last one is not known. */
export const UNKNOWN_SEQ = -1;

/** Where the reducer writes what an event changed; every call is one version (docs/semantics.md §6). */
export interface ChangeSink {
  version: number;
  start(): void;
  insert(entry: BlockEntry): void;
  replace(entry: BlockEntry, field: string | undefined): void;
  append(entry: BlockEntry, field: string, from: number, to: number, text: boolean): void;
  meta(field: string): void;
}

/** What the reducer keeps of one logical stream. */
export class StreamState {
  status = NONE;
  seq = UNKNOWN_SEQ;
  document: Document | undefined = undefined;
  /** The last event was skipped. */
  skipping = false;
  applied = 0;
  skipped = 0;
  dropped = 0;
  readonly changes: ChangeSink;

  constructor(changes: ChangeSink) {
    this.changes = changes;
  }
}
