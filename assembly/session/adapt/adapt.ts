// What AG-UI events come to as AgentUE (docs/adapter.md). The event was applied, and its expanded events can still be looked at.
import * as ag from "../../abi/agui";
import * as code from "../../abi/codes";
import { setAccount } from "../../memory/heap";
import { expandSlot, memberSlot, rootSlot } from "../../document/index";
import { C_MESSAGE, C_PLACE, findCall } from "../../reduce/agui/calls";
import { CONTENT, effects, METADATA, MOVED, NEW_CALL, NEW_MESSAGE, RENAMED, REPLACED } from "../../reduce/agui/effects";
import { wireType } from "../../reduce/agui/event";
import { eventOrigin, eventSlotEnd, eventSlotStart, eventType, expandedCount, FROM_CHUNK, FROM_WIRE, select } from "../../reduce/agui/expansion";
import * as name from "../../reduce/agui/fragments";
import { documentOf, findMessage, messageAt, placeOf, R_ID, R_ID_LENGTH } from "../../reduce/agui/messages";
import { A_COUNT, A_STATE } from "../../reduce/agui/state";
import { C_BEGUN, C_EVENT_INDEX, C_FIRST, C_RUN, T_ID } from "../layout";
import { aboutMessage, aboutRoute } from "../output";
import { setUnread } from "../transcode/emit";
import { endAllowance, liftAllowance, refill } from "./allowance";
import { callStatus, messageStatus, putCallBlock, putMessageBlock } from "./blocks";
import {
  beginEvents, closeEvent, closeField, closeId, isInVain, lackedMemory, lackMemory, openEvent, openId, put, putByte, putDelta, putPiece, putSlot, speakOfAll, speakOfField,
} from "./compose";
import { findTargets, isSet, putNames, putNested } from "./masks";
import { ofCall, ofMessage, readCall, readMessage } from "./members";
import { putRun, putStats, sendStart } from "./model";
import * as piece from "./pieces";
import { freeSpans, putSpanBlock, putSpanId, SPAN_FORGOTTEN, SPAN_NO_MEMORY, SPAN_NONE, SPAN_STATUS, spanStatus, takenSpan, takeSpan } from "./spans";
import { A_UNDER_WAY, isCut, isUnderWay } from "./state";
import { adapterOf } from "../roads";

@inline function length(f: u32): u32 { return <u32>(eventSlotEnd(f) - eventSlotStart(f)); }
// Contents of a string of the selected event.
@inline function contents(f: u32): usize { return eventSlotStart(f) + 1; }
@inline function contentsLength(f: u32): u32 { return length(f) - 2; }

// What came of it.
export const TOLD: u32 = 0;
/** Memory ran out before all of it was said. */
export const TOLD_NO_MEMORY: u32 = 1;
/** More was to be said than may be: the delivery is to be ended with that. */
export const TOLD_TOO_MUCH: u32 = 2;

/** Says what the event that was applied comes to, whose message takes `size` bytes. TOLD_ outcome. */
export function adaptEvent(c: usize, size: u32): u32 {
  const s = <usize>load<u32>(c, C_RUN), a = adapterOf(c), account = setAccount(0);
  refill(a, 1);
  beginEvents(c, size);
  if (wireType == ag.AG_RUN_STARTED) {
    freeSpans(c);
    if (isUnderWay(a)) sendEnd(a);
    sendStart(c);
  } else adapt(c, s, a);
  setAccount(account);
  return outcome();
}

function outcome(): u32 {
  const all = endAllowance();
  return lackedMemory() ? TOLD_NO_MEMORY : all ? TOLD : TOLD_TOO_MUCH;
}

/** Says what a STATE_DELTA comes to whose patch was applied just now, in a delivery that is under way. TOLD_ outcome. */
export function adaptDelta(c: usize, size: u32): u32 {
  const account = setAccount(0);
  refill(adapterOf(c), 1);
  beginEvents(c, size);
  sendStateTargets(load<u32>(c, C_RUN));
  setAccount(account);
  return outcome();
}

function adapt(c: usize, s: usize, a: usize): void {
  if (expandedCount) select(expandedCount - 1);
  const span: u32 = expandedCount ? takeSpan(c) : SPAN_NONE;
  if (span == SPAN_NO_MEMORY) lackMemory();
  if (!isUnderWay(a) || span == SPAN_FORGOTTEN || effects & MOVED) {
    sendStart(c);
    if (wireType == ag.AG_RUN_ERROR && isUnderWay(a)) sendRunError();
    return;
  }
  // what is new says all of itself
  const message: usize = effects & NEW_MESSAGE ? messageAt(s, load<u32>(s, A_COUNT) - 1) : 0, call: usize = effects & NEW_CALL ? namedCall(s) : 0;
  let i: u32 = 0;
  for (; i < expandedCount; i++) {
    select(i);
    if (eventOrigin == FROM_WIRE || eventOrigin == FROM_CHUNK) break;
    if (isOfCall() ? !call || namedCall(s) != call : !message || namedMessage(s) != message) sendStatus(s);
  }
  if (span == SPAN_STATUS) sendSpanStatus();
  else if (span != SPAN_NONE) sendSpan();
  else if (i < expandedCount) say(s, i);
}

