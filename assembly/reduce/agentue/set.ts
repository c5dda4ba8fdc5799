// Whole blocks: `set` without a mask (AgentUE §5.2), blocks that an append inserts, and materialized references (§3.4).
import * as code from "../../abi/codes";
import { reserve } from "../../memory/heap";
import { documentFree, documentSize } from "../../document/index";
import { hashBytes } from "../../text/hash";
import { depthOf } from "../../codec/json/members";
import { CHANGE_INSERT, CHANGE_REPLACE, nextVersion } from "../change-log";
import { fail, failWhole, pathName, pathReset } from "../fault";
import * as name from "../names";
import { noteChange } from "./changes";
import { blockId, blockIdLength, blockIsReference, blockMayRepeat } from "./check";
import { newDocument } from "./content";
import { envelopeDepth } from "./envelope";
import { frameFlags, guardOutOfMemory, isInFrames, setBlockFlags } from "./frames";
import { maxBlocks } from "./limits";
import { failMaskLimit, isTooDeep, isTooLarge } from "./patch";
import {
  addBlock, addBlockNeeds, B_CHAIN, B_DOCUMENT, findBlock, freeBlockRecord, IS_REFERENCE, newBlock, noteSize, S_COUNT, S_LOG, S_SIZE,
} from "./state";

let inEvent: bool = true;
let byAppend: bool = false;

/** Whether faults of blocks point into an event (`/block`) or into the block itself. */
export function setBlockPath(event: bool): void { inEvent = event; }

/** `putBlock` for a block that an append inserts: limits on the result are the mask's. */
export function insertBlock(s: usize, p: usize, end: usize): bool {
  byAppend = true;
  const done = putBlock(s, p, end);
  byAppend = false;
  return done;
}

function failLimit(reason: u32): bool {
  return byAppend ? failMaskLimit(reason) : failBlock(code.E_LIMIT, reason);
}

function failBlock(error: u32, reason: u32): bool {
  pathReset();
  if (inEvent) pathName(name.NAME_BLOCK, 5);
  return fail(error, reason);
}

/** Fails a patch of a block that the model holds in frames only. */
export function failInFrames(): bool {
  return guardOutOfMemory ? failWhole(code.E_OUT_OF_MEMORY) : failBlock(code.E_UNRESOLVED_FRAMES, 0);
}

/** Replaces or appends the block [p, end) (canonical text) that `checkBlock` has just accepted. All or nothing. */
export function putBlock(s: usize, p: usize, end: usize): bool {
  const id = blockId, n = blockIdLength, flags = (blockIsReference ? IS_REFERENCE : 0) | frameFlags(p);
  const block = findBlock(s, id, n);
  if (!block && isInFrames(s, id, n)) return failInFrames();
  if (!block && load<u32>(s, S_COUNT) >= maxBlocks) return failBlock(code.E_LIMIT, code.R_LIMIT_BLOCKS);
  // model, blocks, block: two levels above the block's own, one more than the event has
  if ((!inEvent || isTooDeep(envelopeDepth + 1)) && isTooDeep(2 + depthOf(p, end))) return failLimit(code.R_LIMIT_DEPTH);
  const document = newDocument(p, end, blockMayRepeat, false);
  if (!document) return failWhole(code.E_OUT_OF_MEMORY);
  const after = documentSize(document);
  const before = block ? documentSize(load<u32>(block, B_DOCUMENT)) : 0;
  const comma: u32 = !block && load<u32>(s, S_COUNT) ? 1 : 0;
  if (after + comma > before && isTooLarge(s, after + comma - before)) {
    documentFree(document);
    return failLimit(code.R_LIMIT_MODEL);
  }
  if (block) replaceDocument(s, block, document, before, flags);
  else if (!insert(s, newBlock(id, n, hashBytes(id, n), document, 0), document, comma, flags)) return failWhole(code.E_OUT_OF_MEMORY);
  return true;
}

function replaceDocument(s: usize, block: usize, document: usize, before: u32, flags: u32): void {
  documentFree(load<u32>(block, B_DOCUMENT));
  store<u32>(block, <u32>document, B_DOCUMENT);
  setBlockFlags(s, block, flags);
  store<u32>(block, 0, B_CHAIN);
  noteSize(s, document, before);
  nextVersion(s + S_LOG);
  noteChange(s, CHANGE_REPLACE, block, 0, 0);
}

function insert(s: usize, block: usize, document: usize, comma: u32, flags: u32): bool {
  if (!block || !reserve(addBlockNeeds(s))) {
    if (block) freeBlockRecord(block);
    documentFree(document);
    return false;
  }
  addBlock(s, block);
  setBlockFlags(s, block, flags);
  store<u32>(s, load<u32>(s, S_SIZE) + comma, S_SIZE);
  noteSize(s, document, 0);
  nextVersion(s + S_LOG);
  noteChange(s, CHANGE_INSERT, block, 0, 0);
  return true;
}
