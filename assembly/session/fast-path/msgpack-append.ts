// An append of a token over MessagePack, folded where it lies: by a template of the same bytes, else by reading the map, which teaches one. Whatever is
// not entirely ordinary (other formats, members that are no strings, ids that need escapes, and what `foldAppend` leaves) goes the full road; nothing has
// been touched then. Against reading the map alone a template takes about two thirds of the time in 64 KiB chunks.
import { equalText } from "../../memory/copy";
import { B_ID, B_ID_LENGTH, findOtherBlock, S_LAST_BLOCK } from "../../reduce/agentue/state";
import { addFolded, C_LAST_USED, T_ID, T_ID_LENGTH, T_STATE } from "../layout";
import { findOtherStream } from "../streams";
import { mayRelayBytes, relayMap } from "../transcode/relay";
import { headOf, mapBegin, mapSize, strAt, strLength, uintEnd, uintValue } from "./msgpack-scan";
import { foldAppend } from "./token";
import {
  addHole, beginTemplate, endTemplate, firstNode, HOLE_DELTA, HOLE_NUMBER, HOLE_SOURCE, HOLE_TARGET, HOLE_TIME, LEAF, MSGPACK_SET, N_CHILD, N_HOLE, N_LENGTH,
  N_LITERAL, N_NAME_LENGTH, N_NAME_WORD, noteHits, selectTemplates, standsAt, templatesAwake,
} from "./trie";
import { setHole } from "./holes";
import { relayMatchedMap, setNames } from "./written";
import { isPlain, takenEnd, takenFlags, takenStart, takenUnits, takeText } from "./wire-text";
import { wireOf } from "../roads";

// Members of the payload block: {key, length, value, length}, all strings.
const MOST_MEMBERS: u32 = 6;
const MEMBERS: usize = memory.data(6 * 16, 16);
let members: u32 = 0;

/** Events that the last call of `foldAppends` has folded. */
export let foldedAppends: u32 = 0;

/** Folds the appends from `p` on, where a message begins, as long as they are ordinary; the address behind them. */
export function foldAppends(c: usize, p: usize, end: usize): usize {
  let n: u32 = 0, hits: u32 = 0;
  selectTemplates(MSGPACK_SET);
  const wire = wireOf(c);
  while (p < end && (!wire || mayRelayBytes(wire, <u32>(end - p)))) {
    let q = templatesAwake() ? matchOne(c, p, end) : 0;
    if (q) hits++;
    else {
      q = readOne(c, p, end);
      if (!q) break;
    }
    n++;
    if (wire && !relayOne(c, p, q)) { p = q; break; }
    p = q;
  }
  foldedAppends = n;
  if (hits) noteHits(hits);
  if (n) {
    addFolded(c, n);
  }
  return p;
}

// The leaf of the template that has matched the last append, 0 = none.
let leaf: usize = 0;

function relayOne(c: usize, p: usize, end: usize): bool {
  if (!leaf) return relayMap(c, p, end);
  setHole(HOLE_DELTA, takenStart, <u32>(takenEnd - takenStart));
  return relayMatchedMap(c, leaf, p, end);
}

const SEEN_OP: u32 = 1, SEEN_SEQ: u32 = 2, SEEN_TS: u32 = 4, SEEN_MASK: u32 = 8, SEEN_BLOCK: u32 = 16, SEEN_STREAM: u32 = 32, SEEN_TYPE: u32 = 64;
const NEEDED: u32 = SEEN_OP | SEEN_SEQ | SEEN_MASK | SEEN_BLOCK;

// Names as words, little-endian.
const OP: u64 = 0x706f, SEQ: u64 = 0x716573, TS: u64 = 0x7374, MASK: u64 = 0x6b73616d, BLOCK_NAME: u64 = 0x6b636f6c62, APPEND: u64 = 0x646e65707061;
const STREAM_ID: u64 = 0x695f6d6165727473, EVENT_TYPE: u64 = 0x79745f746e657665, BLOCK_DOT: u64 = 0x2e6b636f6c62;

// The first eight bytes at `p` as far as `n` goes.
@inline function word(p: usize, n: u32): u64 { return n >= 8 ? load<u64>(p) : load<u64>(p) & ((<u64>1 << <u64>(n << 3)) - 1); }

