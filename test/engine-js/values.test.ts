import { describe, expect, it } from "vitest";
import type { EngineSession, Report } from "../../src/engine/contract.js";
import { cloneValue, depthOf } from "../../src/engine/js/codec/clone.js";
import { copyValue } from "../../src/engine/js/codec/value.js";
import { parseExact, writeJson } from "../../src/json/exact.js";
import { append, faults, model, open, short, snapshotText, start } from "./support.js";

class Point {
  x = 1;
}
const cycle: { a: { b?: unknown }[] } = { a: [{}] };
cycle.a[0]!.b = cycle;
const shared = { s: 1 };

const NOT_JSON: [string, unknown, string][] = [
  ["undefined", undefined, ""],
  ["a member undefined", { a: undefined }, "/a"],
  ["function", { a: [() => 1] }, "/a/0"],
  ["symbol", { "x/y": { "~": Symbol("s") } }, "/x~1y/~0"],
  ["BigInt", [1n], "/0"],
  ["NaN", { a: Number.NaN }, "/a"],
  ["infinity", { a: Number.NEGATIVE_INFINITY }, "/a"],
  ["Date", { a: new Date() }, "/a"],
  ["Map", { a: new Map() }, "/a"],
  ["class instance", [[new Point()]], "/0/0"],
  ["boxed string", { a: new String("s") }, "/a"],
  ["typed array", { a: new Uint8Array(2) }, "/a"],
  ["object with a prototype of its own", Object.create({ a: 1 }), ""],
  // biome-ignore lint/suspicious/noSparseArray: the hole is the case
  ["hole", [1, , 2], "/1"],
  [
    "accessor",
    {
      a: 1,
      get b() {
        return 2;
      },
    },
    "/b",
  ],
  ["accessor of an array", [Object.defineProperty([1], 0, { get: () => 1 })], "/0/0"],
  [
    "throwing accessor",
    {
      get a(): number {
        throw new Error("no");
      },
    },
    "/a",
  ],
  ["cycle", cycle, "/a/0/b"],
  [
    "cycle of an array",
    (() => {
      const list: unknown[] = [];
      list.push(list);
      return list;
    })(),
    "/0",
  ],
  [
    "throwing proxy",
    {
      a: new Proxy(
        {},
        {
          ownKeys() {
            throw new Error("no");
          },
        },
      ),
    },
    "/a",
  ],
];

describe("values that are no JSON", () => {
  it.each(NOT_JSON)("%s", (_, value, path) => {
    expect(copyValue(value, 50)).toEqual({ code: "not_json", path });
    const session = open();
    const reports: Report[] = [];
    expect(session.applyValue!({ op: "start", seq: 1, model: { ...model(), extra: value } }, reports)).toBe(0);
    expect(reports).toEqual([{ kind: "error", fault: { code: "not_json", path: `/model/extra${path}` } }]);
    expect(session.loadValue!("", 1, value)).toEqual({ code: "not_json", path });
    expect(session.materializeValue!("", value)).toEqual({ code: "not_json", path });
    expect(session.stats()).toMatchObject({ events: 0, errors: 0, streams: 0 });
  });
});

