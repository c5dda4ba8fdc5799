import { describe, expect, it } from "vitest";
import { field, RULES, string } from "../codec/support/protobuf.js";
import { finished, messagesSnapshot, raw, run, started, text, textContent, textStart } from "../support/agui-events.js";
import { frame, protobufOf } from "../support/binary.js";
import { concat, utf8 } from "../support/bytes.js";
import { engine, KINDS } from "../support/engines.js";
import { Fold, type Options, thrown } from "../support/fold.js";
import { hex } from "../support/msgpack.js";
import { same } from "../support/same.js";
import { type AguiCase, agui, assistant, user } from "./agui.js";
import { call } from "./base.js";

// docs/protobuf.md, docs/semantics.md §1: AG-UI over protobuf.

const message = (event: unknown): Uint8Array => protobufOf(JSON.stringify(event));
const frameOf = (digits: string): Uint8Array => frame(hex(digits));

/** Two events that are accepted. */
const GOOD = [started(), textStart("m")].map(message);
const BEGIN = concat(GOOD).length;
const MORE = message(textContent("m", "x"));
const AFTER_GOOD = [assistant("m", "")];
const AFTER_MORE = [assistant("m", "x")];
const on = { transports: ["protobuf"] } as const;
const skipping = { undecodable: "skip" } as const;

/** Frames of the rules that cannot be read. */
const faults: AguiCase[] = RULES.flatMap(([name, digits, verdict]) => {
  if (!("at" in verdict) || verdict.fault !== "malformed") return [];
  return {
    name: `M10: bad_protobuf, ${name}`,
    ...on,
    steps: [...GOOD, frameOf(digits), MORE],
    applied: 2,
    errors: [{ code: "bad_protobuf" as const, eventIndex: 2, byteOffset: BEGIN + 4 + (verdict.at as number) }],
    messages: AFTER_GOOD,
    finish: "truncated" as const,
  };
});

/** An event of an arm that nobody knows, one with a part of such a kind, one with ill-formed UTF-8. */
const UNKNOWN = frameOf("c2 02 00");
const LEFT_OUT = frameOf("b2 01 0e 0a 02 08 15 1a 01 74 22 01 63 3a 02 4a 00");
const ILL_FORMED = frameOf("12 0b 0a 02 08 01 12 01 6d 1a 02 ff 61");
const RESULT = { id: "t", toolCallId: "c", role: "tool", content: [] };

/** The number 12345 as a Value, an entry of a Struct, and an image that has it and a source of an unknown kind. */
const LONG = "11 00 00 00 00 80 1c c8 40";
const entry = (value: string): string => field(1, `${string(1, "a")}${field(2, value)}`);
const UNNAMED = `${field(1, field(7, ""))}${field(2, LONG)}`;

