// Events that only open or close something: ENDs of texts, calls and thoughts, spans of reasoning, and steps, with a type and a name alone, in this order. One in
// nine of an agent's events is one, and the full road takes as long for it as for ten tokens. Whatever is not entirely ordinary (an owner, something that is not
// open, or is already, a message that is gone) is left to that; nothing has been touched then. A transcoder writes what was read.
import * as ag from "../../abi/agui";
import { RUN_RUNNING, TRANSPORT_MSGPACK, TRANSPORT_SSE } from "../../abi/codes";
import { FLAG_REPORT_EVENTS, OPT_DEPTH, OPT_EVENT_TYPES, OPT_FLAGS, OPT_HELD_TYPES } from "../../abi/layout";
import { TYPE_NUMBERS } from "../../codec/protobuf/table.generated";
import { BRACKET_ARMS, bracketField } from "../../codec/protobuf/tokens";
import { F_LIMIT, offsetOf, putSentinel } from "../../frame/state";
import { bytesClear, bytesReserve, RUN_LEN, RUN_PTR } from "../../memory/bytes";
import { copyForward } from "../../memory/copy";
import { reserve, setAccount } from "../../memory/heap";
import { noteMeta, PART_RUN } from "../../reduce/agui/changes";
import { closeStep, findItem, findName, findStep, newItem, openStep, STEP_ROOM, useName } from "../../reduce/agui/entries";
import { journalRoom } from "../../reduce/agui/journal";
import { ROLE_ACTIVITY, roleOf } from "../../reduce/agui/messages";
import { memberName, memberNameLength, nameId, typeId, typeName, typeNameLength } from "../../reduce/agui/schema";
import { targetOf } from "../../reduce/agui/apply-text";
import { A_APPLIED, A_FLAGS, A_TRACK, advance, CALLS_KNOWN, statusOfAgui } from "../../reduce/agui/state";
import { closeEntry, mayName, openEntry, trackCommit, trackRollback } from "../../reduce/agui/track";
import { isMarked, ITEM_CALL, ITEM_MESSAGE, ITEM_REASONING, N_STEPS, OPEN, PARENT, SPAN_OPEN } from "../../reduce/agui/track-layout";
import { releaseText, SCRATCH_MESSAGE as TEXT } from "../../reduce/scratch";
import { BLOCK, stringRun } from "../../text/block";
import { nameRun } from "../agui-event";
import { add, C_APPLIED, C_EVENT_INDEX, C_EVENTS, C_FIRST, C_FRAME, C_OPTIONS, MESSAGE_ROOM, option } from "../layout";
import { aboutMessage, reserveOutput } from "../output";
import { adapterOf, isBinary, passesOn, runOf, wireOf } from "../roads";
import { reserveToken, setUnread } from "../transcode/emit";
import { holdsHalves } from "../transcode/halves";
import { relayCanonical } from "../transcode/relay";
import { areTokensOrdinary } from "./agui-token";
import { nextBegin, textBegin } from "./edges";
import { lengthAt, lengthEnd } from "./frame-scan";
import { mapBegin, mapSize, strAt, strLength } from "./msgpack-scan";
import { isPlain } from "./wire-text";

const BRACKETS: u64 = (<u64>1 << ag.AG_TEXT_MESSAGE_END) | (<u64>1 << ag.AG_TOOL_CALL_END) | (<u64>1 << ag.AG_REASONING_MESSAGE_END)
  | (<u64>1 << ag.AG_REASONING_START) | (<u64>1 << ag.AG_REASONING_END) | (<u64>1 << ag.AG_STEP_STARTED) | (<u64>1 << ag.AG_STEP_FINISHED);

/** Whether a connection's options let such events be folded here: nobody wants them, and they go out as what they are or not at all. */
export function allowsBrackets(c: usize): bool {
  const reported = <u32>load<u8>(c + C_OPTIONS, OPT_FLAGS) & FLAG_REPORT_EVENTS ? load<u64>(c + C_OPTIONS, OPT_EVENT_TYPES) : 0;
  return runOf(c) != 0 && !adapterOf(c) && !passesOn(c) && !((reported | load<u64>(c + C_OPTIONS, OPT_HELD_TYPES)) & BRACKETS) && option(c, OPT_DEPTH) > 0;
}

// What was read: the `AG_` id of its type, and what it names.
let type: u32 = 0;
let name: usize = 0;
let nameLength: u32 = 0;

