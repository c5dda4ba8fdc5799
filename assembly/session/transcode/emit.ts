// One event on its way to another wire: its text in that wire's form, behind what the call has written so far.
import * as code from "../../abi/codes";
import { OPT_TRANSPORT } from "../../abi/layout";
import { bytesClear, bytesFree, RUN_LEN, RUN_PTR } from "../../memory/bytes";
import { setAccount } from "../../memory/heap";
import { copyExact, copyForward } from "../../memory/copy";
import { writeMsgpack, msgpackWriteLosses } from "../../codec/msgpack/write";
import { msgpackReadLosses } from "../../codec/msgpack/read";
import { protobufWriteLosses, writeProtobuf } from "../../codec/protobuf/write";
import { PROTOBUF_NO_MEMORY, PROTOBUF_OK, PROTOBUF_UNKNOWN } from "../../codec/protobuf/wire";
import { canonicalize } from "../../text/minify";
import { endsWithHighSurrogate } from "../../text/units";
import { escapedMembers, normalizeEnvelope } from "../../reduce/agentue/envelope";
import { slotEnd, slotsWithStrings, slotStart } from "../../reduce/agui/event";
import { clearFault, fail, failWhole } from "../../reduce/fault";
import { SCRATCH_ADAPTED, SCRATCH_EVENT as EVENT, SCRATCH_WIRE as WIRE, scratchReserve } from "../../reduce/scratch";
import { addWarning } from "../../reduce/agui/warnings";
import { F_TYPE } from "../../abi/agui";
import { reportWarnings } from "../agui-warnings";
import { C_EVENT_INDEX, C_LOSSES, C_OPTIONS, C_RUN } from "../layout";
import { aboutMessage, reportFault, reportLoss } from "../output";
import { deltaEnd, deltaIsLoose, deltaStart, endAppended, endDelta, findAppended, findDelta } from "./delta";
import { dropAllHalves, dropHalf, dropHalves, escapeOf, findHalf, HALF_LENGTH, holdHalf, holdsHalves, mayHold, passOthers, reserveHalf } from "./halves";
import { wireOf } from "../roads";

/** Whether events go out on it as JSON text. */
@inline export function isTextWire(wire: u32): bool { return wire < <u32>code.TRANSPORT_MSGPACK; }

/** Gives unusually large buffers of the outlet back. */
export function releaseWire(): void {
  const account = setAccount(0);
  bytesFree(WIRE);
  bytesFree(EVENT);
  bytesFree(SCRATCH_ADAPTED);
  setAccount(account);
}

/** Of longer texts the form on a binary wire is longer than any run. */
const LONGEST: u32 = 1 << 30;

/**
 * Room for what an event of `n` bytes of text comes to, before it is applied; false = out of memory. Text goes out at most as long as it came, but for what
 * translation of older forms adds; MessagePack takes up to 9 bytes for 4; what a protobuf needs beyond it is asked for when it is written (docs/transcoding.md §2).
 */
export function reserveWire(wire: u32, n: u32): bool { return reserveToken(wire, n) && (isTextWire(wire) || scratchReserve(EVENT, n + 128)); }

/** The same for an event of whose delta no half is held. */
export function reserveToken(wire: u32, n: u32): bool { return n <= LONGEST && scratchReserve(WIRE, (isTextWire(wire) ? n : n * 3) + 256); }

const TYPE_PATH: usize = memory.data<u8>([0x2f, 0x74, 0x79, 0x70, 0x65, 0, 0, 0]);
const DATA: usize = memory.data<u8>([0x64, 0x61, 0x74, 0x61, 0x3a, 0x20, 0, 0]);

/**
 * Writes the accepted event [p, end), which the protocol's reader has read: validated, compact but for the spelling of escapes in an AgentUE delta. An event that has
 * no form on the wire is left out, and changes nothing of what is held. False = out of memory, nothing written.
 */
export function emit(c: usize, p: usize, end: usize): bool {
  const wire = wireOf(c);
  if (isTextWire(wire)) {
    if (!putText(p, end, wire == code.TRANSPORT_SSE, !load<u32>(c, C_RUN) && escapedMembers != 0)) return false;
    noteReadLosses(c);
    return true;
  }
  const run = load<u32>(c, C_RUN) != 0;
  if (run) findDelta();
  else {
    findAppended();
    if (deltaStart && deltaIsLoose) {
      end = normalizeEnvelope(p);
      findAppended();
    }
  }
  return emitNamed(c, p, end, wire, run ? OF_AGUI : OF_AGENTUE) != NO_MEMORY;
}

