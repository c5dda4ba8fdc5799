import { describe, expect, it } from "vitest";
import { msgpackOf } from "../support/binary.js";
import { concat } from "../support/bytes.js";
import { engine, KINDS } from "../support/engines.js";
import { Fold, thrown } from "../support/fold.js";
import { hex, READS, REFUSED, toHex } from "../support/msgpack.js";
import { append, call, end, modelOf, set, start } from "./base.js";
import { type Case, contract } from "./runner.js";

// docs/msgpack.md, docs/semantics.md §1: MessagePack as a wire.

const X = { id: "x", type: "t", content: "" };

/** Bytes of an event, of JSON text or, in hexadecimal digits, as they are. */
const message = (event: unknown): Uint8Array => msgpackOf(typeof event === "string" ? event : JSON.stringify(event));
const bytes = (...parts: (Uint8Array | string)[]): Uint8Array =>
  concat(parts.map((part) => (typeof part === "string" ? hex(part) : part)));
const key = (name: string): Uint8Array => message(JSON.stringify(name));

/** A `set` of block x up to the value of its member `v`. */
const HEAD = bytes(
  ...["83", key("op"), key("set"), key("seq"), "02", key("block"), "83"],
  ...[key("id"), key("x"), key("type"), key("t"), key("v")],
);
/** Two events that are accepted, and what they come to. */
const GOOD = [start(modelOf(X)), append(2, "x", "a")].map(message);
const BEGIN = concat(GOOD).length;
const MORE = message(append(3, "x", "b"));
const AFTER_GOOD = { status: "open", seq: 2, version: 2, model: modelOf({ ...X, content: "a" }) } as const;
const AFTER_MORE = { status: "open", seq: 3, version: 3, model: modelOf({ ...X, content: "ab" }) } as const;
const on = { transports: ["msgpack"] } as const;

/** Faults that a message can have on the wire, where it ends when its contents do. */
const ON_THE_WIRE = REFUSED.filter(
  ([digits, , , reason]) => reason !== "short" && reason !== "trailing" && !digits.includes("ff ff ff ff"),
);
/** Completes what a value declares and does not have. */
const REST = new Uint8Array(300);

const faults: Case[] = ON_THE_WIRE.map(([digits, code, offset, reason]) => ({
  name: `${code} ${reason ?? ""}: ${digits}`,
  ...on,
  steps: [...GOOD, bytes(HEAD, digits, REST), MORE],
  applied: 2,
  errors: [{ code, eventIndex: 2, byteOffset: BEGIN + HEAD.length + offset }],
  streams: [AFTER_GOOD],
  finish: "truncated",
}));

/** A number of five characters as a member of a block; one of more that a repeated key hides. */
const LONG = bytes(HEAD, "cd 27 10");
const HIDDEN = bytes(HEAD, "82", key("a"), "cb 3f b9 99 99 99 99 99 9b", key("a"), "01");

const EVENTS = [
  start(modelOf(X, { id: "y", type: "t", n: 0 })),
  append(2, "x", "é中😀"),
  set(3, { id: "y", type: "t", n: [1, { deep: [null, true] }] }),
  append(9, "x", "late"),
  append(9, "x", "again"),
  end(10),
];

/** Every format as a member of meta. */
const FORMATS = bytes(
  ...["83", key("op"), key("start"), key("seq"), "01", key("model"), "84"],
  ...[key("version"), key("1.1"), key("biz"), key("b"), key("blocks"), "90", key("meta")],
  Uint8Array.of(0xde, READS.length >> 8, READS.length & 255),
  ...READS.flatMap(([digits], i) => [key(`k${i}`), digits]),
);

const skipping = { undecodable: "skip" } as const;
/** As deep as what is opened here may lie: the event, its block, the value. */
const depth = { depth: 3 } as const;

