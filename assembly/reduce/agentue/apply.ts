// What an accepted event does to its stream (docs/semantics.md §3 step 8 and §4).
import * as code from "../../abi/codes";
import { equalBytes } from "../../memory/copy";
import { documentOwn } from "../../document/index";
import { CHANGE_FIELD, CHANGE_META, nextVersion } from "../change-log";
import { fail, failWhole, pathName, pathReset } from "../fault";
import * as name from "../names";
import { applyAppend } from "./append";
import { noteChange } from "./changes";
import { blockId, blockIdLength, blockIsReference, checkBlock } from "./check";
import { F_BLOCK, F_MASK, F_MODEL, fieldEnd, fieldKind, fieldStart, K_ABSENT } from "./envelope";
import { eventOp, eventSeq, patchEnd, patchId, patchIdLength, patchStart } from "./judge";
import { isInFrames, notePatch } from "./frames";
import { maskEnd, maskPath, maskRoot, ROOT_META, segmentEnd } from "./mask";
import { setAtMask } from "./patch";
import { failInFrames, putBlock, setBlockPath } from "./set";
import { replaceModel } from "./start";
import {
  B_DOCUMENT, B_FLAGS, findBlock, IN_BURST, IS_REFERENCE, REFERENCES_ALLOWED, S_APPLIED, S_FLAGS, S_LOG, S_META, S_SEQ, S_STATUS, SEQ_KNOWN,
} from "./state";

/** Applies the judged event; false: refused, the fault says why, nothing changed. */
export function apply(s: usize): bool {
  switch (eventOp) {
    case code.OP_APPEND: if (!applyAppend(s)) return false; break;
    case code.OP_SET: if (!applySet(s)) return false; break;
    case code.OP_START: if (!replaceModel(s, fieldStart(F_MODEL), true)) return false; break;
    case code.OP_ERROR: if (!setMeta(s)) return false; break;
  }
  advance(s);
  return true;
}

function applySet(s: usize): bool {
  if (fieldKind(F_MASK) == K_ABSENT) {
    if (blockIsReference && !(load<u8>(s, S_FLAGS) & REFERENCES_ALLOWED)) {
      pathReset();
      pathName(name.NAME_BLOCK, 5);
      pathName(name.NAME_REF, 3);
      return fail(code.E_BAD_BLOCK, code.R_REFERENCE_VERSION);
    }
    return putBlock(s, fieldStart(F_BLOCK), fieldEnd(F_BLOCK));
  }
  if (maskRoot == ROOT_META) return setMeta(s);
  const block = findBlock(s, patchId, patchIdLength);
  if (!block || load<u32>(block, B_FLAGS) & IS_REFERENCE) {
    return !block && isInFrames(s, patchId, patchIdLength) ? failInFrames() : failBlock(block);
  }
  const d = documentOwn(block + B_DOCUMENT);
  if (!d) return failWhole(code.E_OUT_OF_MEMORY);
  notePatch(s, block, maskPath, <u32>(segmentEnd(maskPath) - maskPath));
  if (!setAtMask(s, d, patchStart, patchEnd)) return false;
  nextVersion(s + S_LOG);
  noteChange(s, CHANGE_FIELD, block, maskPath, <u32>(maskEnd - maskPath));
  return true;
}

function failBlock(block: usize): bool {
  pathReset();
  pathName(name.NAME_BLOCK, 5);
  if (block) return fail(code.E_UNRESOLVED_REFERENCE, 0);
  pathName(name.NAME_ID, 2);
  return fail(code.E_MISSING_BLOCK, 0);
}

function setMeta(s: usize): bool {
  const d = documentOwn(s + S_META);
  if (!d) return failWhole(code.E_OUT_OF_MEMORY);
  if (!setAtMask(s, d, patchStart, patchEnd)) return false;
  nextVersion(s + S_LOG);
  noteChange(s, CHANGE_META, 0, maskPath, <u32>(maskEnd - maskPath));
  return true;
}

// Seq, status and counters of an accepted event.
function advance(s: usize): void {
  const flags = load<u8>(s, S_FLAGS) & ~IN_BURST;
  if (eventOp == code.OP_PING) store<u8>(s, flags, S_FLAGS);
  else {
    if (eventOp != code.OP_END || !(flags & SEQ_KNOWN) || eventSeq > load<f64>(s, S_SEQ)) store<f64>(s, eventSeq, S_SEQ);
    store<u8>(s, flags | SEQ_KNOWN, S_FLAGS);
    if (eventOp == code.OP_START) store<u8>(s, code.STATUS_OPEN, S_STATUS);
    else if (eventOp == code.OP_ERROR) store<u8>(s, code.STATUS_ERRORED, S_STATUS);
    else if (eventOp == code.OP_END) store<u8>(s, code.STATUS_ENDED, S_STATUS);
  }
  store<f64>(s, load<f64>(s, S_APPLIED) + 1, S_APPLIED);
}

/** Puts the canonical model text at `p` in place of the stream's model (`load`); `seq` < 0 is unknown. Paths point into the model. */
export function loadModel(s: usize, p: usize, seq: f64): bool {
  if (!replaceModel(s, p, false)) return false;
  store<f64>(s, max<f64>(seq, 0), S_SEQ);
  const flags = load<u8>(s, S_FLAGS) & ~(SEQ_KNOWN | IN_BURST);
  store<u8>(s, seq < 0 ? flags : flags | SEQ_KNOWN, S_FLAGS);
  store<u8>(s, code.STATUS_OPEN, S_STATUS);
  return true;
}

/**
 * Puts the canonical inline block [p, end) in the place of its reference (AgentUE §3.4). `id` of `idLength` bytes: the one that it must have; `idLength` 0:
 * any. Paths point into the block.
 */
export function materializeBlock(s: usize, p: usize, end: usize, id: usize, idLength: u32): bool {
  pathReset();
  if (!checkBlock(p, end, true)) {
    if (!blockIsReference) return false;
  }
  if (blockIsReference) {
    pathReset();
    pathName(name.NAME_REF, 3);
    return fail(code.E_BAD_BLOCK, code.R_REFERENCE_PATCH);
  }
  if (idLength && !(blockIdLength == idLength && equalBytes(blockId, id, idLength))) {
    pathReset();
    pathName(name.NAME_ID, 2);
    return fail(code.E_BAD_BLOCK, code.R_OTHER_ID);
  }
  if (!s || load<u8>(s, S_STATUS) == code.STATUS_NONE) return failWhole(code.E_NO_MODEL);
  const block = findBlock(s, blockId, blockIdLength);
  pathName(name.NAME_ID, 2);
  if (!block) return fail(code.E_MISSING_BLOCK, 0);
  if (!(load<u32>(block, B_FLAGS) & IS_REFERENCE)) return fail(code.E_BAD_BLOCK, code.R_NOT_A_REFERENCE);
  setBlockPath(false);
  const done = putBlock(s, p, end);
  setBlockPath(true);
  return done;
}
