// A `set` of one field in its ordinary spelling, `{"op":"set","seq":…,"mask":"block.a.b","block":{"id":"…","a":{"b":…}}}`: op first, the mask before the slot that
// it selects from, and nothing in that slot but what it selects. Read in one pass and applied in one walk to a value that is there. Whatever is not entirely
// ordinary (another status, a gap, a reference, a protocol field, something missing, a limit in reach) is left to the full road; nothing has been touched then.
// A transcoder writes the event as it came.
import { SEQUENCE_OFF, STATUS_ENDED, STATUS_NONE, STATUS_REFUSED } from "../../abi/codes";
import { FLAG_REPORT_EVENTS, OPT_DEPTH, OPT_FLAGS, OPT_NUMBER_LENGTH, OPT_SEQUENCE } from "../../abi/layout";
import { reserve, setAccount } from "../../memory/heap";
import { equalBytes, equalText } from "../../memory/copy";
import { documentOwn, documentSize, expandSlot, findUsual, kindOf, OBJECT, replaceNow, rootSlot, slotSize } from "../../document/index";
import { ordinaryEnd } from "../../patch/index";
import { valueDepth } from "../../text/validate";
import { CHANGE_FIELD, CHANGE_META, nextVersion } from "../../reduce/change-log";
import { noteChange } from "../../reduce/agentue/changes";
import { notePatch } from "../../reduce/agentue/frames";
import { maxDepth, maxModel, maxNumber } from "../../reduce/agentue/limits";
import { isProtectedMask, maskEnd, maskPath, maskRoot, maskSegments, parseMask, ROOT_META, segmentEnd } from "../../reduce/agentue/mask";
import * as name from "../../reduce/names";
import {
  B_DOCUMENT, B_FLAGS, findBlock, IN_BURST, IS_REFERENCE, noteSize, S_APPLIED, S_FLAGS, S_LOG, S_META, S_SEQ, S_SIZE, S_STATUS, SEQ_KNOWN,
} from "../../reduce/agentue/state";
import { offsetOf } from "../../frame/state";
import { add, C_APPLIED, C_EVENT_INDEX, C_EVENTS, C_OPTIONS, MESSAGE_ROOM, option, PAUSED, T_FLAGS, T_ID, T_ID_LENGTH, T_STATE } from "../layout";
import { aboutMessage, aboutRoute, aboutSequence, reserveOutput } from "../output";
import { findStream } from "../streams";
import { reserveToken } from "../transcode/emit";
import { holdsHalves } from "../transcode/halves";
import { relayCanonical } from "../transcode/relay";
import { nextBegin, textBegin } from "./edges";
import { digits, idEnd, MOST_DIGITS, number } from "./trie";
import { passesOn, wireOf } from "../roads";

/** Events that were folded here. */
export let quickSets: u32 = 0;

/** Levels of a message: the event, its block, and those that the model has more. */
const LEAST_DEPTH: u32 = 4;

/** Whether a connection's options let such events be folded here: nobody wants the events themselves, and numbers of ordinary length are no fault. */
export function allowsSets(c: usize): bool {
  return !(<u32>load<u8>(c + C_OPTIONS, OPT_FLAGS) & FLAG_REPORT_EVENTS) && !passesOn(c)
    && option(c, OPT_NUMBER_LENGTH) >= MOST_DIGITS && option(c, OPT_DEPTH) >= LEAST_DEPTH;
}

// What was read: the seq, ids of stream and block as canonical contents, the text of the value, the levels of the event.
let seq: f64 = 0;
let stream: usize = 0;
let streamLength: u32 = 0;
let block: usize = 0;
let blockLength: u32 = 0;
let value: usize = 0;
let valueLength: u32 = 0;
let depth: u32 = 0;

/** Folds the event at `p`, where the frame stands between two events: SSE as `data: {…}` and a blank line, NDJSON as `{…}` and LF. The address behind it, or 0. */
export function foldSet(c: usize, p: usize, end: usize, sse: bool): usize {
  const start = textBegin(p, sse);
  if (!start || !begins(start) || !mayRelay(c, <u32>(end - start))) return 0;
  const q = readMembers(start + HEAD), next = nextBegin(c, start, q, end, sse);
  if (!next || !apply(c)) return 0;
  if (wireOf(c)) {
    aboutMessage(load<f64>(c, C_EVENT_INDEX), offsetOf(start));
    relay(c, start, q);
  }
  countApplied(c);
  add(c, C_EVENTS, 1);
  add(c, C_EVENT_INDEX, 1);
  return next;
}

/** Folds the event that is the whole text [p, end), made of a message that was counted, and that reports are about; whether it was done. */
export function foldCountedSet(c: usize, p: usize, end: usize): bool {
  if (!begins(p) || !mayRelay(c, <u32>(end - p)) || readMembers(p + HEAD) != end || !apply(c)) return false;
  if (wireOf(c)) relay(c, p, end);
  countApplied(c);
  return true;
}