// Folds the append at `p` if a template knows it; the address behind it, or 0. Literals may hold any byte: that all of it lies before `end` is asked at last.
@inline function matchOne(c: usize, p: usize, end: usize): usize {
  const start = p;
  let node = firstNode(), t = <usize>load<u32>(c, C_LAST_USED), seq: f64 = 0, stream: usize = 0, streamLength: u32 = 0, id: usize = 0, idLength: u32 = 0;
  let delta: usize = 0, deltaLength: u32 = 0, time: f64 = 0;
  while (node) {
    const n = <u32>load<u16>(node, N_LENGTH);
    if (!standsAt(p, node, n)) { node = load<u32>(node); continue; }
    p += n;
    const hole = load<u8>(node, N_HOLE);
    if (hole == LEAF) {
      if (p > end) return 0;
      const field = node + N_LITERAL + n;
      if (!foldFound(c, t, seq, stream, streamLength, id, idLength, field, load<u16>(node, N_NAME_LENGTH), load<u64>(node, N_NAME_WORD), delta, deltaLength,
        <u32>(p - start))) return 0;
      leaf = node;
      setNames(stream, streamLength, id, idLength, seq, time);
      return p;
    }
    if (hole == HOLE_NUMBER) {
      p = uintEnd(p);
      seq = uintValue;
    } else if (hole == HOLE_TIME) {
      p = uintEnd(p);
      time = uintValue;
    } else if (hole == HOLE_DELTA || hole == HOLE_TARGET || hole == HOLE_SOURCE) {
      const value = strAt(p, end), length = strLength;
      if (!value) return 0;
      p = value + length;
      if (hole == HOLE_DELTA) { delta = value; deltaLength = length; }
      else if (hole == HOLE_TARGET) { id = value; idLength = length; }
      else { stream = value; streamLength = length; }
    }
    if (!p) return 0;
    node = load<u32>(node, N_CHILD);
  }
  return 0;
}

// What `readAppend` has found: spans of numbers with their heads (0: no such member), contents of strings.
let number: usize = 0;
let numberEnd: usize = 0;
let time: usize = 0;
let timeEnd: usize = 0;
let seq: f64 = 0;
let stream: usize = 0;
let streamLength: u32 = 0;
let field: usize = 0;
let fieldLength: u32 = 0;
let id: usize = 0;
let idLength: u32 = 0;
let delta: usize = 0;
let deltaLength: u32 = 0;

/**
 * Reads the append of a string at `p`; the address behind it, 0: it is something else, does not lie before `end`, or its strings are not plain (those of the delta:
 * not well-formed, and then `takeText` has not taken it). Whether its block is there, and where it stands in its stream, is not asked.
 */
export function readAppend(p: usize, end: usize): usize {
  p = mapBegin(p);
  if (!p) return 0;
  let left = mapSize, seen: u32 = 0;
  if (left > 7) return 0;
  time = 0;
  stream = 0;
  streamLength = 0;
  for (; left; left--) {
    const key = <u32>load<u8>(p) & 0xe0 ? strAt(p, end) : 0;
    if (!key) return 0;
    const length = strLength, name = word(key, length);
    p = key + length;
    let bit: u32;
    if (length == 5 && name == BLOCK_NAME) {
      bit = SEEN_BLOCK;
      p = readBlock(p, end);
    } else if ((length == 3 && name == SEQ) || (length == 2 && name == TS)) {
      const at = p;
      p = uintEnd(p);
      if (length == 3) {
        bit = SEEN_SEQ;
        seq = uintValue;
        number = at;
        numberEnd = p;
      } else {
        bit = SEEN_TS;
        time = at;
        timeEnd = p;
      }
    } else {
      const value = strAt(p, end);
      if (!value) return 0;
      p = value + strLength;
      if (length == 2 && name == OP) {
        if (strLength != 6 || word(value, 6) != APPEND) return 0;
        bit = SEEN_OP;
      } else if (length == 4 && name == MASK) {
        if (strLength < 7 || word(value, 6) != BLOCK_DOT) return 0;
        bit = SEEN_MASK;
        field = value + 6;
        fieldLength = strLength - 6;
      } else if (length == 9 && name == STREAM_ID && load<u8>(key, 8) == 0x64) {
        bit = SEEN_STREAM;
        stream = value;
        streamLength = strLength;
      } else if (length == 10 && name == EVENT_TYPE && load<u16>(key, 8) == 0x6570) {
        if (!isPlain(value, strLength)) return 0;
        bit = SEEN_TYPE;
      } else return 0;
    }
    if (!p || seen & bit) return 0;
    seen |= bit;
  }
  if ((seen & NEEDED) != NEEDED || p > end || !isPlain(field, fieldLength) || !findMembers()) return 0;
  return idLength && isPlain(id, idLength) && isPlain(stream, streamLength) && takeText(delta, deltaLength) ? p : 0;
}

