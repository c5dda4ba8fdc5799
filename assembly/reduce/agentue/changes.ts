// The log of changes of one stream (docs/semantics.md §6): a ring of at most 256 records, coalesced as they are noted.
import { alloc, free, setAccount } from "../../memory/heap";
import { bytesReserve, RUN_LEN, RUN_PTR } from "../../memory/bytes";
import { copyForward, equalBytes } from "../../memory/copy";
import { chainBytes, chainOf, chainSlice } from "../../document/index";
import { expandSlot, memberSlot, rootSlot } from "../../document/index";
import { codeUnits } from "../../text/units";
import { writeUnits } from "../../codec/json/units";
import { putText, putUint } from "../../codec/json/put";
import { B_CHANGE, B_DOCUMENT, B_FIELD_CHANGE, B_ID, B_ID_LENGTH, S_LOG, S_LOG_FIRST, S_LOST_VERSION, S_READ_VERSION, S_START_VERSION, S_VERSION } from "./state";

export const CHANGE_START: u8 = 1, CHANGE_INSERT: u8 = 2, CHANGE_REPLACE: u8 = 3, CHANGE_FIELD: u8 = 4;
export const CHANGE_APPEND: u8 = 5, CHANGE_ELEMENTS: u8 = 6, CHANGE_META: u8 = 7;

// Record, 48 B: 0 kind u8 | 1 begins inside of a joined character u8 | 4 block | 8 field ptr | 12 field length
// 16 from | 20 to | 24 first byte in the chain | 32 last version f64 | 40 version of the last read before it f64
const C_JOINED: usize = 1, C_BLOCK: usize = 4, C_FIELD: usize = 8, C_FIELD_LENGTH: usize = 12, C_FROM: usize = 16, C_TO: usize = 20;
const C_BYTE: usize = 24, C_VERSION: usize = 32, C_READ: usize = 40;
const RECORD: u32 = 48;
const MOST: u32 = 256;
/** A change of a field with a longer name (UTF-16 code units) is not kept. */
const LONGEST_FIELD: u32 = 1024;
const LEAST: u32 = 4;

// S_LOG as a ring: 0 ptr | 4 number behind the last record | 8 capacity in records
@inline function recordAt(s: usize, number: u32): usize {
  return <usize>load<u32>(s, S_LOG) + ((number & (load<u32>(s, S_LOG + 8) - 1)) * RECORD);
}
@inline function endNumber(s: usize): u32 { return load<u32>(s, S_LOG + 4); }
@inline function firstNumber(s: usize): u32 { return load<u32>(s, S_LOG_FIRST); }

function freeField(r: usize): void {
  const n = load<u32>(r, C_FIELD_LENGTH);
  if (n) free(load<u32>(r, C_FIELD), n + 16);
}

/** Forgets all records and gives the memory back. */
export function freeChanges(s: usize): void {
  for (let i = firstNumber(s); i != endNumber(s); i++) freeField(recordAt(s, i));
  const capacity = load<u32>(s, S_LOG + 8);
  if (capacity) free(load<u32>(s, S_LOG), capacity * RECORD);
  memory.fill(s + S_LOG, 0, 12);
  store<u32>(s, 0, S_LOG_FIRST);
}

// Room for one more record; where memory is short everything older is given up, which costs readers a resync and no data.
function makeRoom(s: usize): bool {
  const count = endNumber(s) - firstNumber(s), capacity = load<u32>(s, S_LOG + 8);
  if (count < capacity) return true;
  if (capacity == MOST) {
    const oldest = recordAt(s, firstNumber(s));
    store<f64>(s, max<f64>(load<f64>(s, S_LOST_VERSION), load<f64>(oldest, C_VERSION)), S_LOST_VERSION);
    freeField(oldest);
    store<u32>(s, firstNumber(s) + 1, S_LOG_FIRST);
    return true;
  }
  const wider = capacity ? capacity << 1 : LEAST;
  const ring = alloc(wider * RECORD);
  if (!ring) return false;
  for (let i = firstNumber(s); i != endNumber(s); i++) memory.copy(ring + (i & (wider - 1)) * RECORD, recordAt(s, i), RECORD);
  if (capacity) free(load<u32>(s, S_LOG), capacity * RECORD);
  store<u32>(s, <u32>ring, S_LOG);
  store<u32>(s, wider, S_LOG + 8);
  return true;
}

