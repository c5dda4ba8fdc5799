// An edit: steps that count together or not at all. Commit frees what they replaced and compacts where that pays.
import { undoAppend } from "./chain";
import { compactIfWasteful } from "./compact";
import { duplicateLoss, forgetDuplicateLoss } from "./expand";
import { addToTable, indexOf, removeFromTable } from "./index-table";
import {
  ARRAY, COUNT, LOG_AT, LOG_END, MEMBERS, PIECES, SIZE, WORK, bumpEpoch, countOf, kindOf, vectorOf,
} from "./layout";
import { slotSize } from "./measure";
import { dropPieces } from "./piece";
import { releaseValue } from "./release";
import {
  JOINED, MOVED, RECORD_APPEND, RECORD_EXTEND, RECORD_REMOVE, RECORD_SET, openRecords, popRecord, recordAt, recordCount,
  recordFlags, recordIndex, recordKind, recordN, recordNode, recordP,
} from "./undo-log";
import { insertSlot, removeSlot } from "./vector";

/** Work a step counts for, so that compactions stay rare next to the work between them. */
const STEP_WORK: u32 = 64;

let sizeBefore: u32 = 0;
let piecesBefore: usize = 0;
let logAtBefore: u32 = 0;
let logEndBefore: u32 = 0;

/** Opens an edit of `d`. No other edit may be open. */
export function editBegin(d: usize): void {
  openRecords(d);
  forgetDuplicateLoss();
  sizeBefore = load<u32>(d, SIZE);
  piecesBefore = <usize>load<u32>(d, PIECES);
  logAtBefore = load<u32>(d, LOG_AT);
  logEndBefore = load<u32>(d, LOG_END);
}

/** The slot of an element or entry; node 0 is the root. */
@inline export function slotOf(d: usize, node: usize, i: u32): usize {
  if (!node) return d;
  return kindOf(node) == ARRAY ? vectorOf(node) + (<usize>i << 3) : vectorOf(node) + (<usize>i << 4) + 8;
}

/** Keeps what the edit did, frees what it replaced, compacts when the document holds much more than its text. */
export function editCommit(d: usize): void {
  const count = recordCount();
  for (let i: u32 = 0; i < count; i++) {
    const record = recordAt(i), kind = recordKind(record);
    // a moved value lives on in its new place; what a moved value replaced is gone
    if (kind == RECORD_SET || (kind == RECORD_REMOVE && !(recordFlags(record) & MOVED))) {
      releaseValue(d, recordP(record), recordN(record));
    }
  }
  openRecords(0);
  store<u32>(d, load<u32>(d, WORK) + count * STEP_WORK, WORK);
  compactIfWasteful(d);
}

/** Counts a step outside of an edit, and compacts when the document holds much more than its text. */
@inline export function countStep(d: usize): void {
  store<u32>(d, load<u32>(d, WORK) + STEP_WORK, WORK);
  compactIfWasteful(d);
}

/** Takes back everything since `editBegin`: the same values, in the same order, and the log as long as before. */
export function editRollback(d: usize): void {
  if (recordCount()) bumpEpoch(d);
  let handP: u32 = 0, handN: u32 = 0;
  while (recordCount()) {
    const record = popRecord(), kind = recordKind(record), moved = (recordFlags(record) & MOVED) != 0;
    const node = recordNode(record), i = recordIndex(record);
    if (kind == RECORD_APPEND) { undoAppend(d, record, (recordFlags(record) & JOINED) != 0); continue; }
    if (kind == RECORD_EXTEND) { truncate(d, node, i); continue; }
    if (kind == RECORD_REMOVE) {
      // the value may have been expanded where it was moved to
      restore(d, node, i, moved ? handP : recordP(record), moved ? handN : recordN(record));
      continue;
    }
    const slot = slotOf(d, node, i), p = load<u32>(slot), n = load<u32>(slot, 4);
    if (moved) { handP = p; handN = n; } else releaseValue(d, p, n);
    if (kind == RECORD_SET) {
      store<u32>(slot, recordP(record));
      store<u32>(slot, recordN(record), 4);
    } else if (kindOf(node) == ARRAY) removeSlot(d, node, i);
    else popEntry(node, i);
  }
  openRecords(0);
  dropPieces(d, <usize>load<u32>(d, PIECES), piecesBefore);
  store<u32>(d, <u32>piecesBefore, PIECES);
  store<u32>(d, logAtBefore, LOG_AT);
  store<u32>(d, logEndBefore, LOG_END);
  // which of the repeated members were resolved in values that stay is not known: count again, but only then
  store<u32>(d, duplicateLoss ? slotSize(d) : sizeBefore, SIZE);
}

function truncate(d: usize, node: usize, count: u32): void {
  const vector = vectorOf(node);
  let at = vector + (<usize>count << 3);
  for (const end = vector + (<usize>countOf(node) << 3); at < end; at += 8) releaseValue(d, load<u32>(at), load<u32>(at, 4));
  store<u32>(node, count, COUNT);
}

// A removal never shrinks a vector, so there is room.
function restore(d: usize, node: usize, i: u32, p: u32, n: u32): void {
  if (kindOf(node) == ARRAY) { insertSlot(d, node, i, p, n); return; }
  const slot = slotOf(d, node, i);
  store<u32>(slot, p);
  store<u32>(slot, n, 4);
  if (indexOf(node)) addToTable(node, i);
  store<u32>(node, load<u32>(node, MEMBERS) + 1, MEMBERS);
}

// The entry that an insert added is the last one again by the time the insert is undone.
function popEntry(node: usize, i: u32): void {
  if (indexOf(node)) removeFromTable(node, i);
  store<u32>(node, i, COUNT);
  store<u32>(node, load<u32>(node, MEMBERS) - 1, MEMBERS);
}
