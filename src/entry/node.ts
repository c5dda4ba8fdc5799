import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Engine } from "../engine/contract.js";
import {
  type LoadOptions,
  loadCore,
  loadCoreSync,
  REQUESTED_KINDS,
  type RequestedKind,
  type WasmBuild,
  type WasmSource,
} from "../engine/load.js";
import { usageError } from "../errors.js";
import { createEngine } from "../reducer/engine.js";

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
  const { chosen, reason } = withEnvironment(options);
  return createEngine(await loadCore(chosen, FILES, reason));
}

/**
 * Like `loadEngine`, without waiting.
 *
 * @throws StreamfoldError as `loadEngine` does, and `bad_argument` for a promise or response as `wasm`
 */
export function loadEngineSync(options?: LoadOptions): Engine {
  const { chosen, reason } = withEnvironment(options);
  return createEngine(loadCoreSync(chosen, FILES, reason));
}

function withEnvironment(options: LoadOptions | undefined): { chosen: LoadOptions | undefined; reason?: string } {
  const wish = process.env.STREAMFOLD_ENGINE;
  if (!wish || (options?.kind ?? "auto") !== "auto") return { chosen: options };
  if (!(REQUESTED_KINDS as readonly string[]).includes(wish)) {
    throw usageError(
      "bad_argument",
      `the environment variable STREAMFOLD_ENGINE must be one of ${REQUESTED_KINDS.join(", ")}`,
    );
  }
  const reason = `the environment variable STREAMFOLD_ENGINE asks for "${wish}"`;
  return { chosen: { ...options, kind: wish as RequestedKind }, reason };
}
