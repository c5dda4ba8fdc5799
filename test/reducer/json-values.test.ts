import { describe, expect, it } from "vitest";
import type { Reducer } from "../../src/engine/contract.js";
import type { StreamfoldError } from "../../src/errors.js";
import { engine, KINDS } from "../support/engines.js";
import { failing } from "./expect-error.js";
import { modelWith, ndjson, START } from "./wire.js";

const cyclic: unknown[] = [];
cyclic.push({ again: cyclic });

/** What it is, a value, and where in it the fault lies. */
const NOT_JSON: [string, unknown, string?][] = [
  ["undefined", undefined],
  ["a function", () => 1],
  ["a symbol", Symbol("s")],
  ["NaN", Number.NaN],
  ["an infinity", Number.NEGATIVE_INFINITY],
  ["a BigInt", 1n],
  ["a Date", new Date(0)],
  ["a Map", new Map()],
  ["a typed array", new Uint8Array(2)],
  ["a RegExp", /x/],
  ["a boxed number", Object(5)],
  ["an instance of a class", new (class Point {})()],
  ["an object with toJSON", { toJSON: () => 5 }, "/toJSON"],
  ["an array with a hole", new Array(2), "/0"],
  [
    "an accessor",
    {
      get seq() {
        return 1;
      },
    },
    "/seq",
  ],
];

/** Both paths: objects only, and after bytes have moved the reducer into the engine's own session. */
const PATHS: [string, (reducer: Reducer) => void][] = [
  ["objects only", (reducer) => void reducer.apply(START)],
  ["after bytes", (reducer) => void reducer.push(ndjson(START))],
];

describe.each(KINDS)("the session that values go to (%s)", (kind) => {
  it("cannot be told from errors, reports and counters", () => {
    const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);
    const events: unknown[] = [
      { op: "jump", seq: 2 },
      { op: "set", seq: 2, mask: "meta.x", meta: { x: 1.23456789012345 } },
      { op: "set", seq: 2, mask: "meta.x", meta: { x: deep(18) } },
      { op: "set", seq: 2, mask: "meta.x", meta: { x: deep(30) } },
      { op: "ping", seq: 1, stream_id: 5 },
      null,
      { op: "append", seq: 2, mask: "block.content", block: { id: "answer", content: 5 } },
      { op: "append", seq: 1, mask: "block.content", block: { id: "answer", content: "old" } },
      { op: "append", seq: 9, mask: "block.content", block: { id: "answer", content: "new" } },
    ];
    const run = (begin: (reducer: Reducer) => void): unknown[] => {
      const log: unknown[] = [];
      const reducer = engine(kind).createReducer({
        protocol: "agentue",
        transport: "ndjson",
        onViolation: "skip-event",
        limits: { depth: 20, numberLength: 10 },
        onWarning: (warning) => log.push(warning),
        onError: (error) => log.push(members(error)),
        onGap: (gap) => log.push(gap),
        onEvent: (event, info) => log.push([event, info]),
      });
      begin(reducer);
      for (const event of events) {
        try {
          log.push(reducer.apply(event));
        } catch (error) {
          log.push(members(error as StreamfoldError), (error as StreamfoldError).applied);
        }
      }
      log.push({ ...reducer.stats(), bytes: 0, memory: 0 }, reducer.snapshot());
      reducer.close();
      return log;
    };
    const members = ({ message, code, path, streamId, seq, eventIndex, byteOffset }: StreamfoldError): object => ({
      ...{ message, code, path, streamId, seq, eventIndex, byteOffset },
    });
    const [objects, bytes] = PATHS.map(([, begin]) => run(begin));
    expect(bytes).toEqual(objects);
    expect(JSON.stringify(objects)).toContain("too_deep");
  });
});

