// A lazy JSON document: canonical compact text until somebody reaches into it. Layouts: layout.ts; map: ../memory/MEMORY.md.
import { clearForward } from "../memory/copy";
import { alloc, creditShare, free } from "../memory/heap";
import { canonicalize } from "../text/minify";
import { DOCUMENT_SIZE, EPOCH, HELD, NODE, OUT_OF_MEMORY, PIECES, SHARED, SIZE, clearFault, failWith } from "./layout";
import { PIECE_HEADER, dropPiece, dropPieces, newPiece } from "./piece";
import { releaseValue } from "./release";
import { installText, placeText } from "./root";
import { writeSlot } from "./write";

const NULL: usize = memory.data<u8>([0x6e, 0x75, 0x6c, 0x6c]);

/** A new document, `null`; 0 = out of memory. */
export function documentNew(): usize {
  clearFault();
  const d = alloc(DOCUMENT_SIZE);
  if (!d) return failWith(OUT_OF_MEMORY);
  clearForward(d, DOCUMENT_SIZE);
  store<u32>(d, <u32>NULL);
  store<u32>(d, 4, 4);
  store<u32>(d, 4, SIZE);
  store<u32>(d, DOCUMENT_SIZE, HELD);
  return d;
}

/**
 * A document over `n` bytes of canonical compact text that belong to somebody else and outlive it. For reading only: it
 * may be expanded, but takes no steps. 0 = out of memory.
 */
export function documentBorrow(text: usize, n: u32): usize {
  const d = documentNew();
  if (!d) return 0;
  store<u32>(d, <u32>text);
  store<u32>(d, n, 4);
  store<u32>(d, n, SIZE);
  return d;
}

/** A new document, a copy of `n` bytes of canonical compact text; 0 = out of memory. */
export function documentOfText(src: usize, n: u32): usize {
  clearFault();
  const d = alloc(DOCUMENT_SIZE);
  if (!d) return failWith(OUT_OF_MEMORY);
  clearForward(d, DOCUMENT_SIZE);
  store<u32>(d, DOCUMENT_SIZE, HELD);
  const piece = newPiece(d, n);
  if (!piece) {
    free(d, DOCUMENT_SIZE);
    return failWith(OUT_OF_MEMORY);
  }
  memory.copy(piece + PIECE_HEADER, src, n);
  placeText(d, piece, n);
  return d;
}

/** Replaces the whole document by a copy of `n` bytes of canonical compact text. Not inside of an edit of `d`. `false` = out of memory, nothing changed. */
export function documentSetText(d: usize, src: usize, n: u32): bool {
  clearFault();
  const piece = newPiece(d, n);
  if (!piece) { failWith(OUT_OF_MEMORY); return false; }
  memory.copy(piece + PIECE_HEADER, src, n);
  installText(d, piece, n);
  return true;
}

/** As `documentSetText`, from `n` bytes of validated JSON text (no white space around it) in any spelling. */
export function documentSetJson(d: usize, src: usize, n: u32): bool {
  clearFault();
  let piece = newPiece(d, n + 16);
  if (!piece) { failWith(OUT_OF_MEMORY); return false; }
  const length = <u32>(canonicalize(src, piece + PIECE_HEADER) - piece) - PIECE_HEADER;
  // what white space left over is worth a copy when it is more than a sixteenth; without memory for it the room stays
  if (length + (length >> 4) + 16 < n) {
    const exact = newPiece(d, length);
    if (exact) {
      memory.copy(exact + PIECE_HEADER, piece + PIECE_HEADER, length);
      dropPiece(d, piece);
      piece = exact;
    }
  }
  installText(d, piece, length);
  return true;
}

/** Gives the document and everything in it back, with its last holder. */
export function documentFree(d: usize): void {
  const others = load<u32>(d, SHARED);
  if (others) {
    store<u32>(d, others - 1, SHARED);
    creditShare(load<u32>(d, HELD));
    return;
  }
  releaseValue(d, load<u32>(d), load<u32>(d, 4));
  dropPieces(d, <usize>load<u32>(d, PIECES), 0);
  free(d, DOCUMENT_SIZE);
}

/** Bytes of the document as compact JSON, now. */
@inline export function documentSize(d: usize): u32 { return load<u32>(d, SIZE); }

/** Bytes held: header, text, nodes, vectors, indexes, segments; shared text counts in full. */
@inline export function documentHeld(d: usize): u32 { return load<u32>(d, HELD); }

/** Changes whenever slot or chain addresses kept outside may have gone stale. */
@inline export function documentEpoch(d: usize): u32 { return load<u32>(d, EPOCH); }

/** Address of the text while the document still is one span (`documentSize` bytes), else 0. */
@inline export function documentSpan(d: usize): usize { return load<u32>(d, 4) == NODE ? 0 : <usize>load<u32>(d); }

/** Writes the document, exactly `documentSize` bytes (15 behind them may be written over); returns the end. */
export function documentWrite(d: usize, dst: usize): usize { return writeSlot(d, dst); }
