// Storage frames (docs/frames.md): a block cut into frames, frames joined, and models resolved, with their faults as the host reads them.
import * as code from "../abi/codes";
import { bytesClear, RUN_LEN, RUN_PTR } from "../memory/bytes";
import { skipSpace } from "../text/trusted";
import { setValidateLimits } from "../text/validate";
import { clearRefusal, refuse, refusedAt, refusedCode, refusedMember, refusedReason, refusedRestored, refuseText } from "../frame/storage/fault";
import { BLOCK_DEPTH, judgeFramed } from "../frame/storage/judge";
import { M_BLOCKS, M_DATA, M_NONE, memberName, memberNameLength, readObject } from "../frame/storage/members";
import {
  frameBytes, leastBudget, PLAN_NO_MEMORY, planBegin, planEnd, planId, PLAN_REFUSED, planStep,
} from "../frame/storage/plan";
import { RESOLVED_NAME, resolve, resolveIndex, resolveOffset } from "../frame/storage/resolve";
import { restoredEnd, restoredStart, unframe, UNFRAMED_NAME, unframeIndex, unframeStart } from "../frame/storage/unframe";
import { windowNeeds, writeBegin, writeFrames } from "../frame/storage/write";
import { clearFault, fail, failWhole, faultSubject, pathIndex, pathName, pathReset } from "../reduce/fault";
import { SCRATCH_RESULT, scratchReserve } from "../reduce/scratch";
import { leave } from "./feed";

/** Bytes of frames handed to the host at once: what a cache holds. */
const WINDOW: u32 = 1 << 18;

/** Byte offset of the last fault, −1 when it has none. */
export let framesFaultOffset: f64 = -1;
/** Number of the frame at fault, −1 when it is none of a single frame. */
export let framesFaultIndex: i32 = -1;
/** What `frame_size` says: bytes of the frames planned, the least budget of a plan that was refused, or bytes of numbers in the result. */
export let framesSize: f64 = 0;

const NO_NAME: usize = memory.data(16, 16);
let budget: f64 = 0;

/** Says where the last fault is, of a room beside this one. */
export function placeFault(offset: f64, index: i32): void {
  framesFaultOffset = offset;
  framesFaultIndex = index;
}

/** Makes the refusal the fault of the call: its path is below `/blocks/<block>`, unless that is −1, and it speaks of the block named in the run `name`. */
export function failRefused(block: i32, name: usize): bool {
  clearFault();
  const isText = refusedAt != 0, isMissing = refusedCode == code.E_MISSING_FRAMES;
  if (block < 0 && (refusedCode == code.E_OUT_OF_MEMORY || isText || isMissing)) failWhole(refusedCode);
  else {
    pathReset();
    if (block >= 0) {
      pathName(memberName(M_BLOCKS), 6);
      pathIndex(block);
    }
    if (refusedRestored && block >= 0) pathName(memberName(M_DATA), 4);
    if (refusedMember != M_NONE) pathName(memberName(refusedMember), memberNameLength(refusedMember));
    fail(refusedCode, refusedReason);
  }
  if (load<u32>(name, RUN_LEN)) faultSubject(load<u32>(name, RUN_PTR), load<u32>(name, RUN_LEN));
  return false;
}

/** Reads the block of `n` bytes at `p` and begins to plan its frames of `maxBytes` at most; false: the fault says why. */
export function openFrames(p: usize, n: u32, maxBytes: f64): bool {
  clearRefusal();
  framesFaultIndex = -1;
  const end = p + n;
  memory.fill(end, 0, 64);
  // the connection used last takes its own limits again when it is entered
  leave();
  setValidateLimits(BLOCK_DEPTH, 0xffffffff);
  budget = maxBytes;
  const start = skipSpace(p), stop = readObject(start, false);
  if (!stop || skipSpace(stop) != end) refuseText(p, end, BLOCK_DEPTH);
  else if (judgeFramed()) {
    if (planBegin(start, stop, maxBytes)) return true;
    refuse(code.E_OUT_OF_MEMORY, 0, M_NONE);
  }
  placeFault(refusedAt ? <f64>(refusedAt - p) : -1, -1);
  return failRefused(-1, NO_NAME);
}

/** Gives the prefix of all ids, or the next id, of `n` bytes at `p`; false = out of memory. */
export function giveFrameId(p: usize, n: u32, isPrefix: bool): bool { return planId(p, n, isPrefix); }

/** Goes on with the plan: the number of frames, 0 = needs another id, −1 = the budget is too small, −2 = out of memory. */
export function planFrames(): f64 {
  const count = planStep();
  framesSize = count == PLAN_REFUSED ? leastBudget : frameBytes;
  if (count < 0) planEnd();
  if (count > 0) {
    writeBegin(budget);
    bytesClear(SCRATCH_RESULT);
    if (!scratchReserve(SCRATCH_RESULT, max<u32>(WINDOW, windowNeeds() << 1))) { planEnd(); return PLAN_NO_MEMORY; }
  }
  return count;
}

/** Writes the next frames to the result; their bytes, 0 when all are written. */
export function writeNextFrames(): u32 {
  const start = <usize>load<u32>(SCRATCH_RESULT, RUN_PTR);
  const end = writeFrames(start, start + max<u32>(WINDOW, windowNeeds() << 1));
  if (end == start) planEnd();
  return <u32>(end - start);
}

/** Restores the block of the `n` bytes of frames at `p`; false: the fault says why. */
export function restoreBlock(p: usize, n: u32): bool {
  const end = p + n;
  memory.fill(end, 0, 64);
  leave();
  if (unframe(p, end, SCRATCH_RESULT)) return true;
  const ofFrame = unframeStart != 0, text = refusedRestored ? restoredStart : p;
  placeFault(refusedAt ? <f64>(refusedAt - text) : ofFrame ? <f64>(unframeStart - p) : -1, ofFrame ? <i32>unframeIndex : -1);
  framesSize = refusedCode == code.E_MISSING_FRAMES ? <f64>load<u32>(SCRATCH_RESULT, RUN_LEN) : 0;
  return failRefused(-1, ofFrame ? NO_NAME : UNFRAMED_NAME);
}

/** Resolves the frames of the model of `n` bytes at `p` to the result; false: the fault says why. */
export function resolveModelText(p: usize, n: u32): bool {
  memory.fill(p + n, 0, 64);
  leave();
  if (resolve(p, p + n, SCRATCH_RESULT)) return true;
  placeFault(resolveOffset, -1);
  framesSize = refusedCode == code.E_MISSING_FRAMES ? <f64>load<u32>(SCRATCH_RESULT, RUN_LEN) : 0;
  return failRefused(resolveIndex, RESOLVED_NAME);
}

/** Bytes of the block that `restoreBlock` restored, and where they are. */
export function restoredLength(): u32 { return <u32>(restoredEnd - restoredStart); }
export function restoredAddress(): usize { return restoredStart; }
