// The transcoder as applications see it.
import type { Bytes } from "../../bytes.js";
import type { AdapterOptions } from "../adapting.js";
import type { ReducerOptions } from "./reducer.js";
import type { Protocol, Stats, Transport } from "./terms.js";

/** Options that a transcoder has no use for: it has two wires, and nobody reads its events or its model. */
export type ReducerOnly =
  | "transport"
  | "onEvent"
  | "eventTypes"
  | "middleware"
  | "keepEnded"
  | "unresolved"
  | "onUnresolved";

/** What a transcoder is made with: the options of a reducer that judge events, and the two wires. */
export interface TranscoderOptions extends Omit<ReducerOptions, ReducerOnly> {
  from: Transport;
  /** Any wire of the protocol but "json", which has no framing. */
  to: Exclude<Transport, "json">;
  /**
   * true (default): events are judged as a reducer judges them, which keeps the model; what it refuses, drops or skips does not go out, and what it strips from
   * an event is gone. false: every object that decodes goes out, and nothing is kept.
   */
  enforce?: boolean;
  /** The protocol that is written: that of the events (default), or "agentue" for those of AG-UI (docs/adapter.md), with `to` a wire of AgentUE. */
  toProtocol?: Protocol;
  /** With `toProtocol: "agentue"` for AG-UI. */
  adapt?: AdapterOptions;
  /**
   * Whether small results (under 4 KiB at most) share larger buffers, as small `Buffer`s of Node do: that saves an allocation a call. `bytes.buffer` then holds other output
   * too, so it must be neither sent nor transferred. Default false: each result has a buffer of its own.
   */
  pool?: boolean;
}

/**
 * Turns the events of one wire into those of another, bytes to bytes (docs/transcoding.md). Every method but `close` throws `closed` after `close()`.
 * A call that throws loses nothing: what was written before comes with the next call that returns. A failure of the connection stays, and so does a
 * refused stream, until `reset()`.
 */
export interface Transcoder {
  /** Consumes the chunk, cut anywhere (a whole message for `from: "json"`); returns what it came to, owned by the caller. Throws as `push` of a reducer does. */
  push(chunk: ArrayBuffer | ArrayBufferView): Bytes;
  /** The end of the body: returns what its tail came to. `status` says whether the body was whole. A later `push` begins another body. */
  finish(): Bytes;
  /** "open" until `finish()`, then as the `status` it gives for a reducer; without enforcement "complete" is a body that was not cut inside of a message. */
  readonly status: "open" | "complete" | "truncated";
  stats(): Stats;
  /** Begins anew, as just made: the failure is forgotten, and so are models, halves that are held, losses that were told, counters, and output that no call has returned. */
  reset(): void;
  close(): void;
  [Symbol.dispose](): void;
}
