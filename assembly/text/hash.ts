// Seeded hash of keys and ids. Pairs of 32-bit halves are multiplied under keys that follow from the seed (the NH
// family), so colliding keys cannot be prepared without knowing it; a plain multiply-xor chain lets flips of the top
// bits cancel whatever the seed.

const STEP: u64 = 0x9e3779b97f4a7c15;
const MIX: u64 = 0xff51afd7ed558ccd;

let seed: u64 = 0x2545f4914f6cdd1d;

/** Sets the seed. Once, before the first index is built: indexes keep the hashes of their time. */
export function hashSeed(lo: u32, hi: u32): void {
  seed = ((<u64>hi << 32) | <u64>lo) ^ 0x2545f4914f6cdd1d;
}

/** 32-bit hash of `n` bytes; may read 7 bytes behind them. */
export function hashBytes(p: usize, n: u32): u32 {
  let key = seed, sum: u64 = <u64>n * STEP;
  while (n >= 8) {
    const word = load<u64>(p) + key;
    sum += (word & 0xffffffff) * (word >> 32);
    key = (key ^ (key >> 29)) * MIX + STEP;
    p += 8; n -= 8;
  }
  if (n) {
    const word = (load<u64>(p) << (64 - (n << 3))) + key;
    sum += (word & 0xffffffff) * (word >> 32);
  }
  // the high half: the low bits of a product depend on the low bits of its factors alone
  return <u32>(((sum ^ (sum >> 32)) * MIX) >> 32);
}
