// Tokens of a text, of a tool call's arguments or of a reasoning message over MessagePack and protobuf, folded where they lie. Whatever is not entirely
// ordinary (other members, ids that need escapes, and what `foldRead` leaves) goes the full road; nothing has been touched then. A map whose like was read
// before is compared with a template instead, which takes 53 ns instead of 65.
import { AG_REASONING_MESSAGE_CONTENT, AG_TEXT_MESSAGE_CONTENT, AG_TOOL_CALL_ARGS } from "../../abi/agui";
import { TRANSPORT_MSGPACK, TRANSPORT_PROTOBUF, TRANSPORT_SSE } from "../../abi/codes";
import { OPT_PASS } from "../../abi/layout";
import { ARM_ARGS, ARM_REASONING, ARM_TEXT, NUMBER_ARGS, NUMBER_REASONING, NUMBER_TEXT } from "../../codec/protobuf/tokens";
import { setAccount } from "../../memory/heap";
import { equalText } from "../../memory/copy";
import { F_LIMIT } from "../../frame/state";
import { appendToken } from "../../reduce/agui/apply-text";
import { typeName } from "../../reduce/agui/schema";
import { recalledItem, recallItem, recallPlace } from "../../reduce/agui/recall";
import { A_APPLIED } from "../../reduce/agui/state";
import { ITEM_CALL, ITEM_MESSAGE, ITEM_REASONING, openItem, ownerAgrees } from "../../reduce/agui/track";
import { add, addFolded, C_FIRST, C_FRAME, C_OPTIONS, C_RUN } from "../layout";
import { refill } from "../adapt/allowance";
import { putAppend, putPlainAppend, reserveAppend } from "../adapt/token";
import { isStreamPlain, isUnderWay } from "../adapt/state";
import { isTextWire } from "../transcode/emit";
import { holdsHalves } from "../transcode/halves";
import { putTokenFrame } from "../transcode/token-frame";
import { M_DELTA, M_ID, M_OWNER, M_TIME, M_TYPE, putTokenMap, putTokenText } from "../transcode/token-text";
import { mayRelayBytes, relayed } from "../transcode/relay";
import { areTokensOrdinary, kindOf } from "./agui-token";
import { lengthAt, lengthEnd } from "./frame-scan";
import { notePassed } from "./pass-tokens";
import { headOf, mapBegin, mapSize, strAt, strLength, uintEnd, uintValue } from "./msgpack-scan";
import {
  addHole, AGUI_MSGPACK_SET, beginTemplate, endTemplate, firstNode, FORK, HOLE_DELTA, HOLE_SOURCE, HOLE_TARGET, HOLE_TIME, LEAF, N_CHILD, N_HOLE, N_LENGTH,
  N_NAME_LENGTH, noteHits, selectTemplates, standsAt, templatesAwake,
} from "./trie";
import { isPlain, takenEnd, takenFlags, takenStart, takenUnits, takeText } from "./wire-text";
import { adapterOf, wireOf } from "../roads";

/** Events that the last call of `foldAguiBinary` has folded. */
export let foldedBinary: u32 = 0;

// What the event that was read holds: ITEM_ kind of what its id names, id, delta, owner (0: none).
let kind: u32 = 0;
let id: usize = 0;
let idLength: u32 = 0;
let delta: usize = 0;
let deltaLength: u32 = 0;
let tag: usize = 0;
let tagLength: u32 = 0;
let time: f64 = -1;
// Where its type and its time stand in a map, the time with its head.
let type: usize = 0;
let typeLength: u32 = 0;
let timeStart: usize = 0;
let timeEnd: usize = 0;
// Its members in their order (transcode/token-text.ts).
let order: u32 = 0;

/** Folds the tokens from `p` on, where a message begins, as long as they are ordinary; the address behind them. */
export function foldAguiBinary(c: usize, p: usize, end: usize, transport: u32): usize {
  const t = <usize>load<u32>(c, C_FIRST), s = <usize>load<u32>(c, C_RUN);
  foldedBinary = 0;
  if (load<u8>(c + C_OPTIONS, OPT_PASS)) return passOn(c, p, end, transport);
  if (!areTokensOrdinary(t, s)) return p;
  let n: u32 = 0;
  const most = load<u32>(c + C_FRAME, F_LIMIT), account = setAccount(t);
  const wire = wireOf(c), adapts = adapterOf(c) != 0;
  if (adapts && !isUnderWay(adapterOf(c))) end = p;
  // another wire wants to know the order of the members
  const packed = transport == TRANSPORT_MSGPACK, templates = packed && (!wire || adapts);
  let hits: u32 = 0;
  if (templates) selectTemplates(AGUI_MSGPACK_SET);
  while (p < end && (!wire || mayRelayBytes(wire, <u32>(end - p)))) {
    let q = templates && templatesAwake() ? matchMap(p, end, most) : 0;
    const known = q != 0;
    if (!known) q = packed ? readMap(p, end, most) : readFrame(p, end, most);
    if (!q || (adapts && !mayAdapt(c, wire)) || !foldRead(s)) break;
    n++;
    if (known) hits++;
    else if (templates) learnMap(p, q);
    if (adapts) adapt(c, wire);
    else if (wire) {
      // what the writers take for themselves is not the stream's
      setAccount(0);
      const done = relay(c, wire);
      setAccount(t);
      if (!done) { p = q; break; }
    }
    p = q;
  }
  setAccount(account);
  foldedBinary = n;
  if (hits) noteHits(hits);
  if (n) {
    if (adapts) refill(adapterOf(c), n);
    addFolded(c, n);
    add(s, A_APPLIED, n);
  }
  return p;
}

