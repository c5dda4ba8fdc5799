// Enforcement of the event model (docs/semantics-agui.md §4). An event that is exactly what the table describes passes where it lies, judged
// by a few masks; any other goes through the boundary and is then written anew without what the protocol does not know.
import * as ag from "../../abi/agui";
import * as code from "../../abi/codes";
import { AGUI_NO_SUBAGENTS, AGUI_STRIP_ENUMS } from "../../abi/layout";
import { PATCH_MALFORMED, PATCH_OK, patchJudge, patchRead } from "../../patch/index";
import { stringEnd } from "../../text/scan";
import { skipTrusted } from "../../text/trusted";
import { clearFault, fail, faultReceived, faultSubject, faultType, pathCut, pathIndex, pathLength, pathName, pathReset, pathStart } from "../fault";
import { SCRATCH_ENFORCED } from "../scratch";
import {
  eventIsIrregular, eventText, noteEvent, setWireType, slotEnd, slotsPresent, slotStart, slotsWithStrings, wireType,
} from "./event";
import {
  commitMinted, crossBoundary, DROPPED, forgetMinted, MALFORMED, passedEnd, passedText, readType, setWithoutSubagents, typeSize, typeStart,
} from "./legacy";
import {
  beginText, cutText, dropRecords, finishText, lacksMemory, noteLack, putByte, putComma, putKey, putMember, putText, readMembers, RECORD, recordEnd,
  recordKey, recordKeyLength, recordName, recordsEnd, recordStart, textSize,
} from "./rewrite";
import {
  checkValue, describedOf, discriminatorOf, findNamed, isAllowedText, isCount, isListed, isOpen, isTimestamp, kindAt, mayGo, memberAt, memberName,
  memberNameLength, nameOf, placeOf, placesOf, isRequired, requiredOf, requiredPlaces, ruleArgument, ruleKind, ruleOf, stringsOf, textLength,
  textStart, typeId, variantOf,
} from "./schema";
import {
  RULE_ANY, RULE_BOOLEAN, RULE_CONST, RULE_COUNT, RULE_ENUM, RULE_LIST, RULE_NON_NULL, RULE_OBJECT, RULE_OPEN_OBJECT, RULE_POINTER, RULE_STRING,
  RULE_TEXT_OR_LIST, RULE_TIMESTAMP, RULE_UNION, UNION_JSON_PATCH_OPERATION,
} from "./schema-table.generated";
import { addWarning, clearWarnings } from "./warnings";

/** The event is malformed: the fault says how. */
export const EVENT_REFUSED: u32 = 0;
/** The event goes on: `wireType`, its slots and `eventText` are those of the enforced event. */
export const EVENT_OK: u32 = 1;
/** The event is dropped with a warning. */
export const EVENT_DROPPED: u32 = 2;
/** The event goes to the host's middleware: `eventText` is what the boundary has let pass, its warnings are kept. */
export const EVENT_HELD: u32 = 3;
/** Memory is exhausted; nothing has happened. */
export const EVENT_NO_MEMORY: u32 = 4;

/** Bit of `heldTypes` for types that the protocol does not have. */
const UNKNOWN_TYPES: u64 = 63;
const NO_LIMIT: u32 = 0xffffffff;

/** `AGUI_` flags of the connection whose events are read next. */
export let aguiFlags: u32 = 0;
let heldTypes: u64 = 0;

/** Takes over the options of a connection: `AGUI_` flags, and OPT_HELD_TYPES. */
export function setAguiOptions(flags: u32, held: u64): void {
  aguiFlags = flags;
  heldTypes = held;
  setWithoutSubagents((flags & AGUI_NO_SUBAGENTS) != 0);
}

/**
 * Takes the event that `readEvent` has read and `canonicalEvent` has made canonical through boundary and enforcement. Warnings are kept
 * (warnings.ts); those of an event that is refused are forgotten. `s`: the state of the connection. `commitMinted(s)` has to follow when
 * the event is accepted in the end.
 */
export function enforceEvent(s: usize): u32 {
  clearWarnings();
  forgetMinted();
  clearFault();
  const type = cleanType();
  if (type && !(heldTypes >> <u64>type & 1) && !(aguiFlags & AGUI_NO_SUBAGENTS && mayNameSubagents(type))) {
    const verdict = passClean(type);
    if (verdict) return verdict;
  }
  const verdict = crossBoundary(s);
  if (lacksMemory) return EVENT_NO_MEMORY;
  if (verdict == MALFORMED) return refuse();
  if (verdict == DROPPED) return EVENT_DROPPED;
  if (passedText != eventText) noteEvent(passedText, passedEnd);
  if (heldTypes >> (wireType ? <u64>wireType : UNKNOWN_TYPES) & 1) {
    commitMinted(s);
    clearFault();
    return EVENT_HELD;
  }
  return enforceType();
}

