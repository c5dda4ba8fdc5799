// The replacing UTF-8 decode of the WHATWG Encoding standard: one U+FFFD for each maximal ill-formed part.
import { findByte } from "./scan";
import { utf8Sequence } from "./utf8";

/** Copies [src, end) to `dst` with ill-formed parts replaced; `dst` needs three times the length. Returns the end of the output. */
export function replaceInvalid(src: usize, end: usize, dst: usize): usize {
  while (src < end) {
    const c = <u32>load<u8>(src);
    if (c < 0x80) { store<u8>(dst++, c); src++; continue; }
    const wanted = sequenceLength(c), whole = wanted && <u32>(end - src) >= wanted ? utf8Sequence(src) : 0;
    if (whole) {
      while (src < whole) store<u8>(dst++, load<u8>(src++));
      continue;
    }
    store<u16>(dst, 0xbfef);
    store<u8>(dst, 0xbd, 2);
    dst += 3;
    src += illFormedPart(src, end);
  }
  return dst;
}

/** Whether [p, end) is well-formed. */
export function isWellFormed(p: usize, end: usize): bool {
  while (p < end) {
    if (load<u8>(p) < 0x80) { p++; continue; }
    p = utf8Sequence(p);
    if (!p || p > end) return false;
  }
  return true;
}

/** The place in [src, end) that stands at byte `n` of what `replaceInvalid` makes of it. */
export function placeBeforeReplacing(src: usize, end: usize, n: usize): usize {
  let written: usize = 0;
  while (src < end && written < n) {
    const c = <u32>load<u8>(src);
    if (c < 0x80) { src++; written++; continue; }
    const wanted = sequenceLength(c), whole = wanted && <u32>(end - src) >= wanted ? utf8Sequence(src) : 0;
    const next = whole ? whole : src + max<usize>(1, validPart(src, end, c, wanted));
    written += whole ? whole - src : 3;
    src = next;
  }
  return src;
}

/** Bytes of the maximal ill-formed part at `src` that one U+FFFD replaces; what stands at `src` is ill-formed. */
export function illFormedPart(src: usize, end: usize): usize {
  const lead = <u32>load<u8>(src);
  return max<usize>(1, validPart(src, end, lead, sequenceLength(lead)));
}

@inline function sequenceLength(lead: u32): u32 {
  if (lead - 0xc2 < 30) return 2;
  if (lead - 0xe0 < 16) return 3;
  return lead - 0xf0 < 5 ? 4 : 0;
}

// Bytes at `p` that still are the beginning of a well-formed sequence.
function validPart(p: usize, end: usize, lead: u32, wanted: u32): usize {
  if (!wanted || p + 1 >= end) return 1;
  let lowest: u32 = 0x80, highest: u32 = 0xbf;
  if (lead == 0xe0) lowest = 0xa0;
  else if (lead == 0xed) highest = 0x9f;
  else if (lead == 0xf0) lowest = 0x90;
  else if (lead == 0xf4) highest = 0x8f;
  const second = <u32>load<u8>(p, 1);
  if (second < lowest || second > highest) return 1;
  let n: usize = 2;
  while (n < <usize>wanted - 1 && p + n < end && (load<u8>(p + n) & 0xc0) == 0x80) n++;
  return n;
}

/**
 * Encoded surrogate halves in [p, end), three bytes ED A0..BF xx that stand for lone escapes (`unescape` writes them), become U+FFFD, which is as long.
 * Whether there were any.
 */
export function replaceHalves(p: usize, end: usize): bool {
  let found = false;
  while (true) {
    p = findByte(p, end, 0xed);
    if (!p) return found;
    if (load<u8>(p, 1) >= 0xa0) {
      found = true;
      store<u16>(p, 0xbfef);
      store<u8>(p, 0xbd, 2);
    }
    p += 3;
  }
  return found;
}
