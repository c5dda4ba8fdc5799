// Where a decoder stands inside of the wire, and what it hands out.
import { bytesClear, bytesFree, RUN_CAP, RUN_LEN, RUN_PTR } from "../memory/bytes";

// Frame, FRAME_SIZE bytes:
//   0 line: run of the bytes of an unfinished line (or message)      16 data: run of the event's data so far
//  32 id buffer: run      48 last event id: run      64 starts: run of u32, where the 2nd, 3rd ... data line began behind the first
//  80 flags u8 | 84 data lines | 88 bytes in front of the data (a line that became the data whole) | 92 limit of a message in bytes
//  96 wire offset of the next byte f64 | 104 offset of the first data byte f64 | 112 offset of the unfinished line f64 | 120 retry f64 (-1 unknown)
export const F_LINE: usize = 0, F_DATA: usize = 16, F_ID: usize = 32, F_LAST_ID: usize = 48, F_STARTS: usize = 64;
export const F_FLAGS: usize = 80, F_LINES: usize = 84, F_SKIP: usize = 88, F_LIMIT: usize = 92;
export const F_OFFSET: usize = 96, F_DATA_OFFSET: usize = 104, F_LINE_OFFSET: usize = 112, F_RETRY: usize = 120;
export const FRAME_SIZE: u32 = 128;

/** No byte-order mark can come any more. */
export const STARTED: u8 = 1;
/** The last byte was a CR: an LF that follows belongs to it. */
export const AFTER_CR: u8 = 2;
/** The id buffer holds an id that no dispatch has made the last event id yet. */
export const ID_SET: u8 = 4;
export const LAST_ID_KNOWN: u8 = 8;
/** The rest of a message that was too large is being passed over. */
export const DISCARDING: u8 = 16;
/** The line being passed over has bytes. */
export const LINE_HAS_BYTES: u8 = 32;

export const FRAME_NONE: u32 = 0;
export const FRAME_MESSAGE: u32 = 1;
export const FRAME_TOO_LARGE: u32 = 2;
export const FRAME_NO_MEMORY: u32 = 3;

/** What the last step found: FRAME_NONE means that the input was used up. */
export let frameEvent: u32 = FRAME_NONE;
/** The message, followed by a NUL. */
export let messageStart: usize = 0;
export let messageEnd: usize = 0;
/** Wire offset of the message's first byte, or of the message that is too large. */
export let messageOffset: f64 = 0;
/** The message was joined of several SSE data lines. */
export let messageIsJoined: bool = false;

let chunkStart: usize = 0;
let chunkOffset: f64 = 0;

/** Begins a chunk at address `p`: its first byte has the frame's next wire offset. */
export function beginChunk(f: usize, p: usize): void {
  chunkStart = p;
  chunkOffset = load<f64>(f, F_OFFSET);
}

/** Ends a chunk of which everything before address `p` was consumed. */
export function endChunk(f: usize, p: usize): void { store<f64>(f, offsetOf(p), F_OFFSET); }

/** Wire offset of an address inside of the chunk. */
@inline export function offsetOf(p: usize): f64 { return chunkOffset + <f64>(p - chunkStart); }

/** Puts 64 bytes of NUL behind a chunk or a text; a bulk fill costs more than these stores. */
@inline export function putSentinel(p: usize): void {
  for (let i: usize = 0; i < 64; i += 8) store<u64>(p + i, 0);
}

export function setFrameEvent(event: u32): void { frameEvent = event; }

export function setMessage(start: usize, end: usize, offset: f64): void {
  frameEvent = FRAME_MESSAGE;
  messageStart = start;
  messageEnd = end;
  messageOffset = offset;
  messageIsJoined = false;
}

/** The message consists of `lines` SSE data lines. */
export function setJoined(lines: u32): void { messageIsJoined = lines > 1; }

export function setTooLarge(offset: f64): void {
  frameEvent = FRAME_TOO_LARGE;
  messageOffset = offset;
}

/** Bytes of one of the frame's runs, and where they lie. */
@inline export function lengthOf(run: usize): u32 { return load<u32>(run, RUN_LEN); }
@inline export function textOf(run: usize): usize { return <usize>load<u32>(run, RUN_PTR); }

/** Buffers up to this size are kept between messages. */
const KEPT: u32 = 65536;

/** Forgets what a run of the frame holds. */
export function forget(run: usize): void {
  if (load<u32>(run, RUN_CAP) > KEPT) bytesFree(run);
  else bytesClear(run);
}

@inline export function hasFlag(f: usize, flag: u8): bool { return (load<u8>(f, F_FLAGS) & flag) != 0; }
@inline export function setFlag(f: usize, flag: u8): void { store<u8>(f, load<u8>(f, F_FLAGS) | flag, F_FLAGS); }
@inline export function clearFlag(f: usize, flag: u8): void { store<u8>(f, load<u8>(f, F_FLAGS) & ~flag, F_FLAGS); }
