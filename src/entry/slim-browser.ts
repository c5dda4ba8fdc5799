import type { SlimEngine } from "../engine/slim-contract.js";
import { loadSlimCore, loadSlimCoreSync, type SlimLoadOptions } from "../engine/load-slim.js";
import type { WasmSource } from "../engine/loading.js";
import { createSlimEngine } from "../reducer/slim.js";

export * from "../slim.js";

/** Written out in full for each build: bundlers find the files by this form alone. */
const FETCHED: WasmSource = {
  open: (build) =>
    build === "simd"
      ? fetch(new URL("../../dist/streamfold.slim.simd.wasm", import.meta.url))
      : fetch(new URL("../../dist/streamfold.slim.wasm", import.meta.url)),
};

/**
 * Loads an engine for AgentUE over text wires, by default with SIMD where it runs. There is no JavaScript engine behind it: where WebAssembly may not run there is
 * none, and the main entry is the one to use.
 *
 * @param options `kind` (default "auto": SIMD, then scalar) and `wasm`, binaries to use instead of the package's own
 * @returns the engine; its `reason` says in plain words what was chosen
 * @throws StreamfoldError `bad_argument` for options that are not valid, `engine_lost` when no engine can be had, or not the kind that was asked for
 */
export async function loadEngine(options?: SlimLoadOptions): Promise<SlimEngine> {
  return createSlimEngine(await loadSlimCore(options, FETCHED));
}

/**
 * Like `loadEngine`, without waiting.
 *
 * @throws StreamfoldError as `loadEngine` does, and `bad_argument` for a promise or response as `wasm`, or without it
 */
export function loadEngineSync(options?: SlimLoadOptions): SlimEngine {
  return createSlimEngine(loadSlimCoreSync(options, FETCHED));
}
