// Where the delta of an event stands and what it belongs to; what other events end of what is held (docs/transcoding.md).
import * as ag from "../../abi/agui";
import { OP_APPEND, OP_END, OP_ERROR, OP_SET, OP_START } from "../../abi/codes";
import {
  F_BLOCK, F_MASK, F_STREAM_ID, fieldEnd, fieldKind, fieldStart, findBlockMember, isString, K_ESCAPED, K_OBJECT, memberEnd, memberKind, memberStart, opOf,
} from "../../reduce/agentue/envelope";
import { maskEnd, maskPath, maskRoot, maskSegments, parseMask, ROOT_BLOCK, segmentEnd } from "../../reduce/agentue/mask";
import { slotEnd, slotStart, slotsWithStrings } from "../../reduce/agui/event";
import { NAME_ID } from "../../reduce/names";
import { ANY, dropAllHalves, dropHalf, dropHalves, findHalf, nameDelta, NONE } from "./halves";

/** Contents of the delta of the event in hand, 0 = it has none; `deltaIsLoose`: its escapes may not be canonical. */
export let deltaStart: usize = 0;
export let deltaEnd: usize = 0;
export let deltaIsLoose: bool = false;

/** Says where the delta of an event of our own stands, 0 = it has none; `nameDelta` has named it. */
export function setDelta(start: usize, end: usize): void {
  deltaStart = start;
  deltaEnd = end;
  deltaIsLoose = false;
}

// ---------------------------------------------------------------- AgentUE

let stream: usize = 0;
let streamLength: u32 = 0;

function takeStream(): void {
  const there = isString(fieldKind(F_STREAM_ID));
  stream = there ? fieldStart(F_STREAM_ID) + 1 : 0;
  streamLength = there ? <u32>(fieldEnd(F_STREAM_ID) - stream) - 1 : 0;
}

/** Finds the delta of the AgentUE event that was scanned, and names it. */
export function findAppended(): void {
  deltaStart = 0;
  if (opOf() != OP_APPEND || !isString(fieldKind(F_MASK)) || fieldKind(F_BLOCK) != K_OBJECT) return;
  if (!parseMask(fieldStart(F_MASK) + 1, fieldEnd(F_MASK) - 1) || maskRoot != ROOT_BLOCK || maskSegments != 1 || !findBlockMember(NAME_ID, 2)) return;
  const id = memberStart + 1, idLength = <u32>(memberEnd - id) - 1, n = <u32>(maskEnd - maskPath);
  if (load<u8>(memberStart) != 0x22 || !findBlockMember(maskPath, n) || load<u8>(memberStart) != 0x22) return;
  deltaStart = memberStart + 1;
  deltaEnd = memberEnd - 1;
  deltaIsLoose = memberKind == K_ESCAPED;
  takeStream();
  nameDelta(0, stream, streamLength, id, idLength, maskPath, n);
}

/** Forgets halves that the scanned AgentUE event, which has no delta, leaves without their other half; whether there were any. */
export function endAppended(c: usize): bool {
  const op = opOf();
  takeStream();
  if (op == OP_START || op == OP_END || op == OP_ERROR) nameDelta(0, stream, streamLength, 0, ANY, 0, ANY);
  else if (op == OP_SET && fieldKind(F_BLOCK) == K_OBJECT && findBlockMember(NAME_ID, 2) && load<u8>(memberStart) == 0x22) {
    // a mask speaks of one field, also when it goes on below it
    const masked = isString(fieldKind(F_MASK)) && parseMask(fieldStart(F_MASK) + 1, fieldEnd(F_MASK) - 1) && maskRoot == ROOT_BLOCK;
    nameDelta(0, stream, streamLength, memberStart + 1, <u32>(memberEnd - memberStart) - 2, masked ? maskPath : 0, masked ? <u32>(segmentEnd(maskPath) - maskPath) : ANY);
  } else return false;
  return dropHalves(c);
}

// ---------------------------------------------------------------- AG-UI

// The first two letters tell texts (TE), tool calls (TO) and reasoning (RE) apart.
const FAMILY_CALL: u32 = 0x4f54;
// Ends of the names of types, and the beginning of those of runs.
const TENT: u32 = 0x544e4554, _CON: u32 = 0x4e4f435f, ARGS: u32 = 0x53475241, HUNK: u32 = 0x4b4e5548, _END: u32 = 0x444e455f, RUN_: u32 = 0x5f4e5552;
const SAGE: u32 = 0x45474153, CALL: u32 = 0x4c4c4143;

@inline function isText(f: u32): bool { return (slotsWithStrings >> <u64>f & 1) != 0 && slotStart(f) != 0; }
@inline function contents(f: u32): usize { return isText(f) ? slotStart(f) + 1 : 0; }
@inline function contentsLength(f: u32): u32 { return isText(f) ? <u32>(slotEnd(f) - slotStart(f)) - 2 : NONE; }

// Whether the type ends in `_CONTENT`, `_ARGS` or `_CHUNK`.
function hasDelta(): bool {
  const n = contentsLength(ag.F_TYPE), end = slotEnd(ag.F_TYPE) - 1;
  if (n < 8) return false;
  const last = load<u32>(end - 4);
  if (last == TENT) return load<u32>(end - 8) == _CON;
  return last == ARGS ? load<u8>(end - 5) == 0x5f : last == HUNK && load<u16>(end - 6) == 0x435f;
}

function nameItem(): void {
  const family = <u32>load<u16>(contents(ag.F_TYPE)), id: u32 = family == FAMILY_CALL ? ag.F_TOOL_CALL_ID : ag.F_MESSAGE_ID;
  const owner: u32 = ag.F_SUBAGENT_RUN_ID;
  nameDelta(family, contents(owner), contentsLength(owner), contents(id), contentsLength(id), 0, 0);
}

/** Finds the delta of the AG-UI event that was read, and names it. */
export function findDelta(): void {
  deltaStart = 0;
  deltaIsLoose = false;
  if (!isText(ag.F_TYPE) || !isText(ag.F_DELTA) || !hasDelta()) return;
  deltaStart = contents(ag.F_DELTA);
  deltaEnd = slotEnd(ag.F_DELTA) - 1;
  nameItem();
}

/** Forgets halves that the AG-UI event, which has no delta, leaves without their other half; whether there were any. */
export function endDelta(c: usize): bool {
  if (!isText(ag.F_TYPE)) return false;
  const n = contentsLength(ag.F_TYPE);
  if (n > 4 && load<u32>(contents(ag.F_TYPE)) == RUN_) return dropAllHalves(c);
  if (n < 8) return false;
  const end = slotEnd(ag.F_TYPE) - 1, before = load<u32>(end - 8);
  // of spans and subagents there are no deltas
  if (load<u32>(end - 4) != _END || (before != SAGE && before != CALL)) return false;
  nameItem();
  const entry = findHalf(c);
  if (entry) dropHalf(c, entry);
  return entry != 0;
}
