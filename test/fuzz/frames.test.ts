import { expect, it } from "vitest";
import type { Engine } from "../../src/engine/contract.js";
import { StreamfoldError } from "../../src/errors.js";
import { framed } from "../frames/frames.js";
import { latin1, latin1Of } from "../support/bytes.js";
import { randomCuts } from "../support/chunking.js";
import { engine, KINDS } from "../support/engines.js";
import { Rng } from "../support/rng.js";
import { rounds } from "./clock.js";

/** What frames and blocks are made of, odd spellings included; UTF-8, one byte a code unit. */
const TEXTS = [
  "",
  "x",
  "\\u0062",
  "b",
  "é",
  "\\ud83d",
  "\\ude00",
  "\\ud83d\\ude00",
  "\\/",
  '\\"',
  "\\\\",
  "\\n",
  "\xff",
  "\xed\xa0\x80",
  "\n",
  "\t",
  "\x00",
].map((text) => (/[\x80-\xff]/.test(text) && text !== "é" ? text : latin1Of(text)));
const NUMBERS = [
  "0",
  "1",
  "2",
  "3",
  "-0",
  "1.0",
  "1e0",
  "0.5",
  "-1",
  "9007199254740991",
  "9007199254740992",
  "1e400",
  "0.99999999999999999999",
  "01",
  '"1"',
  "null",
];
const TYPES = ["frame", "fr\\u0061me", "text", "", "frames"];

/** A block, frames of it among odd ones, and damage. */
function bodyOf(rng: Rng): string {
  const content = Array.from({ length: rng.int(30) }, () => rng.pick(["x", "é", "\\n", '\\"', "\\u00e9", "😀"])).join(
    "",
  );
  const block = `{${rng.pick(["", " "])}"id":"b","type":"t","content":"${content}"}`;
  const cuts = Array.from({ length: rng.int(4) }, () => rng.int(block.length))
    .filter((at) => (block.charCodeAt(at) & 0xfc00) !== 0xdc00)
    .sort((a, b) => a - b);
  const lines = framed(block, cuts).map((frame) => latin1Of(JSON.stringify(frame)));
  const odd = (): string => {
    const text = () => `"${Array.from({ length: rng.int(3) }, () => rng.pick(TEXTS)).join("")}"`;
    const members = [
      `"id":${text()}`,
      `"type":"${rng.pick(TYPES)}"`,
      `"block_id":${rng.chance(0.6) ? '"b"' : text()}`,
      `"seq":${rng.pick(NUMBERS)}`,
      `"total":${rng.pick(NUMBERS)}`,
      `"data":${text()}`,
      ...(rng.chance(0.1) ? [`"ref":${text()}`] : []),
      ...(rng.chance(0.1) ? [`"parent_id":${rng.pick(["null", "1", '"p"'])}`] : []),
    ].filter(() => rng.chance(0.95));
    return `{${rng.shuffle(members).join(rng.pick([",", ", ", " ,\t"]))}}`;
  };
  const all = rng.chance(0.5) ? rng.shuffle(lines) : lines;
  while (rng.chance(0.4)) all.splice(rng.int(all.length + 1), rng.int(2), odd());
  let body = all.join(rng.pick(["\n", "\r\n", "\n \n"]));
  while (rng.chance(0.3)) {
    const at = rng.int(body.length + 1);
    body =
      body.slice(0, at) +
      rng.pick(["", "\n", '"', "\\", "{", "}", "\xff", "\r", "é", "\x00", " "]) +
      body.slice(at + rng.int(3));
  }
  return body;
}

/** What a call gives or throws, without the engine's own words. */
function answer(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof StreamfoldError)) throw error;
    return told(error);
  }
}

const told = ({ code, path, subject, eventIndex, byteOffset, message }: StreamfoldError) => ({
  code,
  path,
  subject,
  eventIndex,
  byteOffset,
  message,
});

function assemble(one: Engine, body: Uint8Array, seed: number): unknown {
  const rng = new Rng(seed);
  const errors: unknown[] = [];
  const limits = { groups: rng.between(1, 4), frames: rng.between(1, 8), bytes: rng.between(50, 2000) };
  const assembler = one.createFrameAssembler({ limits, onError: (error) => errors.push(told(error)) });
  const taken = randomCuts(seed)
    .split(body)
    .map((chunk) => assembler.push(chunk))
    .reduce((sum, count) => sum + count, 0);
  const finished = assembler.finish();
  const { memory: _, ...stats } = assembler.stats();
  const blocks = assembler.blocks();
  const texts = blocks.filter(({ whole }) => whole).map(({ blockId }) => assembler.take(blockId));
  assembler.close();
  return { taken, finished, stats, blocks, texts, errors };
}

it("engines agree on frames, whole and damaged", () => {
  rounds(3, 200, (seed) => {
    const rng = new Rng(seed);
    const body = latin1(bodyOf(rng));
    const model = latin1(`{"blocks":[${latin1Of("")}${String.fromCharCode(...body).replaceAll("\n", ",")}]}`);
    const block = latin1(bodyOf(rng).split("\n")[0]!.replace('"type":"frame"', '"type":"t"'));
    const maxBytes = rng.between(60, 200);
    const answers = KINDS.map((kind) => {
      const one = engine(kind);
      return {
        unframed: answer(() => one.unframe(body)),
        resolved: answer(() => one.resolveFrames(model)),
        framed: answer(() => one.frameBlock(block, { maxBytes, id: "f" })),
        assembled: assemble(one, body, seed),
      };
    });
    for (const other of answers.slice(1)) expect(other, `seed ${seed}`).toEqual(answers[0]);
  });
});
