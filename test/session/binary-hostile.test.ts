import { describe, expect, it } from "vitest";
import type { Engine, EngineKind, Reducer } from "../../src/engine/contract.js";
import { modelOf, start } from "../contract/base.js";
import { started } from "../support/agui-events.js";
import { type BinaryTransport, frame, msgpackOf, protobufOf } from "../support/binary.js";
import { concat, utf8 } from "../support/bytes.js";
import { everyN } from "../support/chunking.js";
import { freshEngine, WASM_KINDS } from "../support/engines.js";
import { hex } from "../support/msgpack.js";
import { bytesField, putField } from "../support/protobuf-spell.js";

// docs/msgpack.md, docs/protobuf.md: what hostile bytes cost.

/** Bytes of the hostile part of a message. */
const N = 512 * 1024;
/** Linear memory grows by at least so much at a time. */
const STEP = 1 << 20;
/** Stated in the documentation: bytes of linear memory for each byte that has come. */
const MOST: Record<BinaryTransport, number> = { msgpack: 28, protobuf: 128 };
/** What it says of some kinds of input: by their names below. */
const MOST_OF: Record<string, number> = {
  "msgpack: control characters": 25,
  "msgpack: false in an array": 25,
  "msgpack: plain text": 4,
  "protobuf: messages without a role": 96,
  "protobuf: messages without an id": 60,
  "protobuf: calls of a message": 60,
  "protobuf: empty operations": 70,
  "protobuf: interrupts": 60,
  "protobuf: tools of an input": 60,
  "protobuf: answers of an input": 76,
  "protobuf: control characters": 22,
  "protobuf: an arm in pieces": 18,
  "protobuf: a value in pieces": 18,
  "protobuf: plain text": 4,
};

const fill = (pattern: Uint8Array | string, size = N): Uint8Array => {
  const one = typeof pattern === "string" ? hex(pattern) : pattern;
  return concat(Array.from({ length: Math.floor(size / one.length) }, () => one));
};
const size32 = (lead: number, n: number): Uint8Array => {
  const out = new DataView(new ArrayBuffer(5));
  out.setUint8(0, lead);
  out.setUint32(1, n);
  return new Uint8Array(out.buffer);
};

// ---------------------------------------------------------------- MessagePack

const key = (name: string): Uint8Array => msgpackOf(JSON.stringify(name));
/** `set` of a block whose member v is the value. */
const set = (value: Uint8Array): Uint8Array =>
  concat([
    ...[hex("83"), key("op"), key("set"), key("seq"), hex("02"), key("block"), hex("83"), key("id"), key("x")],
    ...[key("type"), key("t"), key("v"), value],
  ]);
const array = (item: string): Uint8Array => set(concat([size32(0xdd, Math.floor(N / hex(item).length)), fill(item)]));
const map = (item: string): Uint8Array => set(concat([size32(0xdf, Math.floor(N / hex(item).length)), fill(item)]));
const string = (byte: string): Uint8Array => set(concat([size32(0xdb, N), fill(byte)]));

const MSGPACK: Record<string, Uint8Array> = {
  "control characters": string("01"),
  "plain text": string("61"),
  quotes: string("22"),
  "ill-formed UTF-8": string("ff"),
  "binary data": set(concat([size32(0xc6, N), fill("00")])),
  "false in an array": array("c2"),
  "nil in an array": array("c0"),
  "negative numbers": array("e0"),
  "long floats": array("ca 7f 7f ff ff"),
  timestamps: array("d6 ff 00 00 00 00"),
  "empty maps": array("80"),
  "the same key": map("a0 c2"),
  "deep arrays": set(concat([size32(0xdd, Math.floor(N / 201)), fill(`${"91".repeat(200)} c0`)])),
  "a flood of C1": fill("c1"),
  "a flood of numbers": fill("05"),
  "a flood of empty maps": fill("80"),
  "a flood of arrays that are too deep": fill(`${"91".repeat(600)} c0`),
  "a str that is not there": concat([hex("81 a1 61"), size32(0xdb, 0xffffffff), fill("00")]),
  "a map that is not there": concat([hex("81 a1 61"), size32(0xdf, 0xffffffff), fill("a0")]),
};

// ---------------------------------------------------------------- protobuf

const field = (number: number, ...parts: Uint8Array[]): Uint8Array => putField(bytesField(number, concat(parts)));
const base = (type: number): Uint8Array => field(1, Uint8Array.of(8, type));
const snapshot = (value: Uint8Array): Uint8Array => frame(field(7, base(6), field(2, value)));
const messages = (...parts: Uint8Array[]): Uint8Array => frame(field(9, base(8), ...parts));
const role = (name: string): Uint8Array => field(2, utf8(name));
const run = (more: Uint8Array): Uint8Array =>
  frame(field(13, base(12), field(2, utf8("t")), field(3, utf8("r")), more));
const input = (more: Uint8Array): Uint8Array => frame(field(12, base(11), field(5, more)));

