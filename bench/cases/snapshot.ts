import type { Engine, Reducer } from "../../src/engine/contract.js";
import { type Case, measureTrial, runningEngines } from "../case.js";
import type { Side } from "../contenders/contender.js";
import { createReducer, engineName } from "../contenders/engines.js";
import { textDecoder } from "../contenders/text-decoder.js";
import { documentPayload, type FoldPayload, rechunk, sseMessages, storedModel } from "../fixtures.js";
import { type Contender, sink, type Trial } from "../measure.js";

/** Documents that one sample goes through, one operation each. */
const DOCUMENTS = 16;
const TOKEN = " token";
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A document that a contender keeps alive between samples. */
export interface Live {
  push(chunk: Uint8Array): void;
}

/** A way to get the state of a live document out. */
export interface Way<L extends Live> {
  name: string;
  side: Side;
  open(): L;
  /** The timed operation. */
  take(live: L): unknown;
  /** The state as a value, from what `take` returned where that holds it. */
  read(live: L, taken: unknown): unknown;
}

/**
 * One sample takes the state of every document once. Before each sample one token is appended to every document, outside
 * of the clock, so that nobody can hand out the bytes of last time.
 */
export function takeTrial(ways: Way<Live>[], documents: FoldPayload[]): Trial {
  const wires = documents.map(({ events }) => rechunk(sseMessages(events), 65_536));
  const blockOf = (document: number, use: number) => {
    const { blocks } = documents[document]!.expected.get("")!;
    const texts = blocks.filter((block) => typeof block.content === "string");
    return texts[use % texts.length]!.id as string;
  };
  const contenders = ways.map((way): Contender => {
    let lives: Live[] | undefined;
    let uses = 0;
    return {
      name: way.name,
      side: way.side,
      prepare() {
        lives ??= wires.map((chunks) => {
          const live = way.open();
          for (const chunk of chunks) live.push(chunk);
          return live;
        });
        const use = uses++;
        lives.forEach((live, document) => {
          const seq = documents[document]!.events.length + 1 + use;
          const block = { id: blockOf(document, use), content: TOKEN };
          live.push(encoder.encode(`data: ${JSON.stringify({ op: "append", seq, mask: "block.content", block })}\n\n`));
        });
        const current = lives;
        return {
          run() {
            for (let index = 0; index < current.length; index++) sink.value = way.take(current[index]!);
          },
          answer: () => current.map((live) => way.read(live, way.take(live))),
          close() {},
        };
      },
    };
  });
  return {
    contenders,
    payloads: 1,
    verified: 2,
    // Trials are verified before anything else: the first answers hold one more token, the second two.
    expected: (lastUse) =>
      documents.map(({ expected }, document) => {
        const model = structuredClone(expected.get("")!);
        for (let use = 0; use <= lastUse; use++) {
          const block = model.blocks.find(({ id }) => id === blockOf(document, use))!;
          block.content += TOKEN;
        }
        return model;
      }),
    ops: documents.length,
  };
}

export interface LiveReducer extends Live {
  reducer: Reducer;
}

function openReducer(engine: Engine): LiveReducer {
  const reducer = createReducer(engine);
  return { reducer, push: (chunk) => reducer.push(chunk) };
}

function parse(bytes: unknown): unknown {
  return JSON.parse(decoder.decode(bytes as Uint8Array));
}

export function engineWay(
  engine: Engine,
  take: (reducer: Reducer) => unknown,
  read: (taken: unknown, reducer: Reducer) => unknown,
): Way<LiveReducer> {
  return {
    name: engineName(engine.kind),
    side: engine.kind === "js" ? "js" : "wasm",
    open: () => openReducer(engine),
    take: ({ reducer }) => take(reducer),
    read: ({ reducer }, taken) => read(taken, reducer),
  };
}

export interface LiveModel extends Live {
  model(): unknown;
}

/** A model that the hand-tuned reducer keeps, and a way to get it out. */
export function modelWay(
  name: string,
  take: (model: unknown) => unknown,
  read: (taken: unknown) => unknown,
): Way<LiveModel> {
  return {
    name,
    side: "js",
    open() {
      const folder = textDecoder.open();
      return { push: (chunk) => folder.push(chunk), model: () => folder.value("") };
    },
    take: (live) => take(live.model()),
    read: (_live, taken) => read(taken),
  };
}

const BYTES_OF_MODEL: Way<LiveModel>[] = [
  modelWay("JSON.stringify + TextEncoder", (model) => encoder.encode(JSON.stringify(model)), parse),
  modelWay("JSON.stringify + Buffer.from", (model) => Buffer.from(JSON.stringify(model)), parse),
];

function viewWay(engine: Engine): Way<LiveReducer> {
  return engineWay(
    engine,
    (reducer) => reducer.withSnapshotBytes((view) => view.length + view[0]!),
    (_taken, reducer) => reducer.withSnapshotBytes(parse),
  );
}

const SIZES = [5, 22, 50];

function bytesCase(kilobytes: number, view: boolean): Case {
  return {
    id: `snapshot/${view ? "view" : "copy"}/${kilobytes}k`,
    group: "Snapshot as JSON bytes",
    title: `${kilobytes} KB, ${view ? "as a view inside of a callback" : "copied out"}`,
    unit: "us",
    ...(view ? {} : { target: { kind: "ratio-at-least" as const, value: 10 } }),
    run(context) {
      const documents = Array.from({ length: DOCUMENTS }, (_, number) =>
        documentPayload(kilobytes * 1000, 0.15, 3000 + number),
      );
      const ours = runningEngines(context).map((engine) =>
        view ? viewWay(engine) : engineWay(engine, (reducer) => reducer.snapshotBytes(), parse),
      );
      return measureTrial(takeTrial([...ours, ...BYTES_OF_MODEL] as Way<Live>[], documents), "us", context.mode, {
        rounds: [6, 60],
        iterations: 2,
      });
    },
  };
}

function valueCase(kilobytes: number): Case {
  return {
    id: `snapshot/value/${kilobytes}k`,
    group: "Snapshot as a JavaScript value",
    title: `${kilobytes} KB of text and tool blocks`,
    unit: "us",
    run(context) {
      const documents = Array.from({ length: DOCUMENTS }, (_, number): FoldPayload => {
        const { model } = storedModel(kilobytes * 1000, 4000 + number);
        return { events: [{ op: "start", seq: 1, model }], expected: new Map([["", model]]) };
      });
      const same = (taken: unknown) => taken;
      const ways = [
        ...runningEngines(context).map((engine) => engineWay(engine, (reducer) => reducer.snapshot(), same)),
        modelWay("structuredClone", (model) => structuredClone(model), same),
        modelWay("JSON.parse(JSON.stringify)", (model) => JSON.parse(JSON.stringify(model)), same),
      ];
      return measureTrial(takeTrial(ways as Way<Live>[], documents), "us", context.mode, {
        rounds: [6, 60],
        iterations: 2,
      });
    },
  };
}

/** Getting the state out: as bytes for the next hop, and as a value for an application. */
export const snapshotCases: Case[] = [
  ...SIZES.map((size) => bytesCase(size, false)),
  ...SIZES.map((size) => bytesCase(size, true)),
  valueCase(22),
];
