// A stream of MessagePack values, which end where their contents say: found byte by byte at any cut, each byte looked at once.
import { bytesAppend, bytesClear, bytesFree, bytesReserve, RUN_LEN } from "../memory/bytes";
import {
  clearFlag, DISCARDING, F_DATA_OFFSET, F_LIMIT, F_LINE, F_LINE_OFFSET, F_LINES, F_SKIP, F_STARTS, forget, FRAME_NO_MEMORY, FRAME_NONE, frameEvent, hasFlag,
  lengthOf, offsetOf, setFlag, setFrameEvent, setMessage, setTooLarge, textOf,
} from "./state";

// Of the frame (state.ts) this transport uses
//   F_LINE    the bytes of the unfinished message, F_LINE_OFFSET its wire offset
//   F_STARTS  open levels, outermost first, 8 bytes each: items still to come, that of the next level included. Empty: no message has begun
//   F_LINES   lead byte << 8 | size bytes still to come, where the cut lies in a size; BODY where it lies in what has no items; else 0
//   F_SKIP    the size bytes so far, as a number
//   F_DATA_OFFSET  bytes still to come of a body, u64
const BODY: u32 = 0x80000000;

// For lead bytes C0..DF: size bytes << 5 | further bytes that follow (of a bin, str or ext as many more as the size says).
const SHAPES: usize = memory.data<u8>([
  0, 0, 0, 0, 1 << 5, 2 << 5, 4 << 5, (1 << 5) | 1, (2 << 5) | 1, (4 << 5) | 1, 4, 8, 1, 2, 4, 8,
  1, 2, 4, 8, 2, 3, 5, 9, 17, 1 << 5, 2 << 5, 4 << 5, 2 << 5, 4 << 5, 2 << 5, 4 << 5,
]);

/** Whether the next byte begins a message. */
@inline export function msgpackAtStart(f: usize): bool { return lengthOf(f + F_STARTS) == 0; }

/**
 * Reads [p, end) until a message is complete (FRAME_MESSAGE; what kind of value it is was not looked at), too large (FRAME_TOO_LARGE:
 * more bytes than F_LIMIT have come) or the input is used up; returns where it stopped. Messages of one chunk stay where they are.
 *
 * A message that cannot be read to its end, for the byte C1 or for a container that opens level `maxDepth` + 1, ends behind what tells:
 * a reader finds a fault there at the latest.
 */
export function msgpackNext(f: usize, p: usize, end: usize, maxDepth: u32): usize {
  setFrameEvent(FRAME_NONE);
  const held = f + F_LINE;
  while (p < end && frameEvent == FRAME_NONE) {
    if (msgpackAtStart(f)) {
      if (!push(f, 1)) { setFrameEvent(FRAME_NO_MEMORY); return end; }
      store<f64>(f, offsetOf(p), F_LINE_OFFSET);
    }
    const start = p;
    p = scan(f, p, end, maxDepth);
    if (!p) { setFrameEvent(FRAME_NO_MEMORY); return end; }
    const whole = msgpackAtStart(f);
    if (hasFlag(f, DISCARDING)) {
      if (whole) clearFlag(f, DISCARDING);
    } else if (<u64>lengthOf(held) + <u64>(p - start) > <u64>load<u32>(f, F_LIMIT)) {
      setTooLarge(load<f64>(f, F_LINE_OFFSET));
      bytesFree(held);
      if (!whole) setFlag(f, DISCARDING);
    } else if (whole && !lengthOf(held)) {
      setMessage(start, p, load<f64>(f, F_LINE_OFFSET));
    } else {
      if (!bytesAppend(held, start, <u32>(p - start))) { setFrameEvent(FRAME_NO_MEMORY); return end; }
      if (whole) setMessage(textOf(held), textOf(held) + lengthOf(held), load<f64>(f, F_LINE_OFFSET));
    }
  }
  return p;
}

/** Forgets the message that was handed out. */
export function msgpackMessageDone(f: usize): void { forget(f + F_LINE); }

@inline function levelOf(f: usize): usize { return textOf(f + F_STARTS) + lengthOf(f + F_STARTS) - 8; }

function push(f: usize, items: u64): bool {
  const levels = f + F_STARTS;
  if (!bytesReserve(levels, 8)) return false;
  store<u64>(textOf(levels) + lengthOf(levels), items);
  store<u32>(levels, lengthOf(levels) + 8, RUN_LEN);
  return true;
}

// The message ends here, whatever is open.
function close(f: usize): void {
  bytesClear(f + F_STARTS);
  store<u32>(f, 0, F_LINES);
}

// An item is complete, and with it the containers whose last one it was.
function completeItem(f: usize): void {
  const levels = f + F_STARTS;
  while (lengthOf(levels)) {
    const level = levelOf(f), left = load<u64>(level) - 1;
    store<u64>(level, left);
    if (left) return;
    store<u32>(levels, lengthOf(levels) - 8, RUN_LEN);
  }
}

