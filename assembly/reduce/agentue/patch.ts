// Field patches: `set` with a mask (AgentUE §5.2) and `error` (§5.4) on meta and on blocks.
import * as code from "../../abi/codes";
import { documentSize } from "../../document/index";
import { editBegin, editCommit, editRollback, expandSlot, memberSlot, putMember, rootSlot, slotKind, slotSize } from "../../document/index";
import { equalBytes } from "../../memory/copy";
import { depthOf } from "../../codec/json/members";
import { fail, failWhole, pathName, pathReset } from "../fault";
import * as name from "../names";
import { settleSlot, wrappedLength, wrapValue } from "./content";
import { envelopeDepth } from "./envelope";
import { maxDepth, maxModel } from "./limits";
import { isMetaError, maskEnd, maskPath, maskRoot, maskSegments, ROOT_META, segmentEnd } from "./mask";
import { noteSize, S_SIZE } from "./state";

/** Builds the pointer of the mask up to `end`. */
export function pathOfMask(end: usize): void {
  pathReset();
  if (maskRoot == ROOT_META) pathName(name.NAME_META, 4);
  else pathName(name.NAME_BLOCK, 5);
  let segment = maskPath;
  while (segment < end) {
    const stop = segmentEnd(segment);
    pathName(segment, <u32>(stop - segment));
    segment = stop + 1;
  }
}

function failMask(end: usize, error: u32, reason: u32): bool {
  pathOfMask(end);
  return fail(error, reason);
}

/** Whether a model may be nested `level` deep (docs/semantics.md §3, step 8). */
@inline export function isTooDeep(level: u32): bool { return level > maxDepth - 1; }

/** Whether the model may not take `more` bytes. */
@inline export function isTooLarge(s: usize, more: u32): bool { return <u64>load<u32>(s, S_SIZE) + more > <u64>maxModel; }

/** Fails at the mask with a limit. */
export function failMaskLimit(reason: u32): bool { return failMask(maskEnd, code.E_LIMIT, reason); }

/** Sets the value [start, end) at the mask's path in document `d`; meta or a block by the mask's root. All or nothing. */
export function setAtMask(s: usize, d: usize, start: usize, end: usize): bool {
  const before = documentSize(d);
  editBegin(d);
  if (!put(d, start, end) || !checkResult(d) || !checkLimits(s, d, before, start, end)) {
    editRollback(d);
    // expansion may have dropped repeated members of open values
    noteSize(s, d, before);
    return false;
  }
  editCommit(d);
  noteSize(s, d, before);
  return true;
}

function put(d: usize, start: usize, end: usize): bool {
  let node = expandSlot(d, rootSlot(d));
  let segment = maskPath, stop: usize = 0;
  while (node) {
    stop = segmentEnd(segment);
    if (stop == maskEnd) break;
    const slot = memberSlot(node, segment, <u32>(stop - segment));
    const kind = slot ? slotKind(slot) : 0x6e;
    if (kind == 0x6e) break;
    if (kind != 0x7b) return failMask(stop, code.E_TYPE_MISMATCH, code.R_OBJECT);
    node = expandSlot(d, slot);
    segment = stop + 1;
  }
  if (!node) return failWhole(code.E_OUT_OF_MEMORY);
  let value = start, n = <u32>(end - start);
  if (stop != maskEnd) {
    value = wrapValue(stop + 1, maskEnd, start, end);
    if (!value) return failWhole(code.E_OUT_OF_MEMORY);
    n = wrappedLength;
  }
  const slot = putMember(d, node, segment, <u32>(stop - segment), value, n);
  if (!slot || (isMetaError() && !settleSlot(d, slot, value))) return failWhole(code.E_OUT_OF_MEMORY);
  return true;
}

