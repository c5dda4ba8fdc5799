import { runInNewContext } from "node:vm";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  createEncoder,
  type EncodeOptions,
  encodeEvent,
  encodeEvents,
  encodeSse,
  StreamfoldError,
  type Transport,
} from "../../src/index.js";
import { text } from "../support/bytes.js";
import { COMMON, decode, TRANSPORTS } from "./support/wires.js";

/** An event that every wire has, with a value in it. */
const event = (value: unknown): object => ({ type: "STATE_SNAPSHOT", snapshot: value });

function failure(call: () => unknown): StreamfoldError {
  try {
    call();
  } catch (error) {
    expect(error).toBeInstanceOf(StreamfoldError);
    return error as StreamfoldError;
  }
  throw new Error("nothing was thrown");
}

class Point {
  x = 1;
}

const NOT_JSON: [string, unknown][] = [
  ["undefined in a list", [undefined]],
  ["a hole", Array(1)],
  ["a function", () => 1],
  ["a class", Point],
  ["a symbol", Symbol("s")],
  ["NaN", Number.NaN],
  ["an infinity", Number.NEGATIVE_INFINITY],
  ["a BigInt", 1n],
  ["an instance of a class", new Point()],
  ["a Map", new Map([["a", 1]])],
  ["bytes", new Uint8Array(2)],
  ["a boxed string", Object("s")],
  ["a regular expression", /x/],
  ["an error", new Error("x")],
  ["a promise", Promise.resolve(1)],
  ["toJSON that gives a function", { toJSON: () => () => 1 }],
  ["toJSON that gives NaN", { toJSON: () => Number.NaN }],
  ["toJSON that gives an instance", { toJSON: () => new Point() }],
  ["an object of a derived prototype", Object.create({ a: 1 })],
];

describe.each(TRANSPORTS)("values that JSON does not have, over %s", (transport) => {
  it.each(NOT_JSON)("%s", (_, value) => {
    const inList = Array.isArray(value);
    const path = inList ? "/0" : "";
    expect(failure(() => encodeEvent(event(value), { transport }))).toMatchObject({
      code: "not_json",
      scope: "usage",
      path: `/snapshot${path}`,
    });
    expect(failure(() => encodeEvent(event({ "a/~": [0, { b: value }] }), { transport }))).toMatchObject({
      code: "not_json",
      path: `/snapshot/a~1~0/1/b${path}`,
    });
    // As deep as no writer goes by recursion.
    let deep: unknown = { c: value };
    for (let i = 0; i < 300; i++) deep = [deep];
    expect(failure(() => encodeEvent(event(deep), { transport }))).toMatchObject({
      code: "not_json",
      path: `/snapshot${"/0".repeat(300)}/c${path}`,
    });
  });

  it("cycles, at the first repetition", () => {
    const loop: Record<string, unknown> = { n: [{}] };
    (loop.n as unknown[])[0] = { loop };
    expect(failure(() => encodeEvent(event(loop), { transport }))).toMatchObject({
      code: "not_json",
      path: "/snapshot/n/0/loop",
    });
    const list: unknown[] = [1];
    list.push(list);
    expect(failure(() => encodeEvent(event({ list }), { transport, depth: 5 }))).toMatchObject({
      code: "not_json",
      path: "/snapshot/list/1",
    });
    // The same twice is no cycle.
    const twice = { a: loop.x, b: [1], c: {} };
    expect(decode(transport, encodeEvent(event([twice, twice]), { transport }))).toEqual([
      event([
        { b: [1], c: {} },
        { b: [1], c: {} },
      ]),
    ]);
  });

  it("getters, toJSON and proxies that throw", () => {
    const thrown = new Error("no");
    const throws = (): never => {
      throw thrown;
    };
    const encoder = createEncoder({ transport });
    for (const value of [
      Object.defineProperty({ a: 1 }, "x", { enumerable: true, get: throws }),
      { toJSON: throws },
      new Proxy({ a: 1 }, { ownKeys: throws }),
      new Proxy({ a: 1 }, { getPrototypeOf: throws }),
      new Proxy([1], { get: throws }),
    ]) {
      for (const call of [() => encodeEvent(event([value]), { transport }), () => encoder.encode(event([value]))])
        expect(failure(call)).toMatchObject({ code: "not_json", cause: thrown });
    }
    expect(
      failure(() =>
        encodeEvents([event(1), event({ toJSON: throws })], { transport: transport === "json" ? "ndjson" : transport }),
      ),
    ).toMatchObject({
      code: "not_json",
      eventIndex: 1,
      cause: thrown,
    });
    expect(encoder.pending).toBe(0);
    expect(decode(transport, encoder.encode(event(1)))).toEqual([event(1)]);
  });

  it("nesting that no reader would take, 100,000 levels too", () => {
    const nested = (levels: number, object: boolean): unknown => {
      let value: unknown = 1;
      for (let i = 0; i < levels; i++) value = object ? { a: value } : [value];
      return value;
    };
    for (const object of [false, true]) {
      const step = object ? "/a" : "/0";
      expect(failure(() => encodeEvent(event(nested(100_000, object)), { transport }))).toMatchObject({
        code: "too_deep",
        path: `/snapshot${step.repeat(511)}`,
      });
      expect(failure(() => encodeEvent(event(nested(4096, object)), { transport, depth: 4096 }))).toMatchObject({
        code: "too_deep",
      });
      expect(failure(() => encodeEvent(event(nested(10, object)), { transport, depth: 10 }))).toMatchObject({
        code: "too_deep",
      });
      for (const [levels, depth] of [
        [511, 512],
        [4095, 4096],
        [9, 10],
        [0, 1],
      ] as const) {
        const bytes = encodeEvent(event(nested(levels, object)), { transport, depth });
        if (levels < 100) expect(decode(transport, bytes)).toEqual([event(nested(levels, object))]);
        else expect(bytes.length).toBeGreaterThan(levels);
      }
    }
  });
});

