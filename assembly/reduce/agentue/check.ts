// The shapes of models, metas, errors and blocks (AgentUE §3), judged on canonical text. A fault leaves its pointer in the path.
import * as code from "../../abi/codes";
import { bytesClear, RUN_LEN, RUN_PTR } from "../../memory/bytes";
import { equalBytes } from "../../memory/copy";
import { hashBytes } from "../../text/hash";
import { findMember, valueEnd, valueStart } from "../../codec/json/members";
import { fail, pathCut, pathIndex, pathLength, pathName } from "../fault";
import * as name from "../names";
import { SCRATCH_FOUND_INDEX as FOUND_INDEX, scratchReserve } from "../scratch";
import {
  FACT_FLAGS, FACT_GROUP, FACT_HASH, FACT_ID, FACT_ID_END, FACT_OTHER, FACT_OTHER_LENGTH, FACT_PARENT, FACT_REF, FACT_TYPE, MAY_REPEAT, NO_OBJECT,
  readFacts,
} from "./facts";
import { maxBlocks } from "./limits";
import { foundAt, foundBlocks, modelIsIrregular, modelMemberAt, modelMembers, scanOutOfMemory } from "./model-scan";

@inline function isText(): bool { return load<u8>(valueStart) == 0x22; }
@inline function isNull(): bool { return load<u8>(valueStart) == 0x6e; }