// The same where nothing is judged, and no model is kept.
function passOn(c: usize, p: usize, end: usize, transport: u32): usize {
  let n: u32 = 0;
  const most = load<u32>(c + C_FRAME, F_LIMIT), wire = wireOf(c);
  while (p < end && mayRelayBytes(wire, <u32>(end - p))) {
    const q = transport == TRANSPORT_MSGPACK ? readMap(p, end, most) : readFrame(p, end, most);
    if (!q || !isPlain(id, idLength) || !isPlain(tag, tagLength) || !takeText(delta, deltaLength)) break;
    n++;
    p = q;
    if (!relay(c, wire)) break;
  }
  foldedBinary = n;
  notePassed(c, n);
  return p;
}

// Writes what was read on the other wire. Members of a map keep their order, those of a frame have that of its fields.
function relay(c: usize, wire: u32): bool {
  if (wire == TRANSPORT_PROTOBUF) return relayed(c, putTokenFrame(kind, id, idLength, delta, deltaLength, tag, tagLength, time, false));
  if (wire == TRANSPORT_MSGPACK) return relayed(c, putTokenMap(order, kind, id, idLength, delta, deltaLength, tag, tagLength, time));
  return relayed(c, putTokenText(order, kind, id, idLength, takenStart, <u32>(takenEnd - takenStart), tag, tagLength, time, wire == TRANSPORT_SSE));
}

// Whether what was read may go out as AgentUE: there is room, and no half of a character is held.
@inline function mayAdapt(c: usize, wire: u32): bool {
  if (isTextWire(wire)) return reserveAppend(c, idLength, deltaLength * 6);
  return !holdsHalves(c) && isStreamPlain(adapterOf(c)) && reserveAppend(c, idLength, deltaLength);
}

@inline function adapt(c: usize, wire: u32): void {
  if (isTextWire(wire)) putAppend(c, kind == ITEM_CALL, id, idLength, takenStart, takenEnd, false);
  else putPlainAppend(c, kind == ITEM_CALL, id, idLength, delta, deltaLength);
}

@inline function foldRead(s: usize): bool {
  const place = recallPlace(kind, id, idLength);
  let item = recalledItem(place, s, kind, id, idLength);
  if (!item) {
    item = isPlain(id, idLength) ? openItem(s, kind, id, idLength) : 0;
    if (!item) return false;
    recallItem(place, s, item);
  }
  if (tag && (!isPlain(tag, tagLength) || !ownerAgrees(item, tag, tagLength))) return false;
  return takeText(delta, deltaLength) && appendToken(s, item, kind == ITEM_CALL, takenStart, takenEnd, takenFlags, takenUnits);
}

// ---------------------------------------------------------------- MessagePack

const SEEN_TYPE: u32 = 1, SEEN_ID: u32 = 2, SEEN_DELTA: u32 = 4, SEEN_TAG: u32 = 8, SEEN_TIME: u32 = 16, NEEDED: u32 = SEEN_TYPE | SEEN_ID | SEEN_DELTA;
// Names as words, little-endian.
const TYPE: u32 = 0x65707974, DELTA: u32 = 0x746c6564, MESSAGE_I: u64 = 0x496567617373656d, TOOL_CALL: u64 = 0x6c6c61436c6f6f74, SUBAGENT: u64 = 0x746e656761627573;
const TIMESTAM: u64 = 0x6d617473656d6974;

/** No ITEM_ kind. */
const NO_KIND: u32 = 255;

// ITEM_ kind that events of that type name, NO_KIND for any other type.
@inline function kindOfName(p: usize, n: u32): u32 {
  // their lengths tell the three names apart
  if (n == 20) return equalText(p, typeName(AG_TEXT_MESSAGE_CONTENT), 20) ? ITEM_MESSAGE : NO_KIND;
  if (n == 14) return equalText(p, typeName(AG_TOOL_CALL_ARGS), 14) ? ITEM_CALL : NO_KIND;
  return n == 25 && equalText(p, typeName(AG_REASONING_MESSAGE_CONTENT), 25) ? ITEM_REASONING : NO_KIND;
}

