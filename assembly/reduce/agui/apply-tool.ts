// Tool calls: START, ARGS, END, RESULT, and what a chunk stands for. The selected event is the one applied.
import * as ag from "../../abi/agui";
import * as code from "../../abi/codes";
import { equalBytes } from "../../memory/copy";
import { codeUnits } from "../../text/units";
import {
  appendElements, chainAppend, chainBytes, chainUnits, documentFault, documentSize, editBegin, elementCount, expandSlot, isArrayNode, memberSlot, putMember,
  rootSlot, slotSize, slotSpan, TOO_LARGE,
} from "../../document/index";
import { CHANGE_APPEND, CHANGE_ELEMENTS } from "../change-log";
import { aim, appendText, blameContent, mergeAlone, targetOf } from "./apply-text";
import { C_MESSAGE, C_PLACE, callRoom, callsKnown, fileCall, findCall, freeCall, newCall } from "./calls";
import { argumentsChain, callNode, expandMember } from "./chains";
import {
  noteAppend, noteInsert, noteReplace, PART_ARGUMENTS, PART_CALL_METADATA, PART_CALL_NAME, PART_CALLS,
} from "./changes";
import { compose, composed, composedLength, put, putByte, putSlot, slotLength } from "./compose";
import { CONTENT, NEW_CALL, noteEffect } from "./effects";
import { eventOrigin, eventSlotEnd, eventSlotStart, expandedCount, FROM_CHUNK, itemOf, select } from "./expansion";
import * as piece from "./fragments";
import { CALL_METADATA_LEVELS, failLimit, failMemory, isTooDeep, isTooLarge, keep, undo } from "./limits";
import { findMessage, ownDocument, placeBehindResults, ROLE_ASSISTANT, ROLE_TOOL, roleOf } from "./messages";
import { mergeMetadata } from "./metadata";
import { blame, placeMessage } from "./place";
import { A_COUNT, advance } from "./state";
import { warnSubject, warnTarget } from "./warn";

/** Levels of the snapshot around a call. */
const CALL_LEVELS: u32 = 4;

// The call that the selected event, number `i`, names; 0 = none. `callsKnown` was true.
function namedCall(s: usize, i: u32): usize {
  const item = itemOf(i), known = targetOf(s, item);
  if (known) return known;
  const c = findCall(s, eventSlotStart(ag.F_TOOL_CALL_ID) + 1, slotLength(ag.F_TOOL_CALL_ID) - 2);
  if (c) aim(s, item, c);
  return c;
}

// ---------------------------------------------------------------- START

/** TOOL_CALL_START, number `i` of the expanded events, with the ARGS of an opening chunk. False: a fault, nothing has changed. */
export function applyCallStart(s: usize, i: u32): bool {
  if (!callsKnown(s)) return failMemory();
  const opens = eventOrigin == FROM_CHUNK && i + 1 < expandedCount, held = namedCall(s, i);
  if (held) return renameCall(s, i, held, opens);
  const parent = eventSlotStart(ag.F_PARENT_MESSAGE_ID);
  if (parent) {
    const m = findMessage(s, parent + 1, slotLength(ag.F_PARENT_MESSAGE_ID) - 2);
    if (!m) return placeCall(s, i, ag.F_PARENT_MESSAGE_ID, opens);
    if (roleOf(m) == ROLE_ASSISTANT) return addCall(s, i, m, opens);
    warnTarget(code.W_TARGET_MISMATCH, ag.F_PARENT_MESSAGE_ID);
  }
  const m = findMessage(s, eventSlotStart(ag.F_TOOL_CALL_ID) + 1, slotLength(ag.F_TOOL_CALL_ID) - 2);
  return m && roleOf(m) == ROLE_ASSISTANT ? addCall(s, i, m, opens) : placeCall(s, i, ag.F_TOOL_CALL_ID, opens);
}

// The text of the arguments that the chunk brings, if it brings any.
let delta: usize = 0;
let deltaEnd: usize = 0;
let deltaMerges: bool = false;

