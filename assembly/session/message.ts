// One message that framing has cut out of the wire, as JSON text: read, handled, concluded.
import * as code from "../abi/codes";
import * as layout from "../abi/layout";
import { reserve } from "../memory/heap";
import { bytesClear, bytesReserve, RUN_PTR } from "../memory/bytes";
import { FAULT_DEPTH, FAULT_UTF8, faultAt, locateFault } from "../text/fault";
import { isWellFormed, replaceInvalid } from "../text/replace-utf8";
import { skipSpace } from "../text/trusted";
import { clearFault, fail, failWhole } from "../reduce/fault";
import { releaseText, SCRATCH_MESSAGE as REPLACED } from "../reduce/scratch";
import { EVENT_ACCEPTED, EVENT_NO_MEMORY, EVENT_UNROUTED } from "./events";
import { failConnection, noMemory } from "./failure";
import { add, C_EVENT_INDEX, C_EVENTS, C_OPTIONS, MESSAGE_ROOM, option } from "./layout";
import { aboutPlace, reportWarning, reserveOutput } from "./output";
import { placeInMessage, readFromCopy } from "./place";
import { handleMessage, scanMessage } from "./protocol";
import { reserveAdapted } from "./adapt/compose";
import { reserveWire } from "./transcode/emit";
import { adapterOf, wireOf } from "./roads";

/** Messages that had to be framed and copied before they were read. */
export let framedMessages: u32 = 0;

/** Whether a flag of the options is set. */
@inline export function hasOption(c: usize, flag: u32): bool { return (<u32>load<u8>(c + C_OPTIONS, layout.OPT_FLAGS) & flag) != 0; }

/** Counts one more message; its index. */
export function nextIndex(c: usize): f64 {
  const index = load<f64>(c, C_EVENT_INDEX);
  store<f64>(c, index + 1, C_EVENT_INDEX);
  add(c, C_EVENTS, 1);
  return index;
}

/** Memory for the event's reports and small allocations; where there is none nothing of the event has happened yet. `n`: length of the event's text. */
export function hasRoom(c: usize, n: u32): bool {
  if (reserve(MESSAGE_ROOM) && reserveOutput(hasOption(c, layout.FLAG_REPORT_EVENTS) ? n : 0) && (!wireOf(c) || (adapterOf(c) ? reserveAdapted(c, n) : reserveWire(wireOf(c), n)))) return true;
  noMemory(c);
  return false;
}

/** What an EVENT_ status comes to; whether the event was accepted. */
export function conclude(c: usize, outcome: u32): bool {
  if (outcome == EVENT_ACCEPTED) return true;
  if (outcome == EVENT_UNROUTED) failConnection(c);
  else if (outcome == EVENT_NO_MEMORY) noMemory(c);
  return false;
}

/** Reads one whole message, which took `size` bytes on the wire; a NUL lies behind it. Whether it was accepted. */
export function readMessage(c: usize, start: usize, end: usize, size: u32, replaced: bool): bool {
  framedMessages++;
  const p = skipSpace(start);
  if (load<u8>(p) == 0x7b) {
    const q = scanMessage(c, p, false);
    if (q && skipSpace(q) == end) return conclude(c, handleMessage(c, p, q, size, false));
  }
  clearFault();
  if (!replaced && hasOption(c, layout.FLAG_REPLACE_UTF8) && !isWellFormed(start, end)) return readReplaced(c, start, end);
  const fault = locateFault(start, end, option(c, layout.OPT_DEPTH));
  if (!fault) {
    failWhole(code.E_NOT_AN_EVENT);
    fail(code.E_NOT_AN_EVENT, code.R_OBJECT);
    failConnection(c);
    return false;
  }
  aboutPlace(placeInMessage(c, faultAt));
  failWhole(fault == FAULT_UTF8 ? code.E_INVALID_UTF8 : fault == FAULT_DEPTH ? code.E_TOO_DEEP : code.E_BAD_JSON);
  failConnection(c);
  return false;
}

function readReplaced(c: usize, start: usize, end: usize): bool {
  bytesClear(REPLACED);
  if (!bytesReserve(REPLACED, <u32>(end - start) * 3 + 64)) { noMemory(c); return false; }
  const text = <usize>load<u32>(REPLACED, RUN_PTR), stop = replaceInvalid(start, end, text);
  memory.fill(stop, 0, 64);
  reportWarning(c, code.W_UTF8_REPLACED, 0, 0);
  readFromCopy(text);
  const accepted = readMessage(c, text, stop, <u32>(end - start), true);
  readFromCopy(0);
  releaseText();
  return accepted;
}
