import { readFileSync } from "node:fs";
import type { Engine, EngineCore, EngineKind } from "../../src/engine/contract.js";
import { JS_OBJECTS } from "../../src/engine/js/engine.js";
import { loadCoreSync, type WasmBuild } from "../../src/engine/load.js";
import { createWasmEngine } from "../../src/engine/wasm/engine.js";
import { loadEngineSync } from "../../src/entry/node.js";
import { createEngine } from "../../src/reducer/engine.js";

const ALL: readonly EngineKind[] = ["wasm-simd", "wasm-scalar", "js"];

/** Every engine kind, or those named in STREAMFOLD_TEST_ENGINES (comma-separated) while developing. */
export const KINDS: readonly EngineKind[] = selected();

type WasmKind = Exclude<EngineKind, "js">;

/** The kinds that run in WebAssembly. */
export const WASM_KINDS: readonly WasmKind[] = KINDS.filter((kind) => kind !== "js");

function selected(): readonly EngineKind[] {
  const names = process.env.STREAMFOLD_TEST_ENGINES;
  if (names === undefined || names === "") return ALL;
  return names.split(",").map((name) => {
    const kind = ALL.find((known) => known === name.trim());
    if (kind === undefined) throw new Error(`STREAMFOLD_TEST_ENGINES names no engine: ${name}`);
    return kind;
  });
}

const loaded = new Map<EngineKind, Engine>();

/** The shared engine of a kind, loaded once per test file; a kind that cannot be loaded fails the test that asks for it. */
export function engine(kind: EngineKind): Engine {
  let one = loaded.get(kind);
  if (one === undefined) {
    one = freshEngine(kind);
    loaded.set(kind, one);
  }
  return one;
}

/** An engine of its own, for tests that count memory or close it. */
export function freshEngine(kind: EngineKind): Engine {
  const one = loadEngineSync({ kind });
  if (one.kind !== kind) throw new Error(`asked for ${kind}, got ${one.kind}: ${one.reason}`);
  return one;
}

const read = (build: WasmBuild): Uint8Array<ArrayBuffer> =>
  readFileSync(new URL(`../../dist/streamfold${build === "simd" ? ".simd" : ""}.wasm`, import.meta.url));

/** An engine of its own together with its core, which can be asked which roads it has taken (`coreCounters`). */
export function openCore(kind: EngineKind): { core: EngineCore; engine: Engine } {
  const core = loadCoreSync({ kind }, { open: async (build) => read(build), openSync: read });
  return { core, engine: createEngine(core) };
}

/** An engine of its own whose core takes no more memory than so many pages of 64 KiB; 0: as much as there is. */
export function engineWithin(pages: number, kind: WasmKind): Engine {
  const module = new WebAssembly.Module(read(kind === "wasm-simd" ? "simd" : "scalar"));
  return createEngine(createWasmEngine(module, kind, JS_OBJECTS, "a memory of a certain size", pages));
}
