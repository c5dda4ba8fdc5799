// A token of AG-UI that came over a binary wire, as JSON text or as MessagePack, from what the fast road has read of it, its members in the order in which they came.
// By way of the codecs it takes three to four times as long.
import {
  AG_REASONING_MESSAGE_CONTENT, AG_TEXT_MESSAGE_CONTENT, AG_TOOL_CALL_ARGS, F_DELTA, F_MESSAGE_ID, F_SUBAGENT_RUN_ID, F_TIMESTAMP, F_TOOL_CALL_ID, F_TYPE,
} from "../../abi/agui";
import { RUN_LEN, RUN_PTR } from "../../memory/bytes";
import { copyForward } from "../../memory/copy";
import { putStringHeader, putUint } from "../../codec/msgpack/put";
import { writeUint } from "../../text/digits";
import { memberName, memberNameLength, typeName, typeNameLength } from "../../reduce/agui/schema";
import { SCRATCH_WIRE as WIRE, scratchReserve } from "../../reduce/scratch";
import { ITEM_CALL, ITEM_MESSAGE } from "../../reduce/agui/track";

/** Members of a token. An order is up to five of them, four bits each, the first one lowest. */
export const M_TYPE: u32 = 1, M_ID: u32 = 2, M_DELTA: u32 = 3, M_OWNER: u32 = 4, M_TIME: u32 = 5;

/** Names, type, punctuation and a timestamp. */
const ROOM: u32 = 256;

// What stands before the contents of a member, in both forms. Piece, 64 B: 0 length u8 | 1 bytes. By number: types of messages, calls, reasoning; ids of messages, of calls; then
// delta, owner and time.
const PIECE: usize = 64, ID_PIECES: u32 = 3, AFTER_ID: u32 = 2;
const TEXTS: usize = memory.data(8 * 64, 16), MAPS: usize = memory.data(8 * 64 + 16, 16);

// Of the kinds that have no type of their own here there are no tokens.
@inline function kindPlace(kind: u32): u32 { return kind == ITEM_MESSAGE ? 0 : kind == ITEM_CALL ? 1 : 2; }

function makePieces(): void {
  for (let i: u32 = 0; i < 3; i++) {
    const type: u32 = i == 0 ? AG_TEXT_MESSAGE_CONTENT : i == 1 ? AG_TOOL_CALL_ARGS : AG_REASONING_MESSAGE_CONTENT;
    makePiece(i, F_TYPE, typeName(type), typeNameLength(type));
  }
  makePiece(ID_PIECES, F_MESSAGE_ID, 0, 0);
  makePiece(ID_PIECES + 1, F_TOOL_CALL_ID, 0, 0);
  makePiece(AFTER_ID + M_DELTA, F_DELTA, 0, 0);
  makePiece(AFTER_ID + M_OWNER, F_SUBAGENT_RUN_ID, 0, 0);
  makePiece(AFTER_ID + M_TIME, F_TIMESTAMP, 0, 0);
}

// `value`: contents of the string that the member always holds, 0 = others.
function makePiece(i: u32, member: u32, value: usize, length: u32): void {
  const name = memberName(member), n = memberNameLength(member), text = TEXTS + <usize>i * PIECE, map = MAPS + <usize>i * PIECE;
  let d = text + 1;
  // `,"`
  store<u16>(d, 0x222c);
  memory.copy(d + 2, name, n);
  d += 2 + n;
  // `":`
  store<u16>(d, 0x3a22);
  d += 2;
  if (member != F_TIMESTAMP) store<u8>(d++, 0x22);
  if (value) {
    memory.copy(d, value, length);
    d += length;
    store<u8>(d++, 0x22);
  }
  store<u8>(text, <u8>(d - text - 1));
  d = putStringHeader(map + 1, n);
  memory.copy(d, name, n);
  d += n;
  if (value) {
    d = putStringHeader(d, length);
    memory.copy(d, value, length);
    d += length;
  }
  store<u8>(map, <u8>(d - map - 1));
}

@inline function behind(): usize { return <usize>load<u32>(WIRE, RUN_PTR) + load<u32>(WIRE, RUN_LEN); }
@inline function keep(d: usize): void { store<u32>(WIRE, <u32>(d - load<u32>(WIRE, RUN_PTR)), RUN_LEN); }

@inline function put(d: usize, p: usize, n: u32): usize {
  copyForward(d, p, n);
  return d + n;
}

@inline function putPiece(d: usize, pieces: usize, i: u32): usize {
  const piece = pieces + <usize>i * PIECE;
  return put(d, piece + 1, <u32>load<u8>(piece));
}

@inline function pieceOf(member: u32, place: u32): u32 {
  return member == M_TYPE ? place : member == M_ID ? ID_PIECES + (place == 1 ? 1 : 0) : AFTER_ID + member;
}

/**
 * Writes the event as SSE or as a line: its members in `order`, ITEM_ `kind` of what the delta belongs to, its id, the delta, its `subagentRunId`, all canonical
 * contents of JSON strings, and its timestamp. False = out of memory, nothing written.
 */
export function putTokenText(
  order: u32, kind: u32, id: usize, idLength: u32, delta: usize, deltaLength: u32, owner: usize, ownerLength: u32, time: f64, sse: bool,
): bool {
  if (!scratchReserve(WIRE, ROOM + idLength + deltaLength + ownerLength)) return false;
  if (!load<u8>(TEXTS)) makePieces();
  const place = kindPlace(kind);
  let d = behind();
  if (sse) {
    // `data: `
    store<u64>(d, 0x203a61746164);
    d += 6;
  }
  const start = d;
  for (; order; order >>= 4) {
    const member = order & 15;
    d = putPiece(d, TEXTS, pieceOf(member, place));
    if (member == M_TYPE) continue;
    if (member == M_TIME) {
      d = writeUint(<u64>time, d);
      continue;
    }
    d = member == M_ID ? put(d, id, idLength) : member == M_DELTA ? put(d, delta, deltaLength) : put(d, owner, ownerLength);
    store<u8>(d++, 0x22);
  }
  store<u8>(start, 0x7b);
  store<u16>(d, 0x0a7d);
  store<u8>(d, 0x0a, 2);
  keep(d + (sse ? 3 : 2));
  return true;
}

@inline function putString(d: usize, p: usize, n: u32): usize {
  if (n > 31) return put(putStringHeader(d, n), p, n);
  store<u8>(d, 0xa0 | n);
  return put(d + 1, p, n);
}

/** The same as a map of MessagePack, of strings that are plain UTF-8. */
export function putTokenMap(
  order: u32, kind: u32, id: usize, idLength: u32, delta: usize, deltaLength: u32, owner: usize, ownerLength: u32, time: f64,
): bool {
  if (!scratchReserve(WIRE, ROOM + idLength + deltaLength + ownerLength)) return false;
  if (!load<u8>(TEXTS)) makePieces();
  const place = kindPlace(kind), start = behind();
  let d = start + 1, count: u32 = 0;
  for (; order; order >>= 4) {
    const member = order & 15;
    count++;
    d = putPiece(d, MAPS, pieceOf(member, place));
    if (member == M_TYPE) continue;
    if (member == M_TIME) d = putUint(d, <u64>time);
    else d = member == M_ID ? putString(d, id, idLength) : member == M_DELTA ? putString(d, delta, deltaLength) : putString(d, owner, ownerLength);
  }
  store<u8>(start, <u8>(0x80 | count));
  keep(d);
  return true;
}
