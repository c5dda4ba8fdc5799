import type { Engine, EngineKind, Reducer, SlimReducer, Transport } from "../../src/engine/contract.js";
import type { SlimEngine } from "../../src/engine/slim-contract.js";
import { loadEngineSync } from "../../src/entry/node.js";
import type { FoldContender, Folder } from "./contender.js";

/** An engine that runs here, or why it does not. */
export interface EngineReport {
  kind: EngineKind;
  engine?: Engine;
  reason: string;
}

const KINDS: readonly EngineKind[] = ["wasm-simd", "wasm-scalar", "js"];

/** Tries every kind of engine; one that cannot be had is reported, not hidden. The caller closes the engines. */
export function loadEngines(): EngineReport[] {
  return KINDS.map((kind) => {
    try {
      const engine = loadEngineSync({ kind });
      return { kind, engine, reason: engine.reason };
    } catch (error) {
      return { kind, reason: error instanceof Error ? error.message : String(error) };
    }
  });
}

/** Name of an engine of ours in tables. */
export function engineName(kind: EngineKind): string {
  return `streamfold ${kind}`;
}

export function createReducer(engine: Engine, transport: Transport = "sse"): Reducer {
  return engine.createReducer({ protocol: "agentue", transport });
}

/** One of our engines behind the interface of the contenders, through the public API and with every check it makes. */
class EngineFolder implements Folder {
  readonly #reducer: SlimReducer;

  constructor(reducer: SlimReducer) {
    this.#reducer = reducer;
  }

  push(chunk: Uint8Array): void {
    this.#reducer.push(chunk);
  }

  value(streamId: string): unknown {
    return this.#reducer.snapshot({ streamId });
  }

  bytes(streamId: string): Uint8Array {
    return this.#reducer.snapshotBytes({ streamId });
  }

  close(): void {
    this.#reducer.close();
  }
}

/** An engine as a contender of the fold rows. */
export function engineContender(engine: Engine, transport: Transport = "sse"): FoldContender {
  return {
    name: engineName(engine.kind),
    side: engine.kind === "js" ? "js" : "wasm",
    open: () => new EngineFolder(createReducer(engine, transport)),
  };
}

/** A slim build as a contender of the fold rows. */
export function slimContender(engine: SlimEngine): FoldContender {
  return {
    name: `streamfold/slim ${engine.kind}`,
    side: "wasm",
    open: () => new EngineFolder(engine.createReducer({ protocol: "agentue", transport: "sse" })),
  };
}
