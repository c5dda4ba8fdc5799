// NDJSON lines, and whole messages that arrive in pieces.
import { bytesAppend, bytesClear, bytesFree } from "../memory/bytes";
import { findByte } from "../text/scan";
import { skipSpace } from "../text/trusted";
import {
  clearFlag, DISCARDING, F_LIMIT, F_LINE, F_LINE_OFFSET, forget, FRAME_NO_MEMORY, FRAME_NONE, frameEvent, hasFlag, lengthOf, offsetOf, setFlag, setFrameEvent,
  setMessage, setTooLarge, textOf,
} from "./state";


/** Whether the next byte begins a line. */
@inline export function lineAtStart(f: usize): bool { return lengthOf(f + F_LINE) == 0 && !hasFlag(f, DISCARDING); }

/** Reads NDJSON lines from [p, end) until one holds a message; returns where it stopped. The line's LF becomes a NUL. */
export function lineNext(f: usize, p: usize, end: usize): usize {
  setFrameEvent(FRAME_NONE);
  const line = f + F_LINE;
  while (p < end && frameEvent == FRAME_NONE) {
    const stop = findByte(p, end, 0x0a);
    if (hasFlag(f, DISCARDING)) {
      if (!stop) return end;
      clearFlag(f, DISCARDING);
      p = stop + 1;
      continue;
    }
    const rest = stop ? stop : end, n = <u32>(rest - p);
    if (lengthOf(line) + n > load<u32>(f, F_LIMIT)) {
      setTooLarge(lengthOf(line) ? load<f64>(f, F_LINE_OFFSET) : offsetOf(p));
      bytesFree(line);
      if (!stop) { setFlag(f, DISCARDING); return end; }
      return stop + 1;
    }
    if (!lengthOf(line)) {
      if (stop) {
        store<u8>(stop, 0);
        if (skipSpace(p) < stop) setMessage(p, stop, offsetOf(p));
        p = stop + 1;
        continue;
      }
      store<f64>(f, offsetOf(p), F_LINE_OFFSET);
    }
    if (!bytesAppend(line, p, n)) { setFrameEvent(FRAME_NO_MEMORY); return end; }
    if (!stop) return end;
    handOut(f);
    p = stop + 1;
  }
  return p;
}

// The held line is a message unless it is blank.
function handOut(f: usize): void {
  const line = f + F_LINE, start = textOf(line), end = start + lengthOf(line);
  memory.fill(end, 0, 64);
  if (skipSpace(start) < end) setMessage(start, end, load<f64>(f, F_LINE_OFFSET));
  else bytesClear(line);
}

/** Forgets the message that was handed out. */
export function lineMessageDone(f: usize): void { forget(f + F_LINE); }

/** Ends the body: an unfinished line counts as a message unless it is blank. */
export function lineFinish(f: usize): void {
  setFrameEvent(FRAME_NONE);
  if (lengthOf(f + F_LINE)) handOut(f);
}

/** One piece [p, end) of a message; `last` completes it. Messages of one piece stay where they are (a NUL lies behind the piece). */
export function wholeNext(f: usize, p: usize, end: usize, last: bool): usize {
  setFrameEvent(FRAME_NONE);
  const line = f + F_LINE, n = <u32>(end - p);
  if (hasFlag(f, DISCARDING)) {
    if (last) clearFlag(f, DISCARDING);
    return end;
  }
  if (lengthOf(line) + n > load<u32>(f, F_LIMIT)) {
    setTooLarge(lengthOf(line) ? load<f64>(f, F_LINE_OFFSET) : offsetOf(p));
    bytesFree(line);
    if (!last) setFlag(f, DISCARDING);
    return end;
  }
  if (last && !lengthOf(line)) { setMessage(p, end, offsetOf(p)); return end; }
  if (!lengthOf(line)) store<f64>(f, offsetOf(p), F_LINE_OFFSET);
  if (!bytesAppend(line, p, n)) { setFrameEvent(FRAME_NO_MEMORY); return end; }
  if (last) {
    const start = textOf(line), stop = start + lengthOf(line);
    memory.fill(stop, 0, 64);
    setMessage(start, stop, load<f64>(f, F_LINE_OFFSET));
  }
  return end;
}
