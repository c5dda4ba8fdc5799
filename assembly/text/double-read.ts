// Decimal text to the nearest double, ties to even: the product with a 128-bit power (D. Lemire, "Number parsing at a gigabyte per
// second"; N. Mushtak and D. Lemire, "Fast number parsing without fallback"), and large integers where more than 19 digits decide.
import { LEAST_POWER, powerOfTen } from "./powers-of-ten";
import { multiplyWide, productHigh } from "./multiply";
import { readExponent } from "./number";
import { compareWithMidpoint } from "./decimal-midpoint";

const INFINITY: u64 = 0x7ff0000000000000;
/** A u64 holds any number of this many digits. */
const MOST_DIGITS: u32 = 19;

// Bits of the double nearest to w * 10^q, w > 0.
function nearest(w: u64, q: i64): u64 {
  if (q < LEAST_POWER) return 0;
  if (q > 308) return INFINITY;
  const leading = clz<u64>(w), power = powerOfTen(<i32>q);
  w <<= leading;
  let low = multiplyWide(w, load<u64>(power)), high = productHigh;
  if ((high & 0x1ff) == 0x1ff) {
    // the algorithm takes 10^-27..10^-1 rounded up
    multiplyWide(w, load<u64>(power, 8) + (q < 0 && q >= -27 ? 1 : 0));
    low += productHigh;
    if (low < productHigh) high++;
  }
  const upper = high >> 63, cut = upper + 9;
  let mantissa = high >> cut;
  let biased = ((217706 * q) >> 16) + 63 + <i64>upper - <i64>leading + 1023;
  if (biased <= 0) {
    if (biased <= -63) return 0;
    mantissa >>= <u64>(1 - biased);
    // a subnormal that rounds up to the least normal number gets its exponent by the carry
    return (mantissa + (mantissa & 1)) >> 1;
  }
  // exactly between two doubles, which only these powers allow: to the even one
  if (low <= 1 && q >= -4 && q <= 23 && (mantissa & 3) == 1 && mantissa << cut == high) mantissa--;
  mantissa = (mantissa + (mantissa & 1)) >> 1;
  if (mantissa >= 0x20000000000000) { mantissa = 0x10000000000000; biased++; }
  if (biased >= 2047) return INFINITY;
  return (mantissa & 0xfffffffffffff) | (<u64>biased << 52);
}

/** Leading digits of the number text that `scanDecimal` read, as an integer. */
export let decimalDigits: u64 = 0;
/** The power of ten that belongs to `decimalDigits`. */
export let decimalPower: i64 = 0;
/** Digits beyond the first 19 were left out, and not all of them are 0. */
export let decimalCut: bool = false;
export let decimalNegative: bool = false;

/** Where the digits of that text begin, behind a minus, and where it ends. */
export let decimalStart: usize = 0;
export let decimalEnd: usize = 0;

/** Takes the JSON number text [p, end) apart (RFC 8259 §6). */
export function scanDecimal(p: usize, end: usize): void {
  decimalNegative = load<u8>(p) == 0x2d;
  if (decimalNegative) p++;
  decimalStart = p;
  decimalEnd = end;
  let w: u64 = 0, digits: u32 = 0, q: i64 = 0, fraction = false, cut = false;
  while (p < end) {
    const c = <u32>load<u8>(p++);
    if (c == 0x2e) { fraction = true; continue; }
    if ((c | 32) == 0x65) { q += readExponent(p, end); break; }
    if (fraction) q--;
    if (digits < MOST_DIGITS) {
      w = w * 10 + <u64>(c - 48);
      if (w) digits++;
    } else {
      q++;
      if (c != 48) cut = true;
    }
  }
  decimalDigits = w;
  decimalPower = q;
  decimalCut = cut;
}

/** The double nearest to the number text that `scanDecimal` read, which still stands there. */
export function decimalDouble(): f64 {
  let bits: u64 = 0;
  if (decimalDigits) {
    bits = nearest(decimalDigits, decimalPower);
    if (decimalCut) {
      const next = nearest(decimalDigits + 1, decimalPower);
      if (next != bits) {
        const order = compareWithMidpoint(decimalStart, decimalEnd, bits);
        if (order > 0 || (order == 0 && (bits & 1) != 0)) bits = next;
      }
    }
  }
  return reinterpret<f64>(decimalNegative ? bits | 0x8000000000000000 : bits);
}

/**
 * The double nearest to the JSON number text [p, end) (RFC 8259 §6), as JavaScript's `Number(text)`: infinity beyond the range, -0 for
 * zeros with a minus. Linear in the text.
 */
export function readDouble(p: usize, end: usize): f64 {
  scanDecimal(p, end);
  return decimalDouble();
}
