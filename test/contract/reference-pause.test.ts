import { expect } from "vitest";
import { thrown } from "../support/fold.js";
import { append, call, end, modelOf, ping, set, setBlock, setMeta, start } from "./base.js";
import { type Call, type Case, contract } from "./runner.js";

// docs/semantics.md §3 step 8 and §5: `unresolved: "pause"`.

const R = { id: "r", ref: "key" };
const X = { id: "x", type: "t", content: "" };
const BODY = { id: "r", type: "text", content: "body" };
const OPTIONS = { unresolved: "pause" } as const;
const on = (streamId: string) => ({ stream_id: streamId });
const withBody = (content: string, ...more: object[]) => modelOf(X, { ...BODY, content }, ...more);

function materialize(block: object, options: { streamId?: string; id?: string } = {}, fault?: object): Call {
  return call(`materialize ${JSON.stringify(block)}`, (fold, label) => {
    const before = fold.fingerprint();
    const error = thrown(() => fold.reducer.materialize(block, options));
    if (fault === undefined) expect(error, label).toBeUndefined();
    else {
      expect(error, label).toMatchObject(fault);
      expect(fold.fingerprint(), `${label}: left a trace`).toBe(before);
    }
  });
}

function resume(applied: number, streamId = "", skip = false): Call {
  return call("resume", (fold, label) => expect(fold.resume(streamId, skip), label).toBe(applied));
}

/** What the stream waits for, and what is queued. */
function waits(reference: { id: string; ref: string } | undefined, queued: number, streamId = ""): Call {
  return call("waits", (fold, label) => {
    const told = fold.reducer.unresolved({ streamId });
    expect(told && { id: told.id, ref: told.ref, biz: told.biz }, label).toEqual(
      reference && { ...reference, biz: "chat" },
    );
    expect(fold.reducer.stats({ streamId }).queued, label).toBe(queued);
  });
}