// Reads the map at `p`: behind it, 0 = it is no token, does not lie before `end`, or is longer than `most`.
@inline function readMap(p: usize, end: usize, most: u32): usize {
  const start = p;
  p = mapBegin(p);
  if (!p) return 0;
  let left = mapSize, seen: u32 = 0, ofCall = false, list: u32 = 0, shift: u32 = 0;
  time = -1;
  tag = 0;
  tagLength = 0;
  for (; left; left--) {
    const key = strAt(p, end);
    if (!key) return 0;
    const n = strLength;
    p = key + n;
    let bit: u32, member: u32;
    if (n == 9 && load<u64>(key) == TIMESTAM && load<u8>(key, 8) == 0x70) {
      bit = SEEN_TIME;
      member = M_TIME;
      timeStart = p;
      p = uintEnd(p);
      timeEnd = p;
      time = uintValue;
    } else {
      const value = strAt(p, end), length = strLength;
      if (!value) return 0;
      p = value + length;
      if (n == 5 && load<u32>(key) == DELTA && load<u8>(key, 4) == 0x61) {
        bit = SEEN_DELTA;
        member = M_DELTA;
        delta = value;
        deltaLength = length;
      } else if (n == 4 && load<u32>(key) == TYPE) {
        bit = SEEN_TYPE;
        member = M_TYPE;
        kind = kindOfName(value, length);
        if (kind == NO_KIND) return 0;
        type = value;
        typeLength = length;
      } else if ((n == 9 && load<u64>(key) == MESSAGE_I && load<u8>(key, 8) == 0x64) || (n == 10 && load<u64>(key) == TOOL_CALL && load<u16>(key, 8) == 0x6449)) {
        bit = SEEN_ID;
        member = M_ID;
        ofCall = n == 10;
        id = value;
        idLength = length;
      } else if (n == 13 && load<u64>(key) == SUBAGENT && load<u32>(key, 8) == 0x496e7552 && load<u8>(key, 12) == 0x64) {
        bit = SEEN_TAG;
        member = M_OWNER;
        tag = value;
        tagLength = length;
      } else return 0;
    }
    if (!p || seen & bit) return 0;
    seen |= bit;
    list |= member << shift;
    shift += 4;
  }
  order = list;
  return (seen & NEEDED) == NEEDED && ofCall == (kind == ITEM_CALL) && p <= end && <u32>(p - start) <= most ? p : 0;
}

// Reads the map at `p` if a template knows it, as `readMap` does but for the order of its members.
@inline function matchMap(p: usize, end: usize, most: u32): usize {
  const start = p;
  let node = firstNode();
  time = -1;
  tag = 0;
  tagLength = 0;
  while (node) {
    const n = <u32>load<u16>(node, N_LENGTH);
    if (!standsAt(p, node, n)) { node = load<u32>(node); continue; }
    p += n;
    const hole = load<u8>(node, N_HOLE);
    if (hole == LEAF) {
      kind = kindOf(load<u16>(node, N_NAME_LENGTH));
      // literals may hold any byte
      return p <= end && <u32>(p - start) <= most ? p : 0;
    }
    if (hole == HOLE_TIME) {
      p = uintEnd(p);
      if (!p) return 0;
      time = uintValue;
    } else if (hole != FORK) {
      const value = strAt(p, end), length = strLength;
      if (!value) return 0;
      p = value + length;
      if (hole == HOLE_DELTA) { delta = value; deltaLength = length; }
      else if (hole == HOLE_TARGET) { id = value; idLength = length; }
      else { tag = value; tagLength = length; }
    }
    node = load<u32>(node, N_CHILD);
  }
  return 0;
}

// Learns the map [p, end) that `readMap` has read.
function learnMap(p: usize, end: usize): void {
  if (!beginTemplate(<u32>(end - p) - deltaLength, type, typeLength)) return;
  if (time >= 0) addHole(HOLE_TIME, timeStart, timeEnd);
  if (tag) addHole(HOLE_SOURCE, headOf(tag, tagLength), tag + tagLength);
  addHole(HOLE_TARGET, headOf(id, idLength), id + idLength);
  addHole(HOLE_DELTA, headOf(delta, deltaLength), delta + deltaLength);
  endTemplate(p, end);
}

// ---------------------------------------------------------------- protobuf

/** Bytes of the longest varint that every timestamp of may be. */
const LONGEST_TIME: u32 = 7;

