import { describe, expect, it } from "vitest";
import { createResolver, type Resolver } from "../../src/agentue/index.js";
import type { FinishResult, Reducer } from "../../src/engine/contract.js";
import { createReducerStream, reduceBody, type StreamChanges } from "../../src/stream/index.js";
import { bytesOf } from "../agentue/support.js";
import { append, end, modelOf, start } from "../contract/base.js";
import { concat } from "../support/bytes.js";
import { ONE_BYTE, randomCuts, WHOLE } from "../support/chunking.js";
import { engine, KINDS } from "../support/engines.js";
import { thrown } from "../support/fold.js";

const EVENTS = [
  start(modelOf({ id: "r", ref: "key" }, { id: "s", ref: "other" })),
  append(2, "r", "1"),
  append(3, "s", "2"),
  append(4, "r", "3"),
  end(5),
];
const BODY = concat(EVENTS.map((event) => bytesOf(event, "ndjson")));
const COMPLETE: FinishResult = { status: "complete", streams: [{ streamId: "", status: "ended" }] };
const OPEN: FinishResult = { status: "truncated", streams: [{ streamId: "", status: "open" }] };
const CHUNKINGS = [WHOLE, ONE_BYTE, randomCuts(5)];

async function* given(chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

function bodyOf(chunks: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

describe.each(KINDS)("bodies whose streams wait for references, on %s", (kind) => {
  const make = (): Reducer =>
    engine(kind).createReducer({ protocol: "agentue", transport: "ndjson", unresolved: "pause" });
  const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const resolving = (reducer: Reducer, load?: () => unknown): Resolver =>
    createResolver(reducer, {
      load: load ?? (({ id }) => later(1).then(() => ({ id, type: "text", content: "body " }))),
      onError() {},
    });
  const contents = (reducer: Reducer): unknown =>
    reducer.snapshot<{ blocks: { content?: string }[] }>()?.blocks.map(({ content }) => content);

  it.each(CHUNKINGS)("reduceBody waits for the resolver before it finishes, $name", async (chunking) => {
    // the last message has its terminator, or waits in the tail
    for (const bytes of [BODY, BODY.subarray(0, -1)]) {
      const reducer = make();
      const resolver = resolving(reducer);
      expect(await reduceBody(reducer, given(chunking.split(bytes)), { resolver })).toEqual(COMPLETE);
      expect(contents(reducer)).toEqual(["body 13", "body 2"]);
      reducer.close();
    }
  });

  it("reduceBody waits for a patch that comes with the tail alone", async () => {
    const reducer = make();
    const bytes = concat(EVENTS.slice(0, 2).map((event) => bytesOf(event, "ndjson"))).subarray(0, -1);
    expect(await reduceBody(reducer, given([bytes]), { resolver: resolving(reducer) })).toEqual(OPEN);
    expect(contents(reducer)).toEqual(["body 1", undefined]);
    reducer.close();
  });

  it("reduceBody is truncated without it, or where a body cannot be had", async () => {
    for (const waits of [false, true]) {
      const reducer = make();
      const resolver = resolving(reducer, () => {
        throw new Error("gone");
      });
      expect(await reduceBody(reducer, given([BODY]), waits ? { resolver } : {})).toEqual(OPEN);
      await resolver.idle();
      expect(resolver.failures()).toEqual([{ streamId: "", id: "r" }]);
      reducer.close();
    }
  });

  it("reduceBody stops waiting when it is aborted", async () => {
    const reducer = make();
    const resolver = resolving(reducer, () => new Promise(() => {}));
    const controller = new AbortController();
    const reading = reduceBody(reducer, given([BODY]), { resolver, signal: controller.signal });
    await later(5);
    controller.abort(new Error("enough"));
    await expect(reading).rejects.toMatchObject({ message: "enough", finishResult: OPEN });
    resolver.close();
    reducer.close();
  });

  it("takes nothing for a resolver that is none", async () => {
    const reducer = make();
    for (const resolver of [{}, null, 5, "idle"] as never[]) {
      await expect(reduceBody(reducer, given([]), { resolver })).rejects.toMatchObject({ code: "bad_argument" });
      expect(thrown(() => createReducerStream(reducer, { emit: "bytes", resolver }))?.code).toBe("bad_argument");
    }
    reducer.close();
  });

  it.each(CHUNKINGS)("createReducerStream emits what is applied after a pause, $name", async (chunking) => {
    for (const emit of ["changes", "events", "bytes"] as const) {
      const reducer = make();
      const resolver = resolving(reducer);
      const results: FinishResult[] = [];
      const stream = createReducerStream(reducer, { emit, resolver, onFinish: (result) => results.push(result) });
      const out: unknown[] = [];
      for await (const item of bodyOf(chunking.split(BODY)).pipeThrough(stream)) out.push(item);
      expect(results).toEqual([COMPLETE]);
      if (emit === "bytes") expect(concat(out as Uint8Array[])).toEqual(BODY);
      if (emit === "events")
        expect((out as { event: { seq: number } }[]).map(({ event }) => event.seq)).toEqual([1, 2, 3, 4, 5]);
      if (emit === "changes") {
        const { version } = reducer.changes();
        expect((out.at(-1) as StreamChanges).version).toBe(version);
        expect(out.flatMap((set) => (set as { changes: { id?: string }[] }).changes).some(({ id }) => id === "s")).toBe(
          true,
        );
      }
      reducer.close();
    }
  });

  it("createReducerStream emits it before the next chunk comes", async () => {
    const reducer = make();
    let answer: ((block: unknown) => void) | undefined;
    const resolver = resolving(reducer, () => new Promise((resolve) => (answer = resolve)));
    const stream = createReducerStream(reducer, { emit: "events", resolver });
    const writer = stream.writable.getWriter();
    const reader = stream.readable.getReader();
    const next = async () => ((await reader.read()).value!.event as { seq: number }).seq;
    void writer.write(concat(EVENTS.slice(0, 2).map((event) => bytesOf(event, "ndjson"))));
    expect(await next()).toBe(1);
    const waiting = next();
    await later(5);
    answer!({ id: "r", type: "text", content: "" });
    expect(await waiting).toBe(2);
    // given up while it waits: nothing is heard of it
    const pending = reader.read();
    await writer.write(bytesOf(EVENTS[2]!, "ndjson"));
    await later(5);
    await reader.cancel();
    expect((await pending).done).toBe(true);
    answer!({ id: "s", type: "text", content: "" });
    await later(5);
    expect(reducer.seq()).toBe(3);
    reducer.close();
  });
});
