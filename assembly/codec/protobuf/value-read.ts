// google.protobuf.Value, Struct and ListValue: open JSON. Iterative, so nesting costs no stack of the machine.
import { bytesClear, bytesFree, bytesReserve, RUN_LEN, RUN_PTR } from "../../memory/bytes";
import { writeDouble } from "../../text/double-write";
import {
  gather, gatheredEnd, gatheredNext, gatheredStart, pieceEnd, pieceNext, piecesMark, piecesRelease, pieceStart,
} from "./pieces";
import { advance, doubleRoom, put, putByte, putString, textMark } from "./text-out";
import {
  PROTOBUF_MALFORMED, PROTOBUF_NO_MEMORY, PROTOBUF_TOO_DEEP, WIRE_64, WIRE_LENGTH, WIRE_VARINT, fail, readLength, readVarint, readVarint32, skipField,
  status, varint,
} from "./wire";

// Kinds of a Value are its field numbers; 0 = it has none.
const NULL: u32 = 1, NUMBER: u32 = 2, STRING: u32 = 3, BOOL: u32 = 4, STRUCT: u32 = 5, LIST: u32 = 6;
/** Wire type of each kind, four bits each. */
const WIRES: u32 = (WIRE_VARINT << 4) | (WIRE_64 << 8) | (WIRE_LENGTH << 12) | (WIRE_VARINT << 16) | (WIRE_LENGTH << 20) | (WIRE_LENGTH << 24);

