import { describe, expect, it } from "vitest";
import { applyPatch, type PatchOperation, type PatchSteps, readPatch } from "../../src/json/patch.js";
import { jsonLength } from "../../src/json/tree.js";
import { randomValue, referencePatch } from "../support/json-values.js";
import { patchFor } from "../support/random-patch.js";
import { Rng } from "../support/rng.js";

const operationsOf = (patch: unknown): PatchOperation[] => readPatch(structuredClone(patch), 1000) as PatchOperation[];

/** Whether no object or array is held twice. */
function isTree(root: unknown): boolean {
  const seen = new Set<unknown>();
  const open = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue;
    if (seen.has(value)) return false;
    seen.add(value);
    open.push(...Object.values(value));
  }
  return true;
}

/** Bounds that count as an engine does, and what they have counted. */
function counting(value: unknown, limit: number) {
  const size = { bytes: jsonLength(value) };
  return {
    size,
    bounds: {
      depth: 100,
      admit: (_: number, growth: () => number) => {
        const bytes = size.bytes + growth();
        if (bytes > limit) return false;
        size.bytes = bytes;
        return true;
      },
    },
  };
}

describe("copies that share what they hold until the patch applies", () => {
  it("come to the same as copies that are made at once, and are a tree when the patch stays", () => {
    let applied = 0;
    for (let seed = 1; seed <= 3000; seed++) {
      const rng = new Rng(seed);
      const before = randomValue(rng, 4);
      const patch = [...patchFor(rng, before, 0.5), ...(rng.chance(0.2) ? [{ op: "remove", path: "/nobody" }] : [])];
      const wanted = referencePatch(before, patch as never);
      const text = JSON.stringify(before);
      const label = `seed ${seed}: ${text} ${JSON.stringify(patch)}`;
      const steps: PatchSteps = { undo: [], keep: [] };
      const kept = rng.chance(0.5);
      const target = { value: structuredClone(before) };
      const { size, bounds } = counting(before, 1e6);
      const fault = applyPatch(target, operationsOf(patch), bounds, {
        copiedAtOnce: 0,
        ...(rng.chance(0.7) ? { steps } : {}),
      });
      if ("failed" in wanted) {
        expect(fault, label).toMatchObject({ code: "delta_failed", opIndex: wanted.failed });
        expect(JSON.stringify(target.value), label).toBe(text);
        continue;
      }
      expect(fault, label).toBeUndefined();
      applied++;
      const result = JSON.stringify(wanted.value);
      expect(JSON.stringify(target.value), label).toBe(result);
      expect(size.bytes, label).toBe(jsonLength(wanted.value));
      if (kept || steps.undo.length === 0) {
        for (const step of steps.keep) step();
        expect(JSON.stringify(target.value), label).toBe(result);
        expect(isTree(target.value), label).toBe(true);
      } else {
        while (steps.undo.length > 0) steps.undo.pop()!();
        expect(JSON.stringify(target.value), label).toBe(text);
      }
    }
    expect(applied).toBeGreaterThan(1000);
  });

  it("cost nothing when they are refused: copies of the root into itself", () => {
    const copies = Array.from({ length: 40 }, (_, i) => ({ op: "copy", from: "", path: `/k${i}` }));
    const target = { value: { a: {}, b: [[1]] } };
    const { bounds } = counting(target.value, 2 ** 52);
    // All that has been made until then would be 2^40 values.
    const fault = applyPatch(target, operationsOf([...copies, { op: "test", path: "/a", value: 0 }]), bounds, {});
    expect(fault).toMatchObject({ code: "delta_failed", opIndex: 40 });
    expect(target.value).toEqual({ a: {}, b: [[1]] });
    // What is compared with is not copied either, with a member gone before the copies or behind them.
    for (const removal of [0, 40]) {
      const patch = [...copies, { op: "test", path: "", value: {} }] as object[];
      patch.splice(removal, 0, { op: "remove", path: "/a" });
      expect(applyPatch(target, operationsOf(patch), bounds, {})).toMatchObject({ code: "delta_failed", opIndex: 41 });
      expect(JSON.stringify(target.value)).toBe('{"a":{},"b":[[1]]}');
    }
    let bytes = jsonLength(target.value);
    let first = 0;
    while (bytes <= 2 ** 28) bytes = 2 * bytes + `,"k${first++}":`.length;
    expect(applyPatch(target, operationsOf(copies), counting(target.value, 2 ** 28).bounds, {})).toMatchObject({
      code: "limit",
      opIndex: first - 1,
      path: `/k${first - 1}`,
    });
  });
});

