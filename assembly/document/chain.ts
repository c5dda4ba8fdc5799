// Text chains: strings under append. Pieces are linked from the newest to the oldest, because everything that is asked
// often (append, slice of what is new, undo, free) begins at the end; whole texts are written backwards.
import { copyExact, copyForward, copySixteen } from "../memory/copy";
import { roundDown } from "../memory/heap";
import { codeUnits, endsWithHighSurrogate, startsWithLowSurrogate } from "../text/units";
import { hexFour } from "../text/hex";
import { utf8Put } from "../text/utf8";
import { newNode } from "./expand";
import {
  BYTES, CHAIN, LARGEST_DOCUMENT, NODE, NODE_SIZE, OUT_OF_MEMORY, SIZE, TAIL, TOO_LARGE, UNITS, WRITE_AT, WRITE_END,
  addSize, clearFault, failWith, kindOf,
} from "./layout";
import {
  PIECE_HEADER, dropPieces, give, isPrivate, linkPiece, newPiece, newSpan, nextPiece, pieceLength, pieceRoomEnd, pieceText,
  setPieceLength, sharePiece,
} from "./piece";
import { editDocument, recordAppend, recordRoom } from "./undo-log";

/**
 * Segments hold as much as the text so far up to HASTY, then an eighth of it, within these bounds (bytes of text, before rounding down to a
 * block size). A text of 1 KB in a dozen pieces takes a third longer to write, and a token in it a tenth longer to append.
 */
const SMALLEST_SEGMENT: u32 = 240;
const HASTY: u32 = 496;
const LARGEST_SEGMENT: u32 = 4096 - PIECE_HEADER;

@inline function tailOf(chain: usize): usize { return <usize>load<u32>(chain, TAIL); }
@inline function writeAt(chain: usize): usize { return <usize>load<u32>(chain, WRITE_AT); }

/** UTF-16 code units of the whole text. */
@inline export function chainUnits(chain: usize): u32 { return load<u32>(chain, UNITS); }
/** Bytes of the whole text, escaped, without quotes. */
@inline export function chainBytes(chain: usize): u32 { return load<u32>(chain, BYTES); }

// The length of the newest piece follows from the write position; everybody who walks pieces asks for it to be noted first.
@inline function settle(chain: usize): void {
  const tail = tailOf(chain);
  setPieceLength(tail, <u32>(writeAt(chain) - pieceText(tail)));
}

/**
 * The text chain of the string at `slot`, made when it still is text. 0: not a string, or out of memory (`documentFault`).
 * Its address is good until compaction, replacement or rollback of that value: see `documentEpoch`.
 */
export function chainOf(d: usize, slot: usize): usize {
  const n = load<u32>(slot, 4), p = <usize>load<u32>(slot);
  if (n == NODE) {
    if (kindOf(p) == CHAIN) return p;
    clearFault();
    return 0;
  }
  clearFault();
  if (load<u8>(p) != 0x22) return 0;
  const chain = newNode(d, CHAIN);
  if (!chain) return failWith(OUT_OF_MEMORY);
  const text = newSpan(d, p + 1, n - 2);
  if (!text) {
    give(d, chain, NODE_SIZE);
    return failWith(OUT_OF_MEMORY);
  }
  const end = p + n - 1;
  store<u32>(chain, codeUnits(p + 1, end), UNITS);
  store<u32>(chain, n - 2, BYTES);
  store<u32>(chain, <u32>text, TAIL);
  store<u32>(chain, <u32>end, WRITE_AT);
  store<u32>(chain, <u32>end, WRITE_END);
  store<u32>(slot, <u32>chain);
  store<u32>(slot, NODE, 4);
  return chain;
}

/**
 * Appends `n` bytes of canonical escaped text of `units` UTF-16 code units. A high half at the end and a low half at the
 * start become one character. `false`: out of memory or too large (`documentFault`), nothing changed. Undoable inside an
 * edit. Reads up to 15 bytes behind the text.
 */
export function chainAppend(d: usize, chain: usize, src: usize, n: u32, units: u32): bool {
  return chainAppendShort(d, chain, src, n, units) || appendSlow(d, chain, src, n, units);
}

/** `chainAppend` where the newest piece has room, nothing can join and nothing is to be undone; `false`: it is not so, nothing changed. */
@inline export function chainAppendShort(d: usize, chain: usize, src: usize, n: u32, units: u32): bool {
  const at = writeAt(chain);
  // a low half at the start, `\udcxx`, may join
  if (load<u16>(src) == 0x755c || editDocument == d || at + n + 16 > <usize>load<u32>(chain, WRITE_END)) return false;
  store<u32>(chain, <u32>at + n, WRITE_AT);
  count(d, chain, n, units);
  // tokens are short: the first 16 bytes go without a loop
  copySixteen(at, src);
  if (n > 16) copyForward(at + 16, src + 16, n - 16);
  return true;
}

/** `chainAppendShort` for contents without `\u` and outside of an edit. */
@inline export function chainAppendPlain(d: usize, chain: usize, src: usize, n: u32, units: u32): bool {
  const at = writeAt(chain);
  if (at + n + 16 > <usize>load<u32>(chain, WRITE_END)) return false;
  store<u32>(chain, <u32>at + n, WRITE_AT);
  // units and bytes at once
  store<u64>(chain, load<u64>(chain, UNITS) + (<u64>n << 32 | <u64>units), UNITS);
  addSize(d, n);
  copySixteen(at, src);
  if (n > 16) copyForward(at + 16, src + 16, n - 16);
  return true;
}

