// Reading of canonical text: validated, compact JSON whose strings have their shortest spelling, so that equal keys are equal bytes.
import { equalBytes } from "../../memory/copy";
import { skipTrusted } from "../../text/trusted";
import { stringEnd } from "../../text/scan";

export let keyStart: usize = 0;
export let keyLength: u32 = 0;
export let valueStart: usize = 0;
export let valueEnd: usize = 0;

/** The opening quote of the first key of the object at `p`, 0 for an empty object. */
@inline export function firstMember(p: usize): usize {
  return load<u8>(p, 1) == 0x7d ? 0 : p + 1;
}

/**
 * Reads the member whose key opens at `p` into `keyStart`, `keyLength`, `valueStart`, `valueEnd`.
 * Returns the opening quote of the next key, 0 behind the last member.
 */
export function readMember(p: usize): usize {
  keyStart = p + 1;
  const end = stringEnd(p + 1);
  keyLength = <u32>(end - keyStart);
  valueStart = end + 2;
  valueEnd = skipTrusted(valueStart);
  return load<u8>(valueEnd) == 0x2c ? valueEnd + 1 : 0;
}

/** Finds the last member of that name in the object at `p`; its value is left in `valueStart`, `valueEnd`. */
export function findMember(p: usize, key: usize, n: u32): bool {
  let start: usize = 0, end: usize = 0;
  let q = firstMember(p);
  while (q) {
    q = readMember(q);
    if (keyLength == n && equalBytes(keyStart, key, n)) { start = valueStart; end = valueEnd; }
  }
  valueStart = start;
  valueEnd = end;
  return start != 0;
}

/** Up to this many members are compared pair by pair. */
const FEW: u32 = 16;
const SEEN: usize = memory.data(FEW * 8, 8);

/** Whether a name stands twice in the object at `p`; also true when it holds too many members to tell cheaply. */
export function mayRepeatMembers(p: usize): bool {
  let n: u32 = 0, q = firstMember(p);
  while (q) {
    q = readMember(q);
    if (n == FEW) return true;
    for (let i: u32 = 0; i < n; i++) {
      const entry = SEEN + (i << 3);
      if (load<u32>(entry, 4) == keyLength && equalBytes(load<u32>(entry), keyStart, keyLength)) return true;
    }
    store<u32>(SEEN + (n << 3), <u32>keyStart);
    store<u32>(SEEN + (n << 3), keyLength, 4);
    n++;
  }
  return false;
}

/** Nesting of the canonical value at `p`: 0 for a scalar, 1 for a flat container. */
export function depthOf(p: usize, end: usize): u32 {
  let depth: u32 = 0, deepest: u32 = 0;
  while (p < end) {
    const c = load<u8>(p);
    if (c == 0x22) { p = stringEnd(p + 1) + 1; continue; }
    if ((c | 0x20) == 0x7b) { depth++; if (depth > deepest) deepest = depth; }
    else if ((c | 0x20) == 0x7d) depth--;
    p++;
  }
  return deepest;
}
