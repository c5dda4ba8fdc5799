// Scanners. Text is followed by a NUL sentinel and at least 64 readable bytes, so none of them checks for the end.
import { BLOCK, byteRun, eitherRun, stringRun } from "./block";
import { hexValue } from "./hex";
import { skipNonAscii } from "./utf8";

/** The string holds a backslash. */
export const HAS_ESCAPE: u32 = 1;
/** The string holds a character above U+007F, written as such. */
export const HAS_NON_ASCII: u32 = 2;
/** The string holds `\u` or `\/`: it may not be in the spelling `JSON.stringify` prints. */
export const HAS_LOOSE_ESCAPE: u32 = 4;

/** Bit e - 0x5c is set for `\\` and the letters b f n r t. */
export const LETTERS: u32 = 1 | (1 << 6) | (1 << 10) | (1 << 18) | (1 << 22) | (1 << 24);

/** What the scanned strings held; scanners set bits and never clear them. */
export let scanFlags: u32 = 0;

/** Sets or clears the flags. */
@inline export function setScanFlags(flags: u32): void { scanFlags = flags; }

/** UTF-16 code units of the string that was scanned last, when it holds more than plain characters and ends in its first block; else 0. */
export let scanUnits: u32 = 0;

// A string that ends in the block at `p`, judged without loops: token-sized texts with one escape or one foreign character cost as much in
// mispredicted branches elsewhere as ten plain ones. 0: it is longer, not valid, or holds what is rare.
@inline function scanBlock(p: usize): usize {
  const v = v128.load(p), backslashes = <u32>i8x16.bitmask(i8x16.eq(v, i8x16.splat(0x5c)));
  const quote = i8x16.eq(v, i8x16.splat(0x22)), quotes = <u32>i8x16.bitmask(quote);
  // every second backslash of a run is escaped itself
  const escaped = (((backslashes << 1) | 0xaaaaaaaa) - backslashes) ^ 0xaaaaaaaa ^ backslashes, closing = quotes & ~escaped;
  if (!closing) return 0;
  const n = <u32>ctz(closing), below: u32 = (1 << n) - 1;
  const controls = <u32>i8x16.bitmask(i8x16.lt_u(v, i8x16.splat(0x20)));
  const letters = v128.or(
    v128.or(v128.or(i8x16.eq(v, i8x16.splat(0x6e)), i8x16.eq(v, i8x16.splat(0x74))), v128.or(i8x16.eq(v, i8x16.splat(0x72)), quote)),
    v128.or(v128.or(i8x16.eq(v, i8x16.splat(0x62)), i8x16.eq(v, i8x16.splat(0x66))), i8x16.eq(v, i8x16.splat(0x5c))));
  const escapes = escaped & below, high = <u32>i8x16.bitmask(v) & below;
  const continuations = <u32>i8x16.bitmask(i8x16.lt_s(v, i8x16.splat(-64))) & below, leads = high ^ continuations;
  const threes = <u32>i8x16.bitmask(i8x16.ge_u(v, i8x16.splat(<i8>0xe0))) & below, fours = <u32>i8x16.bitmask(i8x16.ge_u(v, i8x16.splat(<i8>0xf0))) & below;
  // C0 and C1 are no leads; behind E0, ED, F4 not every continuation may follow: left to the loop. Behind F0 it is 90 and above.
  const rare = <u32>i8x16.bitmask(v128.or(v128.or(i8x16.eq(v, i8x16.splat(<i8>0xe0)), i8x16.eq(v, i8x16.splat(<i8>0xed))), i8x16.ge_u(v, i8x16.splat(<i8>0xf4))))
    | (leads & <u32>i8x16.bitmask(i8x16.lt_u(v, i8x16.splat(<i8>0xc2))))
    | (<u32>i8x16.bitmask(i8x16.eq(v, i8x16.splat(<i8>0xf0))) << 1 & <u32>i8x16.bitmask(i8x16.lt_s(v, i8x16.splat(-112))));
  if (((controls | rare) & below) | (escapes & ~<u32>i8x16.bitmask(letters)) | (continuations ^ (leads << 1 | threes << 2 | fours << 3))) return 0;
  scanFlags |= (escapes ? HAS_ESCAPE : 0) | (high ? HAS_NON_ASCII : 0);
  scanUnits = n - <u32>popcnt(escapes | continuations) + <u32>popcnt(fours);
  return p + n;
}

