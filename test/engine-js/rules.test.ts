import { describe, expect, it } from "vitest";
import type { EngineSession, Report } from "../../src/engine/contract.js";
import type { Fault } from "../../src/errors.js";
import { apply, bytesOf, faults, model, type Overrides, open, short, snapshotText } from "./support.js";

// docs/semantics.md §3: every row with its code and path, as text and as a value.

const META = { error: null, task_id: "t", trace_id: null, stats: { n: 1 }, s: "text", o: { a: { b: 1 } }, nil: null };
const BLOCKS = [
  { id: "a", type: "text", content: "Hi", list: [1], parent_id: null, o: { x: null, n: 5 }, empty: null },
  { id: "r", ref: "key" },
];

const started = (overrides?: Overrides): EngineSession => {
  const session = open(overrides);
  expect(apply(session, { op: "start", seq: 5, model: model(BLOCKS, META) })).toBeUndefined();
  return session;
};

function applyValue(session: EngineSession, event: unknown): Fault | undefined {
  const reports: Report[] = [];
  session.applyValue!(event, reports);
  return faults(reports)[0];
}

const set = (mask: string, slot: object): object =>
  mask.startsWith("meta")
    ? { op: "set", seq: 6, mask, meta: slot }
    : { op: "set", seq: 6, mask, block: { id: "a", ...slot } };
const appendTo = (block: object, mask = "block.content"): object => ({ op: "append", seq: 6, mask, block });
const startWith = (value: unknown): object => ({ op: "start", seq: 9, model: value });
const block = (value: object): object => ({ op: "set", seq: 6, block: value });

