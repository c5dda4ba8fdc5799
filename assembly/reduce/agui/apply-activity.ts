// Activity messages: ACTIVITY_SNAPSHOT and ACTIVITY_DELTA.
import * as ag from "../../abi/agui";
import * as code from "../../abi/codes";
import { equalBytes } from "../../memory/copy";
import {
  documentFault, documentFree, documentSize, editBegin, expandSlot, memberSlot, putMember, removeMember, rootSlot, slotKind, slotSize,
  slotSpan, TOO_LARGE,
} from "../../document/index";
import { NO_OPERATION, PATCH_OK } from "../../patch/index";
import { mergeAlone } from "./apply-text";
import { dropCallsOf } from "./calls";
import { noteInsert, noteReplace, PART_CONTENT, PART_METADATA, PART_WHOLE } from "./changes";
import { compose, composed, composedLength, newDocument, put, putByte, putSlot, slotLength } from "./compose";
import { MOVED, noteEffect } from "./effects";
import { eventSlotEnd, eventSlotStart } from "./expansion";
import * as piece from "./fragments";
import { failLimit, failMemory, isTooDeep, isTooLarge, keep, MESSAGE_LEVELS, METADATA_LEVELS, undo } from "./limits";
import { documentOf, findMessage, M_CALLS, M_CHAIN, M_DOCUMENT, M_ROLE, ownDocument, ROLE_ACTIVITY, roleOf } from "./messages";
import { mergeMetadata } from "./metadata";
import { applyPatch, toleratesAt, toleratesFailure, upserted, warnUpserted } from "./patch";
import { blame, placeMessage } from "./place";
import { A_COUNT, addToSize, advance, renewGeneration } from "./state";
import { warnTarget } from "./warn";

/** Levels of the snapshot around the content of a message. */
const CONTENT_LEVELS: u32 = 3;

function named(s: usize): usize { return findMessage(s, eventSlotStart(ag.F_MESSAGE_ID) + 1, slotLength(ag.F_MESSAGE_ID) - 2); }

/** ACTIVITY_SNAPSHOT. False: a fault, nothing has changed. */
export function applyActivitySnapshot(s: usize): bool {
  const m = named(s), replace = eventSlotStart(ag.F_REPLACE), replaces = !replace || load<u8>(replace) == 0x74;
  if (!m) return placeActivity(s);
  if (roleOf(m) == ROLE_ACTIVITY) return replaces ? replaceActivity(s, m) : !eventSlotStart(ag.F_METADATA) || mergeAlone(s, m, PART_METADATA, 0);
  if (replaces) return becomeActivity(s, m);
  warnTarget(code.W_TARGET_MISMATCH, ag.F_MESSAGE_ID);
  return true;
}

// {"id":…,"role":"activity","activityType":…,"content":…,"subagentRunId":…,"metadata":…}
function composeActivity(): bool {
  const n = slotLength(ag.F_MESSAGE_ID) + slotLength(ag.F_ACTIVITY_TYPE) + slotLength(ag.F_CONTENT) + slotLength(ag.F_SUBAGENT_RUN_ID)
    + slotLength(ag.F_METADATA);
  if (!compose(n)) return failMemory();
  putSlot(piece.OPEN_ID, piece.OPEN_ID_LENGTH, ag.F_MESSAGE_ID);
  put(piece.PUT_ROLE, piece.PUT_ROLE_LENGTH);
  put(piece.ACTIVITY, piece.ACTIVITY_LENGTH);
  putSlot(piece.PUT_ACTIVITY_TYPE, piece.PUT_ACTIVITY_TYPE_LENGTH, ag.F_ACTIVITY_TYPE);
  putSlot(piece.PUT_CONTENT, piece.PUT_CONTENT_LENGTH, ag.F_CONTENT);
  putSlot(piece.PUT_SUBAGENT, piece.PUT_SUBAGENT_LENGTH, ag.F_SUBAGENT_RUN_ID);
  putSlot(piece.PUT_METADATA, piece.PUT_METADATA_LENGTH, ag.F_METADATA);
  putByte(0x7d);
  return true;
}

function placeActivity(s: usize): bool {
  if (!composeActivity()) return false;
  const at = load<u32>(s, A_COUNT);
  blame(ag.F_MESSAGE_ID, ag.F_CONTENT, ag.F_CONTENT);
  const m = placeMessage(s, eventSlotStart(ag.F_MESSAGE_ID), eventSlotEnd(ag.F_MESSAGE_ID), ROLE_ACTIVITY, at, 0, 0);
  if (!m) return false;
  advance(s);
  noteInsert(s, m, at);
  return true;
}

