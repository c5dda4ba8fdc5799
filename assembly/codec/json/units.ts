// Cutting canonical string contents by UTF-16 code units.
import { putHexEscape } from "../../text/hex";

function codePoint(p: usize): u32 {
  return ((<u32>load<u8>(p) & 7) << 18) | ((<u32>load<u8>(p, 1) & 63) << 12) | ((<u32>load<u8>(p, 2) & 63) << 6) | (<u32>load<u8>(p, 3) & 63);
}

@inline function highHalf(point: u32): u32 { return 0xd800 + ((point - 0x10000) >> 10); }
@inline function lowHalf(point: u32): u32 { return 0xdc00 + ((point - 0x10000) & 0x3ff); }

// Bytes of the character or escape at p.
@inline function lengthAt(p: usize): u32 {
  const c = <u32>load<u8>(p);
  if (c == 0x5c) return load<u8>(p, 1) == 0x75 ? 6 : 2;
  if (c < 0x80) return 1;
  return c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

/**
 * Keeps `units` code units of the canonical contents [p, end), leaving out the first one when `skip` is 1, in place, and returns the new
 * end. A character that is cut leaves its half as an escape; up to 8 bytes behind `end` are written.
 */
export function writeUnits(p: usize, end: usize, skip: u32, units: u32): usize {
  if (skip && p < end && load<u8>(p) >= 0xf0) {
    // the low half of the first character, as an escape that is two bytes longer than the character
    const half = lowHalf(codePoint(p));
    memory.copy(p + 6, p + 4, end - p - 4);
    putHexEscape(p, half);
    end += 2;
  }
  while (p < end && units) {
    const wide = load<u8>(p) >= 0xf0;
    if (wide && units == 1) return putHexEscape(p, highHalf(codePoint(p)));
    units -= wide ? 2 : 1;
    p += lengthAt(p);
  }
  return p;
}
