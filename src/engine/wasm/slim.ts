import type { EngineKind, SessionCore } from "../contract.js";
import { noteCore } from "./counters.js";
import { Handles } from "./handles.js";

/**
 * An engine on a core that is built for AgentUE over text wires alone.
 *
 * @param module dist/streamfold.slim.wasm or dist/streamfold.slim.simd.wasm; a core that has everything does as well
 * @param kind which of the two it is
 * @param reason what `engine.reason` says
 * @param maxPages limit of the core's memory in 64 KiB pages; 0 = none
 * @throws StreamfoldError `engine_lost` for a binary of another version, `out_of_memory`
 */
export function createSlimCore(
  module: WebAssembly.Module,
  kind: Exclude<EngineKind, "js">,
  reason: string,
  maxPages = 0,
): SessionCore {
  const handles = new Handles(module, undefined, maxPages);
  const engine: SessionCore = {
    kind,
    reason,
    textOnly: true,
    createSession: (options) => handles.host.open(options, false),
    memory: () => handles.memory(),
    close: () => handles.close(),
  };
  return noteCore(engine, handles.core);
}
