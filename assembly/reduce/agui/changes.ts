// The log of changes (docs/semantics-agui.md §10): a ring of at most 256 records, coalesced as they are noted. Fields are named by what they
// are; their text is made when the log is read.
import { alloc, free, setAccount } from "../../memory/heap";
import { bytesFree, bytesReserve, RUN_LEN, RUN_PTR } from "../../memory/bytes";
import { copyExact, equalBytes } from "../../memory/copy";
import { skipTrusted } from "../../text/trusted";
import { codeUnits } from "../../text/units";
import { chainBytes, chainSlice } from "../../document/index";
import { putText, putUint } from "../../codec/json/put";
import { writeUnits } from "../../codec/json/units";
import { argumentsAt, callIdAt, contentChain } from "./chains";
import { M_CHANGE, R_ID, R_ID_LENGTH } from "./messages";
import { A_LOG, A_LOG_FIRST, A_LOST_VERSION, A_READ_VERSION, A_READS, A_START_VERSION, A_VERSION } from "./state";

export const CHANGE_START: u8 = 1, CHANGE_INSERT: u8 = 2, CHANGE_REPLACE: u8 = 3, CHANGE_FIELD: u8 = 4;
export const CHANGE_APPEND: u8 = 5, CHANGE_ELEMENTS: u8 = 6, CHANGE_META: u8 = 7;

/** What a change speaks of. From PART_ARGUMENTS to PART_CALL_VALUE it lies inside of a call. */
export const PART_WHOLE: u8 = 0, PART_CONTENT: u8 = 1, PART_METADATA: u8 = 2, PART_ENCRYPTED: u8 = 3, PART_CALLS: u8 = 4;
export const PART_ARGUMENTS: u8 = 5, PART_CALL_METADATA: u8 = 6, PART_CALL_NAME: u8 = 7, PART_CALL_VALUE: u8 = 8;
export const PART_STATE: u8 = 9, PART_RUN: u8 = 10;

@inline function isOfCall(part: u8): bool { return part >= PART_ARGUMENTS && part <= PART_CALL_VALUE; }

// Record, 40 B: 0 kind u8 | 1 begins inside of a joined character u8 | 2 part u8 | 4 message | 8 from, or pointer ptr | 12 to, or pointer length
// 16 first byte in the chain | 20 place of the call | 24 last version f64 | 32 version of the last read before it f64
const C_JOINED: usize = 1, C_PART: usize = 2, C_MESSAGE: usize = 4, C_FROM: usize = 8, C_TO: usize = 12;
const C_BYTE: usize = 16, C_PLACE: usize = 20, C_VERSION: usize = 24, C_READ: usize = 32;
// Of CHANGE_META; ptr 0 = no pointer.
const C_POINTER: usize = 8, C_POINTER_LENGTH: usize = 12;
const RECORD: u32 = 40;
const MOST: u32 = 256;
/** A change whose pointer is longer (UTF-16 code units) is not kept. */
const LONGEST_POINTER: u32 = 1024;
const LEAST: u32 = 4;
/** Reads without a change behind them that are remembered. */
const MOST_READS: u32 = 256;

// A_LOG as a ring: 0 ptr | 4 number behind the last record | 8 capacity in records
@inline function recordAt(s: usize, number: u32): usize {
  return <usize>load<u32>(s, A_LOG) + ((number & (load<u32>(s, A_LOG + 8) - 1)) * RECORD);
}
@inline function endNumber(s: usize): u32 { return load<u32>(s, A_LOG + 4); }
@inline function firstNumber(s: usize): u32 { return load<u32>(s, A_LOG_FIRST); }

@inline function pointerOf(r: usize): usize { return load<u8>(r) == CHANGE_META ? <usize>load<u32>(r, C_POINTER) : 0; }

// An empty pointer has an address too: `alloc` gives a block for no bytes.
function freePointer(r: usize): void {
  const pointer = pointerOf(r);
  if (pointer) free(pointer, load<u32>(r, C_POINTER_LENGTH));
}

