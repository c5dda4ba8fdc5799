// The state: STATE_SNAPSHOT and STATE_DELTA.
import * as ag from "../../abi/agui";
import * as code from "../../abi/codes";
import { documentSetText, documentSize, editBegin, rootSlot } from "../../document/index";
import { PATCH_OK } from "../../patch/index";
import { notePatch } from "./patch-changes";
import { noteMeta, PART_STATE } from "./changes";
import { slotLength } from "./compose";
import { CONTENT, noteEffect } from "./effects";
import { eventSlotStart } from "./expansion";
import { failLimit, failMemory, isTooDeep, isTooLarge, keep, undo } from "./limits";
import { applyPatch, toleratesFailure, upserted, warnUpserted } from "./patch";
import { A_STATE, addToSize, advance } from "./state";

/** Levels of the snapshot around the state. */
export const STATE_LEVELS: u32 = 1;

/** STATE_SNAPSHOT. False: a fault, nothing has changed. */
export function applyStateSnapshot(s: usize): bool {
  const d = <usize>load<u32>(s, A_STATE), p = eventSlotStart(ag.F_SNAPSHOT), n = slotLength(ag.F_SNAPSHOT), before = documentSize(d);
  if (isTooDeep(STATE_LEVELS, p, n)) return failLimit(ag.F_SNAPSHOT, code.R_LIMIT_DEPTH);
  if (isTooLarge(s, before, n)) return failLimit(ag.F_SNAPSHOT, code.R_LIMIT_MODEL);
  if (!documentSetText(d, p, n)) return failMemory();
  addToSize(s, n - before);
  advance(s);
  noteMeta(s, PART_STATE);
  return true;
}

/** STATE_DELTA. A patch that does not apply leaves the state as it was; `onDeltaFailure` says what else becomes of it. */
export function applyStateDelta(s: usize): bool {
  const d = <usize>load<u32>(s, A_STATE), before = documentSize(d);
  editBegin(d);
  const status = applyPatch(s, d, 0, rootSlot(d), STATE_LEVELS);
  if (status != PATCH_OK) {
    undo(s, d, before);
    return toleratesFailure(status, ag.F_DELTA);
  }
  if (upserted) warnUpserted();
  keep(s, d, before);
  advance(s);
  noteEffect(CONTENT);
  notePatch(s);
  return true;
}
