// Where a block's text is cut, so that each frame's JSON is as long as the budget allows and no longer.
import { bytesAppend, bytesClear, bytesFree, RUN_LEN, RUN_PTR } from "../../memory/bytes";
import { setAccount } from "../../memory/heap";
import { escapableBits } from "../../text/bitmap";
import { digitCount } from "../../text/digits";
import { M_ID, readText, textLength, textStart } from "./members";

/** Bytes of a frame around id, block id, seq, total and data. */
export const AROUND: u32 = 64;
/** The id of the next frame is not known yet. */
export const PLAN_NEEDS_ID: f64 = 0;
/** The budget is too small: `leastBudget` says what would do. */
export const PLAN_REFUSED: f64 = -1;
export const PLAN_NO_MEMORY: f64 = -2;

/** Canonical contents of the block's id. */
export const BLOCK_NAME: usize = memory.data(16, 16);
/** The prefix of frame ids, or the ids themselves, each behind its length (u32), not aligned. */
export const IDS: usize = memory.data(16, 16);

export let blockStart: usize = 0;
export let blockEnd: usize = 0;
/** Frame ids are a prefix and the frame's number. */
export let idsArePrefix: bool = false;
/** Digits of `total`. */
export let totalDigits: u32 = 0;
/** Frames planned. */
export let frameCount: f64 = 0;
/** Bytes of all frames, each with a line end. */
export let frameBytes: f64 = 0;
/** Bytes of the longest frame's JSON without its data. */
export let longestHead: u32 = 0;
/** Least budget with which the plan that was refused would go on; with a prefix: with which it can be made. */
export let leastBudget: f64 = 0;

let budget: u64 = 0;
let at: usize = 0;
let number: u64 = 0;
let idAt: usize = 0;

/** Begins the plan of the block [start, end), whose members were read last; false = out of memory. */
export function planBegin(start: usize, end: usize, maxBytes: f64): bool {
  if (!readText(M_ID)) return false;
  const account = setAccount(0);
  bytesClear(BLOCK_NAME);
  bytesClear(IDS);
  const done = bytesAppend(BLOCK_NAME, textStart, textLength);
  setAccount(account);
  blockStart = start;
  blockEnd = end;
  // a text is shorter than 2 GB and its escapes at most double it
  budget = maxBytes < 8589934592 ? <u64>maxBytes : 8589934592;
  idsArePrefix = false;
  restart(1);
  return done;
}

function restart(digits: u32): void {
  totalDigits = digits;
  at = blockStart;
  number = 0;
  idAt = 0;
  frameBytes = 0;
  longestHead = 0;
}

const LENGTH: usize = memory.data(16, 16);

/** Gives the prefix of all ids, or the id of the next frame, as canonical contents; false = out of memory. */
export function planId(p: usize, n: u32, isPrefix: bool): bool {
  idsArePrefix = isPrefix;
  const account = setAccount(0);
  store<u32>(LENGTH, n);
  const done = (isPrefix || bytesAppend(IDS, LENGTH, 4)) && bytesAppend(IDS, p, n);
  setAccount(account);
  return done;
}

/** Goes on with the plan: the number of frames, or one of the PLAN_ values. */
export function planStep(): f64 {
  while (at < blockEnd) {
    // one frame more than a total of so many digits can say: the room of all frames changes
    if (digitCount(number + 1) > totalDigits) { restart(totalDigits + 1); continue; }
    if (!idsArePrefix && idAt == load<u32>(IDS, RUN_LEN)) return PLAN_NEEDS_ID;
    const id = idsArePrefix ? load<u32>(IDS, RUN_LEN) + digitCount(number) : load<u32>(<usize>load<u32>(IDS, RUN_PTR) + idAt);
    const head = AROUND + id + load<u32>(BLOCK_NAME, RUN_LEN) + digitCount(number) + totalDigits;
    const next = budget > <u64>head ? cutAt(at, budget - head) : at;
    if (next == at) return refuseBudget(head);
    if (head > longestHead) longestHead = head;
    frameBytes += <f64>head + <f64>cutCost + 1;
    at = next;
    number++;
    if (!idsArePrefix) idAt += 4 + id;
  }
  frameCount = <f64>number;
  return frameCount;
}

let searching: bool = false;

// What would do: the budget for this character; with a prefix, whose ids are known, the least one that no character of the text needs more than.
function refuseBudget(head: u32): f64 {
  const need = <u64>head + costAt(at);
  leastBudget = <f64>need;
  if (searching || !idsArePrefix) return PLAN_REFUSED;
  searching = true;
  // what failed fails with less; with room for ten digits in three places and a character of four bytes any text can be cut
  let least = max<u64>(budget + 1, AROUND + load<u32>(IDS, RUN_LEN) + load<u32>(BLOCK_NAME, RUN_LEN) + 4), most = need + 64;
  while (least < most) {
    budget = (least + most) >> 1;
    restart(1);
    if (planStep() == PLAN_REFUSED) least = budget + 1;
    else most = budget;
  }
  searching = false;
  leastBudget = <f64>least;
  return PLAN_REFUSED;
}

function costAt(p: usize): u32 {
  const c = <u32>load<u8>(p);
  if (c < 0x80) return c < 0x20 || c == 0x22 || c == 0x5c ? 2 : 1;
  return c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

/** Bytes of the part that `cutAt` found, as string contents. */
let cutCost: u64 = 0;

/** End of the longest part of the text from `p` on that takes at most `room` bytes as string contents and ends between characters. */
export function cutAt(p: usize, room: u64): usize {
  const end = blockEnd;
  let left = room;
  while (end - p >= 64) {
    const cost = 64 + popcnt<u64>(escapableBits(p));
    if (cost > left) break;
    left -= cost;
    p += 64;
  }
  while (p < end) {
    const c = <u32>load<u8>(p), cost: u64 = c < 0x20 || c == 0x22 || c == 0x5c ? 2 : 1;
    if (cost > left) break;
    left -= cost;
    p++;
  }
  if (p < end) while ((load<u8>(p) & 0xc0) == 0x80) { p--; left++; }
  cutCost = room - left;
  return p;
}

/** Gives the buffers of the plan back. */
export function planEnd(): void {
  const account = setAccount(0);
  bytesFree(BLOCK_NAME);
  bytesFree(IDS);
  setAccount(account);
}
