// Messages in their order, found by id; the first of several with one id is meant. Calls: calls.ts.
import { alloc, free, roundUp } from "../../memory/heap";
import { copyForward, equalBytes } from "../../memory/copy";
import { hashBytes } from "../../text/hash";
import { documentFree, documentOwn, documentSize } from "../../document/index";
import { freeCalls } from "./calls";
import {
  A_CAPACITY, A_COUNT, A_GENERATION, A_INDEX, A_INDEX_CAPACITY, A_LAST, A_MESSAGES, addToSize, renewGeneration,
} from "./state";

// Message, 64 B and its id behind it:
//   0 id length | 4 hash | 8 role u8 | 9 stays u8 (while a list is put in the place of another) | 12 document
//  16 text chain of `content` (0 = not remembered) | 20 epoch of the document it belongs to
//  24 number of the last change + 1 (0 = none) | 28 place among the messages when last seen: never behind the true one
//  32 first call | 36 last call | 40 calls | 44 tool messages known to follow | 48 generation that 44 belongs to
//  52 size of the allocation | 56.. spare
export const R_ID_LENGTH: usize = 0, R_HASH: usize = 4, R_ID: usize = 64;
export const M_ROLE: usize = 8, M_STAYS: usize = 9, M_DOCUMENT: usize = 12, M_CHAIN: usize = 16, M_EPOCH: usize = 20, M_CHANGE: usize = 24, M_PLACE: usize = 28;
export const M_FIRST_CALL: usize = 32, M_LAST_CALL: usize = 36, M_CALLS: usize = 40;
const M_FOLLOWING: usize = 44, M_GENERATION: usize = 48;
const M_ALLOCATION: usize = 52;

export const ROLE_OTHER: u32 = 0, ROLE_ASSISTANT: u32 = 1, ROLE_TOOL: u32 = 2, ROLE_ACTIVITY: u32 = 3, ROLE_REASONING: u32 = 4;

/** From this many messages on they are found by hash. */
const INDEX_FROM: u32 = 8;

@inline export function roleOf(m: usize): u32 { return <u32>load<u8>(m, M_ROLE); }
@inline export function documentOf(m: usize): usize { return <usize>load<u32>(m, M_DOCUMENT); }
/** The document of a message, which is about to be reached into or changed: its own from now on. 0 = out of memory. */
@inline export function ownDocument(m: usize): usize { return documentOwn(m + M_DOCUMENT); }
@inline export function messageAt(s: usize, i: u32): usize { return <usize>load<u32>(<usize>load<u32>(s, A_MESSAGES) + (<usize>i << 2)); }

/** Whether the record (of a message or call) has that id. */
@inline function isNamed(record: usize, id: usize, n: u32): bool {
  return load<u32>(record, R_ID_LENGTH) == n && equalBytes(record + R_ID, id, n);
}

/** `ROLE_` id of the role whose canonical JSON text begins at `p`. */
export function roleAt(p: usize): u32 {
  switch (load<u32>(p + 1)) {
    case 0x69737361: return ROLE_ASSISTANT;
    case 0x6c6f6f74: return ROLE_TOOL;
    case 0x69746361: return ROLE_ACTIVITY;
    case 0x73616572: return ROLE_REASONING;
    default: return ROLE_OTHER;
  }
}

/** A message around a document, not among the others yet; `hash` = hashBytes of the id. 0 = out of memory. */
export function newMessage(id: usize, n: u32, hash: u32, role: u32, document: usize): usize {
  const size = <u32>R_ID + n + 16, m = alloc(size);
  if (!m) return 0;
  memory.fill(m, 0, R_ID);
  store<u32>(m, n, R_ID_LENGTH);
  store<u32>(m, hash, R_HASH);
  store<u8>(m, <u8>role, M_ROLE);
  store<u32>(m, <u32>document, M_DOCUMENT);
  store<u32>(m, size, M_ALLOCATION);
  copyForward(m + R_ID, id, n);
  return m;
}

/** Bytes `newMessage` may ask for with an id of `n` bytes. */
export function newMessageNeeds(n: u32): u32 { return roundUp(<u32>R_ID + n + 16); }

/** Gives a message and its document back; its calls belong to the index of calls. */
export function freeMessage(m: usize): void {
  documentFree(documentOf(m));
  free(m, load<u32>(m, M_ALLOCATION));
}

/** The first message of that id (canonical contents), 0 when there is none. */
export function findMessage(s: usize, id: usize, n: u32): usize {
  const last = <usize>load<u32>(s, A_LAST);
  if (last && isNamed(last, id, n)) return last;
  const m = lookUp(s, id, n, hashBytes(id, n));
  if (m) store<u32>(s, <u32>m, A_LAST);
  return m;
}

function lookUp(s: usize, id: usize, n: u32, hash: u32): usize {
  const index = <usize>load<u32>(s, A_INDEX);
  if (!index) {
    const count = load<u32>(s, A_COUNT);
    for (let i: u32 = 0; i < count; i++) {
      const m = messageAt(s, i);
      if (load<u32>(m, R_HASH) == hash && isNamed(m, id, n)) return m;
    }
    return 0;
  }
  return load<u32>(placeIn(index, load<u32>(s, A_INDEX_CAPACITY), id, n, hash));
}

