// The canonical JSON text of an AG-UI event to the bytes of an ag_ui.Event: fields in the order of their numbers, maps in the order of their members.
import { LOSS_EMPTY, LOSS_MEMBER, LOSS_NUMBER, LOSS_PART } from "../../abi/codes";
import {
  ALWAYS, ARM_COUNT, KEEPS_NULL, KIND_ACTIVITY, KIND_BOOL, KIND_CONTENT, KIND_INT64, KIND_MESSAGE, KIND_MESSAGES, KIND_OP, KIND_OPTIONAL_STRING,
  KIND_OUTCOME, KIND_PARTS, KIND_STRING, KIND_STRINGS, KIND_STRUCT, KIND_VALUE, M_BASE_EVENT, M_INPUT_CONTENT, M_INPUT_CONTENT_SOURCE, M_MESSAGE,
  M_SUBAGENT_FINISHED_EVENT, MESSAGE_CONTENT, OF_OUTCOME, OPERATION_COUNT, OPERATIONS, RESULT_CONTENT, TYPE_NUMBERS,
} from "./table.generated";
import { equalBytes } from "../../memory/copy";
import { integerValue } from "../../text/number";
import { stringEnd } from "../../text/scan";
import { skipTrusted } from "../../text/trusted";
import { findMember, firstMember, keyLength, keyStart, readMember, valueEnd, valueStart } from "../json/members";
import { bytesBegin, bytesCancel, bytesEnd, closeLength, gapsFree, openLength, putContents, putVarint } from "./bytes-out";
import { beginLosses, lose } from "./loss";
import { CARRIER_ACTIVITY, CARRIER_ANY, CARRIER_PARTS, carrierOf } from "./roles";
import { writeLegacyPart } from "./legacy-part";
import { fieldCount, firstField, flagsOf, isOneof, kindOf, targetOf, textLength, textOf, textStart } from "./table";
import { writeStruct, writerValuesFree, writeValue } from "./value-write";
import { PROTOBUF_UNFIT, PROTOBUF_UNKNOWN, WIRE_LENGTH, WIRE_VARINT, begin, fail, status } from "./wire";

/** What the bytes of the event that was written last do not say: LOSS_NUMBER, _SURROGATE, _MEMBER, _EMPTY, _PART. */
export { losses as protobufWriteLosses } from "./loss";

// Level, 128 B: 0 bits of the members that are there, by the place of their field | 4 bits of those that are or were null | 8.. slots, 8 B: 0 start |
// 4 end of the value
const LEVEL: u32 = 128;
const levels: usize = memory.data(12 * 128, 16);

@inline function levelAt(i: u32): usize { return levels + <usize>i * LEVEL; }
@inline function has(level: usize, place: u32): bool { return (load<u32>(level) >> place & 1) != 0; }
@inline function startOf(level: usize, place: u32): usize { return <usize>load<u32>(level + 8 + (place << 3)); }
@inline function endOf(level: usize, place: u32): usize { return <usize>load<u32>(level + 12 + (place << 3)); }
@inline function isNull(p: usize): bool { return load<u32>(p) == 0x6c6c756e; }
@inline function isEmptyList(p: usize): bool { return load<u16>(p) == 0x5d5b; }
@inline function isTypeKey(): bool { return keyLength == 4 && load<u32>(keyStart) == 0x65707974; }

/**
 * Appends the bytes of the event whose canonical JSON text is the object at `p` to the run `out`.
 * Returns PROTOBUF_OK; or PROTOBUF_UNKNOWN (its type has no arm), PROTOBUF_UNFIT (a member holds what its field cannot carry; both with
 * `protobufFaultAt`), PROTOBUF_NO_MEMORY, and `out` is as it was. Members and parts without a field are left out (`protobufWriteLosses`). Takes at most
 * nine times the bytes of the text. Errors of the schema that the wire can carry are not judged.
 */
export function writeProtobuf(p: usize, out: usize): u32 {
  begin();
  beginLosses();
  bytesBegin(out);
  if (writeEvent(p)) bytesEnd(); else bytesCancel();
  return status;
}

/** Gives back what writing has kept for the next event. */
export function trimProtobufWriter(): void {
  gapsFree();
  writerValuesFree();
}

const TYPE: usize = memory.data<u8>([0x74, 0x79, 0x70, 0x65, 0, 0, 0, 0]);