// Reads the append at `p` and folds it; the address behind it, or 0.
function readOne(c: usize, p: usize, end: usize): usize {
  const q = readAppend(p, end);
  if (!q) return 0;
  const t = <usize>load<u32>(c, C_LAST_USED), fieldWord = fieldLength > 8 ? 0 : word(field, fieldLength);
  if (!foldTaken(c, t, seq, stream, streamLength, id, idLength, field, fieldLength, fieldWord, <u32>(q - p))) return 0;
  learnAppend(p, q);
  leaf = 0;
  return q;
}

/** Learns the append [p, end) that `readAppend` has read: the next one is expected to differ in these items, their heads included. */
export function learnAppend(p: usize, end: usize): void {
  if (!beginTemplate(<u32>(end - p) - deltaLength, field, fieldLength)) return;
  addHole(HOLE_NUMBER, number, numberEnd);
  if (time) addHole(HOLE_TIME, time, timeEnd);
  if (stream) addHole(HOLE_SOURCE, headOf(stream, streamLength), stream + streamLength);
  addHole(HOLE_TARGET, headOf(id, idLength), id + idLength);
  addHole(HOLE_DELTA, headOf(delta, deltaLength), delta + deltaLength);
  endTemplate(p, end);
}

// The flat map at `p`: behind it, 0 = it holds something else than a few strings.
@inline function readBlock(p: usize, end: usize): usize {
  p = mapBegin(p);
  const n = mapSize;
  if (!p || n > MOST_MEMBERS) return 0;
  members = n;
  for (let at = MEMBERS; at < MEMBERS + (n << 4); at += 16) {
    const key = strAt(p, end);
    if (!key) return 0;
    store<u32>(at, <u32>key);
    store<u32>(at, strLength, 4);
    const value = strAt(key + strLength, end);
    if (!value) return 0;
    store<u32>(at, <u32>value, 8);
    store<u32>(at, strLength, 12);
    p = value + strLength;
  }
  return p;
}

// Finds id and delta among the members of the block; false: they are not there once, or another member is not ordinary.
function findMembers(): bool {
  let others: u32 = 0;
  id = 0;
  idLength = 0;
  delta = 0;
  for (let i: u32 = 0, at = MEMBERS; i < members; i++, at += 16) {
    const key = <usize>load<u32>(at), n = load<u32>(at, 4), value = <usize>load<u32>(at, 8), length = load<u32>(at, 12);
    if (n == 2 && load<u16>(key) == 0x6469) {
      if (id) return false;
      id = value;
      idLength = length;
    } else if (n == fieldLength && equalText(key, field, n)) {
      if (delta) return false;
      delta = value;
      deltaLength = length;
    } else {
      // its type, or what the operation does not ask about: one other member cannot repeat itself
      if (others++ || (n == 3 && load<u16>(key) == 0x6572 && load<u8>(key, 2) == 0x66)) return false;
      if (!isPlain(key, n) || !isPlain(value, length)) return false;
    }
  }
  return delta != 0;
}

@inline function foldFound(
  c: usize, t: usize, seq: f64, stream: usize, streamLength: u32, id: usize, idLength: u32, field: usize, fieldLength: u32, fieldWord: u64, delta: usize,
  deltaLength: u32, size: u32,
): bool {
  return idLength && isPlain(id, idLength) && isPlain(stream, streamLength) && takeText(delta, deltaLength)
    && foldTaken(c, t, seq, stream, streamLength, id, idLength, field, fieldLength, fieldWord, size);
}

// Looks up what the ids name, stream `t` first, and folds.
@inline function foldTaken(
  c: usize, t: usize, seq: f64, stream: usize, streamLength: u32, id: usize, idLength: u32, field: usize, fieldLength: u32, fieldWord: u64, size: u32,
): bool {
  if (!t || load<u32>(t, T_ID_LENGTH) != streamLength || !equalText(t + T_ID, stream, streamLength)) t = findOtherStream(c, stream, streamLength);
  if (!t) return false;
  let block = <usize>load<u32>(t + T_STATE, S_LAST_BLOCK);
  if (!block || load<u32>(block, B_ID_LENGTH) != idLength || !equalText(block + B_ID, id, idLength)) block = findOtherBlock(t + T_STATE, id, idLength);
  return block != 0 && foldAppend(c, t, seq, block, field, fieldLength, fieldWord, takenStart, takenEnd, takenFlags, takenUnits, size);
}