// Nothing before the version that the state has reached is known any more. Numbers go on: blocks remember them.
function forget(s: usize): void {
  for (let i = firstNumber(s); i != endNumber(s); i++) freeField(recordAt(s, i));
  store<u32>(s, endNumber(s), S_LOG_FIRST);
  store<f64>(s, load<f64>(s, S_VERSION), S_LOST_VERSION);
}

// A new record for the version that the state has reached; 0 when it was not kept.
function push(s: usize, kind: u8, block: usize, field: usize, n: u32): usize {
  let copy: usize = 0;
  if (n > LONGEST_FIELD && codeUnits(field, field + n) > LONGEST_FIELD) { forget(s); return 0; }
  if (n) copy = alloc(n + 16);
  if ((n && !copy) || !makeRoom(s)) {
    if (copy) free(copy, n + 16);
    forget(s);
    return 0;
  }
  const number = endNumber(s), r = recordAt(s, number);
  if (n) copyForward(copy, field, n);
  // kind and the mark of a joined character in one: a bulk fill of 48 bytes costs more than all of these stores
  store<u32>(r, kind);
  store<u32>(r, <u32>block, C_BLOCK);
  store<u64>(r, 0, C_FROM);
  store<u32>(r, 0, C_BYTE);
  store<u32>(r, <u32>copy, C_FIELD);
  store<u32>(r, n, C_FIELD_LENGTH);
  store<f64>(r, load<f64>(s, S_VERSION), C_VERSION);
  store<f64>(r, load<f64>(s, S_READ_VERSION), C_READ);
  store<u32>(s, number + 1, S_LOG + 4);
  if (block) store<u32>(block, number + 1, B_CHANGE);
  return r;
}

/** A new model: nothing older matters. */
export function noteStart(s: usize): void {
  freeChanges(s);
  store<f64>(s, 0, S_LOST_VERSION);
  store<f64>(s, load<f64>(s, S_VERSION), S_START_VERSION);
  push(s, CHANGE_START, 0, 0, 0);
}

/** A change without a range: CHANGE_INSERT, CHANGE_REPLACE, CHANGE_FIELD or CHANGE_META. */
export function noteChange(s: usize, kind: u8, block: usize, field: usize, n: u32): void {
  push(s, kind, block, field, n);
}

/**
 * An append to `field` of `block`: `from` and `to` in code units or elements, `byte` where the text begins in the chain,
 * `joined` when its first code unit completed a character there.
 */
@inline export function noteAppend(s: usize, kind: u8, block: usize, field: usize, n: u32, from: u32, to: u32, byte: u32, joined: bool): void {
  const number = load<u32>(block, B_CHANGE) - 1;
  if (number - firstNumber(s) < endNumber(s) - firstNumber(s)) {
    const r = recordAt(s, number);
    if (load<u8>(r) == kind && load<f64>(r, C_READ) == load<f64>(s, S_READ_VERSION) && load<u32>(r, C_FIELD_LENGTH) == n
      && equalBytes(load<u32>(r, C_FIELD), field, n)) {
      // a record of empty appends stands behind a high half; the low half that completes it makes the text before it shorter
      if (joined && load<u32>(r, C_TO) == load<u32>(r, C_FROM)) {
        store<u32>(r, byte, C_BYTE);
        store<u8>(r, 1, C_JOINED);
      }
      store<u32>(r, to, C_TO);
      store<f64>(r, load<f64>(s, S_VERSION), C_VERSION);
      return;
    }
  }
  pushAppend(s, kind, block, field, n, from, to, byte, joined);
}

