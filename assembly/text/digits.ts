// Unsigned integers as decimal digits.

// Two digits as they stand in memory.
@inline function pair(v: u32): u32 { return (v / 10) | ((v % 10) << 8) | 0x3030; }

/** Number of decimal digits of `v`. */
export function digitCount(v: u64): u32 {
  let n: u32 = 1;
  if (v > 0xffffffff) {
    if (v < 10000000000) return 10;
    v /= 10000000000;
    n = 11;
  }
  let w = <u32>v;
  if (w >= 100000) { w /= 100000; n += 5; }
  if (w >= 1000) return n + (w >= 10000 ? 4 : 3);
  return n + (w >= 100 ? 2 : w >= 10 ? 1 : 0);
}

/** Writes the digits of `value` (at most 20) at `at` and returns the address behind them. Nothing behind them is written. */
export function writeUint(value: u64, at: usize): usize {
  if (value < 10) { store<u8>(at, <u32>value + 48); return at + 1; }
  if (value < 100) { store<u16>(at, pair(<u32>value)); return at + 2; }
  const end = at + digitCount(value);
  let p = end;
  // 64-bit divisions cost several times what 32-bit ones do
  while (value > 0xffffffff) {
    const rest = <u32>(value % 100000000);
    value /= 100000000;
    p -= 8;
    store<u16>(p, pair(rest / 1000000));
    store<u16>(p, pair(rest / 10000 % 100), 2);
    store<u16>(p, pair(rest / 100 % 100), 4);
    store<u16>(p, pair(rest % 100), 6);
  }
  let v = <u32>value;
  while (v >= 100) {
    p -= 2;
    store<u16>(p, pair(v % 100));
    v /= 100;
  }
  if (v >= 10) store<u16>(p - 2, pair(v));
  else if (p > at) store<u8>(p - 1, v + 48);
  return end;
}
