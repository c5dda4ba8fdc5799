// Handles of connections, documents and frame assemblers: the host never holds an address. A handle is slot + 1 in the low 20 bits and a generation above, so a stale one is noticed.
import { alloc, free } from "../memory/heap";

// Entry: 0 address (0 = free; lowest bit set: a document, the one above it: an assembler) | 4 generation
let table: usize = 0;
let capacity: u32 = 0;
let freeFrom: u32 = 0;
let open: u32 = 0;
let generation: u32 = 0;
const SLOTS: u32 = 1 << 20;
const DOCUMENT: usize = 1, ASSEMBLER: usize = 2, KIND: usize = 3;

/** A handle for a connection; 0 = no room. */
export function addHandle(c: usize): u32 {
  while (freeFrom < capacity && load<u32>(table + (freeFrom << 3))) freeFrom++;
  if (freeFrom == capacity && !grow()) return 0;
  const entry = table + (freeFrom << 3);
  store<u32>(entry, <u32>c);
  const handle = (load<u32>(entry, 4) << 20) | (freeFrom + 1);
  freeFrom++;
  open++;
  return handle;
}

function grow(): bool {
  const wider = capacity ? capacity << 1 : 16;
  if (wider >= SLOTS) return false;
  const block = alloc(wider << 3);
  if (!block) return false;
  for (let i: u32 = 0; i < wider; i++) store<u64>(block + (i << 3), <u64>generation << 32);
  if (capacity) {
    memory.copy(block, table, capacity << 3);
    free(table, capacity << 3);
  }
  table = block;
  capacity = wider;
  return true;
}

@inline function entryOf(handle: u32): usize {
  const slot = (handle & (SLOTS - 1)) - 1;
  if (slot >= capacity) return 0;
  const entry = table + (slot << 3);
  return load<u32>(entry, 4) << 20 == (handle & ~(SLOTS - 1)) ? entry : 0;
}

/** The connection of a handle, 0 when it is not open. */
export function findConnection(handle: u32): usize {
  const entry = entryOf(handle), c = entry ? <usize>load<u32>(entry) : 0;
  return c & KIND ? 0 : c;
}

/** The connection of a handle. One that is not open is the host's mistake and traps: going on would write anywhere. */
export function connectionOf(handle: u32): usize {
  const c = findConnection(handle);
  if (!c) unreachable();
  return c;
}

/** A handle for a document's record; 0 = no room. */
export function addDocumentHandle(record: usize): u32 { return addHandle(record | DOCUMENT); }

/** The record of a document's handle, 0 when it is not open. */
export function findDocument(handle: u32): usize {
  const entry = entryOf(handle), record = entry ? <usize>load<u32>(entry) : 0;
  return (record & KIND) == DOCUMENT ? record - DOCUMENT : 0;
}

/** The record of a document's handle. One that is not open traps, as for `connectionOf`. */
export function documentOf(handle: u32): usize {
  const record = findDocument(handle);
  if (!record) unreachable();
  return record;
}

/** A handle for a frame assembler; 0 = no room. */
export function addAssemblerHandle(a: usize): u32 { return addHandle(a | ASSEMBLER); }

/** The assembler of a handle, 0 when it is not open. */
export function findAssembler(handle: u32): usize {
  const entry = entryOf(handle), a = entry ? <usize>load<u32>(entry) : 0;
  return (a & KIND) == ASSEMBLER ? a - ASSEMBLER : 0;
}

/** The assembler of a handle. One that is not open traps, as for `connectionOf`. */
export function assemblerOf(handle: u32): usize {
  const a = findAssembler(handle);
  if (!a) unreachable();
  return a;
}

/** Forgets a handle. */
export function dropHandle(handle: u32): void {
  const entry = entryOf(handle);
  if (!entry) return;
  store<u32>(entry, 0);
  const next = load<u32>(entry, 4) + 1;
  store<u32>(entry, next, 4);
  generation = max<u32>(generation, next);
  freeFrom = min<u32>(freeFrom, (handle & (SLOTS - 1)) - 1);
  if (--open == 0) {
    // an idle engine holds nothing; a new table starts above all generations so far
    free(table, capacity << 3);
    capacity = 0;
    freeFrom = 0;
  }
}

/** Puts another connection behind a handle. */
export function replaceHandle(handle: u32, c: usize): void {
  const entry = entryOf(handle);
  if (entry) store<u32>(entry, <u32>c);
}
