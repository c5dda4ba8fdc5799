// State of one logical stream: its place in the timeline and its model.
import { alloc, free, roundUp } from "../../memory/heap";
import { clearForward, copyForward, equalBytes } from "../../memory/copy";
import { hashBytes } from "../../text/hash";
import { documentFree, documentSize } from "../../document/index";
import { L_VERSION } from "../change-log";
import { forgetRecalled } from "./recall";

// State, STATE_SIZE bytes. What a token touches stands together at the end, next to the stream's id: with many streams the cache decides.
//   0 skipped | 8 dropped | 16 order of ending (0 = not ended), all f64
//  24 shell ptr | 28 shell length | 32 hole of meta | 36 hole of blocks   (the model's text without the values of meta and blocks)
//  40 meta document | 44 blocks ptr | 48 count | 52 capacity | 56 index ptr (0 = none) | 60 index capacity
//  64 log of changes, LOG_SIZE bytes | 128 block used last | 132 size of the model as compact JSON
// 136 status u8 | 137 flags u8 | 138 whether blocks may be frames u8 | 140 number of the model u32 | 144 seq | 152 applied, f64
// 160 records of the blocks that came with the model | 164 bytes of them
export const S_SKIPPED: usize = 0, S_DROPPED: usize = 8, S_END_ORDER: usize = 16;
export const S_SHELL: usize = 24, S_SHELL_LENGTH: usize = 28, S_META_HOLE: usize = 32, S_BLOCKS_HOLE: usize = 36;
export const S_META: usize = 40, S_BLOCKS: usize = 44, S_COUNT: usize = 48, S_CAPACITY: usize = 52;
const S_INDEX: usize = 56, S_INDEX_CAPACITY: usize = 60;
export const S_LOG: usize = 64, S_VERSION: usize = S_LOG + L_VERSION;
export const S_LAST_BLOCK: usize = 128, S_SIZE: usize = 132, S_STATUS: usize = 136, S_FLAGS: usize = 137, S_FRAMES: usize = 138, S_MODEL: usize = 140, S_SEQ: usize = 144, S_APPLIED: usize = 152;
const S_RECORDS: usize = 160, S_RECORDS_SIZE: usize = 164;
export const STATE_SIZE: u32 = 168;

export const SEQ_KNOWN: u8 = 1;
export const IN_BURST: u8 = 2;
export const REFERENCES_ALLOWED: u8 = 4;

// Block, 52 B and the id behind it; here too what a token touches stands last:
//   0 flags | 4 hot field ptr | 8 hot field length | 12 stamp of the log + 1 while the record at 40 is to be extended (0: none is known)
//  16 hot field as one word (0: longer than 8 bytes), u64 | 24 hot chain (0 = none) | 28 epoch of the document they belong to | 32 document
//  36 number of the last change + 1 (0 = none) | 40 record of that change, which appends to the hot field, ptr | 44 hash | 48 id length
export const B_FLAGS: usize = 0, B_FIELD: usize = 4, B_FIELD_LENGTH: usize = 8, B_STAMP: usize = 12;
export const B_FIELD_WORD: usize = 16, B_CHAIN: usize = 24, B_EPOCH: usize = 28, B_DOCUMENT: usize = 32, B_CHANGE: usize = 36, B_RECORD: usize = 40;
export const B_HASH: usize = 44;
export const B_ID_LENGTH: usize = 48, B_ID: usize = 52;
export const IS_REFERENCE: u32 = 1;
/** Only noted where patches of blocks in frames are refused; then higher bits say of which block (frames.ts). */
export const MAY_BE_FRAME: u32 = 2;

/** From this many blocks on they are found by hash. */
const INDEX_FROM: u32 = 8;

@inline function blockSize(idLength: u32): u32 { return <u32>B_ID + idLength + 16; }

/** A block around a document; `hash` = hashBytes of the id. 0 = out of memory. */
export function newBlock(id: usize, n: u32, hash: u32, document: usize, flags: u32): usize {
  const b = alloc(blockSize(n));
  if (!b) return 0;
  writeBlock(b, id, n, hash, document, flags);
  return b;
}

function writeBlock(b: usize, id: usize, n: u32, hash: u32, document: usize, flags: u32): void {
  clearForward(b, <u32>B_ID);
  store<u32>(b, n, B_ID_LENGTH);
  store<u32>(b, hash, B_HASH);
  store<u32>(b, flags, B_FLAGS);
  store<u32>(b, <u32>document, B_DOCUMENT);
  copyForward(b + B_ID, id, n);
}

