// Why storage frames, a block to be framed or a restored one was refused. The session room makes it the fault that the host reads.
import * as code from "../../abi/codes";
import { FAULT_DEPTH, FAULT_UTF8, faultAt, locateFault } from "../../text/fault";
import { M_NONE } from "./members";

/** `E_` id, 0 = none. */
export let refusedCode: u32 = 0;
/** `R_` id. */
export let refusedReason: u32 = 0;
/** The member at fault, M_NONE = the whole. */
export let refusedMember: u32 = M_NONE;
/** Address of the byte at fault in a text, 0 = the fault is none of the text. */
export let refusedAt: usize = 0;
/** The fault is one of the restored block: its member or byte is meant. */
export let refusedRestored: bool = false;

export function clearRefusal(): void {
  refusedCode = 0;
  refusedReason = 0;
  refusedMember = M_NONE;
  refusedAt = 0;
  refusedRestored = false;
}

/** Sets code, reason and member. Always returns false. */
export function refuse(error: u32, reason: u32, member: u32): bool {
  refusedCode = error;
  refusedReason = reason;
  refusedMember = member;
  return false;
}

/** Says that the fault found last is one of the restored block. Always returns false. */
export function refuseRestored(): bool {
  refusedRestored = true;
  return false;
}

/** Finds what is wrong with the text [start, end), which is not JSON of at most `depth` levels. Always returns false. */
export function refuseText(start: usize, end: usize, depth: u32): bool {
  const fault = locateFault(start, end, depth);
  refusedAt = faultAt;
  return refuse(fault == FAULT_UTF8 ? code.E_INVALID_UTF8 : fault == FAULT_DEPTH ? code.E_TOO_DEEP : code.E_BAD_JSON, 0, M_NONE);
}
