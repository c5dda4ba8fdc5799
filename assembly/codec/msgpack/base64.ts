// bin as base64.
import { moreOutput } from "../output";

// the digit that stands for six bits
@inline function base64Digit(v: u32): u32 {
  if (v < 26) return v + 65;
  if (v < 52) return v + 71;
  if (v < 62) return v - 4;
  return v == 62 ? 0x2b : 0x2f;
}

/** Writes the bytes [p, end) at `d` in base64 with padding (RFC 4648 §4); 0 = out of memory. */
export function copyBase64(p: usize, end: usize, d: usize): usize {
  d = moreOutput(d, (<u32>(end - p) + 2) / 3 * 4);
  if (!d) return 0;
  while (p < end) {
    const left = end - p;
    const bits = (<u32>load<u8>(p) << 16) | (left > 1 ? <u32>load<u8>(p, 1) << 8 : 0) | (left > 2 ? <u32>load<u8>(p, 2) : 0);
    store<u32>(d, base64Digit(bits >> 18) | (base64Digit((bits >> 12) & 63) << 8)
      | ((left > 1 ? base64Digit((bits >> 6) & 63) : 0x3d) << 16) | ((left > 2 ? base64Digit(bits & 63) : 0x3d) << 24));
    p += 3;
    d += 4;
  }
  return d;
}
