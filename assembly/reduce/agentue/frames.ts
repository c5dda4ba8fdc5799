// Blocks that are kept in storage frames, for streams that refuse patches of them (docs/frames.md §6).
import { equalBytes } from "../../memory/copy";
import { RUN_PTR, bytesClear } from "../../memory/bytes";
import { hashBytes } from "../../text/hash";
import { findMember, valueEnd, valueStart } from "../../codec/json/members";
import { containerNode, memberSlot, rootSlot, slotKind, slotSize, slotSpan, writeSlot } from "../../document/index";
import * as name from "../names";
import { SCRATCH_MODEL, scratchReserve } from "../scratch";
import { B_DOCUMENT, B_FLAGS, MAY_BE_FRAME, S_BLOCKS, S_COUNT, S_FRAMES } from "./state";

/** "frame", with slack behind it. */
const FRAME: usize = memory.data<u8>([0x66, 0x72, 0x61, 0x6d, 0x65, 0, 0, 0]);
/** In the flags of a block that may be a frame: the hash of the block id it names, 0 = look. */
const HASH: u32 = 0xfffffff8;

/** Whether the connection under way asks for it. */
let guarding: bool = false;

export function setGuard(on: bool): void { guarding = on; }

/** Flags of the block at `p` (canonical text) that say whether it is a frame, and of what. */
export function frameFlags(p: usize): u32 {
  if (!guarding || !findMember(p, name.NAME_TYPE, 4) || valueEnd - valueStart != 7 || !equalBytes(valueStart + 1, FRAME, 5)) return 0;
  if (!findMember(p, name.NAME_BLOCK_ID, 8) || load<u8>(valueStart) != 0x22) return 0;
  return MAY_BE_FRAME | (hashBytes(valueStart + 1, <u32>(valueEnd - valueStart) - 2) & HASH);
}

/** Sets the flags of a block, and notes for the model that it may hold frames. */
export function setBlockFlags(s: usize, block: usize, flags: u32): void {
  store<u32>(block, flags, B_FLAGS);
  if (flags & MAY_BE_FRAME) store<u8>(s, 1, S_FRAMES);
}

/** Notes that a member of a block is about to be patched: its type or block id may come to be anything. */
export function notePatch(s: usize, block: usize, field: usize, n: u32): void {
  if (!guarding || !(n == 4 ? equalBytes(field, name.NAME_TYPE, 4) : n == 8 && equalBytes(field, name.NAME_BLOCK_ID, 8))) return;
  setBlockFlags(s, block, (load<u32>(block, B_FLAGS) & ~HASH) | MAY_BE_FRAME);
}

/** The last question found no memory. */
export let guardOutOfMemory: bool = false;

/** Whether the model holds frames of the block whose id is [id, id + n). Asked when it holds no block of that id. */
export function isInFrames(s: usize, id: usize, n: u32): bool {
  guardOutOfMemory = false;
  if (!guarding || !load<u8>(s, S_FRAMES)) return false;
  const blocks = <usize>load<u32>(s, S_BLOCKS), count = load<u32>(s, S_COUNT), hash = hashBytes(id, n) & HASH;
  for (let i: u32 = 0; i < count; i++) {
    const block = <usize>load<u32>(blocks + (i << 2)), flags = load<u32>(block, B_FLAGS), known = flags & HASH;
    if ((flags & MAY_BE_FRAME) && (!known || known == hash) && isFrameOf(load<u32>(block, B_DOCUMENT), id, n)) return true;
  }
  return guardOutOfMemory;
}

function isFrameOf(d: usize, id: usize, n: u32): bool {
  const root = rootSlot(d), text = slotSpan(root);
  if (text) return textIs(text, name.NAME_TYPE, 4, FRAME, 5) && textIs(text, name.NAME_BLOCK_ID, 8, id, n);
  const node = containerNode(root);
  return slotIs(memberSlot(node, name.NAME_TYPE, 4), FRAME, 5) && slotIs(memberSlot(node, name.NAME_BLOCK_ID, 8), id, n);
}

function textIs(p: usize, key: usize, keyLength: u32, contents: usize, n: u32): bool {
  return findMember(p, key, keyLength) && load<u8>(valueStart) == 0x22 && valueEnd - valueStart == <usize>n + 2 && equalBytes(valueStart + 1, contents, n);
}

function slotIs(slot: usize, contents: usize, n: u32): bool {
  if (!slot || slotKind(slot) != 0x22 || slotSize(slot) != n + 2) return false;
  let text = slotSpan(slot);
  if (!text) {
    // a text under append lies in pieces
    bytesClear(SCRATCH_MODEL);
    if (!scratchReserve(SCRATCH_MODEL, n + 16)) { guardOutOfMemory = true; return false; }
    text = <usize>load<u32>(SCRATCH_MODEL, RUN_PTR);
    writeSlot(slot, text);
  }
  return equalBytes(text + 1, contents, n);
}
