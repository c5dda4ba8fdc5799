// From text to a node, one level at a time. Repeated members are resolved here: last value, first place.
import { copyForward, equalBytes } from "../memory/copy";
import { roundUp } from "../memory/heap";
import {
  ARRAY, CAPACITY, CHAIN, COUNT, INDEX, MEMBERS, NODE, NODE_SIZE, OBJECT, OUT_OF_MEMORY, TOO_LARGE, VECTOR, WORK,
  addSize, clearFault, failWith, kindOf, nodeBytes, setRoom, strideShift, vectorOf,
} from "./layout";
import { MOST_ENTRIES, UNINDEXED, fileEntry, newTable, tableBits } from "./index-table";
import { adoptKnown, shareKeys } from "./keys";
import { give, giveVector, take } from "./piece";
import { releaseSplit, split, splitResult } from "./split";

/** Bytes that resolving repeated members took off documents since the edit began. */
export let duplicateLoss: u32 = 0;
@inline export function forgetDuplicateLoss(): void { duplicateLoss = 0; }

/** A zeroed node; 0 = out of memory. */
export function newNode(d: usize, kind: u32): usize {
  const node = take(d, NODE_SIZE);
  if (node) clearNode(node, kind);
  return node;
}

// A bulk fill of 32 bytes costs more than all of these stores.
@inline function clearNode(node: usize, kind: u32): void {
  store<u64>(node, <u64>kind);
  store<u64>(node, 0, 8);
  store<u64>(node, 0, 16);
  store<u64>(node, 0, 24);
}

/** The node of the container at `slot`, made when it still is text; 0: a scalar, or a fault (`documentFault`) and nothing changed. */
export function expandSlot(d: usize, slot: usize): usize {
  const n = load<u32>(slot, 4), p = <usize>load<u32>(slot);
  if (n == NODE) {
    if (kindOf(p) != CHAIN) return p;
    clearFault();
    return 0;
  }
  clearFault();
  const first = <u32>load<u8>(p);
  if ((first | 0x20) != 0x7b) return 0;
  const isObject = first == 0x7b;
  let bytes: u32 = 0;
  if (n > 2) {
    bytes = split(p + 1, p + n - 1, isObject);
    if (!bytes) { releaseSplit(); return failWith(OUT_OF_MEMORY); }
  }
  const node = newContainer(d, isObject ? OBJECT : ARRAY, bytes);
  if (!node) failWith(OUT_OF_MEMORY);
  else if (isObject && bytes && !adoptEntries(d, node, bytes)) {
    giveVector(d, node);
    give(d, node, nodeBytes(node));
    releaseSplit();
    return 0;
  }
  // block-wise copies stay inside: every block size is a multiple of 16
  if (node && !isObject) copyForward(vectorOf(node), splitResult(), bytes);
  releaseSplit();
  if (!node) return 0;
  store<u32>(slot, <u32>node);
  store<u32>(slot, NODE, 4);
  store<u32>(d, load<u32>(d, WORK) + (n >> 4), WORK);
  return node;
}

/** A vector of at most so many bytes stands behind its node: who reads an element needs one address less, and finds it in the next line of the cache. */
const MOST_BEHIND: u32 = 2048;

// A node with room for a vector of `bytes`, and the count of an array; 0 = out of memory.
function newContainer(d: usize, kind: u32, bytes: u32): usize {
  const behind = bytes - 1 < MOST_BEHIND, node = take(d, behind ? NODE_SIZE + bytes : NODE_SIZE);
  if (!node) return 0;
  clearNode(node, kind);
  if (!bytes) return node;
  const vector = behind ? node + NODE_SIZE : take(d, bytes);
  if (!vector) {
    give(d, node, NODE_SIZE);
    return 0;
  }
  const room = behind ? roundUp(NODE_SIZE + bytes) - NODE_SIZE : roundUp(bytes);
  if (behind) setRoom(node, room);
  if (kind == ARRAY) store<u32>(node, bytes >> 3, COUNT);
  store<u32>(node, room >> strideShift(kind), CAPACITY);
  store<u32>(node, <u32>vector, VECTOR);
  return node;
}

function adoptEntries(d: usize, node: usize, bytes: u32): bool {
  const found = bytes >> 4, bits = tableBits(load<u32>(node, CAPACITY)), vector = vectorOf(node);
  if (found > MOST_ENTRIES) { failWith(TOO_LARGE); return false; }
  if (adoptKnown(d, splitResult(), found, vector)) {
    store<u32>(node, found, COUNT);
    store<u32>(node, found, MEMBERS);
    return true;
  }
  const table = found > UNINDEXED ? newTable(d, bits) : 0;
  if (found > UNINDEXED && !table) { failWith(OUT_OF_MEMORY); return false; }
  let count: u32 = 0, loss: u32 = 0;
  const candidates = splitResult();
  for (let i: u32 = 0; i < found; i++) {
    const candidate = candidates + (<usize>i << 4), key = <usize>load<u32>(candidate), n = load<u32>(candidate, 4);
    let entry = table ? fileEntry(table, bits, vector, count, key, n) : findAmongFew(vector, count, key, n);
    if (entry) loss += n + 4 + load<u32>(entry, 12);
    else {
      entry = vector + (<usize>count << 4);
      count++;
      store<u64>(entry, load<u64>(candidate));
    }
    store<u64>(entry, load<u64>(candidate, 8), 8);
  }
  store<u32>(node, count, COUNT);
  store<u32>(node, count, MEMBERS);
  store<u32>(node, <u32>table, INDEX);
  if (table) store<u8>(node, bits, 1);
  shareKeys(d, vector, count);
  if (loss) {
    addSize(d, 0 - loss);
    duplicateLoss += loss;
  }
  return true;
}

function findAmongFew(vector: usize, count: u32, key: usize, n: u32): usize {
  for (let i: u32 = 0; i < count; i++) {
    const entry = vector + (<usize>i << 4);
    if (load<u32>(entry, 4) == n && equalBytes(load<u32>(entry), key, n)) return entry;
  }
  return 0;
}
