// The hash index of objects with more than 16 entries. It names the members that are there, and none that was removed: with those in it, a patch that adds and removes
// one key again and again would walk past all of them each time. The node keeps the table's size as a power of two. `findUsual` looks first
// where a key of the same length and end was found last.
import { equalBytes } from "../memory/copy";
import { hashBytes } from "../text/hash";
import { INDEX, NODE_SIZE, REMOVED, countOf, vectorOf } from "./layout";
import { give, take } from "./piece";

/** Objects up to this many entries are searched one by one. */
export const UNINDEXED: u32 = 16;
/** Entries an index can name. */
export const MOST_ENTRIES: u32 = 0xfffffe;
const TAG: u32 = 0xff000000;
const ENTRY: u32 = 0x00ffffff;

/** log2 of the table size for a vector of `capacity` entries. */
export function tableBits(capacity: u32): u32 {
  let bits: u32 = 4;
  while ((<u32>1 << bits) * 3 < capacity << 2) bits++;
  return bits;
}

/** An empty table of 2^bits places; 0 = out of memory. */
export function newTable(d: usize, bits: u32): usize {
  const table = take(d, 4 << bits);
  if (table) memory.fill(table, 0, 4 << bits);
  return table;
}

@inline function bitsOf(node: usize): u32 { return <u32>load<u8>(node, 1); }
@inline function maskOf(node: usize): u32 { return (<u32>1 << bitsOf(node)) - 1; }
@inline export function indexOf(node: usize): usize { return <usize>load<u32>(node, INDEX); }

/** Gives the table of a node back, if it has one. */
export function dropTable(d: usize, node: usize): void {
  if (indexOf(node)) give(d, indexOf(node), 4 << bitsOf(node));
}

/** Makes `table` the node's and fills it with the entries of the vector. */
export function fillTable(node: usize, table: usize, bits: u32): void {
  store<u8>(node, bits, 1);
  store<u32>(node, <u32>table, INDEX);
  const count = countOf(node);
  for (let i: u32 = 0, entry = vectorOf(node); i < count; i++, entry += 16) if (load<u32>(entry, 12) != REMOVED) addToTable(node, i);
}

/** Names entry `i` in the node's table, which has room. */
export function addToTable(node: usize, i: u32): void {
  const entry = vectorOf(node) + (<usize>i << 4), hash = hashBytes(load<u32>(entry), load<u32>(entry, 4));
  const table = indexOf(node), mask = maskOf(node);
  let place = hash & mask;
  while (load<u32>(table + (place << 2))) place = (place + 1) & mask;
  store<u32>(table + (place << 2), (hash & TAG) | (i + 1));
}

/** Takes entry `i` out of the table, which names it; later places of its cluster move up. */
export function removeFromTable(node: usize, i: u32): void {
  const table = indexOf(node), mask = maskOf(node), vector = vectorOf(node);
  let hole = homeOf(vector, i) & mask;
  while ((load<u32>(table + (hole << 2)) & ENTRY) != i + 1) hole = (hole + 1) & mask;
  let place = hole;
  while (true) {
    place = (place + 1) & mask;
    const value = load<u32>(table + (place << 2));
    if (!value) break;
    const home = homeOf(vector, (value & ENTRY) - 1) & mask;
    // it may move up only when its home does not lie between the hole and its place
    if (((place - home) & mask) >= ((place - hole) & mask)) {
      store<u32>(table + (hole << 2), value);
      hole = place;
    }
  }
  store<u32>(table + (hole << 2), 0);
}

@inline function homeOf(vector: usize, i: u32): u32 {
  const entry = vector + (<usize>i << 4);
  return hashBytes(load<u32>(entry), load<u32>(entry, 4));
}

@inline function isEntry(entry: usize, key: usize, n: u32): bool {
  return load<u32>(entry, 4) == n && load<u32>(entry, 12) != REMOVED && equalBytes(load<u32>(entry), key, n);
}

function findEmptyKey(vector: usize, end: usize): i32 {
  for (let entry = vector; entry < end; entry += 16) if (!load<u32>(entry, 4) && load<u32>(entry, 12) != REMOVED) return <i32>((entry - vector) >> 4);
  return -1;
}