@inline function count(d: usize, chain: usize, bytes: u32, units: u32): void {
  store<u32>(chain, load<u32>(chain, BYTES) + bytes, BYTES);
  store<u32>(chain, load<u32>(chain, UNITS) + units, UNITS);
  addSize(d, bytes);
}

function appendSlow(d: usize, chain: usize, src: usize, n: u32, units: u32): bool {
  clearFault();
  if (!n) return true;
  if (load<u32>(d, SIZE) + n > LARGEST_DOCUMENT) { failWith(TOO_LARGE); return false; }
  const undoable = editDocument == d;
  if (undoable && !recordRoom()) return false;
  const tail = tailOf(chain), at = writeAt(chain);
  const joins = startsWithLowSurrogate(src, src + n) && endsWithHighSurrogate(pieceText(tail), at);
  // a joined character takes the place of the six bytes of the high half; shared bytes must not be written over
  const start = joins ? at - 6 : at, bytes = joins ? n - 2 : n;
  const room: usize = joins && !isPrivate(tail) ? 0 : <usize>load<u32>(chain, WRITE_END) - start;
  let target = start;
  if (room < <usize>bytes) {
    const segment = newSegment(d, chain, bytes);
    if (!segment) return false;
    if (undoable) recordAppend(chain, joins);
    store<u32>(chain, <u32>start, WRITE_AT);
    settle(chain);
    linkPiece(segment, tail);
    store<u32>(chain, <u32>segment, TAIL);
    target = segment + PIECE_HEADER;
    store<u32>(chain, <u32>pieceRoomEnd(segment, 0), WRITE_END);
  } else if (undoable) recordAppend(chain, joins);
  store<u32>(chain, <u32>target + bytes, WRITE_AT);
  if (joins) {
    const high = hexFour(at - 4), low = hexFour(src + 2);
    target = utf8Put(target, 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
    src += 6;
    n -= 6;
  }
  copyExact(target, src, n);
  count(d, chain, joins ? bytes - 6 : bytes, units);
  return true;
}

function newSegment(d: usize, chain: usize, n: u32): usize {
  const bytes = load<u32>(chain, BYTES), eighth = bytes >> 3;
  const wanted = min<u32>(max<u32>(max<u32>(eighth, min<u32>(bytes, HASTY)), SMALLEST_SEGMENT), LARGEST_SEGMENT);
  const usual = roundDown(wanted + PIECE_HEADER) - PIECE_HEADER;
  const segment = newPiece(d, max<u32>(n, usual));
  return segment ? segment : failWith(OUT_OF_MEMORY);
}

/** Takes back what was appended since the record at `record`. */
export function undoAppend(d: usize, record: usize, joined: bool): void {
  const chain = <usize>load<u32>(record, 4), tail = <usize>load<u32>(record, 8), at = <usize>load<u32>(record, 12);
  dropPieces(d, tailOf(chain), tail);
  if (joined && isPrivate(tail)) {
    store<u32>(at - 6, load<u32>(record, 24));
    store<u16>(at - 2, load<u32>(record, 28));
  }
  store<u32>(chain, <u32>tail, TAIL);
  store<u32>(chain, <u32>at, WRITE_AT);
  store<u32>(chain, <u32>pieceRoomEnd(tail, at), WRITE_END);
  store<u32>(chain, load<u32>(record, 16), BYTES);
  store<u32>(chain, load<u32>(record, 20), UNITS);
}

/** Writes the escaped text from byte `from` to the end, nothing when it lies behind that; walks only the pieces it needs. Returns the end of the output. */
export function chainSlice(chain: usize, from: u32, dst: usize): usize {
  if (from > load<u32>(chain, BYTES)) return dst;
  settle(chain);
  let left = load<u32>(chain, BYTES) - from, piece = tailOf(chain);
  const end = dst + left;
  while (left) {
    const length = pieceLength(piece), n = min<u32>(length, left);
    copyExact(dst + (left - n), pieceText(piece) + (length - n), n);
    left -= n;
    piece = nextPiece(piece);
  }
  return end;
}

/** Gives the pieces of a chain back; the node stays. */
export function dropChain(d: usize, chain: usize): void { dropPieces(d, tailOf(chain), 0); }

/** Bytes of heap a copy of the chain for a fork takes. */
export function forkChainNeed(chain: usize): u32 {
  let need: u32 = NODE_SIZE;
  for (let piece = tailOf(chain); piece; piece = nextPiece(piece)) need += PIECE_HEADER;
  return need;
}

/**
 * A chain for document `f` over the same bytes; the memory has been reserved. The copy's pieces are closed: its next
 * append begins a new one. The original goes on behind what the copy knows.
 */
export function forkChain(f: usize, chain: usize): usize {
  settle(chain);
  const copy = newNode(f, CHAIN), tail = tailOf(chain), shared = sharePiece(f, tail);
  memory.copy(copy, chain, NODE_SIZE);
  store<u32>(copy, <u32>shared, TAIL);
  store<u32>(copy, load<u32>(chain, WRITE_AT), WRITE_END);
  let newer = shared;
  for (let piece = nextPiece(tail); piece; piece = nextPiece(piece)) {
    const older = sharePiece(f, piece);
    linkPiece(newer, older);
    newer = older;
  }
  return copy;
}
