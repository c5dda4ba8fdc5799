import { readFileSync } from "node:fs";
import type { Engine, EngineCore, EngineKind, SessionCore } from "../../src/engine/contract.js";
import { JS_OBJECTS } from "../../src/engine/js/engine.js";
import { loadCoreSync, type WasmBuild } from "../../src/engine/load.js";
import { createWasmEngine } from "../../src/engine/wasm/engine.js";
import { createSlimCore } from "../../src/engine/wasm/slim.js";
import { loadEngineSync } from "../../src/entry/node.js";
import { loadEngineSync as loadSlimSync } from "../../src/entry/slim-node.js";
import { createEngine } from "../../src/reducer/engine.js";
import { createSlimEngine } from "../../src/reducer/slim.js";

/** The builds for AgentUE over text wires alone. */
export type SlimKind = "slim-simd" | "slim-scalar";
/** What reducers of AgentUE over text wires are tested on. */
export type ReducerKind = EngineKind | SlimKind;

const ALL: readonly EngineKind[] = ["wasm-simd", "wasm-scalar", "js"];
const ALL_SLIM: readonly SlimKind[] = ["slim-simd", "slim-scalar"];

/** Every engine kind, or those named in STREAMFOLD_TEST_ENGINES (comma-separated) while developing. */
export const KINDS: readonly EngineKind[] = selected(ALL);
/** The slim builds, or those of them that are named there. */
export const SLIM_KINDS: readonly SlimKind[] = selected(ALL_SLIM);
export const REDUCER_KINDS: readonly ReducerKind[] = [...KINDS, ...SLIM_KINDS];

type WasmKind = Exclude<EngineKind, "js">;

/** The kinds that run in WebAssembly. */
export const WASM_KINDS: readonly WasmKind[] = KINDS.filter((kind) => kind !== "js");

function selected<Kind extends ReducerKind>(all: readonly Kind[]): readonly Kind[] {
  const named = process.env.STREAMFOLD_TEST_ENGINES;
  if (named === undefined || named === "") return all;
  const names = named.split(",").map((name) => name.trim());
  for (const name of names)
    if (![...ALL, ...ALL_SLIM].includes(name as ReducerKind))
      throw new Error(`STREAMFOLD_TEST_ENGINES names no engine: ${name}`);
  return all.filter((kind) => names.includes(kind));
}

const loaded = new Map<ReducerKind, Engine>();

/** The shared engine of a kind, loaded once per test file; a kind that cannot be loaded fails the test that asks for it. */
export function engine(kind: ReducerKind): Engine {
  let one = loaded.get(kind);
  if (one === undefined) {
    one = freshEngine(kind);
    loaded.set(kind, one);
  }
  return one;
}

/** An engine of its own, for tests that count memory or close it. */
export function freshEngine(kind: ReducerKind): Engine {
  if (kind === "slim-simd" || kind === "slim-scalar") return freshSlim(kind);
  const one = loadEngineSync({ kind });
  if (one.kind !== kind) throw new Error(`asked for ${kind}, got ${one.kind}: ${one.reason}`);
  return one;
}

/** A slim engine where tests take any: they ask it for reducers of AgentUE over text wires, memory and close alone. */
function freshSlim(kind: SlimKind): Engine {
  const wanted = kind === "slim-simd" ? "wasm-simd" : "wasm-scalar";
  const one = loadSlimSync({ kind: wanted });
  if (one.kind !== wanted) throw new Error(`asked for ${wanted}, got ${one.kind}: ${one.reason}`);
  return one as Engine;
}

/** Such an engine within so many pages of 64 KiB (0: as many as there are), with its core. */
export function openSlim(kind: SlimKind, pages = 0): { core: SessionCore; engine: Engine } {
  const file = `../../dist/streamfold.slim${kind === "slim-simd" ? ".simd" : ""}.wasm`;
  const module = new WebAssembly.Module(readFileSync(new URL(file, import.meta.url)));
  const core = createSlimCore(module, kind === "slim-simd" ? "wasm-simd" : "wasm-scalar", "a test", pages);
  return { core, engine: createSlimEngine(core) as Engine };
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