describe("values that are JSON", () => {
  it("are copied, without toJSON, and never shared", () => {
    const value = {
      a: [1, "x", null, true, {}],
      toJSON: 5,
      n: Object.assign(Object.create(null), { z: 1 }),
      s1: shared,
      s2: shared,
    };
    const copy = copyValue(value, 50) as { value: typeof value; depth: number; bound: number; exact: boolean };
    expect(JSON.stringify(copy.value)).toBe(JSON.stringify(value));
    expect(copy).toMatchObject({ depth: 3, exact: false });
    expect(copy.bound).toBeGreaterThanOrEqual(JSON.stringify(value).length);
    expect(copy.value.a).not.toBe(value.a);
    expect(copy.value.s1).not.toBe(copy.value.s2);
  });

  it("keep __proto__, symbols and hidden members aside as JSON.stringify does", () => {
    const value = JSON.parse('{"__proto__":{"x":1},"a":2}');
    Object.defineProperty(value, "hidden", { value: () => 1, enumerable: false });
    value[Symbol("s")] = 1;
    const copy = copyValue(value, 50) as { value: object };
    expect(JSON.stringify(copy.value)).toBe('{"__proto__":{"x":1},"a":2}');
    expect(Object.getPrototypeOf(copy.value)).toBe(Object.prototype);
  });

  it("keep their numbers", () => {
    const copy = copyValue([-0, 2 ** 60, 1e21, 1.5], 50) as { value: unknown; exact: boolean };
    expect(copy.exact).toBe(true);
    expect(writeJson(copy.value, true)).toBe("[-0,1152921504606846976,1e+21,1.5]");
    expect(cloneValue(copy.value, "bigint")).toEqual([-0, 2 ** 60, 1e21, 1.5]);
    expect(copyValue([0, 2 ** 53 - 1], 50)).toMatchObject({ exact: false });
  });

  it("may be nested as deep as the limit, and may repeat without a cycle", () => {
    const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
    expect(copyValue(nested(50), 50)).toMatchObject({ depth: 50 });
    expect(copyValue(nested(51), 50)).toEqual({ code: "too_deep", path: "/a".repeat(50) });
    expect(copyValue(JSON.parse(`${"[".repeat(4096)}${"]".repeat(4096)}`), 4096)).toMatchObject({ depth: 4096 });
  });
});

const PROTO = "__proto__";

describe("cloning", () => {
  it("goes to any depth and keeps nothing shared", () => {
    const text = `${'{"__proto__":[1e400,9007199254740993,'.repeat(1500)}"x"${"]}".repeat(1500)}`;
    const tree = parseExact(text);
    expect(depthOf(tree)).toBe(3000);
    expect(writeJson(tree, true)).toBe(text);
    const copy = cloneValue(tree, "bigint") as Record<string, unknown[]>;
    expect(depthOf(copy)).toBe(3000);
    expect(copy[PROTO]).toEqual(expect.arrayContaining([Number.POSITIVE_INFINITY, 9007199254740993n]));
    let level: unknown = copy;
    for (let i = 0; i < 1500; i++) level = (level as Record<string, unknown[]>)[PROTO]![2];
    expect(level).toBe("x");
    level = cloneValue(tree, "number");
    for (let i = 0; i < 1400; i++) level = (level as Record<string, unknown[]>)[PROTO]![2];
    expect((level as Record<string, unknown[]>)[PROTO]!.slice(0, 2)).toEqual([
      Number.POSITIVE_INFINITY,
      9007199254740992,
    ]);
  });

  it("measures scalars and empty containers", () => {
    expect([1, "x", null, [], {}, [[]], { a: [1] }, parseExact("1e400"), [[], [[{}]], []]].map(depthOf)).toEqual([
      0, 0, 0, 1, 1, 2, 2, 0, 4,
    ]);
  });
});

