// Strings of the binary wires for the fast road: ids that are their own canonical form, and deltas brought to it.
import { RUN_PTR, bytesClear } from "../../memory/bytes";
import { setAccount } from "../../memory/heap";
import { BLOCK, stringRun } from "../../text/block";
import { HAS_ESCAPE } from "../../text/scan";
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

/** Canonical string contents of the text that `takeText` has taken, and the flags of a scan over them. */
export let takenStart: usize = 0;
export let takenEnd: usize = 0;
export let takenFlags: u32 = 0;

/** Takes the `n` bytes of UTF-8 at `p` as string contents; false: they are ill-formed, or memory is short. */
@inline export function takeText(p: usize, n: u32): bool {
  if (!isPlain(p, n)) return convert(p, n);
  takenStart = p;
  takenEnd = p + n;
  takenFlags = 0;
  return true;
}

function convert(p: usize, n: u32): bool {
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
  return true;
}
