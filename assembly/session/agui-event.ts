// One AG-UI message whose text was read: boundary and enforcement, expansion, verification, application, reports (docs/semantics-agui.md §1).
// What verification notes and what the event implies is undone when a later stage refuses it.
import { F_COUNT } from "../abi/agui";
import * as code from "../abi/codes";
import * as layout from "../abi/layout";
import { setAccount } from "../memory/heap";
import { canonicalize } from "../text/minify";
import { messageEnd, messageStart } from "../frame/state";
import { clearFault, fail, faultCode, faultType } from "../reduce/fault";
import { SCRATCH_OUTPUT } from "../reduce/scratch";
import { applyExpanded } from "../reduce/agui/apply";
import { enforceEvent, enforceHeld, EVENT_DROPPED, EVENT_HELD, EVENT_NO_MEMORY as LACKS_MEMORY, EVENT_OK } from "../reduce/agui/enforce";
import { canonicalEvent, eventLongNumber, eventText, eventTextEnd, readEvent, wireType } from "../reduce/agui/event";
import { eventOrigin, eventSlotEnd, eventSlotStart, eventType, expand, expandedCount, expandedText, FROM_WIRE, select } from "../reduce/agui/expansion";
import { callsKnown } from "../reduce/agui/calls";
import { forgetEffects } from "../reduce/agui/effects";
import { commitMinted } from "../reduce/agui/legacy";
import { failMemory } from "../reduce/agui/limits";
import { A_APPLIED, A_DROPPED, A_SKIPPED, statusOfAgui } from "../reduce/agui/state";
import { trackCommit, trackRollback } from "../reduce/agui/track";
import { verify } from "../reduce/agui/verify";
import { clearWarnings } from "../reduce/agui/warnings";
import { adaptCut, adaptEvent, adaptRejection, TOLD, TOLD_NO_MEMORY, TOLD_TOO_MUCH } from "./adapt/adapt";
import { rejectRun } from "./agui-session";
import { reportWarnings } from "./agui-warnings";
import { EVENT_ACCEPTED, EVENT_NO_MEMORY, EVENT_REFUSED } from "./events";
import { noMemory } from "./failure";
import {
  add, C_APPLIED, C_DROPPED, C_FIRST, C_HELD_INDEX, C_HELD_OFFSET, C_OPTIONS, C_RUN, C_SKIPPED, C_STATE, LOST, option, PAUSED,
  T_FLAGS, T_ID, T_QUEUED_BYTES,
} from "./layout";
import {
  aboutPlace, aboutRoute, beginEvent, endEvent, hasAbout, indexAbout, offsetAbout, reportFault, reportHeld, reserveOutput,
} from "./output";
import { placeInMessage } from "./place";
import { addEntry, Q_LENGTH, Q_TEXT } from "./queue";
import { emit } from "./transcode/emit";
import { adapterOf, wireOf } from "./roads";

/** Says that reports are about the one stream there is. */
export function nameRun(c: usize): void { aboutRoute(<usize>load<u32>(c, C_FIRST) + T_ID, 0); }

// Bytes of the message of the event in hand.
let messageSize: u32 = 0;

@inline function flags(c: usize): u32 { return <u32>load<u8>(c + C_OPTIONS, layout.OPT_FLAGS); }

/** Handles the event [p, end) that `readEvent` has just read; `size` is the length of its message. `queued`: it comes out of a queue. EVENT_ status. */
export function handleRunEvent(c: usize, p: usize, end: usize, size: u32, queued: bool): u32 {
  const longAt = eventLongNumber && !queued ? placeInMessage(c, eventLongNumber) : -1;
  messageSize = load<u8>(c + C_OPTIONS, layout.OPT_TRANSPORT) < <u8>code.TRANSPORT_MSGPACK ? size : <u32>(messageEnd - messageStart);
  clearFault();
  nameRun(c);
  const t = <usize>load<u32>(c, C_FIRST);
  if (!queued && load<u8>(t, T_FLAGS) & PAUSED) return enqueue(c, t, p, end, size);
  if (longAt >= 0) aboutPlace(longAt);
  if (eventLongNumber) {
    fail(code.E_LIMIT, code.R_LIMIT_NUMBER);
    return refuse(c);
  }
  if (isDropped(c)) return EVENT_REFUSED;
  canonicalEvent();
  return decide(c, enforceEvent(load<u32>(c, C_RUN)));
}

