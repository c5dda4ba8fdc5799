// One decoded event: routed, judged, applied, reported. A violation on one stream touches no other.
import * as code from "../abi/codes";
import * as layout from "../abi/layout";
import { setAccount } from "../memory/heap";
import { clearFault, fail, faultCode, pathName, pathReset } from "../reduce/fault";
import { NAME_STREAM_ID } from "../reduce/names";
import {
  canStayRaw, envelopeLongNumber, F_SEQ, F_STREAM_ID, fieldEnd, fieldKind, fieldStart, integerOf, isString, K_ABSENT, normalizeEnvelope, opOf,
} from "../reduce/agentue/envelope";
import { ACCEPTED, eventOp, eventSeq, failField, judge, revealsGap, SKIPPED } from "../reduce/agentue/judge";
import { apply } from "../reduce/agentue/apply";
import { IN_BURST, S_DROPPED, S_FLAGS, S_SEQ, S_SKIPPED, S_STATUS } from "../reduce/agentue/state";
import { add, C_APPLIED, C_COUNT, C_DROPPED, C_OPTIONS, C_RESUMING, C_SKIPPED, option, PAUSED, T_FLAGS, T_ID, T_ID_LENGTH, T_STATE } from "./layout";
import { aboutPlace, aboutRoute, aboutSequence, reportEvent, reportFault, reportGap, reportWarning } from "./output";
import { noMemory } from "./failure";
import { placeInMessage } from "./place";
import { enqueue } from "./queue";
import { emit } from "./transcode/emit";
import { findStream, forgetEnding, noteEnding, openStream, releaseStream } from "./streams";
import { dropWaiting, isWaiting, mayWait, waitForReference } from "./waiting";
import { wireOf } from "./roads";

const SEQ_PATH: usize = memory.data<u8>([0x2f, 0x73, 0x65, 0x71, 0, 0, 0, 0]);

export const EVENT_REFUSED: u32 = 0;
export const EVENT_ACCEPTED: u32 = 1;
/** It has no route: the connection's failure, described by the fault. */
export const EVENT_UNROUTED: u32 = 2;
/** Memory ran out before the event was applied; what is applied but cannot be written on another wire is EVENT_ACCEPTED, and the connection's failure. */
export const EVENT_NO_MEMORY: u32 = 3;

@inline function flags(c: usize): u32 { return <u32>load<u8>(c + C_OPTIONS, layout.OPT_FLAGS); }

/** Handles the event [p, end) that `scanEnvelope` has just read; `size` is the length of its message. `held`: it comes out of a queue. */
export function handleEvent(c: usize, p: usize, end: usize, size: u32, held: bool): u32 {
  const longAt = envelopeLongNumber && !held ? placeInMessage(c, envelopeLongNumber) : -1;
  if (!canStayRaw()) end = normalizeEnvelope(p);
  clearFault();
  let id: usize = 0, n: u32 = 0;
  const kind = fieldKind(F_STREAM_ID);
  if (kind != K_ABSENT) {
    if (!isString(kind)) {
      pathReset();
      pathName(NAME_STREAM_ID, 9);
      fail(code.E_NOT_AN_EVENT, code.R_STRING);
      return EVENT_UNROUTED;
    }
    id = fieldStart(F_STREAM_ID) + 1;
    n = <u32>(fieldEnd(F_STREAM_ID) - id - 1);
  }
  const t = findStream(c, id, n);
  aboutRoute(id, n);
  // a start makes pointless what waits for a reference
  if (t && !held && load<u8>(t, T_FLAGS) & PAUSED && !(isWaiting(t) && opOf() == code.OP_START)) return enqueue(c, t, p, end, size);
  if (longAt >= 0) aboutPlace(longAt);
  return decide(c, t, id, n, p, end, size, held);
}

// The next unresolved reference is an error.
let referencesFail: bool = false;

/** Says whether an unresolved reference is an error, whatever the options say. */
export function failReferences(yes: bool): void { referencesFail = yes; }

