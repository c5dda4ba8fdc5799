// The compatibility boundary (docs/semantics-agui.md §2): retired events and parts are translated, old nulls and what the peer cannot
// mean are removed. It runs only where the strict walk has found something; what needs nothing stays as it came.
import * as ag from "../../abi/agui";
import * as code from "../../abi/codes";
import { stringEnd } from "../../text/scan";
import { skipTrusted } from "../../text/trusted";
import { fail, faultReceived, pathCut, pathIndex, pathLength, pathName, pathReset, pathStart } from "../fault";
import { SCRATCH_BOUNDARY } from "../scratch";
import { eventText, eventTextEnd, setWireType, slotsPresent, slotStart, wireType } from "./event";
import { REASONING, REASONING_LENGTH } from "./fragments";
import { beginList, isThere, putTranslated, readRetired } from "./parts";
import {
  beginText, dropRecords, finishText, lacksMemory, noteLack, putByte, putComma, putKey, putMember, putText, readMembers, RECORD, recordEnd, recordKey,
  recordKeyLength, recordName, recordNamed, recordsEnd, recordStart, textSize,
} from "./rewrite";
import {
  checkValue, describedOf, discriminatorOf, findNamed, isLegacyShape, isLegacyUnion, kindAt, memberAt, memberName, memberNameLength, placeOf, ruleArgument, ruleKind, ruleOf,
  takesLegacyNull, typeId, typeName, typeNameLength, variantOf,
} from "./schema";
import {
  REPLACED_BY, RETIRED_THINKING_END, RETIRED_THINKING_START, RETIRED_THINKING_TEXT_MESSAGE_END, RETIRED_THINKING_TEXT_MESSAGE_START, RULE_LIST,
  RULE_OBJECT, RULE_TEXT_OR_LIST, RULE_UNION, SHAPE_RUN_FINISHED_INTERRUPT_OUTCOME, SHAPE_USER_MESSAGE, UNION_CONTENT_PART, UNION_MESSAGE,
  UNION_RUN_FINISHED_OUTCOME,
} from "./schema-table.generated";
import { runIdLength, runIdStart } from "./run";
import { A_TRACK } from "./state";
import { T_MINTED, T_MINTED_MESSAGE, T_MINTED_SPAN } from "./track-layout";
import { addWarning, clearWarnings } from "./warnings";

/** The event passes; it may have been changed. */
export const PASSES: u32 = 0;
/** The event is dropped with a warning. */
export const DROPPED: u32 = 1;
/** The event is malformed: its type. */
export const MALFORMED: u32 = 2;

/** Bytes of a run's id as JSON that ids are made of: an event of 40 bytes, which names none, must not become one of megabytes. */
const LONGEST_RUN_ID: u32 = 4096;

/** The text behind the boundary. */
export let passedText: usize = 0;
export let passedEnd: usize = 0;
/** The event's type as it came: canonical string contents. */
export let typeStart: usize = 0;
export let typeSize: u32 = 0;

let withoutSubagents: bool = false;
let translatesParts: bool = false;
let isChanged: bool = false;

const TITLE: usize = memory.data<u8>([0x74, 0x69, 0x74, 0x6c, 0x65, 0, 0, 0]);
// "thinking-
const THINKING: usize = memory.data<u8>([0x22, 0x74, 0x68, 0x69, 0x6e, 0x6b, 0x69, 0x6e, 0x67, 0x2d, 0, 0, 0, 0, 0, 0]);
const DIGITS: usize = memory.data(16, 16);

// What the track says of minted ids, while the event is under way.
let minted: u32 = 0;
let mintedSpan: u32 = 0;
let mintedMessage: u32 = 0;
let hasMinted: bool = false;

/** Whether the peer knows no subagents. */
export function setWithoutSubagents(value: bool): void { withoutSubagents = value; }

