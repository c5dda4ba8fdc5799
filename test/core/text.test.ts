import { describe, expect, it } from "vitest";
import { Rng } from "../support/rng.js";
import { looseText, randomString } from "./support/json-texts.js";
import { BUILDS, bytesOf, Probe } from "./support/probe.js";

const replacing = new TextDecoder("utf-8", { ignoreBOM: true });

// None of the sequences below is U+FFFD itself; the fatal decoder would spend its time on making errors.
function isWellFormed(bytes: Uint8Array): boolean {
  return !replacing.decode(bytes).includes("\ufffd");
}

function isWellFormedOf(sequence: readonly number[], n: number): boolean {
  return n <= sequence.length && isWellFormed(Uint8Array.from(sequence.slice(0, n)));
}

/** Every sequence of two bytes, and three- and four-byte ones around each bound of Unicode's table 3-7. */
function* sequences(): Generator<number[]> {
  for (let a = 0x80; a < 256; a++) for (let b = 0; b < 256; b++) yield [a, b];
  const edges = [0x00, 0x22, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff];
  for (let a = 0xdf; a < 256; a++) {
    for (const b of edges) {
      for (const c of edges) {
        yield [a, b, c];
        if (a >= 0xef) for (const d of edges) yield [a, b, c, d];
      }
    }
  }
}

describe.each(BUILDS)("UTF-8 (%s)", (kind) => {
  const probe = new Probe(kind);

  it("accepts exactly the well-formed sequences", () => {
    const wrong: number[][] = [];
    for (const sequence of sequences()) {
      probe.rewind();
      const { p } = probe.put(Uint8Array.from(sequence));
      const next = probe.call("utf8Sequence", p);
      const length = [2, 3, 4].find((n) => isWellFormedOf(sequence, n));
      const expected = sequence[0]! < 0xc2 || length === undefined ? 0 : p + length;
      if (next !== expected) wrong.push(sequence);
    }
    expect(wrong).toEqual([]);
  });

  it("scans them the same way inside of strings, at every offset of a block", () => {
    const wrong: number[][] = [];
    for (const sequence of sequences()) {
      if (sequence.length === 2 && (sequence[1]! & 7) !== 0) continue;
      probe.rewind();
      const pad = (sequence[0]! * 7 + sequence[1]!) % 20;
      const { p, end } = probe.put(Uint8Array.from([...Array(pad).fill(0x61), ...sequence, 0x22]));
      const inside = sequence.includes(0x22) ? sequence.slice(0, sequence.indexOf(0x22)) : sequence;
      const valid = isWellFormed(Uint8Array.from(inside)) && !inside.some((b) => b < 0x20);
      const close = inside === sequence ? end - 1 : p + pad + inside.length;
      if (probe.call("scanString", p) !== (valid ? close : 0)) wrong.push(sequence);
      if (probe.call("scanStringShort", p) !== (valid ? close : 0)) wrong.push(sequence);
    }
    expect(wrong).toEqual([]);
  });

  it("writes every kind of code point", () => {
    for (const c of [0, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff]) {
      const d = probe.room(8);
      const end = probe.call("utf8Put", d, c);
      expect(probe.slice(d, end)).toEqual(bytesOf(String.fromCodePoint(c)));
    }
  });

  it("replaces like the HTML standard", () => {
    const rng = new Rng(21);
    const wrong: number[][] = [];
    const check = (bytes: Uint8Array): void => {
      probe.rewind();
      const { p, end } = probe.put(bytes);
      const d = probe.room(bytes.length * 3);
      const out = probe.call("replaceInvalid", p, end, d);
      if (probe.text(d, out) !== replacing.decode(bytes)) wrong.push([...bytes]);
    };
    for (const sequence of sequences()) if ((sequence[1]! & 3) === 0) check(Uint8Array.from([...sequence, 0x41]));
    for (let i = 0; i < 3000; i++) {
      const pool = [0x41, 0x80, 0xbf, 0xc2, 0xe0, 0xed, 0xf0, 0xf4, 0xff, 0xe4, 0xb8, 0x9f, 0xa0, 0x8f, 0x90];
      check(Uint8Array.from({ length: rng.int(12) }, () => rng.pick(pool)));
    }
    expect(wrong).toEqual([]);
  });
});

