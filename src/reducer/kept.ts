import type { EngineMemory, SessionCore } from "../engine/contract.js";
import { usageError } from "../errors.js";

/** Shared by the reducers of one engine: a snapshot is lent to a callback, and memory must stay as it is. */
export interface Lending {
  active: boolean;
}

/** What an engine has made, and what it keeps its place with: reducers, documents, frame assemblers. */
interface Closable {
  close(): void;
  /** A callback of it is running. */
  readonly busy?: boolean;
}

/** The core of an engine, and what was made of it until it is closed. */
export class Kept<Core extends SessionCore> {
  /** Let go by close(), and linear memory with it. */
  #core: Core | undefined;
  readonly lending: Lending = { active: false };
  /** What is open; weakly, so that what nobody holds any more is not kept alive by its engine. */
  readonly #open = new Set<WeakRef<Closable>>();
  readonly #dropped = new FinalizationRegistry<WeakRef<Closable>>((reference) => this.#open.delete(reference));

  constructor(core: Core) {
    this.#core = core;
  }

  /** The core, unless the engine is closed. */
  open(): Core {
    if (this.#core === undefined) throw usageError("closed");
    return this.#core;
  }

  /** The core, unless the engine is closed or its memory is lent. */
  alive(): Core {
    const core = this.open();
    if (this.lending.active) throw usageError("reentrant");
    return core;
  }

  /** Notes what is made until it is closed. */
  keep<T extends Closable>(make: (onClose: () => void) => T): T {
    const made = make(() => {
      this.#open.delete(reference);
      this.#dropped.unregister(reference);
    });
    const reference = new WeakRef<Closable>(made);
    this.#open.add(reference);
    this.#dropped.register(made, reference, reference);
    return made;
  }

  memory(): EngineMemory {
    if (this.lending.active) throw usageError("reentrant");
    return this.#core?.memory() ?? { live: 0, held: 0 };
  }

  close(): void {
    if (this.#core === undefined) return;
    const open = [...this.#open].map((reference) => reference.deref()).filter((one) => one !== undefined);
    if (this.lending.active || open.some((one) => one.busy)) throw usageError("reentrant");
    for (const one of open) one.close();
    this.#core.close();
    this.#core = undefined;
  }
}
