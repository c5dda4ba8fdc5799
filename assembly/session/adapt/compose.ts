// One AgentUE event after the other, as text, and out (docs/adapter.md §1): on a text wire it is written where it goes out, for a binary one it is translated.
import { TRANSPORT_SSE } from "../../abi/codes";
import { bytesClear, RUN_CAP, RUN_LEN, RUN_PTR } from "../../memory/bytes";
import { copyForward } from "../../memory/copy";
import { writeUint } from "../../text/digits";
import { slotSize, writeSlot } from "../../document/index";
import { SCRATCH_ADAPTED as TEXT, SCRATCH_WIRE as WIRE, scratchReserve } from "../../reduce/scratch";
import { C_ADAPTER } from "../layout";
import { setDelta } from "../transcode/delta";
import { closeText, emitNamed, isTextWire, NO_MEMORY, noteReadLosses, OF_NAMED, OF_NOBODY, openText, reserveWire, WRITTEN } from "../transcode/emit";
import { ANY, nameDelta } from "../transcode/halves";
import { beginAllowance, hasRefused, mayWrite, noteWritten } from "./allowance";
import * as piece from "./pieces";
import { A_SEQ, streamLength, streamStart } from "./state";
import { wireOf } from "../roads";

// The run that the event is written to, its length before, and what stands there besides the text that counts.
let out: usize = 0;
let before: u32 = 0;
let textFrom: u32 = 0;
let connection: usize = 0;
let lacksMemory: bool = false;

// What the event says of halves that are held: offsets in the run of the block's id and of a delta, name of the field.
let idFrom: u32 = 0;
let idTo: u32 = 0;
let field: usize = 0;
let deltaFrom: u32 = 0;
let deltaTo: u32 = 0;
let speaksOfAll: bool = false;

/** No more than that is asked for beyond what is written. */
const SLACK: u32 = 32;
/** Names, ids and words that an ordinary event takes besides what it brings. */
const ROOM: u32 = 2048;

/**
 * Room for what an event of `n` bytes of text comes to, before it is applied; false = out of memory. A `start` and a field that is set to more than the event brings
 * ask for theirs when they are written (docs/transcoding.md §2).
 */
export function reserveAdapted(c: usize, n: u32): bool {
  const wire = wireOf(c);
  return reserveWire(wire, n + ROOM) && (isTextWire(wire) || scratchReserve(TEXT, n + ROOM));
}

/** Begins with what one AG-UI event, whose message takes `size` bytes, or the end of a body, comes to. */
export function beginEvents(c: usize, size: u32): void {
  connection = c;
  beginAllowance(c, size);
  lacksMemory = false;
}

/** Whether memory ran out since: what was written before stands, what came after was not written. */
export function lackedMemory(): bool { return lacksMemory; }
/** Whether more of what the AG-UI event comes to would be in vain. */
export function isInVain(): bool { return lacksMemory || hasRefused; }
export function lackMemory(): void { lacksMemory = true; }

@inline function at(): usize { return <usize>load<u32>(out, RUN_PTR) + load<u32>(out, RUN_LEN); }
@inline function grow(n: u32): void { store<u32>(out, load<u32>(out, RUN_LEN) + n, RUN_LEN); }

/** Begins an event with a piece `{"op":…,"seq":`. */
export function openEvent(op: usize): void {
  const a = <usize>load<u32>(connection, C_ADAPTER), wire = wireOf(connection);
  idFrom = idTo = deltaFrom = deltaTo = 0;
  field = 0;
  speaksOfAll = false;
  out = isTextWire(wire) ? WIRE : TEXT;
  if (out == TEXT) bytesClear(TEXT);
  before = load<u32>(out, RUN_LEN);
  if (out == WIRE && !openText(wire == TRANSPORT_SSE)) lacksMemory = true;
  const stream = streamLength(a);
  // the `stream_id` does not count
  textFrom = load<u32>(out, RUN_LEN) + (stream ? stream + <u32>load<u8>(piece.STREAM_ID) + 1 : 0);
  putPiece(op);
  putNumber(<u64>load<f64>(a, A_SEQ) + 1);
  if (!stream) return;
  putPiece(piece.STREAM_ID);
  put(streamStart(a), stream);
  putByte(0x22);
}

/** The event takes the stream's blocks, and what is held of their texts, away: `start`, `error`, `end`. */
export function speakOfAll(): void { speaksOfAll = true; }

