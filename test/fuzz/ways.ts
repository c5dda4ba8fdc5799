import { expect } from "vitest";
import { KINDS } from "../support/engines.js";
import { Rng } from "../support/rng.js";
import { rounds } from "./clock.js";
import { difference, minimize, observe, type Script, type Way } from "./script.js";

/** Every engine with random cuts, and one of them without. */
export const WAYS: readonly Way[] = [
  ...KINDS.map((kind): Way => ({ kind, kinds: KINDS })),
  { kind: KINDS.at(-1) as Way["kind"], kinds: KINDS, uncut: true },
];

export const nameOf = (way: Way): string => `${way.kind}${way.uncut ? ", uncut" : ""}`;

/** Two ways that differ, or one that throws what it must not; undefined when all agree. */
function disagreement(script: Script, ways: readonly Way[]): string | undefined {
  let first: { way: Way; lines: string[] } | undefined;
  for (const way of ways) {
    // The limit on reports counts by call, so that it shows where chunks are cut.
    if (way.uncut && script.options.limits?.reports !== undefined) continue;
    let lines: string[];
    try {
      lines = observe(script, way);
    } catch (error) {
      return `${nameOf(way)} throws ${error instanceof Error ? error.stack : String(error)}`;
    }
    if (first === undefined) first = { way, lines };
    else {
      const found = difference(first.lines, lines);
      if (found !== undefined)
        return `action ${found.index}\n  ${nameOf(first.way)}: ${found.a}\n  ${nameOf(way)}: ${found.b}`;
    }
  }
  return undefined;
}

/**
 * Runs generated scripts on all ways; the first one on which they disagree is shown as small as it can be made.
 *
 * @param share of the fuzzing time
 * @param least rounds without a time to fill
 * @param print a script, for the message
 * @param ways default: those above
 */
export function allAgree(
  share: number,
  least: number,
  generate: (rng: Rng) => Script,
  print: (script: Script) => string = JSON.stringify,
  ways = WAYS,
): void {
  const count = rounds(share, least, (seed) => {
    const script = generate(new Rng(seed));
    if (disagreement(script, ways) === undefined) return;
    const smaller = minimize(script, (candidate) => disagreement(candidate, ways) !== undefined);
    expect.fail(
      `seed ${seed} (STREAMFOLD_FUZZ_SEED=${seed})\n${disagreement(smaller, ways)}\nscript: ${print(smaller)}`,
    );
  });
  expect(count).toBeGreaterThanOrEqual(least);
}
