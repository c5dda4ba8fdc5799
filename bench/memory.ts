import type { EngineKind } from "../src/engine/contract.js";
import { loadEngineSync } from "../src/entry/node.js";
import { type Case, runningEngines } from "./case.js";
import { runChild } from "./child.js";
import { byteParser } from "./contenders/byte-parser.js";
import type { FoldContender, Folder } from "./contenders/contender.js";
import { engineContender, engineName } from "./contenders/engines.js";
import { textDecoder } from "./contenders/text-decoder.js";
import type { AgentueEvent } from "./fixtures.js";
import { type ContenderResult, ratioOf } from "./results.js";

/** Deltas after which one baseline makes every text flat. */
const FLATTEN_AFTER = 64;
/** The same strings, read now and then: that turns the rope of deltas into one piece, which costs time and saves memory. */
const FLATTENED = `${textDecoder.name}, flattened every ${FLATTEN_AFTER} deltas`;

/** JavaScript contenders whose heap is weighed. */
const BASELINES: Record<string, FoldContender> = {
  [textDecoder.name]: textDecoder,
  [FLATTENED]: textDecoder,
  [byteParser.name]: byteParser,
};

export interface MemoryInput {
  /** An engine of ours, or the name of a baseline. */
  mode: string;
  streams: number;
  /** Bytes of text that each stream gets, in deltas of 4 bytes. */
  textBytes: number;
}

export interface MemoryOutput {
  /** Bytes of text in all models. */
  text: number;
  /** Growth of the JavaScript heap and of its array buffers, after a full collection. */
  heap: number;
  /** Linear memory of the engine: in use, and held from the system; 0 for JavaScript. */
  live: number;
  held: number;
  /** Growth of the process's resident set. */
  resident: number;
  milliseconds: number;
  /** The slowest of three full collections, with all models alive. */
  collection: number;
}

const DELTA = 4;
/** Events start above this number, so that every seq has the same count of digits. */
const FIRST_SEQ = 10_000;

function collect(): void {
  globalThis.gc!();
}

