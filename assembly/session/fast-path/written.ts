// What the events of a template are on another wire: the bytes that stay the same, between which the holes are filled. It is learned from the first one, which the
// codec has written, and hangs on the leaf; a template is of one wire, and there is one other form, MessagePack for text and text for MessagePack. By way of the codec
// a token takes two to three times as long.
import { TRANSPORT_SSE } from "../../abi/codes";
import { OPT_TRANSPORT } from "../../abi/layout";
import { RUN_LEN, RUN_PTR } from "../../memory/bytes";
import { copyForward } from "../../memory/copy";
import { msgpackWriteLosses } from "../../codec/msgpack/write";
import { putStringHeader, putUint, stringHeader } from "../../codec/msgpack/put";
import { writeUint } from "../../text/digits";
import { unescape } from "../../text/escape";
import { findByte, HAS_ESCAPE } from "../../text/scan";
import { skipTrusted } from "../../text/trusted";
import { SCRATCH_WIRE as WIRE } from "../../reduce/scratch";
import { C_OPTIONS } from "../layout";
import { isTextWire } from "../transcode/emit";
import { relayMap, relayText } from "../transcode/relay";
import { holeLeaf, holeLength, holeNumber, holeStart, holeTime, matchPacked, matchText, setHole, setHoleNumbers } from "./holes";
import { allocWritten, HOLE_DELTA, HOLE_NUMBER, HOLE_SOURCE, HOLE_TARGET, HOLE_TIME, LEAF, N_WRITTEN, NOTHING_WRITTEN } from "./trie";
import { wireOf } from "../roads";

// 0 size of the allocation | 4 segments: 0 the hole behind it u8, LEAF: none | 2 length u16 | 4 its bytes, padded to 4
const SEGMENTS: usize = 4, BYTES: usize = 4;
/** Five holes at most. */
const MOST_SEGMENTS: u32 = 6;

/** From longer events nothing is learned: memory is made for the whole of one. */
const LONGEST_TEACHER: u32 = 2048;

/** Events that were written by what is learned here. */
export let writtenTokens: u32 = 0;

/**
 * Writes the event [p, end) of a text wire, from its `data:` or brace to behind its line end, that the template `leaf` knows: what its holes hold is set, and a scan
 * has `seen` these flags in its delta. Room was made (`mayRelay`), and no half is held or cut. False = out of memory, and the connection has failed.
 */
export function relayMatched(c: usize, leaf: usize, p: usize, end: usize, seen: u32): bool {
  const wire = wireOf(c), written = <usize>load<u32>(leaf, N_WRITTEN);
  if (isTextWire(wire) || written == NOTHING_WRITTEN) return relayText(c, p, end, seen);
  if (written && !hasEscape(HOLE_TARGET) && !hasEscape(HOLE_SOURCE)) {
    putPacked(written, (seen & HAS_ESCAPE) != 0);
    return true;
  }
  const before = load<u32>(WIRE, RUN_LEN);
  if (!relayText(c, p, end, seen)) return false;
  if (written || <u32>(end - p) > LONGEST_TEACHER) return true;
  store<u32>(leaf, <u32>NOTHING_WRITTEN, N_WRITTEN);
  // what is lost is said once for each transcoder: such events go the other way
  if (!msgpackWriteLosses && matchText(p) && holeLeaf == leaf) {
    const packed = <usize>load<u32>(WIRE, RUN_PTR);
    learn(leaf, textOf(c, p), packed + before, packed + load<u32>(WIRE, RUN_LEN), true);
  }
  return true;
}

/** The same for the map [p, end) of MessagePack; the hole of the delta is set to canonical contents of a JSON string, the others are plain. */
export function relayMatchedMap(c: usize, leaf: usize, p: usize, end: usize): bool {
  const wire = wireOf(c), written = <usize>load<u32>(leaf, N_WRITTEN);
  if (!isTextWire(wire) || written == NOTHING_WRITTEN) return relayMap(c, p, end);
  if (written) {
    putText(written, wire == TRANSPORT_SSE);
    return true;
  }
  const before = load<u32>(WIRE, RUN_LEN);
  if (!relayMap(c, p, end)) return false;
  if (<u32>(end - p) > LONGEST_TEACHER) return true;
  store<u32>(leaf, <u32>NOTHING_WRITTEN, N_WRITTEN);
  if (matchPacked(p, end) && holeLeaf == leaf) learn(leaf, <usize>load<u32>(WIRE, RUN_PTR) + before + (wire == TRANSPORT_SSE ? 6 : 0), p, end, false);
  return true;
}

/** Sets what the names and numbers of an event hold; the delta follows. */
@inline export function setNames(source: usize, sourceLength: u32, target: usize, targetLength: u32, number: f64, time: f64): void {
  setHole(HOLE_SOURCE, source, sourceLength);
  setHole(HOLE_TARGET, target, targetLength);
  setHoleNumbers(number, time);
}

@inline function hasEscape(hole: u32): bool {
  const start = holeStart(hole);
  return findByte(start, start + holeLength(hole), 0x5c) != 0;
}

// Where the JSON text begins of the event at `p`.
function textOf(c: usize, p: usize): usize {
  return load<u8>(c + C_OPTIONS, OPT_TRANSPORT) == TRANSPORT_SSE ? p + (load<u8>(p, 5) == 0x20 ? 6 : 5) : p;
}

@inline function behind(): usize { return <usize>load<u32>(WIRE, RUN_PTR) + load<u32>(WIRE, RUN_LEN); }
@inline function keep(d: usize): void {
  store<u32>(WIRE, <u32>(d - load<u32>(WIRE, RUN_PTR)), RUN_LEN);
  writtenTokens++;
}

