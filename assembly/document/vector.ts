// Room in the vectors of nodes, and the moves inside of them. Making room may move a vector: slot addresses go stale.
import { copyForward } from "../memory/copy";
import { roundUp } from "../memory/heap";
import {
  CAPACITY, COUNT, MEMBERS, OUT_OF_MEMORY, REMOVED, TOO_LARGE, VECTOR, bumpEpoch, countOf, failWith, vectorOf,
} from "./layout";
import { MOST_ENTRIES, UNINDEXED, addToTable, dropTable, fillTable, indexOf, newTable, tableBits } from "./index-table";
import { give, giveVector, take } from "./piece";
import { mayMention } from "./undo-log";

/** Most elements of one array: their slots stay below 2 GiB. */
const MOST_ELEMENTS: u32 = 0x0fffffff;

// a vector grows by a quarter, to a whole block
@inline function grownBytes(count: u32, shift: u32): u32 {
  return roundUp((count < 4 ? 4 : count + (count >> 2)) << shift);
}

/** Makes room for `more` elements; `false` = out of memory or too large. */
export function elementRoom(d: usize, node: usize, more: u32): bool {
  const count = countOf(node), capacity = load<u32>(node, CAPACITY);
  if (capacity - count >= more) return true;
  if (more > MOST_ELEMENTS - count) { failWith(TOO_LARGE); return false; }
  const bytes = grownBytes(max<u32>(count + more, count + (count >> 2)), 3), vector = take(d, bytes);
  if (!vector) { failWith(OUT_OF_MEMORY); return false; }
  copyForward(vector, vectorOf(node), count << 3);
  giveVector(d, node);
  store<u32>(node, bytes >> 3, CAPACITY);
  store<u32>(node, <u32>vector, VECTOR);
  bumpEpoch(d);
  return true;
}

/** Opens a gap at element `i`; there is room. */
export function insertSlot(d: usize, node: usize, i: u32, p: u32, n: u32): usize {
  const count = countOf(node), slot = vectorOf(node) + (<usize>i << 3);
  if (i < count) {
    memory.copy(slot + 8, slot, (count - i) << 3);
    bumpEpoch(d);
  }
  store<u32>(slot, p);
  store<u32>(slot, n, 4);
  store<u32>(node, count + 1, COUNT);
  return slot;
}

/** Closes the gap of element `i`. */
export function removeSlot(d: usize, node: usize, i: u32): void {
  const count = countOf(node) - 1, slot = vectorOf(node) + (<usize>i << 3);
  if (i < count) memory.copy(slot, slot + 8, (count - i) << 3);
  store<u32>(node, count, COUNT);
  bumpEpoch(d);
}

/** Makes room for one more entry, in the index too; `false` = out of memory or too large. */
export function entryRoom(d: usize, node: usize): bool {
  const count = countOf(node), capacity = load<u32>(node, CAPACITY);
  if (count < capacity) return count < UNINDEXED || indexOf(node) != 0 || buildIndex(d, node, capacity);
  if (count >= MOST_ENTRIES) { failWith(TOO_LARGE); return false; }
  // places of removed members go now, unless an open edit may want them back
  const members = load<u32>(node, MEMBERS), drop = members < count && !mayMention(node);
  const kept = drop ? members : count, bytes = grownBytes(kept, 4);
  const newCapacity = bytes >> 4, bits = tableBits(newCapacity);
  const vector = take(d, bytes), indexed = kept >= UNINDEXED || indexOf(node) != 0;
  const table = indexed && vector ? newTable(d, bits) : 0;
  if (!vector || (indexed && !table)) {
    if (vector) give(d, vector, bytes);
    failWith(OUT_OF_MEMORY);
    return false;
  }
  const old = vectorOf(node);
  if (drop) copyLive(vector, old, count); else copyForward(vector, old, count << 4);
  giveVector(d, node);
  dropTable(d, node);
  store<u32>(node, kept, COUNT);
  store<u32>(node, newCapacity, CAPACITY);
  store<u32>(node, <u32>vector, VECTOR);
  if (table) fillTable(node, table, bits);
  bumpEpoch(d);
  return true;
}

function copyLive(dst: usize, src: usize, count: u32): void {
  for (const end = src + (<usize>count << 4); src < end; src += 16) {
    if (load<u32>(src, 12) == REMOVED) continue;
    store<u64>(dst, load<u64>(src));
    store<u64>(dst, load<u64>(src, 8), 8);
    dst += 16;
  }
}

function buildIndex(d: usize, node: usize, capacity: u32): bool {
  const bits = tableBits(capacity), table = newTable(d, bits);
  if (!table) { failWith(OUT_OF_MEMORY); return false; }
  fillTable(node, table, bits);
  return true;
}

/** Adds an entry behind the others; there is room. Returns its index. */
export function appendEntry(node: usize, key: usize, keyLength: u32, p: u32, n: u32): u32 {
  const i = countOf(node), entry = vectorOf(node) + (<usize>i << 4);
  store<u32>(entry, <u32>key);
  store<u32>(entry, keyLength, 4);
  store<u32>(entry, p, 8);
  store<u32>(entry, n, 12);
  store<u32>(node, i + 1, COUNT);
  store<u32>(node, load<u32>(node, MEMBERS) + 1, MEMBERS);
  if (indexOf(node)) addToTable(node, i);
  return i;
}