describe.each(BUILDS)("scanners (%s)", (kind) => {
  const probe = new Probe(kind);

  it("finds the closing quote and says what it saw", () => {
    const cases: [string, number][] = [
      ['"', 0],
      ['abc"', 0],
      [`${"a".repeat(100)}"`, 0],
      ['a\\nb"', 1],
      ['\\/"', 5],
      ['\\u0041"', 5],
      ['é"', 2],
      [`${"a".repeat(31)}é\\""`, 3],
    ];
    for (const [text, flags] of cases) {
      for (const scan of ["scanString", "scanStringShort"]) {
        const { p, end } = probe.put(text);
        probe.call("setScanFlags", 0);
        expect(probe.call(scan, p)).toBe(end - 1);
        expect(probe.global("scanFlags")).toBe(flags);
        expect(probe.raw.stringEnd!(p)).toBe(end - 1);
      }
    }
    probe.call("setScanFlags", 2);
    probe.call("scanString", probe.put('\\n"').p);
    expect(probe.global("scanFlags")).toBe(3);
  });

  it("refuses every control character, bad escape and missing quote", () => {
    for (let c = 0; c < 0x20; c++) {
      for (const pad of [0, 7, 15, 16, 40]) {
        expect(probe.call("scanString", probe.put(`${"a".repeat(pad)}${String.fromCharCode(c)}bc"`).p)).toBe(0);
      }
    }
    for (let c = 0x20; c < 0x7f; c++) {
      const letter = String.fromCharCode(c);
      const { p } = probe.put(`\\${letter}0041"`);
      const close = letter === '"' ? p + 6 : p + 6;
      expect(probe.call("scanString", p)).toBe('"\\/bfnrtu'.includes(letter) ? close : 0);
      for (let at = 0; at < 4; at++) {
        const digits = [..."00ae"];
        digits[at] = letter;
        const text = `\\u${digits.join("")}`;
        const good = /[0-9a-fA-F]/.test(letter);
        const place = probe.put(`${text}"`);
        expect(probe.call("scanString", place.p)).toBe(good ? place.end - 1 : 0);
      }
    }
    expect(probe.call("scanString", probe.put("no end").p)).toBe(0);
    expect(probe.call("scanString", probe.put("no end\\").p)).toBe(0);
    expect(probe.call("scanString", probe.put("\\u12").p)).toBe(0);
  });

  it("knows JSON numbers", () => {
    const good = ["0", "-0", "7", "10", "1234567890123", "1.5", "-0.25", "1e5", "1E+5", "1e-05", "1.25e10"];
    const bad = ["", "-", "+1", ".5", "1.", "1.e1", "1e", "1e+", "-a", "1.x", "e1"];
    for (const text of good) {
      const { p, end } = probe.put(`${text},`);
      expect(probe.call("skipNumber", p)).toBe(end - 1);
    }
    for (const text of bad) expect(probe.call("skipNumber", probe.put(text).p)).toBe(0);
    const { p } = probe.put("01");
    expect(probe.call("skipNumber", p)).toBe(p + 1);
  });

  it("finds bytes and line ends, never behind the end", () => {
    for (let length = 0; length < 70; length++) {
      const { p, end } = probe.put(`${"x".repeat(length)}\r${"y".repeat(5)}\n`);
      expect(probe.call("findLineEnd", p, end)).toBe(p + length);
      expect(probe.call("findByte", p, end, 10)).toBe(end - 1);
      expect(probe.call("findByte", p, end - 1, 10)).toBe(0);
      expect(probe.call("findLineEnd", p, p + length)).toBe(0);
      expect(probe.call("findByte", p, end, 0x7a)).toBe(0);
    }
  });

  it("walks over white space and whole values", () => {
    const rng = new Rng(4);
    for (let i = 0; i < 400; i++) {
      const value = [randomString(rng), { [randomString(rng)]: [[1], "}]", { a: "\\" }] }, rng.int(99), null];
      const text = looseText(rng, rng.pick([value, ...value]));
      const space = rng.pick(["", " ", "\n\t \r ", " ".repeat(rng.int(80))]);
      const { p, end } = probe.put(`${space}${text}${rng.pick([",", "]", "}", "  ", ""])}`);
      const start = probe.raw.skipSpace!(p);
      expect(start).toBe(p + space.length);
      const behind = probe.call("skipTrusted", start);
      expect(behind).toBe(start + bytesOf(text).length);
      expect(behind).toBeLessThanOrEqual(end);
    }
  });
});

const HALVES = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

