import type { Reducer } from "../engine/contract.js";
import { StreamfoldError } from "../errors.js";
import { type Cuts, cutsOf } from "./cuts.js";
import type { Mark } from "./marks.js";
import type { Reader } from "./reader.js";
import type { Recording } from "./recording.js";

const WINDOW = 64 * 1024;

/** A stretch of the log that was read again: one message at most. */
export interface Step {
  from: number;
  to: number;
  /** It held an event that was accepted. */
  accepted: boolean;
}

/** Reads a log again from a checkpoint on, message by message. */
export class Walker {
  readonly #reader: Reader;
  /** How far it has read; no message stands across this place. */
  offset: number;
  readonly #recording: Recording;
  readonly #cuts: Cuts;
  /** Places ahead that no message stands across, and how far they have been looked for. */
  #places: number[] = [];
  #looked: number;
  readonly #begun: number;
  /** The end of the log, or a failure of its connection, was reached. */
  #done = false;
  /** The last step was a message without a terminator. */
  endedUnterminated = false;

  /** @param mark where to begin; undefined: at the beginning of the log */
  constructor(recording: Recording, mark: Mark | undefined) {
    this.#recording = recording;
    const { transport, limits } = recording.options;
    this.#cuts = cutsOf(transport, limits);
    this.#reader = recording.openReader();
    this.offset = this.#looked = mark?.offset ?? 0;
    try {
      if (mark !== undefined) this.reducer.restore(mark.view.bytes);
    } catch (error) {
      this.reducer.close();
      throw error;
    }
    this.#begun = mark?.view.events ?? 0;
  }

  get reducer(): Reducer {
    return this.#reader.reducer;
  }

  /** Reads on to the next place; undefined at the end of the log, whose unfinished message is left alone unless it was used. */
  step(): Step | undefined {
    if (this.#done) return undefined;
    const [to] = this.#ahead(1);
    return to === undefined ? this.#tail() : this.#feed(to);
  }

  /** Reads on over so many places at once, fewer where there are not as many; whether there was one. */
  leap(count: number): boolean {
    if (this.#done) return false;
    const to = this.#ahead(count).at(-1);
    return (to === undefined ? this.#tail() : this.#feed(to)) !== undefined;
  }

  /** Reads on to the last place that is not behind `offset`. */
  leapTo(offset: number): void {
    while (!this.#done && this.#looked < offset && this.#look()) {}
    const to = this.#places.filter((place) => place <= offset).at(-1);
    if (to !== undefined) this.#feed(to);
  }

  close(): void {
    this.#recording.folded += this.reducer.stats().events - this.#begun;
    this.reducer.close();
  }

  #ahead(count: number): number[] {
    while (this.#places.length < count && this.#look()) {}
    return this.#places.slice(0, count);
  }

  #look(): boolean {
    const { log } = this.#recording;
    for (const piece of log.pieces(this.#looked, log.length, WINDOW)) {
      for (const place of this.#cuts.in(piece)) this.#places.push(this.#looked + place);
      this.#looked += piece.length;
      return true;
    }
    return false;
  }

  #feed(to: number): Step | undefined {
    const from = this.offset;
    let applied = 0;
    try {
      for (const piece of this.#recording.log.pieces(from, to)) applied += this.#reader.push(piece);
    } catch (error) {
      if (!(error instanceof StreamfoldError) || error.scope !== "connection") throw error;
      this.#done = true;
      return undefined;
    }
    this.offset = to;
    const read = this.#places.findIndex((place) => place > to);
    this.#places = read < 0 ? [] : this.#places.slice(read);
    return { from, to, accepted: applied > 0 };
  }

  /** What no terminator has ended, where the log has. */
  #tail(): Step | undefined {
    const { log, result, tailUsed } = this.#recording;
    this.#done = true;
    const from = this.offset;
    if (result === undefined || !tailUsed) return undefined;
    for (const piece of log.pieces(from, log.length)) this.#reader.push(piece);
    this.#reader.finish();
    this.offset = log.length;
    this.endedUnterminated = true;
    return { from, to: log.length, accepted: true };
  }
}
