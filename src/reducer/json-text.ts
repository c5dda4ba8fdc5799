import type { Report } from "../engine/contract.js";
import type { Fault } from "../errors.js";

export { jsonText } from "../engine/js/codec/json-text.js";

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
