import { type Case, measureTrial, runningEngines } from "../case.js";
import type { FoldContender } from "../contenders/contender.js";
import { engineContender } from "../contenders/engines.js";
import { LINE_BASELINES, MESSAGE_BASELINES } from "../contenders/lines.js";
import { type AgentueEvent, foldPayload, jsonLines, jsonMessages, rechunk } from "../fixtures.js";
import { foldTrial } from "./fold.js";

const PAYLOADS = 16;
const EVENTS = 10_000;
/** A quick run comes no further in its time. */
const QUICK_PAYLOADS = 6;

function transportCase(
  transport: "ndjson" | "json",
  title: string,
  cut: (events: AgentueEvent[]) => Uint8Array[],
  baselines: readonly FoldContender[],
): Case {
  return {
    id: `scale/${transport}`,
    group: "For scale",
    title,
    unit: "ns/event",
    run(context) {
      const shape = { events: EVENTS, blocks: 50, streams: 1, odd: 0.15, shapes: 8, mixed: 0 };
      const quick = context.mode === "quick";
      const payloads = Array.from({ length: quick ? QUICK_PAYLOADS : PAYLOADS }, (_, number) => {
        const { events, expected } = foldPayload(shape, 1000 + number);
        return { chunks: cut(events), expected };
      });
      const contenders = [...runningEngines(context).map((engine) => engineContender(engine, transport)), ...baselines];
      const trial = foldTrial(contenders, payloads, quick ? 2 : PAYLOADS, EVENTS);
      return measureTrial(trial, "ns/event", context.mode, quick ? { milliseconds: 300, iterations: 2 } : {});
    },
  };
}

/** The fold of one layout over the other transports; the fold rows are SSE. */
export const transportCases: Case[] = [
  transportCase(
    "ndjson",
    "fold over ndjson, 64 KiB chunks, 50 blocks, 15 % odd",
    (events) => rechunk(jsonLines(events), 65_536),
    LINE_BASELINES,
  ),
  transportCase(
    "json",
    "fold over json, an event a push, 50 blocks, 15 % odd",
    (events) => jsonMessages(events),
    MESSAGE_BASELINES,
  ),
];
