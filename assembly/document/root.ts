// The root as one span: loading and compaction end here.
import { PIECES, SIZE, SPANS_SHARED, WORK, bumpEpoch, renewText } from "./layout";
import { openLog } from "./log";
import { PIECE_HEADER, dropPieces, linkPiece, pieceRoomEnd } from "./piece";
import { releaseValue } from "./release";

/** Makes the `n` bytes of text in the fresh `piece` the whole document; everything else is given back. */
export function installText(d: usize, piece: usize, n: u32): void {
  releaseValue(d, load<u32>(d), load<u32>(d, 4));
  dropPieces(d, <usize>load<u32>(d, PIECES), 0);
  linkPiece(piece, 0);
  placeText(d, piece, n);
}

/** The same for a document that holds nothing yet. */
export function placeText(d: usize, piece: usize, n: u32): void {
  const text = piece + PIECE_HEADER;
  store<u32>(d, <u32>text);
  store<u32>(d, n, 4);
  store<u32>(d, n, SIZE);
  store<u32>(d, <u32>piece, PIECES);
  openLog(d, text + n, pieceRoomEnd(piece, 0));
  store<u32>(d, 0, WORK);
  store<u32>(d, 0, SPANS_SHARED);
  renewText(d);
  bumpEpoch(d);
}
