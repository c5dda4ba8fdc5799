// Frames of one block as NDJSON, in any order, back to the block's text.
import * as code from "../../abi/codes";
import { bytesAppend, bytesClear, bytesFree, bytesReserve, RUN_LEN, RUN_PTR } from "../../memory/bytes";
import { setAccount } from "../../memory/heap";
import { APART, canonicalEscapes } from "../../text/escape";
import { findByte } from "../../text/scan";
import { skipSpace } from "../../text/trusted";
import { setValidateLimits } from "../../text/validate";
import { clearRefusal, refuse, refuseText } from "./fault";
import {
  G_BYTES, G_TABLE, GROUP_SIZE, groupAdmit, groupBegin, groupCount, groupFree, groupIsFull, groupIsOf, groupIsOrdered, groupJoin, judgeRestored, trimOrder,
  writeNumbers,
} from "./group";
import { FRAME_DEPTH, frameSeq, judgeFrame } from "./judge";
import { M_BLOCK_ID, M_DATA, M_ID, M_NONE, memberEnd, memberIsLoose, memberStart, readObject, readText, textLength, textStart } from "./members";
import { E_DATA, E_LENGTH, entryAt, tableAdd } from "./table";

const GROUP: usize = memory.data(48, 16);
/** The block id of the frames, canonical contents: what the frames stood in is written over. */
export const UNFRAMED_NAME: usize = memory.data(16, 16);

/** The frame under way, counted from 0, and where it begins; 0: the fault is none of a single frame. */
export let unframeIndex: u32 = 0;
export let unframeStart: usize = 0;
/** The restored text. */
export let restoredStart: usize = 0;
export let restoredEnd: usize = 0;

/**
 * Restores the block of the frames in [p, end), which is written over, with 64 zeros behind it; the text is left there or in the run `out`. False: the
 * refusal says why. When frames are missing, `out` then holds the total and the numbers of those that came, f64 each.
 */
export function unframe(p: usize, end: usize, out: usize): bool {
  clearRefusal();
  memory.fill(GROUP, 0, GROUP_SIZE);
  const account = setAccount(0);
  bytesClear(UNFRAMED_NAME);
  bytesClear(out);
  const done = collect(p, end) && complete(out) && join(p, out);
  groupFree(GROUP);
  trimOrder();
  setAccount(account);
  return done;
}

/** Gives the buffer of the block id back. */
export function trimUnframe(): void {
  const account = setAccount(0);
  bytesFree(UNFRAMED_NAME);
  setAccount(account);
}

function collect(p: usize, end: usize): bool {
  setValidateLimits(FRAME_DEPTH, 0xffffffff);
  unframeIndex = 0;
  while (true) {
    p = skipSpace(p);
    if (p >= end) break;
    unframeStart = p;
    p = readLine(p, end);
    if (!p || !addFrame()) return false;
    unframeIndex++;
  }
  unframeStart = 0;
  return true;
}

// Reads the line at `p` in the pass that validates it; the address behind the frame, or 0.
function readLine(p: usize, end: usize): usize {
  let stop = readObject(p, true);
  if (stop) {
    let c = load<u8>(stop);
    while (c == 0x20 || c == 0x09 || c == 0x0d) c = load<u8>(++stop);
    if (c == 0x0a || stop == end) return stop;
  }
  // a CR inside of the line, or no JSON
  const found = findByte(p, end, 0x0a), lineEnd = found ? found : end;
  store<u8>(lineEnd, 0);
  stop = readObject(p, false);
  if (stop && skipSpace(stop) == lineEnd) return found ? lineEnd + 1 : end;
  refuseText(p, lineEnd, FRAME_DEPTH);
  return 0;
}

function addFrame(): bool {
  if (!judgeFrame()) return false;
  if (!readText(M_BLOCK_ID)) return refuse(code.E_OUT_OF_MEMORY, 0, M_NONE);
  if (!groupCount(GROUP)) {
    if (!bytesAppend(UNFRAMED_NAME, textStart, textLength)) return refuse(code.E_OUT_OF_MEMORY, 0, M_NONE);
    groupBegin(GROUP, load<u32>(UNFRAMED_NAME, RUN_PTR), textLength);
  } else if (!groupIsOf(GROUP, textStart, textLength)) return refuse(code.E_FRAME_CONFLICT, code.R_FRAME_OTHER_BLOCK, M_BLOCK_ID);
  const id = memberStart(M_ID) + 1, idEnd = memberEnd(M_ID) - 1;
  const n = <u32>((memberIsLoose(M_ID) ? canonicalEscapes(id, idEnd, id) : idEnd) - id);
  if (!groupAdmit(GROUP, id, n)) return false;
  const e = tableAdd(GROUP + G_TABLE, frameSeq, id, n), data = memberStart(M_DATA) + 1, length = <u32>(memberEnd(M_DATA) - data) - 1;
  store<u32>(e, <u32>data, E_DATA);
  store<u32>(e, length, E_LENGTH);
  store<u32>(GROUP, load<u32>(GROUP, G_BYTES) + length, G_BYTES);
  return true;
}

function complete(out: usize): bool {
  if (groupCount(GROUP) && groupIsFull(GROUP)) return true;
  if (!writeNumbers(GROUP, out)) return refuse(code.E_OUT_OF_MEMORY, 0, M_NONE);
  return refuse(code.E_MISSING_FRAMES, 0, M_NONE);
}

// Frames in order are joined where they stand: the text is read and written once, and needs no memory.
function join(p: usize, out: usize): bool {
  restoredStart = p;
  // behind the first one's data every text lies farther from where it goes
  if (!groupIsOrdered(GROUP) || load<u32>(entryAt(GROUP + G_TABLE, 0), E_DATA) - <u32>p < APART) {
    const bytes = load<u32>(GROUP, G_BYTES);
    if (!bytesReserve(out, bytes)) return refuse(code.E_OUT_OF_MEMORY, 0, M_NONE);
    restoredStart = <usize>load<u32>(out, RUN_PTR);
  }
  restoredEnd = groupJoin(GROUP, restoredStart);
  if (!restoredEnd) return refuse(code.E_OUT_OF_MEMORY, 0, M_NONE);
  if (restoredStart != p) store<u32>(out, <u32>(restoredEnd - restoredStart), RUN_LEN);
  return judgeRestored(GROUP, restoredStart, restoredEnd);
}
