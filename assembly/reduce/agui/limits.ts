// Limits on what an event makes of the model, and the faults that name the member to blame (docs/semantics-agui.md §7).
import * as code from "../../abi/codes";
import { documentSize, editCommit, editRollback, valueDepth } from "../../document/index";
import { fail, failWhole, faultType, pathName, pathReset } from "../fault";
import { maxDepth, maxModel } from "../agentue/limits";
import { eventType } from "./expansion";
import { memberName, memberNameLength } from "./schema";
import { A_SIZE, addToSize } from "./state";

/** Levels of the snapshot around a message, around the values of its `metadata`, and around those of a call's. */
export const MESSAGE_LEVELS: u32 = 2, METADATA_LEVELS: u32 = 3, CALL_METADATA_LEVELS: u32 = 5;

/** Fails with `limit` at a member of the selected event. Always returns false. */
export function failLimit(f: u32, reason: u32): bool {
  faultType(eventType);
  pathReset();
  pathName(memberName(f), memberNameLength(f));
  return fail(code.E_LIMIT, reason);
}

/** Fails because memory is exhausted. Always returns false. */
export function failMemory(): bool { return failWhole(code.E_OUT_OF_MEMORY); }

/** Whether the value [p, p + n) below `levels` levels of the snapshot is nested too deep. A level takes two bytes, so short values need no count. */
export function isTooDeep(levels: u32, p: usize, n: u32): bool {
  return levels + (n >> 1) > maxDepth && levels + valueDepth(<u32>p, n) > maxDepth;
}

/** Whether the snapshot would be too large if something in it went from `before` to `after` bytes. What does not grow passes, however large the rest is. */
export function isTooLarge(s: usize, before: u32, after: u32): bool {
  return after > before && <u64>load<u32>(s, A_SIZE) + <u64>(after - before) > <u64>maxModel;
}

/** Bytes a document may have when nothing else of the snapshot grows. An empty model can be beyond a small limit: then what the document has. */
export function largestSize(s: usize, d: usize): u32 {
  const size = load<u32>(s, A_SIZE);
  return documentSize(d) + (maxModel > size ? maxModel - size : 0);
}

/** Takes the open edit of `d`, which had `before` bytes, back: repeated members that it came upon stay resolved. Always returns false. */
export function undo(s: usize, d: usize, before: u32): bool {
  editRollback(d);
  addToSize(s, documentSize(d) - before);
  return false;
}

/** Keeps the open edit of `d`, which had `before` bytes. */
export function keep(s: usize, d: usize, before: u32): void {
  addToSize(s, documentSize(d) - before);
  editCommit(d);
}
