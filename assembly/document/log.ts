// The log: new text of a document is written once and left alone, but for short values that are written over (`overwrite`). Room comes from what the loaded text left over,
// then from pieces of an eighth of the document, of more than 16 KiB a 32nd: 96 B to 64 KiB.
import { copyExact, copyForward } from "../memory/copy";
import { roundDown } from "../memory/heap";
import { LOG_AT, LOG_END, OUT_OF_MEMORY, PIECES, SIZE, WORK, failWith } from "./layout";
import { PIECE_HEADER, linkPiece, newPiece, pieceRoomEnd } from "./piece";

/** Writable bytes kept behind the log, for block-wise copies. */
const SLACK: u32 = 16;

/** An eighth of 100 KB, taken at once, was most of what such a document may hold until it is compacted: that came after 1,000 patches. */
const HASTY: u32 = 2048;

/**
 * Makes room for `n` bytes (and 16 of slack) and returns where the next text goes; 0 = out of memory. Text written
 * there belongs to the document once a step is given its address as the value.
 */
export function logReserve(d: usize, n: u32): usize {
  const at = <usize>load<u32>(d, LOG_AT);
  if (at && <usize>load<u32>(d, LOG_END) - at >= <usize>n) return at;
  const size = load<u32>(d, SIZE), wanted = max<u32>(min<u32>(size >> 3, HASTY), size >> 5);
  const usual = roundDown(min<u32>(max<u32>(wanted, 96), 65536) + PIECE_HEADER + SLACK);
  const piece = newPiece(d, max<u32>(n + SLACK, usual - PIECE_HEADER));
  if (!piece) return failWith(OUT_OF_MEMORY);
  linkPiece(piece, <usize>load<u32>(d, PIECES));
  store<u32>(d, <u32>piece, PIECES);
  openLog(d, piece + PIECE_HEADER, pieceRoomEnd(piece, 0));
  return <usize>load<u32>(d, LOG_AT);
}

/** Lets the log go on in [at, end). */
export function openLog(d: usize, at: usize, end: usize): void {
  const open = end - at > SLACK;
  store<u32>(d, open ? <u32>at : 0, LOG_AT);
  store<u32>(d, open ? <u32>(end - SLACK) : 0, LOG_END);
}

/** Copies text into the log, or adopts it where it was written to the reserved place; room has been reserved. Returns its address. */
export function logText(d: usize, text: usize, n: u32): usize {
  const at = <usize>load<u32>(d, LOG_AT);
  if (text != at) copyForward(at, text, n);
  passText(d, at, n);
  store<u32>(d, load<u32>(d, WORK) + n, WORK);
  return at;
}

// What stands behind every text of the log, so that NULs there are room that the text has once had and nobody else's.
const GUARD: u8 = 0x2c;

/** Lets the log go on behind the `n` bytes that stand at its end. */
export function passText(d: usize, at: usize, n: u32): void {
  const end = at + n;
  store<u8>(end, GUARD);
  // a guard that has taken the first byte of the slack closes the piece: an empty text would stand on what was written last
  store<u32>(d, <u32>end < load<u32>(d, LOG_END) ? <u32>end + 1 : 0, LOG_AT);
}

/** Copies a text that may be written over later (`overwrite`) into the log, with room to grow into. Returns its address, 0 = out of memory. */
export function logWithRoom(d: usize, text: usize, n: u32): usize {
  const room = n + ROOM & ~(ROOM - 1), at = logReserve(d, room);
  if (!at) return 0;
  copyForward(at, text, n);
  store<u64>(at + n, 0);
  store<u8>(at + room - 1, GUARD);
  store<u32>(d, <u32>at + room, LOG_AT);
  store<u32>(d, load<u32>(d, WORK) + room, WORK);
  return at;
}
const ROOM: u32 = 8;

/** A text that is longer or shorter by more is written anew. */
const MOST_SPARE: u32 = 64;

/**
 * Writes `n` bytes of text over the `old` bytes of another one at `p`, which nobody else holds; NULs take the place of what is left of that, and are room for
 * a longer text later, since no JSON text holds any. `false`: there is no room, nothing changed.
 */
@inline export function overwrite(p: usize, old: u32, text: usize, n: u32): bool {
  if (n > old) {
    if (n - old > MOST_SPARE) return false;
    for (let at = p + old, end = p + n; at < end; at++) if (load<u8>(at)) return false;
  } else {
    if (old - n > MOST_SPARE) return false;
    for (let at = p + n, end = p + old; at < end; at++) store<u8>(at, 0);
  }
  copyExact(p, text, n);
  return true;
}
