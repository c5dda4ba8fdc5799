import { expect } from "vitest";
import { thrown } from "../support/fold.js";
import { append, call, end, MODEL, modelOf, modelWith, ping, set, setBlock, setMeta, start } from "./base.js";
import { type Call, type Case, contract } from "./runner.js";

// AgentUE §3.4, §3.5 and docs/semantics.md §3 step 8, §5: references and `materialize`.

/** `materialize` that must succeed, or fail with this code and path. */
function materialize(block: unknown, fault?: { code: string; path?: string; message?: RegExp }, streamId = ""): Call {
  return call(`materialize ${JSON.stringify(block)}`, (fold, label) => {
    const before = fold.fingerprint();
    const error = thrown(() => fold.reducer.materialize(block, { streamId }));
    if (fault === undefined) expect(error, label).toBeUndefined();
    else {
      expect({ code: error?.code, path: error?.path }, label).toEqual({ code: fault.code, path: fault.path });
      expect(error?.scope, label).toBe("stream");
      if (fault.message !== undefined)
        expect(() => fold.reducer.materialize(block, { streamId }), label).toThrow(fault.message);
      expect(fold.fingerprint(), `${label}: left a trace`).toBe(before);
    }
  });
}

const BODY = { id: "r", type: "text", content: "body" };

const UNRESOLVED: Case[] = [
  {
    name: "a field patch of a reference is refused alone, seq does not move, and the event may come again",
    steps: [
      start(),
      append(2, "r", "x"),
      setBlock(2, "block.content", { id: "r", content: "y" }),
      ping(1),
      materialize(BODY),
      append(2, "r", "!"),
      end(3),
    ],
    applied: 4,
    errors: [
      { code: "unresolved_reference", path: "/block", streamId: "", seq: 2, eventIndex: 1 },
      { code: "unresolved_reference", path: "/block", streamId: "", seq: 2, eventIndex: 2 },
    ],
    streams: [
      { status: "ended", seq: 3, version: 3, model: modelWith({ block: { id: "r", type: "text", content: "body!" } }) },
    ],
    finish: "complete",
  },
  {
    name: "an append that could insert its payload is refused at a reference too",
    steps: [start(), { op: "append", seq: 2, mask: "block.content", block: { id: "r", type: "text", content: "x" } }],
    applied: 1,
    errors: [{ code: "unresolved_reference", path: "/block", eventIndex: 1 }],
    streams: [{ status: "open", seq: 1, version: 1, model: MODEL }],
  },
  {
    name: "no gap is reported for an event that an unresolved reference refuses",
    steps: [start(), append(5, "r", "x"), set(6, { id: "n", type: "t" })],
    applied: 2,
    errors: [{ code: "unresolved_reference", path: "/block", eventIndex: 1 }],
    gaps: [{ streamId: "", op: "set", lastSeq: 1, seq: 6, eventIndex: 2 }],
    streams: [{ status: "open", seq: 6, version: 2 }],
  },
  {
    name: "meta and other blocks need no resolution",
    steps: [start(), setMeta(2, "meta.x", { x: 1 }), append(3, "a", "!")],
    applied: 3,
    streams: [
      {
        status: "open",
        seq: 3,
        model: modelWith({ meta: { x: 1 }, block: { id: "a", type: "text", content: "Hello!" } }),
      },
    ],
  },
  {
    name: "a whole set replaces a reference without resolution",
    steps: [start(), set(2, BODY), append(3, "r", "!")],
    applied: 3,
    streams: [{ status: "open", seq: 3, model: modelWith({ block: { ...BODY, content: "body!" } }) }],
  },
];

const CARRIES = { code: "bad_block", message: /must not carry a reference/ };

