// Whole lists of messages: MESSAGES_SNAPSHOT (AG-UI state rules U2-U4), the messages that RUN_STARTED echoes, and those of stored models.
import * as ag from "../../abi/agui";
import * as code from "../../abi/codes";
import { alloc, free, reserve, roundUp } from "../../memory/heap";
import { documentSize } from "../../document/index";
import { maxBlocks, maxModel } from "../agentue/limits";
import { freeCalls, readCalls } from "./calls";
import { noteStart } from "../change-log";
import { noteInsert } from "./changes";
import { MOVED, noteEffect } from "./effects";
import { eventSlotStart } from "./expansion";
import {
  fileIncoming, findIncoming, incomingActivity, incomingAt, incomingCount, incomingId, incomingIdLength, incomingReasoning, incomingSize, isMarked,
  makeIncoming, mark, readIncoming, REPEATED, TAKEN,
} from "./incoming";
import { fail, pathIndex, pathName, pathReset } from "../fault";
import { MESSAGES } from "./fragments";
import { failLimit, failMemory } from "./limits";
import {
  addMessage, addMessageNeeds, documentOf, findMessage, freeMessage, freeVector, indexMessages, M_PLACE, M_STAYS, messageAt, R_HASH, R_ID, R_ID_LENGTH,
  ROLE_ACTIVITY, ROLE_REASONING, roleOf,
} from "./messages";
import { A_CAPACITY, A_COUNT, A_FLAGS, A_LOG, A_MESSAGES, A_SIZE, addToSize, advance, CALLS_KNOWN, FRAME_SIZE, renewGeneration } from "./state";

// The list under construction.
let list: usize = 0;
let listCapacity: u32 = 0;
let listCount: u32 = 0;

function beginList(n: u32): bool {
  listCount = 0;
  const size = n ? roundUp(n << 2) : 0;
  listCapacity = size >> 2;
  list = size ? alloc(size) : 0;
  return !size || list != 0;
}

function addToList(m: usize): void {
  store<u32>(list + (<usize>listCount << 2), <u32>m);
  listCount++;
}
@inline function listed(i: u32): usize { return <usize>load<u32>(list + (<usize>i << 2)); }

function keepInList(m: usize): void {
  store<u8>(m, 1, M_STAYS);
  addToList(m);
}

// Gives the list back, and the messages in it that are not held. Always returns false.
function dropList(): bool {
  for (let i: u32 = 0; i < listCount; i++) {
    const m = listed(i);
    if (load<u8>(m, M_STAYS)) store<u8>(m, 0, M_STAYS);
    else freeMessage(m);
  }
  if (listCapacity) free(list, listCapacity << 2);
  return failMemory();
}

// Puts the list in the place of the messages there were. `size`: bytes of the messages in it with the commas between them.
function install(s: usize, size: u32): void {
  freeCalls(s);
  const count = load<u32>(s, A_COUNT);
  let before: u32 = count ? count - 1 : 0;
  for (let i: u32 = 0; i < count; i++) {
    const m = messageAt(s, i);
    before += documentSize(documentOf(m));
    if (load<u8>(m, M_STAYS)) store<u8>(m, 0, M_STAYS);
    else freeMessage(m);
  }
  freeVector(s);
  addToSize(s, size - before);
  store<u32>(s, <u32>list, A_MESSAGES);
  store<u32>(s, listCount, A_COUNT);
  store<u32>(s, listCapacity, A_CAPACITY);
  for (let i: u32 = 0; i < listCount; i++) store<u32>(listed(i), i, M_PLACE);
  indexMessages(s);
  renewGeneration(s);
}

// What the snapshot's messages take now, with the commas between them.
function messagesSize(s: usize): u64 {
  const count = load<u32>(s, A_COUNT);
  let size: u64 = count ? count - 1 : 0;
  for (let i: u32 = 0; i < count; i++) size += documentSize(documentOf(messageAt(s, i)));
  return size;
}

@inline function indexNeeds(count: u32): u32 { return (count + 8) * 16; }

// ---------------------------------------------------------------- MESSAGES_SNAPSHOT

// Whether the list says nothing of the held message but leaves it: it does not speak of its role at all.
function isLeft(m: usize): bool {
  const role = roleOf(m);
  return (role == ROLE_ACTIVITY && !incomingActivity) || (role == ROLE_REASONING && !incomingReasoning);
}

@inline function standIn(m: usize): usize { return findIncoming(m + R_ID, load<u32>(m, R_ID_LENGTH), load<u32>(m, R_HASH)); }

