// Blocks of steps, reasoning spans and subagents (docs/adapter.md §4): what is kept of them, and found by what their ENDs name.
import * as ag from "../../abi/agui";
import { bytesAppend, bytesFree, RUN_LEN, RUN_PTR } from "../../memory/bytes";
import { copyExact } from "../../memory/copy";
import { alloc, free, setAccount } from "../../memory/heap";
import { findMember, valueStart } from "../../codec/json/members";
import { hashBytes } from "../../text/hash";
import { eventSlotEnd, eventSlotStart, eventType } from "../../reduce/agui/expansion";
import { TYPE } from "../../reduce/agui/fragments";
import { placeIn, R_HASH, R_ID, R_ID_LENGTH } from "../../reduce/agui/messages";
import { A_COUNT } from "../../reduce/agui/state";
import { SCRATCH_INDEX, scratchReserve } from "../../reduce/scratch";
import { C_FIRST, C_RUN } from "../layout";
import { closeId, openId, put, putByte, putNumber, putPiece } from "./compose";
import * as piece from "./pieces";
import { A_ENDED, A_FIRST, A_INDEX, A_INDEX_CAPACITY, A_LAST, A_NUMBER, A_SPANS } from "./state";
import { adapterOf } from "../roads";

// Block, 64 B, and its key behind it; length and hash where a message has them:
//   0 key length | 4 hash | 8 block that came next | 12 kind u8, status u8 | 16 number | 20 messages held when it came |
//  24 members behind the status, each with its comma: run | 40 size of the allocation | 44.. spare
// Key: a letter for the kind, then the owner and a quote where there is one, and the name or id; canonical contents.
const S_NEXT: usize = 8, S_KIND: usize = 12, S_STATUS: usize = 13, S_NUMBER: usize = 16, S_PLACE: usize = 20, S_TAIL: usize = 24, S_SIZE: usize = 40;
const STEP: u32 = 0x73, SPAN: u32 = 0x72, SUBAGENT: u32 = 0x61;
const IS_RUNNING: u8 = 0, IS_COMPLETE: u8 = 1, HAS_FAILED: u8 = 2, IS_SUSPENDED: u8 = 3;

/** Blocks that are not running are forgotten when there are more of them. */
const MOST_ENDED: u32 = 1024;

// What an event comes to.
/** It is not about any of these blocks. */
export const SPAN_NONE: u32 = 0;
/** The whole block is to be set, or its status. */
export const SPAN_WHOLE: u32 = 1, SPAN_STATUS: u32 = 2;
/** Blocks were forgotten: only a new `start` says that. */
export const SPAN_FORGOTTEN: u32 = 3;
export const SPAN_NO_MEMORY: u32 = 4;

/** The block that the last `takeSpan` was about. */
export let takenSpan: usize = 0;

/** Takes the selected event in, which was applied. SPAN_ outcome; with SPAN_NO_MEMORY nothing was taken in. */
export function takeSpan(c: usize): u32 {
  switch (eventType) {
    case ag.AG_STEP_STARTED: return opened(c, STEP, ag.F_STEP_NAME);
    case ag.AG_STEP_FINISHED: return closed(c, STEP, ag.F_STEP_NAME, IS_COMPLETE);
    case ag.AG_REASONING_START: return opened(c, SPAN, ag.F_MESSAGE_ID);
    case ag.AG_REASONING_END: return closed(c, SPAN, ag.F_MESSAGE_ID, IS_COMPLETE);
    case ag.AG_SUBAGENT_STARTED: return opened(c, SUBAGENT, ag.F_SUBAGENT_RUN_ID);
    case ag.AG_SUBAGENT_ERROR: return closed(c, SUBAGENT, ag.F_SUBAGENT_RUN_ID, HAS_FAILED);
    case ag.AG_SUBAGENT_FINISHED: return closed(c, SUBAGENT, ag.F_SUBAGENT_RUN_ID, isSuspended() ? IS_SUSPENDED : IS_COMPLETE);
    default: return SPAN_NONE;
  }
}

