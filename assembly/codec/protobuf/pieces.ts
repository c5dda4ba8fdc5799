// A message that stands on the wire several times is read as one: its payloads, one behind the other, are a chain of pieces.
// Nothing is copied for that. A piece list is a first piece [start, end) and a number, 0 = there is no more.
import { bytesFree, bytesReserve, RUN_LEN, RUN_PTR } from "../../memory/bytes";
import { PROTOBUF_NO_MEMORY, WIRE_LENGTH, fail, readLength, readVarint32, skipField, varint } from "./wire";

// Piece, 12 B: 0 start | 4 end | 8 number of the next piece, 0 = none. Its number is its offset in the run + 1.
const PIECE: u32 = 12;
const run: usize = memory.data(16, 16);

@inline function at(number: u32): usize { return <usize>load<u32>(run, RUN_PTR) + number - 1; }
@inline export function pieceStart(number: u32): usize { return <usize>load<u32>(at(number)); }
@inline export function pieceEnd(number: u32): usize { return <usize>load<u32>(at(number), 4); }
@inline export function pieceNext(number: u32): u32 { return load<u32>(at(number), 8); }

/** How many bytes of pieces there are; `piecesRelease` goes back to it. */
@inline export function piecesMark(): u32 { return load<u32>(run, RUN_LEN); }
@inline export function piecesRelease(mark: u32): void { store<u32>(run, mark, RUN_LEN); }
/** Gives the memory back. */
export function piecesFree(): void { bytesFree(run); }

// Where a walk over the fields of a level stands.
/** Payload of the field that `nextField` found. */
export let payloadStart: usize = 0;
export let payloadEnd: usize = 0;
/** What is left of the walk behind the address that `nextField` has returned. */
export let walkEnd: usize = 0;
export let walkNext: u32 = 0;

/** Sets what lies around the address where `nextField` goes on: the end of its piece, and the number of the next one. */
export function setWalk(end: usize, next: u32): void {
  walkEnd = end;
  walkNext = next;
}

/**
 * Walks on from `p` in the pieces of a level that has been read, to the next field of that tag, of its shortest spelling or not, whose wire type is WIRE_LENGTH;
 * returns the address behind it, 0 = there is none. `setWalk` comes first.
 */
export function nextField(p: usize, tag: u32): usize {
  while (true) {
    while (p < walkEnd) {
      p = readVarint32(p, walkEnd);
      const found = <u32>varint;
      if (found == tag) {
        payloadStart = readLength(p, walkEnd);
        payloadEnd = payloadStart + <usize>varint;
        return payloadEnd;
      }
      p = skipField(p, walkEnd, found);
    }
    if (!walkNext) return 0;
    const piece = walkNext;
    p = pieceStart(piece);
    walkEnd = pieceEnd(piece);
    walkNext = pieceNext(piece);
  }
  return 0;
}

/** First piece of the list that `gather` made. */
export let gatheredStart: usize = 0;
export let gatheredEnd: usize = 0;
export let gatheredNext: u32 = 0;

/** Makes one list of the `count` payloads of a field, walking on from `p`; false = out of memory. */
export function gather(p: usize, end: usize, next: u32, number: u32, count: u32): bool {
  setWalk(end, next);
  const tag = number << 3 | WIRE_LENGTH;
  p = nextField(p, tag);
  gatheredStart = payloadStart;
  gatheredEnd = payloadEnd;
  gatheredNext = 0;
  let last: u32 = 0;
  while (--count) {
    p = nextField(p, tag);
    const length = load<u32>(run, RUN_LEN), piece = length + 1;
    if (!bytesReserve(run, PIECE)) return fail(PROTOBUF_NO_MEMORY, p);
    store<u32>(run, length + PIECE, RUN_LEN);
    store<u32>(at(piece), <u32>payloadStart);
    store<u32>(at(piece), <u32>payloadEnd, 4);
    store<u32>(at(piece), 0, 8);
    if (last) store<u32>(at(last), piece, 8); else gatheredNext = piece;
    last = piece;
  }
  return true;
}
