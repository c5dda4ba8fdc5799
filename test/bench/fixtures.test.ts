import { describe, expect, it } from "vitest";
import { textDecoder } from "../../bench/contenders/text-decoder.js";
import {
  documentPayload,
  type FoldShape,
  foldPayload,
  rechunk,
  sseMessages,
  storedModel,
} from "../../bench/fixtures.js";
import { seededRandom } from "../../bench/random.js";
import { sameJson } from "../../bench/same-json.js";

const SHAPE: FoldShape = { events: 2000, blocks: 50, streams: 1, odd: 0.15, shapes: 8, mixed: 0.15 };

describe("fold payloads", () => {
  it("are the same for the same seed, and differ for another", () => {
    expect(foldPayload(SHAPE, 1)).toEqual(foldPayload(SHAPE, 1));
    expect(foldPayload(SHAPE, 1).events).not.toEqual(foldPayload(SHAPE, 2).events);
  });

  it("hold as many events as asked for, with increasing seq in each stream", () => {
    for (const streams of [1, 64]) {
      const { events, expected } = foldPayload({ ...SHAPE, streams, blocks: 1 }, 3);
      expect(events).toHaveLength(2000);
      expect(expected.size).toBe(streams);
      const last = new Map<string, number>();
      for (const { stream_id: id = "", seq } of events) {
        expect(seq).toBe((last.get(id) ?? 0) + 1);
        last.set(id, seq);
      }
    }
  });

  it("have the shares that their shape names", () => {
    const { events } = foldPayload(SHAPE, 4);
    const appends = events.filter(({ mask }) => mask === "block.content");
    expect(appends.length / events.length).toBeCloseTo(0.85, 1);
    const odd = appends.filter(({ block }) => /[^\x20-\x7e]|["\\]/.test(block!.content as string));
    expect(odd.length / appends.length).toBeCloseTo(0.15, 1);
    const skeletons = appends.map((event) =>
      [...Object.keys(event), event.event_type, ...Object.keys(event.block!)].join(),
    );
    expect(new Set(skeletons).size).toBe(8);
    const ascii = foldPayload({ ...SHAPE, odd: 0, shapes: 1, mixed: 0 }, 4).events;
    expect(JSON.stringify(ascii)).toMatch(/^[\x20-\x7e]+$/);
    expect(new Set(ascii.map((event) => Object.keys(event).join())).size).toBe(2);
  });

  it("come as wire bytes that mean the same in every cut", () => {
    const messages = sseMessages(foldPayload(SHAPE, 5).events);
    const whole = Buffer.concat(messages);
    for (const size of [1000, 65_536]) {
      const chunks = rechunk(messages, size);
      expect(Buffer.concat(chunks).equals(whole)).toBe(true);
      expect(chunks.slice(0, -1).every((chunk) => chunk.length === size)).toBe(true);
    }
  });
});

describe("documents", () => {
  it.each([5, 22, 50])("are about %i KB of JSON and lead to the model that is said", (kilobytes) => {
    for (const seed of [1, 2, 3]) {
      const { events, expected } = documentPayload(kilobytes * 1000, 0.15, seed);
      const folder = textDecoder.open();
      for (const message of sseMessages(events)) folder.push(message);
      expect(folder.value("")).toEqual(expected.get(""));
      expect(Math.abs(folder.bytes("").length / (kilobytes * 1000) - 1)).toBeLessThan(0.15);
    }
  });

  it.each([22_000, 100_000, 2_000_000])("stored models are about %i bytes", (bytes) => {
    const { model, json } = storedModel(bytes, 7);
    expect(sameJson(JSON.parse(new TextDecoder().decode(json)), model)).toBe(true);
    expect(Math.abs(json.length / bytes - 1)).toBeLessThan(0.15);
    expect(Buffer.compare(storedModel(bytes, 7).json, json)).toBe(0);
    expect(new Set(model.blocks.map(({ id }) => id)).size).toBe(model.blocks.length);
  });
});

describe("seeded numbers", () => {
  it("are spread over [0, 1)", () => {
    const random = seededRandom(1);
    const values = Array.from({ length: 10_000 }, random);
    expect(values.every((value) => value >= 0 && value < 1)).toBe(true);
    expect(values.reduce((sum, value) => sum + value, 0) / values.length).toBeCloseTo(0.5, 1);
  });
});