/** Forgets all records and gives the memory back. Numbers go on: messages remember them. */
export function freeChanges(s: usize): void {
  for (let i = firstNumber(s); i != endNumber(s); i++) freePointer(recordAt(s, i));
  const capacity = load<u32>(s, A_LOG + 8);
  if (capacity) free(load<u32>(s, A_LOG), capacity * RECORD);
  store<u32>(s, 0, A_LOG);
  store<u32>(s, 0, A_LOG + 8);
  store<u32>(s, endNumber(s), A_LOG_FIRST);
  bytesFree(s + A_READS);
}

// Room for one more record; where memory is short everything older is given up, which costs readers a resync and no data.
function makeRoom(s: usize): bool {
  const count = endNumber(s) - firstNumber(s), capacity = load<u32>(s, A_LOG + 8);
  if (count < capacity) return true;
  if (capacity == MOST) {
    const oldest = recordAt(s, firstNumber(s));
    store<f64>(s, max<f64>(load<f64>(s, A_LOST_VERSION), load<f64>(oldest, C_VERSION)), A_LOST_VERSION);
    freePointer(oldest);
    store<u32>(s, firstNumber(s) + 1, A_LOG_FIRST);
    return true;
  }
  const wider = capacity ? capacity << 1 : LEAST, ring = alloc(wider * RECORD);
  if (!ring) return false;
  for (let i = firstNumber(s); i != endNumber(s); i++) memory.copy(ring + (i & (wider - 1)) * RECORD, recordAt(s, i), RECORD);
  if (capacity) free(load<u32>(s, A_LOG), capacity * RECORD);
  store<u32>(s, <u32>ring, A_LOG);
  store<u32>(s, wider, A_LOG + 8);
  return true;
}

// Nothing before the version that the state has reached is known any more.
function forget(s: usize): void {
  for (let i = firstNumber(s); i != endNumber(s); i++) freePointer(recordAt(s, i));
  store<u32>(s, endNumber(s), A_LOG_FIRST);
  store<f64>(s, load<f64>(s, A_VERSION), A_LOST_VERSION);
}

// A new record for the version that the state has reached; 0 when it was not kept.
function push(s: usize, kind: u8, m: usize, part: u8, place: u32): usize {
  if (!makeRoom(s)) { forget(s); return 0; }
  const number = endNumber(s), r = recordAt(s, number);
  store<u64>(r, <u64>kind | <u64>part << 16 | <u64>m << 32);
  store<u64>(r, 0, C_FROM);
  store<u32>(r, 0, C_BYTE);
  store<u32>(r, place, C_PLACE);
  store<f64>(r, load<f64>(s, A_VERSION), C_VERSION);
  store<f64>(r, load<f64>(s, A_READ_VERSION), C_READ);
  store<u32>(s, number + 1, A_LOG + 4);
  if (m) store<u32>(m, number + 1, M_CHANGE);
  return r;
}

/** All messages are new: nothing older matters. */
export function noteStart(s: usize): void {
  freeChanges(s);
  store<f64>(s, 0, A_LOST_VERSION);
  store<f64>(s, load<f64>(s, A_VERSION), A_START_VERSION);
  push(s, CHANGE_START, 0, PART_WHOLE, 0);
}

/** Forgets the log: only the present version is known. */
export function forgetChanges(s: usize): void {
  freeChanges(s);
  store<f64>(s, load<f64>(s, A_VERSION), A_LOST_VERSION);
  store<f64>(s, load<f64>(s, A_VERSION), A_READ_VERSION);
  store<f64>(s, 0, A_START_VERSION);
}

/** A new message at index `at`. */
export function noteInsert(s: usize, m: usize, at: u32): void {
  const r = push(s, CHANGE_INSERT, m, PART_WHOLE, 0);
  if (r) store<u32>(r, at, C_FROM);
}

/** A message was replaced whole (PART_WHOLE), or a part of it; `place`: of the call. */
export function noteReplace(s: usize, m: usize, part: u8, place: u32): void {
  push(s, part == PART_WHOLE ? CHANGE_REPLACE : CHANGE_FIELD, m, part, place);
}

/** The state (PART_STATE) or the run (PART_RUN) has changed. */
export function noteMeta(s: usize, part: u8): void { push(s, CHANGE_META, 0, part, 0); }

