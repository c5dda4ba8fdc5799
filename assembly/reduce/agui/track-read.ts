// Reading the track of a checkpoint (docs/semantics-agui.md §12). The text is canonical JSON; nothing else about it is trusted.
import { findMember, valueEnd, valueStart } from "../../codec/json/members";
import { AG_TEXT_MESSAGE_CHUNK, F_ROLE } from "../../abi/agui";
import { E_BAD_CHECKPOINT, E_OUT_OF_MEMORY } from "../../abi/codes";
import { stringEnd } from "../../text/scan";
import { failWhole } from "../fault";
import { journalRoom } from "./journal";
import { findItem, findStep, link, mark, newItem, openStep, STEP_ROOM, useName, useOwner } from "./entries";
import { openLane } from "./lanes";
import { checkValue, memberAt, placeOf, ruleOf } from "./schema";
import { A_TRACK } from "./state";
import { answerCall, endSubagent, mayName, ownerIs, startCall, startSubagent, trackCommit, trackFree, trackRollback } from "./track";
import {
  I_LANE, I_LINKS, I_NUMBER, I_SECOND_LINKS, I_SECOND_NUMBER, isMarked, ITEM_ACTIVITY, ITEM_CALL, ITEM_MESSAGE, ITEM_REASONING, N_LANE, OPEN, PARENT,
  PHASE_NONE, PHASE_ERRORED, PHASE_FINISHED, PHASE_TRUNCATED, SPAN_OPEN, STARTED, SUBAGENT, T_ACTIVE, T_ITEMS, T_LANES, T_OPENINGS, T_PARENT_LANE, T_PHASE,
  T_REASONING, T_SPANS, T_STEPS, T_SUBAGENTS, T_TEXTS, T_TOOLS,
} from "./track-layout";

const KEYS: usize = memory.data<u8>([
  0x70, 0x68, 0x61, 0x73, 0x65, 0x69, 0x74, 0x65, 0x6d, 0x73, 0x73, 0x74, 0x65, 0x70, 0x73, 0x73, 0x75, 0x62, 0x61, 0x67, 0x65, 0x6e, 0x74, 0x73,
  0x63, 0x61, 0x6c, 0x6c, 0x73, 0x6c, 0x61, 0x6e, 0x65, 0x73, 0, 0, 0, 0, 0, 0, 0, 0,
]); // phase items steps subagents calls lanes

/** Behind what was read last. */
let at: usize = 0;
/** Canonical contents of the string read last; `text` 0: it was `null`. */
let text: usize = 0;
let length: u32 = 0;
let number: u32 = 0;

function take(c: u32): bool {
  if (<u32>load<u8>(at) != c) return false;
  at++;
  return true;
}

function takeText(): bool {
  if (!take(0x22)) return false;
  text = at;
  const end = stringEnd(at);
  length = <u32>(end - at);
  at = end + 1;
  return true;
}

function takeTextOrNull(): bool {
  if (load<u8>(at) != 0x6e) return takeText();
  text = 0;
  length = 0;
  at += 4;
  return true;
}

// At most nine digits, so that it fits and sums stay far from wrapping round.
function takeNumber(): bool {
  const start = at;
  number = 0;
  while (<u32>load<u8>(at) - 0x30 < 10) number = number * 10 + <u32>load<u8>(at++) - 0x30;
  return at > start && at - start < 10;
}

function takeBoolean(): bool {
  const c = load<u8>(at);
  if (c != 0x74 && c != 0x66) return false;
  number = <u32>(c == 0x74);
  at += c == 0x74 ? 4 : 5;
  return true;
}

// Goes to the array of that name; false: there is none.
function enter(p: usize, key: usize, n: u32): bool {
  if (!findMember(p, key, n)) return false;
  at = valueStart;
  return take(0x5b);
}

// Behind the bracket of the list or behind a row: whether a row follows. `at` is behind its bracket then.
function hasRow(): bool {
  take(0x2c);
  return take(0x5b);
}

/**
 * Makes the empty track of `s` what the canonical object at `p` says in its members `phase` to `lanes`. `false`: `out_of_memory`, or
 * `bad_checkpoint` where it says nothing that `writeTrack` could have written, or names more than the limit allows; the track is empty then.
 */
export function readTrack(s: usize, p: usize): bool {
  lacksMemory = false;
  if (readParts(s, p)) return true;
  trackRollback(s);
  trackFree(s);
  return failWhole(lacksMemory ? E_OUT_OF_MEMORY : E_BAD_CHECKPOINT);
}

let lacksMemory: bool = false;

function lack(): bool {
  lacksMemory = true;
  return false;
}

// Room for the changes of one row.
function hasRoom(): bool { return journalRoom(STEP_ROOM) || lack(); }