const ROWS: [string, object | string, string][] = [
  // Step 3: envelope members in document order, then the missing ones.
  ["unknown member", { op: "ping", seq: 6, extra: 1 }, "unknown_field /extra"],
  ["unknown member before a bad one", '{"x~/y":1,"op":5}', "unknown_field /x~0~1y"],
  ["bad one before an integer-like name", '{"op":5,"1":1}', "bad_field /op"],
  ["integer-like name first", '{"1":1,"op":5}', "unknown_field /1"],
  ["__proto__ is a member like any other", '{"op":"ping","seq":6,"__proto__":{}}', "unknown_field /__proto__"],
  ["inherited names too", { op: "ping", seq: 6, constructor: 1 }, "unknown_field /constructor"],
  ["op of another type", { op: 1, seq: 6 }, "bad_field /op"],
  ["op null", { op: null, seq: 6 }, "bad_field /op"],
  ["op unknown", { op: "remove", seq: 6 }, "unknown_op /op"],
  ["op inherited", { op: "toString", seq: 6 }, "unknown_op /op"],
  ["seq negative", { op: "ping", seq: -1 }, "bad_field /seq"],
  ["seq fraction", { op: "ping", seq: 1.5 }, "bad_field /seq"],
  ["seq string", { op: "ping", seq: "6" }, "bad_field /seq"],
  ["seq beyond", '{"op":"ping","seq":9007199254740992}', "bad_field /seq"],
  ["seq fraction that a double loses", '{"op":"ping","seq":9007199254740990.4}', "bad_field /seq"],
  [
    "seq tiny",
    '{"op":"append","seq":1e-400,"mask":"block.content","block":{"id":"a","content":"x"}}',
    "bad_field /seq",
  ],
  ["seq at the end", '{"op":"ping","seq":9007199254740991.0}', "ok"],
  ["seq as exponent", '{"op":"ping","seq":1e2}', "ok"],
  ["seq minus zero", '{"op":"ping","seq":-0.0e3}', "ok"],
  ["ts negative", { op: "ping", seq: 6, ts: -1 }, "bad_field /ts"],
  ["ts null", { op: "ping", seq: 6, ts: null }, "bad_field /ts"],
  ["mask null", { op: "ping", seq: 6, mask: null }, "bad_field /mask"],
  ["event_type null", { op: "ping", seq: 6, event_type: null }, "bad_field /event_type"],
  ["model array", { op: "start", seq: 6, model: [] }, "bad_field /model"],
  ["meta null", { op: "ping", seq: 6, meta: null }, "bad_field /meta"],
  ["block string", { op: "set", seq: 6, block: "a" }, "bad_field /block"],
  ["block a number beyond doubles", '{"op":"set","seq":6,"block":1e400}', "bad_field /block"],
  ["missing op before seq", {}, "missing_field /op"],
  ["missing seq", { op: "ping" }, "missing_field /seq"],
  ["repeated member: the last value in the first place", '{"op":5,"x":1,"op":"ping"}', "unknown_field /x"],
  ["repeated member accepted", '{"op":5,"seq":1,"op":"ping","seq":6}', "ok"],

  // Step 4: slots.
  ["start without model", { op: "start", seq: 6 }, "missing_field /model"],
  ["start with mask", { op: "start", seq: 6, mask: "block", model: model() }, "bad_field /mask"],
  ["start with meta", { op: "start", seq: 6, model: model(), meta: {} }, "bad_field /meta"],
  ["start with block", { op: "start", seq: 6, model: model(), block: {} }, "bad_field /block"],
  ["set with model", { op: "set", seq: 6, model: {}, block: {} }, "bad_field /model"],
  ["set with meta", { op: "set", seq: 6, meta: {}, block: {} }, "bad_field /meta"],
  ["set without block", { op: "set", seq: 6 }, "missing_field /block"],
  ["set meta path without meta", { op: "set", seq: 6, mask: "meta.x", block: {} }, "missing_field /meta"],
  ["set meta path with block", { op: "set", seq: 6, mask: "meta.x", meta: { x: 1 }, block: {} }, "bad_field /block"],
  ["set block path with meta", { op: "set", seq: 6, mask: "block.x", meta: {}, block: {} }, "bad_field /meta"],
  ["set block path without block", { op: "set", seq: 6, mask: "block.x" }, "missing_field /block"],
  ["mask before model", { op: "set", seq: 6, mask: "x", model: {} }, "bad_mask /mask"],
  ["append without mask", { op: "append", seq: 6, block: {} }, "missing_field /mask"],
  ["append without block", { op: "append", seq: 6, mask: "block.x" }, "missing_field /block"],
  ["append with model", { op: "append", seq: 6, mask: "block.x", model: {} }, "bad_field /model"],
  ["append on meta", { op: "append", seq: 6, mask: "meta.x", meta: {} }, "bad_mask /mask"],
  ["append on two segments", appendTo({ id: "a" }, "block.o.x"), "bad_mask /mask"],
  ["append on id", appendTo({ id: "a" }, "block.id"), "bad_mask /mask"],
  ["append on ref", appendTo({ id: "a" }, "block.ref"), "bad_mask /mask"],
  ["error without mask", { op: "error", seq: 6, meta: {} }, "missing_field /mask"],
  ["error with another mask", { op: "error", seq: 6, mask: "meta.stats", meta: {} }, "bad_mask /mask"],
  ["error without meta", { op: "error", seq: 6, mask: "meta.error" }, "missing_field /meta"],
  ["error with block", { op: "error", seq: 6, mask: "meta.error", meta: { error: {} }, block: {} }, "bad_field /block"],
  ["ping with mask", { op: "ping", seq: 6, mask: "meta.x" }, "bad_field /mask"],
  ["ping with model", { op: "ping", seq: 6, model: {} }, "bad_field /model"],
  ["ping with meta", { op: "ping", seq: 6, meta: {} }, "bad_field /meta"],
  ["end with block", { op: "end", seq: 6, block: {} }, "bad_field /block"],
  ["mask of the slot alone", set("meta", {}), "bad_mask /mask"],
  ["mask with dot at the end", set("meta.x.", {}), "bad_mask /mask"],
  ["mask with empty segment", set("block.x..y", {}), "bad_mask /mask"],
  ["mask of another slot", set("model.biz", {}), "bad_mask /mask"],
  ["mask empty", set("", {}), "bad_mask /mask"],
  ["mask below id", set("block.id.x", {}), "bad_mask /mask"],
  ["mask below ref", set("block.ref.x", {}), "bad_mask /mask"],
  ["mask of a deeper ref is ordinary", set("block.o.ref", { o: { ref: 1 } }), "ok"],
  ["mask that begins like ref is ordinary", set("block.refs", { refs: 1 }), "ok"],

  // Step 5: contents.
  ["patch with ref", set("block.x", { ref: "k" }), "bad_block /block/ref"],
  ["patch without id", { op: "set", seq: 6, mask: "block.x", block: { x: 1 } }, "missing_field /block/id"],
  ["patch with empty id", { op: "set", seq: 6, mask: "block.x", block: { id: "", x: 1 } }, "bad_block /block/id"],
  ["append with id null", appendTo({ id: null, content: "x" }), "bad_block /block/id"],
  ["append with ref before id", appendTo({ ref: 1 }), "bad_block /block/ref"],
  ["value missing", set("block.x", {}), "missing_field /block/x"],
  ["value missing below", set("meta.x.y", { x: {} }), "missing_field /meta/x/y"],
  ["step missing", set("meta.x.y", { y: 1 }), "missing_field /meta/x"],
  ["step no object", set("meta.x.y", { x: [1] }), "bad_field /meta/x"],
  ["step null", set("block.x.y.z", { x: { y: null } }), "bad_field /block/x/y"],
  ["inherited names are missing", set("meta.constructor", {}), "missing_field /meta/constructor"],
  ["inherited steps are missing", set("meta.toString.name", {}), "missing_field /meta/toString"],
  ["pointer escapes", set("meta.a/b.c~d", { "a/b": {} }), "missing_field /meta/a~1b/c~0d"],
  ["append number", appendTo({ id: "a", content: 5 }), "bad_field /block/content"],
  ["append null", appendTo({ id: "a", content: null }), "bad_field /block/content"],
  ["append missing", appendTo({ id: "a" }), "missing_field /block/content"],
  ["error missing", { op: "error", seq: 6, mask: "meta.error", meta: {} }, "missing_field /meta/error"],
  ["error null", { op: "error", seq: 6, mask: "meta.error", meta: { error: null } }, "bad_field /meta/error"],
  [
    "error without code",
    { op: "error", seq: 6, mask: "meta.error", meta: { error: {} } },
    "bad_field /meta/error/code",
  ],
  [
    "error without message",
    { op: "error", seq: 6, mask: "meta.error", meta: { error: { code: "c" } } },
    "bad_field /meta/error/message",
  ],
  [
    "error with bad detail before trace_id",
    { op: "error", seq: 6, mask: "meta.error", meta: { error: { trace_id: 1, detail: 2, code: "c", message: "m" } } },
    "bad_field /meta/error/detail",
  ],
  ["model without version", startWith({}), "bad_model /model/version"],
  ["model of another version", startWith({ ...model(), version: "2.0" }), "bad_model /model/version"],
  ["model without biz", startWith({ version: "1.0" }), "bad_model /model/biz"],
  ["model with empty biz", startWith({ version: "1.0", biz: "" }), "bad_model /model/biz"],
  ["model without meta", startWith({ version: "1.0", biz: "b", blocks: 5 }), "bad_model /model/meta"],
  ["meta's error first", startWith({ ...model(), meta: { task_id: 1, error: 1 } }), "bad_model /model/meta/error"],
  [
    "meta's error's members",
    startWith({ ...model(), meta: { error: { code: "c" } } }),
    "bad_model /model/meta/error/message",
  ],
  [
    "meta's error's trace_id",
    startWith({ ...model(), meta: { error: { code: "", message: "", trace_id: 1 } } }),
    "bad_model /model/meta/error/trace_id",
  ],
  ["task_id", startWith({ ...model(), meta: { stats: 1, trace_id: 1, task_id: 1 } }), "bad_model /model/meta/task_id"],
  ["trace_id", startWith({ ...model(), meta: { stats: 1, trace_id: {} } }), "bad_model /model/meta/trace_id"],
  ["stats", startWith({ ...model(), meta: { stats: [] } }), "bad_model /model/meta/stats"],
  ["no blocks", startWith({ version: "1.0", biz: "b", meta: {} }), "bad_model /model/blocks"],
  ["blocks object", startWith({ version: "1.0", biz: "b", meta: {}, blocks: {} }), "bad_model /model/blocks"],
  ["block no object", startWith(model([null])), "bad_block /model/blocks/0"],
  ["block without id", startWith(model([{ type: "t" }])), "bad_block /model/blocks/0/id"],
  ["block without type", startWith(model([{ id: "a" }])), "bad_block /model/blocks/0/type"],
  [
    "parent_id",
    startWith(model([{ id: "a", type: "t", group_id: 1, parent_id: 1 }])),
    "bad_block /model/blocks/0/parent_id",
  ],
  ["group_id", startWith(model([{ id: "a", type: "t", group_id: false }])), "bad_block /model/blocks/0/group_id"],
  [
    "duplicate id",
    startWith(
      model([
        { id: "a", type: "t" },
        { id: "b", ref: "k" },
        { id: "a", ref: "k" },
      ]),
    ),
    "duplicate_id /model/blocks/2/id",
  ],
  [
    "a block's own fault before its duplicate id",
    startWith(model([{ id: "a", type: "t" }, { id: "a" }])),
    "bad_block /model/blocks/1/type",
  ],
  ["reference in 1.0", startWith(model([{ id: "a", ref: "k" }], {}, "1.0")), "bad_block /model/blocks/0/ref"],
  [
    "reference with a further member",
    startWith(model([{ id: "a", ref: "k", z: 1, b: 2 }])),
    "bad_block /model/blocks/0/z",
  ],
  [
    "reference with an integer-like member behind another",
    '{"op":"start","seq":1,"model":{"version":"1.1","biz":"b","meta":{},"blocks":[{"id":"x","type":"t"},{"id":"a","ref":"k","z":1,"0":2}]}}',
    "bad_block /model/blocks/1/z",
  ],
  [
    "reference whose further member is __proto__",
    '{"op":"set","seq":6,"block":{"id":"a","ref":"k","__proto__":1}}',
    "bad_block /block/__proto__",
  ],
  ["reference with empty ref", block({ id: "a", ref: "" }), "bad_block /block/ref"],
  ["reference without id", block({ ref: "k", x: 1 }), "bad_block /block/id"],
  ["inline block without type", block({ id: "a" }), "bad_block /block/type"],
  ["inline block without id", block({ type: "a" }), "bad_block /block/id"],

  // Step 8: effect on the model.
  [
    "set on a missing block",
    { op: "set", seq: 6, mask: "block.x", block: { id: "zz", x: 1 } },
    "missing_block /block/id",
  ],
  [
    "block ids are no inherited names",
    { op: "set", seq: 6, mask: "block.x", block: { id: "constructor", x: 1 } },
    "missing_block /block/id",
  ],
  [
    "set on a reference",
    { op: "set", seq: 6, mask: "block.x", block: { id: "r", x: 1 } },
    "unresolved_reference /block",
  ],
  ["append on a reference", appendTo({ id: "r", content: "x" }), "unresolved_reference /block"],
  ["append of an incomplete block", appendTo({ id: "new", content: "x" }), "bad_block /block/type"],
  [
    "append of a bad block",
    appendTo({ id: "new", type: "t", parent_id: 1, content: "x" }),
    "bad_block /block/parent_id",
  ],
  ["append string to array", appendTo({ id: "a", list: "x" }, "block.list"), "type_mismatch /block/list"],
  ["append array to string", appendTo({ id: "a", content: [1] }), "type_mismatch /block/content"],
  ["append to an object", appendTo({ id: "a", o: "x" }, "block.o"), "type_mismatch /block/o"],
  ["set through a string", set("meta.s.x.y", { s: { x: { y: 1 } } }), "type_mismatch /meta/s"],
  ["set through a number", set("block.o.n.x", { o: { n: { x: 1 } } }), "type_mismatch /block/o/n"],
  ["set through an array", set("block.list.0", { list: { 0: 1 } }), "type_mismatch /block/list"],
  ["type null", set("block.type", { type: null }), "bad_field /block/type"],
  ["type empty", set("block.type", { type: "" }), "bad_field /block/type"],
  ["parent_id number", set("block.parent_id", { parent_id: 4 }), "bad_field /block/parent_id"],
  ["parent_id object by a path", set("block.parent_id.x", { parent_id: { x: 1 } }), "bad_field /block/parent_id"],
  ["group_id array by append", appendTo({ id: "a", group_id: [1] }, "block.group_id"), "bad_field /block/group_id"],
  ["task_id number", set("meta.task_id", { task_id: 5 }), "bad_field /meta/task_id"],
  ["trace_id object by a path", set("meta.trace_id.x", { trace_id: { x: 1 } }), "bad_field /meta/trace_id"],
  ["stats array", set("meta.stats", { stats: [] }), "bad_field /meta/stats"],
  ["error {}", set("meta.error", { error: {} }), "bad_field /meta/error/code"],
  ["error string", set("meta.error", { error: "x" }), "bad_field /meta/error"],
  ["error made by a path", set("meta.error.code", { error: { code: "c" } }), "bad_field /meta/error/message"],
  [
    "error's code made an object",
    set("meta.error.code.x", { error: { code: { x: 1 } } }),
    "bad_field /meta/error/code",
  ],
  ["error null", set("meta.error", { error: null }), "ok"],
  ["stats by a path", set("meta.stats.x.y", { stats: { x: { y: 1 } } }), "ok"],
  [
    "error while others are well",
    { op: "error", seq: 6, mask: "meta.error", meta: { error: { code: "c", message: "m", detail: null, more: 1 } } },
    "ok",
  ],
];

