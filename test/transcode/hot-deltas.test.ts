import { describe, expect, it } from "vitest";
import type { Transport } from "../../src/engine/contract.js";
import { coreCounters } from "../../src/engine/wasm/engine.js";
import { concat } from "../support/bytes.js";
import { type Chunking, everyN, ONE_BYTE, randomCuts, WHOLE } from "../support/chunking.js";
import { engine, KINDS, openCore, WASM_KINDS } from "../support/engines.js";
import { messageOf, TO, type Transcript, transcode } from "../support/transcoding.js";

const CHUNKINGS: readonly Chunking[] = [
  WHOLE,
  ONE_BYTE,
  randomCuts(7),
  { name: "every 300", split: (bytes) => everyN(bytes, 300) },
];

/** A run whose state is changed by these operations, one event each. */
function run(operations: readonly string[]): string[] {
  return [
    '{"type":"RUN_STARTED","threadId":"t","runId":"r"}',
    '{"type":"STATE_SNAPSHOT","snapshot":{"n":0,"text":"","list":[1,{"deep":[]}]}}',
    ...operations.map((operation) => `{"type":"STATE_DELTA","delta":[${operation}]}`),
    '{"type":"RUN_FINISHED","threadId":"t","runId":"r"}',
  ];
}

const replace = (path: string, value: string): string => `{"op":"replace","path":"${path}","value":${value}}`;

const OPERATIONS: Readonly<Record<string, readonly string[]>> = {
  ordinary: Array.from({ length: 30 }, (_, i) => replace(i % 3 ? "/n" : "/text", i % 3 ? `${i}` : `"é \\n${i}"`)),
  "of every kind": [
    '{"op":"add","path":"/list/-","value":{"k":null}}',
    '{"op":"move","from":"/text","path":"/moved"}',
    '{"op":"copy","from":"/list","path":"/copied"}',
    '{"op":"test","path":"/n","value":0}',
    '{"op":"remove","path":"/list/0"}',
    replace("/list/0", '{"a":[true,false,1.5,-0,1e-7]}'),
  ],
  "that do not apply": [replace("/none", "1"), '{"op":"test","path":"/n","value":7}', replace("/n", "2")],
  "with numbers beyond a double": [
    replace("/n", "1"),
    replace("/n", "1e400"),
    replace("/n", "[2,-1e999]"),
    replace("/n", "3"),
  ],
  "with numbers that lose digits": [
    replace("/n", "1"),
    replace("/n", "0.1000000000000000000001"),
    replace("/list/1", '{"x":18446744073709551617}'),
    replace("/n", "1e-400"),
  ],
  "with halves of characters": [replace("/text", '"\\ud83d"'), replace("/text", '"\\ude00"'), replace("/text", '"ok"')],
  "with escapes that are not the shortest": [replace("/text", '"\\u0041\\/"'), replace("/n", '"\\u0001"')],
};

/** The same events in a spelling that every short road leaves alone. */
const spaced = (json: string): string => json.replace("{", "{ ");

function seen({ output, warnings, errors, status, stats }: Transcript): unknown {
  // the other spelling is longer
  const told = [...warnings, ...errors].map((record) => ({ ...record, byteOffset: undefined }));
  return [Buffer.from(output).toString("latin1"), told, status, stats];
}

const FROM: readonly Transport[] = ["sse", "ndjson", "msgpack", "protobuf"];

/** What the writers of the tests have no form for on a binary wire. */
const TEXT_ALONE = /1e400|1e999|\\ud/;

describe.each(KINDS)("deltas of a state on their way to another wire (%s)", (kind) => {
  describe.each(FROM)("from %s", (from) => {
    it.each(Object.keys(OPERATIONS))("%s: as those in another spelling, to every wire and at every cut", (name) => {
      const isText = from === "sse" || from === "ndjson";
      const events = run(OPERATIONS[name]!.filter((operation) => isText || !TEXT_ALONE.test(operation)));
      for (const to of TO["ag-ui"]) {
        for (const onDeltaFailure of ["warn", "fail", "upsert"] as const) {
          const options = { protocol: "ag-ui", from, to, onDeltaFailure, onViolation: "skip-event" } as const;
          const body = (spell: (json: string) => string): Uint8Array =>
            concat(events.map((event) => messageOf(from, spell(event))));
          const wanted = seen(transcode(engine("js"), options, [body(spaced)]));
          for (const { name: cut, split } of CHUNKINGS) {
            const label = `${to}, ${onDeltaFailure}, ${cut}`;
            expect(seen(transcode(engine(kind), options, split(body((json) => json)))), label).toEqual(wanted);
          }
        }
      }
    });
  });
});

describe.each(WASM_KINDS)("ordinary deltas of a state, on %s", (kind) => {
  it.each(FROM.flatMap((from) => TO["ag-ui"].map((to) => [from, to] as const)))(
    "%s to %s go the short road",
    (from, to) => {
      const { core, engine: own } = openCore(kind);
      const events = run(OPERATIONS.ordinary!);
      const { output, warnings, errors } = transcode(own, { protocol: "ag-ui", from, to }, [
        concat(events.map((event) => messageOf(from, event))),
      ]);
      expect([warnings, errors]).toEqual([[], []]);
      expect(Buffer.from(output).equals(Buffer.from(concat(events.map((event) => messageOf(to, event)))))).toBe(true);
      expect(coreCounters(core).quickDeltas).toBe(OPERATIONS.ordinary!.length);
      own.close();
    },
  );
});
