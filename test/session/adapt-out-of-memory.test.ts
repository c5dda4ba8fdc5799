import { describe, expect, it } from "vitest";
import type { Engine, Reducer, Transcoder, TranscoderOptions } from "../../src/engine/contract.js";
import { failing } from "../reducer/expect-error.js";
import * as ag from "../support/agui-events.js";
import { concat } from "../support/bytes.js";
import { engineWithin, freshEngine, engine as sharedEngine, WASM_KINDS } from "../support/engines.js";
import { type ErrorRecord, thrown } from "../support/fold.js";
import { eventsIn, messageOf } from "../support/transcoding.js";

/** 4 MiB of linear memory: room for the engine and a model or two. */
const PAGES = 64;
const TO = ["sse", "msgpack"] as const;

const make = (engine: Engine, to: TranscoderOptions["to"] = "sse"): Transcoder =>
  engine.createTranscoder({ protocol: "ag-ui", from: "sse", to, toProtocol: "agentue", adapt: { streamId: "s" } });

const sse = (...events: object[]): Uint8Array => concat(events.map((event) => messageOf("sse", JSON.stringify(event))));

/** What grows a model, or what goes out, until memory ends, by event number. */
const GROWTH: Record<string, (i: number) => ag.AguiEvent[]> = {
  tokens: () => [ag.textContent("m", "x".repeat(4096))],
  messages: (i) => ag.text(`m${i}`, [], { metadata: { x: "y".repeat(2000) } }),
  calls: (i) => [ag.toolStart(`c${i}`, "n".repeat(2000))],
  steps: (i) => [ag.stepStarted(`step ${i} ${"x".repeat(1000)}`)],
  "steps that end": (i) => [ag.stepStarted(`${i} ${"x".repeat(5000)}`), ag.stepFinished(`${i} ${"x".repeat(5000)}`)],
  subagents: (i) => [ag.subagentStarted(`s${i}`, { description: "x".repeat(9000) }), ag.subagentFinished(`s${i}`)],
  "state deltas": (i) => [ag.stateDelta([{ op: "add", path: `/k${i}`, value: "x".repeat(3000) }])],
  "lists that are set whole": () => [ag.stateDelta([{ op: "add", path: "/list/-", value: "x".repeat(20_000) }])],
  snapshots: (i) => [
    ag.messagesSnapshot(
      Array.from({ length: 40 * i }, (_, n) => ({ id: `m${n}`, role: "user", content: "x".repeat(100) })),
    ),
  ],
  runs: (i) => [ag.finished(), ag.started({ runId: `r${i}` }), ...ag.text(`m${i}`, ["x".repeat(20_000)])],
};

/** A consumer that forgives nothing but the delivery's own error. */
function consume(output: Uint8Array, to: TranscoderOptions["to"]): { faults: string[]; status: string } {
  const faults: string[] = [];
  const reducer = sharedEngine("js").createReducer({
    protocol: "agentue",
    transport: to,
    sequence: "strict",
    onError: (error) => faults.push(`${error.code} ${error.path}`),
    onGap: (gap) => faults.push(`gap ${gap.seq}`),
  });
  reducer.push(output);
  const status = reducer.status({ streamId: "s" });
  reducer.close();
  return { faults, status };
}

describe.each(WASM_KINDS)("AG-UI as AgentUE on %s without memory", (kind) => {
  const cases = Object.keys(GROWTH).flatMap((name) => TO.map((to) => [name, to] as const));

  it.each(cases)("%s to %s: the connection fails, what was written is sound, reset goes on", (name, to) => {
    const engine = engineWithin(PAGES, kind);
    const before = engine.memory().live;
    const transcoder = make(engine, to);
    const parts = [transcoder.push(sse(ag.started(), ag.stateSnapshot({ list: [] })))];
    if (name === "tokens") parts.push(transcoder.push(sse(ag.textStart("m"))));
    let error: ErrorRecord | undefined;
    for (let i = 0; i < 5000 && error === undefined; i++) {
      for (const event of GROWTH[name]!(i)) {
        error = thrown(() => parts.push(transcoder.push(sse(event))));
        if (error !== undefined) break;
      }
    }
    expect(error).toMatchObject({ code: "out_of_memory" });
    expect(parts.length).toBeGreaterThan(20);
    failing(() => transcoder.push(sse(ag.custom("x"))), "out_of_memory");
    const ending = thrown(() => parts.push(transcoder.finish()));
    expect([undefined, "out_of_memory"]).toContain(ending?.code);
    if (ending !== undefined) parts.push(transcoder.finish());
    const { faults, status } = consume(concat(parts), to);
    expect(faults).toEqual([]);
    expect(ending === undefined ? ["ended"] : ["open", "errored", "ended"]).toContain(status);
    transcoder.reset();
    const again = concat([
      transcoder.push(sse(ag.started(), ...ag.text("k", ["fine"]), ag.finished())),
      transcoder.finish(),
    ]);
    expect(JSON.parse(eventsIn(to, again)[0]!)).toMatchObject({
      op: "start",
      seq: 1,
      model: { blocks: [{ id: "state", state: {} }] },
    });
    expect(consume(again, to)).toEqual({ faults: [], status: "ended" });
    transcoder.close();
    expect(engine.memory().live).toBe(before);
    engine.close();
  });

  it.each(TO)("to %s, whatever is left of memory: an event is written whole or not at all", (to) => {
    const more = { metadata: { k: "x".repeat(300) } };
    const events = [
      ag.started(),
      ag.stateSnapshot({ list: ["x".repeat(500)], o: { p: {} } }),
      ag.subagentStarted("g", { description: "d".repeat(400) }),
      ...ag.text("m", ["one", "two"], more),
      ...ag.tool("c", ["{", "}"], more),
      ag.stepStarted("s".repeat(300)),
      ag.toolResult("r", "c", "y".repeat(700)),
      ag.activity("a", { x: { y: 1 } }),
      ag.activityDelta("a", [{ op: "add", path: "/x/z", value: "z".repeat(400) }]),
      ag.stateDelta([
        { op: "add", path: "/list/-", value: "w".repeat(600) },
        { op: "add", path: "/o/p/q", value: [] },
      ]),
      ag.stepFinished("s".repeat(300)),
      ag.messagesSnapshot([{ id: "u", role: "user", content: "v".repeat(900) }]),
      ag.subagentFinished("g", { result: "r".repeat(500) }),
      ag.finished({ usage: [{ inputTokens: 1 }] }),
    ];
    const roomy = make(sharedEngine(kind), to);
    const wanted = events.map((event) => eventsIn(to, roomy.push(sse(event))));
    roomy.close();
    let failures = 0;
    for (let left = 0; left < 24_000; left += 1200) {
      const engine = engineWithin(PAGES, kind);
      const spare = engine.createReducer({ protocol: "ag-ui", transport: "json" });
      spare.load(JSON.stringify({ messages: [], state: "y".repeat(left + 20_000) }));
      const transcoder = make(engine, to);
      const ballast = filled(engine);
      spare.close();
      const written: string[] = [];
      let failed = false;
      for (const event of events) {
        const error = thrown(() => written.push(...eventsIn(to, transcoder.push(sse(event)))));
        if (error === undefined) continue;
        failures++;
        failed = true;
        expect(error.code).toBe("out_of_memory");
        break;
      }
      ballast.close();
      const all = wanted.flat();
      if (failed) {
        const rest = eventsIn(to, transcoder.finish());
        // written before the event failed, they come late: then what tells of the failure
        const told = [...written, ...rest];
        const { op } = JSON.parse(told.at(-1)!);
        expect(op).toBe("end");
        const common = told.findIndex((json, i) => json !== all[i]);
        expect(common).toBeGreaterThanOrEqual(written.length);
        expect(told.length - common).toBeLessThanOrEqual(3);
        transcoder.reset();
        expect(events.flatMap((event) => eventsIn(to, transcoder.push(sse(event))))).toEqual(all);
      } else expect(written).toEqual(all);
      transcoder.close();
      engine.close();
    }
    expect(failures).toBeGreaterThan(3);
  });
});

