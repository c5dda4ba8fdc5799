// The changes of an AG-UI model (docs/semantics-agui.md §10): their entries are messages, their names pointers into the state. What else they
// speak of is known by part and place; its text is made when the log is read.
import { setAccount } from "../../memory/heap";
import { skipTrusted } from "../../text/trusted";
import { putText, putUint } from "../../codec/json/put";
import {
  CHANGE_APPEND, CHANGE_ELEMENTS, CHANGE_FIELD, CHANGE_INSERT, CHANGE_META, CHANGE_REPLACE, changeEntry, changeKind, changeName, changeNameLength,
  changePart, changePlace, changeTo, endOfRecords, joinRange, pushChange, recordAt, setChangeFrom, setRange, unreadChange,
} from "../change-log";
import {
  closeChange, closeChanges, coversName, FIELD, FIELD_LENGTH, hasText, nextReplacement, openChange, openChanges, putChangeText, putFrom, putMember, putQuote, putTo,
  toldFrom,
} from "../change-text";
import { argumentsAt, callIdAt, contentChain } from "./chains";
import { CONTENT, METADATA, MOVED, NEW_CALL, NEW_MESSAGE, noteEffect, RENAMED, REPLACED } from "./effects";
import * as piece from "./fragments";
import { M_CHANGE, R_ID, R_ID_LENGTH } from "./messages";
import { A_COUNT, A_LOG } from "./state";

/** What a change speaks of. From PART_ARGUMENTS to PART_CALL_VALUE it lies inside of a call. */
export const PART_WHOLE: u8 = 0, PART_CONTENT: u8 = 1, PART_METADATA: u8 = 2, PART_ENCRYPTED: u8 = 3, PART_CALLS: u8 = 4;
export const PART_ARGUMENTS: u8 = 5, PART_CALL_METADATA: u8 = 6, PART_CALL_NAME: u8 = 7, PART_CALL_VALUE: u8 = 8;
export const PART_STATE: u8 = 9, PART_RUN: u8 = 10;

@inline function isOfCall(part: u8): bool { return part >= PART_ARGUMENTS && part <= PART_CALL_VALUE; }

function push(s: usize, kind: u8, m: usize, part: u8, place: u32): usize {
  const log = s + A_LOG, r = pushChange(log, kind, part, place, m, 0, 0);
  if (r && m) store<u32>(m, endOfRecords(log), M_CHANGE);
  return r;
}

/** A new message at index `at`. */
export function noteInsert(s: usize, m: usize, at: u32): void {
  const r = push(s, CHANGE_INSERT, m, PART_WHOLE, 0);
  if (r) setChangeFrom(r, at);
  noteEffect(at + 1 == load<u32>(s, A_COUNT) ? NEW_MESSAGE : MOVED);
}

/** A message was replaced whole (PART_WHOLE), or a part of it; `place`: of the call. */
export function noteReplace(s: usize, m: usize, part: u8, place: u32): void {
  push(s, part == PART_WHOLE ? CHANGE_REPLACE : CHANGE_FIELD, m, part, place);
  noteEffect(effectOf(part));
}

function effectOf(part: u8): u32 {
  switch (part) {
    case PART_WHOLE: return REPLACED;
    case PART_CONTENT: return CONTENT;
    case PART_METADATA: case PART_CALL_METADATA: return METADATA;
    case PART_CALLS: return NEW_CALL;
    case PART_CALL_NAME: return RENAMED;
    default: return 0;
  }
}

/** The state (PART_STATE) or the run (PART_RUN) has changed. */
export function noteMeta(s: usize, part: u8): void { push(s, CHANGE_META, 0, part, 0); }

/** What lies at a pointer (canonical contents) into the state has changed. */
export function notePointer(s: usize, p: usize, n: u32): void { pushChange(s + A_LOG, CHANGE_META, PART_STATE, 0, 0, p, n); }

/**
 * An append to a part of a message: `from` and `to` in code units (CHANGE_APPEND) or elements (CHANGE_ELEMENTS), `byte` where the text begins
 * in the chain, `joined` when its first code unit completed a character there.
 */
@inline export function noteAppend(s: usize, kind: u8, m: usize, part: u8, place: u32, from: u32, to: u32, byte: u32, joined: bool): void {
  const r = unreadChange(s + A_LOG, load<u32>(m, M_CHANGE));
  if (r && changeKind(r) == kind && changePart(r) == part && changePlace(r) == place) joinRange(s + A_LOG, r, to, byte, joined);
  else pushAppend(s, kind, m, part, place, from, to, byte, joined);
}

function pushAppend(s: usize, kind: u8, m: usize, part: u8, place: u32, from: u32, to: u32, byte: u32, joined: bool): void {
  const r = push(s, kind, m, part, place);
  if (r) setRange(r, from, to, byte, joined);
}

// ---------------------------------------------------------------- reading

/**
 * Appends the changes after `since` to the run `out` as a JSON array (kinds as numbers), or `null` where they are not known any more, and
 * marks the current version as read. `payer` is the account of the stream. Returns false when memory ran out.
 */