// Which of the events (`first` = 0) or of the arms whose first field record is `first` has the string at `p` for its type: place + 1; 0 = none.
function typeAmong(p: usize, first: usize, count: u32): u32 {
  if (load<u8>(p) != 0x22) return 0;
  const n = <u32>(stringEnd(p + 1) - p) - 1;
  for (let i: u32 = 0; i < count; i++) {
    const text = first ? textOf(first + (i << 2)) : i + 1;
    if (textLength(text) == n + 10 && equalBytes(textStart(text) + 9, p + 1, n)) return i + 1;
  }
  return 0;
}

// Arms that have been found last, by what tells most names of types apart; to look through all of them takes as long as to write a small event.
const KNOWN: usize = memory.data(64);

// The arm of the event whose type is the value at `p`; 0 = none.
function armOfEvent(p: usize): u32 {
  const end = stringEnd(p + 1), n = <u32>(end - p) - 1, known = KNOWN + <usize>((n + (<u32>load<u8>(p, 1) << 1) + load<u8>(end - 1)) & 63), arm = <u32>load<u8>(known);
  if (arm && load<u8>(p) == 0x22 && textLength(arm) == n + 10 && equalBytes(textStart(arm) + 9, p + 1, n)) return arm;
  const found = typeAmong(p, 0, ARM_COUNT);
  if (found) store<u8>(known, <u8>found);
  return found;
}

// {"type":"
@inline function beginsWithType(p: usize): bool { return load<u64>(p) == 0x3a2265707974227b && load<u8>(p, 8) == 0x22; }

function writeEvent(p: usize): bool {
  if (load<u8>(p) != 0x7b) return fail(PROTOBUF_UNFIT, p);
  let type = p + 8, arm: u32 = 0;
  // nearly always it stands first, and then once
  if (beginsWithType(p)) arm = armOfEvent(type);
  if (!arm || !readEvent(arm, p)) {
    if (!findMember(p, TYPE, 4)) return fail(PROTOBUF_UNFIT, p);
    type = valueStart;
    arm = load<u8>(type) == 0x22 ? armOfEvent(type) : 0;
    if (!arm) return fail(PROTOBUF_UNKNOWN, type);
    beginLosses();
    readEvent(arm, p);
  }
  if (!putVarint(arm << 3 | WIRE_LENGTH)) return false;
  const length = openLength();
  if (!length || !putVarint(1 << 3 | WIRE_LENGTH)) return false;
  const base = openLength(), number = load<u8>(TYPE_NUMBERS + arm);
  if (!base || (number && (!putVarint(1 << 3 | WIRE_VARINT) || !putVarint(number)))) return false;
  if (!writeFields(1, 2, M_BASE_EVENT)) return false;
  closeLength(base);
  if (!writeFields(0, 2, arm)) return false;
  closeLength(length);
  return true;
}

// Notes the member that was read last at its place. What is null is not there, unless null is a value for it. False = the message has no field for it.
function noteMember(level: usize, message: u32): bool {
  const count = fieldCount(message);
  let field = firstField(message);
  for (let place: u32 = 0; place < count; place++, field += 4) {
    const text = textOf(field);
    if (textLength(text) != keyLength + 4 || !equalBytes(textStart(text) + 2, keyStart, keyLength)) continue;
    const flags = flagsOf(field), bit: u32 = 1 << place;
    // the lists of an outcome stand inside of it
    if (flags & OF_OUTCOME) return false;
    if (isNull(valueStart) && !(flags & KEEPS_NULL)) {
      store<u32>(level, load<u32>(level) & ~bit);
      store<u32>(level, load<u32>(level, 4) | bit, 4);
    } else {
      store<u32>(level, load<u32>(level) | bit);
      store<u32>(level + 8 + (place << 3), <u32>valueStart);
      store<u32>(level + 12 + (place << 3), <u32>valueEnd);
    }
    return true;
  }
  return false;
}

// Of a name that stands twice the last value counts.
@inline function loseNulls(level: usize): void { if (load<u32>(level, 4) & ~load<u32>(level)) lose(LOSS_EMPTY); }

// Notes where the members of the event at `p` stand: its own in level 0, those of all events in level 1. Whether it has one type.
function readEvent(arm: u32, p: usize): bool {
  const level = levelAt(0), base = levelAt(1);
  let types: u32 = 0;
  store<u64>(level, 0);
  store<u64>(base, 0);
  let q = firstMember(p);
  while (q) {
    q = readMember(q);
    if (isTypeKey()) types++;
    else if (!noteMember(level, arm) && !noteMember(base, M_BASE_EVENT)) lose(LOSS_MEMBER);
  }
  loseNulls(level);
  loseNulls(base);
  return types == 1;
}

