import { describe, expect, it } from "vitest";
import { utf8 } from "../support/bytes.js";
import { expectProportional } from "../support/cost.js";
import { openText, patched, refused, textOf, unpatched } from "../support/documents.js";
import { KINDS } from "../support/engines.js";

const nested = (levels: number, inner = ""): string => `${"[".repeat(levels)}${inner}${"]".repeat(levels)}`;
const repeat = (count: number, make: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => make(i)).join(",");
const ops = (...list: string[]): Uint8Array => utf8(`[${list.join(",")}]`);

describe.each(KINDS)("limits of documents, %s", (kind) => {
  describe("depth", () => {
    const limits = { depth: 4 };
    const tooDeep = (path: string, opIndex = 0) => ({ code: "limit", reason: "depth", path, opIndex }) as const;

    it("counts the root as level 1", () => {
      openText(kind, nested(4, "1"), limits).close();
      refused(() => openText(kind, nested(5), limits), { code: "too_deep", byteOffset: 4 });
    });

    it("bounds what comes in, at every level", () => {
      const document = openText(kind, '{"a":{"b":{"c":[1]}},"x":1}', limits);
      unpatched(document, ops('{"op":"add","path":"/a/b/c/-","value":[]}'), tooDeep("/a/b/c/-"), "an element");
      unpatched(
        document,
        ops('{"op":"replace","path":"/a/b/c/0","value":{}}'),
        tooDeep("/a/b/c/0"),
        "a replaced element",
      );
      unpatched(document, ops(`{"op":"add","path":"/y","value":${nested(4)}}`), tooDeep("/y"), "a member");
      unpatched(document, ops(`{"op":"replace","path":"/a","value":{"l":[0,{"m":[]}]}}`), tooDeep("/a"), "a tree");
      // Two levels of the patch are around the value, so that no root that comes in can be too deep for its place alone.
      unpatched(
        document,
        ops(`{"op":"add","path":"","value":${nested(5)}}`),
        { code: "too_deep", byteOffset: 35 },
        "the root",
      );
      patched(
        document,
        ops('{"op":"add","path":"/a/b/c/-","value":"s"}'),
        '{"a":{"b":{"c":[1,"s"]}},"x":1}',
        "a scalar",
      );
      patched(document, ops(`{"op":"add","path":"","value":${nested(4, "7")}}`), nested(4, "7"), "the deepest root");
      document.close();
    });

    it("bounds what is moved and copied", () => {
      const document = openText(kind, '{"a":{"b":[[]]},"c":{"d":{}},"e":[]}', limits);
      unpatched(document, ops('{"op":"copy","from":"/a","path":"/c/d"}'), tooDeep("/c/d"), "copy");
      unpatched(document, ops('{"op":"move","from":"/a/b","path":"/c/d/e"}'), tooDeep("/c/d/e"), "move down");
      unpatched(document, ops('{"op":"copy","from":"","path":"/e/-"}'), tooDeep("/e/-"), "copy of the root");
      document.patch(ops('{"op":"move","from":"/a/b","path":"/b"}', '{"op":"move","from":"/b","path":"/c/d"}'));
      expect(textOf(document)).toBe('{"a":{},"c":{"d":[[]]},"e":[]}');
      document.close();
    });

    it("bounds what the copies of one patch bring together, whatever becomes of them", () => {
      const value = `{"s":"${"x".repeat(90)}"}`;
      const copies = (count: number) => repeat(count, () => '{"op":"copy","from":"/v","path":"/w"}');
      const document = openText(kind, `{"v":${value},"w":0}`, { bytes: 1_000 });
      // ten copies of 98 bytes are within the limit, an eleventh is not
      document.patch(utf8(`[${copies(10)}]`));
      const before = textOf(document);
      const tooMuch = { code: "limit", reason: "modelBytes", path: "/w", opIndex: 10 } as const;
      unpatched(document, utf8(`[${copies(11)}]`), tooMuch, "eleven copies");
      unpatched(
        document,
        utf8(`[${copies(10)},{"op":"copy","from":"/v","path":"/w"},{"op":"remove","path":"/nothing"}]`),
        tooMuch,
        "before what fails",
      );
      expect(textOf(document)).toBe(before);
      document.patch(utf8(`[${copies(10)}]`));
      document.close();
    });

    it("looks at the result of each operation, and takes all of them back", () => {
      const document = openText(kind, '{"a":1}', limits);
      const deeper = ["/a", "/a/a", "/a/a/a", "/a/a/a/a"].map((path) => `{"op":"add","path":"${path}","value":{}}`);
      unpatched(document, ops(...deeper), tooDeep("/a/a/a/a", 3), "step by step");
      const back = [...deeper, '{"op":"remove","path":"/a"}'];
      unpatched(document, ops(...back), tooDeep("/a/a/a/a", 3), "even when it would be taken away again");
      document.close();
    });

    it("may be as much as is allowed", () => {
      const limits = { depth: 4094 };
      const document = openText(kind, nested(4094), limits);
      const innermost = "/0".repeat(4094);
      document.patch(ops(`{"op":"replace","path":"","value":${nested(4094, "1")}}`));
      expect(textOf(document)).toBe(nested(4094, "1"));
      document.patch(ops(`{"op":"replace","path":"${innermost}","value":2}`));
      expect(textOf(document)).toBe(nested(4094, "2"));
      unpatched(document, ops(`{"op":"replace","path":"${innermost}","value":[]}`), tooDeep(innermost), "deeper");
      document.patch(ops(`{"op":"test","path":"","value":${nested(4094, "2.0")}}`));
      expect(document.get(innermost)).toBe(2);
      document.patch(ops('{"op":"copy","from":"/0/0","path":"/0/0"}'));
      document.patch(ops('{"op":"move","from":"/0/1","path":"/-"}'));
      expect(document.size).toBe(document.bytes().length);
      document.close();
    });

    it("is not passed by copies that nest", () => {
      const document = openText(kind, `{"a":${'{"b":'.repeat(60)}1${"}".repeat(60)}}`, { depth: 100 });
      const within = (levels: number): string => `{"op":"copy","from":"/a","path":"/a${"/b".repeat(levels)}"}`;
      const path = `/a${"/b".repeat(41)}`;
      unpatched(document, ops(within(4), within(41)), tooDeep(path, 1), "64 + 42 levels");
      document.patch(ops(within(30)));
      expect(document.get(`/a${"/b".repeat(90)}`)).toBe(1);
      document.close();
    });
  });

  describe("bytes", () => {
    const tooLarge = (path: string, opIndex = 0) => ({ code: "limit", reason: "modelBytes", path, opIndex }) as const;

    it("refuses copies before they are made", () => {
      const bytes = 32 * 1024 * 1024;
      const document = openText(kind, '{"a":1}', { bytes });
      const copies = Array.from({ length: 40 }, (_, i) => `{"op":"copy","from":"","path":"/k${i}"}`);
      let length = document.size;
      let first = 0;
      while (length <= bytes) length = 2 * length + `,"k${first++}":`.length;
      unpatched(document, ops(...copies), tooLarge(`/k${first - 1}`, first - 1), "copies of the root");
      patched(
        document,
        ops(copies[0]!, copies[1]!, '{"op":"add","path":"/k1/k0/a","value":2}'),
        '{"a":1,"k0":{"a":1},"k1":{"a":1,"k0":{"a":2}}}',
        "two of them",
      );
      document.close();
    });

    it("allows exactly as many, in every operation", () => {
      const limits = { bytes: 24 };
      const rows: [string, string, string | undefined][] = [
        ['{"a":"0123456789"}', '{"op":"add","path":"/b","value":1}', '{"a":"0123456789","b":1}'],
        ['{"a":"0123456789"}', '{"op":"add","path":"/b","value":12}', undefined],
        ['{"a":"0123456789"}', '{"op":"add","path":"/bb","value":1}', undefined],
        ['{"a":"0123456789"}', '{"op":"add","path":"/a","value":"0123456789abcdef"}', '{"a":"0123456789abcdef"}'],
        ['{"a":"0123456789"}', '{"op":"add","path":"/a","value":"0123456789abcdefg"}', undefined],
        ['{"a":"0123456789"}', '{"op":"replace","path":"/a","value":"0123456789ab€f"}', '{"a":"0123456789ab€f"}'],
        ['{"a":"0123456789"}', '{"op":"replace","path":"/a","value":"0123456789ab€fg"}', undefined],
        ['{"a":"0123456789"}', '{"op":"replace","path":"/a","value":"\\u0001\\ud800\\n"}', '{"a":"\\u0001\\ud800\\n"}'],
        ['{"a":"0123456789"}', '{"op":"replace","path":"/a","value":"\\u0001\\ud800\\n\\u0001"}', undefined],
        ["{}", '{"op":"add","path":"/é","value":"0123456789abcd"}', '{"é":"0123456789abcd"}'],
        ["{}", '{"op":"add","path":"/é","value":"0123456789abcde"}', '{"é":"0123456789abcde"}'],
        ["{}", '{"op":"add","path":"/é","value":"0123456789abcdef"}', undefined],
        ["[1,22,333,4444,55555,66]", '{"op":"add","path":"/0","value":1}', undefined],
        ["[1,22,333,4444,55555,66]", '{"op":"replace","path":"/0","value":2}', "[2,22,333,4444,55555,66]"],
        ["[1,22,333,4444,55555,66]", '{"op":"replace","path":"/0","value":10}', undefined],
        ["[1,22,333,4444,55555]", '{"op":"add","path":"/5","value":66}', "[1,22,333,4444,55555,66]"],
        ["[1,22,333,4444,55555]", '{"op":"add","path":"/5","value":666}', undefined],
        ["[]", '{"op":"add","path":"/-","value":"0123456789abcdefghij"}', '["0123456789abcdefghij"]'],
        ["[]", '{"op":"add","path":"/-","value":"0123456789abcdefghijk"}', undefined],
        ['{"a":12,"b":{"c":{}}}', '{"op":"move","from":"/a","path":"/b/c/d"}', '{"b":{"c":{"d":12}}}'],
        ['{"a":12,"b":{"c":{}}}', '{"op":"move","from":"/a","path":"/b/c/ddddd"}', '{"b":{"c":{"ddddd":12}}}'],
        ['{"a":12,"b":{"c":{}}}', '{"op":"move","from":"/a","path":"/b/c/dddddd"}', undefined],
        ['{"a":[10],"b":{"c":1}}', '{"op":"move","from":"/a/0","path":"/b/d"}', undefined],
        ['{"a":[10],"b":{"c":1}}', '{"op":"move","from":"/b/c","path":"/a/0"}', '{"a":[1,10],"b":{}}'],
        ['{"a":1,"b":2}', '{"op":"move","from":"/a","path":"/0123456789ab"}', '{"b":2,"0123456789ab":1}'],
        ['{"a":1,"b":2}', '{"op":"move","from":"/a","path":"/0123456789abc"}', undefined],
        ['{"a":1}', '{"op":"move","from":"/a","path":"/0123456789abcdefgh"}', '{"0123456789abcdefgh":1}'],
        ['{"a":1}', '{"op":"move","from":"/a","path":"/0123456789abcdefghi"}', undefined],
        ['{"a":{"b":"123456789"}}', '{"op":"move","from":"/a/b","path":"/a"}', '{"a":"123456789"}'],
        ['{"a":[1,2],"b":[3,4]}', '{"op":"copy","from":"/a/0","path":"/b/1"}', '{"a":[1,2],"b":[3,1,4]}'],
        ['{"a":[1,2],"b":[3,4]}', '{"op":"copy","from":"/a","path":"/b/1"}', undefined],
        ['{"a":[1,2],"b":[3,4]}', '{"op":"copy","from":"/a","path":""}', "[1,2]"],
        ['{"a":1}', '{"op":"add","path":"","value":"0123456789abcdefghijkl"}', '"0123456789abcdefghijkl"'],
        ['{"a":1}', '{"op":"add","path":"","value":"0123456789abcdefghijklm"}', undefined],
      ];
      for (const [before, operation, after] of rows) {
        const document = openText(kind, before, limits);
        const { path } = JSON.parse(operation) as { path: string };
        if (after === undefined) unpatched(document, ops(operation), tooLarge(path), `${before} ${operation}`);
        else patched(document, ops(operation), after, `${before} ${operation}`);
        document.close();
      }
    });

    it("looks at the result of each operation", () => {
      const document = openText(kind, "[1]", { bytes: 10 });
      const grow = '{"op":"add","path":"/-","value":"abcdef"}';
      unpatched(document, ops(grow, '{"op":"remove","path":"/0"}'), tooLarge("/-"), "even when room is made behind it");
      patched(document, ops('{"op":"remove","path":"/0"}', grow), '["abcdef"]', "room made before it");
      patched(document, ops('{"op":"test","path":"","value":["abcdef"]}'), '["abcdef"]', "test costs nothing");
      document.close();
    });

    it("gives room back when a patch fails", () => {
      const document = openText(kind, "[]", { bytes: 100 });
      for (let i = 0; i < 50; i++) {
        expect(() =>
          document.patch(ops(`{"op":"add","path":"/-","value":"${"x".repeat(60)}"}`, '{"op":"remove","path":"/9"}')),
        ).toThrow();
      }
      patched(
        document,
        ops(`{"op":"add","path":"/-","value":"${"x".repeat(96)}"}`),
        `["${"x".repeat(96)}"]`,
        "all of it",
      );
      for (let i = 0; i < 50; i++) {
        document.patch(
          ops('{"op":"remove","path":"/0"}', `{"op":"add","path":"/-","value":"${String(i % 10).repeat(96)}"}`),
        );
      }
      expect(document.size).toBe(100);
      document.close();
    });

    it("stops copies that double the document", () => {
      const limit = 1 << 20;
      const document = openText(kind, '{"a":["0123456789"]}', { bytes: limit, depth: 4094 });
      const double = '{"op":"copy","from":"/a","path":"/a/-"}';
      unpatched(document, utf8(`[${repeat(100, () => double)}]`), tooLarge("/a/-", 16), "in one patch");
      let applied = 0;
      expect(() => {
        for (; applied < 100; applied++) document.patch(ops(double));
      }).toThrow("modelBytes");
      expect(applied).toBe(16);
      expect(document.size).toBeGreaterThan(limit / 2);
      expect(document.size).toBeLessThanOrEqual(limit);
      document.close();
    });

    it("stays exact over many patches near the limit", () => {
      const document = openText(kind, "{}", { bytes: 400 });
      let refusedOnes = 0;
      for (let i = 0; i < 500; i++) {
        const value = "é".repeat(i % 37);
        const names = [`k${i % 11}`, `k${(i * 7) % 13}`];
        try {
          document.patch([
            { op: "add", path: `/${names[0]}`, value },
            { op: "copy", from: `/${names[0]}`, path: `/${names[1]}` },
          ]);
        } catch {
          refusedOnes++;
        }
        expect(document.size).toBe(document.bytes().length);
        expect(document.size).toBeLessThanOrEqual(400);
      }
      expect(refusedOnes).toBeGreaterThan(10);
      expect(refusedOnes).toBeLessThan(490);
      document.close();
    });
  });

  describe("operations", () => {
    it("bounds one patch, in the order of the operations", () => {
      const document = openText(kind, "[]", { operations: 3 });
      const one = '{"op":"add","path":"/-","value":1}';
      patched(document, ops(one, one, one), "[1,1,1]", "as many as allowed");
      const wanted = { code: "limit", reason: "operations", opIndex: 3 } as const;
      unpatched(document, ops(one, one, one, one), wanted, "one more");
      unpatched(document, ops(one, one, one, "7", one), wanted, "whatever it is");
      unpatched(
        document,
        ops(one, '{"op":"add"}', one, one),
        { code: "bad_patch", path: "/1/path", opIndex: 1 },
        "a malformed one before",
      );
      unpatched(
        document,
        [1, 2, 3, 4].map(() => JSON.parse(one)),
        wanted,
        "as a value",
      );
      document.close();
    });

    it("takes 100,000 by default, and no more", () => {
      const document = openText(kind, "0");
      const one = '{"op":"test","path":"","value":0}';
      document.patch(utf8(`[${repeat(100_000, () => one)}]`));
      unpatched(
        document,
        utf8(`[${repeat(100_001, () => one)}]`),
        { code: "limit", reason: "operations", opIndex: 100_000 },
        "one more",
      );
      document.close();
    });
  });

  describe("large inputs in linear time", () => {
    it("objects of 40,000 members, in any order", () => {
      expectProportional((size) => {
        const member = (i: number): string => `"k${i}":{"v":${i}}`;
        const json = `{"o":{${repeat(size, member)}}}`;
        const reversed = ops(`{"op":"test","path":"/o","value":{${repeat(size, (i) => member(size - 1 - i))}}}`);
        const edits = Array.from({ length: size / 200 }, (_, i) =>
          ops(`{"op":"replace","path":"/o/k${i * 199}/v","value":-1}`),
        );
        return () => {
          const document = openText(kind, json);
          document.patch(reversed);
          for (const edit of edits) document.patch(edit);
          expect(document.get("/o/k398/v")).toBe(-1);
          document.close();
        };
      }, 1_200);
    });

    it("10,000 names that weak hashes take for one", () => {
      // "Aa" and "BB" are equal under 31 * h + c, and so is every string of such pairs.
      const name = (i: number): string =>
        Array.from({ length: 14 }, (_, bit) => ((i >> bit) & 1 ? "Aa" : "BB")).join("");
      expectProportional((size) => {
        const json = `{${repeat(size, (i) => `"${name(i)}":${i}`)}}`;
        const backwards = repeat(size, (i) => `"${name(size - 1 - i)}":${size - 1 - i}`);
        const same = ops(`{"op":"test","path":"","value":{${backwards}}}`);
        const edits = utf8(`[${repeat(size, (i) => `{"op":"replace","path":"/${name(i)}","value":${-i - 1}}`)}]`);
        return () => {
          const document = openText(kind, json);
          document.patch(same);
          document.patch(edits);
          expect(document.get(`/${name(123)}`)).toBe(-124);
          document.close();
        };
      }, 320);
    });

    it("arrays of 10,000 elements, at both ends and in the middle", () => {
      const json = `[${repeat(10_000, String)}]`;
      expectProportional((count) => {
        const patches = [
          repeat(count, (i) => `{"op":"add","path":"/${i * 2}","value":"n${i}"}`),
          repeat(count, () => '{"op":"move","from":"/0","path":"/-"}'),
          repeat(count, (i) => `{"op":"remove","path":"/${i}"}`),
        ].map((patch) => utf8(`[${patch}]`));
        const document = openText(kind, json);
        return () => {
          for (const patch of patches) document.patch(patch);
          expect((document.value() as unknown[]).length).toBe(10_000);
        };
      }, 100);
    });

    it("10,000 members taken out and brought back by a failure", () => {
      expectProportional((size) => {
        const json = `{${repeat(size, (i) => `"k${i}":${i}`)}}`;
        const removes = repeat(size, (i) => `{"op":"remove","path":"/k${(i * 7919) % size}"}`);
        const patch = utf8(`[${removes},{"op":"remove","path":"/k0"}]`);
        return () => {
          const document = openText(kind, json);
          expect(() => document.patch(patch)).toThrow();
          expect(textOf(document)).toBe(json);
          document.close();
        };
      }, 320);
    });

    it("a member that comes and goes many times in one patch, and is there again when that fails", () => {
      expectProportional((size) => {
        const pair = '{"op":"add","path":"/a","value":1},{"op":"remove","path":"/a"}';
        const moves = '{"op":"move","from":"/b","path":"/c"},{"op":"move","from":"/c","path":"/b"}';
        const members = repeat(40, (i) => `"k${i}":${i}`);
        const patch = utf8(`[${repeat(size, () => `${pair},${moves}`)}]`);
        const failing = utf8(`[${repeat(size, () => pair)},{"op":"remove","path":"/a"}]`);
        return () => {
          const document = openText(kind, `{${members},"a":0,"b":2}`);
          document.patch(ops('{"op":"remove","path":"/a"}'));
          document.patch(patch);
          expect(textOf(document)).toBe(`{${members},"b":2}`);
          expect(() => document.patch(failing)).toThrow();
          expect(textOf(document)).toBe(`{${members},"b":2}`);
          document.patch(ops('{"op":"add","path":"/k7","value":"x"}', '{"op":"add","path":"/a","value":"y"}'));
          expect([document.get("/k7"), document.get("/a"), document.get("/b")]).toEqual(["x", "y", 2]);
          document.close();
        };
      }, 250);
    });

    it("members taken out of many objects, and others put in their places", () => {
      expectProportional((size) => {
        const json = `[${repeat(size, () => '{"a":1}')}]`;
        const removes = utf8(`[${repeat(size, (i) => `{"op":"remove","path":"/${i}/a"}`)}]`);
        const adds = utf8(`[${repeat(size, (i) => repeat(6, (k) => `{"op":"add","path":"/${i}/b${k}","value":1}`))}]`);
        const both = utf8(
          `[${repeat(size, (i) => `{"op":"remove","path":"/${i}/b0"},{"op":"add","path":"/${i}/c","value":1},{"op":"add","path":"/${i}/d","value":1}`)}]`,
        );
        return () => {
          const document = openText(kind, json);
          for (const patch of [removes, adds, both]) document.patch(patch);
          expect(Object.keys(document.get(`/${size - 1}`) as object)).toEqual(["b1", "b2", "b3", "b4", "b5", "c", "d"]);
          document.close();
        };
      }, 200);
    });

    it("one long pointer, and a patch of one long string", () => {
      expectProportional((size) => {
        const path = "/x~1".repeat(size);
        const patch = ops(`{"op":"add","path":"/s","value":"${"\\u00e9".repeat(size)}"}`);
        return () => {
          const document = openText(kind, '{"a":1}');
          unpatched(
            document,
            ops(`{"op":"remove","path":"${path}"}`),
            { code: "delta_failed", path, opIndex: 0 },
            "long pointer",
          );
          document.patch(patch);
          expect(document.size).toBe(`{"a":1,"s":""}`.length + 2 * size);
          document.close();
        };
      }, 6_400);
    });
  });
});
