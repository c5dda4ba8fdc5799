import { loadEngineSync } from "../../src/entry/slim-node.js";
import { type Case, measureTrial, runningEngines } from "../case.js";
import { engineContender, slimContender } from "../contenders/engines.js";
import { CHUNK, foldTrial, makePayloads } from "./fold.js";

const EVENTS = 10_000;

/** What the slim build costs in speed: the same folds as of the full build, whose answers both give. */
function slimCase(id: string, title: string, chunk: number): Case {
  return {
    id: `slim/${id}`,
    group: "Slim build",
    title,
    unit: "ns/event",
    run(context) {
      const engines = [loadEngineSync({ kind: "wasm-simd" }), loadEngineSync({ kind: "wasm-scalar" })];
      try {
        const full = runningEngines(context).filter(({ kind }) => kind !== "js");
        const contenders = [...full.map((engine) => engineContender(engine)), ...engines.map(slimContender)];
        const payloads = makePayloads(
          { events: EVENTS, blocks: 50, streams: 1, odd: 0.15, shapes: 8, mixed: 0.05 },
          chunk,
        );
        const outcome = measureTrial(foldTrial(contenders, payloads, 2, EVENTS), "ns/event", context.mode);
        const median = (name: string) => outcome.contenders.find((contender) => contender.name === name)?.median;
        const [slim, whole] = [median("streamfold/slim wasm-simd"), median("streamfold wasm-simd")];
        if (slim === undefined || whole === undefined) return outcome;
        const value = slim / whole;
        return { ...outcome, figure: { value, text: `${value.toFixed(2)} of the full build's time` } };
      } finally {
        for (const engine of engines) engine.close();
      }
    },
  };
}

export const slimCases: Case[] = [
  slimCase("one", "fold, one event per chunk, 50 blocks, 15 % odd, 5 % set and tool events", 0),
  slimCase("64k", "fold, 64 KiB chunks, 50 blocks, 15 % odd, 5 % set and tool events", CHUNK),
];