// Notes where the members of the object at `p` stand.
function readMembers(i: u32, message: u32, p: usize, isArm: bool): void {
  const level = levelAt(i);
  store<u64>(level, 0);
  let q = firstMember(p);
  while (q) {
    q = readMember(q);
    if (!noteMember(level, message) && !(isArm && isTypeKey())) lose(LOSS_MEMBER);
  }
  loseNulls(level);
}

// Writes a nested message from the object at `p`; of an arm of a oneof, whose `type` says which.
function writeMessage(tag: u32, i: u32, message: u32, p: usize, isArm: bool): bool {
  if (load<u8>(p) != 0x7b) return fail(PROTOBUF_UNFIT, p);
  if (!putVarint(tag)) return false;
  const length = openLength();
  if (!length) return false;
  readMembers(i, message, p, isArm);
  if (!writeFields(i, i + 1, message)) return false;
  closeLength(length);
  return true;
}

// Writes the fields of a message whose members were read into level `i`; levels from `free` on are free.
function writeFields(i: u32, free: u32, message: u32): bool {
  const level = levelAt(i), count = fieldCount(message);
  let field = firstField(message);
  for (let place: u32 = 0; place < count; place++, field += 4) {
    const kind = kindOf(field), number = (place + 1) << 3, tag = number | WIRE_LENGTH;
    if (kind == KIND_PARTS || kind == KIND_ACTIVITY) {
      if (!writeCarrier(level, free, message, kind, tag)) return false;
      continue;
    }
    if (flagsOf(field) & OF_OUTCOME) {
      if (!writeOutcomeList(level, free, message, field, tag)) return false;
      continue;
    }
    if (!has(level, place)) continue;
    const p = startOf(level, place), end = endOf(level, place), c = <u32>load<u8>(p);
    if (kind == KIND_STRING || kind == KIND_OPTIONAL_STRING) {
      if (c != 0x22) return fail(PROTOBUF_UNFIT, p);
      if (kind == KIND_STRING && end - p == 2) continue;
      if (!putVarint(tag) || !putContents(p + 1, end - 1)) return false;
    } else if (kind == KIND_VALUE) {
      if (!writeValue(tag, p)) return false;
    } else if (kind == KIND_STRUCT) {
      if (c != 0x7b) return fail(PROTOBUF_UNFIT, p);
      if (!writeStruct(tag, p)) return false;
    } else if (kind == KIND_MESSAGE) {
      if (!(isOneof(targetOf(field)) ? writeSource(tag, free, p) : writeMessage(tag, free, targetOf(field), p, false))) return false;
    } else if (kind == KIND_MESSAGES) {
      if (!(flagsOf(field) & ALWAYS) && isEmptyList(p)) lose(LOSS_EMPTY);
      if (!writeList(tag, free, targetOf(field), p)) return false;
    } else if (kind == KIND_STRINGS) {
      if (!writeStrings(tag, p)) return false;
    } else if (kind == KIND_BOOL) {
      if (c != 0x74 && c != 0x66) return fail(PROTOBUF_UNFIT, p);
      if (!putVarint(number) || !putVarint(c == 0x74 ? 1 : 0)) return false;
    } else if (kind == KIND_INT64) {
      if (!writeInteger(number, p, end)) return false;
    } else if (kind == KIND_OP) {
      if (!writeOperation(number, p, end)) return false;
    } else if (kind == KIND_CONTENT) {
      if (!writeText(level, message, tag, p, end)) return false;
    } else if (kind == KIND_OUTCOME) {
      if (!writeOutcome(tag, message, p)) return false;
    }
  }
  return true;
}

function writeInteger(tag: u32, p: usize, end: usize): bool {
  const c = <u32>load<u8>(p);
  if (c != 0x2d && c - 48 > 9) return fail(PROTOBUF_UNFIT, p);
  const from = c == 0x2d ? p + 1 : p, value = integerValue(from, <u32>(end - from));
  if (value < 0) return fail(PROTOBUF_UNFIT, p);
  if (c == 0x2d && value == 0) lose(LOSS_NUMBER);
  return putVarint(tag) && putVarint(c == 0x2d ? 0 - <u64>value : <u64>value);
}

