import type { Engine, EngineCore, EngineKind, EngineMemory, Reducer, ReducerOptions } from "../engine/contract.js";
import { usageError } from "../errors.js";
import { resolveOptions } from "./options.js";
import { type Lending, ReducerHandle } from "./reducer.js";
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
  /** Let go by close(), and linear memory with it. */
  #core: EngineCore | undefined;
  readonly #lending: Lending = { active: false };
  /** Weak, so that a reducer that nobody holds any more is not kept alive by its engine. */
  readonly #reducers = new Set<WeakRef<ReducerHandle>>();
  readonly #dropped = new FinalizationRegistry<WeakRef<ReducerHandle>>((reference) => this.#reducers.delete(reference));

  constructor(core: EngineCore) {
    this.#core = core;
    this.kind = core.kind;
    this.reason = core.reason;
  }

  createReducer(options: ReducerOptions): Reducer {
    if (this.#core === undefined) throw usageError("closed");
    const { session, listeners } = resolveOptions(options);
    const reducer = new ReducerHandle(new Sessions(this.#core, session), listeners, this.#lending, () => {
      this.#reducers.delete(reference);
      this.#dropped.unregister(reference);
    });
    const reference = new WeakRef(reducer);
    this.#reducers.add(reference);
    this.#dropped.register(reducer, reference, reference);
    return reducer;
  }

  memory(): EngineMemory {
    if (this.#lending.active) throw usageError("reentrant");
    return this.#core?.memory() ?? { live: 0, held: 0 };
  }

  close(): void {
    if (this.#core === undefined) return;
    const open = [...this.#reducers].map((reference) => reference.deref()).filter((reducer) => reducer !== undefined);
    if (this.#lending.active || open.some((reducer) => reducer.busy)) throw usageError("reentrant");
    for (const reducer of open) reducer.close();
    this.#core.close();
    this.#core = undefined;
  }
}
