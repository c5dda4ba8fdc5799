import { expect } from "vitest";
import { append, call, end, MODEL, modelOf, ping, set, start } from "./base.js";
import { type Case, contract, type ExpectedStream } from "./runner.js";

// AgentUE §4.2: streams are independent; ids are opaque strings.

const X = { id: "x", type: "t", content: "" };
const on = (streamId: string) => ({ stream_id: streamId });
const stream = (streamId: string, text: string, more: Partial<ExpectedStream> = {}): ExpectedStream => ({
  streamId,
  status: "open",
  model: modelOf({ ...X, content: text }),
  ...more,
});

const INDEPENDENT: Case[] = [
  {
    name: "the same seq and block ids in different streams do not meet",
    steps: [
      start(modelOf(X), on("p")),
      start(modelOf(X), on("q")),
      start(modelOf(X)),
      append(2, "x", "p", on("p")),
      append(2, "x", "q", on("q")),
      append(2, "x", "u"),
      append(3, "x", "p", on("p")),
      end(3, on("q")),
    ],
    applied: 8,
    streams: [
      stream("p", "pp", { seq: 3, version: 3 }),
      stream("q", "q", { seq: 3, version: 2, status: "ended" }),
      stream("", "u", { seq: 2, version: 2 }),
    ],
    finish: "truncated",
  },
  {
    name: "a violation on one stream never touches another",
    steps: [
      start(modelOf(X), on("p")),
      start(modelOf(X), on("q")),
      append(2, "x", 5, on("p")),
      append(2, "x", "q", on("q")),
      append(3, "x", "p", on("p")),
      append(3, "nobody", "q", on("q")),
      append(2, "x", "u"),
      start(modelOf(X), on("p")),
      append(2, "x", "again", on("p")),
      end(3, on("p")),
    ],
    applied: 6,
    errors: [
      { code: "bad_field", path: "/block/content", streamId: "p", seq: 2, eventIndex: 2 },
      { code: "bad_block", path: "/block/type", streamId: "q", seq: 3, eventIndex: 5 },
      { code: "no_model", streamId: "", seq: 2, eventIndex: 6 },
    ],
    streams: [stream("p", "again", { status: "ended", seq: 3 }), stream("q", "q", { status: "refused", seq: 2 })],
    finish: "truncated",
  },
  {
    name: "the unnamed stream is no wildcard",
    steps: [start(modelOf(X), on("p")), append(2, "x", "a"), ping(1, on("p")), ping(1)],
    applied: 2,
    errors: [
      { code: "no_model", streamId: "", eventIndex: 1 },
      { code: "no_model", streamId: "", eventIndex: 3 },
    ],
    streams: [stream("p", "", { seq: 1 })],
  },
  {
    name: "complete when every stream has ended",
    steps: [start(modelOf(X), on("p")), start(modelOf(X), on("q")), end(2, on("q")), end(2, on("p"))],
    applied: 4,
    streams: [stream("p", "", { status: "ended" }), stream("q", "", { status: "ended" })],
    finish: "complete",
  },
  {
    name: "a restarted stream keeps its place in the order of opening",
    steps: [start(modelOf(X), on("p")), start(modelOf(X), on("q")), end(1, on("p")), start(modelOf(X), on("p"))],
    applied: 4,
    streams: [stream("p", "", { version: 2 }), stream("q", "")],
    finish: "truncated",
  },
  {
    name: "a released stream is gone and begins anew at the end",
    steps: [
      start(modelOf(X), on("p")),
      start(modelOf(X), on("q")),
      append(2, "x", "1", on("p")),
      call("release", (fold, label) => {
        expect(fold.reducer.release({ streamId: "p" }), label).toBe(true);
        expect(fold.reducer.release({ streamId: "p" }), label).toBe(false);
        expect(fold.reducer.release({ streamId: "never" }), label).toBe(false);
        expect(fold.reducer.status({ streamId: "p" }), label).toBe("none");
        expect(fold.reducer.seq({ streamId: "p" }), label).toBeUndefined();
        expect(fold.reducer.snapshot({ streamId: "p" }), label).toBeUndefined();
      }),
      append(3, "x", "2", on("p")),
      start(modelOf(X), on("p")),
      append(2, "x", "3", on("p")),
    ],
    applied: 5,
    errors: [{ code: "no_model", streamId: "p", eventIndex: 3 }],
    streams: [stream("q", "", { version: 1 }), stream("p", "3", { seq: 2, version: 2 })],
    finish: "truncated",
  },
  {
    name: "keepEnded releases the stream that ended first",
    options: { keepEnded: 2 },
    steps: [
      ...["p", "q", "r", "s"].map((id) => start(modelOf(X), on(id))),
      end(2, on("r")),
      end(2, on("p")),
      end(2, on("s")),
      append(2, "x", "q", on("q")),
      end(3, on("q")),
    ],
    applied: 9,
    streams: [stream("q", "q", { status: "ended" }), stream("s", "", { status: "ended" })],
    finish: "complete",
  },
  {
    name: "keepEnded: 0 keeps none",
    options: { keepEnded: 0 },
    steps: [start(modelOf(X), on("p")), end(2, on("p")), ping(2, on("p"))],
    applied: 2,
    errors: [{ code: "no_model", streamId: "p", eventIndex: 2 }],
    streams: [],
  },
  {
    name: "keepEnded: a stream that starts again does not count as ended",
    options: { keepEnded: 1 },
    steps: [
      start(modelOf(X), on("p")),
      start(modelOf(X), on("q")),
      start(modelOf(X), on("r")),
      end(2, on("p")),
      start(modelOf(X), on("p")),
      end(2, on("q")),
      end(2, on("p")),
    ],
    applied: 7,
    streams: [stream("p", "", { status: "ended" }), stream("r", "")],
  },
];

