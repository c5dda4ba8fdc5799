import { describe, expect, it } from "vitest";
import { Rng } from "../support/rng.js";
import { looseText, mutate, randomValue } from "./support/json-texts.js";
import { acceptsValue, BUILDS, bytesOf, dirtiness, Probe } from "./support/probe.js";

const fatal = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const FAULT = { none: 0, json: 1, utf8: 2, depth: 3 };

/** The oracle: a value in well-formed UTF-8 that `JSON.parse` takes. */
function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(fatal.decode(bytes));
    return true;
  } catch {
    return false;
  }
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function trim(bytes: Uint8Array): Uint8Array {
  let from = 0;
  let to = bytes.length;
  while (from < to && isSpace(bytes[from])) from++;
  while (to > from && isSpace(bytes[to - 1])) to--;
  return bytes.slice(from, to);
}

const nested = (depth: number, open = "[", close = "]"): string => open.repeat(depth) + close.repeat(depth);

describe.each(BUILDS)("validation (%s)", (kind) => {
  const probe = new Probe(kind);

  const accepts = (bytes: Uint8Array, lineMode = 0) => acceptsValue(probe, bytes, lineMode);

  function fault(text: string | Uint8Array, depth = 512): [number, number] {
    const { p, end } = probe.put(text);
    const code = probe.call("locateFault", p, end, depth);
    return [code, code === 0 ? -1 : probe.global("faultAt") - p];
  }

  it("accepts what JSON.parse accepts, on documents and on mutated ones", () => {
    probe.raw.setValidateLimits!(4096, 1 << 20);
    const rng = new Rng(2024);
    const wrong: string[] = [];
    for (let i = 0; i < 3000; i++) {
      probe.rewind();
      const text = bytesOf(looseText(rng, randomValue(rng, 4), rng.pick([0, 0.1, 0.5])));
      if (!accepts(text)) wrong.push(fatal.decode(text));
      const bytes = trim(mutate(rng, text));
      const valid = isJson(bytes);
      const [code, at] = fault(bytes);
      if (accepts(bytes) !== valid || (code === 0) !== valid) wrong.push(JSON.stringify([...bytes]));
      if (code === 0) continue;
      // cut at the fault, the text is sound or only too short; one byte further the fault is the same
      const [cut, cutAt] = fault(bytes.slice(0, at));
      if (cut !== 0 && cutAt !== at && cut !== FAULT.utf8) wrong.push(`prefix of ${JSON.stringify([...bytes])}`);
      const more = fault(bytes.slice(0, Math.min(bytes.length, at + 4)));
      if (more[0] !== code || more[1] !== at) wrong.push(`place in ${JSON.stringify([...bytes])}`);
    }
    expect(wrong).toEqual([]);
  });

  it("does not trust what lies behind the text", () => {
    for (const text of ["", '"abc', "[1,2", '{"a":', "-", "tru", "[", '{"a"', '"\\', '"\\u00', "1e", "\u00e9"]) {
      expect(accepts(bytesOf(text))).toBe(false);
      expect(fault(text)[0]).not.toBe(0);
    }
  });

  it("reports white space and escapes that can be shorter, and nothing else, as dirty", () => {
    const dirty: [string, number][] = [
      ['{"a":[1,"x\\n\\"\\\\",true]}', 0],
      ['{"a": 1}', 1],
      ["[1\n]", 1],
      ['["\\u0041"]', 1],
      ['["a\\/b"]', 1],
      ['"é"', 0],
      ["[]", 0],
      ["[ ]", 1],
    ];
    for (const [text, expected] of dirty) expect([text, dirtiness(probe, text)]).toEqual([text, expected]);
  });

  it("keeps to one line in line mode", () => {
    for (const text of ["[1,\n2]", '{"a":\r1}', '{\n"a":1}', "[1\n]", '{"a"\n:1}', "[ \n]"]) {
      expect(accepts(bytesOf(text))).toBe(true);
      expect(accepts(bytesOf(text), 1)).toBe(false);
    }
    expect(accepts(bytesOf('[ 1,\t2 , {"a" : 1 } ]'), 1)).toBe(true);
  });

  it("limits nesting and reports it", () => {
    probe.raw.setValidateLimits!(5, 1024);
    expect(accepts(bytesOf(nested(5)))).toBe(true);
    expect(probe.global("valueDepth")).toBe(5);
    expect(accepts(bytesOf(nested(6)))).toBe(false);
    expect(accepts(bytesOf('{"a":{"a":{"a":{"a":[]}}}}'))).toBe(true);
    expect(accepts(bytesOf('{"a":{"a":{"a":{"a":[[]]}}}}'))).toBe(false);
    const { p, end } = probe.put(nested(3));
    probe.call("resetValidate");
    expect(probe.call("skipValueAt", p, 0, 2)).toBe(end);
    expect(probe.global("valueDepth")).toBe(5);
    expect(probe.call("skipValueAt", p, 0, 3)).toBe(0);
    probe.raw.setValidateLimits!(100_000, 1024);
    expect(accepts(bytesOf(nested(4096)))).toBe(true);
    expect(accepts(bytesOf(nested(4097)))).toBe(false);
    expect(accepts(bytesOf(`${'{"a":'.repeat(4096)}1${"}".repeat(4096)}`))).toBe(true);
  });

  it("points at the first long number and adds up reports of nested calls", () => {
    probe.raw.setValidateLimits!(512, 6);
    const { p, end } = probe.put("[123456,1.23456,-123456,1]");
    expect(probe.call("skipValue", p, 0)).toBe(end);
    expect(probe.global("longNumberAt")).toBe(p + 8);
    const clean = probe.put("[1]");
    probe.call("skipValueAt", clean.p, 0, 0);
    expect(probe.global("longNumberAt")).toBe(p + 8);
    probe.call("skipValue", clean.p, 0);
    expect(probe.global("longNumberAt")).toBe(0);
    probe.raw.setValidateLimits!(512, 1024);
  });

  it("locates faults at the byte that cannot continue the text", () => {
    const cases: [string | number[], number, number][] = [
      ["", FAULT.json, 0],
      ["   ", FAULT.json, 3],
      ['"a\\x"', FAULT.json, 3],
      ['"\\u12g4"', FAULT.json, 5],
      ['"\\u12', FAULT.json, 5],
      ["trux", FAULT.json, 3],
      ["tru", FAULT.json, 3],
      ["nul ", FAULT.json, 3],
      ["01", FAULT.json, 1],
      ["-", FAULT.json, 1],
      ["-x", FAULT.json, 1],
      ["1.", FAULT.json, 2],
      ["1.x", FAULT.json, 2],
      ["1e+,", FAULT.json, 3],
      ['"a\nb"', FAULT.json, 2],
      ['"a', FAULT.json, 2],
      ["[1,2", FAULT.json, 4],
      ["[1,]", FAULT.json, 3],
      ["[1 2]", FAULT.json, 3],
      ["[,1]", FAULT.json, 1],
      ['{"a" 1}', FAULT.json, 5],
      ['{"a":1,}', FAULT.json, 7],
      ["{1:2}", FAULT.json, 1],
      ['{"a":1]', FAULT.json, 6],
      ["[1}", FAULT.json, 2],
      ["1 1", FAULT.json, 2],
      ["{} \n x", FAULT.json, 5],
      ["1\0", FAULT.json, 1],
      ["é", FAULT.json, 0],
      ["[é]", FAULT.json, 1],
      ['"\\é"', FAULT.json, 2],
      ["tré", FAULT.json, 2],
      ["\ufeff1", FAULT.json, 0],
      [[0xff], FAULT.utf8, 0],
      [[0x22, 0x61, 0xc3, 0x22], FAULT.utf8, 2],
      [[0x22, 0xe4, 0xb8], FAULT.utf8, 1],
      [[0x22, 0xed, 0xa0, 0x80, 0x22], FAULT.utf8, 1],
      [[0x22, 0x80, 0x22], FAULT.utf8, 1],
      [[0x5b, 0xf4, 0x90, 0x80, 0x80], FAULT.utf8, 1],
      [[0x74, 0x72, 0xc0], FAULT.utf8, 2],
      [[0x22, 0x5c, 0xff], FAULT.utf8, 2],
      [[0x31, 0x20, 0xff], FAULT.utf8, 2],
      [[0x22, 0x0a, 0xff], FAULT.json, 1],
      [nested(3), FAULT.depth, 2],
      ['[{"a":{', FAULT.depth, 6],
      ["[[x", FAULT.json, 2],
    ];
    for (const [text, code, at] of cases) {
      const bytes = typeof text === "string" ? text : Uint8Array.from(text);
      expect([text, ...fault(bytes, 2)]).toEqual([text, code, at]);
    }
    expect(fault(' \n{"a":[1,2.5e3,"\\u00e9é😀",true,false,null]}\r\n', 2)).toEqual([0, -1]);
    expect(fault(nested(4096), 4096)).toEqual([0, -1]);
  });
});

