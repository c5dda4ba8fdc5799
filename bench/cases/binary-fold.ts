import { aguiEngine, binaryLibraries } from "../agui/contenders.js";
import { type TextRun, textRun } from "../agui/fixtures.js";
import { aguiFoldTrial } from "../agui/fold.js";
import { mixedRun, toolRun } from "../agui/runs.js";
import { type BenchContext, type Case, measureTrial, type Outcome, runningEngines, withRatios } from "../case.js";
import { engineContender } from "../contenders/engines.js";
import { msgpackFolders } from "../contenders/msgpack-folder.js";
import { type FoldShape, foldPayload, rechunk } from "../fixtures.js";
import { PatchedState } from "../patches.js";
import { wireMessages } from "../wires.js";
import { foldTrial } from "./fold.js";
import { measurePatches } from "./patches.js";

const PAYLOADS = 16;
const CHUNK = 65_536;

type Wire = "msgpack" | "protobuf";
type Chunking = "one" | "64k";

/** What a row is expected to show against each library. */
const TARGETS: Record<Wire, Record<Chunking, Record<string, number>>> = {
  msgpack: { one: { "@msgpack/msgpack": 6, msgpackr: 4 }, "64k": { "@msgpack/msgpack": 10, msgpackr: 8 } },
  protobuf: { one: { protobufjs: 5, "@ag-ui/proto": 30 }, "64k": { protobufjs: 17, "@ag-ui/proto": 100 } },
};

function cut(messages: Uint8Array[], chunking: Chunking): Uint8Array[] {
  return chunking === "one" ? messages : rechunk(messages, CHUNK);
}

function binaryCase(
  wire: Wire,
  chunking: Chunking,
  id: string,
  title: string,
  run: (context: BenchContext) => Outcome,
): Case {
  const over = TARGETS[wire][chunking];
  const chunks = chunking === "one" ? "one event per chunk" : "64 KiB chunks";
  return {
    id: `${wire}/${id.replace("*", chunking)}`,
    group: `${wire === "msgpack" ? "MessagePack" : "Protobuf"}, ${chunks}`,
    title,
    unit: "ns/event",
    target: { kind: "ratio-to-each", over },
    run: (context) => withRatios(run(context), Object.keys(over)),
  };
}

function agentueCase(chunking: Chunking, id: string, title: string, shape: FoldShape): Case {
  return binaryCase("msgpack", chunking, `agentue/*/${id}`, title, (context) => {
    const engines = runningEngines(context).map((engine) => engineContender(engine, "msgpack"));
    const payloads = Array.from({ length: PAYLOADS }, (_, number) => {
      const { events, expected } = foldPayload(shape, 17_000 + number);
      return { chunks: cut(wireMessages("msgpack", events), chunking), expected };
    });
    const quick = context.mode === "quick";
    const trial = foldTrial([...engines, ...msgpackFolders()], payloads, quick ? 2 : PAYLOADS, shape.events);
    return measureTrial(trial, "ns/event", context.mode, quick ? { iterations: 2 } : {});
  });
}

function patchCase(chunking: Chunking): Case {
  const title = chunking === "one" ? "a patch of a 100 KB state" : "a patch of a 100 KB state, 200 in a chunk";
  return binaryCase("msgpack", chunking, "agentue/*/patches", title, (context) => {
    const engines = runningEngines(context).map((engine) => engineContender(engine, "msgpack"));
    const write = (events: object[]) => wireMessages("msgpack", events);
    const states = Array.from({ length: 8 }, (_, number) => new PatchedState(100_000, 18_000 + number, write));
    return measurePatches(context, [...engines, ...msgpackFolders()], states, (messages) => cut(messages, chunking));
  });
}

function aguiCase(wire: Wire, chunking: Chunking, id: string, title: string, run: (seed: number) => TextRun): Case {
  const path = wire === "msgpack" ? `ag-ui/*/${id}` : `*/${id}`;
  return binaryCase(wire, chunking, path, title, (context) => {
    const payloads = Array.from({ length: PAYLOADS }, (_, number) => {
      const { events, expected } = run(19_000 + number);
      return { chunks: cut(wireMessages(wire, events), chunking), events: events.length, expected };
    });
    const contenders = [...runningEngines(context).map(aguiEngine), ...binaryLibraries(wire)];
    const quick = context.mode === "quick";
    const trial = aguiFoldTrial(contenders, wire, payloads, quick ? 2 : PAYLOADS);
    return measureTrial(trial, "ns/event", context.mode, quick ? { iterations: 2 } : {});
  });
}

function aguiCases(wire: Wire, chunking: Chunking): Case[] {
  return [
    aguiCase(wire, chunking, "text", "AG-UI, TEXT_MESSAGE_CONTENT, 20 messages, 15 % odd", (seed) =>
      textRun(4000, 20, 0.15, seed),
    ),
    aguiCase(wire, chunking, "args", "AG-UI, TOOL_CALL_ARGS, 20 calls, 15 % odd", (seed) =>
      toolRun(4000, 20, 0.15, seed),
    ),
    aguiCase(wire, chunking, "mixed", "AG-UI, a mixed run, 15 % odd", (seed) => mixedRun(40, 0.15, seed)),
  ];
}

const SHAPE = { odd: 0.15, shapes: 8, mixed: 0 };

/** Folds over MessagePack, against its libraries. */
export const msgpackCases: Case[] = (["one", "64k"] as const).flatMap((chunking) => [
  agentueCase(chunking, "50-blocks", "AgentUE, 50 blocks, 15 % odd, 8 shapes", {
    ...SHAPE,
    events: 10_000,
    blocks: 50,
    streams: 1,
  }),
  agentueCase(chunking, "64-streams", "AgentUE, 64 streams, 15 % odd, 8 shapes", {
    ...SHAPE,
    events: 12_800,
    blocks: 1,
    streams: 64,
  }),
  patchCase(chunking),
  ...aguiCases("msgpack", chunking),
]);

/** Folds over protobuf, against its libraries. */
export const protobufCases: Case[] = (["one", "64k"] as const).flatMap((chunking) => aguiCases("protobuf", chunking));