/** Folds the event at `p`, where the frame stands between two messages of a wire that frames them (`TRANSPORT_` id); the address behind it, or 0. */
export function foldBracket(c: usize, p: usize, end: usize, transport: u32): usize {
  const t = <usize>load<u32>(c, C_FIRST), s = runOf(c), wire = wireOf(c);
  let start = p, stop: usize = 0, q: usize = 0;
  if (isBinary(transport)) {
    const most = load<u32>(c + C_FRAME, F_LIMIT);
    q = stop = transport == TRANSPORT_MSGPACK ? readMap(p, end, most) : readFrame(p, end, most);
  } else {
    start = textBegin(p, transport == TRANSPORT_SSE);
    stop = start ? readText(start) : 0;
    q = stop ? nextBegin(c, start, stop, end, transport == TRANSPORT_SSE) : 0;
  }
  if (!q || !isPlain(name, nameLength) || !areTokensOrdinary(t, s) || statusOfAgui(s) != RUN_RUNNING || !reserve(MESSAGE_ROOM) || !journalRoom(STEP_ROOM)) return 0;
  if (wire) {
    if (holdsHalves(c)) return 0;
    if (isBinary(transport)) {
      start = compose();
      if (!start) return 0;
      stop = start + load<u32>(TEXT, RUN_LEN);
    }
    if (!reserveOutput(0) || !reserveToken(wire, <u32>(stop - start))) return 0;
  }
  const account = setAccount(t), done = apply(s);
  setAccount(account);
  if (!done) return 0;
  if (wire) relay(c, start, stop, isBinary(transport) ? p : start);
  add(s, A_APPLIED, 1);
  add(c, C_APPLIED, 1);
  add(c, C_EVENTS, 1);
  add(c, C_EVENT_INDEX, 1);
  return q;
}

// Writes the text [start, stop) of the applied event, whose message is at `p`. No half is held that it might end.
function relay(c: usize, start: usize, stop: usize, p: usize): void {
  nameRun(c);
  aboutMessage(load<f64>(c, C_EVENT_INDEX), offsetOf(p));
  setUnread(true);
  relayCanonical(c, start, stop);
  setUnread(false);
  if (p != start) releaseText();
}

// {"type":"
const BEGINNING: usize = memory.data<u8>([0x7b, 0x22, 0x74, 0x79, 0x70, 0x65, 0x22, 0x3a, 0x22, 0, 0, 0, 0, 0, 0, 0]);

// The text of what was read: its address in TEXT, 0 = out of memory.
function compose(): usize {
  const member = namedBy(type), n = typeNameLength(type) + memberNameLength(member) + nameLength + 32;
  bytesClear(TEXT);
  if (!bytesReserve(TEXT, n)) return 0;
  const start = <usize>load<u32>(TEXT, RUN_PTR);
  let d = put(start, BEGINNING, 9);
  d = put(d, typeName(type), typeNameLength(type));
  // ","
  store<u32>(d, 0x222c22);
  d = put(d + 3, memberName(member), memberNameLength(member));
  // ":"
  store<u32>(d, 0x223a22);
  d = put(d + 3, name, nameLength);
  // "}
  store<u16>(d, 0x7d22);
  store<u32>(TEXT, <u32>(d - start) + 2, RUN_LEN);
  putSentinel(d + 2);
  return start;
}

@inline function put(d: usize, p: usize, n: u32): usize {
  copyForward(d, p, n);
  return d + n;
}

// ---------------------------------------------------------------- reading

// The string contents at `p` as far as they are plain characters; behind the quote that ends them, or 0.
@inline function plainEnd(p: usize): usize {
  while (true) {
    const run = stringRun(p);
    p += run;
    if (run < BLOCK) break;
  }
  return load<u8>(p) == 0x22 ? p + 1 : 0;
}

// The text {"type":"…","…":"…"} at `p`; behind it, or 0.
function readText(p: usize): usize {
  if (load<u64>(p) != 0x3a2265707974227b || load<u8>(p, 8) != 0x22) return 0;
  p += 9;
  let q = plainEnd(p);
  if (!q) return 0;
  type = typeId(p, <u32>(q - p) - 1);
  if (!(BRACKETS >> <u64>type & 1) || load<u16>(q) != 0x222c) return 0;
  p = q + 2;
  q = plainEnd(p);
  if (!q || load<u16>(q) != 0x223a || nameId(p, <u32>(q - p) - 1) != namedBy(type)) return 0;
  name = q + 2;
  q = plainEnd(name);
  nameLength = <u32>(q - name) - 1;
  return q && load<u8>(q) == 0x7d ? q + 1 : 0;
}