function readDelta(i: u32, opens: bool): void {
  delta = 0;
  deltaEnd = 0;
  deltaMerges = false;
  if (!opens) return;
  select(i + 1);
  delta = eventSlotStart(ag.F_DELTA);
  deltaEnd = eventSlotEnd(ag.F_DELTA);
  deltaMerges = eventSlotStart(ag.F_METADATA) != 0;
  select(i);
}

@inline function deltaLength(): u32 { return <u32>(deltaEnd - delta); }

function callTextSize(): u32 {
  return slotLength(ag.F_TOOL_CALL_ID) + slotLength(ag.F_TOOL_CALL_NAME) + deltaLength() + slotLength(ag.F_METADATA);
}

// {"id":…,"type":"function","function":{"name":…,"arguments":…},"metadata":…}
function putCall(): void {
  putSlot(piece.OPEN_ID, piece.OPEN_ID_LENGTH, ag.F_TOOL_CALL_ID);
  putSlot(piece.PUT_FUNCTION, piece.PUT_FUNCTION_LENGTH, ag.F_TOOL_CALL_NAME);
  put(piece.PUT_ARGUMENTS, piece.PUT_ARGUMENTS_LENGTH);
  if (delta) put(delta, deltaLength());
  else put(piece.EMPTY_TEXT, 2);
  putByte(0x7d);
  putSlot(piece.PUT_METADATA, piece.PUT_METADATA_LENGTH, ag.F_METADATA);
  putByte(0x7d);
}

function noteArguments(s: usize, m: usize, place: u32): void {
  noteAppend(s, CHANGE_APPEND, m, PART_ARGUMENTS, place, 0, delta ? codeUnits(delta + 1, deltaEnd - 1) : 0, 0, false);
  if (deltaMerges) noteReplace(s, m, PART_CALL_METADATA, place);
}

// A new assistant message around the call; its id is the event's member `f`.
function placeCall(s: usize, i: u32, f: u32, opens: bool): bool {
  readDelta(i, opens);
  if (!compose(callTextSize() + slotLength(f) + slotLength(ag.F_SUBAGENT_RUN_ID))) return failMemory();
  putSlot(piece.OPEN_ID, piece.OPEN_ID_LENGTH, f);
  put(piece.PUT_ROLE, piece.PUT_ROLE_LENGTH);
  put(piece.ASSISTANT, piece.ASSISTANT_LENGTH);
  put(piece.PUT_TOOL_CALLS, piece.PUT_TOOL_CALLS_LENGTH);
  putCall();
  putByte(0x5d);
  putSlot(piece.PUT_SUBAGENT, piece.PUT_SUBAGENT_LENGTH, ag.F_SUBAGENT_RUN_ID);
  putByte(0x7d);
  const at = load<u32>(s, A_COUNT), text = delta ? deltaLength() - 2 : 0;
  // a call that fits without its first text leaves the blame to that
  const fits = text && !isTooLarge(s, 0, composedLength() - text + (at ? 1 : 0));
  blame(ag.F_TOOL_CALL_ID, ag.F_TOOL_CALL_ID, fits ? ag.F_DELTA : ag.F_TOOL_CALL_ID);
  const m = placeMessage(s, eventSlotStart(f), eventSlotEnd(f), ROLE_ASSISTANT, at, eventSlotStart(ag.F_TOOL_CALL_ID), eventSlotEnd(ag.F_TOOL_CALL_ID));
  if (!m) return fits ? blameContent(i) : false;
  aim(s, itemOf(i), findCall(s, eventSlotStart(ag.F_TOOL_CALL_ID) + 1, slotLength(ag.F_TOOL_CALL_ID) - 2));
  advance(s);
  noteInsert(s, m, at);
  noteEffect(NEW_CALL);
  if (opens) noteArguments(s, m, 0);
  return true;
}