/** As `enforceEvent` for an event that comes from middleware, read and made canonical likewise: no boundary, never EVENT_HELD. */
export function enforceHeld(): u32 {
  clearWarnings();
  forgetMinted();
  clearFault();
  const clean = cleanType();
  if (clean) {
    const verdict = passClean(clean);
    if (verdict) return verdict;
  }
  if (!readType()) return refuse();
  const type = typeId(typeStart, typeSize);
  setWireType(type < <u32>ag.AG_COUNT ? type : 0);
  return enforceType();
}

// Whether the event speaks of subagents, or may do so within.
function mayNameSubagents(type: u32): bool {
  return (slotsPresent >> <u64>ag.F_SUBAGENT_RUN_ID & 1) != 0 || type == ag.AG_MESSAGES_SNAPSHOT || type == ag.AG_RUN_STARTED || type == ag.AG_RUN_FINISHED;
}

function refuse(): u32 {
  clearWarnings();
  faultType(wireType);
  return EVENT_REFUSED;
}

// ---------------------------------------------------------------- events that are exactly what the table describes

/** `AG_` id of the event that was read, whose members are known ones, each once; 0 = it has to be looked at closely. */
export function cleanType(): u32 {
  if (eventIsIrregular || !(slotsWithStrings >> <u64>ag.F_TYPE & 1)) return 0;
  const start = slotStart(ag.F_TYPE) + 1, id = typeId(start, <u32>(slotEnd(ag.F_TYPE) - start) - 1);
  return id < <u32>ag.AG_COUNT ? id : 0;
}

/** Whether that event, of that type, is as the table describes: EVENT_OK or EVENT_NO_MEMORY, 0 = something about it is not. */
export function passClean(type: u32): u32 {
  const present = slotsPresent, strings = stringsOf(type);
  if (present & ~describedOf(type) || requiredOf(type) & ~present || present & strings & ~slotsWithStrings) return 0;
  for (let rest = present & ~strings; rest; rest &= rest - 1) {
    const f = <u32>ctz<u64>(rest);
    if (!isCleanSlot(slotStart(f), slotEnd(f), ruleOf(memberAt(type, placeOf(type, f) - 1)))) return 0;
  }
  setWireType(type);
  if (type != ag.AG_STATE_DELTA && type != ag.AG_ACTIVITY_DELTA) return EVENT_OK;
  return readPatch();
}

// What needs no walk is told by the span; patches are judged when they have been read.
function isCleanSlot(start: usize, end: usize, rule: u32): bool {
  const first = <u32>load<u8>(start);
  switch (ruleKind(rule)) {
    case RULE_ANY: return true;
    case RULE_NON_NULL: return first != 0x6e;
    case RULE_OPEN_OBJECT: return first == 0x7b;
    case RULE_BOOLEAN: return first == 0x74 || first == 0x66;
    case RULE_TIMESTAMP: return isTimestamp(start, <u32>(end - start));
    case RULE_TEXT_OR_LIST: return first == 0x22 || checkValue(start, rule) != 0;
    case RULE_LIST: if (isPatch(rule)) return true;
    default: return checkValue(start, rule) != 0;
  }
}

@inline function isPatch(rule: u32): bool {
  const element = ruleArgument(rule);
  return ruleKind(element) == RULE_UNION && ruleArgument(element) == UNION_JSON_PATCH_OPERATION;
}

// The patch of a delta as operations: EVENT_OK, EVENT_NO_MEMORY, 0 = it is not well-formed.
function readPatch(): u32 {
  const status = patchRead(slotStart(wireType == ag.AG_STATE_DELTA ? ag.F_DELTA : ag.F_PATCH), NO_LIMIT);
  if (status == PATCH_MALFORMED) return 0;
  if (status != PATCH_OK) return EVENT_NO_MEMORY;
  return patchJudge() == PATCH_OK ? EVENT_OK : 0;
}

// ---------------------------------------------------------------- events that are not

// Enforces the event of the type `wireType`.
function enforceType(): u32 {
  if (!wireType) {
    pathReset();
    pathName(memberName(ag.F_TYPE), memberNameLength(ag.F_TYPE));
    const kept = addWarning(code.W_UNKNOWN_EVENT, 0, pathStart(), pathLength(), typeStart, typeSize);
    clearFault();
    return kept ? EVENT_DROPPED : EVENT_NO_MEMORY;
  }
  // the boundary may have left nothing to do
  if (!eventIsIrregular) {
    const verdict = passClean(wireType);
    if (verdict) return verdict;
  }
  beginText(SCRATCH_ENFORCED);
  pathReset();
  const verdict = keepObject(eventText, wireType, requiredPlaces(wireType));
  if (lacksMemory) return EVENT_NO_MEMORY;
  if (verdict == FAULT) return refuse();
  if (verdict == GONE) {
    pathName(memberName(goneName), memberNameLength(goneName));
    warn(goneCode);
    clearFault();
    return lacksMemory ? EVENT_NO_MEMORY : EVENT_DROPPED;
  }
  clearFault();
  const text = finishText();
  if (lacksMemory) return EVENT_NO_MEMORY;
  noteEvent(text, text + <usize>textSize());
  return wireType == ag.AG_STATE_DELTA || wireType == ag.AG_ACTIVITY_DELTA ? readPatch() : EVENT_OK;
}

