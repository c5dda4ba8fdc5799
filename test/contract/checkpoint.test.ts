import { describe, expect, it } from "vitest";
import type { Transport } from "../../src/engine/contract.js";
import { carried, msgpackOf } from "../support/binary.js";
import { concat, latin1, utf8 } from "../support/bytes.js";
import { readCheckpoint } from "../support/checkpoint.js";
import { engine, KINDS, REDUCER_KINDS, type ReducerKind, SLIM_KINDS } from "../support/engines.js";
import { Fold, type Options, thrown } from "../support/fold.js";
import { hex } from "../support/msgpack.js";
import { same } from "../support/same.js";
import { sseBody, sseEvent } from "../support/sse.js";
import { append, end, failure, MODEL, modelOf, ping, set, setMeta, start } from "./base.js";

// docs/semantics.md §10: a checkpoint taken anywhere by any engine brings any other engine to the same state.

/** Everything that must come out the same, wherever a fold was moved on its way. */
function outcome(fold: Fold): unknown {
  const { memory: _, ...stats } = fold.reducer.stats();
  return {
    log: fold.log,
    applied: fold.applied,
    failure: fold.failure,
    streams: fold.streams(),
    queued: fold.reducer.streamIds().map((streamId) => fold.reducer.stats({ streamId }).queued),
    lastEventId: fold.reducer.lastEventId,
    retry: fold.reducer.retry,
    stats,
    finish: fold.finish(),
  };
}

interface Script {
  name: string;
  transport: Transport;
  options?: Options;
  body: Uint8Array;
}

const texts = (...events: unknown[]): string[] =>
  events.map((event) => (typeof event === "string" ? event : JSON.stringify(event)));
const X = { id: "x", type: "t", content: "" };

/** Short bodies, each cut at every byte. */
const SHORT: Script[] = [
  {
    name: "sse with a BOM, CRLF, CR, comments, ids, retry and split data lines",
    transport: "sse",
    body: concat([
      utf8("\ufeff: hi\r\nid: 1\r\nretry: 20\r\n"),
      utf8(sseEvent(JSON.stringify(start(modelOf(X))), { eol: "\r\n", multiLine: true })),
      utf8(
        `id:é2\revent: x\rdata:{"op":"append","seq":2,\rdata: "mask":"block.content",\rdata:"block":{"id":"x","content":"\\ud83d"}}\r\r`,
      ),
      utf8(
        '\n\ndata\ndata:\nid\n\nid: 3\nretry: 5\ndata: {"op":"append","seq":4,"mask":"block.content","block":{"content":"\\ude00é中😀","id":"x"}}\n\n',
      ),
      utf8("id: 4\r\n\r\ndata: [DONE]\n\n: \n"),
    ]),
  },
  {
    name: "sse with an unterminated tail",
    transport: "sse",
    body: utf8(`data: ${texts(start(modelOf(X)))}\n\ndata: ${texts(append(2, "x", "a"))}\r\nid: 9\r\ndata:   `),
  },
  {
    name: "sse that fails",
    transport: "sse",
    body: concat([
      sseBody(texts(start(modelOf(X)), append(2, "x", "a"))),
      utf8('data: {"op":\ndata: x}\n\n'),
      sseBody(texts(append(3, "x", "b"))),
    ]),
  },
  {
    name: "sse with ill-formed bytes that are replaced",
    transport: "sse",
    options: { utf8: "replace" },
    body: concat([
      sseBody(texts(start(modelOf(X)))),
      latin1(
        'id: \xff\ndata: {"op":"append","seq":2,"mask":"block.content","block":{"id":"x","content":"\xe2\x82\xf0\x9f\x98!"}}\n\n',
      ),
    ]),
  },
  {
    name: "ndjson with violations, repetitions and gaps",
    transport: "ndjson",
    body: utf8(
      `${texts(start(modelOf(X), { stream_id: "p" }), "", " \r", append(1, "x", "a", { stream_id: "p" }), append(1, "x", "a", { stream_id: "p" }), append(5, "x", "b", { stream_id: "p" }), start(modelOf(X)), set(2, { id: 5 }), append(2, "x", "a"), end(9, { stream_id: "p" })).join("\n")}`,
    ),
  },
  {
    name: "ndjson with undecodable and too large lines that are skipped",
    transport: "ndjson",
    options: { undecodable: "skip", limits: { messageBytes: 120 } },
    body: utf8(
      `${texts(start(modelOf(X)), "{", "[]", append(2, "x", "z".repeat(120)), append(3, "x", "é")).join("\r\n")}\r\n{"x`,
    ),
  },
];

