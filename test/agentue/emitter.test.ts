import { describe, expect, it } from "vitest";
import { createEmitter, type Emitter, type EmitterOptions, type EmitterTransport } from "../../src/agentue/index.js";
import type { Reducer } from "../../src/engine/contract.js";
import { Rng } from "../support/rng.js";
import { consumers, refusal } from "./consumers.js";
import { type Json, TRANSPORTS } from "./support.js";

const WIRES = TRANSPORTS as readonly EmitterTransport[];
const TEXT = { id: "a", type: "text", content: "" };
const MODEL = { version: "1.1" as const, biz: "chat", meta: {}, blocks: [TEXT, { id: "r", ref: "k" }] };

describe.each(WIRES)("createEmitter over %s", (transport) => {
  it("writes every operation, and strict consumers on every engine have its model", () => {
    const emitter = createEmitter({ transport, now: () => 1234 });
    const all = consumers(transport);
    expect([emitter.seq, emitter.status, emitter.snapshot()]).toEqual([0, "none", undefined]);
    all.take(emitter.start(MODEL));
    all.take(emitter.append("a", "content", "Hello"));
    all.take(emitter.append("a", "content", " 世界 😀", { eventType: "message.delta" }));
    all.take(emitter.append("n", "items", [1, { x: null }], { insert: { type: "list" } }));
    all.take(emitter.append("n", "items", [2]));
    all.take(emitter.set({ id: "r", type: "tool", tool: { status: "run" } }));
    all.take(emitter.setField("r", "tool.status", "done"));
    all.take(emitter.setMeta("stats.tokens", 5, { eventType: "stats" }));
    all.take(emitter.ping());
    all.take(emitter.error({ code: "c", message: "m" }));
    expect([emitter.status, emitter.seq]).toEqual(["errored", 9]);
    all.take(emitter.end());
    expect([emitter.status, emitter.seq]).toEqual(["ended", 10]);
    expect(all.events.map(({ op, seq, ts, mask, event_type }) => [op, seq, ts, mask, event_type])).toEqual([
      ["start", 1, undefined, undefined, undefined],
      ["append", 2, undefined, "block.content", undefined],
      ["append", 3, undefined, "block.content", "message.delta"],
      ["append", 4, undefined, "block.items", undefined],
      ["append", 5, undefined, "block.items", undefined],
      ["set", 6, undefined, undefined, undefined],
      ["set", 7, undefined, "block.tool.status", undefined],
      ["set", 8, undefined, "meta.stats.tokens", "stats"],
      ["ping", 8, 1234, undefined, undefined],
      ["error", 9, undefined, "meta.error", undefined],
      ["end", 10, undefined, undefined, undefined],
    ]);
    const model = {
      ...MODEL,
      meta: { stats: { tokens: 5 }, error: { code: "c", message: "m" } },
      blocks: [
        { ...TEXT, content: "Hello 世界 😀" },
        { id: "r", type: "tool", tool: { status: "done" } },
        { id: "n", type: "list", items: [1, { x: null }, 2] },
      ],
    };
    expect(all.model()).toEqual(model);
    expect(emitter.snapshot()).toEqual(model);
    for (const reducer of all.reducers) expect(reducer.finish().status).toBe("complete");
    all.close();
  });

  it("names its stream, goes on behind a seq, and begins a resumed delivery with the seq that it covers", () => {
    const emitter = createEmitter({ transport, streamId: "客", seq: 41, ts: true, now: () => 7 });
    const all = consumers(transport);
    all.take(emitter.start({ biz: "chat" }));
    all.take(emitter.set(TEXT));
    all.take(emitter.append("a", "content", "x"));
    all.take(emitter.end());
    all.take(emitter.start(emitter.snapshot()!, { seq: emitter.seq }));
    all.take(emitter.append("a", "content", "y"));
    expect(all.events.map(({ op, seq, stream_id, ts }) => [op, seq, stream_id, ts])).toEqual([
      ["start", 42, "客", 7],
      ["set", 43, "客", 7],
      ["append", 44, "客", 7],
      ["end", 45, "客", 7],
      ["start", 45, "客", 7],
      ["append", 46, "客", 7],
    ]);
    expect(all.model("客")).toEqual({ ...MODEL, blocks: [{ ...TEXT, content: "xy" }] });
    all.close();
  });

  const REFUSED: [string, (emitter: Emitter) => unknown, string, string?][] = [
    ["a model without biz", (e) => e.start({} as never), "bad_model", "/model/biz"],
    ["a model that is none", (e) => e.start(5 as never), "bad_field", "/model"],
    ["two blocks of one id", (e) => e.start({ biz: "b", blocks: [TEXT, TEXT] }), "duplicate_id", "/model/blocks/1/id"],
    ["a block without type", (e) => e.set({ id: "x" } as never), "bad_block", "/block/type"],
    ["a reference with a body", (e) => e.set({ id: "x", ref: "k", type: "t" } as never), "bad_block", "/block/type"],
    ["a field of no block", (e) => e.setField("nobody", "x", 1), "missing_block", "/block/id"],
    ["a field of a reference", (e) => e.setField("r", "x", 1), "unresolved_reference", "/block"],
    ["a protected field", (e) => e.setField("a", "id", "b"), "bad_mask", "/mask"],
    ["an empty step", (e) => e.setField("a", "x..y", "b"), "bad_mask", "/mask"],
    ["a step through a scalar", (e) => e.setField("a", "content.x", 1), "type_mismatch", "/block/content"],
    ["a malformed protocol field", (e) => e.setField("a", "parent_id", 5), "bad_field", "/block/parent_id"],
    ["malformed meta", (e) => e.setMeta("task_id", 5), "bad_field", "/meta/task_id"],
    ["an append to a reference", (e) => e.append("r", "content", "x"), "unresolved_reference", "/block"],
    ["an append to no block", (e) => e.append("nobody", "content", "x"), "bad_block", "/block/type"],
    ["an append of another kind", (e) => e.append("a", "content", [1]), "type_mismatch", "/block/content"],
    ["an append of a number", (e) => e.append("a", "content", 5 as never), "bad_field", "/block/content"],
    ["an append below a field", (e) => e.append("a", "x.y", "z"), "bad_mask", "/mask"],
    ["an error without code", (e) => e.error({ message: "m" } as never), "bad_field", "/meta/error/code"],
    ["an error that is none", (e) => e.error("broken" as never), "bad_field", "/meta/error"],
    ["what JSON has no form for", (e) => e.setField("a", "x", Number.NaN), "not_json", "/block/x"],
    ["a model of too many bytes", (e) => e.append("a", "content", "x".repeat(600)), "limit", "/block/content"],
    ["a message of too many bytes", (e) => e.setMeta("x", "y".repeat(1000)), "too_large"],
    ["too many blocks", (e) => [e.set({ id: "3", type: "t" }), e.set({ id: "4", type: "t" })], "limit", "/block"],
    ["too deep a value", (e) => e.setMeta("x", [[[[[[1]]]]]]), "limit", "/meta/x"],
    ["a negative seq", (e) => e.start(MODEL, { seq: -1 }), "bad_argument"],
    ["a path that is no string", (e) => e.setField("a", Symbol("x") as never, 1), "bad_argument"],
    ["a path of metadata that is no string", (e) => e.setMeta(5 as never, 1), "bad_argument"],
  ];

  it.each(REFUSED)("refuses %s as a consumer would, and is as before", (_, act, code, path) => {
    const limits = { blocks: 3, modelBytes: 500, messageBytes: 900, depth: 8 };
    for (const coalesce of [false, true]) {
      const emitter = createEmitter({ transport, limits, coalesce: coalesce && 100 }) as Emitter;
      emitter.start(MODEL);
      emitter.append("a", "content", "held");
      const before = JSON.stringify([emitter.seq, emitter.status, emitter.snapshot(), emitter.pending]);
      const seen = refusal(() => act(emitter));
      expect(seen).toEqual({ code, path });
      if (!code.startsWith("limit") || path !== "/block")
        expect(JSON.stringify([emitter.seq, emitter.status, emitter.snapshot(), emitter.pending])).toBe(before);
    }
  });

  it("refuses everything but a start before it and behind the end", () => {
    const calls: ((emitter: Emitter) => unknown)[] = [
      (e) => e.set(TEXT),
      (e) => e.append("a", "content", "x"),
      (e) => e.setMeta("x", 1),
      (e) => e.error({ code: "c", message: "m" }),
      (e) => e.ping(),
      (e) => e.end(),
    ];
    const emitter = createEmitter({ transport }) as Emitter;
    for (const call of calls) expect(refusal(() => call(emitter))).toEqual({ code: "no_model", path: undefined });
    emitter.start(MODEL);
    emitter.end();
    for (const call of calls) expect(refusal(() => call(emitter))).toEqual({ code: "after_end", path: undefined });
    expect([emitter.seq, emitter.status]).toEqual([2, "ended"]);
    emitter.start(MODEL);
    expect([emitter.seq, emitter.status]).toEqual([3, "open"]);
  });

  it("holds appends to one field, and writes them as one", () => {
    const emitter = createEmitter({ transport, coalesce: 10, now: () => 1 });
    const all = consumers(transport);
    all.take(emitter.start({ biz: "chat", blocks: [TEXT, { ...TEXT, id: "b", items: [] }] }));
    for (const token of ["a", "b", "c"]) all.take(emitter.append("a", "content", token));
    expect([emitter.pending, emitter.seq]).toEqual([true, 1]);
    expect(emitter.snapshot()!.blocks[0]).toEqual({ ...TEXT, content: "abc" });
    all.take(emitter.ping());
    expect(emitter.pending).toBe(true);
    all.take(emitter.append("b", "content", "d"));
    all.take(emitter.append("b", "content", "e", { eventType: "t" }));
    all.take(emitter.append("b", "items", [1]));
    all.take(emitter.append("b", "items", [2, 3]));
    all.take(emitter.append("b", "content", "0123456789"));
    expect(emitter.pending).toBe(false);
    all.take(emitter.append("a", "content", "f"));
    all.take(emitter.flush());
    all.take(emitter.flush());
    all.take(emitter.append("n", "content", "g", { insert: { type: "text" } }));
    all.take(emitter.append("n", "content", "h"));
    all.take(emitter.end());
    expect(
      all.events.map(({ op, seq, event_type, block }) => {
        const { id, content, items } = (block ?? {}) as Json;
        return [op, seq, event_type, id, content ?? items];
      }),
    ).toEqual([
      ["start", 1, undefined, undefined, undefined],
      ["ping", 1, undefined, undefined, undefined],
      ["append", 2, undefined, "a", "abc"],
      ["append", 3, undefined, "b", "d"],
      ["append", 4, "t", "b", "e"],
      ["append", 5, undefined, "b", [1, 2, 3]],
      ["append", 6, undefined, "b", "0123456789"],
      ["append", 7, undefined, "a", "f"],
      ["append", 8, undefined, "n", "gh"],
      ["end", 9, undefined, undefined, undefined],
    ]);
    expect(all.model()).toEqual(emitter.snapshot());
    all.close();
  });

  it("what is held is not changed by what comes behind it, and a refused call leaves it held", () => {
    const emitter = createEmitter({ transport, coalesce: true });
    const all = consumers(transport);
    all.take(emitter.start({ biz: "chat", blocks: [] }));
    const insert = { type: "tool", tool: { status: "run" } };
    all.take(emitter.append("n", "content", "x", { insert }));
    insert.tool.status = "changed by the caller";
    expect(refusal(() => emitter.setField("n", "content.x", 1))?.code).toBe("type_mismatch");
    expect(emitter.pending).toBe(true);
    all.take(emitter.setField("n", "tool.status", "done"));
    expect((all.events[1]!.block as Json).tool).toEqual({ status: "run" });
    expect(all.model()).toEqual(emitter.snapshot());
    all.close();
  });

  it("lets redact see every event before it is judged and written", () => {
    const seen: string[] = [];
    const emitter = createEmitter({
      transport,
      redact(event) {
        seen.push(`${event.op} ${event.seq}`);
        const text = JSON.stringify(event);
        if (text.includes("drop")) return undefined;
        return JSON.parse(text.replaceAll(/sk-\w+/g, "***"));
      },
    });
    const all = consumers(transport);
    all.take(emitter.start({ biz: "chat", meta: { key: "sk-1" }, blocks: [TEXT] }));
    all.take(emitter.append("a", "content", "key sk-abc, "));
    all.take(emitter.append("a", "content", "drop me"));
    all.take(emitter.setMeta("x", "drop"));
    all.take(emitter.append("a", "content", "done"));
    expect(seen).toEqual(["start 1", "append 2", "append 3", "set 3", "append 3"]);
    expect(all.model()).toEqual({
      ...MODEL,
      meta: { key: "***" },
      blocks: [{ ...TEXT, content: "key ***, done" }],
    });
    expect(emitter.snapshot()).toEqual(all.model());
    all.close();
  });

  it("judges what redact makes of an event, and keeps to its own seq", () => {
    const make = (change: (event: Json) => unknown) => {
      let on = false;
      const emitter = createEmitter({
        transport,
        redact: (event) => (on ? (change(event as unknown as Json) as never) : event),
      });
      emitter.start(MODEL);
      on = true;
      return refusal(() => emitter.append("a", "content", "x"));
    };
    expect(make((event) => ({ ...event, mask: "block.id" }))).toEqual({ code: "bad_mask", path: "/mask" });
    expect(make((event) => ({ ...event, extra: 1 }))).toEqual({ code: "unknown_field", path: "/extra" });
    expect(make((event) => ({ ...event, seq: 9 }))?.code).toBe("bad_argument");
    expect(make((event) => ({ ...event, op: "set" }))?.code).toBe("bad_argument");
    expect(make((event) => ({ ...event, stream_id: "s" }))?.code).toBe("bad_argument");
    expect(make(() => "event")?.code).toBe("bad_argument");
    const broken = createEmitter({
      transport,
      redact() {
        throw new RangeError("mine");
      },
    });
    expect(() => broken.start(MODEL)).toThrow(RangeError);
    expect(broken.seq).toBe(0);
  });

  it("hooks and getters that call the emitter get reentrant", () => {
    const codes: unknown[] = [];
    const emitter: Emitter = createEmitter({
      transport,
      redact(event) {
        for (const call of [() => emitter.ping(), () => emitter.append("a", "content", "x"), () => emitter.flush()])
          codes.push(refusal(call)?.code);
        return event;
      },
    }) as Emitter;
    emitter.start(MODEL);
    expect(codes).toEqual(["reentrant", "reentrant", "reentrant"]);
    expect(emitter.seq).toBe(1);
  });

  it("random calls: everything is accepted by strict consumers, and the models are equal throughout", () => {
    for (let seed = 1; seed <= 30; seed++) {
      const rng = new Rng(seed);
      const emitter = createEmitter({
        transport,
        coalesce: rng.pick([false, true, 8]),
        splitAt: rng.pick([Number.POSITIVE_INFINITY, 200, 300]),
        ts: rng.chance(0.3),
        pool: rng.chance(0.3),
        ...(rng.chance(0.3) && { redact: (event) => event }),
        ...(transport === "sse" && rng.chance(0.5) && { id: ({ seq }) => `c${seq}` }),
      }) as Emitter;
      const all = consumers(transport);
      for (let i = rng.between(10, 80); i > 0; i--) {
        // What a reducer refuses is refused here: random calls meet many of its reasons.
        refusal(() => all.take(randomCall(rng, emitter)));
        if (!emitter.pending && emitter.status !== "none")
          expect(all.model(), `seed ${seed}`).toEqual(emitter.snapshot());
      }
      all.take(emitter.flush());
      if (emitter.status !== "none") {
        expect(all.model()).toEqual(emitter.snapshot());
        for (const reducer of all.reducers)
          expect([reducer.seq(), reducer.status()]).toEqual([emitter.seq, emitter.status]);
        if (transport === "sse" && all.reducers[0]!.lastEventId !== undefined)
          expect(all.reducers[0]!.lastEventId).toBe(`c${emitter.seq}`);
      }
      expect(errorsOf(all.reducers)).toBe(0);
      all.close();
    }
  });
});

