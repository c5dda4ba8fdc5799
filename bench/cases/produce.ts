import { createProducer } from "../../src/agui/index.js";
import type { AGUIEvent } from "../../src/agui/types.generated.js";
import { createEncoder } from "../../src/transport/encode.js";
import { textRun } from "../agui/fixtures.js";
import { type BenchContext, type Case, measureTrial } from "../case.js";
import type { Contender } from "../measure.js";
import { readEvents } from "../wires.js";

const PAYLOADS = 16;
const EVENTS = 1000;

/** A way to write the events of a run: made anew for each of them. */
function contender(name: string, make: () => (event: AGUIEvent) => Uint8Array, runs: AGUIEvent[][]): Contender {
  return {
    name,
    side: "js",
    prepare(payload) {
      const events = runs[payload]!;
      const write = make();
      const written: Uint8Array[] = [];
      return {
        run() {
          for (const event of events) written.push(write(event));
          return written;
        },
        answer: () => written.flatMap((bytes) => readEvents("sse", bytes)),
        close() {},
      };
    },
  };
}

/** What a producer's judging costs beside writing: the same run with and without it. */
export const produceCases: Case[] = [
  {
    id: "produce/sse/ag-ui",
    group: "Objects to bytes",
    title: `produce sse, AG-UI tokens, ${EVENTS} events judged as a consumer would`,
    unit: "ns/event",
    target: { kind: "figure-at-most", value: 3 },
    run(context: BenchContext) {
      const runs = Array.from({ length: PAYLOADS }, (_, number) => {
        return textRun(EVENTS, 20, 0.15, 12_000 + number).events as unknown as AGUIEvent[];
      });
      const pool = true;
      const contenders = [
        contender(
          "createProducer",
          () => {
            const producer = createProducer({ transport: "sse", pool, protocolVersion: null });
            return (event) => producer.emit(event);
          },
          runs,
        ),
        contender(
          "createEncoder, nothing judged",
          () => {
            const encoder = createEncoder({ transport: "sse", pool });
            return (event) => encoder.encode(event);
          },
          runs,
        ),
      ];
      const outcome = measureTrial(
        {
          contenders,
          payloads: PAYLOADS,
          verified: context.mode === "quick" ? 2 : PAYLOADS,
          expected: (payload) => runs[payload],
          ops: EVENTS,
        },
        "ns/event",
        context.mode,
      );
      const [judged, written] = outcome.contenders;
      const value = judged!.median / written!.median;
      return {
        ...outcome,
        figure: { value, text: `a judged event takes ${value.toFixed(2)} times as long as a written one` },
      };
    },
  },
];