const packed = (...events: unknown[]): Uint8Array => concat(texts(...events).map(msgpackOf));

SHORT.push(
  {
    name: "msgpack with violations, repetitions, gaps and a message that does not end",
    transport: "msgpack",
    body: concat([
      packed(
        start(modelOf(X), { stream_id: "p" }),
        append(1, "x", "a", { stream_id: "p" }),
        append(5, "x", "é😀", { stream_id: "p" }),
      ),
      packed(start(modelOf(X)), set(2, { id: 5 }), append(2, "x", "a"), end(9, { stream_id: "p" })),
      hex("82 a2 6f 70 a4 70 69 6e 67 a3 73 65"),
    ]),
  },
  {
    name: "msgpack that fails",
    transport: "msgpack",
    body: concat([packed(start(modelOf(X)), append(2, "x", "a")), hex("93 01 a1 ff c0"), packed(append(3, "x", "b"))]),
  },
  {
    name: "msgpack with undecodable and too large messages that are skipped",
    transport: "msgpack",
    options: { undecodable: "skip", limits: { messageBytes: 90, depth: 6 } },
    body: concat([
      packed(start(modelOf(X))),
      hex("91 c1 91 91 91 91 91 91 91 82 01 02 a0 c0"),
      packed(append(2, "x", ["z".repeat(60), [{ "": ["y".repeat(40)], k: [[1]] }], 70000])),
      hex("df 00 00 00 02 a1 61 dc 00 20"),
      new Uint8Array(32).fill(0xd1),
      new Uint8Array(64).fill(0xa0),
      hex("c7 04 ff 00 00 00 00 c0"),
      packed(append(3, "x", "é")),
      hex("da 01 00"),
      new Uint8Array(100),
    ]),
  },
  {
    name: "msgpack with ill-formed bytes that are replaced",
    transport: "msgpack",
    options: { utf8: "replace" },
    body: concat([packed(start(modelOf(X))), hex("81 a3 ff 62 63 a2 e4 b8"), packed(append(2, "x", "a"))]),
  },
);

/** Longer sequences, moved at every message. */
const LONG: { name: string; options?: Options; events: string[] }[] = [
  {
    name: "every op on several streams, odd ids, references, digits",
    events: texts(
      start(),
      '{"op":"start","seq":1,"stream_id":"\\ud800","model":{"version":"1.0","biz":"é","meta":{"n":9007199254740993,"__proto__":{"a":1.10}},"blocks":[{"id":"\\"","type":"t","content":"\\u0000"}]}}',
      start(modelOf(X), { stream_id: "__proto__" }),
      append(2, "a", "!"),
      append(2, "x", "1", { stream_id: "__proto__" }),
      '{"op":"append","seq":2,"stream_id":"\\ud800","mask":"block.content","block":{"id":"\\"","content":"\\ud83d"}}',
      '{"op":"append","seq":3,"stream_id":"\\ud800","mask":"block.content","block":{"id":"\\"","content":"\\ude00"}}',
      append(2, "a", "again"),
      append(1, "a", "again"),
      append(3, "r", "unresolved"),
      setMeta(3, "meta.deep.er", { deep: { er: [1] } }),
      set(5, { id: "a", ref: "k" }),
      set(5, { id: 5 }, { stream_id: "__proto__" }),
      append(3, "x", "dropped", { stream_id: "__proto__" }),
      append(3, "x", "nobody", { stream_id: "never" }),
      failure(6, { code: "c", message: "m" }),
      end(7),
      ping(7),
      start(modelOf(X), { stream_id: "__proto__" }),
      end(4, { stream_id: "\ud800" }),
    ),
  },
  {
    name: "keepEnded goes on in the order of ending",
    options: { keepEnded: 1 },
    events: texts(
      ...["p", "q", "r"].map((id) => start(modelOf(X), { stream_id: id })),
      end(1, { stream_id: "q" }),
      end(1, { stream_id: "p" }),
      start(modelOf(X), { stream_id: "q" }),
      end(1, { stream_id: "r" }),
      end(1, { stream_id: "q" }),
    ),
  },
  {
    name: "a stream that was refused after its end, and one that ended twice",
    events: texts(
      start(modelOf(X), { stream_id: "p" }),
      end(1, { stream_id: "p" }),
      set(2, {}, { stream_id: "p" }),
      start(modelOf(X), { stream_id: "q" }),
      end(1, { stream_id: "q" }),
      start(modelOf(X), { stream_id: "q" }),
      end(1, { stream_id: "q" }),
      start(modelOf(X), { stream_id: "p" }),
    ),
  },
  {
    name: "strict, skip-event",
    options: { sequence: "strict", onViolation: "skip-event" },
    events: texts(
      start(modelOf(X)),
      append(2, "x", "a"),
      append(2, "x", "b"),
      append(3, "x", 5),
      append(3, "x", "c"),
      end(1),
      end(3),
    ),
  },
  {
    name: "off",
    options: { sequence: "off" },
    events: texts(start(modelOf(X), { seq: 9 }), append(2, "x", "a"), append(2, "x", "b"), end(1)),
  },
];

