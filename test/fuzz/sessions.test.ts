import { describe, expect, it } from "vitest";
import { KINDS } from "../support/engines.js";
import { Rng } from "../support/rng.js";
import { rounds } from "./clock.js";
import { generate } from "./generate.js";
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

describe("differential fuzz of sessions", () => {
  it(`all ways agree: ${WAYS.map(name).join(" / ")}`, () => {
    const count = rounds(5, 50, (seed) => {
      const script = generate(new Rng(seed));
      if (disagreement(script) === undefined) return;
      const smaller = minimize(script, (candidate) => disagreement(candidate) !== undefined);
      expect.fail(
        `seed ${seed} (STREAMFOLD_FUZZ_SEED=${seed})\n${disagreement(smaller)}\nscript: ${JSON.stringify(smaller)}`,
      );
    });
    expect(count).toBeGreaterThanOrEqual(50);
  });
});

describe("the generator", () => {
  it("gives the same script for the same seed, and mostly valid events", () => {
    let applied = 0;
    let events = 0;
    for (let seed = 1; seed <= 60; seed++) {
      const script = generate(new Rng(seed));
      expect(generate(new Rng(seed))).toEqual(script);
      const calm: Script = { ...script, options: { onViolation: "skip-event", undecodable: "skip" } };
      const last = observe(calm, WAYS.at(-1) as Way).at(-1) as string;
      const [, , , [, stats]] = JSON.parse(last) as [
        unknown,
        unknown,
        unknown,
        [unknown, { applied: number; events: number }],
      ];
      applied += stats.applied;
      events += stats.events;
    }
    expect(events).toBeGreaterThan(500);
    expect(applied / events).toBeGreaterThan(0.4);
  });
});
