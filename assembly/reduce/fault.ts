// The fault of the event being judged, and its JSON pointer (RFC 6901) as canonical string contents.
import { SCRATCH_PATH as PATH, SCRATCH_SUBJECT as SUBJECT, scratchReserve } from "./scratch";
import { bytesAppend, bytesClear, RUN_LEN, RUN_PTR } from "../memory/bytes";
import { writeUint } from "../text/digits";

/** `E_` id, 0 = none. */
export let faultCode: u32 = 0;
/** `R_` id. */
export let faultReason: u32 = 0;
/** Whether the fault has a path at all; an empty path points at the root. */
export let faultHasPath: bool = false;

/** No operation of a patch is at fault. */
export const NO_OPERATION: u32 = 0xffffffff;
/** `KIND_` id of the value that came instead of the expected one, 0 = does not matter. */
export let faultReceivedKind: u32 = 0;
/** `AG_` id of the event's type, 0 = none. */
export let faultEventType: u32 = 0;
/** Index of the patch operation at fault, NO_OPERATION = none. */
export let faultOperationIndex: u32 = NO_OPERATION;
/** Whether the reason speaks of something that has a name. */
export let faultHasSubject: bool = false;
let hasDetails: bool = false;

export function clearFault(): void {
  faultCode = 0;
  faultReason = 0;
  faultHasPath = false;
  bytesClear(PATH);
  if (hasDetails) clearDetails();
}

function clearDetails(): void {
  hasDetails = false;
  faultReceivedKind = 0;
  faultEventType = 0;
  faultOperationIndex = NO_OPERATION;
  faultHasSubject = false;
  bytesClear(SUBJECT);
}

/** Sets code and reason; the path built so far belongs to it. Always returns false. */
export function fail(code: u32, reason: u32): bool {
  faultCode = code;
  faultReason = reason;
  return false;
}

/** Sets a code that has no path. Always returns false. */
export function failWhole(code: u32): bool {
  faultHasPath = false;
  bytesClear(PATH);
  return fail(code, 0);
}

export function pathStart(): usize { return load<u32>(PATH, RUN_PTR); }
export function pathLength(): u32 { return load<u32>(PATH, RUN_LEN); }

/** Begins a path; without further steps it points at the root. */
export function pathReset(): void {
  faultHasPath = true;
  bytesClear(PATH);
}

/** Cuts the path back to an earlier `pathLength()`. */
export function pathCut(length: u32): void { store<u32>(PATH, length, RUN_LEN); }

/** Adds a step named by canonical key text; `~` and `/` are escaped (RFC 6901 §3). A path that finds no memory is cut short. */
export function pathName(p: usize, n: u32): void {
  if (!scratchReserve(PATH, (n << 1) + 1)) return;
  let d = <usize>load<u32>(PATH, RUN_PTR) + load<u32>(PATH, RUN_LEN);
  const start = d;
  store<u8>(d++, 0x2f);
  const end = p + n;
  while (p < end) {
    const c = load<u8>(p++);
    if (c == 0x7e) { store<u16>(d, 0x307e); d += 2; }
    else if (c == 0x2f) { store<u16>(d, 0x317e); d += 2; }
    else store<u8>(d++, c);
  }
  store<u32>(PATH, load<u32>(PATH, RUN_LEN) + <u32>(d - start), RUN_LEN);
}

const DIGITS: usize = memory.data(16, 16);

/** Adds an array index. */
export function pathIndex(i: u32): void { pathName(DIGITS, <u32>(writeUint(i, DIGITS) - DIGITS)); }

/** Sets a whole path from canonical pointer text. */
export function pathText(p: usize, n: u32): void {
  pathReset();
  if (scratchReserve(PATH, n)) bytesAppend(PATH, p, n);
}

/** Names what the reason speaks of: an id, a name or a value as canonical string contents, copied. One that finds no memory is left out. */
export function faultSubject(p: usize, n: u32): void {
  hasDetails = true;
  faultHasSubject = true;
  bytesClear(SUBJECT);
  if (scratchReserve(SUBJECT, n)) bytesAppend(SUBJECT, p, n);
}

export function subjectStart(): usize { return load<u32>(SUBJECT, RUN_PTR); }
export function subjectLength(): u32 { return load<u32>(SUBJECT, RUN_LEN); }

/** Says what kind of value came (`KIND_` id). */
export function faultReceived(kind: u32): void {
  hasDetails = true;
  faultReceivedKind = kind;
}

/** Says of which type the event is (`AG_` id). */
export function faultType(type: u32): void {
  hasDetails = true;
  faultEventType = type;
}

/** Says which operation of a patch is at fault. */
export function faultOperation(index: u32): void {
  hasDetails = true;
  faultOperationIndex = index;
}
