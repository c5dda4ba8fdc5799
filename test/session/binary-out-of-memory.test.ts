import { describe, expect, it } from "vitest";
import type { Engine, Reducer } from "../../src/engine/contract.js";
import { StreamfoldError } from "../../src/errors.js";
import { append, end, modelOf, start } from "../contract/base.js";
import { custom, finished, started, textContent, textEnd, textStart } from "../support/agui-events.js";
import { concat } from "../support/bytes.js";
import { everyN } from "../support/chunking.js";
import { engineWithin, WASM_KINDS } from "../support/engines.js";
import { thrown } from "../support/fold.js";
import { eventsIn, messageOf } from "../support/transcoding.js";
import { msgpack, WIRES, X } from "./binary-lives.js";

/** 4 MiB of linear memory: room for the engine and a model or two. */
const PAGES = 64;

function failure(call: () => unknown): StreamfoldError {
  try {
    call();
  } catch (error) {
    if (error instanceof StreamfoldError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

/** Everything a failed call must leave as it was. */
const state = (reducer: Reducer): unknown => [
  new TextDecoder().decode(reducer.snapshotBytes()),
  reducer.status(),
  reducer.seq(),
  reducer.stats({ streamId: "" }).version,
];

describe.each(WASM_KINDS)("binary wires on %s without memory", (kind) => {
  const open = (pages = PAGES): Engine => engineWithin(pages, kind);

  describe.each(WIRES)("$name", (wire) => {
    const { encode, begin, token, options, transport } = wire;

    it("push: what was applied stays, the event that found none leaves no trace, reconnect goes on", () => {
      const engine = open();
      const reducer = engine.createReducer(options);
      reducer.push(concat(begin.map(encode)));
      const text = "x\n".repeat(2000);
      let n = 0;
      while (thrown(() => reducer.push(encode(token(n, text)))) === undefined) n++;
      expect(n).toBeGreaterThan(100);
      expect(reducer.stats().applied).toBe(begin.length + n);
      expect(reducer.stats({ streamId: "" }).version).toBe(begin.length + n);
      expect(failure(() => reducer.push(encode(token(n, "a")))).code).toBe("out_of_memory");
      reducer.reset();
      reducer.push(concat([...begin, token(0, "fine\n")].map(encode)));
      expect(reducer.stats().applied).toBe(begin.length + 1);
      engine.close();
    });

    it("push: the error says how many events of the chunk were applied", () => {
      const engine = open();
      const reducer = engine.createReducer(options);
      const text = "x".repeat(4096);
      const events = [...begin, ...Array.from({ length: 2000 }, (_, i) => token(i, text))];
      const error = failure(() => reducer.push(concat(events.map(encode))));
      expect(error.code).toBe("out_of_memory");
      expect(error.applied).toBeGreaterThan(100);
      expect(reducer.stats().applied).toBe(error.applied);
      engine.close();
    });

    it("a message whose text, or whose bytes alone, find none", () => {
      for (const [size, cut] of [
        [900_000, 1 << 30],
        [900_000, 10_000],
        [3_900_000, 50_000],
      ] as const) {
        const engine = open();
        const live = engine.memory().live;
        const reducer = engine.createReducer(options);
        reducer.push(concat(begin.map(encode)));
        const before = state(reducer);
        const message = encode(token(0, "\u0001".repeat(size)));
        let error: StreamfoldError | undefined;
        for (const chunk of everyN(message, cut)) {
          try {
            reducer.push(chunk);
          } catch (thrown) {
            error ??= thrown as StreamfoldError;
          }
        }
        expect(error, `${size} in ${cut}`).toMatchObject({ code: "out_of_memory", applied: 0 });
        expect(state(reducer)).toEqual(before);
        reducer.reconnect();
        expect(reducer.push(encode(token(0, "fine\n")))).toBe(1);
        reducer.close();
        expect(engine.memory().live - live).toBeLessThan(64 * 1024);
        engine.close();
      }
    });

    it("whatever is left of memory, an event is applied whole or not at all, and nothing is lost", () => {
      const text = ["a", "é\n".repeat(200), "long ".repeat(300)];
      const tokens = Array.from({ length: 30 }, (_, i) => encode(token(i, text[i % 3] as string)));
      const whole = concat([...begin.map(encode), ...tokens]);
      const free = open();
      const wanted = free.createReducer(options);
      wanted.push(whole);
      const goal = wanted.snapshotBytes();
      let failures = 0;
      for (let left = 0; left < 60_000; left += 4000) {
        const engine = open();
        const reducer = engine.createReducer(options);
        const spare = engine.createReducer({ protocol: "agentue", transport: "json" });
        spare.load(JSON.stringify(modelOf({ ...X, content: "y".repeat(left) })));
        reducer.push(concat(begin.map(encode)));
        const ballast = filled(engine);
        spare.close();
        for (const message of tokens) {
          const before = reducer.stats({ streamId: "" }).version;
          const error = thrown(() => reducer.push(message));
          if (error === undefined) continue;
          failures++;
          expect(error.code).toBe("out_of_memory");
          expect(reducer.stats({ streamId: "" }).version).toBe(before);
          ballast.close();
          reducer.reconnect();
          expect(reducer.push(message)).toBe(1);
        }
        ballast.close();
        expect(reducer.snapshotBytes()).toEqual(goal);
        engine.close();
      }
      expect(failures).toBeGreaterThan(5);
      free.close();
    });

    it("resume: the stream stays paused with what is left, and goes on when there is memory again", () => {
      const engine = open();
      const reducer = engine.createReducer(options);
      const ballast = engine.createReducer(options);
      for (const one of [reducer, ballast]) one.push(concat(begin.map(encode)));
      reducer.pause();
      const text = "x\n".repeat(2000);
      for (let i = 0; i < 100; i++) reducer.push(encode(token(i, text)));
      expect(reducer.stats().queued).toBe(100);
      for (let i = 0; thrown(() => ballast.push(encode(token(i, text)))) === undefined; i++)
        expect(i).toBeLessThan(2000);
      const error = failure(() => reducer.resume());
      expect(error.code).toBe("out_of_memory");
      const { queued, applied } = reducer.stats();
      expect(queued).toBeGreaterThan(0);
      expect(queued + applied - begin.length).toBe(100);
      ballast.close();
      expect(reducer.resume()).toBe(queued);
      engine.close();
    });

    it("models as MessagePack: thrown, nothing changed, the engine goes on", () => {
      if (transport === "protobuf") return;
      const engine = open();
      const reducer = engine.createReducer(options);
      reducer.push(concat(begin.map(encode)));
      const before = state(reducer);
      const large = msgpack(
        options.protocol === "ag-ui"
          ? { messages: [{ id: "u", role: "user", content: "\u0001".repeat(900_000) }] }
          : modelOf({ ...X, content: "\u0001".repeat(900_000) }),
      );
      if (options.protocol === "agentue") {
        expect(failure(() => reducer.load(large, { format: "msgpack" })).code).toBe("out_of_memory");
        expect(state(reducer)).toEqual(before);
      }
      for (let i = 0; thrown(() => reducer.push(encode(token(i, "y".repeat(60_000))))) === undefined; i++)
        expect(i).toBeLessThan(200);
      const { applied } = reducer.stats();
      expect(failure(() => reducer.snapshotBytes({ format: "msgpack" })).code).toBe("out_of_memory");
      reducer.reconnect();
      expect(reducer.stats().applied).toBe(applied);
      reducer.reset();
      expect(reducer.push(concat(begin.map(encode)))).toBe(begin.length);
      expect(reducer.snapshotBytes({ format: "msgpack" }).length).toBeGreaterThan(10);
      engine.close();
    });
  });
});

/** Bodies whose second event is small as text and large, or a cause of much reckoning, on the wire that it goes out on. */
const GROWING = [
  {
    name: "a million small numbers to protobuf",
    options: { protocol: "ag-ui", from: "ndjson", to: "protobuf" },
    events: [started(), custom("n", new Array(1_000_000).fill(1)), finished()],
    again: [started({ runId: "again" }), textStart("k"), textContent("k", "😀"), textEnd("k")],
  },
  {
    name: "a million empty containers to MessagePack",
    options: { protocol: "agentue", from: "ndjson", to: "msgpack" },
    events: [
      start(modelOf(X)),
      { op: "set", seq: 2, mask: "meta.x", meta: { x: new Array(1_000_000).fill([]) } },
      end(3),
    ],
    again: [{ ...start(modelOf(X)), seq: 4 }, append(5, "x", "😀"), end(6)],
  },
] as const;

describe.each(WASM_KINDS)("transcoders on %s without memory", (kind) => {
  it.each(GROWING)("$name: applied or not, the event that found none is not written, and reset goes on", (row) => {
    const messages = row.events.map((event) => messageOf("ndjson", JSON.stringify(event)));
    const again = row.again.map((event) => messageOf("ndjson", JSON.stringify(event)));
    const outcomes = new Set<string>();
    for (let pages = 90; !outcomes.has("written"); pages += 30) {
      expect(pages).toBeLessThan(3000);
      const engine = engineWithin(pages, kind);
      const live = engine.memory().live;
      const transcoder = engine.createTranscoder(row.options);
      let failure: StreamfoldError | undefined;
      let output: Uint8Array | undefined;
      try {
        output = transcoder.push(concat(messages));
      } catch (error) {
        if (!(error instanceof StreamfoldError)) throw error;
        failure = error;
      }
      const { applied } = transcoder.stats();
      if (failure === undefined) {
        expect(eventsIn(row.options.to, output!)).toHaveLength(messages.length);
        expect(applied).toBe(messages.length);
        outcomes.add("written");
      } else {
        expect(failure).toMatchObject({ code: "out_of_memory", applied });
        expect([1, 2]).toContain(applied);
        outcomes.add(applied === 1 ? "not applied" : "applied, not written");
        // the connection has failed until it is reset, and what was written before is not lost
        expect(thrown(() => transcoder.push(again[0]!))?.code).toBe("out_of_memory");
        expect(eventsIn(row.options.to, transcoder.finish())).toEqual([JSON.stringify(row.events[0])]);
        expect(transcoder.status).toBe("truncated");
        transcoder.reset();
        const wanted = row.again.map((event) => JSON.stringify(event));
        expect(eventsIn(row.options.to, transcoder.push(concat(again)))).toEqual(wanted);
        expect(transcoder.stats().applied).toBe(again.length);
      }
      transcoder.close();
      expect(engine.memory().live - live).toBeLessThan(64 * 1024);
      engine.close();
    }
    expect([...outcomes].sort()).toEqual(["applied, not written", "not applied", "written"]);
  });
});

/** A reducer that has taken what there was of memory, to a few hundred bytes. */
function filled(engine: Engine): Reducer {
  const reducer = engine.createReducer({ protocol: "agentue", transport: "json" });
  reducer.push(bytesOf(start(modelOf(X))));
  let seq = 2;
  for (const size of [100_000, 10_000, 1000, 100]) {
    const text = "y".repeat(size);
    while (thrown(() => reducer.push(bytesOf(append(seq, "x", text)))) === undefined) seq++;
    reducer.reconnect();
  }
  return reducer;
}

const bytesOf = (event: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(event));
