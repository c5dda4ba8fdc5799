// A token of AG-UI that came as a frame, as JSON text or as MessagePack, from what the fast road has read of it: type, the fields in the order of their
// numbers, timestamp, as the codecs have it (docs/protobuf.md). By way of the codecs it takes two to three times as long.
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
import { closeText, openText } from "./emit";

/** Names, type, punctuation and a timestamp. */
const ROOM: u32 = 192;

@inline function typeOf(kind: u32): u32 { return kind == ITEM_MESSAGE ? AG_TEXT_MESSAGE_CONTENT : kind == ITEM_CALL ? AG_TOOL_CALL_ARGS : AG_REASONING_MESSAGE_CONTENT; }
@inline function idOf(kind: u32): u32 { return kind == ITEM_CALL ? F_TOOL_CALL_ID : F_MESSAGE_ID; }
@inline function behind(): usize { return <usize>load<u32>(WIRE, RUN_PTR) + load<u32>(WIRE, RUN_LEN); }
@inline function keep(d: usize): void { store<u32>(WIRE, <u32>(d - load<u32>(WIRE, RUN_PTR)), RUN_LEN); }

@inline function put(d: usize, p: usize, n: u32): usize {
  copyForward(d, p, n);
  return d + n;
}

// A name behind its comma, or behind a brace, and its colon.
@inline function putName(d: usize, before: u32, name: u32): usize {
  store<u16>(d, <u16>(before | 0x2200));
  d = put(d + 2, memberName(name), memberNameLength(name));
  store<u16>(d, 0x3a22);
  return d + 2;
}

@inline function putText(d: usize, name: u32, p: usize, n: u32): usize {
  d = putName(d, 0x2c, name);
  store<u8>(d, 0x22);
  d = put(d + 1, p, n);
  store<u8>(d, 0x22);
  return d + 1;
}

/**
 * Writes the event as SSE or as a line: ITEM_ `kind` of what the delta belongs to, its id, the delta and, unless `owner` is 0, its `subagentRunId`, all canonical
 * contents of JSON strings; `time` < 0: no timestamp. False = out of memory, nothing written.
 */
export function putTokenText(
  kind: u32, id: usize, idLength: u32, delta: usize, deltaLength: u32, owner: usize, ownerLength: u32, time: f64, sse: bool,
): bool {
  // with the 8 bytes around it
  if (!scratchReserve(WIRE, ROOM + idLength + deltaLength + ownerLength) || !openText(sse)) return false;
  const type = typeOf(kind), isReasoning = kind > ITEM_CALL;
  let d = putName(behind(), 0x7b, F_TYPE);
  store<u8>(d, 0x22);
  d = put(d + 1, typeName(type), typeNameLength(type));
  store<u8>(d++, 0x22);
  if (isReasoning && owner) d = putText(d, F_SUBAGENT_RUN_ID, owner, ownerLength);
  d = putText(d, idOf(kind), id, idLength);
  d = putText(d, F_DELTA, delta, deltaLength);
  if (!isReasoning && owner) d = putText(d, F_SUBAGENT_RUN_ID, owner, ownerLength);
  if (time >= 0) d = writeUint(<u64>time, putName(d, 0x2c, F_TIMESTAMP));
  store<u8>(d++, 0x7d);
  keep(d);
  return closeText(sse);
}

function putStr(d: usize, p: usize, n: u32): usize { return put(putStringHeader(d, n), p, n); }

@inline function putPair(d: usize, name: u32, p: usize, n: u32): usize { return putStr(putStr(d, memberName(name), memberNameLength(name)), p, n); }

/** The same as a map of MessagePack, of strings that are plain UTF-8. */
export function putTokenMap(
  kind: u32, id: usize, idLength: u32, delta: usize, deltaLength: u32, owner: usize, ownerLength: u32, time: f64,
): bool {
  if (!scratchReserve(WIRE, ROOM + idLength + deltaLength + ownerLength)) return false;
  const type = typeOf(kind), isReasoning = kind > ITEM_CALL;
  let d = behind();
  store<u8>(d, <u8>(0x83 + (owner ? 1 : 0) + (time >= 0 ? 1 : 0)));
  d = putPair(d + 1, F_TYPE, typeName(type), typeNameLength(type));
  if (isReasoning && owner) d = putPair(d, F_SUBAGENT_RUN_ID, owner, ownerLength);
  d = putPair(d, idOf(kind), id, idLength);
  d = putPair(d, F_DELTA, delta, deltaLength);
  if (!isReasoning && owner) d = putPair(d, F_SUBAGENT_RUN_ID, owner, ownerLength);
  if (time >= 0) d = putUint(putStr(d, memberName(F_TIMESTAMP), memberNameLength(F_TIMESTAMP)), <u64>time);
  keep(d);
  return true;
}
