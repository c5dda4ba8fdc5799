import type { Engine } from "../../src/engine/contract.js";
import { createReplay, type Replay } from "../../src/replay/index.js";
import { type Case, measureTrial, runningEngines } from "../case.js";
import { createReducer, engineName } from "../contenders/engines.js";
import { type FoldPayload, foldPayload, rechunk, sseMessages } from "../fixtures.js";
import type { Contender } from "../measure.js";

const EVENTS = 100_000;
const SHAPE = { events: EVENTS, blocks: 50, streams: 1, odd: 0.15, shapes: 1, mixed: 0.05 };

interface Logged {
  payload: FoldPayload;
  chunks: Uint8Array[];
}

function logs(count: number): Logged[] {
  return Array.from({ length: count }, (_, number) => {
    const payload = foldPayload(SHAPE, 17_000 + number);
    return { payload, chunks: rechunk(sseMessages(payload.events), 65_536) };
  });
}

/** The model that the bytes of a resumed delivery come to. */
function modelOf(engine: Engine, bytes: Uint8Array): unknown {
  const consumer = createReducer(engine);
  consumer.push(bytes);
  const model = consumer.snapshot();
  consumer.close();
  return model;
}

function open(engine: Engine, { chunks }: Logged): Replay {
  const replay = createReplay(engine, { protocol: "agentue", transport: "sse" });
  for (const chunk of chunks) replay.append(chunk);
  return replay;
}

/** Reading a log into a replay and taking its latest state. */
function replayed(engine: Engine, payloads: Logged[]): Contender {
  return {
    name: `replay on ${engineName(engine.kind)}`,
    side: engine.kind === "js" ? "js" : "wasm",
    prepare(payload) {
      let replay: Replay | undefined;
      let bytes: Uint8Array | undefined;
      return {
        run() {
          replay = open(engine, payloads[payload]!);
          bytes = replay.resumeLatest();
          return bytes;
        },
        answer: () => modelOf(engine, bytes!),
        close: () => replay?.close(),
      };
    },
  };
}

/** The same bytes through a reducer, and its snapshot. */
function reduced(engine: Engine, payloads: Logged[]): Contender {
  return {
    name: `reducer on ${engineName(engine.kind)}`,
    side: engine.kind === "js" ? "js" : "wasm",
    prepare(payload) {
      const reducer = createReducer(engine);
      const { chunks } = payloads[payload]!;
      return {
        run() {
          for (const chunk of chunks) reducer.push(chunk);
          return reducer.snapshotBytes();
        },
        answer: () => reducer.snapshot(),
        close: () => reducer.close(),
      };
    },
  };
}

/** How many times as long the replay of an engine takes as its reducer. */
function withOverhead(engines: Engine[], outcome: ReturnType<typeof measureTrial>): ReturnType<typeof measureTrial> {
  const ratios = engines.map(({ kind }) => {
    const of = (what: string) =>
      outcome.contenders.find(({ name }) => name === `${what} on ${engineName(kind)}`)!.median;
    return { kind, value: of("replay") / of("reducer") };
  });
  const text = ratios.map(({ kind, value }) => `${value.toFixed(2)} times the reducer on ${kind}`).join(", ");
  return { ...outcome, figure: { value: ratios[0]!.value, text } };
}

const toTheEnd: Case = {
  id: "replay/end",
  group: "Replay of a log",
  title: "100,000 events to the end, and the latest state",
  unit: "ms",
  target: { kind: "figure-at-most", value: 1.1 },
  run(context) {
    const payloads = logs(4);
    const engines = runningEngines(context);
    const contenders = engines.flatMap((engine) => [replayed(engine, payloads), reduced(engine, payloads)]);
    const expected = (payload: number) => payloads[payload]!.payload.expected.get("");
    const trial = { contenders, payloads: payloads.length, verified: 2, expected, ops: 1 };
    return withOverhead(engines, measureTrial(trial, "ms", context.mode, { rounds: [6, 40], iterations: 2 }));
  },
};

function placeCase(id: string, title: string, seq: number): Case {
  return {
    id: `replay/snapshot/${id}`,
    group: "Replay of a log",
    title,
    unit: "ms",
    run(context) {
      const payloads = logs(2);
      const replays = new Map<Engine, Replay[]>();
      const contenders = runningEngines(context).map((engine): Contender => {
        const open_ = payloads.map((logged) => open(engine, logged));
        replays.set(engine, open_);
        return {
          name: engineName(engine.kind),
          side: engine.kind === "js" ? "js" : "wasm",
          prepare(payload) {
            let model: unknown;
            return {
              run() {
                model = open_[payload]!.snapshotBytesAt(seq);
                return model;
              },
              answer: () => JSON.parse(new TextDecoder().decode(model as Uint8Array)),
              close() {},
            };
          },
        };
      });
      const expected = (payload: number): unknown => {
        const [engine] = runningEngines(context);
        const reducer = createReducer(engine!);
        for (const message of sseMessages(payloads[payload]!.payload.events.filter((event) => event.seq <= seq))) {
          reducer.push(message);
        }
        const model = reducer.snapshot();
        reducer.close();
        return model;
      };
      try {
        const trial = { contenders, payloads: payloads.length, verified: 1, expected, ops: 1 };
        return measureTrial(trial, "ms", context.mode, { rounds: [4, 40], iterations: 2 });
      } finally {
        for (const list of replays.values()) for (const replay of list) replay.close();
      }
    },
  };
}

/** Reading and looking back. */
export const replayCases: Case[] = [
  toTheEnd,
  placeCase("near", "the model 100 events before the end", EVENTS - 100),
  placeCase("far", "the model after 30,000 of 100,000 events", 30_000),
];
