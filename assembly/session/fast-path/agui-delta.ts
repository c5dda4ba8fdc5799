// STATE_DELTA in its ordinary spelling, `{"type":"STATE_DELTA","delta":[…]}`: validated, read and applied without the stages between, which have
// nothing to say about such an event. Whatever is not entirely ordinary (another phase, a pending chunk stream, an operation that does not apply, a
// limit in reach) is left to the full road; nothing has been touched then. One `replace` is applied in one walk (patch/quick-replace.ts). A transcoder writes the event as it came.
import { AG_STATE_DELTA } from "../../abi/agui";
import { RUN_RUNNING, TRANSPORT_JSON, TRANSPORT_MSGPACK } from "../../abi/codes";
import { FLAG_REPORT_EVENTS, OPT_DEPTH, OPT_EVENT_TYPES, OPT_FLAGS, OPT_HELD_TYPES, OPT_PASS, OPT_TRANSPORT } from "../../abi/layout";
import { reserve, setAccount } from "../../memory/heap";
import { documentSize, editBegin, editCommit, editRollback, rootSlot } from "../../document/index";
import { PATCH_OK, patchScan, patchSteps, quickPath, quickPathLength, quickReplaceApply, quickReplaceRead } from "../../patch/index";
import { F_LIMIT, F_OFFSET, offsetOf } from "../../frame/state";
import { maxDepth, maxModel, maxNumber } from "../../reduce/agentue/limits";
import { STATE_LEVELS } from "../../reduce/agui/apply-state";
import { largestSize } from "../../reduce/agui/limits";
import { notePointer } from "../../reduce/agui/changes";
import { setWireType } from "../../reduce/agui/event";
import { notePatch } from "../../reduce/agui/patch-changes";
import { A_APPLIED, A_STATE, addToSize, advance, statusOfAgui } from "../../reduce/agui/state";
import { lanesPending, trackPhase } from "../../reduce/agui/track";
import { PHASE_RUNNING } from "../../reduce/agui/track-layout";
import { adaptDelta, TOLD_TOO_MUCH } from "../adapt/adapt";
import { reserveAdapted } from "../adapt/compose";
import { isUnderWay } from "../adapt/state";
import { concludeTold, nameRun } from "../agui-event";
import { noMemory } from "../failure";
import { aboutMessage, reserveOutput } from "../output";
import { isTextWire, reserveToken } from "../transcode/emit";
import { relayCanonical } from "../transcode/relay";
import { add, C_APPLIED, C_EVENT_INDEX, C_EVENTS, C_FIRST, C_FRAME, C_OPTIONS, C_RUN, MESSAGE_ROOM, option, PAUSED, T_FLAGS } from "../layout";
import { nextBegin, textBegin } from "./edges";
import { adapterOf, wireOf } from "../roads";

/** Events that were folded here. */
export let quickDeltas: u32 = 0;

/** Levels of the event around the value of an operation. */
export const VALUE_LEVELS: u32 = 3;

/**
 * Whether a connection's options let deltas be folded here: nobody wants the events themselves, and operations are not too deep. As AgentUE they go out as text from
 * here, where nothing is lost on the way; other transcoders write the event as it came, which a message without framing leaves to the full road.
 */
export function allowsDeltas(c: usize): bool {
  const reported = <u32>load<u8>(c + C_OPTIONS, OPT_FLAGS) & FLAG_REPORT_EVENTS ? load<u64>(c + C_OPTIONS, OPT_EVENT_TYPES) : 0;
  return ((reported | load<u64>(c + C_OPTIONS, OPT_HELD_TYPES)) >> <u64>AG_STATE_DELTA & 1) == 0 && option(c, OPT_DEPTH) >= VALUE_LEVELS
    && (!wireOf(c) || allowsWritten(c, load<u8>(c + C_OPTIONS, OPT_TRANSPORT)));
}

function allowsWritten(c: usize, from: u32): bool {
  return adapterOf(c) ? isTextWire(wireOf(c)) && from < <u32>TRANSPORT_MSGPACK : from != TRANSPORT_JSON && !load<u8>(c + C_OPTIONS, OPT_PASS);
}

// {"type":"STATE_DELTA","delta":[
@inline function begins(p: usize): bool {
  return load<u64>(p, 8) == 0x445f455441545322 && load<u64>(p) == 0x3a2265707974227b && load<u64>(p, 16) == 0x64222c2241544c45
    && (load<u64>(p, 24) & 0xffffffffffffff) == 0x5b3a2261746c65;
}
const LIST: usize = 30;

/** Whether the connection is in a state in which nothing but the patch decides what becomes of it. */
@inline export function isDeltaReady(c: usize): bool {
  const t = <usize>load<u32>(c, C_FIRST), s = <usize>load<u32>(c, C_RUN);
  return (load<u8>(t, T_FLAGS) & PAUSED) == 0 && trackPhase(s) == PHASE_RUNNING && statusOfAgui(s) == RUN_RUNNING && !lanesPending(s) && reserve(MESSAGE_ROOM);
}

// Reads the event at `p`: the address behind it, 0 when it is not of that form.
@inline function scanDelta(p: usize, lineMode: bool): usize {
  const q = patchScan(p + LIST, VALUE_LEVELS, maxNumber, lineMode);
  return q && load<u8>(q) == 0x7d ? q + 1 : 0;
}

