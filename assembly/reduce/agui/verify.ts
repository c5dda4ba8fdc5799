// Verification of a wire event (docs/semantics-agui.md §6): its expanded events are judged one after the other, each against
// what the ones before it have changed. All changes go through the journal; `trackCommit` keeps them, `trackRollback` takes them back.
import * as ag from "../../abi/agui";
import * as code from "../../abi/codes";
import { findMember, valueStart } from "../../codec/json/members";
import { fail, failWhole, faultSubject, faultType, pathName, pathReset } from "../fault";
import { memberName, memberNameLength } from "./schema";
import { journalRoom } from "./journal";
import { closeStep, findItem, findName, findStep, newItem, openStep, setOwner, STEP_ROOM, useAgain, useName, useOwner } from "./entries";
import { closeLane, openLane } from "./lanes";
import {
  eventOrigin, eventSlotEnd, eventSlotStart, eventType, expandedCount, failAt, FROM_CHUNK, FROM_WIRE, select, setItemOf,
} from "./expansion";
import { setOwners } from "./owners";
import { A_TRACK } from "./state";
import {
  answerCall, beginTrack, changePhase, closeEntry, endSubagent, mayName, openEntry, ownerAgrees, ownerIs, startCall, startSubagent, trackRollback,
} from "./track";
import {
  ACTIVE, I_OWNER, ITEM_ACTIVITY, ITEM_CALL, ITEM_MESSAGE, ITEM_REASONING, isMarked, itemId, N_STEPS, nameOf, OPEN, PARENT, PHASE_ERRORED,
  PHASE_FINISHED, PHASE_NONE, PHASE_RUNNING, PHASE_TRUNCATED, SPAN_OPEN, STEP_NAME, SUBAGENT, T_ACTIVE, T_PHASE, T_REASONING, T_SPANS, T_STEPS,
  T_TEXTS, T_TOOLS, textLength,
} from "./track-layout";

/** The item that the event judged last is about, 0 where there is none. */
let item: usize = 0;
// Tag of the selected event: canonical contents, 0 = none.
let tag: usize = 0;
let tagLength: u32 = 0;

/**
 * Judges what `expand` has listed. `true`: the track has changed; make it good with `trackCommit`, or take it back with `trackRollback`.
 * `false`: `bad_order`, `bad_attribution`, `limit` or `out_of_memory` is set, with type and subject, and the track is what it was.
 */
export function verify(s: usize): bool {
  const t = s + A_TRACK;
  for (let i: u32 = 0; i < expandedCount; i++) {
    select(i);
    tag = contents(ag.F_SUBAGENT_RUN_ID);
    tagLength = contentsLength(ag.F_SUBAGENT_RUN_ID);
    item = 0;
    if (!journalRoom(STEP_ROOM)) {
      trackRollback(s);
      return failWhole(code.E_OUT_OF_MEMORY);
    }
    if (!judge(t) || !moveLane(t)) {
      faultType(eventType);
      trackRollback(s);
      return false;
    }
    setItemOf(i, item);
  }
  if (load<u32>(t, T_PHASE) == PHASE_TRUNCATED) {
    if (!journalRoom(1)) {
      trackRollback(s);
      return failWhole(code.E_OUT_OF_MEMORY);
    }
    changePhase(t, PHASE_RUNNING);
  }
  return true;
}

// ---------------------------------------------------------------- slots and faults

function contents(f: u32): usize {
  const start = eventSlotStart(f);
  return start ? start + 1 : 0;
}

function contentsLength(f: u32): u32 { return <u32>(eventSlotEnd(f) - eventSlotStart(f) - 2); }

// Fails at a member with its own contents as subject.
function failOn(f: u32, reason: u32): bool { return failAt(f, code.E_BAD_ORDER, reason, contents(f), contentsLength(f)); }

function failOwner(reason: u32, subject: usize, n: u32): bool {
  return failAt(ag.F_SUBAGENT_RUN_ID, code.E_BAD_ATTRIBUTION, reason, subject, n);
}