function errorsOf(reducers: readonly Reducer[]): number {
  return reducers.reduce((sum, reducer) => sum + reducer.stats().errors, 0);
}

function randomCall(rng: Rng, emitter: Emitter): Uint8Array | Uint8Array[] {
  const id = rng.pick(["a", "b", "c", "é"]);
  const text = rng.pick(["x", "token ", "é", "😀", "\ud83d", "\ude00", '"\\\n', "", "long ".repeat(100)]);
  const value = rng.pick([1, null, text, [text, 1], { x: text }, { x: { y: [] } }]);
  const options = rng.chance(0.2) ? { eventType: "e" } : undefined;
  switch (rng.int(14)) {
    case 0:
      return emitter.start({ biz: "chat", blocks: rng.chance(0.5) ? [] : [TEXT, { id: "b", ref: "k" }] });
    case 1:
      return emitter.set({ id, type: "text", content: text, ...(rng.chance(0.5) && { items: [text, text] }) });
    case 2:
      return emitter.set({ id, ref: "k" });
    case 3:
      return emitter.setField(id, rng.pick(["content", "items", "tool.status", "x.y.z", "type"]), value, options);
    case 4:
      return emitter.setMeta(rng.pick(["x", "stats.n", "error", "task_id"]), value, options);
    case 5:
      return emitter.append(id, "items", [value, text], options);
    case 6:
      return emitter.append(id, rng.pick(["content", "note"]), text, { insert: { type: "text" } });
    case 7:
      return emitter.ping();
    case 8:
      return rng.chance(0.2) ? emitter.end() : emitter.flush();
    case 9:
      return emitter.error({ code: "c", message: text });
    default:
      return emitter.append(id, "content", text, options);
  }
}

