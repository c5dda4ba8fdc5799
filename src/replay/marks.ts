import type { CheckpointView } from "./checkpoint-view.js";

/** A place in the log that can be gone back to. */
export interface Mark {
  /** Bytes of the log before it; no message stands across it. */
  offset: number;
  /** Messages of the log before it. */
  events: number;
  view: CheckpointView;
}

/** Bytes of the log that have to come for each byte of the checkpoint before: writing them stays a small part of reading. */
const SPACING = 6;

/** The checkpoints of a log: bounded in number and bytes, at ever larger intervals. */
export class Marks {
  /** In the order of the log. */
  readonly list: Mark[] = [];
  bytes = 0;
  /** Where the next one is wanted. */
  due: number;
  #interval: number;
  readonly #most: number;
  readonly #mostBytes: number;

  /** @param interval bytes of the log between two */
  constructor(interval: number, most: number, mostBytes: number) {
    this.#interval = interval;
    this.#most = most;
    this.#mostBytes = mostBytes;
    this.due = most === 0 ? Number.POSITIVE_INFINITY : interval;
  }

  /** @param at how far the log has been read; the mark may lie before it */
  add(mark: Mark, at: number): void {
    if (mark.offset > (this.list.at(-1)?.offset ?? 0)) {
      this.list.push(mark);
      this.bytes += mark.view.bytes.length;
      while (this.list.length > this.#most || this.bytes > this.#mostBytes) this.#thin();
    }
    this.due = at + Math.max(this.#interval, SPACING * mark.view.bytes.length);
  }

  /** Gives up those that do not lie behind a place. */
  trim(place: number): void {
    this.#keep(this.list.filter(({ offset }) => offset > place));
  }

  /** None can be had here: the next one is wanted a little later. */
  postpone(bytes: number): void {
    this.due += bytes;
  }

  /** The last one that holds, going back from the end; undefined is the beginning of the log. */
  last(holds: (mark: Mark) => boolean): Mark | undefined {
    for (let i = this.list.length - 1; i >= 0; i--) if (holds(this.list[i]!)) return this.list[i];
    return undefined;
  }

  /** Gives up every other one, the first of them. */
  #thin(): void {
    this.#keep(this.list.filter((_, i) => i % 2 === 1));
    this.#interval *= 2;
  }

  #keep(marks: readonly Mark[]): void {
    this.list.length = 0;
    this.list.push(...marks);
    this.bytes = marks.reduce((sum, { view }) => sum + view.bytes.length, 0);
  }
}
