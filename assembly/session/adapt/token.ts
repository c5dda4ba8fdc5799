// Tokens that the fast road has folded, as the `append` that they come to (docs/adapter.md §3), written from what the road has read of them. By way of the text of
// the event and its expansion it takes some 5 times as long.
import { TRANSPORT_SSE } from "../../abi/codes";
import { RUN_LEN, RUN_PTR } from "../../memory/bytes";
import { copyForward } from "../../memory/copy";
import { putStringHeader, putUint } from "../../codec/msgpack/put";
import { writeUint } from "../../text/digits";
import { canonicalEscapes, unescape } from "../../text/escape";
import { findByte } from "../../text/scan";
import { SCRATCH_WIRE as WIRE, scratchReserve } from "../../reduce/scratch";
import { isTextWire } from "../transcode/emit";
import * as piece from "./pieces";
import { A_SEQ, isStreamPlain, streamLength, streamStart } from "./state";
import { adapterOf, wireOf } from "../roads";

/** Events that were written here. */
export let adaptedTokens: u32 = 0;

/** Everything but ids and delta. */
const ROOM: u32 = 192;

/** Makes room for a delta of `n` bytes, of any spelling, to what has an id of `idLength` bytes; false = out of memory. */
@inline export function reserveAppend(c: usize, idLength: u32, n: u32): bool {
  return scratchReserve(WIRE, n + idLength + streamLength(adapterOf(c)) + ROOM);
}

/** Whether an event whose item has that id is left to the full road, for an escape in a name. */
@inline export function hasEscapedName(c: usize, id: usize, idLength: u32): bool {
  return !isTextWire(wireOf(c)) && (!isStreamPlain(adapterOf(c)) || findByte(id, id + idLength, 0x5c) != 0);
}

/**
 * Writes the delta [p, end), contents of a JSON string, as an `append` to the message or call of that id, where `reserveAppend` has made room. `loose`: its escapes
 * may not be canonical, and the wire is one of text.
 */
export function putAppend(c: usize, isCall: bool, id: usize, idLength: u32, p: usize, end: usize, loose: bool): void {
  const a = adapterOf(c), seq = load<f64>(a, A_SEQ) + 1, wire = wireOf(c);
  const start = <usize>load<u32>(WIRE, RUN_PTR) + load<u32>(WIRE, RUN_LEN);
  const d = isTextWire(wire) ? putText(a, wire == TRANSPORT_SSE, start, seq, isCall, id, idLength, p, end, loose)
    : putString(putMapHead(a, start, seq, isCall, id, idLength), p, <u32>(end - p));
  finish(a, seq, start, d);
}

/** The same for a delta and an id that are plain UTF-8, on a binary wire. */
export function putPlainAppend(c: usize, isCall: bool, id: usize, idLength: u32, p: usize, n: u32): void {
  const a = adapterOf(c), seq = load<f64>(a, A_SEQ) + 1, start = <usize>load<u32>(WIRE, RUN_PTR) + load<u32>(WIRE, RUN_LEN);
  finish(a, seq, start, put(putStringHeader(putMapHead(a, start, seq, isCall, id, idLength), n), p, n));
}

@inline function finish(a: usize, seq: f64, start: usize, d: usize): void {
  store<f64>(a, seq, A_SEQ);
  store<u32>(WIRE, load<u32>(WIRE, RUN_LEN) + <u32>(d - start), RUN_LEN);
  adaptedTokens++;
}

@inline function put(d: usize, p: usize, n: u32): usize {
  copyForward(d, p, n);
  return d + n;
}

@inline function putPiece(d: usize, p: usize): usize { return put(d, p + 1, <u32>load<u8>(p)); }

@inline function putText(a: usize, sse: bool, d: usize, seq: f64, isCall: bool, id: usize, idLength: u32, p: usize, end: usize, loose: bool): usize {
  if (sse) d = putPiece(d, piece.DATA);
  d = writeUint(<u64>seq, putPiece(d, piece.OP_APPEND));
  const n = streamLength(a);
  if (n) {
    d = put(putPiece(d, piece.STREAM_ID), streamStart(a), n);
    store<u8>(d++, 0x22);
  }
  d = put(putPiece(d, isCall ? piece.TO_ARGUMENTS : piece.TO_CONTENT), id, idLength);
  d = putPiece(d, isCall ? piece.ITS_ARGUMENTS : piece.ITS_CONTENT);
  d = loose ? canonicalEscapes(p, end, d) : put(d, p, <u32>(end - p));
  // "}} and the end of the line
  store<u32>(d, 0x0a7d7d22);
  store<u8>(d, 0x0a, 4);
  return d + (sse ? 5 : 4);
}

// The map up to the string that is appended.
@inline function putMapHead(a: usize, d: usize, seq: f64, isCall: bool, id: usize, idLength: u32): usize {
  const n = streamLength(a);
  store<u8>(d, <u8>(n ? 0x85 : 0x84));
  d = putUint(putPiece(d + 1, piece.MAP_APPEND), <u64>seq);
  if (n) d = put(putStringHeader(putPiece(d, piece.MAP_STREAM_ID), n), streamStart(a), n);
  d = putPiece(d, isCall ? piece.MAP_ARGUMENTS : piece.MAP_CONTENT);
  const kind = isCall ? piece.TOOL_COLON : piece.MESSAGE_COLON;
  d = put(putPiece(putStringHeader(d, <u32>load<u8>(kind) + idLength), kind), id, idLength);
  return putPiece(d, isCall ? piece.MAP_ITS_ARGUMENTS : piece.MAP_ITS_CONTENT);
}

// Contents of a JSON string without lone halves, with its head.
@inline function putString(d: usize, p: usize, n: u32): usize {
  if (!findByte(p, p + n, 0x5c)) return put(putStringHeader(d, n), p, n);
  // unescaped it is shorter: its head, of at most 5 bytes, is known when it has been written
  const body = d + 5, length = <u32>(unescape(p, p + n, body) - body), at = putStringHeader(d, length);
  memory.copy(at, body, length);
  return at + length;
}
