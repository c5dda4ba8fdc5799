// What the snapshot shows of the run, and the events that change it: RUN_STARTED, RUN_FINISHED, RUN_ERROR.
import * as ag from "../../abi/agui";
import * as code from "../../abi/codes";
import { alloc, free } from "../../memory/heap";
import { copyForward } from "../../memory/copy";
import { findMember, valueEnd, valueStart } from "../../codec/json/members";
import { addMissing, makeMissing, noteMissing } from "./apply-messages";
import { noteMeta, PART_RUN } from "./changes";
import { compose, composed, composedLength, putByte, putSlot, slotLength } from "./compose";
import { eventSlotEnd, eventSlotStart } from "./expansion";
import * as piece from "./fragments";
import { failMemory } from "./limits";
import { A_FLAGS, A_TEXTS, A_WARNING_COUNT, A_WARNINGS, advance, RUN_NAMED, setStatus, WARNINGS_KEPT } from "./state";
import { warnSubject } from "./warn";

/** Texts of the run, in the order of the snapshot: canonical JSON values. */
export const TEXT_THREAD: u32 = 0, TEXT_RUN: u32 = 1, TEXT_PARENT: u32 = 2, TEXT_VERSION: u32 = 3;
export const TEXT_OUTCOME: u32 = 4, TEXT_RESULT: u32 = 5, TEXT_ERROR: u32 = 6, TEXT_USAGE: u32 = 7;
export const RUN_TEXTS: u32 = 8;
/** Behind them the ids that the baseline gave. */
const BASE_IDS: u32 = 8, ID_COUNT: u32 = 3, ALL_TEXTS: u32 = 11;

/** Address of a text, 0 = it has no value. */
@inline export function textStart(s: usize, i: u32): usize { return <usize>load<u32>(s + A_TEXTS + (<usize>i << 3)); }
@inline export function textLength(s: usize, i: u32): u32 { return load<u32>(s + A_TEXTS + (<usize>i << 3), 4); }

function setText(s: usize, i: u32, text: usize, n: u32): void {
  const old = textStart(s, i);
  if (old) free(old, textLength(s, i) + 16);
  store<u32>(s + A_TEXTS + (<usize>i << 3), <u32>text);
  store<u32>(s + A_TEXTS + (<usize>i << 3), n, 4);
}

/** Gives all texts back. */
export function freeRun(s: usize): void { for (let i: u32 = 0; i < ALL_TEXTS; i++) setText(s, i, 0, 0); }

/** Contents of the id of the run that was started last, for ids that are minted in it; length 0 before one. */
@inline export function runIdStart(s: usize): usize { return textStart(s, TEXT_RUN) + 1; }
export function runIdLength(s: usize): u32 {
  // a run may have failed before it had an id
  return load<u8>(s, A_FLAGS) & RUN_NAMED && textStart(s, TEXT_RUN) ? textLength(s, TEXT_RUN) - 2 : 0;
}

// Copies of texts on their way into the run, {ptr, length} each; ptr 0 = no value.
const COPIES: usize = memory.data(11 * 8, 8);
let lacksMemory: bool = false;

function beginCopies(): void {
  memory.fill(COPIES, 0, ALL_TEXTS * 8);
  lacksMemory = false;
}

function copy(i: u32, p: usize, n: u32): void {
  if (!p || lacksMemory) return;
  const text = alloc(n + 16);
  if (!text) { lacksMemory = true; return; }
  copyForward(text, p, n);
  store<u32>(COPIES + (<usize>i << 3), <u32>text);
  store<u32>(COPIES + (<usize>i << 3), n, 4);
}

@inline function copySlot(i: u32, f: u32): void { copy(i, eventSlotStart(f), slotLength(f)); }

function dropCopies(): void {
  for (let i: u32 = 0; i < ALL_TEXTS; i++) {
    const text = load<u32>(COPIES + (<usize>i << 3));
    if (text) free(text, load<u32>(COPIES + (<usize>i << 3), 4) + 16);
    store<u32>(COPIES + (<usize>i << 3), 0);
  }
}

function failCopies(): bool {
  dropCopies();
  return failMemory();
}

// Puts the copies of the run's texts from `first` on in the place of those there were.
function installCopies(s: usize, first: u32): void { install(s, first, RUN_TEXTS); }

function install(s: usize, first: u32, end: u32): void {
  for (let i = first; i < end; i++) setText(s, i, load<u32>(COPIES + (<usize>i << 3)), load<u32>(COPIES + (<usize>i << 3), 4));
}