/** The event is not refused: what it has minted, opened and closed stands. */
export function commitMinted(s: usize): void {
  if (!hasMinted) return;
  hasMinted = false;
  const t = s + A_TRACK;
  store<u32>(t, minted, T_MINTED);
  store<u32>(t, mintedSpan, T_MINTED_SPAN);
  store<u32>(t, mintedMessage, T_MINTED_MESSAGE);
}

/** Forgets what an event before has minted and was refused with. */
export function forgetMinted(): void { hasMinted = false; }

function warn(id: u32, subject: usize, n: u32): void {
  if (!addWarning(id, wireType, pathStart(), pathLength(), subject, n)) noteLack();
}

/** Reads the type of the canonical event into `typeStart`, `typeSize`; false with a fault where it is missing, no string or empty. */
export function readType(): bool {
  pathReset();
  pathName(memberName(ag.F_TYPE), memberNameLength(ag.F_TYPE));
  setWireType(0);
  const type = findNamed(eventText, ag.F_TYPE);
  if (!type) return fail(code.E_BAD_EVENT, code.R_MISSING);
  if (load<u8>(type) != 0x22) {
    faultReceived(kindAt(type));
    return fail(code.E_BAD_EVENT, code.R_X_STRING);
  }
  typeStart = type + 1;
  typeSize = <u32>(stringEnd(typeStart) - typeStart);
  return typeSize != 0 || fail(code.E_BAD_EVENT, code.R_NON_EMPTY_STRING);
}

/** Takes the canonical event through the boundary: PASSES, DROPPED or MALFORMED; `lacksMemory` tells when memory has run out. Sets `wireType`. */
export function crossBoundary(s: usize): u32 {
  passedText = eventText;
  passedEnd = eventTextEnd;
  beginText(SCRATCH_BOUNDARY);
  if (!readType()) return MALFORMED;
  const id = typeId(typeStart, typeSize);
  const retired = id >= <u32>ag.AG_COUNT ? id : 0;
  setWireType(retired ? <u32>load<u8>(REPLACED_BY + (retired - ag.AG_COUNT)) : id);
  if (!id && !withoutSubagents) return PASSES;
  if (withoutSubagents && id >= <u32>ag.AG_SUBAGENT_STARTED && id <= <u32>ag.AG_SUBAGENT_ERROR) {
    warn(code.W_DOWNGRADED, typeStart, typeSize);
    return DROPPED;
  }
  if (retired && runIdLength(s) > LONGEST_RUN_ID) return fail(code.E_LIMIT, code.R_LIMIT_RUN_ID) ? PASSES : MALFORMED;
  if (retired) warn(code.W_LEGACY_EVENT, typeStart, typeSize);
  isChanged = retired != 0;
  translatesParts = id == ag.AG_MESSAGES_SNAPSHOT || id == ag.AG_RUN_STARTED;
  pathReset();
  if (retired) translate(s, retired);
  else if (withoutSubagents || mayBeOld()) passObject(eventText, wireType);
  if (!isChanged || lacksMemory) return PASSES;
  passedText = finishText();
  passedEnd = passedText + <usize>textSize();
  return PASSES;
}

/**
 * Takes what an application hands over, the canonical object at `p` of a shape, through the boundary without a word: listed nulls and retired
 * parts. The text, good until the next event; 0 = out of memory.
 */
export function passQuietly(p: usize, shape: u32): usize {
  const kept = withoutSubagents;
  withoutSubagents = false;
  translatesParts = true;
  beginText(SCRATCH_BOUNDARY);
  pathReset();
  passObject(p, shape);
  withoutSubagents = kept;
  clearWarnings();
  const text = finishText();
  return lacksMemory ? 0 : text;
}