const KEPT: u32 = 0;
/** The value has to go; the warning is `goneCode`. */
const GONE: u32 = 1;
const FAULT: u32 = 2;

let goneCode: u32 = 0;
// member of the event that makes the whole of it go
let goneName: u32 = 0;

function warn(id: u32): void {
  if (!addWarning(id, wireType, pathStart(), pathLength(), 0, 0)) noteLack();
}

function malformed(reason: u32): u32 {
  fail(code.E_BAD_EVENT, reason);
  return FAULT;
}

// The value at p came instead of what the reason says.
function wrong(reason: u32, p: usize): u32 {
  faultReceived(kindAt(p));
  return malformed(reason);
}

// Puts the object at p, of that shape, without what the table does not have.
function keepObject(p: usize, shape: u32, required: u32): u32 {
  const base = recordsEnd();
  readMembers(p);
  if (mayGo(shape) && goes(p, shape)) { dropRecords(base); return GONE; }
  putByte(0x7b);
  let seen: u32 = 0;
  for (let at = base, end = recordsEnd(); at < end; at += RECORD) {
    const key = recordKey(at), n = recordKeyLength(at), place = placeOf(shape, recordName(at));
    if (!key) continue;
    if (!place && isOpen(shape)) { putMember(at); continue; }
    const path = pathLength();
    pathName(key, n);
    if (place) {
      seen |= 1 << (place - 1);
      const size = textSize();
      putKey(key, n);
      const verdict = keepValue(recordStart(at), recordEnd(at), ruleOf(memberAt(shape, place - 1)));
      if (verdict == FAULT) return FAULT;
      if (verdict == GONE) {
        cutText(size);
        warn(goneCode);
      }
    } else warn(code.W_UNKNOWN_PROPERTY);
    pathCut(path);
  }
  const missing = required & ~seen;
  if (missing && !lacksMemory) {
    const name = nameOf(memberAt(shape, ctz(missing)));
    pathName(memberName(name), memberNameLength(name));
    return malformed(code.R_MISSING);
  }
  putByte(0x7d);
  dropRecords(base);
  return KEPT;
}

function keepValue(p: usize, end: usize, rule: u32): u32 {
  const first = <u32>load<u8>(p), n = <u32>(end - p);
  switch (ruleKind(rule)) {
    case RULE_ANY: break;
    case RULE_STRING:
      if (first != 0x22) return wrong(code.R_X_STRING, p);
      break;
    case RULE_NON_NULL:
      if (first == 0x6e) return wrong(code.R_X_NOT_NULL, p);
      break;
    case RULE_OPEN_OBJECT:
      if (first != 0x7b) return wrong(code.R_X_OBJECT, p);
      break;
    case RULE_BOOLEAN:
      if (first != 0x74 && first != 0x66) return wrong(code.R_X_BOOLEAN, p);
      break;
    case RULE_TIMESTAMP:
      if (!isTimestamp(p, n)) return wrong(code.R_X_INTEGER, p);
      break;
    case RULE_COUNT:
      if (!isCount(p, n)) return wrong(code.R_X_COUNT, p);
      break;
    case RULE_POINTER:
      if (first != 0x22) return wrong(code.R_X_STRING, p);
      if (!isAllowedText(rule, p + 1, n - 2)) return malformed(code.R_POINTER);
      break;
    case RULE_CONST:
      if (first != 0x22 || !isAllowedText(rule, p + 1, n - 2)) {
        faultSubject(textStart(ruleArgument(rule)), textLength(ruleArgument(rule)));
        return wrong(code.R_X_CONST, p);
      }
      break;
    case RULE_ENUM:
      if (first != 0x22) return wrong(code.R_X_ENUM, p);
      if (!isAllowedText(rule, p + 1, n - 2)) {
        if (!(aguiFlags & AGUI_STRIP_ENUMS)) return wrong(code.R_X_ENUM, p);
        goneCode = code.W_UNKNOWN_ENUM;
        return GONE;
      }
      break;
    case RULE_OBJECT:
      if (first != 0x7b) return wrong(code.R_X_OBJECT, p);
      if (!checkValue(p, rule)) return keepObject(p, ruleArgument(rule), requiredPlaces(ruleArgument(rule)));
      break;
    case RULE_UNION:
      if (first != 0x7b) return wrong(code.R_X_OBJECT, p);
      if (!checkValue(p, rule)) return keepVariant(p, ruleArgument(rule));
      break;
    case RULE_LIST:
      if (first != 0x5b) return wrong(code.R_X_ARRAY, p);
      if (!checkValue(p, rule)) return keepList(p, rule);
      break;
    case RULE_TEXT_OR_LIST:
      if (first == 0x5b && !checkValue(p, rule)) return keepList(p, rule);
      if (first != 0x22 && first != 0x5b) return wrong(code.R_X_TEXT_OR_LIST, p);
      break;
  }
  putText(p, n);
  return KEPT;
}