const IDS = [
  "",
  " ",
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "toString",
  "0",
  "10",
  "-1",
  "null",
  'a"b',
  "a\\b",
  "a/b~c",
  "line\nbreak",
  "\u0000",
  "\u0001\u001f",
  "é",
  "e\u0301",
  "中文",
  "😀",
  "\ud83d",
  "\ude00",
  "\ude00\ud83d",
  "\ufeff",
  "\u2028",
  "x".repeat(1000),
  "x".repeat(1001),
  "data: x",
];

const NAMES: Case[] = [
  {
    name: "odd stream ids are all different and come back as they were",
    steps: [
      ...IDS.map((id) => start(modelOf(X), on(id))),
      ...IDS.map((id, i) => append(2, "x", `${i}`, on(id))),
      call("each can be asked for", (fold, label) => {
        IDS.forEach((streamId, i) => {
          expect(fold.reducer.status({ streamId }), `${label}: ${JSON.stringify(streamId)}`).toBe("open");
          expect(fold.reducer.snapshot({ streamId }), `${label}: ${JSON.stringify(streamId)}`).toEqual(
            modelOf({ ...X, content: `${i}` }),
          );
        });
        for (const streamId of ["valueOf", "\ufffd", "x".repeat(999), "1", "É"]) {
          expect(fold.reducer.status({ streamId }), `${label}: ${JSON.stringify(streamId)}`).toBe("none");
        }
      }),
    ],
    applied: 2 * IDS.length,
    streams: IDS.map((id, i) => stream(id, `${i}`, { seq: 2 })),
  },
  {
    name: "odd block ids are all different",
    steps: [
      start(modelOf()),
      ...IDS.slice(1).map((id, i) => set(2 + i, { id, type: "t", content: "" })),
      ...IDS.slice(1).map((id, i) => append(2 + IDS.length + i, id, `${i}`)),
    ],
    applied: 2 * IDS.length - 1,
    gaps: [{ streamId: "", op: "append", lastSeq: IDS.length, seq: IDS.length + 2, eventIndex: IDS.length }],
    streams: [{ status: "open", model: modelOf(...IDS.slice(1).map((id, i) => ({ id, type: "t", content: `${i}` }))) }],
  },
  {
    name: "two spellings of one stream id",
    steps: [
      '{"op":"start","seq":1,"stream_id":"\\u0073\\ud83d\\ude00\\/","model":{"version":"1.1","biz":"b","meta":{},"blocks":[]}}',
      ping(1, on("s😀/")),
      '{"stream_id":"s\\uD83D\\uDE00/","op":"end","seq":1}',
    ],
    applied: 3,
    streams: [{ streamId: "s😀/", status: "ended" }],
    finish: "complete",
  },
  {
    name: "hundreds of unknown stream ids before start create nothing",
    steps: Array.from({ length: 300 }, (_, i) => append(1, "x", "a", on(`hostile-${i}`))),
    applied: 0,
    errors: Array.from(
      { length: 300 },
      (_, i) => ({ code: "no_model", streamId: `hostile-${i}`, eventIndex: i }) as const,
    ),
    streams: [],
  },
  {
    name: "sixty-four streams interleaved",
    steps: [
      ...Array.from({ length: 64 }, (_, i) => start(modelOf(X), on(`s${i}`))),
      ...Array.from({ length: 640 }, (_, i) =>
        append(2 + Math.floor(i / 64), "x", `${Math.floor(i / 64)}`, on(`s${i % 64}`)),
      ),
    ],
    applied: 704,
    streams: Array.from({ length: 64 }, (_, i) => stream(`s${i}`, "0123456789", { seq: 11 })),
  },
  {
    name: "the whole model of one stream among others",
    steps: [start(MODEL, on("p")), start(modelOf(), on("q"))],
    applied: 2,
    streams: [
      { streamId: "p", status: "open", model: MODEL },
      { streamId: "q", status: "open", model: modelOf() },
    ],
  },
];

contract("multiplexing", [...INDEPENDENT, ...NAMES]);
