import type { Fault } from "../../../errors.js";
import { writeJson } from "../../../json/exact.js";
import { copyValue } from "./value.js";

const encoder = /* @__PURE__ */ new TextEncoder();

/**
 * JSON text of a caller's value, for a session that takes text only. The value is judged by the check of this engine, so it
 * does not matter which session it would have gone to; `toJSON` and accessors are not called.
 *
 * @param depth levels of nesting allowed
 * @returns compact JSON as UTF-8, or the fault `not_json` or `too_deep` with a path into the value
 */
export function jsonText(value: unknown, depth: number): Uint8Array | Fault {
  const copy = copyValue(value, depth);
  return "code" in copy ? copy : encoder.encode(writeJson(copy.value, copy.exact));
}
