import { type BenchContext, type Case, measureTrial, runningEngines } from "../case.js";
import { chunkTrial } from "../chunks.js";
import type { FoldContender } from "../contenders/contender.js";
import { engineContender } from "../contenders/engines.js";
import { BASELINES } from "../contenders/index.js";
import { type FoldShape, foldPayload, type Model, rechunk, sseMessages } from "../fixtures.js";
import type { Trial } from "../measure.js";

const PAYLOADS = 16;
export const CHUNK = 65_536;
/** Tokens that each block gets on average, where there are many: a short answer's worth. */
const TOKENS = 200;

export interface FoldBytes {
  chunks: Uint8Array[];
  expected: Map<string, Model>;
}

/** @param chunk bytes of a chunk; 0 gives each event its own */
export function makePayloads(shape: FoldShape, chunk: number): FoldBytes[] {
  return Array.from({ length: PAYLOADS }, (_, number) => {
    const { events, expected } = foldPayload(shape, 1000 + number);
    const messages = sseMessages(events);
    return { chunks: chunk === 0 ? messages : rechunk(messages, chunk), expected };
  });
}

/**
 * Folds of payloads from the first chunk to the models.
 *
 * @param verified payloads that are compared, from the first on
 */
export function foldTrial(contenders: FoldContender[], payloads: FoldBytes[], verified: number, ops: number): Trial {
  return chunkTrial(
    contenders,
    payloads,
    verified,
    ops,
    ({ open }, { expected }) => {
      const folder = open();
      const answer = () => Object.fromEntries([...expected.keys()].map((id) => [id, folder.value(id)]));
      return { into: folder, answer, close: () => folder.close() };
    },
    ({ expected }) => Object.fromEntries(expected),
  );
}

function foldCase(id: string, title: string, chunk: number, shape: Omit<FoldShape, "events">): Case {
  return {
    id: `fold/${chunk === 0 ? "one" : "64k"}/${id}`,
    group: chunk === 0 ? "Fold, one event per chunk" : "Fold, 64 KiB chunks",
    title,
    unit: "ns/event",
    target: { kind: "ratio-at-least", value: chunk === 0 ? 5 : 10 },
    run(context: BenchContext) {
      const contenders = [...runningEngines(context).map((engine) => engineContender(engine)), ...BASELINES];
      const events = Math.max(2000, shape.blocks * shape.streams * TOKENS);
      const payloads = makePayloads({ ...shape, events }, chunk);
      const quick = context.mode === "quick";
      const trial = foldTrial(contenders, payloads, quick ? 2 : PAYLOADS, events);
      return measureTrial(trial, "ns/event", context.mode, quick ? { iterations: 2 } : {});
    },
  };
}

const LAYOUTS = [
  { id: "1-block", title: "1 block", blocks: 1, streams: 1 },
  { id: "50-blocks", title: "50 blocks", blocks: 50, streams: 1 },
  { id: "64-streams", title: "64 streams", blocks: 1, streams: 64 },
];

/** SSE bytes to models, in both chunkings: layouts x text x event shapes, and one layout with mixed traffic. */
export const foldCases: Case[] = [0, CHUNK].flatMap((chunk) => [
  ...LAYOUTS.flatMap(({ id, title, ...layout }) =>
    [0, 0.15].flatMap((odd) =>
      [1, 8].map((shapes) => {
        const text = odd === 0 ? "ASCII" : "15 % odd";
        return foldCase(
          `${id}/${odd === 0 ? "ascii" : "odd"}/${shapes === 1 ? "1-shape" : "8-shapes"}`,
          `${title}, ${text}, ${shapes === 1 ? "1 shape" : "8 shapes"}`,
          chunk,
          { ...layout, odd, shapes, mixed: 0 },
        );
      }),
    ),
  ),
  foldCase("50-blocks/odd/mixed", "50 blocks, 15 % odd, 15 % set and tool events", chunk, {
    blocks: 50,
    streams: 1,
    odd: 0.15,
    shapes: 8,
    mixed: 0.15,
  }),
]);