function readParts(s: usize, p: usize): bool {
  const t = s + A_TRACK;
  if (!findMember(p, KEYS, 5)) return false;
  at = valueStart;
  if (!takeNumber() || at != valueEnd || number > PHASE_TRUNCATED) return false;
  store<u32>(t, number, T_PHASE);
  if (!enter(p, KEYS + 5, 5)) return false;
  while (hasRow()) if (!hasRoom() || !readItem(t) || !keep(s)) return false;
  if (!take(0x5d)) return false;
  sortList(t + T_TEXTS, I_LINKS, I_NUMBER);
  sortList(t + T_TOOLS, I_LINKS, I_NUMBER);
  sortList(t + T_REASONING, I_LINKS, I_NUMBER);
  sortList(t + T_SPANS, I_SECOND_LINKS, I_SECOND_NUMBER);
  if (!areDistinct(t)) return false;
  if (!enter(p, KEYS + 10, 5)) return false;
  while (hasRow()) if (!hasRoom() || !readStep(t) || !keep(s)) return false;
  if (!take(0x5d)) return false;
  if (!enter(p, KEYS + 15, 9)) return false;
  while (hasRow()) if (!hasRoom() || !readSubagent(t) || !keep(s)) return false;
  if (!take(0x5d)) return false;
  if (!enter(p, KEYS + 24, 5)) return false;
  while (hasRow()) if (!hasRoom() || !readCall(t) || !keep(s)) return false;
  if (!take(0x5d)) return false;
  if (!enter(p, KEYS + 29, 5)) return false;
  while (hasRow()) if (!hasRoom() || !readLane(t) || !keep(s)) return false;
  if (!take(0x5d) || !areCallsStarted(t)) return false;
  const phase = load<u32>(t, T_PHASE);
  // before a run nothing has been named
  if (phase == PHASE_NONE && load<u32>(t, T_ITEMS) | load<u32>(t, T_SUBAGENTS)) return false;
  return !isOver(phase) || !holdsOpen(t);
}

// Whether every open call has been started in this run.
function areCallsStarted(t: usize): bool {
  for (let call = <usize>load<u32>(t, T_TOOLS); call; call = load<u32>(call + I_LINKS, 4)) if (!isMarked(call, STARTED)) return false;
  return true;
}

// A row is good: its changes need not be taken back one by one.
function keep(s: usize): bool {
  trackCommit(s);
  return take(0x5d);
}

@inline function isOver(phase: u32): bool { return phase == PHASE_NONE || phase == PHASE_FINISHED || phase == PHASE_ERRORED; }

function holdsOpen(t: usize): bool {
  return (load<u32>(t, T_TEXTS) | load<u32>(t, T_TOOLS) | load<u32>(t, T_REASONING) | load<u32>(t, T_SPANS) | load<u32>(t, T_STEPS)
    | load<u32>(t, T_ACTIVE) | load<u32>(t, T_LANES)) != 0;
}

function readItem(t: usize): bool {
  if (!takeNumber() || number > ITEM_ACTIVITY) return false;
  const kind = number;
  if (!take(0x2c) || !takeText()) return false;
  const id = text, n = length;
  if (findItem(t, kind, id, n) || !mayName(t) || !take(0x2c) || !takeTextOrNull()) return false;
  const owner = useOwner(t, text, length);
  if (!owner) return lack();
  if (!take(0x2c) || !takeNumber()) return false;
  const open = number;
  if (open > (kind == ITEM_REASONING ? <u32>3 : kind == ITEM_ACTIVITY ? 0 : 1)) return false;
  const item = newItem(t, kind, id, n, owner);
  if (!item) return lack();
  if (open & 1 && !readOpening(t, item, t + T_TEXTS + (<usize>kind << 3), I_LINKS, I_NUMBER, OPEN)) return false;
  return !(open & 2) || readOpening(t, item, t + T_SPANS, I_SECOND_LINKS, I_SECOND_NUMBER, SPAN_OPEN);
}

function readOpening(t: usize, item: usize, list: usize, links: usize, place: usize, opening: u32): bool {
  if (!take(0x2c) || !takeNumber() || !number) return false;
  store<u32>(item + place, number);
  if (number > load<u32>(t, T_OPENINGS)) store<u32>(t, number, T_OPENINGS);
  link(list, item, links);
  mark(item, opening);
  return true;
}

function readStep(t: usize): bool {
  if (!mayName(t) || !takeText()) return false;
  const name = useName(t, text, length);
  if (!name) return lack();
  if (!take(0x2c) || !takeTextOrNull()) return false;
  const owner = useOwner(t, text, length);
  if (!owner) return lack();
  return !findStep(t, name, owner) && (openStep(t, name, owner) || lack());
}

function readSubagent(t: usize): bool {
  if (!mayName(t) || !takeText()) return false;
  const name = useName(t, text, length);
  if (!name) return lack();
  if (isMarked(name, SUBAGENT) || !take(0x2c) || !takeBoolean()) return false;
  startSubagent(t, name);
  if (!number) endSubagent(t, name);
  return true;
}

