import { expect } from "vitest";

/** Milliseconds of processor time that a run takes; what other programs do meanwhile does not count. */
export function cost(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const TIMES = 32;
/**
 * How many times as much as TIMES small runs one large run may cost. Quadratic work costs TIMES as much, garbage and caches that others use, too,
 * up to eight times on a machine with more to do than it can.
 */
const MOST = 16;
/** Below this many milliseconds a measurement says nothing. */
const LEAST = 20;
const TRIES = 5;

/**
 * Work that grows in proportion to its size: one run of 32 times the size costs about what 32 runs cost. The least of several measurements counts,
 * and more are made as long as the answer is no.
 *
 * @param make a run of that size; what it needs is made before it
 */
export function expectProportional(make: (size: number) => () => void, size: number, label = ""): void {
  const small = make(size);
  const large = make(TIMES * size);
  let [few, many] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let tries = 0; tries < TRIES; tries++) {
    const one = cost(() => {
      for (let i = 0; i < TIMES; i++) small();
    });
    few = Math.min(few, one);
    many = Math.min(many, cost(large));
    if (many < MOST * Math.max(few, LEAST)) return;
  }
  expect(many, label).toBeLessThan(MOST * Math.max(few, LEAST));
}
