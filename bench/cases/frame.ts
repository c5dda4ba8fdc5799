import { type Case, measureTrial, runningEngines } from "../case.js";
import { engineName } from "../contenders/engines.js";
import { engineFraming, type Framing, PLAIN } from "../contenders/frames.js";
import { delta } from "../fixtures.js";
import type { Contender, Effort, Trial } from "../measure.js";
import { seededRandom } from "../random.js";
import { ratioOf } from "../results.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** A row of a store. */
const MAX_BYTES = 65_536;

type Kind = "text" | "tool";

interface Payload {
  block: Uint8Array;
  text: string;
  frames: Uint8Array;
}

/** A block of so many bytes: one long text of a model, or the rows of a tool, whose JSON is full of quotes. */
function payloadOf(kind: Kind, bytes: number, seed: number): Payload {
  const random = seededRandom(seed);
  let block: object;
  if (kind === "text") {
    // A piece that is repeated: making 50 MB of words would take longer than the row.
    const words: string[] = [];
    for (let length = 0; length < Math.min(bytes, 1_000_000); length += words.at(-1)!.length)
      words.push(delta(random, 0.05));
    const piece = words.join("");
    block = { id: `block-${seed}`, type: "text", content: piece.repeat(Math.ceil(bytes / piece.length)) };
  } else {
    const rows = Array.from({ length: Math.ceil(bytes / 90) }, (_, number) => ({
      id: number,
      name: delta(random, 0.05),
      score: Math.round(random() * 1e6) / 1000,
      tags: [delta(random, 0), delta(random, 0)],
      done: random() < 0.5,
    }));
    block = { id: `block-${seed}`, type: "tool", rows };
  }
  const text = JSON.stringify(block);
  const encoded = encoder.encode(text);
  return { block: encoded, text, frames: PLAIN.cut(encoded, MAX_BYTES) };
}

/** Whether every frame keeps to the budget, and the text that they are of, read by nobody's code but this. */
function readFrames(frames: Uint8Array): { fits: boolean; text: string } {
  const lines = decoder.decode(frames).split("\n").filter(Boolean);
  const parts = lines.map((line) => JSON.parse(line) as { seq: number; total: number; data: string });
  const isWhole = parts.every(({ total }) => total === parts.length);
  parts.sort((a, b) => a.seq - b.seq);
  const fits = isWhole && lines.every((line) => encoder.encode(line).length <= MAX_BYTES);
  return { fits, text: parts.map(({ data }) => data).join("") };
}

/** Cutting or joining the blocks; exported for the test of the contenders. */
export function frameTrial(framings: readonly Framing[], what: "cut" | "join", payloads: readonly Payload[]): Trial {
  const contenders = framings.map(
    ({ name, side, cut, join }): Contender => ({
      name,
      side,
      prepare(number) {
        const { block, frames } = payloads[number]!;
        let made: Uint8Array;
        return {
          run() {
            made = what === "cut" ? cut(block, MAX_BYTES) : join(frames);
            return made;
          },
          answer: () => (what === "cut" ? readFrames(made) : decoder.decode(made)),
          close() {},
        };
      },
    }),
  );
  return {
    contenders,
    payloads: payloads.length,
    verified: payloads.length,
    expected: (number) => (what === "cut" ? { fits: true, text: payloads[number]!.text } : payloads[number]!.text),
    ops: 1,
  };
}

export function framePayloads(kind: Kind, bytes: number, count: number): Payload[] {
  return Array.from({ length: count }, (_, number) => payloadOf(kind, bytes, 31_000 + number));
}

const SIZES = { "1m": ["1 MB", 1_000_000, 8], "50m": ["50 MB", 50_000_000, 1] } as const;
const TITLES = { cut: "into frames of 64 KiB", join: "of frames of 64 KiB" };

function frameCase(what: "cut" | "join", kind: Kind, size: keyof typeof SIZES): Case {
  const [words, bytes, count] = SIZES[size];
  return {
    id: `agentue/frame/${what}/${kind}/${size}`,
    group: "AgentUE storage frames",
    title: `${kind === "text" ? "text" : "tool rows"} of ${words} ${TITLES[what]}`,
    unit: "us",
    target: { kind: "ratio-at-least", value: 5 },
    run(context) {
      const framings = [...runningEngines(context).map(engineFraming), PLAIN];
      const trial = frameTrial(framings, what, framePayloads(kind, bytes, count));
      // Seconds a sample: rounds are few in a short run.
      const large: Partial<Effort> = { rounds: context.mode === "quick" ? [2, 2] : [4, 20], iterations: 1 };
      const outcome = measureTrial(trial, "us", context.mode, size === "50m" ? large : {});
      // against what a program does without this package, which the row is about; our own js engine stands beside it
      const ratio = ratioOf(outcome.contenders.filter(({ name }) => name !== engineName("js")));
      return { contenders: outcome.contenders, ...(ratio === undefined ? {} : { ratio }) };
    },
  };
}

/** Cutting blocks into frames and joining them, against what a program does with JSON alone. */
export const frameCases: Case[] = (["cut", "join"] as const).flatMap((what) => [
  frameCase(what, "text", "1m"),
  frameCase(what, "tool", "1m"),
  frameCase(what, "text", "50m"),
]);