function readCall(t: usize): bool {
  if (!takeText()) return false;
  const call = findItem(t, ITEM_CALL, text, length);
  if (!call || isMarked(call, STARTED) || !take(0x2c) || !takeBoolean()) return false;
  startCall(t, call);
  if (number) answerCall(t, call);
  return true;
}

function readLane(t: usize): bool {
  if (!takeTextOrNull()) return false;
  const tag = text, tagLength = length;
  const owner = useOwner(t, tag, tagLength);
  if (!owner) return lack();
  if (load<u32>(owner == PARENT ? t + T_PARENT_LANE : <usize>owner + N_LANE) || !take(0x2c) || !takeNumber() || number > ITEM_REASONING) return false;
  const kind = number;
  if (!take(0x2c) || !takeText()) return false;
  const item = findItem(t, kind, text, length);
  if (!item || load<u32>(item, I_LANE) || (kind == ITEM_CALL && !isMarked(item, STARTED)) || !take(0x2c) || !takeTextOrNull()) return false;
  const first = text, firstLength = length;
  if (!take(0x2c) || !takeTextOrNull()) return false;
  const second = text, secondLength = length;
  if ((first != 0) != (kind != ITEM_REASONING) || (second && kind == ITEM_REASONING)) return false;
  if (kind == ITEM_MESSAGE && !checkValue(first - 1, ruleOf(memberAt(AG_TEXT_MESSAGE_CHUNK, placeOf(AG_TEXT_MESSAGE_CHUNK, F_ROLE) - 1)))) return false;
  // the tag of the opener is that of the lane
  if (!take(0x2c) || !takeTextOrNull() || (text ? owner == PARENT || !ownerIs(owner, text, length) : owner != PARENT)) return false;
  return openLane(t, kind, owner, item, first ? first - 1 : 0, first ? firstLength + 2 : 0, second ? second - 1 : 0, second ? secondLength + 2 : 0)
    || lack();
}

// ---------------------------------------------------------------- order of opening

const BINS: usize = memory.data(33 * 4, 16);

// Whether all openings have numbers of their own; the lists are sorted.
function areDistinct(t: usize): bool {
  let text = <usize>load<u32>(t, T_TEXTS), call = <usize>load<u32>(t, T_TOOLS), message = <usize>load<u32>(t, T_REASONING);
  let span = <usize>load<u32>(t, T_SPANS), before: u32 = 0;
  while (text | call | message | span) {
    const a = numberAt(text, I_NUMBER), b = numberAt(call, I_NUMBER), c = numberAt(message, I_NUMBER), d = numberAt(span, I_SECOND_NUMBER);
    const least = min(min(a, b), min(c, d));
    if (least == before) return false;
    before = least;
    if (least == a) text = load<u32>(text + I_LINKS, 4);
    else if (least == b) call = load<u32>(call + I_LINKS, 4);
    else if (least == c) message = load<u32>(message + I_LINKS, 4);
    else span = load<u32>(span + I_SECOND_LINKS, 4);
  }
  return true;
}

@inline function numberAt(item: usize, place: usize): u32 { return item ? load<u32>(item + place) : 0xffffffff; }

// Sorts a list by the numbers at `place`.
function sortList(list: usize, links: usize, place: usize): void {
  const next = links + 4;
  memory.fill(BINS, 0, 33 * 4);
  let entry = <usize>load<u32>(list);
  while (entry) {
    const following = <usize>load<u32>(entry + next);
    store<u32>(entry + next, 0);
    let sorted = entry, bin = BINS;
    while (load<u32>(bin)) {
      sorted = merge(load<u32>(bin), sorted, next, place);
      store<u32>(bin, 0);
      bin += 4;
    }
    store<u32>(bin, <u32>sorted);
    entry = following;
  }
  let sorted: usize = 0;
  for (let bin = BINS; bin < BINS + 33 * 4; bin += 4) sorted = merge(load<u32>(bin), sorted, next, place);
  let previous: usize = 0;
  store<u32>(list, <u32>sorted);
  while (sorted) {
    store<u32>(sorted + links, <u32>previous);
    previous = sorted;
    sorted = load<u32>(sorted + next);
  }
  store<u32>(list, <u32>previous, 4);
}

function merge(a: usize, b: usize, next: usize, place: usize): usize {
  let head: usize = 0, tail: usize = 0;
  while (a && b) {
    let lower = a;
    if (load<u32>(a + place) <= load<u32>(b + place)) a = load<u32>(a + next);
    else {
      lower = b;
      b = load<u32>(b + next);
    }
    if (tail) store<u32>(tail + next, <u32>lower);
    else head = lower;
    tail = lower;
  }
  const rest = a ? a : b;
  if (tail) store<u32>(tail + next, <u32>rest);
  else head = rest;
  return head;
}
