// From text to a node, one level at a time. Repeated members are resolved here: last value, first place.
import { copyForward, equalBytes } from "../memory/copy";
import { roundUp } from "../memory/heap";
import {
  ARRAY, CAPACITY, CHAIN, COUNT, INDEX, MEMBERS, NODE, NODE_SIZE, OBJECT, OUT_OF_MEMORY, TOO_LARGE, VECTOR, WORK,
  addSize, clearFault, failWith, kindOf,
} from "./layout";
import { MOST_ENTRIES, UNINDEXED, fileEntry, newTable, tableBits } from "./index-table";
import { give, take } from "./piece";
import { releaseSplit, split, splitResult } from "./split";

/** Bytes that resolving repeated members took off documents since the edit began. */
export let duplicateLoss: u32 = 0;
@inline export function forgetDuplicateLoss(): void { duplicateLoss = 0; }

/** A zeroed node; 0 = out of memory. */
export function newNode(d: usize, kind: u32): usize {
  const node = take(d, NODE_SIZE);
  if (node) {
    memory.fill(node, 0, NODE_SIZE);
    store<u32>(node, kind);
  }
  return node;
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
  const node = newNode(d, isObject ? OBJECT : ARRAY);
  if (!node) failWith(OUT_OF_MEMORY);
  else if (bytes && !(isObject ? adoptEntries(d, node, bytes) : adoptElements(d, node, bytes))) {
    give(d, node, NODE_SIZE);
    releaseSplit();
    return 0;
  }
  releaseSplit();
  if (!node) return 0;
  store<u32>(slot, <u32>node);
  store<u32>(slot, NODE, 4);
  store<u32>(d, load<u32>(d, WORK) + (n >> 4), WORK);
  return node;
}

function adoptElements(d: usize, node: usize, bytes: u32): bool {
  const vector = take(d, bytes);
  if (!vector) { failWith(OUT_OF_MEMORY); return false; }
  // block-wise copies stay inside: every block size is a multiple of 16
  copyForward(vector, splitResult(), bytes);
  store<u32>(node, bytes >> 3, COUNT);
  store<u32>(node, roundUp(bytes) >> 3, CAPACITY);
  store<u32>(node, <u32>vector, VECTOR);
  return true;
}

function adoptEntries(d: usize, node: usize, bytes: u32): bool {
  const found = bytes >> 4, capacity = roundUp(bytes) >> 4, bits = tableBits(capacity);
  if (found > MOST_ENTRIES) { failWith(TOO_LARGE); return false; }
  const vector = take(d, bytes), table = found > UNINDEXED && vector ? newTable(d, bits) : 0;
  if (!vector || (found > UNINDEXED && !table)) {
    if (vector) give(d, vector, bytes);
    failWith(OUT_OF_MEMORY);
    return false;
  }
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
  store<u32>(node, capacity, CAPACITY);
  store<u32>(node, <u32>vector, VECTOR);
  store<u32>(node, <u32>table, INDEX);
  if (table) store<u8>(node, bits, 1);
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
