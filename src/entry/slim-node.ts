import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { SlimEngine } from "../engine/slim-contract.js";
import { loadSlimCore, loadSlimCoreSync, SLIM_KINDS, type SlimLoadOptions } from "../engine/load-slim.js";
import type { WasmBuild, WasmSource } from "../engine/loading.js";
import { createSlimEngine } from "../reducer/slim.js";
import { withEnvironment } from "./environment.js";

export * from "../slim.js";

/** The binaries of the package: two folders up from the sources as well as from the built files. */
function location(build: WasmBuild): URL {
  return build === "simd"
    ? new URL("../../dist/streamfold.slim.simd.wasm", import.meta.url)
    : new URL("../../dist/streamfold.slim.wasm", import.meta.url);
}

const FILES: WasmSource = {
  open: (build) => readFile(location(build)),
  openSync: (build) => readFileSync(location(build)),
};

/**
 * Loads an engine for AgentUE over text wires, by default with SIMD where it runs. There is no JavaScript engine behind it: where WebAssembly may not run there is
 * none, and the main entry is the one to use.
 *
 * @param options `kind` (default "auto": SIMD, then scalar) and `wasm`, binaries to use instead of the package's own.
 *   With kind "auto" the environment variable STREAMFOLD_ENGINE may name another kind
 * @returns the engine; its `reason` says in plain words what was chosen
 * @throws StreamfoldError `bad_argument` for options (or an environment variable) that are not valid, `engine_lost` when no engine can be had, or not the kind that was asked for
 */
export async function loadEngine(options?: SlimLoadOptions): Promise<SlimEngine> {
  const { chosen, reason } = withEnvironment(options, SLIM_KINDS);
  return createSlimEngine(await loadSlimCore(chosen, FILES, reason));
}

/**
 * Like `loadEngine`, without waiting.
 *
 * @throws StreamfoldError as `loadEngine` does, and `bad_argument` for a promise or response as `wasm`
 */
export function loadEngineSync(options?: SlimLoadOptions): SlimEngine {
  const { chosen, reason } = withEnvironment(options, SLIM_KINDS);
  return createSlimEngine(loadSlimCoreSync(chosen, FILES, reason));
}
