// The log: new text of a document is written once and never changed. Room comes from what the loaded text left over,
// then from pieces of an eighth of the document, 96 B to 64 KiB.
import { copyForward } from "../memory/copy";
import { roundDown } from "../memory/heap";
import { LOG_AT, LOG_END, OUT_OF_MEMORY, PIECES, SIZE, WORK, failWith } from "./layout";
import { PIECE_HEADER, linkPiece, newPiece, pieceRoomEnd } from "./piece";

/** Writable bytes kept behind the log, for block-wise copies. */
const SLACK: u32 = 16;

/**
 * Makes room for `n` bytes (and 16 of slack) and returns where the next text goes; 0 = out of memory. Text written
 * there belongs to the document once a step is given its address as the value.
 */
export function logReserve(d: usize, n: u32): usize {
  const at = <usize>load<u32>(d, LOG_AT);
  if (at && <usize>load<u32>(d, LOG_END) - at >= <usize>n) return at;
  const usual = roundDown(min<u32>(max<u32>(load<u32>(d, SIZE) >> 3, 96), 65536) + PIECE_HEADER + SLACK);
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
  store<u32>(d, <u32>at + n, LOG_AT);
  store<u32>(d, load<u32>(d, WORK) + n, WORK);
  return at;
}
