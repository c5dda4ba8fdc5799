// Events of paused streams wait as canonical text (docs/semantics.md §5).
import * as code from "../abi/codes";
import * as layout from "../abi/layout";
import { account, roundUp, setAccount } from "../memory/heap";
import { bytesFree, bytesReserve, RUN_CAP, RUN_LEN, RUN_PTR } from "../memory/bytes";
import { canonicalize } from "../text/minify";
import { failField } from "../reduce/agentue/judge";
import { F_SEQ, F_STREAM_ID, integerOf, opOf } from "../reduce/agentue/envelope";
import { S_DROPPED, S_STATUS } from "../reduce/agentue/state";
import { add, C_DROPPED, C_QUEUE, C_QUEUE_AT, C_RESUMING, LOST, option, PAUSED, T_FLAGS, T_QUEUE, T_QUEUED, T_QUEUED_BYTES, T_STATE } from "./layout";
import { rejectRun } from "./agui-session";
import { forgetEnding } from "./streams";
import { EVENT_NO_MEMORY, EVENT_REFUSED, refuses } from "./events";
import { aboutSequence, indexAbout, offsetAbout, reportFault } from "./output";
import { runOfStream } from "./roads";

// Entry: 0 event index f64 | 8 byte offset f64 | 16 length of the text (0: here an event was lost) | 20 bytes it counts for | 24 size of the entry | 32 text, padded to 8
export const Q_INDEX: usize = 0, Q_OFFSET: usize = 8, Q_LENGTH: usize = 16, Q_BYTES: usize = 20, Q_SIZE: usize = 24, Q_TEXT: usize = 32;

// 16 bytes of slack are readable behind the text.
function entrySize(n: u32): u32 { return (<u32>Q_TEXT + n + 16 + 7) & ~7; }

/** Adds an entry for `n` bytes of text and returns it; 0 = out of memory. The caller writes the text. */
export function addEntry(t: usize, index: f64, offset: f64, n: u32, bytes: u32): usize {
  const queue = t + T_QUEUE;
  const previous = setAccount(t);
  const room = bytesReserve(queue, entrySize(n));
  setAccount(previous);
  if (!room) return 0;
  const entry = <usize>load<u32>(queue, RUN_PTR) + load<u32>(queue, RUN_LEN);
  store<f64>(entry, index, Q_INDEX);
  store<f64>(entry, offset, Q_OFFSET);
  store<u32>(entry, n, Q_LENGTH);
  store<u32>(entry, bytes, Q_BYTES);
  store<u32>(entry, entrySize(n), Q_SIZE);
  store<u32>(queue, load<u32>(queue, RUN_LEN) + entrySize(n), RUN_LEN);
  if (n) store<u32>(t, load<u32>(t, T_QUEUED) + 1, T_QUEUED);
  store<u32>(t, load<u32>(t, T_QUEUED_BYTES) + bytes, T_QUEUED_BYTES);
  return entry;
}

/** Queues the scanned event [p, end) of a paused stream; its message counts for `size` bytes. */
export function enqueue(c: usize, t: usize, p: usize, end: usize, size: u32): u32 {
  if (load<u8>(t, T_FLAGS) & LOST && opOf() != code.OP_START) {
    add(c, C_DROPPED, 1);
    add(t + T_STATE, S_DROPPED, 1);
    return EVENT_REFUSED;
  }
  if (<u64>load<u32>(t, T_QUEUED_BYTES) + size > <u64>option(c, layout.OPT_QUEUED_BYTES)) {
    aboutSequence(integerOf(F_SEQ));
    failField(F_STREAM_ID, code.E_LIMIT, code.R_LIMIT_QUEUE);
    reportFault(c);
    if (!refuses(c, code.E_LIMIT)) return EVENT_REFUSED;
    if (!(load<u8>(t, T_FLAGS) & LOST) && !addEntry(t, 0, 0, 0, 0)) return EVENT_NO_MEMORY;
    store<u8>(t, load<u8>(t, T_FLAGS) | LOST, T_FLAGS);
    return EVENT_REFUSED;
  }
  const entry = addEntry(t, indexAbout(), offsetAbout(), <u32>(end - p), size);
  if (!entry) return EVENT_NO_MEMORY;
  store<u32>(entry, <u32>(canonicalize(p, entry + Q_TEXT) - entry - Q_TEXT), Q_LENGTH);
  store<u8>(t, load<u8>(t, T_FLAGS) & ~LOST, T_FLAGS);
  return EVENT_REFUSED;
}