function writeOperation(tag: u32, p: usize, end: usize): bool {
  for (let op: u32 = 0; op < OPERATION_COUNT; op++) {
    const text = <u32>load<u8>(OPERATIONS + op);
    if (<u32>(end - p) != textLength(text) || !equalBytes(p, textStart(text), textLength(text))) continue;
    return !op || (putVarint(tag) && putVarint(op));
  }
  return fail(PROTOBUF_UNFIT, p);
}

// Behind the opening bracket or the comma of a list stands an element.
@inline function isElement(p: usize): bool { return load<u8>(p) != 0x5d; }

function writeList(tag: u32, i: u32, message: u32, p: usize): bool {
  if (load<u8>(p) != 0x5b) return fail(PROTOBUF_UNFIT, p);
  p++;
  while (isElement(p)) {
    if (!writeMessage(tag, i, message, p, false)) return false;
    p = skipTrusted(p);
    if (load<u8>(p) == 0x2c) p++;
  }
  return true;
}

function writeStrings(tag: u32, p: usize): bool {
  if (load<u8>(p) != 0x5b) return fail(PROTOBUF_UNFIT, p);
  if (isEmptyList(p)) lose(LOSS_EMPTY);
  p++;
  while (isElement(p)) {
    if (load<u8>(p) != 0x22) return fail(PROTOBUF_UNFIT, p);
    const end = stringEnd(p + 1);
    if (!putVarint(tag) || !putContents(p + 1, end)) return false;
    p = end + 1;
    if (load<u8>(p) == 0x2c) p++;
  }
  return true;
}

// The carrier that the role of a message uses; tool results are no messages and take text or parts.
function carrier(level: usize, message: u32): u32 {
  if (message != M_MESSAGE) return CARRIER_PARTS;
  return has(level, 1) && load<u8>(startOf(level, 1)) == 0x22 ? carrierOf(startOf(level, 1) + 1, <u32>(endOf(level, 1) - startOf(level, 1)) - 2) : CARRIER_ANY;
}

// The string, where the content is one; the other carriers have fields of their own. What fits into none is refused here.
function writeText(level: usize, message: u32, tag: u32, p: usize, end: usize): bool {
  const c = <u32>load<u8>(p), by = carrier(level, message);
  if (c == 0x22 && by != CARRIER_ACTIVITY) return putVarint(tag) && putContents(p + 1, end - 1);
  // where the role does not ask for parts, no parts are no content
  if (by == CARRIER_ANY && isEmptyList(p)) lose(LOSS_EMPTY);
  const fits = c == 0x5b ? by == CARRIER_PARTS || by == CARRIER_ANY : c == 0x7b && message == M_MESSAGE && (by == CARRIER_ACTIVITY || by == CARRIER_ANY);
  return fits ? true : fail(PROTOBUF_UNFIT, p);
}

function writeCarrier(level: usize, free: u32, message: u32, kind: u32, tag: u32): bool {
  const place = message == M_MESSAGE ? MESSAGE_CONTENT : RESULT_CONTENT;
  if (!has(level, place)) return true;
  const p = startOf(level, place);
  if (load<u8>(p) != (kind == KIND_PARTS ? 0x5b : 0x7b)) return true;
  return kind == KIND_PARTS ? writeParts(tag, free, p) : writeStruct(tag, p);
}

function writeParts(tag: u32, i: u32, p: usize): bool {
  p++;
  while (isElement(p)) {
    if (!writePart(tag, i, p)) return false;
    p = skipTrusted(p);
    if (load<u8>(p) == 0x2c) p++;
  }
  return true;
}

const SOURCE: usize = memory.data<u8>([0x73, 0x6f, 0x75, 0x72, 0x63, 0x65, 0, 0]);
const BINARY: usize = memory.data<u8>([0x22, 0x62, 0x69, 0x6e, 0x61, 0x72, 0x79, 0x22]);

// The arm of a oneof that the object at `p` names, as its place + 1; 0 = none.
function armOf(message: u32, p: usize): u32 {
  return load<u8>(p) == 0x7b && findMember(p, TYPE, 4) ? typeAmong(valueStart, firstField(message), fieldCount(message)) : 0;
}