// Says what the selected event, number `i`, comes to.
function say(s: usize, i: u32): void {
  switch (eventType) {
    case ag.AG_TEXT_MESSAGE_START: case ag.AG_REASONING_MESSAGE_START: sayText(s, i, true); break;
    case ag.AG_TEXT_MESSAGE_CONTENT: case ag.AG_REASONING_MESSAGE_CONTENT: sayText(s, i, false); break;
    case ag.AG_TOOL_CALL_START: sayCall(s, i, true); break;
    case ag.AG_TOOL_CALL_ARGS: sayCall(s, i, false); break;
    case ag.AG_TEXT_MESSAGE_END: case ag.AG_REASONING_MESSAGE_END: case ag.AG_TOOL_CALL_END:
      if (effects & METADATA) sendMetadata(s);
      sendStatus(s);
      break;
    case ag.AG_TOOL_CALL_RESULT:
      sendMessage(s, messageAt(s, load<u32>(s, A_COUNT) - 1));
      sendCallStatus(s);
      break;
    case ag.AG_STATE_SNAPSHOT:
      openStateField();
      putPiece(piece.MASKED_BLOCK);
      putStateHead();
      putSlot(rootSlot(load<u32>(s, A_STATE)));
      closeField();
      break;
    case ag.AG_STATE_DELTA: if (effects & CONTENT) sendStateTargets(s); break;
    case ag.AG_ACTIVITY_SNAPSHOT: case ag.AG_ACTIVITY_DELTA: sayActivity(s); break;
    case ag.AG_RUN_FINISHED: case ag.AG_RUN_ERROR:
      sendRun(s);
      if (eventSlotStart(ag.F_USAGE)) {
        openEvent(piece.OP_SET);
        putPiece(piece.SET_STATS);
        putStats(s);
        closeField();
      }
      if (eventType == ag.AG_RUN_ERROR) sendRunError();
      break;
    default:
  }
}

// ---------------------------------------------------------------- messages and calls

@inline function namedMessage(s: usize): usize { return findMessage(s, contents(ag.F_MESSAGE_ID), contentsLength(ag.F_MESSAGE_ID)); }
@inline function namedCall(s: usize): usize { return findCall(s, contents(ag.F_TOOL_CALL_ID), contentsLength(ag.F_TOOL_CALL_ID)); }

// An opening chunk has its text in the event behind its START.
@inline function selectText(i: u32): void { if (eventOrigin == FROM_CHUNK && i + 1 < expandedCount) select(i + 1); }

function sayText(s: usize, i: u32, starts: bool): void {
  const m = namedMessage(s);
  if (!m) return;
  if (effects & NEW_MESSAGE) { sendMessage(s, m); return; }
  selectText(i);
  if (effects & CONTENT) sendAppend(piece.MESSAGE_COLON, ag.F_MESSAGE_ID, piece.FIELD_CONTENT);
  if (effects & METADATA) sendMetadata(s);
  if (starts) sendStatus(s);
}

function sayCall(s: usize, i: u32, starts: bool): void {
  const call = namedCall(s);
  if (!call) return;
  if (effects & NEW_CALL) {
    const m = <usize>load<u32>(call, C_MESSAGE);
    if (effects & NEW_MESSAGE) sendMessage(s, m);
    sendCall(s, m, load<u32>(call, C_PLACE));
    return;
  }
  if (effects & RENAMED) {
    openField(piece.TOOL_COLON, ag.F_TOOL_CALL_ID, piece.FIELD_NAME);
    put(eventSlotStart(ag.F_TOOL_CALL_NAME), length(ag.F_TOOL_CALL_NAME));
    closeField();
  }
  selectText(i);
  if (effects & CONTENT) sendAppend(piece.TOOL_COLON, ag.F_TOOL_CALL_ID, piece.FIELD_ARGUMENTS);
  if (effects & METADATA) sendMetadata(s);
  if (starts) sendStatus(s);
}

function sayActivity(s: usize): void {
  const m = namedMessage(s);
  if (!m) return;
  if (effects & (NEW_MESSAGE | REPLACED)) { sendMessage(s, m); return; }
  if (effects & CONTENT) sendContentTargets(m);
  if (effects & METADATA) sendMetadata(s);
}