// The call goes behind the others of the assistant message `m`.
function addCall(s: usize, i: u32, m: usize, opens: bool): bool {
  readDelta(i, opens);
  const d = ownDocument(m), root: usize = d ? expandSlot(d, rootSlot(d)) : 0, before: u32 = d ? documentSize(d) : 0;
  if (!root || !compose(callTextSize())) return failMemory();
  putByte(0x5b);
  putCall();
  putByte(0x5d);
  const p = composed(), n = composedLength(), text = delta ? deltaLength() - 2 : 0;
  if (isTooDeep(CALL_LEVELS - 1, p, n)) return failLimit(ag.F_TOOL_CALL_ID, code.R_LIMIT_DEPTH);
  const c: usize = callRoom(s) ? newCall(eventSlotStart(ag.F_TOOL_CALL_ID) + 1, slotLength(ag.F_TOOL_CALL_ID) - 2) : 0;
  if (!c) return failMemory();
  const slot = memberSlot(root, piece.TOOL_CALLS, 9), list: usize = slot ? expandSlot(d, slot) : 0;
  const place = list && isArrayNode(list) ? elementCount(list) : 0;
  editBegin(d);
  const done = slot ? appendElements(d, slot, p + 1, n - 2) : putMember(d, root, piece.TOOL_CALLS, 9, p, n) != 0;
  if (!done || isTooLarge(s, before, documentSize(d))) {
    const fits = done && text && !isTooLarge(s, before, documentSize(d) - text);
    if (!done && documentFault != TOO_LARGE) failMemory();
    else {
      if (fits) select(i + 1);
      failLimit(fits ? ag.F_DELTA : ag.F_TOOL_CALL_ID, code.R_LIMIT_MODEL);
    }
    freeCall(c);
    return undo(s, d, before);
  }
  keep(s, d, before);
  fileCall(s, c, m, place);
  aim(s, itemOf(i), c);
  advance(s);
  if (slot) noteAppend(s, CHANGE_ELEMENTS, m, PART_CALLS, 0, place, place + 1, 0, false);
  else noteReplace(s, m, PART_CALLS, 0);
  noteEffect(NEW_CALL);
  if (opens) noteArguments(s, m, place);
  return true;
}

// A call that is held takes the event's name and metadata, and the ARGS of the chunk.
function renameCall(s: usize, i: u32, c: usize, opens: bool): bool {
  const m = <usize>load<u32>(c, C_MESSAGE), place = load<u32>(c, C_PLACE), d = ownDocument(m);
  if (!d) return failMemory();
  const before = documentSize(d);
  readDelta(i, opens);
  const call = callNode(m, place), made: usize = call ? expandMember(d, call, piece.FUNCTION, 8) : 0;
  if (!made) return failMemory();
  const chain: usize = opens ? argumentsChain(c) : 0;
  if (opens && !chain) return failMemory();
  const name = eventSlotStart(ag.F_TOOL_CALL_NAME), n = slotLength(ag.F_TOOL_CALL_NAME), merges = eventSlotStart(ag.F_METADATA) != 0;
  const slot = memberSlot(made, piece.NAME, 4);
  // names are replaced as a whole, so they stay spans
  const renames = !slot || slotSize(slot) != n || !equalBytes(slotSpan(slot), name, n);
  const from = opens ? chainUnits(chain) : 0, byte = opens ? chainBytes(chain) : 0, units = delta ? codeUnits(delta + 1, deltaEnd - 1) : 0;
  editBegin(d);
  if (renames) {
    if (!putMember(d, made, piece.NAME, 4, name, n)) return failStep(ag.F_TOOL_CALL_NAME) || undo(s, d, before);
    if (isTooLarge(s, before, documentSize(d))) return failLimit(ag.F_TOOL_CALL_NAME, code.R_LIMIT_MODEL) || undo(s, d, before);
  }
  if (merges && !mergeMetadata(s, d, call, CALL_METADATA_LEVELS, before)) return undo(s, d, before);
  let joined = false;
  if (delta) {
    const length = deltaLength() - 2;
    select(i + 1);
    if (!chainAppend(d, chain, delta + 1, length, units)) return failStep(ag.F_DELTA) || undo(s, d, before);
    if (isTooLarge(s, before, documentSize(d))) return failLimit(ag.F_DELTA, code.R_LIMIT_MODEL) || undo(s, d, before);
    joined = chainBytes(chain) != byte + length;
    select(i);
  }
  keep(s, d, before);
  if (renames) warnSubject(code.W_TOOL_RENAMED, ag.F_TOOL_CALL_NAME, ag.F_TOOL_CALL_ID);
  advance(s);
  if (renames) noteReplace(s, m, PART_CALL_NAME, place);
  if (merges) noteReplace(s, m, PART_CALL_METADATA, place);
  if (!opens) return true;
  noteEffect(CONTENT);
  noteAppend(s, CHANGE_APPEND, m, PART_ARGUMENTS, place, from, from + units, joined ? byte - 6 : byte, joined);
  if (deltaMerges) noteReplace(s, m, PART_CALL_METADATA, place);
  return true;
}

