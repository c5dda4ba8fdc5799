// Reading a connection: what is written goes to the result run, counters to a place of their own.
import * as layout from "../abi/layout";
import { roundUp, setAccount } from "../memory/heap";
import { bytesClear, bytesReserve, RUN_LEN, RUN_PTR } from "../memory/bytes";
import { putText } from "../codec/json/put";
import { trimMsgpack, writeMsgpack } from "../codec/msgpack/write";
import { trimProtobufReader } from "../codec/protobuf/read";
import { trimProtobufWriter } from "../codec/protobuf/write";
import { trimAssembled } from "../frame/storage/assembler";
import { trimMembers } from "../frame/storage/members";
import { planEnd } from "../frame/storage/plan";
import { trimResolved } from "../frame/storage/resolve";
import { trimUnframe } from "../frame/storage/unframe";
import { F_LAST_ID, LAST_ID_KNOWN, hasFlag } from "../frame/state";
import { trimRecords, trimSplit } from "../document/index";
import { trimPatch } from "../patch/index";
import { fail, failWhole } from "../reduce/fault";
import { releaseText, SCRATCH_MESSAGE, SCRATCH_RESULT, trimScratch } from "../reduce/scratch";
import { writeChanges } from "../reduce/agentue/changes";
import { argumentText, NO_CALL } from "../reduce/agui/arguments";
import { writeChangesAgui } from "../reduce/agui/changes";
import { trimExpansion } from "../reduce/agui/expansion";
import { trimJournal } from "../reduce/agui/journal";
import { isOverAgui } from "../reduce/agui/ending";
import { snapshotSize, writeSnapshotAgui } from "../reduce/agui/snapshot";
import { A_APPLIED, A_COUNT, A_DROPPED, A_SKIPPED, A_VERSION, statusOfAgui } from "../reduce/agui/state";
import { writeModel } from "../reduce/agentue/write";
import {
  S_APPLIED, S_COUNT, S_DROPPED, S_SEQ, S_SHELL, S_SIZE, S_SKIPPED, S_STATUS, S_VERSION, S_FLAGS, SEQ_KNOWN,
} from "../reduce/agentue/state";
import { E_BAD_MSGPACK, E_OUT_OF_MEMORY, R_WIRE_RANGE, STATUS_ENDED } from "../abi/codes";
import {
  C_APPLIED, C_BYTES, C_COUNT, C_DROPPED, C_ERRORS, C_EVENTS, C_FIRST, C_FAILURE, C_FRAME, C_OPTIONS, C_SKIPPED, C_TRUNCATED, C_WARNINGS, T_ACCOUNT, T_ALLOCATION, T_ID,
  T_ID_LENGTH, T_NEXT, T_QUEUED, T_STATE,
} from "./layout";
import { awaitedReference, isWaiting, referenceOf, writeReference } from "./waiting";
import { passesOn, runOf, runOfStream, SLIM } from "./roads";

/** Gives back the buffers that serve single calls, so that what lives afterwards belongs to connections. */
export function trim(): void {
  trimScratch();
  trimSplit();
  trimRecords();
  if (SLIM) return;
  trimPatch();
  trimExpansion(0);
  trimJournal(0);
  trimMsgpack();
  trimProtobufReader();
  trimProtobufWriter();
  trimMembers();
  trimUnframe();
  trimResolved();
  trimAssembled();
  planEnd();
}

export const NO_RESULT: i32 = -1;
export const NO_RESULT_MEMORY: i32 = -2;
export const NO_RESULT_FORM: i32 = -3;

@inline function runBehind(t: usize): usize { return t ? runOfStream(t) : 0; }

/** Status of a stream, 0 when it does not exist; RUN_ id for AG-UI. */
export function statusOf(t: usize): u32 {
  const run = runBehind(t);
  return run ? statusOfAgui(run) : t ? <u32>load<u8>(t + T_STATE, S_STATUS) : 0;
}

/** Last seq of a stream, −1 when it is not known. */
export function seqOf(t: usize): f64 {
  return t && load<u8>(t + T_STATE, S_FLAGS) & SEQ_KNOWN ? load<f64>(t + T_STATE, S_SEQ) : -1;
}