describe("one event", () => {
  it.each(ROWS)("%s", (_, event, expected) => {
    const session = started();
    const before = snapshotText(session);
    expect(short(apply(session, event))).toBe(expected);
    const value = started();
    expect(
      short(applyValue(value, typeof event === "string" ? JSON.parse(event) : event)).replace("not_json", "bad_field"),
    ).toBe(
      // As values these are other events: the double is exactly 9007199254740990 or 0, or infinite.
      event.toString().includes("740990.4") || event.toString().includes("e-400")
        ? "ok"
        : event.toString().includes("1e400")
          ? "bad_field /block"
          : expected === "bad_field /op" && event.toString().includes('"1"')
            ? "unknown_field /1"
            : expected.replace("/z", event.toString().includes('"0":2') ? "/0" : "/z"),
    );
    if (expected !== "ok") {
      expect(snapshotText(session)).toBe(before);
      expect(session.seq("")).toBe(5);
      const harmless = expected.startsWith("unresolved_reference");
      expect(session.status("")).toBe(harmless ? "open" : "refused");
      expect(session.changes("", 0)).toEqual({ version: 1, changes: [{ streamId: "", kind: "start" }] });
    }
  });
});

describe("the stream's state", () => {
  const ops = [
    { op: "set", seq: 1, block: { id: "a", type: "t" } },
    { op: "append", seq: 1, mask: "block.content", block: { id: "a", type: "t", content: "x" } },
    { op: "error", seq: 1, mask: "meta.error", meta: { error: { code: "c", message: "m" } } },
    { op: "ping", seq: 1 },
    { op: "end", seq: 1 },
  ];

  it.each(ops)("no model, after end: $op", (event) => {
    const session = open();
    expect(short(apply(session, { ...event, stream_id: "x" }))).toBe("no_model");
    expect(session.streamIds()).toEqual([]);
    expect(session.status("x")).toBe("none");
    apply(session, { op: "start", seq: 1, model: model(), stream_id: "x" });
    apply(session, { op: "end", seq: 2, stream_id: "x" });
    expect(session.status("x")).toBe("ended");
    expect(short(apply(session, { ...event, seq: 3, stream_id: "x" }))).toBe("after_end");
    expect(session.status("x")).toBe("ended");
    expect(apply(session, { op: "start", seq: 1, model: model(), stream_id: "x" })).toBeUndefined();
    expect(session.status("x")).toBe("open");
  });

  it("judges contents before the state", () => {
    const session = open();
    expect(short(apply(session, { op: "set", seq: 1, block: { id: "a" } }))).toBe("bad_block /block/type");
    expect(short(apply(session, { op: "set", seq: 1, block: { id: "a", ref: "k" } }))).toBe("no_model");
  });

  it("knows references only from version 1.1 on", () => {
    const session = open();
    apply(session, { op: "start", seq: 1, model: model([], {}, "1.0") });
    expect(short(apply(session, { op: "set", seq: 2, block: { id: "a", ref: "k" } }))).toBe("bad_block /block/ref");
  });

  it("drops what comes for a refused stream until its next start", () => {
    const session = open();
    apply(session, { op: "start", seq: 1, model: model() });
    const fault = apply(session, { op: "set", seq: 2, block: {} });
    expect(fault).toEqual({
      code: "bad_block",
      reason: 1,
      path: "/block/id",
      streamId: "",
      seq: 2,
      eventIndex: 1,
      byteOffset: 0,
    });
    expect(session.status("")).toBe("refused");
    expect(apply(session, { op: "set", seq: 3, block: { id: "a", type: "t" } })).toBeUndefined();
    expect(apply(session, "{}")).toBeUndefined();
    expect(session.stats("")).toMatchObject({ dropped: 2, applied: 1, version: 1 });
    expect(short(apply(session, { op: "start", seq: 1 }))).toBe("missing_field /model");
    expect(apply(session, { op: "start", seq: 1, model: model() })).toBeUndefined();
    expect(session.status("")).toBe("open");
  });

  it("drops the event alone with skip-event", () => {
    const session = open({ onViolation: "skip-event" });
    apply(session, { op: "start", seq: 1, model: model() });
    expect(short(apply(session, { op: "set", seq: 2, block: {} }))).toBe("bad_block /block/id");
    expect(session.status("")).toBe("open");
    expect(session.seq("")).toBe(1);
    expect(apply(session, { op: "set", seq: 2, block: { id: "a", type: "t" } })).toBeUndefined();
  });

  it("keeps streams apart and treats an empty id as none", () => {
    const session = open();
    apply(session, { op: "start", seq: 1, stream_id: "__proto__", model: model() });
    apply(session, { op: "start", seq: 3, stream_id: "", model: model() });
    apply(session, { op: "start", seq: 2, stream_id: "toString", model: model([{ id: "a", type: "t" }]) });
    expect(session.streamIds()).toEqual(["__proto__", "", "toString"]);
    expect(session.seq("__proto__")).toBe(1);
    expect(session.seq("")).toBe(3);
    expect(session.stats()).toMatchObject({ streams: 3, blocks: 1, applied: 3, events: 3, version: 0 });
    expect(session.status("constructor")).toBe("none");
  });

  it("opens no more streams than the limit", () => {
    const session = open({ limits: { streams: 1 } });
    apply(session, { op: "start", seq: 1, model: model() });
    expect(short(apply(session, { op: "start", seq: 1, stream_id: "b", model: model() }))).toBe("limit /stream_id");
    expect(apply(session, { op: "start", seq: 1, model: model() })).toBeUndefined();
    expect(session.load("b", 1, bytesOf(JSON.stringify(model())), "json")).toMatchObject({
      code: "limit",
      streamId: "b",
    });
    expect(session.streamIds()).toEqual([""]);
  });
});