contract("msgpack", [
  {
    name: "messages are found at every cut",
    ...on,
    everyCut: true,
    steps: EVENTS.map(message),
    applied: 5,
    warnings: [{ code: "duplicate_seq", path: "/seq", seq: 9, eventIndex: 4 }],
    gaps: [{ streamId: "", op: "append", lastSeq: 3, seq: 9, eventIndex: 3 }],
    streams: [{ status: "ended", seq: 10, version: 4 }],
    finish: "complete",
  },
  {
    name: "every format is a value of the model, to the digit",
    ...on,
    steps: [FORMATS],
    applied: 1,
    streams: [
      {
        status: "open",
        model: `{"version":"1.1","biz":"b","blocks":[],"meta":{${READS.map(([, json], i) => `"k${i}":${json}`).join()}}}`,
      },
    ],
  },
  ...faults,
  {
    name: "too_deep: an empty map that opens a level too many",
    ...on,
    options: { limits: depth },
    steps: [bytes(HEAD, "92 c0 80"), MORE],
    applied: 0,
    errors: [{ code: "too_deep", eventIndex: 0, byteOffset: HEAD.length + 2 }],
    streams: [],
  },
  {
    name: "a value that is no map is no event",
    ...on,
    options: skipping,
    steps: ["c0", "90", "91 80", "a1 61", "05", "cf ff ff ff ff ff ff ff ff", "cb 80 00 00 00 00 00 00 00"].map(hex),
    applied: 0,
    errors: [0, 1, 2, 4, 6, 7, 16].map((byteOffset, eventIndex) => ({
      code: "not_an_event" as const,
      eventIndex,
      byteOffset,
    })),
    streams: [],
  },
  {
    name: "a stream_id that is no string",
    ...on,
    steps: [...GOOD, message({ op: "ping", seq: 3, stream_id: 5 }), MORE],
    applied: 2,
    errors: [{ code: "not_an_event", path: "/stream_id", eventIndex: 2, byteOffset: BEGIN }],
    streams: [AFTER_GOOD],
  },
  {
    name: "the first fault of a message is told, whatever follows it",
    ...on,
    steps: [bytes(HEAD, "93 a1 ff c1 01"), MORE],
    applied: 0,
    errors: [{ code: "invalid_utf8", eventIndex: 0, byteOffset: HEAD.length + 2 }],
    streams: [],
  },
  {
    name: "undecodable messages are skipped, and what follows is read",
    ...on,
    everyCut: true,
    options: skipping,
    steps: [
      ...GOOD,
      bytes(HEAD, "c1"),
      // a key that is no str: the whole message goes
      hex("82 01 02 a1 61 c0"),
      bytes(HEAD, "ca 7f c0 00 00"),
      hex("05"),
      MORE,
    ],
    applied: 3,
    errors: [
      { code: "bad_msgpack", eventIndex: 2, byteOffset: BEGIN + HEAD.length },
      { code: "bad_msgpack", eventIndex: 3, byteOffset: BEGIN + HEAD.length + 2 },
      { code: "bad_msgpack", eventIndex: 4, byteOffset: BEGIN + 2 * HEAD.length + 7 },
      { code: "not_an_event", eventIndex: 5, byteOffset: BEGIN + 2 * HEAD.length + 12 },
    ],
    streams: [AFTER_MORE],
  },
  {
    name: "what cannot be read to its end ends behind what tells",
    ...on,
    everyCut: true,
    options: { ...skipping, limits: depth },
    // behind the byte C1 and behind the bracket of level 4 another message begins
    steps: [hex("91 c1 c0"), hex("91 91 91 91 c0"), hex("91 91 91 dc 00 01 c0")],
    applied: 0,
    errors: [
      { code: "bad_msgpack", eventIndex: 0, byteOffset: 1 },
      { code: "not_an_event", eventIndex: 1, byteOffset: 2 },
      { code: "too_deep", eventIndex: 2, byteOffset: 6 },
      { code: "not_an_event", eventIndex: 3, byteOffset: 7 },
      { code: "too_deep", eventIndex: 4, byteOffset: 11 },
      { code: "not_an_event", eventIndex: 5, byteOffset: 14 },
    ],
    streams: [],
  },
  {
    name: "ill-formed UTF-8 is replaced where that is wanted, with one warning before the verdict",
    ...on,
    options: { utf8: "replace", onViolation: "skip-event" },
    steps: [
      message(start(modelOf(X))),
      bytes(HEAD, "a9 f0 9f 98 61 ff e4 b8 80 80"),
      bytes("82", key("op"), key("ping"), "a4 62 61 64 ff c0"),
      bytes("a1 ff"),
      MORE,
    ],
    applied: 2,
    warnings: [
      { code: "utf8_replaced", eventIndex: 1 },
      { code: "utf8_replaced", eventIndex: 2 },
      { code: "utf8_replaced", eventIndex: 3 },
    ],
    errors: [
      { code: "unknown_field", path: "/bad\ufffd", streamId: "", eventIndex: 2 },
      { code: "not_an_event", eventIndex: 3 },
    ],
    streams: [{ status: "open", seq: 2, model: modelOf({ id: "x", type: "t", v: "\ufffda\ufffd\u4e00\ufffd" }) }],
  },
  {
    name: "what cannot be read brings its fault alone, whatever was replaced before it",
    ...on,
    options: { utf8: "replace" },
    steps: [bytes(HEAD, "92 a1 ff c1")],
    applied: 0,
    errors: [{ code: "bad_msgpack", eventIndex: 0, byteOffset: HEAD.length + 3 }],
    streams: [],
  },
  {
    name: "repeated keys of the event: the last value in the first place",
    ...on,
    options: { onViolation: "skip-event" },
    steps: [
      message(start(modelOf(X))),
      bytes("84", key("op"), key("end"), key("seq"), "02", key("op"), key("set"), key("block"), message(X)),
      bytes("84", key("seq"), "03", key("bad"), "02", key("op"), "c0", key("seq"), "c0"),
    ],
    applied: 2,
    errors: [{ code: "bad_field", path: "/seq", streamId: "", eventIndex: 2 }],
    streams: [{ status: "open", seq: 2, model: modelOf(X) }],
  },
  {
    name: "repeated keys in open values, and names that JavaScript has a use for",
    ...on,
    steps: [
      message(start(modelOf(X))),
      bytes(HEAD, "84", key("a"), "01", key("__proto__"), "81", key("b"), "02", key("a"), "90", key("length"), "c0"),
    ],
    applied: 2,
    streams: [
      {
        status: "open",
        model: `{"version":"1.1","biz":"chat","meta":{},"blocks":[{"id":"x","type":"t","v":{"a":[],"__proto__":{"b":2},"length":null}}]}`,
      },
    ],
  },
  {
    name: "members are judged in the order of the bytes",
    ...on,
    options: { onViolation: "skip-event" },
    steps: [
      message(start(modelOf(X))),
      message('{"op":"ping","seq":2,"zz":1,"1":2}'),
      message('{"op":"ping","seq":2,"9":1,"zz":1,"1":2}'),
      message('{"op":"set","seq":2,"block":{"id":"r","ref":"k","b":1,"0":2}}'),
      message('{"op":"set","seq":2,"block":{"id":"r","0":1,"ref":"k","b":2}}'),
    ],
    applied: 1,
    errors: [
      { code: "unknown_field", path: "/zz", streamId: "", eventIndex: 1 },
      { code: "unknown_field", path: "/9", streamId: "", eventIndex: 2 },
      { code: "bad_block", path: "/block/b", streamId: "", eventIndex: 3 },
      { code: "bad_block", path: "/block/0", streamId: "", eventIndex: 4 },
    ],
  },
  {
    name: "so they are when they were queued",
    ...on,
    options: { onViolation: "skip-event" },
    steps: [
      message(start(modelOf(X))),
      call("pause", (fold) => fold.reducer.pause()),
      message('{"op":"ping","seq":2,"zz":1,"1":2}'),
      message('{"op":"ping","seq":2,"9":1,"zz":1,"1":2}'),
      call("resume", (fold) => fold.resume("")),
    ],
    applied: 1,
    errors: [
      { code: "unknown_field", path: "/zz", streamId: "", eventIndex: 1 },
      { code: "unknown_field", path: "/9", streamId: "", eventIndex: 2 },
    ],
  },
  {
    name: "a violation has the place of its message",
    ...on,
    options: { onViolation: "skip-event" },
    steps: [...GOOD, message(append(3, "x", 5)), MORE],
    applied: 3,
    errors: [{ code: "bad_field", path: "/block/content", eventIndex: 2, byteOffset: BEGIN }],
    streams: [AFTER_MORE],
  },
  {
    name: "so has a number whose text is too long, also where a repeated key hides it",
    ...on,
    options: { onViolation: "skip-event", limits: { numberLength: 4 } },
    steps: [
      ...GOOD,
      LONG,
      HIDDEN,
      bytes(HEAD, "cd 27 0f"),
      bytes("82", key("bogus"), LONG, key("op"), "c0"),
      hex("c0"),
    ],
    applied: 2,
    errors: [
      { code: "limit", eventIndex: 2, byteOffset: BEGIN },
      { code: "limit", eventIndex: 3, byteOffset: BEGIN + LONG.length },
      { code: "limit", eventIndex: 5, byteOffset: BEGIN + LONG.length + HIDDEN.length + HEAD.length + 3 },
      { code: "not_an_event", eventIndex: 6 },
    ],
    warnings: [{ code: "duplicate_seq", path: "/seq", eventIndex: 4 }],
    streams: [AFTER_GOOD],
  },
  {
    name: "both do when they were queued",
    ...on,
    options: { onViolation: "skip-event", limits: { numberLength: 4 } },
    steps: [
      ...GOOD,
      call("pause", (fold) => fold.reducer.pause()),
      message(append(3, "x", 5)),
      LONG,
      MORE,
      call("resume", (fold) => fold.resume("")),
    ],
    applied: 3,
    errors: [
      { code: "bad_field", path: "/block/content", eventIndex: 2, byteOffset: BEGIN },
      { code: "limit", eventIndex: 3, byteOffset: BEGIN + message(append(3, "x", 5)).length },
    ],
    streams: [AFTER_MORE],
  },
  {
    name: "a queue holds JSON text",
    ...on,
    options: { limits: { queuedBytes: JSON.stringify(append(3, "x", "b")).length } },
    steps: [
      ...GOOD,
      call("pause", (fold) => fold.reducer.pause()),
      MORE,
      message(append(4, "x", "c")),
      call("resume", (fold) => fold.resume("")),
    ],
    applied: 3,
    errors: [
      { code: "limit", path: "/stream_id", streamId: "", seq: 4, eventIndex: 3, byteOffset: BEGIN + MORE.length },
    ],
    streams: [{ ...AFTER_MORE, status: "refused" }],
  },
  {
    name: "more bytes than messageBytes, told at the start of the message",
    ...on,
    everyCut: true,
    options: { limits: { messageBytes: GOOD[0]!.length } },
    steps: [...GOOD, bytes(HEAD, "d9 ff", new Uint8Array(255)), MORE],
    applied: 2,
    errors: [{ code: "too_large", eventIndex: 2, byteOffset: BEGIN }],
    streams: [AFTER_GOOD],
    finish: "truncated",
  },
  {
    name: "the rest of it is skipped where that is wanted",
    ...on,
    everyCut: true,
    options: { ...skipping, limits: { messageBytes: GOOD[0]!.length } },
    steps: [...GOOD, bytes(HEAD, "92 d9 7f", new Uint8Array(127), "92 c0 c4 05 81 81 81 81 81"), MORE],
    applied: 3,
    errors: [{ code: "too_large", eventIndex: 2, byteOffset: BEGIN }],
    streams: [AFTER_MORE],
  },
  {
    name: "a size that is only declared is too large when its bytes have come",
    ...on,
    options: { limits: { messageBytes: GOOD[0]!.length } },
    steps: [
      ...GOOD,
      bytes(HEAD, "db ff ff ff ff"),
      call("nothing is told", (fold, label) => expect(fold.errors, label).toEqual([])),
      new Uint8Array(GOOD[0]!.length),
    ],
    applied: 2,
    errors: [{ code: "too_large", eventIndex: 2, byteOffset: BEGIN }],
    streams: [AFTER_GOOD],
    finish: "truncated",
  },
  {
    name: "positions begin anew with another connection",
    ...on,
    steps: [
      ...GOOD,
      hex("c1"),
      call("reconnect", (fold) => fold.reconnect()),
      MORE,
      bytes(HEAD, "93"),
      call("reconnect in the middle", (fold) => fold.reconnect()),
      hex("91 c1"),
    ],
    applied: 3,
    errors: [
      { code: "bad_msgpack", eventIndex: 2, byteOffset: BEGIN },
      { code: "bad_msgpack", eventIndex: 0, byteOffset: 1 },
    ],
    streams: [AFTER_MORE],
  },
  {
    name: "listeners get doubles",
    ...on,
    steps: [
      message(start(modelOf(X))),
      bytes(HEAD, "93 cf 00 20 00 00 00 00 00 01 cb 80 00 00 00 00 00 00 00 05"),
      message('{"op":"append","seq":3,"mask":"block.content","block":{"id":"x","content":"a","n":9007199254740993}}'),
    ],
    applied: 3,
    events: [
      start(modelOf(X)),
      { op: "set", seq: 2, block: { id: "x", type: "t", v: [9007199254740992, -0, 5] } },
      { op: "append", seq: 3, mask: "block.content", block: { id: "x", content: "a", n: 9007199254740992 } },
    ],
    streams: [
      {
        status: "open",
        model:
          '{"version":"1.1","biz":"chat","meta":{},"blocks":[{"id":"x","type":"t","v":[9007199254740993,-0,5],"content":"a"}]}',
      },
    ],
  },
]);

