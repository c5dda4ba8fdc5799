// 64 bytes in four vectors as bitmaps: bit i stands for byte i. For loops that ask several questions of the same bytes; SIMD alone.

/** Set lanes of four masks. */
@inline export function gather(a: v128, b: v128, c: v128, d: v128): u64 {
  return <u64><u32>i8x16.bitmask(a) | (<u64><u32>i8x16.bitmask(b) << 16) | (<u64><u32>i8x16.bitmask(c) << 32) | (<u64><u32>i8x16.bitmask(d) << 48);
}

/** Bytes equal to `byte`. */
@inline export function equalLanes(a: v128, b: v128, c: v128, d: v128, byte: u8): u64 {
  const x = i8x16.splat(byte);
  return gather(i8x16.eq(a, x), i8x16.eq(b, x), i8x16.eq(c, x), i8x16.eq(d, x));
}

/** Control characters. */
@inline export function controlLanes(a: v128, b: v128, c: v128, d: v128): u64 {
  const x = i8x16.splat(0x1f);
  return gather(i8x16.le_u(a, x), i8x16.le_u(b, x), i8x16.le_u(c, x), i8x16.le_u(d, x));
}

/** Whether there is a control character. */
@inline export function hasControls(a: v128, b: v128, c: v128, d: v128): bool {
  return v128.any_true(i8x16.le_u(i8x16.min_u(i8x16.min_u(a, b), i8x16.min_u(c, d)), i8x16.splat(0x1f)));
}

/** Of 64 bytes what ends a run of plain characters of a JSON pointer in a string: tilde, quote, backslash, control character, non-ASCII. */
@inline export function plainLanes(p: usize): u64 {
  return gather(plainEnds(v128.load(p)), plainEnds(v128.load(p, 16)), plainEnds(v128.load(p, 32)), plainEnds(v128.load(p, 48)));
}

@inline function plainEnds(v: v128): v128 {
  return v128.or(
    v128.or(i8x16.eq(v, i8x16.splat(0x7e)), i8x16.eq(v, i8x16.splat(0x22))), v128.or(i8x16.eq(v, i8x16.splat(0x5c)), i8x16.lt_s(v, i8x16.splat(0x20))));
}
