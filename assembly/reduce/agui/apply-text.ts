// Text and reasoning messages: START, CONTENT, END, and what a chunk stands for. The selected event is the one applied.
import * as ag from "../../abi/agui";
import * as code from "../../abi/codes";
import { HAS_LOOSE_ESCAPE } from "../../text/scan";
import { canonicalEscapes } from "../../text/escape";
import { codeUnits } from "../../text/units";
import {
  chainAppend, chainBytes, chainUnits, documentEpoch, documentFault, documentSize, editBegin, expandSlot, putMember, rootSlot, TOO_LARGE,
} from "../../document/index";
import { CHANGE_APPEND } from "../change-log";
import { faultReason, faultType } from "../fault";
import { SCRATCH_MODEL, scratchReserve } from "../scratch";
import { RUN_LEN, RUN_PTR } from "../../memory/bytes";
import { noteAppend, noteInsert, noteReplace, PART_ARGUMENTS, PART_CALL_METADATA, PART_CONTENT, PART_METADATA } from "./changes";
import { callNode, chainFault, contentChain, NO_CHAIN_MEMBER, NO_CHAIN_MEMORY } from "./chains";
import { C_CHAIN, C_EPOCH, C_MESSAGE, C_PLACE } from "./calls";
import { compose, composedLength, put, putByte, putSlot, slotLength } from "./compose";
import { CONTENT, noteEffect } from "./effects";
import { eventOrigin, eventSlotEnd, eventSlotStart, eventType, expandedCount, FROM_CHUNK, itemOf, select } from "./expansion";
import * as piece from "./fragments";
import { CALL_METADATA_LEVELS, failLimit, failMemory, isTooLarge, keep, METADATA_LEVELS, undo } from "./limits";
import { documentOf, findMessage, M_CHAIN, M_EPOCH, ownDocument, ROLE_ACTIVITY, ROLE_REASONING, roleAt, roleOf } from "./messages";
import { mergeMetadata } from "./metadata";
import { blame, placeMessage } from "./place";
import { A_COUNT, A_GENERATION, addToSize, advance } from "./state";
import { I_GENERATION, I_TARGET } from "./track";
import { warnTarget } from "./warn";

/** What the item names now, 0 = not known. */
@inline export function targetOf(s: usize, item: usize): usize {
  return item && load<u32>(item, I_GENERATION) == load<u32>(s, A_GENERATION) ? <usize>load<u32>(item, I_TARGET) : 0;
}

/** Remembers what an item (0: none) names. */
export function aim(s: usize, item: usize, target: usize): void {
  if (!item) return;
  store<u32>(item, <u32>target, I_TARGET);
  store<u32>(item, load<u32>(s, A_GENERATION), I_GENERATION);
}

// The message that the selected event, number `i`, names; 0 = none.
function namedMessage(s: usize, i: u32): usize {
  const item = itemOf(i), known = targetOf(s, item);
  if (known) return known;
  const m = findMessage(s, eventSlotStart(ag.F_MESSAGE_ID) + 1, slotLength(ag.F_MESSAGE_ID) - 2);
  if (m) aim(s, item, m);
  return m;
}

/** TEXT_MESSAGE_START and REASONING_MESSAGE_START, number `i` of the expanded events. False: a fault, nothing has changed. */
export function applyTextStart(s: usize, i: u32, isReasoning: bool): bool {
  const m = namedMessage(s, i);
  // the CONTENT of an opening chunk is decided together with its START
  const opens = eventOrigin == FROM_CHUNK && i + 1 < expandedCount;
  if (!m) return startMessage(s, i, isReasoning, opens);
  if (roleOf(m) == ROLE_ACTIVITY) {
    warnTarget(code.W_TARGET_MISMATCH, ag.F_MESSAGE_ID);
    if (!opens) return true;
    select(i + 1);
    warnTarget(code.W_TARGET_MISMATCH, ag.F_MESSAGE_ID);
    return true;
  }
  const merges = eventSlotStart(ag.F_METADATA) != 0;
  if (!opens) return !merges || mergeAlone(s, m, PART_METADATA, 0);
  select(i + 1);
  return appendContent(s, m, merges);
}

