import { describe, expect, it } from "vitest";
import { prepareRunInput } from "../../src/agui/index.js";
import type { Engine, Reducer, ReducerOptions } from "../../src/engine/contract.js";
import { diff } from "../../src/index.js";
import { started } from "../support/agui-events.js";
import { engine, KINDS } from "../support/engines.js";
import { failing } from "./expect-error.js";
import { ndjson, START } from "./wire.js";

const boom = (): never => {
  throw new TypeError("a trap has thrown");
};

function revoked(target: object = {}): object {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

/** Objects that throw when they are asked for what makes them a value. */
const HOSTILE: [string, () => object][] = [
  ["a revoked proxy", () => revoked()],
  ["a revoked proxy of an array", () => revoked([])],
  ["a revoked proxy of bytes", () => revoked(new Uint8Array(2))],
  ["a throwing getPrototypeOf", () => new Proxy({}, { getPrototypeOf: boom })],
  ["a throwing ownKeys", () => new Proxy({ a: 1 }, { ownKeys: boom })],
  ["a throwing getOwnPropertyDescriptor", () => new Proxy({ a: 1 }, { getOwnPropertyDescriptor: boom })],
];

/** Objects that throw elsewhere, or tell what is not so: they may pass for the values that they hold. */
const ODD: [string, () => object][] = [
  ["a throwing get", () => new Proxy({}, { get: boom })],
  ["a throwing get of an array", () => new Proxy([1], { get: boom })],
  ["a throwing tag", () => Object.defineProperty({ a: 1 }, Symbol.toStringTag, { get: boom })],
  ["something called an ArrayBuffer", () => ({ [Symbol.toStringTag]: "ArrayBuffer", length: 2 ** 60 })],
];

/** Chunks that tell what is not so, or nothing. */
const CHUNKS: [string, () => unknown][] = [
  ...HOSTILE,
  ...ODD.slice(0, -1),
  ["a proxy of bytes", () => new Proxy(new Uint8Array(2), {})],
  ["what only inherits from bytes", () => Object.create(Uint8Array.prototype)],
  [
    "a buffer that was transferred",
    () => {
      const { buffer } = new Uint8Array(8);
      structuredClone(buffer, { transfer: [buffer] });
      return buffer;
    },
  ],
];

const CODES = { value: ["not_json", "bad_argument"], argument: ["bad_argument"] } as const;

describe.each(KINDS)("values and arguments that throw when they are looked at (%s)", (kind) => {
  const make = (options: Partial<ReducerOptions> = {}): Reducer =>
    engine(kind).createReducer({ protocol: "agentue", transport: "ndjson", ...options });
  const makeAgui = (options: Partial<ReducerOptions> = {}): Reducer =>
    engine(kind).createReducer({ protocol: "ag-ui", transport: "ndjson", ...options });
  const refused = (act: () => unknown, codes: readonly string[]): void => {
    let thrown: unknown;
    try {
      act();
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ name: "StreamfoldError", scope: "usage" });
    expect(codes).toContain((thrown as { code: string }).code);
  };
  /** It works, or says why not in its own words. */
  const answered = (act: () => unknown): void => {
    try {
      act();
    } catch (error) {
      expect(error).toMatchObject({ name: "StreamfoldError" });
    }
  };

  describe.each(HOSTILE)("%s", (_, hostile) => {
    it.each([
      ["before bytes", false],
      ["after bytes", true],
    ])("as value: %s", (_name, bytes) => {
      const reducer = make();
      if (bytes) reducer.push(ndjson(START));
      else reducer.apply(START);
      const before = new TextDecoder().decode(reducer.snapshotBytes());
      refused(() => reducer.apply(hostile()), CODES.value);
      refused(() => reducer.apply({ op: "set", seq: 2, mask: "meta.x", meta: { x: hostile() } }), CODES.value);
      refused(() => reducer.apply({ op: "append", seq: 2, mask: "block.content", block: hostile() }), CODES.value);
      refused(() => reducer.load(hostile()), CODES.value);
      refused(() => reducer.load({ blocks: [hostile()] }), CODES.value);
      refused(() => reducer.materialize(hostile()), CODES.value);
      expect(new TextDecoder().decode(reducer.snapshotBytes())).toBe(before);
      reducer.close();
      const agui = makeAgui();
      if (bytes) agui.push(ndjson(started()));
      refused(() => agui.apply(hostile()), CODES.value);
      refused(() => agui.apply({ type: "CUSTOM", name: "n", value: hostile() }), CODES.value);
      if (!bytes) refused(() => agui.load({ messages: [hostile()] }), CODES.value);
      agui.close();
    });

    it("as a document, a patch or a side of a difference", () => {
      const document = engine(kind).createDocument({ a: 1 });
      refused(() => document.patch(hostile()), CODES.value);
      refused(() => document.patch([hostile()]), CODES.value);
      refused(() => engine(kind).createDocument(hostile()), CODES.value);
      refused(() => engine(kind).createDocument({ a: [hostile()] }), CODES.value);
      refused(() => diff({}, hostile()), CODES.value);
      refused(() => diff(hostile(), {}), CODES.value);
      expect(document.value()).toEqual({ a: 1 });
      document.close();
    });

    it("as an input", () => {
      refused(() => makeAgui({ input: hostile() }), CODES.value);
      refused(() => makeAgui({ input: { state: hostile() } }), CODES.value);
      refused(() => prepareRunInput(hostile() as never), CODES.value);
    });
  });

  it.each(ODD)("%s is taken, or refused by a StreamfoldError", (_, odd) => {
    const reducer = make({ onViolation: "skip-event" });
    reducer.apply(START);
    for (const value of [odd, () => ({ op: "set", seq: 2, mask: "meta.x", meta: { x: odd() } })]) {
      answered(() => reducer.apply(value()));
      answered(() => reducer.load(value()));
      answered(() => reducer.materialize(value()));
      answered(() => diff(value(), {}));
      answered(() => makeAgui({ input: value() }));
      answered(() => makeAgui({ middleware: { "*": value } }).apply(started()));
      answered(() => makeAgui({ middleware: { "*": value } }).push(ndjson(started())));
      answered(() => engine(kind).createDocument(value()).patch(value()));
    }
    expect(reducer.status()).toBe("open");
    reducer.close();
  });

  it.each<[string, () => object]>([
    ["a revoked proxy", () => revoked()],
    ["a throwing get", () => new Proxy({ depth: 1 }, { get: boom })],
  ])("%s as options", (_, hostile) => {
    const options = hostile() as never;
    refused(() => engine(kind).createReducer(options), CODES.argument);
    refused(() => make({ limits: options }), CODES.argument);
    refused(() => engine(kind).createDocument({}, { limits: options }), CODES.argument);
    const reducer = make();
    reducer.apply(START);
    const calls: (keyof Reducer)[] = [
      "pause",
      "resume",
      "snapshot",
      "snapshotBytes",
      "changes",
      "status",
      "seq",
      "stats",
      "release",
    ];
    for (const name of calls) refused(() => (reducer[name] as (given: unknown) => unknown)(options), CODES.argument);
    refused(() => reducer.load({}, options), CODES.argument);
    reducer.close();
    const document = engine(kind).createDocument({});
    refused(() => document.get("", options), CODES.argument);
    document.close();
    refused(() => prepareRunInput({ threadId: "t", runId: "r", messages: [] }, options), CODES.argument);
  });

  it.each(CHUNKS)("%s as bytes", (_, chunk) => {
    const reducer = make();
    refused(() => reducer.push(chunk() as never), CODES.argument);
    refused(() => reducer.restore(chunk() as never), CODES.argument);
    expect(reducer.push(ndjson(START))).toBe(1);
    reducer.close();
  });

  it("bytes of a subclass that throws are refused, and leave no trace", () => {
    class Teller extends Uint8Array {
      override get length(): number {
        return boom();
      }
      override subarray(): never {
        return boom();
      }
    }
    const reducer = make();
    failing(() => reducer.push(new Teller(ndjson(START))), "bad_argument");
    expect(reducer.push(ndjson(START))).toBe(1);
    reducer.close();
  });

  describe.each<[string, (owner: Engine, options: Partial<ReducerOptions>) => [Reducer, () => unknown]]>([
    [
      "bytes",
      (owner, options) => {
        const reducer = owner.createReducer({ protocol: "ag-ui", transport: "ndjson", ...options });
        return [reducer, () => reducer.push(ndjson(started()))];
      },
    ],
    [
      "objects",
      (owner, options) => {
        const reducer = owner.createReducer({ protocol: "ag-ui", transport: "ndjson", ...options });
        return [reducer, () => reducer.apply(started())];
      },
    ],
  ])("from a middleware, of %s", (_, open) => {
    it.each([...HOSTILE, ["a list of one", () => [started(), revoked()]] as [string, () => object]])(
      "%s",
      (_name, hostile) => {
        const [reducer, act] = open(engine(kind), { middleware: { "*": () => hostile() } });
        failing(act, "middleware_failed");
        expect(reducer.status()).toBe("rejected");
        reducer.close();
      },
    );
  });
});
