import { describe, expect, it } from "vitest";
import type { Engine, Reducer } from "../../src/engine/contract.js";
import { append, end, MODEL, modelOf, set, setBlock, setMeta, start } from "../contract/base.js";
import { generate } from "../fuzz/generate.js";
import { concat, latin1, utf8 } from "../support/bytes.js";
import { freshEngine, WASM_KINDS } from "../support/engines.js";
import { thrown } from "../support/fold.js";
import { Rng } from "../support/rng.js";
import { sseBody } from "../support/sse.js";
import { comesBack } from "./random-lives.js";

const lines = (...events: unknown[]): string[] => events.map((event) => JSON.stringify(event));
const on = (streamId: string): { stream_id: string } => ({ stream_id: streamId });
const X = { id: "x", type: "t", content: "" };

/** What may happen to a reducer before it is released, reset or closed. Each leaves something behind that must be given back. */
const LIVES: Record<string, (reducer: Reducer) => void> = {
  "nothing at all": () => {},
  "only reads": (reducer) => {
    reducer.status();
    reducer.stats();
    reducer.checkpoint();
  },
  "a model that grew": (reducer) => {
    reducer.push(
      sseBody(lines(start(), ...Array.from({ length: 500 }, (_, i) => append(2 + i, "a", "some more text é")))),
    );
  },
  "every kind of change": (reducer) => {
    reducer.push(
      sseBody(
        lines(
          start(),
          set(2, { id: "n", type: "t", items: [] }),
          setBlock(3, "block.deep.er.est", { id: "n", deep: { er: { est: [1, { x: "y".repeat(3000) }] } } }),
          setMeta(4, "meta.stats.x", { stats: { x: 1 } }),
          { op: "append", seq: 5, mask: "block.items", block: { id: "n", items: [1, 2, 3] } },
          set(6, { id: "n", ref: "k" }),
          { op: "error", seq: 7, mask: "meta.error", meta: { error: { code: "c", message: "m" } } },
          end(8),
        ),
        { id: "an id", retry: "10" },
      ),
    );
    reducer.materialize({ id: "r", type: "t", content: "body" });
  },
  "many streams": (reducer) => {
    for (let i = 0; i < 300; i++)
      reducer.push(
        sseBody(lines(start(modelOf(X), on(`stream ${i}`)), append(2, "x", "y".repeat(i), on(`stream ${i}`)))),
      );
  },
  "a large model, replaced and loaded over": (reducer) => {
    const model = modelOf(
      ...Array.from({ length: 2000 }, (_, i) => ({ id: `block ${i}`, type: "t", content: "x".repeat(100) })),
    );
    reducer.push(sseBody(lines(start(model), start(modelOf(X)), start(model))));
    reducer.load(modelOf(X));
    reducer.load(JSON.stringify(model), { streamId: "other" });
  },
  "a half message": (reducer) => {
    reducer.push(utf8(`id: half\ndata: ${lines(start())[0]?.slice(0, 200)}`));
  },
  "a large half message in small pieces": (reducer) => {
    reducer.push(utf8("data: {"));
    for (let i = 0; i < 1000; i++) reducer.push(utf8("x".repeat(1000)));
  },
  "a failed connection": (reducer) => {
    reducer.push(sseBody(lines(start(), append(2, "a", "x"))));
    expect(thrown(() => reducer.push(latin1("data: {\xff\n\n")))).toBeDefined();
    expect(thrown(() => reducer.push(utf8("x")))).toBeDefined();
  },
  "violations on many streams": (reducer) => {
    for (let i = 0; i < 50; i++) {
      reducer.push(sseBody(lines(start(modelOf(X), on(`s${i}`)))));
      expect(
        thrown(() => reducer.push(sseBody(lines(set(2, { id: 5, long: "x".repeat(500) }, on(`s${i}`)))))),
      ).toBeDefined();
    }
  },
  "paused queues": (reducer) => {
    reducer.push(sseBody(lines(start(modelOf(X), on("p")), start(modelOf(X), on("q")))));
    reducer.pause({ streamId: "p" });
    reducer.pause({ streamId: "q" });
    for (let i = 0; i < 100; i++)
      reducer.push(
        sseBody(lines(append(2 + i, "x", "queued".repeat(20), on("p")), append(2 + i, "x", "queued", on("q")))),
      );
    reducer.resume({ streamId: "q" });
  },
  "streams that wait for references": (reducer) => {
    const model = modelOf(X, { id: "r", ref: "key".repeat(30) });
    for (const id of ["p", "q", "s"]) {
      reducer.push(sseBody(lines(start(model, on(id)), append(2, "r", "first", on(id)))));
      for (let i = 0; i < 50; i++) reducer.push(sseBody(lines(append(3 + i, "r", "queued".repeat(20), on(id)))));
    }
    reducer.push(sseBody(lines(start(model, on("p")), append(2, "r", "again", on("p")))));
    reducer.materialize({ id: "r", type: "t", content: "" }, { streamId: "q", id: "r" });
    reducer.resume({ streamId: "q" });
    reducer.load(model, { streamId: "s" });
    expect(reducer.unresolved({ streamId: "p" })?.id).toBe("r");
    expect(reducer.unresolved({ streamId: "s" })).toBeUndefined();
  },
  "changes that were read": (reducer) => {
    reducer.push(sseBody(lines(start())));
    for (let i = 0; i < 600; i++) {
      reducer.push(sseBody(lines(i % 3 ? append(2 + i, "a", "text") : setMeta(2 + i, `meta.m${i}`, { [`m${i}`]: i }))));
      if (i % 5 === 0) reducer.changes({ since: i });
    }
  },
  "checkpoints, taken and restored, good and bad": (reducer) => {
    reducer.push(concat([sseBody(lines(start(), start(modelOf(X), on("s")))), utf8("data: {half")]));
    reducer.pause();
    const saved = reducer.checkpoint();
    for (let i = 0; i < 20; i++) {
      reducer.restore(saved);
      expect(thrown(() => reducer.restore(saved.subarray(0, saved.length - 1 - i)))?.code).toBe("bad_checkpoint");
    }
  },
  "objects first, bytes later": (reducer) => {
    reducer.apply(start(MODEL));
    reducer.apply(append(2, "a", "!"));
    reducer.push(sseBody(lines(append(3, "a", "?"))));
    reducer.apply(append(4, "a", "."));
    expect(thrown(() => reducer.apply("{"))?.code).toBe("bad_json");
  },
  "faulty loads and materializations": (reducer) => {
    reducer.push(sseBody(lines(start())));
    for (let i = 0; i < 20; i++) {
      expect(thrown(() => reducer.load(JSON.stringify(modelOf(X, X))))).toBeDefined();
      expect(thrown(() => reducer.load("[1,"))).toBeDefined();
      expect(
        thrown(() => reducer.materialize(JSON.stringify({ id: "a", type: "t", x: "y".repeat(2000) }))),
      ).toBeDefined();
    }
  },
};

