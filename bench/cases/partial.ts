import type { Engine, Reducer } from "../../src/engine/contract.js";
import type { AguiEvent } from "../agui/fixtures.js";
import { type Case, measureTrial, runningEngines } from "../case.js";
import type { Side } from "../contenders/contender.js";
import { engineName } from "../contenders/engines.js";
import { delta } from "../fixtures.js";
import { type Contender, sink, type Trial, WrongAnswer } from "../measure.js";
import { seededRandom } from "../random.js";
import { ratioOf } from "../results.js";
import { sameJson } from "../same-json.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const PAYLOADS = 8;
/** Code units of one delta. */
const DELTA = 12;
const CALL = "call_1";

/** The value of a text that stops anywhere. */
export type PartialParse = (text: string) => unknown;

/** partial-json in its widest form, where it is installed: it is no part of the package. */
export function partialJson(): Promise<PartialParse | undefined> {
  return import("partial-json").then(
    ({ Allow, parse }) =>
      (text) =>
        parse(text, Allow.ALL) as unknown,
    () => undefined,
  );
}

/** Something that shows the arguments of a call while they stream. */
interface Shower {
  name: string;
  side: Side;
  open(): { push(chunk: Uint8Array): void; value(): unknown; close(): void };
}

function engineShower(engine: Engine): Shower {
  return {
    name: engineName(engine.kind),
    side: engine.kind === "js" ? "js" : "wasm",
    open() {
      const reducer: Reducer = engine.createReducer({ protocol: "ag-ui", transport: "json" });
      for (const event of START) reducer.push(bytesOf(event));
      return {
        push: (chunk) => void reducer.push(chunk),
        value: () => reducer.partialArgs(CALL),
        close: () => reducer.close(),
      };
    },
  };
}

/** What a program does that has no such reader: it keeps the text, and reads all of it again. */
function library(parse: PartialParse): Shower {
  return {
    name: "JSON.parse + partial-json",
    side: "js",
    open() {
      let text = "";
      return {
        push(chunk) {
          text += (JSON.parse(decoder.decode(chunk)) as { delta: string }).delta;
        },
        value: () => parse(text),
        close() {},
      };
    },
  };
}

const START: AguiEvent[] = [
  { type: "RUN_STARTED", threadId: "thread_1", runId: "run_1" },
  { type: "TOOL_CALL_START", toolCallId: CALL, toolCallName: "edit" },
];
const bytesOf = (event: AguiEvent): Uint8Array => encoder.encode(JSON.stringify(event));

interface Payload {
  chunks: Uint8Array[];
  /** The arguments in the end. */
  expected: unknown;
  /** What they are after so many chunks, where these end inside of the long text. */
  between: Map<number, unknown>;
}

/** The arguments of a call that writes a file: some members around one long text with escapes in it. */
function payloadOf(bytes: number, seed: number): Payload {
  const random = seededRandom(seed);
  const head = { path: `src/file-${seed}.ts`, options: { create: true, mode: null, lines: [1, 20, 300] } };
  const words: string[] = [];
  for (let length = 0; length < bytes; length += words.at(-1)!.length) words.push(delta(random, 0.15));
  const expected = { ...head, content: words.join(""), summary: "done" };
  const text = JSON.stringify(expected);
  const opening = `${JSON.stringify(head).slice(0, -1)},"content":"`;
  const end = opening.length + JSON.stringify(expected.content).length - 2;
  const chunks: Uint8Array[] = [];
  const between = new Map<number, unknown>();
  for (let at = 0; at < text.length; at += DELTA) {
    chunks.push(bytesOf({ type: "TOOL_CALL_ARGS", toolCallId: CALL, delta: text.slice(at, at + DELTA) }));
    const to = at + DELTA;
    // What lies behind a backslash or a surrogate half is held back by some and not by others, and partial-json drops a blank at the end.
    if (to > opening.length && to < end && !/[\\\ud800-\udfff]|\s$/.test(text.slice(to - 6, to))) {
      between.set(chunks.length, { ...head, content: JSON.parse(`"${text.slice(opening.length, to)}"`) });
    }
  }
  return { chunks, expected, between };
}

/** @throws WrongAnswer where a value on the way is not what the text says so far */
function checkOnTheWay({ name, open }: Shower, { chunks, between }: Payload): void {
  const shown = open();
  for (let count = 1; count <= chunks.length; count++) {
    shown.push(chunks[count - 1]!);
    const value = shown.value();
    if (between.has(count) && !sameJson(value, between.get(count))) throw new WrongAnswer(name, 0);
  }
  shown.close();
}

function partialCase(id: string, title: string, bytes: number): Case {
  return {
    id: `ag-ui/partial/${id}`,
    group: "AG-UI tool arguments, looked at after each chunk",
    title: `arguments of ${title} in chunks of ${DELTA} characters`,
    unit: "ns/event",
    run(context) {
      const payloads = Array.from({ length: PAYLOADS }, (_, number) => payloadOf(bytes, 17_000 + number));
      const showers = runningEngines(context).map(engineShower);
      if (context.partialJson !== undefined) showers.push(library(context.partialJson));
      for (const shower of showers) checkOnTheWay(shower, payloads[0]!);
      const contenders = showers.map(({ name, side, open }): Contender => {
        return {
          name,
          side,
          prepare(payload) {
            const shown = open();
            const { chunks } = payloads[payload]!;
            return {
              run() {
                for (let index = 0; index < chunks.length; index++) {
                  shown.push(chunks[index]!);
                  sink.value = shown.value();
                }
              },
              answer: () => shown.value(),
              close: () => shown.close(),
            };
          },
        };
      });
      const trial: Trial = {
        contenders,
        payloads: PAYLOADS,
        verified: PAYLOADS,
        expected: (payload) => payloads[payload]!.expected,
        ops: payloads[0]!.chunks.length,
      };
      const outcome = measureTrial(trial, "ns/event", context.mode, { rounds: [5, 100], iterations: 2 });
      // against the library, which is what the row is about; our own js engine stands beside it
      const ratio = ratioOf(outcome.contenders.filter(({ name }) => name !== engineName("js")));
      return { contenders: outcome.contenders, ...(ratio === undefined ? {} : { ratio }) };
    },
  };
}

/** The value of tool arguments while they stream: a reader that goes on against one that begins anew. */
export const partialCases: Case[] = [partialCase("1k", "1 KB", 1_000), partialCase("20k", "20 KB", 20_000)];
