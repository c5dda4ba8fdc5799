import { readable } from "../arguments.js";
import type { EngineKind, EngineMemory, SessionCore, SlimReducer, Transport } from "../engine/contract.js";
import type { SlimEngine, SlimReducerOptions } from "../engine/slim-contract.js";
import { SHARED_WARNINGS, type WarningFacts } from "../errors.js";
import { Kept } from "./kept.js";
import { expectOptions, resolveShared } from "./options.js";
import { type OpenReducer, ReducerHandle } from "./reducer.js";
import { Sessions } from "./sessions.js";

const WIRES: readonly Transport[] = ["sse", "ndjson", "json"];

/**
 * The public engine over a core that is built for AgentUE over text wires alone.
 *
 * @returns an engine whose reducers are closed with it
 */
export function createSlimEngine(core: SessionCore): SlimEngine {
  return new SlimEngineHandle(core);
}

/** The text of a warning; `warningMessage` of warnings.ts without those of AG-UI. */
function describe({ code, path }: WarningFacts): string {
  const text: string = SHARED_WARNINGS[code as keyof typeof SHARED_WARNINGS];
  return path === undefined ? text : `${text} (at ${path})`;
}

class SlimEngineHandle implements SlimEngine {
  readonly kind: Exclude<EngineKind, "js">;
  readonly reason: string;
  readonly #kept: Kept<SessionCore>;

  constructor(core: SessionCore) {
    this.#kept = new Kept(core);
    this.kind = core.kind as SlimEngine["kind"];
    this.reason = core.reason;
  }

  createReducer(options: SlimReducerOptions): SlimReducer {
    const core = this.#kept.open();
    const { session, listeners } = readable(() => {
      expectOptions(options, "reducer", ["agentue"]);
      return resolveShared(options, options, "transport", WIRES);
    });
    return this.#openReducer(new Sessions(core, session), listeners);
  }

  memory(): EngineMemory {
    return this.#kept.memory();
  }

  close(): void {
    this.#kept.close();
  }

  readonly #openReducer: OpenReducer = (sessions, listeners) =>
    this.#kept.keep(
      (onClose) => new ReducerHandle(sessions, listeners, this.#kept.lending, onClose, this.#openReducer, { describe }),
    );
}
