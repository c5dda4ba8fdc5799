import { createEmitter } from "../../src/agentue/index.js";
import { encodeEvent } from "../../src/transport/encode.js";
import { type BenchContext, type Case, measureTrial } from "../case.js";
import type { Contender } from "../measure.js";
import { seededRandom } from "../random.js";
import { readEvents } from "../wires.js";

const PAYLOADS = 16;
const BATCH = 1000;
const BLOCKS = 50;
const WORDS = [" the", " token", "é", "世界", "😀", "\n", ' "quoted"', " a somewhat longer piece of text"];
/** How many times as long as `encodeEvent` alone an emitter may take, which also keeps the model and judges the event. */
const TARGET = 1.75;

interface Token {
  id: string;
  content: string;
}

function tokensOf(number: number): Token[] {
  const random = seededRandom(7000 + number);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  let id = "block-0";
  return Array.from({ length: BATCH }, () => {
    if (random() < 0.05) id = `block-${Math.floor(random() * BLOCKS)}`;
    return { id, content: pick(WORDS) + (random() < 0.3 ? pick(WORDS) : "") };
  });
}

const MODEL = {
  biz: "chat",
  blocks: Array.from({ length: BLOCKS }, (_, i) => ({ id: `block-${i}`, type: "text", content: "" })),
};

const eventOf = ({ id, content }: Token, seq: number) => ({
  op: "append",
  seq,
  mask: "block.content",
  block: { id, content },
});

function contenders(transport: "sse" | "msgpack", payloads: readonly Token[][]): Contender[] {
  const contender = (name: string, writer: () => (token: Token, seq: number) => Uint8Array): Contender => ({
    name,
    side: "js",
    prepare(payload) {
      const tokens = payloads[payload]!;
      const written: Uint8Array[] = [];
      const write = writer();
      return {
        run() {
          for (let i = 0; i < tokens.length; i++) written[i] = write(tokens[i]!, i + 2);
          return written;
        },
        answer: () => written.flatMap((bytes) => readEvents(transport, bytes)),
        close() {},
      };
    },
  });
  return [
    contender("encodeEvent alone", () => (token, seq) => encodeEvent(eventOf(token, seq), { transport })),
    contender("emitter", () => {
      const emitter = createEmitter({ transport });
      emitter.start(MODEL);
      return ({ id, content }) => emitter.append(id, "content", content);
    }),
  ];
}

function emitCase(transport: "sse" | "msgpack"): Case {
  return {
    id: `emit/${transport}/tokens`,
    group: "Objects to bytes",
    title: `emit ${transport}, AgentUE tokens, one by one`,
    unit: "ns/event",
    target: { kind: "figure-at-most", value: TARGET },
    run(context: BenchContext) {
      const payloads = Array.from({ length: PAYLOADS }, (_, number) => tokensOf(number));
      const outcome = measureTrial(
        {
          contenders: contenders(transport, payloads),
          payloads: PAYLOADS,
          verified: context.mode === "quick" ? 2 : PAYLOADS,
          expected: (payload) => payloads[payload]!.map((token, i) => eventOf(token, i + 2)),
          ops: BATCH,
        },
        "ns/event",
        context.mode,
      );
      const [alone, emitter] = outcome.contenders;
      const value = emitter!.median / alone!.median;
      return {
        ...outcome,
        figure: { value, text: `the emitter takes ${value.toFixed(2)} times as long as encodeEvent alone` },
      };
    },
  };
}

/** An emitter, which judges events and keeps the model, against writing them alone; all of it is JavaScript. */
export const emitCases: Case[] = [emitCase("sse"), emitCase("msgpack")];
