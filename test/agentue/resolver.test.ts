import { describe, expect, it } from "vitest";
import {
  createResolver,
  type FailedReference,
  type LoadRequest,
  type ResolverOptions,
} from "../../src/agentue/index.js";
import type { Reducer } from "../../src/engine/contract.js";
import type { StreamfoldError } from "../../src/errors.js";
import { append, end, modelOf, start } from "../contract/base.js";
import { concat, utf8 } from "../support/bytes.js";
import { ONE_BYTE, randomCuts, WHOLE } from "../support/chunking.js";
import { engine, KINDS } from "../support/engines.js";
import { bytesOf, type Json, pausing, TRANSPORTS, turn } from "./support.js";

const R = { id: "r", ref: "key" };
const S = { id: "s", ref: "key" };
const body = (id: string, content = "body"): Json => ({ id, type: "text", content });
const events = (...list: Json[]): Uint8Array => concat(list.map((event) => bytesOf(event)));

/** A loader that answers when it is told to. */
function byHand() {
  const requests: (LoadRequest & { answer(block: unknown): void; refuse(error: unknown): void })[] = [];
  const load = (request: LoadRequest): Promise<unknown> =>
    new Promise((answer, refuse) => requests.push({ ...request, answer, refuse }));
  return { requests, load };
}

interface Failure {
  error: StreamfoldError;
  reference: FailedReference;
}

function resolving(reducer: Reducer, options: Partial<ResolverOptions> = {}) {
  const failures: Failure[] = [];
  const hand = byHand();
  const onError: ResolverOptions["onError"] = (error, reference) => void failures.push({ error, reference });
  const resolver = createResolver(reducer, { load: hand.load, onError, ...options });
  return { resolver, failures, requests: hand.requests };
}

const contents = (reducer: Reducer, streamId = ""): unknown[] | undefined =>
  reducer.snapshot<{ blocks: Json[] }>({ streamId })?.blocks.map((block) => block.content ?? block.ref);

