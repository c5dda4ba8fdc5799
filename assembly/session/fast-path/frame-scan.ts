// Lengths in a protobuf frame where it lies, in the forms that tokens and patches use.

/** Behind the length that `lengthAt` has read. */
export let lengthEnd: usize = 0;

/** Longer than two bytes: more than what any frame holds, and no difference of two addresses that lie near each other. */
const LONGER: u32 = 0x80000000;

/** The length of up to two bytes at `p`, or LONGER. */
@inline export function lengthAt(p: usize): u32 {
  const c = <u32>load<u8>(p);
  lengthEnd = p + 1;
  if (c < 0x80) return c;
  const high = <u32>load<u8>(p, 1);
  lengthEnd = p + 2;
  return high < 0x80 ? (c & 0x7f) | (high << 7) : LONGER;
}