// A message of another role becomes a new activity in its place.
function becomeActivity(s: usize, m: usize): bool {
  if (!composeActivity()) return false;
  const before = documentSize(documentOf(m)), p = composed(), n = composedLength();
  if (isTooDeep(MESSAGE_LEVELS, p, n)) return failLimit(ag.F_CONTENT, code.R_LIMIT_DEPTH);
  if (isTooLarge(s, before, n)) return failLimit(ag.F_CONTENT, code.R_LIMIT_MODEL);
  const d = newDocument(p, n);
  if (!d) return failMemory();
  documentFree(documentOf(m));
  if (load<u32>(m, M_CALLS)) noteEffect(MOVED);
  dropCallsOf(s, m);
  store<u32>(m, <u32>d, M_DOCUMENT);
  store<u32>(m, 0, M_CHAIN);
  store<u8>(m, <u8>ROLE_ACTIVITY, M_ROLE);
  addToSize(s, n - before);
  renewGeneration(s);
  advance(s);
  noteReplace(s, m, PART_WHOLE, 0);
  return true;
}

// Content, type and owner become the event's, the owner also none; metadata goes on accumulating.
function replaceActivity(s: usize, m: usize): bool {
  const d = ownDocument(m);
  if (!d) return failMemory();
  const before = documentSize(d), root = expandSlot(d, rootSlot(d));
  if (!root) return failMemory();
  const content = eventSlotStart(ag.F_CONTENT);
  if (isTooDeep(CONTENT_LEVELS, content, slotLength(ag.F_CONTENT))) return failLimit(ag.F_CONTENT, code.R_LIMIT_DEPTH);
  editBegin(d);
  if (!setMember(d, root, piece.ACTIVITY_TYPE, 12, ag.F_ACTIVITY_TYPE) || !setMember(d, root, piece.CONTENT, 7, ag.F_CONTENT) || !setOwner(d, root)) {
    return failStep(ag.F_CONTENT) || undo(s, d, before);
  }
  if (isTooLarge(s, before, documentSize(d))) return failLimit(ag.F_CONTENT, code.R_LIMIT_MODEL) || undo(s, d, before);
  if (!mergeMetadata(s, d, root, METADATA_LEVELS, before)) return undo(s, d, before);
  keep(s, d, before);
  advance(s);
  noteReplace(s, m, PART_WHOLE, 0);
  return true;
}

function setMember(d: usize, root: usize, key: usize, n: u32, f: u32): bool {
  return putMember(d, root, key, n, eventSlotStart(f), slotLength(f)) != 0;
}

function setOwner(d: usize, root: usize): bool {
  if (eventSlotStart(ag.F_SUBAGENT_RUN_ID)) return setMember(d, root, piece.SUBAGENT_RUN_ID, 13, ag.F_SUBAGENT_RUN_ID);
  return !memberSlot(root, piece.SUBAGENT_RUN_ID, 13) || removeMember(d, root, piece.SUBAGENT_RUN_ID, 13);
}

function failStep(f: u32): bool { return documentFault == TOO_LARGE ? failLimit(f, code.R_LIMIT_MODEL) : failMemory(); }

/** ACTIVITY_DELTA. A patch that does not apply, or makes no object, leaves content and type as they were; metadata merges in any case. */
export function applyActivityDelta(s: usize): bool {
  const m = named(s);
  if (!m || roleOf(m) != ROLE_ACTIVITY) {
    warnTarget(m ? code.W_TARGET_MISMATCH : code.W_TARGET_MISSING, ag.F_MESSAGE_ID);
    return true;
  }
  const d = ownDocument(m);
  if (!d) return failMemory();
  const before = documentSize(d), root = expandSlot(d, rootSlot(d)), slot: usize = root ? memberSlot(root, piece.CONTENT, 7) : 0;
  if (!slot) return failMemory();
  const merges = eventSlotStart(ag.F_METADATA) != 0;
  editBegin(d);
  const status = applyPatch(s, d, root, slot, CONTENT_LEVELS);
  if (status != PATCH_OK || slotKind(slot) != 0x7b) {
    undo(s, d, before);
    if (!(status != PATCH_OK ? toleratesFailure(status, ag.F_PATCH) : toleratesAt(code.R_OBJECT, NO_OPERATION, piece.CONTENT, 0))) return false;
    return !merges || mergeAlone(s, m, PART_METADATA, 0);
  }
  const type = memberSlot(root, piece.ACTIVITY_TYPE, 12), n = slotLength(ag.F_ACTIVITY_TYPE);
  const retypes = !type || slotSize(type) != n || !equalBytes(slotSpan(type), eventSlotStart(ag.F_ACTIVITY_TYPE), n);
  if (retypes && !setMember(d, root, piece.ACTIVITY_TYPE, 12, ag.F_ACTIVITY_TYPE)) return failStep(ag.F_PATCH) || undo(s, d, before);
  if (isTooLarge(s, before, documentSize(d))) return failLimit(ag.F_PATCH, code.R_LIMIT_MODEL) || undo(s, d, before);
  if (!mergeMetadata(s, d, root, METADATA_LEVELS, before)) return undo(s, d, before);
  if (upserted) warnUpserted();
  keep(s, d, before);
  advance(s);
  noteReplace(s, m, retypes ? PART_WHOLE : PART_CONTENT, 0);
  if (merges) noteReplace(s, m, PART_METADATA, 0);
  return true;
}