// Whether a member of the event is an old null or may hold something old.
function mayBeOld(): bool {
  for (let rest = slotsPresent & describedOf(wireType); rest; rest &= rest - 1) {
    const f = <u32>ctz<u64>(rest), member = memberAt(wireType, placeOf(wireType, f) - 1), first = <u32>load<u8>(slotStart(f));
    if (first == 0x6e ? takesLegacyNull(member) : (first | 0x20) == 0x7b && looksInto(ruleOf(member))) return true;
  }
  return false;
}

// ---------------------------------------------------------------- old nulls, old parts, tags

// Puts the object at p, a value of that shape, as the boundary lets it pass.
function passObject(p: usize, shape: u32): void {
  const base = recordsEnd();
  readMembers(p);
  putByte(0x7b);
  for (let at = base, end = recordsEnd(); at < end; at += RECORD) if (recordKey(at)) passMember(at, shape);
  putByte(0x7d);
  dropRecords(base);
}

function passMember(at: u32, shape: u32): void {
  const name = recordName(at), start = recordStart(at), place = placeOf(shape, name);
  // a tag goes from every event, also from those that have none
  if (withoutSubagents && name == ag.F_SUBAGENT_RUN_ID && (place || shape < <u32>ag.AG_COUNT)) { isChanged = true; return; }
  if (!place) { putMember(at); return; }
  const member = memberAt(shape, place - 1), kept = pathLength();
  if (takesLegacyNull(member) && load<u8>(start) == 0x6e) {
    isChanged = true;
    pathName(recordKey(at), recordKeyLength(at));
    warn(code.W_LEGACY_NULL, 0, 0);
    pathCut(kept);
    return;
  }
  if (!looksInto(ruleOf(member))) { putMember(at); return; }
  pathName(recordKey(at), recordKeyLength(at));
  putKey(recordKey(at), recordKeyLength(at));
  passValue(start, recordEnd(at), ruleOf(member));
  pathCut(kept);
}

// Whether values of the rule may hold something for the boundary.
function looksInto(rule: u32): bool {
  switch (ruleKind(rule)) {
    case RULE_OBJECT: return isLegacyShape(ruleArgument(rule));
    case RULE_UNION: return isLegacyUnion(ruleArgument(rule));
    case RULE_LIST: case RULE_TEXT_OR_LIST: return looksInto(ruleArgument(rule));
    default: return false;
  }
}

function passValue(p: usize, end: usize, rule: u32): void {
  const first = <u32>load<u8>(p), kind = ruleKind(rule);
  // what is as described holds nothing old
  if (!withoutSubagents && checkValue(p, rule)) { putText(p, <u32>(end - p)); return; }
  if (first == 0x7b && (kind == RULE_OBJECT || kind == RULE_UNION)) {
    const shape = kind == RULE_OBJECT ? ruleArgument(rule) : shapeIn(p, ruleArgument(rule));
    if (shape && isLegacyShape(shape)) { passObject(p, shape); return; }
  } else if (first == 0x5b && (kind == RULE_LIST || kind == RULE_TEXT_OR_LIST)) { passList(p, ruleArgument(rule)); return; }
  putText(p, <u32>(end - p));
}

// Roles play no part here, nor do kinds of outcomes: of all messages a user's has the members that matter, of outcomes an interrupt.
function shapeIn(p: usize, union: u32): u32 {
  if (union == UNION_MESSAGE) return SHAPE_USER_MESSAGE;
  if (union == UNION_RUN_FINISHED_OUTCOME) return SHAPE_RUN_FINISHED_INTERRUPT_OUTCOME;
  const value = findNamed(p, discriminatorOf(union));
  return value && load<u8>(value) == 0x22 ? variantOf(union, value + 1, <u32>(stringEnd(value + 1) - value) - 1) : 0;
}

