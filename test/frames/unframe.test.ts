import { describe, expect, it } from "vitest";
import type { ErrorCode, StreamfoldError } from "../../src/errors.js";
import { failing } from "../reducer/expect-error.js";
import { concat, text, utf8 } from "../support/bytes.js";
import { engine, KINDS } from "../support/engines.js";
import { Rng } from "../support/rng.js";
import { framed, frameWith, ndjsonOf } from "./frames.js";

const BLOCK = '{"id":"b","type":"t","content":"é😀 and more"}';
/** Three frames of it. */
const FRAMES = framed(BLOCK, [10, 30]);
const LENGTH = JSON.stringify(FRAMES[0]).length;

describe.each(KINDS)("unframe (%s)", (kind) => {
  const one = engine(kind);
  const restore = (...lines: unknown[]) => text(one.unframe(ndjsonOf(lines)));

  it("restores in any order", () => {
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0],
      [0, 2, 1],
    ]) {
      expect(restore(...order.map((seq) => FRAMES[seq]))).toBe(BLOCK);
    }
  });

  it("takes blank lines, every line end, no last line end, white space and members in any order", () => {
    const [a, b, c] = FRAMES.map((frame) => JSON.stringify(frame));
    const spread = JSON.stringify(Object.fromEntries(Object.entries(FRAMES[1]!).reverse()), null, "\t").replaceAll(
      "\n",
      " ",
    );
    for (const input of [
      `\n${a}\n\n \t\n${b}\n${c}`,
      `${a}\r\n${b}\r\n\r\n${c}\r\n`,
      ` ${a} \n\t${spread}  \n${c}\n`,
      `${a}\n${b!.replace(",", ",\r")}\n${c}`,
    ]) {
      expect(text(one.unframe(utf8(input)))).toBe(BLOCK);
    }
  });

  it("restores frames whose data stands in front of everything else", () => {
    const block = `{"id":"b","type":"t","s":"${'\\"\\\\x'.repeat(50)}"}`;
    for (const cuts of [[], [3], [20, 40]]) {
      const frames = framed(block, cuts).map(({ data, ...rest }) => ({ data, ...rest }));
      expect(restore(...frames)).toBe(block);
      expect(restore(...frames.reverse())).toBe(block);
    }
  });

  it("reads every spelling of strings and numbers", () => {
    const spelt = FRAMES.map((frame) =>
      JSON.stringify(frame)
        .replace(/[bé]/g, (c) => `\\u00${c.charCodeAt(0).toString(16).padStart(2, "0")}`)
        .replace("😀", "\\ud83d\\uDE00")
        .replace('"id"', '"\\u0069d"')
        .replace('"type":"frame"', '"type":"\\u0066rame"')
        .replace('"total":3', '"total":30e-1')
        .replace('"seq":0', '"seq":-0.0')
        .replace('"seq":1', '"seq":1.000'),
    );
    expect(restore(...spelt)).toBe(BLOCK);
  });

  it("keeps members that it does not know unread, and of repeated ones the last", () => {
    const extra = { ...FRAMES[0], parent_id: null, group_id: "g", other: { seq: 9, data: [1] } };
    expect(restore(extra, FRAMES[1], FRAMES[2])).toBe(BLOCK);
    const twice = JSON.stringify(FRAMES[0]).replace('"seq":0', '"seq":9,"id":"f0","seq":0');
    expect(restore(twice, FRAMES[1], FRAMES[2])).toBe(BLOCK);
  });

  it("keeps white space around the restored block, and takes empty pieces", () => {
    const frames = framed(` ${BLOCK}\n`, [0, 1, 1, 20]);
    expect(restore(...frames)).toBe(` ${BLOCK}\n`);
  });

  it("restores cuts inside of escapes and of numbers", () => {
    const block = '{"id":"b","type":"t","s":"\\u00e9\\ud83d\\ude00\\\\\\"","n":12345.678e-9}';
    const rng = new Rng(3);
    for (let round = 0; round < 50; round++) {
      const cuts = Array.from({ length: rng.int(8) }, () => rng.int(block.length)).sort((a, b) => a - b);
      expect(restore(...rng.shuffle(framed(block, cuts)))).toBe(block);
    }
  });

  /** Frames, and the fault of the one at `eventIndex`. */
  const faulty: [string, unknown[], ErrorCode, string | undefined, number][] = [
    ["no object", [FRAMES[0], "[]"], "bad_block", "", 1],
    ["no id", [frameWith({ id: undefined })], "bad_block", "/id", 0],
    ["an empty id", [frameWith({ id: "" })], "bad_block", "/id", 0],
    ["a reference", [{ id: "f0", ref: "k" }], "bad_block", "/ref", 0],
    ["a frame with a ref", [frameWith({ ref: null })], "bad_block", "/ref", 0],
    ["an ordinary block", [frameWith({ type: "text" })], "bad_block", "/type", 0],
    ["no type", [frameWith({ type: undefined })], "bad_block", "/type", 0],
    ["a parent that is no string", [frameWith({ parent_id: 1 })], "bad_block", "/parent_id", 0],
    ["no block id", [frameWith({ block_id: undefined })], "bad_block", "/block_id", 0],
    ["an empty block id", [frameWith({ block_id: "" })], "bad_block", "/block_id", 0],
    ["no seq", [frameWith({ seq: undefined })], "bad_block", "/seq", 0],
    ["a seq that is no integer", [frameWith({ seq: 0.5 })], "bad_block", "/seq", 0],
    ["a seq below 0", [frameWith({ seq: -1 })], "bad_block", "/seq", 0],
    ["a seq that is a string", [frameWith({ seq: "0" })], "bad_block", "/seq", 0],
    [
      "a seq that only a double takes for an integer",
      [JSON.stringify(frameWith({})).replace('"seq":0', '"seq":0.00000000000000000000000000000000000001')],
      "bad_block",
      "/seq",
      0,
    ],
    ["no total", [frameWith({ total: undefined })], "bad_block", "/total", 0],
    ["a total of 0", [frameWith({ total: 0 })], "bad_block", "/total", 0],
    [
      "a total beyond 2^53-1",
      [JSON.stringify(frameWith({})).replace('"total":1', '"total":9007199254740992')],
      "bad_block",
      "/total",
      0,
    ],
    ["no data", [frameWith({ data: undefined })], "bad_block", "/data", 0],
    ["data that is no string", [frameWith({ data: [] })], "bad_block", "/data", 0],
    ["half of a surrogate pair", [JSON.stringify(frameWith({ data: "\ud83d" }))], "bad_block", "/data", 0],
    ["the other half", [JSON.stringify(frameWith({ data: "x\ude00y" }))], "bad_block", "/data", 0],
    ["two halves in the wrong order", [JSON.stringify(frameWith({ data: "\ude00\ud83d" }))], "bad_block", "/data", 0],
    ["a seq that is the total", [frameWith({ seq: 1 })], "frame_conflict", "/seq", 0],
    [
      "a frame of another block",
      [FRAMES[0], frameWith({ id: "x", block_id: "c", seq: 1, total: 3 })],
      "frame_conflict",
      "/block_id",
      1,
    ],
    ["another total", [FRAMES[0], { ...FRAMES[1], total: 4 }], "frame_conflict", "/total", 1],
    ["an id twice", [FRAMES[0], FRAMES[2], { ...FRAMES[1], id: "f0" }], "duplicate_id", "/id", 2],
    ["a frame twice", [FRAMES[0], FRAMES[1], FRAMES[1]], "duplicate_id", "/id", 2],
    ["a seq twice", [FRAMES[0], FRAMES[1], { ...FRAMES[1], id: "x" }], "frame_conflict", "/seq", 2],
    [
      "an id twice in two spellings",
      [FRAMES[0], JSON.stringify({ ...FRAMES[1], id: "f0" }).replace('"f0"', '"\\u0066\\u0030"')],
      "duplicate_id",
      "/id",
      1,
    ],
  ];

  it.each(faulty)("refuses %s", (_, lines, code, path, eventIndex) => {
    const error = failing(() => restore(...lines), code);
    expect(error).toMatchObject({ eventIndex, scope: "stream" });
    expect(error.path).toBe(path);
    const before = lines.slice(0, eventIndex).map((line) => ndjsonOf([line]).length);
    expect(error.byteOffset).toBe(before.reduce((sum, bytes) => sum + bytes, 0));
  });

  it.each<[string, Uint8Array, ErrorCode, number, number]>([
    ["half a frame", utf8(`${JSON.stringify(FRAMES[0])}\n{"id":`), "bad_json", 1, LENGTH + 1 + 6],
    ["two frames in one line", utf8(JSON.stringify(FRAMES[0]) + JSON.stringify(FRAMES[1])), "bad_json", 0, LENGTH],
    ["a frame over two lines", utf8(JSON.stringify(FRAMES[0], null, 1)), "bad_json", 0, 1],
    ["a NUL", concat([utf8("{"), Uint8Array.of(0), utf8("}\n")]), "bad_json", 0, 1],
    ["ill-formed UTF-8", concat([utf8(' {"id":"'), Uint8Array.of(0xff), utf8('"}\n')]), "invalid_utf8", 0, 8],
    ["513 levels", utf8(`{"x":${"[".repeat(512)}${"]".repeat(512)}}\n`), "too_deep", 0, 5 + 511],
  ])("refuses lines with %s", (_, input, code, eventIndex, byteOffset) => {
    const error = failing(() => one.unframe(input), code);
    expect(error).toMatchObject({ eventIndex, byteOffset });
    expect(error.path).toBe(undefined);
  });

  it.each<[string, unknown[], RegExp]>([
    ["nothing", [], /there are none/],
    ["the first", [FRAMES[1], FRAMES[2]], /: 0 of 3/],
    ["one in the middle", [FRAMES[2], FRAMES[0]], /: 1 of 3/],
    ["the last", [FRAMES[0], FRAMES[1]], /: 2 of 3/],
    ["most of 2^53 - 1", [frameWith({ seq: 5, total: 2 ** 53 - 1 })], /: 0-4, 6-9007199254740990 of 9007199254740991/],
    [
      "many ranges",
      Array.from({ length: 40 }, (_, i) => frameWith({ id: `${i}`, seq: i * 2, total: 99 })),
      /: 1, 3, .*, 19, and 30 more ranges of 99/,
    ],
  ])("says which frames are missing: %s", (_, lines, message) => {
    const error = failing(() => restore(...lines), "missing_frames");
    expect(error.message).toMatch(message);
    expect(error.subject).toBe(lines.length === 0 ? undefined : "b");
    expect([error.path, error.eventIndex, error.byteOffset]).toEqual([undefined, undefined, undefined]);
  });

  it.each<[string, string, ErrorCode, string | undefined, number | undefined]>([
    ["no JSON", '{"id":"b","type":"t"', "bad_json", undefined, 20],
    ["nothing", "", "bad_json", undefined, 0],
    ["no object", "[]", "bad_block", "", undefined],
    ["another block", '{"id":"c","type":"t"}', "bad_block", "/id", undefined],
    ["no type", '{"id":"b"}', "bad_block", "/type", undefined],
    ["a frame", JSON.stringify(frameWith({ id: "b" })), "bad_block", "/type", undefined],
    ["a reference", '{"id":"b","ref":"k"}', "bad_block", "/ref", undefined],
    ["too deep", `{"id":"b","type":"t","x":${"[".repeat(4096)}${"]".repeat(4096)}}`, "too_deep", undefined, 25 + 4095],
  ])("refuses a restored text that is %s", (_, block, code, path, byteOffset) => {
    for (const frames of [
      framed(block, []),
      framed(block, [block.length >> 1]),
      framed(block, [block.length >> 1]).reverse(),
    ]) {
      const error = failing(() => restore(...frames), code);
      expect(error.subject).toBe("b");
      expect([error.path, error.byteOffset, error.eventIndex]).toEqual([path, byteOffset, undefined]);
    }
  });

  it("compares ids by what they say", () => {
    const id = '\ud800"é\n';
    const block = JSON.stringify({ id, type: "t" }).replace("é", "\\u00E9");
    const frames = framed(block, [4], id);
    expect(restore(...frames)).toBe(block);
    const error = failing(() => restore(frames[0]), "missing_frames");
    expect(error.subject).toBe(id);
  });

  it("refuses what holds no bytes", () => {
    for (const input of ["{}", undefined, null, 5, {}])
      failing(() => one.unframe(input as unknown as Uint8Array), "bad_argument");
  });

  it("gives the same error for the same input, whatever was called before", () => {
    const errors = [1, 2].map(() => {
      try {
        restore(FRAMES[0], FRAMES[0]);
      } catch (error) {
        return { ...(error as StreamfoldError) };
      }
      return undefined;
    });
    expect(errors[0]).toEqual(errors[1]);
    expect(restore(...FRAMES)).toBe(BLOCK);
  });
});
