import { type Case, measureTrial, type Outcome, runningEngines } from "../case.js";
import { byteParser } from "../contenders/byte-parser.js";
import type { FoldContender, Folder } from "../contenders/contender.js";
import { engineContender } from "../contenders/engines.js";
import { textDecoder } from "../contenders/text-decoder.js";
import { type AgentueEvent, delta } from "../fixtures.js";
import { type Contender, WrongAnswer } from "../measure.js";
import { seededRandom } from "../random.js";
import { best, type ContenderResult } from "../results.js";

/** Tokens of one slab: what a sample appends, and what stands in the small block before. */
const SLAB = 1000;
const LARGE = 1_000_000;
const CHUNK = 65_536;
const encoder = new TextEncoder();

const START: AgentueEvent = {
  op: "start",
  seq: 0,
  model: { version: "1.1", biz: "chat", meta: {}, blocks: [{ id: "answer", type: "text", content: "" }] },
};

/** The tokens of one long answer, slab by slab. */
class LongAnswer {
  text = "";
  readonly #random = seededRandom(9000);
  #seq = 0;

  next(): Uint8Array[] {
    let wire = "";
    for (let token = 0; token < SLAB; token++) {
      const content = delta(this.#random, 0.15);
      const block = { id: "answer", type: "text", content };
      wire += `data: ${JSON.stringify({ op: "append", seq: ++this.#seq, mask: "block.content", event_type: "message.delta", block })}\n\n`;
      this.text += content;
    }
    const bytes = encoder.encode(wire);
    const chunks: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += CHUNK) chunks.push(bytes.slice(at, at + CHUNK));
    return chunks;
  }
}

function feed(folder: Folder, chunks: Uint8Array[]): void {
  for (let index = 0; index < chunks.length; index++) folder.push(chunks[index]!);
}

function copyOf(chunks: Uint8Array[]): Uint8Array[] {
  return chunks.map((chunk) => chunk.slice());
}

function begin({ open }: FoldContender): Folder {
  const folder = open();
  folder.push(encoder.encode(`data: ${JSON.stringify(START)}\n\n`));
  return folder;
}

/** @throws WrongAnswer when a folder does not hold the text so far */
function compare(entries: FoldContender[], folders: Folder[], text: string): void {
  folders.forEach((folder, index) => {
    const model = folder.value("") as { blocks: { content: string }[] };
    if (model.blocks[0]!.content !== text) throw new WrongAnswer(entries[index]!.name, 0);
  });
}

/** Appends to a block of 1,000 tokens, made anew for each sample, against appends to one of a million, which goes on growing. */
function measureGrowth(entries: FoldContender[], mode: "quick" | "full"): Outcome {
  const answer = new LongAnswer();
  const large = entries.map(begin);
  const first = [answer.next(), answer.next()];
  for (const folder of large) for (const chunks of first) feed(folder, chunks);
  compare(entries, large, answer.text);
  for (let slab = first.length; slab < LARGE / SLAB; slab++) {
    const chunks = answer.next();
    for (const folder of large) feed(folder, chunks);
  }
  compare(entries, large, answer.text);

  const slabs: Uint8Array[][] = [];
  const contenders = entries.flatMap((entry, index): Contender[] => {
    let used = 0;
    return [
      {
        name: entry.name,
        side: entry.side,
        prepare() {
          while (used + 2 > slabs.length) slabs.push(answer.next());
          // Both blocks have just taken a slab, and the bytes of the next one have just been written: with caches cold on one side alone, a token
          // that takes 50 ns would seem to take 12 more.
          feed(large[index]!, slabs[used++]!);
          const chunks = copyOf(slabs[used++]!);
          return { run: () => feed(large[index]!, chunks), answer: () => undefined, close() {} };
        },
      },
      {
        name: `${entry.name}, small block`,
        side: "limit",
        prepare() {
          const folder = begin(entry);
          feed(folder, first[0]!);
          const chunks = copyOf(first[1]!);
          return { run: () => feed(folder, chunks), answer: () => undefined, close: () => folder.close() };
        },
      },
    ];
  });
  const trial = { contenders, payloads: 1, verified: 0, expected: () => undefined, ops: SLAB };
  const outcome = measureTrial(trial, "ns/event", mode, { rounds: [6, 24], iterations: 2 });
  compare(entries, large, answer.text);
  for (const folder of large) folder.close();

  const results: ContenderResult[] = [];
  let growth = 0;
  for (let index = 0; index < outcome.contenders.length; index += 2) {
    const [big, small] = [outcome.contenders[index]!, outcome.contenders[index + 1]!];
    const times = big.median / small.median;
    if (big.name === best(outcome.contenders, "wasm")?.name) growth = times;
    results.push({ ...big, detail: `${times.toFixed(2)} times the ${small.median.toFixed(0)} ns at 1,000 tokens` });
  }
  return {
    contenders: results,
    ...(outcome.ratio === undefined ? {} : { ratio: outcome.ratio }),
    ...(growth === 0 ? {} : { figure: { value: growth, text: `${growth.toFixed(2)} times the cost at 1,000 tokens` } }),
  };
}

/** What a token costs in a block that has become long. */
export const growthCases: Case[] = [
  {
    id: "growth/1m-tokens",
    group: "Long texts",
    title: "a token at 1,000,000 tokens in a block",
    unit: "ns/event",
    target: { kind: "figure-at-most", value: 1.2 },
    run(context) {
      return measureGrowth(
        [...runningEngines(context).map((engine) => engineContender(engine)), textDecoder, byteParser],
        context.mode,
      );
    },
  },
];
