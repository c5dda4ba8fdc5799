// The operations of a patch as records. Reading takes canonical compact text as it is and judges nothing but the array;
// judging looks at the records. A caller whose schema has judged the form already reads and applies.
//
//   record 32   0 op | 4 path | 8 length | 12 from | 16 length | 20 value | 24 length | 28 marks of its application
//     a pointer is the contents of its string; address 0: missing (length 0) or no string (length NO_STRING)
import { R_ARRAY, R_LIMIT_OPERATIONS, R_MISSING, R_OBJECT, R_OPERATION, R_POINTER, R_STRING } from "../abi/codes";
import { RUN_LEN, RUN_PTR } from "../memory/bytes";
import { stringEnd } from "../text/scan";
import { skipTrusted } from "../text/trusted";
import { isPointer } from "./pointer";
import { RECORDS, releaseScratch, scratchMore } from "./scratch";
import { NO_OPERATION, PATCH_LIMIT, PATCH_MALFORMED, PATCH_NO_MEMORY, PATCH_OK, refuse, refuseAt } from "./status";

export const OP_ADD: u32 = 1;
export const OP_REMOVE: u32 = 2;
export const OP_REPLACE: u32 = 3;
export const OP_MOVE: u32 = 4;
export const OP_COPY: u32 = 5;
export const OP_TEST: u32 = 6;
/** The op is a string, but not one of the six. */
const UNKNOWN_OP: u32 = 0;
export const NO_OBJECT: u32 = 7;
/** The op is missing. */
export const NO_OP: u32 = 8;
const OP_NO_STRING: u32 = 9;

const RECORD_SIZE: u32 = 32;
export const PATH: usize = 4, FROM: usize = 12, VALUE: usize = 20;
const MARKS: usize = 28;
const NO_STRING: u32 = 1;

/** Operations of the patch that was read last. */
@inline export function operationCount(): u32 { return load<u32>(RECORDS, RUN_LEN) / RECORD_SIZE; }
@inline export function operationAt(i: u32): usize { return <usize>load<u32>(RECORDS, RUN_PTR) + i * RECORD_SIZE; }
/** `OP_` id, or another number for something that is no operation. */
@inline export function opOf(record: usize): u32 { return load<u32>(record); }
@inline export function pathOf(record: usize): usize { return <usize>load<u32>(record, PATH); }
@inline export function pathLengthOf(record: usize): u32 { return load<u32>(record, PATH + 4); }
@inline export function fromOf(record: usize): usize { return <usize>load<u32>(record, FROM); }
@inline export function fromLengthOf(record: usize): u32 { return load<u32>(record, FROM + 4); }
@inline export function valueOf(record: usize): usize { return <usize>load<u32>(record, VALUE); }
@inline export function valueLengthOf(record: usize): u32 { return load<u32>(record, VALUE + 4); }

/** An element of an array came in at the path. */
export const ADDED_ELEMENT: u32 = 1;
/** An element of an array went: from the path (remove) or where the value came from (move). */
export const REMOVED_ELEMENT: u32 = 2;
/** A removal found nothing and did nothing. */
export const SKIPPED: u32 = 4;

/** What the application has noted of an operation. */
@inline export function marksOf(record: usize): u32 { return load<u32>(record, MARKS); }
@inline export function mark(record: usize, marks: u32): void { store<u32>(record, load<u32>(record, MARKS) | marks, MARKS); }
/** Forgets the marks of all operations, before the patch is applied anew. */
export function clearMarks(): void {
  const count = operationCount();
  for (let i: u32 = 0; i < count; i++) store<u32>(operationAt(i), 0, MARKS);
}

/** Gives the records of an unusually long patch back. */
export function releaseOperations(): void { releaseScratch(RECORDS); }

/** A record behind the others, of an operation without members; 0 = out of memory. */
export function moreOperations(): usize {
  if (!scratchMore(RECORDS, RECORD_SIZE)) return 0;
  const used = load<u32>(RECORDS, RUN_LEN), record = <usize>load<u32>(RECORDS, RUN_PTR) + used;
  store<u32>(RECORDS, used + RECORD_SIZE, RUN_LEN);
  store<u64>(record, <u64>NO_OP);
  store<u64>(record, 0, 8);
  store<u64>(record, 0, 16);
  store<u64>(record, 0, 24);
  return record;
}

/**
 * Reads the patch at `p`, one value of validated canonical compact text that stays where it is until the patch has been
 * applied. PATCH_OK; PATCH_MALFORMED: it is no array; PATCH_LIMIT: it has more than `most` operations, of which those are
 * read; PATCH_NO_MEMORY.
 */
export function patchRead(p: usize, most: u32): u32 {
  store<u32>(RECORDS, 0, RUN_LEN);
  if (load<u8>(p) != 0x5b) return refuse(PATCH_MALFORMED, R_ARRAY, NO_OPERATION, p, 0);
  if (load<u8>(++p) == 0x5d) return PATCH_OK;
  while (true) {
    if (operationCount() >= most) return refuse(PATCH_LIMIT, R_LIMIT_OPERATIONS, most, 0, 0);
    const record = moreOperations();
    if (!record) return refuse(PATCH_NO_MEMORY, 0, NO_OPERATION, 0, 0);
    if (load<u8>(p) == 0x7b) p = readOperation(p + 1, record);
    else {
      store<u32>(record, NO_OBJECT);
      p = skipTrusted(p);
    }
    if (load<u8>(p++) == 0x5d) return PATCH_OK;
  }
  return PATCH_OK;
}

