// One level of a described message: which of its fields are there, and where.
import { KIND_INT64 } from "./table.generated";
import { fieldCount, firstField, isOneof, isVarint, kindOf } from "./table";
import { gather, pieceEnd, pieceNext, pieceStart } from "./pieces";
import { PROTOBUF_MALFORMED, WIRE_LENGTH, WIRE_VARINT, fail, readLength, readVarint, readVarint32, skipField, varint } from "./wire";

// Level, 256 B: 0 bits of the fields that are there, by place | 4, 8, 12 the pieces: start, end, number of the next; of a oneof, from where its arm
// stands alone | 16.. -
// Slot, 16 B, from 32 on: 0 start | 4 end of the last payload, or the varint u64 | 8 how often it stands there | 12 -
const LEVEL: u32 = 256;
const PIECES: usize = 4, SLOTS: usize = 32;
// Described messages lie eight deep at most: event, base, input, message, part, its arm, source, its arm.
const levels: usize = memory.data(12 * 256, 16);

/** Integers are exact up to here, with either sign. */
const MOST_EXACT: u64 = 9007199254740991;

@inline export function levelAt(i: u32): usize { return levels + <usize>i * LEVEL; }
@inline export function hasField(level: usize, place: u32): bool { return (load<u32>(level) >> place & 1) != 0; }
@inline export function presentFields(level: usize): u32 { return load<u32>(level); }
@inline function slot(level: usize, place: u32): usize { return level + SLOTS + (<usize>place << 4); }
@inline export function slotStart(level: usize, place: u32): usize { return <usize>load<u32>(slot(level, place)); }
@inline export function slotEnd(level: usize, place: u32): usize { return <usize>load<u32>(slot(level, place), 4); }
@inline export function slotVarint(level: usize, place: u32): u64 { return load<u64>(slot(level, place)); }
@inline export function slotCount(level: usize, place: u32): u32 { return load<u32>(slot(level, place), 8); }
/** Address where the level begins. */
@inline export function levelStart(level: usize): usize { return <usize>load<u32>(level, PIECES); }
@inline export function levelEnd(level: usize): usize { return <usize>load<u32>(level, PIECES + 4); }
@inline export function levelNext(level: usize): u32 { return load<u32>(level, PIECES + 8); }

/** Makes one list of pieces of all payloads of a field that is there; `piecesRelease` afterwards. False = out of memory. */
export function gatherField(level: usize, place: u32): bool {
  return gather(levelStart(level), levelEnd(level), levelNext(level), place + 1, slotCount(level, place));
}

function setPieces(level: usize, p: usize, end: usize, next: u32): void {
  store<u32>(level, <u32>p, PIECES);
  store<u32>(level, <u32>end, PIECES + 4);
  store<u32>(level, next, PIECES + 8);
}

/** Reads the fields of a message at [p, end) and further pieces into `level`; false = malformed, which is noted. */
export function readLevel(level: usize, message: u32, p: usize, end: usize, next: u32): bool {
  const fields = firstField(message), count = fieldCount(message), oneof = isOneof(message);
  setPieces(level, p, end, next);
  let present: u32 = 0;
  while (true) {
    // within one piece a oneof has one arm only
    let arm: u32 = 0;
    while (p < end) {
      const start = p;
      let tag = <u32>load<u8>(p);
      if (tag < 0x80) p++;
      else {
        p = readVarint32(p, end);
        if (!p) return fail(PROTOBUF_MALFORMED, start);
        tag = <u32>varint;
      }
      const place = (tag >> 3) - 1, wire = tag & 7;
      if (tag < 8) return fail(PROTOBUF_MALFORMED, start);
      if (place < count) {
        const kind = kindOf(fields + (place << 2)), at = slot(level, place), bit: u32 = 1 << place;
        if (wire == WIRE_LENGTH && !isVarint(kind)) {
          p = readLength(p, end);
          if (!p) return fail(PROTOBUF_MALFORMED, start);
          if (oneof && !(present & bit)) {
            if (arm) return fail(PROTOBUF_MALFORMED, start);
            setPieces(level, start, end, next);
            present = 0;
          }
          arm = place + 1;
          store<u32>(at, <u32>p);
          p += <usize>varint;
          store<u32>(at, <u32>p, 4);
          store<u32>(at, present & bit ? load<u32>(at, 8) + 1 : 1, 8);
          present |= bit;
          continue;
        }
        if (wire == WIRE_VARINT && isVarint(kind)) {
          p = readVarint(p, end);
          if (!p || (kind == KIND_INT64 && varint + MOST_EXACT > 2 * MOST_EXACT)) return fail(PROTOBUF_MALFORMED, start);
          store<u64>(at, varint);
          present |= bit;
          continue;
        }
      }
      p = skipField(p, end, tag);
      if (!p) return fail(PROTOBUF_MALFORMED, start);
    }
    if (!next) break;
    p = pieceStart(next);
    end = pieceEnd(next);
    next = pieceNext(next);
  }
  store<u32>(level, present);
  return true;
}
