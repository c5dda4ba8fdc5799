// The steps of an edit. Each makes all the room it needs first, so it happens whole or not at all: 0 or `false` with
// `documentFault` set means memory is exhausted or the document would be too large. Outside of an edit a step counts at once.
//
// A value is canonical compact text; it is copied into the log, or adopted when it was written to the place that
// `logReserve` gave. Value 0 stands for the value at hand: the one the last `removeMember` or `removeElement` of the same
// edit took out (together they are a move), or the one `pickCopy` chose.
import { expandSlot } from "./expand";
import { findEntry, indexOf, removeFromTable } from "./index-table";
import {
  ARRAY, COUNT, LARGEST_DOCUMENT, LOG_AT, MEMBERS, NODE, OUT_OF_MEMORY, REMOVED, SIZE, SPANS_SHARED, TOO_LARGE,
  addSize, bumpEpoch, clearFault, countOf, failWith, kindOf, vectorOf,
} from "./layout";
import { countStep, slotOf } from "./edit";
import { logReserve, logText, logWithRoom, overwrite, passText } from "./log";
import { slotSize, valueDepth, valueSize } from "./measure";
import { releaseValue } from "./release";
import { split, releaseSplit, splitResult } from "./split";
import {
  MOVED, NOTHING, NO_RECORD, RECORD_EXTEND, RECORD_INSERT, RECORD_REMOVE, RECORD_SET, editDocument, handN, handP, handRecord,
  recordAt, recordCount, recordRoom, recordStep, setHand,
} from "./undo-log";
import { appendEntry, elementRoom, entryRoom, insertSlot, removeSlot } from "./vector";
import { writeSlot } from "./write";

// The value of the running step, once `acquire` has been called.
let valueP: u32 = 0;
let valueN: u32 = 0;
let valueBytes: u32 = 0;
let valueFlags: u32 = 0;

// Makes room in the record log and the text log (`extra` bytes of key on top). Nothing visible changes.
function prepare(d: usize, value: usize, n: u32, extra: u32): bool {
  clearFault();
  if (!value) {
    if (handRecord == NOTHING) return false;
    n = valueSize(handP, handN);
  }
  const size = load<u32>(d, SIZE);
  if (n > LARGEST_DOCUMENT || extra > LARGEST_DOCUMENT - n || size > LARGEST_DOCUMENT - n - extra - 4) { failWith(TOO_LARGE); return false; }
  if (editDocument == d && !recordRoom()) return false;
  if (!value) return extra == 0 || logReserve(d, extra) != 0;
  if (value == <usize>load<u32>(d, LOG_AT)) return true;
  // two texts, and the guard between them
  return logReserve(d, n + extra + 1) != 0;
}

// The key of a new member, in the log; 0 = out of memory. Text adopted from the log's end is taken over first.
function acquireKey(d: usize, key: usize, n: u32): usize {
  return logReserve(d, n) ? logText(d, key, n) : 0;
}

function acquire(d: usize, value: usize, n: u32): void {
  if (value) {
    valueP = <u32>logText(d, value, n);
    valueN = n;
    valueBytes = n;
    valueFlags = 0;
    return;
  }
  valueP = handP;
  valueN = handN;
  valueBytes = valueSize(handP, handN);
  valueFlags = 0;
  if (handRecord == NO_RECORD) return;
  valueFlags = MOVED;
  const record = recordAt(handRecord);
  store<u32>(record, load<u32>(record) | MOVED);
  setHand(0, 0, NOTHING);
}

@inline function record(d: usize, kind: u32, node: usize, i: u32, p: u32, n: u32): void {
  if (editDocument == d) recordStep(kind, node, i, p, n);
}

// Puts the acquired value into a slot.
function setSlot(d: usize, node: usize, i: u32): usize {
  const slot = slotOf(d, node, i), p = load<u32>(slot), n = load<u32>(slot, 4);
  addSize(d, valueBytes - valueSize(p, n));
  if (n == NODE) bumpEpoch(d);
  store<u32>(slot, valueP);
  store<u32>(slot, valueN, 4);
  if (editDocument == d) recordStep(RECORD_SET | valueFlags, node, i, p, n);
  else releaseValue(d, p, n);
  return slot;
}

