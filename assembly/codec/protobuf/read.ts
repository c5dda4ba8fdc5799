// One frame's bytes, an ag_ui.Event, to the canonical JSON text of the event. The table says what the fields are; each level is read whole before
// anything of it is written, so that fields may come in any order and any number.
import {
  ACTIVITY_PLACE, ALWAYS, ARM_COUNT, KIND_BOOL, KIND_CONTENT, KIND_INT64, KIND_MESSAGE, KIND_MESSAGES, KIND_OP,
  KIND_OPTIONAL_STRING, KIND_OUTCOME, KIND_PARTS, KIND_STRING, KIND_STRINGS, KIND_STRUCT, KIND_VALUE, M_BASE_EVENT, M_INPUT_CONTENT,
  M_MESSAGE, OF_OUTCOME, OPERATION_COUNT, OPERATIONS, TYPE_NUMBERS,
} from "./table.generated";
import { equalBytes } from "../../memory/copy";
import {
  gatherField, hasField, levelAt, levelEnd, levelNext, levelStart, presentFields, readLevel, slotCount, slotEnd, slotStart, slotVarint,
} from "./level";
import {
  gather, gatheredEnd, gatheredNext, gatheredStart, nextField, payloadEnd, payloadStart, piecesFree, piecesMark, piecesRelease, setWalk, walkEnd, walkNext,
} from "./pieces";
import { CARRIER_ACTIVITY, CARRIER_ANY, CARRIER_PARTS, carrierOf } from "./roles";
import { fieldCount, firstField, flagsOf, isOneof, kindOf, targetOf, textLength, textOf, textStart } from "./table";
import {
  closeList, openList, put, putByte, putInteger, putString, textBegin, textCancel, textEnd, textMark, textTakeBack,
} from "./text-out";
import { hasValue, putStruct, putValue, readValue, valuesFree } from "./value-read";
import {
  PROTOBUF_MALFORMED, PROTOBUF_TOO_DEEP, PROTOBUF_UNKNOWN, WIRE_END, WIRE_GROUP, WIRE_LENGTH, begin, fail, readLength, readTag,
  readVarint32, skipField, status, varint,
} from "./wire";

export { faultAt as protobufFaultAt } from "./wire";
export { textReplaced as protobufReplaced } from "../string-contents";

/** Content parts of unknown kinds that the last event has lost. */
export let protobufDropped: u32 = 0;

let most: u32 = 0;
/** The part under way has a source of an unknown kind. */
let sourceUnknown: bool = false;

/**
 * Appends the JSON text of the event in [p, end) to the run `out`, a NUL and 63 more behind it. `depth`: how many containers may be nested.
 * Returns PROTOBUF_OK; or PROTOBUF_UNKNOWN, PROTOBUF_MALFORMED, PROTOBUF_TOO_DEEP (`protobufFaultAt`), PROTOBUF_NO_MEMORY, and `out` is as it was.
 * `protobufReplaced` and `protobufDropped` tell what was repaired and left out. Reads up to 15 bytes behind `end`. The text has at most 16 times
 * the bytes of the event, its buffer half more; the work takes at most ten times as much.
 */
export function readProtobuf(p: usize, end: usize, out: usize, depth: u32): u32 {
  begin();
  protobufDropped = 0;
  sourceUnknown = false;
  most = depth;
  if (textBegin(out) && readEnvelope(p, end)) textEnd(); else textCancel();
  piecesRelease(0);
  return status;
}

/** The same for the google.protobuf.Value in [p, end), around which `around` containers are open. One that holds nothing is PROTOBUF_MALFORMED. */
export function readProtobufValue(p: usize, end: usize, out: usize, around: u32, depth: u32): u32 {
  begin();
  if (textBegin(out) && readValue(p, end, 0) && (hasValue() || fail(PROTOBUF_MALFORMED, p)) && putValue(around, depth)) textEnd(); else textCancel();
  piecesRelease(0);
  return status;
}

/** Gives back what reading has kept for the next event. */
export function trimProtobufReader(): void {
  piecesFree();
  valuesFree();
}

