// Messages that come as a list: read once, found by id where repeats or held messages matter, made into records.
import { RUN_LEN, RUN_PTR, bytesClear } from "../../memory/bytes";
import { hashBytes } from "../../text/hash";
import { equalBytes } from "../../memory/copy";
import { documentFree } from "../../document/index";
import { firstMember, keyLength, keyStart, readMember, valueEnd, valueStart } from "../../codec/json/members";
import { SCRATCH_FOUND as FOUND, SCRATCH_FOUND_INDEX as INDEX, scratchReserve } from "../scratch";
import { newDocument } from "./compose";
import { ROLE } from "./fragments";
import { newMessage, ROLE_ACTIVITY, ROLE_OTHER, ROLE_REASONING, roleAt } from "./messages";

// Entry, 32 B: 0 start | 4 end of the message | 8 id | 12 id length | 16 hash of the id | 20 role u8, marks u8 | 24.. -
const ENTRY: u32 = 32;
const END: usize = 4, ID: usize = 8, ID_LENGTH: usize = 12, HASH: usize = 16, ROLE_AT: usize = 20, MARKS: usize = 21;
/** Another entry of the same id stands for it. */
export const REPEATED: u32 = 1;
/** A held message has taken it, or has its id. */
export const TAKEN: u32 = 2;

/** Messages that `readIncoming` has found. */
export let incomingCount: u32 = 0;
/** Whether there is an activity message, a reasoning message among them. */
export let incomingActivity: bool = false;
export let incomingReasoning: bool = false;
let tableMask: u32 = 0;

@inline export function incomingAt(i: u32): usize { return <usize>load<u32>(FOUND, RUN_PTR) + <usize>i * ENTRY; }
@inline export function incomingSize(entry: usize): u32 { return load<u32>(entry, END) - load<u32>(entry); }
@inline export function incomingId(entry: usize): usize { return <usize>load<u32>(entry, ID); }
@inline export function incomingIdLength(entry: usize): u32 { return load<u32>(entry, ID_LENGTH); }
@inline export function isMarked(entry: usize, mark: u32): bool { return (<u32>load<u8>(entry, MARKS) & mark) != 0; }
@inline export function mark(entry: usize, marks: u32): void { store<u8>(entry, load<u8>(entry, MARKS) | <u8>marks, MARKS); }

/** Reads the enforced list of messages at `p` (canonical text; 0: none); false = out of memory. */
export function readIncoming(p: usize): bool {
  bytesClear(FOUND);
  incomingCount = 0;
  incomingActivity = false;
  incomingReasoning = false;
  if (!p || load<u8>(++p) == 0x5d) return true;
  while (true) {
    if (!scratchReserve(FOUND, ENTRY)) return false;
    const entry = incomingAt(incomingCount++);
    store<u32>(FOUND, load<u32>(FOUND, RUN_LEN) + ENTRY, RUN_LEN);
    p = readEntry(p, entry);
    const role = load<u8>(entry, ROLE_AT);
    if (role == ROLE_ACTIVITY) incomingActivity = true;
    else if (role == ROLE_REASONING) incomingReasoning = true;
    if (load<u8>(p) == 0x5d) return true;
    p++;
  }
  return true;
}

function readEntry(p: usize, entry: usize): usize {
  memory.fill(entry, 0, ENTRY);
  store<u32>(entry, <u32>p);
  store<u8>(entry, <u8>ROLE_OTHER, ROLE_AT);
  let q = firstMember(p), end = p + 1;
  while (q) {
    q = readMember(q);
    end = valueEnd;
    if (keyLength == 2 && load<u16>(keyStart) == 0x6469) {
      store<u32>(entry, <u32>valueStart + 1, ID);
      store<u32>(entry, <u32>(valueEnd - valueStart) - 2, ID_LENGTH);
    } else if (keyLength == 4 && equalBytes(keyStart, ROLE, 4)) store<u8>(entry, <u8>roleAt(valueStart), ROLE_AT);
  }
  store<u32>(entry, <u32>end + 1, END);
  store<u32>(entry, hashBytes(incomingId(entry), incomingIdLength(entry)), HASH);
  return end + 1;
}

/**
 * Makes the entries findable by id. Of several with one id the first place counts, with the text of the last one (`lastCounts`) or the first;
 * the others are marked REPEATED. False = out of memory.
 */
export function fileIncoming(lastCounts: bool): bool {
  let capacity: u32 = 16;
  while (capacity < incomingCount << 1) capacity <<= 1;
  bytesClear(INDEX);
  if (!scratchReserve(INDEX, capacity << 2)) return false;
  memory.fill(load<u32>(INDEX, RUN_PTR), 0, capacity << 2);
  tableMask = capacity - 1;
  for (let i: u32 = 0; i < incomingCount; i++) {
    const entry = incomingAt(i), place = placeOf(incomingId(entry), incomingIdLength(entry), load<u32>(entry, HASH)), other = load<u32>(place);
    if (!other) { store<u32>(place, i + 1); continue; }
    mark(entry, REPEATED);
    if (!lastCounts) continue;
    const first = incomingAt(other - 1);
    store<u32>(first, load<u32>(entry));
    store<u32>(first, load<u32>(entry, END), END);
    store<u8>(first, load<u8>(entry, ROLE_AT), ROLE_AT);
  }
  return true;
}

function placeOf(id: usize, n: u32, hash: u32): usize {
  const table = <usize>load<u32>(INDEX, RUN_PTR);
  let i = hash & tableMask;
  while (true) {
    const place = table + (<usize>i << 2), number = load<u32>(place);
    if (!number) return place;
    const entry = incomingAt(number - 1);
    if (load<u32>(entry, HASH) == hash && incomingIdLength(entry) == n && equalBytes(incomingId(entry), id, n)) return place;
    i = (i + 1) & tableMask;
  }
  return 0;
}

/** The entry of that id, 0 = none; `fileIncoming` has made it findable. */
export function findIncoming(id: usize, n: u32, hash: u32): usize {
  const number = load<u32>(placeOf(id, n, hash));
  return number ? incomingAt(number - 1) : 0;
}

/** A message of its own for an entry; 0 = out of memory. */
export function makeIncoming(entry: usize): usize {
  const d = newDocument(load<u32>(entry), incomingSize(entry));
  if (!d) return 0;
  const m = newMessage(incomingId(entry), incomingIdLength(entry), load<u32>(entry, HASH), load<u8>(entry, ROLE_AT), d);
  if (!m) documentFree(d);
  return m;
}
