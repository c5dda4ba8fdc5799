import type {
  Engine,
  FinishResult,
  Gap,
  Protocol,
  Reducer,
  ReducerOptions,
  ReferencePause,
  StreamStatus,
  Transport,
} from "../../src/engine/contract.js";
import { StreamfoldError } from "../../src/errors.js";
import { canonical } from "./exact-json.js";

/** A failure as plain data; members that the error does not have are absent. */
export interface ErrorRecord {
  code: string;
  scope: string;
  streamId?: string;
  seq?: number;
  eventIndex?: number;
  byteOffset?: number;
  path?: string;
  opIndex?: number;
  /** AG-UI: without the position at its end. */
  message?: string;
}

export interface WarningRecord {
  code: string;
  path?: string;
  streamId?: string;
  seq?: number;
  eventIndex: number;
  /** AG-UI, like the members below. */
  message?: string;
  eventType?: string;
  subject?: string;
  opIndex?: number;
  position?: number;
}

/** What the listeners were told, in the order they were told. */
export type Entry =
  | { kind: "event"; streamId: string; eventIndex: number; event: unknown }
  | { kind: "warning"; warning: WarningRecord }
  | { kind: "error"; error: ErrorRecord }
  | { kind: "gap"; gap: Gap }
  | { kind: "unresolved"; pause: ReferencePause };

export interface StreamState {
  streamId: string;
  status: StreamStatus;
  seq: number | undefined;
  version: number;
  /** The model as canonical text (test/support/exact-json.ts), or undefined without one. */
  model: string | undefined;
}

export type Options = Omit<
  ReducerOptions,
  "protocol" | "transport" | "onEvent" | "onWarning" | "onError" | "onGap" | "onUnresolved"
> & {
  /** Default "agentue". */
  protocol?: Protocol;
};

const POSITION = ["streamId", "seq", "eventIndex", "byteOffset", "path", "opIndex"] as const;

