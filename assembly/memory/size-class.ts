// Size classes: 16 B steps to 256 B, then four per octave to 32 KiB; larger blocks come in 1 KiB granules.
// A class above the steps wastes at most a quarter of a block, a granule at most 1 KiB.

/** Largest block served by a size class; everything above is a large block. */
export const LARGEST_CLASS: u32 = 32768;
/** Number of classes (class 0 is unused). */
export const CLASS_COUNT: u32 = 45;
/** Largest size `alloc` accepts: keeps rounded sizes and sums far from wrapping round. */
export const LARGEST_BLOCK: u32 = 0x7ffffc00;

/** Class that serves `n` bytes, 1 <= class < CLASS_COUNT; `n` <= LARGEST_CLASS. */
@inline export function classOf(n: u32): u32 {
  if (n <= 256) return n ? (n + 15) >> 4 : 1;
  const octave: u32 = 31 - clz<u32>(n - 1);
  return 17 + ((octave - 8) << 2) + ((n - 1 - (1 << octave)) >> (octave - 2));
}

/** Block size in bytes of a class. */
@inline export function classSize(c: u32): u32 {
  if (c <= 16) return c << 4;
  const octave = 8 + ((c - 17) >> 2), quarter = (c - 17) & 3;
  return (1 << octave) + ((quarter + 1) << (octave - 2));
}

/** Bytes really usable in a block asked for as `n` bytes. */
export function roundUp(n: u32): u32 {
  return n > LARGEST_CLASS ? (n + 1023) & ~1023 : classSize(classOf(n));
}

/** Largest block size that is at most `n` bytes (`n` >= 16). */
export function roundDown(n: u32): u32 {
  if (n > LARGEST_CLASS) return n & ~1023;
  const c = classOf(n), size = classSize(c);
  return size == n ? n : classSize(c - 1);
}
