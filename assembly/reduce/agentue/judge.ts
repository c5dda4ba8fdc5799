// Everything about an event that can be judged without the model's contents (docs/semantics.md §3, steps 3 to 7).
import * as code from "../../abi/codes";
import * as name from "../names";
import { checkBlock, checkError, checkModel } from "./check";
import {
  F_BLOCK, F_EVENT_TYPE, F_MASK, F_META, F_MODEL, F_OP, F_SEQ, F_STREAM_ID, F_TS, fieldEnd, fieldKind, fieldOrder, fieldStart,
  envelopeRewritten, escapedMembers, findBlockMember, integerOf, isFlatBlock, isString, K_ABSENT, K_ESCAPED, K_OBJECT, memberEnd, memberStart, opOf, unknownKey, unknownLength, unknownOrder,
} from "./envelope";
import { fail, failWhole, pathName, pathReset } from "../fault";
import { findMember, valueEnd, valueStart } from "../../codec/json/members";
import { isMetaError, isProtectedMask, maskEnd, maskPath, maskRoot, maskSegments, parseMask, ROOT_BLOCK, ROOT_META, segmentEnd } from "./mask";
import { pathOfMask } from "./patch";
import { S_FLAGS, S_SEQ, S_STATUS, SEQ_KNOWN } from "./state";

/** `OP_` id and seq of the event being judged. */
export let eventOp: u32 = 0;
export let eventSeq: f64 = 0;
/** The id of a field patch's block (canonical contents), and the value its mask selects. */
export let patchId: usize = 0;
export let patchIdLength: u32 = 0;
export let patchStart: usize = 0;
export let patchEnd: usize = 0;

let sequence: u32 = 0;

/** Numbers of more digits, and more nesting than that of event and block, are not learned: other limits may refuse them. */
export const TOKEN_DIGITS: u32 = 15;
export const TOKEN_DEPTH: u32 = 2;

/** Whether the event that was just applied, an append, is one whose like can be recognised by its bytes: clean text that appends a string. */
export function isTokenLike(): bool {
  return load<u8>(patchStart) == 0x22 && !envelopeRewritten && !escapedMembers && fieldKind(F_STREAM_ID) != K_ESCAPED
    && isFlatBlock(TOKEN_DIGITS) && <u32>(fieldEnd(F_SEQ) - fieldStart(F_SEQ)) <= TOKEN_DIGITS
    && (fieldKind(F_TS) == K_ABSENT || <u32>(fieldEnd(F_TS) - fieldStart(F_TS)) <= TOKEN_DIGITS);
}

/** `SEQUENCE_` mode of the connection whose events are judged next. */
export function setSequence(mode: u32): void { sequence = mode; }

function fieldName(f: u32): usize {
  switch (f) {
    case F_OP: return name.NAME_OP;
    case F_SEQ: return name.NAME_SEQ;
    case F_STREAM_ID: return name.NAME_STREAM_ID;
    case F_TS: return name.NAME_TS;
    case F_MASK: return name.NAME_MASK;
    case F_EVENT_TYPE: return name.NAME_EVENT_TYPE;
    case F_MODEL: return name.NAME_MODEL;
    case F_META: return name.NAME_META;
    default: return name.NAME_BLOCK;
  }
}

function fieldNameLength(f: u32): u32 {
  switch (f) {
    case F_OP: case F_TS: return 2;
    case F_SEQ: return 3;
    case F_MASK: case F_META: return 4;
    case F_MODEL: case F_BLOCK: return 5;
    case F_STREAM_ID: return 9;
    default: return 10;
  }
}

/** Fails at a member of the envelope. */
export function failField(f: u32, error: u32, reason: u32): bool {
  pathReset();
  pathName(fieldName(f), fieldNameLength(f));
  return fail(error, reason);
}

// ---------------------------------------------------------------- step 3: members of the envelope

let firstField: u32 = 0;
let firstOrder: u32 = 0;
let firstReason: u32 = 0;

@inline function consider(f: u32, good: bool, reason: u32): void {
  if (!good && fieldOrder(f) < firstOrder) {
    firstOrder = fieldOrder(f);
    firstField = f;
    firstReason = reason;
  }
}

@inline function isObjectOrAbsent(f: u32): bool { return fieldKind(f) == K_ABSENT || fieldKind(f) == K_OBJECT; }
@inline function isStringOrAbsent(f: u32): bool { return fieldKind(f) == K_ABSENT || isString(fieldKind(f)); }

