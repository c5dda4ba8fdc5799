// String contents between three spellings: JSON as it came, *canonical* (what `JSON.stringify` prints), plain UTF-8.
import { equalBits } from "./bitmap";
import { BLOCK, byteRun, copyBlock, escapableRun } from "./block";
import { hexFour, putHexEscape } from "./hex";
import { utf8Put } from "./utf8";

let stoppedAt: usize = 0;

// Copies up to the first backslash or the end; stoppedAt tells where.
// `d` may be `p` or lie below it: a block is stored whole only where it cannot reach text that is still to be read.
@inline function copyClean(p: usize, end: usize, d: usize): usize {
  while (p < end) {
    let n = byteRun(p, 0x5c);
    if (n > end - p) n = end - p;
    if (n == BLOCK || p - d >= BLOCK) copyBlock(d, p);
    else if (p != d) for (let i: usize = 0; i < n; i++) store<u8>(d + i, load<u8>(p + i));
    p += n; d += n;
    if (n < BLOCK) break;
  }
  stoppedAt = p;
  return d;
}

@inline function isHighHalf(unit: u32): bool { return (unit & 0xfc00) == 0xd800; }
@inline function isLowHalf(unit: u32): bool { return (unit & 0xfc00) == 0xdc00; }

/** Where the escape that was read last ends. */
export let escapeEnd: usize = 0;

// Code point of the \u escape at `p`; two halves count as one character, a lone half as itself.
function readUnicodeEscape(p: usize, end: usize): u32 {
  const unit = hexFour(p + 2);
  escapeEnd = p + 6;
  if (isHighHalf(unit) && end - p >= 12 && load<u16>(p, 6) == 0x755c) {
    const low = hexFour(p + 8);
    if (isLowHalf(low)) {
      escapeEnd = p + 12;
      return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
    }
  }
  return unit;
}

// the letter of the two-character escape of a control character, quote or backslash; 0 = it has none
function shortEscape(c: u32): u32 {
  if (c == 0x22 || c == 0x5c) return c;
  if (c == 8) return 0x62;
  if (c == 9) return 0x74;
  if (c == 10) return 0x6e;
  if (c == 12) return 0x66;
  if (c == 13) return 0x72;
  return 0;
}

/** Writes a control character, quote, backslash or lone half as `JSON.stringify` escapes it: at most 6 bytes. */
export function putEscaped(d: usize, codePoint: u32): usize {
  const letter = shortEscape(codePoint);
  if (!letter) return putHexEscape(d, codePoint);
  store<u16>(d, 0x5c | (letter << 8));
  return d + 2;
}

/** Writes the escape at `p` as `JSON.stringify` would; `escapeEnd` is the address behind what was read. Never longer. */
export function putCanonicalEscape(p: usize, end: usize, d: usize): usize {
  const e = <u32>load<u8>(p, 1);
  if (e == 0x75) {
    const c = readUnicodeEscape(p, end);
    if (c < 0x20 || c == 0x22 || c == 0x5c || (c & 0xfffff800) == 0xd800) return putEscaped(d, c);
    return utf8Put(d, c);
  }
  escapeEnd = p + 2;
  if (e == 0x2f) { store<u8>(d, 0x2f); return d + 1; }
  store<u16>(d, 0x5c | (e << 8));
  return d + 2;
}

/**
 * Validated JSON string contents [src, end) to the spelling `JSON.stringify` prints: only what must be escaped is,
 * two halves become one character, a lone half stays `\udxxx` in lower case. Never longer; `dst` <= `src` may overlap,
 * elsewhere 16 bytes of slack behind the output. Returns the end of the output.
 */
export function canonicalEscapes(src: usize, end: usize, dst: usize): usize {
  while (true) {
    dst = copyClean(src, end, dst);
    if (stoppedAt >= end) return dst;
    dst = putCanonicalEscape(stoppedAt, end, dst);
    src = escapeEnd;
  }
  return dst;
}

/** Validated JSON string contents to plain UTF-8 (lone halves as WTF-8). Never longer; overlap as in `canonicalEscapes`. */
export function unescape(src: usize, end: usize, dst: usize): usize {
  while (true) {
    dst = copyClean(src, end, dst);
    if (stoppedAt >= end) return dst;
    const e = <u32>load<u8>(stoppedAt, 1);
    if (e == 0x75) {
      dst = utf8Put(dst, readUnicodeEscape(stoppedAt, end));
      src = escapeEnd;
    } else {
      store<u8>(dst++, plainOf(e));
      src = stoppedAt + 2;
    }
  }
  return dst;
}

/** How far below a text `unescapeApart` must write. */
export const APART: u32 = 16;

/** `unescape` for texts that are full of escapes, to a place apart: at least APART bytes below `src`, or without overlap. Up to 15 bytes of slack behind the output. */
export function unescapeApart(src: usize, end: usize, dst: usize): usize {
  while (src < end) {
    const block = src, blockEnd = min<usize>(src + 64, end);
    let backslashes = equalBits(block, 0x5c);
    if (blockEnd - block < 64) backslashes &= (<u64>1 << <u64>(blockEnd - block)) - 1;
    while (backslashes) {
      const stop = block + <usize>ctz(backslashes);
      dst = copyRun(src, stop, dst);
      const e = <u32>load<u8>(stop, 1);
      if (e == 0x75) {
        dst = utf8Put(dst, readUnicodeEscape(stop, end));
        src = escapeEnd;
      } else {
        store<u8>(dst++, plainOf(e));
        src = stop + 2;
      }
      // what the escape has taken is none
      const taken = src - block;
      backslashes = taken < 64 ? backslashes & (<u64>-1 << <u64>taken) : 0;
    }
    if (src < blockEnd) {
      dst = copyRun(src, blockEnd, dst);
      src = blockEnd;
    }
  }
  return dst;
}

// Copies [p, end) in whole blocks; returns the end of the output.
@inline function copyRun(p: usize, end: usize, d: usize): usize {
  const stop = d + (end - p);
  do {
    copyBlock(d, p);
    p += BLOCK;
    d += BLOCK;
  } while (p < end);
  return stop;
}

// What the letter of a two-character escape stands for.
function plainOf(letter: u32): u32 {
  // quotes, backslashes and slashes stand for themselves and are by far the most
  if (letter < 0x62) return letter;
  if (letter == 0x6e) return 10;
  if (letter == 0x74) return 9;
  if (letter == 0x72) return 13;
  return letter == 0x62 ? 8 : 12;
}

/** Well-formed UTF-8 [src, end) to canonical JSON string contents, twice as long when it is JSON text; 16 bytes of slack behind the output. No overlap. */
export function escapeJson(src: usize, end: usize, dst: usize): usize {
  while (src < end) {
    const n = escapableRun(src);
    copyBlock(dst, src);
    if (n >= end - src) return dst + (end - src);
    src += n;
    dst += n;
    if (n < BLOCK) dst = putEscaped(dst, load<u8>(src++));
  }
  return dst;
}
