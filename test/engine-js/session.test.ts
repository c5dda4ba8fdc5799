import { describe, expect, it } from "vitest";
import type { EngineSession, Report } from "../../src/engine/contract.js";
import {
  append,
  apply,
  bytesOf,
  faults,
  model,
  type Overrides,
  open,
  short,
  snapshotText,
  sse,
  start,
} from "./support.js";

const text = (value: unknown): Uint8Array => bytesOf(JSON.stringify(value));
const started = (
  overrides?: Overrides,
  blocks: unknown[] = [{ id: "a", type: "text", content: "" }],
): EngineSession => {
  const session = open(overrides);
  expect(apply(session, start(1, blocks))).toBeUndefined();
  return session;
};
const ping = (seq: number): object => ({ op: "ping", seq });
const end = (seq: number): object => ({ op: "end", seq });

function reportsOf(session: EngineSession, ...events: object[]): Report[] {
  const reports: Report[] = [];
  for (const event of events) session.applyText(text(event), reports);
  return reports;
}

describe("sequence", () => {
  it("dedupe skips, warns once per run and counts", () => {
    const session = started();
    const reports = reportsOf(
      session,
      append(2, "a"),
      append(2, "b"),
      append(1, "c"),
      ping(2),
      append(2, "d"),
      append(3, "e"),
      append(3, "f"),
      append(0, "g"),
    );
    const warning = (seq: number, eventIndex: number): object => ({
      kind: "warning",
      code: "duplicate_seq",
      path: "/seq",
      streamId: "",
      seq,
      eventIndex,
    });
    expect(reports).toEqual([warning(2, 2), warning(2, 5), warning(3, 7)]);
    expect(session.stats()).toMatchObject({ skipped: 5, applied: 4, warnings: 3 });
    expect(snapshotText(session)).toContain('"content":"ae"');
  });

  it("dedupe judges first: what is malformed is no duplicate", () => {
    const session = started();
    expect(short(reportsFault(session, { op: "set", seq: 1, block: {} }))).toBe("bad_block /block/id");
    const other = started();
    expect(reportsOf(other, { op: "set", seq: 1, mask: "block.x", block: { id: "none", x: 1 } })).toMatchObject([
      { code: "duplicate_seq" },
    ]);
  });

  it("strict refuses, off takes everything", () => {
    const strict = started({ sequence: "strict" });
    expect(short(apply(strict, append(1, "x")))).toBe("stale_seq /seq");
    expect(strict.status("")).toBe("refused");
    const late = started({ sequence: "strict" });
    expect(apply(late, append(5, "x"))).toBeUndefined();
    expect(apply(late, ping(0))).toBeUndefined();
    expect(short(apply(late, end(4)))).toBe("stale_seq /seq");
    const off = started({ sequence: "off" });
    expect(reportsOf(off, append(9, "x"), append(0, "y"), append(0, "z"), end(0))).toEqual([]);
    expect(off.seq("")).toBe(0);
    expect(snapshotText(off)).toContain('"content":"xyz"');
  });

  it("an end is honoured at any seq and moves it upwards only", () => {
    const session = started();
    reportsOf(session, append(5, "x"), end(3));
    expect([session.status(""), session.seq("")]).toEqual(["ended", 5]);
    reportsOf(session, start(1), end(8));
    expect([session.status(""), session.seq("")]).toEqual(["ended", 8]);
  });

  it("reports gaps before the event", () => {
    for (const sequence of ["dedupe", "strict", "off"] as const) {
      const session = started({ sequence, events: true });
      const reports = reportsOf(
        session,
        append(2, "x"),
        append(5, "y"),
        ping(5),
        ping(7),
        { op: "set", seq: 7, block: { id: "b", type: "t" } },
        end(9),
      );
      const gaps = reports.flatMap((report) => (report.kind === "gap" ? [report.gap] : []));
      expect(gaps).toEqual(
        sequence === "off"
          ? []
          : [
              { streamId: "", op: "append", lastSeq: 2, seq: 5, eventIndex: 2 },
              { streamId: "", op: "ping", lastSeq: 5, seq: 7, eventIndex: 4 },
              { streamId: "", op: "set", lastSeq: 5, seq: 7, eventIndex: 5 },
              { streamId: "", op: "end", lastSeq: 7, seq: 9, eventIndex: 6 },
            ],
      );
      if (sequence !== "off")
        expect(reports.map((report) => report.kind).slice(0, 4)).toEqual(["event", "gap", "event", "event"]);
    }
  });

  it("is unknown after a load without seq", () => {
    const session = open();
    expect(session.load("", undefined, text(model([{ id: "a", type: "t", content: "" }])), "json")).toBeUndefined();
    expect(session.seq("")).toBeUndefined();
    expect(reportsOf(session, ping(5))).toEqual([]);
    expect(session.seq("")).toBeUndefined();
    expect(reportsOf(session, append(0, "x"))).toEqual([]);
    expect(session.seq("")).toBe(0);
  });
});

