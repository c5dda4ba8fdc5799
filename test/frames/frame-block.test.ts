import { describe, expect, it } from "vitest";
import type { Engine } from "../../src/engine/contract.js";
import { failing } from "../reducer/expect-error.js";
import { concat, text, utf8 } from "../support/bytes.js";
import { engine, KINDS } from "../support/engines.js";
import { Rng } from "../support/rng.js";
import { framesOf, linesOf, ndjsonOf } from "./frames.js";

/** What a block's text may consist of: every length of UTF-8, every escape that JSON text needs as string contents, and their limits. */
const ALPHABETS: Record<string, string[]> = {
  ascii: ["a", "z", " ", "~", "\u007f"],
  escapes: ['\\"', "\\\\", "\\n", "\\/", "\\u0041", "\\ud83d\\ude00", "\\ud800", "\\u0000"],
  "two bytes": ["\u0080", "é", "\u07ff"],
  "three bytes": ["\u0800", "中", "\ud7ff", "\ue000", "\uffff", "각"],
  "four bytes": ["😀", "\u{10000}", "\u{10ffff}"],
  mixed: ["a", '\\"', "é", "中", "😀", "\\\\", "\t".replace("\t", "\\t")],
};

const SPACES = ["", " ", "\n", "\r\n", "\t", "  \n "];

/** A block with white space wherever it may stand. */
function blockOf(rng: Rng, alphabet: readonly string[], length: number): string {
  const space = () => rng.pick(SPACES);
  const content = Array.from({ length }, () => rng.pick(alphabet)).join("");
  return `{${space()}"id"${space()}:${space()}"b"${space()},"type":"text",${space()}"n":1.50e+3,"content"${space()}:"${content}"${space()}}`;
}

const least = (one: Engine, block: Uint8Array, id: string) =>
  Number(/at least (\d+)/.exec(failing(() => one.frameBlock(block, { maxBytes: 1, id }), "bad_argument").message)![1]);

/** Everything that frames promise, but for being as full as can be. */
function check(one: Engine, block: Uint8Array, maxBytes: number, id: string): number {
  const made = one.frameBlock(block, { maxBytes, id });
  const lines = linesOf(made);
  const frames = framesOf(made);
  const wanted = frames.map(({ data }, seq) =>
    JSON.stringify({ id: `${id}${seq}`, type: "frame", block_id: "b", seq, total: frames.length, data }),
  );
  expect(lines.join("\n")).toBe(wanted.join("\n"));
  expect(lines.filter((line) => utf8(line).length > maxBytes)).toEqual([]);
  expect(frames.map(({ data }) => data).join("")).toBe(text(block));
  expect(text(one.unframe(made))).toBe(text(block));
  return frames.length;
}

/** Whether the first character of each frame's successor would not have fitted. */
function expectFull(lines: readonly string[], maxBytes: number): void {
  const slack = lines.slice(0, -1).filter((line, seq) => {
    const next = JSON.parse(lines[seq + 1]!).data as string;
    const first = JSON.stringify(String.fromCodePoint(next.codePointAt(0)!)).slice(1, -1);
    return utf8(line).length + utf8(first).length <= maxBytes;
  });
  expect(slack).toEqual([]);
}

