import type { EngineKind } from "../../src/engine/contract.js";
import { loadEngineSync } from "../../src/entry/node.js";
import { type Case, runningEngines } from "../case.js";
import { runChild } from "../child.js";
import { engineName } from "../contenders/engines.js";
import { type ContenderResult, ratioOf } from "../results.js";
import { sameJson } from "../same-json.js";
import { quantile } from "../statistics.js";
import { type AguiEvent, type AguiModel, Patches, setByHand, sseBytes, stateOf, textRun } from "./fixtures.js";

export interface PipelineInput {
  /** An engine of ours, or the official client. */
  mode: EngineKind | "@ag-ui/client";
  traffic: "text" | "delta";
  events: number;
  rounds: number;
}

/** Milliseconds of each round. */
export type PipelineOutput = number[];

const STATE_BYTES = 100_000;

/** A whole run: its events, what the state was before, and what it comes to. */
function script({ traffic, events }: PipelineInput): { events: AguiEvent[]; state: unknown; expected: AguiModel } {
  if (traffic === "text") return { ...textRun(events, 1, 0.15, 16_000), state: {} };
  const state = stateOf(STATE_BYTES, 16_001);
  const expected = structuredClone(state);
  const patches = new Patches(state, 16_002, false);
  const run = { threadId: "thread_1", runId: "run_1" };
  const list: AguiEvent[] = [{ type: "RUN_STARTED", ...run }];
  while (list.length < events - 1) {
    const operation = patches.next();
    setByHand(expected, operation);
    list.push({ type: "STATE_DELTA", delta: [operation] });
  }
  list.push({ type: "RUN_FINISHED", ...run });
  return { events: list, state, expected: { messages: [], state: expected } };
}

/** Whether the official client is installed here. */
export function hasOfficialClient(): Promise<boolean> {
  return import("@ag-ui/client").then(
    () => true,
    () => false,
  );
}

/** The official client takes events as objects: it is spared the wire. */
async function officialClient(input: PipelineInput): Promise<{ run(): Promise<AguiModel> }> {
  const { AbstractAgent } = await import("@ag-ui/client");
  const { from } = await import("rxjs");
  const { events, state } = script(input);
  class Replay extends AbstractAgent {
    run() {
      return from(events) as unknown as ReturnType<InstanceType<typeof AbstractAgent>["run"]>;
    }
  }
  return {
    async run() {
      const agent = new Replay({ threadId: "thread_1", initialState: structuredClone(state) as object });
      await agent.runAgent({ runId: "run_1" });
      return { messages: agent.messages as unknown as AguiModel["messages"], state: agent.state };
    },
  };
}

/** One of our engines, from wire bytes, each event as a chunk of its own, with every check on. */
function ours(input: PipelineInput): { run(): AguiModel } {
  const engine = loadEngineSync({ kind: input.mode as EngineKind });
  const { events, state } = script(input);
  const chunks = sseBytes(events);
  return {
    run() {
      const reducer = engine.createReducer({ protocol: "ag-ui", transport: "sse", input: { state } });
      for (let index = 0; index < chunks.length; index++) reducer.push(chunks[index]!);
      reducer.finish();
      const { messages, state: after } = reducer.snapshot<AguiModel>()!;
      reducer.close();
      return { messages, state: after };
    },
  };
}

/** In a fresh process: one contender through whole runs; the answer of each is compared. */
export async function runPipeline(input: PipelineInput): Promise<PipelineOutput> {
  process.env.NODE_ENV = "production";
  const contender = input.mode === "@ag-ui/client" ? await officialClient(input) : ours(input);
  const { expected } = script(input);
  const times: number[] = [];
  for (let round = -1; round < input.rounds; round++) {
    const start = performance.now();
    const answer = await contender.run();
    const time = performance.now() - start;
    if (!sameJson(answer, expected)) throw new Error(`${input.mode} gives a wrong answer`);
    if (round >= 0) times.push(time);
  }
  return times;
}

function result(name: string, side: "wasm" | "js", times: number[], events: number): ContenderResult {
  const each = times.map((time) => (time * 1e6) / events).sort((a, b) => a - b);
  const at = (q: number) => quantile(each, q);
  return {
    name,
    side,
    median: at(0.5),
    p25: at(0.25),
    p75: at(0.75),
    min: each[0]!,
    max: each.at(-1)!,
    samples: each.length,
  };
}

function pipelineCase(traffic: PipelineInput["traffic"], title: string, events: number, target: number): Case {
  return {
    id: `ag-ui/pipeline/${traffic}-${events}`,
    group: "AG-UI, whole pipeline of the official client",
    title,
    unit: "ns/event",
    target: { kind: "ratio-at-least", value: target },
    run(context) {
      const quick = context.mode === "quick";
      const run = (mode: PipelineInput["mode"], rounds: number) =>
        runChild<PipelineOutput>("agui-pipeline", { mode, traffic, events, rounds } satisfies PipelineInput);
      const contenders = runningEngines(context).map(({ kind }) =>
        result(engineName(kind), kind === "js" ? "js" : "wasm", run(kind, quick ? 30 : 100), events),
      );
      // no part of the package: a checkout has it
      if (!context.officialClient) return { contenders };
      contenders.push(result("@ag-ui/client runAgent", "js", run("@ag-ui/client", quick ? 1 : 3), events));
      // against the official client, which is what the row is about; our own js engine stands beside it
      const ratio = ratioOf(contenders.filter(({ name }) => name !== engineName("js")));
      return ratio === undefined ? { contenders } : { contenders, ratio };
    },
  };
}

/** What a program gains that goes from the official client's event pipeline to this one. */
export const pipelineCases: Case[] = [
  pipelineCase("text", "a run of 2,000 text events", 2_000, 50),
  // What a run begins and ends with, the state as a JavaScript value, is most of a short one.
  pipelineCase("delta", "a run of 400 deltas on a 100 KB state", 400, 1_000),
  pipelineCase("delta", "a run of 2,000 deltas on a 100 KB state", 2_000, 1_000),
];