/** Reducers that have taken what there was of memory, to a few hundred bytes. */
function filled(engine: Engine): { close(): void } {
  const reducers: Reducer[] = [];
  for (const size of [200_000, 20_000, 2000, 200]) {
    const text = JSON.stringify({ messages: [], state: "y".repeat(size) });
    const more = (): void => {
      const one = engine.createReducer({ protocol: "ag-ui", transport: "json" });
      reducers.push(one);
      one.load(text);
    };
    while (thrown(more) === undefined);
  }
  return {
    close(): void {
      for (const one of reducers) one.close();
    },
  };
}

describe.each(WASM_KINDS)("AG-UI as AgentUE on %s", (kind) => {
  it("gives back what it held, at reset and at close, and holds no more with every run", () => {
    const engine = freshEngine(kind);
    const idle = engine.memory().live;
    const transcoder = make(engine, "msgpack");
    const made = engine.memory().live;
    const run = (n: number): Uint8Array =>
      sse(
        ag.started({ runId: `r${n}` }),
        ...Array.from({ length: 40 }, (_, i) => [
          ag.stepStarted(`s${i}`),
          ag.subagentStarted(`g${i}`, { description: "d".repeat(200) }),
          ag.subagentError(`g${i}`, "e".repeat(200)),
        ]).flat(),
        ...Array.from({ length: 40 }, (_, i) => ag.stepFinished(`s${i}`)),
        ag.messagesSnapshot([{ id: "u", role: "user", content: "?" }]),
        ...ag.text("m", ["\ud83d", "x"]),
        ag.messagesSnapshot([]),
        ag.finished(),
      );
    transcoder.push(run(0));
    transcoder.push(run(1));
    const live = engine.memory().live;
    expect(live - idle).toBeGreaterThan(40 * 400);
    for (let n = 2; n < 200; n++) transcoder.push(run(n));
    expect(Math.abs(engine.memory().live - live)).toBeLessThan(4096);
    transcoder.finish();
    transcoder.reset();
    expect(engine.memory().live).toBe(made);
    transcoder.close();
    expect(engine.memory().live).toBe(idle);
    engine.close();
  });

  it("what it keeps is charged to the stream", () => {
    const engine = freshEngine(kind);
    const transcoder = make(engine);
    transcoder.push(sse(ag.started()));
    const before = transcoder.stats().memory;
    transcoder.push(sse(ag.subagentStarted("g", { description: "d".repeat(10_000) })));
    expect(transcoder.stats().memory - before).toBeGreaterThan(10_000);
    engine.close();
  });

  it("a connection that finds no memory to be opened leaves nothing behind", () => {
    const engine = engineWithin(PAGES, kind);
    const before = engine.memory().live;
    const codes = new Set<string | undefined>();
    for (let size = 1_000_000; size < 3_500_000; size += 100_000) {
      const options = { protocol: "ag-ui", from: "sse", to: "sse", toProtocol: "agentue" } as const;
      const adapt = { streamId: "s".repeat(size) };
      codes.add(thrown(() => engine.createTranscoder({ ...options, adapt }).close())?.code);
      expect(engine.memory().live).toBe(before);
    }
    expect([...codes]).toEqual([undefined, "out_of_memory"]);
    engine.close();
  });
});