function reportsFault(session: EngineSession, event: object): ReturnType<typeof apply> {
  return apply(session, event);
}

describe("loading and materializing", () => {
  it("counts as a start", () => {
    const session = started();
    reportsOf(session, append(2, "x"), end(3));
    expect(session.load("", 7, text(model([], { x: 9007199254740993n.toString() })), "json")).toBeUndefined();
    expect([session.status(""), session.seq("")]).toEqual(["open", 7]);
    expect(session.changes("", 0)).toEqual({ version: 3, changes: [{ streamId: "", kind: "start" }] });
    expect(session.stats("")).toMatchObject({ applied: 3, version: 3 });
  });

  it.each([
    ["{", "bad_json", undefined, 1],
    ["[]", "bad_model", "", undefined],
    ["5", "bad_model", "", undefined],
    ['{"version":"1.2"}', "bad_model", "/version", undefined],
    [
      '{"version":"1.1","biz":"b","meta":{},"blocks":[{"id":"a","ref":"k","x":1,"0":1}]}',
      "bad_block",
      "/blocks/0/x",
      undefined,
    ],
    [`[${"1".repeat(1025)}]`, "limit", undefined, 1],
  ])("load %s", (source, code, path, byteOffset) => {
    const session = started();
    const fault = session.load("", 1, bytesOf(source), "json");
    expect([fault?.code, fault?.path, fault?.byteOffset]).toEqual([code, path, byteOffset]);
    expect(session.stats("")).toMatchObject({ version: 1 });
    expect(session.status("")).toBe("open");
  });

  it("materializes in place, and advances the version alone", () => {
    const session = started({}, [
      { id: "r", ref: "k" },
      { id: "a", type: "t", content: "" },
    ]);
    expect(short(apply(session, append(2, "x", "r")))).toBe("unresolved_reference /block");
    expect(session.seq("")).toBe(1);
    expect(session.materialize("", text({ id: "r", type: "t", content: "body " }))).toBeUndefined();
    expect(apply(session, append(2, "x", "r"))).toBeUndefined();
    expect(snapshotText(session)).toContain('"blocks":[{"id":"r","type":"t","content":"body x"},');
    expect(session.changes("", 0)).toEqual({
      version: 3,
      changes: [
        { streamId: "", kind: "start" },
        { streamId: "", kind: "replace", id: "r" },
        { streamId: "", kind: "append", id: "r", field: "content", from: 5, to: 6, text: "x" },
      ],
    });
  });

  it.each([
    [[], "bad_block "],
    [{ id: "r", ref: "k" }, "bad_block /ref"],
    [{ type: "t" }, "bad_block /id"],
    [{ id: "r" }, "bad_block /type"],
    [{ id: "none", type: "t" }, "missing_block /id"],
    [{ id: "a", type: "t" }, "bad_block /id"],
  ])("materialize %j", (block, expected) => {
    const session = started({}, [
      { id: "r", ref: "k" },
      { id: "a", type: "t" },
    ]);
    expect(short(session.materialize("", text(block)))).toBe(expected);
    expect(short(session.materializeValue!("", block))).toBe(expected);
    expect(session.status("")).toBe("open");
    expect(short(open().materialize("", text({ id: "r", type: "t" })))).toBe("no_model");
  });
});

