import { describe, expect, it } from "vitest";
import { compact, createCompactor } from "../../src/agui/index.js";
import type { OnDeltaFailure } from "../../src/engine/contract.js";
import { foldLog, validLog } from "../agui/logs.js";
import { KINDS } from "../support/engines.js";
import { Rng } from "../support/rng.js";
import { rounds } from "./clock.js";

const MODES: readonly OnDeltaFailure[] = ["warn", "fail", "upsert"];

/** What has to hold of one log. */
function holds(seed: number): { before: number; after: number } {
  const rng = new Rng(seed);
  const onDeltaFailure = rng.pick(MODES);
  const state = rng.chance(0.5) ? { a: { b: [1, 2] } } : undefined;
  const log = validLog(rng, rng.between(5, 120), { onDeltaFailure, state });
  const options = { ...(state === undefined ? {} : { state }), ...(rng.chance(0.2) ? { maxDelta: 8 } : {}) };
  const copy = structuredClone(log);
  const once = compact(log, options);
  const what = `seed ${seed}`;
  expect(log, what).toEqual(copy);
  expect(once.length, what).toBeLessThanOrEqual(log.length);
  expect(compact(once, options), what).toEqual(once);

  const kind = rng.pick(KINDS);
  const fold = (events: readonly unknown[]) => foldLog(kind, events, { onDeltaFailure, state });
  const expected = fold(log);
  expect(expected.errors, what).toEqual([]);
  const folded = fold(once);
  expect(folded.errors, what).toEqual([]);
  expect(folded.json, what).toBe(expected.json);
  expect(folded.ends, what).toEqual(expected.ends);
  const failures = (warnings: readonly string[]) => warnings.filter((text) => text.startsWith("delta_")).sort();
  expect(failures(folded.warnings), what).toEqual(failures(expected.warnings));

  const cut = rng.int(log.length + 1);
  const [a, b] = [log.slice(0, cut), log.slice(cut)];
  const stored = compact(a, options);
  for (const batches of [
    compact([...stored, ...b], options),
    [...stored, ...compact(b)],
    [...compact([...stored], options), ...b],
  ]) {
    const again = fold(batches);
    expect(again.errors, `${what}, cut at ${cut}`).toEqual([]);
    expect(again.json, `${what}, cut at ${cut}`).toBe(expected.json);
    expect(again.ends, `${what}, cut at ${cut}`).toEqual(expected.ends);
  }
  expect(fold(stored).json, `${what}, cut at ${cut}`).toBe(fold(a).json);

  const compactor = createCompactor(options);
  const parts: unknown[] = [];
  for (const event of log) {
    compactor.add(event);
    if (rng.chance(0.15)) parts.push(...compactor.take());
  }
  parts.push(...compactor.take());
  expect(parts.length, what).toBeLessThanOrEqual(log.length);
  const inParts = fold(parts);
  expect(inParts.errors, `${what}, in parts`).toEqual([]);
  expect(inParts.json, `${what}, in parts`).toBe(expected.json);
  return { before: log.length, after: once.length };
}

describe("fuzz of compact", () => {
  it("folds to the same snapshot in any batches, passes the verifier, and twice is once", () => {
    let before = 0;
    let after = 0;
    rounds(5, 150, (seed) => {
      const sizes = holds(seed);
      before += sizes.before;
      after += sizes.after;
    });
    // Items of the generator are short, and many of its events must stay; what can be joined is.
    expect(after).toBeLessThan(0.85 * before);
  });
});
