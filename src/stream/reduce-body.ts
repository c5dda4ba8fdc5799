import { expectOptions } from "../arguments.js";
import type { FinishResult, SlimReducer } from "../engine/contract.js";
import { usageError } from "../errors.js";
import { expectWaits, finishWaiting, type Waits } from "./waits.js";

type Chunk = ArrayBuffer | ArrayBufferView;

export interface BodyOptions {
  /** Ends the reading; the body then counts as broken off. */
  signal?: AbortSignal;
  /** Called after each chunk with the number of events it brought; the next chunk waits for a promise. */
  onChunk?(applied: number, chunk: Chunk): void | PromiseLike<void>;
  /**
   * AgentUE: the resolver of the reducer's references. At the end of the body its loads are waited for before the reducer is finished, since streams that wait are
   * not ended yet.
   */
  resolver?: Waits;
}

/** A body, whatever its kind: the next chunk, a way to give up, a way to let go. */
interface Source {
  next(): Promise<{ done?: boolean; value?: Chunk }>;
  cancel(reason: unknown): void;
  release(): void;
}

/**
 * Folds a whole body (the body of a fetch, a Node stream, any async iterable of chunks) into a reducer, a chunk at a time: the source is
 * asked for the next one when the last is folded.
 *
 * @param reducer takes the bytes; it is finished, not closed
 * @param body null, as a fetch gives it for a response without one, is an empty body
 * @returns the result of `finish()`
 * @throws whatever broke the reading: the source's own error, the signal's reason, an exception of `onChunk`, or the StreamfoldError that
 *   `push` or `finish` threw. The source is then cancelled and the reducer finished, and the error has the FinishResult as its member
 *   `finishResult`, with the status "truncated" when the body was not read to its end (a thrown value that can hold no member becomes
 *   the `cause` of an Error). StreamfoldError `bad_argument` for an option that there is not, or a source of another kind, before anything is read
 */
export async function reduceBody(
  reducer: SlimReducer,
  body: ReadableStream<Chunk> | AsyncIterable<Chunk> | null,
  options: BodyOptions = {},
): Promise<FinishResult> {
  expectOptions(options, "signal", "onChunk", "resolver");
  const { signal, onChunk, resolver } = options;
  expectWaits(resolver);
  const source = open(body === null ? EMPTY : body);
  let aborted: ((reason: unknown) => void) | undefined;
  const abortion = new Promise<never>((_resolve, reject) => {
    aborted = () => reject(signal?.reason);
  });
  abortion.catch(() => {});
  signal?.addEventListener("abort", aborted!, { once: true });
  const unlessAborted = <T>(promise: Promise<T>): Promise<T> => (signal ? Promise.race([promise, abortion]) : promise);
  let complete = false;
  try {
    signal?.throwIfAborted();
    for (;;) {
      const { done, value } = await unlessAborted(source.next());
      if (done) break;
      const applied = reducer.push(value!);
      await onChunk?.(applied, value!);
      signal?.throwIfAborted();
    }
    complete = true;
    return resolver === undefined ? reducer.finish() : await finishWaiting(reducer, resolver, unlessAborted);
  } catch (error) {
    if (!complete) source.cancel(error);
    throw withResult(error, resultOf(reducer, complete));
  } finally {
    signal?.removeEventListener("abort", aborted!);
    source.release();
  }
}

const EMPTY: AsyncIterable<Chunk> = {
  async *[Symbol.asyncIterator]() {},
};

function open(body: ReadableStream<Chunk> | AsyncIterable<Chunk>): Source {
  if (typeof (body as ReadableStream<Chunk> | null)?.getReader === "function") {
    const reader = (body as ReadableStream<Chunk>).getReader();
    return {
      next: () => reader.read(),
      cancel: (reason) => void reader.cancel(reason).catch(() => {}),
      release: () => reader.releaseLock(),
    };
  }
  const iterable = body as AsyncIterable<Chunk> & { destroy?(error?: unknown): unknown };
  if (typeof iterable?.[Symbol.asyncIterator] !== "function") {
    throw usageError("bad_argument", "the body must be a ReadableStream or an async iterable of chunks");
  }
  const iterator = iterable[Symbol.asyncIterator]();
  return {
    next: () => iterator.next() as Promise<{ done?: boolean; value?: Chunk }>,
    cancel: () => {
      // A Node stream that waits for data does not hear return() before more comes; destroy() wakes it.
      if (typeof iterable.destroy === "function") iterable.destroy();
      iterator.return?.().then(undefined, () => {});
    },
    release: () => {},
  };
}

/** What the reducer says at the end, or nothing when it is closed or its engine is lost. */
function resultOf(reducer: SlimReducer, complete: boolean): FinishResult | undefined {
  // The first call may throw for what the tail held; the second says the result.
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      const result = reducer.finish();
      return complete ? result : { ...result, status: "truncated" };
    } catch {}
  }
  return undefined;
}

function withResult(error: unknown, finishResult: FinishResult | undefined): unknown {
  if (finishResult === undefined) return error;
  const able = typeof error === "object" && error !== null && Object.isExtensible(error);
  const carrier = able ? error : new Error("the body broke off", { cause: error });
  Object.defineProperty(carrier, "finishResult", { value: finishResult, configurable: true, writable: true });
  return carrier;
}