function run(
  from: ReducerKind,
  to: ReducerKind,
  script: Script,
  chunks: readonly Uint8Array[],
  moveBefore: number,
): Fold {
  let fold = new Fold(engine(from), script.transport, script.options);
  chunks.forEach((chunk, index) => {
    if (index === moveBefore) fold = fold.migrate(engine(to));
    if (fold.failure === undefined) fold.push(chunk);
  });
  return chunks.length <= moveBefore ? fold.migrate(engine(to)) : fold;
}

/** The full core that a slim one is least like: simd and scalar differ in nothing that a checkpoint holds. */
const OTHER = { "slim-simd": "wasm-scalar", "slim-scalar": "wasm-simd" } as const;
/** The three engines in all pairs, and each slim build with those that it may hand over to. */
const PAIRS: readonly (readonly [from: ReducerKind, to: ReducerKind])[] = [
  ...KINDS.flatMap((from) => KINDS.map((to) => [from, to] as const)),
  ...SLIM_KINDS.flatMap((slim) =>
    KINDS.filter((kind) => kind !== OTHER[slim]).flatMap(
      (kind) =>
        [
          [slim, kind],
          [kind, slim],
        ] as const,
    ),
  ),
];
const isSlim = (kind: ReducerKind): boolean => (SLIM_KINDS as readonly ReducerKind[]).includes(kind);

