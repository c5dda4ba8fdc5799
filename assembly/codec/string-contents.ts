// UTF-8 of a binary wire as the contents of a JSON string.
import { E_INVALID_UTF8, E_OUT_OF_MEMORY } from "../abi/codes";
import { BLOCK, copyBlock, stringRun } from "../text/block";
import { putEscaped } from "../text/escape";
import { illFormedPart } from "../text/replace-utf8";
import { utf8Sequence } from "../text/utf8";
import { moreOutput, outputLimit } from "./output";

/** Text that needs escapes is taken in parts, so that room for the longest escapes is never asked for all of it. */
const PART: usize = 1024;
const LONGEST_ESCAPE: u32 = 6;

/** What the last `copyText` returned 0 for, E_INVALID_UTF8 or E_OUT_OF_MEMORY, and where. */
export let textStatus: u32 = 0;
export let textFaultAt: usize = 0;
/** Ill-formed parts were replaced since `beginText`. */
export let textReplaced: bool = false;

let replacing: bool = false;

/** Whether ill-formed UTF-8 becomes U+FFFD or a fault from now on. */
export function beginText(replace: bool): void {
  replacing = replace;
  textReplaced = false;
}

function refuse(status: u32, at: usize): usize {
  textStatus = status;
  textFaultAt = at;
  return 0;
}

/**
 * Writes the UTF-8 [p, end) at `d`, at most a byte behind `outputLimit`, as canonical contents of a JSON string. Returns the address behind them, at most 17
 * bytes behind `outputLimit`; 0 = fault, in `textStatus`. Reads 15 bytes behind `end`.
 */
@inline export function copyText(p: usize, end: usize, d: usize): usize {
  // nearly every key and token is plain and ends in its first block
  if (<usize>end - p <= BLOCK && stringRun(p) >= end - p) {
    copyBlock(d, p);
    return d + (end - p);
  }
  return copyLong(p, end, d);
}

function copyLong(p: usize, end: usize, d: usize): usize {
  if (d > outputLimit || outputLimit - d < end - p) {
    d = moreOutput(d, <u32>(end - p));
    if (!d) return refuse(E_OUT_OF_MEMORY, p);
  }
  while (p < end) {
    const run = stringRun(p);
    copyBlock(d, p);
    if (run < BLOCK && p + run < end) return copyParts(p + run, end, d + run);
    p += BLOCK;
    d += BLOCK;
  }
  return d - (p - end);
}

// `copyLong` from the first character that is not plain.
function copyParts(p: usize, end: usize, d: usize): usize {
  while (p < end) {
    const left = end - p, stop = p + min<usize>(left, PART);
    d = moreOutput(d, <u32>left + (LONGEST_ESCAPE - 1) * <u32>(stop - p));
    if (!d) return refuse(E_OUT_OF_MEMORY, p);
    while (p < stop) {
      const run = min<usize>(stringRun(p), end - p);
      copyBlock(d, p);
      p += run;
      d += run;
      if (run == BLOCK || p >= end) continue;
      const c = <u32>load<u8>(p);
      if (c < 0x80) {
        d = putEscaped(d, c);
        p++;
        continue;
      }
      d = copyForeign(p, stop, end, d);
      if (!d) return 0;
      p = foreignEnd;
    }
  }
  return d;
}

let foreignEnd: usize = 0;

// Characters above U+007F, as many as begin before `stop`.
function copyForeign(p: usize, stop: usize, end: usize, d: usize): usize {
  do {
    const word = load<u32>(p);
    let next: usize = 0;
    // U+0080..07FF and U+1000..CFFF in one compare each
    if ((word & 0xc0e0) == 0x80c0 && (word & 0x1e)) next = p + 2;
    else if ((word & 0xc0c0f0) == 0x8080e0 && (word & 15) - 1 < 12) next = p + 3;
    else next = utf8Sequence(p);
    if (next && next <= end) {
      store<u32>(d, word);
      d += next - p;
      p = next;
    } else {
      if (!replacing) return refuse(E_INVALID_UTF8, p);
      textReplaced = true;
      store<u32>(d, 0xbdbfef);
      d += 3;
      p += illFormedPart(p, end);
    }
  } while (p < stop && load<u8>(p) >= 0x80);
  foreignEnd = p;
  return d;
}
