// The snapshot as compact JSON (docs/semantics-agui.md §8): `{"messages":[…],"state":…,"run":{…}}`.
import * as code from "../../abi/codes";
import { copyExact } from "../../memory/copy";
import { documentWrite } from "../../document/index";
import { findMember, valueEnd, valueStart } from "../../codec/json/members";
import * as piece from "./fragments";
import { documentOf, messageAt } from "./messages";
import { runName, runNameLength, TEXT_ERROR, TEXT_OUTCOME, TEXT_RESULT, TEXT_USAGE, textLength, textStart } from "./run";
import { A_COUNT, A_SIZE, A_STATE, showsNothingPending, statusOfAgui } from "./state";
import { openSize, pendingSize, writeOpen, writePending } from "./track-text";

/** Bytes of `,"run":`. */
const RUN_KEY: u32 = 7;

/** Bytes of the snapshot. */
export function snapshotSize(s: usize): u32 { return load<u32>(s, A_SIZE) + RUN_KEY + <u32>runText(s, 0, false, true); }

/** Writes the snapshot, exactly `snapshotSize` bytes (15 behind them may be written over); returns the end. */
export function writeSnapshotAgui(s: usize, dst: usize): usize {
  dst = writeModel(s, dst);
  copyExact(dst, piece.PUT_RUN, RUN_KEY);
  dst = runText(s, dst + RUN_KEY, true, true);
  store<u8>(dst, 0x7d);
  return dst + 1;
}

/** Bytes of what a checkpoint keeps of the snapshot, without the last brace. */
export function storedSize(s: usize): u32 { return load<u32>(s, A_SIZE) - 1 + RUN_KEY + <u32>runText(s, 0, false, false); }

/** Writes it: `{"messages":[…],"state":…,"run":{…}` without `open` and `pendingToolCallIds`; returns the end. */
export function writeStored(s: usize, dst: usize): usize {
  dst = writeModel(s, dst);
  copyExact(dst, piece.PUT_RUN, RUN_KEY);
  return runText(s, dst + RUN_KEY, true, false);
}

// {"messages":[…],"state":…
function writeModel(s: usize, dst: usize): usize {
  const count = load<u32>(s, A_COUNT);
  copyExact(dst, piece.OPEN_MESSAGES, piece.OPEN_MESSAGES_LENGTH);
  dst += piece.OPEN_MESSAGES_LENGTH;
  for (let i: u32 = 0; i < count; i++) {
    if (i) store<u8>(dst++, 0x2c);
    dst = documentWrite(documentOf(messageAt(s, i)), dst);
  }
  copyExact(dst, piece.PUT_STATE, piece.PUT_STATE_LENGTH);
  return documentWrite(load<u32>(s, A_STATE), dst + piece.PUT_STATE_LENGTH);
}

// ---------------------------------------------------------------- run

let at: usize = 0;
let writes: bool = false;
let isFirst: bool = true;

function emit(p: usize, n: u32): void {
  if (writes) copyExact(at, p, n);
  at += n;
}

function emitByte(c: u32): void {
  if (writes) store<u8>(at, <u8>c);
  at++;
}

function emitKey(p: usize, n: u32): void {
  if (!isFirst) emitByte(0x2c);
  isFirst = false;
  emitByte(0x22);
  emit(p, n);
  emitByte(0x22);
  emitByte(0x3a);
}

function emitText(s: usize, i: u32): void {
  const text = textStart(s, i);
  if (!text) return;
  emitKey(runName(i), runNameLength(i));
  emit(text, textLength(s, i));
}

// Writes the run to `dst`, or only counts (`writing` false, `dst` 0); `whole`: with what the track shows. Returns the end.
function runText(s: usize, dst: usize, writing: bool, whole: bool): usize {
  at = dst;
  writes = writing;
  isFirst = true;
  emitByte(0x7b);
  for (let i: u32 = 0; i < TEXT_OUTCOME; i++) emitText(s, i);
  emitKey(piece.STATUS, 6);
  emitByte(0x22);
  emitStatus(statusOfAgui(s));
  emitByte(0x22);
  emitText(s, TEXT_OUTCOME);
  emitText(s, TEXT_RESULT);
  emitText(s, TEXT_ERROR);
  emitKey(piece.INTERRUPTS, 10);
  if (hasOutcomeList(s, piece.INTERRUPTS, 10)) emit(valueStart, <u32>(valueEnd - valueStart));
  else emit(piece.EMPTY_LIST, 2);
  if (whole) emitPending(s);
  emitText(s, TEXT_USAGE);
  if (whole) {
    emitKey(piece.OPEN, 4);
    at = writing ? writeOpen(s, at) : at + openSize(s);
  }
  emitByte(0x7d);
  return at;
}

function emitStatus(status: u32): void { emit(piece.STATUS_WORDS + <usize>load<u8>(piece.STATUS_PLACES + status), load<u8>(piece.STATUS_LENGTHS + status)); }

// Whether the outcome has a list of that name; it is left in valueStart, valueEnd.
function hasOutcomeList(s: usize, key: usize, n: u32): bool {
  const outcome = textStart(s, TEXT_OUTCOME);
  return outcome != 0 && findMember(outcome, key, n);
}

// An outcome that names calls itself is trusted; the list of an interrupt's or a cancelled one's would have been removed as unknown.
function emitPending(s: usize): void {
  emitKey(piece.PENDING, 18);
  if (showsNothingPending(s)) emit(piece.EMPTY_LIST, 2);
  else if (hasNamedCalls(s)) emit(valueStart, <u32>(valueEnd - valueStart));
  else at = writes ? writePending(s, at) : at + pendingSize(s);
}

/** Whether a success outcome names pending calls of its own; the list is left in `valueStart`, `valueEnd`. */
export function hasNamedCalls(s: usize): bool { return hasOutcomeList(s, piece.PENDING, 18) && valueEnd - valueStart > 2; }

/** `RUN_` id of a status as the snapshot writes it, [p, p + n); 0xffffffff = none of them. */
export function statusNamed(p: usize, n: u32): u32 {
  for (let status: u32 = code.RUN_IDLE; status <= <u32>code.RUN_TRUNCATED; status++) {
    const word = piece.STATUS_WORDS + <usize>load<u8>(piece.STATUS_PLACES + status);
    if (<u32>load<u8>(piece.STATUS_LENGTHS + status) == n && memory.compare(word, p, n) == 0) return status;
  }
  return 0xffffffff;
}