/**
 * From behind an opening quote to the closing one; 0 when the string is not valid (RFC 8259 §7: control character,
 * bad escape; ill-formed UTF-8; the sentinel).
 */
export function scanString(p: usize): usize {
  let flags: u32 = 0;
  if (ASC_FEATURE_SIMD) {
    const end = scanBlock(p);
    if (end) return end;
  }
  scanUnits = 0;
  while (true) {
    const run = stringRun(p);
    if (run == BLOCK) { p += BLOCK; continue; }
    p += run;
    const c = <u32>load<u8>(p);
    if (c == 0x22) { scanFlags |= flags; return p; }
    if (c == 0x5c) {
      const e = <u32>load<u8>(p, 1);
      if (e == 0x75) {
        if (!areHex(p + 2)) return 0;
        flags |= HAS_ESCAPE | HAS_LOOSE_ESCAPE;
        p += 6;
        continue;
      }
      if (e - 0x5c < 25 ? !((LETTERS >> (e - 0x5c)) & 1) : e != 0x22) {
        if (e != 0x2f) return 0;
        flags |= HAS_LOOSE_ESCAPE;
      }
      flags |= HAS_ESCAPE;
      p += 2;
      continue;
    }
    if (c < 0x20) return 0;
    flags |= HAS_NON_ASCII;
    p = skipNonAscii(p);
    if (!p) return 0;
  }
  return 0;
}

/** Whether four hexadecimal digits stand at `p`. */
@inline export function areHex(p: usize): bool {
  return (hexValue(load<u8>(p)) | hexValue(load<u8>(p, 1)) | hexValue(load<u8>(p, 2)) | hexValue(load<u8>(p, 3))) < 16;
}

/** `scanString` with the first block in line: most keys and ids end there. */
@inline export function scanStringShort(p: usize): usize {
  const run = stringRun(p), q = p + run;
  // a quote right behind the block ends the string just as well
  return load<u8>(q) == 0x22 ? q : scanString(p);
}

/** From behind an opening quote to the closing one in validated text. */
@inline export function stringEnd(p: usize): usize {
  while (true) {
    const run = eitherRun(p, 0x22, 0x5c);
    if (run == BLOCK) { p += BLOCK; continue; }
    p += run;
    if (load<u8>(p) == 0x22) break;
    p += 2;
  }
  return p;
}

@inline function isDigit(c: u32): bool { return c - 48 < 10; }

/** Behind the JSON number at `p`, or 0 when there is none (RFC 8259 §6). What follows the number is not looked at. */
export function skipNumber(p: usize): usize { return numberEnd(p); }

/** `skipNumber` in line. */
@inline export function numberEnd(p: usize): usize {
  let c = <u32>load<u8>(p);
  if (c == 0x2d) c = load<u8>(++p);
  if (c == 0x30) c = load<u8>(++p);
  else if (isDigit(c)) { do c = load<u8>(++p); while (isDigit(c)); }
  else return 0;
  if (c == 0x2e) {
    c = load<u8>(++p);
    if (!isDigit(c)) return 0;
    do c = load<u8>(++p); while (isDigit(c));
  }
  if ((c | 32) == 0x65) {
    c = load<u8>(++p);
    if (c == 0x2b || c == 0x2d) c = load<u8>(++p);
    if (!isDigit(c)) return 0;
    do c = load<u8>(++p); while (isDigit(c));
  }
  return p;
}

/** First `byte` in [p, end), or 0. */
export function findByte(p: usize, end: usize, byte: u8): usize {
  while (p < end) {
    const run = byteRun(p, byte);
    if (run < BLOCK) { p += run; return p < end ? p : 0; }
    p += BLOCK;
  }
  return 0;
}

/** First LF or CR in [p, end), or 0. */
export function findLineEnd(p: usize, end: usize): usize {
  while (p < end) {
    const run = eitherRun(p, 0x0a, 0x0d);
    if (run < BLOCK) { p += run; return p < end ? p : 0; }
    p += BLOCK;
  }
  return 0;
}