/** Counts an event of a rejected stream, which is dropped. */
export function isDropped(c: usize): bool {
  const s = <usize>load<u32>(c, C_RUN);
  if (statusOfAgui(s) != code.RUN_REJECTED) return false;
  add(c, C_DROPPED, 1);
  add(s, A_DROPPED, 1);
  return true;
}

/** Counts an event that was dropped with a warning, or by the host's middleware. */
export function skip(c: usize): void {
  add(c, C_SKIPPED, 1);
  add(load<u32>(c, C_RUN), A_SKIPPED, 1);
}

/** Goes on with an event at the verdict of its enforcement. EVENT_ status. */
function decide(c: usize, verdict: u32): u32 {
  if (verdict == LACKS_MEMORY) return EVENT_NO_MEMORY;
  if (verdict == EVENT_HELD) return hold(c);
  if (verdict != EVENT_OK && verdict != EVENT_DROPPED) return refuse(c);
  reportWarnings(c);
  if (verdict == EVENT_DROPPED) {
    skip(c);
    return EVENT_REFUSED;
  }
  return fold(c, load<u32>(c, C_RUN));
}

function fold(c: usize, s: usize): u32 {
  const account = setAccount(load<u32>(c, C_FIRST)), adapts = adapterOf(c) != 0;
  let told = TOLD;
  forgetEffects();
  // whether a message that is replaced holds calls is asked when it is gone
  const done = (!adapts || callsKnown(s) || failMemory()) && expand(s) && verify(s) && reserveEvents(c) && applyExpanded(s);
  if (!done) trackRollback(s);
  else {
    commitMinted(s);
    add(s, A_APPLIED, 1);
    add(c, C_APPLIED, 1);
    reportWarnings(c);
    if (flags(c) & layout.FLAG_REPORT_EVENTS) reportEvents(c);
    if (adapts) told = adaptEvent(c, messageSize);
    trackCommit(s);
  }
  setAccount(account);
  if (done) {
    // it was applied, whatever becomes of writing it
    if (adapts ? !concludeTold(c, told) : wireOf(c) && !emit(c, eventText, eventTextEnd)) noMemory(c);
    return EVENT_ACCEPTED;
  }
  clearWarnings();
  return faultCode == code.E_OUT_OF_MEMORY ? EVENT_NO_MEMORY : refuse(c);
}

/** What is done when an event was applied and said, with that outcome (TOLD_); false = memory ran out. */
export function concludeTold(c: usize, told: u32): bool {
  if (told == TOLD_TOO_MUCH) {
    clearFault();
    faultType(wireType);
    fail(code.E_LIMIT, code.R_LIMIT_OUTPUT);
    if (flags(c) & layout.FLAG_SKIP_EVENT) {
      reportFault(c);
      told = adaptCut(c);
    } else return refuse(c) == EVENT_REFUSED;
  }
  return told != TOLD_NO_MEMORY;
}

@inline function isWanted(c: usize, type: u32): bool { return ((load<u64>(c + C_OPTIONS, layout.OPT_EVENT_TYPES) >> <u64>type) & 1) != 0; }

// Makes room for the reports of what the event stands for, END events of other lanes among it.
function reserveEvents(c: usize): bool {
  if (!(flags(c) & layout.FLAG_REPORT_EVENTS)) return true;
  let n: u32 = 0;
  for (let i: u32 = 0; i < expandedCount; i++) n += sizeAtMost(i) + <u32>layout.REPORT_BYTES + 8;
  return reserveOutput(n) || fail(code.E_OUT_OF_MEMORY, 0);
}