describe.each(PAIRS)("checkpoint of %s restored by %s", (from, to) => {
  const readable = SHORT.filter(({ transport }) => transport !== "msgpack" || !(isSlim(from) || isSlim(to)));
  it.each(readable)("$name, moved at every byte", (script) => {
    const whole = run(from, from, script, [script.body], 0);
    // A failed connection is saved as after reconnect(), so a move behind the failure is another story.
    const last = whole.failure?.byteOffset ?? script.body.length;
    const wanted = outcome(whole);
    whole.reducer.close();
    for (let at = 0; at <= last; at++) {
      const fold = run(from, to, script, [script.body.subarray(0, at), script.body.subarray(at)], 1);
      same(outcome(fold), wanted, `cut at ${at}`);
      fold.reducer.close();
    }
  });

  it.each(LONG)("$name, moved at every message", ({ options, events }) => {
    for (const transport of ["sse", "ndjson", "json", "msgpack"] as const) {
      if (transport === "msgpack" && (isSlim(from) || isSlim(to))) continue;
      if (transport === "msgpack" && events.some((text) => carried(transport, text) === undefined)) continue;
      const script: Script = { name: "", transport, body: new Uint8Array(), ...(options ? { options } : {}) };
      const chunks = events.map((text) => {
        if (transport === "msgpack") return msgpackOf(text);
        return utf8(transport === "sse" ? sseEvent(text) : transport === "ndjson" ? `${text}\n` : text);
      });
      const straight = run(from, from, script, chunks, 0);
      const wanted = outcome(straight);
      straight.reducer.close();
      for (let index = 0; index <= chunks.length; index++) {
        const fold = run(from, to, script, chunks, index);
        same(outcome(fold), wanted, `${transport}, moved before message ${index}`);
        fold.reducer.close();
      }
    }
  });

  it("objects before the move, bytes after it, and the other way round", () => {
    for (const bytesFirst of [false, true]) {
      let fold = new Fold(engine(from), "json");
      const feed = (event: Record<string, unknown>, asBytes: boolean): void => {
        if (asBytes) fold.push(utf8(JSON.stringify(event)));
        else fold.apply(event);
      };
      feed(start(), bytesFirst);
      feed(append(2, "a", "!"), bytesFirst);
      fold = fold.migrate(engine(to));
      feed(append(3, "a", "?"), !bytesFirst);
      feed(end(4), bytesFirst);
      expect(fold.streams()).toMatchObject([{ status: "ended", seq: 4, version: 3 }]);
      expect(fold.reducer.snapshot()).toMatchObject({ blocks: [{ id: "a", content: "Hello!?" }, {}, {}, {}] });
      fold.reducer.close();
    }
  });

  it("paused queues, with their event indexes and lost events", () => {
    const limits = { queuedBytes: 3 * JSON.stringify(append(2, "x", "1", { stream_id: "p" })).length };
    for (const moved of [0, 1, 2, 3]) {
      let fold = new Fold(engine(from), "ndjson", { limits });
      const move = (step: number): void => {
        if (step === moved) fold = fold.migrate(engine(to));
      };
      fold.push(
        utf8(`${texts(start(modelOf(X), { stream_id: "p" }), start(modelOf(X), { stream_id: "q" })).join("\n")}\n`),
      );
      fold.reducer.pause({ streamId: "p" });
      fold.reducer.pause({ streamId: "q" });
      move(0);
      fold.push(
        utf8(
          `${texts(append(2, "x", "1", { stream_id: "p" }), append(5, "x", "2", { stream_id: "p" }), append(2, "x", 5, { stream_id: "q" })).join("\n")}\n`,
        ),
      );
      move(1);
      fold.push(
        utf8(
          `${texts(append(6, "x", "3", { stream_id: "p" }), append(7, "x", "lost", { stream_id: "p" })).join("\n")}\n`,
        ),
      );
      move(2);
      expect([fold.resume("q"), fold.resume("p")]).toEqual([0, 3]);
      move(3);
      expect(fold.log.filter((entry) => entry.kind !== "event")).toMatchObject([
        { kind: "error", error: { code: "limit", path: "/stream_id", streamId: "p", eventIndex: 6 } },
        { kind: "error", error: { code: "bad_field", path: "/block/content", streamId: "q", eventIndex: 4 } },
        { kind: "gap", gap: { streamId: "p", lastSeq: 2, seq: 5, eventIndex: 3 } },
      ]);
      expect(fold.streams(), `moved at ${moved}`).toMatchObject([
        { streamId: "p", status: "refused", seq: 6, version: 4 },
        { streamId: "q", status: "refused", seq: 1, version: 1 },
      ]);
      fold.reducer.close();
    }
  });

  it("an unknown seq, and changes that know the current version only", () => {
    const first = new Fold(engine(from), "json");
    first.reducer.load(MODEL);
    first.reducer.changes();
    const fold = first.migrate(engine(to));
    expect(fold.reducer.seq()).toBeUndefined();
    expect(fold.reducer.changes({ since: 1 })).toEqual({ version: 1, changes: [] });
    expect(fold.reducer.changes({ since: 0 })).toEqual({ version: 1, resync: true });
    fold.push(utf8(JSON.stringify(append(70, "a", "!"))));
    expect(fold.gaps).toEqual([]);
    expect(fold.reducer.changes({ since: 1 })).toEqual({
      version: 2,
      changes: [{ streamId: "", kind: "append", id: "a", field: "content", from: 5, to: 6, text: "!" }],
    });
    fold.reducer.close();
  });

  it("replaces whatever was there before", () => {
    const source = new Fold(engine(from), "sse");
    source.push(sseBody(texts(start(modelOf(X)), append(2, "x", "a")), { id: "7" }));
    const bytes = source.reducer.checkpoint();
    const target = new Fold(engine(to), "sse");
    target.push(sseBody(texts(start(MODEL, { stream_id: "old" })), { id: "1", retry: "5" }));
    target.push(utf8("data: {half"));
    target.reducer.restore(bytes);
    expect(target.streams()).toEqual(source.streams());
    expect(target.reducer.lastEventId).toBe("7");
    expect(target.reducer.retry).toBeUndefined();
    target.push(sseBody(texts(append(3, "x", "b"))));
    expect(target.reducer.snapshot()).toEqual(modelOf({ ...X, content: "ab" }));
    source.reducer.close();
    target.reducer.close();
  });
});

