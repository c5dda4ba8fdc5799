import { expect } from "vitest";
import { utf8 } from "../support/bytes.js";
import { thrown } from "../support/fold.js";
import { append, call, end, failure, MODEL, modelOf, modelWith, ping, set, start } from "./base.js";
import { type Call, type Case, contract } from "./runner.js";

// docs/semantics.md §5: pause, resume, load.

const X = { id: "x", type: "t", content: "" };
const on = (streamId: string) => ({ stream_id: streamId });
const text = (content: string): Record<string, unknown> => modelOf({ ...X, content });

function pause(streamId = "", code?: string): Call {
  return call(`pause ${JSON.stringify(streamId)}`, (fold, label) => {
    const error = thrown(() => fold.reducer.pause({ streamId }));
    expect(error?.code, label).toBe(code);
    if (code !== undefined) expect(error, label).toMatchObject({ scope: "stream", streamId });
  });
}

function resume(streamId: string, applied: number): Call {
  return call(`resume ${JSON.stringify(streamId)}`, (fold, label) =>
    expect(fold.resume(streamId), label).toBe(applied),
  );
}

function state(streamId: string, wanted: { status?: string; seq?: number; queued?: number; content?: string }): Call {
  return call("state", (fold, label) => {
    if (wanted.status !== undefined) expect(fold.reducer.status({ streamId }), label).toBe(wanted.status);
    if (wanted.seq !== undefined) expect(fold.reducer.seq({ streamId }), label).toBe(wanted.seq);
    if (wanted.queued !== undefined) {
      expect(fold.reducer.stats({ streamId }).queued, label).toBe(wanted.queued);
      expect(fold.reducer.stats().queued, label).toBe(wanted.queued);
    }
    if (wanted.content !== undefined) expect(fold.reducer.snapshot({ streamId }), label).toEqual(text(wanted.content));
  });
}

