/** One reference whose body is being loaded, or is to be. */
export interface Load {
  readonly streamId: string;
  readonly id: string;
  readonly ref: string;
  readonly biz: string;
  /** Of the model that the reference stands in. */
  readonly generation: number;
}

/** What became of a load. `timeout`: it took too long; otherwise the loader has answered or thrown. */
export type Outcome = { block: unknown } | { error: unknown } | { timeout: true };

/** A load that is under way. */
interface Attempt {
  readonly controller: AbortController;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * Runs loads, at most so many at a time, the others in the order they came; each gets so much time. Every load has one outcome, unless it is cancelled first:
 * what a loader says later is not heard.
 */
export class Loads {
  private readonly waiting = new Set<Load>();
  private readonly running = new Map<Load, Attempt>();
  private readonly concurrency: number;
  private readonly timeout: number;
  private readonly start: (load: Load, signal: AbortSignal) => unknown;
  private readonly settle: (load: Load, outcome: Outcome) => void;
  private scheduled = false;

  /**
   * @param timeout milliseconds; Infinity: as long as it takes
   * @param start begins a load; may return a promise, may throw
   * @param settle hears of each outcome, never from inside of `add`
   */
  constructor(
    concurrency: number,
    timeout: number,
    start: (load: Load, signal: AbortSignal) => unknown,
    settle: (load: Load, outcome: Outcome) => void,
  ) {
    this.concurrency = concurrency;
    this.timeout = timeout;
    this.start = start;
    this.settle = settle;
  }

  /** Loads that run or wait. */
  get size(): number {
    return this.waiting.size + this.running.size;
  }

  has(load: Load): boolean {
    return this.waiting.has(load) || this.running.has(load);
  }

  add(load: Load): void {
    this.waiting.add(load);
    this.schedule();
  }

  /** The load has no outcome any more. */
  cancel(load: Load): void {
    this.waiting.delete(load);
    const attempt = this.finish(load);
    attempt?.controller.abort();
  }

  cancelAll(): void {
    for (const load of [...this.waiting, ...this.running.keys()]) this.cancel(load);
  }

  /** In a microtask: who adds a load may be in the middle of a call of the reducer's, which a loader may want to use. */
  private schedule(): void {
    if (this.scheduled || this.waiting.size === 0) return;
    this.scheduled = true;
    queueMicrotask(() => {
      this.scheduled = false;
      for (const load of this.waiting) {
        if (this.running.size >= this.concurrency) return;
        this.waiting.delete(load);
        this.run(load);
      }
    });
  }

  private run(load: Load): void {
    const attempt: Attempt = { controller: new AbortController(), timer: undefined };
    const { signal } = attempt.controller;
    this.running.set(load, attempt);
    if (this.timeout !== Number.POSITIVE_INFINITY) {
      attempt.timer = setTimeout(() => {
        this.end(load, attempt, { timeout: true });
        attempt.controller.abort();
      }, this.timeout);
    }
    new Promise((resolve) => resolve(this.start(load, signal))).then(
      (block) => this.end(load, attempt, { block }),
      (error: unknown) => this.end(load, attempt, { error }),
    );
  }

  private end(load: Load, attempt: Attempt, outcome: Outcome): void {
    if (this.running.get(load) !== attempt) return;
    this.finish(load);
    this.settle(load, outcome);
  }

  private finish(load: Load): Attempt | undefined {
    const attempt = this.running.get(load);
    if (attempt === undefined) return undefined;
    clearTimeout(attempt.timer);
    this.running.delete(load);
    this.schedule();
    return attempt;
  }
}