/** Takes the mask [mask, end), plain characters, of a set that is not text; false: it is none, or asks for more than `foldTakenSet` does. */
export function takeMask(mask: usize, end: usize): bool { return parseMask(mask, end) && findNameEnds() && !isProtocolField(); }

/**
 * Folds the set of the mask that was taken last: its seq, the ids of its stream and block (plain characters), the canonical text [text, end) of its value, behind
 * which the sentinel stands. Whether it was done.
 */
export function foldTakenSet(c: usize, place: f64, streamId: usize, streamIdLength: u32, blockId: usize, blockIdLength: u32, text: usize, end: usize): bool {
  depth = maskSegments + 1;
  if (ordinaryEnd(text, depth, maxNumber, true) != end) return false;
  depth = max<u32>(depth, valueDepth);
  seq = place;
  stream = streamId;
  streamLength = streamIdLength;
  block = blockId;
  blockLength = blockIdLength;
  value = text;
  valueLength = <u32>(end - text);
  if (!apply(c)) return false;
  countApplied(c);
  add(c, C_EVENTS, 1);
  add(c, C_EVENT_INDEX, 1);
  return true;
}

// {"op":"set",
@inline function begins(p: usize): bool { return load<u64>(p) == 0x73223a22706f227b && load<u32>(p, 8) == 0x2c227465; }
const HEAD: usize = 12;

@inline function countApplied(c: usize): void {
  quickSets++;
  add(c, C_APPLIED, 1);
}

// Whether the event may go out where it does: there is room for it, and no half of a character is held that it might end.
@inline function mayRelay(c: usize, n: u32): bool { return !wireOf(c) || (!holdsHalves(c) && reserveOutput(0) && reserveToken(wireOf(c), n)); }

// Writes the applied event [p, end), which is canonical.
function relay(c: usize, p: usize, end: usize): void {
  const t = findStream(c, stream, streamLength);
  aboutRoute(t + T_ID, load<u32>(t, T_ID_LENGTH));
  aboutSequence(seq);
  relayCanonical(c, p, end);
}

const HAS_SEQ: u32 = 1, HAS_MASK: u32 = 2, HAS_SLOT: u32 = 4, HAS_STREAM: u32 = 8, HAS_TIME: u32 = 16, HAS_TYPE: u32 = 32;

// From behind the op to behind the event's brace; 0: it is not of that form.
function readMembers(p: usize): usize {
  let seen: u32 = 0;
  stream = 0;
  streamLength = 0;
  while (true) {
    const word = load<u64>(p);
    let member: u32;
    if ((word & 0xffffffffffff) == 0x3a2271657322) {
      member = HAS_SEQ;
      p = digits(p + 6);
      seq = number;
    } else if (word == 0x223a226b73616d22) {
      member = HAS_MASK;
      const mask = p + 8;
      p = idEnd(mask);
      if (!p || !parseMask(mask, p++) || !findNameEnds() || isProtocolField()) return 0;
    } else if (word == 0x3a226b636f6c6222 || word == 0x7b3a226174656d22) {
      member = HAS_SLOT;
      const isMeta = word == 0x7b3a226174656d22;
      if (!(seen & HAS_MASK) || isMeta != (maskRoot == ROOT_META)) return 0;
      p = isMeta ? readNest(p + 8) : load<u8>(p, 8) == 0x7b ? readBlock(p + 9) : 0;
    } else if (word == 0x5f6d616572747322 && load<u64>(p, 5) == 0x223a2264695f6d61) {
      member = HAS_STREAM;
      stream = p + 13;
      p = idEnd(stream);
      if (!p) return 0;
      streamLength = <u32>(p++ - stream);
    } else if ((word & 0xffffffffff) == 0x3a22737422) {
      member = HAS_TIME;
      p = digits(p + 5);
    } else if (word == 0x745f746e65766522 && load<u64>(p, 6) == 0x223a22657079745f) {
      member = HAS_TYPE;
      p = idEnd(p + 14);
      if (!p++) return 0;
    } else return 0;
    if (!p || seen & member) return 0;
    seen |= member;
    const c = <u32>load<u8>(p++);
    if (c == 0x2c) continue;
    return c == 0x7d && (seen & (HAS_SEQ | HAS_MASK | HAS_SLOT)) == (HAS_SEQ | HAS_MASK | HAS_SLOT) ? p : 0;
  }
  return 0;
}

// Where the names of the mask end; masks of more names are not ordinary.
const MOST_NAMES: u32 = 8;
const nameEnds: usize = memory.data(8 * 4, 4);

/** Where name `i` of the mask ends. */
@inline export function nameEnd(i: u32): usize { return <usize>load<u32>(nameEnds + (i << 2)); }

function findNameEnds(): bool {
  if (maskSegments > MOST_NAMES) return false;
  let segment = maskPath;
  for (let i: u32 = 0; i < maskSegments; i++) {
    const stop = segmentEnd(segment);
    store<u32>(nameEnds + (i << 2), <u32>stop);
    segment = stop + 1;
  }
  return true;
}

