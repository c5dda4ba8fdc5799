import { stateOf, textRun } from "../agui/fixtures.js";
import { type BenchContext, type Case, measureTrial, type Outcome } from "../case.js";
import { type EncodeContender, type EncodedWire, type EventObject, encodeContenders } from "../contenders/encoders.js";
import { foldPayload } from "../fixtures.js";
import type { Contender } from "../measure.js";
import { readEvents } from "../wires.js";

const PAYLOADS = 16;
const BATCH = 1000;
const SNAPSHOTS = 20;

/** What is written: token events of 100 to 170 bytes of JSON, or whole states of about 5 KB. */
type Kind = "agentue" | "ag-ui" | "snapshot";

function eventsOf(kind: Kind, number: number): EventObject[] {
  if (kind === "snapshot")
    return Array.from({ length: SNAPSHOTS }, (_, i) => ({
      type: "STATE_SNAPSHOT",
      snapshot: stateOf(5000, 9000 + number * SNAPSHOTS + i),
    }));
  if (kind === "ag-ui") {
    const { events } = textRun(BATCH + 200, 50, 0.15, 9000 + number);
    return events
      .filter(({ type }) => type === "TEXT_MESSAGE_CONTENT")
      .slice(0, BATCH)
      .map((event, i) => ({ ...event, timestamp: 1_767_600_000_000 + i * 7 }));
  }
  const shape = { events: BATCH + 1, blocks: 50, streams: 1, odd: 0.15, shapes: 8, mixed: 0 };
  return foldPayload(shape, 9000 + number).events.slice(1) as unknown as EventObject[];
}

function contenderOf(each: EncodeContender, wire: EncodedWire, payloads: EventObject[][], isBatch: boolean): Contender {
  return {
    name: each.name,
    side: "js",
    prepare(payload) {
      const events = payloads[payload]!;
      const written: Uint8Array[] = [];
      return {
        run() {
          if (isBatch) written.push(each.encodeAll(events));
          else for (let i = 0; i < events.length; i++) written[i] = each.encode(events[i]!);
          return written;
        },
        answer: () => written.flatMap((bytes) => readEvents(wire, bytes)),
        close() {},
      };
    },
  };
}

/** How our best way stands to the best one of the libraries: there is no WebAssembly here, so a row has no ratio. */
function compare({ contenders }: Outcome, all: EncodeContender[]): Outcome["figure"] {
  const least = (isOurs: boolean) =>
    contenders
      .filter((_, i) => all[i]!.isOurs === isOurs)
      .reduce<(typeof contenders)[number] | undefined>(
        (best, each) => (best === undefined || each.median < best.median ? each : best),
        undefined,
      );
  const mine = least(true)!;
  const other = least(false);
  if (other === undefined) return undefined;
  const value = mine.median / other.median;
  return { value, text: `${mine.name} takes ${value.toFixed(2)} times as long as ${other.name}, the best library` };
}

function encodeCase(wire: EncodedWire, kind: Kind, isBatch: boolean): Case {
  const what = { agentue: "AgentUE tokens", "ag-ui": "AG-UI tokens", snapshot: "5 KB STATE_SNAPSHOT" }[kind];
  return {
    id: `encode/${wire}/${kind}/${isBatch ? "batch" : "one"}`,
    group: "Objects to bytes",
    title: `encode ${wire}, ${what}, ${isBatch ? `${BATCH} events in one piece` : "one by one"}`,
    unit: "ns/event",
    target: { kind: "figure-at-most", value: 1 },
    run(context: BenchContext) {
      const payloads = Array.from({ length: PAYLOADS }, (_, number) => eventsOf(kind, number));
      const all = encodeContenders(wire);
      const contenders = all.map((each) => contenderOf(each, wire, payloads, isBatch));
      const outcome = measureTrial(
        {
          contenders,
          payloads: PAYLOADS,
          verified: context.mode === "quick" ? 2 : PAYLOADS,
          expected: (payload) => payloads[payload],
          ops: payloads[0]!.length,
        },
        "ns/event",
        context.mode,
      );
      const figure = compare(outcome, all);
      return figure === undefined ? outcome : { ...outcome, figure };
    },
  };
}

/** Writing events to each wire, against the libraries of that wire; all of it is JavaScript. */
export const encodeCases: Case[] = [
  encodeCase("sse", "agentue", false),
  encodeCase("sse", "ag-ui", false),
  encodeCase("sse", "snapshot", false),
  encodeCase("sse", "ag-ui", true),
  encodeCase("msgpack", "agentue", false),
  encodeCase("msgpack", "ag-ui", false),
  encodeCase("msgpack", "snapshot", false),
  encodeCase("msgpack", "ag-ui", true),
  encodeCase("protobuf", "ag-ui", false),
  encodeCase("protobuf", "snapshot", false),
  encodeCase("protobuf", "ag-ui", true),
];