describe("pairs of surrogates that are cut between two appends", () => {
  const blocks = [TEXT, { ...TEXT, id: "b" }];

  it.each(WIRES)(
    "come whole over %s, whatever stands between them that is no event of the stream's own",
    (transport) => {
      for (const coalesce of [false, true]) {
        const emitter = createEmitter({ transport, coalesce }) as Emitter;
        const all = consumers(transport);
        all.take(emitter.start({ biz: "chat", blocks }));
        all.take(emitter.append("a", "content", "x\ud83d"));
        expect(emitter.pending).toBe(coalesce || transport === "msgpack");
        all.take(emitter.ping());
        all.take(emitter.append("a", "content", "\ude00\ud83d"));
        all.take(emitter.append("a", "content", "\ude01!"));
        all.take(emitter.end());
        expect(all.model()).toMatchObject({ blocks: [{ content: "x😀😁!" }, {}] });
        expect(emitter.snapshot()).toEqual(all.model());
        all.close();
      }
    },
  );

  it("over MessagePack a half whose other half does not come is replaced, before what comes instead", () => {
    const emitter = createEmitter({ transport: "msgpack" });
    const all = consumers("msgpack");
    all.take(emitter.start({ biz: "chat", blocks }));
    all.take(emitter.append("a", "content", "1\ud83d"));
    expect(refusal(() => emitter.append("nobody", "content", "x"))?.code).toBe("bad_block");
    expect(refusal(() => emitter.setField("a", "content.x", 1))?.code).toBe("type_mismatch");
    expect([emitter.pending, emitter.seq]).toEqual([true, 2]);
    all.take(emitter.append("b", "content", "2\ud83d"));
    expect(all.events.map(({ seq, block }) => [seq, (block as Json | undefined)?.content])).toEqual([
      [1, undefined],
      [2, "1"],
      [3, "\ufffd"],
      [4, "2"],
    ]);
    all.take(emitter.append("b", "content", "\ude00", { eventType: "other" }));
    all.take(emitter.append("b", "content", "\ud83d"));
    const after = { ...emitter.snapshot()!, meta: { x: 1 } };
    all.take(
      emitter.update({
        ...after,
        blocks: [
          { ...TEXT, content: "1\ufffd" },
          { ...TEXT, id: "b", content: "whole" },
        ],
      }),
    );
    expect(emitter.pending).toBe(false);
    expect(all.model()).toMatchObject({ meta: { x: 1 }, blocks: [{ content: "1\ufffd" }, { content: "whole" }] });
    expect(emitter.snapshot()).toEqual(all.model());
    all.close();
  });
});

