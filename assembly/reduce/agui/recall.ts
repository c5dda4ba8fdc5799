// Where the ids of recent tokens led: items by the ends of their ids, so that tokens of many messages and calls in turn cost no search and no mispredicted
// branch, of which a turn from one of 20 messages to another cost 40 ns. A hint, which is compared; forgotten when any item goes.
import { equalText } from "../../memory/copy";
import { E_BITS, E_LENGTH, I_ID, KIND, OPEN } from "./track-layout";

// Entry, 16 B: 0 stamp of its time | 4 state | 8 item
const ENTRIES: usize = memory.data(256 * 16, 64);
const OWNER: usize = 4, ITEM: usize = 8;

// Entries of other times are forgotten.
let stamp: u32 = 1;

/** An item goes, and its address may come back as something else. */
export function forgetItems(): void {
  if (!++stamp) {
    memory.fill(ENTRIES, 0, 256 * 16);
    stamp = 1;
  }
}

// The last eight bytes of an id, zeros above shorter ones. Reads up to seven bytes in front of it.
@inline function lastWord(p: usize, n: u32): u64 { return n >= 8 ? load<u64>(p + n - 8) : n ? load<u64>(p + n - 8) >> <u64>((8 - n) << 3) : 0; }

/** The place for an item of that kind (`ITEM_`) and id. Reads up to seven bytes in front of the id. */
@inline export function recallPlace(kind: u32, p: usize, n: u32): usize {
  return ENTRIES + (<usize>((lastWord(p, n) * 0x9e3779b97f4a7c15 + <u64>(kind << 3) * 0xff51afd7ed558ccd) >> 56) << 4);
}

/** The item of state `s` at a place when it is open, of that kind, and has that id, which is plain then; else 0. */
@inline export function recalledItem(place: usize, s: usize, kind: u32, p: usize, n: u32): usize {
  if (load<u32>(place) != stamp || load<u32>(place, OWNER) != <u32>s) return 0;
  const item = <usize>load<u32>(place, ITEM);
  return (load<u32>(item, E_BITS) & (KIND | OPEN)) == (kind | OPEN) && load<u32>(item, E_LENGTH) == n && equalText(item + I_ID, p, n) ? item : 0;
}

/** Notes an item whose id is plain characters. */
export function recallItem(place: usize, s: usize, item: usize): void {
  store<u32>(place, stamp);
  store<u32>(place, <u32>s, OWNER);
  store<u32>(place, <u32>item, ITEM);
}