const PAUSE: Case[] = [
  {
    name: "messages queue and are applied in order on resume; other streams go on",
    steps: [
      start(text(""), on("p")),
      start(text(""), on("q")),
      pause("p"),
      append(2, "x", "1", on("p")),
      append(2, "x", "a", on("q")),
      append(3, "x", "2", on("p")),
      state("p", { status: "open", seq: 1, queued: 2, content: "" }),
      state("q", { seq: 2, content: "a" }),
      resume("p", 2),
      state("p", { seq: 3, queued: 0, content: "12" }),
      append(4, "x", "3", on("p")),
    ],
    applied: 6,
    streams: [
      { streamId: "p", status: "open", seq: 4, version: 4, model: text("123") },
      { streamId: "q", status: "open", seq: 2, version: 2, model: text("a") },
    ],
  },
  {
    name: "pausing twice, resuming without pause, resuming twice",
    steps: [
      start(text("")),
      pause(),
      append(2, "x", "1"),
      pause(),
      append(3, "x", "2"),
      resume("", 2),
      resume("", 0),
      resume("nobody", 0),
      append(4, "x", "3"),
    ],
    applied: 4,
    streams: [{ status: "open", seq: 4, model: text("123") }],
  },
  {
    name: "a stream that does not exist cannot be paused",
    steps: [pause("", "no_model"), start(text("")), pause("other", "no_model"), append(2, "x", "1")],
    applied: 2,
    streams: [{ status: "open", seq: 2, model: text("1") }],
  },
  {
    name: "every kind of event queues, also start and end",
    steps: [
      start(text("")),
      pause(),
      failure(2, { code: "c", message: "m" }),
      end(3),
      start(text("new"), { seq: 9 }),
      ping(9),
      append(10, "x", "!"),
      state("", { status: "open", seq: 1, queued: 5, content: "" }),
      resume("", 5),
    ],
    applied: 6,
    streams: [{ status: "open", seq: 10, version: 4, model: text("new!") }],
  },
  {
    name: "faults, repetitions and gaps of queued events come on resume, with their own event index",
    options: { onViolation: "skip-event" },
    steps: [
      start(text("")),
      pause(),
      append(1, "x", "again"),
      set(2, { id: 5 }),
      append(4, "x", "1"),
      { op: "nope", seq: 5 },
      call("nothing is reported yet", (fold, label) =>
        expect([fold.errors, fold.warnings, fold.gaps], label).toEqual([[], [], []]),
      ),
      resume("", 1),
    ],
    applied: 2,
    errors: [
      { code: "bad_block", path: "/block/id", streamId: "", seq: 2, eventIndex: 2 },
      { code: "unknown_op", path: "/op", streamId: "", eventIndex: 4 },
    ],
    warnings: [{ code: "duplicate_seq", path: "/seq", streamId: "", seq: 1, eventIndex: 1 }],
    gaps: [{ streamId: "", op: "append", lastSeq: 1, seq: 4, eventIndex: 3 }],
    streams: [{ status: "open", seq: 4, model: text("1") }],
  },
  {
    name: "a queued fault refuses the stream on resume, and what is queued behind it is dropped",
    steps: [
      start(text("")),
      pause(),
      append(2, "x", "1"),
      append(3, "x", 5),
      append(4, "x", "2"),
      resume("", 1),
      append(5, "x", "3"),
    ],
    applied: 2,
    errors: [{ code: "bad_field", path: "/block/content", eventIndex: 2 }],
    streams: [{ status: "refused", seq: 2, model: text("1") }],
  },
  {
    name: "undecodable messages and ones without a route fail at once",
    steps: [start(text("")), pause(), append(2, "x", "1"), '{"stream_id":5}', resume("", 1)],
    applied: 2,
    errors: [{ code: "not_an_event", path: "/stream_id", eventIndex: 2 }],
    streams: [{ status: "open", seq: 2, model: text("1") }],
  },
  {
    name: "reconnect, load, materialize and pause do not disturb each other",
    steps: [
      start(modelOf(X, { id: "r", ref: "k" })),
      pause(),
      append(2, "r", "!"),
      call("materialize while paused", (fold) => fold.reducer.materialize({ id: "r", type: "t", content: "body" })),
      call("reconnect while paused", (fold) => fold.reconnect()),
      resume("", 1),
    ],
    applied: 2,
    streams: [{ status: "open", seq: 2, version: 3, model: modelOf(X, { id: "r", type: "t", content: "body!" }) }],
  },
  {
    name: "release forgets the queue",
    steps: [
      start(text("")),
      pause(),
      append(2, "x", "1"),
      call("release", (fold) => fold.reducer.release()),
      resume("", 0),
      start(text("")),
      append(2, "x", "a"),
    ],
    applied: 3,
    streams: [{ status: "open", seq: 2, version: 2, model: text("a") }],
  },
  {
    name: "keepEnded: a stream that ends on resume is released, and what is queued behind its end is judged as ever",
    options: { keepEnded: 0 },
    steps: [
      start(text("")),
      pause(),
      end(2),
      append(3, "x", "late"),
      start(text("new")),
      append(2, "x", "!"),
      resume("", 3),
      append(3, "x", "?"),
    ],
    applied: 5,
    errors: [{ code: "no_model", streamId: "", seq: 3, eventIndex: 2 }],
    streams: [{ status: "open", seq: 3, version: 3, model: text("new!?") }],
  },
  {
    name: "keepEnded: a stream that its queue has opened anew is refused where the queue has lost an event",
    options: { keepEnded: 0, limits: { queuedBytes: 300 } },
    steps: [
      start(text("")),
      pause(),
      end(2),
      start(text("new")),
      append(2, "x", "?".repeat(300)),
      resume("", 2),
      append(3, "x", "!"),
    ],
    applied: 3,
    errors: [{ code: "limit", path: "/stream_id", seq: 2, eventIndex: 3 }],
    streams: [{ status: "refused", seq: 1, version: 1, model: text("new") }],
  },
  {
    name: "finish does not wait for a queue",
    steps: [start(text("")), pause(), end(2)],
    applied: 1,
    streams: [{ status: "open", seq: 1 }],
    finish: "truncated",
  },
];

const message = (i: number): Record<string, unknown> => append(2 + i, "x", `${i}`);
const SIZE = JSON.stringify(message(0)).length;