function decide(c: usize, t: usize, id: usize, n: u32, p: usize, end: usize, size: u32, held: bool): u32 {
  const s = t ? t + T_STATE : 0;
  if (envelopeLongNumber) {
    aboutSequence(integerOf(F_SEQ));
    fail(code.E_LIMIT, code.R_LIMIT_NUMBER);
    return refuse(c, t);
  }
  if (s && load<u8>(s, S_STATUS) == code.STATUS_REFUSED && opOf() != code.OP_START) {
    add(c, C_DROPPED, 1);
    add(s, S_DROPPED, 1);
    return EVENT_REFUSED;
  }
  const verdict = judge(s);
  aboutSequence(eventSeq);
  if (verdict == SKIPPED) {
    add(c, C_SKIPPED, 1);
    add(s, S_SKIPPED, 1);
    if (!(load<u8>(s, S_FLAGS) & IN_BURST)) {
      store<u8>(s, load<u8>(s, S_FLAGS) | IN_BURST, S_FLAGS);
      reportWarning(c, code.W_DUPLICATE_SEQ, SEQ_PATH, 4);
    }
    return EVENT_REFUSED;
  }
  if (verdict != ACCEPTED) return refuse(c, t);
  return t ? take(c, t, p, end, size, held) : open(c, id, n, p, end, held);
}

// Only a valid start opens a stream.
function open(c: usize, id: usize, n: u32, p: usize, end: usize, held: bool): u32 {
  if (load<u32>(c, C_COUNT) >= option(c, layout.OPT_STREAMS)) {
    failField(F_STREAM_ID, code.E_LIMIT, code.R_LIMIT_STREAMS);
    return refuse(c, 0);
  }
  const t = openStream(c, id, n);
  if (!t) return EVENT_NO_MEMORY;
  // what is left of a queue is of the stream that one of its events has opened anew
  if (held) store<u32>(c, <u32>t, C_RESUMING);
  return take(c, t, p, end, 0, false);
}

// `size` 0: the stream is new.
function take(c: usize, t: usize, p: usize, end: usize, size: u32, held: bool): u32 {
  const s = t + T_STATE;
  const gap = revealsGap(s), lastSeq = load<f64>(s, S_SEQ);
  const account = setAccount(t);
  const done = apply(s);
  setAccount(account);
  if (!done) {
    const isNew = !size;
    const waits = faultCode == code.E_UNRESOLVED_REFERENCE && flags(c) & layout.FLAG_PAUSE_UNRESOLVED && !referencesFail;
    if (waits && (held || mayWait(c, size))) return waitForReference(c, t, p, end, size, held);
    if (isNew) releaseStream(c, t);
    return faultCode == code.E_OUT_OF_MEMORY ? EVENT_NO_MEMORY : refuse(c, isNew ? 0 : t);
  }
  add(c, C_APPLIED, 1);
  if (gap) reportGap(eventOp, lastSeq);
  if (flags(c) & layout.FLAG_REPORT_EVENTS) reportEvent(p, end);
  if (wireOf(c)) {
    // what goes out may have been rewritten in place: the stream's own id stays
    aboutRoute(t + T_ID, load<u32>(t, T_ID_LENGTH));
    if (!emit(c, p, end)) noMemory(c);
  }
  if (eventOp == code.OP_START) { forgetEnding(c, t); dropWaiting(c, t); }
  else if (eventOp == code.OP_END) noteEnding(c, t);
  return EVENT_ACCEPTED;
}

// Reports the fault and, where the policy says so, refuses the stream.
function refuse(c: usize, t: usize): u32 {
  reportFault(c);
  if (t) {
    const s = t + T_STATE;
    store<u8>(s, load<u8>(s, S_FLAGS) & ~IN_BURST, S_FLAGS);
    if (refuses(c, faultCode)) {
      store<u8>(s, code.STATUS_REFUSED, S_STATUS);
      forgetEnding(c, t);
    }
  }
  return EVENT_REFUSED;
}

/** Whether a violation with this code makes a stream refused (docs/semantics.md §4). */
export function refuses(c: usize, error: u32): bool {
  return !(flags(c) & layout.FLAG_SKIP_EVENT) && error != code.E_NO_MODEL && error != code.E_AFTER_END && error != code.E_UNRESOLVED_REFERENCE
    && error != code.E_UNRESOLVED_FRAMES;
}
