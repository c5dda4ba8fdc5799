import { textRun } from "../agui/fixtures.js";
import { mixedRun } from "../agui/runs.js";
import type { Engine } from "../../src/engine/contract.js";
import { type Case, measureTrial, runningEngines } from "../case.js";
import { engineName } from "../contenders/engines.js";
import { handAdapters } from "../contenders/hand-adapter.js";
import { readWritten, type TranscodeContender, transcodes } from "../contenders/transcoders.js";
import { rechunk } from "../fixtures.js";
import { wireMessages } from "../wires.js";
import { transcodeTrial } from "./transcode.js";

const PAYLOADS = 8;

type Traffic = "tokens" | "mixed";

/** What one of the contenders has written of a whole body. */
function answerOf({ open }: TranscodeContender, chunks: readonly Uint8Array[]): object[] {
  const transcoding = open();
  const written = chunks.map((chunk) => transcoding.push(chunk));
  written.push(transcoding.finish());
  transcoding.close();
  return readWritten("sse", written) as object[];
}

function adapterCase(traffic: Traffic, chunk: number | undefined): Case {
  const how = chunk === undefined ? "one event per chunk" : "64 KiB chunks";
  return {
    id: `adapter/sse/${traffic}/${chunk === undefined ? "event" : "64k"}`,
    group: "AG-UI as AgentUE",
    title: `SSE to SSE, ${traffic}, ${how}`,
    unit: "ns/event",
    target: { kind: "ratio-at-least", value: 5 },
    run(context) {
      const byHand = handAdapters();
      const engines = runningEngines(context).filter(transcodes);
      const ours = (engine: Engine, pool: boolean): TranscodeContender => ({
        name: `${engineName(engine.kind)}${pool ? ", pool" : ""}`,
        side: engine.kind === "js" ? "js" : "wasm",
        open: () => engine.createTranscoder({ protocol: "ag-ui", from: "sse", to: "sse", toProtocol: "agentue", pool }),
      });
      const contenders = [
        ...engines.map((engine) => ours(engine, false)),
        // chunks of 64 KiB come to results that share no buffer
        ...(chunk === undefined ? engines.map((engine) => ours(engine, true)) : []),
        ...byHand,
      ];
      const payloads = Array.from({ length: PAYLOADS }, (_, number) => {
        const seed = 30_000 + number;
        const { events } = traffic === "tokens" ? textRun(4000, 20, 0.15, seed) : mixedRun(40, 0.15, seed);
        const messages = wireMessages("sse", events);
        const chunks = chunk === undefined ? messages : rechunk(messages, chunk);
        return { events: answerOf(byHand[0]!, chunks), chunks, count: events.length };
      });
      const quick = context.mode === "quick";
      const trial = transcodeTrial(contenders, { to: "sse" }, payloads, quick ? 2 : PAYLOADS);
      return measureTrial(trial, "ns/event", context.mode, quick ? { iterations: 2 } : {});
    },
  };
}

/** AG-UI bodies as AgentUE bodies, against an adapter by hand that sees objects. */
export const adapterCases: Case[] = (["tokens", "mixed"] as const).flatMap((traffic) => [
  adapterCase(traffic, 65_536),
  adapterCase(traffic, undefined),
]);