const PROTOBUF: Record<string, Uint8Array> = {
  "control characters": snapshot(field(3, fill("01"))),
  "plain text": snapshot(field(3, fill("61"))),
  "ill-formed UTF-8": snapshot(field(3, fill("ff"))),
  "values without a kind": snapshot(field(6, fill("0a 00"))),
  "long numbers": snapshot(field(6, fill("0a 09 11 ff ff ff ff ff ff ef 7f"))),
  "entries of one key": snapshot(field(5, fill("0a 04 12 02 08 00"))),
  "messages without a role": messages(fill("12 00")),
  "messages without an id": messages(fill(field(2, role("user")))),
  "calls of a message": messages(field(2, role("assistant"), fill("2a 00"))),
  "parts of a message": messages(field(2, role("user"), fill("42 02 0a 00"))),
  "parts of unknown kinds": messages(field(2, role("user"), fill("42 02 4a 00"))),
  "empty operations": frame(field(8, base(7), fill("12 00"))),
  interrupts: run(concat([field(5, utf8("interrupt")), fill("32 00")])),
  "tools of an input": input(fill("32 00")),
  "answers of an input": input(fill("4a 00")),
  "unknown fields": frame(field(2, base(1), fill("68 01"))),
  groups: frame(field(2, base(1), fill("6b 6c"))),
  "an arm in pieces": frame(concat([field(2, base(1)), fill("12 00")])),
  "a value in pieces": frame(field(7, base(6), fill("12 00"))),
  "a list in pieces": snapshot(fill("32 00")),
  "a part in pieces": messages(field(2, role("user"), field(8, fill("0a 00")))),
  "a flood of empty frames": fill("00 00 00 00"),
  "a flood of frames that are malformed": fill("00 00 00 01 00"),
  "a flood of arms that are not known": fill("00 00 00 03 c2 02 00"),
  "a frame that is too large": concat([hex("ff ff ff ff"), fill("00")]),
  "a frame that is not there": concat([hex("00 ff ff ff"), fill("00")]),
};

const WIRES = { msgpack: MSGPACK, protobuf: PROTOBUF };

function open(kind: EngineKind, transport: BinaryTransport): { engine: Engine; reducer: Reducer } {
  const engine = freshEngine(kind);
  const reducer = engine.createReducer({
    protocol: transport === "protobuf" ? "ag-ui" : "agentue",
    transport,
    onViolation: "skip-event",
    undecodable: "skip",
    utf8: "replace",
    onError() {},
    onWarning() {},
  });
  reducer.push(
    transport === "protobuf" ? protobufOf(JSON.stringify(started())) : msgpackOf(JSON.stringify(start(modelOf()))),
  );
  return { engine, reducer };
}

describe.each(WASM_KINDS)("hostile input on binary wires, %s", (kind) => {
  for (const transport of ["msgpack", "protobuf"] as const) {
    it.each(Object.keys(WIRES[transport]))(`${transport}: %s`, (name) => {
      const bytes = WIRES[transport][name] as Uint8Array;
      for (const size of [bytes.length, 5000]) {
        const { engine, reducer } = open(kind, transport);
        const before = engine.memory();
        for (const chunk of everyN(bytes, size)) reducer.push(chunk);
        const { held } = engine.memory();
        const most = MOST_OF[`${transport}: ${name}`] ?? MOST[transport];
        expect(held - before.held, `in pieces of ${size}`).toBeLessThan(most * bytes.length + STEP);
        // what is small one by one needs no more than its chunk
        if (name.startsWith("a flood")) expect(held - before.held).toBeLessThan(2 * STEP);
        reducer.reset();
        expect(engine.memory().live - before.live, "after reset()").toBeLessThan(20_000);
        reducer.close();
        engine.close();
      }
    });
  }

  it("nothing is allocated for sizes that are only declared", () => {
    const heads: [BinaryTransport, string][] = [
      ...[
        "df ff ff ff ff",
        "dd ff ff ff ff",
        "db ff ff ff ff",
        "c6 ff ff ff ff",
        "c9 ff ff ff ff ff",
        "de ff ff",
        "c9",
      ].map((head): [BinaryTransport, string] => ["msgpack", head]),
      ["msgpack", `81 a1 61 ${"dd ff ff ff ff".repeat(100)}`],
      ["protobuf", "00 ff ff ff"],
      ["protobuf", "00 ff ff ff 12 ff ff ff ff 0f"],
      ["protobuf", "ff ff ff ff"],
      ["protobuf", "00 00 00 07 12 ff ff ff ff 0f"],
    ];
    for (const [transport, head] of heads) {
      const { engine, reducer } = open(kind, transport);
      const { live, held } = engine.memory();
      for (const chunk of everyN(hex(head), 3)) reducer.push(chunk);
      expect(engine.memory().held, head).toBe(held);
      expect(engine.memory().live - live, head).toBeLessThan(10_000);
      reducer.close();
      engine.close();
    }
  });

  it("what is too large is passed over without being held", () => {
    for (const transport of ["msgpack", "protobuf"] as const) {
      const engine = freshEngine(kind);
      const reducer = engine.createReducer({
        protocol: "ag-ui",
        transport,
        undecodable: "skip",
        limits: { messageBytes: 10_000 },
        onError() {},
      });
      reducer.push(transport === "msgpack" ? hex("df ff ff ff ff a1 61 db ff ff ff ff") : hex("7f ff ff ff"));
      const chunk = new Uint8Array(1 << 20);
      reducer.push(chunk);
      const { live, held } = engine.memory();
      for (let i = 0; i < 50; i++) reducer.push(chunk);
      expect(engine.memory(), transport).toEqual({ live, held });
      expect(reducer.stats().errors).toBe(1);
      reducer.close();
      engine.close();
    }
  });
});
