import type { Engine, EngineCore, EngineKind, EngineMemory, Reducer, ReducerOptions } from "../engine/contract.js";
import { usageError } from "../errors.js";
import { resolveOptions } from "./options.js";
import { ReducerHandle } from "./reducer.js";
import { Sessions } from "./sessions.js";

/**
 * The public engine over a loaded core.
 *
 * @param core what engine/load or an engine without WebAssembly gave
 * @returns an engine whose reducers are closed with it
 */
export function createEngine(core: EngineCore): Engine {
  return new EngineHandle(core);
}

class EngineHandle implements Engine {
  readonly kind: EngineKind;
  readonly reason: string;
  readonly #core: EngineCore;
  /** Weak, so that a reducer that nobody holds any more is not kept alive by its engine. */
  readonly #reducers = new Set<WeakRef<ReducerHandle>>();
  /** Memory of the core is not the collector's: a reducer that was dropped without close() gives its own back here. */
  readonly #dropped = new FinalizationRegistry<{ reference: WeakRef<ReducerHandle>; sessions: Sessions }>(
    ({ reference, sessions }) => {
      this.#reducers.delete(reference);
      if (!this.#closed) sessions.close();
    },
  );
  #closed = false;

  constructor(core: EngineCore) {
    this.#core = core;
    this.kind = core.kind;
    this.reason = core.reason;
  }

  createReducer(options: ReducerOptions): Reducer {
    if (this.#closed) throw usageError("closed");
    const { session, listeners } = resolveOptions(options);
    const sessions = new Sessions(this.#core, session);
    const reducer = new ReducerHandle(sessions, listeners, () => {
      this.#reducers.delete(reference);
      this.#dropped.unregister(reference);
    });
    const reference = new WeakRef(reducer);
    this.#reducers.add(reference);
    this.#dropped.register(reducer, { reference, sessions }, reference);
    return reducer;
  }

  memory(): EngineMemory {
    return this.#closed ? { live: 0, held: 0 } : this.#core.memory();
  }

  close(): void {
    if (this.#closed) return;
    const open = [...this.#reducers].map((reference) => reference.deref()).filter((reducer) => reducer !== undefined);
    if (open.some((reducer) => reducer.busy)) throw usageError("reentrant");
    this.#closed = true;
    for (const reducer of open) reducer.close();
    this.#core.close();
  }
}