describe("pausing", () => {
  it("queues and applies in order, with each message's own position", () => {
    const session = open({ events: true });
    const body = sse(start(1, [{ id: "a", type: "t", content: "" }]));
    const tail = sse(append(2, "x"), append(2, "y"), { op: "set", seq: 5, block: {} }, append(6, "z"));
    session.push(body, []);
    expect(session.pause("")).toBeUndefined();
    expect(session.pause("")).toBeUndefined();
    const reports: Report[] = [];
    expect(session.push(tail, reports)).toBe(0);
    expect(reports).toEqual([]);
    expect(session.stats("")).toMatchObject({ queued: 4, applied: 1 });
    session.push(bytesOf("data: {}\n"), reports);
    expect(session.resume("", reports)).toBe(1);
    const at = body.length + sse(append(2, "x"), append(2, "y")).length + 6;
    expect(reports).toEqual([
      { kind: "event", event: append(2, "x"), streamId: "", eventIndex: 1 },
      { kind: "warning", code: "duplicate_seq", path: "/seq", streamId: "", seq: 2, eventIndex: 2 },
      {
        kind: "error",
        fault: { code: "bad_block", reason: 1, path: "/block/id", streamId: "", seq: 5, eventIndex: 3, byteOffset: at },
      },
    ]);
    expect(session.stats("")).toMatchObject({ queued: 0, dropped: 1 });
    expect(session.stats()).toMatchObject({ events: 5 });
    expect(session.resume("", reports)).toBe(0);
    expect(session.pause("none")).toMatchObject({ code: "no_model", streamId: "none" });
  });

  it("does not hold up what cannot be decoded or routed, nor other streams", () => {
    const session = started({ undecodable: "skip" });
    apply(session, { ...start(1), stream_id: "b" });
    session.pause("");
    const reports: Report[] = [];
    expect(session.push(sse("{", "5", { op: "end", seq: 2, stream_id: "b" }), reports)).toBe(1);
    expect(faults(reports).map((fault) => fault.code)).toEqual(["bad_json", "not_an_event"]);
  });

  it("is bounded, and an event that is lost refuses the stream in the end", () => {
    const first = append(2, "x");
    const limits = { queuedBytes: JSON.stringify(first).length };
    for (const onViolation of ["refuse-stream", "skip-event"] as const) {
      const session = started({ limits, onViolation });
      session.pause("");
      const reports = reportsOf(session, first, append(3, "y"), append(4, "z"));
      const limit = (seq: number, eventIndex: number): object => ({
        kind: "error",
        fault: { code: "limit", reason: 25, path: "/stream_id", streamId: "", seq, eventIndex, byteOffset: 0 },
      });
      expect(reports).toEqual(onViolation === "skip-event" ? [limit(3, 2), limit(4, 3)] : [limit(3, 2)]);
      expect(session.status("")).toBe("open");
      expect(session.resume("", [])).toBe(1);
      expect(session.status("")).toBe(onViolation === "skip-event" ? "open" : "refused");
      expect(session.stats("")).toMatchObject({ dropped: onViolation === "skip-event" ? 0 : 1 });
    }
  });

  it("forgives what was lost when a later start is kept", () => {
    const session = started({ limits: { queuedBytes: 250 } });
    session.pause("");
    reportsOf(
      session,
      append(2, "x".repeat(250)),
      append(3, "dropped"),
      start(9, [{ id: "a", type: "t", content: "" }]),
      append(10, "kept"),
    );
    expect(session.resume("", [])).toBe(2);
    expect([session.status(""), session.seq("")]).toEqual(["open", 10]);
  });

  it("queues values as copies", () => {
    const session = started();
    session.pause("");
    const event = { op: "set", seq: 2, mask: "meta.x", meta: { x: [-0] as unknown[] } };
    session.applyValue!(event, []);
    event.meta.x.push(1);
    const reports: Report[] = [];
    session.applyValue!({ op: "set", seq: 3, block: {} }, reports);
    expect(session.resume("", reports)).toBe(1);
    expect(snapshotText(session)).toContain('"meta":{"x":[-0]}');
    expect(faults(reports)).toEqual([
      { code: "bad_block", reason: 1, path: "/block/id", streamId: "", seq: 3, eventIndex: 2 },
    ]);
  });
});