function keepVariant(p: usize, union: u32): u32 {
  const name = discriminatorOf(union), value = findNamed(p, name);
  if (value && load<u8>(value) == 0x22) {
    const shape = variantOf(union, value + 1, <u32>(stringEnd(value + 1) - value) - 1);
    if (shape) return keepObject(p, shape, requiredPlaces(shape));
    goneCode = code.W_UNKNOWN_VARIANT;
    return GONE;
  }
  pathName(memberName(name), memberNameLength(name));
  if (value) return wrong(code.R_X_STRING, value);
  return malformed(code.R_MISSING);
}

function keepList(p: usize, rule: u32): u32 {
  const element = ruleArgument(rule), path = pathLength();
  let i: u32 = 0;
  // an empty list that may be empty is as described
  if (load<u8>(++p) == 0x5d) return malformed(code.R_X_NON_EMPTY);
  putByte(0x5b);
  while (true) {
    const end = skipTrusted(p), size = textSize();
    pathIndex(i++);
    putComma();
    const verdict = keepValue(p, end, element);
    if (verdict == FAULT) return FAULT;
    if (verdict == GONE) {
      cutText(size);
      warn(goneCode);
    }
    pathCut(path);
    if (load<u8>(end) == 0x5d) break;
    p = end + 1;
  }
  putByte(0x5d);
  return KEPT;
}

// ---------------------------------------------------------------- what has to go

// Whether the object at p, of that shape, has to go because a required member of it does. Settled before anything in it is judged.
function goes(p: usize, shape: u32): bool {
  for (let place: u32 = 0, count = placesOf(shape); place < count; place++) {
    const member = memberAt(shape, place);
    if (!isRequired(member) || !canGo(ruleOf(member))) continue;
    const value = findNamed(p, nameOf(member));
    if (value && valueGoes(value, ruleOf(member))) { goneName = nameOf(member); return true; }
  }
  return false;
}

function canGo(rule: u32): bool {
  const kind = ruleKind(rule);
  return kind == RULE_UNION || kind == RULE_ENUM || (kind == RULE_OBJECT && mayGo(ruleArgument(rule)));
}

function valueGoes(p: usize, rule: u32): bool {
  const first = <u32>load<u8>(p), argument = ruleArgument(rule);
  switch (ruleKind(rule)) {
    case RULE_ENUM:
      if (first != 0x22 || !(aguiFlags & AGUI_STRIP_ENUMS) || isListed(argument, p + 1, <u32>(stringEnd(p + 1) - p) - 1)) return false;
      goneCode = code.W_UNKNOWN_ENUM;
      return true;
    case RULE_OBJECT: return first == 0x7b && goes(p, argument);
    default: {
      if (first != 0x7b) return false;
      const value = findNamed(p, discriminatorOf(argument));
      if (!value || load<u8>(value) != 0x22) return false;
      const shape = variantOf(argument, value + 1, <u32>(stringEnd(value + 1) - value) - 1);
      if (shape) return mayGo(shape) && goes(p, shape);
      goneCode = code.W_UNKNOWN_VARIANT;
      return true;
    }
  }
}

// ---------------------------------------------------------------- values outside of events

/** The value that `enforceShape` has enforced. */
export let enforcedText: usize = 0;

/**
 * Enforces the canonical value at `p` as an object of a shape, such as SHAPE_RUN_AGENT_INPUT; `isPartial`: none of its members is missed.
 * EVENT_OK: what is left of it is `enforcedText`, good until the next event, and warnings are forgotten; EVENT_REFUSED: the fault is a
 * `bad_event` with a path into it; EVENT_NO_MEMORY.
 */
export function enforceShape(shape: u32, p: usize, isPartial: bool): u32 {
  clearFault();
  setWireType(0);
  beginText(SCRATCH_ENFORCED);
  pathReset();
  const verdict = load<u8>(p) == 0x7b ? keepObject(p, shape, isPartial ? 0 : requiredPlaces(shape)) : wrong(code.R_X_OBJECT, p);
  clearWarnings();
  enforcedText = finishText();
  if (lacksMemory) return EVENT_NO_MEMORY;
  return verdict == KEPT ? EVENT_OK : EVENT_REFUSED;
}