/** Writes the model as JSON to a scratch run; its length, NO_RESULT without one. */
export function writeSnapshot(t: usize, to: usize): i32 {
  const run = runBehind(t);
  if (!run && (!t || !load<u32>(t + T_STATE, S_SHELL))) return NO_RESULT;
  const size = run ? snapshotSize(run) : load<u32>(t + T_STATE, S_SIZE);
  bytesClear(to);
  if (!bytesReserve(to, size + 16)) return NO_RESULT_MEMORY;
  const out = <usize>load<u32>(to, RUN_PTR);
  if (run) writeSnapshotAgui(run, out);
  else writeModel(t + T_STATE, out);
  store<u32>(to, size, RUN_LEN);
  return <i32>size;
}

/** Writes the model as MessagePack to the result; its length, NO_RESULT without one, NO_RESULT_FORM: the fault says why it has no such form. */
export function writeSnapshotMsgpack(t: usize): i32 {
  const n = writeSnapshot(t, SCRATCH_MESSAGE);
  if (n < 0) return n;
  const text = <usize>load<u32>(SCRATCH_MESSAGE, RUN_PTR), end = text + n;
  memory.fill(end, 0, 64);
  bytesClear(SCRATCH_RESULT);
  const status = writeMsgpack(text, end, SCRATCH_RESULT);
  releaseText();
  if (!status) return <i32>load<u32>(SCRATCH_RESULT, RUN_LEN);
  if (status == E_OUT_OF_MEMORY) return NO_RESULT_MEMORY;
  failWhole(status);
  fail(status, status == E_BAD_MSGPACK ? R_WIRE_RANGE : 0);
  return NO_RESULT_FORM;
}

/** Writes the changes after `since` (semantics §6): JSON array or `null`. */
export function writeChangesOf(t: usize, since: f64): i32 {
  bytesClear(SCRATCH_RESULT);
  const run = runBehind(t);
  const done = run ? writeChangesAgui(run, since, SCRATCH_RESULT, t) : writeChanges(t + T_STATE, since, SCRATCH_RESULT, t);
  return done ? <i32>load<u32>(SCRATCH_RESULT, RUN_LEN) : NO_RESULT_MEMORY;
}

/** Writes the argument text of a tool call (canonical id) from code unit `from` on as a JSON string; NO_RESULT without such a call. */
export function writeArgumentText(c: usize, id: usize, n: u32, from: u32): i32 {
  const s = runOf(c);
  if (!s) return NO_RESULT;
  const account = setAccount(load<u32>(c, C_FIRST)), length = argumentText(s, id, n, from, SCRATCH_RESULT);
  setAccount(account);
  return length == NO_CALL ? NO_RESULT : length < 0 ? NO_RESULT_MEMORY : length;
}

/** Version of the model, 0 for a stream that does not exist. */
export function versionOf(t: usize): f64 {
  const run = runBehind(t);
  return run ? load<f64>(run, A_VERSION) : t ? load<f64>(t + T_STATE, S_VERSION) : 0;
}

/** Writes what there is to know of the block with the canonical id of `n` bytes at `id`, or of the awaited one, when it is a reference; else NO_RESULT. */
export function writeUnresolved(t: usize, id: usize, n: u32): i32 {
  if (!t || runOfStream(t)) return NO_RESULT;
  const block = n != <u32>layout.AWAITED_BLOCK ? referenceOf(t, id, n) : isWaiting(t) ? awaitedReference(t) : 0;
  if (!block) return NO_RESULT;
  return writeReference(t, block) ? <i32>load<u32>(SCRATCH_RESULT, RUN_LEN) : NO_RESULT_MEMORY;
}

const QUOTE: usize = memory.data<u8>([0x22, 0, 0, 0, 0, 0, 0, 0]);
const BRACKETS: usize = memory.data<u8>([0x5b, 0x5d, 0x2c, 0, 0, 0, 0, 0]);

/** Writes the ids of all streams in order of opening as a JSON array of strings. */
export function writeStreamIds(c: usize): i32 {
  bytesClear(SCRATCH_RESULT);
  if (!putText(SCRATCH_RESULT, BRACKETS, 1)) return NO_RESULT_MEMORY;
  for (let t = <usize>load<u32>(c, C_FIRST); t; t = load<u32>(t, T_NEXT)) {
    if (load<u32>(SCRATCH_RESULT, RUN_LEN) > 1 && !putText(SCRATCH_RESULT, BRACKETS + 2, 1)) return NO_RESULT_MEMORY;
    if (!putText(SCRATCH_RESULT, QUOTE, 1) || !putText(SCRATCH_RESULT, t + T_ID, load<u32>(t, T_ID_LENGTH)) || !putText(SCRATCH_RESULT, QUOTE, 1)) {
      return NO_RESULT_MEMORY;
    }
  }
  return putText(SCRATCH_RESULT, BRACKETS + 1, 1) ? <i32>load<u32>(SCRATCH_RESULT, RUN_LEN) : NO_RESULT_MEMORY;
}

