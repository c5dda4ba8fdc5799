// Items of a MessagePack message where they lie, in the formats that tokens use. Behind the input stands the sentinel: heads may be read beyond its end.

/** Length in bytes of the str that `strAt` has found. */
export let strLength: u32 = 0;
/** Members of the map that `mapBegin` has found. */
export let mapSize: u32 = 0;
/** Value that `uintEnd` has read. */
export let uintValue: f64 = 0;

/** Where the contents of the str at `p` begin; 0: there is none of up to 65,535 bytes that lies before `end`. */
@inline export function strAt(p: usize, end: usize): usize {
  const c = <u32>load<u8>(p);
  let n: u32 = c & 31, q = p + 1;
  if ((c & 0xe0) != 0xa0) {
    if (c == 0xd9) { n = <u32>load<u8>(p, 1); q = p + 2; }
    else if (c == 0xda) { n = <u32>bswap<u16>(load<u16>(p, 1)); q = p + 3; }
    else return 0;
  }
  strLength = n;
  return q <= end && <usize>n <= end - q ? q : 0;
}

/** Where the str begins whose contents are the `n` bytes at `p`, in whichever of its formats. */
@inline export function headOf(p: usize, n: u32): usize {
  return n < 32 && load<u8>(p - 1) == (0xa0 | n) ? p - 1 : n < 256 && load<u8>(p - 2) == 0xd9 && load<u8>(p - 1) == n ? p - 2 : p - 3;
}

/** Larger integers have more digits than templates take, too. */
const MOST: u64 = 999999999999999;

/** Where the members of the map at `p` begin, in either of the heads that encoders write for a few members; 0: there is no map of at most 15. */
@inline export function mapBegin(p: usize): usize {
  const c = <u32>load<u8>(p);
  mapSize = c - 0x80;
  if (mapSize < 16) return p + 1;
  // msgpackr writes two bytes of size whatever the size is
  if (c != 0xde || load<u8>(p, 1)) return 0;
  mapSize = <u32>load<u8>(p, 2);
  return mapSize < 16 ? p + 3 : 0;
}

/** Behind the number at `p`, an integer of up to 15 digits in `uintValue`; 0: it is something else. */
@inline export function uintEnd(p: usize): usize {
  const c = <u32>load<u8>(p);
  if (c < 0x80) { uintValue = c; return p + 1; }
  if (c == 0xcd) { uintValue = bswap<u16>(load<u16>(p, 1)); return p + 3; }
  return uintEndLong(p, c);
}

function uintEndLong(p: usize, c: u32): usize {
  if (c == 0xcc) { uintValue = load<u8>(p, 1); return p + 2; }
  if (c == 0xce) { uintValue = bswap<u32>(load<u32>(p, 1)); return p + 5; }
  const bits = bswap<u64>(load<u64>(p, 1));
  if (c == 0xcf) {
    if (bits > MOST) return 0;
    uintValue = <f64>bits;
    return p + 9;
  }
  if (c != 0xcb) return 0;
  // -0 has the sign bit
  const value = reinterpret<f64>(bits);
  if (<i64>bits < 0 || !(value <= <f64>MOST) || Math.floor(value) != value) return 0;
  uintValue = value;
  return p + 9;
}