function failAt(key: usize, n: u32, error: u32, reason: u32): bool {
  pathName(key, n);
  return fail(error, reason);
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
function checkMeta(p: usize, error: u32): bool {
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

/** Id of the block that `checkBlock` accepted, whether it is a reference, and whether its names may repeat. */
export let blockId: usize = 0;
export let blockIdLength: u32 = 0;
export let blockIsReference: bool = false;
export let blockMayRepeat: bool = false;

@inline function isFull(value: usize): bool { return load<u8>(value) == 0x22 && load<u8>(value, 1) != 0x22; }
@inline function isTextNullOrAbsent(value: usize): bool { return !value || load<u8>(value) == 0x22 || load<u8>(value) == 0x6e; }

function failBlockText(value: usize, key: usize, n: u32): bool {
  return failAt(key, n, code.E_BAD_BLOCK, value ? code.R_NON_EMPTY_STRING : code.R_MISSING);
}

/** A complete inline or reference block (AgentUE §3.3, §3.4), the canonical object [p, end). */
export function checkBlock(p: usize, end: usize, referencesAllowed: bool): bool {
  return checkFacts(readFacts(p, end), referencesAllowed);
}

function checkFacts(facts: usize, referencesAllowed: bool): bool {
  const id = <usize>load<u32>(facts, FACT_ID), ref = <usize>load<u32>(facts, FACT_REF), type = <usize>load<u32>(facts, FACT_TYPE);
  blockIsReference = ref != 0;
  blockMayRepeat = (load<u32>(facts, FACT_FLAGS) & MAY_REPEAT) != 0;
  if (!id || !isFull(id)) return failBlockText(id, name.NAME_ID, 2);
  blockId = id + 1;
  blockIdLength = load<u32>(facts, FACT_ID_END) - <u32>id - 2;
  if (ref) {
    if (!isFull(ref)) return failBlockText(ref, name.NAME_REF, 3);
    const other = load<u32>(facts, FACT_OTHER);
    if (other) return failAt(other, load<u32>(facts, FACT_OTHER_LENGTH), code.E_BAD_BLOCK, code.R_REFERENCE_MEMBER);
    return referencesAllowed || failAt(name.NAME_REF, 3, code.E_BAD_BLOCK, code.R_REFERENCE_VERSION);
  }
  if (!type || !isFull(type)) return failBlockText(type, name.NAME_TYPE, 4);
  if (!isTextNullOrAbsent(load<u32>(facts, FACT_PARENT))) return failAt(name.NAME_PARENT_ID, 9, code.E_BAD_BLOCK, code.R_STRING_OR_NULL);
  return isTextNullOrAbsent(load<u32>(facts, FACT_GROUP)) || failAt(name.NAME_GROUP_ID, 8, code.E_BAD_BLOCK, code.R_STRING_OR_NULL);
}

export let modelMeta: usize = 0;
export let modelMetaEnd: usize = 0;
export let modelReferences: bool = false;

// The member of that name in the model that `scanModel` has read: the value in valueStart, valueEnd of the scan, or of a search.
function findInModel(p: usize, key: usize, n: u32): bool {
  if (modelIsIrregular) {
    const found = findMember(p, key, n);
    setValue(valueStart, valueEnd);
    return found;
  }
  for (let i: u32 = 0; i < modelMembers; i++) {
    const member = modelMemberAt(i);
    if (load<u32>(member, 4) == n && equalBytes(load<u32>(member), key, n)) {
      setValue(load<u32>(member, 8), load<u32>(member, 12));
      return true;
    }
  }
  return false;
}

let modelValue: usize = 0;
let modelValueEnd: usize = 0;
function setValue(start: usize, end: usize): void {
  modelValue = start;
  modelValueEnd = end;
}

/** The model at `p` (AgentUE §3.1), canonical, that `scanModel` has just read; its parts are left in `modelMeta` and `modelReferences`. */
export function checkModel(p: usize): bool {
  if (scanOutOfMemory) return fail(code.E_OUT_OF_MEMORY, 0);
  const at = pathLength();
  if (!findInModel(p, name.NAME_VERSION, 7)) return failAt(name.NAME_VERSION, 7, code.E_BAD_MODEL, code.R_MISSING);
  // "1.0" or "1.1"
  const known = modelValueEnd - modelValue == 5 && load<u32>(modelValue) == 0x302e3122 + ((<u32>load<u8>(modelValue, 3) & 1) << 24)
    && load<u8>(modelValue, 4) == 0x22;
  if (!known) return failAt(name.NAME_VERSION, 7, code.E_BAD_MODEL, code.R_VERSION);
  modelReferences = load<u8>(modelValue, 3) == 0x31;
  if (!findInModel(p, name.NAME_BIZ, 3)) return failAt(name.NAME_BIZ, 3, code.E_BAD_MODEL, code.R_MISSING);
  if (!isFull(modelValue)) return failAt(name.NAME_BIZ, 3, code.E_BAD_MODEL, code.R_NON_EMPTY_STRING);
  if (!findInModel(p, name.NAME_META, 4)) return failAt(name.NAME_META, 4, code.E_BAD_MODEL, code.R_MISSING);
  if (load<u8>(modelValue) != 0x7b) return failAt(name.NAME_META, 4, code.E_BAD_MODEL, code.R_OBJECT);
  modelMeta = modelValue;
  modelMetaEnd = modelValueEnd;
  pathName(name.NAME_META, 4);
  if (!checkMeta(modelMeta, code.E_BAD_MODEL)) return false;
  pathCut(at);
  if (!findInModel(p, name.NAME_BLOCKS, 6)) return failAt(name.NAME_BLOCKS, 6, code.E_BAD_MODEL, code.R_MISSING);
  if (load<u8>(modelValue) != 0x5b) return failAt(name.NAME_BLOCKS, 6, code.E_BAD_MODEL, code.R_ARRAY);
  pathName(name.NAME_BLOCKS, 6);
  if (!checkBlocks()) return false;
  pathCut(at);
  return true;
}

function checkBlocks(): bool {
  const references = modelReferences, at = pathLength();
  if (!clearIndex(min<u32>(foundBlocks, maxBlocks))) return fail(code.E_OUT_OF_MEMORY, 0);
  for (let i: u32 = 0; i < foundBlocks; i++) {
    const facts = foundAt(i);
    if (i < maxBlocks && !(load<u32>(facts, FACT_FLAGS) & NO_OBJECT) && checkFacts(facts, references) && isNewId(facts, i)) continue;
    // only now the path is needed: the faults are found once more behind their index
    pathCut(at);
    pathIndex(i);
    if (i == maxBlocks) return fail(code.E_LIMIT, code.R_LIMIT_BLOCKS);
    if (load<u32>(facts, FACT_FLAGS) & NO_OBJECT) return fail(code.E_BAD_BLOCK, code.R_OBJECT);
    return checkFacts(facts, references) ? failAt(name.NAME_ID, 2, code.E_DUPLICATE_ID, 0) : false;
  }
  return true;
}

// The index of ids: RUN_LEN = bytes in use, a power of two of u32 slots, at most half full.
function clearIndex(blocks: u32): bool {
  let slots: u32 = 16;
  while (slots < blocks << 1) slots <<= 1;
  bytesClear(FOUND_INDEX);
  if (!scratchReserve(FOUND_INDEX, slots << 2)) return false;
  store<u32>(FOUND_INDEX, slots << 2, RUN_LEN);
  memory.fill(load<u32>(FOUND_INDEX, RUN_PTR), 0, slots << 2);
  return true;
}

function isNewId(facts: usize, i: u32): bool {
  const hash = hashBytes(blockId, blockIdLength);
  store<u32>(facts, hash, FACT_HASH);
  const index = <usize>load<u32>(FOUND_INDEX, RUN_PTR), mask = (load<u32>(FOUND_INDEX, RUN_LEN) >> 2) - 1;
  let at = hash & mask;
  while (true) {
    const number = load<u32>(index + (at << 2));
    if (!number) break;
    const other = foundAt(number - 1), id = <usize>load<u32>(other, FACT_ID);
    if (load<u32>(other, FACT_HASH) == hash && load<u32>(other, FACT_ID_END) - <u32>id - 2 == blockIdLength
      && equalBytes(id + 1, blockId, blockIdLength)) return false;
    at = (at + 1) & mask;
  }
  store<u32>(index + (at << 2), i + 1);
  return true;
}
