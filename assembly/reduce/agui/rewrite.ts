// Writing a changed copy of an event: the members of an object as records with repeats resolved, and the text that grows. Objects nest
// only as deep as the table does, so the records of one object lie behind those of the object around it.
import { RUN_LEN, RUN_PTR, bytesAppend, bytesClear } from "../../memory/bytes";
import { equalBytes } from "../../memory/copy";
import { hashBytes } from "../../text/hash";
import { stringEnd } from "../../text/scan";
import { skipTrusted } from "../../text/trusted";
import { SCRATCH_INDEX as INDEX, SCRATCH_MEMBERS as RECORDS, scratchReserve } from "../scratch";
import { nameId, NO_NAME } from "./schema";
import { NAME_COUNT } from "./schema-table.generated";

// Record, 20 B: 0 key (0 = repeated, its value went to the first one) | 4 key length | 8 start | 12 end of the value | 16 F_ or N_ id of the name
export const RECORD: u32 = 20;
const START: usize = 8, END: usize = 12, NAME: usize = 16;
/** Up to this many names that the table does not have are compared pair by pair. */
const FEW: u32 = 8;
/** Record + 1 of each name of the table in the object being read, 0 = not met. */
const MET: usize = memory.data(72 * 4, 16);

/** A text or a table has found no memory; what was written is of no use. */
export let lacksMemory: bool = false;
let out: usize = 0;

/** Begins a text in one of the scratch runs. */
export function beginText(run: usize): void {
  out = run;
  lacksMemory = false;
  bytesClear(run);
  bytesClear(RECORDS);
}

/** Notes that memory is exhausted. */
export function noteLack(): void { lacksMemory = true; }

export function putText(p: usize, n: u32): void {
  if (scratchReserve(out, n)) bytesAppend(out, p, n); else lacksMemory = true;
}

export function putByte(c: u32): void {
  if (!scratchReserve(out, 1)) { lacksMemory = true; return; }
  const n = load<u32>(out, RUN_LEN);
  store<u8>(<usize>load<u32>(out, RUN_PTR) + n, <u8>c);
  store<u32>(out, n + 1, RUN_LEN);
}

/** Length of the text so far, and going back to it. */
export function textSize(): u32 { return load<u32>(out, RUN_LEN); }
export function cutText(n: u32): void { store<u32>(out, n, RUN_LEN); }

/** Puts a comma unless the text ends where a container has just been opened. */
export function putComma(): void {
  const n = load<u32>(out, RUN_LEN), last = n ? <u32>load<u8>(<usize>load<u32>(out, RUN_PTR) + n - 1) : 0;
  if (last != 0x7b && last != 0x5b) putByte(0x2c);
}

/** Puts comma, key with its quotes, colon. */
export function putKey(key: usize, n: u32): void {
  putComma();
  putText(key - 1, n + 2);
  putByte(0x3a);
}

/** Puts comma, key and value of the record at `at`. */
export function putMember(at: u32): void {
  putComma();
  const record = recordAt(at), key = <usize>load<u32>(record);
  putText(key - 1, load<u32>(record, 4) + 2);
  putByte(0x3a);
  putText(load<u32>(record, START), load<u32>(record, END) - load<u32>(record, START));
}

/** Ends the text: its start; the bytes behind it are the NULs that scanners stop at. */
export function finishText(): usize {
  const n = textSize();
  putText(NULS, 16);
  store<u32>(out, n, RUN_LEN);
  return load<u32>(out, RUN_PTR);
}
const NULS: usize = memory.data(32, 16);

// ---------------------------------------------------------------- records