/** TEXT_MESSAGE_CONTENT and REASONING_MESSAGE_CONTENT. */
export function applyTextContent(s: usize, i: u32): bool {
  const m = namedMessage(s, i);
  if (!m) { warnTarget(code.W_TARGET_MISSING, ag.F_MESSAGE_ID); return true; }
  if (roleOf(m) == ROLE_ACTIVITY) { warnTarget(code.W_TARGET_MISMATCH, ag.F_MESSAGE_ID); return true; }
  return appendContent(s, m, false);
}

/** TEXT_MESSAGE_END and REASONING_MESSAGE_END. */
export function applyTextEnd(s: usize, i: u32): bool {
  const m = namedMessage(s, i);
  if (!m) { warnTarget(code.W_TARGET_MISSING, ag.F_MESSAGE_ID); return true; }
  if (roleOf(m) == ROLE_ACTIVITY) { warnTarget(code.W_TARGET_MISMATCH, ag.F_MESSAGE_ID); return true; }
  return !eventSlotStart(ag.F_METADATA) || mergeAlone(s, m, PART_METADATA, 0);
}

function startMessage(s: usize, i: u32, isReasoning: bool, opens: bool): bool {
  const id = eventSlotStart(ag.F_MESSAGE_ID), idEnd = eventSlotEnd(ag.F_MESSAGE_ID), role = eventSlotStart(ag.F_ROLE);
  let delta: usize = 0, deltaEnd: usize = 0, merges = false;
  if (opens) {
    select(i + 1);
    delta = eventSlotStart(ag.F_DELTA);
    deltaEnd = eventSlotEnd(ag.F_DELTA);
    merges = eventSlotStart(ag.F_METADATA) != 0;
    select(i);
  }
  const n = <u32>(idEnd - id) + slotLength(ag.F_ROLE) + <u32>(deltaEnd - delta) + slotLength(ag.F_NAME) + slotLength(ag.F_SUBAGENT_RUN_ID)
    + slotLength(ag.F_METADATA);
  if (!compose(n)) return failMemory();
  put(piece.OPEN_ID, piece.OPEN_ID_LENGTH);
  put(id, <u32>(idEnd - id));
  put(piece.PUT_ROLE, piece.PUT_ROLE_LENGTH);
  if (isReasoning) put(piece.REASONING, piece.REASONING_LENGTH);
  else if (role) put(role, slotLength(ag.F_ROLE));
  else put(piece.ASSISTANT, piece.ASSISTANT_LENGTH);
  put(piece.PUT_CONTENT, piece.PUT_CONTENT_LENGTH);
  if (delta) put(delta, <u32>(deltaEnd - delta));
  else put(piece.EMPTY_TEXT, 2);
  if (!isReasoning) putSlot(piece.PUT_NAME, piece.PUT_NAME_LENGTH, ag.F_NAME);
  putSlot(piece.PUT_SUBAGENT, piece.PUT_SUBAGENT_LENGTH, ag.F_SUBAGENT_RUN_ID);
  putSlot(piece.PUT_METADATA, piece.PUT_METADATA_LENGTH, ag.F_METADATA);
  putByte(0x7d);
  const at = load<u32>(s, A_COUNT), textSize = delta ? <u32>(deltaEnd - delta) - 2 : 0;
  // a message that fits without its first text leaves the blame to that
  const fits = textSize && !isTooLarge(s, 0, composedLength() - textSize + (at ? 1 : 0));
  blame(ag.F_MESSAGE_ID, ag.F_MESSAGE_ID, fits ? ag.F_DELTA : ag.F_MESSAGE_ID);
  const m = placeMessage(s, id, idEnd, isReasoning ? ROLE_REASONING : role ? roleAt(role) : roleAt(piece.ASSISTANT), at, 0, 0);
  if (!m) return fits ? blameContent(i) : false;
  aim(s, itemOf(i), m);
  advance(s);
  noteInsert(s, m, at);
  if (!opens) return true;
  noteAppend(s, CHANGE_APPEND, m, PART_CONTENT, 0, 0, delta ? codeUnits(delta + 1, deltaEnd - 1) : 0, 0, false);
  if (merges) noteReplace(s, m, PART_METADATA, 0);
  return true;
}

