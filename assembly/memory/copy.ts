// Short copies and compares. memory.copy costs 7 ns for any small size, a loop of wide moves 1-2 ns: they cross at about 256 B.

const LOOP_LIMIT: u32 = 256;

/**
 * Copies `n` bytes; may write up to 15 bytes behind `dst + n` and read as many behind `src + n`.
 * `dst` may overlap `src` from below when the bytes behind `dst + n` are not needed.
 */
@inline export function copyForward(dst: usize, src: usize, n: u32): void {
  if (n <= LOOP_LIMIT) {
    const end = src + n;
    if (ASC_FEATURE_SIMD) {
      while (src < end) { v128.store(dst, v128.load(src)); src += 16; dst += 16; }
    } else {
      while (src < end) { store<u64>(dst, load<u64>(src)); src += 8; dst += 8; }
    }
  } else memory.copy(dst, src, n);
}

/** Copies 16 bytes. */
@inline export function copySixteen(dst: usize, src: usize): void {
  if (ASC_FEATURE_SIMD) v128.store(dst, v128.load(src));
  else { store<u64>(dst, load<u64>(src)); store<u64>(dst, load<u64>(src, 8), 8); }
}

/** Clears `n` bytes, rounded up to 16. As short copies, short fills cost 7 ns in the engine's own instruction. */
@inline export function clearForward(dst: usize, n: u32): void {
  const end = dst + n;
  if (ASC_FEATURE_SIMD) {
    for (; dst < end; dst += 16) v128.store(dst, i64x2.splat(0));
  } else {
    for (; dst < end; dst += 16) { store<u64>(dst, 0); store<u64>(dst, 0, 8); }
  }
}

/** Copies exactly `n` bytes, nothing behind them is written. The ranges must not overlap. */
export function copyExact(dst: usize, src: usize, n: u32): void {
  if (n > LOOP_LIMIT) { memory.copy(dst, src, n); return; }
  if (ASC_FEATURE_SIMD) {
    if (n >= 16) {
      const last = n - 16;
      for (let i: u32 = 0; i < last; i += 16) v128.store(dst + i, v128.load(src + i));
      v128.store(dst + last, v128.load(src + last));
      return;
    }
  }
  if (n >= 8) {
    // the last move ends at the last byte and overlaps the one before it
    const last = n - 8;
    for (let i: u32 = 0; i < last; i += 8) store<u64>(dst + i, load<u64>(src + i));
    store<u64>(dst + last, load<u64>(src + last));
  } else if (n >= 4) {
    const head = load<u32>(src), tail = load<u32>(src + n - 4);
    store<u32>(dst, head);
    store<u32>(dst + n - 4, tail);
  } else {
    for (let i: u32 = 0; i < n; i++) store<u8>(dst + i, load<u8>(src + i));
  }
}

/** Whether `n` bytes are equal; may read 7 bytes behind either. */
export function equalBytes(a: usize, b: usize, n: u32): bool {
  while (n >= 8) {
    if (load<u64>(a) != load<u64>(b)) return false;
    a += 8; b += 8; n -= 8;
  }
  return n == 0 || ((load<u64>(a) ^ load<u64>(b)) << (64 - (n << 3))) == 0;
}

/** `equalBytes` for texts of more than a word; may read 15 bytes behind either. */
@inline export function equalText(a: usize, b: usize, n: u32): bool {
  if (ASC_FEATURE_SIMD) {
    if (n > 16) {
      const last = n - 16;
      let i: u32 = 0;
      do {
        if (v128.any_true(v128.xor(v128.load(a + i), v128.load(b + i)))) return false;
        i += 16;
      } while (i < last);
      // the last block ends at the last byte and overlaps the one before it
      return !v128.any_true(v128.xor(v128.load(a + last), v128.load(b + last)));
    }
    return !((i8x16.bitmask(i8x16.eq(v128.load(a), v128.load(b))) ^ 0xffff) & ((1 << n) - 1));
  }
  return equalBytes(a, b, n);
}
