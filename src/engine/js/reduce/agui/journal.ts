import type { PatchSteps } from "../../../../json/patch.js";

/** What takes the changes of one event back, should it be refused in the end. */
export class Journal implements PatchSteps {
  readonly undo: (() => unknown)[] = [];
  /** What is left to be done when the changes stay. */
  readonly keep: (() => unknown)[] = [];

  note(undo: () => unknown): void {
    this.undo.push(undo);
  }

  /** Takes everything back that was noted since the last `clear`, last one first. */
  rollback(): void {
    for (let i = this.undo.length - 1; i >= 0; i--) this.undo[i]!();
    this.undo.length = 0;
    this.keep.length = 0;
  }

  /** The changes stay. */
  clear(): void {
    for (const step of this.keep) step();
    this.undo.length = 0;
    this.keep.length = 0;
  }
}