agui("protobuf", [
  {
    name: "M5: frames are found at every cut",
    ...on,
    everyCut: true,
    steps: run(text("m", ["é", "中😀"])).map(message),
    status: "finished",
    messages: [assistant("m", "é中😀")],
    types: [
      "RUN_STARTED",
      "TEXT_MESSAGE_START",
      "TEXT_MESSAGE_CONTENT",
      "TEXT_MESSAGE_CONTENT",
      "TEXT_MESSAGE_END",
      "RUN_FINISHED",
    ],
    finish: "complete",
  },
  ...faults,
  {
    name: "a frame of no bytes is malformed",
    ...on,
    everyCut: true,
    options: skipping,
    steps: [...GOOD, frameOf(""), MORE],
    applied: 3,
    errors: [{ code: "bad_protobuf", message: "not well-formed protobuf", eventIndex: 2, byteOffset: BEGIN + 4 }],
    messages: AFTER_MORE,
  },
  {
    name: "frames that cannot be read are skipped, and what follows is read",
    ...on,
    options: skipping,
    steps: [...GOOD, frameOf("12 05 0a 02 08 01"), frameOf("00 01"), frameOf("10 01"), MORE],
    applied: 3,
    errors: [
      { code: "bad_protobuf", eventIndex: 2, byteOffset: BEGIN + 4 },
      { code: "bad_protobuf", eventIndex: 3, byteOffset: BEGIN + 14 },
      { code: "bad_protobuf", eventIndex: 4, byteOffset: BEGIN + 20 },
    ],
    messages: AFTER_MORE,
  },
  {
    name: "JSON nested too deep",
    ...on,
    options: { limits: { depth: 4 } },
    steps: [
      message(started()),
      message({ type: "STATE_SNAPSHOT", snapshot: [[]] }),
      message({ type: "STATE_SNAPSHOT", snapshot: [[[[]]]] }),
      message({ type: "STATE_SNAPSHOT", snapshot: 1 }),
    ],
    applied: 2,
    // at the tag of the innermost list
    errors: [
      {
        code: "too_deep",
        eventIndex: 2,
        byteOffset: concat([started(), { type: "STATE_SNAPSHOT", snapshot: [[]] }].map(message)).length + 4 + 20,
      },
    ],
    state: [[]],
  },
  {
    name: "a frame of more than messageBytes is told at its length",
    ...on,
    everyCut: true,
    options: { limits: { messageBytes: 30 } },
    steps: [...GOOD, frame(new Uint8Array(31)), MORE],
    applied: 2,
    errors: [{ code: "too_large", eventIndex: 2, byteOffset: BEGIN }],
    messages: AFTER_GOOD,
    finish: "truncated",
  },
  {
    name: "as soon as that is there, and without a byte of it",
    ...on,
    options: { limits: { messageBytes: 30 } },
    steps: [...GOOD, hex("ff ff ff ff")],
    applied: 2,
    errors: [{ code: "too_large", eventIndex: 2, byteOffset: BEGIN }],
    messages: AFTER_GOOD,
  },
  {
    name: "it is passed over where that is wanted",
    ...on,
    everyCut: true,
    options: { ...skipping, limits: { messageBytes: 30 } },
    steps: [...GOOD, frame(new Uint8Array(40)), frame(new Uint8Array(31)), MORE],
    applied: 3,
    errors: [
      { code: "too_large", eventIndex: 2, byteOffset: BEGIN },
      { code: "too_large", eventIndex: 3, byteOffset: BEGIN + 44 },
    ],
    messages: AFTER_MORE,
  },
  {
    name: "I8, M10: an arm of a later version is dropped with a warning, each run once",
    ...on,
    steps: [UNKNOWN, ...GOOD, UNKNOWN, UNKNOWN, MORE, message({ type: "RUN_ERROR", message: "e" }), UNKNOWN],
    applied: 4,
    warnings: [
      {
        code: "unknown_event",
        streamId: "",
        eventIndex: 0,
        message: "Dropped an event of an unknown kind: the protocol does not describe it",
      },
      { code: "unknown_event", streamId: "", eventIndex: 3 },
    ],
    merged: 2,
    messages: AFTER_MORE,
    inspect: (fold, label) => same(fold.reducer.stats().skipped, 4, `${label}: skipped`),
  },
  {
    name: "also while the stream is paused",
    ...on,
    steps: [
      ...GOOD,
      call("pause", (fold) => fold.reducer.pause()),
      MORE,
      UNKNOWN,
      call("it is not queued", (fold, label) => {
        same(fold.reducer.stats().queued, 1, `${label}: queued`);
        same(fold.reducer.stats().skipped, 1, `${label}: skipped`);
      }),
      call("resume", (fold, label) => same(fold.resume(""), 1, `${label}: resumed`)),
    ],
    applied: 3,
    warnings: [{ code: "unknown_event", streamId: "", eventIndex: 3 }],
    messages: AFTER_MORE,
  },
  {
    name: "of a rejected stream it is dropped without one, and what was left out of a message goes unsaid",
    ...on,
    steps: [...GOOD, message(textStart("m")), UNKNOWN, LEFT_OUT, ILL_FORMED],
    applied: 2,
    errors: [{ code: "bad_order", path: "/messageId", eventIndex: 2, byteOffset: BEGIN + 4 }],
    warnings: [{ code: "utf8_replaced", eventIndex: 5 }],
    status: "rejected",
    inspect(fold, label) {
      const { skipped, dropped } = fold.reducer.stats();
      same([skipped, dropped], [0, 3], `${label}: skipped and dropped`);
    },
  },
  {
    name: "parts of unknown kinds are left out, with one warning for each message, each run once",
    ...on,
    steps: [
      message(started()),
      LEFT_OUT,
      frameOf("b2 01 16 0a 02 08 15 1a 01 74 22 01 63 3a 02 4a 00 3a 02 4a 00 3a 02 0a 00"),
      message(raw()),
    ],
    applied: 4,
    warnings: [{ code: "unknown_variant", streamId: "", eventIndex: 1 }],
    merged: 1,
    messages: [RESULT, { ...RESULT, content: [{ type: "text", text: "" }] }],
  },
  {
    name: "warnings of the reading come first",
    ...on,
    options: { onViolation: "skip-event" },
    steps: [
      message(started()),
      // a result with ill-formed UTF-8, a part of an unknown kind and one without its source
      frameOf("b2 01 11 0a 02 08 15 1a 01 ff 22 00 3a 02 4a 00 3a 02 12 00"),
    ],
    applied: 1,
    warnings: [
      { code: "utf8_replaced", eventIndex: 1 },
      { code: "unknown_variant", eventIndex: 1 },
    ],
    errors: [
      { code: "bad_event", path: "/content/0/source", eventIndex: 1, byteOffset: message(started()).length + 4 },
    ],
    messages: [],
  },
  ...(["fatal", "replace"] as const).map(
    (utf8): AguiCase => ({
      name: `ill-formed UTF-8 is replaced whatever the options say: ${utf8}`,
      ...on,
      options: { utf8 },
      steps: [...GOOD, ILL_FORMED, MORE],
      applied: 4,
      warnings: [{ code: "utf8_replaced", eventIndex: 2 }],
      messages: [assistant("m", "\ufffdax")],
    }),
  ),
  {
    name: "an event has the place of its payload, and so has a number that is too long",
    ...on,
    options: { onViolation: "skip-event", limits: { numberLength: 4 } },
    steps: [
      ...GOOD,
      message(textStart("m")),
      message({ type: "CUSTOM", name: "n", value: [1, 12345] }),
      call("pause", (fold) => fold.reducer.pause()),
      message(textStart("m")),
      message({ type: "CUSTOM", name: "n", value: 12345 }),
      MORE,
      call("resume", (fold) => fold.resume("")),
    ],
    applied: 3,
    errors: placesOf(
      ["bad_order", message(textStart("m"))],
      ["limit", message({ type: "CUSTOM", name: "n", value: [1, 12345] })],
      ["bad_order", message(textStart("m"))],
      ["limit", message({ type: "CUSTOM", name: "n", value: 12345 })],
    ),
    messages: AFTER_MORE,
  },
  {
    name: "also one that a repeated key hides, but none of a part that is left out",
    ...on,
    options: { onViolation: "skip-event", limits: { numberLength: 4 } },
    steps: [
      message(started()),
      frameOf(
        field(11, `${field(1, "08 0a")}${string(2, "n")}${field(3, field(5, `${entry(LONG)}${entry("20 01")}`))}`),
      ),
      frameOf(field(22, `${field(1, "08 15")}${string(3, "t")}${string(4, "c")}${field(7, field(2, UNNAMED))}`)),
      message({ type: "RAW", event: 1234 }),
    ],
    applied: 3,
    errors: [{ code: "limit", eventIndex: 1, byteOffset: message(started()).length + 4 }],
    warnings: [{ code: "unknown_variant", eventIndex: 2 }],
    messages: [RESULT],
  },
  {
    name: "a queue holds JSON text",
    ...on,
    options: { limits: { queuedBytes: JSON.stringify(textContent("m", "x")).length } },
    steps: [
      ...GOOD,
      call("pause", (fold) => fold.reducer.pause()),
      MORE,
      message(textContent("m", "")),
      call("resume", (fold) => fold.resume("")),
    ],
    applied: 3,
    version: 4,
    errors: [{ code: "limit", message: "queuedBytes", eventIndex: 3, byteOffset: BEGIN + MORE.length + 4 }],
    messages: AFTER_MORE,
    status: "rejected",
  },
  {
    name: "positions begin anew with another connection",
    ...on,
    steps: [
      message(started()),
      frameOf("00"),
      call("reconnect", (fold) => fold.reconnect()),
      message(started()).subarray(0, 7),
      call("reconnect in the middle", (fold) => fold.reconnect()),
      message(started()),
      frameOf("00"),
    ],
    applied: 2,
    version: 3,
    errors: [
      { code: "bad_protobuf", eventIndex: 1, byteOffset: message(started()).length + 4 },
      { code: "bad_protobuf", eventIndex: 1, byteOffset: message(started()).length + 4 },
    ],
  },
]);

