import { describe, expect, it } from "vitest";
import { KINDS } from "../support/engines.js";
import { Rng } from "../support/rng.js";
import { generateAgui, printed } from "./agui-script.js";
import { rounds } from "./clock.js";
import { difference, minimize, observe, type Script, type Way } from "./script.js";

const WAYS: readonly Way[] = [
  ...KINDS.map((kind): Way => ({ kind, kinds: KINDS })),
  { kind: KINDS.at(-1) as Way["kind"], kinds: KINDS, uncut: true },
];

const name = (way: Way): string => `${way.kind}${way.uncut ? ", uncut" : ""}`;

/** Two ways that differ, or one that throws what it must not; undefined when all agree. */
function disagreement(script: Script): string | undefined {
  let first: { way: Way; lines: string[] } | undefined;
  for (const way of WAYS) {
    // The limit on reports counts by call, so that it shows where chunks are cut.
    if (way.uncut && script.options.limits?.reports !== undefined) continue;
    let lines: string[];
    try {
      lines = observe(script, way);
    } catch (error) {
      return `${name(way)} throws ${error instanceof Error ? error.stack : String(error)}`;
    }
    if (first === undefined) first = { way, lines };
    else {
      const found = difference(first.lines, lines);
      if (found !== undefined)
        return `action ${found.index}\n  ${name(first.way)}: ${found.a}\n  ${name(way)}: ${found.b}`;
    }
  }
  return undefined;
}

describe("differential fuzz of AG-UI sessions", () => {
  it(`all ways agree: ${WAYS.map(name).join(" / ")}`, () => {
    const count = rounds(6, 60, (seed) => {
      const script = generateAgui(new Rng(seed));
      if (disagreement(script) === undefined) return;
      const smaller = minimize(script, (candidate) => disagreement(candidate) !== undefined);
      expect.fail(`seed ${seed} (STREAMFOLD_FUZZ_SEED=${seed})\n${disagreement(smaller)}\nscript: ${printed(smaller)}`);
    });
    expect(count).toBeGreaterThanOrEqual(60);
  });
});

describe("the generator of AG-UI sessions", () => {
  it("gives the same script for the same seed, and mostly valid events of every type", () => {
    let applied = 0;
    let events = 0;
    const types = new Set<string>();
    for (let seed = 1; seed <= 120; seed++) {
      const script = generateAgui(new Rng(seed));
      expect(printed(generateAgui(new Rng(seed)))).toEqual(printed(script));
      const { maxProtocolVersion: _, middleware: __, eventTypes: ___, limits: ____, ...options } = script.options;
      const calm: Script = {
        ...script,
        listen: true,
        options: { ...options, onViolation: "skip-event", undecodable: "skip" },
      };
      const lines = observe(calm, WAYS.at(-1) as Way);
      const [, , , [, stats]] = JSON.parse(lines.at(-1) as string) as [
        unknown,
        unknown,
        unknown,
        [unknown, { applied: number; events: number }],
      ];
      applied += stats.applied;
      events += stats.events;
      for (const [, type] of lines.join("").matchAll(/"event":\{"type":"([A-Z_]+)"/g)) types.add(type as string);
    }
    expect(events).toBeGreaterThan(1000);
    expect(applied / events).toBeGreaterThan(0.6);
    // All but the three kinds of chunks, which are delivered as what they stand for.
    expect(types.size).toBe(28);
  });
});