describe.each(BUILDS)("canonical form (%s)", (kind) => {
  it("is what JSON.stringify prints, elsewhere and in place", () => {
    const probe = new Probe(kind);
    probe.raw.setValidateLimits!(512, 1024);
    const rng = new Rng(99);
    const wrong: string[] = [];
    for (let i = 0; i < 2000; i++) {
      probe.rewind();
      const value = randomValue(rng, 4);
      const text = looseText(rng, value, rng.pick([0, 0.1, 0.6]));
      const expected = JSON.stringify(value);
      const shift = rng.pick([0, 1, 8, 15, 16, 17, 100]);
      const { p, end } = probe.put(`${"#".repeat(shift)}${text}`);
      const from = p + shift;
      if (probe.call("skipValue", from, 0) !== end) wrong.push(`refused ${text}`);
      const clean = text === expected;
      if (!clean && probe.global("valueDirty") === 0) wrong.push(`not dirty ${text}`);
      const d = probe.room(text.length * 3);
      if (probe.text(d, probe.call("canonicalize", from, d)) !== expected) wrong.push(text);
      if (probe.global("canonicalizeEnd") !== end) wrong.push(`end of ${text}`);
      if (probe.text(p, probe.call("canonicalize", from, p)) !== expected) wrong.push(`in place, ${shift}: ${text}`);
    }
    expect(wrong).toEqual([]);
  });

  it("stops behind the value", () => {
    const probe = new Probe(kind);
    for (const [text, behind] of [
      ['{"a" : [ ] } ,x', 12],
      ['"a\\/" ]', 5],
      ["12 ,", 2],
      ["true}", 4],
      [`[ ${"1, ".repeat(50)}2 ]]]`, 155],
    ] as const) {
      const { p } = probe.put(text);
      const d = probe.room(text.length + 16);
      const end = probe.call("canonicalize", p, d);
      expect(probe.global("canonicalizeEnd") - p).toBe(behind);
      expect(probe.text(d, end)).toBe(JSON.stringify(JSON.parse(text.slice(0, behind))));
      expect(probe.call("skipTrusted", p)).toBe(p + behind);
    }
  });
});