describe("events as values", () => {
  const started = (): EngineSession => {
    const session = open({ events: true });
    session.applyValue!(start(1, [{ id: "a", type: "text", content: "" }]), []);
    return session;
  };

  it("are reported as they came and never changed", () => {
    const session = open({ events: true });
    const first = start(1, [{ id: "a", type: "t", content: "x", list: [1] }]);
    const frozen = freeze(first);
    const reports: Report[] = [];
    for (const event of [
      frozen,
      append(2, "y"),
      append(3, "z"),
      { op: "append", seq: 4, mask: "block.list", block: { id: "a", list: [{ b: 1 }] } },
    ]) {
      expect(session.applyValue!(freeze(event), reports)).toBe(1);
      const report = reports.at(-1)!;
      expect(report.kind === "event" && report.event).toBe(event);
    }
    expect(snapshotText(session)).toContain('"content":"xyz","list":[1,{"b":1}]');
    expect(reports.map((report) => report.kind === "event" && report.eventIndex)).toEqual([0, 1, 2, 3]);
  });

  it("do not stay connected to the model", () => {
    const session = started();
    const value = { deep: [1] };
    const event = { op: "set", seq: 2, mask: "meta.x", meta: { x: value } };
    session.applyValue!(event, []);
    value.deep.push(2);
    expect(session.snapshot("", "number")).toMatchObject({ meta: { x: { deep: [1] } } });
    const out = session.snapshot("", "number") as { meta: { x: { deep: number[] } } };
    out.meta.x.deep.push(3);
    expect(session.snapshot("", "number")).toMatchObject({ meta: { x: { deep: [1] } } });
  });

  it("reported events from text do not share with the model either", () => {
    const session = open({ events: true });
    const reports: Report[] = [];
    for (const event of [
      start(1, [{ id: "a", type: "t", o: { x: 1 } }]),
      { op: "set", seq: 2, mask: "block.o.y", block: { id: "a", o: { y: [1] } } },
    ]) {
      session.applyText(new TextEncoder().encode(JSON.stringify(event)), reports);
    }
    for (const report of reports) {
      if (report.kind !== "event") continue;
      const event = report.event as { model?: { blocks: { o: object }[] }; block?: { o: { y: number[] } } };
      event.block?.o.y.push(2);
      if (event.model !== undefined) event.model.blocks[0]!.o = {};
    }
    expect(snapshotText(session)).toContain('"o":{"x":1,"y":[1]}');
  });

  it("leave no trace when they fail", () => {
    const session = started();
    const before = snapshotText(session);
    const reports: Report[] = [];
    for (const event of [
      { op: "append", seq: 2, mask: "block.content", block: { id: "a", content: undefined } },
      { op: "append", seq: 2, mask: "block.content", block: { id: "a", content: "x" }, extra: undefined },
      { op: "append", seq: 2n, mask: "block.content", block: { id: "a", content: "x" } },
      new Point(),
      { op: "append", seq: 2, mask: "block.content", block: Object.assign(new Point(), { id: "a", content: "x" }) },
      {
        op: "append",
        seq: 2,
        mask: "block.content",
        get block() {
          throw new Error("no");
        },
      },
    ]) {
      expect(session.applyValue!(event, reports)).toBe(0);
    }
    expect(faults(reports).map(short)).toEqual(
      [
        "not_json /block/content",
        "not_json /extra",
        "not_json /seq",
        "not_json ",
        "not_json /block",
        "not_json /block",
      ].map((s) => s.replace(/ $/, " ")),
    );
    expect(snapshotText(session)).toBe(before);
    expect(session.status("")).toBe("open");
    expect(session.applyValue!(null, reports)).toBe(0);
    expect(session.applyValue!([], reports)).toBe(0);
    expect(session.applyValue!({ stream_id: 5 }, reports)).toBe(0);
    expect(faults(reports).slice(-3)).toEqual([
      { code: "not_an_event", reason: 7, eventIndex: 1 },
      { code: "not_an_event", reason: 7, eventIndex: 2 },
      { code: "not_an_event", reason: 3, path: "/stream_id", eventIndex: 3 },
    ]);
    expect(session.failure()).toBeUndefined();
  });

  it("count as messages, without a byte offset", () => {
    const session = started();
    const reports: Report[] = [];
    session.applyValue!({ op: "append", seq: 2, mask: "block.content", block: { id: "a", content: 5 } }, reports);
    expect(faults(reports)).toEqual([
      { code: "bad_field", reason: 10, path: "/block/content", streamId: "", seq: 2, eventIndex: 1 },
    ]);
    expect(session.stats()).toMatchObject({ events: 2, errors: 1, applied: 1, bytes: 0 });
  });

  it("mind numberLength", () => {
    const session = open({ limits: { numberLength: 3 } });
    const reports: Report[] = [];
    session.applyValue!(start(1), reports);
    session.applyValue!({ op: "ping", seq: 1234 }, reports);
    expect(faults(reports)).toEqual([{ code: "limit", reason: 21, streamId: "", seq: 1234, eventIndex: 1 }]);
  });
});

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.freeze(value);
    for (const member of Object.values(value)) freeze(member);
  }
  return value;
}
