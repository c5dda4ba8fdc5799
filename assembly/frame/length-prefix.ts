// Frames of a big-endian u32 length and as many bytes (AG-UI over protobuf). Memory is taken for bytes that have come, never for a length.
import { bytesAppend, bytesFree, bytesReserve, RUN_LEN } from "../memory/bytes";
import {
  clearFlag, DISCARDING, F_LIMIT, F_LINE, F_LINE_OFFSET, F_SKIP, forget, FRAME_NO_MEMORY, FRAME_NONE, frameEvent, hasFlag, lengthOf, offsetOf, setFlag,
  setFrameEvent, setMessage, setTooLarge, textOf,
} from "./state";

// F_LINE holds the unfinished frame with its length; while DISCARDING, F_SKIP counts what has yet to come of a frame that is passed over.
const PREFIX: u32 = 4;

/** Whether the next byte begins a frame. */
@inline export function prefixAtStart(f: usize): bool { return lengthOf(f + F_LINE) == 0 && !hasFlag(f, DISCARDING); }

/** Whether a frame has begun and not ended: the end of the body here is a truncation. */
export function prefixIsPartial(f: usize): bool { return !prefixAtStart(f); }

/**
 * Cuts [p, end) until a frame is complete, too large or the input is used up; returns where it stopped. A message is the payload, its offset that of its
 * first byte; one of no bytes is a message too, which its reader refuses. Too large is judged from the length, at the offset of the length.
 */
export function prefixNext(f: usize, p: usize, end: usize): usize {
  setFrameEvent(FRAME_NONE);
  const line = f + F_LINE;
  while (p < end && frameEvent == FRAME_NONE) {
    if (hasFlag(f, DISCARDING)) {
      p = discard(f, p, end);
      continue;
    }
    const held = lengthOf(line);
    if (!held && end - p >= PREFIX) {
      const length = bswap<u32>(load<u32>(p));
      if (length > load<u32>(f, F_LIMIT)) { refuse(f, length, offsetOf(p)); return p + PREFIX; }
      if (end - p - PREFIX >= length) {
        setMessage(p + PREFIX, p + PREFIX + length, offsetOf(p) + PREFIX);
        return p + PREFIX + length;
      }
    }
    p = held < PREFIX ? holdPrefix(f, p, end) : holdPayload(f, p, end);
  }
  return p;
}

function discard(f: usize, p: usize, end: usize): usize {
  const left = load<u32>(f, F_SKIP), n = <u32>(end - p);
  if (left > n) { store<u32>(f, left - n, F_SKIP); return end; }
  store<u32>(f, 0, F_SKIP);
  clearFlag(f, DISCARDING);
  return p + left;
}

function refuse(f: usize, length: u32, offset: f64): void {
  store<u32>(f, length, F_SKIP);
  setFlag(f, DISCARDING);
  setTooLarge(offset);
  bytesFree(f + F_LINE);
}

// Holds bytes of a length that has not come whole, or the whole length when the payload has not come.
function holdPrefix(f: usize, p: usize, end: usize): usize {
  const line = f + F_LINE, held = lengthOf(line), n = min<u32>(PREFIX - held, <u32>(end - p));
  if (!held) store<f64>(f, offsetOf(p), F_LINE_OFFSET);
  if (!bytesAppend(line, p, n)) { setFrameEvent(FRAME_NO_MEMORY); return end; }
  if (held + n == PREFIX) {
    const length = bswap<u32>(load<u32>(textOf(line)));
    if (length > load<u32>(f, F_LIMIT)) refuse(f, length, load<f64>(f, F_LINE_OFFSET));
    else if (!length) handOut(f);
  }
  return p + n;
}

function holdPayload(f: usize, p: usize, end: usize): usize {
  const line = f + F_LINE, missing = bswap<u32>(load<u32>(textOf(line))) + PREFIX - lengthOf(line), n = min<u32>(missing, <u32>(end - p));
  if (!bytesAppend(line, p, n)) { setFrameEvent(FRAME_NO_MEMORY); return end; }
  if (n == missing) handOut(f);
  return p + n;
}

function handOut(f: usize): void {
  const line = f + F_LINE, start = textOf(line) + PREFIX;
  setMessage(start, textOf(line) + lengthOf(line), load<f64>(f, F_LINE_OFFSET) + PREFIX);
}

/** Forgets the message that was handed out. */
export function prefixMessageDone(f: usize): void { forget(f + F_LINE); }

/**
 * Appends to the run `out` the bytes of the unfinished frame, its length included; while one is being passed over, the number of bytes that have yet to
 * come of it (big-endian u32). False = out of memory.
 */
export function prefixPartial(f: usize, out: usize): bool {
  if (!hasFlag(f, DISCARDING)) return bytesAppend(out, textOf(f + F_LINE), lengthOf(f + F_LINE));
  if (!bytesReserve(out, PREFIX)) return false;
  store<u32>(textOf(out) + lengthOf(out), bswap<u32>(load<u32>(f, F_SKIP)));
  store<u32>(out, lengthOf(out) + PREFIX, RUN_LEN);
  return true;
}

/** Brings a fresh frame into the state that `prefixPartial` has written as [p, p + n); `passing`: a frame was being passed over. False = not that, or out of memory. */
export function prefixResume(f: usize, p: usize, n: u32, passing: bool): bool {
  if (!passing) return prefixNext(f, p, p + n) == p + n && frameEvent == FRAME_NONE;
  if (n != PREFIX || !load<u32>(p)) return false;
  store<u32>(f, bswap<u32>(load<u32>(p)), F_SKIP);
  setFlag(f, DISCARDING);
  return true;
}
