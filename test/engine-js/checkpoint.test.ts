import { describe, expect, it } from "vitest";
import type { EngineSession, Report } from "../../src/engine/contract.js";
import { append, apply, bytesOf, type Overrides, open, outcome, random, snapshotText, sse, start } from "./support.js";

const BODY = [
  sse(
    start(
      1,
      [
        { id: '\ud800"', type: "t", content: "\u0000é" },
        { id: "r", ref: "k" },
      ],
      { n: "#" },
    ),
  ),
  bytesOf("id: 5\nretry: 70\n"),
  sse({ ...start(3), stream_id: "\ud800__proto__" }),
  bytesOf(':c\r\nevent: x\r\ndata: {"op":"append",\r\n\rdata: x\n'),
];
const GOOD = [
  bytesOf("\ufeff"),
  BODY[0]!,
  BODY[1]!,
  BODY[2]!,
  bytesOf(
    'id: 6\ndata: {"op":"append","seq":2,"mask":"block.content",\r\nevent: y\ndata\ndata:"block":{"id":"\\ud800\\"","content":"\\ud83d"}}\r\n\r\n',
  ),
  sse({ op: "append", seq: 2, mask: "block.content", block: { id: '\ud800"', content: "dup" } }),
  sse({ ...append(9, "gap"), stream_id: "\ud800__proto__" }),
  sse({ op: "set", seq: 3, mask: "meta.n", meta: { n: "#" } }),
  sse({ op: "end", seq: 10, stream_id: "\ud800__proto__" }),
  bytesOf("id: 7\ndata: [DO"),
].map((part) =>
  bytesOf(new TextDecoder("utf-8", { ignoreBOM: true }).decode(part).replaceAll('"#"', "[9007199254740993,-0,1e400]")),
);

const concat = (parts: readonly Uint8Array[]): Uint8Array => Uint8Array.from(parts.flatMap((part) => [...part]));

/** The outcome without what a checkpoint does not carry: the changes before it. */
function state(session: EngineSession, reports: Report[]): unknown {
  const all = outcome(session, reports) as { streams: unknown[][] };
  session.finish(reports);
  return {
    ...all,
    streams: all.streams.map((stream) => stream.filter((_, i) => i !== 4)),
    finish: session.finishResult(),
  };
}