/**
 * A new message did not fit, though without the text that its opening chunk brings it would have: when that was the size, the fault is that of the
 * CONTENT or ARGS, event `i` + 1. Always returns false.
 */
export function blameContent(i: u32): bool {
  if (faultReason != code.R_LIMIT_MODEL) return false;
  select(i + 1);
  return failLimit(ag.F_DELTA, code.R_LIMIT_MODEL);
}

// The metadata of a START that comes with the selected CONTENT or ARGS could not be merged: its type is the one before. Always returns false.
function failStart(): bool {
  faultType(eventType - 1);
  return false;
}

function appendContent(s: usize, m: usize, mergesFirst: bool): bool {
  const chain = contentChain(m);
  if (chain) return appendText(s, m, PART_CONTENT, 0, chain, mergesFirst);
  if (chainFault == NO_CHAIN_MEMORY) return failMemory();
  if (chainFault == NO_CHAIN_MEMBER) return fillContent(s, m, mergesFirst);
  warnTarget(code.W_TARGET_MISMATCH, ag.F_MESSAGE_ID);
  return !mergesFirst || mergeAlone(s, m, PART_METADATA, 0);
}

// A message without content takes the text as its content.
function fillContent(s: usize, m: usize, mergesFirst: bool): bool {
  const d = documentOf(m), before = documentSize(d), root = expandSlot(d, rootSlot(d)), merges = eventSlotStart(ag.F_METADATA) != 0;
  if (!root) return failMemory();
  editBegin(d);
  if (mergesFirst && !mergeMetadata(s, d, root, METADATA_LEVELS, before)) return failStart() || undo(s, d, before);
  if (!putMember(d, root, piece.CONTENT, 7, eventSlotStart(ag.F_DELTA), slotLength(ag.F_DELTA))) {
    return documentFault == TOO_LARGE ? failLimit(ag.F_DELTA, code.R_LIMIT_MODEL) || undo(s, d, before) : failMemory() || undo(s, d, before);
  }
  if (isTooLarge(s, before, documentSize(d))) return failLimit(ag.F_DELTA, code.R_LIMIT_MODEL) || undo(s, d, before);
  if (merges && !mergesFirst && !mergeMetadata(s, d, root, METADATA_LEVELS, before)) return undo(s, d, before);
  keep(s, d, before);
  advance(s);
  if (mergesFirst) noteReplace(s, m, PART_METADATA, 0);
  noteReplace(s, m, PART_CONTENT, 0);
  if (merges) noteReplace(s, m, PART_METADATA, 0);
  return true;
}

/**
 * Appends the selected event's `delta` to the chain of a part of message `m` (PART_CONTENT, or PART_ARGUMENTS of the call at `place`) and merges
 * its metadata; `mergesFirst`: the metadata of the START before it is merged too. All or nothing.
 */
export function appendText(s: usize, m: usize, part: u8, place: u32, chain: usize, mergesFirst: bool): bool {
  const d = documentOf(m), p = eventSlotStart(ag.F_DELTA) + 1, end = eventSlotEnd(ag.F_DELTA) - 1, n = <u32>(end - p), before = documentSize(d);
  const merges = eventSlotStart(ag.F_METADATA) != 0, from = chainUnits(chain), units = codeUnits(p, end), byte = chainBytes(chain);
  let grown: u32 = 0;
  if (merges || mergesFirst || isTooLarge(s, 0, n)) {
    // a joined character is eight bytes shorter than its halves: only the result tells
    editBegin(d);
    if (mergesFirst && !mergePart(s, m, part, place, before)) return failStart() || undo(s, d, before);
    if (!chainAppend(d, chain, p, n, units)) return failAppend() || undo(s, d, before);
    if (isTooLarge(s, before, documentSize(d))) return failLimit(ag.F_DELTA, code.R_LIMIT_MODEL) || undo(s, d, before);
    if (merges && !mergesFirst && !mergePart(s, m, part, place, before)) return undo(s, d, before);
    grown = chainBytes(chain) - byte;
    keep(s, d, before);
  } else {
    if (!chainAppend(d, chain, p, n, units)) return failAppend();
    grown = chainBytes(chain) - byte;
    addToSize(s, grown);
  }
  const joined = grown != n, merged = part == PART_CONTENT ? PART_METADATA : PART_CALL_METADATA;
  advance(s);
  noteEffect(CONTENT);
  if (mergesFirst) noteReplace(s, m, merged, place);
  noteAppend(s, CHANGE_APPEND, m, part, place, from, from + units, joined ? byte - 6 : byte, joined);
  if (merges) noteReplace(s, m, merged, place);
  return true;
}