const CASES: Case[] = [
  {
    name: "a patch of a reference pauses its stream within the chunk, and is the first that waits",
    options: OPTIONS,
    everyCut: true,
    steps: [
      start(modelOf(X, R)),
      append(2, "x", "1"),
      append(3, "r", "a"),
      append(4, "x", "2"),
      append(5, "r", "b"),
      waits({ id: "r", ref: "key" }, 3),
      call("seq claims nothing", (fold, label) => expect(fold.reducer.seq(), label).toBe(2)),
      materialize(BODY, { id: "r" }),
      waits(undefined, 3),
      append(6, "x", "3"),
      resume(4),
      append(7, "r", "c"),
      end(8),
    ],
    applied: 8,
    pauses: [{ streamId: "", id: "r", ref: "key", seq: 3, eventIndex: 2 }],
    streams: [
      {
        status: "ended",
        seq: 8,
        version: 8,
        model: modelOf({ ...X, content: "123" }, { ...BODY, content: "bodyabc" }),
      },
    ],
    finish: "complete",
  },
  {
    name: "a set of a field waits as well; meta, other blocks and a whole set do not",
    options: OPTIONS,
    steps: [
      start(modelOf(X, R)),
      setMeta(2, "meta.x", { x: 1 }),
      append(3, "x", "1"),
      set(4, { id: "r", ref: "other" }),
      setBlock(5, "block.tool.status", { id: "r", tool: { status: "done" } }),
      waits({ id: "r", ref: "other" }, 1),
      materialize(BODY),
      resume(1),
    ],
    applied: 5,
    pauses: [{ id: "r", ref: "other", seq: 5, eventIndex: 4 }],
    streams: [
      {
        status: "open",
        seq: 5,
        model: { ...modelOf({ ...X, content: "1" }, { ...BODY, tool: { status: "done" } }), meta: { x: 1 } },
      },
    ],
  },
  {
    name: "other streams go on, each waits for itself",
    options: OPTIONS,
    steps: [
      start(modelOf(X, R), on("p")),
      start(modelOf(X, R), on("q")),
      append(2, "r", "1", on("p")),
      append(2, "x", "2", on("q")),
      append(3, "r", "3", on("q")),
      materialize(BODY, { streamId: "q" }),
      resume(1, "q"),
      append(4, "x", "4", on("q")),
      waits({ id: "r", ref: "key" }, 1, "p"),
    ],
    applied: 5,
    pauses: [
      { streamId: "p", seq: 2 },
      { streamId: "q", seq: 3 },
    ],
    streams: [
      { streamId: "p", status: "open", seq: 1, model: modelOf(X, R) },
      { streamId: "q", status: "open", seq: 4, model: modelOf({ ...X, content: "24" }, { ...BODY, content: "body3" }) },
    ],
  },
  {
    name: "on resume the next reference pauses again, before what stands behind it; without a body the same one does",
    options: OPTIONS,
    steps: [
      start(modelOf(X, R, { id: "s", ref: "key" })),
      append(2, "r", "1"),
      append(3, "s", "2"),
      append(4, "x", "3"),
      resume(0),
      materialize(BODY),
      resume(1),
      waits({ id: "s", ref: "key" }, 2),
      materialize({ ...BODY, id: "s" }),
      resume(2),
    ],
    applied: 4,
    pauses: [
      { id: "r", seq: 2, eventIndex: 1 },
      { id: "r", seq: 2, eventIndex: 1 },
      { id: "s", seq: 3, eventIndex: 2 },
    ],
    streams: [
      {
        status: "open",
        seq: 4,
        model: modelOf({ ...X, content: "3" }, { ...BODY, content: "body1" }, { ...BODY, id: "s", content: "body2" }),
      },
    ],
  },
  {
    name: "resume with skip refuses the first event alone",
    options: OPTIONS,
    steps: [
      start(modelOf(X, R)),
      append(2, "r", "lost"),
      append(3, "x", "1"),
      append(4, "r", "a"),
      append(5, "x", "2"),
      resume(1, "", true),
      waits({ id: "r", ref: "key" }, 2),
      materialize(BODY),
      resume(2),
    ],
    applied: 4,
    errors: [{ code: "unresolved_reference", path: "/block", streamId: "", seq: 2, eventIndex: 1 }],
    gaps: [{ streamId: "", op: "append", lastSeq: 1, seq: 3, eventIndex: 2 }],
    pauses: [{ seq: 2 }, { seq: 4 }],
    streams: [{ status: "open", seq: 5, model: modelOf({ ...X, content: "12" }, { ...BODY, content: "bodya" }) }],
  },
  {
    name: "a start takes the place of what waits",
    options: OPTIONS,
    steps: [
      start(modelOf(X, R)),
      append(2, "r", "a"),
      append(3, "x", "b"),
      start(modelOf(X, R), { seq: 9 }),
      waits(undefined, 0),
      append(10, "x", "c"),
      call("dropped", (fold, label) => {
        expect(fold.reducer.stats({ streamId: "" }).dropped, label).toBe(2);
        expect(fold.reducer.stats().dropped, label).toBe(2);
      }),
    ],
    applied: 3,
    pauses: [{ seq: 2 }],
    streams: [{ status: "open", seq: 10, model: modelOf({ ...X, content: "c" }, R) }],
  },
  {
    name: "a malformed start is judged at once; refused, the stream drops what waits on resume",
    options: OPTIONS,
    steps: [
      start(modelOf(X, R)),
      append(2, "r", "a"),
      start({ version: "1.1" }, { seq: 3 }),
      waits({ id: "r", ref: "key" }, 1),
      materialize(BODY),
      resume(0),
    ],
    applied: 1,
    atomic: false,
    errors: [{ code: "bad_model", path: "/model/biz", seq: 3, eventIndex: 2 }],
    pauses: [{ seq: 2 }],
    streams: [{ status: "refused", seq: 1, model: withBody("body") }],
  },
  {
    name: "load, release and reset end the waiting",
    options: OPTIONS,
    steps: [
      start(modelOf(X, R)),
      append(2, "r", "a"),
      call("load", (fold) => fold.reducer.load(withBody("loaded"), { seq: 2 })),
      waits(undefined, 0),
      append(3, "r", "!"),
      start(modelOf(R), { stream_id: "s" }),
      append(2, "r", "a", on("s")),
      call("release", (fold) => fold.reducer.release({ streamId: "s" })),
      resume(0, "s"),
      waits(undefined, 0, "s"),
    ],
    applied: 3,
    pauses: [{ streamId: "" }, { streamId: "s" }],
    streams: [{ status: "open", seq: 3, model: withBody("loaded!") }],
  },
  {
    name: "pause takes over a waiting stream: only resume goes on",
    options: OPTIONS,
    steps: [
      start(modelOf(X, R)),
      append(2, "r", "a"),
      call("pause", (fold) => fold.reducer.pause()),
      waits(undefined, 1),
      start(modelOf(X), { seq: 5 }),
      ping(5),
      waits(undefined, 3),
      materialize(BODY),
      resume(3),
    ],
    applied: 4,
    pauses: [{ seq: 2 }],
    streams: [{ status: "open", seq: 5, model: modelOf(X) }],
  },
  {
    name: "a patch in a queue that was paused by a call waits in its turn",
    options: OPTIONS,
    steps: [
      start(modelOf(X, R)),
      call("pause", (fold) => fold.reducer.pause()),
      append(2, "x", "1"),
      append(3, "r", "a"),
      append(4, "x", "2"),
      waits(undefined, 3),
      resume(1),
      waits({ id: "r", ref: "key" }, 2),
      materialize(BODY),
      resume(2),
    ],
    applied: 4,
    pauses: [{ seq: 3, eventIndex: 2 }],
    streams: [{ status: "open", seq: 4, model: modelOf({ ...X, content: "12" }, { ...BODY, content: "bodya" }) }],
  },
  {
    name: "a stream that is released and opened anew by its queue waits, too",
    options: { ...OPTIONS, keepEnded: 0 },
    steps: [
      start(modelOf(X, R)),
      append(2, "r", "a"),
      end(3),
      call("pause, so that the start is queued", (fold) => fold.reducer.pause()),
      start(modelOf(R), { seq: 1 }),
      append(2, "r", "b"),
      append(3, "r", "c"),
      materialize(BODY),
      resume(3),
      waits({ id: "r", ref: "key" }, 2),
      materialize(BODY),
      resume(2),
    ],
    applied: 6,
    pauses: [{ seq: 2 }, { seq: 2 }],
    streams: [{ status: "open", seq: 3, model: modelOf({ ...BODY, content: "bodybc" }) }],
  },
  {
    name: "materialize with an id refuses another block, also another reference",
    options: OPTIONS,
    steps: [
      start(modelOf(X, R, { id: "s", ref: "k" })),
      materialize({ ...BODY, id: "s" }, { id: "r" }, { code: "bad_block", path: "/id", scope: "stream", streamId: "" }),
      materialize({ ...BODY, id: "s", type: 5 }, { id: "r" }, { code: "bad_block", path: "/type" }),
      materialize({ ...BODY, id: "nobody" }, { id: "r" }, { code: "bad_block", path: "/id" }),
      materialize(BODY, { id: "r" }),
    ],
    applied: 1,
    streams: [{ status: "open", model: withBody("body", { id: "s", ref: "k" }) }],
  },
  {
    name: "unresolved() tells references from everything else, and models apart",
    options: OPTIONS,
    steps: [
      start(modelOf(X, { id: 'é"\\', ref: "k\u0000é" }), { stream_id: "s" }),
      call("look", (fold, label) => {
        const { reducer } = fold;
        const at = (id: string) => reducer.unresolved({ streamId: "s", id });
        const first = at('é"\\');
        expect(first, label).toMatchObject({ id: 'é"\\', ref: "k\u0000é", biz: "chat" });
        expect(
          [at("x"), at("nobody"), reducer.unresolved({ streamId: "s" }), reducer.unresolved({ id: "x" })],
          label,
        ).toEqual(Array(4).fill(undefined));
        fold.reducer.load(fold.reducer.snapshotBytes({ streamId: "s" }), { streamId: "s" });
        expect(at('é"\\')?.generation, label).not.toBe(first?.generation);
        expect(
          thrown(() => reducer.unresolved({ id: "" })),
          label,
        ).toMatchObject({ code: "bad_argument" });
      }),
    ],
    applied: 1,
  },
  {
    name: "the biz is found in whatever order the members of the model come",
    options: OPTIONS,
    steps: [
      '{"op":"start","seq":1,"model":{"blocks":[{"ref":"k","id":"r"}],"x":{"biz":1},"meta":{"biz":"no"},"biz":"chat","version":"1.1"}}',
      append(2, "r", "a"),
      waits({ id: "r", ref: "k" }, 1),
    ],
    applied: 1,
    pauses: [{ id: "r", ref: "k" }],
  },
  {
    name: "a stale seq is judged before the reference",
    options: OPTIONS,
    steps: [start(modelOf(R)), append(1, "r", "a"), waits(undefined, 0)],
    applied: 1,
    warnings: [{ code: "duplicate_seq", path: "/seq" }],
    streams: [{ status: "open", seq: 1, model: modelOf(R) }],
  },
  {
    name: "the body of another reference leaves the stream waiting, so that a start is judged at once",
    options: OPTIONS,
    steps: [
      start(modelOf(X, R, { id: "s", ref: "other" })),
      append(2, "r", "a"),
      materialize({ ...BODY, id: "s" }),
      waits({ id: "r", ref: "key" }, 1),
      start(modelOf(X)),
      waits(undefined, 0),
    ],
    applied: 2,
    pauses: [{ seq: 2 }],
    streams: [{ status: "open", seq: 1, model: modelOf(X) }],
  },
];