// A map of the type and the name, in this order.
function readMap(p: usize, end: usize, most: u32): usize {
  const start = p;
  p = mapBegin(p);
  if (!p || mapSize != 2 || load<u8>(p) != 0xa4 || load<u32>(p, 1) != 0x65707974) return 0;
  p = strAt(p + 5, end);
  if (!p) return 0;
  type = typeId(p, strLength);
  if (!(BRACKETS >> <u64>type & 1)) return 0;
  p = strAt(p + strLength, end);
  if (!p || nameId(p, strLength) != namedBy(type)) return 0;
  name = strAt(p + strLength, end);
  nameLength = strLength;
  const q = name + nameLength;
  return name && <u32>(q - start) <= most ? q : 0;
}

@inline function namedBy(type: u32): u32 {
  return type == ag.AG_TOOL_CALL_END ? ag.F_TOOL_CALL_ID : type == ag.AG_STEP_STARTED || type == ag.AG_STEP_FINISHED ? ag.F_STEP_NAME : ag.F_MESSAGE_ID;
}

// A frame of the type and the name.
function readFrame(p: usize, end: usize, most: u32): usize {
  if (end - p < 12) return 0;
  const size = bswap<u32>(load<u32>(p)), stop = p + 4 + <usize>size;
  if (size > most || size > <u32>(end - p) - 4) return 0;
  const tag = lengthAt(p + 4), arm = tag >> 3;
  if (arm > 31 || (tag & 7) != 2) return 0;
  type = load<u32>(BRACKET_ARMS + (arm << 2));
  p = lengthEnd;
  if (!type || lengthAt(p) != <u32>(stop - lengthEnd)) return 0;
  p = lengthEnd;
  if (load<u32>(p) != (0x0008020a | <u32>load<u8>(TYPE_NUMBERS + arm) << 24) || load<u8>(p, 4) != bracketField(arm)) return 0;
  nameLength = lengthAt(p + 5);
  name = lengthEnd;
  return name <= stop && <usize>nameLength == stop - name ? stop : 0;
}

// ---------------------------------------------------------------- applying

// Judges and applies what was read; there is room for what the journal notes.
function apply(s: usize): bool {
  const t = s + A_TRACK, isStep = type == ag.AG_STEP_STARTED || type == ag.AG_STEP_FINISHED, isSpan = type == ag.AG_REASONING_START || type == ag.AG_REASONING_END;
  if (!(isStep ? moveStep(s, t) : type == ag.AG_REASONING_START ? openSpan(s, t) : close(s, t, isSpan ? SPAN_OPEN : OPEN))) return false;
  advance(s);
  if (isStep || isSpan) noteMeta(s, PART_RUN);
  trackCommit(s);
  return true;
}

function moveStep(s: usize, t: usize): bool {
  const known = findName(t, name, nameLength), open: bool = known && load<u32>(known, N_STEPS) != 0;
  if (type == ag.AG_STEP_FINISHED) {
    const step: usize = open ? findStep(t, known, PARENT) : 0;
    if (step) closeStep(t, step);
    return step != 0;
  }
  if (open || !mayName(t)) return false;
  const used = <usize>useName(t, name, nameLength);
  return (used && openStep(t, used, PARENT)) || takeBack(s);
}

function openSpan(s: usize, t: usize): bool {
  let item = findItem(t, ITEM_REASONING, name, nameLength);
  if (item ? isMarked(item, SPAN_OPEN) : !mayName(t)) return false;
  if (!item) {
    item = newItem(t, ITEM_REASONING, name, nameLength, PARENT);
    if (!item) return takeBack(s);
  }
  openEntry(t, item, SPAN_OPEN);
  return true;
}

function close(s: usize, t: usize, opening: u32): bool {
  const kind = type == ag.AG_TOOL_CALL_END ? ITEM_CALL : type == ag.AG_TEXT_MESSAGE_END ? ITEM_MESSAGE : ITEM_REASONING;
  const item = findItem(t, kind, name, nameLength);
  if (!item || !isMarked(item, opening) || (opening == OPEN && !isThere(s, item, kind))) return false;
  closeEntry(t, item, opening);
  return true;
}

// Whether the message or call is there, of a kind that the event may name.
function isThere(s: usize, item: usize, kind: u32): bool {
  const target = targetOf(s, item);
  return target != 0 && (kind == ITEM_CALL ? (load<u8>(s, A_FLAGS) & CALLS_KNOWN) != 0 : roleOf(target) != ROLE_ACTIVITY);
}

// Memory has run out in the middle of it.
function takeBack(s: usize): bool {
  trackRollback(s);
  return false;
}
