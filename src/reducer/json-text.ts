import type { Report } from "../engine/contract.js";
import { writeJson } from "../engine/js/codec/clone.js";
import { copyValue } from "../engine/js/codec/value.js";
import type { Fault } from "../errors.js";

const encoder = /* @__PURE__ */ new TextEncoder();

/**
 * JSON text of a caller's value, for a session that takes text only. The value is judged by the check of the JavaScript engine, so it
 * does not matter which session it would have gone to; `toJSON` and accessors are not called.
 *
 * @param depth levels of nesting allowed
 * @returns compact JSON as UTF-8, or the fault `not_json` or `too_deep` with a path into the value
 */
export function jsonText(value: unknown, depth: number): Uint8Array | Fault {
  const copy = copyValue(value, depth);
  return "code" in copy ? copy : encoder.encode(writeJson(copy.value, copy.exact));
}

/** In place of a value that is too deep to be written: a session counts and reports it as a message that it cannot read. */
export const NO_TEXT = /* @__PURE__ */ new Uint8Array(0);

/**
 * Turns the reports on a text that stood for a value into those on the value: it has no bytes, and its own fault tells more.
 *
 * @param fault what `jsonText` found, when `NO_TEXT` stood for the value
 */
export function aboutValue(reports: readonly Report[], fault: Fault | undefined): void {
  for (const report of reports) {
    if (report.kind !== "error") continue;
    if (fault !== undefined) report.fault = { ...fault, eventIndex: report.fault.eventIndex };
    else delete report.fault.byteOffset;
  }
}
