// One block of text at a time: 16 bytes with SIMD, 8 without. Each `...Run` says how many bytes of the block come before
// the first byte of interest; BLOCK means there is none. Scalar masks may mark bytes above the first one wrongly (a borrow
// runs on), which never changes the answer.

/** Bytes per block. */
export const BLOCK: usize = ASC_FEATURE_SIMD ? 16 : 8;

const ONES: u64 = 0x0101010101010101;
const HIGH: u64 = 0x8080808080808080;

// bit i of the mask for byte i; the bit above the last byte stops the count
@inline function firstBit(mask: u32): usize { return <usize>ctz<u32>(mask | 0x10000); }
// bit 7 of each marked byte; ctz of 0 is 64
@inline function firstByte(marks: u64): usize { return <usize>(ctz<u64>(marks) >> 3); }
@inline function zeroBytes(x: u64): u64 { return (x - ONES) & ~x & HIGH; }

/** Up to what ends a run of plain string characters: quote, backslash, control character, non-ASCII. */
@inline export function stringRun(p: usize): usize {
  if (ASC_FEATURE_SIMD) {
    const v = v128.load(p);
    // the signed compare catches control characters and bytes above 0x7f at once
    return firstBit(i8x16.bitmask(v128.or(
      v128.or(i8x16.eq(v, i8x16.splat(0x22)), i8x16.eq(v, i8x16.splat(0x5c))), i8x16.lt_s(v, i8x16.splat(0x20)))));
  } else {
    const x = load<u64>(p), quote = x ^ (ONES * 0x22), backslash = x ^ (ONES * 0x5c);
    return firstByte((((quote - ONES) & ~quote) | ((backslash - ONES) & ~backslash) | ((x - ONES * 0x20) & ~x) | x) & HIGH);
  }
}

/** Up to either of two bytes. */
@inline export function eitherRun(p: usize, a: u8, b: u8): usize {
  if (ASC_FEATURE_SIMD) {
    const v = v128.load(p);
    return firstBit(i8x16.bitmask(v128.or(i8x16.eq(v, i8x16.splat(a)), i8x16.eq(v, i8x16.splat(b)))));
  } else {
    const x = load<u64>(p);
    return firstByte(zeroBytes(x ^ (ONES * <u64>a)) | zeroBytes(x ^ (ONES * <u64>b)));
  }
}

/** Up to what ends a run of plain characters of a JSON pointer in a string: tilde, quote, backslash, control character, non-ASCII. */
@inline export function plainRun(p: usize): usize {
  if (ASC_FEATURE_SIMD) {
    const v = v128.load(p);
    return firstBit(i8x16.bitmask(v128.or(
      v128.or(i8x16.eq(v, i8x16.splat(0x7e)), i8x16.eq(v, i8x16.splat(0x22))),
      v128.or(i8x16.eq(v, i8x16.splat(0x5c)), i8x16.lt_s(v, i8x16.splat(0x20))))));
  } else {
    const x = load<u64>(p), tilde = x ^ (ONES * 0x7e), quote = x ^ (ONES * 0x22), backslash = x ^ (ONES * 0x5c);
    return firstByte((((tilde - ONES) & ~tilde) | ((quote - ONES) & ~quote) | ((backslash - ONES) & ~backslash) | ((x - ONES * 0x20) & ~x) | x) & HIGH);
  }
}

/** Up to a byte. */
@inline export function byteRun(p: usize, a: u8): usize {
  if (ASC_FEATURE_SIMD) return firstBit(i8x16.bitmask(i8x16.eq(v128.load(p), i8x16.splat(a))));
  else return firstByte(zeroBytes(load<u64>(p) ^ (ONES * <u64>a)));
}

/** Up to what the contents of a string must escape: quote, backslash, control character. */
@inline export function escapableRun(p: usize): usize {
  if (ASC_FEATURE_SIMD) {
    const v = v128.load(p);
    return firstBit(i8x16.bitmask(v128.or(
      v128.or(i8x16.eq(v, i8x16.splat(0x22)), i8x16.eq(v, i8x16.splat(0x5c))), i8x16.lt_u(v, i8x16.splat(0x20)))));
  } else {
    const x = load<u64>(p);
    return firstByte(zeroBytes(x ^ (ONES * 0x22)) | zeroBytes(x ^ (ONES * 0x5c)) | ((x - ONES * 0x20) & ~x & HIGH));
  }
}

/** Up to the end of JSON white space. */
@inline export function spaceRun(p: usize): usize {
  if (ASC_FEATURE_SIMD) {
    const v = v128.load(p);
    return firstBit(i8x16.bitmask(v128.or(
      v128.or(i8x16.eq(v, i8x16.splat(0x20)), i8x16.eq(v, i8x16.splat(0x0a))),
      v128.or(i8x16.eq(v, i8x16.splat(0x0d)), i8x16.eq(v, i8x16.splat(0x09))))) ^ 0xffff);
  } else {
    const x = load<u64>(p);
    const spaces = exactZeroBytes(x ^ (ONES * 0x20)) | exactZeroBytes(x ^ (ONES * 0x0a))
      | exactZeroBytes(x ^ (ONES * 0x0d)) | exactZeroBytes(x ^ (ONES * 0x09));
    return firstByte(spaces ^ HIGH);
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
