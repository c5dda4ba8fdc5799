// What the event under judgement has changed in the track, word by word, so that all of it can be taken back.
// Nothing leaves the index while an event is judged: what is given up goes when the event is accepted.
//
//   record 8   0 address, what it is in the two low bits | 4 the word before, or the size of the block
import { alloc, free, setAccount } from "../../memory/heap";

/** A word got another value. */
const CHANGED: u32 = 0;
/** A block was made. */
export const MADE: u32 = 1;
/** A block goes when the event is accepted. */
export const GONE: u32 = 2;
/** An entry of the index goes when the event is accepted and nobody wants it any more. */
export const CONDEMNED: u32 = 3;

const RECORD_SIZE: u32 = 8;
const FIRST_SIZE: u32 = 2048;
const KEPT_SIZE: u32 = 65536;

let records: usize = 0;
let used: u32 = 0;
let capacity: u32 = 0;

/** Makes room for `n` records; `false` = out of memory. */
export function journalRoom(n: u32): bool {
  const wanted = used + n * RECORD_SIZE;
  if (wanted <= capacity) return true;
  const size = max<u32>(max<u32>(capacity << 1, FIRST_SIZE), wanted);
  const account = setAccount(0);
  const block = alloc(size);
  if (block && capacity) {
    memory.copy(block, records, used);
    free(records, capacity);
  }
  setAccount(account);
  if (!block) return false;
  records = block;
  capacity = size;
  return true;
}

function note(at: usize, what: u32, word: u32): void {
  const record = records + used;
  used += RECORD_SIZE;
  store<u32>(record, <u32>at | what);
  store<u32>(record, word, 4);
}

/** Writes a word of the track; `journalRoom` has made room for its record. */
export function change(at: usize, word: u32): void {
  note(at, CHANGED, load<u32>(at));
  store<u32>(at, word);
}

/** Notes a block of `size` bytes that the event has made (`MADE`), gives up (`GONE`) or might give up (`CONDEMNED`, size 0). */
export function noteBlock(p: usize, what: u32, size: u32): void { note(p, what, size); }

/** Takes all changes back, the newest first. */
export function undoJournal(): void {
  while (used) {
    used -= RECORD_SIZE;
    const at = <usize>load<u32>(records + used), what = <u32>at & 3, word = load<u32>(records + used, 4);
    if (what == CHANGED) store<u32>(at, word);
    else if (what == MADE) free(at & ~3, word);
  }
  trimJournal(KEPT_SIZE);
}

/** Number of records. */
export function journalCount(): u32 { return used / RECORD_SIZE; }
/** Address in record `i`, what it is in the two low bits. */
export function journalAt(i: u32): u32 { return load<u32>(records + i * RECORD_SIZE); }
/** Word of record `i`. */
export function journalWord(i: u32): u32 { return load<u32>(records + i * RECORD_SIZE, 4); }

/** Forgets all records. */
export function clearJournal(): void {
  used = 0;
  trimJournal(KEPT_SIZE);
}

/** Gives the empty journal back when it is larger than `kept` bytes. */
export function trimJournal(kept: u32): void {
  if (capacity <= kept) return;
  const account = setAccount(0);
  free(records, capacity);
  setAccount(account);
  capacity = 0;
}
