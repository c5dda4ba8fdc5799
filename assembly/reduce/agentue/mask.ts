// Masks (AgentUE §4, §5.2, §5.3): `meta.<path>` or `block.<path>`, segments separated by dots.
import { findByte } from "../../text/scan";

export const ROOT_META: u32 = 1;
export const ROOT_BLOCK: u32 = 2;

/** `ROOT_` of the parsed mask. */
export let maskRoot: u32 = 0;
/** The path behind the root and its dot. */
export let maskPath: usize = 0;
export let maskEnd: usize = 0;
export let maskSegments: u32 = 0;

/** Parses the canonical contents of a mask; false where the grammar is broken. */
export function parseMask(p: usize, end: usize): bool {
  if (end - p > 6 && load<u32>(p) == 0x636f6c62 && load<u16>(p, 4) == 0x2e6b) { maskRoot = ROOT_BLOCK; p += 6; }
  else if (end - p > 5 && load<u32>(p) == 0x6174656d && load<u8>(p, 4) == 0x2e) { maskRoot = ROOT_META; p += 5; }
  else return false;
  maskPath = p;
  maskEnd = end;
  maskSegments = 1;
  let segment = p;
  while (true) {
    const dot = findByte(segment, end, 0x2e);
    if (!dot) break;
    if (dot == segment) return false;
    maskSegments++;
    segment = dot + 1;
  }
  return segment < end;
}

/** End of the segment that begins at `p`. */
export function segmentEnd(p: usize): usize {
  const dot = findByte(p, maskEnd, 0x2e);
  return dot ? dot : maskEnd;
}

/** Whether the mask's first segment is `id` or `ref`, which no patch may touch (AgentUE §5.2, §5.3). */
export function isProtectedMask(): bool {
  const n = segmentEnd(maskPath) - maskPath;
  if (n == 2) return load<u16>(maskPath) == 0x6469;
  return n == 3 && load<u16>(maskPath) == 0x6572 && load<u8>(maskPath, 2) == 0x66;
}

/** Whether the mask is exactly `meta.error`. */
export function isMetaError(): bool {
  return maskRoot == ROOT_META && maskEnd - maskPath == 5 && load<u32>(maskPath) == 0x6f727265 && load<u8>(maskPath, 4) == 0x72;
}