function failWithoutPath(reason: u32): bool {
  failWhole(code.E_BAD_ORDER);
  return fail(code.E_BAD_ORDER, reason);
}

function failMemory(): bool { return failWhole(code.E_OUT_OF_MEMORY); }

// Whether one more name may come in; it would stand at member `f`.
function hasRoom(t: usize, f: u32): bool {
  if (mayName(t)) return true;
  pathOf(f);
  return fail(code.E_LIMIT, code.R_LIMIT_ITEMS);
}

// ---------------------------------------------------------------- one event

function judge(t: usize): bool {
  const type = eventType;
  if (!judgePhase(load<u32>(t, T_PHASE), type)) return false;
  switch (type) {
    case ag.AG_TEXT_MESSAGE_START: return begin(t, ITEM_MESSAGE, ag.F_MESSAGE_ID, OPEN, code.R_TEXT_OPEN, 0);
    case ag.AG_TEXT_MESSAGE_CONTENT: return proceed(t, ITEM_MESSAGE, ag.F_MESSAGE_ID, OPEN, code.R_NO_TEXT);
    case ag.AG_TEXT_MESSAGE_END: return end(t, ITEM_MESSAGE, ag.F_MESSAGE_ID, OPEN, code.R_NO_TEXT);
    case ag.AG_TOOL_CALL_START: return beginCall(t);
    case ag.AG_TOOL_CALL_ARGS: return proceed(t, ITEM_CALL, ag.F_TOOL_CALL_ID, OPEN, code.R_NO_TOOL);
    case ag.AG_TOOL_CALL_END: return end(t, ITEM_CALL, ag.F_TOOL_CALL_ID, OPEN, code.R_NO_TOOL);
    case ag.AG_TOOL_CALL_RESULT: return judgeResult(t);
    case ag.AG_REASONING_START: return begin(t, ITEM_REASONING, ag.F_MESSAGE_ID, SPAN_OPEN, code.R_SPAN_OPEN, 0);
    case ag.AG_REASONING_END: return end(t, ITEM_REASONING, ag.F_MESSAGE_ID, SPAN_OPEN, code.R_NO_SPAN);
    case ag.AG_REASONING_MESSAGE_START: return begin(t, ITEM_REASONING, ag.F_MESSAGE_ID, OPEN, code.R_REASONING_OPEN, 0);
    case ag.AG_REASONING_MESSAGE_CONTENT: return proceed(t, ITEM_REASONING, ag.F_MESSAGE_ID, OPEN, code.R_NO_REASONING);
    case ag.AG_REASONING_MESSAGE_END: return end(t, ITEM_REASONING, ag.F_MESSAGE_ID, OPEN, code.R_NO_REASONING);
    case ag.AG_REASONING_ENCRYPTED_VALUE: return judgeEncrypted(t);
    case ag.AG_ACTIVITY_SNAPSHOT: return judgeActivity(t);
    case ag.AG_ACTIVITY_DELTA:
      item = find(t, ITEM_ACTIVITY, ag.F_MESSAGE_ID);
      return !item || holdToOwner(item);
    case ag.AG_STEP_STARTED: return beginStep(t);
    case ag.AG_STEP_FINISHED: return endStep(t);
    case ag.AG_SUBAGENT_STARTED: return beginSubagent(t);
    case ag.AG_SUBAGENT_FINISHED: case ag.AG_SUBAGENT_ERROR: return finishSubagent(t);
    case ag.AG_MESSAGES_SNAPSHOT:
      pathOf(ag.F_MESSAGES);
      return setOwners(t, eventSlotStart(ag.F_MESSAGES), true);
    case ag.AG_RUN_STARTED: return beginRun(t);
    case ag.AG_RUN_FINISHED: return finishRun(t);
    case ag.AG_RUN_ERROR: return closeAll(t);
    default: return true;
  }
}

function pathOf(f: u32): void {
  pathReset();
  pathName(memberName(f), memberNameLength(f));
}