const WORDS: usize = memory.data<u8>([0x6e, 0x75, 0x6c, 0x6c, 0x74, 0x72, 0x75, 0x65, 0x66, 0x61, 0x6c, 0x73, 0x65, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);

// The Value that `readKind` has read: the kind that stands last, and how often since another one stood there.
let kind: u32 = 0;
let bits: u64 = 0;
let start: usize = 0;
let end: usize = 0;
let times: u32 = 0;
let since: usize = 0;
let sinceEnd: usize = 0;
let sinceNext: u32 = 0;

// Open container, 24 B: 0 where its fields go on | 4 end of the piece | 8 number of the next piece | 12 pieces to keep when it is closed
// 16 offset of the text where it opened | 20 STRUCT or LIST
const CONTAINER: u32 = 24;
const open: usize = memory.data(16, 16);

/** Gives the memory back. */
export function valuesFree(): void { bytesFree(open); }

/** Reads one Value; what it holds is written by `putValue`. False = malformed, which is noted. */
export function readValue(p: usize, to: usize, next: u32): bool {
  kind = 0;
  while (true) {
    while (p < to) {
      const at = p;
      p = readVarint32(p, to);
      if (!p || varint < 8) return fail(PROTOBUF_MALFORMED, at);
      const tag = <u32>varint, number = tag >> 3;
      if (number > LIST || (tag & 7) != (WIRES >> (number << 2) & 15)) {
        p = skipField(p, to, tag);
        if (!p) return fail(PROTOBUF_MALFORMED, at);
        continue;
      }
      if (number != kind) { kind = number; times = 0; since = at; sinceEnd = to; sinceNext = next; }
      times++;
      if ((tag & 7) == WIRE_LENGTH) {
        p = readLength(p, to);
        start = p;
        if (p) { p += <usize>varint; end = p; }
      } else if (number == NUMBER) {
        p = to - p >= 8 ? p + 8 : 0;
        if (p) bits = load<u64>(p - 8);
      } else {
        p = readVarint(p, to);
        bits = varint;
      }
      if (!p) return fail(PROTOBUF_MALFORMED, at);
    }
    if (!next) return true;
    p = pieceStart(next);
    to = pieceEnd(next);
    next = pieceNext(next);
  }
  return true;
}

/** Whether the Value that was read holds anything. */
@inline export function hasValue(): bool { return kind != 0; }

/** Writes the Value that was read; `depth` containers are open around it, `most` may be. False = the fault is noted. */
export function putValue(depth: u32, most: u32): bool {
  if (kind < STRUCT) return putScalar();
  if (depth >= most) return fail(PROTOBUF_TOO_DEEP, since);
  bytesClear(open);
  return openValue(piecesMark()) && putContainers(depth, most);
}

/** Writes a Struct as an object. */
export function putStruct(p: usize, to: usize, next: u32, depth: u32, most: u32): bool {
  if (depth >= most) return fail(PROTOBUF_TOO_DEEP, p);
  bytesClear(open);
  return pushContainer(p, to, next, piecesMark(), STRUCT) && putContainers(depth, most);
}

function putScalar(): bool {
  if (kind == STRING) return putString(start, end);
  if (kind == NULL) return put(WORDS, 4);
  if (kind == BOOL) return bits ? put(WORDS + 4, 4) : put(WORDS + 8, 5);
  // JSON has no NaN and no infinity
  if ((bits & 0x7ff0000000000000) == 0x7ff0000000000000) return put(WORDS, 4);
  const d = doubleRoom();
  if (!d) return false;
  advance(writeDouble(reinterpret<f64>(bits), d));
  return true;
}

// Opens the struct or list that was read; `mark`: the pieces to keep when it is closed.
function openValue(mark: u32): bool {
  if (times == 1) return pushContainer(start, end, 0, mark, kind);
  const as = kind;
  return gather(since, sinceEnd, sinceNext, as, times) && pushContainer(gatheredStart, gatheredEnd, gatheredNext, mark, as);
}

function pushContainer(p: usize, to: usize, next: u32, mark: u32, as: u32): bool {
  const length = load<u32>(open, RUN_LEN);
  if (!bytesReserve(open, CONTAINER)) return fail(PROTOBUF_NO_MEMORY, p);
  const c = <usize>load<u32>(open, RUN_PTR) + length;
  store<u32>(open, length + CONTAINER, RUN_LEN);
  store<u32>(c, <u32>p);
  store<u32>(c, <u32>to, 4);
  store<u32>(c, next, 8);
  store<u32>(c, mark, 12);
  store<u32>(c, textMark(), 16);
  store<u32>(c, as, 20);
  return putByte(as == STRUCT ? 0x7b : 0x5b);
}

@inline function top(): usize { return <usize>load<u32>(open, RUN_PTR) + load<u32>(open, RUN_LEN) - CONTAINER; }

// Writes the containers that are open until none is; `depth` of others lie around them.
function putContainers(depth: u32, most: u32): bool {
  while (load<u32>(open, RUN_LEN)) {
    const c = top(), as = load<u32>(c, 20);
    if (!nextEntry(c)) {
      if (status) return false;
      piecesRelease(load<u32>(c, 12));
      store<u32>(open, load<u32>(open, RUN_LEN) - CONTAINER, RUN_LEN);
      if (!putByte(as == STRUCT ? 0x7d : 0x5d)) return false;
      continue;
    }
    const mark = piecesMark(), first = textMark() == load<u32>(c, 16) + 1;
    if (as == STRUCT) {
      if (!readEntry(entryStart, entryEnd)) return false;
      // a key without a value is no member
      if (!kind) { piecesRelease(mark); continue; }
      if ((!first && !putByte(0x2c)) || !putString(keyStart, keyEnd) || !putByte(0x3a)) return false;
    } else {
      if ((!first && !putByte(0x2c)) || !readValue(entryStart, entryEnd, 0)) return false;
      // an element that holds nothing keeps its place
      if (!kind) kind = NULL;
    }
    if (kind < STRUCT) {
      if (!putScalar()) return false;
      piecesRelease(mark);
    } else {
      if (depth + load<u32>(open, RUN_LEN) / CONTAINER >= most) return fail(PROTOBUF_TOO_DEEP, since);
      if (!openValue(mark)) return false;
    }
  }
  return true;
}

let entryStart: usize = 0;
let entryEnd: usize = 0;

// Moves the container on to its next entry; false = there is none, or a fault is noted.
function nextEntry(c: usize): bool {
  let p = <usize>load<u32>(c), to = <usize>load<u32>(c, 4);
  while (true) {
    while (p < to) {
      const at = p;
      p = readVarint32(p, to);
      if (!p || varint < 8) return fail(PROTOBUF_MALFORMED, at);
      const tag = <u32>varint;
      if (tag != (1 << 3 | WIRE_LENGTH)) {
        p = skipField(p, to, tag);
        if (!p) return fail(PROTOBUF_MALFORMED, at);
        continue;
      }
      p = readLength(p, to);
      if (!p) return fail(PROTOBUF_MALFORMED, at);
      entryStart = p;
      entryEnd = p + <usize>varint;
      store<u32>(c, <u32>entryEnd);
      return true;
    }
    const next = load<u32>(c, 8);
    if (!next) return false;
    p = pieceStart(next);
    to = pieceEnd(next);
    store<u32>(c, <u32>p);
    store<u32>(c, <u32>to, 4);
    store<u32>(c, pieceNext(next), 8);
  }
  return false;
}

let keyStart: usize = 0;
let keyEnd: usize = 0;

// Reads an entry of a map: its last key, and its value, put together of all that stand there.
function readEntry(p: usize, to: usize): bool {
  const from = p;
  let count: u32 = 0, valueStart: usize = 0, valueEnd: usize = 0;
  keyStart = 0;
  keyEnd = 0;
  while (p < to) {
    const at = p;
    p = readVarint32(p, to);
    if (!p || varint < 8) return fail(PROTOBUF_MALFORMED, at);
    const tag = <u32>varint;
    if (tag != (1 << 3 | WIRE_LENGTH) && tag != (2 << 3 | WIRE_LENGTH)) {
      p = skipField(p, to, tag);
      if (!p) return fail(PROTOBUF_MALFORMED, at);
      continue;
    }
    p = readLength(p, to);
    if (!p) return fail(PROTOBUF_MALFORMED, at);
    if (tag == (1 << 3 | WIRE_LENGTH)) { keyStart = p; p += <usize>varint; keyEnd = p; }
    else { count++; valueStart = p; p += <usize>varint; valueEnd = p; }
  }
  if (count < 2) return readValue(valueStart, valueEnd, 0);
  return gather(from, to, 0, 2, count) && readValue(gatheredStart, gatheredEnd, gatheredNext);
}
