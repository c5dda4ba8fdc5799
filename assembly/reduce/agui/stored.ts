// The model of a checkpoint (docs/semantics-agui.md §12): `{"messages":[…],"state":…,"run":{…},"track":{…}}`.
import { AG_RUN_FINISHED, F_OUTCOME, F_RESULT, F_THREAD_ID, F_USAGE } from "../../abi/agui";
import * as code from "../../abi/codes";
import { RUN_LEN, RUN_PTR, bytesReserve } from "../../memory/bytes";
import { equalBytes } from "../../memory/copy";
import { stringEnd } from "../../text/scan";
import { skipTrusted } from "../../text/trusted";
import { firstMember, keyLength, keyStart, readMember, valueEnd, valueStart } from "../../codec/json/members";
import { putText, putUint } from "../../codec/json/put";
import { forgetChanges } from "../change-log";
import { failWhole, faultCode } from "../fault";
import * as piece from "./fragments";
import { modelMessagesSize, readModel, replaceModel } from "./load";
import {
  readRun, RUN_TEXTS, runName, runNameLength, statusOfOutcome, TEXT_ERROR, TEXT_OUTCOME, TEXT_RESULT, TEXT_RUN, TEXT_THREAD, TEXT_USAGE, TEXT_VERSION,
  textStart,
} from "./run";
import { checkValue, findText, memberAt, placeOf, ruleOf } from "./schema";
import { hasNamedCalls, statusNamed, storedSize, writeStored } from "./snapshot";
import { A_FLAGS, A_LOG, A_TRACK, A_VERSION, RUN_NAMED, setStatus } from "./state";
import { trackPhase } from "./track";
import {
  PHASE_ERRORED, PHASE_FINISHED, PHASE_NONE, PHASE_REJECTED, PHASE_RUNNING, PHASE_TRUNCATED, T_MINTED, T_MINTED_MESSAGE, T_MINTED_SPAN,
} from "./track-layout";
import { readTrack } from "./track-read";
import { writeTrack } from "./track-text";

/** Appends the model to the run `out`; false = out of memory. */
export function storeAgui(s: usize, out: usize): bool {
  const size = storedSize(s);
  if (!bytesReserve(out, size)) return false;
  writeStored(s, <usize>load<u32>(out, RUN_PTR) + load<u32>(out, RUN_LEN));
  store<u32>(out, load<u32>(out, RUN_LEN) + size, RUN_LEN);
  return putText(out, piece.PUT_TRACK, piece.PUT_TRACK_LENGTH) && writeTrack(s, out) && putThinking(s, out) && putNamed(s, out) && putText(out, ENDS, 2);
}

const ENDS: usize = memory.data<u8>([0x7d, 0x7d, 0x2c, 0x5d, 0x6e, 0x75, 0x6c, 0x6c]); // }},]null

function putThinking(s: usize, out: usize): bool {
  const t = s + A_TRACK;
  return putText(out, piece.PUT_THINKING, piece.PUT_THINKING_LENGTH) && putUint(out, load<u32>(t, T_MINTED)) && putText(out, ENDS + 2, 1)
    && putUint(out, load<u32>(t, T_MINTED_SPAN)) && putText(out, ENDS + 2, 1) && putUint(out, load<u32>(t, T_MINTED_MESSAGE)) && putText(out, ENDS + 3, 1);
}

function putNamed(s: usize, out: usize): bool {
  if (!putText(out, piece.PUT_NAMED, piece.PUT_NAMED_LENGTH)) return false;
  return hasNamedCalls(s) ? putText(out, valueStart, <u32>(valueEnd - valueStart)) : putText(out, ENDS + 4, 4);
}

/**
 * Makes the fresh state `s` what the canonical text at `p` says; false: it says nothing that `storeAgui` could have written, more than a limit
 * allows, or memory ran out (`faultCode` tells), and `s` is to be given up. Versions and counters are the caller's; of the changes only the present
 * version is known then.
 */
