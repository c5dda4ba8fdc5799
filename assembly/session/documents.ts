// Documents that belong to no stream (docs/semantics.md §11): loaded from JSON text, changed by patches, read by pointers.
// Each pays for itself.
//
//   record 32   0 bytes of memory charged to it | 4 document | 8 limits (DOC_ of abi/layout), 16 bytes | 24.. -
import * as code from "../abi/codes";
import * as layout from "../abi/layout";
import { alloc, free, setAccount } from "../memory/heap";
import { RUN_LEN, RUN_PTR, bytesClear } from "../memory/bytes";
import { FAULT_DEPTH, FAULT_UTF8, faultAt, locateFault } from "../text/fault";
import { canonicalize } from "../text/minify";
import { skipSpace } from "../text/trusted";
import { longNumberAt, resetValidate, setValidateLimits, skipValueAt, valueDirty } from "../text/validate";
import {
  compactIfWasteful, documentFree, documentNew, documentSetText, documentSize, rootSlot, slotIsNode, slotSize, slotSpan, writeSlot,
} from "../document/index";
import {
  NO_MEMORY, NO_OPERATION, PATCH_LIMIT, PATCH_MALFORMED, PATCH_NO_MEMORY, PATCH_OK, patchApply, patchJudge, patchOperation, patchPath, patchPathLength, patchRead,
  patchReason, refuse, releaseOperations, targetSlot, walkPointer,
} from "../patch/index";
import { clearFault, fail, failWhole, pathText } from "../reduce/fault";
import { SCRATCH_RESULT, scratchReserve } from "../reduce/scratch";
import { leave } from "./feed";
import { putSentinel } from "../frame/state";

const RECORD_SIZE: u32 = 32;
const DOCUMENT: usize = 4, LIMITS: usize = 8;

/** Levels of a patch around the value of an operation. */
const PATCH_LEVELS: u32 = 2;

/** Byte offset of the last text fault, −1 when the fault has none. */
export let documentFaultOffset: f64 = -1;
/** Operation of the last fault, NO_OPERATION when it has none. */
export let documentFaultOperation: u32 = NO_OPERATION;
/** Where the value that `findValue` found stands, until the next call. */
export let foundValue: usize = 0;

@inline function limit(record: usize, field: usize): u32 { return load<u32>(record + LIMITS + field); }
@inline function documentAt(record: usize): usize { return <usize>load<u32>(record, DOCUMENT); }

let textLength: u32 = 0;

// Validates [p, p + n) and brings it to canonical form in place; its start and textLength, 0 = fault.
function readText(p: usize, n: u32, depth: u32, numberLength: u32): usize {
  clearFault();
  documentFaultOffset = -1;
  documentFaultOperation = NO_OPERATION;
  const end = p + n;
  putSentinel(end);
  // the connection used last takes its own limits again when it is entered
  leave();
  setValidateLimits(depth, numberLength);
  resetValidate();
  const start = skipSpace(p), stop = skipValueAt(start, false, 0);
  if (!stop || skipSpace(stop) != end) {
    const fault = locateFault(p, end, depth);
    documentFaultOffset = <f64>(faultAt - p);
    failWhole(fault == FAULT_UTF8 ? code.E_INVALID_UTF8 : fault == FAULT_DEPTH ? code.E_TOO_DEEP : code.E_BAD_JSON);
    return 0;
  }
  if (longNumberAt) {
    documentFaultOffset = <f64>(longNumberAt - p);
    fail(code.E_LIMIT, code.R_LIMIT_NUMBER);
    return 0;
  }
  textLength = <u32>((valueDirty ? canonicalize(start, start) : stop) - start);
  return start;
}

