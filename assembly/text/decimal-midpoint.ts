// Exact comparison of a decimal with the middle between two doubles: large integers, for the rare texts of more than 19 digits that
// lie so close to one.
import { readExponent } from "./number";

// Large integers: u32 limbs, the lowest first. The longest that is needed has 3,400 bits.
const DECIMAL: usize = memory.data(128 * 4, 16);
const MIDDLE: usize = memory.data(128 * 4, 16);

/** A middle between two doubles has at most 767 digits: of further ones it counts only whether all of them are 0. */
const MOST_DIGITS: u32 = 800;
const FIVES: u32 = 1220703125;

// value * factor + summand; returns the number of limbs.
function multiplyAdd(big: usize, n: u32, factor: u32, summand: u32): u32 {
  let carry = <u64>summand;
  for (let i: u32 = 0; i < n; i++) {
    carry += <u64>load<u32>(big + (i << 2)) * <u64>factor;
    store<u32>(big + (i << 2), <u32>carry);
    carry >>= 32;
  }
  if (carry) store<u32>(big + (n++ << 2), <u32>carry);
  return n;
}

function multiplyByFives(big: usize, n: u32, power: u32): u32 {
  for (; power >= 13; power -= 13) n = multiplyAdd(big, n, FIVES, 0);
  for (; power; power--) n = multiplyAdd(big, n, 5, 0);
  return n;
}

function shiftUp(big: usize, n: u32, bits: u32): u32 {
  const limbs = bits >> 5;
  n = multiplyAdd(big, n, 1 << (bits & 31), 0);
  memory.copy(big + (limbs << 2), big, n << 2);
  memory.fill(big, 0, limbs << 2);
  return n + limbs;
}

function compare(a: usize, an: u32, b: usize, bn: u32): i32 {
  if (an != bn) return an > bn ? 1 : -1;
  for (let i = an; i; i--) {
    const x = load<u32>(a + ((i - 1) << 2)), y = load<u32>(b + ((i - 1) << 2));
    if (x != y) return x > y ? 1 : -1;
  }
  return 0;
}

let exponent: i32 = 0;

// The digits of the text as a large integer; `exponent` is its power of ten. The number is not 0 and within the range of doubles.
function readDecimal(p: usize, end: usize): u32 {
  let n: u32 = 0, digits: u32 = 0, q: i64 = 0, fraction = false, rest = false;
  let part: u32 = 0, unit: u32 = 1;
  while (p < end) {
    const c = <u32>load<u8>(p++);
    if (c == 0x2e) { fraction = true; continue; }
    if ((c | 32) == 0x65) { q += readExponent(p, end); break; }
    if (fraction) q--;
    if (!digits && c == 48) continue;
    if (digits == MOST_DIGITS) {
      q++;
      if (c != 48) rest = true;
      continue;
    }
    digits++;
    part = part * 10 + (c - 48);
    unit *= 10;
    if (unit == 1000000000) { n = multiplyAdd(DECIMAL, n, unit, part); part = 0; unit = 1; }
  }
  if (unit > 1) n = multiplyAdd(DECIMAL, n, unit, part);
  if (rest) { n = multiplyAdd(DECIMAL, n, 10, 1); q--; }
  exponent = <i32>q;
  return n;
}

/**
 * Compares the number text [p, end) (no sign) with the middle between the double of these bits and the next greater one: -1, 0 or 1.
 * The number must lie between the two, or at the first.
 */
export function compareWithMidpoint(p: usize, end: usize, bits: u64): i32 {
  let n = readDecimal(p, end);
  const biased = <i32>(bits >> 52), fraction = bits & 0xfffffffffffff;
  const middle = (biased ? fraction | 0x10000000000000 : fraction) * 2 + 1;
  const binary = max<i32>(biased, 1) - 1076;
  store<u64>(MIDDLE, middle);
  let m: u32 = middle >> 32 ? 2 : 1;
  if (exponent > 0) n = multiplyByFives(DECIMAL, n, exponent);
  else m = multiplyByFives(MIDDLE, m, -exponent);
  const shift = exponent - binary;
  if (shift > 0) n = shiftUp(DECIMAL, n, shift);
  else m = shiftUp(MIDDLE, m, -shift);
  return compare(DECIMAL, n, MIDDLE, m);
}
