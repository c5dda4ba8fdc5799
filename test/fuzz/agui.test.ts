import { describe, expect, it } from "vitest";
import { Rng } from "../support/rng.js";
import { generateAgui, printed } from "./agui-script.js";
import { observe, type Script, type Way } from "./script.js";
import { allAgree, nameOf, WAYS } from "./ways.js";

describe("differential fuzz of AG-UI sessions", () => {
  it(`all ways agree: ${WAYS.map(nameOf).join(" / ")}`, () => {
    allAgree(6, 60, generateAgui, printed);
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
      const [, , , , [, stats]] = JSON.parse(lines.at(-1) as string) as [
        unknown,
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