function judgePhase(phase: u32, type: u32): bool {
  if (phase == PHASE_RUNNING) return type != ag.AG_RUN_STARTED || failWithoutPath(code.R_RUN_ACTIVE);
  if (phase == PHASE_TRUNCATED || type == ag.AG_RUN_STARTED) return true;
  if (phase == PHASE_ERRORED) return failWithoutPath(code.R_RUN_ERRORED);
  return type == ag.AG_RUN_ERROR || failWithoutPath(phase == PHASE_NONE ? code.R_FIRST_EVENT : code.R_RUN_FINISHED);
}

// The END of a lane's stream closes the lane, the START made from a chunk opens one.
function moveLane(t: usize): bool {
  if (eventOrigin == FROM_WIRE) return true;
  if (eventOrigin != FROM_CHUNK) {
    closeLane(t, eventOrigin);
    return true;
  }
  let kind: u32, first: u32, second: u32;
  switch (eventType) {
    case ag.AG_TEXT_MESSAGE_START:
      kind = ITEM_MESSAGE;
      first = ag.F_ROLE;
      second = ag.F_NAME;
      break;
    case ag.AG_TOOL_CALL_START:
      kind = ITEM_CALL;
      first = ag.F_TOOL_CALL_NAME;
      second = ag.F_PARENT_MESSAGE_ID;
      break;
    case ag.AG_REASONING_MESSAGE_START:
      // members it does not have: its lane has no texts
      kind = ITEM_REASONING;
      first = second = ag.F_NAME;
      break;
    default: return true;
  }
  if (!journalRoom(STEP_ROOM)) return failMemory();
  const owner = useOwner(t, tag, tagLength);
  return (owner && openLane(t, kind, owner, item, eventSlotStart(first), <u32>(eventSlotEnd(first) - eventSlotStart(first)),
    eventSlotStart(second), <u32>(eventSlotEnd(second) - eventSlotStart(second)))) || failMemory();
}

// ---------------------------------------------------------------- messages, calls, reasoning, activities

function find(t: usize, kind: u32, f: u32): usize { return findItem(t, kind, contents(f), contentsLength(f)); }

function holdToOwner(known: usize): bool { return ownerAgrees(known, tag, tagLength) || failOwner(code.R_OWNER, tag, tagLength); }

// Opens an item. `inherited`: the owner of one that has none yet and is not tagged, 0 = the parent agent.
function begin(t: usize, kind: u32, f: u32, opening: u32, openReason: u32, inherited: u32): bool {
  item = find(t, kind, f);
  if (item) {
    if (isMarked(item, opening)) return failOn(f, openReason);
    if (!holdToOwner(item)) return false;
  } else {
    if (!hasRoom(t, f)) return false;
    let owner = inherited;
    if (tag || !inherited) owner = useOwner(t, tag, tagLength);
    else useAgain(inherited);
    if (!owner) return failMemory();
    item = newItem(t, kind, contents(f), contentsLength(f), owner);
    if (!item) return failMemory();
  }
  openEntry(t, item, opening);
  return true;
}

function proceed(t: usize, kind: u32, f: u32, opening: u32, closedReason: u32): bool {
  item = find(t, kind, f);
  return (item && isMarked(item, opening)) ? holdToOwner(item) : failOn(f, closedReason);
}

function end(t: usize, kind: u32, f: u32, opening: u32, closedReason: u32): bool {
  if (!proceed(t, kind, f, opening, closedReason)) return false;
  closeEntry(t, item, opening);
  return true;
}