const MATERIALIZE: Case[] = [
  {
    name: "the body takes the reference's place; version grows, seq does not",
    steps: [start(), materialize({ ...BODY, extra: { deep: [1] } })],
    applied: 1,
    streams: [{ status: "open", seq: 1, version: 2, model: modelWith({ block: { ...BODY, extra: { deep: [1] } } }) }],
  },
  {
    name: "faults of the body, in order, none of which refuses the stream",
    steps: [
      start(),
      materialize(5, { code: "bad_block", path: "" }),
      materialize([], { code: "bad_block", path: "" }),
      materialize({}, { code: "bad_block", path: "/id" }),
      materialize({ id: "", type: "t" }, { code: "bad_block", path: "/id" }),
      materialize({ id: "r" }, { code: "bad_block", path: "/type" }),
      materialize({ id: "r", type: "" }, { code: "bad_block", path: "/type" }),
      materialize({ id: "r", type: "t", parent_id: 1 }, { code: "bad_block", path: "/parent_id" }),
      materialize({ id: "r", type: "t", group_id: [] }, { code: "bad_block", path: "/group_id" }),
      materialize({ id: "r", ref: "k" }, { ...CARRIES, path: "/ref" }),
      materialize({ id: "r", type: "t", ref: null }, { ...CARRIES, path: "/ref" }),
      materialize({ id: "nobody", type: "t" }, { code: "missing_block", path: "/id" }),
      materialize({ id: "a", type: "t" }, { code: "bad_block", path: "/id" }),
      ping(1),
      materialize(BODY),
      materialize(BODY, { code: "bad_block", path: "/id" }),
      ping(1),
    ],
    applied: 3,
    streams: [{ status: "open", seq: 1, version: 2, model: modelWith({ block: BODY }) }],
  },
  {
    name: "without a model",
    steps: [
      materialize(BODY, { code: "no_model" }),
      start(undefined, { stream_id: "s" }),
      materialize(BODY, { code: "no_model" }),
      materialize(BODY, undefined, "s"),
    ],
    applied: 1,
    streams: [{ streamId: "s", status: "open", seq: 1, version: 2, model: modelWith({ block: BODY }) }],
  },
  {
    name: "the body's own faults come before the state of the stream",
    steps: [materialize({ id: "r" }, { code: "bad_block", path: "/type" })],
    applied: 0,
    streams: [],
  },
  {
    name: "in every status the model stays workable",
    steps: [
      start(modelOf({ id: "r", ref: "1" }, { id: "s", ref: "2" })),
      end(2),
      materialize({ id: "r", type: "t" }),
      set(3, { id: 5 }),
      materialize({ id: "s", type: "t" }),
    ],
    applied: 2,
    errors: [{ code: "bad_block", path: "/block/id", eventIndex: 2 }],
    streams: [
      { status: "refused", seq: 2, version: 3, model: modelOf({ id: "r", type: "t" }, { id: "s", type: "t" }) },
    ],
  },
  {
    name: "numbers of the body keep their digits when it comes as text",
    steps: [
      start(),
      call("materialize from text", (fold) =>
        fold.reducer.materialize(new TextEncoder().encode('{"id":"r","type":"t","n":9007199254740993}')),
      ),
    ],
    applied: 1,
    streams: [
      {
        status: "open",
        model: JSON.stringify(MODEL).replace('{"id":"r","ref":"key"}', '{"id":"r","type":"t","n":9007199254740993}'),
      },
    ],
  },
];

const VERSION_1_0: Case[] = [
  {
    name: "a model of version 1.0 keeps its version and folds the same",
    steps: [
      start({ version: "1.0", biz: "b", meta: {}, blocks: [{ id: "x", type: "t", content: "1" }] }),
      append(2, "x", "2"),
      setMeta(3, "meta.y", { y: 1 }),
    ],
    applied: 3,
    streams: [
      {
        status: "open",
        seq: 3,
        model: { version: "1.0", biz: "b", meta: { y: 1 }, blocks: [{ id: "x", type: "t", content: "12" }] },
      },
    ],
  },
];

contract("references", [...UNRESOLVED, ...MATERIALIZE, ...VERSION_1_0]);
