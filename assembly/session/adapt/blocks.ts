// Blocks of messages and calls (docs/adapter.md §2).
import * as ag from "../../abi/agui";
import { slotSpan } from "../../document/index";
import { C_MESSAGE, C_PLACE, findCall } from "../../reduce/agui/calls";
import { findMessage, R_ID, R_ID_LENGTH, ROLE_ACTIVITY, ROLE_REASONING, ROLE_TOOL, roleOf } from "../../reduce/agui/messages";
import { N_ARGUMENTS, N_ERROR, N_ID } from "../../reduce/agui/schema-table.generated";
import { A_TRACK } from "../../reduce/agui/state";
import { findItem } from "../../reduce/agui/entries";
import { openItem } from "../../reduce/agui/track";
import { ANSWERED, isMarked, ITEM_CALL, ITEM_MESSAGE, ITEM_REASONING, OPEN, STARTED } from "../../reduce/agui/track-layout";
import { closeId, openId, put, putByte, putMember, putNumber, putPiece } from "./compose";
import { ofCall, ofFunction, ofMessage } from "./members";
import * as piece from "./pieces";

@inline function idOf(record: usize): usize { return record + R_ID; }
@inline function idLengthOf(record: usize): u32 { return load<u32>(record, R_ID_LENGTH); }

@inline function isFirst(s: usize, m: usize): bool { return findMessage(s, idOf(m), idLengthOf(m)) == m; }

// Adds the id of the block of message `m`, which is number `i`.
function putMessageId(s: usize, m: usize, i: u32): void {
  if (isFirst(s, m)) putPiece(piece.MESSAGE_COLON);
  else {
    putPiece(piece.KIND_MESSAGE);
    putNumber(i);
    putByte(0x3a);
  }
  put(idOf(m), idLengthOf(m));
}

/** Status of the block of a message, a piece. */
export function messageStatus(s: usize, m: usize): usize {
  const id = idOf(m), n = idLengthOf(m), isOpen = openItem(s, ITEM_MESSAGE, id, n) || openItem(s, ITEM_REASONING, id, n);
  return isOpen && isFirst(s, m) ? piece.STREAMING : piece.COMPLETE;
}

/** Status of the block of the call that is the first one with that id. */
export function callStatus(s: usize, id: usize, n: u32): usize {
  const item = findItem(s + A_TRACK, ITEM_CALL, id, n);
  if (!item || !isMarked(item, STARTED)) return piece.COMPLETE;
  if (isMarked(item, OPEN)) return isMarked(item, ANSWERED) ? piece.ANSWERED_CALL : piece.STREAMING;
  return isMarked(item, ANSWERED) ? piece.COMPLETE : piece.CALLED;
}

function typeOf(m: usize): usize {
  const role = roleOf(m);
  return role == ROLE_TOOL ? piece.TOOL_RESULT : role == ROLE_ACTIVITY ? piece.ACTIVITY : role == ROLE_REASONING ? piece.REASONING : piece.TEXT;
}

function putStatus(status: usize): void {
  putPiece(piece.STATUS);
  putPiece(status);
}

// The contents of the string at a slot; ids are never touched, so they stay spans.
function putContents(slot: usize): void {
  const text = slotSpan(slot);
  if (text) put(text + 1, load<u32>(slot, 4) - 2);
}

/** Adds the block of message `m`, number `i`, which was read. */
export function putMessageBlock(s: usize, m: usize, i: u32): void {
  putPiece(piece.ID);
  openId();
  putMessageId(s, m, i);
  closeId();
  putPiece(piece.TYPE);
  putPiece(typeOf(m));
  putMember(piece.ROLE, ofMessage(ag.F_ROLE));
  putStatus(messageStatus(s, m));
  if (roleOf(m) == ROLE_TOOL) {
    putPiece(piece.PARENT_ID);
    putPiece(piece.TOOL_COLON);
    putContents(ofMessage(ag.F_TOOL_CALL_ID));
    putByte(0x22);
  }
  putMember(piece.GROUP_ID, ofMessage(ag.F_SUBAGENT_RUN_ID));
  putMember(piece.ACTIVITY_TYPE, ofMessage(ag.F_ACTIVITY_TYPE));
  putMember(piece.NAME, ofMessage(ag.F_NAME));
  putMember(piece.CONTENT, ofMessage(ag.F_CONTENT));
  putMember(piece.ERROR, ofMessage(N_ERROR));
  putMember(piece.METADATA, ofMessage(ag.F_METADATA));
  putByte(0x7d);
}

/** Adds the block of the call that was read, number `place` of message `m`, number `i`, which was read too. `callsKnown` was true. */
export function putCallBlock(s: usize, m: usize, i: u32, place: u32): void {
  const text = slotSpan(ofCall(N_ID)), id = text + 1, n = load<u32>(ofCall(N_ID), 4) - 2;
  const first = findCall(s, id, n), isFirstCall = first != 0 && <usize>load<u32>(first, C_MESSAGE) == m && load<u32>(first, C_PLACE) == place;
  putPiece(piece.ID);
  openId();
  if (isFirstCall) putPiece(piece.TOOL_COLON);
  else {
    putPiece(piece.KIND_TOOL);
    putNumber(i);
    putByte(0x2e);
    putNumber(place);
    putByte(0x3a);
  }
  put(id, n);
  closeId();
  putPiece(piece.TOOL_STATUS);
  putPiece(isFirstCall ? callStatus(s, id, n) : piece.COMPLETE);
  putPiece(piece.PARENT_ID);
  putMessageId(s, m, i);
  putByte(0x22);
  putMember(piece.GROUP_ID, ofMessage(ag.F_SUBAGENT_RUN_ID));
  putMember(piece.NAME, ofFunction(ag.F_NAME));
  putMember(piece.ARGUMENTS, ofFunction(N_ARGUMENTS));
  putMember(piece.METADATA, ofCall(ag.F_METADATA));
  putByte(0x7d);
}
