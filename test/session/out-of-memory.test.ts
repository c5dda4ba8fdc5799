import { describe, expect, it } from "vitest";
import type { Engine, Reducer } from "../../src/engine/contract.js";
import type { StreamfoldError } from "../../src/errors.js";
import { failing } from "../reducer/expect-error.js";
import { engineWithin, WASM_KINDS } from "../support/engines.js";

/** 4 MiB of linear memory: room for the engine and a model or two. */
const PAGES = 64;
const TEXT = "x".repeat(4096);

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const sse = (...events: object[]): Uint8Array => bytes(events.map((e) => `data: ${JSON.stringify(e)}\n\n`).join(""));
const modelOf = (...blocks: object[]): object => ({ version: "1.1", biz: "chat", meta: {}, blocks });
const start = (streamId = ""): object => ({
  op: "start",
  seq: 0,
  stream_id: streamId,
  model: modelOf({ id: "a", type: "text", content: "" }),
});
const append = (seq: number, streamId = ""): object => ({
  op: "append",
  seq,
  stream_id: streamId,
  mask: "block.content",
  block: { id: "a", content: TEXT },
});

/** Everything a failed call must leave as it was. */
const state = (reducer: Reducer): unknown => ({
  snapshot: new TextDecoder().decode(reducer.snapshotBytes()),
  seq: reducer.seq(),
  status: reducer.status(),
  version: reducer.stats({ streamId: "" }).version,
});

describe.each(WASM_KINDS)("%s without memory", (kind) => {
  const open = (): Engine => engineWithin(PAGES, kind);

  /** Fills memory event by event; returns the seq of the last event that was applied. */
  function fill(reducer: Reducer): number {
    for (let seq = 1; seq < 2000; seq++) {
      try {
        reducer.push(sse(append(seq)));
      } catch (error) {
        expect((error as StreamfoldError).code).toBe("out_of_memory");
        return seq - 1;
      }
    }
    throw new Error("memory did not end");
  }

  it("push: what was applied stays, the event that found none leaves no trace, reconnect goes on", () => {
    const engine = open();
    const reducer = engine.createReducer({ protocol: "agentue", transport: "sse" });
    reducer.push(sse(start("")));
    const last = fill(reducer);
    expect(reducer.seq()).toBe(last);
    expect(reducer.stats({ streamId: "" }).version).toBe(last + 1);
    expect(reducer.status()).toBe("open");
    failing(() => reducer.push(sse({ op: "ping", seq: last })), "out_of_memory");
    reducer.release();
    failing(() => reducer.push(sse(start(""))), "out_of_memory");
    reducer.reconnect();
    reducer.push(sse(start(""), append(1)));
    expect(reducer.snapshot()).toEqual(modelOf({ id: "a", type: "text", content: TEXT }));
    engine.close();
  });

  it("push: the error says how many events of the chunk were applied", () => {
    const engine = open();
    const reducer = engine.createReducer({ protocol: "agentue", transport: "sse" });
    const events = [start(""), ...Array.from({ length: 2000 }, (_, i) => append(i + 1))];
    const error = failing(() => reducer.push(sse(...events)), "out_of_memory");
    expect(error.applied).toBeGreaterThan(100);
    expect(reducer.stats().applied).toBe(error.applied);
    expect(reducer.seq()).toBe((error.applied as number) - 1);
    engine.close();
  });

  it("load, materialize, restore and snapshot: thrown, nothing changed, the engine goes on", () => {
    const engine = open();
    const reducer = engine.createReducer({ protocol: "agentue", transport: "sse" });
    reducer.load(bytes(JSON.stringify(modelOf({ id: "a", type: "text", content: "kept" }, { id: "r", ref: "key" }))), {
      seq: 7,
    });
    const before = state(reducer);
    const large = "y".repeat(3_000_000);
    failing(() => reducer.load(JSON.stringify(modelOf({ id: "b", type: "text", content: large }))), "out_of_memory");
    expect(state(reducer)).toEqual(before);
    failing(() => reducer.materialize(JSON.stringify({ id: "r", type: "text", content: large })), "out_of_memory");
    expect(state(reducer)).toEqual(before);
    const other = engineWithin(0, kind);
    const source = other.createReducer({ protocol: "agentue", transport: "sse" });
    source.load(JSON.stringify(modelOf({ id: "b", type: "text", content: large })));
    const checkpoint = source.checkpoint();
    failing(() => reducer.restore(checkpoint), "out_of_memory");
    expect(state(reducer)).toEqual(before);
    expect(reducer.push(sse({ op: "ping", seq: 7 }))).toBe(1);
    other.close();
    engine.close();
  });

  it("resume: the stream stays paused with what is left, and goes on when there is memory again", () => {
    const engine = open();
    const reducer = engine.createReducer({ protocol: "agentue", transport: "sse" });
    reducer.push(sse(start("")));
    const ballast = engine.createReducer({ protocol: "agentue", transport: "sse" });
    ballast.push(sse(start("")));
    reducer.pause();
    reducer.push(sse(...Array.from({ length: 100 }, (_, i) => append(i + 1))));
    expect(reducer.stats().queued).toBe(100);
    fill(ballast);
    failing(() => reducer.resume(), "out_of_memory");
    const { queued, applied } = reducer.stats();
    expect(queued).toBeGreaterThan(0);
    expect(queued + applied - 1).toBe(100);
    ballast.close();
    expect(reducer.resume()).toBe(queued);
    expect(reducer.seq()).toBe(100);
    expect(reducer.snapshot()).toEqual(modelOf({ id: "a", type: "text", content: TEXT.repeat(100) }));
    engine.close();
  });

  it("a transcoder between text wires needs room for the text alone: the message held, and once more on its way out", () => {
    const event = { type: "CUSTOM", name: "n", value: "x".repeat(4_000_000) };
    for (const enforce of [true, false]) {
      // 12.5 MiB; with room for another form, as a binary wire has it, it took 20
      const engine = engineWithin(200, kind);
      const transcoder = engine.createTranscoder({ protocol: "ag-ui", from: "sse", to: "ndjson", enforce });
      transcoder.push(sse({ type: "RUN_STARTED", threadId: "t", runId: "r" }));
      expect(transcoder.push(sse(event)).length).toBe(JSON.stringify(event).length + 1);
      engine.close();
    }
  });

  it("everything given back afterwards", () => {
    const engine = open();
    const before = engine.memory().live;
    const reducer = engine.createReducer({ protocol: "agentue", transport: "sse" });
    reducer.push(sse(start("")));
    fill(reducer);
    reducer.close();
    expect(engine.memory().live).toBe(before);
    engine.close();
  });
});
