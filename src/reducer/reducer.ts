import { optionOf } from "../arguments.js";
import type { Bytes } from "../bytes.js";
import type {
  ChangeSet,
  EngineAssembler,
  EngineSession,
  EventInfo,
  FinishResult,
  ForkOptions,
  Middleware,
  ModelFormat,
  Reducer,
  Reference,
  ReferencePause,
  Report,
  Stats,
  StreamSelector,
  StreamStatus,
} from "../engine/contract.js";
import { type Fault, StreamfoldError, usageError } from "../errors.js";
import { encodeText, isBufferSource, toBytes } from "./bytes.js";
import { type Delivered, type DescribeWarning, deliver, failureOf } from "./deliver.js";
import { resolveFork } from "./fork-options.js";
import { OBSERVE, ON_UNRESOLVED } from "./hooks.js";
import { aboutValue, jsonText, NO_TEXT } from "./json-text.js";
import type { Lending } from "./kept.js";
import type { Listeners } from "./options.js";
import type { PartialArguments } from "./partial-args.js";
import { blockIdOf, checkPosition, formatOf, streamOf } from "./selectors.js";
import type { Sessions } from "./sessions.js";

/** Where the runtime lacks `Symbol.dispose`, compilers that lower `using` look under this name. */
const DISPOSE: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for("Symbol.dispose");

/** Makes a reducer of an engine on sessions of its own. */
export type OpenReducer = (sessions: Sessions, listeners: Listeners) => ReducerHandle;

/** What depends on the protocols of an engine. */
export interface ReducerParts {
  describe: DescribeWarning;
  /** Reads the arguments of AG-UI tool calls. */
  partialArguments?: PartialArguments;
}

/** Internal: how a frame assembler hands a block to a reducer. Registered, since two copies of the package may meet. */
export const MATERIALIZE: unique symbol = Symbol.for("streamfold.materialize");

type Selector<T = unknown> = StreamSelector & T;

/**
 * The public reducer: checks arguments, picks the session, calls listeners, decides what is thrown. The rules of the protocol live
 * in the sessions.
 */
export class ReducerHandle implements Reducer {
  readonly #sessions: Sessions;
  readonly #listeners: Listeners;
  readonly #onClose: () => void;
  readonly #open: OpenReducer;
  /** As the application gave it. */
  readonly #middleware: Middleware | undefined;
  /** Warnings and errors one call delivers at most. */
  readonly #mostReports: number;
  /** A whole message a push: an empty one is a message too. */
  readonly #wholeMessages: boolean;
  readonly #reports: Report[] = [];
  readonly #parts: ReducerParts;
  readonly #lending: Lending;
  #onRestore: (() => void) | undefined;
  #closed = false;
  /** The connection has failed and its listener was told; the session reports the same failure at every push. */
  #failed = false;
  /** A listener, or code inside a value of the caller's, is running. */
  #busy = false;

  /**
   * @param open makes another reducer of the engine
   * @param parts what depends on the protocols of the engine
   */
  constructor(
    sessions: Sessions,
    listeners: Listeners,
    lending: Lending,
    onClose: () => void,
    open: OpenReducer,
    parts: ReducerParts,
  ) {
    this.#parts = parts;
    this.#lending = lending;
    this.#open = open;
    this.#sessions = sessions;
    this.#listeners = listeners;
    this.#onClose = onClose;
    this.#mostReports = sessions.options.limits.reports;
    this.#wholeMessages = sessions.options.transport === "json";
    const middleware = sessions.options.agui?.middleware;
    this.#middleware = middleware === undefined ? undefined : Object.assign(Object.create(null), middleware);
    for (const [type, handle] of Object.entries(middleware ?? {})) {
      middleware![type] = (event) => this.#guarded(() => handle(event));
    }
    const adapt = sessions.options.transcode?.adapt;
    if (adapt?.block !== undefined) {
      const { block } = adapt;
      adapt.block = (...given) => this.#guarded(() => block(...given));
    }
  }

