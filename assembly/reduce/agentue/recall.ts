// Where the ids of recent tokens led: stream and block by both ids, so that tokens of many blocks and streams in turn cost no search and no mispredicted
// branch. A hint, which whoever uses it compares; forgotten when any block goes.

// Slots, a byte each: number of an entry. Entry, 64 B: 0 owner | 4 lengths of both ids, the stream's in the upper half | 8 state of the stream | 12 block |
// 16 the last 16 bytes of the block's id, 32 of the stream's, zeros in front of shorter ones | 48 the slot it serves
export const RECALL_LENGTHS: usize = 4, RECALL_IDS: usize = 16;
const SLOT: usize = 48;
// 64 ids in 256 slots would have a fifth of them disturb each other
const ENTRIES: u32 = 256;
const SLOT_TABLE: usize = memory.data(2048, 64), ENTRY_TABLE: usize = memory.data(256 * 64, 64);
let next: u32 = 0;
let used: bool = false;

/** The slot for two ids, given by their last bytes as words. */
@inline export function recallSlot(source: u64, target: u64): usize {
  return SLOT_TABLE + <usize>(((target * 0x9e3779b97f4a7c15) ^ (source * 0xff51afd7ed558ccd)) >> 53);
}

/** The entry that a slot has, for these ids or others. */
@inline export function recallEntry(slot: usize): usize { return ENTRY_TABLE + (<usize>load<u8>(slot) << 6); }

@inline export function recalledOwner(entry: usize): usize { return <usize>load<u32>(entry); }
@inline export function recalledState(entry: usize): usize { return <usize>load<u32>(entry, 8); }
@inline export function recalledBlock(entry: usize): usize { return <usize>load<u32>(entry, 12); }

/** Notes a block of a stream of `owner`; returns the entry, in which the ids are the caller's to put. */
export function recall(slot: usize, owner: usize, lengths: u32, s: usize, block: usize): usize {
  let entry = recallEntry(slot);
  if (<usize>load<u32>(entry, SLOT) != slot) {
    const i = next++ & (ENTRIES - 1);
    store<u8>(slot, <u8>i);
    entry = recallEntry(slot);
    store<u32>(entry, <u32>slot, SLOT);
  }
  used = true;
  store<u32>(entry, <u32>owner);
  store<u32>(entry, lengths, RECALL_LENGTHS);
  store<u32>(entry, <u32>s, 8);
  store<u32>(entry, <u32>block, 12);
  return entry;
}

/** A block goes, and its address may come back as something else. */
export function forgetRecalled(): void {
  if (!used) return;
  used = false;
  next = 0;
  memory.fill(ENTRY_TABLE, 0, ENTRIES << 6);
}