function judgeMembers(): bool {
  eventOp = opOf();
  eventSeq = integerOf(F_SEQ);
  const tsGood = fieldKind(F_TS) == K_ABSENT || integerOf(F_TS) >= 0;
  if (eventOp && eventSeq >= 0 && tsGood && !unknownKey && isStringOrAbsent(F_MASK) && isStringOrAbsent(F_EVENT_TYPE)
    && isObjectOrAbsent(F_MODEL) && isObjectOrAbsent(F_META) && isObjectOrAbsent(F_BLOCK)) return true;
  firstOrder = unknownKey ? unknownOrder : ~0;
  firstField = ~0;
  const opIsText = isString(fieldKind(F_OP));
  if (fieldKind(F_OP) != K_ABSENT) consider(F_OP, eventOp != 0, code.R_STRING);
  if (fieldKind(F_SEQ) != K_ABSENT) consider(F_SEQ, eventSeq >= 0, code.R_INTEGER);
  consider(F_TS, tsGood, code.R_INTEGER);
  consider(F_MASK, isStringOrAbsent(F_MASK), code.R_STRING);
  consider(F_EVENT_TYPE, isStringOrAbsent(F_EVENT_TYPE), code.R_STRING);
  consider(F_MODEL, isObjectOrAbsent(F_MODEL), code.R_OBJECT);
  consider(F_META, isObjectOrAbsent(F_META), code.R_OBJECT);
  consider(F_BLOCK, isObjectOrAbsent(F_BLOCK), code.R_OBJECT);
  if (firstField == F_OP && opIsText) return failField(F_OP, code.E_UNKNOWN_OP, 0);
  if (firstField < F_BLOCK + 1) return failField(firstField, code.E_BAD_FIELD, firstReason);
  if (unknownKey) {
    pathReset();
    pathName(unknownKey, unknownLength);
    return fail(code.E_UNKNOWN_FIELD, 0);
  }
  return failField(fieldKind(F_OP) == K_ABSENT ? F_OP : F_SEQ, code.E_MISSING_FIELD, code.R_MISSING);
}

// ---------------------------------------------------------------- steps 4 and 5: slots and their contents

@inline function forbid(f: u32): bool { return fieldKind(f) == K_ABSENT || failField(f, code.E_BAD_FIELD, code.R_NOT_ALLOWED); }
@inline function need(f: u32): bool { return fieldKind(f) != K_ABSENT || failField(f, code.E_MISSING_FIELD, code.R_MISSING); }

function judgeMask(): bool {
  if (!parseMask(fieldStart(F_MASK) + 1, fieldEnd(F_MASK) - 1)) return failField(F_MASK, code.E_BAD_MASK, code.R_MASK_GRAMMAR);
  if (maskRoot == ROOT_BLOCK && isProtectedMask()) return failField(F_MASK, code.E_BAD_MASK, code.R_MASK_PROTECTED);
  return true;
}

function judgeSlots(): bool {
  switch (eventOp) {
    case code.OP_START:
      if (!(forbid(F_MASK) && need(F_MODEL) && forbid(F_META) && forbid(F_BLOCK))) return false;
      pathReset();
      pathName(name.NAME_MODEL, 5);
      return checkModel(fieldStart(F_MODEL));
    case code.OP_SET:
      if (fieldKind(F_MASK) == K_ABSENT) {
        if (!(forbid(F_MODEL) && forbid(F_META) && need(F_BLOCK))) return false;
        pathReset();
        pathName(name.NAME_BLOCK, 5);
        return checkBlock(fieldStart(F_BLOCK), fieldEnd(F_BLOCK), true);
      }
      if (!judgeMask() || !forbid(F_MODEL)) return false;
      if (maskRoot == ROOT_META) return need(F_META) && forbid(F_BLOCK) && judgeValue(fieldStart(F_META), F_META);
      return forbid(F_META) && need(F_BLOCK) && judgePatchedBlock() && judgeValue(fieldStart(F_BLOCK), F_BLOCK);
    case code.OP_APPEND:
      return need(F_MASK) && judgeMask()
        && ((maskRoot == ROOT_BLOCK && maskSegments == 1) || failField(F_MASK, code.E_BAD_MASK, code.R_MASK_ONE_SEGMENT))
        && forbid(F_MODEL) && forbid(F_META) && need(F_BLOCK) && judgePatchedBlock() && judgeAppended();
    case code.OP_ERROR:
      if (!need(F_MASK)) return false;
      if (!judgeMask()) return false;
      if (!isMetaError()) return failField(F_MASK, code.E_BAD_MASK, code.R_MASK_META_ERROR);
      return forbid(F_MODEL) && need(F_META) && forbid(F_BLOCK) && judgeError();
    default:
      return forbid(F_MASK) && forbid(F_MODEL) && forbid(F_META) && forbid(F_BLOCK);
  }
}

function failBlockMember(key: usize, n: u32, error: u32, reason: u32): bool {
  pathReset();
  pathName(name.NAME_BLOCK, 5);
  pathName(key, n);
  return fail(error, reason);
}

