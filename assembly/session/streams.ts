// The logical streams of a connection (AgentUE §4.2): found by id, kept in order of opening and of ending.
import { alloc, free, setAccount } from "../memory/heap";
import { bytesFree } from "../memory/bytes";
import { copyForward, equalBytes } from "../memory/copy";
import { hashBytes } from "../text/hash";
import { OPT_KEEP_ENDED } from "../abi/layout";
import { freeState } from "../reduce/agentue/start";
import { freeAgui } from "../reduce/agui/state";
import { S_END_ORDER } from "../reduce/agentue/state";
import {
  add, C_COUNT, C_END_ORDER, C_ENDED, C_ENDED_FIRST, C_ENDED_LAST, C_FIRST, C_LAST, C_LAST_USED, C_RESUMING, C_RUN, C_TABLE, C_TABLE_CAPACITY, option,
  T_ALLOCATION, T_ENDED_NEXT, T_ENDED_PREVIOUS, T_HASH, T_ID, T_ID_LENGTH, T_NEXT, T_PREVIOUS, T_QUEUE, T_STATE,
} from "./layout";
import { runOfStream } from "./roads";

@inline function isStream(t: usize, id: usize, n: u32): bool {
  return load<u32>(t, T_ID_LENGTH) == n && equalBytes(t + T_ID, id, n);
}

/** The stream of that id (canonical contents), 0 when there is none. */
export function findStream(c: usize, id: usize, n: u32): usize {
  const last = <usize>load<u32>(c, C_LAST_USED);
  return last && isStream(last, id, n) ? last : findOtherStream(c, id, n);
}

/** `findStream` when it is known not to be the one used last. */
export function findOtherStream(c: usize, id: usize, n: u32): usize {
  const t = lookUp(c, id, n);
  if (t) store<u32>(c, <u32>t, C_LAST_USED);
  return t;
}

function lookUp(c: usize, id: usize, n: u32): usize {
  const capacity = load<u32>(c, C_TABLE_CAPACITY);
  if (!capacity) return 0;
  const table = <usize>load<u32>(c, C_TABLE), hash = hashBytes(id, n);
  let i = hash & (capacity - 1);
  while (true) {
    const t = <usize>load<u32>(table + (i << 2));
    if (!t) return 0;
    if (load<u32>(t, T_HASH) == hash && isStream(t, id, n)) return t;
    i = (i + 1) & (capacity - 1);
  }
  return 0;
}

function put(table: usize, capacity: u32, t: usize): void {
  let i = load<u32>(t, T_HASH) & (capacity - 1);
  while (load<u32>(table + (i << 2))) i = (i + 1) & (capacity - 1);
  store<u32>(table + (i << 2), <u32>t);
}

function growTable(c: usize): bool {
  const capacity = load<u32>(c, C_TABLE_CAPACITY);
  if (capacity && (load<u32>(c, C_COUNT) + 1) << 2 <= capacity) return true;
  const wider = capacity ? capacity << 1 : 4;
  const table = alloc(wider << 2);
  if (!table) return false;
  memory.fill(table, 0, wider << 2);
  for (let t = <usize>load<u32>(c, C_FIRST); t; t = load<u32>(t, T_NEXT)) put(table, wider, t);
  if (capacity) free(load<u32>(c, C_TABLE), capacity << 2);
  store<u32>(c, <u32>table, C_TABLE);
  store<u32>(c, wider, C_TABLE_CAPACITY);
  return true;
}

/** A new stream without a model; 0 = out of memory. */
export function openStream(c: usize, id: usize, n: u32): usize {
  if (!growTable(c)) return 0;
  const size = <u32>T_ID + n + 16;
  const t = alloc(size);
  if (!t) return 0;
  memory.fill(t, 0, T_ID);
  store<u32>(t, n, T_ID_LENGTH);
  copyForward(t + T_ID, id, n);
  store<u32>(t, hashBytes(id, n), T_HASH);
  store<u32>(t, size, T_ALLOCATION);
  const last = load<u32>(c, C_LAST);
  store<u32>(t, last, T_PREVIOUS);
  if (last) store<u32>(last, <u32>t, T_NEXT);
  else store<u32>(c, <u32>t, C_FIRST);
  store<u32>(c, <u32>t, C_LAST);
  put(load<u32>(c, C_TABLE), load<u32>(c, C_TABLE_CAPACITY), t);
  store<u32>(c, load<u32>(c, C_COUNT) + 1, C_COUNT);
  store<u32>(c, <u32>t, C_LAST_USED);
  return t;
}

