import { type BenchContext, type Case, measureTrial, runningEngines } from "../case.js";
import type { FoldContender } from "../contenders/contender.js";
import { engineContender } from "../contenders/engines.js";
import { BASELINES } from "../contenders/index.js";
import { type FoldShape, foldPayload, type Model, rechunk, sseMessages } from "../fixtures.js";
import type { Contender, Trial } from "../measure.js";

const PAYLOADS = 16;
const CHUNK = 65_536;
const EVENTS = 2000;

interface Payload {
  chunks: Uint8Array[];
  expected: Map<string, Model>;
}

/** Payloads of the last shape: the row with the other chunking comes next and needs the same events. */
let cached: { key: string; payloads: { messages: Uint8Array[]; expected: Map<string, Model> }[] } | undefined;

/** @param chunk bytes of a chunk; 0 gives each event its own */
function payloadsOf(shape: FoldShape, chunk: number): Payload[] {
  const key = JSON.stringify(shape);
  if (cached?.key !== key) {
    const payloads = Array.from({ length: PAYLOADS }, (_, number) => {
      const { events, expected } = foldPayload(shape, 1000 + number);
      return { messages: sseMessages(events), expected };
    });
    cached = { key, payloads };
  }
  return cached.payloads.map(({ messages, expected }) => ({
    chunks: chunk === 0 ? messages : rechunk(messages, chunk),
    expected,
  }));
}

function foldTrial(contenders: FoldContender[], payloads: Payload[], events: number): Trial {
  return {
    contenders: contenders.map(
      ({ name, side, open }): Contender => ({
        name,
        side,
        prepare(number) {
          const { chunks, expected } = payloads[number]!;
          const folder = open();
          return {
            run() {
              for (let index = 0; index < chunks.length; index++) folder.push(chunks[index]!);
            },
            answer: () => Object.fromEntries([...expected.keys()].map((id) => [id, folder.value(id)])),
            close: () => folder.close(),
          };
        },
      }),
    ),
    payloads: payloads.length,
    verified: payloads.length,
    expected: (number) => Object.fromEntries(payloads[number]!.expected),
    ops: events,
  };
}

function foldCase(id: string, title: string, chunk: number, shape: Omit<FoldShape, "events">): Case {
  return {
    id: `fold/${chunk === 0 ? "one" : "64k"}/${id}`,
    group: chunk === 0 ? "Fold, one event per chunk" : "Fold, 64 KiB chunks",
    title,
    unit: "ns/event",
    target: { kind: "ratio-at-least", value: chunk === 0 ? 5 : 10 },
    run(context: BenchContext) {
      const events = EVENTS;
      const contenders = [...runningEngines(context).map(engineContender), ...BASELINES];
      return measureTrial(
        foldTrial(contenders, payloadsOf({ ...shape, events }, chunk), events),
        "ns/event",
        context.mode,
      );
    },
  };
}

const LAYOUTS = [
  { id: "1-block", title: "1 block", blocks: 1, streams: 1 },
  { id: "50-blocks", title: "50 blocks", blocks: 50, streams: 1 },
  { id: "64-streams", title: "64 streams", blocks: 1, streams: 64 },
];

/** SSE bytes to models: layouts x text x event shapes, each in both chunkings, and one layout with mixed traffic. */
export const foldCases: Case[] = [];
for (const { id, title, ...layout } of LAYOUTS) {
  for (const odd of [0, 0.15]) {
    for (const shapes of [1, 8]) {
      for (const chunk of [0, CHUNK]) {
        const text = odd === 0 ? "ASCII" : "15 % odd";
        foldCases.push(
          foldCase(
            `${id}/${odd === 0 ? "ascii" : "odd"}/${shapes === 1 ? "1-shape" : "8-shapes"}`,
            `${title}, ${text}, ${shapes === 1 ? "1 shape" : `${shapes} shapes`}`,
            chunk,
            { ...layout, odd, shapes, mixed: 0 },
          ),
        );
      }
    }
  }
}
for (const chunk of [0, CHUNK]) {
  foldCases.push(
    foldCase("50-blocks/odd/mixed", "50 blocks, 15 % odd, 15 % set and tool events", chunk, {
      blocks: 50,
      streams: 1,
      odd: 0.15,
      shapes: 8,
      mixed: 0.15,
    }),
  );
}
