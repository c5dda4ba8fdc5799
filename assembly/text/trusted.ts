// Trusted iteration over validated text: no checks, white space possible between tokens.
import { bracketBits, equalBits, escapeCarry, escapedBits, prefixXor, resetEscapeCarry } from "./bitmap";
import { BLOCK, spaceRun } from "./block";
import { stringEnd } from "./scan";

/** Behind JSON white space. */
@inline export function skipSpace(p: usize): usize {
  return load<u8>(p) > 0x20 ? p : skipSpaces(p);
}

function skipSpaces(p: usize): usize {
  while (true) {
    const run = spaceRun(p);
    if (run < BLOCK) return p + run;
    p += BLOCK;
  }
  return p;
}

/** Behind the validated value at `p` (no white space before it). */
export function skipTrusted(p: usize): usize {
  const c = <u32>load<u8>(p);
  if (c == 0x22) return stringEnd(p + 1) + 1;
  if ((c | 0x20) == 0x7b) return skipContainer(p);
  return skipScalar(p);
}

/** Behind a validated number, `true`, `false` or `null`. */
export function skipScalar(p: usize): usize {
  while (true) {
    const c = <u32>load<u8>(p);
    if (c <= 0x20 || c == 0x2c || (c | 0x20) == 0x7d) return p;
    p++;
  }
  return p;
}

// 64 bytes at a time: a block whose closing brackets cannot bring the depth to 0 is counted and left.
function skipContainer(p: usize): usize {
  let depth: u32 = 0, inString: u64 = 0;
  resetEscapeCarry();
  while (true) {
    const backslashes = equalBits(p, 0x5c);
    let quotes = equalBits(p, 0x22);
    if (backslashes | escapeCarry) quotes &= ~escapedBits(backslashes);
    const strings = prefixXor(quotes) ^ inString;
    inString = <u64>(<i64>strings >> 63);
    const opens = bracketBits(p, 0x7b) & ~strings, closes = bracketBits(p, 0x7d) & ~strings;
    const closing = <u32>popcnt(closes);
    if (closing < depth) {
      depth += <u32>popcnt(opens) - closing;
    } else {
      let brackets = opens | closes;
      while (brackets) {
        const bit = brackets & (0 - brackets);
        if (opens & bit) depth++;
        else if (--depth == 0) return p + <usize>ctz(bit) + 1;
        brackets ^= bit;
      }
    }
    p += 64;
  }
  return p;
}
