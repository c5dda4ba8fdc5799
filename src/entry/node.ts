import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Engine } from "../engine/contract.js";
import {
  type LoadOptions,
  loadCore,
  loadCoreSync,
  REQUESTED_KINDS,
  type WasmBuild,
  type WasmSource,
} from "../engine/load.js";
import { createEngine } from "../reducer/engine.js";
import { withEnvironment } from "./environment.js";

export type { LoadOptions, RequestedKind, WasmBinary, WasmInput } from "../engine/load.js";
export * from "../index.js";

/** The binaries of the package: two folders up from the sources as well as from the built files. */
function location(build: WasmBuild): URL {
  return build === "simd"
    ? new URL("../../dist/streamfold.simd.wasm", import.meta.url)
    : new URL("../../dist/streamfold.wasm", import.meta.url);
}

const FILES: WasmSource = {
  open: (build) => readFile(location(build)),
  openSync: (build) => readFileSync(location(build)),
};

/**
 * Loads an engine, by default the fastest that runs here.
 *
 * @param options `kind` (default "auto": SIMD, then scalar, then JavaScript) and `wasm`, binaries to use instead of the package's own.
 *   With kind "auto" the environment variable STREAMFOLD_ENGINE may name another kind.
 * @returns the engine; its `reason` says in plain words what was chosen and why nothing better
 * @throws StreamfoldError `bad_argument` for options (or an environment variable) that are not valid, `engine_lost` when the kind that
 *   was asked for cannot be had here. Kind "auto" falls back instead
 */
export async function loadEngine(options?: LoadOptions): Promise<Engine> {
  const { chosen, reason } = withEnvironment(options, REQUESTED_KINDS);
  return createEngine(await loadCore(chosen, FILES, reason));
}

/**
 * Like `loadEngine`, without waiting.
 *
 * @throws StreamfoldError as `loadEngine` does, and `bad_argument` for a promise or response as `wasm`
 */
export function loadEngineSync(options?: LoadOptions): Engine {
  const { chosen, reason } = withEnvironment(options, REQUESTED_KINDS);
  return createEngine(loadCoreSync(chosen, FILES, reason));
}
