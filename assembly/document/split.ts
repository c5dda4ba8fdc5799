// The members or elements of a container text, found through 64-byte bitmaps: a block that cannot come back to the top
// level is skipped after counting its brackets.
import { bracketBits, equalBits, escapeCarry, escapedBits, prefixXor, resetEscapeCarry } from "../text/bitmap";
import { alloc, free, setAccount } from "../memory/heap";
import { stringEnd } from "../text/scan";

const FIRST_SIZE: u32 = 16384;
/** A larger scratch area is given back after use. */
const KEPT_SIZE: u32 = 65536;
/** Most that one 64-byte block can add: 64 entries of 16 bytes. */
const BLOCK_ROOM: usize = 1024 + 64;

let scratch: usize = 0;
let scratchSize: u32 = 0;

/** Where the slots (arrays) or entries (objects) of the last split stand. */
@inline export function splitResult(): usize { return scratch; }

// Moves the scratch area to a larger block; returns the new write position or 0. It belongs to no document.
function growScratch(at: usize): usize {
  const used = <u32>(at - scratch), size = max<u32>(scratchSize << 1, FIRST_SIZE);
  const account = setAccount(0);
  const block = alloc(size);
  if (block && scratchSize) {
    memory.copy(block, scratch, used);
    free(scratch, scratchSize);
  }
  setAccount(account);
  if (!block) return 0;
  scratch = block;
  scratchSize = size;
  return block + used;
}

/** Gives an unusually large scratch area back. */
export function releaseSplit(): void {
  if (scratchSize > KEPT_SIZE) trimSplit();
}

/** Gives the scratch area back. */
export function trimSplit(): void {
  if (!scratchSize) return;
  const account = setAccount(0);
  free(scratch, scratchSize);
  setAccount(account);
  scratch = 0;
  scratchSize = 0;
}

@inline function putElement(at: usize, start: usize, end: usize): usize {
  store<u32>(at, <u32>start);
  store<u32>(at, <u32>(end - start), 4);
  return at + 8;
}

@inline function putEntry(at: usize, start: usize, end: usize): usize {
  const keyEnd = stringEnd(start + 1);
  store<u32>(at, <u32>start + 1);
  store<u32>(at, <u32>(keyEnd - start) - 1, 4);
  store<u32>(at, <u32>keyEnd + 2, 8);
  store<u32>(at, <u32>(end - keyEnd) - 2, 12);
  return at + 16;
}

/**
 * Splits the inside of a container, [p, end), not empty, canonical compact text, at its commas. Returns the bytes of
 * slots or entries at `splitResult()`, 0 = out of memory.
 */
export function split(p: usize, end: usize, isObject: bool): u32 {
  let at = scratch, start = p, depth: u32 = 0, inString: u64 = 0;
  resetEscapeCarry();
  while (p < end) {
    const backslashes = equalBits(p, 0x5c);
    let quotes = equalBits(p, 0x22);
    if (backslashes | escapeCarry) quotes &= ~escapedBits(backslashes);
    const strings = prefixXor(quotes) ^ inString;
    inString = <u64>(<i64>strings >> 63);
    let outside = ~strings;
    if (end - p < 64) outside &= (<u64>1 << <u64>(end - p)) - 1;
    const opens = bracketBits(p, 0x7b) & outside, closes = bracketBits(p, 0x7d) & outside;
    const closing = <u32>popcnt(closes);
    if (depth > closing) { depth += <u32>popcnt(opens) - closing; p += 64; continue; }
    const commas = equalBits(p, 0x2c) & outside, brackets = opens | closes;
    if (at + BLOCK_ROOM > scratch + scratchSize) {
      at = growScratch(at);
      if (!at) return 0;
    }
    let marks = brackets | commas;
    if (!brackets && depth) marks = 0;
    while (marks) {
      const bit = marks & (0 - marks);
      if (bit & commas) {
        if (!depth) {
          const comma = p + <usize>ctz(bit);
          at = isObject ? putEntry(at, start, comma) : putElement(at, start, comma);
          start = comma + 1;
        }
      } else if (bit & opens) depth++;
      else depth--;
      marks ^= bit;
    }
    p += 64;
  }
  at = isObject ? putEntry(at, start, end) : putElement(at, start, end);
  return <u32>(at - scratch);
}
