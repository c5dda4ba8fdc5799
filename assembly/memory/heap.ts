// The allocator of the core: see MEMORY.md for the map. Fresh blocks are cut from one open region [bump, limit);
// freed blocks wait in lists. Every block is charged to the current account.
import { LARGEST_BLOCK, LARGEST_CLASS, classOf, classSize, roundUp } from "./size-class";
import { gatherSmall, giveLarge, giveRest, giveSmall, smallFree, takeEndingAt, takeLarge, takeSmall, takeWhole, takenSize } from "./free-lists";

export { roundDown, roundUp } from "./size-class";

/** Bytes at the end of memory that are never handed out, so that block-wise reads behind a buffer cannot trap. */
const GUARD: u32 = 256;
const MIN_GROWTH_PAGES: u32 = 16;
/** 65,536 pages would make the end of memory wrap to 0. */
const MOST_PAGES: u32 = 65535;

const ownAccount: usize = memory.data(16);
let bump: usize = 0;
let limit: usize = 0;
let live: u32 = 0;
let pageLimit: u32 = MOST_PAGES;
let gatheredAt: u32 = 0;

/** Address of the u32 counter that pays for allocations and is credited by frees. Never 0. */
export let account: usize = ownAccount;

/** Makes `p` (address of a u32 counter; 0 = the heap's own) the current account and returns the previous one. */
export function setAccount(p: usize): usize {
  const previous = account;
  account = p ? p : ownAccount;
  return previous;
}

/** Starts the heap; later calls change nothing. `maxPages` limits the memory in 64 KiB pages, 0 = no own limit. */
export function heapInit(maxPages: u32): void {
  if (bump) return;
  bump = (__heap_base + 63) & ~63;
  limit = memoryEnd();
  heapSetLimit(maxPages);
}

/** Sets the limit in 64 KiB pages (0 = none). Memory already held stays held. */
export function heapSetLimit(maxPages: u32): void {
  pageLimit = maxPages ? min<u32>(maxPages, MOST_PAGES) : MOST_PAGES;
}

/** Bytes in blocks handed out and not yet freed. */
export function liveBytes(): u32 { return live; }

/** Bytes of linear memory held. */
export function heldBytes(): u32 { return <u32>memory.size() << 16; }

@inline function memoryEnd(): usize { return (<usize>memory.size() << 16) - GUARD; }

/**
 * After `true`, allocations of together at most `bytes` (each counted as `roundUp(n)`) cannot fail.
 * `false` = out of memory, nothing changed.
 */
export function reserve(bytes: u32): bool {
  if (limit - bump >= <usize>bytes) return true;
  return openRegion(bytes);
}

/** A block of `n` bytes, aligned to 16; 0 = out of memory. Its contents are undefined. */
export function alloc(n: u32): usize {
  if (n > LARGEST_CLASS) return allocLarge(n);
  const c = classOf(n), size = classSize(c);
  let block = takeSmall(c, size);
  if (!block) {
    if (limit - bump < <usize>size && !openRegion(size)) return 0;
    block = bump;
    bump += size;
  }
  charge(size);
  return block;
}

function allocLarge(n: u32): usize {
  if (n > LARGEST_BLOCK) return 0;
  const size = roundUp(n);
  let block = takeLarge(size);
  if (!block) {
    if (limit - bump < <usize>size && !openRegion(size)) return 0;
    block = bump;
    bump += size;
  }
  charge(size);
  return block;
}

/** Gives a block back; `n` is what was asked for, or `roundUp` of it. */
export function free(p: usize, n: u32): void {
  if (n > LARGEST_CLASS) {
    const size = roundUp(n);
    charge(0 - size);
    giveLarge(p, size);
    return;
  }
  const c = classOf(n), size = classSize(c);
  charge(0 - size);
  giveSmall(p, c, size);
}

/** Charges the current account for a share (`size` bytes) of a block that others pay for as well; `free` credits it. */
@inline export function chargeShare(size: u32): void { store<u32>(account, load<u32>(account) + size); }

/** Credits the current account for a share given up while others keep the block. */
@inline export function creditShare(size: u32): void { store<u32>(account, load<u32>(account) - size); }

@inline function charge(size: u32): void {
  live += size;
  store<u32>(account, load<u32>(account) + size);
}

// Makes [bump, limit) hold `bytes`: a freed large block first, fresh pages next, merged small blocks last.
function openRegion(bytes: u32): bool {
  if (bytes > LARGEST_BLOCK) return false;
  if (useFreed(bytes) || grow(bytes)) return true;
  // Merging is slow: try again only after a fair amount was freed since it last helped nobody.
  if (smallFree < bytes || smallFree - min<u32>(gatheredAt, smallFree) < heldBytes() >> 6) return false;
  closeRegion();
  gatherSmall();
  gatheredAt = smallFree;
  return useFreed(bytes);
}

function closeRegion(): void {
  giveRest(bump, <u32>(limit - bump));
  limit = bump;
}

function useFreed(bytes: u32): bool {
  const block = takeWhole(bytes);
  if (!block) return false;
  const size = takenSize;
  closeRegion();
  bump = block;
  limit = block + size;
  return true;
}

// The region at the end of memory is lengthened; a freed block that lies right below it becomes a part of it.
function grow(bytes: u32): bool {
  const end = memoryEnd(), pages = <u32>memory.size(), isLast = limit == end;
  const tail = isLast ? bump : end, freed = takeEndingAt(tail), start = freed ? freed : tail;
  const has = <u32>(end - start);
  if (has < bytes) {
    const most = pageLimit > pages ? pageLimit - pages : 0;
    const needed = (bytes - has + 0xffff) >> 16;
    const wanted = min<u32>(max<u32>(needed, max<u32>(MIN_GROWTH_PAGES, pages >> 4)), most);
    if (needed > most || (memory.grow(wanted) < 0 && memory.grow(needed) < 0)) {
      if (freed) giveLarge(freed, <u32>(tail - freed));
      return false;
    }
  }
  if (!isLast) closeRegion();
  bump = start;
  limit = memoryEnd();
  return true;
}
