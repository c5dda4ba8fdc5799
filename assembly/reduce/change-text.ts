// What the log of changes says after a version, as JSON: what is known, which records are told, and the members that both protocols write.
import { setAccount } from "../memory/heap";
import { bytesReserve, RUN_LEN, RUN_PTR } from "../memory/bytes";
import { equalBytes } from "../memory/copy";
import { chainBytes, chainSlice } from "../document/index";
import { putText, putUint } from "../codec/json/put";
import { writeUnits } from "../codec/json/units";
import {
  CHANGE_FIELD, CHANGE_INSERT, CHANGE_META, CHANGE_REPLACE, CHANGE_START, changeByte, changeEntry, changeFrom, changeJoins, changeKind, changeName,
  changeNameLength, changeReadBefore, changeStamp, changeTo, endOfRecords, firstRecord, L_LOST, L_READ, L_READS, L_START, L_VERSION, recordAt,
} from "./change-log";

/** Reads without a change behind them that are remembered. */
const MOST_READS: u32 = 256;

const EMPTY: usize = memory.data<u8>([0x5b, 0x5d, 0, 0, 0, 0, 0, 0]);
const NULL: usize = memory.data<u8>([0x6e, 0x75, 0x6c, 0x6c, 0, 0, 0, 0]);
const COMMA: usize = memory.data<u8>([0x2c, 0, 0, 0, 0, 0, 0, 0]);
const QUOTE: usize = memory.data<u8>([0x22, 0, 0, 0, 0, 0, 0, 0]);
const BRACE: usize = memory.data<u8>([0x7d, 0, 0, 0, 0, 0, 0, 0]);
// The text is their comment.
// {"kind":
const KIND: usize = memory.data<u8>([0x7b, 0x22, 0x6b, 0x69, 0x6e, 0x64, 0x22, 0x3a]), KIND_LENGTH: u32 = 8;
// ,"id":"
const ID: usize = memory.data<u8>([0x2c, 0x22, 0x69, 0x64, 0x22, 0x3a, 0x22, 0]), ID_LENGTH: u32 = 7;
/** `,"field":"` */
export const FIELD: usize = memory.data<u8>([0x2c, 0x22, 0x66, 0x69, 0x65, 0x6c, 0x64, 0x22, 0x3a, 0x22, 0, 0, 0, 0, 0, 0]), FIELD_LENGTH: u32 = 10;
// ,"from":
const FROM: usize = memory.data<u8>([0x2c, 0x22, 0x66, 0x72, 0x6f, 0x6d, 0x22, 0x3a]), FROM_LENGTH: u32 = 8;
// ,"to":
const TO: usize = memory.data<u8>([0x2c, 0x22, 0x74, 0x6f, 0x22, 0x3a, 0, 0]), TO_LENGTH: u32 = 6;
// ,"text":"
const TEXT: usize = memory.data<u8>([0x2c, 0x22, 0x74, 0x65, 0x78, 0x74, 0x22, 0x3a, 0x22, 0, 0, 0, 0, 0, 0, 0]), TEXT_LENGTH: u32 = 9;

function isKnown(log: usize, since: f64): bool {
  const version = load<f64>(log, L_VERSION);
  if (since < load<f64>(log, L_LOST) || since > version) return false;
  if (since < load<f64>(log, L_START) || since == load<f64>(log, L_READ) || since == version) return true;
  for (let i = firstRecord(log); i != endOfRecords(log); i++) if (changeReadBefore(recordAt(log, i)) == since) return true;
  const reads = <usize>load<u32>(log + L_READS, RUN_PTR), length = load<u32>(log + L_READS, RUN_LEN);
  for (let at: u32 = 0; at < length; at += 8) if (load<f64>(reads + at) == since) return true;
  return false;
}

/**
 * Begins the answer in the run `out`: `[` when the changes after `since` are known, else `null`. False: memory ran out. The number of the first
 * record to tell is left in `toldFrom`; the end of records when nothing is to be told.
 */
export function openChanges(log: usize, since: f64, out: usize): bool {
  const end = endOfRecords(log);
  toldFrom = end;
  if (!isKnown(log, since)) return putText(out, NULL, 4);
  if (since < load<f64>(log, L_VERSION)) {
    toldFrom = firstRecord(log);
    if (since >= load<f64>(log, L_START)) while (toldFrom != end && changeReadBefore(recordAt(log, toldFrom)) < since) toldFrom++;
  }
  return putText(out, EMPTY, 1);
}

export let toldFrom: u32 = 0;

/** Ends the answer, and marks the current version as read; `payer` is the account of the stream. */
export function closeChanges(log: usize, out: usize, payer: usize): bool {
  const end = <usize>load<u32>(out, RUN_PTR) + load<u32>(out, RUN_LEN) - 1;
  if (load<u8>(end) != 0x6c && !putText(out, EMPTY + 1, 1)) return false;
  noteRead(log, payer);
  return true;
}

