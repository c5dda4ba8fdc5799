import { decode } from "@ag-ui/proto";
import { describe, expect, it } from "vitest";
import { readProtobuf } from "../../src/codec/protobuf/read.js";
import { writeProtobuf } from "../../src/codec/protobuf/write.js";
import { readOrdered, stringify } from "../../src/json/exact.js";
import {
  EVENT_TYPES,
  type Event,
  field,
  hex,
  mutate,
  RULES,
  randomEvent,
  randomJson,
  SAMPLES,
  string,
  toHex,
} from "../codec/support/protobuf.js";
import { Rng } from "../support/rng.js";
import { BUILDS } from "./support/probe.js";
import { type Answer, CoreProtobuf } from "./support/protobuf.js";

const DEPTH = 512;
/** Answers of both readers that differ, one line each. */
function differences(codec: CoreProtobuf, bytes: Uint8Array, depth = DEPTH): string[] {
  const { text, ...more } = codec.read(bytes, depth);
  const core = JSON.stringify({ text: text === undefined ? undefined : once(text), ...more });
  const js = JSON.stringify(readInJs(bytes, depth));
  return core === js ? [] : [`${toHex(bytes)}: ${core}, ${js}`];
}

/** A text whose repeated members count as one. */
function once(text: string): string {
  const orders = new Map<object, string[]>();
  return stringify(readOrdered(text, orders), orders);
}

function readInJs(bytes: Uint8Array, depth: number): Answer {
  const orders = new Map<object, string[]>();
  const reading = readProtobuf(bytes, { depth, orders });
  if (!("value" in reading)) return reading;
  return { text: stringify(reading.value, orders), dropped: reading.dropped, replaced: reading.replaced };
}

