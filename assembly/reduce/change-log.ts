// The log of changes of one stream (docs/semantics.md §6, docs/semantics-agui.md §10): a ring of at most 256 records, coalesced as they are
// noted. Both protocols keep theirs here; what entries and names are is the protocol's: `change-text` reads the log.
import { alloc, free } from "../memory/heap";
import { bytesFree } from "../memory/bytes";
import { copyExact, copySixteen } from "../memory/copy";
import { codeUnits } from "../text/units";

export const CHANGE_START: u8 = 1, CHANGE_INSERT: u8 = 2, CHANGE_REPLACE: u8 = 3, CHANGE_FIELD: u8 = 4;
export const CHANGE_APPEND: u8 = 5, CHANGE_ELEMENTS: u8 = 6, CHANGE_META: u8 = 7;

// Log, LOG_SIZE bytes, part of the stream's state; what a token touches stands at its end:
//   0 run: versions at which it was read and nothing noted until the next read | 12 stamp: another one wherever records move, go all at once or are
//  read | 16 version of the last start | 24 version up to which changes are lost | 32 ring ptr | 36 number behind the last record | 40 capacity in records | 44 number of the first record kept
//  48 version of the stream | 56 version at the last read; versions are f64
export const L_READS: usize = 0, L_START: usize = 16, L_LOST: usize = 24;
const L_STAMP: usize = 12, L_RING: usize = 32, L_END: usize = 36, L_CAPACITY: usize = 40, L_FIRST: usize = 44;
export const L_VERSION: usize = 48, L_READ: usize = 56;
export const LOG_SIZE: u32 = 64;

// Record, 96 B: 0 kind u8 | 1 begins inside of a joined character u8 | 2 part u8 | 4 entry (0 = none) | 8 name ptr (0 = none, NAME_HERE) | 12 name length
// 16 from | 20 to | 24 first byte in the chain | 28 place | 32 last version f64 | 40 version of the last read before it f64 | 48 name of up to 48 bytes
const C_JOINED: usize = 1, C_PART: usize = 2, C_ENTRY: usize = 4, C_NAME: usize = 8, C_NAME_LENGTH: usize = 12, C_FROM: usize = 16, C_TO: usize = 20;
const C_BYTE: usize = 24, C_PLACE: usize = 28, C_VERSION: usize = 32, C_READ: usize = 40;
const RECORD: u32 = 96;
const C_HERE: usize = 48;
/** Longer names are blocks of their own. */
const MOST_HERE: u32 = 48;
const NAME_HERE: usize = 1;
const MOST: u32 = 256;
/** A change with a longer name (UTF-16 code units) is not kept. */
const LONGEST_NAME: u32 = 1024;
const LEAST: u32 = 2;

@inline export function recordAt(log: usize, number: u32): usize {
  return <usize>load<u32>(log, L_RING) + ((number & (load<u32>(log, L_CAPACITY) - 1)) * RECORD);
}
@inline export function firstRecord(log: usize): u32 { return load<u32>(log, L_FIRST); }
/** The number behind the last record: what entries remember of it, 0 standing for none. */
@inline export function endOfRecords(log: usize): u32 { return load<u32>(log, L_END); }

@inline export function changeKind(r: usize): u8 { return load<u8>(r); }
@inline export function changePart(r: usize): u8 { return load<u8>(r, C_PART); }
@inline export function changePlace(r: usize): u32 { return load<u32>(r, C_PLACE); }
@inline export function changeEntry(r: usize): usize { return <usize>load<u32>(r, C_ENTRY); }
@inline export function changeName(r: usize): usize {
  const name = <usize>load<u32>(r, C_NAME);
  return name == NAME_HERE ? r + C_HERE : name;
}
@inline export function changeNameLength(r: usize): u32 { return load<u32>(r, C_NAME_LENGTH); }
@inline export function changeFrom(r: usize): u32 { return load<u32>(r, C_FROM); }
@inline export function changeTo(r: usize): u32 { return load<u32>(r, C_TO); }
@inline export function changeByte(r: usize): u32 { return load<u32>(r, C_BYTE); }
@inline export function changeJoins(r: usize): u8 { return load<u8>(r, C_JOINED); }
/** The version of the last read before the change. */
@inline export function changeReadBefore(r: usize): f64 { return load<f64>(r, C_READ); }

@inline export function setChangeFrom(r: usize, from: u32): void { store<u32>(r, from, C_FROM); }

/** Addresses of records are good, and what they say is not read, as long as this stays the same and they are kept. */
@inline export function logStamp(log: usize): u32 { return load<u32>(log, L_STAMP); }
/** Makes addresses of records that were remembered worthless. */
@inline export function changeStamp(log: usize): void { store<u32>(log, load<u32>(log, L_STAMP) + 1, L_STAMP); }

/** One more version of the stream; its changes are noted behind this. */
@inline export function nextVersion(log: usize): void { store<f64>(log, load<f64>(log, L_VERSION) + 1, L_VERSION); }

function freeName(r: usize): void {
  const name = <usize>load<u32>(r, C_NAME);
  if (name > NAME_HERE) free(name, changeNameLength(r));
}

function dropRecords(log: usize): void {
  changeStamp(log);
  const end = endOfRecords(log);
  for (let i = firstRecord(log); i != end; i++) freeName(recordAt(log, i));
  store<u32>(log, end, L_FIRST);
}

/** Forgets all records and gives the memory back. Numbers go on: entries remember them. */
export function freeLog(log: usize): void {
  dropRecords(log);
  const capacity = load<u32>(log, L_CAPACITY);
  if (capacity) free(load<u32>(log, L_RING), capacity * RECORD);
  store<u32>(log, 0, L_RING);
  store<u32>(log, 0, L_CAPACITY);
  bytesFree(log + L_READS);
}