function beginCall(t: usize): bool {
  let inherited: u32 = 0;
  const call = find(t, ITEM_CALL, ag.F_TOOL_CALL_ID);
  if (eventSlotStart(ag.F_PARENT_MESSAGE_ID) && !(call && isMarked(call, OPEN))) {
    const parent = find(t, ITEM_MESSAGE, ag.F_PARENT_MESSAGE_ID);
    if (parent) {
      inherited = load<u32>(parent, I_OWNER);
      const known = call ? load<u32>(call, I_OWNER) : inherited;
      if (!ownerIs(inherited, tag, tagLength) || (!tag && known != inherited)) {
        return failOwner(code.R_PARENT_OWNER, contents(ag.F_PARENT_MESSAGE_ID), contentsLength(ag.F_PARENT_MESSAGE_ID));
      }
    }
  }
  if (!begin(t, ITEM_CALL, ag.F_TOOL_CALL_ID, OPEN, code.R_TOOL_OPEN, inherited)) return false;
  startCall(t, item);
  return true;
}

// Sets the owner of an item that exists or not.
function own(t: usize, kind: u32, f: u32): bool {
  if (!item && !hasRoom(t, f)) return false;
  const owner = useOwner(t, tag, tagLength);
  if (!owner) return failMemory();
  if (item) setOwner(item, owner);
  else item = newItem(t, kind, contents(f), contentsLength(f), owner);
  return item != 0 || failMemory();
}

function judgeResult(t: usize): bool {
  const call = find(t, ITEM_CALL, ag.F_TOOL_CALL_ID);
  item = find(t, ITEM_MESSAGE, ag.F_MESSAGE_ID);
  if (!own(t, ITEM_MESSAGE, ag.F_MESSAGE_ID)) return false;
  if (call) answerCall(t, call);
  return true;
}

function judgeActivity(t: usize): bool {
  item = find(t, ITEM_ACTIVITY, ag.F_MESSAGE_ID);
  const replace = eventSlotStart(ag.F_REPLACE);
  return (item && replace && load<u8>(replace) == 0x66) || own(t, ITEM_ACTIVITY, ag.F_MESSAGE_ID);
}

function judgeEncrypted(t: usize): bool {
  // the subtypes are `tool-call` and `message`
  if (load<u8>(contents(ag.F_SUBTYPE)) == 0x74) item = find(t, ITEM_CALL, ag.F_ENTITY_ID);
  else {
    item = find(t, ITEM_MESSAGE, ag.F_ENTITY_ID);
    if (!item) item = find(t, ITEM_REASONING, ag.F_ENTITY_ID);
  }
  return !item || holdToOwner(item);
}

// ---------------------------------------------------------------- steps and subagents

function beginStep(t: usize): bool {
  const known = findName(t, contents(ag.F_STEP_NAME), contentsLength(ag.F_STEP_NAME));
  if (known && load<u32>(known, N_STEPS)) {
    const agent = tag ? <u32>findName(t, tag, tagLength) : PARENT;
    if (agent && findStep(t, known, agent)) return failOn(ag.F_STEP_NAME, code.R_STEP_OPEN);
  }
  if (!hasRoom(t, ag.F_STEP_NAME)) return false;
  const name = useName(t, contents(ag.F_STEP_NAME), contentsLength(ag.F_STEP_NAME));
  const owner = useOwner(t, tag, tagLength);
  return (name && owner && openStep(t, name, owner)) || failMemory();
}

function endStep(t: usize): bool {
  const name = findName(t, contents(ag.F_STEP_NAME), contentsLength(ag.F_STEP_NAME));
  if (!name || !load<u32>(name, N_STEPS)) return failOn(ag.F_STEP_NAME, code.R_NO_STEP);
  const owner = tag ? <u32>findName(t, tag, tagLength) : PARENT, step = owner ? findStep(t, name, owner) : 0;
  if (!step) return failOwner(code.R_STEP_OWNER, contents(ag.F_STEP_NAME), contentsLength(ag.F_STEP_NAME));
  closeStep(t, step);
  return true;
}