function judgePatchedBlock(): bool {
  if (findBlockMember(name.NAME_REF, 3)) return failBlockMember(name.NAME_REF, 3, code.E_BAD_BLOCK, code.R_REFERENCE_PATCH);
  if (!findBlockMember(name.NAME_ID, 2)) return failBlockMember(name.NAME_ID, 2, code.E_MISSING_FIELD, code.R_MISSING);
  if (load<u8>(memberStart) != 0x22 || memberEnd - memberStart == 2) return failBlockMember(name.NAME_ID, 2, code.E_BAD_BLOCK, code.R_NON_EMPTY_STRING);
  patchId = memberStart + 1;
  patchIdLength = <u32>(memberEnd - memberStart - 2);
  return true;
}

function judgeAppended(): bool {
  const n = <u32>(maskEnd - maskPath);
  if (!findBlockMember(maskPath, n)) return failBlockMember(maskPath, n, code.E_MISSING_FIELD, code.R_MISSING);
  const c = load<u8>(memberStart);
  if (c != 0x22 && c != 0x5b) return failBlockMember(maskPath, n, code.E_BAD_FIELD, code.R_STRING_OR_ARRAY);
  patchStart = memberStart;
  patchEnd = memberEnd;
  return true;
}

// Follows the mask through its payload slot (canonical text at p) to the value it selects.
function judgeValue(p: usize, f: u32): bool {
  let segment = maskPath, end = segmentEnd(segment), start: usize, stop: usize;
  if (f == F_BLOCK) {
    // the scan has left the block's members behind
    if (!findBlockMember(segment, <u32>(end - segment))) return failValue(end, code.E_MISSING_FIELD, code.R_MISSING);
    start = memberStart;
    stop = memberEnd;
  } else {
    if (!findMember(p, segment, <u32>(end - segment))) return failValue(end, code.E_MISSING_FIELD, code.R_MISSING);
    start = valueStart;
    stop = valueEnd;
  }
  while (end != maskEnd) {
    if (load<u8>(start) != 0x7b) return failValue(end, code.E_BAD_FIELD, code.R_OBJECT);
    segment = end + 1;
    end = segmentEnd(segment);
    if (!findMember(start, segment, <u32>(end - segment))) return failValue(end, code.E_MISSING_FIELD, code.R_MISSING);
    start = valueStart;
    stop = valueEnd;
  }
  patchStart = start;
  patchEnd = stop;
  return true;
}

function failValue(end: usize, error: u32, reason: u32): bool {
  pathOfMask(end);
  return fail(error, reason);
}

function judgeError(): bool {
  pathReset();
  pathName(name.NAME_META, 4);
  pathName(name.NAME_ERROR, 5);
  if (!findMember(fieldStart(F_META), name.NAME_ERROR, 5)) return fail(code.E_MISSING_FIELD, code.R_MISSING);
  patchStart = valueStart;
  patchEnd = valueEnd;
  if (load<u8>(patchStart) != 0x7b) return fail(code.E_BAD_FIELD, code.R_OBJECT);
  return checkError(patchStart, code.E_BAD_FIELD);
}

// ---------------------------------------------------------------- steps 6 and 7: the stream

export const ACCEPTED: u32 = 0;
export const REFUSED: u32 = 1;
export const SKIPPED: u32 = 2;

/** Whether the scanned event is well-formed, whatever its stream says to it; `clearFault` follows. */
export function hasForm(): bool { return judgeMembers() && judgeSlots(); }

/** Judges the scanned event for the state `s` (0: the stream does not exist): ACCEPTED, REFUSED (the fault says why) or SKIPPED. */
export function judge(s: usize): u32 {
  if (!hasForm()) return REFUSED;
  if (eventOp == code.OP_START) return ACCEPTED;
  const status = s ? <u32>load<u8>(s, S_STATUS) : code.STATUS_NONE;
  if (status == code.STATUS_NONE) { failWhole(code.E_NO_MODEL); return REFUSED; }
  if (status == code.STATUS_ENDED) { failWhole(code.E_AFTER_END); return REFUSED; }
  return judgeSequence(s);
}

function judgeSequence(s: usize): u32 {
  if (sequence == code.SEQUENCE_OFF || eventOp == code.OP_PING || !(load<u8>(s, S_FLAGS) & SEQ_KNOWN)) return ACCEPTED;
  const last = load<f64>(s, S_SEQ);
  if (eventOp == code.OP_END) {
    if (sequence == code.SEQUENCE_DEDUPE || eventSeq >= last) return ACCEPTED;
  } else if (eventSeq > last) return ACCEPTED;
  if (sequence == code.SEQUENCE_DEDUPE) return SKIPPED;
  failField(F_SEQ, code.E_STALE_SEQ, 0);
  return REFUSED;
}

/** Whether the accepted event reveals a gap before it; call it before the event takes effect. */
export function revealsGap(s: usize): bool {
  if (sequence == code.SEQUENCE_OFF || eventOp == code.OP_START || !(load<u8>(s, S_FLAGS) & SEQ_KNOWN)) return false;
  const last = load<f64>(s, S_SEQ);
  return eventOp == code.OP_PING ? eventSeq > last : eventSeq > last + 1;
}
