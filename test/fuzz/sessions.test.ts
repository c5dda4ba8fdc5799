import { describe, expect, it } from "vitest";
import { Rng } from "../support/rng.js";
import { generate } from "./generate.js";
import { observe, type Script, type Way } from "./script.js";
import { allAgree, nameOf, WAYS } from "./ways.js";

describe("differential fuzz of sessions", () => {
  it(`all ways agree: ${WAYS.map(nameOf).join(" / ")}`, () => {
    allAgree(5, 50, generate);
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
      const [, , , , [, stats]] = JSON.parse(last) as [
        unknown,
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

  it("brings streams to patch blocks that are kept in frames", () => {
    const refused = Array.from({ length: 400 }, (_, seed) => generate(new Rng(seed)))
      .filter(({ options }) => options.frames === "guard")
      .filter((script) => observe(script, WAYS.at(-1) as Way).some((line) => line.includes("unresolved_frames")));
    expect(refused.length).toBeGreaterThan(3);
  });
});
