import { describe, expect, it } from "vitest";
import type { EngineSession, Report } from "../../src/engine/contract.js";
import { expectProportional } from "../support/cost.js";
import {
  append,
  bytesOf,
  faults,
  type Overrides,
  open,
  outcome,
  pushCut,
  random,
  snapshotText,
  sse,
  start,
} from "./support.js";

const utf8 = (...parts: (string | number[])[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === "string" ? [...bytesOf(part)] : part)));

const BODIES: [string, Overrides, Uint8Array][] = [
  ["one event after the other", {}, sse(start(), append(2, "é"), append(3, "😀 中"), { op: "end", seq: 4 })],
  [
    "every kind of line",
    {},
    utf8(
      "\ufeff:comment\r\nevent: x\rdata: ",
      JSON.stringify(start()),
      "\r\n\nid: 7\nretry: 12x\nretry\nretry: 50\nid: a\0b\n",
      'data: {"op":"append",\ndata:"seq":2,"mask":\ndata:  "block.content",\r\n:between\ndata: "block":{"id":"a","type":"t","content":"é"}}\n\n',
      'data\n\ndata: [DONE]\n\ndata:\t[DONE] \ndata\n\nid\n\ndata:{"op":"end","seq":3}\r\r\n\r\n',
    ),
  ],
  [
    "CRLF",
    {},
    utf8("data: ", JSON.stringify(start()), "\r\n\r\ndata: ", JSON.stringify(append(2, "é")), "\r\n\r\nid: 1\r\n\r\n"),
  ],
  [
    "no byte order mark, only its beginning",
    {},
    utf8([0xef, 0xbb], "data: 1\n\ndata: ", JSON.stringify(start()), "\n\n"),
  ],
  ["a second byte order mark", {}, utf8("\ufeff\ufeffdata: 1\n\ndata: ", JSON.stringify(start()), "\n\n")],
  [
    "a fault in an event of several lines",
    {},
    utf8("data: ", JSON.stringify(start()), '\n\ndata: {"a":\n:', "x".repeat(300), "\ndata: 01}\n\ndata: {}\n\n"),
  ],
  [
    "ill-formed UTF-8",
    {},
    utf8("data: ", JSON.stringify(start()), "\n\nid: ", [0xff], '\n\ndata: {"é":"', [0xe2, 0x82], '"}\n\n'),
  ],
  [
    "ill-formed UTF-8 replaced",
    { utf8: "replace" },
    utf8(
      "id: ",
      [0xff],
      "\ndata: ",
      JSON.stringify(start()),
      '\n\ndata: {"op":"ping","seq":1,"event_type":"',
      [0xe2, 0x82, 0xf0],
      '"}\n\ndata: ',
      [0x80],
      "{}\n\n",
    ),
  ],
  [
    "skipping what cannot be decoded",
    { undecodable: "skip" },
    utf8(
      "data: {\n\ndata: ",
      JSON.stringify(start()),
      '\n\ndata: 5\n\ndata: {"stream_id":5}\n\n',
      [0xff],
      "\n\ndata: ",
      JSON.stringify(append(2, "x")),
      "\n\n",
    ),
  ],
  [
    "skipping what is too large",
    { undecodable: "skip", limits: { messageBytes: 100 } },
    utf8(
      "data: ",
      JSON.stringify(start()),
      "\n\n:",
      "c".repeat(107),
      "\nid: lost\n\nid: 1\ndata: ",
      "x".repeat(101),
      "\ndata: more\nretry: 9\n\n",
      "data: ",
      "x".repeat(60),
      "\ndata: ",
      "y".repeat(40),
      "\n\r\ndata:",
      "z".repeat(400),
      "\r\r",
      'data: {"op":"end","seq":2}\n\n',
    ),
  ],
  [
    "too large at the limit",
    { limits: { messageBytes: 100 } },
    utf8(
      "data: ",
      JSON.stringify({ op: "ping", seq: 1, x: "y".repeat(72) }),
      "\n\nid: ",
      "i".repeat(102),
      "\ndata: ",
      "x".repeat(101),
      "\n\n",
    ),
  ],
  [
    "ndjson",
    { transport: "ndjson" },
    utf8(
      JSON.stringify(start()),
      "\n\r\n \t\n",
      JSON.stringify(append(2, "é")),
      "\r\n",
      JSON.stringify({ op: "end", seq: 3 }),
    ),
  ],
  [
    "ndjson skipping",
    { transport: "ndjson", undecodable: "skip", limits: { messageBytes: 90 } },
    utf8(
      JSON.stringify(start()),
      "\n{\n",
      "x".repeat(91),
      "\n",
      [0xff],
      "\n",
      "y".repeat(200),
      "\n",
      JSON.stringify(append(2, "é")),
      "\n{",
    ),
  ],
  ["ndjson with a byte order mark", { transport: "ndjson" }, utf8("\ufeff", JSON.stringify(start()), "\n")],
];

