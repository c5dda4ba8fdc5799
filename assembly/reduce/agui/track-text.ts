// The track as JSON text: what the snapshot shows of it (docs/semantics-agui.md §8) and what a checkpoint keeps (§12).
import { bytesAppend } from "../../memory/bytes";
import { copyExact } from "../../memory/copy";
import { putUint } from "../../codec/json/put";
import { A_TRACK } from "./state";
import { memberName, memberNameLength } from "./schema";
import { N_TOOL_CALLS } from "./schema-table.generated";
import { F_MESSAGES } from "../../abi/agui";
import {
  ACTIVE, ANSWERED, I_ID, I_LINKS, I_NEXT, I_NEXT_CALL, I_NUMBER, I_OWNER, I_SECOND_LINKS, I_SECOND_NUMBER, isMarked, kindOf, L_FIRST, L_ITEM, L_KIND,
  L_LINKS, L_OWNER, L_SECOND, L_TEXTS, N_LINKS, N_NEXT, N_TEXT, OPEN, PARENT, SPAN_OPEN, STEP_LINKS, STEP_NAME, STEP_OWNER, T_ACTIVE, T_CALLS, T_ITEMS,
  T_LANES, T_PENDING, T_PHASE, T_REASONING, T_SPANS, T_STEPS, T_SUBAGENTS, T_TEXTS, T_TOOLS, textLength,
} from "./track-layout";

const KEY_PHASE: usize = memory.data<u8>([0x22, 0x70, 0x68, 0x61, 0x73, 0x65, 0x22, 0x3a]); // "phase":
const KEY_ITEMS: usize = memory.data<u8>([0x2c, 0x22, 0x69, 0x74, 0x65, 0x6d, 0x73, 0x22, 0x3a]); // ,"items":
const KEY_STEPS: usize = memory.data<u8>([0x2c, 0x22, 0x73, 0x74, 0x65, 0x70, 0x73, 0x22, 0x3a]); // ,"steps":
const KEY_SUBAGENTS: usize = memory.data<u8>([0x2c, 0x22, 0x73, 0x75, 0x62, 0x61, 0x67, 0x65, 0x6e, 0x74, 0x73, 0x22, 0x3a]); // ,"subagents":
const KEY_CALLS: usize = memory.data<u8>([0x2c, 0x22, 0x63, 0x61, 0x6c, 0x6c, 0x73, 0x22, 0x3a]); // ,"calls":
const KEY_LANES: usize = memory.data<u8>([0x2c, 0x22, 0x6c, 0x61, 0x6e, 0x65, 0x73, 0x22, 0x3a]); // ,"lanes":
const KEY_REASONING: usize = memory.data<u8>([0x2c, 0x22, 0x72, 0x65, 0x61, 0x73, 0x6f, 0x6e, 0x69, 0x6e, 0x67, 0x22, 0x3a]); // ,"reasoning":
const WORDS: usize = memory.data<u8>([0x74, 0x72, 0x75, 0x65, 0x66, 0x61, 0x6c, 0x73, 0x65, 0x6e, 0x75, 0x6c, 0x6c]); // true false null

/** The names of the five lists with their quotes, colons and brackets, the commas between them and the braces. */
const OPEN_FRAME: u32 = 71;

// ---------------------------------------------------------------- what is open

// Lists whose members hold {previous, next} at `links`: bytes of their ids, each with quotes and a comma.
function sizeOf(list: usize, links: usize): u32 {
  let size: u32 = 0;
  for (let entry = <usize>load<u32>(list); entry; entry = load<u32>(entry + links, 4)) size += textLength(entry) + 3;
  return size;
}

function stepsSize(t: usize): u32 {
  let size: u32 = 0;
  for (let step = <usize>load<u32>(t, T_STEPS); step; step = load<u32>(step, STEP_LINKS + 4)) size += textLength(load<u32>(step, STEP_NAME)) + 3;
  return size;
}

// The last element of a list has no comma.
@inline function trimmed(size: u32): u32 { return size ? size - 1 : 0; }

/** Bytes that `writeOpen` writes. */
export function openSize(s: usize): u32 {
  const t = s + A_TRACK;
  return OPEN_FRAME + trimmed(sizeOf(t + T_TEXTS, I_LINKS)) + trimmed(sizeOf(t + T_TOOLS, I_LINKS))
    + trimmed(sizeOf(t + T_REASONING, I_LINKS) + sizeOf(t + T_SPANS, I_SECOND_LINKS)) + trimmed(stepsSize(t)) + trimmed(sizeOf(t + T_ACTIVE, N_LINKS));
}

