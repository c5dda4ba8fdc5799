import type { Engine, FinishResult, Reducer } from "../engine/contract.js";
import { StreamfoldError, usageError } from "../errors.js";
import { CheckpointView, withoutPartial } from "./checkpoint-view.js";
import { type Cuts, cutsOf } from "./cuts.js";
import { Log } from "./log.js";
import { Marks } from "./marks.js";
import type { Resolved } from "./options.js";
import { Reader } from "./reader.js";

/** Bytes that are looked through at once for a place where a checkpoint can be taken. */
const WINDOW = 64 * 1024;

/** A log with the reducer that has read it, and checkpoints on the way. */
export class Recording {
  readonly options: Resolved;
  readonly log: Log;
  readonly marks: Marks;
  /** Reads the log as it comes. */
  readonly #reader: Reader;
  /** Nothing comes any more. */
  result: FinishResult | undefined;
  /** The last message had no terminator and was used all the same. */
  tailUsed = false;
  /** The connection has failed: what follows was not read. */
  failed = false;
  /** Messages that were read again. */
  folded = 0;
  readonly #engine: Engine;
  /** Errors of the call under way. */
  #errors: StreamfoldError[] = [];
  /** While a place for a checkpoint is looked for. */
  #cuts: Cuts | undefined;

  constructor(engine: Engine, options: Resolved) {
    this.#engine = engine;
    this.options = options;
    this.log = new Log(options.transport === "json");
    this.marks = new Marks(options.interval, options.checkpoints, options.checkpointBytes);
    const { onError, ...listeners } = options.listeners;
    this.#reader = new Reader(engine, options, {
      ...listeners,
      onError: (error) => {
        this.#errors.push(error);
        onError?.(error);
      },
    });
  }

  get engine(): Engine {
    return this.#engine;
  }

  /** At the end of the log. */
  get live(): Reducer {
    return this.#reader.reducer;
  }

  /** A reader of the same options that tells nothing. */
  openReader(): Reader {
    return new Reader(this.#engine, this.options, { onError() {} });
  }

  append(chunk: Uint8Array): number {
    if (this.result !== undefined) throw usageError("bad_argument", "the log has ended");
    if (chunk.length === 0) {
      if (this.options.transport !== "json") return 0;
      throw usageError("bad_argument", "a message cannot be empty");
    }
    if (this.log.length + chunk.length > this.options.logBytes) {
      throw usageError("limit", `the log would be longer than ${this.options.logBytes} bytes`);
    }
    // a failed connection takes nothing, and says so
    if (!this.failed) this.log.append(chunk);
    return this.#delivering((applied) => this.#feed(chunk, applied));
  }

  finish(): FinishResult {
    if (this.result !== undefined) return this.result;
    const before = this.live.stats().applied;
    this.#delivering(() => {
      this.result = this.#reader.finish();
    });
    this.tailUsed = this.live.stats().applied > before;
    return this.result!;
  }

  /** Runs what reads, and throws as a reducer does: without `onError` the first error, with it a failed connection alone. */
  #delivering(read: (applied: { count: number }) => void): number {
    const applied = { count: 0 };
    this.#errors = [];
    try {
      read(applied);
    } catch (error) {
      if (!(error instanceof StreamfoldError)) throw error;
      if (error.scope === "connection") this.failed = true;
      throw told(error, applied.count + (error.applied ?? 0), this.#errors);
    }
    const [first] = this.#errors;
    if (first !== undefined && this.options.listeners.onError === undefined) {
      throw told(first, applied.count, this.#errors);
    }
    return applied.count;
  }

  /** Where the last whole message ends that lies behind `from`, a place that no message stands across. */
  endOfMessages(from: number): number {
    const { transport, limits } = this.options;
    const cuts = cutsOf(transport, limits);
    let end = from;
    let at = from;
    for (const piece of this.log.pieces(from, this.log.length, WINDOW)) {
      const place = cuts.in(piece).at(-1);
      if (place !== undefined) end = at + place;
      at += piece.length;
    }
    return end;
  }

  #feed(chunk: Uint8Array, applied: { count: number }): void {
    const { marks } = this;
    const base = this.log.length - chunk.length;
    const push = (from: number, to: number): void => {
      applied.count += this.#reader.push(from === 0 && to === chunk.length ? chunk : chunk.subarray(from, to));
    };
    if (this.options.transport === "json") {
      push(0, chunk.length);
      if (this.log.length >= marks.due) this.#mark(this.log.length);
      return;
    }
    let at = 0;
    while (at < chunk.length) {
      const wanted = marks.due - base;
      if (wanted >= chunk.length) {
        push(at, chunk.length);
        return;
      }
      if (wanted > at) {
        push(at, wanted);
        at = wanted;
      }
      const place = this.#placeIn(chunk, at);
      if (place.to > at) push(at, place.to);
      at = place.to;
      if (place.found) this.#mark(base + at);
    }
  }

  /** How far to read until a checkpoint can be taken. */
  #placeIn(chunk: Uint8Array, from: number): { to: number; found: boolean } {
    const { transport, limits } = this.options;
    // what is unfinished on a binary wire is left out afterwards
    if (transport === "msgpack" || transport === "protobuf") return { to: from, found: true };
    const end = Math.min(from + WINDOW, chunk.length);
    this.#cuts ??= cutsOf(transport, limits, true);
    const [place] = this.#cuts.in(chunk.subarray(from, end));
    if (place === undefined) return { to: end, found: false };
    this.#cuts = undefined;
    return { to: from + place, found: true };
  }

  #mark(offset: number): void {
    const bytes = this.live.checkpoint();
    const { transport } = this.options;
    const whole = transport === "msgpack" || transport === "protobuf" ? withoutPartial(bytes) : { bytes, left: 0 };
    if (whole === undefined) this.marks.postpone(WINDOW);
    else this.marks.add({ offset: offset - whole.left, view: new CheckpointView(whole.bytes) }, offset);
  }
}

function told(error: StreamfoldError, applied: number, errors: readonly StreamfoldError[]): StreamfoldError {
  error.applied = applied;
  error.errors = [error, ...errors.filter((other) => other !== error)];
  return error;
}