const SIZE = JSON.stringify(append(2, "r", "0")).length;

const QUEUE: Case[] = [
  {
    name: "the queue is bounded: what does not fit is lost, the rest is applied, and the stream ends up refused",
    plain: true,
    options: { ...OPTIONS, limits: { queuedBytes: 2 * SIZE } },
    steps: [
      start(modelOf(X, R)),
      append(2, "r", "0"),
      append(3, "r", "1"),
      append(4, "r", "2"),
      append(5, "r", "3"),
      materialize(BODY),
      resume(2),
    ],
    applied: 3,
    errors: [{ code: "limit", path: "/stream_id", streamId: "", seq: 4, eventIndex: 3 }],
    pauses: [{ seq: 2 }],
    streams: [{ status: "refused", seq: 3, model: withBody("body01") }],
  },
  {
    name: "a start ends the waiting of a stream that lost events",
    plain: true,
    options: { ...OPTIONS, limits: { queuedBytes: SIZE } },
    steps: [
      start(modelOf(X, R)),
      append(2, "r", "0"),
      append(3, "r", "1"),
      start(modelOf(X)),
      append(2, "x", "!"),
      call("pause", (fold) => fold.reducer.pause()),
      append(3, "x", "?"),
      waits(undefined, 1),
      resume(1),
    ],
    applied: 4,
    errors: [{ code: "limit", path: "/stream_id", seq: 3, eventIndex: 2 }],
    pauses: [{ seq: 2 }],
    streams: [{ status: "open", seq: 3, model: modelOf({ ...X, content: "!?" }) }],
  },
  {
    name: "a patch that is too long to wait is lost at once",
    plain: true,
    options: { ...OPTIONS, limits: { queuedBytes: SIZE - 1 } },
    steps: [start(modelOf(X, R)), append(2, "r", "0"), append(2, "x", "!")],
    applied: 1,
    errors: [{ code: "limit", path: "/stream_id", streamId: "", seq: 2, eventIndex: 1 }],
    streams: [{ status: "refused", seq: 1, model: modelOf(X, R) }],
  },
];

contract("pausing before references", [...CASES, ...QUEUE]);