function failAppend(): bool { return documentFault == TOO_LARGE ? failLimit(ag.F_DELTA, code.R_LIMIT_MODEL) : failMemory(); }

/**
 * Appends the string contents [p, end), in which the scan has `seen` these flags and `counted` so many code units (0: not), to what an open item names: a
 * message's content, or a call's arguments. False: their chain is not remembered, or a limit or memory is in reach; nothing was touched, and no fault is set.
 */
@inline export function appendToken(s: usize, item: usize, isCall: bool, p: usize, end: usize, seen: u32, counted: u32): bool {
  const target = targetOf(s, item);
  if (!target) return false;
  const m = isCall ? <usize>load<u32>(target, C_MESSAGE) : target, d = documentOf(m);
  const chain = <usize>(isCall ? load<u32>(target, C_CHAIN) : load<u32>(target, M_CHAIN));
  if (!chain || (isCall ? load<u32>(target, C_EPOCH) : load<u32>(target, M_EPOCH)) != documentEpoch(d)) return false;
  if (isTooLarge(s, 0, <u32>(end - p))) return false;
  if (seen & HAS_LOOSE_ESCAPE) {
    const out = looseScratch(<u32>(end - p) + 16);
    if (!out) return false;
    end = canonicalEscapes(p, end, out);
    p = out;
  }
  const n = <u32>(end - p), from = chainUnits(chain), units = !seen ? n : counted ? counted : codeUnits(p, end), byte = chainBytes(chain);
  if (!chainAppend(d, chain, p, n, units)) return false;
  const grown = chainBytes(chain) - byte, joined = grown != n;
  addToSize(s, grown);
  advance(s);
  const part = isCall ? PART_ARGUMENTS : PART_CONTENT, place: u32 = isCall ? load<u32>(target, C_PLACE) : 0;
  noteAppend(s, CHANGE_APPEND, m, part, place, from, from + units, joined ? byte - 6 : byte, joined);
  return true;
}

function looseScratch(n: u32): usize {
  store<u32>(SCRATCH_MODEL, 0, RUN_LEN);
  return scratchReserve(SCRATCH_MODEL, n) ? <usize>load<u32>(SCRATCH_MODEL, RUN_PTR) : 0;
}

// Merges the selected event's metadata into the message, or into its call at `place`, inside of an open edit.
function mergePart(s: usize, m: usize, part: u8, place: u32, before: u32): bool {
  const d = documentOf(m), ofMessage = part == PART_CONTENT || part == PART_METADATA;
  const node = ofMessage ? expandSlot(d, rootSlot(d)) : callNode(m, place);
  return node ? mergeMetadata(s, d, node, ofMessage ? METADATA_LEVELS : CALL_METADATA_LEVELS, before) : failMemory();
}

/** Merges the selected event's metadata, which is there, into a message (PART_METADATA) or its call at `place` (PART_CALL_METADATA). */
export function mergeAlone(s: usize, m: usize, part: u8, place: u32): bool {
  const d = ownDocument(m);
  if (!d) return failMemory();
  const before = documentSize(d);
  // what becomes a node on the way stays one: that is no change
  editBegin(d);
  if (!mergePart(s, m, part, place, before)) return undo(s, d, before);
  keep(s, d, before);
  advance(s);
  noteReplace(s, m, part, place);
  return true;
}
