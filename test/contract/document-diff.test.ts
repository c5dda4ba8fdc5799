import { describe, expect, it } from "vitest";
import { diff, type JsonPatchOperation } from "../../src/index.js";
import { latin1, utf8 } from "../support/bytes.js";
import { expectProportional } from "../support/cost.js";
import { refused } from "../support/documents.js";
import { engine, KINDS } from "../support/engines.js";
import { Rng } from "../support/rng.js";

type Row = [name: string, before: unknown, after: unknown, patch: JsonPatchOperation[]];

const LONG = "so that a replacement of the whole is longer";
const proto = (value: unknown): unknown => JSON.parse(`{"__proto__":${JSON.stringify(value)},"${LONG}":1}`);

const ROWS: Row[] = [
  ["nothing", { a: [1] }, { a: [1] }, []],
  ["order of members", { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }, []],
  ["minus zero", [0, LONG], [-0, LONG], []],
  ["scalars", 1, "a", [{ op: "replace", path: "", value: "a" }]],
  ["kinds", [1], { 0: 1 }, [{ op: "replace", path: "", value: { 0: 1 } }]],
  ["a member added", { [LONG]: 1 }, { [LONG]: 1, b: [2] }, [{ op: "add", path: "/b", value: [2] }]],
  ["a member removed", { [LONG]: { [LONG]: 1 }, b: [2] }, { [LONG]: { [LONG]: 1 } }, [{ op: "remove", path: "/b" }]],
  ["a member replaced", { [LONG]: 1, b: null }, { [LONG]: 1, b: false }, [{ op: "replace", path: "/b", value: false }]],
  [
    "a string that has grown, and nothing above it",
    { messages: [{ id: "m", role: "assistant", content: "Hel", tools: [LONG] }] },
    { messages: [{ id: "m", role: "assistant", content: "Hello", tools: [LONG] }] },
    [{ op: "replace", path: "/messages/0/content", value: "Hello" }],
  ],
  [
    "elements at the end",
    [LONG, 1],
    [LONG, 1, 2, 3],
    [
      { op: "add", path: "/2", value: 2 },
      { op: "add", path: "/3", value: 3 },
    ],
  ],
  ["an element at the front", [1, LONG], [0, 1, LONG], [{ op: "add", path: "/0", value: 0 }]],
  ["an element in the middle", [1, 3, LONG], [1, 2, 3, LONG], [{ op: "add", path: "/1", value: 2 }]],
  [
    "elements gone",
    [1, LONG, 2, 3, `${LONG}!`],
    [LONG, `${LONG}!`],
    [
      { op: "remove", path: "/0" },
      { op: "remove", path: "/1" },
      { op: "remove", path: "/1" },
    ],
  ],
  ["an element replaced", [1, 2, LONG], [1, 5, LONG], [{ op: "replace", path: "/1", value: 5 }]],
  [
    "an element changed inside",
    [{ a: 1, text: LONG }, 2],
    [{ a: 2, text: LONG }, 2],
    [{ op: "replace", path: "/0/a", value: 2 }],
  ],
  [
    "elements with an id, one gone and one changed",
    [{ id: "a", text: LONG }, { id: "b", text: LONG, n: 1 }, { id: "c" }],
    [{ id: "b", text: LONG, n: 2 }, { id: "c" }],
    [
      { op: "remove", path: "/0" },
      { op: "replace", path: "/0/n", value: 2 },
    ],
  ],
  [
    "changes below an element that moved up",
    { list: [0, { x: { text: LONG, n: 1 } }] },
    { list: [{ x: { text: LONG, n: 2 } }] },
    [
      { op: "remove", path: "/list/0" },
      { op: "replace", path: "/list/0/x/n", value: 2 },
    ],
  ],
  [
    "a container replaced where that is shorter",
    { [LONG]: 1, l: [1, 2, 3, 4] },
    { [LONG]: 1, l: [] },
    [{ op: "replace", path: "/l", value: [] }],
  ],
  [
    "all of it replaced where that is shorter",
    { a: 1, b: 2, c: 3 },
    { d: 4 },
    [{ op: "replace", path: "", value: { d: 4 } }],
  ],
  [
    "names with escapes",
    { [LONG]: [LONG, LONG], "a/b": 1, "m~n": 1, "": 1 },
    { [LONG]: [LONG, LONG], "a/b": 2, "m~n": 2, "": 2 },
    [
      { op: "replace", path: "/a~1b", value: 2 },
      { op: "replace", path: "/m~0n", value: 2 },
      { op: "replace", path: "/", value: 2 },
    ],
  ],
  [
    "prototype names",
    proto({ a: 1, text: LONG }),
    proto({ a: 2, text: LONG }),
    [{ op: "replace", path: "/__proto__/a", value: 2 }],
  ],
  ["inherited names", { [LONG]: 1 }, { [LONG]: 1, toString: 1 }, [{ op: "add", path: "/toString", value: 1 }]],
  ["large integers", [LONG, 2 ** 53 + 2], [LONG, 2 ** 53 + 4], [{ op: "replace", path: "/1", value: 2 ** 53 + 4 }]],
];