/** RUN_STARTED: a new run, and the messages of its `input` that are not held. False: a fault, nothing has changed. */
export function applyRunStarted(s: usize): bool {
  const input = eventSlotStart(ag.F_INPUT);
  beginCopies();
  copySlot(TEXT_THREAD, ag.F_THREAD_ID);
  copySlot(TEXT_RUN, ag.F_RUN_ID);
  copySlot(TEXT_PARENT, ag.F_PARENT_RUN_ID);
  copySlot(TEXT_VERSION, ag.F_PROTOCOL_VERSION);
  if (lacksMemory) return failCopies();
  if (!makeMissing(s, input && findMember(input, piece.MESSAGES, 8) ? valueStart : 0)) {
    dropCopies();
    return false;
  }
  addMissing(s);
  installCopies(s, TEXT_THREAD);
  setStatus(s, code.RUN_RUNNING);
  store<u8>(s, load<u8>(s, A_FLAGS) | RUN_NAMED, A_FLAGS);
  forgetWarnings(s);
  if (eventSlotStart(ag.F_PROTOCOL_VERSION)) judgeVersion();
  advance(s);
  noteMeta(s, PART_RUN);
  noteMissing(s);
  return true;
}

// Warnings are merged within one run.
function forgetWarnings(s: usize): void {
  const set = <usize>load<u32>(s, A_WARNINGS);
  if (set && load<u32>(s, A_WARNING_COUNT)) memory.fill(set, 0, WARNINGS_KEPT * 16);
  store<u32>(s, 0, A_WARNING_COUNT);
}

const NEWEST_MAJOR: u32 = 1, NEWEST_MINOR: u32 = 1;

// MAJOR.MINOR, compared number by number; what is outside of that grammar is taken for newer (AG-UI versioning rule J8).
function judgeVersion(): void {
  const p = eventSlotStart(ag.F_PROTOCOL_VERSION) + 1, end = eventSlotEnd(ag.F_PROTOCOL_VERSION) - 1;
  const majorEnd = digitsEnd(p, end), minor = majorEnd + 1;
  if (majorEnd == p || majorEnd >= end || load<u8>(majorEnd) != 0x2e || minor == end || digitsEnd(minor, end) != end) {
    warnSubject(code.W_VERSION_UNREADABLE, ag.F_PROTOCOL_VERSION, ag.F_PROTOCOL_VERSION);
    return;
  }
  const major = compareDigits(p, majorEnd, NEWEST_MAJOR);
  if (major > 0 || (major == 0 && compareDigits(minor, end, NEWEST_MINOR) > 0)) {
    warnSubject(code.W_VERSION_NEWER, ag.F_PROTOCOL_VERSION, ag.F_PROTOCOL_VERSION);
  }
}

function digitsEnd(p: usize, end: usize): usize {
  while (p < end && <u32>load<u8>(p) - 0x30 < 10) p++;
  return p;
}

// Digits against a number below ten.
function compareDigits(p: usize, end: usize, than: u32): i32 {
  while (p < end - 1 && load<u8>(p) == 0x30) p++;
  return end - p > 1 ? 1 : <i32>(<u32>load<u8>(p) - 0x30) - <i32>than;
}

/** RUN_FINISHED. */
export function applyRunFinished(s: usize): bool {
  const outcome = eventSlotStart(ag.F_OUTCOME);
  beginCopies();
  if (outcome) copySlot(TEXT_OUTCOME, ag.F_OUTCOME);
  else copy(TEXT_OUTCOME, piece.SUCCESS, piece.SUCCESS_LENGTH);
  copySlot(TEXT_RESULT, ag.F_RESULT);
  copySlot(TEXT_USAGE, ag.F_USAGE);
  if (lacksMemory) return failCopies();
  installCopies(s, TEXT_OUTCOME);
  setStatus(s, statusOfOutcome(s));
  advance(s);
  noteMeta(s, PART_RUN);
  return true;
}

/** The status that the run's outcome stands for. */
export function statusOfOutcome(s: usize): u32 {
  if (!findMember(textStart(s, TEXT_OUTCOME), piece.TYPE, 4)) return code.RUN_FINISHED;
  const initial = load<u8>(valueStart, 1);
  return initial == 0x69 ? code.RUN_INTERRUPTED : initial == 0x63 ? code.RUN_CANCELLED : code.RUN_FINISHED;
}

