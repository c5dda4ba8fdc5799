// Heads and integers of MessagePack in their shortest formats. Up to 9 bytes behind the address that is given may be written.

/** Lead byte and size of a map (`small` 80, `sized` DE) or an array (90, DC); behind it. */
export function putHeader(d: usize, n: u32, small: u32, sized: u32): usize {
  if (n < 16) { store<u8>(d, small | n); return d + 1; }
  if (n < 65536) { store<u8>(d, sized); store<u16>(d, bswap<u16>(<u16>n), 1); return d + 3; }
  store<u8>(d, sized + 1);
  store<u32>(d, bswap<u32>(n), 1);
  return d + 5;
}

/** Bytes of the head of a str. */
@inline export function stringHeader(n: u32): u32 { return n < 32 ? 1 : n < 256 ? 2 : n < 65536 ? 3 : 5; }

/** Lead byte and size of a str; behind it. */
export function putStringHeader(d: usize, n: u32): usize {
  if (n < 32) { store<u8>(d, 0xa0 | n); return d + 1; }
  if (n < 256) { store<u16>(d, 0xd9 | (n << 8)); return d + 2; }
  if (n < 65536) { store<u8>(d, 0xda); store<u16>(d, bswap<u16>(<u16>n), 1); return d + 3; }
  store<u8>(d, 0xdb);
  store<u32>(d, bswap<u32>(n), 1);
  return d + 5;
}

/** An integer from 0 on; behind it. */
export function putUint(d: usize, v: u64): usize {
  if (v < 128) { store<u8>(d, <u8>v); return d + 1; }
  if (v < 256) { store<u16>(d, <u16>(0xcc | (v << 8))); return d + 2; }
  return putSized(d, v, 0xcc, v < 65536 ? 2 : v <= 0xffffffff ? 4 : 8);
}

/** -v, 0 < v <= 2^63; behind it. */
export function putNegative(d: usize, v: u64): usize {
  const value = 0 - v;
  if (v <= 32) { store<u8>(d, <u8>value); return d + 1; }
  if (v <= 128) { store<u16>(d, <u16>(0xd0 | (value << 8))); return d + 2; }
  return putSized(d, value, 0xd0, v <= 32768 ? 2 : v <= 0x80000000 ? 4 : 8);
}

// `family` is the lead byte of its 8-bit integers.
function putSized(d: usize, v: u64, family: u32, size: u32): usize {
  store<u8>(d, family + ctz<u32>(size));
  store<u64>(d, bswap<u64>(v << <u64>(64 - (size << 3))), 1);
  return d + 1 + size;
}