/** Writes `{"messages":[…],"toolCalls":[…],"reasoning":[…],"steps":[…],"subagents":[…]}`, what is open, and returns the address behind it. */
export function writeOpen(s: usize, dst: usize): usize {
  const t = s + A_TRACK;
  store<u8>(dst++, 0x7b);
  dst = writeKey(dst, memberName(F_MESSAGES), memberNameLength(F_MESSAGES));
  dst = writeList(dst, t + T_TEXTS, I_LINKS, I_ID);
  store<u8>(dst++, 0x2c);
  dst = writeKey(dst, memberName(N_TOOL_CALLS), memberNameLength(N_TOOL_CALLS));
  dst = writeList(dst, t + T_TOOLS, I_LINKS, I_ID);
  dst = writeReasoning(writeBytes(dst, KEY_REASONING, 13), t);
  dst = writeSteps(writeBytes(dst, KEY_STEPS, 9), t);
  dst = writeList(writeBytes(dst, KEY_SUBAGENTS, 13), t + T_ACTIVE, N_LINKS, N_TEXT);
  store<u8>(dst, 0x7d);
  return dst + 1;
}

/** Bytes that `writePending` writes. */
export function pendingSize(s: usize): u32 { return 2 + trimmed(sizeOf(s + A_TRACK + T_PENDING, I_SECOND_LINKS)); }

/** Writes the ids of the calls that this run has started and nothing has answered, as a JSON array, and returns the address behind it. */
export function writePending(s: usize, dst: usize): usize { return writeList(dst, s + A_TRACK + T_PENDING, I_SECOND_LINKS, I_ID); }

function writeBytes(dst: usize, p: usize, n: u32): usize {
  copyExact(dst, p, n);
  return dst + n;
}

function writeKey(dst: usize, p: usize, n: u32): usize {
  store<u8>(dst, 0x22);
  copyExact(dst + 1, p, n);
  store<u8>(dst + 1 + n, 0x22);
  store<u8>(dst + 2 + n, 0x3a);
  return dst + 3 + n;
}

// Texts lie between their quotes, at `text` in an entry.
@inline function writeText(dst: usize, entry: usize, text: usize): usize { return writeBytes(dst, entry + text - 1, textLength(entry) + 2); }

function writeList(dst: usize, list: usize, links: usize, text: usize): usize {
  store<u8>(dst++, 0x5b);
  let entry = <usize>load<u32>(list);
  while (entry) {
    dst = writeText(dst, entry, text);
    entry = load<u32>(entry + links, 4);
    if (entry) store<u8>(dst++, 0x2c);
  }
  store<u8>(dst, 0x5d);
  return dst + 1;
}

// Messages and spans, merged by the numbers of their openings.
function writeReasoning(dst: usize, t: usize): usize {
  let message = <usize>load<u32>(t, T_REASONING), span = <usize>load<u32>(t, T_SPANS);
  store<u8>(dst++, 0x5b);
  while (message || span) {
    if (!span || (message && load<u32>(message, I_NUMBER) < load<u32>(span, I_SECOND_NUMBER))) {
      dst = writeText(dst, message, I_ID);
      message = load<u32>(message, I_LINKS + 4);
    } else {
      dst = writeText(dst, span, I_ID);
      span = load<u32>(span, I_SECOND_LINKS + 4);
    }
    if (message || span) store<u8>(dst++, 0x2c);
  }
  store<u8>(dst, 0x5d);
  return dst + 1;
}

function writeSteps(dst: usize, t: usize): usize {
  store<u8>(dst++, 0x5b);
  let step = <usize>load<u32>(t, T_STEPS);
  while (step) {
    dst = writeText(dst, load<u32>(step, STEP_NAME), N_TEXT);
    step = load<u32>(step, STEP_LINKS + 4);
    if (step) store<u8>(dst++, 0x2c);
  }
  store<u8>(dst, 0x5d);
  return dst + 1;
}

// ---------------------------------------------------------------- checkpoint

let out: usize = 0;
let failed: bool = false;