/** Bytes of the record of a block with an id of `n` bytes among those that come with a model. */
@inline export function recordSize(n: u32): u32 { return (<u32>B_ID + n + 31) & ~15; }

/** The next block of a model for whose blocks `roomForBlocks` has made room. */
export function placeBlock(s: usize, id: usize, n: u32, hash: u32, document: usize, flags: u32): usize {
  const count = load<u32>(s, S_COUNT), last = count ? <usize>load<u32>(<usize>load<u32>(s, S_BLOCKS) + (<usize>(count - 1) << 2)) : 0;
  const b = last ? last + recordSize(load<u32>(last, B_ID_LENGTH)) : <usize>load<u32>(s, S_RECORDS);
  writeBlock(b, id, n, hash, document, flags);
  addBlock(s, b);
  return b;
}

/** Gives the record that `newBlock` made back, not its document. */
export function freeBlockRecord(b: usize): void {
  forgetRecalled();
  free(b, blockSize(load<u32>(b, B_ID_LENGTH)));
}

/** The block of that id, 0 when there is none. */
export function findBlock(s: usize, id: usize, n: u32): usize {
  const last = <usize>load<u32>(s, S_LAST_BLOCK);
  if (last && load<u32>(last, B_ID_LENGTH) == n && equalBytes(last + B_ID, id, n)) return last;
  return findOtherBlock(s, id, n);
}

/** `findBlock` when it is known not to be the one used last. */
export function findOtherBlock(s: usize, id: usize, n: u32): usize {
  const b = lookUp(s, id, n, hashBytes(id, n));
  if (b) store<u32>(s, <u32>b, S_LAST_BLOCK);
  return b;
}

function lookUp(s: usize, id: usize, n: u32, hash: u32): usize {
  const blocks = <usize>load<u32>(s, S_BLOCKS), index = <usize>load<u32>(s, S_INDEX);
  if (!index) {
    const count = load<u32>(s, S_COUNT);
    for (let i: u32 = 0; i < count; i++) {
      const b = <usize>load<u32>(blocks + (i << 2));
      if (load<u32>(b, B_HASH) == hash && load<u32>(b, B_ID_LENGTH) == n && equalBytes(b + B_ID, id, n)) return b;
    }
    return 0;
  }
  const mask = load<u32>(s, S_INDEX_CAPACITY) - 1;
  let i = hash & mask;
  while (true) {
    const b = <usize>load<u32>(index + (i << 2));
    if (!b) return 0;
    if (load<u32>(b, B_HASH) == hash && load<u32>(b, B_ID_LENGTH) == n && equalBytes(b + B_ID, id, n)) return b;
    i = (i + 1) & mask;
  }
  return 0;
}

/** Makes room for `count` blocks with records of `bytes` in a state that has none; false = out of memory, and `freeModel` gives back what was made. */
export function roomForBlocks(s: usize, count: u32, bytes: u32): bool {
  if (!count) return true;
  const records = alloc(bytes);
  if (!records) return false;
  store<u32>(s, <u32>records, S_RECORDS);
  store<u32>(s, bytes, S_RECORDS_SIZE);
  const size = roundUp(count << 2), blocks = alloc(size);
  if (!blocks) return false;
  store<u32>(s, <u32>blocks, S_BLOCKS);
  store<u32>(s, size >> 2, S_CAPACITY);
  if (count <= INDEX_FROM) return true;
  let slots: u32 = 16;
  while (slots < count << 1) slots <<= 1;
  const index = alloc(slots << 2);
  if (!index) return false;
  memory.fill(index, 0, slots << 2);
  store<u32>(s, <u32>index, S_INDEX);
  store<u32>(s, slots, S_INDEX_CAPACITY);
  return true;
}

/** Bytes of new memory that `addBlock` may ask for: a vector half as large again (6 each) and an index of at most 4 slots each (16). */
export function addBlockNeeds(s: usize): u32 { return (load<u32>(s, S_COUNT) + 8) * 24; }

