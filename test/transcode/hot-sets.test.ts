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
  randomCuts(9),
  { name: "every 300", split: (bytes) => everyN(bytes, 300) },
];

type Change = (seq: number) => string;

const set =
  (field: string, value: string, more = ""): Change =>
  (seq) =>
    `{"op":"set","seq":${seq},"mask":"block.${field}"${more},"block":{"id":"a","${field}":${value}}}`;
const append =
  (delta: string): Change =>
  (seq) =>
    `{"op":"append","seq":${seq},"mask":"block.text","block":{"id":"a","text":${delta}}}`;

/** A stream whose one block is changed by these events. */
const stream = (changes: readonly Change[], id: string): string[] => {
  const named = (json: string): string =>
    id === "" ? json : json.replace(/"seq":\d+/, (seq) => `${seq},"stream_id":${JSON.stringify(id)}`);
  const block = '{"id":"a","type":"t","n":0,"text":"","list":[1]}';
  const start = `{"op":"start","seq":1,"model":{"version":"1.1","biz":"b","meta":{},"blocks":[${block}]}}`;
  return [start, ...changes.map((change, i) => change(i + 2)), `{"op":"end","seq":${changes.length + 2}}`].map(named);
};

const CHANGES: Readonly<Record<string, readonly Change[]>> = {
  ordinary: Array.from({ length: 30 }, (_, i) => (i % 3 ? set("n", `${i}`) : set("text", `"é \\n${i}"`))),
  "with other members": [
    set("n", "1", ',"ts":1767600000000'),
    set("n", "2", ',"event_type":"x"'),
    set("list", '[{"k":[]}]'),
  ],
  "that are refused": [
    set("none", "1"),
    set("id", '"b"'),
    set("n", "3"),
    (seq) => set("n", "4")(seq - 2),
    set("n", "5"),
  ],
  "with numbers beyond a double": [set("n", "1"), set("n", "1e400"), set("list", "[2,-1e999]"), set("n", "3")],
  "with numbers that lose digits": [
    set("n", "1"),
    set("n", "0.1000000000000000000001"),
    set("list", "[18446744073709551617]"),
  ],
  "with halves of characters": [set("text", '"\\ud83d"'), set("text", '"\\ude00"'), set("text", '"ok"')],
  "after a held half": [append('"\\ud83d"'), set("n", "1"), set("text", '"anew"'), append('"\\ude00"'), set("n", "2")],
  "with escapes that are not the shortest": [set("text", '"\\u0041\\/"'), set("n", '"\\u0001"')],
};

/** The same events in a spelling that every short road leaves alone. */
const spaced = (json: string): string => json.replace("{", "{ ");

function seen({ output, warnings, errors, status, stats }: Transcript): unknown {
  // the other spelling is longer
  const told = [...warnings, ...errors].map((record) => ({ ...record, byteOffset: undefined }));
  return [Buffer.from(output).toString("latin1"), told, status, stats];
}

const FROM: readonly Transport[] = ["sse", "ndjson", "msgpack"];

describe.each(KINDS)("patches of a field on their way to another wire (%s)", (kind) => {
  describe.each(FROM)("from %s", (from) => {
    it.each(Object.keys(CHANGES))("%s: as those in another spelling, to every wire and at every cut", (name) => {
      for (const id of ["", "s"]) {
        // what MessagePack has no form for does not come over it
        const events = stream(CHANGES[name]!, id).filter((event) => from !== "msgpack" || !/e400|e999/.test(event));
        for (const to of TO.agentue) {
          const options = { protocol: "agentue", from, to, onViolation: "skip-event" } as const;
          const body = (spell: (json: string) => string): Uint8Array =>
            concat(events.map((event) => messageOf(from, spell(event))));
          const wanted = seen(transcode(engine("js"), options, [body(spaced)]));
          for (const { name: cut, split } of CHUNKINGS) {
            const label = `${to}, stream "${id}", ${cut}`;
            expect(seen(transcode(engine(kind), options, split(body((json) => json)))), label).toEqual(wanted);
          }
        }
      }
    });
  });
});

describe.each(WASM_KINDS)("ordinary patches of a field, on %s", (kind) => {
  it.each(FROM.flatMap((from) => TO.agentue.map((to) => [from, to] as const)))(
    "%s to %s go the short road",
    (from, to) => {
      const { core, engine: own } = openCore(kind);
      const events = stream(CHANGES.ordinary!, "s");
      const { output, warnings, errors } = transcode(own, { protocol: "agentue", from, to }, [
        concat(events.map((event) => messageOf(from, event))),
      ]);
      expect([warnings, errors]).toEqual([[], []]);
      expect(Buffer.from(output).equals(Buffer.from(concat(events.map((event) => messageOf(to, event)))))).toBe(true);
      expect(coreCounters(core).quickDeltas).toBe(CHANGES.ordinary!.length);
      own.close();
    },
  );
});
