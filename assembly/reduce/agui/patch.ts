// Patches of STATE_DELTA and ACTIVITY_DELTA (RFC 6902): applied inside of an edit that the caller has opened and keeps or takes back.
import * as code from "../../abi/codes";
import { AGUI_DELTA_FAIL, AGUI_DELTA_UPSERT } from "../../abi/layout";
import { editBegin, editRollback } from "../../document/index";
import {
  NO_OPERATION, PATCH_FAILED, PATCH_LIMIT, PATCH_OK, patchOperation, patchPath, patchPathLength, patchReason, patchSteps, patchUpsert,
} from "../../patch/index";
import { fail, faultOperation, faultType, pathText } from "../fault";
import { maxDepth, maxModel } from "../agentue/limits";
import { aguiFlags } from "./enforce";
import { eventType } from "./expansion";
import { failLimit, failMemory, largestSize } from "./limits";
import { warnPatch } from "./warn";

/** The patch has failed only to be applied again with what was missing made. */
export let upserted: bool = false;

/**
 * Applies the event's patch, which enforcement has read, to the value at `slot` of document `d` (held by `node`, 0: the root) below `levels` levels
 * of the snapshot. The edit of `d` is open before and afterwards; unless PATCH_OK is given, nothing has changed.
 */
export function applyPatch(s: usize, d: usize, node: usize, slot: usize, levels: u32): u32 {
  upserted = false;
  const depth = maxDepth > levels ? maxDepth - levels : 0, size = largestSize(s, d);
  let status = patchSteps(d, node, slot, depth, size, maxModel);
  if (status == PATCH_OK) return status;
  editRollback(d);
  editBegin(d);
  if (status != PATCH_FAILED || !(aguiFlags & AGUI_DELTA_UPSERT)) return status;
  keepPlace();
  status = patchUpsert(d, node, slot, depth, size, maxModel);
  if (status == PATCH_OK) { upserted = true; return status; }
  editRollback(d);
  editBegin(d);
  return status;
}

// Where the patch failed before it was applied again.
let place: usize = 0;
let placeLength: u32 = 0;
let placeOperation: u32 = 0;
let placeReason: u32 = 0;

function keepPlace(): void {
  place = patchPath;
  placeLength = patchPathLength;
  placeOperation = patchOperation;
  placeReason = patchReason;
}

/** Warns that a failing patch was applied with what was missing made. */
export function warnUpserted(): void { warnPatch(code.W_DELTA_UPSERTED, placeReason, placeOperation, place, placeLength); }

/**
 * What a patch that was not applied means: true: the value stays and a warning is kept; false: the fault says why the event is refused. `f`: the
 * member that holds the patch.
 */
export function toleratesFailure(status: u32, f: u32): bool {
  if (status == PATCH_LIMIT) {
    failLimit(f, patchReason);
    if (patchOperation != NO_OPERATION) faultOperation(patchOperation);
    return false;
  }
  return status == PATCH_FAILED ? toleratesAt(patchReason, patchOperation, patchPath, patchPathLength) : failMemory();
}

/** The same for a failure at the operation (NO_OPERATION: none) with that pointer. */
export function toleratesAt(reason: u32, operation: u32, path: usize, n: u32): bool {
  if (!(aguiFlags & AGUI_DELTA_FAIL)) {
    warnPatch(code.W_DELTA_FAILED, reason, operation, path, n);
    return true;
  }
  faultType(eventType);
  pathText(path, n);
  if (operation != NO_OPERATION) faultOperation(operation);
  return fail(code.E_DELTA_FAILED, reason);
}