describe("the options of an emitter", () => {
  it("are refused when they are not valid", () => {
    const bad: [object | null, string][] = [
      [null, "bad_argument"],
      [{}, "unsupported_transport"],
      [{ transport: "protobuf" }, "unsupported_transport"],
      [{ transport: "sse", streamID: "s" }, "bad_argument"],
      [{ transport: "sse", streamId: 5 }, "bad_argument"],
      [{ transport: "sse", seq: -1 }, "bad_argument"],
      [{ transport: "sse", consumer: "2.0" }, "bad_argument"],
      [{ transport: "sse", version: 1 }, "bad_argument"],
      [{ transport: "sse", consumer: "1.0", version: "1.1" }, "bad_argument"],
      [{ transport: "sse", materialize: 1 }, "bad_argument"],
      [{ transport: "sse", redact: 5 }, "bad_argument"],
      [{ transport: "sse", splitAt: 20 }, "bad_argument"],
      [{ transport: "sse", coalesce: -1 }, "bad_argument"],
      [{ transport: "sse", coalesce: 200, limits: { messageBytes: 1000 } }, "bad_argument"],
      [{ transport: "ndjson", id: () => "1" }, "bad_argument"],
      [{ transport: "sse", ts: 1 }, "bad_argument"],
      [{ transport: "sse", pool: 1 }, "bad_argument"],
      [{ transport: "sse", limits: { reports: 1 } }, "bad_argument"],
      [{ transport: "sse", limits: { depth: 0 } }, "bad_argument"],
    ];
    for (const [options, code] of bad)
      expect(refusal(() => createEmitter(options as EmitterOptions))?.code, JSON.stringify(options)).toBe(code);
    const get = (): never => {
      throw new Error("of the caller");
    };
    const thrower = Object.defineProperty({ transport: "sse" }, "splitAt", { enumerable: true, get });
    expect(refusal(() => createEmitter(thrower as EmitterOptions))?.code).toBe("bad_argument");
  });

  it("models without a version get that of the option", () => {
    const version = (options: Partial<EmitterOptions>) => {
      const emitter = createEmitter({ transport: "ndjson", ...options });
      emitter.start({ biz: "b" });
      return emitter.snapshot()!.version;
    };
    expect([version({}), version({ version: "1.0" }), version({ consumer: "1.0" })]).toEqual(["1.1", "1.0", "1.0"]);
    const kept = createEmitter({ transport: "ndjson" });
    kept.start({ biz: "b", version: "1.0" });
    expect(kept.snapshot()).toEqual({ version: "1.0", biz: "b", meta: {}, blocks: [] });
  });
});

