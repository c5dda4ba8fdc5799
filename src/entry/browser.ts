import type { Engine } from "../engine/contract.js";
import { type LoadOptions, loadCore, loadCoreSync, type WasmSource } from "../engine/load.js";
import { createEngine } from "../reducer/engine.js";

export type { LoadOptions, RequestedKind, WasmBinary, WasmInput } from "../engine/load.js";
export * from "../index.js";

/** Written out in full for each build: bundlers find the files by this form alone. */
const FETCHED: WasmSource = {
  open: (build) =>
    build === "simd"
      ? fetch(new URL("../../dist/streamfold.simd.wasm", import.meta.url))
      : fetch(new URL("../../dist/streamfold.wasm", import.meta.url)),
};

/**
 * Loads an engine, by default the fastest that runs here. The binaries are fetched from beside this module unless `wasm` brings them.
 *
 * @param options `kind` (default "auto": SIMD, then scalar, then JavaScript) and `wasm`, binaries to use instead of the package's own
 * @returns the engine; its `reason` says in plain words what was chosen and why nothing better
 * @throws StreamfoldError `bad_argument` for options that are not valid, `engine_lost` when the kind that was asked for cannot be had
 *   here. Kind "auto" falls back instead
 */
export async function loadEngine(options?: LoadOptions): Promise<Engine> {
  return createEngine(await loadCore(options, FETCHED));
}

/**
 * Like `loadEngine`, without waiting: without `wasm` (a module or bytes) kind "auto" gives the JavaScript engine.
 *
 * @throws StreamfoldError as `loadEngine` does, and `bad_argument` for a promise or response as `wasm`, or for a WebAssembly kind without it
 */
export function loadEngineSync(options?: LoadOptions): Engine {
  return createEngine(loadCoreSync(options, FETCHED));
}
