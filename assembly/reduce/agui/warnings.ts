// Warnings of the event under way: kept until the session reports them, then merged with those of the same run.
import { W_DOWNGRADED, W_UNKNOWN_EVENT } from "../../abi/codes";
import { alloc } from "../../memory/heap";
import { RUN_LEN, RUN_PTR, bytesClear } from "../../memory/bytes";
import { copyExact } from "../../memory/copy";
import { hashBytes } from "../../text/hash";
import { SCRATCH_WARNINGS as KEPT, scratchReserve } from "../scratch";
import { A_WARNING_COUNT, A_WARNINGS, WARNINGS_KEPT } from "./state";

// Record, 20 B + path + subject, a multiple of 4: 0 code u8 | 1 AG_ id u8 | 2 reason u8 | 3 marks u8 | 4 operation | 8 path length |
// 12 subject length | 16 size of the record
const OPERATION: usize = 4, PATH_LENGTH: usize = 8, SUBJECT_LENGTH: usize = 12, SIZE: usize = 16, BYTES: usize = 20;

const NO_OPERATION: u32 = 0xffffffff;
const HAS_SUBJECT: u32 = 1 << 24;

/**
 * Keeps a warning about an event of that type (`AG_` id, 0 = unknown): path [path, path + n), 0: none (an empty one names the root); subject 0: none. Texts are canonical
 * string contents and are copied. False = out of memory, nothing kept.
 */
export function addWarning(code: u32, type: u32, path: usize, n: u32, subject: usize, subjectLength: u32): bool {
  return addPatchWarning(code, type, 0, NO_OPERATION, path, n, subject, subjectLength);
}

/** As `addWarning`, with the `R_` id of the reason and the index of the operation. */
export function addPatchWarning(code: u32, type: u32, reason: u32, operation: u32, path: usize, n: u32, subject: usize, subjectLength: u32): bool {
  if (!subject) subjectLength = 0;
  if (!path) n = 0;
  const size = (<u32>BYTES + n + subjectLength + 3) & ~3;
  if (!scratchReserve(KEPT, size)) return false;
  const record = <usize>load<u32>(KEPT, RUN_PTR) + load<u32>(KEPT, RUN_LEN);
  store<u32>(KEPT, load<u32>(KEPT, RUN_LEN) + size, RUN_LEN);
  store<u32>(record, code | type << 8 | reason << 16 | (subject ? HAS_SUBJECT : 0));
  store<u32>(record, operation, OPERATION);
  store<u32>(record, n, PATH_LENGTH);
  store<u32>(record, subjectLength, SUBJECT_LENGTH);
  store<u32>(record, size, SIZE);
  copyExact(record + BYTES, path, n);
  copyExact(record + BYTES + n, subject, subjectLength);
  return true;
}

/** The first kept warning, 0 = none; the next one behind `record`, 0 = it was the last. */
export function firstWarning(): usize { return load<u32>(KEPT, RUN_LEN) ? <usize>load<u32>(KEPT, RUN_PTR) : 0; }
export function nextWarning(record: usize): usize {
  const next = record + load<u32>(record, SIZE);
  return next < <usize>load<u32>(KEPT, RUN_PTR) + load<u32>(KEPT, RUN_LEN) ? next : 0;
}

/** `W_` id. */
@inline export function warningCode(record: usize): u32 { return <u32>load<u8>(record); }
/** `AG_` id, 0 = none. */
@inline export function warningType(record: usize): u32 { return <u32>load<u8>(record, 1); }
/** `R_` id, 0 = none. */
@inline export function warningReason(record: usize): u32 { return <u32>load<u8>(record, 2); }
/** Index of the operation, 0xffffffff = none. */
@inline export function warningOperation(record: usize): u32 { return load<u32>(record, OPERATION); }
/** Path. */
@inline export function warningPath(record: usize): usize { return record + BYTES; }
@inline export function warningPathLength(record: usize): u32 { return load<u32>(record, PATH_LENGTH); }
@inline export function warningHasSubject(record: usize): bool { return (load<u32>(record) & HAS_SUBJECT) != 0; }
@inline export function warningSubject(record: usize): usize { return record + BYTES + load<u32>(record, PATH_LENGTH); }
@inline export function warningSubjectLength(record: usize): u32 { return load<u32>(record, SUBJECT_LENGTH); }

/** Number of bytes kept, and going back to it: warnings of an event that is refused are not reported. */
export function warningsKept(): u32 { return load<u32>(KEPT, RUN_LEN); }
export function cutWarnings(length: u32): void { store<u32>(KEPT, length, RUN_LEN); }

/** Forgets the kept warnings. */
export function clearWarnings(): void { bytesClear(KEPT); }

/**
 * Whether a kept warning is to be reported: one whose code, event type and path an earlier one of the same run had is only counted, and so is
 * what comes behind the first 256 (docs/semantics-agui.md §4). Warnings of application are never merged. `s`: the state, whose account pays.
 */
export function admitWarning(s: usize, record: usize): bool {
  const id = warningCode(record);
  if (id < <u32>W_UNKNOWN_EVENT || id > <u32>W_DOWNGRADED) return true;
  let set = <usize>load<u32>(s, A_WARNINGS);
  if (!set) {
    set = alloc(WARNINGS_KEPT * 16);
    if (!set) return true;
    memory.fill(set, 0, WARNINGS_KEPT * 16);
    store<u32>(s, <u32>set, A_WARNINGS);
  }
  const hash = warningHash(record), mask = WARNINGS_KEPT * 2 - 1;
  for (let i = <u32>hash & mask; ; i = (i + 1) & mask) {
    const place = set + (i << 3), found = load<u64>(place);
    if (found == hash) return false;
    if (found) continue;
    if (load<u32>(s, A_WARNING_COUNT) >= WARNINGS_KEPT) return false;
    store<u32>(s, load<u32>(s, A_WARNING_COUNT) + 1, A_WARNING_COUNT);
    store<u64>(place, hash);
    return true;
  }
  return false;
}

// Never 0. The name of an unknown type stands in the subject; the path alone would put all of them together.
function warningHash(record: usize): u64 {
  const type = warningType(record), n = warningPathLength(record) + (type ? 0 : warningSubjectLength(record));
  const low = hashBytes(warningPath(record), n) ^ (load<u32>(record) & 0xffff) * 0x9e3779b1;
  let high: u64 = 0xcbf29ce484222325 ^ <u64>(load<u32>(record) & 0xffff);
  for (let i: u32 = 0; i < n; i++) high = (high ^ <u64>load<u8>(warningPath(record) + i)) * 0x100000001b3;
  return ((high << 32) ^ (high & 0xffffffff00000000)) | <u64>low | 1 << 63;
}
