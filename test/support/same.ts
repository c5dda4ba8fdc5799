import { expect } from "vitest";

/**
 * `expect(actual, label).toEqual(wanted)`, but the costly assertion runs only where the two differ: the suites compare many
 * thousands of equal things.
 */
export function same(actual: unknown, wanted: unknown, label: string): void {
  if (!equal(actual, wanted)) expect(actual, label).toEqual(wanted);
}

function equal(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (a instanceof Uint8Array && b instanceof Uint8Array)
    return a.length === b.length && a.every((byte, i) => byte === b[i]);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && equal((a as never)[name], (b as never)[name]));
}
