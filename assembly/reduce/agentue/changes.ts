// The changes of an AgentUE stream (docs/semantics.md §6): their entries are blocks, their names paths of fields with dots.
import { setAccount } from "../../memory/heap";
import { equalBytes } from "../../memory/copy";
import { chainOf, documentOwn, expandSlot, memberSlot, rootSlot } from "../../document/index";
import {
  CHANGE_APPEND, CHANGE_ELEMENTS, CHANGE_REPLACE, changeEntry, changeKind, changeName, changeNameLength, droppedEntry, endOfRecords, extendRange, joinRange, logStamp,
  pushChange, recordAt, setRange, unreadChange,
} from "../change-log";
import {
  closeChange, closeChanges, coversName, FIELD, FIELD_LENGTH, hasText, nextReplacement, openChange, openChanges, putChangeText, putFrom, putMember, putTo, toldFrom,
} from "../change-text";
import { B_CHANGE, B_DOCUMENT, B_ID, B_ID_LENGTH, B_RECORD, B_STAMP, S_LOG } from "./state";

/** A change without a range: CHANGE_INSERT, CHANGE_REPLACE, CHANGE_FIELD or CHANGE_META. */
export function noteChange(s: usize, kind: u8, block: usize, field: usize, n: u32): void { push(s, kind, block, field, n); }

function push(s: usize, kind: u8, block: usize, field: usize, n: u32): usize {
  const log = s + S_LOG, r = pushChange(log, kind, 0, 0, block, field, n);
  if (droppedEntry) store<u32>(droppedEntry, 0, B_STAMP);
  if (block) {
    store<u32>(block, 0, B_STAMP);
    if (r) store<u32>(block, endOfRecords(log), B_CHANGE);
  }
  return r;
}

/**
 * An append to `field` of `block`: `from` and `to` in code units or elements, `byte` where the text begins in the chain,
 * `joined` when its first code unit completed a character there.
 */
@inline export function noteAppend(s: usize, kind: u8, block: usize, field: usize, n: u32, from: u32, to: u32, byte: u32, joined: bool): void {
  const r = unreadChange(s + S_LOG, load<u32>(block, B_CHANGE));
  if (r && changeKind(r) == kind && changeNameLength(r) == n && equalBytes(changeName(r), field, n)) joinRange(s + S_LOG, r, to, byte, joined);
  else pushAppend(s, kind, block, field, n, from, to, byte, joined);
}

/** Extends the record of the last append to the block's hot field up to `to` code units; false: it is not known to be the last change, or was read. */
@inline export function extendAppend(s: usize, block: usize, to: u32): bool {
  if (load<u32>(block, B_STAMP) != logStamp(s + S_LOG) + 1) return false;
  extendRange(s + S_LOG, load<u32>(block, B_RECORD), to);
  return true;
}

/** Remembers the record of the append to the block's hot field that was just noted, for `extendAppend`. */
export function rememberAppend(s: usize, block: usize): void {
  const log = s + S_LOG, r = unreadChange(log, load<u32>(block, B_CHANGE));
  store<u32>(block, r ? logStamp(log) + 1 : 0, B_STAMP);
  store<u32>(block, <u32>r, B_RECORD);
}

function pushAppend(s: usize, kind: u8, block: usize, field: usize, n: u32, from: u32, to: u32, byte: u32, joined: bool): void {
  const r = push(s, kind, block, field, n);
  if (r) setRange(r, from, to, byte, joined);
}

// ---------------------------------------------------------------- reading

/**
 * Appends the changes after `since` to the run `out` as a JSON array without stream ids, or `null` where they are not known any more, and
 * marks the current version as read. `payer` is the account of the stream. Returns false when memory ran out.
 */
export function writeChanges(s: usize, since: f64, out: usize, payer: usize): bool {
  const log = s + S_LOG, end = endOfRecords(log);
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
    if (changeKind(later) == CHANGE_REPLACE || coversName(later, r, 0x2e)) return true;
  }
  return false;
}

function writeRecord(r: usize, out: usize): bool {
  const kind = changeKind(r), block = changeEntry(r);
  if (!openChange(r, block + B_ID, block ? load<u32>(block, B_ID_LENGTH) : 0, out)) return false;
  if (changeName(r) && !putMember(out, FIELD, FIELD_LENGTH, changeName(r), changeNameLength(r))) return false;
  if (kind == CHANGE_APPEND || kind == CHANGE_ELEMENTS) {
    if (!putFrom(r, out) || !putTo(r, out)) return false;
    if (kind == CHANGE_APPEND && !writeText(r, block, out)) return false;
  }
  return closeChange(out);
}

function writeText(r: usize, block: usize, out: usize): bool {
  if (!hasText(r)) return putChangeText(r, 0, out);
  const previous = setAccount(account);
  const d = documentOwn(block + B_DOCUMENT), root: usize = d ? expandSlot(d, rootSlot(d)) : 0;
  const slot = root ? memberSlot(root, changeName(r), changeNameLength(r)) : 0;
  const chain = slot ? chainOf(d, slot) : 0;
  setAccount(previous);
  return chain != 0 && putChangeText(r, chain, out);
}
