// Where the delta of an event stands and what it belongs to; what other events end of what is held (docs/transcoding.md).
import * as ag from "../../abi/agui";
import { OP_APPEND, OP_END, OP_ERROR, OP_SET, OP_START } from "../../abi/codes";
import {
  F_BLOCK, F_MASK, F_STREAM_ID, fieldEnd, fieldKind, fieldStart, findBlockMember, isString, K_ABSENT, K_ESCAPED, K_OBJECT, memberEnd, memberKind, memberStart, opOf,
} from "../../reduce/agentue/envelope";
import { maskEnd, maskPath, maskRoot, maskSegments, parseMask, ROOT_BLOCK } from "../../reduce/agentue/mask";
import { slotEnd, slotStart, slotsWithStrings } from "../../reduce/agui/event";
import { NAME_ID } from "../../reduce/names";
import { ANY, dropAllHalves, dropHalves, nameDelta } from "./halves";

/** Contents of the delta of the event in hand, 0 = it has none; `deltaIsLoose`: its escapes may not be canonical. */
export let deltaStart: usize = 0;
export let deltaEnd: usize = 0;
export let deltaIsLoose: bool = false;

// ---------------------------------------------------------------- AgentUE

let stream: usize = 0;
let streamLength: u32 = 0;

function takeStream(): void {
  const there = fieldKind(F_STREAM_ID) != K_ABSENT;
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
  else if (op == OP_SET && fieldKind(F_BLOCK) == K_OBJECT && findBlockMember(NAME_ID, 2)) {
    nameDelta(0, stream, streamLength, memberStart + 1, <u32>(memberEnd - memberStart) - 2, 0, ANY);
  } else return false;
  return dropHalves(c);
}

// ---------------------------------------------------------------- AG-UI

// The first two letters tell texts (TE), tool calls (TO), reasoning (RE) and runs (RU) apart.
const FAMILY_CALL: u32 = 0x4f54, FAMILY_RUN: u32 = 0x5552;
const END: u32 = 0x444e455f; // _END

@inline function isText(f: u32): bool { return (slotsWithStrings >> <u64>f & 1) != 0 && slotStart(f) != 0; }
@inline function contents(f: u32): usize { return isText(f) ? slotStart(f) + 1 : 0; }
@inline function contentsLength(f: u32): u32 { return isText(f) ? <u32>(slotEnd(f) - slotStart(f)) - 2 : 0; }

function nameItem(family: u32): void {
  const id: u32 = family == FAMILY_CALL ? ag.F_TOOL_CALL_ID : ag.F_MESSAGE_ID, tag: u32 = ag.F_SUBAGENT_RUN_ID;
  // a chunk may go on without its id, and what has one is found whoever names its owner
  if (isText(id)) nameDelta(family, 0, ANY, contents(id), contentsLength(id), 0, 0);
  else nameDelta(family, contents(tag), contentsLength(tag), 0, ANY, 0, 0);
}

/** Finds the delta of the AG-UI event that was read, and names it. */
export function findDelta(): void {
  deltaStart = 0;
  deltaIsLoose = false;
  if (!isText(ag.F_TYPE) || !isText(ag.F_DELTA)) return;
  deltaStart = contents(ag.F_DELTA);
  deltaEnd = slotEnd(ag.F_DELTA) - 1;
  nameItem(load<u16>(contents(ag.F_TYPE)));
}

/** Names the delta for holding a half: with all that the event says of it. */
export function nameHeldDelta(): void {
  const family = <u32>load<u16>(contents(ag.F_TYPE)), id: u32 = family == FAMILY_CALL ? ag.F_TOOL_CALL_ID : ag.F_MESSAGE_ID;
  nameDelta(family, contents(ag.F_SUBAGENT_RUN_ID), contentsLength(ag.F_SUBAGENT_RUN_ID), contents(id), contentsLength(id), 0, 0);
}

/** Forgets halves that the AG-UI event, which has no delta, leaves without their other half; whether there were any. */
export function endDelta(c: usize): bool {
  if (!isText(ag.F_TYPE)) return false;
  const family = <u32>load<u16>(contents(ag.F_TYPE));
  if (family == FAMILY_RUN) return dropAllHalves(c);
  if (load<u32>(slotEnd(ag.F_TYPE) - 5) != END) return false;
  nameItem(family);
  return dropHalves(c);
}