function sendMessage(s: usize, m: usize): void {
  readMessage(m);
  openEvent(piece.OP_SET);
  putPiece(piece.WHOLE_BLOCK);
  putMessageBlock(s, m, placeOf(s, m));
  closeEvent();
}

function sendCall(s: usize, m: usize, place: u32): void {
  readMessage(m);
  readCall(place);
  openEvent(piece.OP_SET);
  putPiece(piece.WHOLE_BLOCK);
  putCallBlock(s, m, placeOf(s, m), place);
  closeEvent();
}

// Begins an event `op` that is about a field of the block of what the selected event names in its member `f`, up to the value.
function openFieldOf(op: usize, kind: usize, f: u32, field: usize): void {
  openEvent(op);
  putPiece(piece.MASK_BLOCK);
  putPiece(field);
  putPiece(piece.MASKED_BLOCK);
  putHolder(kind, f, field);
}

// `kind`: of the block's id, with its colon.
function putHolder(kind: usize, f: u32, field: usize): void {
  openId();
  putPiece(kind);
  put(contents(f), contentsLength(f));
  closeId();
  putFieldName(field);
}

// Behind an id.
function putFieldName(field: usize): void {
  speakOfField(field);
  putPiece(piece.BEFORE_FIELD);
  putPiece(field);
  putPiece(piece.BEHIND_FIELD);
}

@inline function openField(kind: usize, f: u32, field: usize): void { openFieldOf(piece.OP_SET, kind, f, field); }

function sendAppend(kind: usize, f: u32, field: usize): void {
  openFieldOf(piece.OP_APPEND, kind, f, field);
  putDelta(eventSlotStart(ag.F_DELTA), length(ag.F_DELTA));
  closeField();
}

@inline function isOfCall(): bool { return eventSlotStart(ag.F_TOOL_CALL_ID) != 0; }

// The metadata of what the selected event names.
function sendMetadata(s: usize): void {
  if (isOfCall()) {
    const call = namedCall(s);
    readMessage(load<u32>(call, C_MESSAGE));
    readCall(load<u32>(call, C_PLACE));
    openField(piece.TOOL_COLON, ag.F_TOOL_CALL_ID, piece.FIELD_METADATA);
    putSlot(ofCall(ag.F_METADATA));
  } else {
    readMessage(namedMessage(s));
    openField(piece.MESSAGE_COLON, ag.F_MESSAGE_ID, piece.FIELD_METADATA);
    putSlot(ofMessage(ag.F_METADATA));
  }
  closeField();
}

// The status of what the selected event names, if it is held.
function sendStatus(s: usize): void {
  if (isOfCall()) { sendCallStatus(s); return; }
  const m = namedMessage(s);
  if (!m) return;
  openField(piece.MESSAGE_COLON, ag.F_MESSAGE_ID, piece.FIELD_STATUS);
  putPiece(messageStatus(s, m));
  closeField();
}

function sendCallStatus(s: usize): void {
  const call = namedCall(s);
  if (!call) return;
  openField(piece.TOOL_COLON, ag.F_TOOL_CALL_ID, piece.FIELD_STATUS);
  putPiece(callStatus(s, call + R_ID, load<u32>(call, R_ID_LENGTH)));
  closeField();
}

// ---------------------------------------------------------------- state and patches

function openStateField(): void {
  openEvent(piece.OP_SET);
  putPiece(piece.MASK_BLOCK);
  putPiece(piece.FIELD_STATE);
}

// state","state":
function putStateHead(): void {
  openId();
  putPiece(piece.FIELD_STATE);
  closeId();
  putFieldName(piece.FIELD_STATE);
}

function sendStateTargets(s: usize): void {
  const slot = rootSlot(load<u32>(s, A_STATE)), count = findTargets(slot);
  for (let i: u32 = 0; i < count && !isInVain(); i++) {
    if (!isSet(i)) continue;
    openStateField();
    putNames(i);
    putPiece(piece.MASKED_BLOCK);
    putStateHead();
    putNested(i, slot);
    closeField();
  }
}

function sendContentTargets(m: usize): void {
  const d = documentOf(m), slot = memberSlot(expandSlot(d, rootSlot(d)), name.CONTENT, 7), count = findTargets(slot);
  for (let i: u32 = 0; i < count && !isInVain(); i++) {
    if (!isSet(i)) continue;
    openEvent(piece.OP_SET);
    putPiece(piece.MASK_BLOCK);
    putPiece(piece.FIELD_CONTENT);
    putNames(i);
    putPiece(piece.MASKED_BLOCK);
    putHolder(piece.MESSAGE_COLON, ag.F_MESSAGE_ID, piece.FIELD_CONTENT);
    putNested(i, slot);
    closeField();
  }
}

