import { describe, expectOptions, optionOf, readable } from "../arguments.js";
import type { Bytes } from "../bytes.js";
import type { DocumentLimits, DocumentOptions, EngineCore, EngineDocument, JsonDocument } from "../engine/contract.js";
import { type Fault, StreamfoldError, usageError } from "../errors.js";
import { LONGEST_DOUBLE } from "../json/number.js";
import { parsePointer } from "../json/pointer.js";
import { DEFAULT_LIMITS, MAXIMUM_LIMITS, resolveBounds } from "../limits.js";
import { isBufferSource, toBytes } from "./bytes.js";
import { jsonText } from "./json-text.js";
import type { Lending } from "./kept.js";

/** Where the runtime lacks `Symbol.dispose`, compilers that lower `using` look under this name. */
const DISPOSE: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for("Symbol.dispose");

/** Levels around the value of an operation: the patch and the operation. */
const PATCH_LEVELS = 2;

const DEFAULTS: Readonly<DocumentLimits> = {
  depth: DEFAULT_LIMITS.depth,
  numberLength: DEFAULT_LIMITS.numberLength,
  bytes: DEFAULT_LIMITS.modelBytes,
  operations: 100_000,
};

const MAXIMA: Readonly<DocumentLimits> = {
  depth: MAXIMUM_LIMITS.depth - PATCH_LEVELS,
  numberLength: MAXIMUM_LIMITS.numberLength,
  bytes: MAXIMUM_LIMITS.modelBytes,
  operations: 10_000_000,
};

/**
 * Makes a document of an engine (docs/semantics.md §11).
 *
 * @param core asked when the source has been read: proxies among its values may have closed the engine
 * @param source JSON text as bytes (ArrayBuffer or any view), not kept, or a plain value, copied
 * @param onClose called once, when the document is closed
 * @throws StreamfoldError `bad_json`, `invalid_utf8`, `too_deep`, `limit` for text, `not_json`, `too_deep`, `limit` for values, `bad_argument` for options
 */
export function createDocument(
  core: () => EngineCore,
  source: unknown,
  options: DocumentOptions | undefined,
  lending: Lending,
  onClose: () => void,
): DocumentHandle {
  const limits = readable(() => resolveDocumentLimits(options));
  const { text, isValue } = textOf(source, limits.depth);
  const made = core().createDocument(text, limits);
  if ("code" in made) throw faultOf(made, isValue);
  return new DocumentHandle(made, limits, lending, onClose);
}

/** The public document: checks arguments and throws; the rules live in the engines' documents. */
export class DocumentHandle implements JsonDocument {
  #document: EngineDocument | undefined;
  readonly #limits: DocumentLimits;
  readonly #lending: Lending;
  readonly #onClose: () => void;

  constructor(document: EngineDocument, limits: DocumentLimits, lending: Lending, onClose: () => void) {
    this.#document = document;
    this.#limits = limits;
    this.#lending = lending;
    this.#onClose = onClose;
  }

  patch(operations: unknown): void {
    const document = this.#open();
    if (isBufferSource(operations)) {
      raise(document.patch(toBytes(operations, "")), false);
      return;
    }
    // No double is written longer: only a limit below that can refuse a number of a value.
    if (document.patchValue !== undefined && this.#limits.numberLength >= LONGEST_DOUBLE) {
      raise(document.patchValue(operations), true);
      return;
    }
    const { text } = textOf(operations, this.#limits.depth + PATCH_LEVELS);
    // A proxy among the values may have closed it.
    raise(this.#open().patch(text), true);
  }

  get(pointer: string, options?: { integers?: "number" | "bigint" }): unknown {
    const document = this.#open();
    return document.get(checkPointer(pointer), integersOf(options));
  }

  bytes(pointer = ""): Bytes {
    const document = this.#open();
    const bytes = document.bytes(checkPointer(pointer));
    if (bytes === undefined) {
      throw usageError("bad_argument", `there is no value at the pointer ${JSON.stringify(pointer)}`);
    }
    return bytes;
  }

  value(options?: { integers?: "number" | "bigint" }): unknown {
    return this.get("", options);
  }

  get size(): number {
    return this.#open().size();
  }

  get version(): number {
    return this.#open().version();
  }

  close(): void {
    if (this.#document === undefined) return;
    const document = this.#open();
    this.#document = undefined;
    this.#onClose();
    document.close();
  }

  [DISPOSE](): void {
    this.close();
  }

  #open(): EngineDocument {
    if (this.#document === undefined) throw usageError("closed");
    if (this.#lending.active) throw usageError("reentrant");
    return this.#document;
  }
}

function resolveDocumentLimits(options: DocumentOptions | undefined): DocumentLimits {
  if (options === undefined) return { ...DEFAULTS };
  expectOptions(options, "limits");
  return resolveBounds(options.limits, DEFAULTS, MAXIMA);
}

/** The JSON text of what a caller gave: bytes as they are, anything else written as JSON. */
function textOf(source: unknown, depth: number): { text: Uint8Array; isValue: boolean } {
  if (isBufferSource(source)) return { text: toBytes(source, ""), isValue: false };
  const text = jsonText(source, depth);
  if ("code" in text) throw new StreamfoldError(text);
  return { text, isValue: true };
}

function raise(fault: Fault | undefined, isValue: boolean): void {
  if (fault !== undefined) throw faultOf(fault, isValue);
}

/** A value has no bytes that an offset could point at. */
function faultOf(fault: Fault, isValue: boolean): StreamfoldError {
  if (!isValue) return new StreamfoldError(fault);
  const { byteOffset: _, ...rest } = fault;
  return new StreamfoldError(rest);
}

function checkPointer(pointer: unknown): string {
  if (typeof pointer !== "string")
    throw usageError("bad_argument", `the pointer must be a string, not ${describe(pointer)}`);
  if (parsePointer(pointer) === undefined) {
    throw usageError("bad_argument", `${JSON.stringify(pointer)} is not a JSON pointer`);
  }
  return pointer;
}

function integersOf(options: { integers?: "number" | "bigint" } | undefined): "number" | "bigint" {
  if (options !== undefined) expectOptions(options, "integers");
  const integers: unknown = optionOf(options, "integers") ?? "number";
  if (integers !== "number" && integers !== "bigint") {
    throw usageError("bad_argument", 'integers must be "number" or "bigint"');
  }
  return integers;
}
