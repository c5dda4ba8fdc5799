import { describe, expect, it } from "vitest";
import type { ErrorCode } from "../../src/errors.js";
import { failing } from "../reducer/expect-error.js";
import { text, utf8 } from "../support/bytes.js";
import { engine, KINDS } from "../support/engines.js";
import { Rng } from "../support/rng.js";
import { framed, frameWith } from "./frames.js";

const A = '{"id":"a","type":"t","n":1.50,"s":"é\\n"}';
const B = '{ "id":"b", "type":"t" }';
const [A0, A1, A2] = framed(A, [5, 20], "a").map((frame) => ({ ...frame, id: `a${frame.seq}` }));
const [B0, B1] = framed(B, [11], "b").map((frame) => ({ ...frame, id: `b${frame.seq}` }));
const TEXT = '{"id":"x","type":"text","content":"unchanged 1.0"}';
const REFERENCE = '{"id":"y","ref":"key"}';

const json = (block: unknown) => (typeof block === "string" ? block : JSON.stringify(block));
const model = (...blocks: unknown[]) =>
  `{"version":"1.1","biz":"chat","meta":{"n":9007199254740993},"blocks":[${blocks.map(json).join(",")}],"z":1e2}`;

describe.each(KINDS)("resolveFrames (%s)", (kind) => {
  const one = engine(kind);
  const resolve = (input: string) => text(one.resolveFrames(utf8(input)));

  it("puts each block in the place of its first frame, and leaves the rest as it is", () => {
    expect(resolve(model(TEXT, A0, REFERENCE, A1, A2))).toBe(model(TEXT, A, REFERENCE));
    expect(resolve(model(A2, B1, TEXT, A0, B0, A1))).toBe(model(A, B, TEXT));
    expect(resolve(model(A1, A0, A2))).toBe(model(A));
    expect(resolve(model(TEXT, REFERENCE))).toBe(model(TEXT, REFERENCE));
    expect(resolve(model())).toBe(model());
  });

  it("keeps every byte outside of frames", () => {
    const input = ` {\n "blocks" : [\n  ${TEXT} ,\n  ${json(A0)} ,\n ${json(A2)}\n,\n ${json(A1)} ,\n ${REFERENCE}\n ] , "meta":{ } }\r\n`;
    expect(resolve(input)).toBe(` {\n "blocks" : [\n  ${TEXT} ,\n  ${A} ,\n ${REFERENCE}\n ] , "meta":{ } }\r\n`);
  });

  it("takes names and ids in every spelling, and of repeated members the last", () => {
    const input = `{"blocks":[1],"bl\\u006fcks":[${json(A0).replace('"a0"', '"\\u0061\\u0030"').replace('"block_id":"a"', '"block_id":"\\u0061"')},${json(A1)},${json(A2)}]}`;
    expect(resolve(input)).toBe(`{"blocks":[1],"bl\\u006fcks":[${A}]}`);
    const twice = failing(() => resolve(model(TEXT, '{"id":"\\u0078","type":"t"}')), "duplicate_id");
    expect(twice.path).toBe("/blocks/1/id");
    const beside = failing(() => resolve(model(A0, A1, A2, '{"id":"\\u0061","type":"t"}')), "duplicate_id");
    expect([beside.path, beside.subject]).toEqual(["/blocks/0/block_id", "a"]);
  });

  it("gives a fresh value for a value", () => {
    const value = JSON.parse(model(TEXT, A0, A1, A2)) as { blocks: unknown[] };
    const before = structuredClone(value);
    const resolved = one.resolveFrames(value);
    expect(resolved).toEqual(JSON.parse(model(TEXT, A)));
    expect(value).toEqual(before);
  });

  it("restores random models", () => {
    const rng = new Rng(23);
    for (let round = 0; round < 60; round++) {
      const blocks = Array.from({ length: rng.int(12) }, (_, i) =>
        JSON.stringify({ id: `${i}`, type: "t", text: 'é"\\😀\n'.repeat(rng.int(60)) }),
      );
      const pieces = blocks.map((block, i) => {
        if (rng.chance(0.4)) return [block];
        const cuts = Array.from({ length: rng.int(5) }, () => rng.int(block.length)).sort((a, b) => a - b);
        const safe = cuts.filter((at) => (block.charCodeAt(at) & 0xfc00) !== 0xdc00);
        return framed(block, safe, `${i}`).map((frame) => ({ ...frame, id: `f${i}.${frame.seq}` }));
      });
      const shuffled = rng.shuffle(pieces.flatMap((list, i) => list.map((piece) => ({ i, piece }))));
      const order = [...new Set(shuffled.map(({ i }) => i))];
      expect(resolve(model(...shuffled.map(({ piece }) => piece)))).toBe(model(...order.map((i) => blocks[i])));
    }
  });

  it.each<[string, string, ErrorCode, string | undefined, string | undefined]>([
    ["no object", "[]", "bad_model", "", undefined],
    ["no blocks", '{"biz":"c"}', "bad_model", "/blocks", undefined],
    ["blocks that are no array", '{"blocks":{}}', "bad_model", "/blocks", undefined],
    ["a block that is no object", model(TEXT, 5), "bad_block", "/blocks/1", undefined],
    ["a block without an id", model(TEXT, { type: "t" }), "bad_block", "/blocks/1/id", undefined],
    ["an id twice", model(TEXT, A0, TEXT), "duplicate_id", "/blocks/2/id", undefined],
    ["a frame's id twice", model(A0, A1, { ...A1, seq: 2 }), "duplicate_id", "/blocks/2/id", undefined],
    [
      "the id of a block that is there",
      model(A0, A1, A2, { id: "a", type: "t" }),
      "duplicate_id",
      "/blocks/0/block_id",
      "a",
    ],
    ["a frame without a seq", model(TEXT, { ...A0, seq: null }), "bad_block", "/blocks/1/seq", undefined],
    ["a seq that is the total", model({ ...A0, seq: 3 }), "frame_conflict", "/blocks/0/seq", undefined],
    ["another total", model(A0, { ...A1, total: 4 }), "frame_conflict", "/blocks/1/total", "a"],
    ["a seq twice", model(A0, TEXT, { ...A0, id: "q" }), "frame_conflict", "/blocks/2/seq", "a"],
    ["a missing frame", model(TEXT, B0, A0, B1, A2), "missing_frames", "/blocks/2", "a"],
    ["a total of 2^53-1", model(frameWith({ total: 2 ** 53 - 1 })), "missing_frames", "/blocks/0", "b"],
    [
      "a restored text that is no JSON",
      model(TEXT, frameWith({ data: '{"id":"b"' })),
      "bad_json",
      "/blocks/1/data",
      "b",
    ],
    [
      "a restored block without a type",
      model(TEXT, frameWith({ data: '{"id":"b"}' })),
      "bad_block",
      "/blocks/1/data/type",
      "b",
    ],
    ["a restored block of another id", model(frameWith({ data: A })), "bad_block", "/blocks/0/data/id", "b"],
    [
      "a frame in frames",
      model(frameWith({ data: json(frameWith({ id: "b" })) })),
      "bad_block",
      "/blocks/0/data/type",
      "b",
    ],
  ])("refuses %s", (_, input, code, path, subject) => {
    for (const given of [utf8(input), JSON.parse(input)]) {
      const error = failing(() => one.resolveFrames(given), code);
      expect([error.path, error.subject]).toEqual([path, subject]);
      expect(error.byteOffset).toBe(code === "bad_json" ? 9 : undefined);
    }
  });

  it("says where a text stops being JSON", () => {
    expect(failing(() => resolve('{"blocks":[{]}'), "bad_json").byteOffset).toBe(12);
    expect(failing(() => one.resolveFrames(Uint8Array.of(0x22, 0xff, 0x22)), "invalid_utf8").byteOffset).toBe(1);
    failing(() => one.resolveFrames({ blocks: [undefined] }), "not_json");
  });

  it("lists what is missing", () => {
    expect(failing(() => resolve(model(A1)), "missing_frames").message).toMatch(/: 0, 2 of 3 \(at \/blocks\/0\)/);
  });

  it("leaves a block alone that only looks like a frame", () => {
    const odd = '{"id":"q","type":"frame","ref":null}';
    const nested = '{"id":"r","type":"t","block":{"type":"frame"}}';
    expect(resolve(model(odd, nested))).toBe(model(odd, nested));
  });
});
