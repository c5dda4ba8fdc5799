// Validated JSON to compact canonical text: no white space, strings as `JSON.stringify` prints them.
import { bracketBits, equalBits, escapeCarry, escapedBits, prefixXor, resetEscapeCarry, spaceBits } from "./bitmap";
import { copyForward } from "../memory/copy";
import { canonicalEscapes, escapeEnd, putCanonicalEscape } from "./escape";
import { stringEnd } from "./scan";
import { skipScalar } from "./trusted";

/** Address behind the value that `canonicalize` read. */
export let canonicalizeEnd: usize = 0;

// A run moves down or stays; over-copying is allowed only where it cannot reach text that is still to be read.
@inline function moveRun(dst: usize, src: usize, n: u32): void {
  const gap = src - dst;
  if (gap >= 16) copyForward(dst, src, n);
  else if (gap) memory.copy(dst, src, n);
}

/**
 * Copies the validated value at `src` (no white space before it) to `dst` in canonical form and returns the end of the
 * output, which is never longer than the input; `canonicalizeEnd` is the address behind the value. `dst` <= `src` may
 * overlap; elsewhere 16 bytes of slack behind the output.
 */
export function canonicalize(src: usize, dst: usize): usize {
  const c = <u32>load<u8>(src);
  if ((c | 0x20) == 0x7b) return container(src, dst);
  if (c == 0x22) {
    const end = stringEnd(src + 1);
    canonicalizeEnd = end + 1;
    store<u8>(dst, 0x22);
    dst = canonicalEscapes(src + 1, end, dst + 1);
    store<u8>(dst, 0x22);
    return dst + 1;
  }
  const end = skipScalar(src), n = <u32>(end - src);
  canonicalizeEnd = end;
  moveRun(dst, src, n);
  return dst + n;
}

// Runs between events are copied. Events of a 64-byte block: white space begins or ends outside of a string, an
// escape that may be spelt otherwise (\u, \/) inside of one. Blocks without an event cost no more than counting brackets.
function container(src: usize, dst: usize): usize {
  let run = src, p = src, depth: u32 = 0, inString: u64 = 0, inSpace: u64 = 0;
  resetEscapeCarry();
  while (true) {
    const backslashes = equalBits(p, 0x5c);
    let quotes = equalBits(p, 0x22), escapes: u64 = 0;
    if (backslashes | escapeCarry) {
      const escaped = escapedBits(backslashes);
      quotes &= ~escaped;
      escapes = escaped & (equalBits(p, 0x75) | equalBits(p, 0x2f));
    }
    const strings = prefixXor(quotes) ^ inString;
    inString = <u64>(<i64>strings >> 63);
    const opens = bracketBits(p, 0x7b) & ~strings, closes = bracketBits(p, 0x7d) & ~strings;
    const closing = <u32>popcnt(closes);
    let valid: u64 = ~0, end: usize = 0;
    if (closing < depth) depth += <u32>popcnt(opens) - closing;
    else {
      let brackets = opens | closes;
      while (brackets) {
        const bit = brackets & (0 - brackets);
        if (opens & bit) depth++;
        else if (--depth == 0) { valid = bit | (bit - 1); end = p + <usize>ctz(bit) + 1; break; }
        brackets ^= bit;
      }
    }
    const spaces = spaceBits(p) & ~strings, shifted = (spaces << 1) | inSpace;
    inSpace = spaces >> 63;
    const starts = spaces & ~shifted;
    let events = ((spaces ^ shifted) | escapes) & valid;
    while (events) {
      const bit = events & (0 - events), at = p + <usize>ctz(bit);
      events ^= bit;
      if (escapes & bit) {
        // the second half of a pair was read with the first
        if (at < run) continue;
        const n = <u32>(at - 1 - run);
        moveRun(dst, run, n);
        dst = putCanonicalEscape(at - 1, ~0, dst + n);
        run = escapeEnd;
      } else if (starts & bit) {
        const n = <u32>(at - run);
        moveRun(dst, run, n);
        dst += n;
      } else run = at;
    }
    if (end) {
      const n = <u32>(end - run);
      moveRun(dst, run, n);
      canonicalizeEnd = end;
      return dst + n;
    }
    p += 64;
  }
  return dst;
}
