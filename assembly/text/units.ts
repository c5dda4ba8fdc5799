// UTF-16 lengths of canonical text, and the surrogate halves at its ends.
import { BLOCK, byteRun } from "./block";

const HIGH: u64 = 0x8080808080808080;

// Marks of up to BLOCK bytes: characters begin at bytes that are no continuation, and 0xF0 and above begin two units.
@inline function unitsIn(p: usize, n: usize): u32 {
  if (ASC_FEATURE_SIMD) {
    const v = v128.load(p);
    const mask: u32 = (1 << <u32>n) - 1;
    return <u32>popcnt<u32>(i8x16.bitmask(i8x16.gt_s(v, i8x16.splat(-65))) & mask)
      + <u32>popcnt<u32>(i8x16.bitmask(i8x16.ge_u(v, i8x16.splat(<i8>0xf0))) & mask);
  } else {
    // bytes behind the text are shifted out; the zeros shifted in count as characters and are subtracted again
    const x = load<u64>(p) << <u64>(64 - (n << 3));
    const continuations = x & ~(x << 1) & HIGH, fours = x & (x << 1) & (x << 2) & (x << 3) & HIGH;
    return <u32>n - <u32>popcnt<u64>(continuations) + <u32>popcnt<u64>(fours);
  }
}

/**
 * Number of UTF-16 code units of canonical escaped text [src, end): what `JSON.parse` would give as `.length`.
 * Reads up to 15 bytes behind `end`.
 */
export function codeUnits(src: usize, end: usize): u32 {
  let units: u32 = 0, p = src;
  while (end - p > BLOCK) {
    if (byteRun(p, 0x5c) < BLOCK) return units + unitsWithEscapes(p, end);
    units += unitsIn(p, BLOCK);
    p += BLOCK;
  }
  if (p >= end) return units;
  const last = end - p;
  if (byteRun(p, 0x5c) < last) return units + unitsWithEscapes(p, end);
  return units + unitsIn(p, last);
}

// As many units as characters, less what escapes write with more bytes than units.
function unitsWithEscapes(src: usize, end: usize): u32 {
  let units: u32 = 0, p = src;
  while (p < end) {
    const n = min<usize>(end - p, BLOCK);
    units += unitsIn(p, n);
    p += n;
  }
  p = src;
  while (p < end) {
    const run = byteRun(p, 0x5c);
    if (run == BLOCK) { p += BLOCK; continue; }
    p += run;
    if (p >= end) break;
    if (load<u8>(p, 1) == 0x75) { units -= 5; p += 6; } else { units--; p += 2; }
  }
  return units;
}

/** Whether canonical text [start, end) ends in a lone high half, `\ud8xx` to `\udbxx`. */
export function endsWithHighSurrogate(start: usize, end: usize): bool {
  if (end - start < 6 || load<u32>(end - 6) << 8 != 0x64755c00) return false;
  const third = <u32>load<u8>(end - 3);
  if (third != 0x38 && third != 0x39 && third != 0x61 && third != 0x62) return false;
  return startsEscape(start, end - 6);
}

/** Whether canonical text [p, end) starts with a low half, `\udcxx` to `\udfxx`. */
export function startsWithLowSurrogate(p: usize, end: usize): bool {
  if (end - p < 6 || load<u32>(p) << 8 != 0x64755c00) return false;
  return <u32>load<u8>(p, 3) - 0x63 < 4;
}

// A backslash begins an escape when the run of backslashes before it is even.
function startsEscape(start: usize, p: usize): bool {
  const from = p;
  while (p > start && load<u8>(p - 1) == 0x5c) p--;
  return ((from - p) & 1) == 0;
}