describe("members that a patch removes", () => {
  /** An object that counts how often somebody has asked for all its names. */
  function listed() {
    const asked = { names: 0 };
    const members = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`m${i}`, i]));
    const handler = {
      ownKeys(object: object) {
        asked.names++;
        return Reflect.ownKeys(object);
      },
    };
    return { asked, members, object: new Proxy<Record<string, unknown>>(members, handler) };
  }
  const ROOMY = { depth: 100, admit: () => true };
  const removals = [
    { op: "remove", path: "/o/m7" },
    { op: "add", path: "/o/new", value: 1 },
    { op: "move", from: "/o/m9", path: "/o/m3" },
    { op: "remove", path: "/o/m0" },
  ];

  it("do not ask for the names of their object, and neither does taking them back", () => {
    const { asked, members, object } = listed();
    const before = JSON.stringify(members);
    const fail = { op: "test", path: "/o/m1", value: "other" };
    expect(applyPatch({ value: { o: object } }, operationsOf([...removals, fail]), ROOMY)).toMatchObject({
      opIndex: 4,
    });
    expect(asked.names).toBe(0);
    expect(JSON.stringify(members)).toBe(before);
    const steps: PatchSteps = { undo: [], keep: [] };
    expect(applyPatch({ value: { o: object } }, operationsOf(removals), ROOMY, { steps })).toBeUndefined();
    for (const step of steps.keep) step();
    expect(asked.names).toBe(0);
    expect(Object.keys(members).slice(0, 3)).toEqual(["m1", "m2", "m3"]);
    expect(members).toMatchObject({ new: 1, m3: 9 });
  });

  it("do not count where values are compared", () => {
    const patchOf = (value: unknown) => [
      { op: "remove", path: "/o/a" },
      { op: "remove", path: "/o/c" },
      { op: "test", path: "", value },
    ];
    const before = { o: { a: 1, b: 2, c: 3 }, l: [1] };
    const right = { l: [1], o: { b: 2 } };
    expect(applyPatch({ value: structuredClone(before) }, operationsOf(patchOf(right)), ROOMY)).toBeUndefined();
    const wrong = [
      { o: { b: 2, a: 1 }, l: [1] },
      { o: { a: 1 }, l: [1] },
      { o: { b: 2, d: 4 }, l: [1] },
      { o: {}, l: [1] },
      { o: { b: 3 }, l: [1] },
      { o: { b: 2 } },
      { o: { b: 2 }, l: [] },
      { o: { b: 2 }, l: [1, 2] },
    ];
    for (const value of wrong) {
      const target = { value: structuredClone(before) };
      expect(applyPatch(target, operationsOf(patchOf(value)), ROOMY), JSON.stringify(value)).toMatchObject({
        opIndex: 2,
      });
      expect(JSON.stringify(target.value)).toBe(JSON.stringify(before));
    }
  });

  it("come last when they come back", () => {
    const target = { value: { a: 1, b: 2, c: 3 } };
    const patch = [
      { op: "remove", path: "/a" },
      { op: "test", path: "", value: { b: 2, c: 3 } },
      { op: "copy", from: "", path: "/all" },
      { op: "add", path: "/a", value: 4 },
      { op: "remove", path: "/b" },
    ];
    const before = JSON.stringify(target.value);
    const fail = { op: "remove", path: "/b" };
    expect(applyPatch(target, operationsOf([...patch, fail]), ROOMY)).toMatchObject({ opIndex: 5 });
    expect(JSON.stringify(target.value)).toBe(before);
    expect(applyPatch(target, operationsOf(patch), ROOMY)).toBeUndefined();
    expect(JSON.stringify(target.value)).toBe('{"c":3,"all":{"b":2,"c":3},"a":4}');
  });
});