function run(overrides: Overrides, body: Uint8Array, cuts: readonly number[], events = false): unknown {
  const session = open({ ...overrides, events });
  const reports = pushCut(session, body, cuts);
  session.finish(reports);
  // A failure is reported again by every later push.
  const failure = session.failure();
  const first = reports.findIndex((report) => report.kind === "error" && report.fault === failure);
  const once = reports.filter((report, i) => i <= first || report.kind !== "error" || report.fault !== failure);
  const state = outcome(session, once) as { stats: { bytes: number } };
  // After a failure the rest of the chunk is ignored, so that the cuts decide how much was read.
  if (failure !== undefined) state.stats.bytes = 0;
  return { ...state, finish: session.finishResult() };
}

describe("every cut of the wire", () => {
  it.each(BODIES)("%s", (_, overrides, body) => {
    const whole = run(overrides, body, []);
    expect(whole).toMatchSnapshot();
    for (let at = 1; at < body.length; at++) expect(run(overrides, body, [at]), `cut at ${at}`).toEqual(whole);
    const bytes = Array.from({ length: body.length - 1 }, (_, i) => i + 1);
    expect(run(overrides, body, bytes)).toEqual(whole);
    const next = random(body.length);
    for (let round = 0; round < 60; round++) {
      const share = next();
      expect(
        run(
          overrides,
          body,
          bytes.filter(() => next() < share),
        ),
      ).toEqual(whole);
    }
    // Quick appends and all others give the same events.
    const slow = { ...overrides, limits: { ...overrides.limits, numberLength: 39 } };
    expect(
      run(
        slow,
        body,
        bytes.filter(() => next() < 0.1),
        true,
      ),
    ).toEqual(run(overrides, body, [], true));
  });

  it("gives the same for chunks far larger than a batch", () => {
    const events = Array.from({ length: 400 }, (_, i) => append(i + 2, i % 7 === 0 ? "é\n😀" : " word", `b${i % 5}`));
    const lines = [start(), ...events].map((event, i) => {
      const text = JSON.stringify(event);
      if (i % 50 === 49) return `data: ${text.slice(0, 20)}\ndata:${text.slice(20)}\n\n`;
      return i % 30 === 7 ? `id: ${i}\nevent: x\ndata:${text}\n:\n\n` : `data: ${text}\n\n`;
    });
    const body = bytesOf(lines.join(""));
    const whole = run({}, body, []);
    expect((whole as { streams: unknown[][] }).streams[0]![2]).toBe(401);
    const next = random(5);
    for (const size of [1, 7, 100, 1000, 4095, 4096, 4097, 9000]) {
      const cuts: number[] = [];
      for (let at = size; at < body.length; at += Math.max(1, Math.round(size * (0.5 + next())))) cuts.push(at);
      expect(run({}, body, cuts)).toEqual(whole);
    }
    expect(run({}, bytesOf(lines.join("").replaceAll("\n", "\r\n")), [])).toMatchObject({
      streams: (whole as { streams: unknown[] }).streams,
    });
  });
});