/** Whose rules say which halves an event without a delta ends: its protocol's; or those that were named with `nameDelta`; or none. */
export const OF_AGENTUE: u32 = 0, OF_AGUI: u32 = 1, OF_NAMED: u32 = 2, OF_NOBODY: u32 = 3;

/** Writes the event [p, end) on a binary wire, with the halves of its delta, which was found and named, or was set. What came of it. */
export function emitNamed(c: usize, p: usize, end: usize, wire: u32, rules: u32): u32 {
  const high = deltaStart != 0 && endsWithHighSurrogate(deltaStart, deltaEnd) && mayHold();
  if (!holdsHalves(c) && !high) return putBinary(c, p, end, wire);
  // entries stay where they are from here on
  if (high && !reserveHalf(c)) return NO_MEMORY;
  const held = deltaStart ? findHalf(c) : 0, joined = deltaStart < deltaEnd ? held : 0;
  if (joined || high) {
    if (!joinHalves(p, end, joined, high)) return NO_MEMORY;
    p = load<u32>(EVENT, RUN_PTR);
    end = p + load<u32>(EVENT, RUN_LEN);
  }
  const outcome = putBinary(c, p, end, wire);
  if (outcome != WRITTEN) return outcome;
  let lost = false;
  if (!deltaStart) lost = rules == OF_AGUI ? endDelta(c) : rules == OF_AGENTUE ? endAppended(c) : rules == OF_NAMED && dropHalves(c);
  else {
    if (rules == OF_AGUI) passOthers(c, held);
    if (joined) dropHalf(c, joined);
    if (high) lost = holdHalf(c, deltaEnd - HALF_LENGTH);
  }
  if (lost) noteLosses(c, code.LOSS_SURROGATE);
  return WRITTEN;
}

/** Says at the end of the body what is lost of halves that no other half has followed. */
export function endEmission(c: usize): void {
  if (!dropAllHalves(c)) return;
  aboutMessage(load<f64>(c, C_EVENT_INDEX), -1);
  noteLosses(c, code.LOSS_SURROGATE);
}

// Whether what is written comes of no message.
let isUnread: bool = false;

/** Says whether what is written next comes of no message: reading has lost nothing of it. */
export function setUnread(yes: bool): void { isUnread = yes; }

// What reading the message has lost.
@inline function readLosses(c: usize): u32 { return isUnread ? 0 : load<u8>(c + C_OPTIONS, OPT_TRANSPORT) == code.TRANSPORT_MSGPACK ? msgpackReadLosses : 0; }

/** Says what reading the message in hand has lost of an event that was written as text. */
export function noteReadLosses(c: usize): void { noteLosses(c, readLosses(c)); }

// Says of each kind of loss once that it happens.
function noteLosses(c: usize, losses: u32): void {
  losses &= ~load<u32>(c, C_LOSSES);
  if (!losses) return;
  store<u32>(c, load<u32>(c, C_LOSSES) | losses, C_LOSSES);
  for (; losses; losses &= losses - 1) reportLoss(c, <u32>ctz(losses));
}

// Makes the text of the event in SCRATCH_EVENT: with the half of the entry `held` (0: none) before its delta, without the one at its end when it is `high`. False = out of
// memory.
function joinHalves(p: usize, end: usize, held: usize, high: bool): bool {
  bytesClear(EVENT);
  if (!scratchReserve(EVENT, <u32>(end - p) + 64)) return false;
  const stop = high ? deltaEnd - HALF_LENGTH : deltaEnd, start = <usize>load<u32>(EVENT, RUN_PTR);
  let d = put(start, p, deltaStart);
  if (held) d = put(d, escapeOf(held), escapeOf(held) + HALF_LENGTH);
  d = put(put(d, deltaStart, stop), deltaEnd, end);
  memory.fill(d, 0, 64);
  store<u32>(EVENT, <u32>(d - start), RUN_LEN);
  return true;
}

function put(d: usize, p: usize, end: usize): usize {
  copyExact(d, p, <u32>(end - p));
  return d + (end - p);
}

