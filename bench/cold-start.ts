import type { EngineKind } from "../src/engine/contract.js";
import { loadEngineSync } from "../src/entry/node.js";
import { type Case, runningEngines } from "./case.js";
import { runChild } from "./child.js";
import type { Folder } from "./contenders/contender.js";
import { engineContender, engineName } from "./contenders/engines.js";
import { textDecoder } from "./contenders/text-decoder.js";
import { foldPayload, sseMessages } from "./fixtures.js";
import { ratioOf } from "./results.js";
import { sameJson } from "./same-json.js";
import { summarize } from "./statistics.js";

export interface ColdStartInput {
  /** An engine of ours, or the baseline. */
  mode: EngineKind | "baseline";
  events: number;
}

export interface ColdStartOutput {
  milliseconds: number;
  correct: boolean;
}

function open(mode: ColdStartInput["mode"]): Folder {
  return mode === "baseline" ? textDecoder.open() : engineContender(loadEngineSync({ kind: mode })).open();
}

/** In a fresh process: engine (read, compiled, instantiated), reducer, events one by one, and the snapshot's bytes. */
export function coldStart({ mode, events }: ColdStartInput): ColdStartOutput {
  const payload = foldPayload({ events, blocks: 4, streams: 1, odd: 0.15, shapes: 8, mixed: 0.15 }, 8000);
  const messages = sseMessages(payload.events);
  const start = performance.now();
  const folder = open(mode);
  for (const message of messages) folder.push(message);
  const bytes = folder.bytes("");
  const milliseconds = performance.now() - start;
  return { milliseconds, correct: sameJson(JSON.parse(Buffer.from(bytes).toString()), payload.expected.get("")) };
}

const PROCESSES = { quick: 3, full: 11 };

function coldCase(events: number): Case {
  return {
    id: `cold-start/${events}`,
    group: "Fresh process: engine, events, snapshot",
    title: `${events.toLocaleString("en")} events, one per chunk`,
    unit: "ms",
    run(context) {
      const modes: ColdStartInput["mode"][] = [...runningEngines(context).map(({ kind }) => kind), "baseline"];
      const times = modes.map((): number[] => []);
      for (let round = 0; round < PROCESSES[context.mode]; round++) {
        modes.forEach((mode, index) => {
          const { milliseconds, correct } = runChild<ColdStartOutput>("cold-start", {
            mode,
            events,
          } satisfies ColdStartInput);
          if (!correct) throw new Error(`${mode} gives a wrong answer in a fresh process`);
          times[index]!.push(milliseconds);
        });
      }
      const contenders = modes.map((mode, index) => ({
        name: mode === "baseline" ? textDecoder.name : engineName(mode),
        side: mode === "baseline" || mode === "js" ? ("js" as const) : ("wasm" as const),
        ...summarize(times[index]!),
      }));
      const ratio = ratioOf(contenders);
      return ratio === undefined ? { contenders } : { contenders, ratio };
    },
  };
}

/** What a short-lived process pays. Loading the modules of the program itself is not part of it, for either side. */
export const coldStartCases: Case[] = [coldCase(100), coldCase(5000)];
