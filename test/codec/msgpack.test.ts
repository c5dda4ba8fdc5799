import { describe, expect, it } from "vitest";
import { MsgpackFault, readMsgpack, readMsgpackPrefix, writeMsgpack } from "../../src/codec/msgpack/index.js";
import { ExactNumber, parseExact, readOrdered, stringify } from "../../src/json/exact.js";
import { concat, utf8 } from "../support/bytes.js";
import { hex, READS, REFUSED, toHex, WRITES } from "../support/msgpack.js";

const OPTIONS = { depth: 512, replace: false };

function read(bytes: Uint8Array, options = OPTIONS): unknown {
  const message = readMsgpack(bytes, options);
  if (message instanceof MsgpackFault) return { ...message };
  return message.value;
}

function write(value: unknown, orders?: Map<object, string[]>): string {
  const bytes = writeMsgpack(value, orders);
  if (bytes instanceof MsgpackFault) throw new Error(bytes.reason);
  return toHex(bytes);
}

describe("the MessagePack reader", () => {
  it.each(READS)("reads %s", (digits, json) => {
    const bytes = hex(digits);
    const value = read(bytes);
    expect(value).toEqual(parseExact(json));
    expect(stringify(value)).toBe(json);
    expect(stringify(read(concat([hex("92"), bytes, hex("c0")])))).toBe(`[${json},null]`);
    expect(readMsgpackPrefix(concat([bytes, hex("c1")]), OPTIONS)).toMatchObject({ value, end: bytes.length });
  });

  it.each(REFUSED)("refuses %s", (digits, code, offset, reason) => {
    expect(read(hex(digits))).toEqual({ code, offset, reason });
  });

  it("reads bytes that lie anywhere in a buffer", () => {
    const whole = concat([hex("c1 c1 c1"), hex("93 cd 01 02 a1 61 cb 3f e0 00 00 00 00 00 00"), hex("c1")]);
    expect(read(whole.subarray(3, whole.length - 1))).toEqual([258, "a", 0.5]);
  });

  it("finds every message cut at every byte too short", () => {
    for (const [digits] of READS) {
      const bytes = concat([hex("82 a1 6b 91"), hex(digits), hex("a0 c0")]);
      for (let n = 0; n < bytes.length; n++) {
        expect(read(bytes.subarray(0, n))).toEqual({ code: "bad_msgpack", offset: n, reason: "short" });
      }
    }
  });

  it("makes own members only, the last of a name in the first place", () => {
    const value = read(hex("84 a9 5f 5f 70 72 6f 74 6f 5f 5f 81 a1 78 01 a1 61 01 a1 62 02 a1 61 03")) as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.entries(value)).toEqual([
      ["__proto__", { x: 1 }],
      ["a", 3],
      ["b", 2],
    ]);
  });

  it("keeps digits that no double holds", () => {
    expect(read(hex("92 cf 00 20 00 00 00 00 00 01 cf 00 20 00 00 00 00 00 02"))).toEqual([
      new ExactNumber("9007199254740993"),
      9007199254740994,
    ]);
  });

  it("tells the order of names that JavaScript lists first, and writes by it", () => {
    const bytes = hex("83 a1 62 01 a1 31 02 a1 30 03");
    const orders = new Map<object, string[]>();
    const value = (readMsgpack(bytes, { ...OPTIONS, orders }) as { value: object }).value;
    expect(orders.get(value)).toEqual(["b", "1", "0"]);
    expect(write(value, orders)).toBe(toHex(bytes));
    const same = new Map<object, string[]>();
    expect([...same.set(readOrdered('{"b":1,"1":2,"0":3}', same) as object, []).keys()]).toHaveLength(1);
  });

  it("limits nesting, at the container that is one too many", () => {
    const nested = (n: number, inner: string): Uint8Array => concat([new Uint8Array(n).fill(0x91), hex(inner)]);
    expect(read(nested(4, "90"), { depth: 5, replace: false })).toEqual([[[[[]]]]]);
    for (const inner of ["90", "80", "91 c0", "dc", "de 00 01"]) {
      const fault = { code: "too_deep", offset: 5, reason: undefined };
      expect(read(nested(5, inner), { depth: 5, replace: false })).toEqual(fault);
    }
  });

  it("replaces ill-formed UTF-8 where that is wanted", () => {
    const bytes = hex("82 a2 61 ff c0 a1 62 a3 e4 b8 61");
    expect(readMsgpack(bytes, { depth: 5, replace: true })).toEqual({
      value: { "a\ufffd": null, b: "\ufffda" },
      replaced: true,
      end: bytes.length,
      depth: 1,
      exact: false,
      longNumber: false,
    });
    expect(readMsgpack(hex("a1 61"), { depth: 5, replace: true })).toMatchObject({ replaced: false });
  });
});

describe("the MessagePack writer", () => {
  it.each(WRITES)("writes %s", (json, digits) => {
    const wanted = toHex(hex(digits));
    expect(write(parseExact(json))).toBe(wanted);
    expect(write(new ExactNumber("0"))).toBe("00");
    expect(write([parseExact(json), { k: parseExact(json) }])).toBe(`92 ${wanted} 81 a1 6b ${wanted}`);
  });

  it("writes doubles of a caller's own as their texts", () => {
    for (const value of [
      2 ** 53,
      2 ** 60,
      -(2 ** 63),
      2 ** 64,
      2 ** 64 - 2048,
      1e300,
      -0,
      1e19,
      123456789012345680000,
    ]) {
      const text = Object.is(value, -0) ? "-0" : Math.abs(value) < 1e21 ? BigInt(value).toString() : String(value);
      expect(write(value)).toBe(write(new ExactNumber(text)));
    }
  });

  it("refuses numbers that no double reaches", () => {
    const fault = new MsgpackFault("bad_msgpack", 0, "range");
    expect(writeMsgpack([1, { a: new ExactNumber("-1e400") }])).toEqual(fault);
    expect(writeMsgpack(new ExactNumber(`1${"0".repeat(309)}`))).toEqual(fault);
  });

  it("writes containers and strings of every size, and any depth", () => {
    const sizes: [value: unknown, header: string][] = [
      [Array.from({ length: 65_535 }, () => 0), "dc ff ff"],
      [Array.from({ length: 65_536 }, () => 0), "dd 00 01 00 00"],
      [Object.fromEntries(Array.from({ length: 65_536 }, (_, i) => [`k${i}`, i])), "df 00 01 00 00"],
      ["x".repeat(65_535), "da ff ff"],
      ["é".repeat(32_768), "db 00 01 00 00"],
    ];
    for (const [value, header] of sizes) {
      const bytes = writeMsgpack(value) as Uint8Array;
      expect(toHex(bytes.subarray(0, header.split(" ").length))).toBe(header);
      expect(read(bytes)).toEqual(value);
    }
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect((writeMsgpack(deep) as Uint8Array).length).toBe(100_001);
    expect(utf8("é").length).toBe(2);
  });
});