function passList(list: usize, element: u32): void {
  const isParts = translatesParts && ruleKind(element) == RULE_UNION && ruleArgument(element) == UNION_CONTENT_PART, kept = pathLength();
  let p = list + 1, i: u32 = 0;
  beginList();
  putByte(0x5b);
  if (load<u8>(p) != 0x5d) while (true) {
    const end = skipTrusted(p);
    pathIndex(i++);
    if (isParts && load<u8>(p) == 0x7b && readRetired(p)) {
      isChanged = true;
      warn(code.W_LEGACY_PART, 0, 0);
      if (!isThere(list)) putTranslated();
    } else {
      putComma();
      passValue(p, end, element);
    }
    pathCut(kept);
    if (load<u8>(end) == 0x5d) break;
    p = end + 1;
  }
  putByte(0x5d);
}

// ---------------------------------------------------------------- retired events

function translate(s: usize, retired: u32): void {
  const opensMessage = retired == RETIRED_THINKING_TEXT_MESSAGE_START;
  const number = mint(s, retired), base = recordsEnd();
  readMembers(eventText);
  putByte(0x7b);
  for (let at = base, end = recordsEnd(); at < end; at += RECORD) {
    const key = recordKey(at), n = recordKeyLength(at), name = recordName(at);
    if (!key) continue;
    if (name == ag.F_TYPE) {
      putKey(key, n);
      putByte(0x22);
      putText(typeName(wireType), typeNameLength(wireType));
      putByte(0x22);
    } else if (name == ag.F_MESSAGE_ID) {
      putKey(key, n);
      putMinted(s, number);
    } else if (name == ag.F_ROLE && opensMessage) {
      putKey(key, n);
      putText(REASONING, REASONING_LENGTH);
    } else if (retired == RETIRED_THINKING_START && n == 5 && load<u32>(key) == load<u32>(TITLE) && load<u8>(key, 4) == load<u8>(TITLE, 4)) {
      pathName(key, n);
      warn(code.W_LEGACY_DROPPED, 0, 0);
      pathReset();
    } else passMember(at, wireType);
  }
  if (recordNamed(base, ag.F_MESSAGE_ID) == NONE) {
    putName(ag.F_MESSAGE_ID);
    putMinted(s, number);
  }
  if (opensMessage && recordNamed(base, ag.F_ROLE) == NONE) {
    putName(ag.F_ROLE);
    putText(REASONING, REASONING_LENGTH);
  }
  putByte(0x7d);
  dropRecords(base);
}

const NONE: u32 = 0xffffffff;

function putName(name: u32): void {
  putComma();
  putByte(0x22);
  putText(memberName(name), memberNameLength(name));
  putByte(0x22);
  putByte(0x3a);
}

// The number of the id that the event bears: a fresh one for START and where none is open.
function mint(s: usize, retired: u32): u32 {
  const t = s + A_TRACK, isSpan = retired == RETIRED_THINKING_START || retired == RETIRED_THINKING_END;
  minted = load<u32>(t, T_MINTED);
  mintedSpan = load<u32>(t, T_MINTED_SPAN);
  mintedMessage = load<u32>(t, T_MINTED_MESSAGE);
  hasMinted = true;
  const starts = retired == RETIRED_THINKING_START || retired == RETIRED_THINKING_TEXT_MESSAGE_START;
  const ends = retired == RETIRED_THINKING_END || retired == RETIRED_THINKING_TEXT_MESSAGE_END;
  let number = isSpan ? mintedSpan : mintedMessage;
  if (starts || !number) number = ++minted;
  const open = ends ? 0 : starts ? number : isSpan ? mintedSpan : mintedMessage;
  if (isSpan) mintedSpan = open; else mintedMessage = open;
  return number;
}

// "thinking-<runId>-<n>"
function putMinted(s: usize, number: u32): void {
  putText(THINKING, 10);
  putText(runIdStart(s), runIdLength(s));
  putByte(0x2d);
  let d = DIGITS + 11, n: u32 = 0;
  do {
    store<u8>(--d, <u8>(48 + number % 10));
    n++;
    number /= 10;
  } while (number);
  putText(d, n);
  putByte(0x22);
}