describe.each(BUILDS)("escapes (%s)", (kind) => {
  const probe = new Probe(kind);
  const canonical = (text: string): string => JSON.stringify(text).slice(1, -1);

  function run(name: string, text: string | Uint8Array, growth: number): string {
    const { p, end, n } = probe.put(text);
    const d = probe.room(n * growth + 16);
    const out = probe.call(name, p, end, d);
    return probe.text(d, out);
  }

  it("brings each escape to the spelling JSON.stringify prints", () => {
    for (let unit = 0; unit < 0x10000; unit += unit < 0x300 || (unit & 0xf000) === 0xd000 ? 1 : 257) {
      const hex = unit.toString(16).padStart(4, "0");
      const expected = canonical(String.fromCharCode(unit));
      expect(run("canonicalEscapes", `\\u${hex}`, 1)).toBe(expected);
      expect(run("canonicalEscapes", `x\\u${hex.toUpperCase()}y`, 1)).toBe(`x${expected}y`);
    }
    expect(run("canonicalEscapes", '\\"\\\\\\/\\b\\f\\n\\r\\t', 1)).toBe('\\"\\\\/\\b\\f\\n\\r\\t');
    expect(run("canonicalEscapes", "\\ud83d\\ude00\\ud83d\\ud83d\\ude00\\ude00", 1)).toBe("😀\\ud83d😀\\ude00");
    expect(run("canonicalEscapes", "\\uD83Dx\\uDE00", 1)).toBe("\\ud83dx\\ude00");
    expect(run("canonicalEscapes", "\\\\ud83d\\ude00", 1)).toBe("\\\\ud83d\\ude00");
  });

  it("agrees with JSON on random strings: canonical, plain, in place, lengths", () => {
    const rng = new Rng(77);
    for (let i = 0; i < 4000; i++) {
      probe.rewind();
      const text = randomString(rng) + (rng.chance(0.2) ? randomString(rng) : "");
      const loose = looseText(rng, text).slice(1, -1);
      const expected = canonical(text);
      expect(run("canonicalEscapes", loose, 1)).toBe(expected);
      const { p, end } = probe.put(loose);
      const shift = rng.pick([0, 1, 5, 15, 16, 40]);
      const target = p - Math.min(shift, 0);
      expect(probe.text(target, probe.call("canonicalEscapes", p, end, target))).toBe(expected);
      const place = probe.put(`${"#".repeat(shift)}${loose}`);
      expect(probe.text(place.p, probe.call("canonicalEscapes", place.p + shift, place.end, place.p))).toBe(expected);
      const units = probe.put(expected);
      expect(probe.call("codeUnits", units.p, units.end)).toBe(text.length);
      if (HALVES.test(text)) continue;
      expect(run("unescape", loose, 1)).toBe(text);
    }
  });

  it("counts code units of every short length", () => {
    for (const sample of ["a", "é", "中", "😀", "\n", "\\", "\u0001", "\ud800"]) {
      for (let n = 0; n < 40; n++) {
        for (const tail of ["", "z", "zz😀", "zzz\n"]) {
          const text = sample.repeat(n) + tail;
          const { p, end } = probe.put(canonical(text));
          expect(probe.call("codeUnits", p, end)).toBe(text.length);
        }
      }
    }
  });

  it("keeps lone halves as WTF-8 and joins encoded ones", () => {
    const high = [0xed, 0xa0, 0xbd];
    const low = [0xed, 0xb8, 0x80];
    const plain = (escaped: string): number[] => {
      const { p, end, n } = probe.put(escaped);
      const d = probe.room(n);
      return [...probe.slice(d, probe.call("unescape", p, end, d))];
    };
    expect(plain("\\ud83d")).toEqual(high);
    expect(plain("\\ude00!")).toEqual([...low, 0x21]);
    expect(plain("\\ud83d\\ude00")).toEqual([...bytesOf("😀")]);
  });

  it("sees halves at the ends, and no escaped backslash as one", () => {
    const ends = (text: string): number => {
      const { p, end } = probe.put(text);
      return probe.call("endsWithHighSurrogate", p, end);
    };
    const starts = (text: string): number => {
      const { p, end } = probe.put(text);
      return probe.call("startsWithLowSurrogate", p, end);
    };
    for (const c of "89ab") expect(ends(`x\\ud${c}00`)).toBe(1);
    for (const c of "cdef") expect(starts(`\\ud${c}00x`)).toBe(1);
    for (const c of "01234567cdef") expect(ends(`\\ud${c}00`)).toBe(0);
    for (const c of "0123456789ab") expect(starts(`\\ud${c}00`)).toBe(0);
    expect(ends("\\\\ud83d")).toBe(0);
    expect(ends("\\\\\\ud83d")).toBe(1);
    expect(ends("\\ud83d\\n")).toBe(0);
    expect(ends("ud83d")).toBe(0);
    expect(ends("")).toBe(0);
    expect(starts("\\\\udc00")).toBe(0);
    expect(starts("\\udc0")).toBe(0);
    expect(starts("")).toBe(0);
  });
});

