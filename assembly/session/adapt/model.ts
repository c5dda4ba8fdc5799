// The whole model as an AgentUE `start`, and the run in it (docs/adapter.md §2).
import { setAccount } from "../../memory/heap";
import { rootSlot } from "../../document/index";
import { callsKnown } from "../../reduce/agui/calls";
import { STATUS_LENGTHS, STATUS_PLACES, STATUS_WORDS } from "../../reduce/agui/fragments";
import { messageAt } from "../../reduce/agui/messages";
import {
  TEXT_ERROR, TEXT_OUTCOME, TEXT_PARENT, TEXT_RESULT, TEXT_RUN, TEXT_THREAD, TEXT_USAGE, TEXT_VERSION, textLength, textStart,
} from "../../reduce/agui/run";
import { A_COUNT, A_STATE, statusOfAgui } from "../../reduce/agui/state";
import { C_BEGUN, C_FIRST, C_RUN } from "../layout";
import { isWaiting, spendOnStart } from "./allowance";
import { putCallBlock, putMessageBlock } from "./blocks";
import { closeEvent, isInVain, lackMemory, openEvent, put, putByte, putPiece, putSlot, speakOfAll } from "./compose";
import { firstCall, nextCall, readMessage } from "./members";
import * as piece from "./pieces";
import { firstSpan, isBefore, nextSpan, putSpanBlock } from "./spans";
import { A_CUT, A_UNDER_WAY, bizLength, bizStart } from "./state";
import { adapterOf } from "../roads";

/** Says everything: a delivery begins, unless the event has no form on the wire, or more was left out before than may be said yet. */
export function sendStart(c: usize): void {
  if (isWaiting(adapterOf(c))) return;
  const s = <usize>load<u32>(c, C_RUN), a = adapterOf(c), count = load<u32>(s, A_COUNT), account = setAccount(load<u32>(c, C_FIRST));
  const known = callsKnown(s);
  setAccount(account);
  if (!known) lackMemory();
  openEvent(piece.OP_START);
  speakOfAll();
  putPiece(piece.MODEL);
  put(bizStart(a), bizLength(a));
  putPiece(piece.META);
  putRun(s);
  putPiece(piece.STATS);
  putStats(s);
  putPiece(piece.BLOCKS);
  putSlot(rootSlot(load<u32>(s, A_STATE)));
  putByte(0x7d);
  let span = firstSpan(a);
  for (let i: u32 = 0; i <= count && !isInVain(); i++) {
    for (; span && (i == count || isBefore(span, i)); span = nextSpan(span)) {
      putByte(0x2c);
      putSpanBlock(span);
    }
    if (i < count) putMessage(s, messageAt(s, i), i);
  }
  putByte(0x5d);
  putByte(0x7d);
  if (!closeEvent()) { spendOnStart(); return; }
  store<u8>(a, 1, A_UNDER_WAY);
  store<u8>(a, 0, A_CUT);
  store<u8>(c, 1, C_BEGUN);
}

// A message, and its calls behind it.
function putMessage(s: usize, m: usize, i: u32): void {
  readMessage(m);
  putByte(0x2c);
  putMessageBlock(s, m, i);
  firstCall();
  for (let place: u32 = 0; nextCall() && !isInVain(); place++) {
    putByte(0x2c);
    putCallBlock(s, m, i, place);
  }
}

// ---------------------------------------------------------------- run

let isFirst: bool = false;

// A name with the comma before it.
function putName(name: usize): void {
  if (isFirst) put(name + 2, <u32>load<u8>(name) - 1);
  else putPiece(name);
  isFirst = false;
}

function putText(s: usize, i: u32, name: usize): void {
  if (!textStart(s, i)) return;
  putName(name);
  put(textStart(s, i), textLength(s, i));
}

/** Adds `meta.run`. */
export function putRun(s: usize): void {
  const status = statusOfAgui(s);
  isFirst = true;
  putByte(0x7b);
  putText(s, TEXT_THREAD, piece.RUN_THREAD);
  putText(s, TEXT_RUN, piece.RUN_ID);
  putText(s, TEXT_PARENT, piece.RUN_PARENT);
  putText(s, TEXT_VERSION, piece.RUN_VERSION);
  putName(piece.STATUS);
  putByte(0x22);
  put(STATUS_WORDS + <usize>load<u8>(STATUS_PLACES + status), <u32>load<u8>(STATUS_LENGTHS + status));
  putByte(0x22);
  putText(s, TEXT_OUTCOME, piece.OUTCOME);
  putText(s, TEXT_RESULT, piece.RESULT);
  putText(s, TEXT_ERROR, piece.ERROR);
  putByte(0x7d);
}

/** Adds `meta.stats`. */
export function putStats(s: usize): void {
  if (!textStart(s, TEXT_USAGE)) { putPiece(piece.NULL); return; }
  putPiece(piece.USAGE);
  put(textStart(s, TEXT_USAGE), textLength(s, TEXT_USAGE));
  putByte(0x7d);
}