export function restoreAgui(s: usize, p: usize): bool {
  if (load<u8>(p) != 0x7b || membersOf(p) != 4) return refuse();
  const messages = findText(p, piece.MESSAGES, 8);
  // the walk would have removed what it does not know
  if (!readModel(p, code.E_BAD_CHECKPOINT) || !findText(p, piece.STATE, 5) || modelMessagesSize() != <u32>(skipTrusted(messages) - messages)) return refuse();
  if (!replaceModel(s, false)) return refuse();
  const run = findText(p, piece.RUN, 3), track = findText(p, piece.TRACK, 5);
  if (!run || load<u8>(run) != 0x7b || !track || load<u8>(track) != 0x7b || membersOf(track) != TRACK_MEMBERS) return refuse();
  const status = statusOf(run);
  if (!isRun(run, status) || !readRun(s, run) || !readTrack(s, track) || !readThinking(s, track) || !isNamed(s, track)) return refuse();
  if (trackPhase(s) != phaseOf(status) || (isFinished(status) && statusOfOutcome(s) != status) || !hasInterrupts(s, run)) return refuse();
  setStatus(s, status);
  if (status != code.RUN_IDLE) store<u8>(s, load<u8>(s, A_FLAGS) | RUN_NAMED, A_FLAGS);
  forgetChanges(s + A_LOG, load<f64>(s, A_VERSION));
  return true;
}

/** Members of `track`. */
const TRACK_MEMBERS: u32 = 8;

function membersOf(p: usize): u32 {
  let n: u32 = 0, q = firstMember(p);
  while (q) {
    q = readMember(q);
    n++;
  }
  return n;
}

// Whether `interrupts` is the outcome's list.
function hasInterrupts(s: usize, run: usize): bool {
  const stored = findText(run, piece.INTERRUPTS, 10), outcome = textStart(s, TEXT_OUTCOME);
  const list = outcome ? findText(outcome, piece.INTERRUPTS, 10) : 0, p = list ? list : piece.EMPTY_LIST, n = list ? <u32>(skipTrusted(list) - list) : 2;
  return stored != 0 && <u32>(skipTrusted(stored) - stored) == n && memory.compare(stored, p, n) == 0;
}

function refuse(): bool { return faultCode == code.E_OUT_OF_MEMORY ? false : failWhole(code.E_BAD_CHECKPOINT); }

const NO_STATUS: u32 = 0xffffffff;

function statusOf(run: usize): u32 {
  const p = findText(run, piece.STATUS, 6);
  return p && load<u8>(p) == 0x22 ? statusNamed(p + 1, <u32>(stringEnd(p + 1) - p) - 1) : NO_STATUS;
}

@inline function isFinished(status: u32): bool { return status - code.RUN_FINISHED <= <u32>code.RUN_CANCELLED - code.RUN_FINISHED; }

function phaseOf(status: u32): u32 {
  if (isFinished(status)) return PHASE_FINISHED;
  switch (status) {
    case code.RUN_IDLE: return PHASE_NONE;
    case code.RUN_RUNNING: return PHASE_RUNNING;
    case code.RUN_FAILED: return PHASE_ERRORED;
    case code.RUN_REJECTED: return PHASE_REJECTED;
    default: return PHASE_TRUNCATED;
  }
}

// Members of a run as bits, those that are no texts behind the others.
const STATUS_BIT: u32 = 1 << RUN_TEXTS, INTERRUPTS_BIT: u32 = 2 << RUN_TEXTS;
const IDS: u32 = 1 << TEXT_THREAD | 1 << TEXT_RUN, VERSION: u32 = 1 << TEXT_VERSION;
const OUTCOME: u32 = 1 << TEXT_OUTCOME, RESULT: u32 = 1 << TEXT_RESULT, ERROR: u32 = 1 << TEXT_ERROR, USAGE: u32 = 1 << TEXT_USAGE;

