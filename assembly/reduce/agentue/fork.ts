// A second state over the documents of the first (docs/semantics.md §12): whoever changes one gets a fork of it. The records of the blocks are copied.
import { alloc } from "../../memory/heap";
import { copyForward } from "../../memory/copy";
import { documentShare } from "../../document/index";
import { forgetChanges } from "../change-log";
import {
  B_CHAIN, B_DOCUMENT, B_FLAGS, B_HASH, B_ID, B_ID_LENGTH, placeBlock, recordSize, roomForBlocks, S_APPLIED, S_BLOCKS, S_BLOCKS_HOLE, S_COUNT,
  S_DROPPED, S_FLAGS, S_FRAMES, S_LOG, S_META, S_META_HOLE, S_MODEL, S_SEQ, S_SHELL, S_SHELL_LENGTH, S_SIZE, S_SKIPPED, S_STATUS, S_VERSION,
} from "./state";

/**
 * Gives the fresh state `s` what `other` has but the order of its ending: the model, whose documents both hold from now on, the place in the timeline and the
 * counters. The log of changes begins here. False = out of memory: what was made so far hangs on `s`.
 */
export function forkState(s: usize, other: usize): bool {
  const length = load<u32>(other, S_SHELL_LENGTH), shell = alloc(length + 16);
  if (!shell) return false;
  copyForward(shell, load<u32>(other, S_SHELL), length);
  store<u32>(s, <u32>shell, S_SHELL);
  store<u32>(s, length, S_SHELL_LENGTH);
  store<u32>(s, load<u32>(other, S_META_HOLE), S_META_HOLE);
  store<u32>(s, load<u32>(other, S_BLOCKS_HOLE), S_BLOCKS_HOLE);
  store<u32>(s, <u32>documentShare(load<u32>(other, S_META)), S_META);
  if (!forkBlocks(s, other)) return false;
  store<u32>(s, load<u32>(other, S_SIZE), S_SIZE);
  store<u32>(s, load<u32>(other, S_MODEL), S_MODEL);
  store<u8>(s, load<u8>(other, S_FRAMES), S_FRAMES);
  store<u8>(s, load<u8>(other, S_STATUS), S_STATUS);
  store<u8>(s, load<u8>(other, S_FLAGS), S_FLAGS);
  store<f64>(s, load<f64>(other, S_SEQ), S_SEQ);
  store<f64>(s, load<f64>(other, S_APPLIED), S_APPLIED);
  store<f64>(s, load<f64>(other, S_SKIPPED), S_SKIPPED);
  store<f64>(s, load<f64>(other, S_DROPPED), S_DROPPED);
  forgetChanges(s + S_LOG, load<f64>(other, S_VERSION));
  return true;
}

function forkBlocks(s: usize, other: usize): bool {
  const count = load<u32>(other, S_COUNT), blocks = <usize>load<u32>(other, S_BLOCKS);
  let records: u32 = 0;
  for (let i: u32 = 0; i < count; i++) records += recordSize(load<u32>(<usize>load<u32>(blocks + (<usize>i << 2)), B_ID_LENGTH));
  if (!roomForBlocks(s, count, records)) return false;
  // by themselves, so that the waits for documents that are far away overlap
  for (let i: u32 = 0; i < count; i++) documentShare(load<u32>(<usize>load<u32>(blocks + (<usize>i << 2)), B_DOCUMENT));
  for (let i: u32 = 0; i < count; i++) {
    const from = <usize>load<u32>(blocks + (<usize>i << 2));
    // the next append finds the text that is then its own
    if (load<u32>(from, B_CHAIN)) store<u32>(from, 0, B_CHAIN);
    placeBlock(s, from + B_ID, load<u32>(from, B_ID_LENGTH), load<u32>(from, B_HASH), load<u32>(from, B_DOCUMENT), load<u32>(from, B_FLAGS));
  }
  return true;
}
