import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import type { Reducer, ReducerOptions } from "../../src/engine/contract.js";
import { engine, KINDS } from "../support/engines.js";
import { failing } from "./expect-error.js";
import { modelWith, ndjson, START, start } from "./wire.js";

describe.each(KINDS)("arguments (%s)", (kind) => {
  const make = (options: Partial<ReducerOptions> = {}): Reducer =>
    engine(kind).createReducer({ protocol: "agentue", transport: "ndjson", ...options });

  it("refuses options that are not valid", () => {
    const bad: [string, unknown][] = [
      ["protocol", undefined],
      ["protocol", "mcp"],
      ["transport", undefined],
      ["transport", 1],
      ["sequence", "loose"],
      ["unresolved", "wait"],
      ["onUnresolved", 5],
      ["onViolation", "ignore"],
      ["utf8", "lossy"],
      ["unterminatedTail", true],
      ["undecodable", "drop"],
      ["keepEnded", -1],
      ["keepEnded", 1.5],
      ["keepEnded", Number.NaN],
      ["onEvent", "yes"],
      ["onError", null],
      ["limits", 5],
      ["limits", { depth: 0 }],
      ["limits", { nesting: 5 }],
      ["onerror", () => {}],
      ["onviolation", "skip-event"],
      ["streamId", "a"],
      ["modelBytes", undefined],
      ["toString", 1],
    ];
    for (const [name, value] of bad) {
      failing(() => make({ [name]: value }), "bad_argument");
    }
    failing(() => engine(kind).createReducer(undefined as never), "bad_argument");
  });

  it("names an option that there is not", () => {
    const { message } = failing(() => make({ keepended: 5 } as never), "bad_argument");
    expect(message).toContain('"keepended"');
    const bare = Object.assign(Object.create(null), { protocol: "agentue", transport: "ndjson", onerror: () => {} });
    failing(() => engine(kind).createReducer(bare as ReducerOptions), "bad_argument");
  });

  it("refuses options of the other protocol, and what AG-UI options must not be", () => {
    const agui = (options: object) => () =>
      engine(kind).createReducer({ protocol: "ag-ui", transport: "sse", ...options });
    const wrong: [unknown: () => unknown, named: string][] = [
      [() => make({ input: {} }), "input"],
      [() => make({ onDeltaFailure: "warn" }), "onDeltaFailure"],
      [agui({ sequence: "off" }), "sequence"],
      [agui({ unresolved: "pause" }), "unresolved"],
      [agui({ keepEnded: 1 }), "keepEnded"],
      [agui({ onGap() {} }), "onGap"],
      [agui({ onDeltaFailure: "ignore" }), "onDeltaFailure"],
      [agui({ unknownEnum: "keep" }), "unknownEnum"],
      [agui({ maxProtocolVersion: "draft" }), "maxProtocolVersion"],
      [agui({ middleware: [] as never, eventTypes: "CUSTOM" }), "eventTypes"],
      [agui({ eventTypes: ["TOOL_CALL_ARG"] }), "TOOL_CALL_ARG"],
      [agui({ eventTypes: ["TEXT_MESSAGE_CHUNK"] }), "TEXT_MESSAGE_CHUNK"],
      [agui({ middleware: { CUSTOM: 1 } }), "middleware.CUSTOM"],
      [agui({ input: [] }), "input"],
      [() => make({ protocol: "mcp" as never }), "protocol"],
    ];
    for (const [run, named] of wrong) expect(failing(run, "bad_argument").message).toContain(named);
    expect(failing(agui({ input: { messages: [{ id: 1 }] } }), "bad_argument").path).toBe("/messages/0/role");
    expect(failing(agui({ input: { state: { at: new Date(0) } } }), "not_json").path).toBe("/state/at");
    engine(kind).createReducer({ protocol: "ag-ui", transport: "sse", sequence: undefined }).close();
  });

  it("warns of what it leaves out of an input", () => {
    const warnings: unknown[] = [];
    const input = { messages: [{ id: "1", role: "bot", content: "x" }], mesages: [], state: [-0, 2 ** 60, null] };
    const reducer = engine(kind).createReducer({
      protocol: "ag-ui",
      transport: "sse",
      input,
      onWarning: ({ code, path }) => warnings.push([code, path]),
    });
    expect(warnings).toEqual([
      ["unknown_variant", "/messages/0"],
      ["unknown_property", "/mesages"],
    ]);
    expect(reducer.push(new TextEncoder().encode("\n"))).toBe(0);
    expect(reducer.snapshot()).toMatchObject({ messages: [], state: [-0, 2 ** 60, null], run: { status: "idle" } });
    reducer.close();
  });

  it("says which transports there are", () => {
    const wires = ["sse", "ndjson", "json", "msgpack"];
    for (const [protocol, known, others] of [
      ["agentue", wires, ["protobuf", "carrier-pigeon", ""]],
      ["ag-ui", [...wires, "protobuf"], ["carrier-pigeon", "__proto__"]],
    ] as const) {
      for (const transport of others) {
        const error = failing(() => make({ protocol, transport: transport as never }), "unsupported_transport");
        expect(error.scope).toBe("usage");
        for (const name of [transport, ...known]) expect(error.message).toContain(JSON.stringify(name));
      }
      for (const transport of known) make({ protocol, transport: transport as never }).close();
    }
  });

  it("takes bytes in every form a host may have them", () => {
    const bytes = ndjson(START);
    const padded = new Uint8Array([1, 2, ...bytes, 3]);
    const shared = new SharedArrayBuffer(bytes.length);
    new Uint8Array(shared).set(bytes);
    const foreign = runInNewContext("(list) => new Uint8Array(list)") as (list: number[]) => Uint8Array;
    const forms = [
      bytes,
      bytes.slice().buffer,
      Buffer.from(bytes),
      padded.subarray(2, padded.length - 1),
      new DataView(padded.buffer, 2, bytes.length),
      shared,
      new Uint8Array(shared),
      foreign([...bytes]),
      foreign([...bytes]).buffer,
    ];
    for (const form of forms) {
      const reducer = make();
      expect(reducer.push(form as Uint8Array)).toBe(1);
      expect(reducer.snapshot()).toEqual(START.model);
      reducer.close();
    }
  });

  it("keeps nothing of a chunk, so its buffer may be used again", () => {
    const reducer = make();
    const bytes = ndjson(START);
    const buffer = new Uint8Array(7);
    for (let at = 0; at < bytes.length; at += buffer.length) {
      const part = bytes.subarray(at, at + buffer.length);
      buffer.set(part);
      reducer.push(buffer.subarray(0, part.length));
      buffer.fill(0x21);
    }
    expect(reducer.snapshot()).toEqual(START.model);
    reducer.close();
  });

  it("refuses a chunk that is no bytes and says what to do with text", () => {
    const reducer = make();
    expect(failing(() => reducer.push(JSON.stringify(START) as never), "bad_argument").message).toContain(
      "TextEncoder",
    );
    for (const chunk of [undefined, null, 5, {}, [1, 2, 3]])
      failing(() => reducer.push(chunk as never), "bad_argument");
    expect(reducer.stats().events).toBe(0);
    reducer.close();
  });

  it("refuses selectors, positions and formats that are not valid", () => {
    const reducer = make();
    reducer.push(ndjson(START));
    for (const streamId of [null, 5, {}]) {
      const options = { streamId } as never;
      failing(() => reducer.snapshot(options), "bad_argument");
      failing(() => reducer.status(options), "bad_argument");
      failing(() => reducer.stats(options), "bad_argument");
      failing(() => reducer.release(options), "bad_argument");
      failing(() => reducer.pause(options), "bad_argument");
      failing(() => reducer.load(START.model, options), "bad_argument");
    }
    failing(() => reducer.snapshot("a" as never), "bad_argument");
    failing(() => reducer.snapshot({ integers: "string" as never }), "bad_argument");
    failing(() => reducer.withSnapshotBytes(undefined as never), "bad_argument");
    failing(() => reducer.restore("SFCK" as never), "bad_argument");
    for (const number of [-1, 1.5, Number.NaN, 2 ** 53, "1", null]) {
      failing(() => reducer.changes({ since: number as never }), "bad_argument");
      failing(() => reducer.load(START.model, { seq: number as never }), "bad_argument");
    }
    for (const format of ["protobuf", "sse", "", 1]) {
      failing(() => reducer.snapshotBytes({ format: format as never }), "unsupported_transport");
      failing(() => reducer.withSnapshotBytes(() => 0, { format: format as never }), "unsupported_transport");
      failing(() => reducer.load(START.model, { format: format as never }), "unsupported_transport");
    }
    for (const model of [START.model, "\x80", [0x80]]) {
      failing(() => reducer.load(model, { format: "msgpack" }), "bad_argument");
    }
    expect(reducer.seq()).toBe(1);
    reducer.close();
  });

  it("answers for streams that do not exist", () => {
    const reducer = make();
    reducer.push(ndjson(start("a")));
    expect(reducer.status()).toBe("none");
    expect(reducer.snapshot()).toBeUndefined();
    expect(reducer.seq({ streamId: "b" })).toBeUndefined();
    expect(reducer.release({ streamId: "b" })).toBe(false);
    expect(failing(() => reducer.snapshotBytes(), "no_model").streamId).toBe("");
    expect(failing(() => reducer.withSnapshotBytes(() => 1, { streamId: "b" }), "no_model").streamId).toBe("b");
    expect(failing(() => reducer.pause({ streamId: "b" }), "no_model").streamId).toBe("b");
    expect(reducer.resume({ streamId: "b" })).toBe(0);
    expect(reducer.streamIds()).toEqual(["a"]);
    expect(reducer.release({ streamId: "a" })).toBe(true);
    expect(reducer.streamIds()).toEqual([]);
    reducer.close();
  });

  it("loads a model as value, text and bytes", () => {
    const text = JSON.stringify(START.model);
    for (const model of [START.model, text, Buffer.from(text), new TextEncoder().encode(text).buffer]) {
      const reducer = make();
      reducer.load(model, { streamId: "a", seq: 7, format: "json" });
      expect(reducer.snapshot({ streamId: "a" })).toEqual(START.model);
      expect(reducer.seq({ streamId: "a" })).toBe(7);
      expect(reducer.status({ streamId: "a" })).toBe("open");
      reducer.close();
    }
  });

  it("throws what is wrong with a loaded model and keeps the old one", () => {
    const reducer = make();
    reducer.load(START.model, { seq: 3 });
    const bad = { ...START.model, version: "2.0" };
    for (const model of [bad, JSON.stringify(bad)]) {
      const error = failing(() => reducer.load(model), "bad_model");
      expect([error.scope, error.path]).toEqual(["stream", "/version"]);
    }
    failing(() => reducer.load("{"), "bad_json");
    failing(() => reducer.load(undefined), "not_json");
    expect(reducer.snapshot()).toEqual(START.model);
    expect([reducer.seq(), reducer.status()]).toEqual([3, "open"]);
    reducer.close();
  });

  it("materializes a reference from value, text and bytes", () => {
    const block = { id: "later", type: "text", content: "There" };
    for (const body of [block, JSON.stringify(block), Buffer.from(JSON.stringify(block))]) {
      const reducer = make();
      reducer.load({ ...START.model, blocks: [{ id: "later", ref: "blob:1" }] });
      failing(() => reducer.materialize({ ...block, id: "other" }), "missing_block");
      reducer.materialize(body);
      expect(reducer.snapshot()).toEqual({ ...modelWith(""), blocks: [block] });
      failing(() => reducer.materialize(body), "bad_block");
      reducer.close();
    }
  });

  it("judges a lone surrogate half in a text as what it is: no UTF-8", () => {
    const reducer = make();
    const error = failing(() => reducer.apply('{"op":"ping","x":"\ud800"}'), "invalid_utf8");
    expect(error.byteOffset).toBe(18);
    failing(() => reducer.load('{"version":"\udc00"}'), "invalid_utf8");
    const lenient = make({ utf8: "replace" });
    lenient.apply(JSON.stringify(START).replace("Hello", "H\ud800llo"));
    expect(lenient.snapshot()).toEqual(modelWith("H\ufffdllo"));
    lenient.close();
    reducer.close();
  });
});
