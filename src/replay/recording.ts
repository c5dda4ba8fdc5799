import type { Engine, FinishResult, Reducer } from "../engine/contract.js";
import { StreamfoldError, usageError } from "../errors.js";
import { CheckpointView, withoutPartial } from "./checkpoint-view.js";
import { type Cuts, cutsOf } from "./cuts.js";
import type { Joint } from "./joints.js";
import { Log } from "./log.js";
import { type Mark, Marks } from "./marks.js";
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
  /** The last message had no terminator and was read all the same. */
  tailRead = false;
  /** Where connections have broken off and others gone on. */
  joints: Joint[] = [];
  /** Where what is left of the log begins; undefined: nothing was trimmed. */
  start: Mark | undefined;
  /** Messages that were read again. */
  folded = 0;
  /** Walkers that read the log. */
  walkers = 0;
  readonly #engine: Engine;
  /** A call that reads is under way. */
  #isReading = false;
  /** Messages that the live reducer has counted and that were dropped with their connection. */
  #lost = 0;
  /** Errors of the call under way. */
  #errors: StreamfoldError[] = [];
  /** While a place for a checkpoint is looked for. */
  #cuts: Cuts | undefined;

  constructor(engine: Engine, options: Resolved) {
    this.#engine = engine;
    this.options = options;
    this.log = new Log(options.transport === "json", options.transfer);
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

  /** The connection has failed: what follows is not read. */
  get failed(): boolean {
    return this.#reader.failed;
  }

  /** Messages of the log. */
  get events(): number {
    return this.live.stats().events - this.#lost;
  }

  /** A reader of the same options that tells nothing but events. */
  openReader(onEvent?: (event: unknown) => void): Reader {
    return new Reader(this.#engine, this.options, { onError() {}, ...(onEvent && { onEvent }) });
  }

  close(): void {
    // refused inside of a listener
    this.live.close();
    // a walker's function may have asked for it
    if (this.walkers === 0) this.log.release();
  }

  append(chunk: Uint8Array): number {
    this.expectQuiet();
    if (this.result !== undefined)
      throw usageError("bad_argument", "the log has ended; reconnect() begins another body");
    if (chunk.length === 0) {
      if (this.options.transport !== "json") return 0;
      throw usageError("bad_argument", "a message cannot be empty");
    }
    if (this.log.length - this.log.begin + chunk.length > this.options.logBytes) {
      throw this.#refused(usageError("limit", `the log would be longer than ${this.options.logBytes} bytes`));
    }
    // a failed connection takes nothing, and says so
    if (this.failed) {
      return this.#delivering((applied) => {
        applied.count += this.#reader.push(chunk);
      });
    }
    this.#keep(chunk);
    return this.#delivering((applied) => this.#feed(chunk, applied));
  }

  finish(): FinishResult {
    if (this.result !== undefined) return this.result;
    this.expectQuiet();
    const { live } = this;
    const before = live.stats().events;
    const idBefore = live.lastEventId;
    try {
      this.#delivering(() => {
        this.result = this.#reader.finish();
      });
    } finally {
      // asked again, when a listener had thrown, there is nothing more to read
      this.tailRead = !this.failed && (this.tailRead || live.stats().events > before || live.lastEventId !== idBefore);
    }
    return this.result!;
  }

  /** Another body begins. What is unfinished of the one before stays in the log until `join`. */
  reconnect(): void {
    this.#reader.reconnect();
    this.result = undefined;
    this.tailRead = false;
    this.#cuts = undefined;
  }

  /**
   * Forgets what lies behind the messages that were read, and begins a body there.
   *
   * @param end where the last one ends
   * @param events messages up to there
   */
  join(end: number, events: number, terminator: Uint8Array): void {
    const { live, log, joints } = this;
    log.truncate(end);
    if (terminator.length > 0) log.append(terminator);
    this.#lost = live.stats().events - events;
    if (log.length === (joints.at(-1)?.at ?? 0)) return;
    joints.push({ at: log.length, truncated: live.status() === "truncated", startsRun: undefined });
  }

  #keep(chunk: Uint8Array): void {
    const { log } = this;
    const before = log.length;
    try {
      log.append(chunk);
    } catch (cause) {
      log.truncate(before);
      const error = usageError("out_of_memory");
      error.cause = cause;
      throw error;
    }
  }

  /** Tells of a chunk that is not taken. It is thrown in any case: who goes on with the next chunk leaves a hole in the log. */
  #refused(error: StreamfoldError): StreamfoldError {
    try {
      this.options.listeners.onError?.(error);
    } catch (thrown) {
      error.cause = thrown;
    }
    return told(error, 0, []);
  }

  /** Runs what reads, and throws as a reducer does: without `onError` the first error, with it a failed connection alone. */
  #delivering(read: (applied: { count: number }) => void): number {
    const applied = { count: 0 };
    this.#errors = [];
    this.#isReading = true;
    try {
      read(applied);
    } catch (error) {
      if (!(error instanceof StreamfoldError)) throw error;
      throw told(error, applied.count + (error.applied ?? 0), this.#errors);
    } finally {
      this.#isReading = false;
    }
    const [first] = this.#errors;
    if (first !== undefined && this.options.listeners.onError === undefined) {
      throw told(first, applied.count, this.#errors);
    }
    return applied.count;
  }

  /** @throws StreamfoldError `reentrant` while the log is being read */
  expectQuiet(): void {
    if (this.#isReading || this.walkers > 0) throw usageError("reentrant");
  }

  /** Forgets what lies before a place, and reads from there. */
  trim(mark: Mark): void {
    this.start = mark;
    // the last one before may have cut the run that goes on there
    const before = this.joints.filter(({ at }) => at < mark.offset).length;
    this.joints = this.joints.slice(Math.max(before - 1, 0));
    this.marks.trim(mark.offset);
    this.log.trim(mark.offset);
  }

  /** Where the last whole message ends that lies behind `from`, a place that no message stands across. */
  endOfMessages(from: number): number {
    const { transport, limits } = this.options;
    const cuts = cutsOf(transport, limits);
    let at = Math.max(from, this.joints.at(-1)?.at ?? 0, this.log.begin);
    let end = at;
    for (const piece of this.log.pieces(at, this.log.length, WINDOW)) {
      const place = cuts.in(piece).at(-1);
      if (place !== undefined) end = at + place;
      at += piece.length;
    }
    return end;
  }

  /** Reads all of a chunk that the log has. What a listener throws comes behind that, unless the connection has failed. */
  #feed(chunk: Uint8Array, applied: { count: number }): void {
    let thrown: { error: unknown } | undefined;
    this.#feedPieces(chunk, (from, to) => {
      try {
        applied.count += this.#reader.push(from === 0 && to === chunk.length ? chunk : chunk.subarray(from, to));
      } catch (error) {
        if (this.failed) throw error;
        thrown ??= { error };
      }
    });
    if (thrown !== undefined) throw thrown.error;
  }

  #feedPieces(chunk: Uint8Array, push: (from: number, to: number) => void): void {
    const { marks } = this;
    const base = this.log.length - chunk.length;
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
    const whole = this.#checkpoint();
    if (whole === undefined) this.marks.postpone(WINDOW);
    else {
      const view = new CheckpointView(whole.bytes);
      this.marks.add({ offset: offset - whole.left, events: view.events - this.#lost, view }, offset);
    }
  }

  /** Undefined where none can be taken: in the rest of a too large message, or without memory for it. */
  #checkpoint(): { bytes: Uint8Array; left: number } | undefined {
    const { transport } = this.options;
    try {
      const bytes = this.live.checkpoint();
      return transport === "msgpack" || transport === "protobuf" ? withoutPartial(bytes) : { bytes, left: 0 };
    } catch (error) {
      if (error instanceof StreamfoldError && error.code === "out_of_memory") return undefined;
      throw error;
    }
  }
}

function told(error: StreamfoldError, applied: number, errors: readonly StreamfoldError[]): StreamfoldError {
  error.applied = applied;
  error.errors = [error, ...errors.filter((other) => other !== error)];
  return error;
}
