// 64 bytes of validated JSON text as bitmaps: bit i stands for byte i. Used where whole stretches can be skipped by
// counting brackets. All masks are exact in both builds.
import { exactZeroBytes } from "./block";
import { gather } from "./lanes";

const ONES: u64 = 0x0101010101010101;
const HIGH: u64 = 0x8080808080808080;
const EVEN: u64 = 0x5555555555555555;

// bit 7 of each byte -> 8 neighbouring bits
@inline function pack(marks: u64): u64 { return (marks * 0x02040810204081) >> 56; }

/** Bytes equal to `byte`. */
@inline export function equalBits(p: usize, byte: u8): u64 {
  if (ASC_FEATURE_SIMD) {
    const x = i8x16.splat(byte);
    return gather(
      i8x16.eq(v128.load(p), x), i8x16.eq(v128.load(p, 16), x), i8x16.eq(v128.load(p, 32), x), i8x16.eq(v128.load(p, 48), x));
  } else {
    const x = ONES * <u64>byte;
    let bits: u64 = 0;
    for (let i: u32 = 0; i < 64; i += 8) bits |= pack(exactZeroBytes(load<u64>(p + i) ^ x)) << i;
    return bits;
  }
}

/** Bytes equal to `byte` once bit 0x20 is set: one compare finds `[` and `{` (0x7b), or `]` and `}` (0x7d). */
@inline export function bracketBits(p: usize, byte: u8): u64 {
  if (ASC_FEATURE_SIMD) {
    const x = i8x16.splat(byte), fold = i8x16.splat(0x20);
    return gather(
      i8x16.eq(v128.or(v128.load(p), fold), x), i8x16.eq(v128.or(v128.load(p, 16), fold), x),
      i8x16.eq(v128.or(v128.load(p, 32), fold), x), i8x16.eq(v128.or(v128.load(p, 48), fold), x));
  } else {
    const x = ONES * <u64>byte;
    let bits: u64 = 0;
    for (let i: u32 = 0; i < 64; i += 8) bits |= pack(exactZeroBytes((load<u64>(p + i) | (ONES * 0x20)) ^ x)) << i;
    return bits;
  }
}

/** Control characters and bytes above 0x7f. */
@inline export function oddBits(p: usize): u64 {
  if (ASC_FEATURE_SIMD) {
    // the signed compare catches both at once
    const space = i8x16.splat(0x20);
    return gather(
      i8x16.lt_s(v128.load(p), space), i8x16.lt_s(v128.load(p, 16), space), i8x16.lt_s(v128.load(p, 32), space), i8x16.lt_s(v128.load(p, 48), space));
  } else {
    let bits: u64 = 0;
    for (let i: u32 = 0; i < 64; i += 8) {
      const x = load<u64>(p + i);
      bits |= pack((~((x & ~HIGH) + ONES * 0x60) | x) & HIGH) << i;
    }
    return bits;
  }
}

/** Quotes, backslashes and control characters: what a text must escape to become the contents of a string. */
@inline export function escapableBits(p: usize): u64 {
  if (ASC_FEATURE_SIMD) {
    const quote = i8x16.splat(0x22), backslash = i8x16.splat(0x5c), space = i8x16.splat(0x20);
    const a = v128.load(p), b = v128.load(p, 16), c = v128.load(p, 32), d = v128.load(p, 48);
    return gather(
      v128.or(v128.or(i8x16.eq(a, quote), i8x16.eq(a, backslash)), i8x16.lt_u(a, space)),
      v128.or(v128.or(i8x16.eq(b, quote), i8x16.eq(b, backslash)), i8x16.lt_u(b, space)),
      v128.or(v128.or(i8x16.eq(c, quote), i8x16.eq(c, backslash)), i8x16.lt_u(c, space)),
      v128.or(v128.or(i8x16.eq(d, quote), i8x16.eq(d, backslash)), i8x16.lt_u(d, space)));
  } else {
    let bits: u64 = 0;
    for (let i: u32 = 0; i < 64; i += 8) {
      const x = load<u64>(p + i);
      const controls = ~(((x & ~HIGH) + ONES * 0x60) | x) & HIGH;
      bits |= pack(controls | exactZeroBytes(x ^ (ONES * 0x22)) | exactZeroBytes(x ^ (ONES * 0x5c))) << i;
    }
    return bits;
  }
}

/** Bytes up to 0x20: outside of strings that is white space. */
@inline export function spaceBits(p: usize): u64 {
  if (ASC_FEATURE_SIMD) {
    const x = i8x16.splat(0x20);
    return gather(
      i8x16.le_u(v128.load(p), x), i8x16.le_u(v128.load(p, 16), x), i8x16.le_u(v128.load(p, 32), x), i8x16.le_u(v128.load(p, 48), x));
  } else {
    let bits: u64 = 0;
    for (let i: u32 = 0; i < 64; i += 8) {
      const x = load<u64>(p + i);
      bits |= pack(~(((x & ~HIGH) + ONES * 0x5f) | x) & HIGH) << i;
    }
    return bits;
  }
}

/** Bit i = parity of bits 0..i: turns quote marks into "inside a string", opening quote included, closing one not. */
@inline export function prefixXor(bits: u64): u64 {
  bits ^= bits << 1; bits ^= bits << 2; bits ^= bits << 4;
  bits ^= bits << 8; bits ^= bits << 16; bits ^= bits << 32;
  return bits;
}

/** 1 when the block before ended in a backslash that escapes the first byte of the next. Set it to 0 before a text. */
export let escapeCarry: u64 = 0;

/** Forgets the carry of a former text. */
@inline export function resetEscapeCarry(): void { escapeCarry = 0; }

/** From the backslashes of a block to the characters they escape (odd runs only). Call it when `backslashes | escapeCarry` is not 0. */
@inline export function escapedBits(backslashes: u64): u64 {
  const bare = backslashes & ~escapeCarry;
  const following = (bare << 1) | escapeCarry;
  const oddStarts = bare & ~EVEN & ~following;
  const sum = oddStarts + bare;
  escapeCarry = <u64>(sum < oddStarts);
  return (EVEN ^ (sum << 1)) & following;
}
