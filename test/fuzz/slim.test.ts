import { describe, expect, it } from "vitest";
import { coreCounters } from "../../src/engine/wasm/engine.js";
import { openCore, openSlim, REDUCER_KINDS, SLIM_KINDS } from "../support/engines.js";
import { Rng } from "../support/rng.js";
import { generate } from "./generate.js";
import { hotScript } from "./hot.js";
import { observe, type Way } from "./script.js";
import { allAgree, nameOf } from "./ways.js";

/** The full core and both slim ones; `migrate` carries checkpoints from each to every other, and through JavaScript. */
const WAYS: readonly Way[] = [
  { kind: "wasm-simd", kinds: REDUCER_KINDS },
  ...SLIM_KINDS.map((kind): Way => ({ kind, kinds: REDUCER_KINDS })),
  { kind: "slim-simd", kinds: REDUCER_KINDS, uncut: true },
];

describe("differential fuzz of the slim builds", () => {
  it(`sessions: all ways agree: ${WAYS.map(nameOf).join(" / ")}`, () => {
    allAgree(3, 40, generate, undefined, WAYS);
  });

  it("hot traffic: all ways agree", () => {
    allAgree(2, 40, hotScript, undefined, WAYS);
  });

  it.each(SLIM_KINDS)("%s takes the short roads as often as the full core, and the long one", (kind) => {
    const [slim, full] = [openSlim(kind), openCore(kind === "slim-simd" ? "wasm-simd" : "wasm-scalar")].map(
      ({ core, engine }) => {
        const way: Way = { kind, kinds: [kind], engine: () => engine };
        for (let seed = 1; seed <= 60; seed++) observe(hotScript(new Rng(seed)), way);
        const counted = coreCounters(core);
        engine.close();
        return counted;
      },
    );
    expect(slim).toEqual(full);
    expect(slim!.framedMessages).toBeGreaterThan(400);
    expect(slim!.templateHits).toBeGreaterThan(400);
    if (kind === "slim-simd") expect(slim!.formHits).toBeGreaterThan(100);
  });
});
