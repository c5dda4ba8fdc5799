import type { SessionCore } from "./contract.js";
import {
  type LoadOptions,
  loadWith,
  loadWithSync,
  type Makers,
  type RequestedKind,
  type WasmSource,
} from "./loading.js";
import { createSlimCore } from "./wasm/slim.js";

/** The kinds of the slim build: without WebAssembly it is none. */
export type SlimKind = Exclude<RequestedKind, "js">;
export type SlimLoadOptions = LoadOptions<SlimKind>;

/** Every value of `kind`. */
export const SLIM_KINDS: readonly SlimKind[] = ["auto", "wasm", "wasm-simd", "wasm-scalar"];

const MAKERS: Makers<SessionCore> = {
  kinds: SLIM_KINDS,
  wasm: createSlimCore,
};

/** Loads an engine of the slim build: `loadWith`, which throws `engine_lost` where no kind of it can be had. */
export function loadSlimCore(
  options: SlimLoadOptions | undefined,
  source: WasmSource,
  reason?: string,
): Promise<SessionCore> {
  return loadWith(options, source, MAKERS, reason);
}

/** Like `loadSlimCore`, without waiting: `loadWithSync`. */
export function loadSlimCoreSync(
  options: SlimLoadOptions | undefined,
  source: WasmSource,
  reason?: string,
): SessionCore {
  return loadWithSync(options, source, MAKERS, reason);
}
