// Server-sent events (WHATWG HTML, "Parsing an event stream"), line by line, at every cut of the wire.
import { bytesAppend, bytesClear, bytesFree, bytesReserve, RUN_LEN } from "../memory/bytes";
import { equalBytes } from "../memory/copy";
import { replaceInvalid } from "../text/replace-utf8";
import { findByte, findLineEnd } from "../text/scan";
import { skipSpace } from "../text/trusted";
import {
  AFTER_CR, clearFlag, DISCARDING, F_DATA, F_DATA_OFFSET, F_FLAGS, F_ID, F_LAST_ID, F_LIMIT, F_LINE, F_LINE_OFFSET, F_LINES, F_RETRY, F_SKIP, F_STARTS, forget,
  FRAME_NO_MEMORY, FRAME_NONE, frameEvent, hasFlag, ID_SET, LAST_ID_KNOWN, lengthOf, LINE_HAS_BYTES, offsetOf, setFlag, setFrameEvent, setJoined, setMessage,
  setTooLarge, STARTED, textOf,
} from "./state";

/** A line may be longer than a message by `data: `. */
const FIELD_ROOM: u32 = 6;
const BOM: usize = memory.data<u8>([0xef, 0xbb, 0xbf, 0]);

/** Whether the next byte begins an event: nothing is pending, so an event may be read where it lies. */
@inline export function sseAtEventStart(f: usize): bool {
  return load<u32>(f, F_LINES) == 0 && lengthOf(f + F_LINE) == 0 && (load<u8>(f, F_FLAGS) & (STARTED | AFTER_CR | DISCARDING)) == STARTED;
}

/** Reads lines from [p, end) until a message is complete or the input is used up; returns where it stopped. */
export function sseNext(f: usize, p: usize, end: usize): usize {
  setFrameEvent(FRAME_NONE);
  if (!hasFlag(f, STARTED)) p = passMark(f, p, end);
  while (p < end && frameEvent == FRAME_NONE) {
    if (hasFlag(f, AFTER_CR)) {
      clearFlag(f, AFTER_CR);
      if (load<u8>(p) == 0x0a) { p++; continue; }
    }
    const stop = findLineEnd(p, end);
    if (!stop) { hold(f, p, end); return end; }
    let next = stop + 1;
    if (load<u8>(stop) == 0x0d) {
      if (next == end) setFlag(f, AFTER_CR);
      else if (load<u8>(next) == 0x0a) next++;
    }
    completeLine(f, p, stop);
    p = next;
  }
  return p;
}

// The bytes of a byte-order mark wait in the line until they are three or another byte comes.
function passMark(f: usize, p: usize, end: usize): usize {
  const line = f + F_LINE;
  while (p < end) {
    const n = lengthOf(line);
    if (load<u8>(p) != load<u8>(BOM + n)) { setFlag(f, STARTED); break; }
    if (!n) store<f64>(f, offsetOf(p), F_LINE_OFFSET);
    if (!bytesAppend(line, p, 1)) { setFrameEvent(FRAME_NO_MEMORY); return end; }
    p++;
    if (n == 2) { bytesClear(line); setFlag(f, STARTED); break; }
  }
  return p;
}

// Keeps the part of an unfinished line.
function hold(f: usize, p: usize, end: usize): void {
  if (hasFlag(f, DISCARDING)) { setFlag(f, LINE_HAS_BYTES); return; }
  const line = f + F_LINE, n = <u32>(end - p);
  if (!lengthOf(line)) store<f64>(f, offsetOf(p), F_LINE_OFFSET);
  if (lengthOf(line) + n > load<u32>(f, F_LIMIT) + FIELD_ROOM) {
    // only the beginning is needed to say whether it is a data line
    if (lengthOf(line) < 16 && !bytesAppend(line, p, min<u32>(n, 16))) { setFrameEvent(FRAME_NO_MEMORY); return; }
    refuseLine(f, textOf(line), textOf(line) + lengthOf(line), load<f64>(f, F_LINE_OFFSET));
    setFlag(f, LINE_HAS_BYTES);
    bytesFree(line);
    return;
  }
  if (!bytesAppend(line, p, n)) setFrameEvent(FRAME_NO_MEMORY);
}