// Eight bytes from the arm on: arm, length of the event, base event with the type alone, field 2, length of the id.
const FORM: u64 = 0x00ffffffffff00ff;
const FORM_TEXT: u64 = <u64>ARM_TEXT | 0x00120008020a0000 | <u64>NUMBER_TEXT << 40, FORM_ARGS: u64 = <u64>ARM_ARGS | 0x00120008020a0000 | <u64>NUMBER_ARGS << 40;

// Reads the frame at `p`: behind it, 0 = it is no token, does not lie before `end`, or is longer than `most`.
@inline function readFrame(p: usize, end: usize, most: u32): usize {
  if (end - p < 12) return 0;
  const size = bswap<u32>(load<u32>(p)), stop = p + 4 + <usize>size;
  if (size > most || size > <u32>(end - p) - 4) return 0;
  // arm, length, base event of a type alone, id: compared as one word where no length takes a second byte
  const lead = load<u64>(p, 4), form = lead & FORM, isCall = form == FORM_ARGS;
  if ((isCall || form == FORM_TEXT) && <u32>(lead >> 8 & 0xff) == size - 2 && size < 130) {
    id = p + 12;
    idLength = <u32>(lead >> 56);
    delta = id + <usize>idLength + 2;
    if (delta <= stop && load<u8>(delta - 2) == 0x1a && <usize>load<u8>(delta - 1) == stop - delta) {
      deltaLength = <u32>(stop - delta);
      kind = isCall ? ITEM_CALL : ITEM_MESSAGE;
      time = -1;
      tag = 0;
      tagLength = 0;
      order = M_TYPE | M_ID << 4 | M_DELTA << 8;
      return stop;
    }
  }
  const arm = <u32>load<u8>(p, 4);
  let number: u32, idField: u32, tagField: u32;
  p += 5;
  if (arm == ARM_TEXT) { kind = ITEM_MESSAGE; number = NUMBER_TEXT; }
  else if (arm == ARM_ARGS) { kind = ITEM_CALL; number = NUMBER_ARGS; }
  else if (arm == (ARM_REASONING & 0xff) && load<u8>(p) == ARM_REASONING >> 8) { kind = ITEM_REASONING; number = NUMBER_REASONING; p++; }
  else return 0;
  // fields 2 and 3 are id and delta, the owner follows; the younger reasoning message has its owner first
  idField = kind == ITEM_REASONING ? 0x1a : 0x12;
  tagField = kind == ITEM_REASONING ? 0x12 : 0x22;
  if (lengthAt(p) != <u32>(stop - lengthEnd)) return 0;
  p = lengthEnd;
  // base_event: the type, and perhaps a timestamp
  const base = <u32>load<u8>(p, 1);
  if (load<u8>(p) != 0x0a || load<u16>(p, 2) != (0x08 | number << 8) || base - 2 > LONGEST_TIME + 1) return 0;
  p += 4;
  time = -1;
  if (base > 2) {
    const timeEnd = p + base - 2;
    if (load<u8>(p++) != 0x10 || p == timeEnd) return 0;
    let value: u64 = 0, shift: u64 = 0;
    for (; p < timeEnd; p++, shift += 7) {
      value |= (<u64>load<u8>(p) & 127) << shift;
      if ((load<u8>(p) < 0x80) != (p == timeEnd - 1)) return 0;
    }
    time = <f64>value;
  }
  tag = 0;
  tagLength = 0;
  if (kind == ITEM_REASONING && load<u8>(p) == tagField) p = readTag(p, stop);
  if (!p || load<u8>(p) != idField) return 0;
  idLength = lengthAt(p + 1);
  id = lengthEnd;
  if (id > stop || <usize>idLength > stop - id) return 0;
  p = id + idLength;
  deltaLength = 0;
  delta = p;
  if (p < stop && load<u8>(p) == idField + 8) {
    deltaLength = lengthAt(p + 1);
    delta = lengthEnd;
    if (delta > stop || <usize>deltaLength > stop - delta) return 0;
    p = delta + deltaLength;
  }
  if (kind != ITEM_REASONING && p < stop && load<u8>(p) == tagField) p = readTag(p, stop);
  // type, fields by their numbers, time
  const head = tag ? (kind == ITEM_REASONING ? M_OWNER | M_ID << 4 | M_DELTA << 8 : M_ID | M_DELTA << 4 | M_OWNER << 8) : M_ID | M_DELTA << 4;
  order = M_TYPE | head << 4 | (time < 0 ? 0 : M_TIME << (tag ? 16 : 12));
  return p == stop ? p : 0;
}

function readTag(p: usize, stop: usize): usize {
  tagLength = lengthAt(p + 1);
  tag = lengthEnd;
  return tag <= stop && <usize>tagLength <= stop - tag ? tag + tagLength : 0;
}