describe.each(BUILDS)("the protobuf wire in the core (%s)", (kind) => {
  const codec = new CoreProtobuf(kind);

  it("reads and writes the samples", () => {
    for (const [bytes, event] of SAMPLES) {
      expect(JSON.parse(codec.read(hex(bytes)).text!)).toEqual(event);
      expect(toHex(codec.write(JSON.stringify(event)) as Uint8Array)).toBe(bytes.replaceAll(" ", ""));
    }
  });

  it.each(RULES)("reads %s by rule", (_, bytes, verdict) => {
    const { text, fault, offset } = codec.read(hex(bytes));
    expect(text === undefined ? { fault, at: offset } : JSON.parse(text)).toEqual(verdict);
    expect(differences(codec, hex(bytes))).toEqual([]);
  });

  it("prints the type first and the common members last", () => {
    const event = { metadata: {}, rawEvent: 1, timestamp: 1, stepName: "s", type: "STEP_STARTED" };
    const bytes = codec.write(JSON.stringify(event)) as Uint8Array;
    expect(codec.read(bytes).text).toBe(
      '{"type":"STEP_STARTED","stepName":"s","timestamp":1,"rawEvent":1,"metadata":{}}',
    );
  });

  it("writes and reads every kind of event as JavaScript does", () => {
    const rng = new Rng(11);
    const wrong: string[] = [];
    for (const type of EVENT_TYPES) {
      for (let i = 0; i < 60; i++) {
        const event = randomEvent(rng, type);
        const bytes = codec.write(JSON.stringify(event));
        const writing = writeProtobuf(event);
        if (!("bytes" in writing) || !(bytes instanceof Uint8Array) || toHex(bytes) !== toHex(writing.bytes))
          wrong.push(JSON.stringify(event));
        else wrong.push(...differences(codec, bytes), ...differences(codec, bytes, rng.between(1, 8)));
      }
    }
    expect(wrong).toEqual([]);
  });

  it("answers as JavaScript does for damaged bytes", () => {
    const rng = new Rng(12);
    const wrong: string[] = [];
    const seeds = [
      ...EVENT_TYPES.flatMap((type) => Array.from({ length: 6 }, () => randomEvent(rng, type))).map(
        (event) => writeProtobuf(event) as { bytes: Uint8Array },
      ),
      ...RULES.map(([, bytes]) => ({ bytes: hex(bytes) })),
    ].filter(({ bytes }) => bytes.length < 400);
    const seen = { text: 0, malformed: 0, unknown: 0, "too-deep": 0 };
    for (let i = 0; i < 40_000 && wrong.length < 5; i++) {
      const bytes = mutate(rng, rng.pick(seeds).bytes);
      const depth = rng.pick([DEPTH, DEPTH, 3]);
      wrong.push(...differences(codec, bytes, depth));
      const { fault } = codec.read(bytes, depth);
      seen[(fault ?? "text") as keyof typeof seen]++;
    }
    expect(wrong).toEqual([]);
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(100);
  });

  it("accepts no damaged bytes that the reference refuses, and reads the others as it does", () => {
    const rng = new Rng(13);
    const seeds = EVENT_TYPES.flatMap((type) => Array.from({ length: 3 }, () => randomEvent(rng, type)))
      .map((event) => (writeProtobuf(event) as { bytes: Uint8Array }).bytes)
      .filter((bytes) => bytes.length < 200);
    const wrong: string[] = [];
    let same = 0;
    for (let i = 0; i < 4000; i++) {
      const bytes = mutate(rng, rng.pick(seeds));
      const { text } = codec.read(bytes);
      let expected: unknown;
      try {
        expected = JSON.parse(JSON.stringify(decode(bytes)));
      } catch {
        expected = undefined;
      }
      if (text !== undefined && expected === undefined) wrong.push(`${toHex(bytes)}: ${text}`);
      if (text !== undefined && JSON.stringify(sorted(expected)) === JSON.stringify(sorted(JSON.parse(text)))) same++;
      else if (text !== undefined) wrong.push(`${toHex(bytes)}: ${text}, ${JSON.stringify(expected)}`);
    }
    expect(wrong).toEqual([]);
    expect(same).toBeGreaterThan(200);
  });

  it("refuses every cut of a frame or reads it as JavaScript does", () => {
    const rng = new Rng(14);
    const wrong: string[] = [];
    for (const type of EVENT_TYPES) {
      const { bytes } = writeProtobuf(randomEvent(rng, type)) as { bytes: Uint8Array };
      for (let n = 0; n < Math.min(bytes.length, 300); n++) wrong.push(...differences(codec, bytes.subarray(0, n)));
    }
    expect(wrong).toEqual([]);
  });

  it("writes strings of every shape and length", () => {
    const rng = new Rng(15);
    const units = ["a", "é", "€", "😀", "\\", '"', "\n", "\u0001", "\ud800", "\udc00", "/", "\u007f", "\ufeff"];
    for (let i = 0; i < 500; i++) {
      const delta = Array.from({ length: rng.int(i < 400 ? 40 : 9000) }, () => rng.pick(units)).join("");
      const event = { type: "TEXT_MESSAGE_CONTENT", messageId: delta.slice(0, 3), delta };
      const bytes = codec.write(JSON.stringify(event)) as Uint8Array;
      const js = writeProtobuf(event) as { bytes: Uint8Array };
      expect(toHex(bytes)).toBe(toHex(js.bytes));
      expect(differences(codec, bytes)).toEqual([]);
    }
  });

  it("replaces ill-formed UTF-8 as JavaScript does, at every place of a long string", () => {
    const rng = new Rng(16);
    const wrong: string[] = [];
    for (let i = 0; i < 2000; i++) {
      const text = Uint8Array.from({ length: rng.int(i < 1900 ? 60 : 10_000) }, () =>
        rng.chance(0.9)
          ? rng.between(0x20, 0x7e)
          : rng.pick([0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0xff, 0xed, 0xa0]),
      );
      const delta = [0x1a, 0x80 | (text.length & 127), text.length >> 7, ...text];
      const inner = [0x0a, 2, 8, 1, ...delta];
      wrong.push(
        ...differences(codec, Uint8Array.from([0x12, 0x80 | (inner.length & 127), inner.length >> 7, ...inner])),
      );
    }
    expect(wrong).toEqual([]);
  });

  it("refuses the same events as JavaScript", () => {
    const rng = new Rng(17);
    let refused = 0;
    for (let i = 0; i < 4000; i++) {
      const event = spoil(rng, randomEvent(rng, rng.pick(EVENT_TYPES))) as Event;
      const writing = writeProtobuf(event);
      const bytes = codec.write(JSON.stringify(event));
      const text = JSON.stringify(event);
      if ("bytes" in writing) {
        expect(bytes, text).toBeInstanceOf(Uint8Array);
        expect(toHex(bytes as Uint8Array), text).toBe(toHex(writing.bytes));
      } else {
        expect(bytes, text).toMatchObject({ fault: writing.fault });
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(500);
  });

  it("points at the value that does not fit", () => {
    const text = '{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":42}';
    expect(codec.write(text)).toEqual({ fault: "unfit", at: text.indexOf("42") });
    expect(codec.write('{"type":"NEW"}')).toEqual({ fault: "unknown", at: 8 });
  });

  it("reads and writes deep values without the machine's stack", () => {
    for (const [open, close] of [
      ["[", "]"],
      ['{"a":', "}"],
    ] as const) {
      const levels = 4000;
      const text = `{"type":"CUSTOM","name":"","value":${open.repeat(levels)}1${close.repeat(levels)}}`;
      const bytes = codec.write(text) as Uint8Array;
      expect(codec.read(bytes, levels + 1).text).toBe(text);
      expect(codec.read(bytes, levels)).toMatchObject({ fault: "too-deep" });
      expect(differences(codec, bytes, levels)).toEqual([]);
    }
  });

  it("merges halves of halves in linear time", () => {
    // each level stands there twice, so a payload that is put together anew at every level would cost the levels times its size
    const levels = 300;
    let value = field(1, "20 01");
    for (let i = 0; i < levels; i++) value = wrap(1, `${wrap(6, value)}${wrap(6, field(1, "20 00"))}`);
    const bytes = hex(wrapAll(value));
    const { text } = codec.read(bytes);
    expect(text).toContain(`${"[".repeat(levels + 1)}true${",false]".repeat(levels)}`);
    expect(differences(codec, bytes)).toEqual([]);
  });

  it("takes memory in proportion to what came", () => {
    const fresh = new CoreProtobuf(kind);
    const size = (length: number): number[] =>
      [0, 7, 14, 21].map((shift) => ((length >> shift) & 127) | (shift < 21 ? 128 : 0));
    const long = (number: number, payload: readonly number[]): number[] => [
      ...hex(field(number, "")).subarray(0, -1),
      ...size(payload.length),
      ...payload,
    ];
    const many = (element: string): number[] => [...hex(element.repeat(100_000))];
    const hostile = [
      long(12, [...hex(field(1, "08 0b")), ...long(5, many(field(9, "")))]),
      long(8, [...hex(field(1, "08 07")), ...many(field(2, ""))]),
      long(9, [...hex(field(1, "08 08")), ...many(field(2, ""))]),
      long(7, [...hex(field(1, "08 06")), ...many(field(2, ""))]),
      long(7, [...hex(field(1, "08 06")), ...many(field(2, "2a 00"))]),
      long(2, [...hex(field(1, "08 01")), ...long(3, many("01 ff"))]),
    ].map((bytes) => Uint8Array.from(bytes));
    for (const bytes of hostile) {
      fresh.free();
      const before = fresh.probe.call("liveBytes");
      expect(fresh.read(bytes)).toHaveProperty("text");
      const taken = fresh.probe.call("liveBytes") - before;
      expect(taken).toBeLessThan(28 * bytes.length + 4096);
    }
    fresh.free();
    const huge = hex("12 ff ff ff 7f 0a 02 08 01");
    const before = fresh.probe.call("liveBytes");
    expect(fresh.read(huge)).toEqual({ fault: "malformed", offset: 0 });
    expect(fresh.probe.call("liveBytes") - before).toBeLessThan(4096);
  });

  it("survives running out of memory", () => {
    const small = new CoreProtobuf(kind);
    small.probe.call("heapSetLimit", small.probe.pages);
    const event = { type: "STATE_SNAPSHOT", snapshot: "\u0001".repeat(900_000) };
    const { bytes } = writeProtobuf(event) as { bytes: Uint8Array };
    expect(small.read(bytes)).toMatchObject({ fault: "no-memory" });
    expect(small.read(hex(SAMPLES[0]![0])).text).toBe(JSON.stringify(SAMPLES[0]![1]));
    expect(small.write(JSON.stringify({ type: "STATE_SNAPSHOT", snapshot: new Array(400_000).fill(1) }))).toMatchObject(
      {
        fault: "no-memory",
      },
    );
    expect(toHex(small.write(JSON.stringify(SAMPLES[0]![1])) as Uint8Array)).toBe(SAMPLES[0]![0].replaceAll(" ", ""));
  });
});

/** A field whose payload may be longer than 127 bytes. */
function wrap(number: number, payload: string): string {
  const size = payload.replaceAll(" ", "").length / 2;
  const bytes = [size & 127, (size >> 7) & 127, size >> 14];
  const length = toHex(Uint8Array.from([bytes[0]! | 128, bytes[1]! | 128, bytes[2]!]));
  return `${toHex(Uint8Array.from([(number << 3) | 2]))}${length}${payload.replaceAll(" ", "")}`;
}

function wrapAll(value: string): string {
  return wrap(7, `${field(1, "08 06")}${wrap(2, wrap(6, value))}${string(3, "s")}`);
}

/** Members in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .map(([name, member]) => [name, sorted(member)])
    .sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1));
}

/** The value with one thing in it replaced or taken away, at most four levels down. */
function spoil(rng: Rng, value: unknown, levels = 4): unknown {
  if (typeof value !== "object" || value === null || levels === 0 || rng.chance(0.15)) return randomJson(rng, 2);
  const keys = Object.keys(value);
  if (keys.length === 0) return randomJson(rng, 1);
  const copy: Event = Array.isArray(value) ? ([...value] as unknown as Event) : { ...(value as Event) };
  const key = rng.pick(
    keys.filter((name) => name !== "type").length > 0 ? keys.filter((name) => name !== "type") : keys,
  );
  if (rng.chance(0.1) && !Array.isArray(value)) delete copy[key];
  else copy[key] = spoil(rng, copy[key], levels - 1);
  return copy;
}