describe("diff", () => {
  it.each(ROWS)("%s", (_, before, after, patch) => {
    const spelled = JSON.stringify([before, after]);
    expect(diff(before, after)).toEqual(patch);
    expect(diff(utf8(JSON.stringify(before)), utf8(JSON.stringify(after)))).toEqual(patch);
    expect(JSON.stringify([before, after])).toBe(spelled);
    for (const kind of KINDS) {
      for (const [from, to] of [
        [before, after],
        [after, before],
      ]) {
        const document = engine(kind).createDocument(from);
        document.patch(diff(from, to));
        document.patch([{ op: "test", path: "", value: to }]);
        document.close();
      }
    }
  });

  it("gives values of its own", () => {
    const after = { a: { list: [1] } };
    const patch = diff({ [LONG]: 1 }, after) as { value: typeof after }[];
    patch[0]!.value.a.list.push(2);
    expect(after).toEqual({ a: { list: [1] } });
  });

  it("refuses what is no JSON", () => {
    refused(() => diff({ a: undefined }, {}), { code: "not_json", path: "/a" });
    refused(() => diff({}, [new Set()]), { code: "not_json", path: "/0" });
    refused(() => diff(utf8("[1,"), []), { code: "bad_json", byteOffset: 3 });
    refused(() => diff([], latin1('"\xff"')), { code: "invalid_utf8", byteOffset: 1 });
    refused(() => diff([], utf8("[1e999]")), { code: "not_json", path: "/0" });
    const deep = (levels: number): unknown => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);
    refused(() => diff(deep(4097), []), { code: "too_deep", path: "/0".repeat(4096) });
    expect(diff(deep(4096), deep(4095))).toEqual([{ op: "remove", path: "/0".repeat(4095) }]);
  });

  describe("10,000 elements", () => {
    const size = 10_000;
    const rng = new Rng(7);
    const unique = Array.from({ length: size }, (_, n) => ({ id: n, text: `element ${n}` }));
    const few = Array.from({ length: size }, () => rng.int(4));
    const apply = (before: unknown[], after: unknown[]): JsonPatchOperation[] => {
      const patch = diff(before, after);
      const document = engine("js").createDocument(before);
      document.patch(patch);
      document.patch([{ op: "test", path: "", value: after }]);
      document.close();
      return patch;
    };

    it("few of them inserted, removed and changed", () => {
      const after = unique
        .filter((_, n) => n % 500 !== 3)
        .map((one) => (one.id % 700 === 5 ? { ...one, text: "new" } : one));
      after.splice(4_000, 0, { id: -1, text: "inserted" });
      expect(apply(unique, after).length).toBe(20 + 15 + 1);
    });

    it("every third one gone, others inserted", () => {
      const after = unique.filter((_, n) => n % 3 > 0);
      after.splice(1_000, 0, ...Array.from({ length: 3_000 }, (_, n) => ({ id: -1 - n, text: "inserted" })));
      const patch = apply(unique, after);
      expect(patch.length).toBeLessThanOrEqual(3_334 + 3_000);
    });

    it("shuffled", () => {
      apply(unique, rng.shuffle(unique));
    });

    it("of few kinds, rotated and shuffled", () => {
      expect(apply(few, [...few.slice(10), ...few.slice(0, 10)]).length).toBeLessThanOrEqual(20);
      const shuffled = rng.shuffle(few);
      const patch = apply(few, shuffled);
      expect(JSON.stringify(patch).length).toBeLessThanOrEqual(
        JSON.stringify([{ op: "replace", path: "", value: shuffled }]).length,
      );
    });

    it("take time in proportion to their number", () => {
      expectProportional((count) => {
        const before = unique.slice(0, count);
        const changed = before.filter((_, n) => n % 3 > 0);
        const shuffled = rng.shuffle(before);
        // A quadratic table would take 400 MB and minutes for the larger one.
        return () => void [diff(before, changed), diff(before, shuffled), diff(before, before.slice().reverse())];
      }, 312);
    });

    it("all of them new", () => {
      const after = unique.map((one) => ({ id: -1 - one.id, other: one.text }));
      expect(apply(unique, after)).toEqual([{ op: "replace", path: "", value: after }]);
    });
  });

  it("deep and wide values in linear time", () => {
    const deep = (levels: number, inner: unknown): unknown => {
      let value = inner;
      for (let i = 0; i < levels; i++) value = { text: LONG, below: value };
      return value;
    };
    expectProportional((size) => {
      const [one, two] = [deep(size, 1), deep(size, 2)];
      return () => {
        expect(diff(one, two)).toEqual([{ op: "replace", path: "/below".repeat(size), value: 2 }]);
      };
    }, 64);
    const wide = (from: number, size: number): object =>
      Object.fromEntries(Array.from({ length: size }, (_, n) => [`k${n + from}`, n + from]));
    expectProportional((size) => {
      const [one, two] = [wide(0, size), wide(1, size)];
      return () => {
        expect(diff(one, two)).toEqual([
          { op: "remove", path: "/k0" },
          { op: "add", path: `/k${size}`, value: size },
        ]);
      };
    }, 1_280);
  });
});