// Goes on in the message until it ends (no level is left) or the input does; 0 = out of memory.
function scan(f: usize, p: usize, end: usize, maxDepth: u32): usize {
  while (p < end && lengthOf(f + F_STARTS)) {
    const state = load<u32>(f, F_LINES);
    if (state == BODY) {
      const left = load<u64>(f, F_DATA_OFFSET), n = min<u64>(left, <u64>(end - p));
      p += <usize>n;
      if (n < left) { store<u64>(f, left - n, F_DATA_OFFSET); return p; }
      store<u32>(f, 0, F_LINES);
      completeItem(f);
      continue;
    }
    if (state) {
      const value = (load<u32>(f, F_SKIP) << 8) | <u32>load<u8>(p++);
      store<u32>(f, value, F_SKIP);
      store<u32>(f, state - 1, F_LINES);
      if ((state & 255) == 1) {
        store<u32>(f, 0, F_LINES);
        if (!begin(f, state >> 8, value, maxDepth)) return 0;
      }
      continue;
    }
    const c = <u32>load<u8>(p++);
    if (c < 0x80 || c >= 0xe0) completeItem(f);
    else if (c < 0xa0) {
      if (!begin(f, c < 0x90 ? 0xde : 0xdc, c & 15, maxDepth)) return 0;
    } else if (c < 0xc0) beginBody(f, <u64>(c & 31));
    else if (c == 0xc1) close(f);
    else {
      const size = <u32>load<u8>(SHAPES + (c - 0xc0)) >> 5;
      if (!size) beginBody(f, <u64>load<u8>(SHAPES + (c - 0xc0)));
      else if (end - p >= <usize>size) {
        const value = size == 1 ? <u32>load<u8>(p) : size == 2 ? <u32>bswap<u16>(load<u16>(p)) : bswap<u32>(load<u32>(p));
        p += size;
        if (!begin(f, c, value, maxDepth)) return 0;
      } else {
        store<u32>(f, (c << 8) | size, F_LINES);
        store<u32>(f, 0, F_SKIP);
      }
    }
  }
  return p;
}

function beginBody(f: usize, n: u64): void {
  if (!n) { completeItem(f); return; }
  store<u32>(f, BODY, F_LINES);
  store<u64>(f, n, F_DATA_OFFSET);
}

// What the sized lead byte c begins; false = out of memory.
function begin(f: usize, c: u32, size: u32, maxDepth: u32): bool {
  if (c < 0xdc) {
    beginBody(f, <u64>size + <u64>(load<u8>(SHAPES + (c - 0xc0)) & 31));
    return true;
  }
  // the value itself stands on a level of its own
  if ((lengthOf(f + F_STARTS) >> 3) > maxDepth) { close(f); return true; }
  if (!size) { completeItem(f); return true; }
  return push(f, c < 0xde ? <u64>size : <u64>size << 1);
}

/**
 * Appends bytes to the run `out` that bring a fresh frame into this one's state when they are read as a chunk: those of the unfinished
 * message, or, where these are being passed over, others that stand for them (the fresh frame must be DISCARDING then). At most 14 bytes
 * a level more than what is held. False = out of memory.
 */
export function msgpackPartial(f: usize, out: usize): bool {
  if (!hasFlag(f, DISCARDING)) return bytesAppend(out, textOf(f + F_LINE), lengthOf(f + F_LINE));
  const levels = f + F_STARTS, state = load<u32>(f, F_LINES);
  // the outermost level is the message itself
  for (let at: u32 = 8; at < lengthOf(levels); at += 8) {
    const left = load<u64>(textOf(levels) + at);
    // a map of 2^31 pairs and more has more items than an array can
    if (left <= 0xffffffff) { if (!appendSized(out, 0xdd, <u32>left)) return false; }
    else if (!appendSized(out, 0xdf, <u32>((left + 1) >> 1)) || ((left & 1) != 0 && !appendByte(out, 0xc0))) return false;
  }
  if (state == BODY) return appendSized(out, 0xc9, <u32>(load<u64>(f, F_DATA_OFFSET) - 1));
  if (!state) return true;
  if (!appendByte(out, state >> 8)) return false;
  const c = state >> 8, come = (<u32>load<u8>(SHAPES + (c - 0xc0)) >> 5) - (state & 255);
  for (let i = come; i; i--) if (!appendByte(out, load<u32>(f, F_SKIP) >> ((i - 1) << 3))) return false;
  return true;
}

/** Brings a fresh frame into the state that `msgpackPartial` has written as [p, p + n); `passing`: a message was being passed over. False = not that, or out of memory. */
export function msgpackResume(f: usize, p: usize, n: u32, maxDepth: u32, passing: bool): bool {
  if (passing) {
    if (!n) return false;
    setFlag(f, DISCARDING);
  }
  return msgpackNext(f, p, p + n, maxDepth) == p + n && frameEvent == FRAME_NONE && hasFlag(f, DISCARDING) == passing;
}

function appendByte(out: usize, byte: u32): bool {
  if (!bytesReserve(out, 1)) return false;
  store<u8>(textOf(out) + lengthOf(out), byte);
  store<u32>(out, lengthOf(out) + 1, RUN_LEN);
  return true;
}

function appendSized(out: usize, c: u32, size: u32): bool {
  if (!bytesReserve(out, 5)) return false;
  store<u8>(textOf(out) + lengthOf(out), c);
  store<u32>(textOf(out) + lengthOf(out), bswap<u32>(size), 1);
  store<u32>(out, lengthOf(out) + 5, RUN_LEN);
  return true;
}
