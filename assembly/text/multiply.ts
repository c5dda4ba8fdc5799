// The 128-bit product of two 64-bit numbers: WebAssembly gives the lower half only.

/** Upper half of the product that `multiplyWide` made. */
export let productHigh: u64 = 0;

/** a * b: the lower half is returned, the upper one is left in `productHigh`. */
@inline export function multiplyWide(a: u64, b: u64): u64 {
  const a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
  const low = a0 * b0, middle = a1 * b0 + (low >> 32), other = a0 * b1 + (middle & 0xffffffff);
  productHigh = a1 * b1 + (middle >> 32) + (other >> 32);
  return (other << 32) | (low & 0xffffffff);
}
