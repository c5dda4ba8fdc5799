import type { Rng } from "./rng.js";

/**
 * A copy of an object or array with one place changed, removed or doubled.
 *
 * @param others what a place may be changed to
 */
export function mutated(rng: Rng, value: unknown, others: readonly unknown[]): unknown {
  const copy = structuredClone(value) as object;
  let at = copy as Record<string, unknown> | unknown[];
  for (;;) {
    const keys = Object.keys(at);
    if (keys.length === 0) return copy;
    const key = rng.pick(keys);
    const child = (at as Record<string, unknown>)[key];
    if (child !== null && typeof child === "object" && rng.chance(0.8)) {
      at = child as unknown[];
      continue;
    }
    if (Array.isArray(at) && rng.chance(0.4)) {
      if (rng.chance(0.5)) at.splice(Number(key), 1);
      else at.splice(rng.int(at.length + 1), 0, structuredClone(rng.pick(at)));
    } else if (rng.chance(0.1)) delete (at as Record<string, unknown>)[key];
    else (at as Record<string, unknown>)[key] = structuredClone(rng.pick(others));
    return copy;
  }
}