describe("effects", () => {
  it("sets, creates on the way, and appends", () => {
    const session = started();
    for (const event of [
      set("meta.nil.x.y", { nil: { x: { y: [1] } } }),
      set("block.o.x.deep", { o: { x: { deep: null } } }),
      set("block.__proto__.x", JSON.parse('{"__proto__":{"x":1}}')),
      set("meta.constructor", { constructor: 2 }),
      appendTo({ id: "a", empty: "first" }, "block.empty"),
      appendTo({ id: "a", empty: " second" }, "block.empty"),
      appendTo({ id: "a", absent: [] }, "block.absent"),
      appendTo({ id: "a", list: [{ x: 2 }, null] }, "block.list"),
      appendTo({ id: "a", content: "\ud83d" }),
      appendTo({ id: "a", content: "\ude00" }),
      appendTo({ id: "n", type: "t", more: 1, content: "x" }),
      block({ id: "r", type: "t" }),
      block({ id: "__proto__", ref: "k" }),
      block({ id: "a", type: "u" }),
    ].map((event, i) => {
      const text = JSON.stringify({ ...event, seq: 6 + i });
      return text.includes('"block.__proto__.x"') ? text.replace('"id":"a"', '"id":"a","__proto__":{"x":1}') : text;
    })) {
      expect(short(apply(session, event))).toBe("ok");
      if (event.includes("ude00")) {
        const blocks = (session.snapshot("", "number") as { blocks: unknown[] }).blocks;
        expect(JSON.stringify(blocks[0])).toBe(
          '{"id":"a","type":"text","content":"Hi😀","list":[1,{"x":2},null],"parent_id":null,"o":{"x":{"deep":null},"n":5},"empty":"first second","__proto__":{"x":1},"absent":[]}',
        );
      }
    }
    expect(JSON.parse(snapshotText(session)!)).toEqual({
      version: "1.1",
      biz: "chat",
      meta: { ...META, nil: { x: { y: [1] } }, constructor: 2 },
      blocks: [
        { id: "a", type: "u" },
        { id: "r", type: "t" },
        { id: "n", type: "t", more: 1, content: "x" },
        { id: "__proto__", ref: "k" },
      ],
    });
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  it("error sets meta.error and the status, and leaves the stream open for patches", () => {
    const session = started();
    apply(session, {
      op: "error",
      seq: 6,
      mask: "meta.error",
      meta: { error: { code: "c", message: "m" }, task_id: 5 },
    });
    expect(session.status("")).toBe("errored");
    expect(apply(session, appendTo({ id: "a", content: "!" }))).toBeUndefined();
    expect(apply(session, { ...appendTo({ id: "a", content: "!" }), seq: 7 })).toBeUndefined();
    expect(session.stats("")).toMatchObject({ skipped: 1, applied: 3 });
    expect((session.snapshot("", "number") as { meta: object }).meta).toMatchObject({
      error: { code: "c", message: "m" },
      task_id: "t",
    });
  });
});

describe("limits", () => {
  it("refuses long numbers anywhere, with their place", () => {
    const session = open({ limits: { numberLength: 8 } });
    apply(session, { op: "start", seq: 1, model: model([{ id: "a", type: "t", content: "" }]) });
    expect(apply(session, '{"op":"ping","seq":1,"ts":12345678}')).toBeUndefined();
    expect(apply(session, '{"op":"ping","x":"123456789","seq":1,"ts":[-12345678]}')).toMatchObject({
      code: "limit",
      byteOffset: 43,
    });
    expect(session.status("")).toBe("refused");
    // Step 1 comes before the refusal.
    expect(apply(session, '{"op":"ping","seq":1,"ts":123456789}')).toMatchObject({ code: "limit", seq: 1 });
    expect(apply(open({ limits: { numberLength: 8 } }), '{"x":1.000e-10}')).toMatchObject({ code: "limit" });
    expect(apply(open({ limits: { numberLength: 8 } }), '{"x":1.000e-1}')).toMatchObject({ code: "unknown_field" });
  });

  it("counts blocks", () => {
    const session = open({ limits: { blocks: 2 } });
    const two = [
      { id: "a", type: "t" },
      { id: "b", type: "t" },
    ];
    expect(short(apply(session, { op: "start", seq: 1, model: model([...two, 5]) }))).toBe("limit /model/blocks/2");
    expect(apply(session, { op: "start", seq: 1, model: model(two) })).toBeUndefined();
    expect(apply(session, { op: "set", seq: 2, block: two[1] })).toBeUndefined();
    expect(short(apply(session, { op: "set", seq: 3, block: { id: "c", type: "t" } }))).toBe("limit /block");
  });

  it("limits the model's nesting to what a start can carry", () => {
    const nested = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));
    for (const viaValue of [false, true]) {
      const session = open({ limits: { depth: 8 }, onViolation: "skip-event" });
      const run = (event: unknown): string => short(viaValue ? applyValue(session, event) : apply(session, event));
      expect(run({ op: "start", seq: 1, model: model([{ id: "a", type: "t", x: nested(4) }]) })).toBe("ok");
      expect(run({ op: "start", seq: 1, model: model([{ id: "a", type: "t", x: nested(5) }]) })).toMatch(/^too_deep/);
      expect(run({ op: "set", seq: 2, block: { id: "b", type: "t", x: nested(4) } })).toBe("ok");
      expect(run({ op: "set", seq: 3, block: { id: "b", type: "t", x: nested(5) } })).toBe("limit /block");
      expect(run({ op: "set", seq: 3, mask: "block.y", block: { id: "b", y: nested(4) } })).toBe("ok");
      expect(run({ op: "set", seq: 4, mask: "block.y", block: { id: "b", y: nested(5) } })).toBe("limit /block/y");
      expect(run({ op: "set", seq: 4, mask: "block.z.z.z", block: { id: "b", z: { z: { z: nested(2) } } } })).toBe(
        "ok",
      );
      expect(run({ op: "set", seq: 5, mask: "block.w.z.z", block: { id: "b", w: { z: { z: nested(3) } } } })).toBe(
        "limit /block/w/z/z",
      );
      expect(run({ op: "append", seq: 5, mask: "block.y", block: { id: "b", y: [nested(3)] } })).toBe("ok");
      expect(run({ op: "append", seq: 6, mask: "block.y", block: { id: "b", y: [nested(4)] } })).toBe("limit /block/y");
      expect(run({ op: "append", seq: 6, mask: "block.y", block: { id: "c", type: "t", y: nested(5) } })).toBe(
        "limit /block/y",
      );
      expect(run({ op: "set", seq: 6, mask: "meta.y", meta: { y: nested(5) } })).toBe("ok");
      expect(run({ op: "set", seq: 7, mask: "meta.y", meta: { y: nested(6) } })).toBe("limit /meta/y");
      const loaded = open({ limits: { depth: 8 } });
      expect(loaded.load("", 1, bytesOf(JSON.stringify(model([], { x: nested(5) }))), "json")).toBeUndefined();
      expect(loaded.load("", 1, bytesOf(JSON.stringify(model([], { x: nested(6) }))), "json")).toMatchObject({
        code: "limit",
        path: "",
      });
      expect(loaded.load("", 1, bytesOf(JSON.stringify(model([], { x: nested(7) }))), "json")).toMatchObject({
        code: "too_deep",
      });
      expect(loaded.loadValue!("", 1, model([], { x: nested(6) }))).toMatchObject({ code: "limit", path: "" });
    }
  });

  it("counts the model's bytes exactly, whatever the operation", () => {
    const events: object[] = [
      { op: "start", seq: 1, model: model([{ id: "a", type: "t", content: "é\ud83d", list: [], n: null }], { x: 1 }) },
      { op: "append", seq: 2, mask: "block.content", block: { id: "a", content: '\ude00\u0001"' } },
      { op: "append", seq: 3, mask: "block.list", block: { id: "a", list: [1, "x"] } },
      { op: "append", seq: 4, mask: "block.list", block: { id: "a", list: [] } },
      { op: "append", seq: 5, mask: "block.list", block: { id: "a", list: [{}] } },
      { op: "append", seq: 6, mask: "block.n", block: { id: "a", n: "中文" } },
      { op: "set", seq: 7, block: { id: "b", type: "t" } },
      { op: "set", seq: 8, block: { id: "b", type: "longer" } },
      { op: "set", seq: 9, mask: "meta.a.b.c", meta: { a: { b: { c: [1] } } } },
      { op: "set", seq: 10, mask: "meta.x", meta: { x: 12345678 } },
      { op: "append", seq: 11, mask: "block.content", block: { id: "c", type: "t", content: "new" } },
      { op: "error", seq: 12, mask: "meta.error", meta: { error: { code: "c", message: "m" } } },
      { op: "append", seq: 13, mask: "block.content", block: { id: "c", content: "\ud83d" } },
    ];
    const reference = open();
    const sizes = events.map((event) => {
      expect(short(apply(reference, event))).toBe("ok");
      return bytesOf(snapshotText(reference)!).length;
    });
    for (let i = 0; i < events.length; i++) {
      if (sizes[i]! <= Math.max(0, ...sizes.slice(0, i))) continue;
      const exact = open({ limits: { modelBytes: sizes[i]! } });
      const tight = open({ limits: { modelBytes: sizes[i]! - 1 } });
      for (const event of events.slice(0, i)) {
        expect(short(apply(exact, event))).toBe("ok");
        expect(short(apply(tight, event))).toBe("ok");
      }
      expect(short(apply(exact, events[i]))).toBe("ok");
      expect(short(apply(tight, events[i]))).toMatch(/^limit \/(?:block|meta|model)/);
      expect(tight.status("")).toBe(i === 0 ? "none" : "refused");
    }
  });
});
