import { createRequire } from "node:module";
import { decode, ExtData, encode } from "@msgpack/msgpack";
import { Packr } from "msgpackr";
import { describe, expect, it } from "vitest";
import { MsgpackFault, readMsgpack, writeMsgpack } from "../../src/codec/msgpack/index.js";
import { parseExact, stringify } from "../../src/json/exact.js";
import { modelOf } from "../contract/base.js";
import { randomString, randomValue } from "../core/support/json-texts.js";
import { msgpackOf } from "../support/binary.js";
import { concat } from "../support/bytes.js";
import { engine, KINDS } from "../support/engines.js";
import { Fold, thrown } from "../support/fold.js";
import { hex, toHex } from "../support/msgpack.js";
import { Rng } from "../support/rng.js";

// Other people's vectors and libraries: what they write is read, and what is written they read.

type Kind = "nil" | "bool" | "binary" | "number" | "bignum" | "string" | "array" | "map" | "timestamp" | "ext";
type Vector = Partial<Record<Exclude<Kind, "timestamp" | "ext">, unknown>> & {
  timestamp?: [seconds: number, nanoseconds: number];
  ext?: unknown;
  msgpack: string[];
};
const SUITE = createRequire(import.meta.url)("msgpack-test-suite") as Record<string, Vector[]>;
const VECTORS = Object.entries(SUITE).flatMap(([group, vectors]) =>
  vectors.flatMap((vector) => vector.msgpack.map((digits) => ({ group, digits, vector }))),
);

const base64 = (digits: string): string => Buffer.from(hex(digits)).toString("base64");

/** docs/msgpack.md §2: the JSON text that stands for a vector; undefined for an extension, which is refused. */
function jsonOf(vector: Vector): string | undefined {
  if ("ext" in vector) return undefined;
  if ("nil" in vector) return "null";
  if (vector.binary !== undefined) return JSON.stringify(base64(vector.binary as string));
  if (vector.bignum !== undefined) return vector.bignum as string;
  if (vector.timestamp !== undefined) return JSON.stringify(dateOf(...vector.timestamp));
  return JSON.stringify(vector.bool ?? vector.number ?? vector.string ?? vector.array ?? vector.map);
}

/** RFC 3339 with 0, 3, 6 or 9 digits of the second. */
function dateOf(seconds: number, nanoseconds: number): string {
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19);
  if (nanoseconds === 0) return `${whole}Z`;
  return `${whole}.${String(nanoseconds)
    .padStart(9, "0")
    .replace(/(000){1,2}$/, "")}Z`;
}

/** `start` of a model with the value in its meta. */
function startWith(value: Uint8Array): Uint8Array {
  const key = (name: string): Uint8Array => msgpackOf(JSON.stringify(name));
  const head = [hex("83"), key("op"), key("start"), key("seq"), hex("01"), key("model"), hex("84")];
  const model = [key("version"), key("1.1"), key("biz"), key("b"), key("blocks"), hex("90"), key("meta"), hex("81")];
  return concat([...head, ...model, key("v"), value]);
}

describe("msgpack-test-suite", () => {
  it("has every kind of vector, in every spelling", () => {
    expect(VECTORS.length).toBe(233);
  });

  it.each(VECTORS)("$group: $digits", ({ digits, vector }) => {
    const bytes = hex(digits.replaceAll("-", " "));
    const json = jsonOf(vector);
    const message = readMsgpack(bytes, { depth: 512, replace: false });
    if (json === undefined) expect(message).toMatchObject({ code: "bad_msgpack", offset: 0, reason: "extension" });
    else {
      if (message instanceof MsgpackFault) throw new Error(message.reason);
      expect(stringify(message.value)).toBe(json);
      // what is written is one of the spellings; bin and timestamps have become strings
      if (vector.binary === undefined && vector.timestamp === undefined) {
        expect(vector.msgpack).toContain(toHex(writeMsgpack(parseExact(json)) as Uint8Array).replaceAll(" ", "-"));
      }
    }
    for (const kind of KINDS) {
      const fold = new Fold(engine(kind), "msgpack", { undecodable: "skip" });
      fold.push(startWith(bytes));
      if (json === undefined) expect(fold.errors[0]?.code, kind).toBe("bad_msgpack");
      else {
        const meta = `"meta":{"v":${json}}`;
        expect(new TextDecoder().decode(fold.reducer.snapshotBytes()), kind).toContain(meta);
        const model = fold.reducer.snapshotBytes({ format: "msgpack" });
        fold.reducer.load(model, { format: "msgpack" });
        expect(new TextDecoder().decode(fold.reducer.snapshotBytes()), kind).toContain(meta);
      }
      fold.reducer.close();
    }
  });
});