describe.each(COMMON)("events that are none, over %s", (transport) => {
  it.each([5, "text", true, null, [], [{ op: "end" }], { toJSON: () => [] }])("%j", (value) => {
    expect(failure(() => encodeEvent(value, { transport }))).toMatchObject({ code: "not_an_event", path: "" });
  });
});

describe.each(TRANSPORTS)("values as JSON.stringify takes them, over %s", (transport) => {
  const back = (value: unknown): unknown =>
    (decode(transport, encodeEvent(event(value), { transport }))[0] as { snapshot: unknown }).snapshot;

  it.each<[string, unknown]>([
    ["dates", [new Date(0)]],
    [
      "toJSON, with the name of the member",
      { a: { toJSON: (name: string) => ({ name }) }, b: [{ toJSON: (name: string) => name }] },
    ],
    ["toJSON that is inherited", [Object.create({ toJSON: () => 1 })]],
    [
      "toJSON of a class",
      [
        new (class {
          toJSON() {
            return { x: [1] };
          }
        })(),
      ],
    ],
    ["toJSON that is asked once", [{ toJSON: () => ({ toJSON: 5, a: 1 }) }]],
    ["members that are undefined", { a: undefined, b: { toJSON: () => undefined }, c: 1 }],
    ["symbols as names", { [Symbol("s")]: 1, a: 1 }],
    ["members that are not listed", Object.defineProperty({ a: 1 }, "b", { value: 2 })],
    ["objects without a prototype", Object.assign(Object.create(null), { a: 1 })],
    ["objects of another realm", runInNewContext("({ a: [1, { b: 2 }] })")],
    [
      "getters",
      {
        get a() {
          return [1];
        },
      },
    ],
    ["proxies", new Proxy({ a: [1] }, {})],
    ["frozen values", Object.freeze({ a: Object.freeze([1]) })],
    ["names like those of prototypes", { constructor: 1, toString: 2, hasOwnProperty: 3, length: 4 }],
    ["the root itself", 1],
  ])("%s", (_, value) => {
    expect(back(value)).toEqual(JSON.parse(JSON.stringify(value)));
  });

  it("the event itself", () => {
    const root = { toJSON: () => event(1) };
    expect(decode(transport, encodeEvent(root, { transport }))).toEqual([event(1)]);
    expect(decode(transport, encodeEvent(Object.assign(Object.create(null), event(2)), { transport }))).toEqual([
      event(2),
    ]);
  });

  it("BigInts whose toJSON somebody has given", () => {
    Object.defineProperty(BigInt.prototype, "toJSON", {
      value() {
        return String(this);
      },
      configurable: true,
    });
    onTestFinished(() => void Reflect.deleteProperty(BigInt.prototype, "toJSON"));
    expect(back([5n])).toEqual(["5"]);
  });

  it("members that somebody has given to every object are nobody's", () => {
    const own = { a: { b: 1 }, c: [{}] };
    Object.defineProperty(Object.prototype, "delta", {
      value: 5,
      enumerable: true,
      configurable: true,
      writable: true,
    });
    onTestFinished(() => void Reflect.deleteProperty(Object.prototype, "delta"));
    const bytes = encodeEvent({ type: "STATE_SNAPSHOT", snapshot: own }, { transport });
    Reflect.deleteProperty(Object.prototype, "delta");
    expect(bytes).toEqual(encodeEvent({ type: "STATE_SNAPSHOT", snapshot: own }, { transport }));
  });
});