describe.each(BUILDS)("numbers and hashes (%s)", (kind) => {
  const probe = new Probe(kind);
  const number = (name: string, text: string): number => {
    const { p, n } = probe.put(text);
    return probe.raw[name]!(p, n);
  };

  it("reads unsigned integers", () => {
    for (const text of ["0", "7", "10", "4294967296", "9007199254740991"])
      expect(number("parseUint", text)).toBe(Number(text));
    for (const text of ["", "01", "00", "-1", "1.0", "1e3", "9007199254740992", "99999999999999999", "1x", "x"]) {
      expect(number("parseUint", text)).toBe(-1);
    }
  });

  it("knows which numbers are integers, exactly", () => {
    const good: [string, number][] = [
      ["1.0", 1],
      ["1e3", 1000],
      ["10e-1", 1],
      ["-0", 0],
      ["-0.0e9", 0],
      ["0e999999999999999999", 0],
      ["9007199254740991.000", 2 ** 53 - 1],
      ["90071992547409.91e2", 2 ** 53 - 1],
      ["0.0000000000000000000009007199254740991e37", 2 ** 53 - 1],
      [`1${"0".repeat(400)}e-400`, 1],
      [`0.${"0".repeat(400)}12e402`, 12],
      ["120e-1", 12],
      ["1E+2", 100],
      ["9007199254740990e0", 9007199254740990],
    ];
    for (const [text, value] of good) expect([text, number("integerValue", text)]).toEqual([text, value]);
    const bad = [
      "-1",
      "1.5",
      "15e-1",
      "1e16",
      "1e400",
      "9007199254740992",
      "9007199254740991.5",
      "9007199254740993e0",
      "1e-1",
      "0.1",
      "1e99999999999999999999",
      "123456789012345678901234567890",
      "-1e0",
      "9007199254740991.0000000000000000000001",
    ];
    for (const text of bad) expect([text, number("integerValue", text)]).toEqual([text, -1]);
  });

  it("spreads keys, also those that a plain product would pile up", () => {
    const hash = (text: string | Uint8Array): number => {
      const { p, n } = probe.put(text);
      return probe.call("hashBytes", p, n);
    };
    const families: ((i: number) => string)[] = [
      (i) => `key-${i}`,
      (i) => `${i}`,
      (i) => `${i}-suffix-that-is-the-same`,
      (i) => String.fromCharCode(65 + (i % 26)).repeat(1 + i / 26),
    ];
    for (const family of families) {
      const buckets = new Map<number, number>();
      const tags = new Set<number>();
      const whole = new Set<number>();
      const names = new Set<string>();
      for (let i = 0; i < 10_000; i++) {
        const name = family(i);
        if (names.has(name) || name.length > 300) continue;
        names.add(name);
        const h = hash(name);
        whole.add(h);
        tags.add(h >>> 24);
        buckets.set(h & 16383, (buckets.get(h & 16383) ?? 0) + 1);
      }
      expect(whole.size).toBeGreaterThan(names.size - 10);
      expect(tags.size).toBe(256);
      expect(Math.max(...buckets.values())).toBeLessThan(10);
    }
    probe.rewind();
    // flips of the top bits must not cancel
    const a = Uint8Array.from([1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8]);
    const b = a.slice();
    b[7]! ^= 0x80;
    b[11]! ^= 0x80;
    b[15]! ^= 0x80;
    expect(hash(a)).not.toBe(hash(b));
  });

  it("depends on the seed and on nothing behind the text", () => {
    const { p } = probe.put("abcdefghijk--");
    const before = probe.call("hashBytes", p, 11);
    probe.bytes[p + 11] = 1;
    expect(probe.call("hashBytes", p, 11)).toBe(before);
    probe.raw.hashSeed!(1, 2);
    expect(probe.call("hashBytes", p, 11)).not.toBe(before);
  });
});
