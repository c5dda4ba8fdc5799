import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import type { Reducer } from "../../src/engine/contract.js";
import { freshEngine, KINDS, WASM_KINDS } from "../support/engines.js";
import { failing } from "./expect-error.js";
import { append, ndjson, START } from "./wire.js";

const OPTIONS = { protocol: "agentue", transport: "ndjson" } as const;

const EVERY_CALL: ((reducer: Reducer) => unknown)[] = [
  (r) => r.push(ndjson(START)),
  (r) => r.apply(START),
  (r) => r.finish(),
  (r) => r.reconnect(),
  (r) => r.load(START.model),
  (r) => r.checkpoint(),
  (r) => r.restore(new Uint8Array(4)),
  (r) => r.materialize({}),
  (r) => r.pause(),
  (r) => r.resume(),
  (r) => r.snapshot(),
  (r) => r.snapshotBytes(),
  (r) => r.withSnapshotBytes(() => 0),
  (r) => r.changes(),
  (r) => r.status(),
  (r) => r.seq(),
  (r) => r.stats(),
  (r) => r.streamIds(),
  (r) => r.lastEventId,
  (r) => r.retry,
  (r) => r.release(),
  (r) => r.reset(),
];

describe.each(KINDS)("life of an engine and its reducers (%s)", (kind) => {
  it("a closed reducer refuses everything but close", () => {
    const engine = freshEngine(kind);
    for (const use of [() => {}, (r: Reducer) => r.push(ndjson(START)), (r: Reducer) => r.apply(START)]) {
      const reducer = engine.createReducer(OPTIONS);
      use(reducer);
      reducer.close();
      reducer.close();
      reducer[Symbol.dispose]();
      for (const call of EVERY_CALL) expect(failing(() => call(reducer), "closed").scope).toBe("usage");
    }
    engine.close();
  });

  it("Symbol.dispose closes", () => {
    const engine = freshEngine(kind);
    const reducer = engine.createReducer(OPTIONS);
    reducer[Symbol.dispose]();
    failing(() => reducer.status(), "closed");
    engine.close();
  });

  it("a closed engine has closed its reducers and makes no new ones", () => {
    const engine = freshEngine(kind);
    const reducers = [0, 1, 2].map(() => engine.createReducer(OPTIONS));
    reducers[1]!.push(ndjson(START));
    reducers[2]!.close();
    engine.close();
    engine.close();
    for (const reducer of reducers) failing(() => reducer.status(), "closed");
    failing(() => engine.createReducer(OPTIONS), "closed");
    expect(engine.memory()).toEqual({ live: 0, held: 0 });
    expect(engine.kind).toBe(kind);
    expect(engine.reason).not.toBe("");
  });

  it("reset forgets everything", () => {
    const engine = freshEngine(kind);
    const reducer = engine.createReducer(OPTIONS);
    reducer.push(ndjson(START, append(2, "!")));
    reducer.reset();
    expect(reducer.streamIds()).toEqual([]);
    expect(reducer.stats()).toMatchObject({ events: 0, bytes: 0, applied: 0, streams: 0 });
    failing(() => reducer.push(ndjson(append(2, "!"))), "no_model");
    expect(reducer.push(ndjson(START))).toBe(1);
    engine.close();
  });

  it("does not need to be told what to do before the first event", () => {
    const engine = freshEngine(kind);
    const reducer = engine.createReducer(OPTIONS);
    expect(reducer.status()).toBe("none");
    expect(reducer.streamIds()).toEqual([]);
    expect(reducer.changes()).toEqual({ version: 0, changes: [] });
    expect(reducer.finish()).toEqual({ status: "truncated", streams: [] });
    expect([reducer.lastEventId, reducer.retry]).toEqual([undefined, undefined]);
    const copy = engine.createReducer(OPTIONS);
    copy.restore(reducer.checkpoint());
    expect(copy.stats()).toMatchObject({ events: 0, streams: 0 });
    engine.close();
  });
});

describe.each(WASM_KINDS)("memory (%s)", (kind) => {
  it("is given back by close", () => {
    const engine = freshEngine(kind);
    const use = (): void => {
      const reducer = engine.createReducer(OPTIONS);
      const empty = engine.memory().live;
      reducer.push(ndjson(START, append(2, "x".repeat(10_000))));
      expect(engine.memory().live).toBeGreaterThan(empty);
      reducer.close();
    };
    // The first one leaves the buffers that all reducers share.
    use();
    const before = engine.memory().live;
    for (let i = 0; i < 50; i++) use();
    expect(engine.memory().live).toBe(before);
    engine.close();
  });

  it("of a reducer that nobody holds any more comes back by itself", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const engine = freshEngine(kind);
    const before = engine.memory().live;
    const drop = (): void => {
      for (let i = 0; i < 20; i++) engine.createReducer(OPTIONS).push(ndjson(START, append(2, "x".repeat(10_000))));
    };
    drop();
    expect(engine.memory().live).toBeGreaterThan(before + 100_000);
    // finalizers run when the host finds time for them
    for (const until = Date.now() + 20_000; Date.now() < until && engine.memory().live > before + 20_000; ) {
      collect();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(engine.memory().live).toBeLessThanOrEqual(before + 20_000);
    engine.close();
  });
});
