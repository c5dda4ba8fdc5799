import { describe, optionOf, readable } from "../arguments.js";
import type { Bytes } from "../bytes.js";
import type { Engine, FinishResult, ModelFormat, Reducer, StreamSelector, Transport } from "../engine/contract.js";
import { usageError } from "../errors.js";
import { toBytes } from "../reducer/bytes.js";
import { streamOf } from "../reducer/selectors.js";
import { beginStreams } from "./agentue.js";
import { reconnect } from "./joints.js";
import { type ReplayOptions, resolveOptions } from "./options.js";
import { write } from "./output.js";
import { Recording } from "./recording.js";
import { writeRest } from "./rest.js";
import { resumeRun } from "./resume-run.js";
import { has, type ReplayCursor, seek, streamOfCursor } from "./seek.js";
import { trim } from "./trim.js";

const DISPOSE: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for("Symbol.dispose");
type Chunk = ArrayBuffer | ArrayBufferView;

/** What is written for a consumer that comes later. */
export interface ResumeOptions {
  /** AgentUE: this logical stream alone. Default: all of them. */
  streamId?: string;
  /** The wire that is written; the log's own by default. "json" has no framing and cannot be written. */
  to?: Transport;
}

/** What a replay holds and has done. */
export interface ReplayStats {
  /** Bytes of the log that are kept. */
  bytes: number;
  /** Messages of the log, those that were trimmed included. */
  events: number;
  /** Messages that were trimmed. */
  trimmed: number;
  /** Of those that were accepted. */
  applied: number;
  checkpoints: number;
  /** Bytes of all checkpoints. */
  checkpointBytes: number;
  /** Messages that were read again to reach places, since the replay was made. */
  folded: number;
}

/** An event log and the models that it comes to at any place. Methods but `close` throw `closed` after `close()`. */
export interface Replay {
  /**
   * Adds bytes of the log, cut anywhere (on the wire "json" one message).
   *
   * @param chunk copied, unless the option `transfer` gives it away
   * @returns how many events were accepted
   * @throws StreamfoldError as `push` of a reducer; `limit` beyond `logBytes`, when nothing of the chunk is taken; `bad_argument` after `finish()`
   */
  append(chunk: Chunk): number;
  /**
   * Adds a whole log and ends it.
   *
   * @param source its bytes, or what gives them chunk by chunk
   * @throws what `append` throws, and the source's own error; what has come until then stays, and the log is not ended
   */
  load(source: Chunk | Iterable<Chunk> | AsyncIterable<Chunk> | ReadableStream<Chunk>): Promise<FinishResult>;
  /** Nothing comes any more, unless `reconnect()` begins another body. Truncation is a status. */
  finish(): FinishResult;
  /**
   * The connection that the log comes from was broken off, or its body has ended, and another one follows, as for a reducer: what is unfinished is dropped, a
   * failure is forgiven, and the next `append` begins a new body. Models, seqs and the last id stay, and the numbers of messages in the log go on.
   *
   * @throws StreamfoldError `out_of_memory` where there is none to find the place of a failure, when nothing has changed; `reentrant` while the log is being read
   */
  reconnect(): void;
  /**
   * Forgets the log before a place, whose memory goes back, and keeps a checkpoint of the place instead: cursors before it are refused from then on, and `has` is
   * false for them. Of AG-UI less goes where no events lead a consumer to the place.
   *
   * @returns bytes that the log has become shorter by
   * @throws StreamfoldError as `resumeFrom`; `reentrant` from inside of a listener while the log is being read
   */
  trim(cursor: ReplayCursor): number;
  /** "open" until `finish()`, and again from `reconnect()` on. */
  readonly status: "open" | FinishResult["status"];
  /**
   * Whether the log has a place, which costs finding it. For cursors that come from clients: what it is false for, the others refuse.
   *
   * @throws StreamfoldError `bad_argument` for what is no cursor at all, and for a seq of AG-UI
   */
  has(cursor: ReplayCursor): boolean;
  /**
   * The model at a place, undefined where the stream has none. The stream is that of the options, else that of the cursor, else the unnamed one.
   *
   * @throws StreamfoldError `bad_argument` for what is no cursor, and for an id, message or number that the log does not have
   */
  snapshotAt<Model = unknown>(
    cursor: ReplayCursor,
    options?: StreamSelector & { integers?: "number" | "bigint" },
  ): Model | undefined;
  /** The same as bytes. @throws StreamfoldError as `snapshotAt`; `no_model` where the stream has none */
  snapshotBytesAt(cursor: ReplayCursor, options?: StreamSelector & { format?: ModelFormat }): Bytes;
  /**
   * What brings a consumer to a place and on from there: the models at that place, then every accepted event behind it (AgentUE §6).
   *
   * @throws StreamfoldError `bad_argument` for what is no cursor, and for an id, message or number that the log does not have: ask `has` before when it comes from a client
   */
  resumeFrom(cursor: ReplayCursor, options?: ResumeOptions): Bytes;
  /** The models as they are now, and the ends of those that have ended. */
  resumeLatest(options?: ResumeOptions): Bytes;
  /** The logical streams, in the order they were opened. */
  streamIds(): string[];
  /** The last seq of a stream, or undefined. */
  seq(options?: StreamSelector): number | undefined;
  /** The last id of the SSE wire, or undefined. */
  readonly lastEventId: string | undefined;
  stats(): ReplayStats;
  close(): void;
  [Symbol.dispose](): void;
}

/**
 * A replay of an event log: models of any place in it, and what a consumer needs that resumes from there (AgentUE §6, docs/replay.md).
 *
 * @param engine folds the log; closing it closes the replay
 * @throws StreamfoldError `bad_argument`, `unsupported_transport` for options that are not as `ReplayOptions` says
 */
