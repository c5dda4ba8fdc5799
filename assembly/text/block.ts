// One block of text at a time: 16 bytes with SIMD, 8 without. A stop mask marks bytes of interest; only its lowest
// mark is exact in the scalar build (a borrow may mark bytes above it), which is all the scanners look at.

/** Bytes per block. */
export const BLOCK: usize = ASC_FEATURE_SIMD ? 16 : 8;

const ONES: u64 = 0x0101010101010101;
const HIGH: u64 = 0x8080808080808080;

/** Offset of the lowest marked byte of a non-zero stop mask. */
@inline export function firstStop(mask: u64): usize {
  return <usize>(ASC_FEATURE_SIMD ? ctz(mask) : ctz(mask) >> 3);
}

@inline function zeroBytes(x: u64): u64 { return (x - ONES) & ~x & HIGH; }

/** Marks what ends a run of plain string characters: quote, backslash, control character, non-ASCII. */
@inline export function stringStops(p: usize): u64 {
  if (ASC_FEATURE_SIMD) {
    const v = v128.load(p);
    // the signed compare catches control characters and bytes above 0x7f at once
    return <u64>i8x16.bitmask(v128.or(
      v128.or(i8x16.eq(v, i8x16.splat(0x22)), i8x16.eq(v, i8x16.splat(0x5c))), i8x16.lt_s(v, i8x16.splat(0x20))));
  } else {
    const x = load<u64>(p), quote = x ^ (ONES * 0x22), backslash = x ^ (ONES * 0x5c);
    return (((quote - ONES) & ~quote) | ((backslash - ONES) & ~backslash) | ((x - ONES * 0x20) & ~x) | x) & HIGH;
  }
}

/** Marks either of two bytes. */
@inline export function eitherStops(p: usize, a: u8, b: u8): u64 {
  if (ASC_FEATURE_SIMD) {
    const v = v128.load(p);
    return <u64>i8x16.bitmask(v128.or(i8x16.eq(v, i8x16.splat(a)), i8x16.eq(v, i8x16.splat(b))));
  } else {
    const x = load<u64>(p);
    return zeroBytes(x ^ (ONES * <u64>a)) | zeroBytes(x ^ (ONES * <u64>b));
  }
}

/** Marks one byte. */
@inline export function byteStops(p: usize, a: u8): u64 {
  if (ASC_FEATURE_SIMD) return <u64>i8x16.bitmask(i8x16.eq(v128.load(p), i8x16.splat(a)));
  else return zeroBytes(load<u64>(p) ^ (ONES * <u64>a));
}

/** Marks what `JSON.stringify` escapes, and 0xED, the lead byte of encoded surrogates. */
@inline export function escapeStops(p: usize): u64 {
  if (ASC_FEATURE_SIMD) {
    const v = v128.load(p);
    return <u64>i8x16.bitmask(v128.or(
      v128.or(i8x16.eq(v, i8x16.splat(0x22)), i8x16.eq(v, i8x16.splat(0x5c))),
      v128.or(i8x16.lt_u(v, i8x16.splat(0x20)), i8x16.eq(v, i8x16.splat(<i8>0xed)))));
  } else {
    const x = load<u64>(p);
    return zeroBytes(x ^ (ONES * 0x22)) | zeroBytes(x ^ (ONES * 0x5c)) | ((x - ONES * 0x20) & ~x & HIGH) | zeroBytes(x ^ (ONES * 0xed));
  }
}

/** Marks everything that is not JSON white space. */
@inline export function solidStops(p: usize): u64 {
  if (ASC_FEATURE_SIMD) {
    const v = v128.load(p);
    return <u64>(i8x16.bitmask(v128.or(
      v128.or(i8x16.eq(v, i8x16.splat(0x20)), i8x16.eq(v, i8x16.splat(0x0a))),
      v128.or(i8x16.eq(v, i8x16.splat(0x0d)), i8x16.eq(v, i8x16.splat(0x09))))) ^ 0xffff);
  } else {
    const x = load<u64>(p);
    const spaces = exactZeroBytes(x ^ (ONES * 0x20)) | exactZeroBytes(x ^ (ONES * 0x0a))
      | exactZeroBytes(x ^ (ONES * 0x0d)) | exactZeroBytes(x ^ (ONES * 0x09));
    return spaces ^ HIGH;
  }
}

/** Marks every zero byte of `x` and no other, at bit 7 of the byte. */
@inline export function exactZeroBytes(x: u64): u64 {
  return ~(((x & ~HIGH) + ~HIGH) | x) & HIGH;
}

/** Copies one block. */
@inline export function copyBlock(dst: usize, src: usize): void {
  if (ASC_FEATURE_SIMD) v128.store(dst, v128.load(src));
  else store<u64>(dst, load<u64>(src));
}