/** All entries are new: nothing older matters. */
export function noteStart(log: usize): void {
  freeLog(log);
  store<f64>(log, 0, L_LOST);
  store<f64>(log, load<f64>(log, L_VERSION), L_START);
  pushChange(log, CHANGE_START, 0, 0, 0, 0, 0);
}

/** Forgets the log: of a stream at `version` only the present is known. */
export function forgetChanges(log: usize, version: f64): void {
  freeLog(log);
  store<f64>(log, version, L_VERSION);
  store<f64>(log, version, L_LOST);
  store<f64>(log, version, L_READ);
  changeStamp(log);
  store<f64>(log, 0, L_START);
}

// Nothing before the version that the stream has reached is known any more.
function forgetPast(log: usize): void {
  dropRecords(log);
  store<f64>(log, load<f64>(log, L_VERSION), L_LOST);
}

/** The entry whose record gave way to the last one that was pushed, 0 = none did: what it remembers of that record is worthless. */
export let droppedEntry: usize = 0;

// Room for one more record.
function makeRoom(log: usize): bool {
  const first = firstRecord(log), end = endOfRecords(log), capacity = load<u32>(log, L_CAPACITY);
  if (end - first < capacity) return true;
  if (capacity == MOST) {
    const oldest = recordAt(log, first);
    store<f64>(log, max<f64>(load<f64>(log, L_LOST), load<f64>(oldest, C_VERSION)), L_LOST);
    droppedEntry = changeEntry(oldest);
    freeName(oldest);
    store<u32>(log, first + 1, L_FIRST);
    return true;
  }
  const wider = capacity ? capacity << 1 : LEAST, ring = alloc(wider * RECORD);
  if (!ring) return false;
  changeStamp(log);
  for (let i = first; i != end; i++) memory.copy(ring + (i & (wider - 1)) * RECORD, recordAt(log, i), RECORD);
  if (capacity) free(load<u32>(log, L_RING), capacity * RECORD);
  store<u32>(log, <u32>ring, L_RING);
  store<u32>(log, wider, L_CAPACITY);
  return true;
}

/**
 * A new record for the version that the stream has reached, with a copy of its `name` of `n` bytes (canonical contents; 0 = none); what it is
 * called, and its place, are the protocol's. 0: it was not kept, because the name is too long or memory is short. Then everything older is
 * given up too, which costs readers a resync and no data.
 */
export function pushChange(log: usize, kind: u8, part: u8, place: u32, entry: usize, name: usize, n: u32): usize {
  droppedEntry = 0;
  // an empty name has a place, too
  const isHere = name != 0 && n <= MOST_HERE;
  let copy: usize = isHere ? NAME_HERE : 0;
  if (name && !isHere) {
    if (n <= LONGEST_NAME || codeUnits(name, name + n) <= LONGEST_NAME) copy = alloc(n);
    if (!copy) { forgetPast(log); return 0; }
    copyExact(copy, name, n);
  }
  if (!makeRoom(log)) {
    if (copy > NAME_HERE) free(copy, n);
    forgetPast(log);
    return 0;
  }
  const number = endOfRecords(log), r = recordAt(log, number);
  // a bulk fill of 48 bytes costs more than all of these stores
  store<u64>(r, <u64>kind | <u64>part << 16 | <u64>entry << 32);
  store<u32>(r, <u32>copy, C_NAME);
  store<u32>(r, n, C_NAME_LENGTH);
  store<u64>(r, 0, C_FROM);
  store<u32>(r, 0, C_BYTE);
  store<u32>(r, place, C_PLACE);
  store<f64>(r, load<f64>(log, L_VERSION), C_VERSION);
  store<f64>(r, load<f64>(log, L_READ), C_READ);
  if (isHere) {
    copySixteen(r + C_HERE, name);
    copySixteen(r + C_HERE + 16, name + 16);
    copySixteen(r + C_HERE + 32, name + 32);
  }
  store<u32>(log, number + 1, L_END);
  return r;
}

/** Makes a new record one of an append: `from` and `to` in code units or elements, `byte` where the text begins in its chain. */
export function setRange(r: usize, from: u32, to: u32, byte: u32, joined: bool): void {
  store<u32>(r, from, C_FROM);
  store<u32>(r, to, C_TO);
  store<u32>(r, byte, C_BYTE);
  store<u8>(r, joined ? 1 : 0, C_JOINED);
}

/** The record that an entry remembers as its last (`remembered` of it), when it is kept and was not read; else 0. */
@inline export function unreadChange(log: usize, remembered: u32): usize {
  const first = firstRecord(log);
  if (remembered - 1 - first >= endOfRecords(log) - first) return 0;
  const r = recordAt(log, remembered - 1);
  return load<f64>(r, C_READ) == load<f64>(log, L_READ) ? r : 0;
}

/** Extends a record of appends up to `to`. */
@inline export function extendRange(log: usize, r: usize, to: u32): void {
  store<u32>(r, to, C_TO);
  store<f64>(r, load<f64>(log, L_VERSION), C_VERSION);
}

/** `extendRange` by a text that begins at `byte`, `joined`: its first code unit completed a character there. */
@inline export function joinRange(log: usize, r: usize, to: u32, byte: u32, joined: bool): void {
  // a record of empty appends stands behind a high half; the low half that completes it makes the text before it shorter
  if (joined && load<u32>(r, C_TO) == load<u32>(r, C_FROM)) {
    store<u32>(r, byte, C_BYTE);
    store<u8>(r, 1, C_JOINED);
  }
  extendRange(log, r, to);
}
