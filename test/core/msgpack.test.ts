import { describe, expect, it } from "vitest";
import { concat, utf8 } from "../support/bytes.js";
import { hex, isFault, READS, REFUSED, toHex, WRITES } from "../support/msgpack.js";
import { Rng } from "../support/rng.js";
import { looseText, randomString, randomValue } from "./support/json-texts.js";
import { CoreMsgpack } from "./support/msgpack.js";
import { BUILDS, Probe } from "./support/probe.js";

describe.each(BUILDS)("the MessagePack reader (%s)", (kind) => {
  const core = new CoreMsgpack(new Probe(kind));

  it.each(READS)("reads %s", (digits, json) => {
    const bytes = hex(digits);
    expect(core.read(bytes)).toEqual({ text: json, replaced: false, end: bytes.length });
    // inside of a container, and with something behind
    const inside = concat([hex("92"), bytes, hex("c0")]);
    expect(core.read(inside)).toMatchObject({ text: `[${json},null]` });
    expect(core.read(concat([bytes, hex("c1")]), 512, false, true)).toMatchObject({ text: json, end: bytes.length });
  });

  it.each(REFUSED)("refuses %s", (digits, code, offset, reason) => {
    expect(core.read(hex(digits))).toEqual({ code, offset, reason });
  });

  it("finds every message cut at every byte too short", () => {
    for (const [digits] of READS) {
      const bytes = concat([hex("82 a1 6b 91"), hex(digits), hex("a0 c0")]);
      for (let n = 0; n < bytes.length; n++) {
        expect(core.read(bytes.subarray(0, n))).toEqual({ code: "bad_msgpack", offset: n, reason: "short" });
      }
    }
  });

  it("replaces ill-formed UTF-8 where that is wanted", () => {
    const replacing = new TextDecoder("utf-8", { ignoreBOM: true });
    const rng = new Rng(3);
    for (let i = 0; i < 2000; i++) {
      const body = Uint8Array.from({ length: rng.int(60) }, () =>
        rng.pick([0x61, 0x22, 0xe4, 0xb8, 0xad, 0xf0, 0x9f, 0xed, 0xa0, 0x80, 0xff]),
      );
      const text = replacing.decode(body);
      const answer = core.read(concat([Uint8Array.of(0xd9, body.length), body]), 512, true);
      expect(answer).toEqual({ text: JSON.stringify(text), replaced: text.includes("\ufffd"), end: body.length + 2 });
    }
  });

  it("copies strings of every length with every kind of character at every place", () => {
    for (let n = 0; n < 80; n++) {
      for (const odd of ["", '"', "\n", "\u0001", "é", "中", "😀", "\u007f"]) {
        const text = `${"x".repeat(n)}${odd}${"y".repeat((n * 7) % 40)}`;
        const body = utf8(text);
        const bytes = concat([hex("92"), Uint8Array.of(0xda, 0, body.length), body, hex("a1 7a")]);
        expect(core.read(bytes)).toMatchObject({ text: JSON.stringify([text, "z"]) });
      }
    }
  });

  it("limits nesting, at the container that is one too many", () => {
    const nested = (n: number, inner: string): Uint8Array => concat([new Uint8Array(n).fill(0x91), hex(inner)]);
    expect(core.read(nested(4, "90"), 5)).toMatchObject({ text: `${"[".repeat(5)}${"]".repeat(5)}` });
    for (const inner of ["90", "80", "91 c0", "dc", "de 00 01"]) {
      expect(core.read(nested(5, inner), 5)).toEqual({ code: "too_deep", offset: 5, reason: undefined });
    }
    expect(core.read(nested(4095, "90"), 100_000)).toMatchObject({ text: `${"[".repeat(4096)}${"]".repeat(4096)}` });
    expect(core.read(nested(1_000_000, "90"), 100_000)).toEqual({ code: "too_deep", offset: 4096, reason: undefined });
  });

  it("allocates by the bytes that are there, not by sizes that are declared", () => {
    core.free();
    for (const lead of ["dd", "df", "db", "c6", "c9"])
      core.read(concat([hex(`${lead} ff ff ff ff ff`), new Uint8Array(1000)]));
    expect(core.capacity).toBeLessThan(4096);
    // the longest text per byte: control characters
    core.free();
    const body = new Uint8Array(60_000).fill(1);
    expect(core.read(concat([hex("da ea 60"), body]))).toMatchObject({ text: `"${"\\u0001".repeat(60_000)}"` });
    expect(core.capacity).toBeLessThan(10 * body.length);
    // one escape must not make room for thousands
    core.free();
    const plain = new Uint8Array(60_000).fill(0x61);
    plain[100] = 0x0a;
    core.read(concat([hex("da ea 60"), plain]));
    expect(core.capacity).toBeLessThan(2 * plain.length);
    core.free();
  });

  it("says when there is no memory, and changes nothing", () => {
    const small = new CoreMsgpack(new Probe(kind, 1 << 20));
    small.probe.call("heapSetLimit", small.probe.pages);
    const body = new Uint8Array(600_000).fill(1);
    expect(small.read(concat([hex("db 00 09 27 c0"), body]))).toMatchObject({ code: "out_of_memory" });
    expect(small.read(hex("93 01 02 03"))).toMatchObject({ text: "[1,2,3]" });
    expect(small.write(`"${"a".repeat(1_000_000)}"`)).toMatchObject({ code: "out_of_memory" });
    expect(toHex(small.write("[1]") as Uint8Array)).toBe("91 01");
  });
});