describe.each(COMMON)("names and halves, over %s", (transport) => {
  it("__proto__ is a name like any other", () => {
    const value = JSON.parse('{"op":"x","__proto__":{"a":1},"b":{"__proto__":null}}') as object;
    const bytes = encodeEvent(value, { transport });
    if (transport !== "msgpack") {
      expect(text(bytes)).toContain(JSON.stringify(value));
      return;
    }
    // The libraries refuse the name; here are the bytes.
    const latin = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
    expect(latin).toBe("\x83\xa2op\xa1x\xa9__proto__\x81\xa1a\x01\xa1b\x81\xa9__proto__\xc0");
  });

  it("lone halves of pairs stay what they are in JSON, and become U+FFFD in MessagePack", () => {
    const value = { op: "\ud800", "\udc00": `x\ud83d${"y".repeat(200)}\udfff` };
    const bytes = encodeEvent(value, { transport });
    if (transport === "msgpack")
      expect(decode(transport, bytes)).toEqual([{ op: "\ufffd", "\ufffd": `x\ufffd${"y".repeat(200)}\ufffd` }]);
    else {
      expect(text(bytes)).toContain('"\\ud800","\\udc00":"x\\ud83dy');
      expect(decode(transport, bytes)).toEqual([value]);
    }
  });
});

describe("events that protobuf cannot carry", () => {
  it.each<[object, string, string | undefined]>([
    [{}, "", undefined],
    [{ type: "THINKING_START" }, "/type", "THINKING_START"],
    [{ type: 5 }, "/type", undefined],
    [{ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: 42 }, "/delta", "TEXT_MESSAGE_CONTENT"],
    [
      {
        type: "STATE_DELTA",
        delta: [
          { op: "add", path: "" },
          { op: "new", path: "" },
        ],
      },
      "/delta/1/op",
      "STATE_DELTA",
    ],
    [{ type: "RUN_FINISHED", threadId: "", runId: "", outcome: [] }, "/outcome", "RUN_FINISHED"],
  ])("%j", (value, path, eventType) => {
    const error = failure(() => encodeEvent(value, { transport: "protobuf" }));
    expect(error).toMatchObject({ code: "bad_event", scope: "stream", path });
    expect(error.eventType).toBe(eventType);
    expect(failure(() => encodeEvents([event(1), value], { transport: "protobuf" }))).toMatchObject({
      code: "bad_event",
      eventIndex: 1,
    });
  });

  it("are all of AgentUE's", () => {
    expect(failure(() => encodeEvent({ op: "end", seq: 1 }, { transport: "protobuf" })).code).toBe(
      "unsupported_transport",
    );
    for (const call of [encodeEvent, encodeEvents as never] as const)
      expect(failure(() => call([], { transport: "protobuf", protocol: "agentue" })).code).toBe(
        "unsupported_transport",
      );
    expect(failure(() => createEncoder({ transport: "protobuf", protocol: "agentue" })).code).toBe(
      "unsupported_transport",
    );
  });
});

describe("fields of SSE", () => {
  const data = 'data: {"op":"ping","seq":1}\n\n';
  const ping = { op: "ping", seq: 1 };

  it.each<[object | undefined, string]>([
    [undefined, ""],
    [{}, ""],
    [{ id: undefined, retry: undefined }, ""],
    [{ id: "7" }, "id: 7\n"],
    [{ id: "" }, "id: \n"],
    [{ id: " a:b é😀" }, "id:  a:b é😀\n"],
    [{ retry: 0 }, "retry: 0\n"],
    [{ retry: 9007199254740991 }, "retry: 9007199254740991\n"],
    [{ id: "x", retry: 3000 }, "id: x\nretry: 3000\n"],
    [{ id: "y".repeat(5000) }, `id: ${"y".repeat(5000)}\n`],
  ])("%j", (fields, lines) => {
    expect(text(encodeSse(ping, fields))).toBe(lines + data);
    const encoder = createEncoder({ transport: "sse", pool: true });
    encoder.add(ping, fields);
    encoder.add(ping);
    expect(text(encoder.encode(ping, fields))).toBe(lines + data);
    expect(text(encoder.take())).toBe(lines + data + data);
  });

  it.each<[unknown]>([
    [null],
    [5],
    [{ id: 5 }],
    [{ id: "a\nb" }],
    [{ id: "a\r" }],
    [{ id: "\0" }],
    [{ retry: -1 }],
    [{ retry: 1.5 }],
    [{ retry: "5" }],
    [{ retry: Number.POSITIVE_INFINITY }],
    [{ event: "x" }],
  ])("not %j", (fields) => {
    const encoder = createEncoder({ transport: "sse" });
    expect(failure(() => encodeSse(ping, fields as object)).code).toBe("bad_argument");
    expect(failure(() => encoder.add(ping, fields as object)).code).toBe("bad_argument");
    expect(encoder.pending).toBe(0);
  });

  it("stand in no other wire", () => {
    for (const transport of TRANSPORTS.filter((name) => name !== "sse"))
      expect(failure(() => createEncoder({ transport }).encode(event(1), { id: "x" })).code).toBe("bad_argument");
  });
});

