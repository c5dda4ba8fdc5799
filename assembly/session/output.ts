// The bounded queue of what a call brings forth. It takes records until HIGH_WATER; a feeding call then stops between two messages.
import { W_DELTA_FAILED, W_DELTA_UPSERTED, W_LOSSY } from "../abi/codes";
import * as layout from "../abi/layout";
import { SCRATCH_OUTPUT as OUTPUT, SCRATCH_WIRE as WIRE, scratchReserve } from "../reduce/scratch";
import { RUN_LEN, RUN_PTR } from "../memory/bytes";
import { copyExact } from "../memory/copy";
import { canonicalize } from "../text/minify";
import {
  faultCode, faultEventType, faultHasPath, faultHasSubject, faultOperationIndex, faultReason, faultReceivedKind, pathLength, pathStart, subjectLength, subjectStart,
} from "../reduce/fault";
import {
  warningCode, warningHasSubject, warningOperation, warningPath, warningPathLength, warningReason, warningSubject, warningSubjectLength, warningType,
} from "../reduce/agui/warnings";
import { add, C_ERRORS, C_REPORTS_LEFT, C_WARNINGS } from "./layout";

const HIGH_WATER: u32 = 131072;
const NO_SUBJECT: u32 = 0xffffffff;

/** A transcoder's call is interrupted when it has written so much. */
const WIRE_HIGH_WATER: u32 = 1 << 20;

/** Whether the host must drain the queue, or take what was transcoded, before the next message. */
@inline export function isOutputFull(): bool { return load<u32>(OUTPUT, RUN_LEN) > HIGH_WATER || load<u32>(WIRE, RUN_LEN) > WIRE_HIGH_WATER; }

// Position of the event that reports speak about.
let aboutStream: usize = 0;
let aboutStreamLength: u32 = 0;
let aboutHas: u32 = 0;
let aboutSeq: f64 = 0;
let aboutIndex: f64 = 0;
let aboutOffset: f64 = 0;

/** Begins the reports of one message. `offset` < 0: it has no place on the wire. */
export function aboutMessage(index: f64, offset: f64): void {
  aboutHas = layout.HAS_EVENT_INDEX | (offset < 0 ? 0 : layout.HAS_BYTE_OFFSET);
  aboutIndex = index;
  aboutOffset = offset;
}

/** Moves the position to a place inside of the message. */
export function aboutPlace(offset: f64): void {
  aboutHas |= layout.HAS_BYTE_OFFSET;
  aboutOffset = offset;
}

/** Names the stream. The id must stay where it is until the reports are written. */
export function aboutRoute(id: usize, n: u32): void {
  aboutHas |= layout.HAS_STREAM;
  aboutStream = id;
  aboutStreamLength = n;
}

/** Names the seq; negative: unknown. */
export function aboutSequence(seq: f64): void {
  if (seq < 0) return;
  aboutHas |= layout.HAS_SEQ;
  aboutSeq = seq;
}

export function hasAbout(): u32 { return aboutHas; }
export function indexAbout(): f64 { return aboutIndex; }
export function offsetAbout(): f64 { return aboutOffset; }

function begin(kind: u32, id: u32, detail: u32, position: f64, has: u32, text: u32): usize {
  const stream = aboutHas & layout.HAS_STREAM ? aboutStreamLength : 0;
  const size = (<u32>layout.REPORT_BYTES + stream + text + 7) & ~7;
  if (!scratchReserve(OUTPUT, size + 64)) return 0;
  const r = <usize>load<u32>(OUTPUT, RUN_PTR) + load<u32>(OUTPUT, RUN_LEN);
  store<u8>(r, <u8>kind, layout.REPORT_KIND);
  store<u8>(r, <u8>id, layout.REPORT_CODE);
  store<u8>(r, <u8>detail, layout.REPORT_DETAIL);
  store<u8>(r, <u8>has, layout.REPORT_HAS);
  store<f64>(r, aboutSeq, layout.REPORT_SEQ);
  store<f64>(r, aboutIndex, layout.REPORT_EVENT_INDEX);
  store<f64>(r, position, layout.REPORT_POSITION);
  store<u32>(r, stream, layout.REPORT_STREAM_LENGTH);
  // no subject, no operation, no event type
  store<u64>(r, ~0, layout.REPORT_SUBJECT_LENGTH);
  store<u64>(r, 0, layout.REPORT_EVENT_TYPE);
  copyExact(r + layout.REPORT_BYTES, aboutStream, stream);
  return r;
}

@inline function textAt(r: usize): usize { return r + layout.REPORT_BYTES + load<u32>(r, layout.REPORT_STREAM_LENGTH); }

function finish(r: usize, text: u32): void {
  const subject = load<u32>(r, layout.REPORT_SUBJECT_LENGTH);
  const size = (<u32>layout.REPORT_BYTES + load<u32>(r, layout.REPORT_STREAM_LENGTH) + text + (subject == NO_SUBJECT ? 0 : subject) + 7) & ~7;
  store<u32>(r, text, layout.REPORT_TEXT_LENGTH);
  store<u32>(r, size, layout.REPORT_LENGTH);
  store<u32>(OUTPUT, load<u32>(OUTPUT, RUN_LEN) + size, RUN_LEN);
}

function mayDeliver(c: usize): bool {
  const left = load<u32>(c, C_REPORTS_LEFT);
  if (!left) return false;
  store<u32>(c, left - 1, C_REPORTS_LEFT);
  return true;
}

/** Counts and reports the current fault. */
export function reportFault(c: usize): void {
  add(c, C_ERRORS, 1);
  if (mayDeliver(c)) deliverFault();
}

