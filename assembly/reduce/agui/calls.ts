// Tool calls of the messages: found by id wherever they are held, the first of several with one id is meant. The records are made
// when somebody asks for a call, by reading the `toolCalls` of all messages; from then on they are kept up.
import { alloc, free } from "../../memory/heap";
import { copyForward } from "../../memory/copy";
import { hashBytes } from "../../text/hash";
import { elementCount, elementSlot, expandSlot, isArrayNode, memberSlot, rootSlot, slotKind, slotSpan } from "../../document/index";
import { findMember, valueEnd, valueStart } from "../../codec/json/members";
import { skipTrusted } from "../../text/trusted";
import { ID, TOOL_CALLS } from "./fragments";
import { documentOf, M_CALLS, M_CHAIN, M_FIRST_CALL, M_LAST_CALL, messageAt, ownDocument, placeIn, R_HASH, R_ID, R_ID_LENGTH, ROLE_ASSISTANT, roleOf } from "./messages";
import { A_CALLS, A_CALLS_CAPACITY, A_CALLS_COUNT, A_COUNT, A_FLAGS, CALLS_KNOWN } from "./state";

// Call, 64 B and its id behind it; id length and hash where a message has them:
//   0 id length | 4 hash | 8 message | 12 place in `toolCalls` | 16 text chain of the arguments (0 = not remembered) | 20 epoch it belongs to
//  24 next call of the message | 28 next, 32 previous call of the same id, in a ring | 36 size of the allocation
//  40 code units of the arguments when they were read last, 44 bytes before the half they ended in, 48 whether they ended in one | 52.. spare
export const C_MESSAGE: usize = 8, C_PLACE: usize = 12, C_CHAIN: usize = 16, C_EPOCH: usize = 20;
const C_NEXT: usize = 24, C_TWIN: usize = 28, C_TWIN_BEFORE: usize = 32, C_ALLOCATION: usize = 36;
export const C_READ_UNITS: usize = 40, C_READ_BYTES: usize = 44, C_READ_HALF: usize = 48;

/** A call that is not filed yet; 0 = out of memory. */
export function newCall(id: usize, n: u32): usize {
  const size = <u32>R_ID + n + 16, c = alloc(size);
  if (!c) return 0;
  memory.fill(c, 0, R_ID);
  store<u32>(c, n, R_ID_LENGTH);
  store<u32>(c, hashBytes(id, n), R_HASH);
  store<u32>(c, size, C_ALLOCATION);
  store<u32>(c, <u32>c, C_TWIN);
  store<u32>(c, <u32>c, C_TWIN_BEFORE);
  copyForward(c + R_ID, id, n);
  return c;
}

/** Gives a call that is not filed back. */
export function freeCall(c: usize): void { free(c, load<u32>(c, C_ALLOCATION)); }

/** The call of that id, 0 when no message holds it. `callsKnown` was true. */
export function findCall(s: usize, id: usize, n: u32): usize {
  const table = <usize>load<u32>(s, A_CALLS);
  return table ? <usize>load<u32>(placeIn(table, load<u32>(s, A_CALLS_CAPACITY), id, n, hashBytes(id, n))) : 0;
}

/** Makes sure that calls can be found; false = out of memory, nothing changed. */
export function callsKnown(s: usize): bool {
  if (load<u8>(s, A_FLAGS) & CALLS_KNOWN) return true;
  const count = load<u32>(s, A_COUNT);
  for (let i: u32 = 0; i < count; i++) if (!readCalls(s, messageAt(s, i))) { freeCalls(s); return false; }
  store<u8>(s, load<u8>(s, A_FLAGS) | CALLS_KNOWN, A_FLAGS);
  return true;
}

/** Files the calls of a message that has come in behind the others; false = out of memory, those already filed stay. */
export function readCalls(s: usize, m: usize): bool {
  if (roleOf(m) != ROLE_ASSISTANT) return true;
  const text = slotSpan(rootSlot(documentOf(m)));
  if (text) {
    if (!findMember(text, TOOL_CALLS, 9) || load<u8>(valueStart) != 0x5b) return true;
    let p = valueStart + 1, place: u32 = 0;
    while (load<u8>(p) != 0x5d) {
      const end = skipTrusted(p);
      if (!fileText(s, m, p, place++)) return false;
      p = load<u8>(end) == 0x2c ? end + 1 : end;
    }
    return true;
  }
  const d = ownDocument(m), node: usize = d ? expandSlot(d, rootSlot(d)) : 0, slot: usize = node ? memberSlot(node, TOOL_CALLS, 9) : 0;
  if (!slot) return node != 0;
  if (slotKind(slot) != 0x5b) return true;
  const list = expandSlot(d, slot);
  if (!list || !isArrayNode(list)) return list != 0;
  const count = elementCount(list);
  for (let i: u32 = 0; i < count; i++) {
    const element = elementSlot(list, i), span = slotSpan(element);
    if (span) {
      if (!fileText(s, m, span, i)) return false;
      continue;
    }
    const call = expandSlot(d, element), id: usize = call ? memberSlot(call, ID, 2) : 0;
    // ids are never touched, so they stay spans
    if (!id || !slotSpan(id)) continue;
    const p = slotSpan(id), end = skipTrusted(p);
    if (!fileRead(s, m, p, end, i)) return false;
  }
  return true;
}

function fileText(s: usize, m: usize, p: usize, place: u32): bool {
  return load<u8>(p) != 0x7b || !findMember(p, ID, 2) || fileRead(s, m, valueStart, valueEnd, place);
}

function fileRead(s: usize, m: usize, id: usize, end: usize, place: u32): bool {
  if (load<u8>(id) != 0x22) return true;
  const c: usize = callRoom(s) ? newCall(id + 1, <u32>(end - id) - 2) : 0;
  if (!c) return false;
  fileCall(s, c, m, place);
  return true;
}

