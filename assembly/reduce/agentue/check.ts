// The shapes of models, metas, errors and blocks (AgentUE §3), judged on canonical text. A fault leaves its pointer in the path.
import { equalBytes } from "../../memory/copy";
import { bytesClear, RUN_LEN, RUN_PTR } from "../../memory/bytes";
import { SCRATCH_FOUND as FOUND, SCRATCH_FOUND_INDEX as FOUND_INDEX, scratchReserve } from "../scratch";
import { hashBytes } from "../../text/hash";
import { skipTrusted } from "../../text/trusted";
import { findMember, firstMember, keyLength, keyStart, readMember, valueEnd, valueStart } from "../../codec/json/members";
import { fail, pathCut, pathIndex, pathLength, pathName } from "../fault";
import * as code from "../../abi/codes";
import * as name from "../names";

@inline function isText(): bool { return load<u8>(valueStart) == 0x22; }
@inline function isFullText(): bool { return load<u8>(valueStart) == 0x22 && load<u8>(valueStart, 1) != 0x22; }
@inline function isNull(): bool { return load<u8>(valueStart) == 0x6e; }

function failAt(key: usize, n: u32, error: u32, reason: u32): bool {
  pathName(key, n);
  return fail(error, reason);
}

// A member that must be there as a non-empty string.
function needFullText(p: usize, key: usize, n: u32, error: u32): bool {
  if (!findMember(p, key, n)) return failAt(key, n, error, code.R_MISSING);
  return isFullText() || failAt(key, n, error, code.R_NON_EMPTY_STRING);
}

function needText(p: usize, key: usize, n: u32, error: u32): bool {
  if (!findMember(p, key, n)) return failAt(key, n, error, code.R_MISSING);
  return isText() || failAt(key, n, error, code.R_STRING);
}

function allowTextOrNull(p: usize, key: usize, n: u32, error: u32): bool {
  return !findMember(p, key, n) || isText() || isNull() || failAt(key, n, error, code.R_STRING_OR_NULL);
}

/** The members of an error object (AgentUE §3.2). */
export function checkError(p: usize, error: u32): bool {
  return needText(p, name.NAME_CODE, 4, error) && needText(p, name.NAME_MESSAGE, 7, error)
    && allowTextOrNull(p, name.NAME_DETAIL, 6, error) && allowTextOrNull(p, name.NAME_TRACE_ID, 8, error);
}

/** The common members of meta (AgentUE §3.2). */
export function checkMeta(p: usize, error: u32): bool {
  if (findMember(p, name.NAME_ERROR, 5) && !isNull()) {
    const value = valueStart, at = pathLength();
    if (load<u8>(value) != 0x7b) return failAt(name.NAME_ERROR, 5, error, code.R_OBJECT_OR_NULL);
    pathName(name.NAME_ERROR, 5);
    if (!checkError(value, error)) return false;
    pathCut(at);
  }
  if (!allowTextOrNull(p, name.NAME_TASK_ID, 7, error) || !allowTextOrNull(p, name.NAME_TRACE_ID, 8, error)) return false;
  return !findMember(p, name.NAME_STATS, 5) || isNull() || load<u8>(valueStart) == 0x7b
    || failAt(name.NAME_STATS, 5, error, code.R_OBJECT_OR_NULL);
}

/** Id of the block that `checkBlock` accepted, and the position of its `ref` member (0 for an inline block). */
export let blockId: usize = 0;
export let blockIdLength: u32 = 0;
export let blockIsReference: bool = false;

/** A complete inline or reference block (AgentUE §3.3, §3.4). */
export function checkBlock(p: usize, referencesAllowed: bool): bool {
  blockIsReference = findMember(p, name.NAME_REF, 3);
  if (!needFullText(p, name.NAME_ID, 2, code.E_BAD_BLOCK)) return false;
  blockId = valueStart + 1;
  blockIdLength = <u32>(valueEnd - valueStart - 2);
  if (blockIsReference) {
    if (!needFullText(p, name.NAME_REF, 3, code.E_BAD_BLOCK)) return false;
    let q = firstMember(p);
    while (q) {
      q = readMember(q);
      const known = keyLength == 2 ? load<u16>(keyStart) == 0x6469 : keyLength == 3 && equalBytes(keyStart, name.NAME_REF, 3);
      if (!known) return failAt(keyStart, keyLength, code.E_BAD_BLOCK, code.R_REFERENCE_MEMBER);
    }
    return referencesAllowed || failAt(name.NAME_REF, 3, code.E_BAD_BLOCK, code.R_REFERENCE_VERSION);
  }
  return needFullText(p, name.NAME_TYPE, 4, code.E_BAD_BLOCK) && allowTextOrNull(p, name.NAME_PARENT_ID, 9, code.E_BAD_BLOCK)
    && allowTextOrNull(p, name.NAME_GROUP_ID, 8, code.E_BAD_BLOCK);
}

// Found by checkModel: entries of 24 B {start, end, id, id length, hash, is reference}
export const FOUND_SIZE: u32 = 24;
export let modelMeta: usize = 0;
export let modelMetaEnd: usize = 0;
export let modelReferences: bool = false;
export let foundBlocks: u32 = 0;

export function foundAt(i: u32): usize { return <usize>load<u32>(FOUND, RUN_PTR) + i * FOUND_SIZE; }

