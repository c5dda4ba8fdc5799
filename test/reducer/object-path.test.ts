import { describe, expect, it } from "vitest";
import type { Reducer, ReducerOptions } from "../../src/engine/contract.js";
import { StreamfoldError } from "../../src/errors.js";
import { createEngine } from "../../src/reducer/engine.js";
import { engine, KINDS } from "../support/engines.js";
import { failing } from "./expect-error.js";
import { spyCore } from "./spy-core.js";
import { append, end, modelWith, ndjson, START, start } from "./wire.js";

const OPTIONS = { protocol: "agentue", transport: "ndjson" } as const;
const text = (value: unknown): string => JSON.stringify(value);

describe("which session a reducer uses", () => {
  const use = (...calls: ((reducer: Reducer) => unknown)[]): string[] => {
    const core = spyCore();
    const reducer = createEngine(core).createReducer(OPTIONS);
    for (const call of calls) call(reducer);
    return core.log;
  };
  const objects = (r: Reducer): unknown => r.apply(START);
  const bytes = (r: Reducer): unknown => r.push(ndjson(START));

  it("none before it is needed", () => {
    expect(use()).toEqual([]);
  });

  it("the engine's own from the start when bytes come first", () => {
    expect(use(bytes, objects)).toEqual(["open wire"]);
    expect(use((r) => r.apply(text(START)))).toEqual(["open wire"]);
    expect(use((r) => r.load(text(START.model)))).toEqual(["open wire"]);
    expect(use((r) => r.restore(createEngine(spyCore()).createReducer(OPTIONS).checkpoint()))).toEqual(["open wire"]);
  });

  it("the JavaScript engine's while only objects come", () => {
    const reading = (r: Reducer): unknown => [r.snapshot(), r.snapshotBytes(), r.changes(), r.checkpoint(), r.stats()];
    expect(
      use(
        (r) => r.load(START.model),
        objects,
        (r) => r.apply({ ...START, model: { ...START.model, blocks: [{ id: "x", ref: "y" }] } }),
        (r) => r.materialize({ id: "x", type: "text" }),
        reading,
        (r) => r.push(new Uint8Array(0)),
        (r) => r.finish(),
        (r) => r.reconnect(),
        (r) => r.pause(),
        (r) => r.resume(),
        (r) => r.reset(),
      ),
    ).toEqual(["open objects"]);
  });

  it("moves once, at the first bytes or text, and closes what it leaves", () => {
    const moved = ["open objects", "open wire", "close objects"];
    expect(use(objects, bytes, objects, bytes)).toEqual(moved);
    expect(use(objects, (r) => r.apply(text(append(2, "!"))), objects)).toEqual(moved);
    expect(use(objects, (r) => r.load(Buffer.from(text(START.model))))).toEqual(moved);
    expect(use(objects, (r) => r.restore(r.checkpoint()))).toEqual(moved);
    expect(use(objects, bytes, (r) => r.close())).toEqual([...moved, "close wire"]);
  });

  it("an empty json message is a message, and bad JSON", () => {
    const core = spyCore();
    const reducer = createEngine(core).createReducer({ ...OPTIONS, transport: "json" });
    failing(() => reducer.push(new Uint8Array(0)), "bad_json");
    expect(core.log).toEqual(["open wire"]);
  });

  it("stays when the move fails", () => {
    const core = spyCore({ restore: () => ({ code: "bad_checkpoint" }) });
    const reducer = createEngine(core).createReducer(OPTIONS);
    reducer.apply(START);
    failing(() => reducer.push(ndjson(append(2, "!"))), "bad_checkpoint");
    failing(() => reducer.restore(reducer.checkpoint()), "bad_checkpoint");
    expect(core.log).toEqual(["open objects", "open wire", "close wire", "open wire", "close wire"]);
    expect(reducer.apply(append(2, "!"))).toBe(1);
    expect(reducer.snapshot()).toEqual(modelWith("Hello!"));
  });
});

describe("an engine that fails in the middle of a call", () => {
  const lost = new StreamfoldError({ code: "engine_lost" });

  it("throws its own error, after what it had reported was delivered", () => {
    const heard: unknown[] = [];
    const core = spyCore({
      push(_chunk, reports) {
        reports.push({ kind: "event", event: START, streamId: "", eventIndex: 0 });
        reports.push({ kind: "error", fault: { code: "unknown_op", streamId: "", eventIndex: 1 } });
        throw lost;
      },
    });
    const reducer = createEngine(core).createReducer({
      ...OPTIONS,
      onEvent: (event) => heard.push(event),
      onError: ({ code }) => {
        heard.push(code);
        throw "mine";
      },
    });
    const error = failing(() => reducer.push(ndjson(START)), "engine_lost");
    expect(error).toBe(lost);
    expect(error.cause).toBe("mine");
    expect(error.errors?.map(({ code }) => code)).toEqual(["engine_lost", "unknown_op"]);
    expect(heard).toEqual([START, "unknown_op"]);
    failing(() => reducer.push(ndjson(START)), "engine_lost");
    expect(heard).toHaveLength(4);
  });

  it("also in apply, resume and finish", () => {
    const fail = (): never => {
      throw lost;
    };
    const core = spyCore({ applyText: fail, resume: fail, finish: fail });
    const reducer = createEngine(core).createReducer({ ...OPTIONS, onError: () => {} });
    reducer.push(ndjson(START));
    failing(() => reducer.apply("{}"), "engine_lost");
    failing(() => reducer.apply(START), "engine_lost");
    failing(() => reducer.resume(), "engine_lost");
    failing(() => reducer.finish(), "engine_lost");
    reducer.close();
  });
});

