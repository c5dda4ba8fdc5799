// The track of a run from outside: phases, items, what is open (docs/semantics-agui.md §6), and the end of an event's judgement.
// `s` is a state, whose track lies at A_TRACK; `t` the address of the track itself.
import { free } from "../../memory/heap";
import { equalBytes } from "../../memory/copy";
import { change, clearJournal, CONDEMNED, GONE, journalAt, journalCount, journalWord, undoJournal } from "./journal";
import { countNames, dropEntry, entrySize, findItem, link, mark, push, unlink, unmark } from "./entries";
import { freeLanes } from "./lanes";
import { forgetItems } from "./recall";
import { A_TRACK } from "./state";
import {
  ACTIVE, ANSWERED, E_BITS, E_LENGTH, ENTRY_NAME, I_LINKS, I_NEXT_CALL, I_NUMBER, I_OWNER, I_SECOND_LINKS, I_SECOND_NUMBER, isMarked, KIND, kindOf,
  MAY_GO, N_LINKS, N_NEXT, N_TEXT, N_USES, OPEN, PARENT, PHASE_RUNNING, PHASE_TRUNCATED, SPAN_OPEN, STARTED, SUBAGENT, T_ACTIVE, T_CALLS, T_CAPACITY,
  T_INDEX, T_LANES, T_LAST, T_OPENINGS, T_PENDING, T_PHASE, T_SPANS, T_SUBAGENTS, T_TEXTS, T_TRACKED, TRACK_SIZE,
} from "./track-layout";

export { I_GENERATION, I_TARGET, ITEM_CALL, ITEM_MESSAGE, ITEM_REASONING, itemId, PHASE_REJECTED, textLength, TRACK_SIZE } from "./track-layout";

let itemLimit: u32 = 0;

/** Sets the limit `items` of the connection whose events are judged next. */
export function setTrackLimits(items: u32): void { itemLimit = items; }

/** Whether the run may name one more thing. */
export function mayName(t: usize): bool { return load<u32>(t, T_TRACKED) < itemLimit; }

// ---------------------------------------------------------------- phases

/** `PHASE_` of the run. */
export function trackPhase(s: usize): u32 { return load<u32>(s + A_TRACK, T_PHASE); }

/** Sets the phase outside of an event: a rejected stream. */
export function setTrackPhase(s: usize, phase: u32): void { store<u32>(s + A_TRACK, phase, T_PHASE); }

/** A running run has lost its body (docs/semantics-agui.md §9). */
export function interruptTrack(s: usize): void { if (trackPhase(s) == PHASE_RUNNING) setTrackPhase(s, PHASE_TRUNCATED); }

/** Sets the phase as a part of the event under judgement. */
export function changePhase(t: usize, phase: u32): void { if (load<u32>(t, T_PHASE) != phase) change(t + T_PHASE, phase); }

// ---------------------------------------------------------------- the hot path

/** The open text message, call or reasoning message (`ITEM_`) of that id (canonical contents), 0 when there is none. */
export function openItem(s: usize, kind: u32, p: usize, n: u32): usize {
  const item = findItem(s + A_TRACK, kind, p, n);
  return item && isMarked(item, OPEN) ? item : 0;
}

/** Whether an event with that tag (canonical contents; 0: none) may speak of what belongs to the item's owner. */
export function ownerAgrees(item: usize, tag: usize, n: u32): bool { return ownerIs(load<u32>(item, I_OWNER), tag, n); }

/** Whether a tag is the owner's or missing. */
export function ownerIs(owner: u32, tag: usize, n: u32): bool {
  return !tag || (owner != PARENT && load<u32>(<usize>owner, E_LENGTH) == n && equalBytes(<usize>owner + N_TEXT, tag, n));
}

/** Whether chunk streams are pending; 0: none. */
export function lanesPending(s: usize): u32 { return load<u32>(s + A_TRACK, T_LANES); }

// ---------------------------------------------------------------- what is open

@inline function openList(t: usize, item: usize, opening: u32): usize {
  return t + (opening == SPAN_OPEN ? T_SPANS : T_TEXTS + (<usize>kindOf(item) << 3));
}