function checkLimits(s: usize, d: usize, before: u32, start: usize, end: usize): bool {
  // on the value's way the model nests one level more than the event
  if (isTooDeep(envelopeDepth + 1)) {
    const level = (maskRoot == ROOT_META ? 1 : 2) + maskSegments + depthOf(start, end);
    if (isTooDeep(level)) return failMaskLimit(code.R_LIMIT_DEPTH);
  }
  const after = documentSize(d);
  return after <= before || !isTooLarge(s, after - before) || failMaskLimit(code.R_LIMIT_MODEL);
}

// ---------------------------------------------------------------- protocol fields stay well-formed

@inline function segmentIs(n: u32, key: usize, length: u32): bool { return n == length && equalBytes(maskPath, key, n); }

function failResult(key: usize, n: u32, reason: u32): bool {
  pathReset();
  if (maskRoot == ROOT_META) pathName(name.NAME_META, 4);
  else pathName(name.NAME_BLOCK, 5);
  pathName(key, n);
  return fail(code.E_BAD_FIELD, reason);
}

@inline function isTextOrNull(slot: usize): bool { return slotKind(slot) == 0x22 || slotKind(slot) == 0x6e; }

// Of most fields nothing is asked, and then they are not looked up again.
function checkResult(d: usize): bool {
  const n = <u32>(segmentEnd(maskPath) - maskPath);
  if (maskRoot == ROOT_META) {
    if (segmentIs(n, name.NAME_ERROR, 5)) return checkErrorResult(d, resultSlot(d, n));
    if (segmentIs(n, name.NAME_TASK_ID, 7) || segmentIs(n, name.NAME_TRACE_ID, 8)) {
      return isTextOrNull(resultSlot(d, n)) || failResult(maskPath, n, code.R_STRING_OR_NULL);
    }
    if (!segmentIs(n, name.NAME_STATS, 5)) return true;
    const kind = slotKind(resultSlot(d, n));
    return kind == 0x7b || kind == 0x6e || failResult(maskPath, n, code.R_OBJECT_OR_NULL);
  }
  if (segmentIs(n, name.NAME_TYPE, 4)) {
    const slot = resultSlot(d, n);
    return (slotKind(slot) == 0x22 && slotSize(slot) > 2) || failResult(maskPath, n, code.R_NON_EMPTY_STRING);
  }
  if (!segmentIs(n, name.NAME_PARENT_ID, 9) && !segmentIs(n, name.NAME_GROUP_ID, 8)) return true;
  return isTextOrNull(resultSlot(d, n)) || failResult(maskPath, n, code.R_STRING_OR_NULL);
}

// The field that was patched, or in which something was.
function resultSlot(d: usize, n: u32): usize { return memberSlot(expandSlot(d, rootSlot(d)), maskPath, n); }

function failErrorMember(key: usize, n: u32, reason: u32): bool {
  failResult(name.NAME_ERROR, 5, reason);
  pathName(key, n);
  return false;
}

function checkErrorResult(d: usize, slot: usize): bool {
  if (slotKind(slot) == 0x6e) return true;
  if (slotKind(slot) != 0x7b) return failResult(name.NAME_ERROR, 5, code.R_OBJECT_OR_NULL);
  const error = expandSlot(d, slot);
  if (!error) return failWhole(code.E_OUT_OF_MEMORY);
  return needText(error, name.NAME_CODE, 4) && needText(error, name.NAME_MESSAGE, 7)
    && allowTextOrNull(error, name.NAME_DETAIL, 6) && allowTextOrNull(error, name.NAME_TRACE_ID, 8);
}

function needText(node: usize, key: usize, n: u32): bool {
  const slot = memberSlot(node, key, n);
  if (!slot) return failErrorMember(key, n, code.R_MISSING);
  return slotKind(slot) == 0x22 || failErrorMember(key, n, code.R_STRING);
}

function allowTextOrNull(node: usize, key: usize, n: u32): bool {
  const slot = memberSlot(node, key, n);
  return !slot || isTextOrNull(slot) || failErrorMember(key, n, code.R_STRING_OR_NULL);
}