// The arm of the oneof, its payloads as one.
function readEnvelope(p: usize, end: usize): bool {
  const from = p;
  let arm: u32 = 0, count: u32 = 0, start: usize = 0, stop: usize = 0, odd: usize = 0;
  while (p < end) {
    const at = p;
    p = readTag(p, end);
    if (!p || varint < 8) return fail(PROTOBUF_MALFORMED, at);
    const tag = <u32>varint, number = tag >> 3, wire = tag & 7;
    if (number <= ARM_COUNT) {
      if (wire < WIRE_GROUP || wire > WIRE_END) {
        // a known number speaks of its event whatever its wire type
        if (arm && arm != number) return fail(PROTOBUF_MALFORMED, at);
        arm = number;
      }
      if (wire == WIRE_LENGTH) {
        p = readLength(p, end);
        if (!p) return fail(PROTOBUF_MALFORMED, at);
        count++;
        start = p;
        p += <usize>varint;
        stop = p;
        continue;
      }
      if (!odd) odd = at;
    }
    p = skipField(p, end, tag);
    if (!p) return fail(PROTOBUF_MALFORMED, at);
  }
  if (!count) return odd ? fail(PROTOBUF_MALFORMED, odd) : readFuture(from, end);
  if (count == 1) return readEvent(arm, start, stop, 0);
  return gather(from, end, 0, arm, count) && readEvent(arm, gatheredStart, gatheredEnd, gatheredNext);
}

// Nothing known is there: an event of a later version, if all its arms are messages.
function readFuture(p: usize, end: usize): bool {
  const from = p;
  let found = false;
  while (p < end) {
    const at = p;
    p = readVarint32(p, end);
    const tag = <u32>varint;
    if ((tag & 7) == WIRE_LENGTH) {
      p = readLength(p, end);
      const stop = p + <usize>varint;
      while (p < stop) {
        p = readVarint32(p, stop);
        if (!p || varint < 8) return fail(PROTOBUF_MALFORMED, at);
        p = skipField(p, stop, <u32>varint);
        if (!p) return fail(PROTOBUF_MALFORMED, at);
      }
      found = true;
    } else p = skipField(p, end, tag);
  }
  return fail(found ? PROTOBUF_UNKNOWN : PROTOBUF_MALFORMED, from);
}

function readEvent(arm: u32, p: usize, end: usize, next: u32): bool {
  const level = levelAt(0), base = levelAt(1);
  if (most < 1) return fail(PROTOBUF_TOO_DEEP, p);
  if (!readLevel(level, arm, p, end, next)) return false;
  if (!hasField(level, 0)) return fail(PROTOBUF_MALFORMED, p);
  if (!readField(base, M_BASE_EVENT, level, 0)) return false;
  const type = hasField(base, 0) ? <u32>slotVarint(base, 0) : 0;
  if (type != load<u8>(TYPE_NUMBERS + arm)) return fail(PROTOBUF_MALFORMED, levelStart(base));
  return put(textStart(arm), textLength(arm)) && putMembers(0, 2, arm, 1) && (presentFields(base) < 2 || putMembers(1, 2, M_BASE_EVENT, 1)) && putByte(0x7d);
}

// Reads the level that a field of another one holds.
function readField(level: usize, message: u32, outer: usize, place: u32): bool {
  if (slotCount(outer, place) == 1) return readLevel(level, message, slotStart(outer, place), slotEnd(outer, place), 0);
  return gatherField(outer, place) && readLevel(level, message, gatheredStart, gatheredEnd, gatheredNext);
}

@inline function putName(field: usize): bool { return put(textStart(textOf(field)), textLength(textOf(field))); }

// The members of a message whose level was read, each with a comma before it. Levels from `free` on are free; `depth` containers are open.
function putMembers(i: u32, free: u32, message: u32, depth: u32): bool {
  const level = levelAt(i), count = fieldCount(message);
  let field = firstField(message);
  for (let place: u32 = 0; place < count; place++, field += 4) {
    const has = hasField(level, place), kind = kindOf(field);
    switch (kind) {
      case KIND_STRING:
        if (!putName(field) || !putString(has ? slotStart(level, place) : 0, has ? slotEnd(level, place) : 0)) return false;
        break;
      case KIND_OPTIONAL_STRING:
        if (has && (!putName(field) || !putString(slotStart(level, place), slotEnd(level, place)))) return false;
        break;
      case KIND_BOOL:
        if (has && (!putName(field) || !put(slotVarint(level, place) ? TRUE : FALSE, slotVarint(level, place) ? 4 : 5))) return false;
        break;
      case KIND_INT64:
        if (has && (!putName(field) || !putInteger(<i64>slotVarint(level, place)))) return false;
        break;
      case KIND_OP:
        if (!putName(field) || !putOperation(has ? <i32>slotVarint(level, place) : 0)) return false;
        break;
      case KIND_VALUE:
      case KIND_STRUCT:
      case KIND_MESSAGE:
        if (has && !putNested(level, free, place, field, depth)) return false;
        break;
      case KIND_MESSAGES:
      case KIND_STRINGS:
        if (!has && !(flagsOf(field) & ALWAYS)) break;
        if (flagsOf(field) & OF_OUTCOME && hasOutcome(level, message)) break;
        if (!putName(field) || !putList(level, free, place, field, depth)) return false;
        break;
      case KIND_CONTENT:
        if (!putContent(level, free, message, place, field, depth)) return false;
        break;
      case KIND_OUTCOME:
        if (has && !putOutcome(level, free, message, place, field, depth)) return false;
        break;
      // the type, the base and further carriers are no members of their own
      default:
    }
  }
  return true;
}