/** Index of a slot among the elements or entries of its node. */
@inline export function slotIndex(node: usize, slot: usize): u32 {
  return kindOf(node) == ARRAY ? <u32>((slot - vectorOf(node)) >> 3) : <u32>((slot - 8 - vectorOf(node)) >> 4);
}

/** Gives the slot of `node` (0: `slot` is the root slot) another value. Returns the slot, which stays where it is; 0: see above. */
export function replaceSlot(d: usize, node: usize, slot: usize, value: usize, n: u32): usize {
  if (!prepare(d, value, n, 0)) return 0;
  acquire(d, value, n);
  return setSlot(d, node, node ? slotIndex(node, slot) : 0);
}

/** The former text of a larger document would have to come from memory only to be written over: with 100 KB that made a patch a sixth slower. */
const MOST_WRITTEN_OVER: u32 = 16384;

/**
 * Gives a slot of `node` `n` bytes of text as its value, at once and for good: no edit is open. In a small document the new text takes the place of the former
 * one where nobody else holds that. `false`: out of memory or too large, nothing changed.
 */
export function replaceNow(d: usize, node: usize, slot: usize, text: usize, n: u32): bool {
  if (load<u32>(slot, 4) == NODE ? !replaceSlot(d, node, slot, text, n) : !replaceSpan(d, slot, text, n)) return false;
  countStep(d);
  return true;
}

function replaceSpan(d: usize, slot: usize, text: usize, n: u32): bool {
  const size = load<u32>(d, SIZE), p = <usize>load<u32>(slot), old = load<u32>(slot, 4);
  if (n > LARGEST_DOCUMENT || size > LARGEST_DOCUMENT - n - 16) return false;
  const isSmall = size <= MOST_WRITTEN_OVER;
  if (!isSmall || load<u32>(d, SPANS_SHARED) || !overwrite(p, old, text, n)) {
    const at = isSmall ? logWithRoom(d, text, n) : logReserve(d, n);
    if (!at) return false;
    if (!isSmall) logText(d, text, n);
    store<u32>(slot, <u32>at);
  }
  store<u32>(slot, n, 4);
  store<u32>(d, size + n - old, SIZE);
  return true;
}

/** Gives the member `key` (canonical escaped text) of an object a value, behind the others when it is new. Returns its slot; 0: see above. */
export function putMember(d: usize, node: usize, key: usize, keyLength: u32, value: usize, n: u32): usize {
  const i = findEntry(node, key, keyLength);
  if (i >= 0) {
    if (!prepare(d, value, n, 0)) return 0;
    acquire(d, value, n);
    return setSlot(d, node, i);
  }
  if (!prepare(d, value, n, keyLength) || !entryRoom(d, node)) return 0;
  // an adopted value may have used up the room that is left
  const adopted = value != 0 && value == <usize>load<u32>(d, LOG_AT);
  if (adopted) passText(d, value, n);
  const ownKey = acquireKey(d, key, keyLength);
  if (!ownKey) {
    if (adopted) store<u32>(d, <u32>value, LOG_AT);
    return 0;
  }
  if (adopted) { valueP = <u32>value; valueN = n; valueBytes = n; valueFlags = 0; } else acquire(d, value, n);
  const comma: u32 = load<u32>(node, MEMBERS) ? 1 : 0;
  const entry = appendEntry(node, ownKey, keyLength, valueP, valueN);
  addSize(d, valueBytes + keyLength + 3 + comma);
  record(d, RECORD_INSERT | valueFlags, node, entry, 0, 0);
  return slotOf(d, node, entry);
}