/** A value that every library has: well-formed strings, names that are no numbers and not `__proto__`, safe integers. */
function value(rng: Rng): unknown {
  const plain = (text: string): string => text.replace(/[\ud800-\udfff]/g, "h");
  const walk = (one: unknown): unknown => {
    if (typeof one === "string") return plain(one);
    if (Array.isArray(one)) return one.map(walk);
    if (typeof one !== "object" || one === null) return one;
    const members = Object.entries(one).map(([name, member], i) => [`${plain(name)}-${i}`, walk(member)]);
    return Object.fromEntries(members);
  };
  const numbers = rng.pick([
    0,
    1,
    127,
    128,
    255,
    65_536,
    2 ** 32,
    2 ** 40,
    Number.MAX_SAFE_INTEGER,
    -1,
    -33,
    -(2 ** 31) - 1,
    0.5,
    0.1,
    1e300,
  ]);
  return walk([numbers, randomString(rng), randomValue(rng, 5), { at: rng.int(1e9), list: [numbers] }]);
}

const LIBRARIES: Record<string, { write(value: unknown): Uint8Array; read(bytes: Uint8Array): unknown }> = {
  "@msgpack/msgpack": { write: (one) => encode(one), read: (bytes) => decode(bytes) },
  msgpackr: (() => {
    const packr = new Packr({ useRecords: false, int64AsType: "number" });
    return { write: (one) => packr.pack(one), read: (bytes) => packr.unpack(bytes) };
  })(),
  "msgpackr, maps and sizes as they come": (() => {
    const packr = new Packr({ useRecords: false, variableMapSize: true, int64AsType: "number" });
    return { write: (one) => packr.pack(one), read: (bytes) => packr.unpack(bytes) };
  })(),
};

describe.each(Object.entries(LIBRARIES))("%s", (_, library) => {
  it("reads what is written here, and what it writes is read here", () => {
    const rng = new Rng(51);
    for (let i = 0; i < 300; i++) {
      const one = value(rng);
      const json = JSON.stringify(one);
      expect(library.read(writeMsgpack(one) as Uint8Array), json).toEqual(one);
      const message = readMsgpack(library.write(one), { depth: 512, replace: false });
      if (message instanceof MsgpackFault) throw new Error(`${message.reason} in ${json}`);
      expect(stringify(message.value)).toBe(json);
    }
  });

  it("is read by every engine, and reads the models of every engine", () => {
    const rng = new Rng(52);
    for (let i = 0; i < 60; i++) {
      const one = value(rng);
      const model = { version: "1.1", biz: "b", meta: { v: one }, blocks: [{ id: "x", type: "t", v: one }] };
      const events = [
        { op: "start", seq: 1, model },
        { op: "set", seq: 2, block: { id: "y", type: "t", more: one } },
        { op: "append", seq: 3, mask: "block.text", block: { id: "x", text: "é" } },
      ];
      const wanted = [model.blocks[0], { id: "y", type: "t", more: one }];
      for (const kind of KINDS) {
        const fold = new Fold(engine(kind), "msgpack");
        fold.push(concat(events.map((event) => library.write(event))));
        expect(fold.errors, kind).toEqual([]);
        // appended to what is absent
        const blocks = [{ ...(wanted[0] as object), text: "é" }, wanted[1]];
        expect(library.read(fold.reducer.snapshotBytes({ format: "msgpack" })), kind).toEqual({ ...model, blocks });
        fold.reducer.close();
      }
    }
  });

  it("timestamps and binary data become strings", () => {
    const date = new Date(Date.UTC(2024, 1, 29, 12, 0, 0, 250));
    const bytes = library.write({ date, bin: Uint8Array.of(1, 2, 255) });
    for (const kind of KINDS) {
      const fold = new Fold(engine(kind), "msgpack");
      fold.push(startWith(bytes));
      expect((fold.reducer.snapshot() as { meta: object }).meta, kind).toEqual({
        v: { date: "2024-02-29T12:00:00.250Z", bin: "AQL/" },
      });
      fold.reducer.close();
    }
  });

  it("other extensions are refused", () => {
    const bytes = encode(new ExtData(5, Uint8Array.of(1)));
    for (const kind of KINDS) {
      const fold = new Fold(engine(kind), "msgpack");
      fold.push(msgpackOf(JSON.stringify({ op: "start", seq: 1, model: modelOf() })));
      expect(
        thrown(() => fold.reducer.push(startWith(bytes))),
        kind,
      ).toMatchObject({ code: "bad_msgpack" });
      fold.reducer.close();
    }
  });
});