describe("offsets", () => {
  const fault = (body: Uint8Array, overrides?: Overrides): number | undefined => {
    const session = open(overrides);
    const reports: Report[] = [];
    session.push(body, reports);
    return faults(reports)[0]?.byteOffset;
  };

  it("are those of the wire", () => {
    expect(fault(utf8("data: é\n\n"))).toBe(6);
    expect(fault(utf8('\ufeffdata:{"a":01}\n\n'))).toBe(3 + 5 + 6);
    expect(fault(utf8('id: 中\ndata: {"é":x}\n\n'))).toBe(8 + 6 + 6);
    expect(fault(utf8('data: {"a":\n\n'))).toBe(11);
    expect(fault(utf8("data: {\ndata: x}\n\n"))).toBe(14);
    expect(fault(utf8("data: {\r\ndata:\r\nevent: y\r\ndata: x}\r\n\r\n"))).toBe(9 + 7 + 10 + 6);
    // The LF that joins two lines stands for the first byte of the second one.
    expect(fault(utf8('data: "a\ndata: b"\n\n'))).toBe(15);
    expect(fault(utf8("\n\ndata: 5\n\n"))).toBe(8);
    expect(fault(utf8('data: {"stream_id":1}\n\n'))).toBe(6);
    expect(fault(utf8("{}\n\n 5\n"), { transport: "ndjson" })).toBe(0);
    expect(fault(utf8("\n\n {,}\n"), { transport: "ndjson" })).toBe(4);
    expect(fault(utf8("  "), { transport: "json" })).toBe(2);
  });

  it("of a message too large are where it begins", () => {
    const limits = { messageBytes: 10 };
    expect(fault(utf8("data: 12345678901\n\n"), { limits })).toBe(6);
    expect(fault(utf8("data:12345678901\n\n"), { limits })).toBe(5);
    expect(fault(utf8("data: 12345\ndata: 67890\n\n"), { limits })).toBe(6);
    expect(fault(utf8("data: 1\n:234567890123456\ndata: 67890\n\n"), { limits })).toBe(31);
    expect(fault(utf8("data: 1\n:2345678901234567\n"), { limits })).toBe(8);
    expect(fault(utf8("\n12345678901\n"), { transport: "ndjson", limits })).toBe(1);
    expect(fault(utf8("12345678901"), { transport: "json", limits })).toBe(0);
    expect(fault(utf8('data: {"a":"b"}\n\n'.replace("b", "1")), { limits: { messageBytes: 9 } })).toBe(6);
  });

  it("of gaps wider than a byte are right behind a checkpoint too", () => {
    const body = utf8(
      "data: [\n",
      `:${"x".repeat(1000)}\n`.repeat(3),
      "data: 1,\r\nevent: y\ndata\nid: 4\ndata:x]\n\n",
    );
    const expected = fault(body);
    expect(expected).toBe(body.length - 4);
    for (let at = 0; at < body.length; at++) {
      const first = open();
      first.push(body.slice(0, at), []);
      const second = open();
      expect(second.restore(first.checkpoint())).toBeUndefined();
      const reports: Report[] = [];
      second.push(body.slice(at), reports);
      expect(faults(reports)[0]?.byteOffset, `cut at ${at}`).toBe(expected);
    }
  });
});

describe("the end of the body", () => {
  const end = (body: string, overrides?: Overrides): [string, EngineSession, Report[]] => {
    const session = open(overrides);
    const reports: Report[] = [];
    session.push(sse({ ...start(), stream_id: "s" }, { op: "end", seq: 2, stream_id: "s" }), reports);
    session.push(bytesOf(body), reports);
    session.finish(reports);
    const { status } = session.finishResult();
    session.finish(reports);
    expect(session.finishResult().status).toBe(status);
    return [status, session, reports];
  };
  const event = JSON.stringify({ ...start(), stream_id: "s" });

  it.each<[string, string, string, string]>([
    ["", "complete", "ended", "complete"],
    ["data", "complete", "ended", "complete"],
    ["data: \t ", "complete", "ended", "complete"],
    ["data: [DONE]", "complete", "ended", "complete"],
    ["id: 5", "complete", "ended", "complete"],
    ["retry: 5", "complete", "ended", "complete"],
    [`data: ${event}`, "truncated", "open", "truncated"],
    [`data: ${event}\n`, "truncated", "open", "truncated"],
    [`data: ${event.slice(0, -1)}\ndata: }`, "truncated", "open", "truncated"],
    [`data: ${event}\nid: 9`, "truncated", "open", "truncated"],
    [`data: ${event.slice(0, -1)}`, "truncated", "ended", "truncated"],
    ["data: 01", "truncated", "ended", "truncated"],
    ['data: {"op":"ping","seq":1}', "complete", "ended", "truncated"],
  ])("%j", (tail, status, stream, discarded) => {
    const [used, session, reports] = end(tail);
    expect(used).toBe(status);
    expect(session.status("s")).toBe(stream);
    expect(session.lastEventId).toBe(tail.endsWith("id: 9") ? "9" : undefined);
    expect(session.retry).toBeUndefined();
    expect(faults(reports).map((fault) => fault.code)).toEqual(tail.includes("ping") ? ["no_model"] : []);
    const [other, dropped, none] = end(tail, { unterminatedTail: "discard" });
    expect(other).toBe(discarded);
    expect(dropped.status("s")).toBe("ended");
    expect(none).toEqual([]);
  });

  it("raises what is above the text level", () => {
    const [status, session, reports] = end("data: 5");
    expect(status).toBe("truncated");
    expect(faults(reports)).toEqual([session.failure()]);
    expect(session.failure()).toMatchObject({ code: "not_an_event", eventIndex: 2 });
  });

  it("replaces ill-formed UTF-8 in a tail that is used", () => {
    const session = open({ transport: "ndjson", utf8: "replace" });
    const reports: Report[] = [];
    session.push(utf8(JSON.stringify(start()).slice(0, -1), ',"event_type":"', [0xff], '"}'), reports);
    expect(session.finish(reports)).toBe(1);
    expect(reports).toEqual([{ kind: "warning", code: "utf8_replaced", eventIndex: 0 }]);
    const strict = open({ transport: "ndjson" });
    strict.push(utf8(JSON.stringify(start()).slice(0, -1), ',"event_type":"', [0xff], '"}'), reports);
    expect(strict.finish(reports)).toBe(0);
    expect(strict.failure()).toBeUndefined();
    expect(strict.finishResult().status).toBe("truncated");
  });

  it("begins a new body with the next push", () => {
    const session = open();
    const reports: Report[] = [];
    session.push(sse(start()), reports);
    session.push(bytesOf('id: 5\ndata: {"op"'), reports);
    session.finish(reports);
    expect(session.finishResult()).toEqual({ status: "truncated", streams: [{ streamId: "", status: "open" }] });
    session.push(sse(append(2, "x"), "01"), reports);
    expect(snapshotText(session)).toContain('"content":"x"');
    expect(session.failure()).toEqual({ code: "bad_json", byteOffset: sse(append(2, "x")).length + 7, eventIndex: 1 });
    expect(session.push(sse(append(3, "x")), reports)).toBe(0);
    session.finish(reports);
    expect(session.push(sse(append(3, "x")), reports)).toBe(0);
    expect(faults(reports)).toHaveLength(3);
    expect(session.stats().errors).toBe(1);
    session.reconnect();
    expect(session.push(sse(append(3, "x")), reports)).toBe(1);
  });

  it("is not complete without a stream", () => {
    const session = open();
    session.finish([]);
    expect(session.finishResult()).toEqual({ status: "truncated", streams: [] });
  });
});