function completeLine(f: usize, p: usize, stop: usize): void {
  const line = f + F_LINE;
  if (hasFlag(f, DISCARDING)) {
    const empty = p == stop && !hasFlag(f, LINE_HAS_BYTES);
    clearFlag(f, LINE_HAS_BYTES);
    if (empty) {
      clearFlag(f, DISCARDING);
      sseCommitId(f);
      sseMessageDone(f);
    }
    return;
  }
  const held = lengthOf(line);
  if (!held) { takeLine(f, p, stop, offsetOf(p), false); return; }
  const offset = load<f64>(f, F_LINE_OFFSET);
  if (held + <u32>(stop - p) > load<u32>(f, F_LIMIT) + FIELD_ROOM) {
    if (held < 16 && !bytesAppend(line, p, min<u32>(<u32>(stop - p), 16))) { setFrameEvent(FRAME_NO_MEMORY); return; }
    refuseLine(f, textOf(line), textOf(line) + lengthOf(line), offset);
    bytesFree(line);
    return;
  }
  if (!bytesAppend(line, p, <u32>(stop - p))) { setFrameEvent(FRAME_NO_MEMORY); return; }
  takeLine(f, textOf(line), textOf(line) + lengthOf(line), offset, true);
  forget(line);
}

// A message is too large: its position is its first data byte, or the line itself where it holds no data.
function refuseLine(f: usize, p: usize, end: usize, offset: f64): void {
  const value = dataValue(p, end);
  if (value) offset = load<u32>(f, F_LINES) ? load<f64>(f, F_DATA_OFFSET) : offset + <f64>(value - p);
  setTooLarge(offset);
  setFlag(f, DISCARDING);
  sseMessageDone(f);
}

// Start of the value when [p, end) is a data line, else 0.
@inline function dataValue(p: usize, end: usize): usize {
  if (end - p < 4 || load<u32>(p) != 0x61746164) return 0;
  if (end - p == 4) return end;
  if (load<u8>(p, 4) != 0x3a) return 0;
  return p + (end - p > 5 && load<u8>(p, 5) == 0x20 ? 6 : 5);
}

function takeLine(f: usize, p: usize, end: usize, offset: f64, held: bool): void {
  if (p == end) { dispatch(f); return; }
  const value = dataValue(p, end);
  if (value) { takeData(f, p, value, end, offset, held); return; }
  if (<u32>(end - p) > load<u32>(f, F_LIMIT) + FIELD_ROOM) { refuseLine(f, p, end, offset); return; }
  takeField(f, p, end);
}

function takeData(f: usize, p: usize, value: usize, end: usize, offset: f64, held: bool): void {
  const data = f + F_DATA, lines = load<u32>(f, F_LINES), n = <u32>(end - value);
  const soFar = lengthOf(data) - load<u32>(f, F_SKIP) + (lines ? 1 : 0);
  if (<u32>(end - p) > load<u32>(f, F_LIMIT) + FIELD_ROOM || soFar + n > load<u32>(f, F_LIMIT)) { refuseLine(f, p, end, offset); return; }
  offset += <f64>(value - p);
  if (!lines) {
    store<f64>(f, offset, F_DATA_OFFSET);
    if (held) {
      // the line becomes the data: no second copy of a large message
      swapRuns(f + F_LINE, data);
      bytesClear(f + F_LINE);
      store<u32>(f, <u32>(value - p), F_SKIP);
    } else if (!bytesAppend(data, value, n)) { setFrameEvent(FRAME_NO_MEMORY); return; }
  } else {
    const delta = <u32>min<f64>(offset - load<f64>(f, F_DATA_OFFSET), 4294967295);
    store<u32>(DELTA, delta);
    if (!bytesAppend(f + F_STARTS, DELTA, 4) || !bytesReserve(data, n + 1)) { setFrameEvent(FRAME_NO_MEMORY); return; }
    bytesAppend(data, LINE_FEED, 1);
    bytesAppend(data, value, n);
  }
  store<u32>(f, lines + 1, F_LINES);
}

const DELTA: usize = memory.data(16, 16);
const LINE_FEED: usize = memory.data<u8>([0x0a, 0, 0, 0, 0, 0, 0, 0]);

function swapRuns(a: usize, b: usize): void {
  const low = load<u64>(a), high = load<u64>(a, 8);
  store<u64>(a, load<u64>(b));
  store<u64>(a, load<u64>(b, 8), 8);
  store<u64>(b, low);
  store<u64>(b, high, 8);
}