// Events may change nothing that is told: then no record knows the last read, which the next one would make forgotten.
function noteRead(log: usize, payer: usize): void {
  const last = load<f64>(log, L_READ), version = load<f64>(log, L_VERSION), end = endOfRecords(log);
  store<f64>(log, version, L_READ);
  changeStamp(log);
  if (last == version || (end != firstRecord(log) && changeReadBefore(recordAt(log, end - 1)) == last)) return;
  const run = log + L_READS, length = load<u32>(run, RUN_LEN);
  if (length == MOST_READS * 8) {
    memory.copy(load<u32>(run, RUN_PTR), <usize>load<u32>(run, RUN_PTR) + length / 2, length / 2);
    store<u32>(run, length / 2, RUN_LEN);
  }
  const previous = setAccount(payer), done = bytesReserve(run, 8);
  setAccount(previous);
  // without memory for it the read is forgotten, which costs a resync
  if (!done) return;
  store<f64>(<usize>load<u32>(run, RUN_PTR) + load<u32>(run, RUN_LEN), last);
  store<u32>(run, load<u32>(run, RUN_LEN) + 8, RUN_LEN);
}

/** Whether the name of `below` is that of `above` or goes on behind it with `separator`. No name at all stands for the whole. */
export function coversName(above: usize, below: usize, separator: u8): bool {
  const n = changeNameLength(above), m = changeNameLength(below);
  if (!n) return true;
  if (m < n || !equalBytes(changeName(above), changeName(below), n)) return false;
  return m == n || load<u8>(changeName(below) + n) == separator;
}

/** The number of the first record from `i` on that replaces the entry of `r` or a part of it, and so may make `r` pointless; else the end. */
export function nextReplacement(log: usize, r: usize, i: u32): u32 {
  const kind = changeKind(r), end = endOfRecords(log);
  if (kind == CHANGE_START || kind == CHANGE_INSERT) return end;
  for (; i != end; i++) {
    const later = recordAt(log, i), laterKind = changeKind(later);
    if (changeEntry(later) != changeEntry(r)) continue;
    if (laterKind == CHANGE_REPLACE || (kind == CHANGE_META ? laterKind == CHANGE_META : laterKind == CHANGE_FIELD && kind != CHANGE_REPLACE)) return i;
  }
  return end;
}

/** Begins a change: its kind as number and, unless `n` is 0, the id of its entry. */
export function openChange(r: usize, id: usize, n: u32, out: usize): bool {
  const last = load<u8>(<usize>load<u32>(out, RUN_PTR) + load<u32>(out, RUN_LEN) - 1);
  if (last == 0x7d && !putText(out, COMMA, 1)) return false;
  return putText(out, KIND, KIND_LENGTH) && putUint(out, <u32>changeKind(r)) && (!changeEntry(r) || putMember(out, ID, ID_LENGTH, id, n));
}

/** A member whose value is a string: `head` ends with the quote that opens it. */
export function putMember(out: usize, head: usize, headLength: u32, p: usize, n: u32): bool {
  return putText(out, head, headLength) && putText(out, p, n) && putText(out, QUOTE, 1);
}

export function putFrom(r: usize, out: usize): bool { return putText(out, FROM, FROM_LENGTH) && putUint(out, changeFrom(r)); }
export function putTo(r: usize, out: usize): bool { return putText(out, TO, TO_LENGTH) && putUint(out, changeTo(r)); }
export function putQuote(out: usize): bool { return putText(out, QUOTE, 1); }
export function closeChange(out: usize): bool { return putText(out, BRACE, 1); }

/** Whether an append has a text to look up. Without one, where it stood may since have become the middle of a character, or lie behind the end. */
@inline export function hasText(r: usize): bool { return changeTo(r) != changeFrom(r); }

/** The text of an append to `chain`; 0 where `hasText` is false. */
export function putChangeText(r: usize, chain: usize, out: usize): bool {
  if (!putText(out, TEXT, TEXT_LENGTH)) return false;
  if (hasText(r)) {
    const byte = changeByte(r);
    // a cut character grows from 4 bytes to an escape of 6
    if (!bytesReserve(out, chainBytes(chain) - byte + 32)) return false;
    const dst = <usize>load<u32>(out, RUN_PTR) + load<u32>(out, RUN_LEN);
    const written = writeUnits(dst, chainSlice(chain, byte, dst), changeJoins(r), changeTo(r) - changeFrom(r));
    store<u32>(out, load<u32>(out, RUN_LEN) + <u32>(written - dst), RUN_LEN);
  }
  return putText(out, QUOTE, 1);
}
