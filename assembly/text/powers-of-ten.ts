// 128-bit powers of ten for the conversions of doubles. 10.4 KB that no binary carries: they are computed, exactly, when the first
// number needs them (0.1 ms).

export const LEAST_POWER: i32 = -342;
export const GREATEST_POWER: i32 = 324;

// 16 bytes a power: high u64, low u64, so that 10^k = high:low * 2^(floor(log2(10^k)) - 127), rounded down; bit 127 is set.
const POWERS: usize = memory.data(667 * 16, 16);
let made: bool = false;

// A large number as u32 limbs, the lowest first; four limbs below it are 0.
const LIMBS: u32 = 30;
const BIG: usize = memory.data(34 * 4, 16) + 16;

// The upper 128 bits of the `n` limbs.
function putUpper(k: i32, n: u32): void {
  const top = BIG + (n << 2);
  const shift = <u64>clz<u32>(load<u32>(top - 4));
  const third = <u64>load<u32>(top - 12);
  const at = addressOf(k);
  store<u64>(at, (((<u64>load<u32>(top - 4) << 32) | <u64>load<u32>(top - 8)) << shift) | (third >> (32 - shift)));
  store<u64>(at, (((third << 32) | <u64>load<u32>(top - 16)) << shift) | (<u64>load<u32>(top - 20) >> (32 - shift)), 8);
}

function make(): void {
  made = true;
  // upwards from 1 by factors of 5: the factors of 2 are in the exponent
  let n: u32 = 1;
  store<u32>(BIG, 1);
  for (let k: i32 = 0; k <= GREATEST_POWER; k++) {
    putUpper(k, n);
    let carry: u64 = 0;
    for (let i: u32 = 0; i < n; i++) {
      carry += <u64>load<u32>(BIG + (i << 2)) * 5;
      store<u32>(BIG + (i << 2), <u32>carry);
      carry >>= 32;
    }
    if (carry) store<u32>(BIG + (n++ << 2), <u32>carry);
  }
  // downwards from 2^959: 5^342 leaves 165 bits, and dividing a quotient that was rounded down rounds down as one division would
  n = LIMBS;
  memory.fill(BIG, 0, LIMBS << 2);
  store<u32>(BIG + ((LIMBS - 1) << 2), 0x80000000);
  for (let k: i32 = -1; k >= LEAST_POWER; k--) {
    let rest: u64 = 0;
    for (let i = n; i; i--) {
      const at = BIG + ((i - 1) << 2);
      rest = (rest << 32) | <u64>load<u32>(at);
      store<u32>(at, <u32>(rest / 5));
      rest %= 5;
    }
    while (!load<u32>(BIG + ((n - 1) << 2))) n--;
    putUpper(k, n);
  }
}

@inline function addressOf(k: i32): usize { return POWERS + (<usize>(k - LEAST_POWER) << 4); }

/** Address of the high and the low half of 10^k, -342 <= k <= 324. */
@inline export function powerOfTen(k: i32): usize {
  if (!made) make();
  return addressOf(k);
}