/** The JavaScript heap and its buffers. Node does not count the linear memory of WebAssembly among them. */
function jsMemory(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const encoder = new TextEncoder();

/** One append to every stream as one run of bytes, of which each round changes seq and delta in place. */
class RoundWire {
  readonly #bytes: Uint8Array;
  readonly #seqAt: number[] = [];
  readonly #deltaAt: number[] = [];

  constructor(streams: number) {
    let text = "";
    for (let stream = 0; stream < streams; stream++) {
      const event: AgentueEvent = {
        op: "append",
        seq: FIRST_SEQ,
        stream_id: `message-${stream}`,
        mask: "block.content",
        event_type: "message.delta",
        block: { id: "answer", type: "text", content: "@@@@" },
      };
      const message = `data: ${JSON.stringify(event)}\n\n`;
      this.#seqAt.push(text.length + message.indexOf(String(FIRST_SEQ)));
      this.#deltaAt.push(text.length + message.indexOf("@@@@"));
      text += message;
    }
    this.#bytes = encoder.encode(text);
  }

  /** Feeds round number `round` in chunks of 64 KiB; returns the delta that every stream got. */
  feed(folder: Folder, round: number): string {
    const seq = encoder.encode(String(FIRST_SEQ + round));
    const delta = roundDelta(round);
    const letters = encoder.encode(delta);
    for (const at of this.#seqAt) this.#bytes.set(seq, at);
    for (const at of this.#deltaAt) this.#bytes.set(letters, at);
    for (let at = 0; at < this.#bytes.length; at += 65_536) folder.push(this.#bytes.slice(at, at + 65_536));
    return delta;
  }
}

function contentOf(folder: Folder, stream: number): string | undefined {
  return (folder.value(`message-${stream}`) as { blocks: { content: string }[] } | undefined)?.blocks[0]?.content;
}

/** Reading one code unit of a rope makes V8 write it out as one piece. */
function flatten(folder: Folder, streams: number): void {
  for (let stream = 0; stream < streams; stream++) contentOf(folder, stream)!.charCodeAt(0);
}

function roundDelta(round: number): string {
  return ` ${String.fromCharCode(97 + (round % 26), 97 + ((round >> 3) % 26), 97 + ((round * 7) % 26))}`;
}

/** In a fresh process: grows every stream in lockstep, token by token, and weighs what is left. */
export function weigh({ mode, streams, textBytes }: MemoryInput): MemoryOutput {
  const baseline = BASELINES[mode];
  const engine = baseline === undefined ? loadEngineSync({ kind: mode as EngineKind }) : undefined;
  const folder = baseline === undefined ? engineContender(engine!).open() : baseline.open();
  for (let stream = 0; stream < streams; stream++) {
    const model = { version: "1.1", biz: "chat", meta: {}, blocks: [{ id: "answer", type: "text", content: "" }] };
    const start: AgentueEvent = { op: "start", seq: FIRST_SEQ - 1, stream_id: `message-${stream}`, model };
    folder.push(encoder.encode(`data: ${JSON.stringify(start)}\n\n`));
  }
  const wire = new RoundWire(streams);
  const rounds = Math.floor(textBytes / DELTA);
  collect();
  const before = { js: jsMemory(), resident: process.memoryUsage.rss() };
  const begin = performance.now();
  let expected = "";
  for (let round = 0; round < rounds; round++) {
    expected += wire.feed(folder, round);
    if (mode === FLATTENED && round % FLATTEN_AFTER === FLATTEN_AFTER - 1) flatten(folder, streams);
  }
  const milliseconds = performance.now() - begin;
  let collection = 0;
  for (let run = 0; run < 3; run++) {
    const start = performance.now();
    collect();
    collection = Math.max(collection, performance.now() - start);
  }
  const memory = engine?.memory() ?? { live: 0, held: 0 };
  const output: MemoryOutput = {
    text: streams * rounds * DELTA,
    heap: Math.max(0, jsMemory() - before.js),
    live: memory.live,
    held: memory.held,
    resident: Math.max(0, process.memoryUsage.rss() - before.resident),
    milliseconds,
    collection,
  };
  // Reading a text may change how it is held, so answers are compared after weighing.
  for (const stream of [0, streams >> 1, streams - 1]) {
    if (contentOf(folder, stream) !== expected) throw new Error(`${mode}: stream ${stream} holds a wrong text`);
  }
  folder.close();
  return output;
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

function result(
  mode: string,
  { text, heap, live, held, resident, milliseconds, collection }: MemoryOutput,
): ContenderResult {
  const isWasm = held > 0;
  // Linear memory in use, plus whatever the engine's JavaScript side keeps; all of it where there is only JavaScript.
  const perByte = ((isWasm ? live : 0) + heap) / text;
  const parts = [
    `${megabytes(text)} of text`,
    ...(isWasm ? [`${megabytes(live)} in use`, `${megabytes(held)} held`] : []),
    `${megabytes(heap)} JavaScript heap`,
    `${megabytes(resident)} resident`,
    `folded in ${(milliseconds / 1000).toFixed(1)} s`,
    `full collection ${collection.toFixed(1)} ms`,
  ];
  return {
    name: mode in BASELINES ? mode : engineName(mode as EngineKind),
    side: isWasm ? "wasm" : "js",
    median: perByte,
    p25: perByte,
    p75: perByte,
    min: perByte,
    max: perByte,
    samples: 1,
    detail: parts.join(", "),
  };
}

const STREAMS = { quick: 200, full: 2000 };
const TEXT_BYTES = 20_000;

/** What a quick run has to add: fixed costs are shared by fewer streams than the target is set for. */
const shortOf = (streams: number) => (streams < STREAMS.full ? `; the target is for ${STREAMS.full}` : "");

/** Memory of many open streams that grow token by token, one process for each contender. */
export const memoryCases: Case[] = [
  {
    id: "memory/streams",
    group: "Memory",
    title: "open streams of 20 KB text each, from 4-byte deltas",
    unit: "B/B",
    target: { kind: "figure-at-most", value: 1.25 },
    run(context) {
      // The scalar build lays out memory like the SIMD build, so one of them is enough.
      const kinds = runningEngines(context).map(({ kind }) => kind);
      const modes = [
        ...kinds.filter((kind) => kind !== "wasm-scalar" || !kinds.includes("wasm-simd")),
        ...Object.keys(BASELINES),
      ];
      const streams = STREAMS[context.mode];
      const contenders = modes.map((mode) =>
        result(mode, runChild<MemoryOutput>("memory", { mode, streams, textBytes: TEXT_BYTES } satisfies MemoryInput)),
      );
      const ratio = ratioOf(contenders);
      const wasm = contenders.find(({ side }) => side === "wasm");
      return {
        contenders,
        ...(ratio === undefined ? {} : { ratio }),
        ...(wasm === undefined
          ? {}
          : {
              figure: {
                value: wasm.median,
                text: `${wasm.median.toFixed(2)} bytes per byte of text (${streams} streams${shortOf(streams)})`,
              },
            }),
      };
    },
  },
];
