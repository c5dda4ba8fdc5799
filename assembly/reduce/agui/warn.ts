// Warnings of application (docs/semantics-agui.md §7): kept with those of the event, taken back with it.
import { pathLength, pathName, pathReset, pathStart, clearFault } from "../fault";
import { slotLength } from "./compose";
import { eventSlotStart, eventType } from "./expansion";
import { memberName, memberNameLength } from "./schema";
import { addPatchWarning, addWarning } from "./warnings";

/** A warning about what the selected event's member `f` names. A warning that finds no memory is lost. */
export function warnTarget(code: u32, f: u32): void { warnSubject(code, f, f); }

/** A warning at the member `f` of the selected event, about what its member `subject` names. */
export function warnSubject(code: u32, f: u32, subject: u32): void {
  pathReset();
  pathName(memberName(f), memberNameLength(f));
  const n = slotLength(subject);
  addWarning(code, eventType, pathStart(), pathLength(), n ? eventSlotStart(subject) + 1 : 0, n ? n - 2 : 0);
  clearFault();
}

/** A warning about a patch: its reason, the operation (NO_OPERATION: none) and the pointer [path, path + n). */
export function warnPatch(code: u32, reason: u32, operation: u32, path: usize, n: u32): void {
  addPatchWarning(code, eventType, reason, operation, path, n, 0, 0);
}
