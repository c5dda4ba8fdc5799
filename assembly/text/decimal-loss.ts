// Whether a number text still denotes the same decimal once it has been a double and is printed again.
import { decimalCut, decimalDigits, decimalEnd, decimalPower, decimalStart } from "./double-read";
import { coefficient, dropZeros, exponent, shortest, writeExactDouble } from "./double-write";

/** Normal doubles tell all decimals of 15 digits apart, so the shortest one of such a double is the decimal it came from. */
const SIXTEEN_DIGITS: u64 = 1000000000000000;
const LEAST_NORMAL: f64 = 2.2250738585072014e-308;
/** Integers beyond this are printed with zeros or with all of their digits. */
const MOST_SAFE: f64 = 9007199254740991;

/** `DOUBLE_ROOM` bytes. */
const PRINTED: usize = memory.data(40, 16);

/**
 * Whether `writeDouble` prints another decimal for `value`, the double nearest to the number text that `scanDecimal` read last, than that text
 * denotes. An infinity is another one; the sign of a zero is not looked at. Nearly free for up to 15 digits.
 */
@inline export function losesDigits(value: f64): bool {
  const size = Math.abs(value);
  if (decimalDigits < SIXTEEN_DIGITS && ((size >= LEAST_NORMAL && size <= f64.MAX_VALUE) || !decimalDigits)) return false;
  return isOther(size);
}

/** `losesDigits` for `writeExactDouble` and a finite `value`: integers below 1e21 come with all their digits. */
@inline export function losesExactDigits(value: f64): bool {
  const size = Math.abs(value);
  if (decimalDigits < SIXTEEN_DIGITS && ((size >= LEAST_NORMAL && size <= MOST_SAFE) || !decimalDigits)) return false;
  return size > MOST_SAFE && size < 1e21 ? hasOtherDigits(size) : losesDigits(value);
}

function isOther(size: f64): bool {
  // more than 19 digits are more than any shortest decimal has
  if (decimalCut || size == 0 || !isFinite<f64>(size)) return true;
  shortest(reinterpret<u64>(size));
  let digits = decimalDigits, power = decimalPower;
  // as JavaScript prints most numbers that are no integers
  if (coefficient == digits && <i64>exponent == power) return false;
  dropZeros();
  while (digits % 10 == 0) { digits /= 10; power++; }
  return coefficient != digits || <i64>exponent != power;
}

// The same of an integer that is printed in full. Decimals as near to each other as these differ in a digit or not at all.
function hasOtherDigits(size: f64): bool {
  const end = writeExactDouble(size, PRINTED);
  let p = decimalStart, q = PRINTED;
  for (; p < decimalEnd; p++) {
    const c = <u32>load<u8>(p);
    if (c == 0x2e || (c == 0x30 && q == PRINTED)) continue;
    if ((c | 32) == 0x65) break;
    if (c != (q < end ? <u32>load<u8>(q) : 0x30)) return true;
    q++;
  }
  for (; q < end; q++) if (load<u8>(q) != 0x30) return true;
  return false;
}