/** Where in a table of records (linear probing, a power of two) the one of that id stands, or would stand. */
export function placeIn(table: usize, capacity: u32, id: usize, n: u32, hash: u32): usize {
  const mask = capacity - 1;
  let i = hash & mask;
  while (true) {
    const place = table + (<usize>i << 2), record = <usize>load<u32>(place);
    if (!record || (load<u32>(record, R_HASH) == hash && isNamed(record, id, n))) return place;
    i = (i + 1) & mask;
  }
  return 0;
}

/** Index of a message among the others. */
export function placeOf(s: usize, m: usize): u32 {
  let i = load<u32>(m, M_PLACE);
  // messages only ever move behind others that were inserted
  while (messageAt(s, i) != m) i++;
  store<u32>(m, i, M_PLACE);
  return i;
}

/** Index behind the tool messages that follow message `m`. */
export function placeBehindResults(s: usize, m: usize): u32 {
  const count = load<u32>(s, A_COUNT), first = placeOf(s, m) + 1;
  let i = first + (load<u32>(m, M_GENERATION) == load<u32>(s, A_GENERATION) ? load<u32>(m, M_FOLLOWING) : 0);
  while (i < count && roleOf(messageAt(s, i)) == ROLE_TOOL) i++;
  store<u32>(m, i - first, M_FOLLOWING);
  store<u32>(m, load<u32>(s, A_GENERATION), M_GENERATION);
  return i;
}

/** Bytes of new memory that `addMessage` may ask for: a vector half as large again (6 each) and an index of at most 4 slots each (16). */
export function addMessageNeeds(s: usize): u32 { return (load<u32>(s, A_COUNT) + 8) * 24; }

/** Inserts a message before index `at`; memory for `addMessageNeeds` was reserved, so it cannot fail. The size of the snapshot grows. */
export function addMessage(s: usize, m: usize, at: u32): void {
  const count = load<u32>(s, A_COUNT), id = m + R_ID, n = load<u32>(m, R_ID_LENGTH), hash = load<u32>(m, R_HASH);
  const other = at < count ? lookUp(s, id, n, hash) : 0, isFirst = other != 0 && placeOf(s, other) >= at;
  growVector(s);
  const slot = <usize>load<u32>(s, A_MESSAGES) + (<usize>at << 2);
  if (at < count) memory.copy(slot + 4, slot, (count - at) << 2);
  store<u32>(slot, <u32>m);
  store<u32>(m, at, M_PLACE);
  store<u32>(s, count + 1, A_COUNT);
  addToSize(s, documentSize(documentOf(m)) + (count ? 1 : 0));
  if (load<u32>(s, A_INDEX) ? (count + 1) * 4 > load<u32>(s, A_INDEX_CAPACITY) * 3 : count + 1 > INDEX_FROM) indexMessages(s);
  else if (load<u32>(s, A_INDEX)) {
    const place = placeIn(load<u32>(s, A_INDEX), load<u32>(s, A_INDEX_CAPACITY), id, n, hash);
    if (isFirst || !load<u32>(place)) store<u32>(place, <u32>m);
  }
  if (!isFirst) return;
  store<u32>(s, 0, A_LAST);
  renewGeneration(s);
}

function growVector(s: usize): void {
  const count = load<u32>(s, A_COUNT), capacity = load<u32>(s, A_CAPACITY);
  if (count < capacity) return;
  const size = roundUp((count < 4 ? 4 : count + (count >> 1)) << 2), grown = alloc(size);
  if (count) {
    memory.copy(grown, load<u32>(s, A_MESSAGES), count << 2);
    free(load<u32>(s, A_MESSAGES), capacity << 2);
  }
  store<u32>(s, <u32>grown, A_MESSAGES);
  store<u32>(s, size >> 2, A_CAPACITY);
}

/** Makes the index anew for the messages there are; there is memory for it (`addMessageNeeds`). */
export function indexMessages(s: usize): void {
  const count = load<u32>(s, A_COUNT);
  if (load<u32>(s, A_INDEX)) free(load<u32>(s, A_INDEX), load<u32>(s, A_INDEX_CAPACITY) << 2);
  store<u32>(s, 0, A_INDEX);
  store<u32>(s, 0, A_INDEX_CAPACITY);
  if (count <= INDEX_FROM) return;
  let capacity: u32 = 16;
  while (capacity < count << 1) capacity <<= 1;
  const index = alloc(capacity << 2);
  memory.fill(index, 0, capacity << 2);
  store<u32>(s, <u32>index, A_INDEX);
  store<u32>(s, capacity, A_INDEX_CAPACITY);
  for (let i: u32 = 0; i < count; i++) {
    const m = messageAt(s, i);
    const place = placeIn(index, capacity, m + R_ID, load<u32>(m, R_ID_LENGTH), load<u32>(m, R_HASH));
    if (!load<u32>(place)) store<u32>(place, <u32>m);
  }
}

/** Gives all messages and calls back. */
export function freeMessages(s: usize): void {
  freeCalls(s);
  const count = load<u32>(s, A_COUNT);
  for (let i: u32 = 0; i < count; i++) freeMessage(messageAt(s, i));
  freeVector(s);
}

/** Gives the vector and the index back, not the messages. */
export function freeVector(s: usize): void {
  if (load<u32>(s, A_CAPACITY)) free(load<u32>(s, A_MESSAGES), load<u32>(s, A_CAPACITY) << 2);
  if (load<u32>(s, A_INDEX)) free(load<u32>(s, A_INDEX), load<u32>(s, A_INDEX_CAPACITY) << 2);
  memory.fill(s + A_MESSAGES, 0, A_INDEX_CAPACITY + 4 - A_MESSAGES);
}
