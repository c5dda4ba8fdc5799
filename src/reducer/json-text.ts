import { copyValue } from "../engine/js/codec/value.js";
import { StreamfoldError } from "../errors.js";
import { stringify } from "../json/exact.js";
import type { Limits } from "../limits.js";

const encoder = new TextEncoder();

/**
 * JSON text of a caller's value, for a session that takes text only. The value is judged by the check of the JavaScript engine, so it
 * does not matter which session it would have gone to; `toJSON` and accessors are not called.
 *
 * @returns compact JSON as UTF-8
 * @throws StreamfoldError `not_json` with the path of what JSON cannot express, `too_deep` and `limit` for what the limits forbid
 */
export function jsonText(value: unknown, limits: Limits): Uint8Array {
  const copy = copyValue(value, limits.depth, limits.numberLength);
  if ("code" in copy) throw new StreamfoldError(copy);
  return encoder.encode(stringify(copy.value));
}
