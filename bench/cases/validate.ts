import type { Engine } from "../../src/engine/contract.js";
import { StreamfoldError } from "../../src/entry/node.js";
import { type Case, measureTrial, runningEngines } from "../case.js";
import { createReducer, engineName } from "../contenders/engines.js";
import { storedModel } from "../fixtures.js";
import type { Contender } from "../measure.js";
import { sameJson } from "../same-json.js";

const PAYLOADS = 16;
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const LISTED = { code: "bad_model", path: "", withoutLastByte: "bad_json" };

/** A stored model in two forms that `load` refuses when it has read everything, and before it builds anything. */
interface Refused {
  /** The model as the only item of a list: valid JSON, but no model. */
  listed: Uint8Array;
  /** The model with one more block at its end, whose id the block before has. */
  repeated: Uint8Array;
  /** Path of the repeated id. */
  path: string;
}

function refusedModel(seed: number): Refused {
  const { model } = storedModel(100_000, seed);
  const blocks = [...model.blocks, { id: model.blocks.at(-1)!.id, type: "text", content: "" }];
  return {
    listed: encoder.encode(JSON.stringify([model])),
    repeated: encoder.encode(JSON.stringify({ ...model, blocks })),
    path: `/blocks/${blocks.length - 1}/id`,
  };
}

/** What became of a text that is refused, and the code when its last byte is missing: all of it has been read. */
interface Verdict {
  code: string | undefined;
  path: string | undefined;
  withoutLastByte: string | undefined;
}

function refusal(load: () => void): StreamfoldError | undefined {
  try {
    load();
    return undefined;
  } catch (error) {
    if (error instanceof StreamfoldError) return error;
    throw error;
  }
}

/**
 * An engine that refuses texts. A contender's answers are compared with the same value for all, so it says whether the
 * verdict is `expected`.
 */
function refusing(
  engine: Engine,
  work: string,
  side: Contender["side"],
  texts: Uint8Array[],
  expected: (payload: number) => Verdict,
): Contender {
  return {
    name: `${engineName(engine.kind)}, ${work}`,
    side,
    prepare(payload) {
      const reducer = createReducer(engine);
      const text = texts[payload]!;
      // Collecting a stack costs as much as a fifth of the validation.
      const frames = Error.stackTraceLimit;
      Error.stackTraceLimit = 0;
      let error: StreamfoldError | undefined;
      return {
        run() {
          error = refusal(() => reducer.load(text));
          return error;
        },
        answer() {
          const withoutLastByte = refusal(() => reducer.load(text.subarray(0, -1)))?.code;
          const verdict: Verdict = { code: error?.code, path: error?.path, withoutLastByte };
          return reducer.status() === "none" && sameJson(verdict, expected(payload));
        },
        close() {
          Error.stackTraceLimit = frames;
          reducer.close();
        },
      };
    },
  };
}

function parsing(texts: Uint8Array[], roots: unknown[]): Contender {
  return {
    name: "TextDecoder + JSON.parse, which builds too",
    side: "limit",
    prepare(payload) {
      const text = texts[payload]!;
      let value: unknown;
      return {
        run() {
          value = JSON.parse(decoder.decode(text));
          return value;
        },
        answer: () => sameJson(value, roots[payload]),
        close() {},
      };
    },
  };
}

/** What reading a model costs without building it. JavaScript has no such thing: `JSON.parse` stands there for scale. */
export const validateCases: Case[] = [
  {
    id: "scale/validate",
    group: "For scale",
    title: "validate only, 100 KB model",
    unit: "us",
    run(context) {
      const models = Array.from({ length: PAYLOADS }, (_, number) => refusedModel(7500 + number));
      const listed = models.map((model) => model.listed);
      const repeated = models.map((model) => model.repeated);
      const contenders = runningEngines(context).flatMap((engine) => {
        const side = engine.kind === "js" ? "limit" : "wasm";
        return [
          refusing(engine, "JSON text", side, listed, () => LISTED),
          refusing(engine, "and judged as a model", "limit", repeated, (payload) => ({
            code: "duplicate_id",
            path: models[payload]!.path,
            withoutLastByte: "bad_json",
          })),
        ];
      });
      contenders.push(
        parsing(
          listed,
          listed.map((text) => JSON.parse(decoder.decode(text)) as unknown),
        ),
      );
      return measureTrial(
        { contenders, payloads: PAYLOADS, verified: PAYLOADS, expected: () => true, ops: 1 },
        "us",
        context.mode,
      );
    },
  },
];