/** Writes what stands before the text of an event of SSE, and behind it, or behind a line; false = out of memory, nothing written. */
export function openText(sse: bool): bool {
  if (!scratchReserve(WIRE, 8)) return false;
  if (!sse) return true;
  store<u64>(<usize>load<u32>(WIRE, RUN_PTR) + load<u32>(WIRE, RUN_LEN), load<u64>(DATA));
  store<u32>(WIRE, load<u32>(WIRE, RUN_LEN) + 6, RUN_LEN);
  return true;
}
export function closeText(sse: bool): bool {
  if (!scratchReserve(WIRE, 2)) return false;
  store<u16>(<usize>load<u32>(WIRE, RUN_PTR) + load<u32>(WIRE, RUN_LEN), 0x0a0a);
  store<u32>(WIRE, load<u32>(WIRE, RUN_LEN) + (sse ? 2 : 1), RUN_LEN);
  return true;
}

/** Writes the validated text [p, end), canonical unless it is `loose`, as an event of SSE or as a line; false = out of memory, nothing written. */
export function putText(p: usize, end: usize, sse: bool, loose: bool): bool {
  if (!scratchReserve(WIRE, <u32>(end - p) + 32)) return false;
  const start = <usize>load<u32>(WIRE, RUN_PTR) + load<u32>(WIRE, RUN_LEN);
  let d = start;
  if (sse) {
    store<u64>(d, load<u64>(DATA));
    d += 6;
  }
  if (loose) d = canonicalize(p, d);
  else {
    copyForward(d, p, <u32>(end - p));
    d += end - p;
  }
  store<u16>(d, 0x0a0a);
  d += sse ? 2 : 1;
  store<u32>(WIRE, load<u32>(WIRE, RUN_LEN) + <u32>(d - start), RUN_LEN);
  return true;
}

// What came of an event on its way to a binary wire.
export const WRITTEN: u32 = 0;
/** It has no form there, which was said. */
const LEFT_OUT: u32 = 1;
export const NO_MEMORY: u32 = 2;

/** Writes the validated text [p, end), canonical for protobuf, as a message of a binary wire, and notes the losses, those of reading it among them. */
export function putBinary(c: usize, p: usize, end: usize, wire: u32): u32 {
  if (wire == code.TRANSPORT_MSGPACK) {
    const status = writeMsgpack(p, end, WIRE);
    if (status == code.E_OUT_OF_MEMORY) return NO_MEMORY;
    if (status) {
      refuse(c, code.E_LIMIT, status == code.E_BAD_MSGPACK ? code.R_WIRE_RANGE : code.R_LIMIT_DEPTH);
      return LEFT_OUT;
    }
    noteLosses(c, readLosses(c) | msgpackWriteLosses);
    return WRITTEN;
  }
  const before = load<u32>(WIRE, RUN_LEN);
  if (!scratchReserve(WIRE, 4)) return NO_MEMORY;
  store<u32>(WIRE, before + 4, RUN_LEN);
  const status = writeProtobuf(p, WIRE);
  if (status == PROTOBUF_OK) {
    store<u32>(<usize>load<u32>(WIRE, RUN_PTR) + before, bswap<u32>(load<u32>(WIRE, RUN_LEN) - before - 4));
    noteLosses(c, readLosses(c) | protobufWriteLosses);
    return WRITTEN;
  }
  store<u32>(WIRE, before, RUN_LEN);
  if (status == PROTOBUF_NO_MEMORY) return NO_MEMORY;
  // only what was not enforced has a type without a form
  if (status == PROTOBUF_UNKNOWN && slotsWithStrings >> <u64>F_TYPE & 1) {
    addWarning(code.W_UNKNOWN_EVENT, 0, TYPE_PATH, 5, slotStart(F_TYPE) + 1, <u32>(slotEnd(F_TYPE) - slotStart(F_TYPE)) - 2);
    reportWarnings(c);
  }
  else refuse(c, code.E_BAD_EVENT, 0);
  return LEFT_OUT;
}

// The event has no form on the wire: it is left out, and that is said.
function refuse(c: usize, error: u32, reason: u32): void {
  clearFault();
  failWhole(error);
  fail(error, reason);
  reportFault(c);
}