describe("streams", () => {
  it("that ended first are released first", () => {
    const session = open({ keepEnded: 1 });
    for (const id of ["a", "b", "c"]) apply(session, { ...start(1), stream_id: id });
    for (const id of ["b", "a"]) apply(session, { ...end(2), stream_id: id });
    expect(session.streamIds()).toEqual(["a", "c"]);
    apply(session, { ...start(1), stream_id: "a" });
    apply(session, { ...end(2), stream_id: "c" });
    expect(session.streamIds()).toEqual(["a", "c"]);
    apply(session, { ...end(2), stream_id: "a" });
    expect(session.streamIds()).toEqual(["a"]);
    expect(session.stats()).toMatchObject({ streams: 1, applied: 8 });
    expect(session.release("a")).toBe(true);
    expect(session.release("a")).toBe(false);
    expect(session.stats("a")).toMatchObject({ streams: 0, version: 0, applied: 0 });
    expect(session.changes("a", undefined)).toEqual({ version: 0, changes: [] });
    expect(session.changes("a", 3)).toEqual({ version: 0, resync: true });
  });

  it("may end while being resumed, and go on", () => {
    const session = open({ keepEnded: 0 });
    apply(session, start(1));
    session.pause("");
    reportsOf(session, end(2), append(3, "x"), start(1), append(2, "y"));
    const reports: Report[] = [];
    expect(session.resume("", reports)).toBe(3);
    expect(faults(reports).map((fault) => fault.code)).toEqual(["no_model"]);
    expect(session.streamIds()).toEqual([""]);
  });

  it("are all forgotten by reset", () => {
    const session = started();
    session.push(sse("{"), []);
    expect(session.failure()).toBeDefined();
    session.reset();
    expect(session.failure()).toBeUndefined();
    expect(session.stats()).toEqual({
      events: 0,
      bytes: 0,
      applied: 0,
      skipped: 0,
      dropped: 0,
      errors: 0,
      warnings: 0,
      streams: 0,
      blocks: 0,
      queued: 0,
      version: 0,
      memory: 0,
    });
    const reports: Report[] = [];
    session.push(sse("{"), reports);
    expect(faults(reports)).toEqual([{ code: "bad_json", byteOffset: 7, eventIndex: 0 }]);
  });
});

describe("reports", () => {
  it("are bounded per call and counted beyond", () => {
    const session = started({ limits: { reports: 2 }, onViolation: "skip-event", events: true });
    const reports: Report[] = [];
    const bad = { op: "set", seq: 2, block: {} };
    session.push(sse(bad, append(1, "x"), bad, append(2, "y"), bad), reports);
    expect(reports.map((report) => report.kind)).toEqual(["error", "warning", "event"]);
    session.push(sse(bad, bad, bad), reports);
    expect(reports).toHaveLength(5);
    expect(session.stats()).toMatchObject({ errors: 6, warnings: 1 });
  });

  it("keep a failure that is not delivered", () => {
    const session = started({ limits: { reports: 1 }, onViolation: "skip-event" });
    const reports: Report[] = [];
    session.push(sse({ op: "set", seq: 2, block: {} }, "{"), reports);
    expect(faults(reports)).toHaveLength(1);
    expect(session.failure()).toMatchObject({ code: "bad_json" });
  });

  it("of text outside of the framing count from its first byte and are not sticky", () => {
    const session = started();
    session.push(bytesOf("data: {"), []);
    expect(apply(session, '{"op":x}')).toEqual({ code: "bad_json", byteOffset: 6, eventIndex: 1 });
    expect(apply(session, "5")).toMatchObject({ code: "not_an_event", byteOffset: 0 });
    expect(apply(session, append(2, "x"))).toBeUndefined();
    expect(session.failure()).toBeUndefined();
    expect(short(apply(started({ limits: { messageBytes: 150 } }), append(2, "x".repeat(100))))).toBe("too_large");
    expect(session.stats()).toMatchObject({ bytes: 7, events: 4 });
  });
});