describe.each(BUILDS)("the MessagePack writer (%s)", (kind) => {
  const core = new CoreMsgpack(new Probe(kind));

  it.each(WRITES)("writes %s", (json, digits) => {
    const wanted = toHex(hex(digits));
    expect(toHex(core.write(json) as Uint8Array)).toBe(wanted);
    expect(toHex(core.write(`[${json} , {"k" : ${json}}]`) as Uint8Array)).toBe(`92 ${wanted} 81 a1 6b ${wanted}`);
  });

  it("refuses numbers that no double reaches, at themselves", () => {
    expect(core.write('{"a":[1,-1e400]}')).toEqual({ code: "bad_msgpack", offset: 8, reason: "range" });
    expect(core.write(`1${"0".repeat(309)}`)).toEqual({ code: "bad_msgpack", offset: 0, reason: "range" });
  });

  it("writes containers of every size and depth", () => {
    for (const n of [15, 16, 65535, 65536, 70_000]) {
      const list = Array.from({ length: n }, () => 0);
      const bytes = core.write(JSON.stringify(list)) as Uint8Array;
      expect(core.read(bytes)).toMatchObject({ text: JSON.stringify(list) });
      expect(bytes.length).toBe(n + (n < 16 ? 1 : n < 65536 ? 3 : 5));
    }
    const map = JSON.stringify(Object.fromEntries(Array.from({ length: 70_000 }, (_, i) => [`k${i}`, i])));
    expect(core.read(core.write(map) as Uint8Array)).toMatchObject({ text: map });
    const deep = `${"[1,".repeat(4096)}2${"]".repeat(4096)}`;
    expect(core.read(core.write(deep) as Uint8Array, 4096)).toMatchObject({ text: deep });
    expect(core.write(`[${deep}]`)).toMatchObject({ code: "too_deep", offset: 1 + 3 * 4095 });
  });

  it("brings canonical text back as it was, and loose text to its canonical form", () => {
    const rng = new Rng(17);
    for (let i = 0; i < 3000; i++) {
      const value = randomValue(rng, 5);
      const json = JSON.stringify(value);
      const bytes = core.write(i % 2 === 0 ? json : looseText(rng, value));
      if (isFault(bytes)) throw new Error(`${bytes.code} in ${json}`);
      // lone halves have no UTF-8
      const wanted = json.replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, "$1\ufffd");
      expect(core.read(bytes)).toMatchObject({ text: wanted });
    }
  });

  it("measures strings by their bytes, not by their escapes", () => {
    const rng = new Rng(18);
    for (const n of [30, 31, 32, 33, 254, 255, 256, 257, 65_534, 65_535, 65_536, 65_537]) {
      for (const unit of ["a", "\n", "\u0001", "é", "中"]) {
        const text = `${randomString(rng).replace(/[\ud800-\udfff]/g, "")}${unit.repeat(n)}`.slice(0, n);
        const size = utf8(text).length;
        const bytes = core.write(JSON.stringify(text)) as Uint8Array;
        expect(bytes.length - size).toBe(size < 32 ? 1 : size < 256 ? 2 : size < 65536 ? 3 : 5);
        expect(core.read(bytes)).toMatchObject({ text: JSON.stringify(text) });
      }
    }
  });

  it("gives its buffers back", () => {
    const before = core.probe.call("liveBytes");
    core.write(`[${"[],".repeat(50_000)}[]]`);
    core.free();
    core.probe.call("trimMsgpack");
    expect(core.probe.call("liveBytes")).toBeLessThanOrEqual(before);
  });
});