describe("a checkpoint", () => {
  it("anywhere in the wire brings another session to the same state", () => {
    const body = concat(GOOD);
    for (const overrides of [{}, { events: true }, { sequence: "strict", onViolation: "skip-event" }] as Overrides[]) {
      const whole = open(overrides);
      const reports: Report[] = [];
      whole.push(body, reports);
      const expected = state(whole, reports);
      for (let at = 0; at <= body.length; at++) {
        const first = open(overrides);
        const log: Report[] = [];
        first.push(body.slice(0, at), log);
        const bytes = first.checkpoint();
        const second = open(overrides);
        expect(second.restore(bytes)).toBeUndefined();
        expect(second.checkpoint()).toEqual(bytes);
        second.push(body.slice(at), log);
        expect(state(second, log), `at ${at}`).toEqual(expected);
      }
    }
  });

  it("keeps queues, runs of skipped events, refusals and unknown seqs", () => {
    const session = open({ limits: { queuedBytes: 300 } });
    apply(session, start(1, [{ id: "a", type: "t", content: "" }]));
    apply(session, append(1, "dup"));
    session.load("b", undefined, bytesOf('{ "version":"1.0","biz":"b","meta":{},"blocks":[ ] }'), "json");
    session.pause("b");
    apply(session, '{ "stream_id" : "b", "op":"set" ,"seq":1,"mask":"meta. x","meta":{" x":[1.0,"\\" \\\\"]} }');
    session.push(sse({ ...append(2, "x"), stream_id: "b" }, { ...append(3, "x".repeat(300)), stream_id: "b" }), []);
    apply(session, { ...start(1), stream_id: "c" });
    apply(session, { op: "nope", seq: 2, stream_id: "c" });
    const copy = open({ limits: { queuedBytes: 300 } });
    expect(copy.restore(session.checkpoint())).toBeUndefined();
    expect(copy.stats()).toEqual({ ...session.stats() });
    expect(copy.status("c")).toBe("refused");
    expect(copy.seq("b")).toBeUndefined();
    for (const one of [session, copy]) {
      const reports: Report[] = [];
      one.applyText(bytesOf(JSON.stringify(append(1, "dup"))), reports);
      expect(reports).toEqual([]);
      expect(one.resume("b", reports)).toBe(2);
      // An event was lost behind them.
      expect(reports).toHaveLength(0);
      expect(one.status("b")).toBe("refused");
    }
    expect(snapshotText(copy, "b")).toBe(snapshotText(session, "b"));
    expect(outcome(copy, [])).toMatchObject({ stats: session.stats() });
  });

  it("of a value that waits has no byte offset", () => {
    const session = open();
    session.applyValue!(start(1), []);
    session.pause("");
    session.applyValue!({ op: "set", seq: 2, block: {} }, []);
    const copy = open();
    expect(copy.restore(session.checkpoint())).toBeUndefined();
    const reports: Report[] = [];
    copy.resume("", reports);
    expect(reports).toEqual([
      {
        kind: "error",
        fault: { code: "bad_block", reason: 1, path: "/block/id", streamId: "", seq: 2, eventIndex: 1 },
      },
    ]);
  });

  it("of a failed connection is that of a new one", () => {
    const session = open();
    session.push(concat(GOOD), []);
    session.push(sse("{"), []);
    expect(session.failure()).toBeDefined();
    const copy = open();
    expect(copy.restore(session.checkpoint())).toBeUndefined();
    expect(copy.failure()).toBeUndefined();
    expect(copy.lastEventId).toBe("6");
    const reports: Report[] = [];
    copy.push(concat([bytesOf("\ufeff"), sse("{")]), reports);
    expect(reports).toEqual([{ kind: "error", fault: { code: "bad_json", byteOffset: 10, eventIndex: 0 } }]);
  });

  it("keeps that the body has ended, and how", () => {
    for (const [tail, status] of [
      ["", "complete"],
      ["data: {", "truncated"],
    ] as const) {
      const session = open();
      session.push(concat([sse(start(1), { op: "end", seq: 2 }), bytesOf(tail)]), []);
      session.finish([]);
      const copy = open();
      expect(copy.restore(session.checkpoint())).toBeUndefined();
      expect(copy.finish([])).toBe(0);
      expect(copy.finishResult().status).toBe(status);
      expect(copy.push(sse(start(1)), [])).toBe(1);
    }
  });

  it("keeps the order of ending", () => {
    const session = open({ keepEnded: 2 });
    for (const id of ["a", "b", "c"]) apply(session, { ...start(1), stream_id: id });
    for (const id of ["b", "a"]) apply(session, { op: "end", seq: 2, stream_id: id });
    const copy = open({ keepEnded: 2 });
    expect(copy.restore(session.checkpoint())).toBeUndefined();
    apply(copy, { op: "end", seq: 2, stream_id: "c" });
    expect(copy.streamIds()).toEqual(["a", "c"]);
  });

  it("knows the present version only", () => {
    const session = open();
    apply(session, start(1, [{ id: "a", type: "t", content: "" }]));
    apply(session, append(2, "x"));
    const copy = open();
    copy.restore(session.checkpoint());
    apply(copy, append(3, "y"));
    expect(copy.changes("", 1)).toEqual({ version: 3, resync: true });
    expect(copy.changes("", 0)).toEqual({ version: 3, resync: true });
    expect(copy.changes("", 2)).toEqual({
      version: 3,
      changes: [{ streamId: "", kind: "append", id: "a", field: "content", from: 1, to: 2, text: "y" }],
    });
  });

  it("of another kind, cut or damaged is refused and changes nothing", () => {
    const session = open();
    session.push(concat(GOOD), []);
    session.pause("");
    session.applyText(bytesOf(JSON.stringify(append(7, "x"))), []);
    const bytes = session.checkpoint();
    const target = open();
    apply(target, start(1));
    const before = target.checkpoint();
    for (let length = 0; length < bytes.length; length++) {
      expect(target.restore(bytes.slice(0, length))).toMatchObject({ code: "bad_checkpoint" });
    }
    expect(target.restore(Uint8Array.from([...bytes, 0]))).toMatchObject({ code: "bad_checkpoint" });
    expect(open({ transport: "ndjson" }).restore(bytes)).toMatchObject({ code: "bad_checkpoint" });
    expect(open({ limits: { streams: 1 } }).restore(bytes)).toMatchObject({ code: "bad_checkpoint" });
    expect(open({ limits: { modelBytes: 50 } }).restore(bytes)).toMatchObject({ code: "bad_checkpoint" });
    expect(open({ limits: { queuedBytes: 10 } }).restore(bytes)).toMatchObject({ code: "bad_checkpoint" });
    expect(target.checkpoint()).toEqual(before);
    // Whatever a damaged one is taken for, it is a state that can be saved and gone on with.
    const next = random(3);
    let refused = 0;
    for (let round = 0; round < 3000; round++) {
      const damaged = bytes.slice();
      for (let i = 0; i < 3; i++) damaged[Math.floor(next() * bytes.length)] = Math.floor(next() * 256);
      const copy = open();
      if (copy.restore(damaged) !== undefined) {
        refused++;
        continue;
      }
      const again = open();
      expect(again.restore(copy.checkpoint())).toBeUndefined();
      copy.push(sse(append(9, "x")), []);
      copy.resume("", []);
    }
    expect(refused).toBeGreaterThan(1000);
  });

  it("of a json or ndjson session too", () => {
    for (const transport of ["json", "ndjson"] as const) {
      const session = open({ transport });
      const text = `${JSON.stringify(start(1))}\n`;
      session.push(bytesOf(text), []);
      if (transport === "ndjson") session.push(bytesOf("{"), []);
      const copy = open({ transport });
      expect(copy.restore(session.checkpoint())).toBeUndefined();
      const reports: Report[] = [];
      copy.push(bytesOf(transport === "json" ? "{5}" : "5}\n"), reports);
      expect(reports).toEqual([
        { kind: "error", fault: { code: "bad_json", byteOffset: text.length + 1, eventIndex: 1 } },
      ]);
    }
  });
});
