// The frames of one block: whether one more fits, and the block's text once all are there (AgentUE §3.3).
import * as code from "../../abi/codes";
import { bytesClear, bytesFree, bytesReserve, RUN_LEN, RUN_PTR } from "../../memory/bytes";
import { setAccount } from "../../memory/heap";
import { equalBytes } from "../../memory/copy";
import { unescapeApart } from "../../text/escape";
import { skipSpace } from "../../text/trusted";
import { setValidateLimits } from "../../text/validate";
import { refuse, refuseRestored, refuseText } from "./fault";
import { BLOCK_DEPTH, frameSeq, frameTotal, judgeFramed } from "./judge";
import { M_ID, M_NONE, M_SEQ, M_TOTAL, readObject, readText, textLength, textStart } from "./members";
import { E_DATA, E_LENGTH, E_NUMBER, entryAt, entryCount, TABLE_NO_MEMORY, TABLE_OK, TABLE_SAME_ID, tableAdmit, tableFree } from "./table";

// Group, GROUP_SIZE bytes:
//   0 block id (canonical contents) | 4 its length | 8 total f64 | 16 table of frames (24 B) | 40 bytes of data as string contents
export const G_ID: usize = 0, G_ID_LENGTH: usize = 4, G_TOTAL: usize = 8, G_TABLE: usize = 16, G_BYTES: usize = 40;
export const GROUP_SIZE: u32 = 44;

/** Begins an empty group of the frame that was judged last; the block id must stay where it is. */
export function groupBegin(g: usize, id: usize, n: u32): void {
  memory.fill(g, 0, GROUP_SIZE);
  store<u32>(g, <u32>id, G_ID);
  store<u32>(g, n, G_ID_LENGTH);
  store<f64>(g, frameTotal, G_TOTAL);
}

@inline export function groupCount(g: usize): u32 { return entryCount(g + G_TABLE); }
@inline export function groupIsFull(g: usize): bool { return <f64>groupCount(g) == load<f64>(g, G_TOTAL); }

/** Whether [p, p + n) is the id of the group's block. */
export function groupIsOf(g: usize, p: usize, n: u32): bool {
  return load<u32>(g, G_ID_LENGTH) == n && equalBytes(load<u32>(g, G_ID), p, n);
}

/** Whether the frame that was judged last fits the group, under the id [id, id + n); makes room for it. */
export function groupAdmit(g: usize, id: usize, n: u32): bool {
  if (frameTotal != load<f64>(g, G_TOTAL)) return refuse(code.E_FRAME_CONFLICT, code.R_FRAME_OTHER_TOTAL, M_TOTAL);
  const found = tableAdmit(g + G_TABLE, frameSeq, id, n);
  if (found == TABLE_OK) return true;
  if (found == TABLE_NO_MEMORY) return refuse(code.E_OUT_OF_MEMORY, 0, M_NONE);
  if (found == TABLE_SAME_ID) return refuse(code.E_DUPLICATE_ID, 0, M_ID);
  return refuse(code.E_FRAME_CONFLICT, code.R_FRAME_SEQ, M_SEQ);
}

/** Whether the frames came in the order of the block's text. */
export function groupIsOrdered(g: usize): bool {
  const t = g + G_TABLE, count = entryCount(t);
  for (let i: u32 = 0; i < count; i++) if (load<f64>(entryAt(t, i), E_NUMBER) != <f64>i) return false;
  return true;
}

/** Writes the total and the numbers of the frames, as they came, to the run `out`, f64 each; false = out of memory. */
export function writeNumbers(g: usize, out: usize): bool {
  const t = g + G_TABLE, count = entryCount(t), bytes = (count + 1) << 3;
  bytesClear(out);
  if (!bytesReserve(out, bytes)) return false;
  const numbers = <usize>load<u32>(out, RUN_PTR);
  store<f64>(numbers, load<f64>(g, G_TOTAL));
  for (let i: u32 = 0; i < count; i++) store<f64>(numbers + ((i + 1) << 3), load<f64>(entryAt(t, i), E_NUMBER));
  store<u32>(out, bytes, RUN_LEN);
  return true;
}

/** Bytes that `groupJoin` may write behind the text. */
export const JOIN_SLACK: u32 = 64;

// Numbers of the entries in the order of the text.
const ORDER: usize = memory.data(16, 16);

/**
 * Joins the text of a full group at `d`, with JOIN_SLACK bytes behind it, which become zeros. Returns its end; 0 = out of memory. Frames that came
 * in order may be joined below themselves.
 */
export function groupJoin(g: usize, d: usize): usize {
  const t = g + G_TABLE, count = entryCount(t);
  if (groupIsOrdered(g)) {
    for (let i: u32 = 0; i < count; i++) d = put(entryAt(t, i), d);
  } else {
    bytesClear(ORDER);
    const account = setAccount(0), done = bytesReserve(ORDER, count << 2);
    setAccount(account);
    if (!done) return 0;
    const order = <usize>load<u32>(ORDER, RUN_PTR);
    for (let i: u32 = 0; i < count; i++) store<u32>(order + (<u32>load<f64>(entryAt(t, i), E_NUMBER) << 2), i);
    for (let i: u32 = 0; i < count; i++) d = put(entryAt(t, load<u32>(order + (i << 2))), d);
    trimOrder();
  }
  for (let i: usize = 0; i < <usize>JOIN_SLACK; i += 8) store<u64>(d + i, 0);
  return d;
}

function put(e: usize, d: usize): usize {
  const data = <usize>load<u32>(e, E_DATA);
  return unescapeApart(data, data + load<u32>(e, E_LENGTH), d);
}

/** Gives the buffer of `groupJoin` back. */
export function trimOrder(): void {
  const account = setAccount(0);
  bytesFree(ORDER);
  setAccount(account);
}

/** Judges the restored text [start, end), zeros behind it: one inline block of the group's id, no frame, no reference. */
export function judgeRestored(g: usize, start: usize, end: usize): bool {
  setValidateLimits(BLOCK_DEPTH, 0xffffffff);
  const p = skipSpace(start), stop = readObject(p, false);
  if (!stop || skipSpace(stop) != end) {
    refuseText(start, end, BLOCK_DEPTH);
    return refuseRestored();
  }
  if (!judgeFramed()) return refuseRestored();
  if (!readText(M_ID)) return refuse(code.E_OUT_OF_MEMORY, 0, M_NONE);
  if (groupIsOf(g, textStart, textLength)) return true;
  refuse(code.E_BAD_BLOCK, code.R_RESTORED_ID, M_ID);
  return refuseRestored();
}

/** Gives the frames back. */
export function groupFree(g: usize): void { tableFree(g + G_TABLE); }