// The same for an event of one operation that `quickReplaceRead` takes. As AgentUE it goes out from the records of `patchScan`.
@inline function scanReplace(c: usize, p: usize): usize {
  const q: usize = adapterOf(c) ? 0 : quickReplaceRead(p + LIST + 1, VALUE_LEVELS, maxNumber);
  return q && load<u16>(q) == 0x7d5d ? q + 2 : 0;
}

/** Folds the event at `p`, where the frame stands between two events: SSE as `data: {…}` and a blank line, NDJSON as `{…}` and LF. The address behind it, or 0. */
export function foldDelta(c: usize, p: usize, end: usize, sse: bool): usize {
  const start = textBegin(p, sse);
  if (!start || !begins(start) || !isDeltaReady(c) || !hasWireRoom(c, <u32>(end - start))) return 0;
  let q = scanReplace(c, start), next = nextBegin(c, start, q, end, sse);
  if (!next || !replaces(c)) {
    q = scanDelta(start, true);
    next = nextBegin(c, start, q, end, sse);
    if (!next || !applies(c, offsetOf(start), <u32>(q - start))) return 0;
  }
  if (relays(c)) {
    aboutMessage(load<f64>(c, C_EVENT_INDEX), offsetOf(start));
    relay(c, start, q);
  }
  countMessage(c);
  return next;
}

/** Folds the event that is the whole message [p, end), of which no bytes have come before; whether it was done. */
export function foldWholeDelta(c: usize, p: usize, end: usize): bool {
  if (<u32>(end - p) > load<u32>(c + C_FRAME, F_LIMIT) || !foldCountedDelta(c, p, end)) return false;
  countMessage(c);
  return true;
}

/** Folds the event that is the whole text [p, end), made of a message that was counted, or is the next one of the wire; whether it was done. */
export function foldCountedDelta(c: usize, p: usize, end: usize): bool {
  if (!begins(p) || !isDeltaReady(c) || !hasWireRoom(c, <u32>(end - p))) return false;
  if (!(scanReplace(c, p) == end && replaces(c)) && !(scanDelta(p, false) == end && applies(c, load<f64>(c + C_FRAME, F_OFFSET), <u32>(end - p)))) return false;
  if (relays(c)) relay(c, p, end);
  return true;
}

/** Folds the message of one `replace` that `quickReplaceTake` has taken, where `isDeltaReady`; whether it was done. */
export function foldTakenReplace(c: usize): bool {
  if (!replaces(c)) return false;
  countMessage(c);
  return true;
}

// Whether the event itself goes out on another wire.
@inline function relays(c: usize): bool { return wireOf(c) != 0 && !adapterOf(c); }

@inline function hasWireRoom(c: usize, n: u32): bool { return !relays(c) || (reserveOutput(0) && reserveToken(wireOf(c), n)); }

// Writes the applied event [p, end), which is canonical. No half is held or dropped for it.
function relay(c: usize, p: usize, end: usize): void {
  nameRun(c);
  relayCanonical(c, p, end);
}

@inline function countMessage(c: usize): void {
  add(c, C_EVENTS, 1);
  add(c, C_EVENT_INDEX, 1);
}

@inline function countApplied(c: usize, s: usize): void {
  quickDeltas++;
  add(s, A_APPLIED, 1);
  add(c, C_APPLIED, 1);
}

@inline function levels(): u32 { return maxDepth > STATE_LEVELS ? maxDepth - STATE_LEVELS : 0; }

// Applies what `quickReplaceRead` has read.
function replaces(c: usize): bool {
  const s = <usize>load<u32>(c, C_RUN), d = <usize>load<u32>(s, A_STATE), before = documentSize(d);
  const account = setAccount(load<u32>(c, C_FIRST)), done = quickReplaceApply(d, levels(), largestSize(s, d));
  // repeated members that were come upon stay resolved
  addToSize(s, documentSize(d) - before);
  if (done) {
    advance(s);
    notePointer(s, quickPath, quickPathLength);
    countApplied(c, s);
  }
  setAccount(account);
  return done;
}

// Applies the patch that `patchScan` has read, of the message of `size` bytes at that offset of the wire.
function applies(c: usize, offset: f64, size: u32): bool {
  const s = <usize>load<u32>(c, C_RUN), adapter = adapterOf(c);
  if (adapter && (!isUnderWay(adapter) || !reserveAdapted(c, 0))) return false;
  const account = setAccount(load<u32>(c, C_FIRST)), done = appliesTo(s);
  setAccount(account);
  if (!done) return false;
  if (adapter) {
    const told = adaptDelta(c, size);
    if (told) report(c, told, offset);
  }
  countApplied(c, s);
  return true;
}

// The event was not wholly said.
function report(c: usize, told: u32, offset: f64): void {
  aboutMessage(load<f64>(c, C_EVENT_INDEX), told == TOLD_TOO_MUCH ? offset : -1);
  nameRun(c);
  setWireType(AG_STATE_DELTA);
  if (!concludeTold(c, told)) noMemory(c);
}

function appliesTo(s: usize): bool {
  const d = <usize>load<u32>(s, A_STATE), before = documentSize(d);
  editBegin(d);
  const done = patchSteps(d, 0, rootSlot(d), levels(), largestSize(s, d), maxModel) == PATCH_OK;
  if (done) {
    editCommit(d);
    advance(s);
    notePatch(s);
  } else editRollback(d);
  // repeated members that were come upon stay resolved
  addToSize(s, documentSize(d) - before);
  return done;
}