// Whether the members of a run are what events may have made them.
function isRun(p: usize, status: u32): bool {
  if (status == NO_STATUS) return false;
  let q = firstMember(p), seen: u32 = 0;
  while (q) {
    q = readMember(q);
    const start = valueStart, end = valueEnd;
    let bit: u32 = isKey(piece.STATUS, 6) ? STATUS_BIT : isKey(piece.INTERRUPTS, 10) ? INTERRUPTS_BIT : 0;
    if (!bit) {
      let i: u32 = 0;
      while (i < RUN_TEXTS && !isKey(runName(i), runNameLength(i))) i++;
      if (i == RUN_TEXTS || !isText(i, start, end)) return false;
      bit = 1 << i;
    }
    if (seen & bit) return false;
    seen |= bit;
  }
  // RUN_STARTED brings both ids and the version, RUN_FINISHED comes after it; RUN_ERROR may come first
  if (seen & (VERSION | OUTCOME) && (seen & IDS) != IDS) return false;
  if ((seen & (OUTCOME | ERROR)) == (OUTCOME | ERROR) || (seen & (OUTCOME | RESULT)) == RESULT) return false;
  if ((seen & (OUTCOME | ERROR | USAGE)) == USAGE) return false;
  // a stream may be rejected at any time
  if (status == code.RUN_REJECTED) return true;
  if ((seen & OUTCOME) != 0 != isFinished(status) || (seen & ERROR) != 0 != (status == code.RUN_FAILED)) return false;
  if (status == code.RUN_IDLE) return !(seen & VERSION);
  return status == code.RUN_FAILED || (seen & IDS) == IDS;
}

@inline function isKey(name: usize, n: u32): bool { return keyLength == n && equalBytes(keyStart, name, n); }

function isText(i: u32, p: usize, end: usize): bool {
  if (i == TEXT_ERROR) return isError(p);
  const f = i == TEXT_OUTCOME ? F_OUTCOME : i == TEXT_USAGE ? F_USAGE : i == TEXT_RESULT ? F_RESULT : F_THREAD_ID;
  return checkValue(p, ruleOf(memberAt(AG_RUN_FINISHED, placeOf(AG_RUN_FINISHED, f) - 1))) == end;
}

// {"message":…,"code"?:…}
function isError(p: usize): bool {
  if (load<u8>(p) != 0x7b) return false;
  let q = firstMember(p), hasMessage = false, hasCode = false;
  while (q) {
    q = readMember(q);
    if (!hasMessage && isKey(piece.MESSAGE, 7)) hasMessage = true;
    else if (!hasCode && isKey(piece.CODE, 4)) hasCode = true;
    else return false;
    if (load<u8>(valueStart) != 0x22) return false;
  }
  return hasMessage;
}

let at: usize = 0;

// The number at `at`, NO_STATUS when there is none or it is too long; goes behind it and the byte that follows.
function takeNumber(behind: u32): u32 {
  const start = at;
  let number: u32 = 0;
  while (<u32>load<u8>(at) - 0x30 < 10) number = number * 10 + <u32>load<u8>(at++) - 0x30;
  const good = at > start && at - start < 10 && <u32>load<u8>(at) == behind;
  at++;
  return good ? number : NO_STATUS;
}

function readThinking(s: usize, track: usize): bool {
  at = findText(track, piece.THINKING, 8);
  if (!at || load<u8>(at++) != 0x5b) return false;
  const minted = takeNumber(0x2c);
  if (minted == NO_STATUS) return false;
  const span = takeNumber(0x2c);
  if (span == NO_STATUS || span > minted) return false;
  const message = takeNumber(0x5d);
  if (message == NO_STATUS || message > minted || (message && message == span)) return false;
  const t = s + A_TRACK;
  store<u32>(t, minted, T_MINTED);
  store<u32>(t, span, T_MINTED_SPAN);
  store<u32>(t, message, T_MINTED_MESSAGE);
  return true;
}

// Whether `named` is what the outcome names; the run has been read.
function isNamed(s: usize, track: usize): bool {
  const p = findText(track, piece.NAMED, 5);
  if (!p || !hasNamedCalls(s)) return p != 0 && load<u8>(p) == 0x6e;
  const n = <u32>(valueEnd - valueStart);
  return <u32>(skipTrusted(p) - p) == n && memory.compare(p, valueStart, n) == 0;
}