function failStep(f: u32): bool { return documentFault == TOO_LARGE ? failLimit(f, code.R_LIMIT_MODEL) : failMemory(); }

// ---------------------------------------------------------------- ARGS, END, RESULT

/** TOOL_CALL_ARGS. */
export function applyCallArguments(s: usize, i: u32): bool {
  if (!callsKnown(s)) return failMemory();
  const c = namedCall(s, i);
  if (!c) { warnTarget(code.W_TARGET_MISSING, ag.F_TOOL_CALL_ID); return true; }
  const chain = argumentsChain(c);
  return chain ? appendText(s, load<u32>(c, C_MESSAGE), PART_ARGUMENTS, load<u32>(c, C_PLACE), chain, false) : failMemory();
}

/** TOOL_CALL_END. */
export function applyCallEnd(s: usize, i: u32): bool {
  if (!callsKnown(s)) return failMemory();
  const c = namedCall(s, i);
  if (!c) { warnTarget(code.W_TARGET_MISSING, ag.F_TOOL_CALL_ID); return true; }
  return !eventSlotStart(ag.F_METADATA) || mergeAlone(s, load<u32>(c, C_MESSAGE), PART_CALL_METADATA, load<u32>(c, C_PLACE));
}

/** TOOL_CALL_RESULT: a tool message behind the results that the assistant message with the call already has. */
export function applyCallResult(s: usize): bool {
  if (!callsKnown(s)) return failMemory();
  const id = eventSlotStart(ag.F_MESSAGE_ID), idEnd = eventSlotEnd(ag.F_MESSAGE_ID);
  const n = <u32>(idEnd - id) + slotLength(ag.F_TOOL_CALL_ID) + slotLength(ag.F_CONTENT) + slotLength(ag.F_SUBAGENT_RUN_ID) + slotLength(ag.F_METADATA);
  if (!compose(n)) return failMemory();
  putSlot(piece.OPEN_ID, piece.OPEN_ID_LENGTH, ag.F_MESSAGE_ID);
  putSlot(piece.PUT_TOOL_CALL_ID, piece.PUT_TOOL_CALL_ID_LENGTH, ag.F_TOOL_CALL_ID);
  put(piece.PUT_ROLE, piece.PUT_ROLE_LENGTH);
  put(piece.TOOL, piece.TOOL_LENGTH);
  putSlot(piece.PUT_CONTENT, piece.PUT_CONTENT_LENGTH, ag.F_CONTENT);
  putSlot(piece.PUT_SUBAGENT, piece.PUT_SUBAGENT_LENGTH, ag.F_SUBAGENT_RUN_ID);
  putSlot(piece.PUT_METADATA, piece.PUT_METADATA_LENGTH, ag.F_METADATA);
  putByte(0x7d);
  const c = findCall(s, eventSlotStart(ag.F_TOOL_CALL_ID) + 1, slotLength(ag.F_TOOL_CALL_ID) - 2);
  const at = c ? placeBehindResults(s, load<u32>(c, C_MESSAGE)) : load<u32>(s, A_COUNT);
  blame(ag.F_MESSAGE_ID, ag.F_CONTENT, ag.F_CONTENT);
  const m = placeMessage(s, id, idEnd, ROLE_TOOL, at, 0, 0);
  if (!m) return false;
  advance(s);
  noteInsert(s, m, at);
  return true;
}
