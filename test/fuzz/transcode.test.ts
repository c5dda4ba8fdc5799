import { describe, expect, it } from "vitest";
import { engine, KINDS } from "../support/engines.js";
import { Rng } from "../support/rng.js";
import { eventsIn, transcode } from "../support/transcoding.js";
import { rounds } from "./clock.js";
import { disagreement, generateTranscoding, smallest } from "./transcode-script.js";
import { nameOf, WAYS } from "./ways.js";

describe("differential fuzz of transcoders", () => {
  it(`all ways write the same bytes and say the same: ${WAYS.map(nameOf).join(" / ")}`, () => {
    const count = rounds(6, 150, (seed) => {
      const one = generateTranscoding(new Rng(seed));
      if (disagreement(one) === undefined) return;
      const smaller = smallest(one, (candidate) => disagreement(candidate) !== undefined);
      const { options, messages } = smaller;
      expect.fail(
        `seed ${seed} (STREAMFOLD_FUZZ_SEED=${seed})\n${disagreement(smaller)}\n${JSON.stringify(options)}\n` +
          messages.map((message) => JSON.stringify(Buffer.from(message).toString("latin1"))).join("\n"),
      );
    });
    expect(count).toBeGreaterThanOrEqual(150);
  });
});

describe("the generator of transcodings", () => {
  it("gives bodies of which most goes out, in every direction", () => {
    const pairs = new Set<string>();
    let events = 0;
    let written = 0;
    for (let seed = 1; seed <= 300; seed++) {
      const { options, messages } = generateTranscoding(new Rng(seed));
      const calm = { ...options, onViolation: "skip-event", undecodable: "skip" } as const;
      const { output, stats } = transcode(engine(KINDS.at(-1)!), calm, messages);
      pairs.add(`${options.protocol} ${options.from} ${options.to}`);
      events += stats.events!;
      written += eventsIn(options.to, output).length;
    }
    expect(pairs.size).toBe(4 * 3 + 5 * 4);
    expect(written / events).toBeGreaterThan(0.5);
  });
});
