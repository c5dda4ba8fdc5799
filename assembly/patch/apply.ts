// The six operations of JSON Patch (RFC 6902) on a slot of a document, as steps of an edit: all of them or none.
import { R_INDEX_RANGE, R_INTO_ITSELF, R_LIMIT_DEPTH, R_LIMIT_MODEL, R_MISSING, R_NO_VALUE, R_NOT_EQUAL, R_POINTER, R_REMOVE_ROOT } from "../abi/codes";
import { equalBytes } from "../memory/copy";
import {
  TOO_LARGE, documentFault, documentSize, editBegin, editCommit, editRollback, handDepth, insertElement, isArrayNode, pickCopy, putMember, removeElement,
  removeMember, replaceSlot, slotDepth, slotIndex, slotSize, valueDepth,
} from "../document/index";
import { DIFFERENT, EQUAL, compareValue } from "./equal";
import {
  ADDED_ELEMENT, OP_ADD, OP_COPY, OP_MOVE, OP_REMOVE, OP_REPLACE, OP_TEST, REMOVED_ELEMENT, SKIPPED, clearMarks, fromLengthOf, fromOf, mark, opOf, operationAt,
  operationCount, pathLengthOf, pathOf, valueLengthOf, valueOf,
} from "./operations";
import {
  NO_DEPTH, NO_MEMORY, NO_ROOM, findPlace, missingReason, parentNode, placeIndex, setMakesParents, targetSlot, tokenAt, tokenCount, tokenLength, walkPointer,
} from "./pointer";
import { NO_OPERATION, PATCH_FAILED, PATCH_LIMIT, PATCH_NO_MEMORY, PATCH_OK, refuse } from "./status";

// The patch under way: the document, the node and slot of the patch's root, the limits, and the operation.
let d: usize = 0;
let rootNode: usize = 0;
let root: usize = 0;
let depthLimit: u32 = 0;
let sizeLimit: u32 = 0;
let copyLimit: u32 = 0;
// Bytes that its copies have brought so far.
let copied: u64 = 0;
let index: u32 = 0;
let record: usize = 0;
// Outside of RFC 6902: what is missing is made.
let makesMissing: bool = false;

/**
 * Applies the patch that was read to the value at `slot` of document `document`, whole or not at all. `node` is the node
 * that holds the slot, 0 for the document's root. `maxDepth`: nesting of the value at `slot` afterwards; `maxSize`: bytes
 * of the whole document as compact JSON; `mostCopied`: bytes that its copies may bring together. All of them are held until the patch has been applied: a few KB
 * that copy 16 MB again and again took all memory there is. Operations that are none of the six are passed over.
 *
 * PATCH_OK; PATCH_FAILED; PATCH_LIMIT (R_LIMIT_DEPTH, R_LIMIT_MODEL: checked after each operation, in this order);
 * PATCH_NO_MEMORY. See `patchReason`, `patchOperation`, `patchPath`. No edit may be open.
 */
export function patchApply(document: usize, node: usize, slot: usize, maxDepth: u32, maxSize: u32, mostCopied: u32): u32 {
  editBegin(document);
  const status = patchSteps(document, node, slot, maxDepth, maxSize, mostCopied);
  if (status == PATCH_OK) editCommit(document); else editRollback(document);
  return status;
}

/**
 * As `patchSteps`, but outside of RFC 6902: missing parents become objects, `replace` of a missing member adds it, `remove` of something missing
 * does nothing. For a patch that has failed and been taken back.
 */
export function patchUpsert(document: usize, node: usize, slot: usize, maxDepth: u32, maxSize: u32, mostCopied: u32): u32 {
  clearMarks();
  makesMissing = true;
  const status = patchSteps(document, node, slot, maxDepth, maxSize, mostCopied);
  makesMissing = false;
  return status;
}

/** As `patchApply` inside of an open edit of the document: whoever opened it commits, or takes back what a failed patch has done so far. */
export function patchSteps(document: usize, node: usize, slot: usize, maxDepth: u32, maxSize: u32, mostCopied: u32): u32 {
  d = document;
  rootNode = node;
  root = slot;
  depthLimit = maxDepth;
  sizeLimit = maxSize;
  copyLimit = mostCopied;
  copied = 0;
  const count = operationCount();
  for (index = 0; index < count; index++) {
    record = operationAt(index);
    const status = applyOperation(opOf(record));
    if (status != PATCH_OK) return status;
  }
  return PATCH_OK;
}

function applyOperation(op: u32): u32 {
  switch (op) {
    case OP_ADD: return add();
    case OP_REMOVE: return remove();
    case OP_REPLACE: return replace();
    case OP_MOVE: return move();
    case OP_COPY: return copy();
    case OP_TEST: return test();
    default: return PATCH_OK;
  }
}

@inline function failAtPath(reason: u32): u32 { return failAt(reason, pathOf(record), pathLengthOf(record)); }
@inline function failAtFrom(reason: u32): u32 { return failAt(reason, fromOf(record), fromLengthOf(record)); }

function failAt(reason: u32, p: usize, n: u32): u32 {
  if (reason == NO_MEMORY) return refuse(PATCH_NO_MEMORY, 0, NO_OPERATION, p, 0);
  if (reason == NO_DEPTH || reason == NO_ROOM) return overLimit(reason == NO_DEPTH ? R_LIMIT_DEPTH : R_LIMIT_MODEL);
  return refuse(PATCH_FAILED, reason, index, p, n);
}

function overLimit(reason: u32): u32 { return refuse(PATCH_LIMIT, reason, index, pathOf(record), pathLengthOf(record)); }