const QUEUE: Case[] = [
  {
    name: "queuedBytes: exactly full",
    plain: true,
    options: { limits: { queuedBytes: 3 * SIZE } },
    steps: [
      start(text("")),
      pause(),
      message(0),
      message(1),
      message(2),
      resume("", 3),
      pause(),
      message(3),
      message(4),
      message(5),
      resume("", 3),
    ],
    applied: 7,
    streams: [{ status: "open", seq: 7, model: text("012345") }],
  },
  {
    name: "queuedBytes: one byte short; what was queued is applied, the rest is lost and the stream ends up refused",
    plain: true,
    options: { limits: { queuedBytes: 3 * SIZE - 1 } },
    steps: [start(text("")), pause(), message(0), message(1), message(2), message(3), resume("", 2), message(4)],
    applied: 3,
    errors: [{ code: "limit", path: "/stream_id", streamId: "", seq: 4, eventIndex: 3 }],
    streams: [{ status: "refused", seq: 3, model: text("01") }],
  },
  {
    name: "queuedBytes: a smaller message may still fit where a violation only skips",
    plain: true,
    options: { limits: { queuedBytes: 2 * SIZE + 30 }, onViolation: "skip-event" },
    steps: [start(text("")), pause(), message(0), message(1), message(2), ping(9), resume("", 3), message(3)],
    applied: 5,
    errors: [{ code: "limit", path: "/stream_id", streamId: "", eventIndex: 3 }],
    gaps: [
      { streamId: "", op: "ping", lastSeq: 3, seq: 9, eventIndex: 4 },
      { streamId: "", op: "append", lastSeq: 3, seq: 5, eventIndex: 5 },
    ],
    streams: [{ status: "open", seq: 5, model: text("013") }],
  },
  {
    name: "queuedBytes: a later start opens a stream again that lost events",
    plain: true,
    options: { limits: { queuedBytes: SIZE } },
    steps: [start(text("")), pause(), message(0), message(1), resume("", 1), start(text("new")), ping(1)],
    applied: 4,
    errors: [{ code: "limit", path: "/stream_id", eventIndex: 2 }],
    streams: [{ status: "open", seq: 1, model: text("new") }],
  },
  {
    name: "queuedBytes: each stream has its own queue",
    plain: true,
    options: { limits: { queuedBytes: JSON.stringify(append(2, "x", "0", on("p"))).length } },
    steps: [
      start(text(""), on("p")),
      start(text(""), on("q")),
      pause("p"),
      pause("q"),
      append(2, "x", "0", on("p")),
      append(2, "x", "0", on("q")),
      resume("p", 1),
      resume("q", 1),
    ],
    applied: 4,
    streams: [
      { streamId: "p", status: "open", seq: 2 },
      { streamId: "q", status: "open", seq: 2 },
    ],
  },
];

/** `load` that must succeed, or fail with this code and path and change nothing. */
function load(
  model: unknown,
  fault?: { code: string; path?: string },
  options: { seq?: number; streamId?: string } = {},
): Call {
  return call(`load ${JSON.stringify(model).slice(0, 60)}`, (fold, label) => {
    const before = fold.fingerprint();
    const error = thrown(() => fold.reducer.load(model, options));
    expect(error && { code: error.code, path: error.path }, label).toEqual(
      fault === undefined ? undefined : { path: undefined, ...fault },
    );
    if (fault !== undefined) expect(fold.fingerprint(), `${label}: left a trace`).toBe(before);
  });
}