/** Index of the live entry with that key (canonical escaped text), or -1. */
export function findEntry(node: usize, key: usize, n: u32): i32 {
  const vector = vectorOf(node), table = indexOf(node);
  if (!table) {
    // most keys differ in length or within their first 8 bytes
    const head = load<u64>(key), shift: u64 = n < 8 ? 64 - (n << 3) : 0, end = vector + (<usize>countOf(node) << 4);
    if (!n) return findEmptyKey(vector, end);
    for (let entry = vector; entry < end; entry += 16) {
      if (load<u32>(entry, 4) != n || ((load<u64>(load<u32>(entry)) ^ head) << shift) != 0) continue;
      if (isEntry(entry, key, n)) return <i32>((entry - vector) >> 4);
    }
    return -1;
  }
  const hash = hashBytes(key, n), mask = maskOf(node);
  let place = hash & mask;
  while (true) {
    const value = load<u32>(table + (place << 2));
    if (!value) return -1;
    if ((value & TAG) == (hash & TAG)) {
      const i = (value & ENTRY) - 1;
      if (isEntry(vector + (<usize>i << 4), key, n)) return i;
    }
    place = (place + 1) & mask;
  }
  return -1;
}

// Where a key was found last, by a hash of its length and its last 8 bytes: objects of one shape have their members at the same places, so the
// first entry that is looked at is the right one, and neither the keys before it nor a table are touched.
const GUESSES: usize = memory.data(512, 16);

/** `findEntry` for a key of at least one byte, at its usual place first: the address of the entry, or 0. */
export function findUsual(node: usize, key: usize, n: u32): usize {
  const shift: u64 = n < 8 ? 64 - (<u64>n << 3) : 0, tail = load<u64>(key + n - 8) >> shift;
  const guess = GUESSES + (<usize>((tail * 0x9e3779b97f4a7c15 + <u64>n * 0xff51afd7ed558ccd) >> 56) << 1), i = <u32>load<u16>(guess);
  if (i < countOf(node)) {
    // the address of a vector behind its node is known before the node has come from memory
    if (vectorOf(node) == node + NODE_SIZE) {
      const entry = node + NODE_SIZE + (<usize>i << 4);
      if (isUsual(entry, key, n, tail, shift)) return entry;
    } else {
      const entry = vectorOf(node) + (<usize>i << 4);
      if (isUsual(entry, key, n, tail, shift)) return entry;
    }
  }
  const found = findEntry(node, key, n);
  if (found < 0) return 0;
  store<u16>(guess, <u16>found);
  return vectorOf(node) + (<usize>found << 4);
}

@inline function isUsual(entry: usize, key: usize, n: u32, tail: u64, shift: u64): bool {
  const at = <usize>load<u32>(entry);
  return load<u32>(entry, 4) == n && (load<u64>(at + n - 8) >> shift) == tail && load<u32>(entry, 12) != REMOVED && (n <= 8 || equalBytes(at, key, n - 8));
}

/**
 * Files the entry at `candidate` {key, slot} into a table and vector under construction, `count` entries so far:
 * returns the entry of the same key, or 0 after naming a new one.
 */
export function fileEntry(table: usize, bits: u32, vector: usize, count: u32, key: usize, n: u32): usize {
  const hash = hashBytes(key, n), mask = (<u32>1 << bits) - 1;
  let place = hash & mask;
  while (true) {
    const value = load<u32>(table + (place << 2));
    if (!value) break;
    if ((value & TAG) == (hash & TAG)) {
      const entry = vector + (<usize>((value & ENTRY) - 1) << 4);
      if (load<u32>(entry, 4) == n && equalBytes(load<u32>(entry), key, n)) return entry;
    }
    place = (place + 1) & mask;
  }
  store<u32>(table + (place << 2), (hash & TAG) | (count + 1));
  return 0;
}

/** Bytes of the node's table; it has one. */
export function tableBytes(node: usize): u32 { return 4 << bitsOf(node); }
