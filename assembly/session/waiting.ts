// Streams that wait for the body of a reference (docs/semantics.md §5): a patch of it pauses them, and is the first of what they queue.
import * as code from "../abi/codes";
import * as layout from "../abi/layout";
import { setAccount } from "../memory/heap";
import { bytesClear, bytesFree, RUN_LEN, RUN_PTR } from "../memory/bytes";
import { putText, putUint } from "../codec/json/put";
import { SCRATCH_RESULT as OUT } from "../reduce/scratch";
import { F_BLOCK, F_MASK, F_STREAM_ID, fieldEnd, fieldKind, fieldStart, isString, K_OBJECT, scanEnvelope } from "../reduce/agentue/envelope";
import { FACT_ID, FACT_ID_END, readFacts } from "../reduce/agentue/facts";
import { failField, patchId, patchIdLength } from "../reduce/agentue/judge";
import { findBiz, findReferenceKey, foundLength, foundText } from "../reduce/agentue/reference";
import { B_FLAGS, B_ID, B_ID_LENGTH, findBlock, IS_REFERENCE, S_DROPPED, S_MODEL } from "../reduce/agentue/state";
import { EVENT_NO_MEMORY, EVENT_REFUSED } from "./events";
import { add, C_DROPPED, C_RESUMING, LOST, option, PAUSED, T_FLAGS, T_QUEUE, T_QUEUED, T_QUEUED_BYTES, T_STATE, WAITING } from "./layout";
import { reportUnresolved, reserveOutput } from "./output";
import { enqueue, Q_LENGTH, Q_TEXT } from "./queue";

@inline function isReference(block: usize): bool { return block != 0 && (load<u32>(block, B_FLAGS) & IS_REFERENCE) != 0; }

/** Whether the stream waits for a reference. */
@inline export function isWaiting(t: usize): bool { return (load<u8>(t, T_FLAGS) & WAITING) != 0; }

/** Whether a message of `size` bytes may be the first of a queue; where not, the fault says so. */
export function mayWait(c: usize, size: u32): bool {
  return size <= option(c, layout.OPT_QUEUED_BYTES) || failField(F_STREAM_ID, code.E_LIMIT, code.R_LIMIT_QUEUE);
}

/**
 * The judged event [p, end), whose message counts for `size` bytes and may wait, has met a reference: its stream pauses before it. `held`: it comes out of a
 * queue, which the caller gives back. EVENT_ status.
 */
export function waitForReference(c: usize, t: usize, p: usize, end: usize, size: u32, held: bool): u32 {
  const block = findBlock(t + T_STATE, patchId, patchIdLength);
  findReferenceKey(block);
  const key = foundText, keyLength = foundLength;
  if (!reserveOutput(load<u32>(block, B_ID_LENGTH) + keyLength)) return EVENT_NO_MEMORY;
  if (held) store<u32>(c, <u32>t, C_RESUMING);
  else if (enqueue(c, t, p, end, size) == EVENT_NO_MEMORY) return EVENT_NO_MEMORY;
  store<u8>(t, load<u8>(t, T_FLAGS) | PAUSED | WAITING, T_FLAGS);
  reportUnresolved(block + B_ID, load<u32>(block, B_ID_LENGTH), key, keyLength);
  return EVENT_REFUSED;
}

/** The reference that the first queued event patches; 0: there is no such event, or the block is none (any more). */
export function awaitedReference(t: usize): usize {
  const queue = t + T_QUEUE, entry = <usize>load<u32>(queue, RUN_PTR);
  if (!load<u32>(queue, RUN_LEN) || !load<u32>(entry, Q_LENGTH) || !scanEnvelope(entry + Q_TEXT, false)) return 0;
  if (!isString(fieldKind(F_MASK)) || fieldKind(F_BLOCK) != K_OBJECT) return 0;
  const facts = readFacts(fieldStart(F_BLOCK), fieldEnd(F_BLOCK)), id = <usize>load<u32>(facts, FACT_ID);
  if (!id || load<u8>(id) != 0x22) return 0;
  const block = findBlock(t + T_STATE, id + 1, load<u32>(facts, FACT_ID_END) - <u32>id - 2);
  return isReference(block) ? block : 0;
}

/** The block of that id when it is a reference, else 0. */
export function referenceOf(t: usize, id: usize, n: u32): usize {
  const block = findBlock(t + T_STATE, id, n);
  return isReference(block) ? block : 0;
}

/** The awaited block may have got its body: then the stream is paused like any other. */
export function noteMaterialized(t: usize): void {
  if (isWaiting(t) && !awaitedReference(t)) store<u8>(t, load<u8>(t, T_FLAGS) & ~WAITING, T_FLAGS);
}

/** Another model has taken the place of the one whose reference the stream waited for: what waited has no effect any more. */
export function dropWaiting(c: usize, t: usize): void {
  if (!isWaiting(t)) return;
  add(c, C_DROPPED, load<u32>(t, T_QUEUED));
  add(t + T_STATE, S_DROPPED, load<u32>(t, T_QUEUED));
  const account = setAccount(t);
  bytesFree(t + T_QUEUE);
  setAccount(account);
  store<u32>(t, 0, T_QUEUED);
  store<u32>(t, 0, T_QUEUED_BYTES);
  store<u8>(t, load<u8>(t, T_FLAGS) & ~(PAUSED | WAITING | LOST), T_FLAGS);
}

// The text is their comment.
// {"generation":
const GENERATION: usize = memory.data<u8>([0x7b, 0x22, 0x67, 0x65, 0x6e, 0x65, 0x72, 0x61, 0x74, 0x69, 0x6f, 0x6e, 0x22, 0x3a, 0, 0]), GENERATION_LENGTH: u32 = 14;
// ,"biz":"
const BIZ: usize = memory.data<u8>([0x2c, 0x22, 0x62, 0x69, 0x7a, 0x22, 0x3a, 0x22]), BIZ_LENGTH: u32 = 8;
// ","id":"
const ID: usize = memory.data<u8>([0x22, 0x2c, 0x22, 0x69, 0x64, 0x22, 0x3a, 0x22]), ID_LENGTH: u32 = 8;
// ","ref":"
const REF: usize = memory.data<u8>([0x22, 0x2c, 0x22, 0x72, 0x65, 0x66, 0x22, 0x3a, 0x22, 0, 0, 0, 0, 0, 0, 0]), REF_LENGTH: u32 = 9;
// "}
const TAIL: usize = memory.data<u8>([0x22, 0x7d, 0, 0, 0, 0, 0, 0]), TAIL_LENGTH: u32 = 2;

/** Writes what there is to know of a reference to the result, as JSON; false = out of memory. */
export function writeReference(t: usize, block: usize): bool {
  const s = t + T_STATE;
  bytesClear(OUT);
  findBiz(s);
  if (!putText(OUT, GENERATION, GENERATION_LENGTH) || !putUint(OUT, load<u32>(s, S_MODEL)) || !putText(OUT, BIZ, BIZ_LENGTH)
    || !putText(OUT, foundText, foundLength)) return false;
  findReferenceKey(block);
  return putText(OUT, ID, ID_LENGTH) && putText(OUT, block + B_ID, load<u32>(block, B_ID_LENGTH)) && putText(OUT, REF, REF_LENGTH)
    && putText(OUT, foundText, foundLength) && putText(OUT, TAIL, TAIL_LENGTH);
}
