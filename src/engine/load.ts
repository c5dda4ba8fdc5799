import type { EngineCore } from "./contract.js";
import { createJsEngine, JS_OBJECTS } from "./js/engine.js";
import {
  type LoadOptions,
  loadWith,
  loadWithSync,
  type Makers,
  type RequestedKind,
  type WasmSource,
} from "./loading.js";
import { createWasmEngine } from "./wasm/engine.js";

export type { LoadOptions, RequestedKind, WasmBinary, WasmBuild, WasmInput, WasmSource } from "./loading.js";

/** Every value of `kind`. */
export const REQUESTED_KINDS: readonly RequestedKind[] = ["auto", "wasm", "wasm-simd", "wasm-scalar", "js"];

const MAKERS: Makers<EngineCore> = {
  kinds: REQUESTED_KINDS,
  wasm: (module, kind, reason) => createWasmEngine(module, kind, JS_OBJECTS, reason),
  js: createJsEngine,
};

/** Loads an engine that has everything: `loadWith`. */
export function loadCore(options: LoadOptions | undefined, source: WasmSource, reason?: string): Promise<EngineCore> {
  return loadWith(options, source, MAKERS, reason);
}

/** Like `loadCore`, without waiting: `loadWithSync`. */
export function loadCoreSync(options: LoadOptions | undefined, source: WasmSource, reason?: string): EngineCore {
  return loadWithSync(options, source, MAKERS, reason);
}