describe("changes", () => {
  const CHANGE = { streamId: "" };
  const piece = (from: number, to: number, added: string): object => ({
    ...CHANGE,
    kind: "append",
    id: "a",
    field: "content",
    from,
    to,
    text: added,
  });

  it("join appends between reads only", () => {
    const session = started();
    reportsOf(session, append(2, "x"), append(3, "é\ud83d"), append(4, "\ude00"));
    expect(session.changes("", 1)).toEqual({ version: 4, resync: true });
    reportsOf(session, append(5, "y"), append(6, "z"));
    expect(session.changes("", 4)).toEqual({ version: 6, changes: [piece(4, 6, "yz")] });
    expect(session.changes("", 4)).toEqual({ version: 6, changes: [piece(4, 6, "yz")] });
    reportsOf(session, append(7, "!"));
    expect(session.changes("", 4)).toEqual({ version: 7, changes: [piece(4, 6, "yz"), piece(6, 7, "!")] });
    expect(session.changes("", 6)).toEqual({ version: 7, changes: [piece(6, 7, "!")] });
    expect(session.changes("", 5)).toEqual({ version: 7, resync: true });
    expect(session.changes("", 8)).toEqual({ version: 7, resync: true });
    expect(session.changes("", 7)).toEqual({ version: 7, changes: [] });
    expect(session.changes("", 0)).toEqual({
      version: 7,
      changes: [{ ...CHANGE, kind: "start" }, piece(0, 4, "xé😀"), piece(4, 6, "yz"), piece(6, 7, "!")],
    });
  });

  it("join across other blocks and fields of meta, but not across the same block", () => {
    const session = started({}, [
      { id: "a", type: "t", content: "", list: [] },
      { id: "b", type: "t", content: "" },
    ]);
    const set = (seq: number, mask: string, slot: object): object => ({
      op: "set",
      seq,
      mask,
      ...(mask.startsWith("meta") ? { meta: slot } : { block: { id: "a", ...slot } }),
    });
    const list = (seq: number): object => ({ op: "append", seq, mask: "block.list", block: { id: "a", list: [1, 2] } });
    session.changes("", 1);
    reportsOf(
      session,
      append(2, "x"),
      append(3, "y", "b"),
      set(4, "meta.m", { m: 1 }),
      append(5, "z"),
      list(6),
      list(7),
      append(8, "!"),
      set(9, "block.status.x", { status: { x: 1 } }),
      append(10, "?"),
    );
    expect(session.changes("", 1)).toEqual({
      version: 10,
      changes: [
        piece(0, 2, "xz"),
        { ...CHANGE, kind: "append", id: "b", field: "content", from: 0, to: 1, text: "y" },
        { ...CHANGE, kind: "meta", field: "m" },
        { ...CHANGE, kind: "append", id: "a", field: "list", from: 0, to: 4 },
        piece(2, 3, "!"),
        { ...CHANGE, kind: "replace", id: "a", field: "status.x" },
        piece(3, 4, "?"),
      ],
    });
  });

  it("leave out what a later change makes pointless", () => {
    const session = started();
    session.changes("", 1);
    const set = (seq: number, mask: string, slot: object): object => ({
      op: "set",
      seq,
      mask,
      ...(mask.startsWith("meta") ? { meta: slot } : { block: { id: "a", ...slot } }),
    });
    reportsOf(
      session,
      append(2, "gone"),
      set(3, "block.o.x.y", { o: { x: { y: 1 } } }),
      set(4, "block.o.xy", { o: { xy: 1 } }),
      set(5, "block.o.x", { o: { x: 1 } }),
      set(6, "block.content", { content: "new " }),
      append(7, "kept"),
      set(8, "meta.a.b", { a: { b: 1 } }),
      set(9, "meta.a", { a: 1 }),
      set(10, "meta.ab", { ab: 1 }),
      set(11, "meta.a", { a: 2 }),
    );
    const field = (name: string): object => ({ ...CHANGE, kind: "replace", id: "a", field: name });
    const changes = [
      field("o.xy"),
      field("o.x"),
      field("content"),
      piece(4, 8, "kept"),
      { ...CHANGE, kind: "meta", field: "ab" },
      { ...CHANGE, kind: "meta", field: "a" },
    ];
    expect(session.changes("", 1)).toEqual({ version: 11, changes });
    reportsOf(
      session,
      { op: "set", seq: 12, block: { id: "a", type: "u" } },
      { op: "set", seq: 13, block: { id: "n", type: "u" } },
      { op: "set", seq: 14, block: { id: "n", type: "v" } },
    );
    expect(session.changes("", 1)).toEqual({
      version: 14,
      changes: [
        changes[4],
        changes[5],
        { ...CHANGE, kind: "replace", id: "a" },
        { ...CHANGE, kind: "insert", id: "n" },
        { ...CHANGE, kind: "replace", id: "n" },
      ],
    });
    // What was read before a replacement is still told to those who read later.
    expect(session.changes("", 11)).toMatchObject({
      changes: [{ kind: "replace", id: "a" }, { kind: "insert" }, { kind: "replace" }],
    });
  });

  it("replace where an append sets a field, insert where it creates a block", () => {
    const session = started({}, [{ id: "a", type: "t", content: null }]);
    reportsOf(session, append(2, "x"), append(3, "y"), append(4, "z", "b"), append(5, "z", "b"), {
      op: "error",
      seq: 6,
      mask: "meta.error",
      meta: { error: { code: "c", message: "m" } },
    });
    expect(session.changes("", 0)).toEqual({
      version: 6,
      changes: [
        { ...CHANGE, kind: "start" },
        { ...CHANGE, kind: "replace", id: "a", field: "content" },
        piece(1, 2, "y"),
        { ...CHANGE, kind: "insert", id: "b" },
        { ...CHANGE, kind: "append", id: "b", field: "content", from: 1, to: 2, text: "z" },
        { ...CHANGE, kind: "meta", field: "error" },
      ],
    });
  });

  it("are kept to 256", () => {
    const session = started();
    session.changes("", 1);
    reportsOf(session, append(2, "x"));
    session.changes("", 2);
    const setMeta = (seq: number): object => ({ op: "set", seq, mask: `meta.m${seq}`, meta: { [`m${seq}`]: 1 } });
    for (let seq = 3; seq < 257; seq++) reportsOf(session, setMeta(seq));
    expect(session.changes("", 0).changes).toHaveLength(256);
    reportsOf(session, setMeta(257));
    expect(session.changes("", 0)).toEqual({ version: 257, resync: true });
    expect(session.changes("", 1).changes).toHaveLength(256);
    reportsOf(session, setMeta(258));
    expect(session.changes("", 1)).toEqual({ version: 258, resync: true });
    expect(session.changes("", 2).changes).toHaveLength(256);
    // An append goes on in a change that was forgotten: it has to be told anew.
    const other = started();
    other.changes("", 1);
    reportsOf(other, append(2, "x"));
    for (let seq = 3; seq < 259; seq++) reportsOf(other, setMeta(seq));
    other.changes("", 258);
    reportsOf(other, append(259, "y"));
    expect(other.changes("", 258)).toEqual({ version: 259, changes: [piece(1, 2, "y")] });
  });

  it("do not begin with versions that never were", () => {
    const session = started();
    reportsOf(session, start(5), append(6, "x"));
    expect(session.changes("", 1)).toMatchObject({
      version: 3,
      changes: [{ kind: "start" }, { kind: "insert", id: "a" }],
    });
    expect(session.changes("", 2)).toEqual({ version: 3, resync: true });
    reportsOf(session, ping(9), end(9));
    expect(session.changes("", 3)).toEqual({ version: 3, changes: [] });
  });
});
