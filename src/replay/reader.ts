import type { Engine, FinishResult, Reducer, ReducerOptions, ReferencePause } from "../engine/contract.js";
import { StreamfoldError } from "../errors.js";
import type { ReferenceAt, Resolved } from "./options.js";

/** Bytes that are read at once where streams may have to wait: what comes for one until it goes on is queued. */
const WINDOW = 64 * 1024;

type Listeners = Pick<ReducerOptions, "onEvent" | "onWarning" | "onError" | "onGap">;

/** Reads a log into a reducer. A reference that is about to be patched gets the body that the application has kept for it (AgentUE §3.4). */
export class Reader {
  readonly reducer: Reducer;
  /** The connection has failed, or there was no memory for what it brought: nothing is read until `reconnect`. */
  failed = false;
  readonly #materialize: ((reference: ReferenceAt) => unknown) | undefined;
  /** Chunks are messages. */
  readonly #whole: boolean;
  readonly #paused: ReferencePause[] = [];

  constructor(engine: Engine, { judging, transport, materialize }: Resolved, listeners: Listeners) {
    this.#materialize = materialize;
    this.#whole = transport === "json";
    this.reducer = engine.createReducer({
      ...judging,
      ...listeners,
      transport,
      ...(materialize && { unresolved: "pause", onUnresolved: (pause) => void this.#paused.push(pause) }),
    });
  }

  /** @returns the events that were accepted */
  push(bytes: Uint8Array): number {
    if (this.#materialize === undefined) return this.#read(() => this.reducer.push(bytes));
    let applied = 0;
    let thrown: { error: unknown } | undefined;
    const size = this.#whole ? bytes.length : WINDOW;
    for (let at = 0; at < bytes.length; at += size) {
      const piece = bytes.subarray(at, at + size);
      try {
        applied += this.#settling(() => this.#read(() => this.reducer.push(piece)));
      } catch (error) {
        if (this.failed) throw counting(error, applied);
        // the log has the rest: it is read before anybody hears of it
        if (error instanceof StreamfoldError) applied += error.applied ?? 0;
        thrown ??= { error };
      }
    }
    if (thrown === undefined) return applied;
    if (thrown.error instanceof StreamfoldError) thrown.error.applied = applied;
    throw thrown.error;
  }

  finish(): FinishResult {
    this.#settling(() => {
      this.#read(() => this.reducer.finish());
      return 0;
    });
    return this.reducer.finish();
  }

  /** Another body begins. */
  reconnect(): void {
    this.reducer.reconnect();
    this.failed = false;
    this.#paused.length = 0;
  }

  #read<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (error instanceof StreamfoldError)
        this.failed ||= error.scope === "connection" || error.code === "out_of_memory";
      throw error;
    }
  }

  /** Reads, and lets the streams that have paused on the way go on. */
  #settling(read: () => number): number {
    let applied = 0;
    try {
      applied = read();
    } finally {
      for (let pause = this.#paused.shift(); pause !== undefined; pause = this.#paused.shift()) {
        applied += this.#goOn(pause);
      }
    }
    return applied;
  }

  #goOn({ streamId, id, ref }: ReferencePause): number {
    const { reducer } = this;
    let skip = true;
    try {
      const body = this.#materialize!({ streamId, id, ref });
      if (body !== undefined && body !== null) {
        reducer.materialize(body, { streamId, id });
        skip = false;
      }
    } catch (error) {
      reducer.resume({ streamId, skip });
      throw error;
    }
    return reducer.resume({ streamId, skip });
  }
}

/** The error of a chunk, of which so many events were accepted before. */
function counting(error: unknown, applied: number): unknown {
  if (error instanceof StreamfoldError) error.applied = applied + (error.applied ?? 0);
  return error;
}