function beginSubagent(t: usize): bool {
  const known = findName(t, tag, tagLength);
  if (known && isMarked(known, SUBAGENT)) {
    return failOn(ag.F_SUBAGENT_RUN_ID, isMarked(known, ACTIVE) ? code.R_SUBAGENT_ACTIVE : code.R_SUBAGENT_CLOSED);
  }
  if (eventSlotStart(ag.F_PARENT_SUBAGENT_RUN_ID)) {
    const parent = findName(t, contents(ag.F_PARENT_SUBAGENT_RUN_ID), contentsLength(ag.F_PARENT_SUBAGENT_RUN_ID));
    if (!parent || !isMarked(parent, SUBAGENT)) return failOn(ag.F_PARENT_SUBAGENT_RUN_ID, code.R_SUBAGENT_PARENT);
  }
  if (!hasRoom(t, ag.F_SUBAGENT_RUN_ID)) return false;
  const name = useName(t, tag, tagLength);
  if (!name) return failMemory();
  startSubagent(t, name);
  return true;
}

function finishSubagent(t: usize): bool {
  const known = findName(t, tag, tagLength);
  if (!known || !isMarked(known, ACTIVE)) return failOn(ag.F_SUBAGENT_RUN_ID, code.R_NO_SUBAGENT);
  endSubagent(t, known);
  return true;
}

// ---------------------------------------------------------------- runs

function beginRun(t: usize): bool {
  beginTrack(t);
  changePhase(t, PHASE_RUNNING);
  const input = eventSlotStart(ag.F_INPUT);
  if (!input || !findMember(input, memberName(ag.F_MESSAGES), memberNameLength(ag.F_MESSAGES))) return true;
  pathOf(ag.F_INPUT);
  pathName(memberName(ag.F_MESSAGES), memberNameLength(ag.F_MESSAGES));
  return setOwners(t, valueStart, false);
}

function finishRun(t: usize): bool {
  if (!isClosed(load<u32>(t, T_TEXTS), code.R_STILL_TEXT) || !isClosed(load<u32>(t, T_TOOLS), code.R_STILL_TOOL)
    || !isClosed(load<u32>(t, T_REASONING), code.R_STILL_REASONING) || !isClosed(load<u32>(t, T_SPANS), code.R_STILL_SPAN)) return false;
  const step = <usize>load<u32>(t, T_STEPS);
  if (step && !isEnded(load<u32>(step, STEP_NAME), code.R_STILL_STEP)) return false;
  if (!isEnded(load<u32>(t, T_ACTIVE), code.R_STILL_SUBAGENT)) return false;
  changePhase(t, PHASE_FINISHED);
  return true;
}

function isClosed(first: usize, reason: u32): bool {
  if (!first) return true;
  faultSubject(itemId(first), textLength(first));
  return failWithoutPath(reason);
}

function isEnded(name: usize, reason: u32): bool {
  if (!name) return true;
  faultSubject(nameOf(name), textLength(name));
  return failWithoutPath(reason);
}

// RUN_ERROR: nothing stays open, owners stay.
function closeAll(t: usize): bool {
  return closeAllOf(t, T_TEXTS, OPEN) && closeAllOf(t, T_TOOLS, OPEN) && closeAllOf(t, T_REASONING, OPEN) && closeAllOf(t, T_SPANS, SPAN_OPEN)
    && closeAllSteps(t) && endAllSubagents(t) && settle(t, PHASE_ERRORED);
}

function settle(t: usize, phase: u32): bool {
  if (!journalRoom(1)) return failMemory();
  changePhase(t, phase);
  return true;
}

function closeAllOf(t: usize, list: usize, opening: u32): bool {
  while (load<u32>(t + list)) {
    if (!journalRoom(STEP_ROOM)) return failMemory();
    closeEntry(t, load<u32>(t + list), opening);
  }
  return true;
}

function closeAllSteps(t: usize): bool {
  while (load<u32>(t, T_STEPS)) {
    if (!journalRoom(STEP_ROOM)) return failMemory();
    closeStep(t, load<u32>(t, T_STEPS));
  }
  return true;
}

function endAllSubagents(t: usize): bool {
  while (load<u32>(t, T_ACTIVE)) {
    if (!journalRoom(STEP_ROOM)) return failMemory();
    endSubagent(t, load<u32>(t, T_ACTIVE));
  }
  return true;
}