@inline function recordAt(at: u32): usize { return <usize>load<u32>(RECORDS, RUN_PTR) + at; }
@inline export function recordKey(at: u32): usize { return <usize>load<u32>(recordAt(at)); }
@inline export function recordKeyLength(at: u32): u32 { return load<u32>(recordAt(at), 4); }
@inline export function recordStart(at: u32): usize { return <usize>load<u32>(recordAt(at), START); }
@inline export function recordEnd(at: u32): usize { return <usize>load<u32>(recordAt(at), END); }
@inline export function recordName(at: u32): u32 { return load<u32>(recordAt(at), NAME); }
/** Behind the last record. */
@inline export function recordsEnd(): u32 { return load<u32>(RECORDS, RUN_LEN); }
/** Forgets the records from `at` on. */
@inline export function dropRecords(at: u32): void { store<u32>(RECORDS, at, RUN_LEN); }

/** The record, among those from `base` on, of a name of the table; 0xffffffff = there is none. */
export function recordNamed(base: u32, name: u32): u32 {
  for (let at = base, end = recordsEnd(); at < end; at += RECORD) if (recordName(at) == name && recordKey(at)) return at;
  return 0xffffffff;
}

/** Puts records of the members of the canonical object at `p` behind the others; repeated members count once: last value, first place. */
export function readMembers(p: usize): void {
  const base = recordsEnd();
  let unknown: u32 = 0;
  memory.fill(MET, 0, NAME_COUNT << 2);
  if (load<u8>(++p) == 0x7d) return;
  while (true) {
    const key = p + 1, keyEnd = stringEnd(key), n = <u32>(keyEnd - key), start = keyEnd + 2, name = nameId(key, n);
    p = skipTrusted(start);
    const met = name == NO_NAME ? 0 : load<u32>(MET + (name << 2));
    if (met) setValue(recordAt(met - 1), start, p);
    else {
      if (!scratchReserve(RECORDS, RECORD)) { lacksMemory = true; return; }
      const at = recordsEnd(), record = recordAt(at);
      store<u32>(RECORDS, at + RECORD, RUN_LEN);
      store<u32>(record, <u32>key);
      store<u32>(record, n, 4);
      setValue(record, start, p);
      store<u32>(record, name, NAME);
      if (name == NO_NAME) unknown++; else store<u32>(MET + (name << 2), at + 1);
    }
    if (load<u8>(p++) == 0x7d) break;
  }
  if (unknown > FEW) resolveMany(base, unknown);
  else if (unknown > 1) resolveFew(base);
}

@inline function setValue(record: usize, start: usize, end: usize): void {
  store<u32>(record, <u32>start, START);
  store<u32>(record, <u32>end, END);
}

@inline function isSameName(a: u32, b: u32): bool {
  return recordKeyLength(a) == recordKeyLength(b) && equalBytes(recordKey(a), recordKey(b), recordKeyLength(a));
}

function repeat(first: u32, again: u32): void {
  setValue(recordAt(first), recordStart(again), recordEnd(again));
  store<u32>(recordAt(again), 0);
}

function resolveFew(base: u32): void {
  for (let at = base + RECORD, end = recordsEnd(); at < end; at += RECORD) {
    if (recordName(at) != NO_NAME) continue;
    for (let other = base; other < at; other += RECORD) {
      if (recordName(other) == NO_NAME && recordKey(other) && isSameName(other, at)) { repeat(other, at); break; }
    }
  }
}

// An index of records by hash of the name, at most half full.
function resolveMany(base: u32, count: u32): void {
  const capacity: u32 = 2 << (32 - clz(count));
  bytesClear(INDEX);
  if (!scratchReserve(INDEX, capacity << 2)) { lacksMemory = true; return; }
  const index = <usize>load<u32>(INDEX, RUN_PTR);
  memory.fill(index, 0, capacity << 2);
  for (let at = base, end = recordsEnd(); at < end; at += RECORD) {
    if (recordName(at) != NO_NAME) continue;
    let i = hashBytes(recordKey(at), recordKeyLength(at)) & (capacity - 1);
    while (true) {
      const other = load<u32>(index + (i << 2));
      if (!other) { store<u32>(index + (i << 2), at + 1); break; }
      if (isSameName(other - 1, at)) { repeat(other - 1, at); break; }
      i = (i + 1) & (capacity - 1);
    }
  }
}