/** Extends the record of the last append to the block's hot field up to `to` code units; false: it is not the last change, or was read. */
@inline export function extendAppend(s: usize, block: usize, to: u32): bool {
  const change = load<u32>(block, B_FIELD_CHANGE);
  if (!change || change != load<u32>(block, B_CHANGE) || change - 1 - firstNumber(s) >= endNumber(s) - firstNumber(s)) return false;
  const r = recordAt(s, change - 1);
  if (load<f64>(r, C_READ) != load<f64>(s, S_READ_VERSION)) return false;
  store<u32>(r, to, C_TO);
  store<f64>(r, load<f64>(s, S_VERSION), C_VERSION);
  return true;
}

function pushAppend(s: usize, kind: u8, block: usize, field: usize, n: u32, from: u32, to: u32, byte: u32, joined: bool): void {
  const r = push(s, kind, block, field, n);
  if (!r) return;
  store<u32>(r, from, C_FROM);
  store<u32>(r, to, C_TO);
  store<u32>(r, byte, C_BYTE);
  store<u8>(r, joined ? 1 : 0, C_JOINED);
}

// ---------------------------------------------------------------- reading

function isKnown(s: usize, since: f64): bool {
  if (since < load<f64>(s, S_LOST_VERSION) || since > load<f64>(s, S_VERSION)) return false;
  if (since < load<f64>(s, S_START_VERSION) || since == load<f64>(s, S_READ_VERSION) || since == load<f64>(s, S_VERSION)) return true;
  for (let i = firstNumber(s); i != endNumber(s); i++) if (load<f64>(recordAt(s, i), C_READ) == since) return true;
  return false;
}

// Whether the field of `below` is that of `above` or lies beneath it.
function covers(above: usize, below: usize): bool {
  const n = load<u32>(above, C_FIELD_LENGTH), m = load<u32>(below, C_FIELD_LENGTH);
  if (m < n || !equalBytes(load<u32>(above, C_FIELD), load<u32>(below, C_FIELD), n)) return false;
  return m == n || load<u8>(load<u32>(below, C_FIELD) + n) == 0x2e;
}

function isPointless(s: usize, number: u32): bool {
  const r = recordAt(s, number), kind = load<u8>(r);
  if (kind == CHANGE_START || kind == CHANGE_INSERT) return false;
  for (let i = number + 1; i != endNumber(s); i++) {
    const later = recordAt(s, i), laterKind = load<u8>(later);
    if (kind == CHANGE_META) { if (laterKind == CHANGE_META && covers(later, r)) return true; }
    else if (load<u32>(later, C_BLOCK) == load<u32>(r, C_BLOCK)) {
      if (laterKind == CHANGE_REPLACE || (laterKind == CHANGE_FIELD && kind != CHANGE_REPLACE && covers(later, r))) return true;
    }
  }
  return false;
}

/**
 * Appends the changes after `since` to the run `out` as a JSON array without stream ids, or `null` where they are not known any more, and
 * marks the current version as read. `payer` is the account of the stream. Returns false when memory ran out.
 */
