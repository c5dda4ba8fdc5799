import { describe, expect, it } from "vitest";
import type { FinishResult, Reducer, ReducerOptions } from "../../src/engine/contract.js";
import { createReducerStream, type StreamChanges } from "../../src/stream/index.js";
import { failing } from "../reducer/expect-error.js";
import { append, end, ndjson, START, start } from "../reducer/wire.js";
import { engine, KINDS } from "../support/engines.js";

function bodyOf(chunks: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

async function collect<T>(stream: ReadableStream<T>): Promise<T[]> {
  const out: T[] = [];
  for await (const item of stream) out.push(item);
  return out;
}

describe.each(KINDS)("createReducerStream (%s)", (kind) => {
  const make = (options: Partial<ReducerOptions> = {}): Reducer =>
    engine(kind).createReducer({ protocol: "agentue", transport: "ndjson", ...options });
  const CHUNKS = [
    ndjson(start("a"), start("b"), append(2, "!", "a")),
    ndjson(append(3, "?", "a")),
    ndjson({ op: "ping", seq: 3, stream_id: "a" }),
    ndjson(end(4, "a"), append(2, ".", "b"), end(3, "b")).subarray(0, -1),
  ];

  it("emits accepted events, the one of the unterminated tail too", async () => {
    const reducer = make();
    let result: FinishResult | undefined;
    const stream = createReducerStream(reducer, { emit: "events", onFinish: (given) => (result = given) });
    const events = await collect(bodyOf(CHUNKS).pipeThrough(stream));
    expect(
      events.map(({ eventIndex, streamId, event }) => [eventIndex, streamId, (event as { op: string }).op]),
    ).toEqual([
      [0, "a", "start"],
      [1, "b", "start"],
      [2, "a", "append"],
      [3, "a", "append"],
      [4, "a", "ping"],
      [5, "a", "end"],
      [6, "b", "append"],
      [7, "b", "end"],
    ]);
    expect(result).toEqual({
      status: "complete",
      streams: [
        { streamId: "a", status: "ended" },
        { streamId: "b", status: "ended" },
      ],
    });
    expect(reducer.status({ streamId: "a" })).toBe("ended");
    reducer.close();
  });

  it("emits one logical stream's events beside the reducer's own listener", async () => {
    const heard: number[] = [];
    const reducer = make({ onEvent: (_event, { eventIndex }) => heard.push(eventIndex) });
    reducer.push(CHUNKS[0]!);
    const stream = createReducerStream(reducer, { emit: "events", streamId: "b" });
    const events = await collect(bodyOf(CHUNKS.slice(1)).pipeThrough(stream));
    expect(events.map(({ eventIndex }) => eventIndex)).toEqual([6, 7]);
    expect(heard).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    reducer.close();
  });

  it("emits what each chunk changed", async () => {
    const reducer = make();
    const stream = createReducerStream(reducer, { emit: "changes" });
    const changes = await collect(bodyOf(CHUNKS).pipeThrough(stream));
    expect(changes.map(({ streamId, version }) => [streamId, version])).toEqual([
      ["a", 2],
      ["b", 1],
      ["a", 3],
      ["b", 2],
    ]);
    expect((changes[0] as StreamChanges).changes?.[0]?.kind).toBe("start");
    expect((changes[2] as StreamChanges).changes).toEqual([
      { streamId: "a", kind: "append", id: "answer", field: "content", from: 6, to: 7, text: "?" },
    ]);
    reducer.close();
  });

  it("emits the chunks themselves", async () => {
    const reducer = make();
    const out = await collect(bodyOf(CHUNKS).pipeThrough(createReducerStream(reducer, { emit: "bytes" })));
    expect(out).toEqual(CHUNKS);
    expect(reducer.streamIds()).toEqual(["a", "b"]);
    reducer.close();
  });

  it("errors with the StreamfoldError that push throws, and tells the source", async () => {
    const reducer = make({ onError() {} });
    let cancelled: unknown;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(ndjson(START, "{")),
      cancel(reason) {
        cancelled = reason;
      },
    });
    const stream = createReducerStream(reducer, { emit: "bytes" });
    const error = await collect(endless.pipeThrough(stream)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "bad_json", applied: 1 });
    expect(cancelled).toBe(error);
    expect(reducer.snapshot()).toEqual(START.model);
    reducer.close();
  });

  it("reads no further ahead than the pipe asks for", async () => {
    const reducer = make();
    let pulled = 0;
    const source = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          pulled++;
          controller.enqueue(ndjson(start(`s${pulled}`)));
        },
      },
      { highWaterMark: 0 },
    );
    const reader = source.pipeThrough(createReducerStream(reducer, { emit: "changes" })).getReader();
    await reader.read();
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(pulled).toBeLessThanOrEqual(3);
    await reader.cancel();
    reducer.close();
  });

  it("refuses what it cannot emit", () => {
    const reducer = make();
    failing(() => createReducerStream(reducer, { emit: "snapshots" as never }), "bad_argument");
    failing(() => createReducerStream(reducer, undefined as never), "bad_argument");
    failing(() => createReducerStream({} as never, { emit: "events" }), "bad_argument");
    reducer.push(ndjson(START));
    failing(() => createReducerStream(reducer, { emit: "events" }), "bad_argument");
    reducer.close();
  });
});
