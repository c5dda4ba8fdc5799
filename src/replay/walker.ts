import type { Reducer } from "../engine/contract.js";
import { StreamfoldError } from "../errors.js";
import { CheckpointView } from "./checkpoint-view.js";
import { type Cuts, cutsOf } from "./cuts.js";
import type { Joint } from "./joints.js";
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
  #cuts: Cuts;
  /** Places ahead that no message stands across, and how far they have been looked for. */
  #places: number[] = [];
  #looked: number;
  /** Number of the joint that comes next. */
  #joint: number;
  readonly #begun: number;
  /** Messages that the reducer has counted before and that the log does not hold. */
  readonly #lost: number;
  /** The end of the log, or a failure of its connection, was reached. */
  #done = false;
  /** The last step was a message without a terminator. */
  endedUnterminated = false;

  /**
   * @param from where to begin; undefined: at the beginning of the log
   * @param onEvent hears of the events that are accepted
   */
  constructor(recording: Recording, from: Mark | undefined, onEvent?: (event: unknown) => void) {
    const mark = from ?? recording.start;
    this.#recording = recording;
    this.#cuts = this.#newCuts();
    this.#reader = recording.openReader(onEvent);
    this.offset = this.#looked = mark?.offset ?? 0;
    // a checkpoint at a joint is one of before it, or changes nothing by reconnecting again
    this.#joint = recording.joints.filter(({ at }) => at < this.offset).length;
    try {
      if (mark !== undefined) this.reducer.restore(mark.view.bytes);
    } catch (error) {
      this.reducer.close();
      throw error;
    }
    recording.walkers++;
    this.#begun = mark?.view.events ?? 0;
    this.#lost = this.#begun - (mark?.events ?? 0);
  }

  get reducer(): Reducer {
    return this.#reader.reducer;
  }

  /** Messages of the log up to here. */
  get events(): number {
    return this.reducer.stats().events - this.#lost;
  }

  /** The place as one to go back to. */
  mark(): Mark {
    return { offset: this.offset, events: this.events, view: new CheckpointView(this.reducer.checkpoint()) };
  }

  /** Reads on to the next place; undefined at the end of the log, whose unfinished message is left alone unless it was used. */
  step(): Step | undefined {
    if (this.#done) return undefined;
    do {
      const [to] = this.#ahead(1);
      if (to !== undefined) return this.#feed(to);
    } while (this.#cross());
    return this.#tail();
  }

  /** Reads on over so many places at once, fewer where there are not as many; whether there was one. */
  leap(count: number): boolean {
    let missing = count;
    while (missing > 0 && !this.#done) {
      const ahead = this.#ahead(missing);
      const to = ahead.at(-1);
      if (to !== undefined) {
        if (this.#feed(to) !== undefined) missing -= ahead.length;
      } else if (!this.#cross() && this.#tail() !== undefined) missing--;
    }
    return missing < count;
  }

  /** Reads on to the last place that is not behind `offset`; a joint right there is not crossed. */
  leapTo(offset: number): void {
    while (!this.#done) {
      while (this.#looked < offset && this.#look()) {}
      const to = this.#places.filter((place) => place <= offset).at(-1);
      if (to !== undefined) this.#feed(to);
      if (this.#next === undefined || this.#next.at >= offset || !this.#cross()) return;
    }
  }

  close(): void {
    this.#recording.walkers--;
    this.#recording.folded += this.reducer.stats().events - this.#begun;
    this.reducer.close();
  }

  #ahead(count: number): number[] {
    while (this.#places.length < count && this.#look()) {}
    return this.#places.slice(0, count);
  }

  #newCuts(): Cuts {
    const { transport, limits } = this.#recording.options;
    return cutsOf(transport, limits);
  }

  get #next(): Joint | undefined {
    return this.#recording.joints[this.#joint];
  }

  /** Goes from the end of one body to the beginning of the next; whether there is one. */
  #cross(): boolean {
    const joint = this.#next;
    if (joint === undefined || this.#done) return false;
    this.#reader.reconnect();
    this.#joint++;
    this.offset = this.#looked = joint.at;
    this.#places = [];
    this.#cuts = this.#newCuts();
    return true;
  }

  #look(): boolean {
    const { log } = this.#recording;
    for (const piece of log.pieces(this.#looked, this.#next?.at ?? log.length, WINDOW)) {
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
    const { log, result, tailRead } = this.#recording;
    this.#done = true;
    const from = this.offset;
    if (result === undefined || !tailRead) return undefined;
    const before = this.reducer.stats().applied;
    for (const piece of log.pieces(from, log.length)) this.#reader.push(piece);
    this.#reader.finish();
    this.offset = log.length;
    this.endedUnterminated = true;
    return { from, to: log.length, accepted: this.reducer.stats().applied > before };
  }
}