describe.each(KINDS)("frameBlock (%s)", (kind) => {
  const one = engine(kind);

  it.each(Object.entries(ALPHABETS))("restores blocks of %s for every budget", (_, alphabet) => {
    const rng = new Rng(7);
    for (let round = 0; round < 2; round++) {
      const block = utf8(blockOf(rng, alphabet, rng.int(30)));
      const id = rng.pick(["", "f", "ü-"]);
      const from = least(one, block, id);
      failing(() => one.frameBlock(block, { maxBytes: from - 1, id }), "bad_argument");
      for (let maxBytes = from; maxBytes <= block.length * 2 + 80; maxBytes++) check(one, block, maxBytes, id);
      expect(check(one, block, block.length * 2 + 80, id)).toBe(1);
      expectFull(linesOf(one.frameBlock(block, { maxBytes: from + 9, id })), from + 9);
    }
  });

  it("restores long blocks for random budgets, in any order", () => {
    const rng = new Rng(11);
    for (let round = 0; round < 30; round++) {
      const block = utf8(blockOf(rng, rng.pick(Object.values(ALPHABETS)), rng.between(1000, 30_000)));
      const maxBytes = rng.chance(0.5) ? rng.between(90, 300) : rng.between(300, 20_000);
      check(one, block, maxBytes, "x");
      const shuffled = rng.shuffle(linesOf(one.frameBlock(block, { maxBytes, id: "x" })));
      expect(one.unframe(ndjsonOf(shuffled))).toEqual(block);
    }
  });

  it("fills frames as far as the digits of their numbers allow", () => {
    // 9, 10, 99, 100, 999, 1000 frames: one digit more in total changes the room of all frames
    const counts = new Set<number>();
    const content = "x".repeat(6000);
    const block = utf8(`{"id":"b","type":"t","content":"${content}"}`);
    for (let maxBytes = least(one, block, "f"); maxBytes < 200; maxBytes++) {
      const lines = linesOf(one.frameBlock(block, { maxBytes, id: "f" }));
      expectFull(lines, maxBytes);
      counts.add(lines.length);
    }
    expect(Math.max(...counts)).toBeGreaterThan(1000);
    expect([...counts].filter((count) => count < 100).length).toBeGreaterThan(10);
  });

  it("leaves out white space around the block, and keeps every byte of it", () => {
    const block = '{ "type" :"t", "id":"b","n":1.0E+2,"u":"\\u00e9\\/" ,"id":"b"}';
    const made = one.frameBlock(utf8(`\r\n\t ${block} \n`), { maxBytes: 100, id: "f" });
    expect(text(one.unframe(made))).toBe(block);
    expect(made).toEqual(one.frameBlock(utf8(block), { maxBytes: 100, id: "f" }));
  });

  it("takes plain values, and buffers of every kind", () => {
    const value = { id: "b", type: "t", content: 'é"\\\n', n: 1.5 };
    const wanted = one.frameBlock(utf8(JSON.stringify(value)), { maxBytes: 90, id: "f" });
    expect(one.frameBlock(value, { maxBytes: 90, id: "f" })).toEqual(wanted);
    const padded = concat([utf8("??"), utf8(JSON.stringify(value)), utf8("??")]);
    for (const view of [
      padded.slice(2, -2).buffer,
      padded.subarray(2, -2),
      new DataView(padded.buffer, 2, padded.length - 4),
    ]) {
      expect(one.frameBlock(view, { maxBytes: 90, id: "f" })).toEqual(wanted);
    }
  });

  it("gives random ids that say nothing of the block", () => {
    const block = utf8(`{"id":"secret","type":"t","content":"${"x".repeat(100)}"}`);
    const ids = [1, 2].map(() => framesOf(one.frameBlock(block, { maxBytes: 130 })).map(({ id }) => id));
    expect(ids[0]!.length).toBeGreaterThan(1);
    const all = ids.flat();
    expect(new Set(all).size).toBe(all.length);
    for (const id of all) expect(id).toMatch(/^[\w-]{22}\.\d+$/);
  });

  it("asks for each id once, in order", () => {
    const block = utf8(`{"id":"b","type":"t","content":"${"é".repeat(400)}"}`);
    const asked: number[] = [];
    const id = (seq: number) => {
      asked.push(seq);
      return `${"long ".repeat(seq % 3)}"${seq}\n😀`;
    };
    const made = one.frameBlock(block, { maxBytes: 150, id });
    const frames = framesOf(made);
    expect(frames.length).toBeGreaterThan(10);
    expect(asked).toEqual(frames.map(({ seq }) => seq));
    expect(frames.map((frame) => frame.id)).toEqual(asked.map((seq) => `${"long ".repeat(seq % 3)}"${seq}\n😀`));
    expectFull(linesOf(made), 150);
    expect(one.unframe(made)).toEqual(block);
  });

  it("takes ids and block ids longer than any window", () => {
    const id = "é".repeat(70_000);
    const block = utf8(JSON.stringify({ id, type: "t", content: "x".repeat(1000) }));
    const made = one.frameBlock(block, { maxBytes: 300_000, id: (seq) => `${seq}${"ü".repeat(40_000)}` });
    expect(framesOf(made).length).toBeGreaterThan(1);
    expect(one.unframe(made)).toEqual(block);
  });

  it("refuses ids that are none, and what gives them cannot use the engine", () => {
    const block = utf8(`{"id":"b","type":"t","content":"${"x".repeat(100)}"}`);
    for (const id of [() => "same", () => "", () => 5, () => undefined]) {
      failing(() => one.frameBlock(block, { maxBytes: 80, id: id as () => string }), "bad_argument");
    }
    failing(() => one.frameBlock(block, { maxBytes: 80, id: () => String(one.memory().live) }), "reentrant");
    failing(() => one.frameBlock(block, { maxBytes: 80, id: () => String(one.unframe(block).length) }), "reentrant");
    const broken = new Error("no more ids");
    expect(() =>
      one.frameBlock(block, {
        maxBytes: 80,
        id: () => {
          throw broken;
        },
      }),
    ).toThrow(broken);
    check(one, block, 80, "f");
  });

  it("says what the frame needs that its id leaves no room for", () => {
    const block = utf8(`{"id":"b","type":"t","content":"${"x".repeat(100)}"}`);
    const id = (seq: number) => (seq < 2 ? `${seq}` : "long".repeat(20));
    const error = failing(() => one.frameBlock(block, { maxBytes: 80, id }), "bad_argument");
    // 64 around, 80 of id, 1 of block id, 1 of seq, 1 of total, and the quote in front of "content" with its backslash
    expect(error.message).toMatch(/at least 149$/);
  });

  it.each([
    ["no options", undefined],
    ["no budget", {}],
    ["a budget of nothing", { maxBytes: 0 }],
    ["a budget that is no integer", { maxBytes: 99.5 }],
    ["another option", { maxBytes: 99, ids: "x" }],
    ["ids that are neither text nor function", { maxBytes: 99, id: 7 }],
  ])("refuses %s", (_, options) => {
    failing(() => one.frameBlock(utf8('{"id":"b","type":"t"}'), options as { maxBytes: number }), "bad_argument");
  });

  it.each<[string, string, string | undefined]>([
    ["[]", "bad_block", ""],
    ['"x"', "bad_block", ""],
    ['{"type":"t"}', "bad_block", "/id"],
    ['{"id":"","type":"t"}', "bad_block", "/id"],
    ['{"id":7,"type":"t"}', "bad_block", "/id"],
    ['{"id":"b","type":null}', "bad_block", "/type"],
    ['{"id":"b"}', "bad_block", "/type"],
    ['{"id":"b","type":"t","parent_id":1}', "bad_block", "/parent_id"],
    ['{"id":"b","type":"t","group_id":{}}', "bad_block", "/group_id"],
    ['{"id":"b","ref":"k"}', "bad_block", "/ref"],
    ['{"id":"b","type":"t","\\u0072ef":null}', "bad_block", "/ref"],
    ['{"id":"b","type":"frame"}', "bad_block", "/type"],
    ['{"id":"b","type":"fr\\u0061me"}', "bad_block", "/type"],
    ['{"id":"b","type":"t","type":"frame"}', "bad_block", "/type"],
  ])("refuses the block %s", (block, code, path) => {
    const error = failing(() => one.frameBlock(utf8(block), { maxBytes: 1000 }), code as "bad_block");
    expect(error.path).toBe(path);
    expect(error.byteOffset).toBe(undefined);
  });

  it.each<[string, Uint8Array, string, number]>([
    ["nothing", utf8(" "), "bad_json", 1],
    ["half a block", utf8('{"id":"b"'), "bad_json", 9],
    ["two blocks", utf8('{"id":"b","type":"t"} {}'), "bad_json", 22],
    ["a bad escape", utf8(' {"id":"b","type":"\\x"}'), "bad_json", 20],
    ["half a character", concat([utf8('{"id":"b'), Uint8Array.of(0xc3), utf8('"}')]), "invalid_utf8", 8],
    ["an encoded half", concat([utf8('{"id":"b'), Uint8Array.of(0xed, 0xa0, 0x80), utf8('"}')]), "invalid_utf8", 8],
    ["4,097 levels", utf8(`{"id":"b","type":"t","x":${"[".repeat(4096)}${"]".repeat(4096)}}`), "too_deep", 25 + 4095],
  ])("refuses a text that is %s", (_, block, code, offset) => {
    const error = failing(() => one.frameBlock(block, { maxBytes: 1000 }), code as "bad_json");
    expect(error.byteOffset).toBe(offset);
    expect(error.path).toBe(undefined);
  });

  it("takes 4,096 levels, and names that look like its own", () => {
    const deep = `{"id":"b","type":"t","x":${"[".repeat(4095)}${"]".repeat(4095)}}`;
    const names =
      '{"ide":1,"i":2,"ty":3,"\\u0074ype":"t","i\\u0064":"b","types":4,"data":5,"__proto__":{"ref":1},"x":{"ref":1}}';
    for (const block of [deep, names]) check(one, utf8(block), 200, "f");
  });

  it("takes values that JSON has no form for as what they are", () => {
    failing(() => one.frameBlock(undefined, { maxBytes: 100 }), "not_json");
    failing(() => one.frameBlock({ id: "b", type: "t", f: () => 1 }, { maxBytes: 100 }), "not_json");
    expect(failing(() => one.frameBlock({ id: "b" }, { maxBytes: 100 }), "bad_block").path).toBe("/type");
  });
});
