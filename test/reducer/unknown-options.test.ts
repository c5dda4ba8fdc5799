import { describe, expect, it } from "vitest";
import { createEmitter, createResolver } from "../../src/agentue/index.js";
import type { Engine } from "../../src/engine/contract.js";
import * as browser from "../../src/entry/browser.js";
import * as js from "../../src/entry/js.js";
import * as node from "../../src/entry/node.js";
import { createReplay } from "../../src/replay/index.js";
import { createReducerStream, reduceBody } from "../../src/stream/index.js";
import { negotiate } from "../../src/transport/negotiate.js";
import { engine, KINDS } from "../support/engines.js";
import { failing } from "./expect-error.js";
import { ndjson, START } from "./wire.js";

type Call = (options: never) => unknown;

/** Functions with options of their own, and options that each takes. */
const CALLS: Record<string, (engine: Engine) => [call: Call, takes: object]> = {
  load: (engine) => [
    (options) => reducerOf(engine).load(START.model, options),
    { streamId: "a", seq: 1, format: "json" },
  ],
  materialize: (engine) => [
    (options) => reducerOf(engine).materialize({ id: "b", type: "text" }, options),
    { streamId: "", id: "b" },
  ],
  unresolved: (engine) => [(options) => reducerOf(engine).unresolved(options), { streamId: "", id: "b" }],
  resume: (engine) => [(options) => reducerOf(engine).resume(options), { streamId: "", skip: false }],
  snapshot: (engine) => [(options) => reducerOf(engine).snapshot(options), { streamId: "", integers: "bigint" }],
  snapshotBytes: (engine) => [(options) => reducerOf(engine).snapshotBytes(options), { streamId: "", format: "json" }],
  withSnapshotBytes: (engine) => [
    (options) => reducerOf(engine).withSnapshotBytes(() => 0, options),
    { streamId: "", format: "msgpack" },
  ],
  changes: (engine) => [(options) => reducerOf(engine).changes(options), { streamId: "", since: 0 }],
  status: (engine) => [(options) => reducerOf(engine).status(options), { streamId: "" }],
  seq: (engine) => [(options) => reducerOf(engine).seq(options), { streamId: "" }],
  stats: (engine) => [(options) => reducerOf(engine).stats(options), { streamId: "" }],
  pause: (engine) => [(options) => reducerOf(engine).pause(options), { streamId: "" }],
  release: (engine) => [(options) => reducerOf(engine).release(options), { streamId: "" }],
  fork: (engine) => [(options) => reducerOf(engine).fork(options), { streamId: "", as: "b" }],
  "get of a document": (engine) => [(options) => engine.createDocument({}).get("", options), { integers: "number" }],
  "value of a document": (engine) => [(options) => engine.createDocument({}).value(options), { integers: "number" }],
  snapshotAt: (engine) => [
    (options) => replayOf(engine).snapshotAt({ seq: 1 }, options),
    { streamId: "", integers: "number" },
  ],
  snapshotBytesAt: (engine) => [
    (options) => replayOf(engine).snapshotBytesAt({ seq: 1 }, options),
    { streamId: "", format: "json" },
  ],
  resumeFrom: (engine) => [(options) => replayOf(engine).resumeFrom({ seq: 1 }, options), { streamId: "", to: "sse" }],
  resumeLatest: (engine) => [(options) => replayOf(engine).resumeLatest(options), { streamId: "", to: "sse" }],
  createReducerStream: (engine) => [
    (options) => createReducerStream(reducerOf(engine), options),
    { emit: "bytes", streamId: "", onFinish() {} },
  ],
  "skip of a resolver": (engine) => [(options) => resolverOf(engine).skip(options), { streamId: "" }],
  "retry of a resolver": (engine) => [(options) => resolverOf(engine).retry(options), { streamId: "", id: "b" }],
  negotiate: () => [(options) => negotiate("*/*", options), { protocol: "ag-ui", transports: ["sse"] }],
  "start of an emitter": () => [(options) => emitter().start({ biz: "b" }, options), { seq: 4, eventType: "t" }],
  "set of an emitter": () => [(options) => emitter(1).set({ id: "a", type: "text" }, options), { eventType: "t" }],
  "setField of an emitter": () => [(options) => emitter(1).setField("b", "title", "x", options), { eventType: "t" }],
  "setMeta of an emitter": () => [(options) => emitter(1).setMeta("run", {}, options), { eventType: "t" }],
  "append of an emitter": () => [
    (options) => emitter(1).append("b", "content", "x", options),
    { eventType: "t", insert: { type: "text" } },
  ],
  "append of an emitter, of half a pair": () => [
    (options) => emitter(1, "msgpack").append("b", "content", "\ud83d", options),
    { eventType: "t", insert: { type: "text" } },
  ],
  "error of an emitter": () => [
    (options) => emitter(1).error({ code: "c", message: "m" }, options),
    { eventType: "t" },
  ],
  "end of an emitter": () => [(options) => emitter(1).end(options), { eventType: "t" }],
  "loadEngineSync of Node": () => [(options) => node.loadEngineSync(options), { kind: "js", wasm: undefined }],
  "loadEngineSync of a browser": () => [(options) => browser.loadEngineSync(options), { kind: "js", wasm: undefined }],
  "loadEngineSync of the JavaScript engine": () => [(options) => js.loadEngineSync(options), { kind: "js" }],
};

