// The shortest decimal of a double that reads back as the same double, and of those the closest: Schubfach (R. Giulietti, "The Schubfach
// way to render doubles"), spelt as ECMA-262 §6.1.6.1.20 Number::toString spells it.
import { multiplyWide, productHigh } from "./multiply";
import { powerOfTen } from "./powers-of-ten";
import { writeUint } from "./digits";

/** Bytes that `writeDouble` may write, longest text and slack behind it together. */
export const DOUBLE_ROOM: u32 = 40;

/** The decimal found last: coefficient * 10^exponent. */
export let coefficient: u64 = 0;
export let exponent: i32 = 0;

@inline function floorLog2OfPower(k: i32): i32 { return (k * 1741647) >> 19; }

// (power * factor) >> 128 of the 128-bit power, its last bit set when anything was cut off.
@inline function scale(high: u64, low: u64, factor: u64): u64 {
  multiplyWide(low, factor);
  const carried = productHigh, middle = multiplyWide(high, factor) + carried;
  const upper = productHigh + (middle < carried ? 1 : 0);
  return upper | (middle > 1 ? 1 : 0);
}

/** Sets `coefficient` and `exponent` to the shortest decimal of the positive finite double with these bits; it may end with zeros. */
export function shortest(bits: u64): void {
  const fraction = bits & 0xfffffffffffff, biased = <i32>(bits >> 52);
  const c = biased ? fraction | 0x10000000000000 : fraction, q = biased ? biased - 1075 : -1074;
  // the double's own place and the bounds of what reads back as it, in quarters; below a power of two the lower one is nearer
  const nearLower = fraction == 0 && biased > 1;
  const odd = c & 1;
  const k = (q * 1262611 - (nearLower ? 524031 : 0)) >> 22;
  const shift = <u64>(q + floorLog2OfPower(-k) + 1);
  const power = powerOfTen(-k), high = load<u64>(power);
  // powers are rounded up here; those of 0..55 are exact
  const low = load<u64>(power, 8) + (<u32>-k > 55 ? 1 : 0);
  const below = scale(high, low, (4 * c - 2 + (nearLower ? 1 : 0)) << shift) + odd;
  const value = scale(high, low, (4 * c) << shift);
  const above = scale(high, low, (4 * c + 2) << shift) - odd;
  const s = value >> 2;
  if (s >= 10) {
    const tens = s / 10, down = below <= 40 * tens, up = 40 * tens + 40 <= above;
    if (down != up) { coefficient = tens + (up ? 1 : 0); exponent = k + 1; return; }
  }
  const down = below <= 4 * s, up = 4 * s + 4 <= above, middle = 4 * s + 2;
  const roundUp = down != up ? up : value > middle || (value == middle && (s & 1) != 0);
  coefficient = s + (roundUp ? 1 : 0);
  exponent = k;
}

/** Takes the zeros at the end of `coefficient` away. */
export function dropZeros(): void {
  if (coefficient % 10) return;
  while (coefficient % 100000000 == 0) { coefficient /= 100000000; exponent += 8; }
  while (coefficient % 100 == 0) { coefficient /= 100; exponent += 2; }
  if (coefficient % 10 == 0) { coefficient /= 10; exponent++; }
}

/**
 * Writes a finite double at `at` exactly as JavaScript's `String(value)` does (`0` for -0, an exponent from 1e21 and below 1e-6) and
 * returns the address behind the text, at most 25 bytes. `DOUBLE_ROOM` bytes are writable.
 */
export function writeDouble(value: f64, at: usize): usize {
  let bits = reinterpret<u64>(value);
  if (bits << 1 == 0) { store<u8>(at, 0x30); return at + 1; }
  if (bits >> 63) { store<u8>(at++, 0x2d); value = -value; bits &= 0x7fffffffffffffff; }
  if (value <= 9007199254740991 && Math.trunc(value) == value) return writeUint(<u64>value, at);
  shortest(bits);
  dropZeros();
  const digitsEnd = writeUint(coefficient, at), n = <i32>(digitsEnd - at), point = n + exponent;
  if (point > 0 && point <= 21) {
    if (exponent >= 0) {
      memory.fill(digitsEnd, 0x30, exponent);
      return at + point;
    }
    moveUp(at + point, digitsEnd, 1);
    store<u8>(at + point, 0x2e);
    return digitsEnd + 1;
  }
  if (point <= 0 && point > -6) {
    const zeros = <usize>(2 - point);
    moveUp(at, digitsEnd, zeros);
    memory.fill(at, 0x30, zeros);
    store<u8>(at, 0x2e, 1);
    return digitsEnd + zeros;
  }
  let end = digitsEnd;
  if (n > 1) {
    moveUp(at + 1, end, 1);
    store<u8>(at, 0x2e, 1);
    end++;
  }
  const power = point - 1;
  store<u16>(end, power < 0 ? 0x2d65 : 0x2b65);
  return writeUint(<u64>(power < 0 ? -power : power), end + 2);
}

/**
 * Writes a finite double as a JSON number that says neither more nor less than the double: like `writeDouble`, but integers below 1e21
 * have all their digits (`String` pads those above 2^53 with zeros, which as JSON text would be another integer) and -0 keeps its sign.
 * Returns the address behind the text, at most 25 bytes. `DOUBLE_ROOM` bytes are writable.
 */
export function writeExactDouble(value: f64, at: usize): usize {
  const size = Math.abs(value);
  if (size > 9007199254740991 ? size >= 1e21 : size != 0 || reinterpret<i64>(value) >= 0) return writeDouble(value, at);
  if (value < 0 || size == 0) store<u8>(at++, 0x2d);
  if (size < 1.8446744073709552e19) return writeUint(<u64>size, at);
  // 2^64 to 1e21: a * 2^f, f <= 6, in two parts of which the lower has ten digits
  const bits = reinterpret<u64>(size), a = ((bits & 0xfffffffffffff) | 0x10000000000000) << 11, f = (bits >> 52) - 1086;
  const rest = (a % 10000000000) << f;
  at = writeUint((a / 10000000000 << f) + rest / 10000000000, at);
  // a digit in front makes the lower part eleven digits long; then it is taken away
  const last = load<u8>(at - 1), end = writeUint(10000000000 + rest % 10000000000, at - 1);
  store<u8>(at - 1, last);
  return end;
}

// Moves [p, end) up by `by`, the last byte first; at most 17 bytes.
function moveUp(p: usize, end: usize, by: usize): void {
  while (end > p) {
    end--;
    store<u8>(end + by, load<u8>(end));
  }
}