/** How it ends. */
const ENDS: Record<string, (reducer: Reducer) => void> = {
  close: (reducer) => reducer.close(),
  "reset, use, close": (reducer) => {
    reducer.reset();
    reducer.push(sseBody(lines(start(modelOf(X)))));
    reducer.close();
  },
  "release of every stream, close": (reducer) => {
    for (const streamId of reducer.streamIds()) reducer.release({ streamId });
    reducer.close();
  },
  "finish, reconnect, close": (reducer) => {
    reducer.finish();
    reducer.reconnect();
    reducer.close();
  },
};

const make = (engine: Engine): Reducer =>
  engine.createReducer({ protocol: "agentue", transport: "sse", unresolved: "pause" });

describe("memory of js", () => {
  it("is the collector's: the engine tells nothing", () => {
    const engine = freshEngine("js");
    const reducer = make(engine);
    reducer.push(sseBody(lines(start())));
    expect(engine.memory()).toEqual({ live: 0, held: 0 });
    engine.close();
  });
});

describe.each(WASM_KINDS)("memory of %s", (kind) => {
  /**
   * Buffers and learned templates belong to the engine and stay, bounded: what a run takes, the same run must give back once it
   * has been run before.
   */
  const OWN = 64 * 1024;

  it("comes back to the byte, whatever a reducer lived through and however it ends", () => {
    const engine = freshEngine(kind);
    const begin = engine.memory().live;
    const run = (check: (name: string) => void): void => {
      for (const [life, live] of Object.entries(LIVES)) {
        for (const [end, finish] of Object.entries(ENDS)) {
          const reducer = make(engine);
          live(reducer);
          finish(reducer);
          check(`${life}; ${end}`);
        }
      }
    };
    run((name) => expect(engine.memory().live - begin, name).toBeLessThan(OWN));
    const before = engine.memory().live;
    run((name) => expect(engine.memory().live, name).toBe(before));
    engine.close();
  });

  it("comes back with many reducers open at once, closed in another order", () => {
    const engine = freshEngine(kind);
    const rng = new Rng(7);
    let before: number | undefined;
    for (let round = 0; round < 4; round++) {
      const open = Object.values(LIVES).map((live) => {
        const reducer = make(engine);
        live(reducer);
        return reducer;
      });
      expect(engine.memory().live).toBeGreaterThan(1_000_000);
      for (const reducer of rng.shuffle(open)) reducer.close();
      before ??= engine.memory().live;
      expect(engine.memory().live, `round ${round}`).toBe(before);
    }
    expect(before).toBeLessThan(OWN);
    engine.close();
  });

  it("comes back after random sessions, good and broken", () => comesBack(kind, OWN, (rng) => generate(rng)));

  it("a released stream gives back everything it took", () => {
    const engine = freshEngine(kind);
    const reducer = make(engine);
    reducer.push(sseBody(lines(start(modelOf(X)))));
    let before: number | undefined;
    for (let round = 0; round < 5; round++) {
      for (let i = 0; i < 100; i++)
        reducer.push(sseBody(lines(start(MODEL, on(`s${i}`)), append(2, "a", "x".repeat(1000), on(`s${i}`)))));
      expect(engine.memory().live).toBeGreaterThan(100_000);
      for (let i = 0; i < 100; i++) reducer.release({ streamId: `s${i}` });
      // The table of streams may have grown in the first round.
      before ??= engine.memory().live;
      expect(engine.memory().live, `round ${round}`).toBe(before);
    }
    expect(before).toBeLessThan(OWN);
    reducer.close();
    engine.close();
  });

  it("ten thousand hostile stream ids before start leave nothing behind", () => {
    const engine = freshEngine(kind);
    const reducer = engine.createReducer({ protocol: "agentue", transport: "ndjson", onError() {} });
    reducer.push(utf8(`${lines(start(modelOf(X)), append(1, "x", "a", on("hostile"))).join("\n")}\n`));
    const before = engine.memory().live;
    for (let i = 0; i < 10_000; i++) {
      const event = [
        append(1, "x", "a", on(`hostile ${i}`)),
        { op: "nope", seq: 1, ...on(`hostile ${i}`) },
        start({ version: "9" }, on(`hostile ${i}`)),
      ][i % 3];
      reducer.push(utf8(`${JSON.stringify(event)}\n`));
    }
    expect(engine.memory().live).toBe(before);
    expect(reducer.streamIds()).toEqual([""]);
    reducer.close();
    engine.close();
  });

  it("a line of fifty megabytes without end is not kept", () => {
    for (const transport of ["sse", "ndjson"] as const) {
      for (const undecodable of ["fail", "skip"] as const) {
        const engine = freshEngine(kind);
        const reducer = engine.createReducer({
          protocol: "agentue",
          transport,
          undecodable,
          limits: { messageBytes: 10_000 },
          onError() {},
        });
        const chunk = utf8("x".repeat(1 << 20));
        thrown(() => reducer.push(utf8("data:")));
        thrown(() => reducer.push(chunk));
        const { live, held } = engine.memory();
        let failures = 0;
        for (let i = 0; i < 50; i++) if (thrown(() => reducer.push(chunk)) !== undefined) failures++;
        const label = `${transport}, ${undecodable}`;
        expect(failures, label).toBe(undecodable === "fail" ? 50 : 0);
        expect(engine.memory().live, label).toBe(live);
        expect(engine.memory().held, label).toBe(held);
        reducer.close();
        engine.close();
      }
    }
  });

  it("stats().memory is what a stream is charged", () => {
    const engine = freshEngine(kind);
    const reducer = make(engine);
    reducer.push(sseBody(lines(start(modelOf(X)), start(modelOf(X), on("s")))));
    const before = reducer.stats({ streamId: "s" }).memory;
    const other = reducer.stats({ streamId: "" }).memory;
    expect(before).toBeGreaterThan(0);
    reducer.push(sseBody(lines(append(2, "x", "y".repeat(10_000), on("s")))));
    expect(reducer.stats({ streamId: "s" }).memory).toBeGreaterThan(before + 9_000);
    expect(reducer.stats({ streamId: "" }).memory).toBe(other);
    reducer.close();
    engine.close();
  });

  it("a closed engine holds nothing", () => {
    const engine = freshEngine(kind);
    const reducer = make(engine);
    reducer.push(sseBody(lines(start())));
    expect(engine.memory().held).toBeGreaterThan(0);
    engine.close();
    expect(engine.memory()).toEqual({ live: 0, held: 0 });
  });
});