export function writeChanges(s: usize, since: f64, out: usize, payer: usize): bool {
  account = payer;
  const known = isKnown(s, since), everything = since < load<f64>(s, S_START_VERSION);
  if (known && since < load<f64>(s, S_VERSION)) {
    if (!writeRecords(s, since, everything, out)) return false;
  } else if (!putText(out, known ? EMPTY : NULL, known ? 2 : 4)) return false;
  store<f64>(s, load<f64>(s, S_VERSION), S_READ_VERSION);
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

const COMMA: usize = memory.data<u8>([0x2c, 0, 0, 0, 0, 0, 0, 0]);
// {"kind":
const KIND: usize = memory.data<u8>([0x7b, 0x22, 0x6b, 0x69, 0x6e, 0x64, 0x22, 0x3a, 0, 0, 0, 0, 0, 0, 0, 0]);
// ,"id":"   ,"field":"   ,"from":   ,"to":   ,"text":"   "
const ID: usize = memory.data<u8>([0x2c, 0x22, 0x69, 0x64, 0x22, 0x3a, 0x22, 0]);
const FIELD: usize = memory.data<u8>([0x2c, 0x22, 0x66, 0x69, 0x65, 0x6c, 0x64, 0x22, 0x3a, 0x22, 0, 0, 0, 0, 0, 0]);
const FROM: usize = memory.data<u8>([0x2c, 0x22, 0x66, 0x72, 0x6f, 0x6d, 0x22, 0x3a]);
const TO: usize = memory.data<u8>([0x2c, 0x22, 0x74, 0x6f, 0x22, 0x3a, 0, 0]);
const TEXT: usize = memory.data<u8>([0x2c, 0x22, 0x74, 0x65, 0x78, 0x74, 0x22, 0x3a, 0x22, 0, 0, 0, 0, 0, 0, 0]);
const QUOTE: usize = memory.data<u8>([0x22, 0, 0, 0, 0, 0, 0, 0]);
const BRACE: usize = memory.data<u8>([0x7d, 0, 0, 0, 0, 0, 0, 0]);

function writeRecord(r: usize, out: usize): bool {
  const kind = <u32>load<u8>(r), block = <usize>load<u32>(r, C_BLOCK), field = load<u32>(r, C_FIELD_LENGTH);
  if (!putText(out, KIND, 8) || !putUint(out, kind)) return false;
  if (block && !(putText(out, ID, 7) && putText(out, block + B_ID, load<u32>(block, B_ID_LENGTH)) && putText(out, QUOTE, 1))) return false;
  if (field && !(putText(out, FIELD, 10) && putText(out, load<u32>(r, C_FIELD), field) && putText(out, QUOTE, 1))) return false;
  if (kind == CHANGE_APPEND || kind == CHANGE_ELEMENTS) {
    if (!putText(out, FROM, 8) || !putUint(out, load<u32>(r, C_FROM)) || !putText(out, TO, 6) || !putUint(out, load<u32>(r, C_TO))) return false;
    if (kind == CHANGE_APPEND && !writeText(r, block, out)) return false;
  }
  return putText(out, BRACE, 1);
}

function writeText(r: usize, block: usize, out: usize): bool {
  // nothing was appended: where it stood may since have become the middle of a character, or lie behind the end
  if (load<u32>(r, C_TO) == load<u32>(r, C_FROM)) return putText(out, TEXT, 9) && putText(out, QUOTE, 1);
  const d = <usize>load<u32>(block, B_DOCUMENT);
  const previous = setAccount(account);
  const root = expandSlot(d, rootSlot(d));
  const slot = root ? memberSlot(root, load<u32>(r, C_FIELD), load<u32>(r, C_FIELD_LENGTH)) : 0;
  const chain = slot ? chainOf(d, slot) : 0;
  setAccount(previous);
  if (!chain) return false;
  const byte = load<u32>(r, C_BYTE), most = chainBytes(chain) - byte;
  // a cut character grows from 4 bytes to an escape of 6
  if (!putText(out, TEXT, 9) || !bytesReserve(out, most + 32)) return false;
  const dst = <usize>load<u32>(out, RUN_PTR) + load<u32>(out, RUN_LEN);
  const end = chainSlice(chain, byte, dst);
  const written = writeUnits(dst, end, load<u8>(r, C_JOINED), load<u32>(r, C_TO) - load<u32>(r, C_FROM));
  store<u32>(out, load<u32>(out, RUN_LEN) + <u32>(written - dst), RUN_LEN);
  return putText(out, QUOTE, 1);
}
