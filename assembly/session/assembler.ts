// Frame assemblers (docs/frames.md §4) as the host uses them: their faults, what they list, and the way of a restored block into a stream.
import { bytesClear, RUN_LEN, RUN_PTR } from "../memory/bytes";
import { putText, putUint } from "../codec/json/put";
import { writeUint } from "../text/digits";
import {
  A_BYTES, A_CHOSEN, A_FIRST, A_FRAMES, A_GROUPS, A_READ, A_ACCEPTED, ASSEMBLED_NAME, assembledIndex, assembledOffset, assemblerAdd, assemblerDrop, assemblerFeed, assemblerFind, assemblerFinish,
  assemblerGoOn, H_BYTES, H_NEXT, H_TEXT, H_TEXT_LENGTH,
} from "../frame/storage/assembler";

import { G_ID, G_ID_LENGTH, G_TOTAL, groupCount, writeNumbers } from "../frame/storage/group";
import { SCRATCH_RESULT, scratchReserve } from "../reduce/scratch";
import { leave } from "./feed";
import { failRefused, placeFault } from "./frames";

function told(fine: bool): bool {
  if (fine) return true;
  placeFault(assembledOffset, <i32>assembledIndex);
  return failRefused(-1, ASSEMBLED_NAME);
}

/** Feeds the `n` bytes at `p`, which a NUL follows; false: stopped at a frame that was refused, the fault says why (`goOnAssembling` goes on). */
export function feedAssembler(a: usize, p: usize, n: u32): bool {
  memory.fill(p + n, 0, 64);
  leave();
  return told(assemblerFeed(a, p, p + n));
}

export function goOnAssembling(a: usize): bool { return told(assemblerGoOn(a)); }

/** Ends the body; false: its tail is a frame that was refused. */
export function finishAssembling(a: usize): bool {
  leave();
  return told(assemblerFinish(a));
}

/** Takes the one frame of `n` bytes at `p`; false: refused. */
export function addToAssembler(a: usize, p: usize, n: u32): bool {
  memory.fill(p + n, 0, 64);
  leave();
  return told(assemblerAdd(a, p, p + n));
}

/** Chooses the group of that block for what follows: 0 there is none, 1 frames are missing, 2 the block is whole. */
export function chooseGroup(a: usize, name: usize, n: u32): u32 {
  const g = assemblerFind(a, name, n);
  store<u32>(a, <u32>g, A_CHOSEN);
  return !g ? 0 : load<u32>(g, H_TEXT) ? 2 : 1;
}

@inline function chosen(a: usize): usize { return <usize>load<u32>(a, A_CHOSEN); }

/** The text of the block chosen, which is whole. */
export function chosenText(a: usize): usize { return <usize>load<u32>(chosen(a), H_TEXT); }
export function chosenLength(a: usize): u32 { return load<u32>(chosen(a), H_TEXT_LENGTH); }

/** Forgets the block chosen. */
export function dropChosen(a: usize): void { if (chosen(a)) assemblerDrop(a, chosen(a)); }

/** Writes the total of the block chosen and the numbers of its frames to the result, f64 each; the bytes, 0 = out of memory. */
export function writeChosenNumbers(a: usize): u32 { return writeNumbers(chosen(a), SCRATCH_RESULT) ? load<u32>(SCRATCH_RESULT, RUN_LEN) : 0; }

// `["id",received,total,bytes,whole],`
const ROUND: u32 = 96;

/** Writes what blocks there are to the result as a JSON array of `[id, frames, total, bytes, whole]`, in the order they came; its length, 0 = out of memory. */
export function writeGroups(a: usize): u32 {
  bytesClear(SCRATCH_RESULT);
  let room: u64 = 2;
  for (let g = <usize>load<u32>(a, A_FIRST); g; g = load<u32>(g, H_NEXT)) room += ROUND + load<u32>(g, G_ID_LENGTH);
  if (room > 0x7fffffff || !scratchReserve(SCRATCH_RESULT, <u32>room)) return 0;
  const out = SCRATCH_RESULT;
  put(out, 0x5b);
  for (let g = <usize>load<u32>(a, A_FIRST); g; g = load<u32>(g, H_NEXT)) {
    const whole = load<u32>(g, H_TEXT) != 0;
    put(out, 0x5b);
    put(out, 0x22);
    putText(out, load<u32>(g, G_ID), load<u32>(g, G_ID_LENGTH));
    put(out, 0x22);
    put(out, 0x2c);
    if (whole) putTotal(out, load<f64>(g, G_TOTAL));
    else putUint(out, groupCount(g));
    put(out, 0x2c);
    putTotal(out, load<f64>(g, G_TOTAL));
    put(out, 0x2c);
    putUint(out, load<u32>(g, H_BYTES));
    put(out, 0x2c);
    put(out, whole ? 0x31 : 0x30);
    put(out, 0x5d);
    if (load<u32>(g, H_NEXT)) put(out, 0x2c);
  }
  put(out, 0x5d);
  return load<u32>(out, RUN_LEN);
}

// Room has been made for all of it.
function put(out: usize, byte: u32): void {
  const n = load<u32>(out, RUN_LEN);
  store<u8>(<usize>load<u32>(out, RUN_PTR) + n, byte);
  store<u32>(out, n + 1, RUN_LEN);
}

function putTotal(out: usize, total: f64): void {
  const p = <usize>load<u32>(out, RUN_PTR), n = load<u32>(out, RUN_LEN);
  store<u32>(out, <u32>(writeUint(<u64>total, p + n) - p), RUN_LEN);
}

/** Counters: 0 groups, 1 frames held, 2 bytes counted, 3 frames read, 4 frames accepted, 5 bytes charged. */
export function assemblerCounter(a: usize, i: u32): f64 {
  if (i == 3) return load<f64>(a, A_READ);
  if (i == 4) return load<f64>(a, A_ACCEPTED);
  return <f64>load<u32>(a + (i == 0 ? A_GROUPS : i == 1 ? A_FRAMES : i == 2 ? A_BYTES : 0));
}