describe.each(KINDS)("values that come as objects (%s)", (kind) => {
  describe.each(PATHS)("%s", (_name, begin) => {
    const make = (): Reducer => {
      const reducer = engine(kind).createReducer({ protocol: "agentue", transport: "ndjson" });
      begin(reducer);
      return reducer;
    };
    const setting = (x: unknown): object => ({ op: "set", seq: 2, mask: "meta.x", meta: { x } });

    it.each(NOT_JSON)("%s is not_json, wherever it stands", (_what, value, inside = "") => {
      const reducer = make();
      const { applied } = reducer.stats();
      const places: [unknown, string][] = [
        [value, ""],
        [setting(value), "/meta/x"],
        [setting([1, { "a/b": [value] }]), "/meta/x/1/a~1b/0"],
        [{ op: "ping", seq: 1, stream_id: value }, "/stream_id"],
      ];
      for (const [event, path] of places) {
        const error = failing(() => reducer.apply(event), "not_json");
        expect([error.scope, error.path, error.applied]).toEqual(["usage", `${path}${inside}`, 0]);
      }
      const error = failing(() => reducer.load({ ...START.model, extra: value }), "not_json");
      expect(error.path).toBe(`/extra${inside}`);
      failing(() => reducer.materialize({ id: "answer", type: "text", extra: value }), "not_json");
      expect(reducer.stats()).toMatchObject({ applied, streams: 1 });
      expect(reducer.status()).toBe("open");
      expect(reducer.snapshot()).toEqual(START.model);
      reducer.close();
    });

    it("a cycle ends at the depth limit or as not_json, and changes nothing", () => {
      const reducer = make();
      let code = "";
      try {
        reducer.apply(setting(cyclic));
      } catch (error) {
        code = (error as { code: string }).code;
      }
      expect(["not_json", "too_deep"]).toContain(code);
      expect(reducer.snapshot()).toEqual(START.model);
      reducer.close();
    });

    it("what JSON can express goes through unchanged", () => {
      const bare = Object.assign(Object.create(null) as object, { a: 1 });
      const values = [null, true, 0, -1.5e-7, 2 ** 53, "", "é\u0000\u2028😀", "\ud800", [], {}, [[{ "": "" }]], bare];
      const own = JSON.parse('{"__proto__":{"polluted":1},"constructor":2,"10":3,"2":4}') as unknown;
      const reducer = make();
      let seq = 2;
      for (const value of [...values, own]) {
        expect(reducer.apply({ ...setting(value), seq: seq++ })).toBe(1);
        const { meta } = reducer.snapshot() as { meta: { x: unknown } };
        expect(JSON.stringify(meta.x)).toBe(JSON.stringify(value));
      }
      expect(({} as { polluted?: number }).polluted).toBeUndefined();
      reducer.close();
    });

    it("values of another kind than an object are no event", () => {
      const reducer = make();
      for (const event of [null, 5, true, [], [START]]) failing(() => reducer.apply(event), "not_an_event");
      expect(reducer.push(ndjson({ op: "ping", seq: 1 }))).toBe(1);
      expect(reducer.snapshot()).toEqual(modelWith("Hello"));
      reducer.close();
    });

    it("code that runs inside a value cannot feed the reducer, and what it throws is no matter", () => {
      const reducer = make();
      let attempts = 0;
      const event = new Proxy({ op: "ping", seq: 1 } as object, {
        getOwnPropertyDescriptor(target, name) {
          failing(() => reducer.apply(START), "reentrant");
          failing(() => reducer.close(), "reentrant");
          attempts++;
          return Reflect.getOwnPropertyDescriptor(target, name);
        },
      });
      expect(reducer.apply(event)).toBe(1);
      expect(attempts).toBeGreaterThan(0);
      const throwing = new Proxy({} as object, {
        ownKeys() {
          throw new Error("mine");
        },
      });
      failing(() => reducer.apply(throwing), "not_json");
      expect(reducer.apply({ op: "ping", seq: 1 })).toBe(1);
      reducer.close();
    });
  });
});
