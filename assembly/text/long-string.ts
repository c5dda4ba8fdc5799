// Strings of more than a block, 64 bytes at a time. Prose has an escape or a foreign character in every other block: nothing is branched upon that such a text
// would make a coin toss, for a wrong guess costs more than a block. Without SIMD the bitmaps cost more than they save.
import { BLOCK, stringRun } from "./block";
import { controlLanes, equalLanes, gather, hasControls } from "./lanes";
import { HAS_ESCAPE, HAS_LOOSE_ESCAPE, HAS_NON_ASCII, LETTERS, areHex, scanFlags, scanString, setScanFlags } from "./scan";
import { judgeUtf8, keepUtf8, settleUtf8, UTF8_NOTES_FULL, utf8Noted } from "./utf8-block";

const EVEN: u64 = 0x5555555555555555;
/** As many blocks are read with care from one on that is not plain. */
const CAREFUL: u32 = 16;
/** Blocks left to be so; where one string is not plain, the next one may not be either. */
let careful: u32 = 0;

/** Strings are read as `scanString` reads them. */
let exactly: bool = false;

/** Sets whether `scanText` is to judge everything at once. */
export function scanExactly(on: bool): void { exactly = on; }

/** `scanString` for a text that may be long. `scanUnits` means nothing afterwards. Not between `scanText` and `textsAreWhole`. */
export function scanLongString(p: usize): usize {
  const end = scanLater(p), whole = textsAreWhole();
  return end && whole ? end : scanString(p);
}

/**
 * `scanLongString` with the first block in line (most keys and ids end there), which may leave it to `textsAreWhole` to say whether the text is UTF-8: of many
 * short texts that is told faster together.
 */
@inline export function scanText(p: usize): usize {
  const run = stringRun(p), q = p + run;
  return load<u8>(q) == 0x22 ? q : scanLater(run == BLOCK ? p + BLOCK : p);
}

/**
 * Whether what `scanText` has read since the last call is UTF-8. Where it is not, or where what lies around it is not, the texts have to be read again after
 * `scanExactly`.
 */
@inline export function textsAreWhole(): bool {
  if (ASC_FEATURE_SIMD) return settleUtf8();
  else return true;
}

function scanLater(p: usize): usize {
  if (ASC_FEATURE_SIMD) {
    const end: usize = exactly ? 0 : scanBlocks(p);
    if (end) return end;
  }
  return scanString(p);
}

// The closing quote, or 0 where the string is not valid.
function scanBlocks(p: usize): usize {
  // the state before a block: behind a backslash, behind a byte above 7f
  let carry: u64 = 0, top: u64 = 0, care = careful;
  let highs: u64 = 0, escapes: u64 = 0, stop: u64 = 0, note = utf8Noted;
  while (true) {
    const a = v128.load(p), b = v128.load(p, 16), c = v128.load(p, 32), d = v128.load(p, 48);
    const quotes = equalLanes(a, b, c, d, 0x22);
    if (!care) {
      const backslash = i8x16.splat(0x5c), space = i8x16.splat(0x20);
      // the signed compare catches control characters and bytes above 0x7f at once
      const odd = gather(
        v128.or(i8x16.eq(a, backslash), i8x16.lt_s(a, space)), v128.or(i8x16.eq(b, backslash), i8x16.lt_s(b, space)),
        v128.or(i8x16.eq(c, backslash), i8x16.lt_s(c, space)), v128.or(i8x16.eq(d, backslash), i8x16.lt_s(d, space)));
      if (!(odd & ((quotes & (0 - quotes)) - 1))) {
        if (quotes) { careful = 0; return p + <usize>ctz(quotes); }
        p += 64;
        continue;
      }
      care = CAREFUL;
    }
    const foreign = gather(a, b, c, d);
    if (foreign == ~0) {
      // prose in a script of its own
      if (carry) return 0;
      for (let i: usize = 0; i < 4; i++) store<u32>(note + (i << 2), <u32>(p + (i << 4)));
      note += 16;
      highs = 1;
      top = 1;
      p += 64;
      if (note >= UTF8_NOTES_FULL) note = judgeUtf8(note);
      care = CAREFUL;
      continue;
    }
    const backslashes = equalLanes(a, b, c, d, 0x5c);
    const bare = backslashes & ~carry, following = (bare << 1) | carry, oddStarts = bare & ~EVEN & ~following, sum = oddStarts + bare;
    carry = <u64>(sum < oddStarts);
    const escaped = (EVEN ^ (sum << 1)) & following, closing = quotes & ~escaped;
    stop = closing & (0 - closing);
    const valid = stop - 1, high = foreign & valid;
    // most are \" \\ and \n
    const rare = escaped & valid & ~(quotes | backslashes | equalLanes(a, b, c, d, 0x6e));
    if (rare && !areEscapes(p, rare)) return 0;
    // vectors that hold a byte above 7f, or stand behind one
    const near = high | (high << 1) | top;
    store<u32>(note, <u32>p);
    note += <usize>((near & 0xffff) != 0) << 2;
    store<u32>(note, <u32>p + 16);
    note += <usize>((near & 0xffff0000) != 0) << 2;
    store<u32>(note, <u32>p + 32);
    note += <usize>((near & 0xffff00000000) != 0) << 2;
    store<u32>(note, <u32>p + 48);
    note += <usize>(near >> 48 != 0) << 2;
    if (note >= UTF8_NOTES_FULL) note = judgeUtf8(note);
    top = high >> 63;
    highs |= high;
    escapes |= escaped & valid;
    if (hasControls(a, b, c, d) && (controlLanes(a, b, c, d) & valid)) return 0;
    if (stop) break;
    p += 64;
    care = (high | escaped | carry) ? CAREFUL : care - 1;
  }
  keepUtf8(note);
  careful = (highs | escapes) ? CAREFUL : care - 1;
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