function isSuspended(): bool {
  const outcome = eventSlotStart(ag.F_OUTCOME);
  return outcome != 0 && load<u8>(outcome) == 0x7b && findMember(outcome, TYPE, 4) && load<u16>(valueStart) == 0x7322 && load<u8>(valueStart, 3) == 0x73;
}

@inline function length(f: u32): u32 { return <u32>(eventSlotEnd(f) - eventSlotStart(f)); }

// ---------------------------------------------------------------- keys

// Of steps the owner counts, too.
function keySize(kind: u32, f: u32): u32 {
  const owner: u32 = kind == STEP && eventSlotStart(ag.F_SUBAGENT_RUN_ID) ? length(ag.F_SUBAGENT_RUN_ID) - 1 : 0;
  return 1 + owner + length(f) - 2;
}

function writeKey(kind: u32, f: u32, dst: usize): void {
  store<u8>(dst++, <u8>kind);
  if (kind == STEP && eventSlotStart(ag.F_SUBAGENT_RUN_ID)) {
    // with its last quote, which no contents hold
    const n = length(ag.F_SUBAGENT_RUN_ID) - 1;
    copyExact(dst, eventSlotStart(ag.F_SUBAGENT_RUN_ID) + 1, n);
    dst += n;
  }
  copyExact(dst, eventSlotStart(f) + 1, length(f) - 2);
}

function find(c: usize, kind: u32, f: u32): usize {
  const a = adapterOf(c), index = <usize>load<u32>(a, A_INDEX), n = keySize(kind, f);
  if (!index) return 0;
  store<u32>(SCRATCH_INDEX, 0, RUN_LEN);
  if (!scratchReserve(SCRATCH_INDEX, n + 16)) return NO_MEMORY;
  const key = <usize>load<u32>(SCRATCH_INDEX, RUN_PTR);
  writeKey(kind, f, key);
  return <usize>load<u32>(placeIn(index, load<u32>(a, A_INDEX_CAPACITY), key, n, hashBytes(key, n)));
}
const NO_MEMORY: usize = 1;

// ---------------------------------------------------------------- beginning and end

function opened(c: usize, kind: u32, f: u32): u32 {
  const account = setAccount(load<u32>(c, C_FIRST)), n = keySize(kind, f), size = <u32>R_ID + n + 16;
  const span: usize = indexRoom(c) ? alloc(size) : 0;
  if (span) {
    memory.fill(span, 0, R_ID);
    writeKey(kind, f, span + R_ID);
    store<u32>(span, n, R_ID_LENGTH);
    store<u32>(span, hashBytes(span + R_ID, n), R_HASH);
    store<u8>(span, <u8>kind, S_KIND);
    store<u32>(span, size, S_SIZE);
    store<u32>(span, load<u32>(load<u32>(c, C_RUN), A_COUNT), S_PLACE);
  }
  const done = span != 0 && describe(span, kind, f);
  if (done) file(adapterOf(c), span);
  else if (span) freeSpan(span);
  setAccount(account);
  return done ? SPAN_WHOLE : SPAN_NO_MEMORY;
}

function describe(span: usize, kind: u32, f: u32): bool {
  const tail = span + S_TAIL;
  if (kind == SUBAGENT) {
    return describeParent(tail) && keep(tail, piece.GROUP_ID, f) && keep(tail, piece.NAME, ag.F_NAME) && keep(tail, piece.DESCRIPTION, ag.F_DESCRIPTION)
      && keep(tail, piece.PARENT_TOOL_CALL_ID, ag.F_PARENT_TOOL_CALL_ID) && keep(tail, piece.PARENT_MESSAGE_ID, ag.F_PARENT_MESSAGE_ID)
      && keep(tail, piece.PARENT_SUBAGENT_RUN_ID, ag.F_PARENT_SUBAGENT_RUN_ID);
  }
  return keep(tail, piece.GROUP_ID, ag.F_SUBAGENT_RUN_ID) && keep(tail, kind == STEP ? piece.NAME : piece.SPAN_ID, f);
}

