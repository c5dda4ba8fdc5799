import { expectOptions, optionOf, readable } from "../arguments.js";
import type { SlimReducer, ReferencePause, StreamSelector } from "../engine/contract.js";
import { StreamfoldError, usageError } from "../errors.js";
import { ON_UNRESOLVED } from "../reducer/hooks.js";
import { type Load, Loads, type Outcome } from "./loads.js";
import { listReferences } from "./references.js";
import type { AgentUEModel } from "./types.js";

/** What a loader is asked for: the inline body of one block (AgentUE §3.4). */
export interface LoadRequest {
  /** `""` is the unnamed stream. */
  streamId: string;
  /** The block; the answer must have this id. */
  id: string;
  /** Its opaque key. Several blocks may have the same one: each is asked for by itself. */
  ref: string;
  /** The model's `biz`, which selects the application that the key belongs to. */
  biz: string;
  /** Aborted when nobody waits for the answer any more: after the timeout, `close()`, or when the model was replaced. */
  signal: AbortSignal;
}

/** A block of a stream. */
export interface BlockAddress {
  /** `""` is the unnamed stream. */
  streamId: string;
  id: string;
}

/** The reference that an error is about. */
export interface FailedReference extends BlockAddress {
  ref: string;
}

export interface ResolverOptions {
  /**
   * The application's loader: gives one complete inline block of the id that it is asked for, as a value or as JSON (text or bytes), or throws. It may be
   * async, and may use the reducer.
   */
  load(request: LoadRequest): unknown;
  /**
   * Hears of everything that fails: `load_failed` for a body that could not be had or is none (`cause` says why), and what `resume` throws when a queued
   * event is refused and the reducer has no `onError`. The stream stays paused until `retry` or `skip`.
   */
  onError(error: StreamfoldError, reference: FailedReference): void;
  /** Loads at a time. Default 4. */
  concurrency?: number;
  /** Milliseconds for one load; Infinity for no bound. Default 30,000. */
  timeout?: number;
  /** Aborting it closes the resolver. */
  signal?: AbortSignal;
}

/**
 * Loads the bodies that streams wait for. Every method but `idle` and `close` throws `closed` after `close()`, and what the reducer throws.
 */
export interface Resolver {
  /**
   * Materializes every reference of a model, those that come in meanwhile included: for a consumer that knows inline blocks only (AgentUE §3.5), or before a
   * model is shown. Rejects with the first failure, of which `onError` heard as well; `no_model`; `closed`.
   */
  resolveAll(options?: StreamSelector): Promise<void>;
  /**
   * Loads a body again that could not be had, or lets a stream go on that found no memory for what waited behind it. False: no stream waits for it, or it is
   * being loaded.
   */
  retry(block: Partial<StreamSelector> & { id: string }): boolean;
  /**
   * Drops the event that a stream waits with: it is refused with `unresolved_reference` (which goes to the reducer's `onError`, else to the resolver's), and
   * the stream goes on behind it. False: the stream does not wait, or not for the block of that `id` (the address that `onError` gives may be passed as it is).
   */
  skip(options?: StreamSelector & { id?: string }): boolean;
  /** Resolves as soon as nothing is being loaded and no load waits. What could not be had is listed in `failures()`. */
  idle(): Promise<void>;
  /** The blocks that streams wait for and that could not be had, in the order they failed; then those behind which a stream found no memory to go on. */
  failures(): BlockAddress[];
  /** Aborts all loads and lets go of the reducer, whose streams stay as they are. Idempotent. */
  close(): void;
}

const CONCURRENCY = 4;
const TIMEOUT = 30_000;
/** Longer times make timers fire at once. */
const MOST_MILLISECONDS = 0x7fff_ffff;

/**
 * Lets streams of a reducer go on that have paused before a patch of a reference (docs/references.md): the application's loader supplies the body, which takes
 * the reference's place, and what waited is applied in order. Nothing is lost or doubled, and `seq()` never claims what is not applied.
 *
 * @param reducer made with `unresolved: "pause"`; it has no other resolver. It stays the caller's
 * @returns the resolver; it takes care of streams that wait already, as after `restore`
 * @throws StreamfoldError `bad_argument` for options that are not valid, or another reducer
 */
