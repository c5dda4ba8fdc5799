// Frames of a group (or blocks of a model) in the order they came, found by id and by number.
import { alloc, free } from "../../memory/heap";
import { bytesFree, bytesReserve, RUN_LEN, RUN_PTR } from "../../memory/bytes";
import { equalBytes } from "../../memory/copy";
import { hashBytes } from "../../text/hash";

// Table, TABLE_SIZE bytes: 0 run of entries (16 B) | 16 index (0 = none): slots for ids, then as many for numbers, u32 each, entry number + 1 |
// 20 slots of each, a power of two, at most half of them in use
export const TABLE_SIZE: u32 = 24;
const INDEX: usize = 16, SLOTS: usize = 20;

// Entry, ENTRY_SIZE bytes:
//   0 number f64 | 8 id | 12 id length | 16 data | 20 data length | 24 memory of its own (0 = none) | 28 bytes of that | 32 hash of the id | 36 what it belongs to
export const E_NUMBER: usize = 0, E_ID: usize = 8, E_ID_LENGTH: usize = 12, E_DATA: usize = 16, E_LENGTH: usize = 20;
export const E_OWN: usize = 24, E_OWN_SIZE: usize = 28, E_GROUP: usize = 36;
const E_HASH: usize = 32;
const ENTRY_SIZE: u32 = 40;

const FIRST_SLOTS: u32 = 8;

export const TABLE_OK: u32 = 0;
export const TABLE_SAME_ID: u32 = 1;
export const TABLE_SAME_NUMBER: u32 = 2;
export const TABLE_NO_MEMORY: u32 = 3;

@inline export function entryCount(t: usize): u32 { return load<u32>(t, RUN_LEN) / ENTRY_SIZE; }
/** Entry `i`, until the next one is added. */
@inline export function entryAt(t: usize, i: u32): usize { return <usize>load<u32>(t, RUN_PTR) + i * ENTRY_SIZE; }

// The slot of that id, or the free one where it belongs.
function idSlot(t: usize, id: usize, n: u32, hash: u32): usize {
  const index = <usize>load<u32>(t, INDEX), mask = load<u32>(t, SLOTS) - 1;
  let i = hash & mask;
  while (true) {
    const slot = index + (i << 2), number = load<u32>(slot);
    if (!number) return slot;
    const e = entryAt(t, number - 1);
    if (load<u32>(e, E_HASH) == hash && load<u32>(e, E_ID_LENGTH) == n && equalBytes(load<u32>(e, E_ID), id, n)) return slot;
    i = (i + 1) & mask;
  }
  return 0;
}

const NUMBER: usize = memory.data(16, 16);

function numberSlot(t: usize, value: f64): usize {
  store<f64>(NUMBER, value);
  const slots = load<u32>(t, SLOTS), index = <usize>load<u32>(t, INDEX) + (slots << 2), mask = slots - 1;
  let i = hashBytes(NUMBER, 8) & mask;
  while (true) {
    const slot = index + (i << 2), number = load<u32>(slot);
    if (!number || load<f64>(entryAt(t, number - 1), E_NUMBER) == value) return slot;
    i = (i + 1) & mask;
  }
  return 0;
}

/** The entry of that id, 0 = none. */
export function tableFind(t: usize, id: usize, n: u32): usize {
  if (!load<u32>(t, INDEX)) return 0;
  const number = load<u32>(idSlot(t, id, n, hashBytes(id, n)));
  return number ? entryAt(t, number - 1) : 0;
}

/** Whether an entry of that id and number may be added; makes room for it, so that `tableAdd` cannot fail. */
export function tableAdmit(t: usize, value: f64, id: usize, n: u32): u32 {
  if (load<u32>(t, INDEX)) {
    if (load<u32>(idSlot(t, id, n, hashBytes(id, n)))) return TABLE_SAME_ID;
    if (load<u32>(numberSlot(t, value))) return TABLE_SAME_NUMBER;
  }
  if (!bytesReserve(t, ENTRY_SIZE)) return TABLE_NO_MEMORY;
  return (entryCount(t) + 1) << 1 <= load<u32>(t, SLOTS) || widen(t) ? TABLE_OK : TABLE_NO_MEMORY;
}

function widen(t: usize): bool {
  const old = load<u32>(t, INDEX), slots = load<u32>(t, SLOTS), wider = slots ? slots << 1 : FIRST_SLOTS;
  const index = alloc(wider << 3);
  if (!index) return false;
  memory.fill(index, 0, wider << 3);
  store<u32>(t, <u32>index, INDEX);
  store<u32>(t, wider, SLOTS);
  for (let i: u32 = 0, count = entryCount(t); i < count; i++) note(t, i);
  if (old) free(old, slots << 3);
  return true;
}

function note(t: usize, i: u32): void {
  const e = entryAt(t, i);
  store<u32>(idSlot(t, load<u32>(e, E_ID), load<u32>(e, E_ID_LENGTH), load<u32>(e, E_HASH)), i + 1);
  store<u32>(numberSlot(t, load<f64>(e, E_NUMBER)), i + 1);
}

/** Adds the entry that `tableAdmit` has just admitted; its data and what it owns are 0. */
export function tableAdd(t: usize, value: f64, id: usize, n: u32): usize {
  const i = entryCount(t), e = entryAt(t, i);
  memory.fill(e, 0, ENTRY_SIZE);
  store<f64>(e, value, E_NUMBER);
  store<u32>(e, <u32>id, E_ID);
  store<u32>(e, n, E_ID_LENGTH);
  store<u32>(e, hashBytes(id, n), E_HASH);
  store<u32>(t, load<u32>(t, RUN_LEN) + ENTRY_SIZE, RUN_LEN);
  note(t, i);
  return e;
}

/** Takes the entry back that was added last. */
export function tableDropLast(t: usize): void {
  const e = entryAt(t, entryCount(t) - 1);
  // nothing was put into the index after it: no other entry is found by passing its slots
  store<u32>(idSlot(t, load<u32>(e, E_ID), load<u32>(e, E_ID_LENGTH), load<u32>(e, E_HASH)), 0);
  store<u32>(numberSlot(t, load<f64>(e, E_NUMBER)), 0);
  freeOwn(e);
  store<u32>(t, load<u32>(t, RUN_LEN) - ENTRY_SIZE, RUN_LEN);
}

function freeOwn(e: usize): void {
  if (load<u32>(e, E_OWN)) free(load<u32>(e, E_OWN), load<u32>(e, E_OWN_SIZE));
}

/** Gives the table back, and what its entries own. */
export function tableFree(t: usize): void {
  for (let i: u32 = 0, count = entryCount(t); i < count; i++) freeOwn(entryAt(t, i));
  if (load<u32>(t, INDEX)) free(load<u32>(t, INDEX), load<u32>(t, SLOTS) << 3);
  bytesFree(t);
  store<u64>(t, 0, INDEX);
}
