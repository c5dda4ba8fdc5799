import { describe, expect, it } from "vitest";
import type { Engine, Reducer, ReducerOptions } from "../../src/engine/contract.js";
import type { StreamfoldError } from "../../src/errors.js";
import { failing } from "../reducer/expect-error.js";
import { engineWithin, WASM_KINDS } from "../support/engines.js";
import { everything, lines, sse, started, text, textStart } from "./agui-lives.js";

/** 4 MiB of linear memory: room for the engine and a model or two. */
const PAGES = 64;

/** Everything a failed call must leave as it was. */
const state = (reducer: Reducer): unknown => ({
  snapshot: new TextDecoder().decode(reducer.snapshotBytes()),
  status: reducer.status(),
  version: reducer.stats({ streamId: "" }).version,
});

describe.each(WASM_KINDS)("AG-UI on %s without memory", (kind) => {
  const open = (pages = PAGES): Engine => engineWithin(pages, kind);
  const make = (engine: Engine, options: Partial<ReducerOptions> = {}): Reducer =>
    engine.createReducer({ protocol: "ag-ui", transport: "sse", ...options });

  /** What grows a model until memory ends, by event number. */
  const GROWTH: Record<string, (i: number) => object> = {
    text: () => text("m", "x".repeat(4096)),
    messages: (i) => textStart(`m${i}`, { metadata: { x: "y".repeat(2000) } }),
    calls: (i) => ({ type: "TOOL_CALL_START", toolCallId: `c${i}`, toolCallName: "n".repeat(2000) }),
    owners: (i) => ({ type: "STEP_STARTED", stepName: `step ${i} ${"x".repeat(1000)}`, subagentRunId: `s${i}` }),
    chunks: (i) => ({
      type: "TEXT_MESSAGE_CHUNK",
      messageId: `k${i}`,
      delta: "x".repeat(3000),
      subagentRunId: `s${i}`,
    }),
    state: (i) => ({ type: "STATE_DELTA", delta: [{ op: "add", path: `/k${i}`, value: "x".repeat(3000) }] }),
    copies: (i) => ({
      type: "STATE_DELTA",
      delta: [
        { op: "add", path: "/base", value: "x".repeat(3000) },
        { op: "copy", from: "/base", path: `/k${i}` },
      ],
    }),
    snapshots: (i) => ({
      type: "MESSAGES_SNAPSHOT",
      messages: Array.from({ length: 10 * i }, (_, n) => ({ id: `m${n}`, role: "user", content: "x".repeat(100) })),
    }),
    activities: (i) => ({
      type: "ACTIVITY_SNAPSHOT",
      messageId: `a${i}`,
      activityType: "t",
      content: { x: "y".repeat(3000) },
    }),
  };

  it.each(Object.keys(GROWTH))("%s: the event that finds none leaves no trace, reconnect goes on", (name) => {
    const engine = open();
    const before = engine.memory().live;
    // what is given back before the model is read
    const ballast = make(engine);
    ballast.push(sse(started(), textStart("b")));
    for (let i = 0; i < 560; i++) ballast.push(sse(text("b", "z".repeat(4096))));
    const events = (function* (): Generator<object> {
      yield started();
      yield textStart("m");
      for (let i = 0; i < 5000; i++) yield GROWTH[name]!(i);
    })();
    const reducer = make(engine);
    const whole = open(0);
    const reference = make(whole);
    let applied = 0;
    failing(() => {
      for (const event of events) {
        applied += reducer.push(sse(event));
        reference.push(sse(event));
      }
    }, "out_of_memory");
    expect(applied).toBeGreaterThan(20);
    reducer.reconnect();
    ballast.close();
    expect(reducer.stats({ streamId: "" })).toMatchObject({ version: applied + 1, applied });
    reference.reconnect();
    expect(new TextDecoder().decode(reducer.snapshotBytes())).toBe(new TextDecoder().decode(reference.snapshotBytes()));
    whole.close();
    reducer.reset();
    reducer.push(sse(...everything(1)));
    expect(reducer.status()).toBe("finished");
    reducer.close();
    expect(engine.memory().live).toBe(before);
    engine.close();
  });

  it("load, restore and middleware: thrown, nothing changed, the engine goes on", () => {
    const engine = open();
    const large = "y".repeat(3_000_000);
    const reducer = make(engine, { middleware: { CUSTOM: () => text("m", large) } });
    reducer.push(sse(started(), textStart("m"), text("m", "kept")));
    const other = make(engine);
    other.load(JSON.stringify({ messages: [], state: { kept: 1 } }));
    const before = [state(reducer), state(other)];
    failing(() => other.load(JSON.stringify({ messages: [], state: { large } })), "out_of_memory");
    failing(() => reducer.push(sse({ type: "CUSTOM", name: "n", value: 1 })), "out_of_memory");
    const roomy = open(0);
    const source = make(roomy);
    source.load(JSON.stringify({ messages: [], state: { large } }));
    const checkpoint = source.checkpoint();
    failing(() => other.restore(checkpoint), "out_of_memory");
    expect([state(reducer), state(other)]).toEqual(before);
    roomy.close();
    reducer.reconnect();
    expect(reducer.push(sse(text("m", "!")))).toBe(1);
    engine.close();
  });

  it("resume: the stream stays paused with what is left, and goes on when there is memory again", () => {
    const engine = open();
    const reducer = make(engine);
    const ballast = make(engine);
    reducer.push(sse(started(), textStart("m")));
    ballast.push(sse(started(), textStart("m")));
    reducer.pause();
    reducer.push(sse(...Array.from({ length: 100 }, () => text("m", "x".repeat(4096)))));
    for (let i = 0; i < 5000; i++) {
      try {
        ballast.push(sse(text("m", "y".repeat(4096))));
      } catch (error) {
        expect((error as StreamfoldError).code).toBe("out_of_memory");
        break;
      }
    }
    failing(() => reducer.resume(), "out_of_memory");
    const { queued, applied } = reducer.stats();
    expect(queued).toBeGreaterThan(0);
    expect(queued + applied - 2).toBe(100);
    ballast.close();
    expect(reducer.resume()).toBe(queued);
    expect(reducer.snapshot()).toMatchObject({ messages: [{ id: "m", content: "x".repeat(409_600) }] });
    engine.close();
  });

  it("a baseline that finds none: thrown, and nothing is left open", () => {
    const engine = open();
    const input = { messages: [], state: { large: "z".repeat(3_000_000) } };
    const before = engine.memory().live;
    const reducer = make(engine, { input });
    failing(() => reducer.push(sseText(lines(started()))), "out_of_memory");
    expect(engine.memory().live).toBe(before);
    engine.close();
  });
});

function sseText(messages: string[]): Uint8Array {
  return new TextEncoder().encode(messages.map((json) => `data: ${json}\n\n`).join(""));
}
