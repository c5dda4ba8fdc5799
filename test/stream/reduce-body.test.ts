import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import type { FinishResult, Reducer, ReducerOptions } from "../../src/engine/contract.js";
import { reduceBody } from "../../src/stream/index.js";
import { append, end, modelWith, ndjson, START } from "../reducer/wire.js";
import { everyN } from "../support/chunking.js";
import { engine, KINDS } from "../support/engines.js";

const BODY = ndjson(START, append(2, ", world"), end(3));
const COMPLETE: FinishResult = { status: "complete", streams: [{ streamId: "", status: "ended" }] };
const CUT: FinishResult = { status: "truncated", streams: [{ streamId: "", status: "open" }] };

async function thrownBy(promise: Promise<unknown>): Promise<{ finishResult?: FinishResult; cause?: unknown }> {
  try {
    await promise;
  } catch (error) {
    return error as { finishResult?: FinishResult };
  }
  throw new Error("nothing was thrown");
}

describe.each(KINDS)("reduceBody (%s)", (kind) => {
  const make = (options: Partial<ReducerOptions> = {}): Reducer =>
    engine(kind).createReducer({ protocol: "agentue", transport: "ndjson", ...options });
  const parts = everyN(BODY, 50);

  const SOURCES: [string, () => ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>][] = [
    ["a fetch body", () => new Response(BODY.slice()).body!],
    ["a Node stream", () => Readable.from(parts)],
    [
      "a generator",
      async function* () {
        yield* parts;
      },
    ],
  ];

  it.each(SOURCES)("folds %s to its end", async (_name, source) => {
    const reducer = make();
    let applied = 0;
    let bytes = 0;
    const result = await reduceBody(reducer, source(), {
      onChunk(count, chunk) {
        applied += count;
        bytes += chunk.byteLength;
      },
    });
    expect(result).toEqual(COMPLETE);
    expect([applied, bytes]).toEqual([3, BODY.length]);
    expect(reducer.snapshot()).toEqual(modelWith("Hello, world"));
    reducer.close();
  });

  it("gives the lock back, at the end and after a failure", async () => {
    const reducer = make();
    const whole = new Response(BODY.slice()).body!;
    await reduceBody(reducer, whole);
    expect(whole.locked).toBe(false);
    const broken = new Response("{\n").body!;
    await thrownBy(reduceBody(reducer, broken));
    expect(broken.locked).toBe(false);
    reducer.close();
  });

  it("waits for onChunk before it asks for more", async () => {
    const reducer = make();
    const log: string[] = [];
    async function* source(): AsyncGenerator<Uint8Array> {
      for (const [index, part] of parts.slice(0, 3).entries()) {
        log.push(`ask ${index}`);
        yield part;
      }
    }
    await reduceBody(reducer, source(), {
      async onChunk() {
        await new Promise((resolve) => setTimeout(resolve, 2));
        log.push("done");
      },
    });
    expect(log).toEqual(["ask 0", "done", "ask 1", "done", "ask 2", "done"]);
    reducer.close();
  });

  it("a source that breaks: its own error, with the truncated result", async () => {
    const reducer = make();
    const broken = new Error("connection reset");
    async function* source(): AsyncGenerator<Uint8Array> {
      yield ndjson(START);
      throw broken;
    }
    const error = await thrownBy(reduceBody(reducer, source()));
    expect(error).toBe(broken);
    expect(error.finishResult).toEqual(CUT);
    reducer.reconnect();
    expect(await reduceBody(reducer, Readable.from([ndjson(append(2, "!"), end(3))]))).toEqual(COMPLETE);
    reducer.close();
  });

  it("a body broken after its last event is truncated all the same", async () => {
    const reducer = make();
    async function* source(): AsyncGenerator<Uint8Array> {
      yield BODY;
      throw new Error("late");
    }
    const { finishResult } = await thrownBy(reduceBody(reducer, source()));
    expect(finishResult).toEqual({ ...COMPLETE, status: "truncated" });
    reducer.close();
  });

  it("what cannot hold a result becomes the cause of an error that does", async () => {
    const reducer = make();
    async function* source(): AsyncGenerator<Uint8Array> {
      yield ndjson(START);
      throw "just a string";
    }
    const error = await thrownBy(reduceBody(reducer, source()));
    expect(error).toBeInstanceOf(Error);
    expect([error.cause, error.finishResult]).toEqual(["just a string", CUT]);
    reducer.close();
  });

  it("a failing push stops the reading and cancels the source", async () => {
    const reducer = make();
    let cancelled: unknown;
    let returned = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(ndjson(START, { op: "jump", seq: 2 })),
      cancel(reason) {
        cancelled = reason;
      },
    });
    const error = await thrownBy(reduceBody(reducer, endless));
    expect(error).toMatchObject({ code: "unknown_op", applied: 1 });
    expect(cancelled).toBe(error);
    expect(error.finishResult?.status).toBe("truncated");
    async function* source(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield ndjson("{");
      } finally {
        returned = true;
      }
    }
    await thrownBy(reduceBody(reducer, source()));
    expect(returned).toBe(true);
    reducer.close();
  });

  it("an exception of onChunk goes through", async () => {
    const reducer = make();
    const mine = new Error("mine");
    const error = await thrownBy(
      reduceBody(reducer, Readable.from(parts), {
        onChunk: () => Promise.reject(mine),
      }),
    );
    expect(error).toBe(mine);
    expect(error.finishResult?.status).toBe("truncated");
    reducer.close();
  });

  it.each([
    ["a silent fetch body", () => new ReadableStream<Uint8Array>({ start: (c) => c.enqueue(ndjson(START)) })],
    [
      "a silent Node stream",
      () => {
        const stream = new Readable({ read() {} });
        stream.push(ndjson(START));
        return stream;
      },
    ],
  ])("an abort ends the waiting for %s", async (_name, source) => {
    const reducer = make();
    const body = source();
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 5);
    const error = await thrownBy(reduceBody(reducer, body, { signal: controller.signal }));
    expect(error).toBe(controller.signal.reason);
    expect(error.finishResult).toEqual(CUT);
    if (body instanceof ReadableStream) expect(body.locked).toBe(false);
    else expect(body.destroyed).toBe(true);
    reducer.close();
  });

  it("a signal that is aborted already: nothing is read", async () => {
    const reducer = make();
    const error = await thrownBy(
      reduceBody(reducer, Readable.from(parts), { signal: AbortSignal.abort(new Error("no")) }),
    );
    expect((error as Error).message).toBe("no");
    expect(reducer.stats().bytes).toBe(0);
    reducer.close();
  });

  it("faults of the tail are thrown with the result", async () => {
    const reducer = make();
    const tail = new TextEncoder().encode('{"op":"jump","seq":2}');
    const error = await thrownBy(reduceBody(reducer, Readable.from([ndjson(START), tail])));
    expect(error).toMatchObject({ code: "unknown_op" });
    expect(error.finishResult).toEqual({ status: "truncated", streams: [{ streamId: "", status: "refused" }] });
    reducer.close();
  });

  it("a reducer that was closed meanwhile: the error alone", async () => {
    const reducer = make();
    const error = await thrownBy(reduceBody(reducer, Readable.from(parts), { onChunk: () => reducer.close() }));
    expect(error).toMatchObject({ code: "closed" });
    expect(error.finishResult).toBeUndefined();
  });

  it("takes the body of a response that has none", async () => {
    const reducer = make();
    const { body } = new Response(null);
    expect(await reduceBody(reducer, body)).toEqual({ status: "truncated", streams: [] });
    expect(reducer.push(BODY)).toBe(3);
    expect(await reduceBody(reducer, null)).toEqual(COMPLETE);
    reducer.close();
  });

  it("refuses what is no body", async () => {
    const reducer = make();
    for (const body of [undefined, "text", [BODY], BODY]) {
      expect(await thrownBy(reduceBody(reducer, body as never))).toMatchObject({ code: "bad_argument" });
    }
    expect(reducer.stats().bytes).toBe(0);
    reducer.close();
  });
});