describe.each(KINDS)("layout of a checkpoint, %s", (kind) => {
  it("is the documented one", () => {
    const fold = new Fold(engine(kind), "sse", { onViolation: "refuse-stream" });
    const body = concat([
      sseBody(
        texts(
          start(modelOf(X), { stream_id: 'a"é' }),
          append(3, "x", "1", { stream_id: 'a"é' }),
          append(3, "x", "1", { stream_id: 'a"é' }),
        ),
        { id: "é1" },
      ),
      sseBody(
        texts(
          start(modelOf(X), { stream_id: "ended" }),
          end(1, { stream_id: "ended" }),
          start(modelOf(X), { stream_id: "refused" }),
          set(2, {}, { stream_id: "refused" }),
          ping(1, { stream_id: "refused" }),
        ),
      ),
      sseBody(texts(start(modelOf(X)), failure(2, { code: "c", message: "m" })), { retry: "70" }),
    ]);
    fold.push(body);
    fold.reducer.pause({ streamId: 'a"é' });
    const before = sseBody(texts(append(9, "x", "queued", { stream_id: 'a"é' })));
    fold.push(before);
    fold.push(utf8("id: 9\ndata: {\r"));
    fold.reducer.load(MODEL, { streamId: "loaded" });
    const saved = readCheckpoint(fold.reducer.checkpoint());
    expect(saved).toMatchObject({
      format: 1,
      protocol: 1,
      transport: 1,
      offset: body.length + before.length + "id: 9\ndata: {\r".length,
      eventIndex: 11,
      retry: 70,
      counters: { events: 11, applied: 7, skipped: 1, dropped: 1, errors: 1, warnings: 1 },
      flags: 1 + 2 + 4,
      lastEventId: "é1",
    });
    const column = (name: keyof (typeof saved.streams)[number]): unknown[] =>
      saved.streams.map((stream) => stream[name]);
    expect(column("streamId")).toEqual(['a"é', "ended", "refused", "", "loaded"]);
    expect(column("status")).toEqual([1, 3, 4, 2, 1]);
    expect(column("flags")).toEqual([1 + 2 + 4, 1, 1, 1, 0]);
    expect(saved.streams.slice(0, 4).map((stream) => stream.seq)).toEqual([3, 1, 1, 2]);
    expect(column("version")).toEqual([2, 1, 1, 2, 1]);
    expect(column("applied")).toEqual([2, 2, 1, 2, 0]);
    expect(column("skipped")).toEqual([1, 0, 0, 0, 0]);
    expect(column("dropped")).toEqual([0, 0, 1, 0, 0]);
    expect(saved.streams.map((stream) => stream.ended > 0)).toEqual([false, true, false, false, false]);
    expect(saved.streams[0]?.queue).toMatchObject([{ eventIndex: 10 }]);
    expect(JSON.parse(saved.streams[0]?.queue[0]?.message ?? "")).toEqual(
      append(9, "x", "queued", { stream_id: 'a"é' }),
    );
    expect(saved.streams.map((stream) => stream.model)).toEqual(fold.streams().map((stream) => stream.model));
    fold.reducer.close();
  });

  it("of a new reducer and of a finished body", () => {
    for (const [transport, id] of [
      ["sse", 1],
      ["ndjson", 2],
      ["json", 3],
    ] as const) {
      const fold = new Fold(engine(kind), transport);
      expect(readCheckpoint(fold.reducer.checkpoint())).toMatchObject({
        transport: id,
        offset: 0,
        eventIndex: 0,
        retry: -1,
        flags: 0,
        streams: [],
      });
      fold.finish();
      expect(readCheckpoint(fold.reducer.checkpoint()).flags & 8).toBe(8);
      fold.reducer.close();
    }
  });

  it("a failed connection is saved as after reconnect", () => {
    const fold = new Fold(engine(kind), "sse");
    fold.push(concat([sseBody(texts(start(modelOf(X))), { id: "5", retry: "3" }), utf8("id: 6\ndata: {]\n\n")]));
    expect(fold.failure?.code).toBe("bad_json");
    const saved = readCheckpoint(fold.reducer.checkpoint());
    expect(saved).toMatchObject({ offset: 0, eventIndex: 0, retry: 3, lastEventId: "5", flags: 4 });
    expect(saved.partial.length).toBe(0);
    const next = fold.migrate(engine(kind));
    next.push(sseBody(texts(append(2, "x", "a"))));
    expect(next.reducer.snapshot()).toEqual(modelOf({ ...X, content: "a" }));
    next.reducer.close();
  });
});

