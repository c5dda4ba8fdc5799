// Pieces hold text: the text a document was loaded with, its log of later text, the segments of text chains. The bytes
// of a piece may be shared by documents; the header belongs to the document that made it, the others link an alias.
//
//   own     0 next | 4 length | 8 holders, 1 and up | 12 size of the whole block | 16 text ...
//   alias   0 next | 4 length | 8 ALIAS             | 12 address of the text of somebody's own piece
//   span    0 next | 4 length | 8 SPAN              | 12 address of text that another piece of this document holds
import { alloc, chargeShare, creditShare, free, roundUp } from "../memory/heap";
import { CAPACITY, HELD, isVectorBehind, kindOf, strideShift, vectorOf } from "./layout";

export const PIECE_HEADER: u32 = 16;
const SPAN: u32 = 0;
const ALIAS: u32 = 0xffffffff;
const LENGTH: usize = 4;
const HOLDERS: usize = 8;
const BLOCK_SIZE: usize = 12;
const TEXT: usize = 12;

@inline export function nextPiece(piece: usize): usize { return <usize>load<u32>(piece); }
@inline export function linkPiece(piece: usize, next: usize): void { store<u32>(piece, <u32>next); }
@inline export function pieceLength(piece: usize): u32 { return load<u32>(piece, LENGTH); }
@inline export function setPieceLength(piece: usize, n: u32): void { store<u32>(piece, n, LENGTH); }
@inline function isOwn(piece: usize): bool { return load<u32>(piece, HOLDERS) - 1 < ALIAS - 1; }
/** Whether the bytes may be overwritten: made by this document and shared with nobody. */
@inline export function isPrivate(piece: usize): bool { return load<u32>(piece, HOLDERS) == 1; }

@inline export function pieceText(piece: usize): usize {
  return isOwn(piece) ? piece + PIECE_HEADER : <usize>load<u32>(piece, TEXT);
}

/** End of the room behind the text of an own piece; for others the end of the text: they have none. */
@inline export function pieceRoomEnd(piece: usize, textEnd: usize): usize {
  return isOwn(piece) ? piece + load<u32>(piece, BLOCK_SIZE) : textEnd;
}

@inline function addHeld(d: usize, delta: u32): void { store<u32>(d, load<u32>(d, HELD) + delta, HELD); }

/** A block of `n` bytes that counts as held by the document; 0 = out of memory. */
export function take(d: usize, n: u32): usize {
  const block = alloc(n);
  if (block) addHeld(d, roundUp(n));
  return block;
}

/** Gives back what `take` gave. */
export function give(d: usize, block: usize, n: u32): void {
  addHeld(d, 0 - roundUp(n));
  free(block, n);
}

/** Gives the vector of a container node back, unless it stands in the node's own block. */
export function giveVector(d: usize, node: usize): void {
  const capacity = load<u32>(node, CAPACITY);
  if (capacity && !isVectorBehind(node)) give(d, vectorOf(node), capacity << strideShift(kindOf(node)));
}

/** An own piece with room for at least `n` bytes of text, length 0, not linked; 0 = out of memory. */
export function newPiece(d: usize, n: u32): usize {
  const size = roundUp(n + PIECE_HEADER), piece = take(d, size);
  if (!piece) return 0;
  store<u64>(piece, 0);
  store<u32>(piece, 1, HOLDERS);
  store<u32>(piece, size, BLOCK_SIZE);
  return piece;
}

/** A piece for text that lies in another piece of the document; 0 = out of memory. */
export function newSpan(d: usize, text: usize, n: u32): usize {
  const piece = take(d, PIECE_HEADER);
  if (!piece) return 0;
  store<u32>(piece, 0);
  store<u32>(piece, n, LENGTH);
  store<u32>(piece, SPAN, HOLDERS);
  store<u32>(piece, <u32>text, TEXT);
  return piece;
}

/** The same text for document `d`: a span again, or one more holder. `reserve` has made sure of PIECE_HEADER bytes. */
export function sharePiece(d: usize, piece: usize): usize {
  const text = pieceText(piece), copy = newSpan(d, text, pieceLength(piece));
  if (load<u32>(piece, HOLDERS) == SPAN) return copy;
  const block = text - PIECE_HEADER, size = load<u32>(block, BLOCK_SIZE);
  store<u32>(copy, ALIAS, HOLDERS);
  store<u32>(block, load<u32>(block, HOLDERS) + 1, HOLDERS);
  addHeld(d, size);
  chargeShare(size);
  return copy;
}

/** Gives up a piece; its bytes go with the last holder. */
export function dropPiece(d: usize, piece: usize): void {
  let block = piece;
  if (!isOwn(piece)) {
    block = load<u32>(piece, HOLDERS) == SPAN ? 0 : <usize>load<u32>(piece, TEXT) - PIECE_HEADER;
    give(d, piece, PIECE_HEADER);
    if (!block) return;
  }
  const holders = load<u32>(block, HOLDERS) - 1, size = load<u32>(block, BLOCK_SIZE);
  addHeld(d, 0 - size);
  if (holders) {
    store<u32>(block, holders, HOLDERS);
    creditShare(size);
  } else free(block, size);
}

/** Gives up a list of pieces down to `last`, which stays (0: all). */
export function dropPieces(d: usize, piece: usize, last: usize): void {
  while (piece != last) {
    const next = nextPiece(piece);
    dropPiece(d, piece);
    piece = next;
  }
}
