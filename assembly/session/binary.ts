// Messages of the binary wires: read into the JSON text that a text wire would have brought, and handled as that (docs/semantics.md §1).
import * as code from "../abi/codes";
import * as layout from "../abi/layout";
import { bytesClear, RUN_LEN, RUN_PTR } from "../memory/bytes";
import { MSGPACK_SHORT, msgpackFaultAt, msgpackReason } from "../codec/msgpack/fault";
import { msgpackEnd, msgpackReplaced, readMsgpack, readMsgpackPrefix } from "../codec/msgpack/read";
import { protobufDropped, protobufFaultAt, protobufReplaced, readProtobuf } from "../codec/protobuf/read";
import { PROTOBUF_NO_MEMORY, PROTOBUF_OK, PROTOBUF_TOO_DEEP, PROTOBUF_UNKNOWN } from "../codec/protobuf/wire";
import { F_LIMIT, messageOffset, messageStart, offsetOf, putSentinel, setMessage } from "../frame/state";
import { clearFault, fail, failWhole } from "../reduce/fault";
import { releaseText, SCRATCH_MESSAGE as TEXT } from "../reduce/scratch";
import { trustEvent } from "../reduce/agui/event";
import { statusOfAgui } from "../reduce/agui/state";
import { addWarning } from "../reduce/agui/warnings";
import { isDropped, nameRun, skip } from "./agui-event";
import { reportWarnings } from "./agui-warnings";
import { failConnection, noMemory } from "./failure";
import { allowsSets, foldCountedSet } from "./fast-path/agentue-set";
import { allowsDeltas, foldCountedDelta } from "./fast-path/agui-delta";
import { C_FRAME, C_RUN, option } from "./layout";
import { conclude, hasOption, hasRoom } from "./message";
import { aboutPlace, reportWarning } from "./output";
import { readFromWire } from "./place";
import { handleMessage, scanMessage } from "./protocol";

/** Reads the whole message [start, end), which framing has cut out, and handles it; whether it was accepted. */
export function readBinary(c: usize, transport: u32, start: usize, end: usize): bool {
  bytesClear(TEXT);
  const done = transport == code.TRANSPORT_MSGPACK
    ? isRead(c, readMsgpack(start, end, TEXT, option(c, layout.OPT_DEPTH), hasOption(c, layout.FLAG_REPLACE_UTF8)))
    : isFrameRead(c, readProtobuf(start, end, TEXT, option(c, layout.OPT_DEPTH)));
  const accepted = done && handleText(c);
  releaseText();
  return accepted;
}

/**
 * Reads the MessagePack message that begins at `p`, where the frame stands between two messages, without looking for its end first; the address behind it,
 * 0: it does not lie whole before `end`, or something is wrong with it. `handleDirectText` follows.
 */
export function readDirectMsgpack(c: usize, p: usize, end: usize): usize {
  bytesClear(TEXT);
  if (readMsgpackPrefix(p, end, TEXT, option(c, layout.OPT_DEPTH), hasOption(c, layout.FLAG_REPLACE_UTF8))) return 0;
  if (<u32>(msgpackEnd - p) > load<u32>(c + C_FRAME, F_LIMIT)) return 0;
  setMessage(p, msgpackEnd, offsetOf(p));
  return msgpackEnd;
}

/** Handles the message that `readDirectMsgpack` has read; whether it was accepted. */
export function handleDirectText(c: usize): bool {
  if (msgpackReplaced) reportWarning(c, code.W_UTF8_REPLACED, 0, 0);
  const accepted = handleText(c);
  releaseText();
  return accepted;
}

// A queue counts the text.
function handleText(c: usize): bool {
  const text = <usize>load<u32>(TEXT, RUN_PTR), n = load<u32>(TEXT, RUN_LEN), end = text + n;
  putSentinel(end);
  if (load<u32>(c, C_RUN) ? allowsDeltas(c) && foldCountedDelta(c, text, end) : allowsSets(c) && foldCountedSet(c, text, end)) return true;
  if (!hasRoom(c, n)) return false;
  readFromWire(true);
  let accepted = false;
  if (load<u8>(text) == 0x7b && read(c, text, end)) accepted = conclude(c, handleMessage(c, text, end, n, false));
  else {
    clearFault();
    failWhole(code.E_NOT_AN_EVENT);
    fail(code.E_NOT_AN_EVENT, code.R_OBJECT);
    failConnection(c);
  }
  readFromWire(false);
  return accepted;
}

/** Numbers that are read from the bytes of a binary wire are shorter: `-1.7976931348623157e+308`. */
const LONGEST_NUMBER: u32 = 32;

// Reads the text [text, end) of a message, which the codec has written; whether it is one object. The codec has judged all of it but the length of numbers.
@inline function read(c: usize, text: usize, end: usize): bool {
  if (!load<u32>(c, C_RUN) || option(c, layout.OPT_NUMBER_LENGTH) < LONGEST_NUMBER) return scanMessage(c, text, false) == end;
  trustEvent(text, end);
  return true;
}

// Whether a MessagePack message was read; its fault is the connection's.
function isRead(c: usize, status: u32): bool {
  if (!status) {
    if (msgpackReplaced) reportWarning(c, code.W_UTF8_REPLACED, 0, 0);
    return true;
  }
  if (status == code.E_OUT_OF_MEMORY) noMemory(c);
  else failAt(c, status, status == code.E_BAD_MSGPACK ? msgpackReasonId(msgpackReason) : 0, msgpackFaultAt);
  return false;
}

/** The `R_` id of a MSGPACK_ reason. */
@inline export function msgpackReasonId(reason: u32): u32 { return <u32>code.R_WIRE_SHORT + reason - MSGPACK_SHORT; }

// Whether a frame was read; what is wrong with it is the connection's, unless it is only newer than this reader.
function isFrameRead(c: usize, status: u32): bool {
  if (status == PROTOBUF_OK) {
    if (protobufReplaced) reportWarning(c, code.W_UTF8_REPLACED, 0, 0);
    if (protobufDropped && statusOfAgui(load<u32>(c, C_RUN)) != code.RUN_REJECTED) warn(c, code.W_UNKNOWN_VARIANT);
    return true;
  }
  if (status == PROTOBUF_NO_MEMORY) noMemory(c);
  else if (status == PROTOBUF_UNKNOWN) {
    if (isDropped(c)) return false;
    warn(c, code.W_UNKNOWN_EVENT);
    skip(c);
  } else failAt(c, status == PROTOBUF_TOO_DEEP ? code.E_TOO_DEEP : code.E_BAD_PROTOBUF, 0, protobufFaultAt);
  return false;
}

// A warning of the reading, which knows neither path nor type.
function warn(c: usize, id: u32): void {
  nameRun(c);
  addWarning(id, 0, 0, 0, 0, 0);
  reportWarnings(c);
}

function failAt(c: usize, error: u32, reason: u32, at: usize): void {
  clearFault();
  failWhole(error);
  fail(error, reason);
  aboutPlace(messageOffset + <f64>(at - messageStart));
  failConnection(c);
}