/** Errors of messages behind the good ones, in their order. */
function placesOf(...list: ["bad_order" | "limit", Uint8Array][]): AguiCase["errors"] {
  let at = BEGIN;
  return list.map(([code, { length }], i) => {
    const byteOffset = at + 4;
    at += length;
    return { code, eventIndex: 2 + i, byteOffset, ...(code === "limit" ? {} : { path: "/messageId" }) };
  });
}

/** What a body comes to on one wire, without its places in the wire. */
function outcome(fold: Fold): unknown {
  const { bytes: _, memory: __, ...stats } = fold.reducer.stats();
  const log = JSON.parse(JSON.stringify(fold.log), (name, value) => (name === "byteOffset" ? undefined : value));
  const snapshot = new TextDecoder().decode(fold.reducer.snapshotBytes());
  return { log, stats, snapshot, status: fold.reducer.status(), finish: fold.finish() };
}

describe.each(KINDS)("protobuf, %s", (kind) => {
  const open = (options: Options = {}): Fold => new Fold(engine(kind), "protobuf", { protocol: "ag-ui", ...options });

  it("I6, M8: reads a frame as the text that another wire would have brought", () => {
    let read = 0;
    for (const [name, digits, verdict] of RULES) {
      if ("at" in verdict) continue;
      for (const onViolation of ["refuse-stream", "skip-event"] as const) {
        const fold = open({ onViolation });
        fold.push(concat([message(started()), frameOf(digits), MORE]));
        const other = new Fold(engine(kind), "json", { protocol: "ag-ui", onViolation });
        for (const event of [started(), verdict, textContent("m", "x")]) other.push(utf8(JSON.stringify(event)));
        // What the reading itself warns of comes on this wire alone.
        const own = fold.log.filter(
          (entry) =>
            entry.kind === "warning" &&
            (entry.warning.code === "utf8_replaced" || entry.warning.path === undefined) &&
            fold.log.splice(fold.log.indexOf(entry), 1),
        ).length;
        const wanted = outcome(other) as { stats: { warnings: number } };
        wanted.stats.warnings += own;
        same(outcome(fold), wanted, name);
        fold.reducer.close();
        other.reducer.close();
      }
      read++;
    }
    expect(read).toBeGreaterThan(40);
  });

  it("I8, M10: drops what only later versions have, of whatever form", () => {
    for (const [name, digits, verdict] of RULES) {
      if (!("at" in verdict) || verdict.fault !== "unknown") continue;
      const fold = open();
      fold.push(concat([...GOOD, frameOf(digits), MORE]));
      expect(fold.warnings, name).toMatchObject([{ code: "unknown_event", streamId: "", eventIndex: 2 }]);
      expect(Object.keys(fold.warnings[0]!).sort(), name).toEqual(["code", "eventIndex", "message", "streamId"]);
      expect([fold.applied, fold.reducer.stats().skipped], name).toEqual([3, 1]);
      fold.reducer.close();
    }
  });

  it("M6: a body that ends inside of a frame is truncated, and what has come of it is not used", () => {
    const frames = run(text("m", ["x"])).map(message);
    const ends = frames.map((_, i) => concat(frames.slice(0, i + 1)).length);
    const body = concat(frames);
    for (let at = 0; at <= body.length; at++) {
      const fold = open();
      fold.push(body.subarray(0, at));
      expect(fold.finish().status, `cut at ${at}`).toBe(at === body.length ? "complete" : "truncated");
      expect(fold.applied, `cut at ${at}`).toBe(ends.filter((end) => end <= at).length);
      expect(fold.errors).toEqual([]);
      fold.reducer.close();
    }
  });

  it("so is one that ends where a too large frame is passed over", () => {
    const fold = open({ ...skipping, limits: { messageBytes: 30 } });
    fold.push(concat([message(started()), message(finished()), frame(new Uint8Array(40)).subarray(0, 43)]));
    expect([fold.finish().status, fold.reducer.status()]).toEqual(["truncated", "finished"]);
    fold.reducer.close();
    const whole = open({ ...skipping, limits: { messageBytes: 30 } });
    whole.push(concat([message(started()), message(finished()), frame(new Uint8Array(40))]));
    expect(whole.finish().status).toBe("complete");
    whole.reducer.close();
  });

  it("begins another body behind its end", () => {
    const fold = open();
    fold.push(concat([message(started()), MORE.subarray(0, 5)]));
    expect(fold.finish().status).toBe("truncated");
    expect(fold.push(concat(run(text("m", ["x"])).map(message)))).toBe(5);
    expect(fold.finish().status).toBe("complete");
    fold.reducer.close();
  });

  it("goes on from a checkpoint at every byte, with every warning that is not merged", () => {
    const body = concat([...GOOD, UNKNOWN, LEFT_OUT, ILL_FORMED, frame(new Uint8Array(40)), frameOf("10 01"), MORE]);
    const options: Options = { ...skipping, limits: { messageBytes: 30 } };
    const straight = open(options);
    straight.push(body);
    const wanted = outcome(straight);
    for (const to of KINDS) {
      for (let at = 0; at <= body.length; at++) {
        let fold = open(options);
        fold.push(body.subarray(0, at));
        fold = fold.migrate(engine(to));
        fold.push(body.subarray(at));
        same(outcome(fold), wanted, `${to}, cut at ${at}`);
        fold.reducer.close();
      }
    }
    straight.reducer.close();
  });

  it("takes text and objects through apply as on any wire", () => {
    const fold = open({ limits: { numberLength: 4 }, onViolation: "skip-event" });
    fold.apply(started());
    fold.push(message(textStart("m")));
    fold.apply(JSON.stringify(textContent("m", "a")));
    fold.push(MORE);
    fold.apply('{"type":"RAW","event":12345}');
    expect(fold.errors).toMatchObject([{ code: "limit", eventIndex: 4, byteOffset: 22 }]);
    expect(fold.reducer.snapshot()).toMatchObject({ messages: [assistant("m", "ax")] });
    fold.reducer.close();
  });

  it("counts what was read", () => {
    const fold = open();
    const body = concat([...GOOD, UNKNOWN, MORE]);
    fold.push(body);
    const { events, bytes, applied, skipped, warnings } = fold.reducer.stats();
    expect({ events, bytes, applied, skipped, warnings }).toEqual({
      events: 4,
      bytes: body.length,
      applied: 3,
      skipped: 1,
      warnings: 1,
    });
    fold.reducer.close();
  });

  it("brings a snapshot of messages with its parts", () => {
    const parts = [
      { type: "text", text: "é" },
      { type: "image", source: { type: "url", value: "u" }, metadata: { n: [1.5, null] } },
    ];
    const fold = open();
    fold.push(concat([started(), messagesSnapshot([user("u", parts), assistant("a", "x")])].map(message)));
    expect(fold.reducer.snapshot()).toMatchObject({ messages: [user("u", parts), assistant("a", "x")] });
    fold.reducer.close();
  });

  it("is a wire of AG-UI alone", () => {
    const error = thrown(() => engine(kind).createReducer({ protocol: "agentue", transport: "protobuf" }));
    expect(error).toEqual({ code: "unsupported_transport", scope: "usage" });
  });
});
