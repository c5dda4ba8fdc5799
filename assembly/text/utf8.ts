// UTF-8 as Unicode defines it (table 3-7): no overlong forms, no surrogates, nothing above U+10FFFF.

/** One non-ASCII sequence at `p`: the address behind it, or 0 when it is ill-formed. Reads 3 bytes behind `p` at most. */
export function utf8Sequence(p: usize): usize {
  const lead = <u32>load<u8>(p);
  if (lead < 0xc2) return 0;
  const second = <u32>load<u8>(p, 1);
  if ((second & 0xc0) != 0x80) return 0;
  if (lead < 0xe0) return p + 2;
  if ((load<u8>(p, 2) & 0xc0) != 0x80) return 0;
  if (lead < 0xf0) {
    if (lead == 0xe0 && second < 0xa0) return 0;
    if (lead == 0xed && second > 0x9f) return 0;
    return p + 3;
  }
  if (lead > 0xf4 || (load<u8>(p, 3) & 0xc0) != 0x80) return 0;
  if (lead == 0xf0 && second < 0x90) return 0;
  if (lead == 0xf4 && second > 0x8f) return 0;
  return p + 4;
}

/** Behind the non-ASCII sequences that start at `p`, or 0 when one of them is ill-formed. */
export function skipNonAscii(p: usize): usize {
  do {
    let word = load<u32>(p);
    // the common shapes in one compare each: C2..DF and one continuation, E1..EC (U+1000..U+CFFF) and two, in runs
    if ((word & 0xc0e0) == 0x80c0 && (word & 0x1e)) p += 2;
    else if ((word & 0xc0c0f0) == 0x8080e0 && (word & 15) - 1 < 12) {
      do { p += 3; word = load<u32>(p); } while ((word & 0xc0c0f0) == 0x8080e0 && (word & 15) - 1 < 12);
    } else p = utf8Sequence(p);
  } while (p && load<u8>(p) >= 0x80);
  return p;
}

/** Writes a code point (surrogates too: WTF-8) and returns the address behind it. */
export function utf8Put(d: usize, codePoint: u32): usize {
  if (codePoint < 0x80) { store<u8>(d, codePoint); return d + 1; }
  if (codePoint < 0x800) {
    store<u8>(d, 0xc0 | (codePoint >> 6));
    store<u8>(d, 0x80 | (codePoint & 63), 1);
    return d + 2;
  }
  if (codePoint < 0x10000) {
    store<u8>(d, 0xe0 | (codePoint >> 12));
    store<u8>(d, 0x80 | ((codePoint >> 6) & 63), 1);
    store<u8>(d, 0x80 | (codePoint & 63), 2);
    return d + 3;
  }
  store<u8>(d, 0xf0 | (codePoint >> 18));
  store<u8>(d, 0x80 | ((codePoint >> 12) & 63), 1);
  store<u8>(d, 0x80 | ((codePoint >> 6) & 63), 2);
  store<u8>(d, 0x80 | (codePoint & 63), 3);
  return d + 4;
}
