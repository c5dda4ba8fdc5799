// Strings of more than a block, 64 bytes at a time. Prose has an escape or a foreign character in every other block: nothing is branched upon that such a text
// would make a coin toss, for a wrong guess costs more than a block. Without SIMD the bitmaps cost more than they save.
import { BLOCK, stringRun } from "./block";
import { controlLanes, equalLanes, gather, hasControls } from "./lanes";
import { HAS_ESCAPE, HAS_LOOSE_ESCAPE, HAS_NON_ASCII, LETTERS, areHex, scanFlags, scanString, setScanFlags } from "./scan";
import { areUtf8, UTF8_NOTES, UTF8_NOTES_END } from "./utf8-block";

const EVEN: u64 = 0x5555555555555555;
/** As many blocks are read with care from one on that is not plain. */
const CAREFUL: u32 = 16;

/** `scanString` for a text that may be long. Leaves `scanUnits` alone. */
export function scanLongString(p: usize): usize {
  if (ASC_FEATURE_SIMD) {
    const end = scanBlocks(p);
    if (end) return end;
  }
  return scanString(p);
}

/** `scanLongString` with the first block in line: most keys and ids end there. */
@inline export function scanText(p: usize): usize {
  const run = stringRun(p), q = p + run;
  return load<u8>(q) == 0x22 ? q : scanLongString(run == BLOCK ? p + BLOCK : p);
}

// The closing quote, or 0 where the string is not valid, or where what lies around it looks like UTF-8 that is not.
function scanBlocks(p: usize): usize {
  // the state before a block: behind a backslash, behind a byte above 7f; blocks left to be read with care
  let carry: u64 = 0, top: u64 = 0, careful: u32 = 0;
  let highs: u64 = 0, escapes: u64 = 0, stop: u64 = 0, note = UTF8_NOTES;
  while (true) {
    const a = v128.load(p), b = v128.load(p, 16), c = v128.load(p, 32), d = v128.load(p, 48);
    const quotes = equalLanes(a, b, c, d, 0x22);
    if (!careful) {
      const backslash = i8x16.splat(0x5c), space = i8x16.splat(0x20);
      // the signed compare catches control characters and bytes above 0x7f at once
      const odd = gather(
        v128.or(i8x16.eq(a, backslash), i8x16.lt_s(a, space)), v128.or(i8x16.eq(b, backslash), i8x16.lt_s(b, space)),
        v128.or(i8x16.eq(c, backslash), i8x16.lt_s(c, space)), v128.or(i8x16.eq(d, backslash), i8x16.lt_s(d, space)));
      if (!(odd & ((quotes & (0 - quotes)) - 1))) {
        if (quotes) return p + <usize>ctz(quotes);
        p += 64;
        continue;
      }
      careful = CAREFUL;
    }
    const backslashes = equalLanes(a, b, c, d, 0x5c);
    const bare = backslashes & ~carry, following = (bare << 1) | carry, oddStarts = bare & ~EVEN & ~following, sum = oddStarts + bare;
    carry = <u64>(sum < oddStarts);
    const escaped = (EVEN ^ (sum << 1)) & following, closing = quotes & ~escaped;
    stop = closing & (0 - closing);
    const valid = stop - 1, high = gather(a, b, c, d) & valid;
    // most are \" \\ and \n
    const rare = escaped & valid & ~(quotes | backslashes | equalLanes(a, b, c, d, 0x6e));
    if (rare && !areEscapes(p, rare)) return 0;
    store<u32>(note, <u32>p);
    note += <usize>((high | top) != 0) << 2;
    top = high >> 63;
    highs |= high;
    escapes |= escaped & valid;
    if (hasControls(a, b, c, d) && (controlLanes(a, b, c, d) & valid)) return 0;
    if (stop) break;
    p += 64;
    if (note == UTF8_NOTES_END) {
      if (!areUtf8(note)) return 0;
      note = UTF8_NOTES;
    }
    careful -= <u32>!(carry | top);
  }
  if (!areUtf8(note)) return 0;
  setScanFlags(scanFlags | (highs ? HAS_NON_ASCII : 0) | (escapes ? HAS_ESCAPE : 0));
  return p + <usize>ctz(stop);
}

// Whether what the bits of `escaped` say to be escaped may be; sets HAS_LOOSE_ESCAPE.
function areEscapes(p: usize, escaped: u64): bool {
  while (escaped) {
    const at = p + <usize>ctz(escaped), e = <u32>load<u8>(at);
    if (e - 0x5c >= 25 || !((LETTERS >> (e - 0x5c)) & 1)) {
      if (e == 0x75 ? !areHex(at + 1) : e != 0x2f) return false;
      setScanFlags(scanFlags | HAS_LOOSE_ESCAPE);
    }
    escaped &= escaped - 1;
  }
  return true;
}