describe("an encoder", () => {
  it("takes options that there are, and no others", () => {
    const bad: unknown[] = [
      undefined,
      null,
      "sse",
      {},
      { transport: 5 },
      { transport: "sse", protocol: "x" },
      { transport: "sse", depth: 0 },
      { transport: "sse", depth: 4097 },
      { transport: "sse", depth: 1.5 },
      { transport: "sse", depth: "5" },
      { transport: "sse", level: 1 },
    ];
    for (const options of bad) {
      for (const call of [
        createEncoder,
        (given: EncodeOptions) => encodeEvent(event(1), given),
        (given: EncodeOptions) => encodeEvents([], given),
      ])
        expect(failure(() => call(options as never)).code, JSON.stringify(options)).toBe("bad_argument");
    }
    for (const transport of ["websocket", "constructor", ""])
      expect(failure(() => createEncoder({ transport: transport as Transport })).code).toBe("unsupported_transport");
    expect(failure(() => createEncoder({ transport: "sse", pool: 1 as never })).code).toBe("bad_argument");
    expect(failure(() => encodeEvent(event(1), { transport: "sse", pool: true } as never)).code).toBe("bad_argument");
    for (const events of [undefined, null, 5, {}])
      expect(failure(() => encodeEvents(events as never, { transport: "sse" })).code).toBe("bad_argument");
  });

  it("keeps what is pending when an event fails, or is large", () => {
    for (const transport of TRANSPORTS.filter((name) => name !== "json")) {
      for (const pool of [false, true]) {
        const encoder = createEncoder({ transport, pool });
        encoder.add(event("first"));
        for (const value of [Number.NaN, { a: ["x".repeat(50_000), undefined] }]) {
          expect(failure(() => encoder.add(event(value))).code).toBe("not_json");
          expect(failure(() => encoder.encode(event(value))).code).toBe("not_json");
        }
        const large = event("y".repeat(700_000));
        expect(decode(transport, encoder.encode(large))).toEqual([large]);
        encoder.add(large);
        encoder.add(event("last"));
        expect(decode(transport, encoder.take())).toEqual([event("first"), large, event("last")]);
        expect(decode(transport, encoder.encode(event(1)))).toEqual([event(1)]);
      }
    }
  });

  it("puts one message of json behind another never", () => {
    const encoder = createEncoder({ transport: "json" });
    encoder.add(event(1));
    expect(failure(() => encoder.add(event(2))).code).toBe("bad_argument");
    expect(decode("json", encoder.take())).toEqual([event(1)]);
    encoder.add(event(3));
    expect(decode("json", encoder.take())).toEqual([event(3)]);
    expect(failure(() => encodeEvents([event(1), event(2)], { transport: "json" })).code).toBe("bad_argument");
  });

  it("is not to be called while it reads an event, but others are", () => {
    for (const transport of TRANSPORTS) {
      const encoder = createEncoder({ transport });
      const codes: string[] = [];
      const value = {
        toJSON() {
          for (const call of [() => encoder.encode(event(1)), () => encoder.add(event(1)), () => encoder.take()])
            codes.push(failure(call).code);
          return decode(transport, encodeEvent(event("inner"), { transport }));
        },
      };
      expect(decode(transport, encoder.encode(event(value)))).toEqual([event([event("inner")])]);
      expect(codes).toEqual(["reentrant", "reentrant", "reentrant"]);
      const nested = { toJSON: () => decode(transport, encodeEvent(event("inner"), { transport })) };
      expect(decode(transport, encodeEvent(event(nested), { transport }))).toEqual([event([event("inner")])]);
    }
  });

  it("gives results of a pool that share buffers, and large ones that do not", () => {
    const encoder = createEncoder({ transport: "ndjson", pool: true });
    const small = [event(1), event(2)].map((each) => encoder.encode(each));
    expect(small[0]!.buffer).toBe(small[1]!.buffer);
    const large = encoder.encode(event("x".repeat(100_000)));
    expect(large.byteLength).toBe(large.buffer.byteLength);
    const results = Array.from({ length: 2000 }, (_, i) => encoder.encode(event(i)));
    for (const [i, bytes] of results.entries()) expect(decode("ndjson", bytes)).toEqual([event(i)]);
    expect(new Set(results.map(({ buffer }) => buffer)).size).toBeLessThan(20);
  });
});
