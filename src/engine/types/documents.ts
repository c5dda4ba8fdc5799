// JSON documents that stand alone (docs/semantics.md §11): as applications see them, and as engines give them.
import type { Bytes } from "../../bytes.js";
import type { Fault } from "../../errors.js";

/** Bounds on one document. All are checked before anything is allocated. */
export interface DocumentLimits {
  /** Nesting of the document; the root container is level 1. Default 512, at most 4,094. */
  depth: number;
  /** Characters of one number text, of the document and of patches. Default 1024. */
  numberLength: number;
  /** Bytes of the document as compact JSON. Default 256 MiB. */
  bytes: number;
  /** Operations of one patch. Default 100,000. */
  operations: number;
}

export interface DocumentOptions {
  limits?: Partial<DocumentLimits>;
}

/** One operation of a JSON Patch (RFC 6902 §4). */
export type JsonPatchOperation =
  | { op: "add" | "replace" | "test"; path: string; value: unknown }
  | { op: "remove"; path: string }
  | { op: "move" | "copy"; from: string; path: string };

/**
 * A JSON document that patches change (docs/semantics.md §11). Every method but `close` throws `closed` after `close()`; inside the
 * callback of `withSnapshotBytes` of the same engine every call is `reentrant`.
 */
export interface JsonDocument {
  /** Applies a JSON Patch (RFC 6902), all of it or nothing: an array of operations, or its JSON text as bytes. */
  patch(operations: unknown): void;
  /** What lies at a JSON pointer (RFC 6901) as a fresh value; undefined where nothing is. */
  get(pointer: string, options?: { integers?: "number" | "bigint" }): unknown;
  /** Compact JSON, owned by the caller, of the document or of what lies at a pointer; `bad_argument` where nothing is. */
  bytes(pointer?: string): Bytes;
  /** The whole document as a fresh value. */
  value(options?: { integers?: "number" | "bigint" }): unknown;
  /** Bytes of the document as compact JSON. */
  readonly size: number;
  /** Patches applied so far. */
  readonly version: number;
  /** Frees the memory; idempotent. */
  close(): void;
  [Symbol.dispose](): void;
}

/**
 * One JSON document that patches change in place. Methods return a `Fault` instead of throwing, and a call that does has changed nothing.
 * A WASM document throws a StreamfoldError only for `engine_lost` and `out_of_memory`.
 */
export interface EngineDocument {
  /**
   * Applies a JSON Patch (RFC 6902), all of it or nothing (docs/semantics.md §11).
   *
   * @param operations JSON text (UTF-8), nested at most `limits.depth` + 2 levels, so that it can bring the deepest document
   */
  patch(operations: Uint8Array): Fault | undefined;
  /** Like `patch` for a JavaScript value; only documents of the plain JavaScript engine have it. Also `not_json`, and `too_deep` with a path. */
  patchValue?(operations: unknown): Fault | undefined;
  /** A fresh JavaScript value of what lies at a well-formed pointer (RFC 6901); undefined where nothing is. */
  get(pointer: string, integers: "number" | "bigint"): unknown;
  /** Compact JSON of what lies at a well-formed pointer, owned by the caller; undefined where nothing is. */
  bytes(pointer: string): Bytes | undefined;
  /** Bytes of the whole document as compact JSON. */
  size(): number;
  /** Patches applied so far. */
  version(): number;
  close(): void;
}
