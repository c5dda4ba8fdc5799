// Scanners. Text is followed by a NUL sentinel and at least 64 readable bytes, so none of them checks for the end.
import { BLOCK, byteStops, eitherStops, firstStop, stringStops } from "./block";
import { hexValue } from "./hex";
import { skipNonAscii } from "./utf8";

/** The string holds a backslash. */
export const HAS_ESCAPE: u32 = 1;
/** The string holds a character above U+007F, written as such. */
export const HAS_NON_ASCII: u32 = 2;
/** The string holds `\u` or `\/`: it may not be in the spelling `JSON.stringify` prints. */
export const HAS_LOOSE_ESCAPE: u32 = 4;

/** What the scanned strings held; scanners set bits and never clear them. */
export let scanFlags: u32 = 0;

/** Sets or clears the flags. */
@inline export function setScanFlags(flags: u32): void { scanFlags = flags; }

/**
 * From behind an opening quote to the closing one; 0 when the string is not valid (RFC 8259 §7: control character,
 * bad escape; ill-formed UTF-8; the sentinel).
 */
export function scanString(p: usize): usize {
  while (true) {
    const stops = stringStops(p);
    if (!stops) { p += BLOCK; continue; }
    p += firstStop(stops);
    const c = <u32>load<u8>(p);
    if (c == 0x22) return p;
    if (c == 0x5c) {
      p = skipEscape(p);
      if (!p) return 0;
      continue;
    }
    if (c < 0x20) return 0;
    scanFlags |= HAS_NON_ASCII;
    p = skipNonAscii(p);
    if (!p) return 0;
  }
  return 0;
}

/** `scanString` with the first block in line: most keys and ids end there. */
@inline export function scanStringShort(p: usize): usize {
  const stops = stringStops(p);
  const q = p + firstStop(stops);
  // without a stop q lies behind the block, and a quote there proves nothing
  return stops != 0 && load<u8>(q) == 0x22 ? q : scanString(p);
}

// p at a backslash -> behind the escape, or 0
function skipEscape(p: usize): usize {
  const e = <u32>load<u8>(p, 1);
  if (e == 0x75) {
    scanFlags |= HAS_ESCAPE | HAS_LOOSE_ESCAPE;
    const digits = hexValue(load<u8>(p, 2)) | hexValue(load<u8>(p, 3)) | hexValue(load<u8>(p, 4)) | hexValue(load<u8>(p, 5));
    return digits > 15 ? 0 : p + 6;
  }
  if (e == 0x2f) { scanFlags |= HAS_ESCAPE | HAS_LOOSE_ESCAPE; return p + 2; }
  scanFlags |= HAS_ESCAPE;
  return e == 0x6e || e == 0x22 || e == 0x5c || e == 0x74 || e == 0x72 || e == 0x62 || e == 0x66 ? p + 2 : 0;
}

/** From behind an opening quote to the closing one in validated text. */
@inline export function stringEnd(p: usize): usize {
  while (true) {
    const stops = eitherStops(p, 0x22, 0x5c);
    if (!stops) { p += BLOCK; continue; }
    p += firstStop(stops);
    if (load<u8>(p) == 0x22) break;
    p += 2;
  }
  return p;
}

@inline function isDigit(c: u32): bool { return c - 48 < 10; }

/** Behind the JSON number at `p`, or 0 when there is none (RFC 8259 §6). What follows the number is not looked at. */
export function skipNumber(p: usize): usize {
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
    const stops = byteStops(p, byte);
    if (stops) { p += firstStop(stops); return p < end ? p : 0; }
    p += BLOCK;
  }
  return 0;
}

/** First LF or CR in [p, end), or 0. */
export function findLineEnd(p: usize, end: usize): usize {
  while (p < end) {
    const stops = eitherStops(p, 0x0a, 0x0d);
    if (stops) { p += firstStop(stops); return p < end ? p : 0; }
    p += BLOCK;
  }
  return 0;
}
