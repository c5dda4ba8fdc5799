import { R_LIMIT_MODEL } from "../../../assembly/abi/codes.js";
import type { Fault } from "../../errors.js";
import { applyPatch, type PatchBounds, type PatchTarget, readPatch, valueAt } from "../../json/patch.js";
import { parsePointer } from "../../json/pointer.js";
import type { DocumentLimits, EngineDocument } from "../contract.js";
import { cloneValue, writeJson } from "./codec/clone.js";
import { encodeUtf8 } from "./codec/utf8.js";
import { copyValue } from "./codec/value.js";
import { jsonLength } from "./reduce/agentue/document.js";
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
  const size = new Size({ value: read.value }, limits.bytes, read.source.bytes);
  if (!size.admit(0, () => 0)) return { code: "limit", reason: R_LIMIT_MODEL };
  return new JsDocument(size, limits);
}

class JsDocument implements EngineDocument {
  readonly #size: Size;
  readonly #target: PatchTarget;
  readonly #limits: DocumentLimits;
  readonly #bounds: PatchBounds;
  #version = 0;

  constructor(size: Size, limits: DocumentLimits) {
    this.#size = size;
    this.#target = size.target;
    this.#limits = limits;
    this.#bounds = { depth: limits.depth, admit: (bound, growth) => size.admit(bound, growth) };
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

  bytes(pointer: string): Uint8Array | undefined {
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

/** What is known of a document's bytes. */
interface Count {
  bytes: number;
  /** `bytes` is kept exact; else it is an upper bound. */
  counted: boolean;
}

/** Keeps a document within its limit, and counts its bytes exactly only near it. */
class Size {
  readonly target: PatchTarget;
  readonly #limit: number;
  #bytes: number;
  #counted = false;

  constructor(target: PatchTarget, limit: number, bound: number) {
    this.target = target;
    this.#limit = limit;
    this.#bytes = bound;
  }

  /** See `PatchBounds.admit`. */
  admit(bound: number, growth: () => number): boolean {
    if (!this.#counted) {
      if (this.#bytes + bound <= this.#limit) {
        this.#bytes += bound;
        return true;
      }
      // The next bound that is too high comes after as many bytes of patches as were measured; a document in the upper half is counted for good.
      this.#bytes = this.#measure();
      this.#counted = this.#bytes + bound > this.#limit / 2;
      if (!this.#counted) {
        this.#bytes += bound;
        return true;
      }
    }
    const bytes = this.#bytes + growth();
    if (bytes > this.#limit) return false;
    this.#bytes = bytes;
    return true;
  }

  exact(): number {
    if (!this.#counted) this.#bytes = this.#measure();
    return this.#bytes;
  }

  save(): Count {
    return { bytes: this.#bytes, counted: this.#counted };
  }

  restore(count: Count): void {
    this.#bytes = count.bytes;
    this.#counted = count.counted;
  }

  #measure(): number {
    return jsonLength(this.target.value, true);
  }
}