/** Inserts an element before element `i` (the count: behind the last). Returns its slot; 0: no such place, or see above. */
export function insertElement(d: usize, node: usize, i: u32, value: usize, n: u32): usize {
  clearFault();
  const count = countOf(node);
  if (i > count || !prepare(d, value, n, 0) || !elementRoom(d, node, 1)) return 0;
  acquire(d, value, n);
  const slot = insertSlot(d, node, i, valueP, valueN);
  addSize(d, valueBytes + (count ? 1 : 0));
  record(d, RECORD_INSERT | valueFlags, node, i, 0, 0);
  return slot;
}

// What goes out of a slot: frees it, or notes it and keeps it at hand for a move.
function takeOut(d: usize, node: usize, i: u32, p: u32, n: u32): void {
  if (editDocument != d) { releaseValue(d, p, n); return; }
  setHand(p, n, recordCount());
  recordStep(RECORD_REMOVE, node, i, p, n);
}

/** Removes element `i`. `false`: no such element, or see above. */
export function removeElement(d: usize, node: usize, i: u32): bool {
  clearFault();
  const count = countOf(node);
  if (i >= count || (editDocument == d && !recordRoom())) return false;
  const slot = slotOf(d, node, i), p = load<u32>(slot), n = load<u32>(slot, 4);
  addSize(d, 0 - (valueSize(p, n) + (count > 1 ? 1 : 0)));
  removeSlot(d, node, i);
  takeOut(d, node, i, p, n);
  return true;
}

/** Removes the member `key` (canonical escaped text). `false`: no such member, or see above. */
export function removeMember(d: usize, node: usize, key: usize, keyLength: u32): bool {
  clearFault();
  const i = findEntry(node, key, keyLength);
  if (i < 0 || (editDocument == d && !recordRoom())) return false;
  const slot = slotOf(d, node, i), p = load<u32>(slot), n = load<u32>(slot, 4), members = load<u32>(node, MEMBERS);
  addSize(d, 0 - (valueSize(p, n) + keyLength + 3 + (members > 1 ? 1 : 0)));
  if (n == NODE) bumpEpoch(d);
  if (indexOf(node)) removeFromTable(node, i);
  store<u32>(slot, REMOVED, 4);
  store<u32>(node, members - 1, MEMBERS);
  takeOut(d, node, i, p, n);
  return true;
}

/** Nesting of the value at hand; 0 when there is none. */
export function handDepth(): u32 { return handRecord == NOTHING ? 0 : valueDepth(handP, handN); }

/** Takes a copy of the value at `slot` to hand: spans are shared, nodes are written into the log. `false`: see above. */
export function pickCopy(d: usize, slot: usize): bool {
  clearFault();
  const p = load<u32>(slot), n = load<u32>(slot, 4);
  if (n != NODE) {
    store<u32>(d, 1, SPANS_SHARED);
    setHand(p, n, NO_RECORD);
    return true;
  }
  const size = slotSize(slot), at = logReserve(d, size);
  if (!at) return false;
  writeSlot(slot, at);
  setHand(<u32>logText(d, at, size), size, NO_RECORD);
  return true;
}

/** Appends the elements of `text` (the inside of a JSON array, canonical, may be empty) to the array at `slot`. `false`: no array, or see above. */
export function appendElements(d: usize, slot: usize, text: usize, n: u32): bool {
  const node = expandSlot(d, slot);
  if (!node || kindOf(node) != ARRAY) return false;
  if (!n) return true;
  if (!prepare(d, text, n, 0)) return false;
  const bytes = split(text, text + n, false);
  if (!bytes) { releaseSplit(); failWith(OUT_OF_MEMORY); return false; }
  const count = countOf(node), more = bytes >> 3;
  if (!elementRoom(d, node, more)) { releaseSplit(); return false; }
  const move = <u32>logText(d, text, n) - <u32>text;
  let from = splitResult(), to = vectorOf(node) + (<usize>count << 3);
  for (const end = from + bytes; from < end; from += 8, to += 8) {
    store<u32>(to, load<u32>(from) + move);
    store<u32>(to, load<u32>(from, 4), 4);
  }
  releaseSplit();
  store<u32>(node, count + more, COUNT);
  addSize(d, n + (count ? 1 : 0));
  record(d, RECORD_EXTEND, node, count, 0, 0);
  return true;
}