// Bytes that the text of expanded event `i` does not exceed.
function sizeAtMost(i: u32): u32 {
  select(i);
  if (eventOrigin == FROM_WIRE) return <u32>(eventTextEnd - eventText);
  let n: u32 = 64;
  // no name and the marks around it take more than 32 bytes
  for (let f: u32 = 1; f < <u32>F_COUNT; f++) if (eventSlotStart(f)) n += <u32>(eventSlotEnd(f) - eventSlotStart(f)) + 32;
  return n;
}

function reportEvents(c: usize): void {
  for (let i: u32 = 0; i < expandedCount; i++) {
    const n = sizeAtMost(i);
    if (!isWanted(c, eventType) || !beginEvent(eventType, n)) continue;
    expandedText(i, SCRATCH_OUTPUT);
    endEvent();
  }
}

// The event goes to the host's middleware; the call stops until it is handed back.
function hold(c: usize): u32 {
  if (!reserveOutput(<u32>(eventTextEnd - eventText))) return EVENT_NO_MEMORY;
  reportWarnings(c);
  store<f64>(c, indexAbout(), C_HELD_INDEX);
  store<f64>(c, hasAbout() & layout.HAS_BYTE_OFFSET ? offsetAbout() : -1, C_HELD_OFFSET);
  reportHeld(wireType, eventText, eventTextEnd);
  store<u32>(c, layout.FEED_HELD, C_STATE);
  return EVENT_REFUSED;
}

/** Reports the fault and, where the policy says so, rejects the stream. */
export function refuse(c: usize): u32 {
  const error = faultCode;
  reportFault(c);
  if (flags(c) & layout.FLAG_SKIP_EVENT) return EVENT_REFUSED;
  rejectRun(c);
  return !adapterOf(c) || isToldAtEnd(c, adaptRejection(c, error)) ? EVENT_REFUSED : EVENT_NO_MEMORY;
}

/** The same for what is said where no event was applied. */
export function isToldAtEnd(c: usize, told: u32): bool {
  if (told == TOLD_TOO_MUCH) {
    clearFault();
    fail(code.E_LIMIT, code.R_LIMIT_OUTPUT);
    reportFault(c);
  }
  return told != TOLD_NO_MEMORY;
}

// Queues the event of the paused stream; its message counts for `size` bytes.
function enqueue(c: usize, t: usize, p: usize, end: usize, size: u32): u32 {
  if (load<u8>(t, T_FLAGS) & LOST) {
    add(c, C_DROPPED, 1);
    add(load<u32>(c, C_RUN), A_DROPPED, 1);
    return EVENT_REFUSED;
  }
  if (<u64>load<u32>(t, T_QUEUED_BYTES) + size > <u64>option(c, layout.OPT_QUEUED_BYTES)) {
    fail(code.E_LIMIT, code.R_LIMIT_QUEUE);
    reportFault(c);
    if (flags(c) & layout.FLAG_SKIP_EVENT) return EVENT_REFUSED;
    if (!addEntry(t, 0, 0, 0, 0)) return EVENT_NO_MEMORY;
    store<u8>(t, load<u8>(t, T_FLAGS) | LOST, T_FLAGS);
    return EVENT_REFUSED;
  }
  const entry = addEntry(t, indexAbout(), offsetAbout(), <u32>(end - p), size);
  if (!entry) return EVENT_NO_MEMORY;
  store<u32>(entry, <u32>(canonicalize(p, entry + Q_TEXT) - entry - Q_TEXT), Q_LENGTH);
  return EVENT_REFUSED;
}

/** Goes on with the text [p, end) that the host's middleware gives in place of the event that it holds. EVENT_ status. */
export function handBack(c: usize, p: usize, end: usize): u32 {
  if (load<u8>(p) != 0x7b || readEvent(p, false) != end) {
    // the host has judged the value, so this is its mistake
    fail(code.E_MIDDLEWARE_FAILED, code.R_MIDDLEWARE);
    return refuse(c);
  }
  if (eventLongNumber) {
    fail(code.E_LIMIT, code.R_LIMIT_NUMBER);
    return refuse(c);
  }
  if (isDropped(c)) return EVENT_REFUSED;
  canonicalEvent();
  return decide(c, enforceHeld());
}