/** Appends a block; memory for `addBlockNeeds` bytes was reserved, or `roomForBlocks` has made room, so it cannot fail. */
export function addBlock(s: usize, b: usize): void {
  const count = load<u32>(s, S_COUNT), capacity = load<u32>(s, S_CAPACITY);
  if (count == capacity) {
    const size = roundUp((count < 4 ? 4 : count + (count >> 1)) << 2);
    const grown = alloc(size);
    if (count) {
      memory.copy(grown, load<u32>(s, S_BLOCKS), count << 2);
      free(load<u32>(s, S_BLOCKS), capacity << 2);
    }
    store<u32>(s, <u32>grown, S_BLOCKS);
    store<u32>(s, size >> 2, S_CAPACITY);
  }
  store<u32>(<usize>load<u32>(s, S_BLOCKS) + (count << 2), <u32>b);
  store<u32>(s, count + 1, S_COUNT);
  if (load<u32>(s, S_INDEX) ? (count + 1) * 4 > load<u32>(s, S_INDEX_CAPACITY) * 3 : count + 1 > INDEX_FROM) rebuildIndex(s);
  else if (load<u32>(s, S_INDEX)) putIndex(s, b);
}

function putIndex(s: usize, b: usize): void {
  const index = <usize>load<u32>(s, S_INDEX), mask = load<u32>(s, S_INDEX_CAPACITY) - 1;
  let i = load<u32>(b, B_HASH) & mask;
  while (load<u32>(index + (i << 2))) i = (i + 1) & mask;
  store<u32>(index + (i << 2), <u32>b);
}

function rebuildIndex(s: usize): void {
  const count = load<u32>(s, S_COUNT);
  if (load<u32>(s, S_INDEX)) free(load<u32>(s, S_INDEX), load<u32>(s, S_INDEX_CAPACITY) << 2);
  let capacity: u32 = 16;
  while (capacity < count << 1) capacity <<= 1;
  const index = alloc(capacity << 2);
  memory.fill(index, 0, capacity << 2);
  store<u32>(s, <u32>index, S_INDEX);
  store<u32>(s, capacity, S_INDEX_CAPACITY);
  const blocks = <usize>load<u32>(s, S_BLOCKS);
  for (let i: u32 = 0; i < count; i++) putIndex(s, load<u32>(blocks + (i << 2)));
}

/** Gives the model's memory back; counters and place in the timeline stay. */
export function freeModel(s: usize): void {
  const count = load<u32>(s, S_COUNT), blocks = <usize>load<u32>(s, S_BLOCKS);
  const records = <usize>load<u32>(s, S_RECORDS), recordBytes = load<u32>(s, S_RECORDS_SIZE);
  for (let i: u32 = 0; i < count; i++) {
    const b = <usize>load<u32>(blocks + (i << 2));
    documentFree(load<u32>(b, B_DOCUMENT));
    // those that came with the model go with it
    if (<u32>(b - records) >= recordBytes) freeBlockRecord(b);
  }
  if (load<u32>(s, S_CAPACITY)) free(blocks, load<u32>(s, S_CAPACITY) << 2);
  if (load<u32>(s, S_INDEX)) free(load<u32>(s, S_INDEX), load<u32>(s, S_INDEX_CAPACITY) << 2);
  if (load<u32>(s, S_META)) documentFree(load<u32>(s, S_META));
  if (load<u32>(s, S_SHELL)) free(load<u32>(s, S_SHELL), load<u32>(s, S_SHELL_LENGTH) + 16);
  if (records) {
    forgetRecalled();
    free(records, recordBytes);
  }
  memory.fill(s + S_SHELL, 0, S_LOG - S_SHELL);
  store<u64>(s, 0, S_RECORDS);
  store<u64>(s, 0, S_LAST_BLOCK);
  store<u8>(s, 0, S_FRAMES);
}

/** Hands the model of a state over to another one, which has none; the first one is forgotten. */
export function moveModel(from: usize, to: usize): void {
  memory.copy(to + S_SHELL, from + S_SHELL, S_LOG - S_SHELL);
  store<u64>(to, load<u64>(from, S_RECORDS), S_RECORDS);
  // block used last and size
  store<u64>(to, load<u64>(from, S_LAST_BLOCK), S_LAST_BLOCK);
  store<u8>(to, load<u8>(from, S_FRAMES), S_FRAMES);
}

/** Adds to the model's size what a document has grown since `before`. */
@inline export function noteSize(s: usize, document: usize, before: u32): void {
  store<u32>(s, load<u32>(s, S_SIZE) + documentSize(document) - before, S_SIZE);
}