describe.each(KINDS)("msgpack, %s", (kind) => {
  it("a body that ends inside of a message is truncated, and what has come of it is not used", () => {
    const messages = EVENTS.map(message);
    const ends = messages.map((_, i) => concat(messages.slice(0, i + 1)).length);
    const body = concat(messages);
    for (let at = 0; at <= body.length; at++) {
      const fold = new Fold(engine(kind), "msgpack", { sequence: "off" });
      fold.push(body.subarray(0, at));
      expect(fold.finish().status, `cut at ${at}`).toBe(at === body.length ? "complete" : "truncated");
      const whole = ends.filter((end) => end <= at).length;
      expect(fold.applied, `cut at ${at}`).toBe(whole);
      expect(fold.errors).toEqual([]);
      // what comes next is another body
      expect(fold.push(message(start(modelOf(X))))).toBe(1);
      fold.reducer.close();
    }
  });

  it("so is one that ends where a too large message is skipped", () => {
    const options = { undecodable: "skip", limits: { messageBytes: 8 } } as const;
    const fold = new Fold(engine(kind), "msgpack", options);
    fold.push(bytes(HEAD, "a5 61"));
    fold.push(message(end(2, { stream_id: "" })).subarray(0, 1));
    expect(fold.finish().status).toBe("truncated");
    expect(fold.errors.map(({ code }) => code)).toEqual(["too_large"]);
    fold.reducer.close();
  });

  it("is complete behind its last message, whatever was said before", () => {
    const fold = new Fold(engine(kind), "msgpack");
    fold.push(concat([message(start(modelOf(X))), message(end(2))]));
    expect(fold.finish().status).toBe("complete");
    fold.reducer.close();
  });

  it("says why a message cannot be read", () => {
    const words = {
      reserved: "no format begins with the byte C1",
      key: "a key must be a string",
      extension: "JSON has no form for this extension",
      timestamp: "the timestamp is not valid",
      not_finite: "JSON has no form for NaN and infinities",
    } as const;
    for (const [digits, code, , reason] of ON_THE_WIRE) {
      const reducer = engine(kind).createReducer({ protocol: "agentue", transport: "msgpack" });
      let text = "";
      try {
        reducer.push(bytes(HEAD, digits, REST));
      } catch (error) {
        text = (error as Error).message;
      }
      if (code === "bad_msgpack") expect(text, digits).toContain(words[reason as keyof typeof words]);
      else expect(text, digits).toContain("The message is not well-formed UTF-8 [");
      reducer.close();
    }
  });

  it("takes text and objects through apply as on any wire", () => {
    const fold = new Fold(engine(kind), "msgpack", { onViolation: "skip-event", limits: { numberLength: 4 } });
    fold.apply(start(modelOf(X)));
    fold.apply(JSON.stringify(append(2, "x", "a")));
    fold.push(MORE);
    fold.apply('{"op":"ping","seq":12345}');
    fold.apply("{");
    expect(fold.push(message(append(4, "x", "c")))).toBe(1);
    expect(fold.errors).toMatchObject([
      { code: "limit", eventIndex: 3, byteOffset: 19 },
      { code: "bad_json", eventIndex: 4, byteOffset: 1 },
    ]);
    expect(fold.reducer.snapshot()).toMatchObject({ blocks: [{ content: "abc" }] });
    fold.reducer.close();
  });

  it("counts what was read", () => {
    const fold = new Fold(engine(kind), "msgpack");
    const body = concat(EVENTS.map(message));
    fold.push(body);
    expect(fold.reducer.stats()).toMatchObject({ events: 6, bytes: body.length, applied: 5, skipped: 1, warnings: 1 });
    expect([fold.reducer.lastEventId, fold.reducer.retry]).toEqual([undefined, undefined]);
    fold.reducer.close();
  });

  it("is read from the very bytes of other encoders", () => {
    // { "op": "start", "seq": 1, "model": { "version": "1.1", "biz": "b", "meta": {}, "blocks": [] } }, keys as str 8, seq as uint 64
    const spelled = hex(
      "de 00 03 d9 02 6f 70 d9 05 73 74 61 72 74 d9 03 73 65 71 cf 00 00 00 00 00 00 00 01 d9 05 6d 6f 64 65 6c " +
        "df 00 00 00 04 a7 76 65 72 73 69 6f 6e a3 31 2e 31 a3 62 69 7a da 00 01 62 a4 6d 65 74 61 de 00 00 a6 62 6c 6f 63 6b 73 dd 00 00 00 00",
    );
    const fold = new Fold(engine(kind), "msgpack");
    expect(fold.push(spelled)).toBe(1);
    expect(toHex(fold.reducer.snapshotBytes({ format: "msgpack" }))).toBe(
      toHex(message({ version: "1.1", biz: "b", meta: {}, blocks: [] })),
    );
    expect(thrown(() => fold.reducer.push(hex("05")))).toMatchObject({
      code: "not_an_event",
      byteOffset: spelled.length,
    });
    fold.reducer.close();
  });
});