/** MESSAGES_SNAPSHOT. False: a fault, nothing has changed. */
export function applyMessagesSnapshot(s: usize): bool {
  if (!readIncoming(eventSlotStart(ag.F_MESSAGES)) || !fileIncoming(true)) return failMemory();
  const held = load<u32>(s, A_COUNT);
  let count: u32 = 0, size: u64 = 0;
  for (let i: u32 = 0; i < held; i++) {
    const m = messageAt(s, i), entry = standIn(m);
    if (entry) mark(entry, TAKEN);
    else if (!isLeft(m)) continue;
    count++;
    size += entry ? incomingSize(entry) : documentSize(documentOf(m));
  }
  for (let i: u32 = 0; i < incomingCount; i++) {
    const entry = incomingAt(i);
    if (isMarked(entry, TAKEN | REPEATED)) continue;
    count++;
    size += incomingSize(entry);
  }
  if (count > maxBlocks) return failLimit(ag.F_MESSAGES, code.R_LIMIT_BLOCKS);
  if (count) size += count - 1;
  const before = <u64>messagesSize(s);
  if (size > before && <u64>load<u32>(s, A_SIZE) - before + size > <u64>maxModel) return failLimit(ag.F_MESSAGES, code.R_LIMIT_MODEL);
  if (!beginList(count)) return failMemory();
  for (let i: u32 = 0; i < held; i++) {
    const m = messageAt(s, i), entry = standIn(m);
    if (entry) { if (!addIncoming(entry)) return dropList(); }
    else if (isLeft(m)) keepInList(m);
  }
  for (let i: u32 = 0; i < incomingCount; i++) {
    const entry = incomingAt(i);
    if (!isMarked(entry, TAKEN | REPEATED) && !addIncoming(entry)) return dropList();
  }
  if (!reserve(indexNeeds(count))) return dropList();
  install(s, <u32>size);
  advance(s);
  noteStart(s + A_LOG);
  noteEffect(MOVED);
  return true;
}

function addIncoming(entry: usize): bool {
  const m = makeIncoming(entry);
  if (m) addToList(m);
  return m != 0;
}

// ---------------------------------------------------------------- stored models

/** Reads the enforced list of messages at `p` (0: none) as all there will be; false: `limit` at the first one too many, or memory. */
export function readAll(p: usize): bool {
  if (!readIncoming(p)) return failMemory();
  listSize = incomingCount ? incomingCount - 1 : 0;
  for (let i: u32 = 0; i < incomingCount; i++) listSize += incomingSize(incomingAt(i));
  allSize = <u64>listSize + FRAME_SIZE;
  if (incomingCount <= maxBlocks) return true;
  pathReset();
  pathName(MESSAGES, 8);
  pathIndex(maxBlocks);
  return fail(code.E_LIMIT, code.R_LIMIT_BLOCKS);
}
let listSize: u32 = 0;
/** What the messages that were read take in the snapshot without `run`, with everything around them but the state. */
export let allSize: u64 = 0;

/** Makes the messages that `readAll` has read; false = out of memory. `installAll` or `dropAll` has to follow. */
export function makeAll(): bool {
  if (!beginList(incomingCount)) return failMemory();
  for (let i: u32 = 0; i < incomingCount; i++) if (!addIncoming(incomingAt(i))) return dropList();
  return reserve(indexNeeds(incomingCount)) || dropList();
}

/** Puts the messages that `makeAll` has made in the place of those there were. Nothing was allocated since. */
export function installAll(s: usize): void { install(s, listSize); }

// ---------------------------------------------------------------- RUN_STARTED.input

/** Makes the messages of the list at `p` (0: none) whose id is not held, in its order; false: a fault at `/input/messages`, nothing has changed. */
export function makeMissing(s: usize, p: usize): bool {
  listCount = 0;
  listCapacity = 0;
  if (!readIncoming(p)) return failMemory();
  if (!incomingCount) return true;
  if (!fileIncoming(false)) return failMemory();
  let count: u32 = 0, size: u64 = 0;
  for (let i: u32 = 0; i < incomingCount; i++) {
    const entry = incomingAt(i);
    if (isMarked(entry, REPEATED)) continue;
    if (findMessage(s, incomingId(entry), incomingIdLength(entry))) { mark(entry, TAKEN); continue; }
    count++;
    size += incomingSize(entry) + 1;
  }
  if (!count) return true;
  if (<u64>load<u32>(s, A_COUNT) + count > <u64>maxBlocks) return failInput(code.R_LIMIT_BLOCKS);
  if (<u64>load<u32>(s, A_SIZE) + size - (load<u32>(s, A_COUNT) ? 0 : 1) > <u64>maxModel) return failInput(code.R_LIMIT_MODEL);
  if (!beginList(count)) return failMemory();
  for (let i: u32 = 0; i < incomingCount; i++) {
    const entry = incomingAt(i);
    if (!isMarked(entry, TAKEN | REPEATED) && !addIncoming(entry)) return dropList();
  }
  // one by one they may make the vector and the index grow several times
  return reserve(addMessageNeeds(s) + (count > 1 ? (load<u32>(s, A_COUNT) + count + 8) * 48 : 0)) || dropList();
}

function failInput(reason: u32): bool {
  failLimit(ag.F_INPUT, reason);
  pathName(MESSAGES, 8);
  return false;
}

/** Puts what `makeMissing` has made behind the other messages. Nothing was allocated since. */
export function addMissing(s: usize): void {
  const first = load<u32>(s, A_COUNT);
  for (let i: u32 = 0; i < listCount; i++) addMessage(s, listed(i), first + i);
}

/** Notes what `addMissing` has added and gives the list back. A call among them that finds no memory is found when all calls are read again. */
export function noteMissing(s: usize): void {
  const first = load<u32>(s, A_COUNT) - listCount;
  for (let i: u32 = 0; i < listCount; i++) {
    const m = listed(i);
    noteInsert(s, m, first + i);
    if (load<u8>(s, A_FLAGS) & CALLS_KNOWN && !readCalls(s, m)) { freeCalls(s); renewGeneration(s); }
  }
  if (listCapacity) free(list, listCapacity << 2);
}
