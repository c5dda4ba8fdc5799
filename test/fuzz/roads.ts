import { expect } from "vitest";
import type { Engine, EngineKind } from "../../src/engine/contract.js";
import { type CoreCounters, coreCounters } from "../../src/engine/wasm/engine.js";
import { KINDS, type ReducerKind } from "../support/engines.js";
import { Rng } from "../support/rng.js";
import { rounds } from "./clock.js";
import { load, renew } from "./cores.js";
import { difference, minimize, observe, type Script, type Way } from "./script.js";
import { nameOf } from "./ways.js";

/** What an engine has learned lives as long as the engine: this many scripts run on one. */
const LIFE = 4;

const engine = (kind: ReducerKind): Engine => load(kind as EngineKind).engine;

/** Renews the engines; what the core of `kind` has counted is added to `sum`. */
function count(kind: EngineKind, sum: CoreCounters): void {
  renew((one, core) => {
    if (one !== kind) return;
    const now = coreCounters(core);
    for (const name of Object.keys(sum) as (keyof CoreCounters)[]) sum[name] += now[name];
  });
}

const WAYS: readonly Way[] = [
  ...KINDS.map((kind): Way => ({ kind, kinds: KINDS, engine })),
  { kind: KINDS.at(-1) as EngineKind, kinds: KINDS, engine, uncut: true },
];

function disagreement(script: Script): string | undefined {
  const runs = WAYS.map((way) => ({ kind: nameOf(way), lines: observe(script, way) }));
  for (const run of runs.slice(1)) {
    const first = runs[0] as (typeof runs)[number];
    const found = difference(first.lines, run.lines);
    if (found !== undefined) return `action ${found.index}\n  ${first.kind}: ${found.a}\n  ${run.kind}: ${found.b}`;
  }
  return undefined;
}

/** Runs generated scripts on engines that go on learning; the first on which they disagree is shown as small as it can be made. */
export function allRoadsAgree(generate: (rng: Rng) => Script): void {
  rounds(3, 10 * LIFE, (seed) => {
    if (seed % LIFE === 0) renew();
    const script = generate(new Rng(seed));
    const found = disagreement(script);
    if (found === undefined) return;
    const smaller = minimize(script, (candidate) => disagreement(candidate) !== undefined);
    expect.fail(
      `seed ${seed} (STREAMFOLD_FUZZ_SEED=${seed - (seed % LIFE)})\n${disagreement(smaller) ?? found}\nscript: ${JSON.stringify(smaller)}`,
    );
  });
}

/** How often the core of `kind` takes which road on twenty times LIFE generated scripts. */
export function roadsTaken(kind: EngineKind, generate: (rng: Rng) => Script): CoreCounters {
  const sum: CoreCounters = {
    directEvents: 0,
    framedMessages: 0,
    hotAppends: 0,
    templateHits: 0,
    quickDeltas: 0,
    binaryTokens: 0,
    adaptedTokens: 0,
    relayedTokens: 0,
    writtenTokens: 0,
    openedTokens: 0,
    formHits: 0,
  };
  renew();
  for (let seed = LIFE; seed < 21 * LIFE; seed++) {
    if (seed % LIFE === 0) count(kind, sum);
    observe(generate(new Rng(seed)), WAYS.find((way) => way.kind === kind) as Way);
  }
  count(kind, sum);
  return sum;
}