/** Takes the queue out of the stream, which may end and be released while its events are applied. */
export function takeQueue(c: usize, t: usize): void {
  const queue = t + T_QUEUE, held = load<u32>(queue, RUN_CAP) ? roundUp(load<u32>(queue, RUN_CAP) + 64) : 0;
  memory.copy(c + C_QUEUE, queue, 16);
  memory.fill(queue, 0, 16);
  // nobody pays for it any more
  const previous = setAccount(0);
  store<u32>(account, load<u32>(account) + held);
  setAccount(previous);
  store<u32>(t, load<u32>(t) - held);
  store<u32>(c, 0, C_QUEUE_AT);
  store<u32>(t, 0, T_QUEUED);
  store<u32>(t, 0, T_QUEUED_BYTES);
  store<u8>(t, load<u8>(t, T_FLAGS) & ~LOST, T_FLAGS);
}

/** The next entry to resume, 0 = none: then the queue is gone. */
export function nextEntry(c: usize): usize {
  const queue = c + C_QUEUE, at = load<u32>(c, C_QUEUE_AT);
  if (at < load<u32>(queue, RUN_LEN)) return <usize>load<u32>(queue, RUN_PTR) + at;
  bytesFree(queue);
  return 0;
}

/** Memory ran out: the stream is paused again with what is left of its queue. */
export function giveQueueBack(c: usize): void {
  const t = <usize>load<u32>(c, C_RESUMING), queue = c + C_QUEUE, at = load<u32>(c, C_QUEUE_AT);
  store<u32>(c, 0, C_RESUMING);
  if (!t) { bytesFree(queue); return; }
  const left = load<u32>(queue, RUN_LEN) - at, start = <usize>load<u32>(queue, RUN_PTR);
  memory.copy(start, start + at, left);
  store<u32>(queue, left, RUN_LEN);
  const held = roundUp(load<u32>(queue, RUN_CAP) + 64), previous = setAccount(0);
  store<u32>(account, load<u32>(account) - held);
  setAccount(previous);
  store<u32>(t, load<u32>(t) + held);
  memory.copy(t + T_QUEUE, queue, 16);
  memory.fill(queue, 0, 16);
  let lost: u8 = 0;
  for (let p = start; p < start + left; p += load<u32>(p, Q_SIZE)) {
    if (load<u32>(p, Q_LENGTH)) store<u32>(t, load<u32>(t, T_QUEUED) + 1, T_QUEUED);
    store<u32>(t, load<u32>(t, T_QUEUED_BYTES) + load<u32>(p, Q_BYTES), T_QUEUED_BYTES);
    lost = load<u32>(p, Q_LENGTH) ? 0 : LOST;
  }
  store<u8>(t, load<u8>(t, T_FLAGS) | PAUSED | lost, T_FLAGS);
}

/** Goes behind an entry. */
export function passEntry(c: usize, entry: usize): void { store<u32>(c, load<u32>(c, C_QUEUE_AT) + load<u32>(entry, Q_SIZE), C_QUEUE_AT); }

/** An event was lost at this place of the queue: the stream is refused from here on. */
export function passLoss(c: usize): void {
  const t = <usize>load<u32>(c, C_RESUMING);
  if (!t) return;
  if (runOfStream(t)) { rejectRun(c); return; }
  store<u8>(t + T_STATE, code.STATUS_REFUSED, S_STATUS);
  forgetEnding(c, t);
}
