import { textRun } from "../agui/fixtures.js";
import { mixedRun } from "../agui/runs.js";
import { type Case, measureTrial, runningEngines } from "../case.js";
import { chunkTrial } from "../chunks.js";
import {
  engineTranscoder,
  libraryTranscoders,
  type Route,
  readWritten,
  type TranscodeContender,
  transcodes,
} from "../contenders/transcoders.js";
import { foldPayload, rechunk } from "../fixtures.js";
import type { Trial } from "../measure.js";
import { wireMessages } from "../wires.js";

const PAYLOADS = 16;
const CHUNK = 65_536;

type Traffic = "tokens" | "mixed";

function eventsOf({ protocol }: Route, traffic: Traffic, seed: number): object[] {
  if (protocol === "ag-ui")
    return (traffic === "tokens" ? textRun(4000, 20, 0.15, seed) : mixedRun(40, 0.15, seed)).events;
  const mixed = traffic === "tokens" ? 0 : 0.15;
  return foldPayload({ events: 4000, blocks: 20, streams: 1, odd: 0.15, shapes: 8, mixed }, seed).events;
}

/** Bodies from the first chunk to the end: every event has to come out, whoever wrote it. `count`: how many go in, where that is another number. */
export function transcodeTrial(
  contenders: TranscodeContender[],
  route: Pick<Route, "to">,
  payloads: { events: object[]; chunks: Uint8Array[]; count?: number }[],
  verified: number,
): Trial {
  return chunkTrial(
    contenders,
    payloads,
    verified,
    payloads[0]!.count ?? payloads[0]!.events.length,
    ({ open }) => {
      const transcoding = open();
      const written: Uint8Array[] = [];
      return {
        into: { push: (chunk) => written.push(transcoding.push(chunk)) },
        end: () => written.push(transcoding.finish()),
        answer: () => readWritten(route.to, written),
        close: () => transcoding.close(),
      };
    },
    ({ events }) => events,
  );
}

const NAMES = { sse: "SSE", msgpack: "MessagePack", protobuf: "protobuf", agentue: "AgentUE", "ag-ui": "AG-UI" };

function transcodeCase(route: Route, traffic: Traffic): Case {
  const { protocol, from, to, enforce } = route;
  const rules = enforce ? "enforced" : "unenforced";
  return {
    id: `transcode/${protocol}/${from}-${to}/${traffic}/${rules}`,
    group: "Transcoding, 64 KiB chunks",
    title: `${NAMES[from]} to ${NAMES[to]}, ${NAMES[protocol]} ${traffic}, ${rules}`,
    unit: "ns/event",
    target: { kind: "ratio-at-least", value: 8 },
    run(context) {
      const payloads = Array.from({ length: PAYLOADS }, (_, number) => {
        const events = eventsOf(route, traffic, 20_000 + number);
        return { events, chunks: rechunk(wireMessages(from, events), CHUNK) };
      });
      const engines = runningEngines(context).filter(transcodes);
      const contenders = [...engines.map((engine) => engineTranscoder(engine, route)), ...libraryTranscoders(route)];
      const quick = context.mode === "quick";
      const trial = transcodeTrial(contenders, route, payloads, quick ? 2 : PAYLOADS);
      return measureTrial(trial, "ns/event", context.mode, quick ? { iterations: 2 } : {});
    },
  };
}

const ROUTES = [
  ["ag-ui", "sse", "msgpack"],
  ["ag-ui", "sse", "protobuf"],
  ["ag-ui", "msgpack", "sse"],
  ["ag-ui", "msgpack", "protobuf"],
  ["ag-ui", "protobuf", "sse"],
  ["ag-ui", "protobuf", "msgpack"],
  ["agentue", "sse", "msgpack"],
  ["agentue", "msgpack", "sse"],
] as const;

/** Every route in both ways for tokens, and for mixed events as a program has it by default. */
export const transcodeCases: Case[] = ROUTES.flatMap(([protocol, from, to]) => [
  transcodeCase({ protocol, from, to, enforce: true }, "tokens"),
  transcodeCase({ protocol, from, to, enforce: false }, "tokens"),
  transcodeCase({ protocol, from, to, enforce: true }, "mixed"),
]);