const LOAD: Case[] = [
  {
    name: "load counts as start",
    steps: [load(MODEL, undefined, { seq: 3 }), append(4, "a", "!"), end(5)],
    applied: 2,
    streams: [
      {
        status: "ended",
        seq: 5,
        version: 2,
        model: modelWith({ block: { id: "a", type: "text", content: "Hello!" } }),
      },
    ],
    finish: "complete",
  },
  {
    name: "load replaces a model, opens an ended and a refused stream, and version goes on",
    steps: [
      start(text("1")),
      append(2, "x", "2"),
      end(3),
      load(text("a"), undefined, { seq: 1 }),
      append(2, "x", "b"),
      set(3, { id: 5 }),
      load(text("c"), undefined, { seq: 7 }),
      append(8, "x", "d"),
    ],
    applied: 5,
    errors: [{ code: "bad_block", path: "/block/id", eventIndex: 4 }],
    streams: [{ status: "open", seq: 8, version: 6, model: text("cd") }],
  },
  {
    name: "load as text and as bytes",
    steps: [
      call("bytes", (fold) =>
        fold.reducer.load(utf8(' {"version":"1.1","biz":"\\u0062","meta":{"n":1.10},"blocks":[ ]} '), {
          streamId: "p",
          seq: 0,
        }),
      ),
      call("text", (fold) => fold.reducer.load(JSON.stringify(MODEL), { streamId: "q", format: "json" })),
      append(1, "a", "x", on("q")),
    ],
    applied: 1,
    streams: [
      {
        streamId: "p",
        status: "open",
        seq: 0,
        version: 1,
        model: '{"version":"1.1","biz":"b","meta":{"n":1.1},"blocks":[]}',
      },
      {
        streamId: "q",
        status: "open",
        seq: 1,
        version: 2,
        model: modelWith({ block: { id: "a", type: "text", content: "Hellox" } }),
      },
    ],
  },
  {
    name: "the caller's object is not changed, and later changes of it do not reach the model",
    steps: [
      call("load", (fold, label) => {
        const model = { ...structuredClone(MODEL), meta: { list: [1] } };
        const copy = structuredClone(model);
        fold.reducer.load(model, { seq: 1 });
        model.meta.list.push(2);
        model.blocks.length = 0;
        expect(copy.blocks.length, label).toBe(4);
      }),
      append(2, "a", "!"),
    ],
    applied: 1,
    streams: [
      {
        status: "open",
        seq: 2,
        version: 2,
        model: { ...modelWith({ block: { id: "a", type: "text", content: "Hello!" } }), meta: { list: [1] } },
      },
    ],
  },
  {
    name: "faults of the model have paths into it and change nothing",
    steps: [
      load({}, { code: "bad_model", path: "/version" }),
      load(5, { code: "bad_model", path: "" }),
      start(text("1")),
      load([], { code: "bad_model", path: "" }),
      load({ ...MODEL, biz: "" }, { code: "bad_model", path: "/biz" }),
      load({ ...MODEL, meta: { task_id: 1 } }, { code: "bad_model", path: "/meta/task_id" }),
      load({ ...MODEL, meta: { error: { code: 1 } } }, { code: "bad_model", path: "/meta/error/code" }),
      load({ ...MODEL, blocks: {} }, { code: "bad_model", path: "/blocks" }),
      load({ ...MODEL, blocks: [5] }, { code: "bad_block", path: "/blocks/0" }),
      load(modelOf(X, { id: "y" }), { code: "bad_block", path: "/blocks/1/type" }),
      load(modelOf(X, X), { code: "duplicate_id", path: "/blocks/1/id" }),
      load({ ...modelOf({ id: "r", ref: "k" }), version: "1.0" }, { code: "bad_block", path: "/blocks/0/ref" }),
      load({ ...MODEL, biz: 1 }, { code: "bad_model", path: "/biz" }, { streamId: "new" }),
      ping(1),
    ],
    applied: 2,
    streams: [{ status: "open", seq: 1, version: 1, model: text("1") }],
  },
  {
    name: "text that is no JSON is thrown and not sticky",
    steps: [
      call("load", (fold, label) => {
        expect(
          thrown(() => fold.reducer.load("{")),
          label,
        ).toMatchObject({ code: "bad_json" });
        expect(
          thrown(() => fold.reducer.load(utf8("\u0000"))),
          label,
        ).toMatchObject({ code: "bad_json" });
        expect(
          thrown(() => fold.reducer.load(Uint8Array.of(0x22, 0xff, 0x22))),
          label,
        ).toMatchObject({ code: "invalid_utf8" });
        expect(
          thrown(() => fold.reducer.materialize("{]")),
          label,
        ).toMatchObject({ code: "bad_json" });
      }),
      start(text("1")),
    ],
    applied: 1,
    streams: [{ status: "open", seq: 1 }],
  },
  {
    name: "values that JSON cannot express",
    steps: [
      start(text("1")),
      call("not_json", (fold, label) => {
        const circular: Record<string, unknown> = { ...MODEL };
        circular.meta = circular;
        const models: unknown[] = [
          { ...MODEL, meta: { n: Number.NaN } },
          { ...MODEL, meta: { n: Number.POSITIVE_INFINITY } },
          circular,
        ];
        for (const model of models)
          expect(
            thrown(() => fold.reducer.load(model, { streamId: "n" })),
            label,
          ).toMatchObject({ code: "not_json", scope: "usage" });
        expect(
          thrown(() => fold.reducer.apply({ op: "ping", seq: Number.NaN })),
          label,
        ).toMatchObject({ code: "not_json" });
        expect(
          thrown(() => fold.reducer.apply({ op: "ping", seq: 1, ts: Symbol("x") })),
          label,
        ).toMatchObject({ code: "not_json" });
        expect(fold.reducer.streamIds(), label).toEqual([""]);
      }),
      ping(1),
    ],
    applied: 2,
    streams: [{ status: "open", seq: 1, version: 1 }],
  },
];

contract("pausing and loading", [...PAUSE, ...QUEUE, ...LOAD]);
