import { E_OUT_OF_MEMORY } from "../../../assembly/abi/codes.js";
import * as layout from "../../../assembly/abi/layout.js";
import { errorCode, type Fault, usageError, WARNING_CODES, type WarningFacts } from "../../errors.js";
import type { Gap, Report } from "../contract.js";
import type { Core } from "./instance.js";
import { decode, decodeContents } from "./text.js";

const GAP_OPS = ["", "start", "set", "append", "error", "ping", "end"] as const;
/** Names of the `KIND_` ids. */
const KINDS = ["", "string", "number", "boolean", "null", "object", "array"] as const;
/** Stands where no operation of a patch is meant. */
const NO_OPERATION = 0xffff_ffff;
const NO_SUBJECT = 0xffff_ffff;

/**
 * Turns the records of the output queue into reports.
 *
 * @returns the JSON text of the event that the core holds for the middleware; undefined when it holds none
 */
export function drainReports(core: Core, reports: Report[]): string | undefined {
  const length = core.exports.report_length() >>> 0;
  if (length === 0) return undefined;
  const start = core.exports.report_pointer() >>> 0;
  const bytes = core.bytes();
  const view = new DataView(bytes.buffer, start, length);
  let held: string | undefined;
  for (let at = 0; at < length; at += view.getUint32(at + layout.REPORT_LENGTH, true)) {
    const record = bytes.subarray(start + at);
    if (view.getUint8(at + layout.REPORT_KIND) === layout.REPORT_HELD) held = decode(textOf(view, at, record));
    else reports.push(readReport(view, at, record, core));
  }
  return held;
}

function textOf(view: DataView, at: number, record: Uint8Array): Uint8Array {
  const start = layout.REPORT_BYTES + view.getUint32(at + layout.REPORT_STREAM_LENGTH, true);
  return record.subarray(start, start + view.getUint32(at + layout.REPORT_TEXT_LENGTH, true));
}

/** What only AG-UI says of an event. */
interface Details {
  eventType?: string;
  subject?: string;
  opIndex?: number;
  received?: string;
}

function addDetails(to: Details, view: DataView, at: number, rest: Uint8Array, core: Core): void {
  const type = view.getUint8(at + layout.REPORT_EVENT_TYPE);
  const length = view.getUint32(at + layout.REPORT_SUBJECT_LENGTH, true);
  const operation = view.getUint32(at + layout.REPORT_OP_INDEX, true);
  const received = view.getUint8(at + layout.REPORT_RECEIVED);
  if (type) to.eventType = core.names.eventTypes[type - 1]!;
  if (length !== NO_SUBJECT) to.subject = decodeContents(rest.subarray(0, length));
  if (operation !== NO_OPERATION) to.opIndex = operation;
  if (received) to.received = KINDS[received]!;
}

function readReport(view: DataView, at: number, record: Uint8Array, core: Core): Report {
  const has = view.getUint8(at + layout.REPORT_HAS);
  const code = view.getUint8(at + layout.REPORT_CODE);
  const eventIndex = view.getFloat64(at + layout.REPORT_EVENT_INDEX, true);
  const streamLength = view.getUint32(at + layout.REPORT_STREAM_LENGTH, true);
  const textStart = layout.REPORT_BYTES + streamLength;
  const text = textOf(view, at, record);
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
    case layout.REPORT_UNRESOLVED: {
      const details: Details = {};
      addDetails(details, view, at, record.subarray(textStart + text.length), core);
      const pause = {
        streamId: streamId ?? "",
        id: decodeContents(text),
        ref: details.subject!,
        seq: seq!,
        eventIndex,
      };
      return { kind: "unresolved", pause };
    }
    case layout.REPORT_WARNING: {
      const facts: WarningFacts = { code: WARNING_CODES[code - 1]! };
      if (path !== undefined) facts.path = path;
      addDetails(facts, view, at, record.subarray(textStart + text.length), core);
      const detail = view.getUint8(at + layout.REPORT_DETAIL);
      if (facts.code === "lossy") facts.subject = core.names.losses[detail - 1]![0];
      else if (detail) facts.reason = detail;
      const warning: Report = { kind: "warning", ...facts, eventIndex };
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
      addDetails(fault, view, at, record.subarray(textStart + text.length), core);
      return { kind: "error", fault };
    }
  }
}

/** The fault behind the code that a call has given, undefined for 0; `out_of_memory` is thrown. */
export function faultOf(core: Core, code: number): Fault | undefined {
  if (code === 0) return undefined;
  if (code === E_OUT_OF_MEMORY) throw usageError("out_of_memory");
  return readFault(core);
}

/** The fault record that load, materialize, pause, restore and a snapshot leave behind. */
export function readFault(core: Core): Fault {
  const bytes = core.bytes();
  const view = new DataView(bytes.buffer, core.exports.fault_pointer() >>> 0, layout.FAULT_SIZE);
  const has = view.getUint32(layout.FAULT_HAS, true);
  const fault: Fault = {
    code: errorCode(view.getUint32(layout.FAULT_CODE, true)),
    reason: view.getUint32(layout.FAULT_REASON, true),
  };
  if (has & layout.HAS_BYTE_OFFSET) fault.byteOffset = view.getFloat64(layout.FAULT_BYTE_OFFSET, true);
  if (has & layout.HAS_PATH) {
    const at = view.getUint32(layout.FAULT_PATH, true);
    fault.path = decodeContents(bytes.subarray(at, at + view.getUint32(layout.FAULT_PATH_LENGTH, true)));
  }
  if (has & layout.HAS_EVENT_INDEX) fault.eventIndex = view.getUint32(layout.FAULT_EVENT_INDEX, true);
  const received = view.getUint32(layout.FAULT_RECEIVED, true);
  if (received) fault.received = KINDS[received]!;
  const subject = view.getUint32(layout.FAULT_SUBJECT, true);
  const length = view.getUint32(layout.FAULT_SUBJECT_LENGTH, true);
  if (length !== NO_SUBJECT) fault.subject = decodeContents(bytes.subarray(subject, subject + length));
  return fault;
}