/** What lies at a pointer (canonical contents) into the state has changed. */
export function notePointer(s: usize, p: usize, n: u32): void {
  if (n > LONGEST_POINTER && codeUnits(p, p + n) > LONGEST_POINTER) { forget(s); return; }
  const r = push(s, CHANGE_META, 0, PART_STATE, 0);
  if (!r) return;
  const copy = alloc(n);
  // the record is there without a pointer: forgetting frees none
  if (!copy) { forget(s); return; }
  copyExact(copy, p, n);
  store<u32>(r, <u32>copy, C_POINTER);
  store<u32>(r, n, C_POINTER_LENGTH);
}

/**
 * An append to a part of a message: `from` and `to` in code units (CHANGE_APPEND) or elements (CHANGE_ELEMENTS), `byte` where the text begins
 * in the chain, `joined` when its first code unit completed a character there.
 */
@inline export function noteAppend(s: usize, kind: u8, m: usize, part: u8, place: u32, from: u32, to: u32, byte: u32, joined: bool): void {
  const number = load<u32>(m, M_CHANGE) - 1;
  if (number - firstNumber(s) < endNumber(s) - firstNumber(s)) {
    const r = recordAt(s, number);
    if (load<u8>(r) == kind && load<u8>(r, C_PART) == part && load<u32>(r, C_PLACE) == place && load<f64>(r, C_READ) == load<f64>(s, A_READ_VERSION)) {
      // a record of empty appends stands behind a high half; the low half that completes it makes the text before it shorter
      if (joined && load<u32>(r, C_TO) == load<u32>(r, C_FROM)) {
        store<u32>(r, byte, C_BYTE);
        store<u8>(r, 1, C_JOINED);
      }
      store<u32>(r, to, C_TO);
      store<f64>(r, load<f64>(s, A_VERSION), C_VERSION);
      return;
    }
  }
  pushAppend(s, kind, m, part, place, from, to, byte, joined);
}

function pushAppend(s: usize, kind: u8, m: usize, part: u8, place: u32, from: u32, to: u32, byte: u32, joined: bool): void {
  const r = push(s, kind, m, part, place);
  if (!r) return;
  store<u32>(r, from, C_FROM);
  store<u32>(r, to, C_TO);
  store<u32>(r, byte, C_BYTE);
  store<u8>(r, joined ? 1 : 0, C_JOINED);
}

// ---------------------------------------------------------------- reading

function isKnown(s: usize, since: f64): bool {
  if (since < load<f64>(s, A_LOST_VERSION) || since > load<f64>(s, A_VERSION)) return false;
  if (since < load<f64>(s, A_START_VERSION) || since == load<f64>(s, A_READ_VERSION) || since == load<f64>(s, A_VERSION)) return true;
  for (let i = firstNumber(s); i != endNumber(s); i++) if (load<f64>(recordAt(s, i), C_READ) == since) return true;
  const reads = <usize>load<u32>(s + A_READS, RUN_PTR);
  for (let at: u32 = 0; at < load<u32>(s + A_READS, RUN_LEN); at += 8) if (load<f64>(reads + at) == since) return true;
  return false;
}

// Events may change nothing that is told: then no record knows the last read, which the next one would make forgotten.
function noteRead(s: usize): void {
  const last = load<f64>(s, A_READ_VERSION), version = load<f64>(s, A_VERSION), end = endNumber(s);
  store<f64>(s, version, A_READ_VERSION);
  if (last == version || (end != firstNumber(s) && load<f64>(recordAt(s, end - 1), C_READ) == last)) return;
  const run = s + A_READS, length = load<u32>(run, RUN_LEN);
  if (length == MOST_READS * 8) {
    memory.copy(load<u32>(run, RUN_PTR), <usize>load<u32>(run, RUN_PTR) + length / 2, length / 2);
    store<u32>(run, length / 2, RUN_LEN);
  }
  const previous = setAccount(account), done = bytesReserve(run, 8);
  setAccount(previous);
  // without memory for it the read is forgotten, which costs a resync
  if (!done) return;
  store<f64>(<usize>load<u32>(run, RUN_PTR) + load<u32>(run, RUN_LEN), last);
  store<u32>(run, load<u32>(run, RUN_LEN) + 8, RUN_LEN);
}