/** Reports the current fault without counting it. */
export function deliverFault(): void {
  const n = faultHasPath ? pathLength() : 0, subject = faultHasSubject ? subjectLength() : 0;
  const has = aboutHas | (faultHasPath ? layout.HAS_PATH : 0);
  const r = begin(layout.REPORT_ERROR, faultCode, faultReason, aboutOffset, has, n + subject);
  if (!r) return;
  copyExact(textAt(r), pathStart(), n);
  copyExact(textAt(r) + n, subjectStart(), subject);
  if (faultHasSubject) store<u32>(r, subject, layout.REPORT_SUBJECT_LENGTH);
  store<u32>(r, faultOperationIndex, layout.REPORT_OP_INDEX);
  store<u8>(r, <u8>faultEventType, layout.REPORT_EVENT_TYPE);
  store<u8>(r, <u8>faultReceivedKind, layout.REPORT_RECEIVED);
  finish(r, n);
}

/** Counts and reports a warning; `path` is canonical pointer text, n = 0: none. */
export function reportWarning(c: usize, id: u32, path: usize, n: u32): void {
  add(c, C_WARNINGS, 1);
  if (!mayDeliver(c)) return;
  const r = begin(layout.REPORT_WARNING, id, 0, aboutOffset, aboutHas | (n ? layout.HAS_PATH : 0), n);
  if (!r) return;
  copyExact(textAt(r), path, n);
  finish(r, n);
}

/** Counts and reports that something is lost on the way to another wire; `kind`: number of the LOSS_ bit. */
export function reportLoss(c: usize, kind: u32): void {
  add(c, C_WARNINGS, 1);
  if (!mayDeliver(c)) return;
  const r = begin(layout.REPORT_WARNING, W_LOSSY, kind + 1, aboutOffset, aboutHas, 0);
  if (r) finish(r, 0);
}

/** Counts and reports a warning that was kept (reduce/agui/warnings). */
export function reportAguiWarning(c: usize, w: usize): void {
  add(c, C_WARNINGS, 1);
  if (!mayDeliver(c)) return;
  const id = warningCode(w), n = warningPathLength(w), hasSubject = warningHasSubject(w), subject = hasSubject ? warningSubjectLength(w) : 0;
  // the pointer of a patch may be empty
  const hasPath = n || id == W_DELTA_FAILED || id == W_DELTA_UPSERTED;
  const r = begin(layout.REPORT_WARNING, id, warningReason(w), aboutOffset, aboutHas | (hasPath ? layout.HAS_PATH : 0), n + subject);
  if (!r) return;
  copyExact(textAt(r), warningPath(w), n);
  copyExact(textAt(r) + n, warningSubject(w), subject);
  if (hasSubject) store<u32>(r, subject, layout.REPORT_SUBJECT_LENGTH);
  store<u32>(r, warningOperation(w), layout.REPORT_OP_INDEX);
  store<u8>(r, <u8>warningType(w), layout.REPORT_EVENT_TYPE);
  finish(r, n);
}

/** Reports a gap before the current event. */
export function reportGap(op: u32, lastSeq: f64): void {
  const r = begin(layout.REPORT_GAP, 0, op, lastSeq, aboutHas, 0);
  if (r) finish(r, 0);
}

/** Reports that a stream has paused before a patch of the block `id`, whose key is `key`, both canonical contents; their room was made. */
export function reportUnresolved(id: usize, n: u32, key: usize, keyLength: u32): void {
  const r = begin(layout.REPORT_UNRESOLVED, 0, 0, aboutOffset, aboutHas, n + keyLength);
  if (!r) return;
  copyExact(textAt(r), id, n);
  copyExact(textAt(r) + n, key, keyLength);
  store<u32>(r, keyLength, layout.REPORT_SUBJECT_LENGTH);
  finish(r, n);
}

/** Room for the reports of a message whose event takes `n` bytes; false = out of memory. A long path takes its room when it comes. */
export function reserveOutput(n: u32): bool { return scratchReserve(OUTPUT, n + 4096); }

/** Reports an accepted event: its text [p, end) in canonical form. */
export function reportEvent(p: usize, end: usize): void {
  const r = begin(layout.REPORT_EVENT, 0, 0, aboutOffset, aboutHas, <u32>(end - p));
  if (!r) return;
  const text = textAt(r);
  finish(r, <u32>(canonicalize(p, text) - text));
}

/** Begins the record of an event whose text, of at most `n` bytes, is then appended to the output run, and which `endEvent` completes; false = out of memory. */
export function beginEvent(type: u32, n: u32): bool {
  const r = begin(layout.REPORT_EVENT, 0, 0, aboutOffset, aboutHas, n);
  if (!r) return false;
  store<u8>(r, <u8>type, layout.REPORT_EVENT_TYPE);
  openRecord = load<u32>(OUTPUT, RUN_LEN);
  store<u32>(OUTPUT, <u32>(textAt(r) - load<u32>(OUTPUT, RUN_PTR)), RUN_LEN);
  return true;
}

// Where the record that is being written begins in the output.
let openRecord: u32 = 0;

export function endEvent(): void {
  const r = <usize>load<u32>(OUTPUT, RUN_PTR) + openRecord, n = load<u32>(OUTPUT, RUN_LEN) - openRecord;
  store<u32>(OUTPUT, openRecord, RUN_LEN);
  finish(r, n - <u32>(textAt(r) - r));
}

/** Hands the canonical text [p, end) of an event, of that type (`AG_` id), to the host's middleware. */
export function reportHeld(type: u32, p: usize, end: usize): void {
  const n = <u32>(end - p), r = begin(layout.REPORT_HELD, 0, 0, aboutOffset, aboutHas, n);
  if (!r) return;
  store<u8>(r, <u8>type, layout.REPORT_EVENT_TYPE);
  copyExact(textAt(r), p, n);
  finish(r, n);
}
