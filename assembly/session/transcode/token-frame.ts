// A token of AG-UI as a frame of its protobuf, from what the fast road has read of it: the bytes that assembly/codec/protobuf/write.ts makes of its text.
// By way of the text it takes some 5 times as long.
import { RUN_LEN, RUN_PTR } from "../../memory/bytes";
import { storeVarint, varintSize } from "../../codec/protobuf/bytes-out";
import { ARM_ARGS, ARM_REASONING, ARM_TEXT, NUMBER_ARGS, NUMBER_REASONING, NUMBER_TEXT } from "../../codec/protobuf/tokens";
import { copyForward } from "../../memory/copy";
import { unescape } from "../../text/escape";
import { findByte } from "../../text/scan";
import { SCRATCH_WIRE as WIRE, scratchReserve } from "../../reduce/scratch";
import { ITEM_CALL, ITEM_MESSAGE } from "../../reduce/agui/track";

/** Length of the frame, arm, length of the event. */
const HEAD: usize = 4 + 2 + 5;
/** `base_event`, and heads of three strings. */
const ROOM: u32 = 64;

/** Whether contents of a JSON string may hold a lone half as an escape: this wire has none, and a frame of it is the writer's work. */
export function mayHoldHalf(p: usize, n: u32): bool {
  for (let end = p + n, at = findByte(p, end, 0x5c); at && at + 2 < end; at = findByte(at + 2, end, 0x5c)) {
    if (load<u8>(at, 1) == 0x75 && (load<u8>(at, 2) | 0x20) == 0x64) return true;
  }
  return false;
}

// A string field: plain bytes, or contents of a JSON string when `escaped`.
function putString(d: usize, tag: u32, p: usize, n: u32, escaped: bool): usize {
  store<u8>(d++, <u8>tag);
  if (!escaped || !findByte(p, p + n, 0x5c)) {
    d = storeVarint(d, n);
    copyForward(d, p, n);
    return d + n;
  }
  // unescaped it is shorter, perhaps with a shorter length
  const body = d + varintSize(n), length = <u32>(unescape(p, p + n, body) - body);
  d = storeVarint(d, length);
  if (d != body) memory.copy(d, body, length);
  return d + length;
}

/**
 * Writes the frame of a delta: ITEM_ `kind` of what it belongs to, its id, the delta and, unless `owner` is 0, its `subagentRunId`; `time` < 0: no timestamp. The strings
 * are contents of JSON strings without lone halves when `escaped`, else plain UTF-8. False = out of memory, nothing written.
 */
export function putTokenFrame(
  kind: u32, id: usize, idLength: u32, delta: usize, deltaLength: u32, owner: usize, ownerLength: u32, time: f64, escaped: bool,
): bool {
  if (!scratchReserve(WIRE, <u32>HEAD + ROOM + idLength + deltaLength + ownerLength)) return false;
  const start = <usize>load<u32>(WIRE, RUN_PTR) + load<u32>(WIRE, RUN_LEN), body = start + HEAD, isReasoning = kind > ITEM_CALL;
  const number = kind == ITEM_MESSAGE ? NUMBER_TEXT : kind == ITEM_CALL ? NUMBER_ARGS : NUMBER_REASONING;
  let d = body;
  store<u8>(d, 0x0a);
  store<u8>(d, <u8>(time < 0 ? 2 : 3 + varintSize(<u64>time)), 1);
  store<u16>(d, <u16>(0x08 | number << 8), 2);
  d += 4;
  if (time >= 0) {
    store<u8>(d, 0x10);
    d = storeVarint(d + 1, <u64>time);
  }
  // fields in the order of their numbers: of reasoning the owner is the first one
  if (isReasoning && owner) d = putString(d, 0x12, owner, ownerLength, escaped);
  const first: u32 = isReasoning ? 0x1a : 0x12;
  if (idLength) d = putString(d, first, id, idLength, escaped);
  if (deltaLength) d = putString(d, first + 8, delta, deltaLength, escaped);
  if (!isReasoning && owner) d = putString(d, 0x22, owner, ownerLength, escaped);
  const size = <u32>(d - body);
  let head = start + 4;
  if (isReasoning) {
    store<u16>(head, <u16>ARM_REASONING);
    head += 2;
  } else store<u8>(head++, <u8>(kind == ITEM_CALL ? ARM_ARGS : ARM_TEXT));
  head = storeVarint(head, size);
  copyForward(head, body, size);
  const end = head + size;
  store<u32>(start, bswap<u32>(<u32>(end - start) - 4));
  store<u32>(WIRE, load<u32>(WIRE, RUN_LEN) + <u32>(end - start), RUN_LEN);
  return true;
}
