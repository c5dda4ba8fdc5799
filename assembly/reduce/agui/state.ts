// State of an AG-UI connection: its messages, its state, what is shown of the run, counters. The track's records hang on `A_TRACK`.
import * as code from "../../abi/codes";
import { alloc, free } from "../../memory/heap";
import { documentFree, documentNew, documentSetText, documentSize } from "../../document/index";
import { freeLog, L_VERSION, nextVersion } from "../change-log";
import { noteMeta, PART_RUN } from "./changes";
import { EMPTY_OBJECT } from "./fragments";
import { freeMessages } from "./messages";
import { freeRun } from "./run";
import { TRACK_SIZE, trackFree, trackInit, trackPhase } from "./track";
import { PHASE_RUNNING } from "./track-layout";

// State, STATE_SIZE bytes:
//   0 status u8 (RUN_ id) | 1 flags u8 | 2 spare | 4 generation: changes when records of messages or calls go, or another becomes the first of its id
//   8 messages ptr | 12 count | 16 capacity | 20 message found last
//  24 index of messages ptr (0 = none) | 28 capacity | 32 index of calls ptr (0 = none) | 36 capacity | 40 calls in it
//  44 document of the state | 48 size of the snapshot without `run` as compact JSON
//  52 texts of the run and of the baseline: ALL_TEXTS x {ptr, length}, ptr 0 = no value | 140 set of merged warnings ptr | 144 warnings in it
// 152 applied | 160 skipped | 168 dropped, all f64 | 176 log of changes, LOG_SIZE bytes | 240 track, TRACK_SIZE bytes
export const A_STATUS: usize = 0, A_FLAGS: usize = 1, A_GENERATION: usize = 4;
export const A_MESSAGES: usize = 8, A_COUNT: usize = 12, A_CAPACITY: usize = 16, A_LAST: usize = 20;
export const A_INDEX: usize = 24, A_INDEX_CAPACITY: usize = 28, A_CALLS: usize = 32, A_CALLS_CAPACITY: usize = 36, A_CALLS_COUNT: usize = 40;
export const A_STATE: usize = 44, A_SIZE: usize = 48, A_TEXTS: usize = 52, A_WARNINGS: usize = 140, A_WARNING_COUNT: usize = 144;
export const A_APPLIED: usize = 152, A_SKIPPED: usize = 160, A_DROPPED: usize = 168, A_LOG: usize = 176, A_VERSION: usize = A_LOG + L_VERSION;
export const A_TRACK: usize = 240;
export const STATE_SIZE: u32 = <u32>A_TRACK + TRACK_SIZE;

/** The calls of all messages are in the index. */
export const CALLS_KNOWN: u8 = 1;
/** The run's id is that of a RUN_STARTED. */
export const RUN_NAMED: u8 = 2;

/** Bytes of `{"messages":[],"state":}`. */
export const FRAME_SIZE: u32 = 24;

/** The largest number of different warnings that one run reports; the set holds twice as many places. */
export const WARNINGS_KEPT: u32 = 256;

// Generations are unique in the engine, so that what was read of one state is void for the next one too.
let generations: u32 = 0;

/** Declares everything remembered about records of messages and calls void. */
export function renewGeneration(s: usize): void { store<u32>(s, ++generations, A_GENERATION); }

/** A state without messages, `{}` as its state, idle; 0 = out of memory. */
export function newAgui(): usize {
  const s = alloc(STATE_SIZE);
  if (!s) return 0;
  memory.fill(s, 0, STATE_SIZE);
  const d = documentNew();
  if (!d || !documentSetText(d, EMPTY_OBJECT, 2)) {
    if (d) documentFree(d);
    free(s, STATE_SIZE);
    return 0;
  }
  store<u32>(s, <u32>d, A_STATE);
  begin(s);
  return s;
}

function begin(s: usize): void {
  renewGeneration(s);
  store<u32>(s, FRAME_SIZE + documentSize(load<u32>(s, A_STATE)), A_SIZE);
  trackInit(s);
}

function freeParts(s: usize): void {
  freeMessages(s);
  freeLog(s + A_LOG);
  freeRun(s);
  freeWarnings(s);
  trackFree(s);
}

function freeWarnings(s: usize): void {
  const set = <usize>load<u32>(s, A_WARNINGS);
  if (set) free(set, WARNINGS_KEPT * 16);
  store<u32>(s, 0, A_WARNINGS);
  store<u32>(s, 0, A_WARNING_COUNT);
}

/** Gives everything back. */
export function freeAgui(s: usize): void {
  freeParts(s);
  documentFree(load<u32>(s, A_STATE));
  free(s, STATE_SIZE);
}

/** Makes the state what `newAgui` gave; false = out of memory, and the old value of the state alone is still there. */
export function resetAgui(s: usize): bool {
  const d = <usize>load<u32>(s, A_STATE);
  // what it held goes first: it may be the memory for these two bytes
  freeParts(s);
  memory.fill(s, 0, STATE_SIZE);
  store<u32>(s, <u32>d, A_STATE);
  const done = documentSetText(d, EMPTY_OBJECT, 2);
  begin(s);
  return done;
}

/** `RUN_` id. */
@inline export function statusOfAgui(s: usize): u32 { return <u32>load<u8>(s, A_STATUS); }

@inline export function setStatus(s: usize, status: u32): void { store<u8>(s, <u8>status, A_STATUS); }

/** Whether the run shows no pending calls (docs/semantics-agui.md §8). */
export function showsNothingPending(s: usize): bool {
  const status = statusOfAgui(s);
  return status == code.RUN_IDLE || status == code.RUN_CANCELLED || status == code.RUN_FAILED;
}

/** Adds `growth` (may be negative, as u32) to the size of the snapshot. */
@inline export function addToSize(s: usize, growth: u32): void { store<u32>(s, load<u32>(s, A_SIZE) + growth, A_SIZE); }

/** One more version; every accepted event makes one. Its changes are noted behind this. */
@inline export function advance(s: usize): void {
  nextVersion(s + A_LOG);
  if (statusOfAgui(s) == code.RUN_TRUNCATED) continueRun(s);
}

// Verification may have found that the event goes on with a truncated run.
function continueRun(s: usize): void {
  if (trackPhase(s) == PHASE_RUNNING) {
    setStatus(s, code.RUN_RUNNING);
    noteMeta(s, PART_RUN);
  }
}

/** The run comes to another status without an event (docs/semantics-agui.md §1): one more version, and a change. The account is the stream's. */
export function changeStatus(s: usize, status: u32): void {
  setStatus(s, status);
  nextVersion(s + A_LOG);
  noteMeta(s, PART_RUN);
}