function describeParent(tail: usize): bool {
  if (eventSlotStart(ag.F_PARENT_TOOL_CALL_ID)) return keepParent(tail, piece.TOOL_COLON, ag.F_PARENT_TOOL_CALL_ID);
  if (eventSlotStart(ag.F_PARENT_MESSAGE_ID)) return keepParent(tail, piece.MESSAGE_COLON, ag.F_PARENT_MESSAGE_ID);
  return !eventSlotStart(ag.F_PARENT_SUBAGENT_RUN_ID) || keepParent(tail, piece.SUBAGENT_COLON, ag.F_PARENT_SUBAGENT_RUN_ID);
}

const BRACE: usize = memory.data<u8>([0x7d, 0, 0, 0, 0, 0, 0, 0]);

@inline function keepPiece(tail: usize, p: usize): bool { return bytesAppend(tail, p + 1, <u32>load<u8>(p)); }

// The id goes with its last quote.
function keepParent(tail: usize, kind: usize, f: u32): bool {
  return keepPiece(tail, piece.PARENT_ID) && keepPiece(tail, kind) && bytesAppend(tail, eventSlotStart(f) + 1, length(f) - 1);
}

function keep(tail: usize, name: usize, f: u32): bool { return !eventSlotStart(f) || (keepPiece(tail, name) && bytesAppend(tail, eventSlotStart(f), length(f))); }

// A block of the same key has ended, or there is none.
function file(a: usize, span: usize): void {
  if (load<u8>(span, S_KIND) != SUBAGENT) {
    const number = load<u32>(a, A_NUMBER) + 1;
    store<u32>(a, number, A_NUMBER);
    store<u32>(span, number, S_NUMBER);
  }
  const last = <usize>load<u32>(a, A_LAST);
  if (last) store<u32>(last, <u32>span, S_NEXT);
  else store<u32>(a, <u32>span, A_FIRST);
  store<u32>(a, <u32>span, A_LAST);
  store<u32>(a, load<u32>(a, A_SPANS) + 1, A_SPANS);
  store<u32>(placeOfSpan(a, span), <u32>span);
  takenSpan = span;
}

function placeOfSpan(a: usize, span: usize): usize {
  return placeIn(load<u32>(a, A_INDEX), load<u32>(a, A_INDEX_CAPACITY), span + R_ID, load<u32>(span, R_ID_LENGTH), load<u32>(span, R_HASH));
}

// Room for one more block in the index, which is at most three quarters full.
function indexRoom(c: usize): bool {
  const a = adapterOf(c), capacity = load<u32>(a, A_INDEX_CAPACITY);
  if ((load<u32>(a, A_SPANS) + 1) * 4 <= capacity * 3) return true;
  const wider: u32 = capacity ? capacity << 1 : 16, index = alloc(wider << 2);
  if (!index) return false;
  if (capacity) free(load<u32>(a, A_INDEX), capacity << 2);
  store<u32>(a, <u32>index, A_INDEX);
  store<u32>(a, wider, A_INDEX_CAPACITY);
  fillIndex(a);
  return true;
}

// Of blocks with one key the newest one is found.
function fillIndex(a: usize): void {
  memory.fill(load<u32>(a, A_INDEX), 0, load<u32>(a, A_INDEX_CAPACITY) << 2);
  for (let span = firstSpan(a); span; span = nextSpan(span)) store<u32>(placeOfSpan(a, span), <u32>span);
}

function closed(c: usize, kind: u32, f: u32, status: u8): u32 {
  const a = adapterOf(c), span = find(c, kind, f);
  if (span == NO_MEMORY) return SPAN_NO_MEMORY;
  if (!span || load<u8>(span, S_STATUS) != IS_RUNNING) return SPAN_NONE;
  if (kind == SUBAGENT) {
    const account = setAccount(load<u32>(c, C_FIRST)), done = describeEnd(span + S_TAIL, status);
    setAccount(account);
    if (!done) return SPAN_NO_MEMORY;
  }
  store<u8>(span, status, S_STATUS);
  takenSpan = span;
  const ended = load<u32>(a, A_ENDED) + 1;
  store<u32>(a, ended, A_ENDED);
  if (ended > MOST_ENDED) {
    forgetEnded(c);
    return SPAN_FORGOTTEN;
  }
  return kind == SUBAGENT ? SPAN_WHOLE : SPAN_STATUS;
}