/** A document of the `n` bytes of JSON text at `p` under the limits at `options`; 0: the fault says why. */
export function openDocument(options: usize, p: usize, n: u32): usize {
  const start = readText(p, n, load<u32>(options, layout.DOC_DEPTH), load<u32>(options, layout.DOC_NUMBER_LENGTH));
  if (!start) return 0;
  if (textLength > load<u32>(options, layout.DOC_BYTES)) {
    fail(code.E_LIMIT, code.R_LIMIT_MODEL);
    return 0;
  }
  const record = alloc(RECORD_SIZE);
  if (!record) { failWhole(code.E_OUT_OF_MEMORY); return 0; }
  memory.fill(record, 0, RECORD_SIZE);
  memory.copy(record + LIMITS, options, layout.DOC_SIZE);
  const account = setAccount(record), d = documentNew();
  store<u32>(record, <u32>d, DOCUMENT);
  const done = d && documentSetText(d, start, textLength);
  setAccount(account);
  if (done) return record;
  closeDocument(record);
  failWhole(code.E_OUT_OF_MEMORY);
  return 0;
}

/** Gives everything back. */
export function closeDocument(record: usize): void {
  const account = setAccount(record), d = documentAt(record);
  if (d) documentFree(d);
  setAccount(account);
  free(record, RECORD_SIZE);
}

/** Applies the patch of `n` bytes of JSON text at `p`; `false`: the fault says why and nothing changed. */
export function patchDocument(record: usize, p: usize, n: u32): bool {
  const depth = limit(record, layout.DOC_DEPTH);
  const start = readText(p, n, depth + PATCH_LEVELS, limit(record, layout.DOC_NUMBER_LENGTH));
  if (!start) return false;
  const status = applyPatch(record, start, depth);
  releaseOperations();
  if (status == PATCH_OK) return true;
  documentFaultOperation = patchOperation;
  if (status == PATCH_NO_MEMORY) return failWhole(code.E_OUT_OF_MEMORY);
  if (patchPath) pathText(patchPath, patchPathLength);
  return fail(status == PATCH_MALFORMED ? code.E_BAD_PATCH : status == PATCH_LIMIT ? code.E_LIMIT : code.E_DELTA_FAILED, patchReason);
}

function applyPatch(record: usize, start: usize, depth: u32): u32 {
  const most = limit(record, layout.DOC_OPERATIONS), read = patchRead(start, most);
  if (read != PATCH_OK && read != PATCH_LIMIT) return read;
  const form = patchJudge();
  if (form != PATCH_OK) return form;
  if (read == PATCH_LIMIT) return refuse(PATCH_LIMIT, code.R_LIMIT_OPERATIONS, most, 0, 0);
  const d = documentAt(record), account = setAccount(record);
  const status = patchApply(d, 0, rootSlot(d), depth, limit(record, layout.DOC_BYTES), limit(record, layout.DOC_BYTES));
  setAccount(account);
  return status;
}

/**
 * Finds the value at the pointer of `n` bytes of canonical string contents at `p`, well-formed: its bytes as compact JSON,
 * which stand at `foundValue` until the next call; DOC_NOTHING: there is no such value; DOC_NO_MEMORY.
 */
export function findValue(record: usize, p: usize, n: u32): i32 {
  const d = documentAt(record), account = setAccount(record);
  // what earlier reading has expanded goes before more is added; afterwards the value lies still
  compactIfWasteful(d);
  const fault = walkPointer(d, rootSlot(d), p, n), slot: usize = fault ? 0 : targetSlot(rootSlot(d));
  setAccount(account);
  if (fault == NO_MEMORY) return layout.DOC_NO_MEMORY;
  if (!slot) return layout.DOC_NOTHING;
  const size = slotSize(slot);
  if (!slotIsNode(slot)) foundValue = slotSpan(slot);
  else {
    bytesClear(SCRATCH_RESULT);
    if (!scratchReserve(SCRATCH_RESULT, size)) return layout.DOC_NO_MEMORY;
    foundValue = <usize>load<u32>(SCRATCH_RESULT, RUN_PTR);
    writeSlot(slot, foundValue);
    store<u32>(SCRATCH_RESULT, size, RUN_LEN);
  }
  return <i32>size;
}

/** Bytes of the document as compact JSON. */
export function sizeOfDocument(record: usize): u32 { return documentSize(documentAt(record)); }