/** RUN_ERROR: the agent has failed; `outcome` and `result` go. */
export function applyRunError(s: usize): bool {
  if (!compose(slotLength(ag.F_MESSAGE) + slotLength(ag.F_CODE))) return failMemory();
  putSlot(piece.OPEN_MESSAGE, piece.OPEN_MESSAGE_LENGTH, ag.F_MESSAGE);
  putSlot(piece.PUT_CODE, piece.PUT_CODE_LENGTH, ag.F_CODE);
  putByte(0x7d);
  beginCopies();
  copy(TEXT_ERROR, composed(), composedLength());
  if (eventSlotStart(ag.F_USAGE)) copySlot(TEXT_USAGE, ag.F_USAGE);
  else copy(TEXT_USAGE, textStart(s, TEXT_USAGE), textLength(s, TEXT_USAGE));
  if (lacksMemory) return failCopies();
  installCopies(s, TEXT_OUTCOME);
  setStatus(s, code.RUN_FAILED);
  advance(s);
  noteMeta(s, PART_RUN);
  return true;
}

/** STEP_*, SUBAGENT_* and reasoning spans: what is open in the run has changed. */
export function applyRunDetail(s: usize): bool {
  advance(s);
  noteMeta(s, PART_RUN);
  return true;
}

/** Remembers the ids of a partial RunAgentInput, the canonical object at `p`, as the baseline's; false = out of memory, nothing changed. */
export function setBaseIds(s: usize, p: usize): bool {
  beginCopies();
  for (let i: u32 = 0; i < ID_COUNT; i++) {
    if (findMember(p, runName(i), runNameLength(i))) copy(BASE_IDS + i, valueStart, <u32>(valueEnd - valueStart));
  }
  if (lacksMemory) return failCopies();
  install(s, BASE_IDS, ALL_TEXTS);
  return true;
}

/** Gives the fresh state `s` the baseline's ids of another; false = out of memory, nothing changed. */
export function shareBaseIds(s: usize, other: usize): bool { return shareTexts(s, other, BASE_IDS); }

/** Gives the state `s` the texts of another from `first` on, those of the baseline included; false = out of memory, nothing changed. */
export function shareTexts(s: usize, other: usize, first: u32): bool {
  beginCopies();
  for (let i = first; i < ALL_TEXTS; i++) copy(i, textStart(other, i), textLength(other, i));
  if (lacksMemory) return failCopies();
  install(s, first, ALL_TEXTS);
  return true;
}

/** Makes copies of the baseline's ids for `beginIdle`; false = out of memory. */
export function copyBaseIds(s: usize): bool {
  beginCopies();
  for (let i: u32 = 0; i < ID_COUNT; i++) copy(i, textStart(s, BASE_IDS + i), textLength(s, BASE_IDS + i));
  return !lacksMemory || failCopies();
}

/** Gives the copies of `copyBaseIds` back. */
export function dropBaseIds(): void { dropCopies(); }

/** No run yet, or no longer: the run shows the ids that `copyBaseIds` has copied, and nothing else. */
export function beginIdle(s: usize): void {
  installCopies(s, TEXT_THREAD);
  setStatus(s, code.RUN_IDLE);
  store<u8>(s, load<u8>(s, A_FLAGS) & ~RUN_NAMED, A_FLAGS);
  forgetWarnings(s);
}

/** Takes over the texts of a stored run, the canonical object at `p`, whose members have been judged; false = out of memory. */
export function readRun(s: usize, p: usize): bool {
  beginCopies();
  for (let i: u32 = 0; i < RUN_TEXTS; i++) {
    if (findMember(p, runName(i), runNameLength(i))) copy(i, valueStart, <u32>(valueEnd - valueStart));
  }
  if (lacksMemory) return failCopies();
  installCopies(s, TEXT_THREAD);
  return true;
}

/** Name of the member that shows a text. */
export function runName(i: u32): usize {
  switch (i) {
    case TEXT_THREAD: return piece.THREAD_ID;
    case TEXT_RUN: return piece.RUN_ID;
    case TEXT_PARENT: return piece.PARENT_RUN_ID;
    case TEXT_VERSION: return piece.PROTOCOL_VERSION;
    case TEXT_OUTCOME: return piece.OUTCOME;
    case TEXT_RESULT: return piece.RESULT;
    case TEXT_ERROR: return piece.ERROR;
    default: return piece.USAGE;
  }
}

const NAME_LENGTHS: usize = memory.data<u8>([8, 5, 11, 15, 7, 6, 5, 5]);
export function runNameLength(i: u32): u32 { return <u32>load<u8>(NAME_LENGTHS + i); }