// Whether the state's pointer of `above` is that of `below`, or names something around it. No pointer, or an empty one: the whole state.
function coversPointer(above: usize, below: usize): bool {
  const n = load<u32>(above, C_POINTER_LENGTH);
  if (!n) return true;
  const m = load<u32>(below, C_POINTER_LENGTH);
  if (!pointerOf(below) || m < n || !equalBytes(load<u32>(above, C_POINTER), load<u32>(below, C_POINTER), n)) return false;
  return m == n || load<u8>(load<u32>(below, C_POINTER) + n) == 0x2f;
}

function coversPart(above: usize, below: usize): bool {
  const part = load<u8>(above, C_PART), other = load<u8>(below, C_PART);
  if (part == other) return load<u32>(above, C_PLACE) == load<u32>(below, C_PLACE);
  return part == PART_CALLS && isOfCall(other);
}

function isPointless(s: usize, number: u32): bool {
  const r = recordAt(s, number), kind = load<u8>(r);
  if (kind == CHANGE_START || kind == CHANGE_INSERT) return false;
  for (let i = number + 1; i != endNumber(s); i++) {
    const later = recordAt(s, i), laterKind = load<u8>(later);
    if (kind == CHANGE_META) {
      if (laterKind == CHANGE_META && load<u8>(later, C_PART) == load<u8>(r, C_PART) && coversPointer(later, r)) return true;
    } else if (load<u32>(later, C_MESSAGE) == load<u32>(r, C_MESSAGE)) {
      if (laterKind == CHANGE_REPLACE || (laterKind == CHANGE_FIELD && kind != CHANGE_REPLACE && coversPart(later, r))) return true;
    }
  }
  return false;
}

/**
 * Appends the changes after `since` to the run `out` as a JSON array (kinds as numbers), or `null` where they are not known any more, and
 * marks the current version as read. `payer` is the account of the stream. Returns false when memory ran out.
 */
export function writeChangesAgui(s: usize, since: f64, out: usize, payer: usize): bool {
  account = payer;
  const known = isKnown(s, since), everything = since < load<f64>(s, A_START_VERSION);
  if (known && since < load<f64>(s, A_VERSION)) {
    if (!writeRecords(s, since, everything, out)) return false;
  } else if (!putText(out, known ? EMPTY : NULL, known ? 2 : 4)) return false;
  noteRead(s);
  return true;
}

// Pays for nodes that reading a text may make; the output belongs to nobody.
let account: usize = 0;

const EMPTY: usize = memory.data<u8>([0x5b, 0x5d, 0, 0, 0, 0, 0, 0]);
const NULL: usize = memory.data<u8>([0x6e, 0x75, 0x6c, 0x6c, 0, 0, 0, 0]);

function writeRecords(s: usize, since: f64, everything: bool, out: usize): bool {
  if (!putText(out, EMPTY, 1)) return false;
  let first = true;
  for (let i = firstNumber(s); i != endNumber(s); i++) {
    const r = recordAt(s, i);
    if ((!everything && load<f64>(r, C_READ) < since) || isPointless(s, i)) continue;
    if (!first && !putText(out, COMMA, 1)) return false;
    first = false;
    if (!writeRecord(r, out)) return false;
  }
  return putText(out, EMPTY + 1, 1);
}