describe.each(REDUCER_KINDS)("bad checkpoints, %s", (kind) => {
  const sample = (): Uint8Array => {
    const fold = new Fold(engine(kind), "sse");
    fold.push(
      sseBody(
        texts(
          start(modelOf(X, { id: "r", ref: "k" }), { stream_id: "é" }),
          append(3, "x", "a", { stream_id: "é" }),
          start(modelOf()),
        ),
        { id: "5", retry: "3" },
      ),
    );
    fold.reducer.pause({ streamId: "é" });
    fold.push(concat([sseBody(texts(append(4, "x", "b", { stream_id: "é" }))), utf8("id: 6\ndata: {")]));
    const bytes = fold.reducer.checkpoint();
    fold.reducer.close();
    return bytes;
  };

  /** Restores into a fold with state of its own: refused means nothing has changed, accepted means it works. */
  function attempt(bytes: Uint8Array, label: string): boolean {
    const fold = new Fold(engine(kind), "sse");
    fold.push(sseBody(texts(start(modelOf(X), { stream_id: "own" }))));
    const before = fold.fingerprint();
    const error = thrown(() => fold.reducer.restore(bytes));
    if (error !== undefined) {
      same(error, { code: "bad_checkpoint", scope: "usage" }, label);
      same(fold.fingerprint(), before, label);
      fold.push(sseBody(texts(append(2, "x", "a", { stream_id: "own" }))));
      same(fold.reducer.snapshot({ streamId: "own" }), modelOf({ ...X, content: "a" }), label);
    } else {
      fold.streams();
      readCheckpoint(fold.reducer.checkpoint());
    }
    fold.reducer.close();
    return error === undefined;
  }

  it("every truncation and every extension is refused", () => {
    const bytes = sample();
    for (let length = 0; length < bytes.length; length++) {
      expect(attempt(bytes.subarray(0, length), `cut to ${length}`), `cut to ${length}`).toBe(false);
    }
    expect(attempt(concat([bytes, Uint8Array.of(0)]), "longer")).toBe(false);
    const relabelled = concat([bytes, Uint8Array.of(0)]);
    new DataView(relabelled.buffer).setUint32(8, relabelled.length, true);
    expect(attempt(relabelled, "longer and says so")).toBe(false);
    expect(attempt(bytes, "the sample itself")).toBe(true);
  });

  it("a changed byte is refused or restores a state that works", () => {
    const bytes = sample();
    let refused = 0;
    for (let at = 0; at < bytes.length; at++) {
      for (const value of [0, 0xff, (bytes[at] as number) ^ 1, (bytes[at] as number) ^ 0x80, 0x22]) {
        const changed = bytes.slice();
        changed[at] = value;
        if (value !== bytes[at] && !attempt(changed, `byte ${at} becomes ${value}`)) refused++;
      }
    }
    expect(refused).toBeGreaterThan(bytes.length);
  });

  it("another format, protocol, transport and something else altogether are refused", () => {
    const bytes = sample();
    for (const [at, value] of [
      [4, 2],
      [5, 1],
      [6, 0],
      [6, 2],
      [7, 0],
      [7, 2],
      [7, 3],
      [7, 4],
    ] as const) {
      const changed = bytes.slice();
      changed[at] = value;
      expect(attempt(changed, `byte ${at} becomes ${value}`), `byte ${at} becomes ${value}`).toBe(false);
    }
    expect(attempt(utf8("SFCK"), "the magic alone")).toBe(false);
    expect(attempt(new Uint8Array(200), "zeros")).toBe(false);
    expect(attempt(utf8(JSON.stringify({})), "JSON")).toBe(false);
  });
});