const reducerOf = (engine: Engine) => {
  const reducer = engine.createReducer({ protocol: "agentue", transport: "ndjson" });
  reducer.push(ndjson(REFERRING));
  return reducer;
};
const REFERRING = {
  ...START,
  model: { ...START.model, version: "1.1", blocks: [{ id: "b", ref: "key" }] },
};
const replayOf = (engine: Engine) => {
  const replay = createReplay(engine, { protocol: "agentue", transport: "ndjson" });
  replay.append(ndjson(REFERRING));
  return replay;
};
const resolverOf = (engine: Engine) => {
  const reducer = engine.createReducer({ protocol: "agentue", transport: "ndjson", unresolved: "pause" });
  return createResolver(reducer, { load: async () => ({}), onError() {} });
};
const emitter = (blocks = 0, transport: "ndjson" | "msgpack" = "ndjson") => {
  const made = createEmitter({ transport });
  if (blocks > 0) made.start({ biz: "b", blocks: [{ id: "b", type: "text" }] });
  return made;
};

describe.each(KINDS)("options that there are not (%s)", (kind) => {
  it.each(Object.keys(CALLS))("%s refuses and names them", (name) => {
    const [call, takes] = CALLS[name]!(engine(kind));
    call(takes as never);
    expect(failing(() => call({ ...takes, streamID: "a" } as never), "bad_argument").message).toContain(
      'there is no option "streamID"',
    );
    const [own] = Object.keys(takes);
    const inherited = Object.create({ other: 1 }, { [own!]: { value: Object.values(takes)[0], enumerable: true } });
    if (Object.keys(takes).length === 1 && own !== "kind") call(inherited as never);
  });

  it("reduceBody refuses them before anything is read", async () => {
    const reducer = engine(kind).createReducer({ protocol: "agentue", transport: "ndjson" });
    await expect(reduceBody(reducer, null, { onchunk() {} } as never)).rejects.toMatchObject({
      code: "bad_argument",
      message: expect.stringContaining('there is no option "onchunk"'),
    });
    expect(reducer.stats().events).toBe(0);
    reducer.close();
  });

  it("resolveAll of a resolver refuses them", async () => {
    const resolver = resolverOf(engine(kind));
    await expect(resolver.resolveAll({ streamid: "a" } as never)).rejects.toMatchObject({ code: "bad_argument" });
    resolver.close();
  });
});
