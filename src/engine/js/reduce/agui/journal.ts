/** What takes the changes of one event back, should it be refused in the end. */
export class Journal {
  readonly steps: (() => unknown)[] = [];

  note(undo: () => unknown): void {
    this.steps.push(undo);
  }

  /** Takes everything back that was noted since the last `clear`, last one first. */
  rollback(): void {
    for (let i = this.steps.length - 1; i >= 0; i--) this.steps[i]!();
    this.steps.length = 0;
  }

  /** The changes stay. */
  clear(): void {
    this.steps.length = 0;
  }
}
