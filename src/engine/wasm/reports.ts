import * as layout from "../../../assembly/abi/layout.js";
import { errorCode, type Fault, WARNING_CODES } from "../../errors.js";
import type { Gap, Report } from "../contract.js";
import type { Core } from "./instance.js";
import { decode, decodeContents } from "./text.js";

const GAP_OPS = ["", "start", "set", "append", "error", "ping", "end"] as const;

/** Turns the records of the output queue into reports. */
export function drainReports(core: Core, reports: Report[]): void {
  const length = core.exports.report_length() >>> 0;
  if (length === 0) return;
  const start = core.exports.report_pointer() >>> 0;
  const bytes = core.bytes();
  const view = new DataView(bytes.buffer, start, length);
  for (let at = 0; at < length; at += view.getUint32(at + layout.REPORT_LENGTH, true)) {
    reports.push(readReport(view, at, bytes.subarray(start + at)));
  }
}

function readReport(view: DataView, at: number, record: Uint8Array): Report {
  const has = view.getUint8(at + layout.REPORT_HAS);
  const code = view.getUint8(at + layout.REPORT_CODE);
  const eventIndex = view.getFloat64(at + layout.REPORT_EVENT_INDEX, true);
  const streamLength = view.getUint32(at + layout.REPORT_STREAM_LENGTH, true);
  const textStart = layout.REPORT_BYTES + streamLength;
  const text = record.subarray(textStart, textStart + view.getUint32(at + layout.REPORT_TEXT_LENGTH, true));
  const streamId =
    has & layout.HAS_STREAM ? decodeContents(record.subarray(layout.REPORT_BYTES, textStart)) : undefined;
  const seq = has & layout.HAS_SEQ ? view.getFloat64(at + layout.REPORT_SEQ, true) : undefined;
  const path = has & layout.HAS_PATH ? decodeContents(text) : undefined;
  switch (view.getUint8(at + layout.REPORT_KIND)) {
    case layout.REPORT_EVENT:
      return { kind: "event", event: JSON.parse(decode(text)), streamId: streamId ?? "", eventIndex };
    case layout.REPORT_GAP: {
      const op = GAP_OPS[view.getUint8(at + layout.REPORT_DETAIL)] as Gap["op"];
      const lastSeq = view.getFloat64(at + layout.REPORT_POSITION, true);
      return { kind: "gap", gap: { streamId: streamId ?? "", op, lastSeq, seq: seq ?? 0, eventIndex } };
    }
    case layout.REPORT_WARNING: {
      const warning: Report = { kind: "warning", code: WARNING_CODES[code - 1]!, eventIndex };
      if (path !== undefined) warning.path = path;
      if (streamId !== undefined) warning.streamId = streamId;
      if (seq !== undefined) warning.seq = seq;
      return warning;
    }
    default: {
      const fault: Fault = { code: errorCode(code), reason: view.getUint8(at + layout.REPORT_DETAIL) };
      if (streamId !== undefined) fault.streamId = streamId;
      if (seq !== undefined) fault.seq = seq;
      if (has & layout.HAS_EVENT_INDEX) fault.eventIndex = eventIndex;
      if (has & layout.HAS_BYTE_OFFSET) fault.byteOffset = view.getFloat64(at + layout.REPORT_POSITION, true);
      if (path !== undefined) fault.path = path;
      return { kind: "error", fault };
    }
  }
}

/** The fault record that load, materialize, pause and restore leave behind. */
export function readFault(core: Core, code: number): Fault {
  const bytes = core.bytes();
  const view = new DataView(bytes.buffer, core.exports.fault_pointer() >>> 0, layout.FAULT_SIZE);
  const has = view.getUint32(layout.FAULT_HAS, true);
  const fault: Fault = { code: errorCode(code), reason: view.getUint32(layout.FAULT_REASON, true) };
  if (has & layout.HAS_BYTE_OFFSET) fault.byteOffset = view.getFloat64(layout.FAULT_BYTE_OFFSET, true);
  if (has & layout.HAS_PATH) {
    const at = view.getUint32(layout.FAULT_PATH, true);
    fault.path = decodeContents(bytes.subarray(at, at + view.getUint32(layout.FAULT_PATH_LENGTH, true)));
  }
  return fault;
}