describe.each(KINDS)("createResolver on %s", (kind) => {
  it.each(TRANSPORTS)("loads what a stream waits for, and lets it go on in order, over %s", async (transport) => {
    const list = [start(modelOf(R, S)), append(2, "r", "1"), append(3, "s", "2"), append(4, "r", "3"), end(5)];
    for (const chunking of transport === "json" ? [WHOLE] : [WHOLE, ONE_BYTE, randomCuts(3)]) {
      const reducer = pausing(kind, transport, { sequence: "strict" });
      const asked: unknown[] = [];
      const { resolver, failures } = resolving(reducer, {
        load: async ({ signal: _, ...request }) => {
          asked.push(request);
          return request.id === "r" ? body("r") : utf8(JSON.stringify(body("s")));
        },
      });
      const wire = list.map((event) => bytesOf(event, transport));
      for (const chunk of transport === "json" ? wire : chunking.split(concat(wire))) reducer.push(chunk);
      expect(reducer.seq()).toBe(1);
      await resolver.idle();
      expect(asked).toEqual([
        { streamId: "", id: "r", ref: "key", biz: "chat" },
        { streamId: "", id: "s", ref: "key", biz: "chat" },
      ]);
      expect(contents(reducer)).toEqual(["body13", "body2"]);
      expect([reducer.seq(), reducer.finish().status, failures]).toEqual([5, "complete", []]);
      reducer.close();
    }
  });

  it("takes events that come as objects, and the move into the engine's own session", async () => {
    const reducer = pausing(kind);
    const { resolver, requests } = resolving(reducer);
    reducer.apply(start(modelOf(R)));
    reducer.apply(append(2, "r", "1"));
    await turn();
    reducer.push(bytesOf(append(3, "r", "2")));
    for (const request of requests) request.answer(body("r", "old "));
    await turn();
    for (const request of requests.slice(1)) request.answer(body("r", "new "));
    await resolver.idle();
    // The JavaScript engine needs no move.
    expect(contents(reducer)).toEqual([requests.length === 1 ? "old 12" : "new 12"]);
    expect(reducer.seq()).toBe(3);
    reducer.close();
  });

  const BAD: [string, Partial<ResolverOptions>, object][] = [
    ["throws", { load: () => Promise.reject(new Error("no")) }, { message: "no" }],
    [
      "throws at once",
      {
        load: () => {
          throw new Error("no");
        },
      },
      { message: "no" },
    ],
    ["gives nothing", { load: async () => undefined }, { code: "not_json" }],
    ["gives another block", { load: async () => body("s") }, { code: "bad_block", path: "/id" }],
    ["gives a reference", { load: async () => R }, { code: "bad_block", path: "/ref" }],
    ["gives a block without a type", { load: async () => ({ id: "r" }) }, { code: "bad_block", path: "/type" }],
    ["gives a text that is no JSON", { load: async () => '{"id":"r"' }, { code: "bad_json" }],
    ["gives ill-formed bytes", { load: async () => Uint8Array.of(0x22, 0xff, 0x22) }, { code: "invalid_utf8" }],
  ];

  it.each(BAD)("a loader that %s: a typed error, and the stream stays paused as it was", async (_, options, cause) => {
    const reducer = pausing(kind);
    const { resolver, failures } = resolving(reducer, options);
    reducer.push(events(start(modelOf(R, S)), append(2, "r", "1"), append(3, "r", "2")));
    const before = reducer.snapshotBytes();
    await resolver.idle();
    expect(failures).toMatchObject([
      {
        error: { code: "load_failed", scope: "stream", streamId: "", subject: "r", cause },
        reference: { streamId: "", id: "r", ref: "key" },
      },
    ]);
    expect(reducer.snapshotBytes()).toEqual(before);
    expect([reducer.seq(), reducer.status(), reducer.stats({ streamId: "" }).queued]).toEqual([1, "open", 2]);
    expect(resolver.failures()).toEqual([{ streamId: "", id: "r" }]);
    reducer.close();
  });

  it("a loader that hangs fails after its time, is aborted, and what it says later is not heard", async () => {
    const reducer = pausing(kind);
    const { resolver, failures, requests } = resolving(reducer, { timeout: 5 });
    reducer.push(events(start(modelOf(R)), append(2, "r", "1")));
    await resolver.idle();
    expect(failures).toMatchObject([{ error: { code: "load_failed" }, reference: { id: "r" } }]);
    expect(requests[0]!.signal.aborted).toBe(true);
    requests[0]!.answer(body("r", "late "));
    await turn();
    expect(contents(reducer)).toEqual(["key"]);
    expect(resolver.retry({ id: "r" })).toBe(true);
    expect(resolver.retry({ id: "r" })).toBe(false);
    await turn();
    requests[0]!.answer(body("r", "later "));
    requests[1]!.answer(body("r", "good "));
    requests[1]!.answer(body("r", "twice "));
    await resolver.idle();
    await turn();
    expect(contents(reducer)).toEqual(["good 1"]);
    expect(failures.length).toBe(1);
    reducer.close();
  });

  it("retry loads again, skip refuses the event alone; each only where there is something to decide", async () => {
    const errors: unknown[] = [];
    const gaps: number[] = [];
    const reducer = pausing(kind, "ndjson", {
      onError: ({ code, seq }) => errors.push([code, seq]),
      onGap: ({ seq }) => gaps.push(seq),
    });
    const answers: unknown[] = [new Error("first"), new Error("second"), body("r")];
    const { resolver, failures } = resolving(reducer, {
      load: async () => {
        const answer = answers.shift();
        if (answer instanceof Error) throw answer;
        return answer;
      },
    });
    expect([resolver.retry({ id: "r" }), resolver.skip()]).toEqual([false, false]);
    reducer.push(
      events(start(modelOf(R, body("x", ""))), append(2, "r", "1"), append(3, "x", "2"), append(4, "r", "3")),
    );
    await resolver.idle();
    expect([resolver.retry({ id: "s" }), resolver.retry({ streamId: "p", id: "r" })]).toEqual([false, false]);
    expect(resolver.retry({ id: "r" })).toBe(true);
    await resolver.idle();
    expect(failures.map(({ error }) => (error.cause as Error).message)).toEqual(["first", "second"]);
    expect(resolver.skip({ streamId: "", id: "another" })).toBe(false);
    expect(resolver.skip({ streamId: "", id: "r" })).toBe(true);
    expect([errors, gaps, reducer.seq()]).toEqual([[["unresolved_reference", 2]], [3], 3]);
    await resolver.idle();
    expect(contents(reducer)).toEqual(["body3", "2"]);
    expect([resolver.failures(), resolver.skip()]).toEqual([[], false]);
    reducer.close();
  });

  it("without the reducer's onError the resolver's hears what queued events are refused for", async () => {
    const reducer = pausing(kind, "ndjson", { onViolation: "skip-event" });
    const { resolver, failures } = resolving(reducer, { load: ({ id }) => body(id) });
    reducer.push(
      events(start(modelOf(R)), append(2, "r", "1"), append(3, "r", 5), append(4, "nobody", "x"), append(5, "r", "2")),
    );
    await resolver.idle();
    expect(failures.map(({ error, reference }) => [error.code, error.path, reference.id])).toEqual([
      ["bad_field", "/block/content", "r"],
      ["bad_block", "/block/type", "r"],
    ]);
    expect(contents(reducer)).toEqual(["body12"]);
    reducer.close();
  });

  it("a start voids the load of the model before; the new model's reference is loaded anew", async () => {
    const reducer = pausing(kind);
    const { resolver, failures, requests } = resolving(reducer);
    reducer.push(events(start(modelOf(R)), append(2, "r", "1")));
    await turn();
    reducer.push(events(start(modelOf(R), { seq: 7 })));
    requests[0]!.answer(body("r", "old "));
    await resolver.idle();
    expect(contents(reducer)).toEqual(["key"]);
    reducer.push(events(append(8, "r", "2")));
    await turn();
    reducer.push(events(start(modelOf(R), { seq: 9 }), append(10, "r", "3")));
    await turn();
    expect(requests.map(({ signal }) => signal.aborted)).toEqual([false, true, false]);
    requests[1]!.answer(body("r", "old "));
    requests[2]!.answer(body("r", "new "));
    await resolver.idle();
    expect([contents(reducer), reducer.seq(), failures]).toEqual([["new 3"], 10, []]);
    reducer.close();
  });

  it.each([
    ["release", (reducer: Reducer) => void reducer.release()],
    ["reset", (reducer: Reducer) => reducer.reset()],
    ["load", (reducer: Reducer) => reducer.load(modelOf(R))],
    [
      "a new stream of the same id",
      (reducer: Reducer) => {
        reducer.release();
        reducer.push(events(start(modelOf(R))));
      },
    ],
    ["the close of the reducer", (reducer: Reducer) => reducer.close()],
  ])("a late answer after %s does nothing", async (_, change) => {
    const reducer = pausing(kind);
    const { resolver, failures, requests } = resolving(reducer);
    reducer.push(events(start(modelOf(R)), append(2, "r", "1")));
    await turn();
    change(reducer);
    const closed = (() => {
      try {
        return reducer.streamIds() === undefined;
      } catch {
        return true;
      }
    })();
    requests[0]!.answer(body("r"));
    await resolver.idle();
    await turn();
    expect(failures).toEqual([]);
    if (!closed) expect(contents(reducer) ?? ["key"]).toEqual(["key"]);
    reducer.close();
  });

  it("close and abort stop everything: streams stay as they are, late answers do nothing", async () => {
    for (const way of ["close", "abort"] as const) {
      const reducer = pausing(kind);
      const controller = new AbortController();
      const { resolver, failures, requests } = resolving(reducer, { concurrency: 1, signal: controller.signal });
      for (const streamId of ["p", "q"]) {
        reducer.push(events(start(modelOf(R), { stream_id: streamId }), append(2, "r", "1", { stream_id: streamId })));
      }
      await turn();
      const all = resolver.resolveAll({ streamId: "p" }).then(
        () => "resolved",
        (error: StreamfoldError) => error.code,
      );
      if (way === "close") resolver.close();
      else controller.abort();
      resolver.close();
      await resolver.idle();
      expect([await all, requests.length, requests[0]!.signal.aborted]).toEqual(["closed", 1, true]);
      requests[0]!.answer(body("r"));
      await turn();
      expect([contents(reducer, "p"), reducer.stats().queued, failures]).toEqual([["key"], 2, []]);
      expect(() => resolver.skip()).toThrow(expect.objectContaining({ code: "closed" }));
      expect(() => resolver.retry(R)).toThrow(expect.objectContaining({ code: "closed" }));
      // Another one may take over.
      const next = resolving(reducer, { load: ({ id }) => body(id) });
      await next.resolver.idle();
      expect([contents(reducer, "p"), contents(reducer, "q")]).toEqual([["body1"], ["body1"]]);
      reducer.close();
    }
  });

  it("loads no more at a time than it may, in the order they came", async () => {
    const reducer = pausing(kind);
    const ids = Array.from({ length: 10 }, (_, i) => `s${i}`);
    const { resolver, requests } = resolving(reducer, { concurrency: 3 });
    for (const streamId of ids) {
      reducer.push(events(start(modelOf(R), { stream_id: streamId }), append(2, "r", "1", { stream_id: streamId })));
    }
    for (let done = 0; done < 10; done++) {
      await turn();
      expect(requests.length).toBe(Math.min(10, done + 3));
      expect(requests[done]!.streamId).toBe(`s${done}`);
      requests[done]!.answer(body("r"));
    }
    await resolver.idle();
    for (const streamId of ids) expect(contents(reducer, streamId)).toEqual(["body1"]);
    reducer.close();
  });

  it("resolveAll materializes what is there and what comes in meanwhile", async () => {
    const reducer = pausing(kind);
    const { resolver, requests, failures } = resolving(reducer);
    reducer.push(events(start(modelOf(R, body("x"), S))));
    const all = resolver.resolveAll();
    await turn();
    expect(requests.map(({ id }) => id)).toEqual(["r", "s"]);
    reducer.push(events({ op: "set", seq: 2, block: { id: "t", ref: "k" } }, append(3, "s", "!")));
    // No stream needs it any more once it has a body.
    reducer.push(events({ op: "set", seq: 4, block: body("r", "set") }));
    requests[1]!.answer(body("s"));
    requests[0]!.answer(body("r", "loaded"));
    await turn();
    requests[2]!.answer(body("t"));
    await all;
    expect([contents(reducer), reducer.seq(), failures]).toEqual([
      ["loaded", "body", "body!", "body"].with(0, "set"),
      4,
      [],
    ]);
    reducer.close();
  });

  it("resolveAll rejects with the first failure, and for a stream without a model", async () => {
    const reducer = pausing(kind);
    const { resolver, failures } = resolving(reducer, {
      load: ({ id }) => (id === "r" ? Promise.reject(new Error("no")) : body(id)),
    });
    await expect(resolver.resolveAll()).rejects.toMatchObject({ code: "no_model" });
    reducer.push(events(start(modelOf(R, S))));
    await expect(resolver.resolveAll()).rejects.toMatchObject({ code: "load_failed", subject: "r" });
    await resolver.idle();
    expect([failures.length, contents(reducer), resolver.failures()]).toEqual([1, ["key", "body"], []]);
    reducer.close();
  });

  it("a stream that was paused by a call is not resumed, but its reference is materialized", async () => {
    const reducer = pausing(kind);
    const { resolver, requests } = resolving(reducer);
    reducer.push(events(start(modelOf(R)), append(2, "r", "1")));
    await turn();
    reducer.pause();
    requests[0]!.answer(body("r"));
    await resolver.idle();
    expect([contents(reducer), reducer.stats({ streamId: "" }).queued]).toEqual([["body"], 1]);
    expect(reducer.resume()).toBe(1);
    expect(contents(reducer)).toEqual(["body1"]);
    reducer.close();
  });

  it("checkpoints while a stream waits: any engine goes on, with a resolver made before or after", async () => {
    const reducer = pausing(kind);
    reducer.push(events(start(modelOf(R, body("x", ""))), append(2, "r", "1"), append(3, "x", "2")));
    const checkpoint = reducer.checkpoint();
    for (const other of KINDS) {
      const before = pausing(other);
      const first = resolving(before, { load: ({ id }) => body(id) });
      before.restore(checkpoint);
      const after = pausing(other);
      after.restore(checkpoint);
      expect(after.unresolved()).toMatchObject({ id: "r", ref: "key" });
      const second = resolving(after, { load: ({ id }) => body(id) });
      for (const [one, { resolver }] of [
        [before, first],
        [after, second],
      ] as const) {
        await resolver.idle();
        expect([contents(one), one.seq()]).toEqual([["body1", "2"], 3]);
        one.close();
      }
    }
    reducer.close();
  });

  it("a checkpoint that says a stream waits with nothing to wait for is refused", () => {
    const reducer = pausing(kind);
    reducer.push(events(start(modelOf(body("r"))), append(2, "r", "1")));
    reducer.pause();
    reducer.push(events(append(3, "r", "2")));
    const checkpoint = reducer.checkpoint();
    // Behind the header, the counters, the flags, two empty runs, the count of streams, the empty id and the status.
    const flags = 12 + 9 * 8 + 1 + 4 + 4 + 4 + 4 + 1;
    expect(checkpoint[flags]).toBe(3);
    checkpoint[flags] = 3 | 16;
    expect(() => pausing(kind).restore(checkpoint)).toThrow(expect.objectContaining({ code: "bad_checkpoint" }));
    reducer.close();
  });

  it("a fork of a stream that waits does, too, and goes on by itself", async () => {
    const reducer = pausing(kind);
    reducer.push(events(start(modelOf(R)), append(2, "r", "1")));
    const fork = reducer.fork();
    expect(fork.unresolved()).toMatchObject({ id: "r", ref: "key", biz: "chat" });
    const { resolver } = resolving(fork, { load: ({ id }) => body(id) });
    await resolver.idle();
    expect([contents(fork), contents(reducer), reducer.unresolved()?.id]).toEqual([["body1"], ["key"], "r"]);
    fork.close();
    reducer.close();
  });

  it("a loader may use the reducer, also at once", async () => {
    const reducer = pausing(kind);
    const { resolver } = resolving(reducer, {
      load: ({ id }) => {
        reducer.push(events(start(modelOf(body("x")), { stream_id: "other" })));
        return body(id);
      },
    });
    reducer.push(events(start(modelOf(R)), append(2, "r", "1")));
    await resolver.idle();
    expect([contents(reducer), contents(reducer, "other")]).toEqual([["body1"], ["body"]]);
    reducer.close();
  });

  it("the application's own listener hears of every pause as well", async () => {
    const pauses: unknown[] = [];
    const reducer = pausing(kind, "ndjson", { onUnresolved: ({ id, seq }) => pauses.push([id, seq]) });
    const { resolver } = resolving(reducer, { load: ({ id }) => body(id) });
    reducer.push(events(start(modelOf(R, S)), append(2, "r", "1"), append(3, "s", "2")));
    await resolver.idle();
    expect(pauses).toEqual([
      ["r", 2],
      ["s", 3],
    ]);
    reducer.close();
  });

  it("refuses what it cannot work with", () => {
    const make = (reducer: unknown, options: unknown) => () =>
      createResolver(reducer as Reducer, options as ResolverOptions);
    const bad = expect.objectContaining({ code: "bad_argument" });
    const fine = { load: () => 1, onError: () => 1 };
    const plain = engine(kind).createReducer({ protocol: "agentue", transport: "sse" });
    expect(make(plain, fine)).toThrow(bad);
    plain.close();
    const reducer = pausing(kind);
    for (const options of [
      null,
      {},
      { ...fine, load: 5 },
      { ...fine, onError: undefined },
      { ...fine, concurrency: 0 },
      { ...fine, concurrency: 1.5 },
      { ...fine, timeout: 0 },
      { ...fine, timeout: Number.NaN },
      { ...fine, timeout: 2 ** 31 },
      { ...fine, signal: {} },
      { ...fine, concurency: 2 },
    ])
      expect(make(reducer, options), JSON.stringify(options)).toThrow(bad);
    const get = (): never => {
      throw new Error("of the caller");
    };
    expect(make(reducer, Object.defineProperty({ ...fine }, "timeout", { get }))).toThrow(bad);
    for (const other of [null, {}, 5]) expect(make(other, fine)).toThrow(bad);
    // an instance of a class may hold more
    const instance = new (class {
      readonly cache = new Map();
      load(): unknown {
        return this.cache;
      }
      onError(): void {}
    })();
    createResolver(reducer, instance);
    expect(make(reducer, fine)).toThrow(bad);
    reducer.close();
  });
});
