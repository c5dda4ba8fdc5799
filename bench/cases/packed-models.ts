import type { Engine } from "../../src/engine/contract.js";
import { type Case, measureTrial, runningEngines } from "../case.js";
import type { Model } from "../contenders/contender.js";
import { createReducer, engineName } from "../contenders/engines.js";
import { type MsgpackLibrary, msgpackLibraries } from "../contenders/msgpack.js";
import { type FoldPayload, storedModel } from "../fixtures.js";
import type { Contender } from "../measure.js";
import { readPacked, wireMessages } from "../wires.js";
import { engineWay, type Live, modelWay, takeTrial, type Way } from "./snapshot.js";

const SIZES = [5, 50, 500];
const GROUP = "Models as MessagePack";

/** Documents of one sample, or payloads: fewer of large ones, which all stay alive. */
const countOf = (kilobytes: number) => (kilobytes > 100 ? 4 : 16);

const read = (taken: unknown): unknown => readPacked(taken as Uint8Array).value;

function snapshotCase(kilobytes: number): Case {
  return {
    id: `msgpack/snapshot/${kilobytes}k`,
    group: GROUP,
    title: `snapshot of ${kilobytes} KB, copied out`,
    unit: "us",
    run(context) {
      const documents = Array.from({ length: countOf(kilobytes) }, (_, number): FoldPayload => {
        const { model } = storedModel(kilobytes * 1000, 21_000 + number);
        return { events: [{ op: "start", seq: 1, model }], expected: new Map([["", model]]) };
      });
      const ways = [
        ...runningEngines(context).map((engine) =>
          engineWay(engine, (reducer) => reducer.snapshotBytes({ format: "msgpack" }), read),
        ),
        ...msgpackLibraries().map(({ name, encode }) => modelWay(`${name} of a mutable model`, encode, read)),
      ];
      return measureTrial(takeTrial(ways as Way<Live>[], documents), "us", context.mode, {
        rounds: [6, 60],
        iterations: 2,
      });
    },
  };
}

interface Packed {
  model: Model;
  bytes: Uint8Array;
}

function engineLoad(engine: Engine, stored: Packed[]): Contender {
  return {
    name: engineName(engine.kind),
    side: engine.kind === "js" ? "js" : "wasm",
    prepare(payload) {
      const reducer = createReducer(engine, "msgpack");
      const { bytes } = stored[payload]!;
      return {
        run: () => reducer.load(bytes, { format: "msgpack" }),
        answer: () => reducer.snapshot(),
        close: () => reducer.close(),
      };
    },
  };
}

/** What a program without the library does to go on from stored bytes: decode them, and index the blocks by id. */
function libraryLoad({ name, decode }: MsgpackLibrary, stored: Packed[]): Contender {
  return {
    name,
    side: "js",
    prepare(payload) {
      const { bytes } = stored[payload]!;
      let loaded: { model: Model; blocks: Map<string, unknown> } | undefined;
      return {
        run() {
          const model = decode(bytes) as Model;
          loaded = { model, blocks: new Map(model.blocks.map((block) => [block.id as string, block])) };
          return loaded;
        },
        answer: () => (loaded?.blocks.size === loaded?.model.blocks.length ? loaded?.model : undefined),
        close() {},
      };
    },
  };
}

function loadCase(kilobytes: number): Case {
  return {
    id: `msgpack/load/${kilobytes}k`,
    group: GROUP,
    title: `load of ${kilobytes} KB`,
    unit: "us",
    run(context) {
      const stored = Array.from({ length: countOf(kilobytes) }, (_, number): Packed => {
        const { model } = storedModel(kilobytes * 1000, 22_000 + number);
        return { model, bytes: wireMessages("msgpack", [model])[0]! };
      });
      const contenders = [
        ...runningEngines(context).map((engine) => engineLoad(engine, stored)),
        ...msgpackLibraries().map((library) => libraryLoad(library, stored)),
      ];
      return measureTrial(
        {
          contenders,
          payloads: stored.length,
          verified: stored.length,
          expected: (payload) => stored[payload]!.model,
          ops: 1,
        },
        "us",
        context.mode,
      );
    },
  };
}

/** A model out of the reducer and into it as MessagePack, against the libraries and a model that is mutated. */
export const packedModelCases: Case[] = [...SIZES.map(snapshotCase), ...SIZES.map(loadCase)];