/** The status in the run of an AG-UI snapshot; what stands before it are strings. */
const RUN_STATUS = /(.*"run":\{(?:"\w+":"(?:[^"\\]|\\.)*",)*?)"status":"\w+"/;

export function errorRecord(error: StreamfoldError): ErrorRecord {
  const record: Record<string, unknown> = { code: error.code, scope: error.scope };
  for (const name of POSITION) if (error[name] !== undefined) record[name] = error[name];
  return record as unknown as ErrorRecord;
}

/** The StreamfoldError that `use` throws, as plain data, or undefined; anything else that is thrown passes through. */
export function thrown(use: () => unknown): ErrorRecord | undefined {
  try {
    use();
  } catch (error) {
    if (error instanceof StreamfoldError) return errorRecord(error);
    throw error;
  }
  return undefined;
}

/** A reducer together with everything it reports. */
export class Fold {
  readonly reducer: Reducer;
  readonly log: Entry[] = [];
  /** What the errors of AgentUE said, without their positions; those of AG-UI are in the log. */
  readonly sentences: string[] = [];
  /** Sum of what push, apply, resume and finish returned or threw as `applied`. */
  applied = 0;
  /** The connection's failure, once there is one. */
  failure: ErrorRecord | undefined;

  readonly #transport: Transport;
  readonly #options: Options;
  readonly #listenToEvents: boolean;

  constructor(engine: Engine, transport: Transport, options: Options = {}, listenToEvents = true) {
    this.#transport = transport;
    this.#options = options;
    this.#listenToEvents = listenToEvents;
    this.reducer = engine.createReducer({ protocol: "agentue", transport, ...options, ...this.#listeners() });
  }

  /** A fold of the same kind on another engine that goes on where this one is; the log is carried over, this one is closed. */
  migrate(to: Engine): Fold {
    const bytes = this.reducer.checkpoint();
    const next = new Fold(to, this.#transport, this.#options, this.#listenToEvents);
    next.reducer.restore(bytes);
    bytes.fill(0x21);
    next.log.push(...this.log);
    next.sentences.push(...this.sentences);
    next.applied = this.applied;
    this.reducer.close();
    return next;
  }

  /** Pushes a copy and overwrites it afterwards, so that an engine that keeps the caller's bytes is found out. */
  push(chunk: Uint8Array): number {
    const copy = chunk.slice();
    const count = this.#run(() => this.reducer.push(copy));
    copy.fill(0x7b);
    return count;
  }

  /** Faults of the text are the connection's in scope, but not sticky here. */
  apply(event: unknown): number {
    const failure = this.failure;
    this.failure = undefined;
    const count = this.#run(() => this.reducer.apply(event));
    this.failure = failure;
    return count;
  }

  resume(streamId: string, skip = false): number {
    return this.#run(() => this.reducer.resume({ streamId, skip }));
  }

  finish(): FinishResult {
    let result: FinishResult | undefined;
    this.#run(() => {
      const before = this.reducer.stats().applied;
      result = this.reducer.finish();
      return this.reducer.stats().applied - before;
    });
    return result ?? this.reducer.finish();
  }

  /** Forgets the failure, as the reducer does. */
  reconnect(): void {
    this.reducer.reconnect();
    this.failure = undefined;
  }

  stream(streamId: string): StreamState {
    const selector = { streamId };
    const model = this.#model(streamId);
    return {
      streamId,
      status: this.reducer.status(selector),
      seq: this.reducer.seq(selector),
      version: this.reducer.stats(selector).version,
      model: model === undefined ? undefined : canonical(model),
    };
  }

  streams(): StreamState[] {
    return this.reducer.streamIds().map((id) => this.stream(id));
  }

  get #isAgui(): boolean {
    return this.#options.protocol === "ag-ui";
  }

  /** Seq, version and the very bytes of every model: what a refused event must not change, but for the status and, in AG-UI, its version. */
  fingerprint(): string {
    return this.reducer
      .streamIds()
      .map((streamId) => {
        const rejection = this.#isAgui && this.reducer.status({ streamId }) === "rejected" ? 1 : 0;
        const version = this.reducer.stats({ streamId }).version - rejection;
        const text = new TextDecoder().decode(this.#model(streamId));
        const bytes = this.#isAgui ? text.replace(RUN_STATUS, "$1") : text;
        return JSON.stringify([streamId, this.reducer.seq({ streamId }) ?? null, version, bytes]);
      })
      .join("\n");
  }

  get errors(): ErrorRecord[] {
    return this.log.flatMap((entry) => (entry.kind === "error" ? [entry.error] : []));
  }

  get warnings(): WarningRecord[] {
    return this.log.flatMap((entry) => (entry.kind === "warning" ? [entry.warning] : []));
  }

  get gaps(): Gap[] {
    return this.log.flatMap((entry) => (entry.kind === "gap" ? [entry.gap] : []));
  }

  get pauses(): ReferencePause[] {
    return this.log.flatMap((entry) => (entry.kind === "unresolved" ? [entry.pause] : []));
  }

  get events(): unknown[] {
    return this.log.flatMap((entry) => (entry.kind === "event" ? [entry.event] : []));
  }

  #model(streamId: string): Uint8Array | undefined {
    return this.reducer.status({ streamId }) === "none" ? undefined : this.reducer.snapshotBytes({ streamId });
  }

  /** Counts what was applied; a connection failure is kept, and once there is one it must be thrown again and again. */
  #run(use: () => number): number {
    const reported = this.log.length;
    let count = 0;
    try {
      count = use();
    } catch (error) {
      if (!(error instanceof StreamfoldError) || error.scope !== "connection") throw error;
      count = error.applied ?? 0;
      const record = errorRecord(error);
      if (this.failure === undefined) this.failure = record;
      else {
        if (JSON.stringify(record) !== JSON.stringify(this.failure)) {
          throw new Error(
            `a failed connection must repeat ${JSON.stringify(this.failure)}, not ${JSON.stringify(record)}`,
          );
        }
        this.log.length = reported;
      }
    }
    this.applied += count;
    return count;
  }

  #listeners(): Pick<ReducerOptions, "onEvent" | "onWarning" | "onError" | "onGap" | "onUnresolved"> {
    const log = this.log;
    if (this.#isAgui) return this.#aguiListeners();
    return {
      ...(this.#listenToEvents ? { onEvent: (event, info) => void log.push({ kind: "event", ...info, event }) } : {}),
      onWarning: ({ message: _, ...warning }) => void log.push({ kind: "warning", warning: defined(warning) }),
      onError: (error) => {
        log.push({ kind: "error", error: errorRecord(error) });
        this.sentences.push(sentence(error.message));
      },
      onGap: (gap) => void log.push({ kind: "gap", gap: { ...gap } }),
      onUnresolved: (pause) => void log.push({ kind: "unresolved", pause: { ...pause } }),
    };
  }

  /** With their messages: those of AG-UI say what was expected, of what, and by which name. */
  #aguiListeners(): Pick<ReducerOptions, "onEvent" | "onWarning" | "onError"> {
    const log = this.log;
    return {
      ...(this.#listenToEvents ? { onEvent: (event, info) => void log.push({ kind: "event", ...info, event }) } : {}),
      onWarning: (warning) => void log.push({ kind: "warning", warning: defined(inOrder(warning)) }),
      onError: (error) => {
        const record = { ...errorRecord(error), message: sentence(error.message) };
        log.push({ kind: "error", error: record });
      },
    };
  }
}

/** The sentence alone: where a stream's fault lies in the wire is only a help, and not the same for every transport. */
function sentence(message: string): string {
  return message.replace(/ \[(?:event|byte|stream) [^\]]*\]$/, "");
}

/** The members by name: engines need not agree on their order. */
function inOrder<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) as T;
}

function defined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}
