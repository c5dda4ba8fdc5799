import type { Engine } from "../../src/engine/contract.js";
import { type Case, measureTrial, runningEngines } from "../case.js";
import type { Model } from "../contenders/contender.js";
import { createReducer, engineName } from "../contenders/engines.js";
import { storedModel } from "../fixtures.js";
import type { Contender } from "../measure.js";

const PAYLOADS = 16;
const decoder = new TextDecoder();

type Stored = ReturnType<typeof storedModel>;

function engineLoad(engine: Engine, stored: Stored[]): Contender {
  return {
    name: engineName(engine.kind),
    side: engine.kind === "js" ? "js" : "wasm",
    prepare(payload) {
      const reducer = createReducer(engine);
      const { json } = stored[payload]!;
      return {
        run: () => reducer.load(json),
        answer: () => reducer.snapshot(),
        close: () => reducer.close(),
      };
    },
  };
}

/** What a program without the library does to go on from stored bytes: parse them, and index the blocks by id. */
function parseLoad(name: string, decode: (bytes: Uint8Array) => string, stored: Stored[]): Contender {
  return {
    name,
    side: "js",
    prepare(payload) {
      const { json } = stored[payload]!;
      let loaded: { model: Model; blocks: Map<string, unknown> } | undefined;
      return {
        run() {
          const model = JSON.parse(decode(json)) as Model;
          loaded = { model, blocks: new Map(model.blocks.map((block) => [block.id as string, block])) };
          return loaded;
        },
        answer: () => (loaded?.blocks.size === loaded?.model.blocks.length ? loaded?.model : undefined),
        close() {},
      };
    },
  };
}

function loadCase(id: string, title: string, bytes: number, target?: number): Case {
  return {
    id: `load/${id}`,
    group: "Load a stored model from bytes",
    title,
    unit: "us",
    ...(target === undefined ? {} : { target: { kind: "ratio-at-least" as const, value: target } }),
    run(context) {
      const stored = Array.from({ length: PAYLOADS }, (_, number) => storedModel(bytes, 5000 + number));
      const contenders = [
        ...runningEngines(context).map((engine) => engineLoad(engine, stored)),
        parseLoad("TextDecoder + JSON.parse", (json) => decoder.decode(json), stored),
        parseLoad(
          "Buffer.toString + JSON.parse",
          (json) => Buffer.from(json.buffer, json.byteOffset, json.length).toString(),
          stored,
        ),
      ];
      const verified = bytes > 1e6 ? 2 : PAYLOADS;
      return measureTrial(
        { contenders, payloads: PAYLOADS, verified, expected: (payload) => stored[payload]!.model, ops: 1 },
        "us",
        context.mode,
        bytes > 1e6 ? { rounds: [5, 40], iterations: 1 } : {},
      );
    },
  };
}

/** Going on from a stored model. */
export const loadCases: Case[] = [loadCase("100k", "100 KB", 100_000, 10), loadCase("2m", "2 MB", 2_000_000)];
