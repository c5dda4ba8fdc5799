import type { Transport } from "../../src/engine/contract.js";
import { type Case, measureTrial, runningEngines } from "../case.js";
import { chunkTrial } from "../chunks.js";
import { rechunk } from "../fixtures.js";
import type { Trial } from "../measure.js";
import { type AguiContender, aguiEngine, byHand } from "./contenders.js";
import { type AguiModel, sseBytes, textRun } from "./fixtures.js";

const PAYLOADS = 16;
const CHUNK = 65_536;

export interface AguiPayload {
  chunks: Uint8Array[];
  events: number;
  expected: AguiModel;
}

/**
 * Folds of payloads from the first chunk to the model.
 *
 * @param payloads with the same number of events
 * @param verified payloads that are compared, from the first on
 */
export function aguiFoldTrial(
  contenders: AguiContender[],
  transport: Transport,
  payloads: AguiPayload[],
  verified: number,
): Trial {
  return chunkTrial(
    contenders,
    payloads,
    verified,
    payloads[0]!.events,
    ({ open }) => {
      const folder = open(transport, undefined);
      return { into: folder, answer: () => folder.model(), close: () => folder.close() };
    },
    ({ expected }) => expected,
  );
}

function foldCase(id: string, title: string, chunk: number, messages: number, odd: number): Case {
  return {
    id: `ag-ui/fold/${chunk === 0 ? "one" : "64k"}/${id}`,
    group: chunk === 0 ? "AG-UI text, one event per chunk" : "AG-UI text, 64 KiB chunks",
    title,
    unit: "ns/event",
    target: { kind: "ratio-at-least", value: chunk === 0 ? 5 : 10 },
    run(context) {
      const events = Math.max(2000, messages * 200);
      const payloads = Array.from({ length: PAYLOADS }, (_, number) => {
        const run = textRun(events, messages, odd, 11_000 + number);
        const wire = sseBytes(run.events);
        return { chunks: chunk === 0 ? wire : rechunk(wire, chunk), events, expected: run.expected };
      });
      const contenders = [...runningEngines(context).map(aguiEngine), byHand];
      const quick = context.mode === "quick";
      const trial = aguiFoldTrial(contenders, "sse", payloads, quick ? 2 : PAYLOADS);
      return measureTrial(trial, "ns/event", context.mode, quick ? { iterations: 2 } : {});
    },
  };
}

/** TEXT_MESSAGE_CONTENT from SSE bytes to messages. */
export const aguiFoldCases: Case[] = [0, CHUNK].flatMap((chunk) => [
  foldCase("1-message/ascii", "1 message, ASCII", chunk, 1, 0),
  foldCase("1-message/odd", "1 message, 15 % odd", chunk, 1, 0.15),
  foldCase("20-messages/odd", "20 messages side by side, 15 % odd", chunk, 20, 0.15),
]);
