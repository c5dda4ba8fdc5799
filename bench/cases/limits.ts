import { type Case, measureTrial, runningEngines } from "../case.js";
import { engineContender } from "../contenders/engines.js";
import { foldPayload, rechunk, sseMessages } from "../fixtures.js";
import type { Contender } from "../measure.js";

const PAYLOADS = 16;
const EVENTS = 1000;

interface Payload {
  chunks: Uint8Array[];
  texts: string[];
  expected: unknown;
}

function limit(
  name: string,
  payloads: Payload[],
  run: (payload: Payload) => unknown,
  answer: (payload: Payload, result: unknown) => unknown,
): Contender {
  return {
    name,
    side: "limit",
    prepare(number) {
      const payload = payloads[number]!;
      let result: unknown;
      return {
        run() {
          result = run(payload);
          return result;
        },
        answer: () => answer(payload, result),
        close() {},
      };
    },
  };
}

/** Work that any reducer has to do at least, for scale: copying the bytes, and parsing them without folding. */
export const limitCases: Case[] = [
  {
    id: "scale/parts",
    group: "For scale",
    title: "parts of the work, 64 KiB chunks, 50 blocks, 15 % odd",
    unit: "ns/event",
    run(context) {
      const payloads = Array.from({ length: PAYLOADS }, (_, number): Payload => {
        const { events, expected } = foldPayload(
          { events: EVENTS, blocks: 50, streams: 1, odd: 0.15, shapes: 8, mixed: 0 },
          7000 + number,
        );
        return {
          chunks: rechunk(sseMessages(events), 65_536),
          texts: events.map((event) => JSON.stringify(event)),
          expected: expected.get(""),
        };
      });
      const memory = new Uint8Array(65_536);
      const decoder = new TextDecoder();
      const contenders: Contender[] = runningEngines(context).map((engine) => {
        const { name, side, open } = engineContender(engine);
        return {
          name: `${name}, the whole fold`,
          side: side === "js" ? "limit" : side,
          prepare(number) {
            const folder = open();
            return {
              run() {
                for (const chunk of payloads[number]!.chunks) folder.push(chunk);
              },
              answer: () => folder.value(""),
              close: () => folder.close(),
            };
          },
        };
      });
      contenders.push(
        limit(
          "copy of the bytes",
          payloads,
          ({ chunks }) => {
            for (const chunk of chunks) memory.set(chunk);
          },
          (payload) =>
            Buffer.compare(memory.subarray(0, payload.chunks.at(-1)!.length), payload.chunks.at(-1)!) === 0
              ? payload.expected
              : undefined,
        ),
        limit(
          "TextDecoder alone",
          payloads,
          ({ chunks }) => {
            let length = 0;
            for (const chunk of chunks) length += decoder.decode(chunk, { stream: true }).length;
            return length + decoder.decode().length;
          },
          (payload, length) =>
            length === new TextDecoder().decode(Buffer.concat(payload.chunks)).length ? payload.expected : undefined,
        ),
        limit(
          "JSON.parse of decoded texts alone",
          payloads,
          ({ texts }) => {
            let last = 0;
            for (const text of texts) last += (JSON.parse(text) as { seq: number }).seq;
            return last;
          },
          (payload, sum) => (sum === (EVENTS * (EVENTS + 1)) / 2 ? payload.expected : undefined),
        ),
      );
      return measureTrial(
        {
          contenders,
          payloads: PAYLOADS,
          verified: PAYLOADS,
          expected: (number) => payloads[number]!.expected,
          ops: EVENTS,
        },
        "ns/event",
        context.mode,
      );
    },
  },
];