// The text is their comment.
// {"kind":
const KIND: usize = memory.data<u8>([0x7b, 0x22, 0x6b, 0x69, 0x6e, 0x64, 0x22, 0x3a]), KIND_LENGTH: u32 = 8;
// ,"id":"
const ID: usize = memory.data<u8>([0x2c, 0x22, 0x69, 0x64, 0x22, 0x3a, 0x22, 0]), ID_LENGTH: u32 = 7;
// ,"field":"
const FIELD: usize = memory.data<u8>([0x2c, 0x22, 0x66, 0x69, 0x65, 0x6c, 0x64, 0x22, 0x3a, 0x22, 0, 0, 0, 0, 0, 0]), FIELD_LENGTH: u32 = 10;
// ,"pointer":"
const POINTER: usize = memory.data<u8>([0x2c, 0x22, 0x70, 0x6f, 0x69, 0x6e, 0x74, 0x65, 0x72, 0x22, 0x3a, 0x22, 0, 0, 0, 0]), POINTER_LENGTH: u32 = 12;
// ,"from":
const FROM: usize = memory.data<u8>([0x2c, 0x22, 0x66, 0x72, 0x6f, 0x6d, 0x22, 0x3a]), FROM_LENGTH: u32 = 8;
// ,"to":
const TO: usize = memory.data<u8>([0x2c, 0x22, 0x74, 0x6f, 0x22, 0x3a, 0, 0]), TO_LENGTH: u32 = 6;
// ,"text":"
const TEXT: usize = memory.data<u8>([0x2c, 0x22, 0x74, 0x65, 0x78, 0x74, 0x22, 0x3a, 0x22, 0, 0, 0, 0, 0, 0, 0]), TEXT_LENGTH: u32 = 9;
// ,"toolCallId":
const CALL_ID: usize = memory.data<u8>([0x2c, 0x22, 0x74, 0x6f, 0x6f, 0x6c, 0x43, 0x61, 0x6c, 0x6c, 0x49, 0x64, 0x22, 0x3a, 0, 0]), CALL_ID_LENGTH: u32 = 14;
// content
const CONTENT: usize = memory.data<u8>([0x63, 0x6f, 0x6e, 0x74, 0x65, 0x6e, 0x74, 0]), CONTENT_LENGTH: u32 = 7;
// metadata
const METADATA: usize = memory.data<u8>([0x6d, 0x65, 0x74, 0x61, 0x64, 0x61, 0x74, 0x61]), METADATA_LENGTH: u32 = 8;
// encryptedValue
const ENCRYPTED_VALUE: usize = memory.data<u8>([0x65, 0x6e, 0x63, 0x72, 0x79, 0x70, 0x74, 0x65, 0x64, 0x56, 0x61, 0x6c, 0x75, 0x65, 0, 0]), ENCRYPTED_VALUE_LENGTH: u32 = 14;
// toolCalls
const CALLS: usize = memory.data<u8>([0x74, 0x6f, 0x6f, 0x6c, 0x43, 0x61, 0x6c, 0x6c, 0x73, 0, 0, 0, 0, 0, 0, 0]), CALLS_LENGTH: u32 = 9;
// function.arguments
const FUNCTION_ARGUMENTS: usize = memory.data<u8>([0x66, 0x75, 0x6e, 0x63, 0x74, 0x69, 0x6f, 0x6e, 0x2e, 0x61, 0x72, 0x67, 0x75, 0x6d, 0x65, 0x6e, 0x74, 0x73, 0, 0, 0, 0, 0, 0]), FUNCTION_ARGUMENTS_LENGTH: u32 = 18;
// function.name
const FUNCTION_NAME: usize = memory.data<u8>([0x66, 0x75, 0x6e, 0x63, 0x74, 0x69, 0x6f, 0x6e, 0x2e, 0x6e, 0x61, 0x6d, 0x65, 0, 0, 0]), FUNCTION_NAME_LENGTH: u32 = 13;
// state
const STATE: usize = memory.data<u8>([0x73, 0x74, 0x61, 0x74, 0x65, 0, 0, 0]), STATE_LENGTH: u32 = 5;
// run
const RUN: usize = memory.data<u8>([0x72, 0x75, 0x6e, 0, 0, 0, 0, 0]), RUN_LENGTH: u32 = 3;
const COMMA: usize = memory.data<u8>([0x2c, 0, 0, 0, 0, 0, 0, 0]);
const QUOTE: usize = memory.data<u8>([0x22, 0, 0, 0, 0, 0, 0, 0]);
const BRACE: usize = memory.data<u8>([0x7d, 0, 0, 0, 0, 0, 0, 0]);
const DOT: usize = memory.data<u8>([0x2e, 0, 0, 0, 0, 0, 0, 0]);