describe("what an emitter cannot read", () => {
  const trap = (): never => {
    throw new Error("trap");
  };
  const unreadable = new Proxy({}, { get: trap, ownKeys: trap, getOwnPropertyDescriptor: trap }) as never;

  it("is a bad argument, and changes nothing", () => {
    const emitter = createEmitter({ transport: "ndjson" });
    emitter.start({ biz: "chat", blocks: [{ id: "a", type: "text", content: "" }] });
    const before = [emitter.seq, emitter.snapshot()];
    const calls: (() => unknown)[] = [
      () => emitter.start(unreadable),
      () => emitter.update(unreadable),
      () => emitter.setMeta("m", 1, unreadable),
      () => emitter.append("a", "content", "x", unreadable),
      () => emitter.append("a", "content", "x", { insert: unreadable }),
      () => emitter.error({ code: "c", message: "m" }, unreadable),
      () => emitter.end(unreadable),
    ];
    for (const [i, run] of calls.entries())
      expect(run, `call ${i}`).toThrow(expect.objectContaining({ code: "bad_argument" }));
    expect([emitter.seq, emitter.snapshot()]).toEqual(before);
  });

  it("is a bad argument where redact gives it", () => {
    const emitter = createEmitter({ transport: "ndjson", redact: () => unreadable });
    expect(() => emitter.start({ biz: "chat" })).toThrow(expect.objectContaining({ code: "bad_argument" }));
    expect(emitter.seq).toBe(0);
  });
});