/** Opens an item (`OPEN`) or its span (`SPAN_OPEN`). */
export function openEntry(t: usize, item: usize, opening: u32): void {
  const number = load<u32>(t, T_OPENINGS) + 1, isSpan = opening == SPAN_OPEN;
  change(t + T_OPENINGS, number);
  change(item + (isSpan ? I_SECOND_NUMBER : I_NUMBER), number);
  link(openList(t, item, opening), item, isSpan ? I_SECOND_LINKS : I_LINKS);
  mark(item, opening);
}

/** Closes an item or its span. */
export function closeEntry(t: usize, item: usize, opening: u32): void {
  unlink(openList(t, item, opening), item, opening == SPAN_OPEN ? I_SECOND_LINKS : I_LINKS);
  unmark(item, opening);
}

/** Notes that this run has started a call. */
export function startCall(t: usize, call: usize): void {
  if (isMarked(call, STARTED)) return;
  mark(call, STARTED);
  push(t + T_CALLS, call, I_NEXT_CALL);
  link(t + T_PENDING, call, I_SECOND_LINKS);
}

/** Notes that a call was answered; only one this run has started can be. */
export function answerCall(t: usize, call: usize): void {
  if (!isMarked(call, STARTED) || isMarked(call, ANSWERED)) return;
  mark(call, ANSWERED);
  unlink(t + T_PENDING, call, I_SECOND_LINKS);
}

/** Starts a subagent, a name with one use for it. */
export function startSubagent(t: usize, name: usize): void {
  mark(name, SUBAGENT | ACTIVE);
  push(t + T_SUBAGENTS, name, N_NEXT);
  link(t + T_ACTIVE, name, N_LINKS);
  countNames(t, 1);
}

/** Ends an active subagent. */
export function endSubagent(t: usize, name: usize): void {
  unlink(t + T_ACTIVE, name, N_LINKS);
  unmark(name, ACTIVE);
}

// ---------------------------------------------------------------- accepting, refusing, forgetting

// The root of the run before, while the event that began another one is judged. Nothing of it is condemned: the lanes that ended
// first had the owners of what they built.
const BEFORE: usize = memory.data(TRACK_SIZE, 16);
let hasBefore: bool = false;

/** Makes the zeroed or undefined bytes at A_TRACK an empty track. */
export function trackInit(s: usize): void { memory.fill(s + A_TRACK, 0, TRACK_SIZE); }

/** Gives all memory of the track back and leaves an empty one. */
export function trackFree(s: usize): void { freeTrack(s + A_TRACK); }

function freeTrack(t: usize): void {
  const index = <usize>load<u32>(t, T_INDEX), capacity = load<u32>(t, T_CAPACITY);
  freeLanes(t);
  forgetItems();
  for (let slot = index, end = index + (capacity << 2); slot < end; slot += 4) {
    const entry = <usize>load<u32>(slot);
    if (entry) free(entry, entrySize(entry));
  }
  if (index) free(index, capacity << 2);
  memory.fill(t, 0, TRACK_SIZE);
}

/** Begins an empty track in place of this one, which is kept until the event is accepted. */
export function beginTrack(t: usize): void {
  memory.copy(BEFORE, t, TRACK_SIZE);
  hasBefore = true;
  for (let at: usize = 0; at < <usize>TRACK_SIZE; at += 4) change(t + at, 0);
}

/** The event under judgement is accepted. What it has closed is gone: expanded events must not be looked at any more. */
export function trackCommit(s: usize): void {
  const count = journalCount();
  for (let i: u32 = 0; i < count; i++) {
    const record = journalAt(i), what = record & 3, p = <usize>(record & ~3);
    if (what == GONE) free(p, journalWord(i));
    else if (what == CONDEMNED) forget(s + A_TRACK, p);
  }
  clearJournal();
  if (hasBefore) freeTrack(BEFORE);
  hasBefore = false;
}

// A step that was condemned is closed; a name may have found another use since.
function forget(t: usize, entry: usize): void {
  const bits = load<u32>(entry, E_BITS) & ~MAY_GO;
  store<u32>(entry, bits, E_BITS);
  if ((bits & KIND) != ENTRY_NAME || !load<u32>(entry, N_USES)) dropEntry(t, entry);
}

/** The event under judgement is refused: the track is what it was before. Harmless where nothing is under judgement. */
export function trackRollback(s: usize): void {
  undoJournal();
  store<u32>(s + A_TRACK, 0, T_LAST);
  hasBefore = false;
}