@inline function firstLength(): u32 { return <u32>(nameEnd(0) - maskPath); }

// Whether the protocol asks something of the field that the mask begins with, or lets nobody patch it.
function isProtocolField(): bool {
  const n = firstLength();
  if (maskRoot == ROOT_META) {
    // what stands in an object leaves it one
    return is(n, name.NAME_ERROR, 5) || is(n, name.NAME_TASK_ID, 7) || is(n, name.NAME_TRACE_ID, 8) || (maskSegments == 1 && is(n, name.NAME_STATS, 5));
  }
  return n < 10 && (isProtectedMask() || is(n, name.NAME_TYPE, 4) || is(n, name.NAME_PARENT_ID, 9) || is(n, name.NAME_GROUP_ID, 8));
}

@inline function is(n: u32, key: usize, length: u32): bool { return n == length && equalBytes(maskPath, key, n); }

// From behind a block's brace to behind its end, or 0.
@inline function readBlock(p: usize): usize {
  // "id":"
  if ((load<u64>(p) & 0xffffffffffff) != 0x223a22646922) return 0;
  block = p + 6;
  p = idEnd(block);
  if (!p || p == block || load<u16>(p) != 0x2c22) return 0;
  blockLength = <u32>(p - block);
  return readNest(p + 2);
}

// From the first of the mask's names to behind the brace of the object that holds it, or 0.
function readNest(p: usize): usize {
  let segment = maskPath;
  depth = maskSegments + 1;
  for (let i: u32 = 0; i < maskSegments; i++) {
    if (i && load<u8>(p++) != 0x7b) return 0;
    const stop = nameEnd(i), n = <u32>(stop - segment);
    if (load<u8>(p) != 0x22 || !equalText(p + 1, segment, n) || load<u16>(p + 1 + n) != 0x3a22) return 0;
    p += n + 3;
    segment = stop + 1;
  }
  value = p;
  p = ordinaryEnd(p, depth, maxNumber, true);
  if (!p) return 0;
  depth = max<u32>(depth, valueDepth);
  valueLength = <u32>(p - value);
  for (let i = maskSegments; i > 0; i--) if (load<u8>(p++) != 0x7d) return 0;
  return p;
}

function apply(c: usize): bool {
  // a model nests one level more than an event, and may be nested one level less than a message
  if (depth + 2 > maxDepth) return false;
  const t = findStream(c, stream, streamLength);
  if (!t || load<u8>(t, T_FLAGS) & PAUSED) return false;
  const s = t + T_STATE, status = load<u8>(s, S_STATUS), flags = load<u8>(s, S_FLAGS);
  if (status == STATUS_NONE || status == STATUS_ENDED || status == STATUS_REFUSED || !(flags & SEQ_KNOWN)) return false;
  if (load<u8>(c + C_OPTIONS, OPT_SEQUENCE) != SEQUENCE_OFF && seq != load<f64>(s, S_SEQ) + 1) return false;
  const b: usize = maskRoot == ROOT_META ? 0 : findBlock(s, block, blockLength);
  if ((maskRoot != ROOT_META && (!b || load<u32>(b, B_FLAGS) & IS_REFERENCE)) || !reserve(MESSAGE_ROOM)) return false;
  const account = setAccount(t), done = replace(s, b);
  setAccount(account);
  if (!done) return false;
  store<f64>(s, seq, S_SEQ);
  if (flags & IN_BURST) store<u8>(s, flags & ~IN_BURST, S_FLAGS);
  store<f64>(s, load<f64>(s, S_APPLIED) + 1, S_APPLIED);
  return true;
}

// Puts the value in the place of what is there: in block `b`, or in meta (0).
function replace(s: usize, b: usize): bool {
  const d = documentOwn(b ? b + B_DOCUMENT : s + S_META);
  if (!d) return false;
  const before = documentSize(d), done = replaceIn(s, d);
  // repeated members that were come upon stay resolved
  noteSize(s, d, before);
  if (!done) return false;
  if (b) notePatch(s, b, maskPath, firstLength());
  nextVersion(s + S_LOG);
  noteChange(s, b ? CHANGE_FIELD : CHANGE_META, b, maskPath, <u32>(maskEnd - maskPath));
  return true;
}

function replaceIn(s: usize, d: usize): bool {
  const before = documentSize(d);
  let slot = rootSlot(d), segment = maskPath, node: usize = 0;
  for (let i: u32 = 0; i < maskSegments; i++) {
    const stop = nameEnd(i);
    node = expandSlot(d, slot);
    if (!node || kindOf(node) != OBJECT) return false;
    const entry = findUsual(node, segment, <u32>(stop - segment));
    if (!entry) return false;
    slot = entry + 8;
    segment = stop + 1;
  }
  const after = documentSize(d) + valueLength - slotSize(slot);
  if (after > before && <u64>load<u32>(s, S_SIZE) + (after - before) > <u64>maxModel) return false;
  return replaceNow(d, node, slot, value, valueLength);
}
