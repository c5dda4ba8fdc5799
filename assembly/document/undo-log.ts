// What an open edit has done, so that it can be taken back. One edit at a time; room for a record is made before its step.
//
//   record 32   0 kind u8, flags above | 4 node (0: the root) | 8 index | 12 old p | 16 old n | 20.. -
//   append      0 kind u8, flags above | 4 chain | 8 newest piece | 12 write position | 16 bytes | 20 units | 24 the 6 bytes before it
import { alloc, free, setAccount } from "../memory/heap";
import { BYTES, OUT_OF_MEMORY, TAIL, UNITS, WRITE_AT, failWith } from "./layout";

/** A slot got another value: old value. */
export const RECORD_SET: u32 = 1;
/** An element or a new member came in. */
export const RECORD_INSERT: u32 = 2;
/** An element or member went out: old value. */
export const RECORD_REMOVE: u32 = 3;
/** Text was appended to a chain. */
export const RECORD_APPEND: u32 = 4;
/** Elements were appended to an array: the index is the former count. */
export const RECORD_EXTEND: u32 = 5;
/** The value moved: its place of origin (remove) or its new place (set, insert). */
export const MOVED: u32 = 256;
/** The append joined two halves in place. */
export const JOINED: u32 = 512;
const KIND: u32 = 255;

export const RECORD_SIZE: u32 = 32;
const FIRST_SIZE: u32 = 1024;
const KEPT_SIZE: u32 = 65536;

let records: usize = 0;
let capacity: u32 = 0;
let used: u32 = 0;

/** The document under edit, 0 = none. */
export let editDocument: usize = 0;

// The value at hand: taken out by a removal of the open edit, or picked to be copied.
export let handP: u32 = 0;
export let handN: u32 = 0;
/** Record of the removal the value at hand came from; NO_RECORD: a copy; NOTHING: there is no value at hand. */
export let handRecord: u32 = 0xffffffff;
export const NO_RECORD: u32 = 0xfffffffe;
export const NOTHING: u32 = 0xffffffff;

/** Takes a value to hand. */
export function setHand(p: u32, n: u32, record: u32): void {
  handP = p;
  handN = n;
  handRecord = record;
}

/** Opens the log for a document (0: closes it) and empties it. */
export function openRecords(d: usize): void {
  editDocument = d;
  used = 0;
  handRecord = NOTHING;
  if (!d && capacity > KEPT_SIZE) trimRecords();
}

/** Gives the memory of the closed log back. */
export function trimRecords(): void {
  if (editDocument || !capacity) return;
  const account = setAccount(0);
  free(records, capacity);
  setAccount(account);
  capacity = 0;
}

/** Makes room for one record; `false` = out of memory. */
@inline export function recordRoom(): bool { return used < capacity || moreRoom(); }

function moreRoom(): bool {
  const size = max<u32>(capacity << 1, FIRST_SIZE);
  const account = setAccount(0);
  const block = alloc(size);
  if (block && capacity) {
    memory.copy(block, records, used);
    free(records, capacity);
  }
  setAccount(account);
  if (!block) { failWith(OUT_OF_MEMORY); return false; }
  records = block;
  capacity = size;
  return true;
}

@inline export function recordCount(): u32 { return used / RECORD_SIZE; }
@inline export function recordAt(i: u32): usize { return records + i * RECORD_SIZE; }
@inline export function recordKind(record: usize): u32 { return load<u32>(record) & KIND; }
@inline export function recordFlags(record: usize): u32 { return load<u32>(record) & ~KIND; }
@inline export function recordNode(record: usize): usize { return <usize>load<u32>(record, 4); }
@inline export function recordIndex(record: usize): u32 { return load<u32>(record, 8); }
@inline export function recordP(record: usize): u32 { return load<u32>(record, 12); }
@inline export function recordN(record: usize): u32 { return load<u32>(record, 16); }

/** Takes the newest record off the log; there is one. */
export function popRecord(): usize {
  used -= RECORD_SIZE;
  return records + used;
}

/** Notes a step on a node; `recordRoom` has made room. */
export function recordStep(kind: u32, node: usize, index: u32, p: u32, n: u32): void {
  const record = records + used;
  used += RECORD_SIZE;
  store<u32>(record, kind);
  store<u32>(record, <u32>node, 4);
  store<u32>(record, index, 8);
  store<u32>(record, p, 12);
  store<u32>(record, n, 16);
}

/** Notes the state of a chain before an append; `recordRoom` has made room. */
export function recordAppend(chain: usize, joins: bool): void {
  const at = <usize>load<u32>(chain, WRITE_AT);
  recordStep(joins ? RECORD_APPEND | JOINED : RECORD_APPEND, chain, load<u32>(chain, TAIL), <u32>at, load<u32>(chain, BYTES));
  const record = records + used - RECORD_SIZE;
  store<u32>(record, load<u32>(chain, UNITS), 20);
  if (joins) {
    store<u32>(record, load<u32>(at - 6), 24);
    store<u32>(record, load<u16>(at - 2), 28);
  }
}

/** So many records are looked at: more of them may speak of any node. */
const MOST_LOOKED_AT: u32 = 64;

/** Whether a record may speak of `node`, so that the places of its entries must stay. */
export function mayMention(node: usize): bool {
  if (used > MOST_LOOKED_AT * RECORD_SIZE) return true;
  for (let at = records; at < records + used; at += RECORD_SIZE) if (<usize>load<u32>(at, 4) == node) return true;
  return false;
}