// Takes a stream out of the open-addressing table and closes the gap behind it.
function takeOut(c: usize, t: usize): void {
  const table = <usize>load<u32>(c, C_TABLE), mask = load<u32>(c, C_TABLE_CAPACITY) - 1;
  let gap = load<u32>(t, T_HASH) & mask;
  while (<usize>load<u32>(table + (gap << 2)) != t) gap = (gap + 1) & mask;
  let i = gap;
  while (true) {
    i = (i + 1) & mask;
    const other = <usize>load<u32>(table + (i << 2));
    if (!other) break;
    const home = load<u32>(other, T_HASH) & mask;
    if (((i - home) & mask) >= ((i - gap) & mask)) {
      store<u32>(table + (gap << 2), <u32>other);
      gap = i;
    }
  }
  store<u32>(table + (gap << 2), 0);
}

function unlink(c: usize, t: usize, first: usize, last: usize, previous: usize, next: usize): void {
  const before = <usize>load<u32>(t + previous), after = <usize>load<u32>(t + next);
  if (before) store<u32>(before + next, <u32>after);
  else store<u32>(c + first, <u32>after);
  if (after) store<u32>(after + previous, <u32>before);
  else store<u32>(c + last, <u32>before);
  store<u32>(t + previous, 0);
  store<u32>(t + next, 0);
}

/** Forgets a stream and gives all its memory back. */
export function releaseStream(c: usize, t: usize): void {
  forgetEnding(c, t);
  if (<usize>load<u32>(c, C_LAST_USED) == t) store<u32>(c, 0, C_LAST_USED);
  if (<usize>load<u32>(c, C_RESUMING) == t) store<u32>(c, 0, C_RESUMING);
  takeOut(c, t);
  unlink(c, t, C_FIRST, C_LAST, T_PREVIOUS, T_NEXT);
  store<u32>(c, load<u32>(c, C_COUNT) - 1, C_COUNT);
  const account = setAccount(t);
  const run = runOfStream(t);
  if (run) {
    freeAgui(run);
    store<u32>(c, 0, C_RUN);
  }
  freeState(t + T_STATE);
  bytesFree(t + T_QUEUE);
  setAccount(account);
  free(t, load<u32>(t, T_ALLOCATION));
}

/** Notes that a stream has ended, and releases the one that ended first when more are kept than wanted. */
export function noteEnding(c: usize, t: usize): void {
  add(c, C_END_ORDER, 1);
  store<f64>(t + T_STATE, load<f64>(c, C_END_ORDER), S_END_ORDER);
  linkEnded(c, t);
  if (load<u32>(c, C_ENDED) > option(c, OPT_KEEP_ENDED)) releaseStream(c, load<u32>(c, C_ENDED_FIRST));
}

/** Puts a stream at the end of the order of ending. */
export function linkEnded(c: usize, t: usize): void {
  const last = load<u32>(c, C_ENDED_LAST);
  store<u32>(t, last, T_ENDED_PREVIOUS);
  if (last) store<u32>(last, <u32>t, T_ENDED_NEXT);
  else store<u32>(c, <u32>t, C_ENDED_FIRST);
  store<u32>(c, <u32>t, C_ENDED_LAST);
  store<u32>(c, load<u32>(c, C_ENDED) + 1, C_ENDED);
}

/** A stream that had ended lives again, or is released. */
export function forgetEnding(c: usize, t: usize): void {
  if (load<f64>(t + T_STATE, S_END_ORDER) == 0) return;
  store<f64>(t + T_STATE, 0, S_END_ORDER);
  unlink(c, t, C_ENDED_FIRST, C_ENDED_LAST, T_ENDED_PREVIOUS, T_ENDED_NEXT);
  store<u32>(c, load<u32>(c, C_ENDED) - 1, C_ENDED);
}

/** Forgets all streams. */
export function releaseStreams(c: usize): void {
  while (load<u32>(c, C_FIRST)) releaseStream(c, load<u32>(c, C_FIRST));
  const capacity = load<u32>(c, C_TABLE_CAPACITY);
  if (capacity) free(load<u32>(c, C_TABLE), capacity << 2);
  store<u32>(c, 0, C_TABLE);
  store<u32>(c, 0, C_TABLE_CAPACITY);
}
