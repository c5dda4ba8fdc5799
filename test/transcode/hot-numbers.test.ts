import { describe, expect, it } from "vitest";
import type { Transport } from "../../src/engine/contract.js";
import { concat } from "../support/bytes.js";
import { type Chunking, everyN, ONE_BYTE, randomCuts, WHOLE } from "../support/chunking.js";
import { engine, KINDS } from "../support/engines.js";
import type { ErrorRecord, WarningRecord } from "../support/fold.js";
import { messageOf, seenOn, type Transcript, transcode } from "../support/transcoding.js";

const CHUNKINGS: readonly Chunking[] = [
  WHOLE,
  ONE_BYTE,
  randomCuts(5),
  { name: "every 700", split: (bytes) => everyN(bytes, 700) },
];
const STREAMS = ["", "s", "a stream of another name"] as const;
const TEXT: readonly Transport[] = ["sse", "ndjson"];
const ROUNDS = 40;

/** Tokens of equal form in three streams, one after the other: what the core learns to know. `spell` gives a token its numbers. */
function hot(spell: (i: number, seq: number) => { seq?: string; ts?: string; n?: string }): string[] {
  const open = STREAMS.map(
    (id) =>
      `{"op":"start","seq":1,"stream_id":${JSON.stringify(id)},"model":{"version":"1.1","biz":"b","meta":{},"blocks":[{"id":"a","type":"t","x":""}]}}`,
  );
  const tokens = Array.from({ length: ROUNDS * STREAMS.length }, (_, i) => {
    const seq = 2 + Math.floor(i / STREAMS.length);
    const numbers = spell(i, seq);
    const members = [
      '"op":"append"',
      `"seq":${numbers.seq ?? seq}`,
      ...(numbers.ts === undefined ? [] : [`"ts":${numbers.ts}`]),
      `"stream_id":${JSON.stringify(STREAMS[i % STREAMS.length])}`,
      '"mask":"block.x"',
      `"block":{"id":"a","x":"token ${i}"${numbers.n === undefined ? "" : `,"n":${numbers.n}`}}`,
    ];
    return `{${members.join(",")}}`;
  });
  return [...open, ...tokens];
}

/** Where a report about token `i` must point. */
const placeOf = (i: number, enforce: boolean): object => ({
  eventIndex: STREAMS.length + i,
  ...(enforce ? { streamId: STREAMS[i % STREAMS.length], seq: 2 + Math.floor(i / STREAMS.length) } : {}),
});
const told = (record: ErrorRecord | WarningRecord): object => {
  const { code, eventIndex, streamId, seq } = record;
  const subject = "subject" in record ? { subject: record.subject } : {};
  return JSON.parse(JSON.stringify({ code, eventIndex, streamId, seq, ...subject })) as object;
};
const all = Array.from({ length: ROUNDS * STREAMS.length }, (_, i) => i);

describe.each(KINDS)("numbers with exponents among hot tokens (%s)", (kind) => {
  function everyWay(
    events: readonly string[],
    check: (run: Transcript, enforce: boolean, label: string) => void,
  ): void {
    for (const from of TEXT) {
      const body = concat(events.map((event) => messageOf(from, event)));
      for (const enforce of [true, false]) {
        for (const { name, split } of CHUNKINGS) {
          const options = { protocol: "agentue", from, to: "msgpack", enforce } as const;
          const label = `${from}, ${name}, enforce ${enforce}`;
          check(transcode(engine(kind), options, split(body)), enforce, label);
        }
      }
    }
  }
  const written = (events: readonly string[]): Uint8Array =>
    concat(events.map((event) => messageOf("msgpack", seenOn("msgpack", event))));

  it.each([
    ["of the time", (_: number, seq: number) => ({ ts: `${seq}e0` })],
    ["of the time, large", () => ({ ts: "17676e8" })],
    ["of the sequence", (_: number, seq: number) => ({ seq: `${seq}e0` })],
    ["of the sequence, by fractions", (_: number, seq: number) => ({ seq: `${seq}.0`, ts: `${seq}0e-1` })],
    ["of another member of the block", () => ({ n: "1.5e3" })],
    ["among those without", (i: number) => ({ ts: i % 7 === 3 ? "5e0" : "5", n: i % 5 === 2 ? "1e0" : "1" })],
  ] as const)("%s: nothing is lost, and nothing is said", (_, spell) => {
    const events = hot(spell);
    const wanted = written(events);
    everyWay(events, (run, __, label) => {
      expect([run.errors, run.warnings], label).toEqual([[], []]);
      expect(run.output, label).toEqual(wanted);
      expect(run.stats.applied, label).toBe(events.length);
    });
  });

  it("beyond the range of a double: each error names its own event, and only these are left out", () => {
    for (const isWide of [() => true, (i: number) => i % 5 === 4]) {
      const events = hot((i) => ({ n: isWide(i) ? "1e999" : "1e9" }));
      const wanted = written(events.filter((event) => !event.includes("e999")));
      everyWay(events, (run, enforce, label) => {
        const places = all.filter(isWide).map((i) => ({ code: "limit", ...placeOf(i, enforce) }));
        expect(run.errors.map(told), label).toEqual(places);
        expect(run.warnings, label).toEqual([]);
        expect(run.output, label).toEqual(wanted);
        expect(run.stats.applied, label).toBe(events.length);
      });
    }
  });

  it("below the range of a double: the loss is told once, with the first event that has it", () => {
    for (const first of [0, 1, 50, 101]) {
      const events = hot((i) => ({ n: i < first ? "1" : "1e-999" }));
      everyWay(events, (run, enforce, label) => {
        const place = { code: "lossy", subject: "number", ...placeOf(first, enforce) };
        expect(run.warnings.map(told), label).toEqual([place]);
        expect(run.errors, label).toEqual([]);
        expect(run.stats.applied, label).toBe(events.length);
      });
    }
  });
});