describe.each(KINDS)("objects, then bytes (%s)", (kind) => {
  const make = (options: Partial<ReducerOptions> = {}): Reducer =>
    engine(kind).createReducer({ ...OPTIONS, ...options });
  const readings = (reducer: Reducer): unknown => ({
    ids: reducer.streamIds(),
    stats: { ...reducer.stats(), memory: 0, bytes: 0 },
    streams: reducer.streamIds().map((streamId) => ({
      status: reducer.status({ streamId }),
      seq: reducer.seq({ streamId }),
      model: reducer.snapshot({ streamId }),
      stats: { ...reducer.stats({ streamId }), memory: 0, bytes: 0 },
    })),
  });

  const EVENTS: unknown[] = [
    start("a"),
    start("b"),
    append(2, " one", "a"),
    append(2, " old", "a"),
    { op: "jump", seq: 3, stream_id: "b" },
    append(3, " dropped", "b"),
    start("c"),
    { op: "set", seq: 5, stream_id: "c", mask: "meta.stats", meta: { stats: { big: 12345678901234 } } },
    { op: "error", seq: 6, stream_id: "c", mask: "meta.error", meta: { error: { code: "x", message: "y" } } },
    end(7, "c"),
    append(3, " two", "a"),
    { op: "ping", seq: 3, stream_id: "a" },
  ];

  it("the move keeps models, seq, versions, status and counters, wherever it comes", () => {
    for (let cut = 0; cut <= EVENTS.length; cut++) {
      const all = make({ onError() {} });
      all.push(ndjson(...EVENTS));
      const mixed = make({ onError() {} });
      EVENTS.forEach((event, index) => {
        if (index < cut) mixed.apply(event);
        else if (index % 2 === 0) mixed.apply(text(event));
        else mixed.apply(event);
      });
      expect(readings(mixed)).toEqual(readings(all));
      const pushed = make({ onError() {} });
      for (const event of EVENTS.slice(0, cut)) pushed.apply(event);
      pushed.push(ndjson(...EVENTS.slice(cut)));
      expect(readings(pushed)).toEqual(readings(all));
      for (const reducer of [all, mixed, pushed]) reducer.close();
    }
  });

  it("the move keeps what a paused stream has queued", () => {
    const order: number[] = [];
    const reducer = make({ onEvent: (_event, { eventIndex }) => order.push(eventIndex) });
    reducer.apply(START);
    reducer.pause();
    reducer.apply(append(2, " one"));
    reducer.push(ndjson(append(3, " two")));
    reducer.apply(append(4, " three"));
    expect(reducer.stats().queued).toBe(3);
    expect(reducer.snapshot()).toEqual(START.model);
    expect(reducer.resume()).toBe(3);
    expect(reducer.snapshot()).toEqual(modelWith("Hello one two three"));
    expect(order).toEqual([0, 1, 2, 3]);
    reducer.close();
  });

  it("events given as objects are not changed, nor is the model when the caller reads it", () => {
    for (const first of ["object", "bytes"]) {
      const reducer = make();
      const event = structuredClone(START) as typeof START;
      if (first === "bytes") reducer.apply(text(event));
      else reducer.apply(event);
      const patch = append(2, "!");
      reducer.apply(patch);
      expect(event).toEqual(START);
      expect(patch).toEqual(append(2, "!"));
      const snapshot = reducer.snapshot() as { blocks: { content: string }[] };
      snapshot.blocks[0]!.content = "mine";
      expect(reducer.snapshot()).toEqual(modelWith("Hello!"));
      reducer.close();
    }
  });

  it("a load by value after bytes gives what a load of the text gives", () => {
    const model = { ...START.model, meta: { deep: [1, [2, [3, { "": null }]]] }, extra: "é\u2028\ud800" };
    const reducer = make();
    reducer.push(ndjson(START));
    reducer.load(model, { seq: 9 });
    expect(reducer.snapshot()).toEqual(model);
    expect(reducer.seq()).toBe(9);
    reducer.close();
  });

  it("restores a checkpoint of the other path", () => {
    const objects = make();
    objects.apply(START);
    const bytes = make();
    bytes.push(ndjson(START));
    for (const [from, to] of [
      [objects, bytes],
      [bytes, objects],
    ] as const) {
      from.apply(append((from.seq() ?? 0) + 1, "!"));
      to.restore(from.checkpoint());
      expect(readings(to)).toEqual(readings(from));
      expect(to.push(ndjson(append((to.seq() ?? 0) + 1, "?")))).toBe(1);
    }
    objects.close();
    bytes.close();
  });
});

describe.each(KINDS)("messageBytes and events as objects (%s)", (kind) => {
  it("an object has no bytes on the wire, whichever session it goes to; a text has", () => {
    for (const first of ["object", "text"] as const) {
      const reducer = engine(kind).createReducer({ ...OPTIONS, limits: { messageBytes: text(START).length } });
      const long = append(2, "x".repeat(1000));
      reducer.apply(first === "object" ? START : text(START));
      expect(reducer.apply(long)).toBe(1);
      expect(reducer.apply({ op: "set", seq: 3, mask: "meta.y", meta: { y: "y".repeat(1000) } })).toBe(1);
      expect(failing(() => reducer.apply(text(append(4, "x".repeat(1000)))), "too_large").byteOffset).toBe(0);
      expect(reducer.apply(append(4, "x".repeat(1000)))).toBe(1);
      reducer.pause();
      expect(reducer.apply(append(5, "x".repeat(1000)))).toBe(0);
      expect(reducer.resume()).toBe(1);
      expect(reducer.stats()).toMatchObject({ applied: 5, errors: 1, events: 6 });
      reducer.close();
    }
  });
});