// `id` and `retry`; other fields and comments mean nothing here.
function takeField(f: usize, p: usize, end: usize): void {
  const colon = findByte(p, end, 0x3a), nameEnd = colon ? colon : end;
  let value = colon ? colon + 1 : end;
  if (value < end && load<u8>(value) == 0x20) value++;
  const n = nameEnd - p;
  if (n == 2 && load<u16>(p) == 0x6469) {
    if (findByte(value, end, 0)) return;
    const id = f + F_ID;
    bytesClear(id);
    if (!bytesReserve(id, <u32>(end - value) * 3 + 16)) { setFrameEvent(FRAME_NO_MEMORY); return; }
    store<u32>(id, <u32>(replaceInvalid(value, end, textOf(id)) - textOf(id)), RUN_LEN);
    setFlag(f, ID_SET);
  } else if (n == 5 && load<u32>(p) == 0x72746572 && load<u8>(p, 4) == 0x79) takeRetry(f, value, end);
}

function takeRetry(f: usize, p: usize, end: usize): void {
  if (p == end) return;
  let v: f64 = 0;
  while (p < end) {
    const digit = <u32>load<u8>(p++) - 48;
    if (digit > 9) return;
    v = v * 10 + digit;
  }
  store<f64>(f, min<f64>(v, 9007199254740991), F_RETRY);
}

function dispatch(f: usize): void {
  if (!load<u32>(f, F_LINES)) { sseCommitId(f); return; }
  const data = f + F_DATA, start = textOf(data) + load<u32>(f, F_SKIP), end = textOf(data) + lengthOf(data);
  if (isNoMessage(start, end)) {
    sseCommitId(f);
    sseMessageDone(f);
    return;
  }
  setMessage(start, end, load<f64>(f, F_DATA_OFFSET));
  setJoined(load<u32>(f, F_LINES));
}

const DONE: usize = memory.data<u8>([0x5b, 0x44, 0x4f, 0x4e, 0x45, 0x5d, 0, 0]);

// White space alone, or `[DONE]`. Puts the NUL behind the text.
function isNoMessage(start: usize, end: usize): bool {
  if (!start) return true;
  memory.fill(end, 0, 64);
  const p = skipSpace(start);
  if (p == end) return true;
  return load<u8>(p) == 0x5b && end - p >= 6 && equalBytes(p, DONE, 6) && skipSpace(p + 6) == end;
}

/** Makes the id that was read last the last event id. */
@inline export function sseCommitId(f: usize): void { if (hasFlag(f, ID_SET)) commitId(f); }

function commitId(f: usize): void {
  clearFlag(f, ID_SET);
  swapRuns(f + F_ID, f + F_LAST_ID);
  setFlag(f, LAST_ID_KNOWN);
}

/** Forgets the message that was handed out. */
export function sseMessageDone(f: usize): void {
  forget(f + F_DATA);
  forget(f + F_STARTS);
  store<u32>(f, 0, F_LINES);
  store<u32>(f, 0, F_SKIP);
}

/** Ends the body: the unfinished line counts as a line, and what is pending as dispatched. Afterwards the frame stands at a fresh start. */
export function sseFinish(f: usize): void {
  setFrameEvent(FRAME_NONE);
  const line = f + F_LINE;
  if (lengthOf(line)) takeLine(f, textOf(line), textOf(line) + lengthOf(line), load<f64>(f, F_LINE_OFFSET), true);
  if (frameEvent != FRAME_NONE || !load<u32>(f, F_LINES)) return;
  const data = f + F_DATA, start = textOf(data) + load<u32>(f, F_SKIP), end = textOf(data) + lengthOf(data);
  if (isNoMessage(start, end)) return;
  setMessage(start, end, load<f64>(f, F_DATA_OFFSET));
  setJoined(load<u32>(f, F_LINES));
}

/** Wire offset of byte `at` of the pending message, whose data lines were joined by LF. */
export function sseOffset(f: usize, at: u32): f64 {
  const first = load<f64>(f, F_DATA_OFFSET);
  const start = textOf(f + F_DATA) + load<u32>(f, F_SKIP), starts = textOf(f + F_STARTS), end = start + at;
  let joins: u32 = 0, line = start;
  const most = load<u32>(f, F_LINES) - 1;
  for (let p = findByte(start, end, 0x0a); p && joins < most; p = findByte(p + 1, end, 0x0a)) { joins++; line = p + 1; }
  if (joins < most && load<u8>(end) == 0x0a) return first + <f64>load<u32>(starts + (joins << 2));
  return first + (joins ? <f64>load<u32>(starts + ((joins - 1) << 2)) : 0) + <f64>(end - line);
}
