// Freed blocks. Small ones: one list per size class, linked through their first word {next}.
// Large ones: a single list in address order {size, next}, first fit, neighbours merged when given back.
import { CLASS_COUNT, LARGEST_CLASS, classOf, classSize } from "./size-class";

const heads: usize = memory.data(4 * 64);
const bins: usize = memory.data(4 * 32);
let large: usize = 0;
/** Bytes waiting in the class lists. */
export let smallFree: u32 = 0;

@inline function sizeOf(block: usize): u32 { return load<u32>(block); }
@inline function nextOf(block: usize): usize { return <usize>load<u32>(block, 4); }
@inline function write(block: usize, size: u32, next: usize): void { store<u32>(block, size); store<u32>(block, <u32>next, 4); }

/** A free block of class `c` (`size` bytes), or 0. */
@inline export function takeSmall(c: u32, size: u32): usize {
  const head = heads + (c << 2), block = <usize>load<u32>(head);
  if (block) { store<u32>(head, load<u32>(block)); smallFree -= size; }
  return block;
}

/** Gives a block of class `c` (`size` bytes) back. */
@inline export function giveSmall(block: usize, c: u32, size: u32): void {
  const head = heads + (c << 2);
  store<u32>(block, load<u32>(head));
  store<u32>(head, <u32>block);
  smallFree += size;
}

/** First fit among the large blocks; what is left over stays in the list. 0 when none is large enough. */
export function takeLarge(size: u32): usize {
  let previous: usize = 0, block = large;
  while (block) {
    const found = sizeOf(block);
    if (found >= size) {
      let rest = nextOf(block);
      if (found > size) { write(block + size, found - size, rest); rest = block + size; }
      if (previous) store<u32>(previous, <u32>rest, 4); else large = rest;
      return block;
    }
    previous = block; block = nextOf(block);
  }
  return 0;
}

/** Size of the block `takeWhole` returned. */
export let takenSize: u32 = 0;

/** First large block of at least `size` bytes, undivided (its size in `takenSize`), or 0. */
export function takeWhole(size: u32): usize {
  let previous: usize = 0, block = large;
  while (block) {
    if (sizeOf(block) >= size) { unlink(previous, block); return block; }
    previous = block; block = nextOf(block);
  }
  return 0;
}

/** The large block that ends exactly at `end`, undivided, or 0. Only the last block can. */
export function takeEndingAt(end: usize): usize {
  let previous: usize = 0, block = large;
  while (block) {
    const next = nextOf(block);
    if (!next) {
      if (block + sizeOf(block) != end) return 0;
      unlink(previous, block);
      return block;
    }
    previous = block; block = next;
  }
  return 0;
}

function unlink(previous: usize, block: usize): void {
  takenSize = sizeOf(block);
  const next = nextOf(block);
  if (previous) store<u32>(previous, <u32>next, 4); else large = next;
}

/** Gives `size` bytes (a multiple of 16) back to the large list. */
export function giveLarge(block: usize, size: u32): void { giveLargeAfter(0, block, size); }

// `from` is 0 or a listed block below `block`; returns the listed block that now holds `block`.
function giveLargeAfter(from: usize, block: usize, size: u32): usize {
  let previous = from, next = from ? nextOf(from) : large;
  while (next && next < block) { previous = next; next = nextOf(next); }
  if (next && block + size == next) { size += sizeOf(next); next = nextOf(next); }
  if (previous && previous + sizeOf(previous) == block) { write(previous, sizeOf(previous) + size, next); return previous; }
  write(block, size, next);
  if (previous) store<u32>(previous, <u32>block, 4); else large = block;
  return block;
}

/** Gives back a remainder of any size that is a multiple of 16: as a large block, or cut into classes. */
export function giveRest(block: usize, size: u32): void {
  if (size >= 1024) giveLarge(block, size); else carve(block, size);
}

function carve(block: usize, size: u32): void {
  while (size) {
    let c = classOf(min<u32>(size, LARGEST_CLASS));
    if (classSize(c) > size) c--;
    const part = classSize(c);
    giveSmall(block, c, part);
    block += part; size -= part;
  }
}

function mergeByAddress(a: usize, b: usize): usize {
  let head: usize = 0, tail: usize = 0;
  while (a && b) {
    const lower = min<usize>(a, b);
    if (lower == a) a = nextOf(a); else b = nextOf(b);
    if (tail) store<u32>(tail, <u32>lower, 4); else head = lower;
    tail = lower;
  }
  const rest = a ? a : b;
  if (tail) store<u32>(tail, <u32>rest, 4); else head = rest;
  return head;
}

/**
 * Merges neighbouring small blocks: runs of 1 KiB and more become large blocks, the others return to the class lists.
 * O(n log n) in the number of free blocks; only worth it when memory cannot grow any more.
 */
export function gatherSmall(): void {
  memory.fill(bins, 0, 4 * 32);
  for (let c: u32 = 1; c < CLASS_COUNT; c++) {
    const head = heads + (c << 2), size = classSize(c);
    let block = <usize>load<u32>(head);
    store<u32>(head, 0);
    while (block) {
      const following = <usize>load<u32>(block);
      write(block, size, 0);
      let sorted = block, bin = bins;
      while (load<u32>(bin)) { sorted = mergeByAddress(<usize>load<u32>(bin), sorted); store<u32>(bin, 0); bin += 4; }
      store<u32>(bin, <u32>sorted);
      block = following;
    }
  }
  let sorted: usize = 0;
  for (let i: u32 = 0; i < 32; i++) sorted = mergeByAddress(<usize>load<u32>(bins + (i << 2)), sorted);
  smallFree = 0;
  let last: usize = 0;
  while (sorted) {
    const start = sorted;
    let size = sizeOf(start);
    sorted = nextOf(start);
    while (sorted && sorted == start + size) { size += sizeOf(sorted); sorted = nextOf(sorted); }
    if (size >= 1024) last = giveLargeAfter(last, start, size); else carve(start, size);
  }
}