const TRUE: usize = memory.data<u8>([0x74, 0x72, 0x75, 0x65, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
const FALSE: usize = memory.data<u8>([0x66, 0x61, 0x6c, 0x73, 0x65, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);

// A name for a known operation, its number for any other.
function putOperation(op: i32): bool {
  if (<u32>op < OPERATION_COUNT) {
    const text = <u32>load<u8>(OPERATIONS + op);
    return put(textStart(text), textLength(text));
  }
  return putByte(0x22) && putInteger(op) && putByte(0x22);
}

// A member that holds one Value, Struct or message.
function putNested(level: usize, free: u32, place: u32, field: usize, depth: u32): bool {
  const mark = piecesMark(), kind = kindOf(field);
  let p = slotStart(level, place), end = slotEnd(level, place), next: u32 = 0;
  if (slotCount(level, place) > 1) {
    if (!gatherField(level, place)) return false;
    p = gatheredStart;
    end = gatheredEnd;
    next = gatheredNext;
  }
  let done: bool;
  if (kind == KIND_VALUE) {
    done = readValue(p, end, next);
    if (done && hasValue()) done = putName(field) && putValue(depth, most);
  } else if (kind == KIND_STRUCT) done = putName(field) && putStruct(p, end, next, depth, most);
  else if (isOneof(targetOf(field))) done = putOneof(free, targetOf(field), field, p, end, next, depth);
  else done = putName(field) && putObject(free, targetOf(field), p, end, next, depth);
  piecesRelease(mark);
  return done;
}

function putObject(i: u32, message: u32, p: usize, end: usize, next: u32, depth: u32): bool {
  if (depth >= most) return fail(PROTOBUF_TOO_DEEP, p);
  if (!readLevel(levelAt(i), message, p, end, next)) return false;
  const mark = openList();
  return putMembers(i, i + 1, message, depth + 1) && closeList(mark, 0x7b);
}

// A member that holds a oneof: `type` names the arm, whose members follow. Without an arm that is known nothing is written.
function putOneof(i: u32, message: u32, field: usize, p: usize, end: usize, next: u32, depth: u32): bool {
  if (depth >= most) return fail(PROTOBUF_TOO_DEEP, p);
  const level = levelAt(i);
  if (!readLevel(level, message, p, end, next)) return false;
  if (!presentFields(level)) { sourceUnknown = true; return true; }
  return putName(field) && putArm(i, message, depth);
}

// The arm of the oneof whose level was read.
function putArm(i: u32, message: u32, depth: u32): bool {
  const level = levelAt(i), place = <u32>ctz(presentFields(level)), arm = firstField(message) + (place << 2);
  const mark = piecesMark();
  if (!putName(arm) || !readField(levelAt(i + 1), targetOf(arm), level, place)) return false;
  const done = putMembers(i + 1, i + 2, targetOf(arm), depth + 1) && putByte(0x7d);
  piecesRelease(mark);
  return done;
}

// A repeated field as a list.
function putList(level: usize, free: u32, place: u32, field: usize, depth: u32): bool {
  if (depth >= most) return fail(PROTOBUF_TOO_DEEP, levelStart(level));
  const mark = openList(), kind = kindOf(field), tag = (place + 1) << 3 | WIRE_LENGTH;
  let p = levelStart(level), end = levelEnd(level), next = levelNext(level);
  for (let left = hasField(level, place) ? slotCount(level, place) : 0; left; left--) {
    setWalk(end, next);
    p = nextField(p, tag);
    end = walkEnd;
    next = walkNext;
    const start = payloadStart, stop = payloadEnd;
    if (kind == KIND_PARTS) {
      if (!putPart(free, start, stop, depth + 1)) return false;
    } else if (!putByte(0x2c)) return false;
    else if (kind == KIND_STRINGS) {
      if (!putString(start, stop)) return false;
    } else if (!putObject(free, targetOf(field), start, stop, 0, depth + 1)) return false;
  }
  return closeList(mark, 0x5b);
}

// A content part with a comma before it; of an unknown kind, or from an unknown kind of source, it is left out.
function putPart(i: u32, p: usize, end: usize, depth: u32): bool {
  if (depth >= most) return fail(PROTOBUF_TOO_DEEP, p);
  const level = levelAt(i);
  if (!readLevel(level, M_INPUT_CONTENT, p, end, 0)) return false;
  if (!presentFields(level)) { protobufDropped++; return true; }
  const mark = textMark();
  if (!putByte(0x2c) || !putArm(i, M_INPUT_CONTENT, depth)) return false;
  if (sourceUnknown) {
    sourceUnknown = false;
    protobufDropped++;
    textTakeBack(mark);
  }
  return true;
}

// `content` from whichever carrier the role uses; a second one is a contradiction.
function putContent(level: usize, free: u32, message: u32, place: u32, field: usize, depth: u32): bool {
  const parts = targetOf(field), text = hasField(level, place), list = hasField(level, parts);
  const activity = message == M_MESSAGE && hasField(level, ACTIVITY_PLACE);
  let carrier = CARRIER_PARTS;
  if (message == M_MESSAGE) {
    carrier = hasField(level, 1) ? carrierOf(slotStart(level, 1), <u32>(slotEnd(level, 1) - slotStart(level, 1))) : CARRIER_ANY;
    if (carrier == CARRIER_ANY) {
      if (list) carrier = CARRIER_PARTS;
      else if (activity) carrier = CARRIER_ACTIVITY;
      else if (!text) return true;
    }
  }
  if (
    (list && (text || carrier != CARRIER_PARTS)) || (activity && carrier != CARRIER_ACTIVITY) || (text && carrier == CARRIER_ACTIVITY)
  ) return fail(PROTOBUF_MALFORMED, levelStart(level));
  if (text) return putName(field) && putString(slotStart(level, place), slotEnd(level, place));
  if (carrier == CARRIER_PARTS) return putName(field) && putList(level, free, parts, firstField(message) + (parts << 2), depth);
  if (!activity) return true;
  // the object is written under the name of the string
  return putName(field) && putActivity(level, depth);
}

function putActivity(level: usize, depth: u32): bool {
  const mark = piecesMark();
  let done = true;
  if (slotCount(level, ACTIVITY_PLACE) == 1) done = putStruct(slotStart(level, ACTIVITY_PLACE), slotEnd(level, ACTIVITY_PLACE), 0, depth, most);
  else done = gatherField(level, ACTIVITY_PLACE) && putStruct(gatheredStart, gatheredEnd, gatheredNext, depth, most);
  piecesRelease(mark);
  return done;
}

// Whether the event has an outcome that is no empty string.
function hasOutcome(level: usize, message: u32): bool {
  const fields = firstField(message), count = fieldCount(message);
  for (let place: u32 = 0; place < count; place++) {
    if (kindOf(fields + (place << 2)) == KIND_OUTCOME) return hasField(level, place) && slotEnd(level, place) > slotStart(level, place);
  }
  return false;
}

const INTERRUPT: usize = memory.data<u8>([0x69, 0x6e, 0x74, 0x65, 0x72, 0x72, 0x75, 0x70, 0x74, 0, 0, 0, 0, 0, 0, 0, 0]);

// The outcome with the lists that stand beside it on the wire.
function putOutcome(level: usize, free: u32, message: u32, place: u32, field: usize, depth: u32): bool {
  const start = slotStart(level, place), end = slotEnd(level, place), fields = firstField(message), count = fieldCount(message);
  if (start == end) return true;
  if (depth >= most) return fail(PROTOBUF_TOO_DEEP, levelStart(level));
  if (!putName(field) || !put(TYPE, 8) || !putString(start, end)) return false;
  const interrupts = end - start == 9 && equalBytes(start, INTERRUPT, 9);
  for (let other = place + 1; other < count; other++) {
    const list = fields + (other << 2);
    if (!(flagsOf(list) & OF_OUTCOME) || !(hasField(level, other) || (interrupts && kindOf(list) == KIND_MESSAGES))) continue;
    if (!putName(list) || !putList(level, free, other, list, depth + 1)) return false;
  }
  return putByte(0x7d);
}

// `{"type":`
const TYPE: usize = memory.data<u8>([0x7b, 0x22, 0x74, 0x79, 0x70, 0x65, 0x22, 0x3a, 0, 0, 0, 0, 0, 0, 0, 0]);