  push(chunk: ArrayBuffer | ArrayBufferView): number {
    this.#enter();
    let session: EngineSession;
    let applied: number;
    try {
      // asked at each token: `toBytes` of every chunk is a tenth of a push
      const bytes = chunk instanceof Uint8Array ? chunk : toBytes(chunk, hint(chunk));
      session = this.#sessions.wire ?? this.#sessionFor(bytes);
      applied = session.push(bytes, this.#reports);
    } catch (error) {
      throw this.#broken(aboutChunk(error, chunk));
    }
    if (this.#reports.length > 0) {
      if (this.#failed) throw this.#failedBefore(session);
      this.#settle(session, applied, true);
    }
    return applied;
  }

  apply(event: unknown): number {
    this.#enter();
    return typeof event === "string" ? this.#applyText(encodeText(event)) : this.#applyValue(event);
  }

  finish(): FinishResult {
    this.#enter();
    const session = this.#sessions.any();
    let applied: number;
    try {
      applied = session.finish(this.#reports);
    } catch (error) {
      throw this.#broken(error);
    }
    if (this.#reports.length > 0) this.#settle(session, applied, true);
    return session.finishResult();
  }

  reconnect(): void {
    this.#enter();
    this.#sessions.any().reconnect();
    this.#failed = false;
  }

  load(model: unknown, options?: Selector<{ seq?: number; format?: ModelFormat }>): void {
    this.#enter();
    const streamId = streamOf(options, "seq", "format");
    const format = formatOf(options, this.#sessions.textOnly);
    const seq = checkPosition("seq", optionOf(options, "seq"));
    const text = format === "json" ? textInput(model) : toBytes(model, "a model in MessagePack comes as bytes");
    const session = text === undefined ? this.#sessions.any() : this.#sessions.bytes();
    raise(
      text === undefined && session.loadValue !== undefined
        ? this.#guarded(() => session.loadValue!(streamId, seq, model))
        : this.#withText(text, model, (bytes) => session.load(streamId, seq, bytes, format)),
    );
  }

  checkpoint(): Bytes {
    this.#alive();
    return this.#sessions.any().checkpoint();
  }

  restore(bytes: Uint8Array): void {
    this.#enter();
    this.#sessions.restore(toBytes(bytes, "restore takes what checkpoint() gave"));
    this.#failed = false;
    this.#parts.partialArguments?.clear();
    this.#onRestore?.();
  }

  materialize(block: unknown, options?: Selector<{ id?: string }>): void {
    this.#enter();
    if (this.#sessions.options.agui !== undefined) throw usageError("bad_argument", "AG-UI has no references");
    const streamId = streamOf(options, "id");
    const id = blockIdOf(options);
    const text = textInput(block);
    const session = text === undefined ? this.#sessions.any() : this.#sessions.bytes();
    raise(
      text === undefined && session.materializeValue !== undefined
        ? this.#guarded(() => session.materializeValue!(streamId, block, id))
        : this.#withText(text, block, (json) => session.materialize(streamId, json, id)),
    );
  }

  unresolved(options?: Selector<{ id?: string }>): Reference | undefined {
    this.#alive();
    return this.#sessions.any().unresolved(streamOf(options, "id"), blockIdOf(options));
  }

  /** `materialize` for a whole block of an assembler, inside of the core where both are of one. */
  [MATERIALIZE](assembler: EngineAssembler, blockId: string, options: StreamSelector | undefined): void {
    this.#enter();
    if (this.#sessions.options.agui !== undefined) throw usageError("bad_argument", "AG-UI has no references");
    const streamId = streamOf(options);
    const session = this.#sessions.bytes();
    const done =
      session.materializeAssembled === undefined ? false : session.materializeAssembled(streamId, assembler, blockId);
    raise(done === false ? session.materialize(streamId, assembler.text(blockId)!) : done);
  }

  pause(options?: StreamSelector): void {
    this.#enter();
    raise(this.#sessions.any().pause(streamOf(options)));
  }

  resume(options?: Selector<{ skip?: boolean }>): number {
    this.#enter();
    const streamId = streamOf(options, "skip");
    const skip = optionOf(options, "skip") ?? false;
    if (typeof skip !== "boolean") throw usageError("bad_argument", "skip must be true or false");
    const session = this.#sessions.any();
    let applied: number;
    try {
      applied = session.resume(streamId, this.#reports, skip);
    } catch (error) {
      throw this.#broken(error);
    }
    if (this.#reports.length > 0) this.#settle(session, applied, false);
    return applied;
  }

  snapshot<Model>(options?: Selector<{ integers?: "number" | "bigint" }>): Model | undefined {
    this.#alive();
    const integers = optionOf(options, "integers") ?? "number";
    if (integers !== "number" && integers !== "bigint") {
      throw usageError("bad_argument", 'integers must be "number" or "bigint"');
    }
    return this.#sessions.any().snapshot(streamOf(options, "integers"), integers) as Model | undefined;
  }

  snapshotBytes(options?: Selector<{ format?: ModelFormat }>): Bytes {
    return this.withSnapshotBytes((view) => new Uint8Array(view), options);
  }

  withSnapshotBytes<T>(use: (view: Uint8Array) => T, options?: Selector<{ format?: ModelFormat }>): T {
    this.#alive();
    if (typeof use !== "function") throw usageError("bad_argument", "the callback must be a function");
    const format = formatOf(options, this.#sessions.textOnly);
    const streamId = streamOf(options, "format");
    const session = this.#sessions.any();
    let answer: { value: T } | Fault | undefined;
    this.#lending.active = true;
    try {
      answer = session.withSnapshotBytes(streamId, format, use);
    } finally {
      this.#lending.active = false;
    }
    if (answer === undefined) throw new StreamfoldError({ code: "no_model", streamId });
    if ("code" in answer) throw new StreamfoldError(answer);
    return answer.value;
  }

  changes(options?: Selector<{ since?: number }>): ChangeSet {
    this.#alive();
    return this.#sessions.any().changes(streamOf(options, "since"), checkPosition("since", optionOf(options, "since")));
  }

  status(options?: StreamSelector): StreamStatus {
    this.#alive();
    return this.#sessions.any().status(streamOf(options));
  }

  seq(options?: StreamSelector): number | undefined {
    this.#alive();
    return this.#sessions.any().seq(streamOf(options));
  }

  stats(options?: StreamSelector): Stats {
    this.#alive();
    const streamId = streamOf(options);
    return this.#sessions.any().stats(optionOf(options, "streamId") === undefined ? undefined : streamId);
  }

  streamIds(): string[] {
    this.#alive();
    const { current, options } = this.#sessions;
    // a resolver asks a new reducer, which has to be able to report events afterwards
    if (current === undefined && options.agui === undefined) return [];
    return this.#sessions.any().streamIds();
  }

  get lastEventId(): string | undefined {
    this.#alive();
    return this.#sessions.any().lastEventId;
  }

  get retry(): number | undefined {
    this.#alive();
    return this.#sessions.any().retry;
  }

  release(options?: StreamSelector): boolean {
    this.#enter();
    return this.#sessions.any().release(streamOf(options));
  }

  fork(options?: ForkOptions): Reducer {
    this.#enter();
    const copy = this.#middleware && Object.assign(Object.create(null), this.#middleware);
    const { streamId, as, session, listeners } = resolveFork(options, this.#sessions.options, copy);
    if (as !== streamId && this.#sessions.any().stats(streamId).queued > 0) {
      throw usageError("bad_argument", "a stream with a queue keeps its id: its events say whose they are");
    }
    return this.#open(this.#sessions.fork(streamId, as, session), listeners);
  }

  partialArgs<Value>(toolCallId: string): Value | undefined {
    this.#alive();
    if (typeof toolCallId !== "string") throw usageError("bad_argument", "toolCallId must be a string");
    const { onWarning } = this.#listeners;
    return this.#parts.partialArguments?.valueOf(this.#sessions.any(), toolCallId, onWarning) as Value | undefined;
  }

  reset(): void {
    this.#enter();
    this.#sessions.any().reset();
    this.#failed = false;
    this.#parts.partialArguments?.clear();
  }

  close(): void {
    if (this.#closed) return;
    this.#enter();
    this.#closed = true;
    this.#onClose();
    this.#sessions.close();
  }

  [DISPOSE](): void {
    this.close();
  }

  /** Whether a callback is running, so that the engine must not be closed now. */
  get busy(): boolean {
    return this.#busy;
  }

  [OBSERVE](listener: (event: unknown, info: EventInfo) => void): void {
    this.#enter();
    if (!this.#sessions.reportEvents()) {
      throw usageError("bad_argument", "a reducer without onEvent that has been used cannot emit events any more");
    }
    const former = this.#listeners.onEvent;
    this.#listeners.onEvent = (event, info) => {
      try {
        former?.(event, info);
      } finally {
        listener(event, info);
      }
    };
  }

  [ON_UNRESOLVED](listener: (pause: ReferencePause | undefined) => void): () => void {
    this.#enter();
    if (this.#sessions.options.unresolved !== "pause")
      throw usageError("bad_argument", 'the reducer must have been made with unresolved: "pause"');
    if (this.#onRestore !== undefined) throw usageError("bad_argument", "the reducer has a resolver");
    const former = this.#listeners.onUnresolved;
    this.#onRestore = () => listener(undefined);
    this.#listeners.onUnresolved = (pause) => {
      try {
        former?.(pause);
      } finally {
        listener(pause);
      }
    };
    return () => {
      this.#onRestore = undefined;
      this.#listeners.onUnresolved = former;
    };
  }

  /** Guard of calls that read. */
  #alive(): void {
    if (this.#closed) throw usageError("closed");
    if (this.#lending.active) throw usageError("reentrant");
  }

  /** Guard of calls that feed, change or close. */
  #enter(): void {
    if (this.#closed) throw usageError("closed");
    if (this.#busy || this.#lending.active) throw usageError("reentrant");
  }

  /** Runs what may call code of the caller's, such as the traps of a proxy. */
  #guarded<T>(run: () => T): T {
    const before = this.#busy;
    this.#busy = true;
    try {
      return run();
    } finally {
      this.#busy = before;
    }
  }

  /** A value as JSON text, or why it has none; its proxies may run code of the caller's. */
  #textOf(value: unknown): Uint8Array | Fault {
    return this.#guarded(() => jsonText(value, this.#sessions.options.limits.depth));
  }

  /** Hands on the text that was given, else that of the value. */
  #withText(
    text: Uint8Array | undefined,
    value: unknown,
    use: (json: Uint8Array) => Fault | undefined,
  ): Fault | undefined {
    const json = text ?? this.#textOf(value);
    return "code" in json ? json : use(json);
  }

  /** The session for a chunk when no bytes have come yet; an empty chunk is no reason to leave the object session. */
  #sessionFor(bytes: Uint8Array): EngineSession {
    return bytes.length === 0 && !this.#wholeMessages ? this.#sessions.any() : this.#sessions.bytes();
  }

  #applyText(text: Uint8Array): number {
    const session = this.#sessions.bytes();
    let applied: number;
    try {
      applied = session.applyText(text, this.#reports);
    } catch (error) {
      throw this.#broken(error);
    }
    if (this.#reports.length > 0) this.#settle(session, applied, false);
    return applied;
  }

  /** A value for a session that takes text only. */
  #applyAsText(session: EngineSession, event: unknown): number {
    const json = this.#textOf(event);
    const fault = "code" in json ? json : undefined;
    // What is no JSON is the caller's mistake and no message; what is too deep is a message like one that comes as text.
    if (fault?.code === "not_json") throw failureOf(new StreamfoldError(fault), 0, []);
    let applied: number;
    try {
      applied = session.applyText("code" in json ? NO_TEXT : json, this.#reports, true);
    } catch (error) {
      throw this.#broken(error);
    }
    aboutValue(this.#reports, fault);
    if (this.#reports.length > 0) this.#settle(session, applied, false);
    return applied;
  }

  #applyValue(event: unknown): number {
    const session = this.#sessions.current ?? this.#sessions.any();
    if (session.applyValue === undefined) return this.#applyAsText(session, event);
    let applied: number;
    this.#busy = true;
    try {
      applied = session.applyValue(event, this.#reports);
    } catch (error) {
      throw this.#broken(error);
    } finally {
      this.#busy = false;
    }
    if (this.#reports.length > 0) this.#settle(session, applied, false);
    return applied;
  }

  /** Delivers what a call had reported before its engine failed, and gives back the engine's error. */
  #broken(error: unknown): unknown {
    const { errors, thrown } = this.#deliver();
    if (!(error instanceof StreamfoldError)) return error;
    if (thrown !== undefined) error.cause = thrown.value;
    return errors.length > 0 ? failureOf(error, error.applied ?? 0, errors) : error;
  }

  #deliver(): Delivered {
    this.#busy = true;
    const delivered = deliver(this.#reports, this.#listeners, this.#parts.describe);
    this.#reports.length = 0;
    this.#busy = false;
    return delivered;
  }

  /**
   * Delivers the reports of a call and throws what is to be thrown: without `onError` the first error, with it a failed connection
   * (only of calls that read the wire), a usage error in any case; else the first exception of a listener, which otherwise becomes the error's `cause`.
   */
  #settle(session: EngineSession, applied: number, wire: boolean): void {
    const full = this.#reports.length >= this.#mostReports;
    const { errors, thrown } = this.#deliver();
    const last = errors.at(-1);
    // A failed connection comes last; beyond the most reports nobody has been told, and the next push does it.
    if (wire && last !== undefined && last.scope !== "stream") this.#failed = session.failure()?.code === last.code;
    const first = this.#listeners.onError === undefined ? errors[0] : this.#toThrow(session, errors, wire, full);
    if (first === undefined) {
      if (thrown !== undefined) throw thrown.value;
      return;
    }
    if (thrown !== undefined) first.cause = thrown.value;
    throw failureOf(first, applied, errors);
  }

  /** The error of a push on a connection that had failed before: thrown only, since its listener knows. */
  #failedBefore(session: EngineSession): StreamfoldError {
    this.#reports.length = 0;
    return failureOf(new StreamfoldError(session.failure()!), 0, []);
  }

  /** What is thrown although there is an `onError`. */
  #toThrow(
    session: EngineSession,
    errors: StreamfoldError[],
    wire: boolean,
    full: boolean,
  ): StreamfoldError | undefined {
    const misuse = errors.find((error) => error.scope === "usage");
    if (misuse !== undefined || !wire || (errors.length === 0 && !full)) return misuse;
    const fault = session.failure();
    if (fault === undefined) return undefined;
    // It comes last; beyond the most reports it is not among the errors.
    const last = errors.at(-1);
    return last?.code === fault.code ? last : new StreamfoldError(fault);
  }
}

/** JSON text, when a model or block comes as text or bytes. */
function textInput(value: unknown): Uint8Array | undefined {
  if (typeof value === "string") return encodeText(value);
  return isBufferSource(value) ? toBytes(value, "") : undefined;
}

function raise(fault: Fault | undefined): void {
  if (fault !== undefined) throw new StreamfoldError(fault);
}

/** What a call has thrown over a chunk that was taken for ordinary bytes: an error of its own when it is none. */
function aboutChunk(error: unknown, chunk: unknown): unknown {
  if (error instanceof StreamfoldError) return error;
  try {
    if (toBytes(chunk, hint(chunk)).length === (chunk as Uint8Array).length) return error;
  } catch (misuse) {
    if (misuse instanceof StreamfoldError) return misuse;
  }
  return usageError("bad_argument", `the bytes cannot be read; ${hint(chunk)}`);
}

function hint(chunk: unknown): string {
  if (typeof chunk !== "string") return "push takes wire bytes, apply takes events";
  return "encode wire text as UTF-8 (new TextEncoder().encode(text)), or use apply(text) for the JSON of one event";
}
