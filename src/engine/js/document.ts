import { R_LIMIT_MODEL } from "../../../assembly/abi/codes.js";
import type { Bytes } from "../../bytes.js";
import { encodeUtf8 } from "../../codec/text.js";
import type { Fault } from "../../errors.js";
import { writeJson } from "../../json/exact.js";
import { applyPatch, type PatchBounds, type PatchTarget, readPatch, valueAt } from "../../json/patch.js";
import { parsePointer } from "../../json/pointer.js";
import { jsonLength } from "../../json/tree.js";
import type { DocumentLimits, EngineDocument } from "../contract.js";
import { cloneValue } from "./codec/clone.js";
import { Size } from "./codec/size.js";
import { copyValue } from "./codec/value.js";
import { readText } from "./session/text.js";

/** Levels around the value of an operation: the patch and the operation. */
const PATCH_LEVELS = 2;

/**
 * A document of the plain JavaScript engine (docs/semantics.md §11).
 *
 * @param text JSON text, not kept
 * @param limits complete and checked
 * @returns the document, or a fault of the text or of its size
 */
export function createJsDocument(text: Uint8Array, limits: DocumentLimits): EngineDocument | Fault {
  const read = readText(text, limits);
  if ("code" in read) return read;
  const target: PatchTarget = { value: read.value };
  const size = new Size(limits.bytes, read.source.bytes, () => jsonLength(target.value));
  if (!size.admit(0, () => 0)) return { code: "limit", reason: R_LIMIT_MODEL };
  return new JsDocument(target, size, limits);
}

class JsDocument implements EngineDocument {
  readonly #size: Size;
  readonly #target: PatchTarget;
  readonly #limits: DocumentLimits;
  readonly #bounds: PatchBounds;
  #version = 0;

  constructor(target: PatchTarget, size: Size, limits: DocumentLimits) {
    this.#size = size;
    this.#target = target;
    this.#limits = limits;
    this.#bounds = {
      depth: limits.depth,
      copies: limits.bytes,
      admit: (bound, growth) => size.admit(bound, growth),
      count: () => size.count(),
      relax: () => size.relax(),
    };
  }

  patch(operations: Uint8Array): Fault | undefined {
    const { depth, numberLength } = this.#limits;
    const read = readText(operations, { depth: depth + PATCH_LEVELS, numberLength });
    return "code" in read ? read : this.#apply(read.value);
  }

  patchValue(operations: unknown): Fault | undefined {
    const copy = copyValue(operations, this.#limits.depth + PATCH_LEVELS);
    if ("code" in copy) return copy;
    // A proxy among the values may have closed it.
    return this.#target.value === undefined ? { code: "closed" } : this.#apply(copy.value);
  }

  get(pointer: string, integers: "number" | "bigint"): unknown {
    return cloneValue(this.#at(pointer), integers);
  }

  bytes(pointer: string): Bytes | undefined {
    const value = this.#at(pointer);
    return value === undefined ? undefined : encodeUtf8(writeJson(value, true));
  }

  size(): number {
    return this.#size.exact();
  }

  version(): number {
    return this.#version;
  }

  close(): void {
    this.#target.value = undefined;
  }

  #at(pointer: string): unknown {
    return valueAt(this.#target.value, parsePointer(pointer)!);
  }

  #apply(patch: unknown): Fault | undefined {
    const operations = readPatch(patch, this.#limits.operations);
    if ("code" in operations) return operations;
    const before = this.#size.save();
    const fault = applyPatch(this.#target, operations, this.#bounds);
    if (fault === undefined) this.#version++;
    else this.#size.restore(before);
    return fault;
  }
}
