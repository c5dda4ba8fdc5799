import type { JsonPatchOperation } from "../../src/engine/contract.js";
import { NAMES, parentAndToken, pointersOf, randomValue, referencePatch } from "./json-values.js";
import type { Rng } from "./rng.js";

/** A pointer that is likely to mean something in the document, and sometimes to miss. */
function pointer(rng: Rng, pointers: readonly string[]): string {
  const known = rng.pick(pointers);
  if (rng.chance(0.6)) return known;
  const extra = rng.pick([
    "-",
    "0",
    "1",
    "01",
    ...NAMES.map((name) => name.replaceAll("~", "~0").replaceAll("/", "~1")),
  ]);
  return rng.chance(0.5)
    ? `${known}/${extra}`
    : `${known.slice(0, known.lastIndexOf("/") + 1)}${known === "" ? "/" : ""}${extra}`;
}

function operation(rng: Rng, document: unknown, copies: number): JsonPatchOperation {
  const pointers = pointersOf(document);
  const path = pointer(rng, pointers);
  const value = randomValue(rng, rng.int(3));
  if (rng.chance(copies)) return { op: "copy", from: pointer(rng, pointers), path };
  switch (rng.int(9)) {
    case 0:
    case 1:
    case 2:
      return { op: "add", path, value };
    case 3:
      return { op: "remove", path };
    case 4:
      return { op: "replace", path, value };
    case 5:
      return { op: "move", from: pointer(rng, pointers), path };
    case 6:
      return { op: "copy", from: pointer(rng, pointers), path };
    default: {
      const there = parentAndToken(document, path)?.value;
      return { op: "test", path, value: there !== undefined && rng.chance(0.9) ? there : value };
    }
  }
}

/**
 * Some operations, each made for what the ones before it leave; a last one may be bound to fail.
 *
 * @param copies probability that an operation is a copy, whatever else it might have been
 */
export function patchFor(rng: Rng, document: unknown, copies = 0): JsonPatchOperation[] {
  let state = document;
  const operations: JsonPatchOperation[] = [];
  const count = rng.between(1, 6);
  for (let tries = 0; operations.length < count && tries < 20; tries++) {
    const next = operation(rng, state, copies);
    const result = referencePatch(state, [next]);
    if ("failed" in result && !rng.chance(0.05)) continue;
    operations.push(next);
    if ("failed" in result) break;
    state = result.value;
  }
  return operations;
}
