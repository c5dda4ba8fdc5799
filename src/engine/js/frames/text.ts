import { decodeUtf8 } from "../../../codec/text.js";
import type { Fault } from "../../../errors.js";
import { mayHoldExactNumber, readExact } from "../../../json/exact.js";
import { nestingOf } from "../../../json/text.js";
import { findTextFault } from "../codec/text-fault.js";

/** Deepest nesting of a frame's text, and of a block's. */
export const FRAME_DEPTH = 512;
export const BLOCK_DEPTH = 4096;

/** A JSON text that was read. */
export interface Read {
  text: string;
  value: unknown;
}

/**
 * Reads one JSON text; numbers that no double carries are an `ExactNumber` where `exact`.
 *
 * @returns the fault of lowest offset: `bad_json`, `invalid_utf8`, `too_deep`
 */
export function readText(bytes: Uint8Array, depth: number, exact: boolean): Read | Fault {
  const text = decodeUtf8(bytes);
  if (text !== undefined) {
    const value = parsed(text);
    if (value !== undefined && nestingOf(text, depth + 1) <= depth) {
      return { text, value: exact && mayHoldExactNumber(text) ? readExact(text) : value };
    }
  }
  const fault = findTextFault(bytes, depth, false)!;
  return { code: fault.code, byteOffset: fault.position };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
