import type { Engine, Reducer } from "../../src/engine/contract.js";
import { deltaBytes, Patches, setByHand, sseBytes, stateOf, textRun } from "../agui/fixtures.js";
import { type Case, measureTrial, runningEngines, withRatios } from "../case.js";
import { createReducer, engineName } from "../contenders/engines.js";
import { documentPayload, type FoldPayload, rechunk, sseMessages, storedModel } from "../fixtures.js";
import type { Contender } from "../measure.js";

const CLONE = "structuredClone";
const encoder = new TextEncoder();

/** A model that is to be forked. */
interface Subject {
  /** What it is as a value. */
  model: unknown;
  /** Makes a reducer that holds it. */
  open(engine: Engine): Reducer;
  /** The model as a reducer shows it. */
  read(reducer: Reducer): unknown;
  /** One event that changes the model, and its change by hand. */
  touch: { event: Uint8Array; byHand(model: unknown): void };
}

/** @param touched the fork takes one event, for which it has to make its own what that changes */
function engineFork(engine: Engine, subjects: Subject[], touched: boolean): Contender {
  const open: Reducer[] = [];
  return {
    name: engineName(engine.kind),
    side: engine.kind === "js" ? "js" : "wasm",
    prepare(payload) {
      const subject = subjects[payload]!;
      open[payload] ??= subject.open(engine);
      const reducer = open[payload];
      const { event } = subject.touch;
      let fork: Reducer | undefined;
      return {
        run() {
          fork = reducer.fork();
          if (touched) fork.push(event);
          return fork;
        },
        answer: () => subject.read(fork!),
        close: () => fork?.close(),
      };
    },
  };
}

function cloneByHand(subjects: Subject[], touched: boolean): Contender {
  return {
    name: `${CLONE} of the model`,
    side: "js",
    prepare(payload) {
      const { model, touch } = subjects[payload]!;
      let copy: unknown;
      return {
        run() {
          copy = structuredClone(model);
          if (touched) touch.byHand(copy);
          return copy;
        },
        answer: () => copy,
        close() {},
      };
    },
  };
}

function forkCase(id: string, title: string, make: (seed: number) => Subject, touched: boolean, target?: number): Case {
  return {
    id: `fork/${id}`,
    group: "Fork of a stream",
    title,
    unit: "us",
    ...(target === undefined ? {} : { target: { kind: "ratio-to-each" as const, over: { [CLONE]: target } } }),
    run(context) {
      const payloads = 4;
      const subjects = Array.from({ length: payloads }, (_, number) => make(16_000 + number));
      const contenders = [
        ...runningEngines(context).map((engine) => engineFork(engine, subjects, touched)),
        cloneByHand(subjects, touched),
      ];
      const expected = (payload: number): unknown => {
        const model = structuredClone(subjects[payload]!.model);
        if (touched) subjects[payload]!.touch.byHand(model);
        return model;
      };
      const trial = { contenders, payloads, verified: 2, expected, ops: 1 };
      return withRatios(measureTrial(trial, "us", context.mode), [CLONE]);
    },
  };
}

function appendTo(id: string, seq: number): Subject["touch"] {
  const event = { op: "append", seq, mask: "block.content", block: { id, content: " token" } };
  return {
    event: encoder.encode(`data: ${JSON.stringify(event)}\n\n`),
    byHand(model) {
      const block = (model as { blocks: { id: string; content: string }[] }).blocks.find((each) => each.id === id);
      block!.content += " token";
    },
  };
}

function stored(seed: number): Subject {
  const { model, json } = storedModel(2_000_000, seed);
  return {
    model,
    open(engine) {
      const reducer = createReducer(engine);
      reducer.load(json, { seq: 1 });
      return reducer;
    },
    read: (reducer) => reducer.snapshot(),
    touch: appendTo("answer-0", 2),
  };
}

function grown(seed: number): Subject {
  const payload: FoldPayload = documentPayload(2_000_000, 0.15, seed);
  const chunks = rechunk(sseMessages(payload.events), 65_536);
  return {
    model: payload.expected.get(""),
    open(engine) {
      const reducer = createReducer(engine);
      for (const chunk of chunks) reducer.push(chunk);
      return reducer;
    },
    read: (reducer) => reducer.snapshot(),
    touch: appendTo("answer-0", payload.events.length + 1),
  };
}

/** A state of 2 MB that 200 deltas at random places have gone through. */
function patchedState(seed: number): Subject {
  const state = stateOf(2_000_000, seed);
  const initial = encoder.encode(JSON.stringify({ type: "STATE_SNAPSHOT", snapshot: state }));
  const patches = new Patches(state, seed + 1, false);
  const operations = Array.from({ length: 200 }, () => patches.next());
  const deltas = operations.map(deltaBytes);
  for (const operation of operations) setByHand(state, operation);
  const last = patches.next();
  return {
    model: state,
    open(engine) {
      const reducer = engine.createReducer({ protocol: "ag-ui", transport: "json" });
      reducer.push(encoder.encode('{"type":"RUN_STARTED","threadId":"t","runId":"r"}'));
      reducer.push(initial);
      for (const delta of deltas) reducer.push(delta);
      return reducer;
    },
    read: (reducer) => reducer.snapshot<{ state: unknown }>()?.state,
    touch: { event: deltaBytes(last), byHand: (model) => setByHand(model, last) },
  };
}

/** A run with messages of 2 MB together, as threads have that went on for long. */
function thread(seed: number): Subject {
  const { events, expected } = textRun(350_000, 1000, 0.15, seed);
  const chunks = rechunk(sseBytes(events), 65_536);
  const { messages } = expected;
  const id = messages[500]!.id as string;
  const event = { type: "RUN_STARTED", threadId: "t", runId: "branch" };
  const more = [
    event,
    { type: "TEXT_MESSAGE_START", messageId: id },
    { type: "TEXT_MESSAGE_CONTENT", messageId: id, delta: " token" },
  ];
  return {
    model: messages,
    open(engine) {
      const reducer = engine.createReducer({ protocol: "ag-ui", transport: "sse" });
      for (const chunk of chunks) reducer.push(chunk);
      return reducer;
    },
    read: (reducer) => reducer.snapshot<{ messages: unknown }>()?.messages,
    touch: {
      event: encoder.encode(more.map((one) => `data: ${JSON.stringify(one)}\n\n`).join("")),
      byHand(model) {
        (model as { content: string }[])[500]!.content += " token";
      },
    },
  };
}

/** Branching: the price of a second reducer that goes on from here. */
export const forkCases: Case[] = [
  forkCase("ag-ui/state", "AG-UI state of 2 MB after 200 deltas", patchedState, false, 50),
  forkCase("agentue/stored", "AgentUE model of 2 MB as loaded", stored, false, 50),
  forkCase("agentue/grown", "AgentUE model of 2 MB in 1,000 texts of tokens", grown, false, 50),
  forkCase("ag-ui/messages", "AG-UI thread of 2 MB in 1,000 messages", thread, false),
  forkCase("ag-ui/state/touched", "AG-UI state of 2 MB, and one delta on the fork", patchedState, true),
  forkCase("agentue/stored/touched", "AgentUE model of 2 MB as loaded, and one token on the fork", stored, true),
];