// From behind the `{` to behind the `}`. Repeated members: the last one counts.
function readOperation(p: usize, record: usize): usize {
  if (load<u8>(p) == 0x7d) return p + 1;
  while (true) {
    // `"path":` and its like in one word: canonical text spells a name one way only
    const word = load<u64>(p);
    if ((word & 0xffffffffff) == 0x3a22706f22) {
      p += 5;
      const op = opCode(p);
      store<u32>(record, op);
      p = op - OP_ADD < NO_OBJECT - OP_ADD ? p + opLength(op) : skipTrusted(p);
    } else if ((word & 0xffffffffffffff) == 0x3a226874617022) p = readString(p + 7, record, PATH);
    else if ((word & 0xffffffffffffff) == 0x3a226d6f726622) p = readString(p + 7, record, FROM);
    else if (word == 0x3a2265756c617622) {
      const value = p + 8;
      p = skipTrusted(value);
      store<u32>(record, <u32>value, VALUE);
      store<u32>(record, <u32>(p - value), VALUE + 4);
    } else p = skipTrusted(stringEnd(p + 1) + 2);
    if (load<u8>(p++) == 0x7d) return p;
  }
  return p;
}

@inline function readString(p: usize, record: usize, field: usize): usize {
  if (load<u8>(p) != 0x22) {
    store<u32>(record + field, 0);
    store<u32>(record + field, NO_STRING, 4);
    return skipTrusted(p);
  }
  const end = stringEnd(p + 1);
  store<u32>(record + field, <u32>p + 1);
  store<u32>(record + field, <u32>(end - p) - 1, 4);
  return end + 1;
}

/** The op whose JSON text begins at p, quotes included; another number for what is none of the six. */
export function opCode(p: usize): u32 {
  if (load<u8>(p) != 0x22) return OP_NO_STRING;
  const word = load<u64>(p);
  switch (<u32>load<u8>(p, 2)) {
    case 0x64: return (word & 0xffffffffff) == 0x2264646122 ? OP_ADD : UNKNOWN_OP;
    case 0x6f: return (word & 0xffffffffffff) == 0x2265766f6d22 ? OP_MOVE : (word & 0xffffffffffff) == 0x2279706f6322 ? OP_COPY : UNKNOWN_OP;
    case 0x65:
      if (word == 0x2265766f6d657222) return OP_REMOVE;
      if (word == 0x6563616c70657222) return load<u8>(p, 8) == 0x22 ? OP_REPLACE : UNKNOWN_OP;
      return (word & 0xffffffffffff) == 0x227473657422 ? OP_TEST : UNKNOWN_OP;
    default: return UNKNOWN_OP;
  }
}

/** Bytes of the JSON text of a known op. */
@inline export function opLength(op: u32): usize { return op == OP_ADD ? 5 : op == OP_REMOVE ? 8 : op == OP_REPLACE ? 9 : 6; }

const NAME_OP: u64 = 0x706f, NAME_PATH: u64 = 0x68746170, NAME_FROM: u64 = 0x6d6f7266, NAME_VALUE: u64 = 0x65756c6176;

/**
 * Judges the form of the operations that were read (RFC 6902 §4): PATCH_OK, or PATCH_MALFORMED for the first malformed
 * one, in it the first of op, path, from and value. Members that the op does not need are not looked at.
 */
export function patchJudge(): u32 {
  const count = operationCount();
  for (let i: u32 = 0; i < count; i++) {
    const record = operationAt(i), op = opOf(record);
    if (op - OP_ADD > OP_TEST - OP_ADD) {
      if (op == NO_OBJECT) return refuseAt(PATCH_MALFORMED, R_OBJECT, i, 0);
      return refuseAt(PATCH_MALFORMED, op == NO_OP ? R_MISSING : op == OP_NO_STRING ? R_STRING : R_OPERATION, i, NAME_OP);
    }
    const pathFault = pointerFault(record, PATH);
    if (pathFault) return refuseAt(PATCH_MALFORMED, pathFault, i, NAME_PATH);
    if (op == OP_MOVE || op == OP_COPY) {
      const fromFault = pointerFault(record, FROM);
      if (fromFault) return refuseAt(PATCH_MALFORMED, fromFault, i, NAME_FROM);
    } else if (op != OP_REMOVE && !valueOf(record)) return refuseAt(PATCH_MALFORMED, R_MISSING, i, NAME_VALUE);
  }
  return PATCH_OK;
}

function pointerFault(record: usize, field: usize): u32 {
  const p = <usize>load<u32>(record + field), n = load<u32>(record + field, 4);
  if (!p) return n == NO_STRING ? R_STRING : R_MISSING;
  return isPointer(p, n) ? 0 : R_POINTER;
}
