// What a patch of the state has touched, operation by operation (docs/semantics-agui.md §10).
import { equalBytes } from "../../memory/copy";
import {
  ADDED_ELEMENT, fromLengthOf, fromOf, marksOf, OP_ADD, OP_COPY, OP_MOVE, OP_REMOVE, OP_REPLACE, OP_TEST, operationAt, operationCount, opOf, pathLengthOf, pathOf,
  REMOVED_ELEMENT, SKIPPED,
} from "../../patch/operations";
import { notePointer } from "./changes";

/** Whether an operation (its record) of the patch that was applied last has changed something. */
export function hasChanged(record: usize): bool {
  const op = opOf(record), n = pathLengthOf(record);
  if (op == OP_TEST || (marksOf(record) & SKIPPED) != 0) return false;
  return op != OP_MOVE || n != fromLengthOf(record) || !equalBytes(pathOf(record), fromOf(record), n);
}

/** Notes the operations of the patch that was applied last. */
export function notePatch(s: usize): void {
  const count = operationCount();
  for (let i: u32 = 0; i < count; i++) {
    const record = operationAt(i), op = opOf(record), marks = marksOf(record);
    if (!hasChanged(record)) continue;
    const n = pathLengthOf(record);
    if (op == OP_ADD || op == OP_REPLACE || op == OP_MOVE || op == OP_COPY) note(s, pathOf(record), n, (marks & ADDED_ELEMENT) != 0);
    if (op == OP_MOVE) note(s, fromOf(record), fromLengthOf(record), (marks & REMOVED_ELEMENT) != 0);
    if (op == OP_REMOVE) note(s, pathOf(record), n, (marks & REMOVED_ELEMENT) != 0);
  }
}

// An element came or went: the array is what has changed.
function note(s: usize, p: usize, n: u32, ofArray: bool): void {
  if (ofArray) do { n--; } while (load<u8>(p + n) != 0x2f);
  notePointer(s, p, n);
}
