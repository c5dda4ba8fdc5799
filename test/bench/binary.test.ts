import { describe, expect, it } from "vitest";
import { textRun } from "../../bench/agui/fixtures.js";
import { mixedRun, toolRun } from "../../bench/agui/runs.js";
import type { FoldContender } from "../../bench/contenders/contender.js";
import { type EncodedWire, type EventObject, encodeContenders } from "../../bench/contenders/encoders.js";
import { engineContender, loadEngines } from "../../bench/contenders/engines.js";
import { msgpackLibraries } from "../../bench/contenders/msgpack.js";
import { msgpackFolders } from "../../bench/contenders/msgpack-folder.js";
import {
  engineTranscoder,
  libraryTranscoders,
  type Route,
  readWritten,
  transcodes,
} from "../../bench/contenders/transcoders.js";
import { foldPayload, rechunk, storedModel } from "../../bench/fixtures.js";
import { PatchedState } from "../../bench/patches.js";
import { readEvents, readPacked, wireMessages } from "../../bench/wires.js";

const SHAPE = { events: 300, blocks: 3, streams: 1, odd: 0.15, shapes: 8, mixed: 0.15 };
const loaded = loadEngines().flatMap(({ engine }) => (engine === undefined ? [] : [engine]));

it("every MessagePack library takes part in a checkout", () => {
  expect(msgpackLibraries().map(({ name }) => name)).toEqual(["@msgpack/msgpack", "msgpackr"]);
});

describe.each([...loaded.map((engine) => engineContender(engine, "msgpack")), ...msgpackFolders()])(
  "AgentUE over MessagePack: $name",
  ({ open }: FoldContender) => {
    const fold = (chunks: Uint8Array[], ids: Iterable<string>) => {
      const folder = open();
      for (const chunk of chunks) folder.push(chunk);
      const models = new Map([...ids].map((id) => [id, structuredClone(folder.value(id))]));
      folder.close();
      return models;
    };

    it.each([1, 3, 64])("folds what the fixtures say at every chunk size, %i streams", (streams) => {
      const { events, expected } = foldPayload({ ...SHAPE, streams }, 5);
      const messages = wireMessages("msgpack", events);
      for (const chunks of [messages, ...[5, 4096, 65_536].map((size) => rechunk(messages, size))])
        expect(fold(chunks, expected.keys())).toEqual(expected);
    });

    it("takes empty chunks, and what the libraries write", () => {
      const { events, expected } = foldPayload(SHAPE, 6);
      for (const { encode } of msgpackLibraries()) {
        const messages = events.map((event) => encode(event).slice());
        const chunks = rechunk(messages, 333).flatMap((chunk) => [chunk, new Uint8Array()]);
        expect(fold(chunks, [""])).toEqual(expected);
      }
    });

    it("folds patches", () => {
      const state = new PatchedState(20_000, 5, (events) => wireMessages("msgpack", events));
      const messages = [state.start, ...state.touch(), ...state.next(500)];
      for (const chunks of [messages, rechunk(messages, 65_536)])
        expect(fold(chunks, [""])).toEqual(new Map([["", state.model]]));
    });
  },
);

describe("stored models", () => {
  it.each(msgpackLibraries())("come back from $name as they were", ({ encode, decode }) => {
    const { model } = storedModel(20_000, 7);
    const ours = wireMessages("msgpack", [model])[0]!;
    expect(readPacked(encode(model)).value).toEqual(model);
    expect(decode(ours)).toEqual(model);
    expect(decode(encode(model))).toEqual(model);
  });

  it.each(loaded)("go into $kind and out of it", (engine) => {
    const { model } = storedModel(20_000, 8);
    const bytes = wireMessages("msgpack", [model])[0]!;
    const reducer = engine.createReducer({ protocol: "agentue", transport: "msgpack" });
    reducer.load(bytes, { format: "msgpack" });
    expect(reducer.snapshot()).toEqual(model);
    const packed = reducer.snapshotBytes({ format: "msgpack" });
    for (const { decode } of msgpackLibraries()) expect(decode(packed)).toEqual(model);
    reducer.close();
  });
});

const runs = [textRun(300, 5, 0.15, 9), toolRun(300, 5, 0.15, 9), mixedRun(4, 0.15, 9)].map(({ events }) => events);

describe.each(["sse", "msgpack", "protobuf"] satisfies EncodedWire[])("readers of %s", (wire) => {
  it("and the libraries' give the same events", () => {
    const sessions: object[][] = wire === "protobuf" ? runs : [...runs, foldPayload(SHAPE, 10).events];
    for (const events of sessions) {
      const messages = wireMessages(wire, events);
      expect(readEvents(wire, Buffer.concat(messages))).toEqual(events);
      expect(readWritten(wire, rechunk(messages, 100))).toEqual(events);
    }
  });

  it("give a timestamp where there is one", () => {
    const events = [
      { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "x", timestamp: 1_767_600_000_000 },
      { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: "x" },
    ];
    expect(readWritten(wire, wireMessages(wire, events))).toEqual(events);
  });

  it.each(encodeContenders(wire))("read back what $name writes", ({ encode, encodeAll }) => {
    const measured = runs[0]!.filter(({ type }) => type === "TEXT_MESSAGE_CONTENT") as EventObject[];
    const snapshots = [{ type: "STATE_SNAPSHOT", snapshot: { a: [1, null, "x", { b: true }] } }];
    for (const events of [measured, snapshots]) {
      expect(readEvents(wire, encodeAll(events))).toEqual(events);
      expect(events.flatMap((event) => readEvents(wire, encode(event)))).toEqual(events);
    }
  });
});

const ROUTES = (["sse", "msgpack", "protobuf"] satisfies EncodedWire[]).flatMap((from) =>
  (["sse", "msgpack", "protobuf"] satisfies EncodedWire[]).flatMap((to) =>
    from === to ? [] : (["ag-ui", "agentue"] as const).map((protocol) => ({ protocol, from, to })),
  ),
);

describe.each(ROUTES.filter(({ protocol, from, to }) => protocol === "ag-ui" || ![from, to].includes("protobuf")))(
  "$protocol from $from to $to",
  (route) => {
    const sessions: object[][] = route.protocol === "ag-ui" ? runs : [foldPayload(SHAPE, 11).events];
    const contenders = [true, false].flatMap((enforce) => {
      const full: Route = { ...route, enforce };
      return loaded.filter(transcodes).map((engine) => {
        const contender = engineTranscoder(engine, full);
        return { ...contender, name: `${contender.name}, ${enforce ? "enforced" : "unenforced"}` };
      });
    });
    const libraries = libraryTranscoders({ ...route, enforce: true });

    it("has a pair of libraries and the WebAssembly engines", () => {
      expect(libraries).toHaveLength(route.from === "sse" ? 2 : 1);
      expect(contenders.length).toBeGreaterThanOrEqual(2);
    });

    it.each([...contenders, ...libraries])("$name lets every event out, at every chunk size", ({ open }) => {
      for (const events of sessions) {
        const messages = wireMessages(route.from, events);
        for (const chunks of [messages, ...[5, 333, 65_536].map((size) => rechunk(messages, size))]) {
          const transcoding = open();
          const written = chunks.map((chunk) => transcoding.push(chunk));
          written.push(transcoding.finish());
          transcoding.close();
          expect(readWritten(route.to, written)).toEqual(events);
          expect(readEvents(route.to, Buffer.concat(written))).toEqual(events);
        }
      }
    });
  },
);