@inline function put(d: usize, p: usize, n: u32): usize {
  copyForward(d, p, n);
  return d + n;
}

function putPacked(written: usize, escaped: bool): void {
  let d = behind(), at = written + SEGMENTS;
  while (true) {
    const n = <u32>load<u16>(at, 2), hole = <u32>load<u8>(at);
    d = put(d, at + BYTES, n);
    if (hole == LEAF) break;
    if (hole == HOLE_NUMBER) d = putUint(d, <u64>holeNumber);
    else if (hole == HOLE_TIME) d = putUint(d, <u64>holeTime);
    else d = putString(d, holeStart(hole), holeLength(hole), escaped && hole == HOLE_DELTA);
    at += (BYTES + n + 3) & ~3;
  }
  keep(d);
}

@inline function putString(d: usize, p: usize, n: u32, escaped: bool): usize {
  if (escaped) return putEscaped(d, p, n);
  if (n < 32) {
    store<u8>(d, 0xa0 | n);
    return put(d + 1, p, n);
  }
  return put(putStringHeader(d, n), p, n);
}

// Unescaped it is shorter, perhaps with a shorter head.
function putEscaped(d: usize, p: usize, n: u32): usize {
  const body = d + stringHeader(n), length = <u32>(unescape(p, p + n, body) - body), start = putStringHeader(d, length);
  if (start != body) memory.copy(start, body, length);
  return start + length;
}

function putText(written: usize, sse: bool): void {
  let d = behind(), at = written + SEGMENTS;
  if (sse) {
    // `data: `
    store<u64>(d, 0x203a61746164);
    d += 6;
  }
  while (true) {
    const n = <u32>load<u16>(at, 2), hole = <u32>load<u8>(at);
    d = put(d, at + BYTES, n);
    if (hole == LEAF) break;
    if (hole == HOLE_NUMBER) d = writeUint(<u64>holeNumber, d);
    else if (hole == HOLE_TIME) d = writeUint(<u64>holeTime, d);
    else d = put(d, holeStart(hole), holeLength(hole));
    at += (BYTES + n + 3) & ~3;
  }
  store<u16>(d, 0x0a0a);
  keep(d + (sse ? 2 : 1));
}

// ---------------------------------------------------------------- learning

// Notes what the event is that stands at `text` as canonical JSON and at [packed, packedEnd) as MessagePack, and whose holes were found in one of them.
function learn(leaf: usize, text: usize, packed: usize, packedEnd: usize, toPacked: bool): void {
  const length = toPacked ? <u32>(packedEnd - packed) : <u32>(skipTrusted(text) - text);
  const written = allocWritten(leaf, <u32>SEGMENTS + length + MOST_SEGMENTS * 8 + 16);
  if (!written) return;
  // items stand in the same order in both forms
  let p = text, q = packed, from = toPacked ? packed : text, at = written + SEGMENTS;
  while (q < packedEnd) {
    const c = <u32>load<u8>(p);
    if (c == 0x2c || c == 0x3a || (c | 0x20) == 0x7d) { p++; continue; }
    const next = itemEnd(q);
    if ((c | 0x20) == 0x7b) {
      p++;
      q = next;
      continue;
    }
    const isText = c == 0x22, stop = skipTrusted(p), start = isText ? p + 1 : p;
    const hole = holeAt(toPacked ? start : next - (isText ? bodyLength : <u32>(next - q)));
    if (hole) {
      at = putSegment(at, hole, from, toPacked ? q : start);
      from = toPacked ? next : isText ? stop - 1 : stop;
    }
    p = stop;
    q = next;
  }
  putSegment(at, LEAF, from, toPacked ? packedEnd : text + length);
}

function putSegment(at: usize, hole: u32, start: usize, end: usize): usize {
  const n = <u32>(end - start);
  store<u16>(at, <u16>hole);
  store<u16>(at, <u16>n, 2);
  copyForward(at + BYTES, start, n);
  return at + ((BYTES + n + 3) & ~3);
}

// The hole whose contents begin at that address, 0 = none.
function holeAt(start: usize): u32 {
  for (let hole: u32 = HOLE_NUMBER; hole <= HOLE_DELTA; hole++) if (holeStart(hole) == start) return hole;
  return 0;
}

let bodyLength: u32 = 0;

// Behind the head of a map or list, or the scalar, at `q`; `bodyLength`: bytes of a string behind its head.
function itemEnd(q: usize): usize {
  const c = <u32>load<u8>(q);
  bodyLength = 0;
  if (c < 0xa0 || c >= 0xe0 || c == 0xc0 || c == 0xc2 || c == 0xc3) return q + 1;
  if (c < 0xc0) {
    bodyLength = c & 31;
    return q + 1 + bodyLength;
  }
  if (c >= 0xd9 && c <= 0xdb) {
    const width = <usize>1 << (c - 0xd9);
    bodyLength = width == 1 ? <u32>load<u8>(q, 1) : width == 2 ? <u32>bswap<u16>(load<u16>(q, 1)) : bswap<u32>(load<u32>(q, 1));
    return q + 1 + width + bodyLength;
  }
  // floats, integers; heads of larger maps and lists
  if (c == 0xca) return q + 5;
  if (c == 0xcb) return q + 9;
  if (c >= 0xdc) return q + (c & 1 ? 5 : 3);
  return q + 1 + (<usize>1 << (c & 3));
}
