import { describe, expect, it } from "vitest";
import {
  type AGUIEvent,
  type AGUIModel,
  createProducer,
  type RunAgentInput,
  readRunInput,
} from "../../src/agui/index.js";
import { StreamfoldError } from "../../src/errors.js";
import { validLog } from "../agui/logs.js";
import { engine, KINDS } from "../support/engines.js";
import { Rng } from "../support/rng.js";
import { AguiGenerator } from "./agui-generate.js";
import { rounds } from "./clock.js";

/** A thread that has gone on for a while, as the input of its next run. */
function threadOf(rng: Rng): RunAgentInput {
  const reducer = engine("js").createReducer({ protocol: "ag-ui", transport: "json" });
  for (const event of validLog(rng, 40)) reducer.apply(event as object);
  const { messages, state } = reducer.snapshot<AGUIModel>()!;
  const kept = messages.filter(({ id }, index) => index === messages.findIndex((other) => other.id === id));
  const tools = rng.chance(0.5) ? [{ name: "f", description: "" }] : [];
  const input = { threadId: "t", runId: "r1", messages: kept, tools, ...(state === null ? {} : { state }) };
  return readRunInput(input).input;
}

/** What a producer lets pass of generated events, every engine takes without a warning, and comes to the same; gives how many these are. */
function accepted(seed: number, input: RunAgentInput | undefined): number {
  const generator = new AguiGenerator(new Rng(seed), { mutations: 0.1, odd: seed % 2 === 0 });
  const producer = createProducer({ transport: "ndjson", protocolVersion: null, input });
  const reducers = KINDS.map((kind) =>
    engine(kind).createReducer({
      protocol: "ag-ui",
      transport: "ndjson",
      onDeltaFailure: "fail",
      ...(input === undefined ? {} : { input }),
    }),
  );
  let count = 0;
  for (let i = 0; i < 60; i++) {
    const event = generator.event();
    let bytes: Uint8Array;
    try {
      bytes = producer.emit(structuredClone(event) as AGUIEvent);
    } catch (error) {
      expect(error).toBeInstanceOf(StreamfoldError);
      continue;
    }
    count++;
    // One that lets something pass that they refuse throws here.
    for (const reducer of reducers) reducer.push(bytes);
  }
  for (const reducer of reducers) {
    expect(reducer.stats().warnings, `seed ${seed}`).toBe(0);
    expect(reducer.snapshot(), `seed ${seed}`).toEqual(producer.snapshot());
    reducer.close();
  }
  return count;
}

describe("fuzz of producers", () => {
  it("lets pass what every consumer takes without a warning, and shows the snapshot that they have", () => {
    let count = 0;
    const runs = rounds(3, 60, (seed) => {
      count += accepted(seed, undefined);
    });
    expect(count / runs).toBeGreaterThan(10);
  });

  it("goes on from the messages and the state of an input as they do", () => {
    let count = 0;
    const runs = rounds(3, 60, (seed) => {
      count += accepted(seed, threadOf(new Rng(seed)));
    });
    expect(count / runs).toBeGreaterThan(5);
  });
});