/** Writes the last event id (plain UTF-8); NO_RESULT when none came. */
export function writeLastEventId(c: usize): i32 {
  if (runOf(c) || !hasFlag(c + C_FRAME, LAST_ID_KNOWN)) return NO_RESULT;
  const id = c + C_FRAME + F_LAST_ID;
  bytesClear(SCRATCH_RESULT);
  if (!putText(SCRATCH_RESULT, load<u32>(id, RUN_PTR), load<u32>(id, RUN_LEN))) return NO_RESULT_MEMORY;
  return <i32>load<u32>(SCRATCH_RESULT, RUN_LEN);
}

// What hangs on the stream, and its own record.
function memoryOf(t: usize): f64 { return <f64>load<u32>(t, T_ACCOUNT) + <f64>roundUp(load<u32>(t, T_ALLOCATION)); }

/** STAT_COUNT f64, the counters that were written last: a place of their own, since they are read when there is no memory left, too. */
export const STATS: usize = memory.data(layout.STAT_COUNT << 3, 8);

function putStat(i: u32, value: f64): void { store<f64>(STATS + (i << 3), value); }

function beginStats(): void { memory.fill(STATS, 0, layout.STAT_COUNT << 3); }

// Blocks or messages of the model.
function blocksOf(t: usize): f64 {
  const run = runBehind(t);
  return run ? load<u32>(run, A_COUNT) : load<u32>(t + T_STATE, S_COUNT);
}

/** Writes the counters of one stream to STATS; false: there is no stream. */
export function writeStreamStats(t: usize): bool {
  if (!t) return false;
  beginStats();
  const s = t + T_STATE, run = runBehind(t);
  putStat(layout.STAT_APPLIED, run ? load<f64>(run, A_APPLIED) : load<f64>(s, S_APPLIED));
  putStat(layout.STAT_SKIPPED, run ? load<f64>(run, A_SKIPPED) : load<f64>(s, S_SKIPPED));
  putStat(layout.STAT_DROPPED, run ? load<f64>(run, A_DROPPED) : load<f64>(s, S_DROPPED));
  putStat(layout.STAT_STREAMS, 1);
  putStat(layout.STAT_BLOCKS, blocksOf(t));
  putStat(layout.STAT_QUEUED, load<u32>(t, T_QUEUED));
  putStat(layout.STAT_VERSION, versionOf(t));
  putStat(layout.STAT_MEMORY, memoryOf(t));
  return true;
}

/** Writes the counters of the whole connection to STATS. */
export function writeStats(c: usize): void {
  beginStats();
  putStat(layout.STAT_EVENTS, load<f64>(c, C_EVENTS));
  putStat(layout.STAT_BYTES, load<f64>(c, C_BYTES));
  putStat(layout.STAT_APPLIED, load<f64>(c, C_APPLIED));
  putStat(layout.STAT_SKIPPED, load<f64>(c, C_SKIPPED));
  putStat(layout.STAT_DROPPED, load<f64>(c, C_DROPPED));
  putStat(layout.STAT_ERRORS, load<f64>(c, C_ERRORS));
  putStat(layout.STAT_WARNINGS, load<f64>(c, C_WARNINGS));
  putStat(layout.STAT_STREAMS, load<u32>(c, C_COUNT));
  let blocks: f64 = 0, queued: f64 = 0, charged: f64 = 0;
  for (let t = <usize>load<u32>(c, C_FIRST); t; t = load<u32>(t, T_NEXT)) {
    blocks += blocksOf(t);
    queued += load<u32>(t, T_QUEUED);
    charged += memoryOf(t);
  }
  putStat(layout.STAT_BLOCKS, blocks);
  putStat(layout.STAT_QUEUED, queued);
  putStat(layout.STAT_MEMORY, charged);
}

/** Whether the body was delivered whole and every stream has ended (semantics §7, for AG-UI semantics-agui §9). */
export function isComplete(c: usize): bool {
  if (load<u8>(c, C_TRUNCATED)) return false;
  // what passes on does not know of streams
  if (passesOn(c)) return !load<u8>(c, C_FAILURE);
  if (!load<u32>(c, C_COUNT)) return false;
  if (runOf(c)) return isOverAgui(runOf(c));
  for (let t = <usize>load<u32>(c, C_FIRST); t; t = load<u32>(t, T_NEXT)) if (statusOf(t) != STATUS_ENDED) return false;
  return true;
}