function writeRecord(r: usize, out: usize): bool {
  const kind = <u32>load<u8>(r), m = <usize>load<u32>(r, C_MESSAGE), part = load<u8>(r, C_PART);
  if (!putText(out, KIND, KIND_LENGTH) || !putUint(out, kind)) return false;
  if (m && !(putText(out, ID, ID_LENGTH) && putText(out, m + R_ID, load<u32>(m, R_ID_LENGTH)) && putText(out, QUOTE, 1))) return false;
  if (part != PART_WHOLE && !(putText(out, FIELD, FIELD_LENGTH) && writeField(r, part, out) && putText(out, QUOTE, 1))) return false;
  if (pointerOf(r) && !(putText(out, POINTER, POINTER_LENGTH) && putText(out, load<u32>(r, C_POINTER), load<u32>(r, C_POINTER_LENGTH))
    && putText(out, QUOTE, 1))) return false;
  if (kind == CHANGE_APPEND || kind == CHANGE_ELEMENTS || kind == CHANGE_INSERT) {
    if (!putText(out, FROM, FROM_LENGTH) || !putUint(out, load<u32>(r, C_FROM))) return false;
    if (kind != CHANGE_INSERT && (!putText(out, TO, TO_LENGTH) || !putUint(out, load<u32>(r, C_TO)))) return false;
    if (kind == CHANGE_APPEND && !writeText(r, m, out)) return false;
  }
  if (isOfCall(part) && !writeCallId(m, load<u32>(r, C_PLACE), out)) return false;
  if (kind == CHANGE_ELEMENTS && !writeCallId(m, load<u32>(r, C_TO) - 1, out)) return false;
  return putText(out, BRACE, 1);
}

function writeField(r: usize, part: u8, out: usize): bool {
  if (isOfCall(part)) {
    if (!putText(out, CALLS, CALLS_LENGTH) || !putText(out, DOT, 1) || !putUint(out, load<u32>(r, C_PLACE)) || !putText(out, DOT, 1)) return false;
  }
  switch (part) {
    case PART_CONTENT: return putText(out, CONTENT, CONTENT_LENGTH);
    case PART_CALLS: return putText(out, CALLS, CALLS_LENGTH);
    case PART_ARGUMENTS: return putText(out, FUNCTION_ARGUMENTS, FUNCTION_ARGUMENTS_LENGTH);
    case PART_CALL_NAME: return putText(out, FUNCTION_NAME, FUNCTION_NAME_LENGTH);
    case PART_METADATA: case PART_CALL_METADATA: return putText(out, METADATA, METADATA_LENGTH);
    case PART_ENCRYPTED: case PART_CALL_VALUE: return putText(out, ENCRYPTED_VALUE, ENCRYPTED_VALUE_LENGTH);
    case PART_STATE: return putText(out, STATE, STATE_LENGTH);
    default: return putText(out, RUN, RUN_LENGTH);
  }
}

// The call at `place` is there: what a message loses its calls by makes the changes in them pointless.
function writeCallId(m: usize, place: u32, out: usize): bool {
  const previous = setAccount(account), id = callIdAt(m, place);
  setAccount(previous);
  return id != 0 && putText(out, CALL_ID, CALL_ID_LENGTH) && putText(out, id, <u32>(skipTrusted(id) - id));
}

function writeText(r: usize, m: usize, out: usize): bool {
  // nothing was appended: where it stood may since have become the middle of a character, or lie behind the end
  if (load<u32>(r, C_TO) == load<u32>(r, C_FROM)) return putText(out, TEXT, TEXT_LENGTH) && putText(out, QUOTE, 1);
  const previous = setAccount(account);
  const chain = load<u8>(r, C_PART) == PART_CONTENT ? contentChain(m) : argumentsAt(m, load<u32>(r, C_PLACE));
  setAccount(previous);
  if (!chain) return false;
  const byte = load<u32>(r, C_BYTE), most = chainBytes(chain) - byte;
  // a cut character grows from 4 bytes to an escape of 6
  if (!putText(out, TEXT, TEXT_LENGTH) || !bytesReserve(out, most + 32)) return false;
  const dst = <usize>load<u32>(out, RUN_PTR) + load<u32>(out, RUN_LEN);
  const end = chainSlice(chain, byte, dst);
  const written = writeUnits(dst, end, load<u8>(r, C_JOINED), load<u32>(r, C_TO) - load<u32>(r, C_FROM));
  store<u32>(out, load<u32>(out, RUN_LEN) + <u32>(written - dst), RUN_LEN);
  return putText(out, QUOTE, 1);
}
