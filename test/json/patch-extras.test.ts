import { describe, expect, it } from "vitest";
import { R_LIMIT_DEPTH } from "../../assembly/abi/codes.js";
import {
  applyPatch,
  type PatchBounds,
  type PatchExtras,
  type PatchOperation,
  type PatchSteps,
  readPatch,
} from "../../src/json/patch.js";

const ROOMY: PatchBounds = { depth: 100, admit: () => true };

function apply(
  value: unknown,
  patch: unknown[],
  extras: PatchExtras,
  bounds = ROOMY,
): { value: unknown; fault: unknown } {
  const target = { value };
  const fault = applyPatch(target, readPatch(patch, 100) as PatchOperation[], bounds, extras);
  return { value: target.value, fault };
}

describe("upsert", () => {
  const upsert = (value: unknown, ...patch: unknown[]) => apply(value, patch, { upsert: true });

  it("makes missing parents, for add, copy and move", () => {
    expect(upsert({}, { op: "add", path: "/a/b/c", value: 1 }).value).toEqual({ a: { b: { c: 1 } } });
    expect(upsert({ x: 1 }, { op: "copy", from: "/x", path: "/a/b" }).value).toEqual({ x: 1, a: { b: 1 } });
    expect(upsert({ x: [1, 2] }, { op: "move", from: "/x/0", path: "/a/b" }).value).toEqual({ x: [2], a: { b: 1 } });
  });

  it("copies what was there before the parents", () => {
    expect(upsert({ x: 1 }, { op: "copy", from: "", path: "/a/b" }).value).toEqual({ x: 1, a: { b: { x: 1 } } });
  });

  it("adds with replace, removes nothing", () => {
    expect(upsert({}, { op: "replace", path: "/a/b", value: 1 }).value).toEqual({ a: { b: 1 } });
    expect(upsert({ l: [] }, { op: "remove", path: "/a/b" }, { op: "remove", path: "/l/0" })).toEqual({
      value: { l: [] },
      fault: undefined,
    });
  });

  it("makes no elements, and no container of what is none; then nothing is left of it", () => {
    const before = { l: [1], s: "x" };
    for (const path of ["/l/5/a", "/s/a", "/l/x"]) {
      const made = { op: "add", path: "/new/one", value: 1 };
      const { value, fault } = upsert(structuredClone(before), made, { op: "replace", path, value: 1 });
      expect(JSON.stringify(value)).toBe(JSON.stringify(before));
      expect(fault).toMatchObject({ code: "delta_failed", opIndex: 1, path });
    }
    expect(upsert({}, { op: "test", path: "/a", value: 1 }).fault).toMatchObject({ code: "delta_failed" });
  });

  it("makes no parents that would nest the value too deep", () => {
    const touch = () => {
      throw new Error("a parent was made");
    };
    const bounds = { depth: 3, admit: touch };
    for (const [path, value] of [
      ["/a/b/c/d", 1],
      ["/a/b/c", []],
      ["/a/b", { x: [1] }],
      ["/a".repeat(100_000), 1],
    ] as const) {
      const { value: after, fault } = apply({}, [{ op: "add", path, value }], { upsert: true }, bounds);
      expect(after).toEqual({});
      expect(fault).toMatchObject({ code: "limit", reason: R_LIMIT_DEPTH, opIndex: 0, path });
    }
  });

  it("counts the parents", () => {
    let room = 12;
    const admit = (_bound: number, growth: () => number): boolean => {
      room -= growth();
      return room >= 0;
    };
    // {"a":{"b":1}} adds 11 bytes to {}, {"a":{"bcd":1}} 13.
    expect(
      apply({}, [{ op: "add", path: "/a/b", value: 1 }], { upsert: true }, { depth: 9, admit }).fault,
    ).toBeUndefined();
    room = 12;
    const refused = apply({}, [{ op: "add", path: "/a/bcd", value: 1 }], { upsert: true }, { depth: 9, admit });
    expect(refused).toMatchObject({ value: {}, fault: { code: "limit", opIndex: 0, path: "/a/bcd" } });
  });
});

describe("what was touched", () => {
  it("is the target, the array where an element came or went, and what a move left", () => {
    const pointers: string[] = [];
    const patch = [
      { op: "add", path: "/a", value: [1, 2, 3] },
      { op: "add", path: "/a/-", value: 4 },
      { op: "replace", path: "/a/0", value: 5 },
      { op: "remove", path: "/a/1" },
      { op: "test", path: "/a/0", value: 5 },
      { op: "move", from: "/a/0", path: "/b" },
      { op: "copy", from: "/b", path: "/c" },
      { op: "move", from: "/c", path: "/c" },
      { op: "remove", path: "/c" },
      { op: "replace", path: "", value: 1 },
    ];
    apply({}, patch, { touched: (pointer) => pointers.push(pointer) });
    expect(pointers).toEqual(["/a", "/a", "/a/0", "/a", "/b", "/a", "/c", "/c", ""]);
  });
});

describe("undo after success", () => {
  it("takes everything back, the order of members included", () => {
    const value = { a: 1, b: { c: [1, 2, { d: 3 }] }, e: 4 };
    const before = JSON.stringify(value);
    const steps: PatchSteps = { undo: [], keep: [] };
    const patch = [
      { op: "remove", path: "/a" },
      { op: "move", from: "/b/c/2/d", path: "/f" },
      { op: "replace", path: "/e", value: {} },
      { op: "add", path: "/b/c/0", value: 0 },
    ];
    const { fault } = apply(value, patch, { steps });
    expect(fault).toBeUndefined();
    while (steps.undo.length > 0) steps.undo.pop()?.();
    expect(JSON.stringify(value)).toBe(before);
  });
});