/** A complete model (AgentUE §3.1); its parts are left in `modelMeta`, `modelReferences` and the table of found blocks. */
export function checkModel(p: usize, maxBlocks: u32): bool {
  foundBlocks = 0;
  const at = pathLength();
  if (!findMember(p, name.NAME_VERSION, 7)) return failAt(name.NAME_VERSION, 7, code.E_BAD_MODEL, code.R_MISSING);
  // "1.0" or "1.1"
  const known = valueEnd - valueStart == 5 && load<u32>(valueStart) << 8 == 0x2e312200 && (load<u8>(valueStart, 3) | 1) == 0x31 && isText();
  if (!known) return failAt(name.NAME_VERSION, 7, code.E_BAD_MODEL, code.R_VERSION);
  modelReferences = load<u8>(valueStart, 3) == 0x31;
  if (!needFullText(p, name.NAME_BIZ, 3, code.E_BAD_MODEL)) return false;
  if (!findMember(p, name.NAME_META, 4)) return failAt(name.NAME_META, 4, code.E_BAD_MODEL, code.R_MISSING);
  if (load<u8>(valueStart) != 0x7b) return failAt(name.NAME_META, 4, code.E_BAD_MODEL, code.R_OBJECT);
  modelMeta = valueStart;
  modelMetaEnd = valueEnd;
  pathName(name.NAME_META, 4);
  if (!checkMeta(modelMeta, code.E_BAD_MODEL)) return false;
  pathCut(at);
  if (!findMember(p, name.NAME_BLOCKS, 6)) return failAt(name.NAME_BLOCKS, 6, code.E_BAD_MODEL, code.R_MISSING);
  if (load<u8>(valueStart) != 0x5b) return failAt(name.NAME_BLOCKS, 6, code.E_BAD_MODEL, code.R_ARRAY);
  pathName(name.NAME_BLOCKS, 6);
  if (!checkBlocks(valueStart, maxBlocks)) return false;
  pathCut(at);
  return true;
}

function checkBlocks(p: usize, maxBlocks: u32): bool {
  const references = modelReferences, at = pathLength();
  bytesClear(FOUND);
  p++;
  if (load<u8>(p) == 0x5d) return true;
  while (true) {
    pathIndex(foundBlocks);
    if (foundBlocks == maxBlocks) return fail(code.E_LIMIT, code.R_LIMIT_BLOCKS);
    if (load<u8>(p) != 0x7b) return fail(code.E_BAD_BLOCK, code.R_OBJECT);
    if (!checkBlock(p, references)) return false;
    const end = skipTrusted(p);
    if (!noteFound(p, end)) return false;
    pathCut(at);
    if (load<u8>(end) != 0x2c) return true;
    p = end + 1;
  }
  return true;
}

function noteFound(p: usize, end: usize): bool {
  const hash = hashBytes(blockId, blockIdLength);
  if (!scratchReserve(FOUND, FOUND_SIZE) || !reserveIndex()) {
    return fail(code.E_OUT_OF_MEMORY, 0);
  }
  const index = <usize>load<u32>(FOUND_INDEX, RUN_PTR), mask = (load<u32>(FOUND_INDEX, RUN_LEN) >> 2) - 1;
  let i = hash & mask;
  while (true) {
    const number = load<u32>(index + (i << 2));
    if (!number) break;
    const other = foundAt(number - 1);
    if (load<u32>(other, 16) == hash && load<u32>(other, 12) == blockIdLength && equalBytes(load<u32>(other, 8), blockId, blockIdLength)) {
      return failAt(name.NAME_ID, 2, code.E_DUPLICATE_ID, 0);
    }
    i = (i + 1) & mask;
  }
  const entry = foundAt(foundBlocks);
  store<u32>(entry, <u32>p);
  store<u32>(entry, <u32>end, 4);
  store<u32>(entry, <u32>blockId, 8);
  store<u32>(entry, blockIdLength, 12);
  store<u32>(entry, hash, 16);
  store<u32>(entry, blockIsReference ? 1 : 0, 20);
  foundBlocks++;
  store<u32>(FOUND, foundBlocks * FOUND_SIZE, RUN_LEN);
  store<u32>(index + (i << 2), foundBlocks);
  return true;
}

// The table of ids: RUN_LEN = bytes in use, a power of two of u32 slots, at most half full.
function reserveIndex(): bool {
  const slots = load<u32>(FOUND_INDEX, RUN_LEN) >> 2;
  if (foundBlocks && slots >= (foundBlocks + 1) << 1) return true;
  const wanted = foundBlocks ? slots << 1 : 32;
  bytesClear(FOUND_INDEX);
  if (!scratchReserve(FOUND_INDEX, wanted << 2)) return false;
  store<u32>(FOUND_INDEX, wanted << 2, RUN_LEN);
  const index = <usize>load<u32>(FOUND_INDEX, RUN_PTR);
  memory.fill(index, 0, wanted << 2);
  for (let n: u32 = 0; n < foundBlocks; n++) {
    let i = load<u32>(foundAt(n), 16) & (wanted - 1);
    while (load<u32>(index + (i << 2))) i = (i + 1) & (wanted - 1);
    store<u32>(index + (i << 2), n + 1);
  }
  return true;
}