describe("ids", () => {
  it("are taken at each dispatch, but not when its message fails the connection", () => {
    const session = open();
    session.push(bytesOf("id: 1\n\n"), []);
    expect(session.lastEventId).toBe("1");
    session.push(bytesOf("id: 2\n"), []);
    expect(session.lastEventId).toBe("1");
    session.push(bytesOf("data: [DONE]\n\nid\n"), []);
    expect(session.lastEventId).toBe("2");
    session.push(bytesOf("\n"), []);
    expect(session.lastEventId).toBe("");
    session.push(bytesOf("id:3\ndata: x\n\n"), []);
    expect(session.lastEventId).toBe("");
    session.reconnect();
    session.push(bytesOf("\n:\n\n"), []);
    expect(session.lastEventId).toBe("");
    session.push(utf8("id: a", [0xff, 0xe2, 0x82], "b\n\n"), []);
    expect(session.lastEventId).toBe("a\ufffd\ufffdb");
    session.reset();
    expect(session.lastEventId).toBeUndefined();
  });

  it("and retry: digits only, at once, clamped", () => {
    const session = open();
    for (const [line, value] of [
      ["retry: 5", 5],
      ["retry: 5 ", 5],
      ["retry:", 5],
      ["retry: -1", 5],
      ["retry: 0012", 12],
      ["retry: 99999999999999999999", Number.MAX_SAFE_INTEGER],
    ] as const) {
      session.push(bytesOf(`${line}\n`), []);
      expect(session.retry, line).toBe(value);
    }
    session.reconnect();
    expect(session.retry).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe("linear time", () => {
  it("for one-byte chunks of a large message, for many data lines and for many wire lines", () => {
    const bodies: ((size: number, text: string) => string)[] = [
      (_, text) => `data: ${text}\n\n`,
      (size, text) => `data: ${text.slice(0, -1)}\n${"data:\n".repeat(size / 5)}data: }\n\n`,
      (size, text) => `${":\n".repeat((size * 3) / 5)}data: ${text}\n\n`,
    ];
    for (const body of bodies) {
      expectProportional((size) => {
        const bytes = bytesOf(body(size, JSON.stringify({ ...start(), event_type: "x".repeat(size) })));
        return () => {
          const session = open();
          let accepted = 0;
          for (let at = 0; at < bytes.length; at++) accepted += session.push(bytes.subarray(at, at + 1), []);
          expect(accepted).toBe(1);
        };
      }, 16_000);
    }
  });
});
