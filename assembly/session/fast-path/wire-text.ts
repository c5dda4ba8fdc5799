// Strings of the binary wires for the fast road: ids that are their own canonical form, and deltas brought to it.
import { RUN_PTR, bytesClear } from "../../memory/bytes";
import { setAccount } from "../../memory/heap";
import { BLOCK, stringRun } from "../../text/block";
import { putEscaped } from "../../text/escape";
import { HAS_ESCAPE } from "../../text/scan";
import { FIRST_BYTES, isUtf8Short } from "../../text/utf8-block";
import { closeOutput, openOutput } from "../../codec/output";
import { beginText, copyText } from "../../codec/string-contents";
import { SCRATCH_MESSAGE as TEXT } from "../../reduce/scratch";

/** Whether the `n` bytes at `p` are plain characters, which stand for themselves in a JSON string. Reads a block behind them. */
@inline export function isPlain(p: usize, n: u32): bool {
  return n <= <u32>BLOCK ? stringRun(p) >= <usize>n : isPlainLong(p, p + n);
}

function isPlainLong(p: usize, end: usize): bool {
  while (p < end) {
    const run = stringRun(p);
    if (run < BLOCK) return p + run >= end;
    p += BLOCK;
  }
  return true;
}

/** Canonical string contents of the text that `takeText` has taken, the flags of a scan over them, and their code units where the flags are not 0 (0: not counted). */
export let takenStart: usize = 0;
export let takenEnd: usize = 0;
export let takenFlags: u32 = 0;
export let takenUnits: u32 = 0;

/** Takes the `n` bytes of UTF-8 at `p` as string contents; false: they are ill-formed, or memory is short. */
@inline export function takeText(p: usize, n: u32): bool {
  if (!isPlain(p, n)) return convert(p, n);
  takenStart = p;
  takenEnd = p + n;
  takenFlags = 0;
  return true;
}

// Where short texts with escapes are written.
const SHORT: usize = memory.data(15 * 6 + 16, 16);

// Texts of less than 16 bytes without a loop over characters: with one foreign character or one to escape in them they cost 70 to 100 ns more than plain ones else.
function convert(p: usize, n: u32): bool {
  if (!ASC_FEATURE_SIMD || n > 15) return convertLong(p, n);
  const v = v128.and(v128.load(p), v128.load(FIRST_BYTES + 16 - n)), foreign = <u32>i8x16.bitmask(v);
  if (foreign && !isUtf8Short(p, n)) return false;
  let escapes = <u32>i8x16.bitmask(v128.or(v128.or(i8x16.eq(v, i8x16.splat(0x22)), i8x16.eq(v, i8x16.splat(0x5c))), i8x16.lt_u(v, i8x16.splat(0x20)))) & ((1 << n) - 1);
  takenFlags = HAS_ESCAPE;
  takenUnits = n - <u32>popcnt(i8x16.bitmask(i8x16.lt_s(v, i8x16.splat(-64)))) + <u32>popcnt(i8x16.bitmask(i8x16.ge_u(v, i8x16.splat(<i8>0xf0))));
  takenStart = p;
  takenEnd = p + n;
  if (!escapes) return true;
  // what an address of the text is where it is written
  let shift = SHORT - p;
  v128.store(SHORT, v);
  do {
    const at = p + <usize>ctz(escapes), next = putEscaped(at + shift, load<u8>(at));
    v128.store(next, v128.load(at + 1));
    shift = next - at - 1;
    escapes &= escapes - 1;
  } while (escapes);
  takenStart = SHORT;
  takenEnd = p + n + shift;
  return true;
}

function convertLong(p: usize, n: u32): bool {
  bytesClear(TEXT);
  beginText(false);
  // the buffer is nobody's
  const account = setAccount(0);
  let d = openOutput(TEXT, n + (n >> 1));
  if (d) d = copyText(p, p + n, d);
  setAccount(account);
  if (!d) return false;
  closeOutput(d);
  takenStart = load<u32>(TEXT, RUN_PTR);
  takenEnd = d;
  takenFlags = HAS_ESCAPE;
  takenUnits = 0;
  return true;
}