function writePart(tag: u32, i: u32, p: usize): bool {
  const arm = armOf(M_INPUT_CONTENT, p);
  if (!arm) {
    if (load<u8>(p) == 0x7b && valueStart && valueEnd - valueStart == 8 && load<u64>(valueStart) == load<u64>(BINARY)) {
      if (writeLegacyPart(tag, p)) return true;
      if (status) return false;
    }
    lose(LOSS_PART);
    return true;
  }
  // without its source a part would be another one
  if (findMember(p, SOURCE, 6) && load<u8>(valueStart) == 0x7b && !armOf(M_INPUT_CONTENT_SOURCE, valueStart)) { lose(LOSS_PART); return true; }
  if (!putVarint(tag)) return false;
  const length = openLength();
  if (!length || !writeMessage(arm << 3 | WIRE_LENGTH, i, targetOf(firstField(M_INPUT_CONTENT) + (arm - 1 << 2)), p, true)) return false;
  closeLength(length);
  return true;
}

function writeSource(tag: u32, i: u32, p: usize): bool {
  const arm = armOf(M_INPUT_CONTENT_SOURCE, p);
  if (!arm) return fail(PROTOBUF_UNFIT, p);
  if (!putVarint(tag)) return false;
  const length = openLength();
  if (!length || !writeMessage(arm << 3 | WIRE_LENGTH, i, targetOf(firstField(M_INPUT_CONTENT_SOURCE) + (arm - 1 << 2)), p, true)) return false;
  closeLength(length);
  return true;
}

// The outcome as its type; its list has a field of its own.
function writeOutcome(tag: u32, message: u32, p: usize): bool {
  if (load<u8>(p) != 0x7b || !findMember(p, TYPE, 4) || load<u8>(valueStart) != 0x22) return fail(PROTOBUF_UNFIT, p);
  const type = valueStart, end = valueEnd;
  let q = firstMember(p);
  while (q) {
    q = readMember(q);
    if (!isTypeKey() && !isOutcomeList(message, type)) lose(LOSS_MEMBER);
  }
  if (end - type > 2) return putVarint(tag) && putContents(type + 1, end - 1);
  lose(LOSS_EMPTY);
  return true;
}

// Whether the member that was read last is the list of an outcome of the type at `type`.
function isOutcomeList(message: u32, type: usize): bool {
  const fields = firstField(message), count = fieldCount(message);
  for (let place: u32 = 0; place < count; place++) {
    const field = fields + (place << 2), text = textOf(field);
    if (!(flagsOf(field) & OF_OUTCOME) || textLength(text) != keyLength + 4) continue;
    if (equalBytes(textStart(text) + 2, keyStart, keyLength)) return hasList(message, field, type);
  }
  return false;
}

const INTERRUPT: usize = memory.data<u8>([0x69, 0x6e, 0x74, 0x65, 0x72, 0x72, 0x75, 0x70, 0x74, 0x22, 0, 0, 0, 0, 0, 0]);
const SUSPENDED: usize = memory.data<u8>([0x73, 0x75, 0x73, 0x70, 0x65, 0x6e, 0x64, 0x65, 0x64, 0x22, 0, 0, 0, 0, 0, 0]);
const SUCCESS: usize = memory.data<u8>([0x73, 0x75, 0x63, 0x63, 0x65, 0x73, 0x73, 0x22, 0, 0, 0, 0, 0, 0, 0, 0]);

// Whether outcomes of the type at `type` have this list: `interrupt` has interrupts, `success` or, of a subagent, `suspended` has ids.
function hasList(message: u32, field: usize, type: usize): bool {
  if (kindOf(field) == KIND_MESSAGES) return equalBytes(type + 1, INTERRUPT, 10);
  return message == M_SUBAGENT_FINISHED_EVENT ? equalBytes(type + 1, SUSPENDED, 10) : equalBytes(type + 1, SUCCESS, 8);
}

// The list of an outcome, where its type has one.
function writeOutcomeList(level: usize, free: u32, message: u32, field: usize, tag: u32): bool {
  let place: u32 = 0;
  while (kindOf(firstField(message) + (place << 2)) != KIND_OUTCOME) place++;
  if (!has(level, place)) return true;
  const p = startOf(level, place), text = textOf(field);
  if (!findMember(p, TYPE, 4) || !hasList(message, field, valueStart)) return true;
  if (!findMember(p, textStart(text) + 2, textLength(text) - 4)) return true;
  if (isNull(valueStart)) { lose(LOSS_EMPTY); return true; }
  return kindOf(field) == KIND_MESSAGES ? writeList(tag, free, targetOf(field), valueStart) : writeStrings(tag, valueStart);
}