/** Makes room for one more call in the table; false = out of memory. */
export function callRoom(s: usize): bool {
  const old = <usize>load<u32>(s, A_CALLS), capacity = load<u32>(s, A_CALLS_CAPACITY);
  if ((load<u32>(s, A_CALLS_COUNT) + 1) * 4 <= capacity * 3) return true;
  const wider: u32 = capacity ? capacity << 1 : 16, table = alloc(wider << 2);
  if (!table) return false;
  memory.fill(table, 0, wider << 2);
  store<u32>(s, <u32>table, A_CALLS);
  store<u32>(s, wider, A_CALLS_CAPACITY);
  for (let i: u32 = 0; i < capacity; i++) {
    const c = <usize>load<u32>(old + (<usize>i << 2));
    if (c) store<u32>(placeOfCall(s, c), <u32>c);
  }
  if (capacity) free(old, capacity << 2);
  return true;
}

/** Files a call of message `m`, behind all others; `callRoom` has made room. */
export function fileCall(s: usize, c: usize, m: usize, place: u32): void {
  store<u32>(c, <u32>m, C_MESSAGE);
  store<u32>(c, place, C_PLACE);
  if (load<u32>(m, M_LAST_CALL)) store<u32>(load<u32>(m, M_LAST_CALL), <u32>c, C_NEXT);
  else store<u32>(m, <u32>c, M_FIRST_CALL);
  store<u32>(m, <u32>c, M_LAST_CALL);
  store<u32>(m, load<u32>(m, M_CALLS) + 1, M_CALLS);
  const slot = placeOfCall(s, c), first = <usize>load<u32>(slot);
  if (!first) {
    store<u32>(slot, <u32>c);
    store<u32>(s, load<u32>(s, A_CALLS_COUNT) + 1, A_CALLS_COUNT);
    return;
  }
  const last = <usize>load<u32>(first, C_TWIN_BEFORE);
  store<u32>(c, <u32>first, C_TWIN);
  store<u32>(c, <u32>last, C_TWIN_BEFORE);
  store<u32>(last, <u32>c, C_TWIN);
  store<u32>(first, <u32>c, C_TWIN_BEFORE);
}

function placeOfCall(s: usize, c: usize): usize {
  return placeIn(load<u32>(s, A_CALLS), load<u32>(s, A_CALLS_CAPACITY), c + R_ID, load<u32>(c, R_ID_LENGTH), load<u32>(c, R_HASH));
}

/** Forgets the calls of a message that loses them; another call of the same id may be the first one now. */
export function dropCallsOf(s: usize, m: usize): void {
  let c = <usize>load<u32>(m, M_FIRST_CALL);
  while (c) {
    const next = <usize>load<u32>(c, C_NEXT);
    takeOut(s, c);
    freeCall(c);
    c = next;
  }
  store<u32>(m, 0, M_FIRST_CALL);
  store<u32>(m, 0, M_LAST_CALL);
  store<u32>(m, 0, M_CALLS);
}

function takeOut(s: usize, c: usize): void {
  const place = placeOfCall(s, c), twin = <usize>load<u32>(c, C_TWIN);
  if (twin != c) {
    if (<usize>load<u32>(place) == c) store<u32>(place, <u32>twin);
    const before = load<u32>(c, C_TWIN_BEFORE);
    store<u32>(before, <u32>twin, C_TWIN);
    store<u32>(twin, before, C_TWIN_BEFORE);
    return;
  }
  store<u32>(s, load<u32>(s, A_CALLS_COUNT) - 1, A_CALLS_COUNT);
  const table = <usize>load<u32>(s, A_CALLS), mask = load<u32>(s, A_CALLS_CAPACITY) - 1;
  let gap = <u32>((place - table) >> 2), i = gap;
  while (true) {
    i = (i + 1) & mask;
    const other = <usize>load<u32>(table + (<usize>i << 2));
    if (!other) break;
    if (((i - load<u32>(other, R_HASH)) & mask) < ((i - gap) & mask)) continue;
    store<u32>(table + (<usize>gap << 2), <u32>other);
    gap = i;
  }
  store<u32>(table + (<usize>gap << 2), 0);
}

/** Forgets where the texts of a message and its calls stand: its document has another holder. */
export function forgetChains(m: usize): void {
  store<u32>(m, 0, M_CHAIN);
  for (let c = <usize>load<u32>(m, M_FIRST_CALL); c; c = load<u32>(c, C_NEXT)) store<u32>(c, 0, C_CHAIN);
}

/** Gives all records of calls back; they are made anew when somebody asks. Messages may hold calls all the same. */
export function freeCalls(s: usize): void {
  const count = load<u32>(s, A_COUNT);
  for (let i: u32 = 0; i < count; i++) freeRecords(messageAt(s, i));
  if (load<u32>(s, A_CALLS)) free(load<u32>(s, A_CALLS), load<u32>(s, A_CALLS_CAPACITY) << 2);
  store<u32>(s, 0, A_CALLS);
  store<u32>(s, 0, A_CALLS_CAPACITY);
  store<u32>(s, 0, A_CALLS_COUNT);
  store<u8>(s, load<u8>(s, A_FLAGS) & ~CALLS_KNOWN, A_FLAGS);
}

function freeRecords(m: usize): void {
  let c = <usize>load<u32>(m, M_FIRST_CALL);
  while (c) {
    const next = <usize>load<u32>(c, C_NEXT);
    freeCall(c);
    c = next;
  }
  store<u32>(m, 0, M_FIRST_CALL);
  store<u32>(m, 0, M_LAST_CALL);
  store<u32>(m, 0, M_CALLS);
}