// A step that gave nothing back: no memory, or beyond what any document may hold.
function stepFault(): u32 { return documentFault == TOO_LARGE ? overLimit(R_LIMIT_MODEL) : failAtPath(NO_MEMORY); }

@inline function sizeChecked(): u32 { return documentSize(d) > sizeLimit ? overLimit(R_LIMIT_MODEL) : PATCH_OK; }

// Whether a value of that text would be nested too deep below the tokens of the walk. A level takes two bytes, so short values need no count.
@inline function isTooDeep(p: usize, n: u32): bool {
  return <u64>tokenCount + (n >> 1) > <u64>depthLimit && isDeeper(valueDepth(<u32>p, n));
}
@inline function isDeeper(depth: u32): bool { return tokenCount + depth > depthLimit; }

// Puts a value (0: the one at hand) where the walk has ended; `findPlace` has found an array's element.
function put(value: usize, n: u32): u32 {
  let slot: usize;
  if (!parentNode) slot = replaceSlot(d, rootNode, root, value, n);
  else if (isArrayNode(parentNode)) {
    mark(record, ADDED_ELEMENT);
    slot = insertElement(d, parentNode, placeIndex, value, n);
  } else slot = putMember(d, parentNode, tokenAt, tokenLength, value, n);
  return slot ? sizeChecked() : stepFault();
}

// Walks to the place an `add` goes to.
@inline function walkToPlace(): u32 {
  if (makesMissing) setMakesParents(true, depthLimit);
  const fault = walkPointer(d, root, pathOf(record), pathLengthOf(record));
  if (makesMissing) setMakesParents(false, 0);
  return fault ? fault : findPlace();
}

function add(): u32 {
  const fault = walkToPlace();
  if (fault) return failAtPath(fault);
  const value = valueOf(record), n = valueLengthOf(record);
  if (!value) return failAtPath(R_MISSING);
  if (isTooDeep(value, n)) return overLimit(R_LIMIT_DEPTH);
  return put(value, n);
}

// The slot of an existing value; 0 with `missingReason`.
let walkFault: u32 = 0;
function existing(p: usize, n: u32): usize {
  walkFault = walkPointer(d, root, p, n);
  if (walkFault) return 0;
  const slot = targetSlot(root);
  if (!slot) walkFault = missingReason;
  return slot;
}

function replace(): u32 {
  const slot = existing(pathOf(record), pathLengthOf(record));
  if (!slot) return makesMissing && walkFault == R_NO_VALUE ? add() : failAtPath(walkFault);
  const value = valueOf(record), n = valueLengthOf(record);
  if (!value) return failAtPath(R_MISSING);
  if (isTooDeep(value, n)) return overLimit(R_LIMIT_DEPTH);
  return replaceSlot(d, parentNode ? parentNode : rootNode, slot, value, n) ? sizeChecked() : stepFault();
}

// Takes the value at `slot`, where the walk has ended, out and to hand.
function takeOut(slot: usize): bool {
  if (!isArrayNode(parentNode)) return removeMember(d, parentNode, tokenAt, tokenLength);
  mark(record, REMOVED_ELEMENT);
  return removeElement(d, parentNode, slotIndex(parentNode, slot));
}

function remove(): u32 {
  const slot = existing(pathOf(record), pathLengthOf(record));
  if (!slot) {
    if (!makesMissing || (walkFault != R_NO_VALUE && walkFault != R_INDEX_RANGE)) return failAtPath(walkFault);
    mark(record, SKIPPED);
    return PATCH_OK;
  }
  if (!parentNode) return failAtPath(R_REMOVE_ROOT);
  return takeOut(slot) ? PATCH_OK : stepFault();
}

function test(): u32 {
  const slot = existing(pathOf(record), pathLengthOf(record));
  if (!slot) return failAtPath(walkFault);
  const value = valueOf(record);
  if (!value) return failAtPath(R_MISSING);
  const result = compareValue(slot, value, valueLengthOf(record));
  return result == EQUAL ? PATCH_OK : failAtPath(result == DIFFERENT ? R_NOT_EQUAL : NO_MEMORY);
}

function move(): u32 {
  const path = pathOf(record), n = pathLengthOf(record), from = fromOf(record), fromLength = fromLengthOf(record);
  const slot = existing(from, fromLength);
  if (!slot) return failAtFrom(walkFault);
  if (!path) return failAtPath(R_POINTER);
  // canonical pointers are equal when their bytes are
  if (n >= fromLength && equalBytes(path, from, fromLength)) {
    if (n == fromLength) return PATCH_OK;
    if (load<u8>(path + fromLength) == 0x2f) return failAtPath(R_INTO_ITSELF);
  }
  const tokensBefore = tokenCount;
  if (!takeOut(slot)) return stepFault();
  const fault = walkToPlace();
  if (fault) return failAtPath(fault);
  // no deeper than where it was: nothing to measure
  if (tokenCount > tokensBefore && isDeeper(handDepth())) return overLimit(R_LIMIT_DEPTH);
  return put(0, 0);
}

function copy(): u32 {
  const source = existing(fromOf(record), fromLengthOf(record));
  if (!source) return failAtFrom(walkFault);
  const tokensBefore = tokenCount;
  copied += slotSize(source);
  // making parents may move slots, so the copy comes first
  if (makesMissing && !pickCopy(d, source)) return stepFault();
  // the walk may make nodes of what it goes through, which moves no slot
  const fault = walkToPlace();
  if (fault) return failAtPath(fault);
  if (tokenCount > tokensBefore && isDeeper(makesMissing ? handDepth() : slotDepth(source))) return overLimit(R_LIMIT_DEPTH);
  if (copied > copyLimit) return overLimit(R_LIMIT_MODEL);
  return makesMissing || pickCopy(d, source) ? put(0, 0) : stepFault();
}