// ---------------------------------------------------------------- steps, spans, subagents

function sendSpan(): void {
  openEvent(piece.OP_SET);
  putPiece(piece.WHOLE_BLOCK);
  putSpanBlock(takenSpan);
  closeEvent();
}

function sendSpanStatus(): void {
  openEvent(piece.OP_SET);
  putPiece(piece.MASK_BLOCK);
  putPiece(piece.FIELD_STATUS);
  putPiece(piece.MASKED_BLOCK);
  openId();
  putSpanId(takenSpan);
  closeId();
  putFieldName(piece.FIELD_STATUS);
  putPiece(spanStatus(takenSpan));
  closeField();
}

// ---------------------------------------------------------------- the run, and how a delivery ends

function sendRun(s: usize): void {
  openEvent(piece.OP_SET);
  putPiece(piece.SET_RUN);
  putRun(s);
  closeField();
}

// The selected event is a RUN_ERROR.
function sendRunError(): void {
  openError();
  if (eventSlotStart(ag.F_CODE)) put(eventSlotStart(ag.F_CODE), length(ag.F_CODE));
  else putPiece(piece.RUN_ERROR);
  putPiece(piece.MESSAGE);
  put(eventSlotStart(ag.F_MESSAGE), length(ag.F_MESSAGE));
  closeError();
}

function openError(): void {
  openEvent(piece.OP_ERROR);
  speakOfAll();
  putPiece(piece.SET_ERROR);
}

// Behind the error: its brace, and that of `meta`.
function closeError(): void {
  putByte(0x7d);
  closeField();
}

function sendEnd(a: usize): void {
  openEvent(piece.OP_END);
  speakOfAll();
  if (closeEvent()) store<u8>(a, 0, A_UNDER_WAY);
}

// The delivery ends with an error; one that is not under way begins first, unless something was left out.
function close(c: usize, error: usize, message: usize): void {
  const a = adapterOf(c);
  if (!isUnderWay(a)) {
    if (!isCut(a)) sendStart(c);
    liftAllowance();
  } else {
    liftAllowance();
    sendRun(load<u32>(c, C_RUN));
  }
  store<u8>(c, 1, C_BEGUN);
  // a model may have no form on the wire
  if (!isUnderWay(a)) return;
  openError();
  putPiece(error);
  putPiece(piece.MESSAGE);
  putPiece(message);
  closeError();
  sendEnd(a);
}

/** Says that a violation with that code (`E_` id) has rejected the stream. TOLD_ outcome. */
export function adaptRejection(c: usize, error: u32): u32 {
  const account = setAccount(0);
  beginEvents(c, 0);
  close(c, codePiece(error), piece.REFUSED);
  setAccount(account);
  return outcome();
}

/** Ends the delivery, if one is under way, where an event was to say too much and the stream goes on. TOLD_ outcome. */
export function adaptCut(c: usize): u32 {
  const a = adapterOf(c);
  if (!isUnderWay(a)) return TOLD;
  const account = setAccount(0);
  beginEvents(c, 0);
  liftAllowance();
  openError();
  putPiece(piece.LIMIT);
  putPiece(piece.MESSAGE);
  putPiece(piece.TOO_MUCH);
  closeError();
  sendEnd(a);
  setAccount(account);
  return outcome();
}

function codePiece(error: u32): usize {
  switch (error) {
    case code.E_LIMIT: return piece.LIMIT;
    case code.E_BAD_ORDER: return piece.BAD_ORDER;
    case code.E_BAD_ATTRIBUTION: return piece.BAD_ATTRIBUTION;
    case code.E_CHUNK_CONFLICT: return piece.CHUNK_CONFLICT;
    case code.E_DELTA_FAILED: return piece.DELTA_FAILED;
    default: return piece.BAD_EVENT;
  }
}

/** Says that the body has ended; `whole`: and so has its last run. TOLD_ outcome. */
export function adaptEnd(c: usize, whole: bool): u32 {
  const a = adapterOf(c), account = setAccount(0);
  beginEvents(c, 0);
  setUnread(true);
  aboutMessage(load<f64>(c, C_EVENT_INDEX), -1);
  aboutRoute(<usize>load<u32>(c, C_FIRST) + T_ID, 0);
  if (isUnderWay(a) && whole) sendEnd(a);
  else if (isUnderWay(a) || !load<u8>(c, C_BEGUN)) close(c, piece.TRUNCATED, piece.CUT_OFF);
  setUnread(false);
  setAccount(account);
  return outcome();
}