export function createResolver(reducer: SlimReducer, options: ResolverOptions): Resolver {
  return new ReferenceResolver(reducer, options);
}

/** Who wants to know what became of a load. */
interface Job extends Load {
  failed: boolean;
  readonly waiters: ((failure: StreamfoldError | undefined) => void)[];
}

interface Stalled extends FailedReference {
  readonly skip: boolean;
}

interface Observed {
  [ON_UNRESOLVED](listener: (pause: ReferencePause | undefined) => void): () => void;
}

class ReferenceResolver implements Resolver {
  readonly #reducer: SlimReducer;
  readonly #onError: ResolverOptions["onError"];
  readonly #loads: Loads;
  readonly #jobs = new Map<string, Job>();
  /** By stream: what it was resumed for when memory ran out. It is in an ordinary pause then. */
  readonly #stalled = new Map<string, Stalled>();
  readonly #detach: () => void;
  readonly #idle: (() => void)[] = [];
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = (): void => this.close();
  #closed = false;

  constructor(reducer: SlimReducer, options: ResolverOptions) {
    const { load, onError, concurrency, timeout, signal } = checked(reducer, options);
    this.#reducer = reducer;
    this.#onError = onError;
    this.#signal = signal;
    this.#loads = new Loads(
      concurrency,
      timeout,
      ({ streamId, id, ref, biz }, aborted) => load({ streamId, id, ref, biz, signal: aborted }),
      (job, outcome) => this.#settle(job as Job, outcome),
    );
    this.#detach = (reducer as unknown as Observed)[ON_UNRESOLVED]((pause) => {
      if (pause === undefined) this.#begin();
      else this.#look(pause.streamId);
    });
    if (signal?.aborted) this.close();
    else {
      signal?.addEventListener("abort", this.#onAbort, { once: true });
      this.#begin();
    }
  }

  async resolveAll(options?: StreamSelector): Promise<void> {
    const streamId = streamOf(options);
    for (;;) {
      this.#alive();
      const model = this.#reducer.snapshot<AgentUEModel>({ streamId });
      if (model === undefined) throw new StreamfoldError({ code: "no_model", streamId });
      const references = listReferences(model);
      if (references.length === 0) return;
      const failures = await Promise.all(references.map(({ id }) => this.#request(streamId, id)));
      for (const failure of failures) if (failure !== undefined) throw failure;
    }
  }

  retry(reference: Partial<StreamSelector> & { id: string }): boolean {
    this.#alive();
    const streamId = streamOf(reference, "id");
    const id = optionOf(reference, "id") as string;
    const job = this.#jobs.get(keyOf(streamId, id));
    if (job === undefined) return this.#stall(streamId)?.id === id && this.#goOn(streamId);
    if (!job.failed) return false;
    // The reference may be gone, or be another one.
    this.#jobs.delete(keyOf(streamId, id));
    const awaited = this.#reducer.unresolved({ streamId });
    if (awaited?.id !== id) return false;
    this.#enter(streamId, id);
    return true;
  }

  skip(options?: StreamSelector & { id?: string }): boolean {
    this.#alive();
    const streamId = streamOf(options, "id");
    const id = optionOf(options, "id");
    const awaited = this.#reducer.unresolved({ streamId });
    if (id !== undefined && id !== (awaited ?? this.#stall(streamId))?.id) return false;
    if (awaited === undefined) return this.#goOn(streamId);
    const job = this.#jobs.get(keyOf(streamId, awaited.id));
    if (job !== undefined && job.waiters.length === 0) this.#drop(job);
    this.#resume({ streamId, id: awaited.id, ref: awaited.ref }, true);
    this.#rest();
    return true;
  }

  idle(): Promise<void> {
    return this.#loads.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#idle.push(resolve));
  }

  failures(): BlockAddress[] {
    this.#alive();
    this.#sweep();
    const failed = [...this.#jobs.values()].filter((job) => job.failed);
    const stalled = [...this.#stalled.keys()].flatMap((streamId) => this.#stall(streamId) ?? []);
    return [...failed, ...stalled].map(({ streamId, id }) => ({ streamId, id }));
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#detach();
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#loads.cancelAll();
    const jobs = [...this.#jobs.values()];
    this.#jobs.clear();
    for (const job of jobs) tell(job, usageError("closed"));
    this.#rest();
  }

  #alive(): void {
    if (this.#closed) throw usageError("closed");
  }

  /** Everything may be another: looks for streams that wait. */
  #begin(): void {
    this.#stalled.clear();
    for (const streamId of this.#reducer.streamIds()) this.#look(streamId);
  }

  /** Loads what a stream waits for. One that has met a reference again after a failure tries again. */
  #look(streamId: string): void {
    const awaited = this.#reducer.unresolved({ streamId });
    if (awaited !== undefined) this.#enter(streamId, awaited.id);
  }

  /** The load of a reference, begun if there is none. */
  #enter(streamId: string, id: string): Job | undefined {
    const reference = this.#reducer.unresolved({ streamId, id });
    if (reference === undefined) return undefined;
    const key = keyOf(streamId, id);
    const former = this.#jobs.get(key);
    if (former !== undefined) {
      if (!former.failed && isOf(former, reference)) return former;
      this.#drop(former);
      tell(former, undefined);
    }
    const job: Job = { streamId, ...reference, failed: false, waiters: [] };
    this.#jobs.set(key, job);
    this.#loads.add(job);
    return job;
  }

  /** Resolves with why the body could not be had; undefined when it was, or when the reference is gone. */
  #request(streamId: string, id: string): Promise<StreamfoldError | undefined> {
    const job = this.#enter(streamId, id);
    return job === undefined ? Promise.resolve(undefined) : new Promise((resolve) => job.waiters.push(resolve));
  }

  #drop(job: Job): void {
    this.#loads.cancel(job);
    this.#jobs.delete(keyOf(job.streamId, job.id));
  }

  #settle(job: Job, outcome: Outcome): void {
    const { streamId, id } = job;
    let failure: StreamfoldError | undefined;
    try {
      const reference = this.#reducer.unresolved({ streamId, id });
      if (reference === undefined || !isOf(job, reference)) {
        // Another model, or a body: the answer is about what is gone. Some stream may wait for the successor.
        this.#jobs.delete(keyOf(streamId, id));
        this.#look(streamId);
      } else if ("block" in outcome) failure = this.#materialize(job, outcome.block);
      else if ("error" in outcome) failure = this.#fail(job, "the loader has thrown", outcome.error);
      else failure = this.#fail(job, "the loader has not answered in time");
    } catch (error) {
      // The reducer was closed, or its engine is gone.
      this.close();
      tell(job, usageError("closed"));
      if (!(error instanceof StreamfoldError) || error.code !== "closed") throw error;
    }
    tell(job, failure);
    this.#rest();
  }

  #materialize(job: Job, block: unknown): StreamfoldError | undefined {
    const { streamId, id, ref } = job;
    const awaits = this.#reducer.unresolved({ streamId })?.id === id;
    try {
      this.#reducer.materialize(block, { streamId, id });
    } catch (error) {
      const { message } = error as StreamfoldError;
      return this.#fail(job, `the answer cannot be used: ${message}`, error);
    }
    this.#jobs.delete(keyOf(streamId, id));
    if (awaits) this.#resume({ streamId, id, ref }, false);
    return undefined;
  }

  #fail(job: Job, detail: string, ...cause: [unknown?]): StreamfoldError {
    const { streamId, id, ref } = job;
    job.failed = true;
    // Nobody can decide about a reference that no stream waits for.
    if (this.#reducer.unresolved({ streamId })?.id !== id) this.#jobs.delete(keyOf(streamId, id));
    this.#sweep();
    const failure = new StreamfoldError({
      code: "load_failed",
      detail: `for the block '{subject}' ${detail}`,
      streamId,
      subject: id,
    });
    if (cause.length > 0) failure.cause = cause[0];
    this.#report(failure, { streamId, id, ref });
    return failure;
  }

  /** Forgets failures of references that streams do not wait for any more. */
  #sweep(): void {
    for (const [key, job] of this.#jobs) {
      if (!job.failed) continue;
      const awaited = this.#reducer.unresolved({ streamId: job.streamId });
      if (awaited === undefined || awaited.id !== job.id || !isOf(job, awaited)) this.#jobs.delete(key);
    }
  }

  /** What a stream that is paused for want of memory was resumed for; forgotten once somebody else has let it go on. */
  #stall(streamId: string): Stalled | undefined {
    const stalled = this.#stalled.get(streamId);
    if (stalled === undefined) return undefined;
    const paused = this.#reducer.stats({ streamId }).queued > 0 && this.#reducer.unresolved({ streamId }) === undefined;
    if (!paused) this.#stalled.delete(streamId);
    return paused ? stalled : undefined;
  }

  #goOn(streamId: string): boolean {
    const stalled = this.#stall(streamId);
    if (stalled === undefined) return false;
    this.#resume(stalled, stalled.skip);
    return true;
  }

  #resume({ streamId, id, ref }: FailedReference, skip: boolean): void {
    const reference = { streamId, id, ref };
    this.#stalled.delete(streamId);
    try {
      this.#reducer.resume({ streamId, skip });
    } catch (error) {
      if (error instanceof StreamfoldError && error.code === "out_of_memory")
        this.#stalled.set(streamId, { ...reference, skip });
      if (!(error instanceof StreamfoldError)) rethrow(error);
      else for (const one of error.errors ?? [error]) this.#report(one, reference);
    }
  }

  #report(error: StreamfoldError, reference: FailedReference): void {
    try {
      this.#onError(error, reference);
    } catch (thrown) {
      rethrow(thrown);
    }
  }

  #rest(): void {
    if (this.#loads.size > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}

function tell(job: Job, failure: StreamfoldError | undefined): void {
  for (const waiter of job.waiters.splice(0)) waiter(failure);
}

/** Whether the reference is still the one that the load is about. */
function isOf(load: Load, reference: { generation: number; ref: string }): boolean {
  return load.generation === reference.generation && load.ref === reference.ref;
}

function keyOf(streamId: string, id: string): string {
  return JSON.stringify([streamId, id]);
}

/** The stream that a call is about. The reducer judges the name. */
function streamOf(options: Partial<StreamSelector> | undefined, ...names: readonly string[]): string {
  if (options === undefined) return "";
  expectOptions(options, "streamId", ...names);
  return optionOf(options, "streamId") ?? "";
}

/** What a listener of the application's throws has no caller to go to: the host hears of it, like of an event listener's. */
function rethrow(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

function checked(reducer: SlimReducer, options: ResolverOptions) {
  expectOptions(options, "load", "onError", "concurrency", "timeout", "signal");
  const {
    load,
    onError,
    concurrency = CONCURRENCY,
    timeout = TIMEOUT,
    signal,
  } = readable(() => {
    const { load, onError, concurrency, timeout, signal } = options;
    return { load, onError, concurrency, timeout, signal };
  });
  if (typeof load !== "function" || typeof onError !== "function")
    throw usageError("bad_argument", "load and onError must be functions");
  if (!Number.isSafeInteger(concurrency) || concurrency < 1)
    throw usageError("bad_argument", "concurrency must be an integer from 1");
  if (timeout !== Number.POSITIVE_INFINITY && !(timeout > 0 && timeout <= MOST_MILLISECONDS))
    throw usageError("bad_argument", `timeout must be Infinity, or milliseconds up to ${MOST_MILLISECONDS}`);
  if (signal !== undefined && typeof signal?.addEventListener !== "function")
    throw usageError("bad_argument", "signal must be an AbortSignal");
  if (typeof (reducer as unknown as Partial<Observed> | null)?.[ON_UNRESOLVED] !== "function")
    throw usageError("bad_argument", "the reducer must be one of an engine of this package");
  return {
    load: (request: LoadRequest) => load.call(options, request),
    onError: (error: StreamfoldError, reference: FailedReference) => onError.call(options, error, reference),
    concurrency,
    timeout,
    signal,
  };
}
