// Integers out of JSON number texts. Results are doubles: every value in 0..2^53-1 is exact, -1 says "not one of them".

const MAX_SAFE: u64 = 9007199254740991;

/** Decimal digits only, no leading zero: value 0..2^53-1, else -1. */
export function parseUint(p: usize, n: u32): f64 {
  if (n - 1 >= 16) return -1;
  const end = p + n;
  let value: u64 = 0, c = <u32>load<u8>(p) - 48;
  if (c == 0 && n > 1) return -1;
  do {
    if (c > 9) return -1;
    value = value * 10 + <u64>c;
    c = <u32>load<u8>(++p) - 48;
  } while (p < end);
  return value <= MAX_SAFE ? <f64>value : -1;
}

/**
 * Any valid JSON number text that denotes an integer in 0..2^53-1 (`1.0`, `1e3`, `10e-1`, `-0`): its value, exactly;
 * else -1.
 */
export function integerValue(p: usize, n: u32): f64 {
  const plain = parseUint(p, n);
  if (plain >= 0) return plain;
  const end = p + n;
  const negative = load<u8>(p) == 0x2d;
  if (negative) p++;
  // value * 10^(zeros + exponent); zeros are held back until a digit follows, so that 1000...0e-400 stays small
  let value: u64 = 0, zeros: i64 = 0, digits: u32 = 0, exponent: i64 = 0, fraction = false;
  while (p < end) {
    const c = <u32>load<u8>(p++);
    if (c == 0x2e) { fraction = true; continue; }
    if ((c | 32) == 0x65) { exponent += readExponent(p, end); break; }
    if (fraction) exponent--;
    if (c == 48) { if (digits) zeros++; continue; }
    // more than 17 digits between the first and the last one that is not 0 cannot be an integer that small
    if (zeros + <i64>digits > 17) return -1;
    for (; zeros > 0; zeros--) { value *= 10; digits++; }
    value = value * 10 + <u64>(c - 48);
    digits++;
  }
  if (!digits) return 0;
  exponent += zeros;
  if (negative || exponent < 0 || exponent > 16) return -1;
  for (; exponent > 0; exponent--) {
    if (value > MAX_SAFE) return -1;
    value *= 10;
  }
  return value <= MAX_SAFE ? <f64>value : -1;
}

/** The exponent [p, end) of a number text, what stands behind its `e`; clamped far beyond any text that fits into memory. */
export function readExponent(p: usize, end: usize): i64 {
  let value: i64 = 0;
  const negative = load<u8>(p) == 0x2d;
  if (negative || load<u8>(p) == 0x2b) p++;
  for (; p < end; p++) if (value < 1000000000000) value = value * 10 + <i64>load<u8>(p) - 48;
  return negative ? -value : value;
}
