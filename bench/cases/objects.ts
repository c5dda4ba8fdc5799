import type { Engine } from "../../src/engine/contract.js";
import { type Case, measureTrial, runningEngines } from "../case.js";
import type { AgentueEvent } from "../contenders/contender.js";
import { createReducer, engineName } from "../contenders/engines.js";
import { MutableModels } from "../contenders/mutable-models.js";
import { foldPayload } from "../fixtures.js";
import type { Contender } from "../measure.js";

const PAYLOADS = 16;
const EVENTS = 1000;

/** Fresh objects for each sample, made as a parser makes them: a reducer may keep parts of them and change those. */
function parseAll(texts: string[]): AgentueEvent[] {
  return texts.map((text) => JSON.parse(text) as AgentueEvent);
}

function engineApply(
  engine: Engine,
  name: string,
  payloads: string[][],
  convert: (event: AgentueEvent) => unknown,
): Contender {
  return {
    name,
    side: engine.kind === "js" ? "js" : "wasm",
    prepare(payload) {
      const events = parseAll(payloads[payload]!);
      const reducer = createReducer(engine, "json");
      return {
        run() {
          for (let index = 0; index < events.length; index++) reducer.apply(convert(events[index]!));
        },
        answer: () => reducer.snapshot(),
        close: () => reducer.close(),
      };
    },
  };
}

function mutableApply(payloads: string[][]): Contender {
  return {
    name: "hand-tuned mutable reducer",
    side: "js",
    prepare(payload) {
      const events = parseAll(payloads[payload]!);
      const models = new MutableModels();
      return {
        run() {
          for (let index = 0; index < events.length; index++) models.apply(events[index]!);
        },
        answer: () => models.streams.get("")!.model,
        close() {},
      };
    },
  };
}

/** Events that somebody else has parsed already: WebAssembly has nothing to gain here, and the row shows what it costs. */
export const objectCases: Case[] = [
  {
    id: "objects/apply",
    group: "Events that are objects already",
    title: "apply(object), 50 blocks, 15 % set and tool events",
    unit: "ns/event",
    run(context) {
      const shape = { events: EVENTS, blocks: 50, streams: 1, odd: 0.15, shapes: 8, mixed: 0.15 };
      const made = Array.from({ length: PAYLOADS }, (_, number) => foldPayload(shape, 6000 + number));
      const payloads = made.map(({ events }) => events.map((event) => JSON.stringify(event)));
      const contenders: Contender[] = [mutableApply(payloads)];
      for (const engine of runningEngines(context)) {
        const name = engineName(engine.kind);
        // An engine of WebAssembly folds objects in JavaScript; turning them into text for the core is the dearer way.
        contenders.push(engineApply(engine, name, payloads, (event) => event));
        if (engine.kind !== "js")
          contenders.push(engineApply(engine, `${name} through JSON text`, payloads, (event) => JSON.stringify(event)));
      }
      return measureTrial(
        {
          contenders,
          payloads: PAYLOADS,
          verified: PAYLOADS,
          expected: (payload) => made[payload]!.expected.get(""),
          ops: EVENTS,
        },
        "ns/event",
        context.mode,
      );
    },
  },
];