// All of it or nothing: half an error would stand in every later `start`.
function describeEnd(tail: usize, status: u8): bool {
  const before = load<u32>(tail, RUN_LEN);
  const done = status != HAS_FAILED ? keep(tail, piece.OUTCOME, ag.F_OUTCOME) && keep(tail, piece.RESULT, ag.F_RESULT)
    : keepPiece(tail, piece.ERROR) && keep(tail, piece.OPEN_MESSAGE, ag.F_MESSAGE) && keep(tail, piece.CODE, ag.F_CODE) && bytesAppend(tail, BRACE, 1);
  if (!done) store<u32>(tail, before, RUN_LEN);
  return done;
}

function forgetEnded(c: usize): void {
  const a = adapterOf(c), account = setAccount(load<u32>(c, C_FIRST));
  let kept: usize = 0;
  for (let span = firstSpan(a); span; ) {
    const next = nextSpan(span);
    if (load<u8>(span, S_STATUS) == IS_RUNNING) kept = span;
    else {
      store<u32>(kept ? kept + S_NEXT : a + A_FIRST, <u32>next);
      store<u32>(a, load<u32>(a, A_SPANS) - 1, A_SPANS);
      freeSpan(span);
    }
    span = next;
  }
  store<u32>(a, <u32>kept, A_LAST);
  store<u32>(a, 0, A_ENDED);
  fillIndex(a);
  setAccount(account);
}

function freeSpan(span: usize): void {
  bytesFree(span + S_TAIL);
  free(span, load<u32>(span, S_SIZE));
}

/** Forgets all blocks; their numbers go on. */
export function freeSpans(c: usize): void {
  const a = adapterOf(c), account = setAccount(load<u32>(c, C_FIRST));
  for (let span = firstSpan(a); span; ) {
    const next = nextSpan(span);
    freeSpan(span);
    span = next;
  }
  if (load<u32>(a, A_INDEX)) free(load<u32>(a, A_INDEX), load<u32>(a, A_INDEX_CAPACITY) << 2);
  memory.fill(a + A_FIRST, 0, A_INDEX_CAPACITY + 4 - A_FIRST);
  setAccount(account);
}

// ---------------------------------------------------------------- text

/** Adds the id of a block. */
export function putSpanId(span: usize): void {
  const kind = load<u8>(span, S_KIND);
  putPiece(kind == STEP ? piece.STEP_COLON : kind == SPAN ? piece.SPAN_COLON : piece.SUBAGENT_COLON);
  if (kind == SUBAGENT) put(span + R_ID + 1, load<u32>(span, R_ID_LENGTH) - 1);
  else putNumber(load<u32>(span, S_NUMBER));
}

/** Status of a block, a piece. */
export function spanStatus(span: usize): usize {
  const status = load<u8>(span, S_STATUS);
  return status == IS_RUNNING ? piece.RUNNING : status == IS_COMPLETE ? piece.COMPLETE : status == HAS_FAILED ? piece.FAILED : piece.SUSPENDED;
}

/** Adds a block. */
export function putSpanBlock(span: usize): void {
  const kind = load<u8>(span, S_KIND);
  putPiece(piece.ID);
  openId();
  putSpanId(span);
  closeId();
  putPiece(piece.TYPE);
  putPiece(kind == STEP ? piece.KIND_STEP : kind == SPAN ? piece.REASONING_SPAN : piece.KIND_SUBAGENT);
  putByte(0x22);
  putPiece(piece.STATUS);
  putPiece(spanStatus(span));
  put(load<u32>(span + S_TAIL, RUN_PTR), load<u32>(span + S_TAIL, RUN_LEN));
  putByte(0x7d);
}

/** The block that came first, and the one that came after a block; 0 = none. */
@inline export function firstSpan(a: usize): usize { return <usize>load<u32>(a, A_FIRST); }
@inline export function nextSpan(span: usize): usize { return <usize>load<u32>(span, S_NEXT); }

/** Whether a block stands before message `i` in a `start`, unless one that came earlier stands behind it. */
@inline export function isBefore(span: usize, i: u32): bool { return load<u32>(span, S_PLACE) <= i; }
