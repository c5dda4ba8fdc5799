import { describe, expect, it } from "vitest";
import type { Transport } from "../../src/engine/contract.js";
import { KINDS, WASM_KINDS } from "../support/engines.js";
import { aguiHotScript } from "./agui-hot.js";
import { hotScript } from "./hot.js";
import { allRoadsAgree, roadsTaken } from "./roads.js";

describe("fuzz of hot traffic", () => {
  it(`all engines agree: ${KINDS.join(" / ")}`, () => {
    allRoadsAgree(hotScript);
  });

  it.each(WASM_KINDS)("%s took its short roads, and the long one", (kind) => {
    const { directEvents, framedMessages, hotAppends, templateHits } = roadsTaken(kind, hotScript);
    expect(directEvents).toBeGreaterThan(1000);
    expect(framedMessages).toBeGreaterThan(1000);
    expect(hotAppends).toBeGreaterThan(1000);
    expect(templateHits).toBeGreaterThan(500);
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
      // A whole message is read where it lies: nothing is learned from it.
      if (transport === "json") expect(templateHits).toBe(0);
      else expect(templateHits / came.tokens).toBeGreaterThan(0.7);
      expect(quickDeltas / came.deltas).toBeGreaterThan(0.9);
    });
  });
});