export function createReplay(engine: Engine, options: ReplayOptions): Replay {
  if (typeof optionOf(engine, "createReducer") !== "function")
    throw usageError("bad_argument", `a replay takes an engine, not ${describe(engine)}`);
  return new LogReplay(new Recording(engine, resolveOptions(options)));
}

class LogReplay implements Replay {
  readonly #recording: Recording;
  #closed = false;

  constructor(recording: Recording) {
    this.#recording = recording;
  }

  append(chunk: Chunk): number {
    return this.#open().append(toBytes(chunk, "a log is bytes"));
  }

  async load(source: Chunk | Iterable<Chunk> | AsyncIterable<Chunk> | ReadableStream<Chunk>): Promise<FinishResult> {
    this.#open();
    for await (const chunk of chunksOf(source)) this.append(chunk);
    return this.finish();
  }

  finish(): FinishResult {
    return this.#open().finish();
  }

  reconnect(): void {
    reconnect(this.#open());
  }

  trim(cursor: ReplayCursor): number {
    return trim(this.#open(), cursor);
  }

  get status(): "open" | FinishResult["status"] {
    return this.#recording.result?.status ?? "open";
  }

  has(cursor: ReplayCursor): boolean {
    return has(this.#open(), cursor);
  }

  snapshotAt<Model>(
    cursor: ReplayCursor,
    options?: StreamSelector & { integers?: "number" | "bigint" },
  ): Model | undefined {
    const streamId = streamAt(cursor, options, streamOf(options, "integers"));
    return this.#at(cursor, streamId, (reducer) => reducer.snapshot<Model>(readable(() => ({ ...options, streamId }))));
  }

  snapshotBytesAt(cursor: ReplayCursor, options?: StreamSelector & { format?: ModelFormat }): Bytes {
    const streamId = streamAt(cursor, options, streamOf(options, "format"));
    return this.#at(cursor, streamId, (reducer) => reducer.snapshotBytes(readable(() => ({ ...options, streamId }))));
  }

  resumeFrom(cursor: ReplayCursor, options?: ResumeOptions): Bytes {
    const recording = this.#open();
    const { streamId, to } = selected(options);
    if (recording.options.judging.protocol === "ag-ui") return resumeRun(recording, cursor, { streamId, to });
    return write(recording, to, (output) => {
      const walker = seek(recording, cursor, streamId ?? "");
      try {
        const reducer = walker?.reducer ?? recording.live;
        beginStreams(output, recording, reducer, streamId === undefined ? reducer.streamIds() : [streamId]);
        if (walker !== undefined) writeRest(output, recording, walker, streamId);
      } finally {
        walker?.close();
      }
    });
  }

  resumeLatest(options?: ResumeOptions): Bytes {
    const recording = this.#open();
    const { streamId, to } = selected(options);
    if (recording.options.judging.protocol === "ag-ui") return resumeRun(recording, undefined, { streamId, to });
    return write(recording, to, (output) => {
      const { live } = recording;
      beginStreams(output, recording, live, streamId === undefined ? live.streamIds() : [streamId]);
    });
  }

  streamIds(): string[] {
    return this.#open().live.streamIds();
  }

  seq(options?: StreamSelector): number | undefined {
    return this.#open().live.seq(options);
  }

  get lastEventId(): string | undefined {
    return this.#open().live.lastEventId;
  }

  stats(): ReplayStats {
    const { log, live, marks, folded, events, start } = this.#open();
    const { applied } = live.stats();
    return {
      bytes: log.length - log.begin,
      events,
      trimmed: start?.events ?? 0,
      applied,
      checkpoints: marks.list.length,
      checkpointBytes: marks.bytes,
      folded,
    };
  }

  close(): void {
    if (this.#closed) return;
    this.#recording.close();
    this.#closed = true;
  }

  [DISPOSE](): void {
    this.close();
  }

  #at<T>(cursor: ReplayCursor, streamId: string, read: (reducer: Reducer) => T): T {
    const recording = this.#open();
    const walker = seek(recording, cursor, streamId);
    if (walker === undefined) return read(recording.live);
    try {
      return read(walker.reducer);
    } finally {
      walker.close();
    }
  }

  #open(): Recording {
    if (this.#closed) throw usageError("closed");
    return this.#recording;
  }
}

/** The stream whose model is asked for, where the options do not name it that of the cursor. */
function streamAt(cursor: ReplayCursor, options: StreamSelector | undefined, named: string): string {
  return (optionOf(options, "streamId") === undefined ? streamOfCursor(cursor) : undefined) ?? named;
}

/** What a call wants written. */
function selected(options: ResumeOptions | undefined): { streamId: string | undefined; to: Transport | undefined } {
  const streamId = streamOf(options, "to");
  const isNamed = optionOf(options, "streamId") !== undefined;
  return { streamId: isNamed ? streamId : undefined, to: optionOf(options, "to") };
}

async function* chunksOf(
  source: Chunk | Iterable<Chunk> | AsyncIterable<Chunk> | ReadableStream<Chunk>,
): AsyncGenerator<Chunk> {
  if (ArrayBuffer.isView(source) || source instanceof ArrayBuffer) {
    yield source;
    return;
  }
  const given = source as Partial<AsyncIterable<Chunk> & Iterable<Chunk> & ReadableStream<Chunk>> | null;
  if (typeof given?.[Symbol.asyncIterator] === "function" || typeof given?.[Symbol.iterator] === "function") {
    yield* given as AsyncIterable<Chunk>;
  } else if (typeof given?.getReader === "function") {
    const reader = given.getReader();
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
    } finally {
      reader.releaseLock();
    }
  } else throw usageError("bad_argument", `a log is bytes, or what gives them, not ${describe(source)}`);
}