function put(p: usize, n: u32): void { if (!bytesAppend(out, p, n)) failed = true; }
function putChar(c: u32): void {
  store<u8>(CHAR, <u8>c);
  put(CHAR, 1);
}
const CHAR: usize = memory.data(8, 8);
function putNumber(n: u32): void { if (!putUint(out, n)) failed = true; }
function putTextOf(entry: usize, text: usize): void { put(entry + text - 1, textLength(entry) + 2); }
function putOwner(owner: u32): void {
  if (owner == PARENT) put(WORDS + 9, 4);
  else putTextOf(<usize>owner, N_TEXT);
}
function putBoolean(value: bool): void { put(value ? WORDS : WORDS + 4, value ? 4 : 5); }
// The opening bracket of a row, a comma before it unless it is the first.
function openRow(isFirst: bool): void {
  if (!isFirst) putChar(0x2c);
  putChar(0x5b);
}

/**
 * Appends the members `phase` to `lanes` of the checkpoint's `track` (docs/semantics-agui.md §12), without braces, to a run.
 * `false` = out of memory.
 */
export function writeTrack(s: usize, run: usize): bool {
  const t = s + A_TRACK;
  out = run;
  failed = false;
  put(KEY_PHASE, 8);
  putNumber(load<u32>(t, T_PHASE));
  put(KEY_ITEMS, 9);
  putItems(load<u32>(t, T_ITEMS));
  put(KEY_STEPS, 9);
  putSteps(load<u32>(t, T_STEPS));
  put(KEY_SUBAGENTS, 13);
  putFlagged(load<u32>(t, T_SUBAGENTS), N_NEXT, N_TEXT, ACTIVE);
  put(KEY_CALLS, 9);
  putFlagged(load<u32>(t, T_CALLS), I_NEXT_CALL, I_ID, ANSWERED);
  put(KEY_LANES, 9);
  putLanes(load<u32>(t, T_LANES));
  return !failed;
}

function putItems(first: usize): void {
  putChar(0x5b);
  for (let item = first; item && !failed; item = load<u32>(item, I_NEXT)) {
    const isOpen = isMarked(item, OPEN), hasSpan = isMarked(item, SPAN_OPEN);
    openRow(item == first);
    putNumber(kindOf(item));
    putChar(0x2c);
    putTextOf(item, I_ID);
    putChar(0x2c);
    putOwner(load<u32>(item, I_OWNER));
    putChar(0x2c);
    putNumber(<u32>isOpen | <u32>hasSpan << 1);
    if (isOpen) {
      putChar(0x2c);
      putNumber(load<u32>(item, I_NUMBER));
    }
    if (hasSpan) {
      putChar(0x2c);
      putNumber(load<u32>(item, I_SECOND_NUMBER));
    }
    putChar(0x5d);
  }
  putChar(0x5d);
}

function putSteps(first: usize): void {
  putChar(0x5b);
  for (let step = first; step && !failed; step = load<u32>(step, STEP_LINKS + 4)) {
    openRow(step == first);
    putTextOf(load<u32>(step, STEP_NAME), N_TEXT);
    putChar(0x2c);
    putOwner(load<u32>(step, STEP_OWNER));
    putChar(0x5d);
  }
  putChar(0x5d);
}

// Rows of an id and whether a mark is set.
function putFlagged(first: usize, next: usize, text: usize, flag: u32): void {
  putChar(0x5b);
  for (let entry = first; entry && !failed; entry = load<u32>(entry + next)) {
    openRow(entry == first);
    putTextOf(entry, text);
    putChar(0x2c);
    putBoolean(isMarked(entry, flag));
    putChar(0x5d);
  }
  putChar(0x5d);
}

function putLanes(first: usize): void {
  putChar(0x5b);
  for (let lane = first; lane && !failed; lane = load<u32>(lane, L_LINKS + 4)) {
    const firstLength = load<u32>(lane, L_FIRST);
    openRow(lane == first);
    putOwner(load<u32>(lane, L_OWNER));
    putChar(0x2c);
    putNumber(load<u32>(lane, L_KIND));
    putChar(0x2c);
    putTextOf(load<u32>(lane, L_ITEM), I_ID);
    putChar(0x2c);
    putOptional(lane + L_TEXTS, firstLength);
    putChar(0x2c);
    putOptional(lane + L_TEXTS + firstLength, load<u32>(lane, L_SECOND));
    putChar(0x2c);
    putOwner(load<u32>(lane, L_OWNER));
    putChar(0x5d);
  }
  putChar(0x5d);
}

function putOptional(p: usize, n: u32): void {
  if (n) put(p, n);
  else put(WORDS + 9, 4);
}