/** Ends the event with a brace, and writes it. Whether it has gone out: it may have no form on the wire. */
export function closeEvent(): bool {
  putByte(0x7d);
  return send();
}

/** The same behind the value of a field, or of a member of `meta`. */
export function closeField(): bool {
  putPiece(piece.CLOSE_FIELD);
  return send();
}

function send(): bool {
  const c = connection, a = <usize>load<u32>(c, C_ADAPTER);
  if (!mayWrite(textLength())) {
    store<u32>(out, before, RUN_LEN);
    return false;
  }
  noteWritten(textLength());
  const outcome = lacksMemory ? NO_MEMORY : out == WIRE ? closeWritten(c) : translate(c, a);
  if (outcome == NO_MEMORY) {
    lacksMemory = true;
    store<u32>(out, before, RUN_LEN);
  }
  if (outcome != WRITTEN) return false;
  store<f64>(a, load<f64>(a, A_SEQ) + 1, A_SEQ);
  return true;
}

function closeWritten(c: usize): u32 {
  if (!closeText(wireOf(c) == TRANSPORT_SSE)) return NO_MEMORY;
  noteReadLosses(c);
  return WRITTEN;
}

function translate(c: usize, a: usize): u32 {
  if (!scratchReserve(TEXT, 64)) return NO_MEMORY;
  const text = <usize>load<u32>(TEXT, RUN_PTR), end = text + load<u32>(TEXT, RUN_LEN);
  memory.fill(end, 0, 64);
  setDelta(deltaFrom ? text + deltaFrom : 0, text + deltaTo);
  if (speaksOfAll) nameDelta(0, streamStart(a), streamLength(a), 0, ANY, 0, ANY);
  else if (idTo) nameDelta(0, streamStart(a), streamLength(a), text + idFrom, idTo - idFrom, field ? field + 1 : 0, field ? <u32>load<u8>(field) : ANY);
  return emitNamed(c, text, end, wireOf(c), speaksOfAll || idTo ? OF_NAMED : OF_NOBODY);
}

// ---------------------------------------------------------------- text

@inline function textLength(): u32 {
  const n = load<u32>(out, RUN_LEN);
  return n > textFrom ? n - textFrom : 0;
}

// Makes room, of which up to 32 bytes may stay empty; what is written without it is not kept.
function widen(n: u32): bool {
  const least = load<u32>(out, RUN_LEN) + n, beside = textFrom + SLACK;
  if (lacksMemory || !mayWrite(least > beside ? least - beside : 0)) return false;
  if (!scratchReserve(out, n)) lacksMemory = true;
  return !lacksMemory;
}

@inline function hasRoom(n: u32): bool { return load<u32>(out, RUN_CAP) - load<u32>(out, RUN_LEN) >= n || widen(n); }

/** Adds `n` bytes. */
export function put(p: usize, n: u32): void {
  if (!hasRoom(n + 16)) return;
  copyForward(at(), p, n);
  grow(n);
}

/** Adds a piece of pieces.ts. */
export function putPiece(p: usize): void { put(p + 1, <u32>load<u8>(p)); }

/** Adds one byte. */
export function putByte(c: u32): void {
  if (!hasRoom(1)) return;
  store<u8>(at(), <u8>c);
  grow(1);
}

/** Adds digits. */
export function putNumber(n: u64): void {
  if (!hasRoom(32)) return;
  const start = at();
  grow(<u32>(writeUint(n, start) - start));
}

/** Adds the value at a slot. */
export function putSlot(slot: usize): void {
  const n = slotSize(slot);
  if (!hasRoom(n + 16)) return;
  writeSlot(slot, at());
  grow(n);
}

/** Adds a piece and the value at a slot (0, or an address in a zeroed table: there is none). */
export function putMember(name: usize, slot: usize): void {
  if (!slot || !load<u32>(slot)) return;
  putPiece(name);
  putSlot(slot);
}

/** The id of the block that the event speaks of begins here, and ends. */
export function openId(): void { idFrom = load<u32>(out, RUN_LEN); }
export function closeId(): void { idTo = load<u32>(out, RUN_LEN); }

/** The event speaks of one field of the block alone, a piece of pieces.ts. */
export function speakOfField(name: usize): void { field = name; }

/** Adds the string [p, p + n), which is the delta of the event. */
export function putDelta(p: usize, n: u32): void {
  deltaFrom = load<u32>(out, RUN_LEN) + 1;
  deltaTo = deltaFrom + n - 2;
  put(p, n);
}
