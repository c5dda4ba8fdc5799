import { R_LIMIT_NUMBER } from "../../../../assembly/abi/codes.js";
import { decodeUtf8, encodeUtf8 } from "../../../codec/text.js";
import type { Fault } from "../../../errors.js";
import { mayHoldExactNumber, readExact } from "../../../json/exact.js";
import { mayHoldLongNumber, nestingOf } from "../../../json/text.js";
import type { Limits } from "../../../limits.js";
import { findLongNumber, findTextFault } from "../codec/text-fault.js";
import type { Source } from "../reduce/agentue/operations.js";

/** A text that was read, and what is known of it. */
export interface ReadText {
  text: string;
  value: unknown;
  source: Source;
}

/**
 * Reads one JSON text of the caller's with exact numbers.
 *
 * @returns a fault with the byte offset in the text: `bad_json`, `invalid_utf8`, `too_deep`, or `limit` for a number text
 */
export function readText(bytes: Uint8Array, limits: Pick<Limits, "depth" | "numberLength">): ReadText | Fault {
  const text = decodeUtf8(bytes);
  const read = text === undefined ? undefined : readString(text, limits);
  if (read !== undefined) return read;
  const fault = findTextFault(bytes, limits.depth, false);
  if (fault !== undefined) return { code: fault.code, byteOffset: fault.position };
  return { code: "limit", reason: R_LIMIT_NUMBER, byteOffset: findLongNumber(bytes, limits.numberLength) };
}

/** The same for a string; undefined for every fault. */
export function readString(text: string, limits: Pick<Limits, "depth" | "numberLength">): ReadText | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const nesting = nestingOf(text, limits.depth + 1);
  if (nesting > limits.depth) return undefined;
  if (mayHoldLongNumber(text, limits.numberLength) && findLongNumber(encodeUtf8(text), limits.numberLength) >= 0) {
    return undefined;
  }
  const exact = mayHoldExactNumber(text);
  return { text, value: exact ? readExact(text) : value, source: { nesting, bytes: MOST_BYTES * text.length, exact } };
}

/** Whether a string is one JSON text of no more than `depth` levels. */
export function isWhole(text: string, depth: number): boolean {
  try {
    JSON.parse(text);
  } catch {
    return false;
  }
  return nestingOf(text, depth + 1) <= depth;
}

/** Most bytes of compact JSON for one character of a text: a number may grow from `1e20` to 21 digits. */
export const MOST_BYTES = 7;

/** Digits and dots in a row that may be more than a double carries. */
export const LONG_RUN = 16;
