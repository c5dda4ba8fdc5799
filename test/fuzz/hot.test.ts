import { describe, expect, it } from "vitest";
import type { EngineKind, Transport } from "../../src/engine/contract.js";
import type { CoreCounters } from "../../src/engine/wasm/engine.js";
import { KINDS, WASM_KINDS } from "../support/engines.js";
import type { Rng } from "../support/rng.js";
import { aguiBinaryScript } from "./agui-binary-hot.js";
import { aguiHotScript } from "./agui-hot.js";
import { hotScript } from "./hot.js";
import { msgpackHotScript } from "./msgpack-hot.js";
import { allRoadsAgree, roadsTaken } from "./roads.js";
import type { Script } from "./script.js";

describe("fuzz of hot traffic", () => {
  it(`all engines agree: ${KINDS.join(" / ")}`, () => {
    allRoadsAgree(hotScript);
  });

  it.each(WASM_KINDS)("%s took its short roads, and the long one", (kind) => {
    const { directEvents, framedMessages, hotAppends, templateHits, formHits } = roadsTaken(kind, hotScript);
    expect(directEvents).toBeGreaterThan(1000);
    expect(framedMessages).toBeGreaterThan(1000);
    expect(hotAppends).toBeGreaterThan(1000);
    // with SIMD as forms and walked, without it walked alone
    expect(templateHits - formHits).toBeGreaterThan(200);
    if (kind === "wasm-simd") expect(formHits).toBeGreaterThan(500);
    else expect(formHits).toBe(0);
  });
});

describe("fuzz of hot AG-UI traffic", () => {
  it(`all engines agree: ${KINDS.join(" / ")}`, () => {
    allRoadsAgree((rng) => aguiHotScript(rng).script);
  });

  it.each(WASM_KINDS)("%s took its short roads, and the long ones", (kind) => {
    const { directEvents, framedMessages, templateHits, quickDeltas } = roadsTaken(
      kind,
      (rng) => aguiHotScript(rng).script,
    );
    expect(directEvents).toBeGreaterThan(500);
    expect(framedMessages).toBeGreaterThan(500);
    expect(templateHits).toBeGreaterThan(500);
    expect(quickDeltas).toBeGreaterThan(500);
  });

  describe.each(WASM_KINDS)("undisturbed, on %s", (kind) => {
    it.each<Transport>(["sse", "ndjson", "json"])("most events over %s go the short roads", (transport) => {
      const came = { tokens: 0, deltas: 0 };
      const { templateHits, quickDeltas } = roadsTaken(kind, (rng) => {
        const { script, tokens, deltas } = aguiHotScript(rng, { transport, calm: true });
        came.tokens += tokens;
        came.deltas += deltas;
        return script;
      });
      expect(came.tokens).toBeGreaterThan(1000);
      expect(came.deltas).toBeGreaterThan(1000);
      expect(templateHits / came.tokens).toBeGreaterThan(0.7);
      expect(quickDeltas / came.deltas).toBeGreaterThan(0.9);
    });
  });
});

/** The roads that the tokens of generated scripts take on `kind`, and how many tokens there were. */
function roadsOf(
  kind: EngineKind,
  generate: (rng: Rng) => { script: Script; tokens: number },
): CoreCounters & { came: number } {
  let came = 0;
  const counters = roadsTaken(kind, (rng) => {
    const { script, tokens } = generate(rng);
    came += tokens;
    return script;
  });
  return { ...counters, came };
}

describe("fuzz of hot AgentUE traffic over MessagePack", () => {
  it(`all engines agree: ${KINDS.join(" / ")}`, () => {
    allRoadsAgree((rng) => msgpackHotScript(rng).script);
  });

  it.each(WASM_KINDS)("%s took its short roads, and the long one", (kind) => {
    const { hotAppends, templateHits, binaryTokens, came } = roadsOf(kind, (rng) => msgpackHotScript(rng));
    expect(hotAppends).toBeGreaterThan(500);
    expect(templateHits).toBeGreaterThan(500);
    // without a template, and not at all
    expect(binaryTokens - templateHits).toBeGreaterThan(50);
    expect(came - binaryTokens).toBeGreaterThan(500);
  });

  it.each(WASM_KINDS)("undisturbed, on %s, most tokens go the short road", (kind) => {
    const { templateHits, binaryTokens, came } = roadsOf(kind, (rng) => msgpackHotScript(rng, { calm: true }));
    expect(came).toBeGreaterThan(1000);
    expect(binaryTokens / came).toBeGreaterThan(0.8);
    expect(templateHits / came).toBeGreaterThan(0.5);
  });
});

describe.each(["msgpack", "protobuf"] as const)("fuzz of hot AG-UI traffic over %s", (transport) => {
  it(`all engines agree: ${KINDS.join(" / ")}`, () => {
    allRoadsAgree((rng) => aguiBinaryScript(rng, transport).script);
  });

  it.each(WASM_KINDS)("%s took its short road, and the long one", (kind) => {
    const { binaryTokens, templateHits, came } = roadsOf(kind, (rng) => aguiBinaryScript(rng, transport));
    expect(binaryTokens).toBeGreaterThan(500);
    expect(came - binaryTokens).toBeGreaterThan(500);
    // maps by a template, and without one; frames have none
    if (transport === "msgpack") expect(templateHits).toBeGreaterThan(300);
    else expect(templateHits).toBe(0);
    expect(binaryTokens - templateHits).toBeGreaterThan(50);
  });

  it.each(WASM_KINDS)("undisturbed, on %s, most events go the short roads", (kind) => {
    let deltas = 0;
    const { binaryTokens, templateHits, quickDeltas, came } = roadsOf(kind, (rng) => {
      const generated = aguiBinaryScript(rng, transport, { calm: true });
      deltas += generated.deltas;
      return generated;
    });
    expect(came).toBeGreaterThan(1000);
    expect(binaryTokens / came).toBeGreaterThan(0.8);
    if (transport === "msgpack") expect(templateHits / came).toBeGreaterThan(0.5);
    expect(deltas).toBeGreaterThan(500);
    expect(quickDeltas / deltas).toBeGreaterThan(0.9);
  });
});
