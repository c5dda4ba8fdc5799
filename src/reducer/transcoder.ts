import type { Bytes } from "../bytes.js";
import type { FinishResult, Reducer, Stats, Transcoder } from "../engine/contract.js";
import type { Sessions } from "./sessions.js";

const DISPOSE: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for("Symbol.dispose");

/** The public transcoder: a reducer, for arguments, listeners and what is thrown, whose session writes what it accepts on another wire. */
export class TranscoderHandle implements Transcoder {
  readonly #sessions: Sessions;
  readonly #reducer: Reducer;
  #status: "open" | FinishResult["status"] = "open";

  /**
   * @param sessions with the engine's own session made, which has `takeOutput`
   * @param reducer on these sessions
   */
  constructor(sessions: Sessions, reducer: Reducer) {
    this.#sessions = sessions;
    this.#reducer = reducer;
  }

  push(chunk: ArrayBuffer | ArrayBufferView): Bytes {
    const before = this.#status === "open" ? undefined : this.stats();
    try {
      this.#reducer.push(chunk);
    } catch (error) {
      if (before !== undefined && this.#hasReadSince(before)) this.#status = "open";
      throw error;
    }
    this.#status = "open";
    return this.#sessions.wire!.takeOutput!();
  }

  finish(): Bytes {
    this.#status = this.#reducer.finish().status;
    return this.#sessions.wire!.takeOutput!();
  }

  get status(): "open" | FinishResult["status"] {
    return this.#status;
  }

  stats(): Stats {
    return this.#reducer.stats();
  }

  reset(): void {
    this.#reducer.reset();
    this.#status = "open";
  }

  /** Whether a push that has thrown had taken its chunk, and so has begun another body. */
  #hasReadSince({ bytes, events }: Stats): boolean {
    try {
      const now = this.stats();
      return now.bytes !== bytes || now.events !== events;
    } catch {
      return true;
    }
  }

  close(): void {
    this.#reducer.close();
  }

  [DISPOSE](): void {
    this.close();
  }
}
