import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Engine, EngineCore, EngineKind } from "../../src/engine/contract.js";
import { loadCoreSync, type WasmBuild } from "../../src/engine/load.js";
import { type CoreCounters, coreCounters } from "../../src/engine/wasm/engine.js";
import { createEngine } from "../../src/reducer/engine.js";
import { KINDS, WASM_KINDS } from "../support/engines.js";
import { Rng } from "../support/rng.js";
import { rounds } from "./clock.js";
import { hotScript } from "./hot.js";
import { difference, minimize, observe, type Script, type Way } from "./script.js";

const file = (build: WasmBuild): URL =>
  new URL(`../../dist/streamfold${build === "simd" ? ".simd" : ""}.wasm`, import.meta.url);
const source = {
  open: async (build: WasmBuild) => readFileSync(file(build)),
  openSync: (build: WasmBuild) => readFileSync(file(build)),
};

/** Engines whose cores can be asked which road they took. */
const cores = new Map<EngineKind, { core: EngineCore; engine: Engine }>();
const taken = new Map<EngineKind, CoreCounters>();

function load(kind: EngineKind): Engine {
  let one = cores.get(kind);
  if (one === undefined) {
    const core = loadCoreSync({ kind }, source);
    one = { core, engine: createEngine(core) };
    cores.set(kind, one);
  }
  return one.engine;
}

/** Closes the engines and keeps what their cores counted; the next ones begin to learn anew. */
function renew(): void {
  for (const [kind, { core, engine }] of cores) {
    if (kind !== "js") {
      const now = coreCounters(core);
      const sum = taken.get(kind) ?? { directEvents: 0, framedMessages: 0, hotAppends: 0, templateHits: 0 };
      for (const name of Object.keys(sum) as (keyof CoreCounters)[]) sum[name] += now[name];
      taken.set(kind, sum);
    }
    engine.close();
  }
  cores.clear();
}

const WAYS: readonly Way[] = KINDS.map((kind) => ({ kind, kinds: KINDS, engine: load }));
/** What an engine has learned lives as long as the engine: this many scripts run on one. */
const LIFE = 4;

function disagreement(script: Script): string | undefined {
  const runs = WAYS.map((way) => ({ kind: way.kind, lines: observe(script, way) }));
  for (const run of runs.slice(1)) {
    const first = runs[0] as (typeof runs)[number];
    const found = difference(first.lines, run.lines);
    if (found !== undefined) return `action ${found.index}\n  ${first.kind}: ${found.a}\n  ${run.kind}: ${found.b}`;
  }
  return undefined;
}

describe("fuzz of hot traffic", () => {
  it(`all engines agree: ${KINDS.join(" / ")}`, () => {
    rounds(3, 10 * LIFE, (seed) => {
      if (seed % LIFE === 0) renew();
      const script = hotScript(new Rng(seed));
      const found = disagreement(script);
      if (found === undefined) return;
      const smaller = minimize(script, (candidate) => disagreement(candidate) !== undefined);
      expect.fail(
        `seed ${seed} (STREAMFOLD_FUZZ_SEED=${seed - (seed % LIFE)})\n${disagreement(smaller) ?? found}\nscript: ${JSON.stringify(smaller)}`,
      );
    });
  });

  it.each(WASM_KINDS)("%s took its short roads, and the long one", (kind) => {
    for (let seed = LIFE; seed < 21 * LIFE; seed++) {
      if (seed % LIFE === 0) renew();
      observe(hotScript(new Rng(seed)), WAYS.find((way) => way.kind === kind) as Way);
    }
    renew();
    const { directEvents, framedMessages, hotAppends, templateHits } = taken.get(kind) as CoreCounters;
    expect(directEvents).toBeGreaterThan(1000);
    expect(framedMessages).toBeGreaterThan(1000);
    expect(hotAppends).toBeGreaterThan(1000);
    expect(templateHits).toBeGreaterThan(500);
  });
});
