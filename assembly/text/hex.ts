// Hexadecimal digits of \uXXXX escapes.

/** Value of a digit of either case; 255 when it is none. */
@inline export function hexValue(c: u32): u32 {
  if (c - 48 < 10) return c - 48;
  const letter = (c | 32) - 97;
  return letter < 6 ? letter + 10 : 255;
}

/** Value of four digits known to be good. */
@inline export function hexFour(p: usize): u32 {
  return (hexValue(load<u8>(p)) << 12) | (hexValue(load<u8>(p, 1)) << 8) | (hexValue(load<u8>(p, 2)) << 4) | hexValue(load<u8>(p, 3));
}

@inline function digit(v: u32): u32 { return v < 10 ? 48 + v : 87 + v; }

/** Writes `\uxxxx` in lower case, as `JSON.stringify` does; returns the address behind it. */
export function putHexEscape(d: usize, unit: u32): usize {
  store<u16>(d, 0x755c);
  store<u32>(d, digit(unit >> 12) | (digit((unit >> 8) & 15) << 8) | (digit((unit >> 4) & 15) << 16) | (digit(unit & 15) << 24), 2);
  return d + 6;
}