export function writeChangesAgui(s: usize, since: f64, out: usize, payer: usize): bool {
  const log = s + A_LOG, end = endOfRecords(log);
  account = payer;
  if (!openChanges(log, since, out)) return false;
  for (let i = toldFrom; i != end; i++) if (!isPointless(log, i) && !writeRecord(recordAt(log, i), out)) return false;
  return closeChanges(log, out, payer);
}

// Pays for nodes that reading a text may make; the output belongs to nobody.
let account: usize = 0;

function isPointless(log: usize, number: u32): bool {
  const r = recordAt(log, number), end = endOfRecords(log);
  for (let i = nextReplacement(log, r, number + 1); i != end; i = nextReplacement(log, r, i + 1)) {
    const later = recordAt(log, i);
    if (changeKind(later) == CHANGE_REPLACE || covers(later, r)) return true;
  }
  return false;
}

function covers(above: usize, below: usize): bool {
  const part = changePart(above), other = changePart(below);
  if (part == other) return changePlace(above) == changePlace(below) && coversName(above, below, 0x2f);
  return part == PART_CALLS && isOfCall(other);
}

// The text is their comment.
// ,"pointer":"
const POINTER: usize = memory.data<u8>([0x2c, 0x22, 0x70, 0x6f, 0x69, 0x6e, 0x74, 0x65, 0x72, 0x22, 0x3a, 0x22, 0, 0, 0, 0]), POINTER_LENGTH: u32 = 12;
// function.arguments
const FUNCTION_ARGUMENTS: usize = memory.data<u8>([0x66, 0x75, 0x6e, 0x63, 0x74, 0x69, 0x6f, 0x6e, 0x2e, 0x61, 0x72, 0x67, 0x75, 0x6d, 0x65, 0x6e, 0x74, 0x73, 0, 0, 0, 0, 0, 0]), FUNCTION_ARGUMENTS_LENGTH: u32 = 18;
// function.name
const FUNCTION_NAME: usize = memory.data<u8>([0x66, 0x75, 0x6e, 0x63, 0x74, 0x69, 0x6f, 0x6e, 0x2e, 0x6e, 0x61, 0x6d, 0x65, 0, 0, 0]), FUNCTION_NAME_LENGTH: u32 = 13;
const DOT: usize = memory.data<u8>([0x2e, 0, 0, 0, 0, 0, 0, 0]);

function writeRecord(r: usize, out: usize): bool {
  const kind = changeKind(r), m = changeEntry(r), part = changePart(r);
  if (!openChange(r, m + R_ID, m ? load<u32>(m, R_ID_LENGTH) : 0, out)) return false;
  if (part != PART_WHOLE && !(putText(out, FIELD, FIELD_LENGTH) && writeField(r, part, out) && putQuote(out))) return false;
  if (changeName(r) && !putMember(out, POINTER, POINTER_LENGTH, changeName(r), changeNameLength(r))) return false;
  if (kind == CHANGE_APPEND || kind == CHANGE_ELEMENTS || kind == CHANGE_INSERT) {
    if (!putFrom(r, out) || (kind != CHANGE_INSERT && !putTo(r, out))) return false;
    if (kind == CHANGE_APPEND && !writeText(r, m, out)) return false;
  }
  if (isOfCall(part) && !writeCallId(m, changePlace(r), out)) return false;
  if (kind == CHANGE_ELEMENTS && !writeCallId(m, changeTo(r) - 1, out)) return false;
  return closeChange(out);
}

function writeField(r: usize, part: u8, out: usize): bool {
  if (isOfCall(part)) {
    if (!putText(out, piece.TOOL_CALLS, 9) || !putText(out, DOT, 1) || !putUint(out, changePlace(r)) || !putText(out, DOT, 1)) return false;
  }
  switch (part) {
    case PART_CONTENT: return putText(out, piece.CONTENT, 7);
    case PART_CALLS: return putText(out, piece.TOOL_CALLS, 9);
    case PART_ARGUMENTS: return putText(out, FUNCTION_ARGUMENTS, FUNCTION_ARGUMENTS_LENGTH);
    case PART_CALL_NAME: return putText(out, FUNCTION_NAME, FUNCTION_NAME_LENGTH);
    case PART_METADATA: case PART_CALL_METADATA: return putText(out, piece.METADATA, 8);
    case PART_ENCRYPTED: case PART_CALL_VALUE: return putText(out, piece.ENCRYPTED_VALUE, 14);
    case PART_STATE: return putText(out, piece.STATE, 5);
    default: return putText(out, piece.RUN, 3);
  }
}

// The call at `place` is there: what a message loses its calls by makes the changes in them pointless.
function writeCallId(m: usize, place: u32, out: usize): bool {
  const previous = setAccount(account), id = callIdAt(m, place);
  setAccount(previous);
  return id != 0 && putText(out, piece.PUT_TOOL_CALL_ID, piece.PUT_TOOL_CALL_ID_LENGTH) && putText(out, id, <u32>(skipTrusted(id) - id));
}

function writeText(r: usize, m: usize, out: usize): bool {
  if (!hasText(r)) return putChangeText(r, 0, out);
  const previous = setAccount(account);
  const chain = changePart(r) == PART_CONTENT ? contentChain(m) : argumentsAt(m, changePlace(r));
  setAccount(previous);
  return chain != 0 && putChangeText(r, chain, out);
}
