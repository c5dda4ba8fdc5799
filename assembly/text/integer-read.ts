// Number texts that denote 64-bit integers, by their value: `1.0` and `10e-1` are 1.
import { readExponent } from "./number";

const GREATEST: u64 = 0xffffffffffffffff;
const LEAST: u64 = 0x8000000000000000;

/** Magnitude of the integer that `readInteger` found. */
export let integerMagnitude: u64 = 0;
/** Whether its text has a minus; also for zeros. */
export let integerNegative: bool = false;

/**
 * Whether the JSON number text [p, end) denotes an integer in -2^63..2^64-1, exactly and for any length; `integerMagnitude` and
 * `integerNegative` hold it then.
 */
export function readInteger(p: usize, end: usize): bool {
  integerNegative = load<u8>(p) == 0x2d;
  if (integerNegative) p++;
  // value * 10^(zeros + exponent); zeros are held back until a digit follows, so that 1000...0e-400 stays small
  let value: u64 = 0, zeros: i64 = 0, exponent: i64 = 0, fraction = false;
  while (p < end) {
    const c = <u32>load<u8>(p++);
    if (c == 0x2e) { fraction = true; continue; }
    if ((c | 32) == 0x65) { exponent += readExponent(p, end); break; }
    if (fraction) exponent--;
    if (c == 48) { if (value) zeros++; continue; }
    if (zeros > 19) return false;
    for (; zeros >= 0; zeros--) {
      if (value > GREATEST / 10) return false;
      value *= 10;
    }
    zeros = 0;
    const digit = <u64>(c - 48);
    if (value > GREATEST - digit) return false;
    value += digit;
  }
  exponent = value ? exponent + zeros : 0;
  if (exponent < 0 || exponent > 19) return false;
  for (; exponent; exponent--) {
    if (value > GREATEST / 10) return false;
    value *= 10;
  }
  if (integerNegative && value > LEAST) return false;
  integerMagnitude = value;
  return true;
}
