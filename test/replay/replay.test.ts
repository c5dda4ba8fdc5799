import { describe, expect, it } from "vitest";
import type { ReplayOptions } from "../../src/replay/index.js";
import { createReplay } from "../../src/replay/index.js";
import { append, end, MODEL, modelOf, set, start } from "../contract/base.js";
import { started, textContent, textEnd, textStart, toolChunk, toolStart } from "../support/agui-events.js";
import { utf8 } from "../support/bytes.js";
import { engine, freshEngine, KINDS, WASM_KINDS } from "../support/engines.js";
import { thrown } from "../support/fold.js";
import { eventsIn, MIXED, message, replayOf, sse, tokens } from "./logs.js";

const AGENTUE = { protocol: "agentue", transport: "sse" } as const;

describe.each(KINDS)("a replay on %s", (kind) => {
  it("loads a log from bytes and from whatever gives them, and ends it", async () => {
    const bytes = sse(tokens(50));
    const halves = [bytes.slice(0, 1000), bytes.slice(1000)];
    const sources = {
      bytes,
      buffer: bytes.slice().buffer,
      list: halves,
      async: (async function* () {
        yield* halves;
      })(),
      stream: new ReadableStream<Uint8Array>({
        start(controller) {
          for (const half of halves) controller.enqueue(half);
          controller.close();
        },
      }),
    };
    for (const [name, source] of Object.entries(sources)) {
      const replay = createReplay(engine(kind), AGENTUE);
      expect(await replay.load(source), name).toEqual({
        status: "truncated",
        streams: [{ streamId: "", status: "open" }],
      });
      expect(replay.seq(), name).toBe(50);
      expect(replay.streamIds()).toEqual([""]);
      replay.close();
    }
    const replay = createReplay(engine(kind), AGENTUE);
    await expect(replay.load(5 as never)).rejects.toMatchObject({ code: "bad_argument" });
    await expect(replay.load("data: x" as never)).rejects.toMatchObject({ code: "bad_argument" });
    expect(replay.status).toBe("open");
    replay.close();
  });

  it("keeps the error of a source, and what has come until then", async () => {
    const replay = createReplay(engine(kind), AGENTUE);
    const source = (async function* () {
      yield sse(tokens(5));
      throw new Error("the disk is gone");
    })();
    await expect(replay.load(source)).rejects.toThrow("the disk is gone");
    expect([replay.status, replay.seq()]).toEqual(["open", 5]);
    replay.append(message(append(6, "a", "!")));
    expect(replay.finish().status).toBe("truncated");
    replay.close();
  });

  it("throws what is refused unless somebody listens, and reads on", () => {
    const silent = createReplay(engine(kind), { ...AGENTUE, onViolation: "skip-event" });
    let error: unknown;
    try {
      silent.append(sse(MIXED));
    } catch (thrownError) {
      error = thrownError;
    }
    expect(error).toMatchObject({ code: "bad_block", applied: 11, errors: [{ code: "bad_block" }] });
    expect(silent.status).toBe("open");
    expect(silent.snapshotAt(99, { streamId: "s" })).toMatchObject({ blocks: [{ content: "B123" }] });
    const heard: string[] = [];
    const replay = replayOf(kind, MIXED, {
      onError: ({ code }) => void heard.push(code),
      onWarning: ({ code }) => void heard.push(code),
      onGap: ({ op }) => void heard.push(`gap before ${op}`),
    });
    expect(heard).toEqual(["duplicate_seq", "gap before append", "bad_block", "gap before error"]);
    // looking back tells nothing again
    replay.resumeFrom(2);
    expect(heard.length).toBe(4);
    silent.close();
    replay.close();
  });

  it("does not replay what a stream has refused", () => {
    const events = [start(), set(2, { id: 5 }), append(3, "a", "!"), start(modelOf(), { seq: 9 })];
    const replay = replayOf(kind, events, { onViolation: "refuse-stream" });
    expect(eventsIn(replay.resumeFrom({ eventIndex: 0 })).map(({ op, seq }) => [op, seq])).toEqual([
      ["start", 1],
      ["start", 9],
    ]);
    replay.close();
  });

  it("bounds the log: the chunk that is too much is not taken", () => {
    const bytes = sse(tokens(10));
    const replay = createReplay(engine(kind), { ...AGENTUE, logBytes: bytes.length + 50 });
    replay.append(bytes);
    expect(thrown(() => replay.append(sse(tokens(20))))?.code).toBe("limit");
    expect([replay.stats().bytes, replay.seq()]).toEqual([bytes.length, 10]);
    replay.append(utf8(": a comment\n\n"));
    expect(eventsIn(replay.resumeFrom(9)).length).toBe(3);
    replay.close();
    // a listener hears of it, and it is thrown nevertheless
    for (const throws of [false, true]) {
      const heard: unknown[] = [];
      const told = replayOf(kind, tokens(2), {
        logBytes: bytes.length,
        onError(error) {
          heard.push(error);
          if (throws) throw new Error("of the listener");
        },
      });
      let error: unknown;
      try {
        told.append(bytes);
      } catch (thrownError) {
        error = thrownError;
      }
      expect(error).toMatchObject({ code: "limit", applied: 0, errors: [{ code: "limit" }] });
      expect(heard).toEqual([error]);
      expect((error as { cause?: unknown }).cause).toEqual(throws ? new Error("of the listener") : undefined);
      expect(told.seq()).toBe(2);
      told.close();
    }
  });

  it("bounds the checkpoints in number and in bytes", () => {
    const events = tokens(5000);
    for (const [options, most] of [
      [{ interval: 1000, checkpoints: 4 }, 4],
      [{ interval: 1000, checkpoints: 1 }, 1],
      [{ interval: 1000, checkpoints: 0 }, 0],
      [{ interval: 1000, checkpointBytes: 60_000 }, 16],
    ] as const) {
      const replay = replayOf(kind, events, options, 10_000);
      const { checkpoints, checkpointBytes } = replay.stats();
      expect(checkpoints).toBeLessThanOrEqual(most);
      expect(checkpointBytes).toBeLessThanOrEqual("checkpointBytes" in options ? 60_000 : 64 * 1024 * 1024);
      if (most > 0) expect(checkpoints).toBeGreaterThan(0);
      expect(replay.snapshotAt<typeof MODEL>(2500)?.blocks[0]?.content?.endsWith(" 2500")).toBe(true);
      replay.close();
    }
  });

  it("writes on any wire of the protocol, and says what a wire cannot carry", () => {
    const heard: unknown[] = [];
    const replay = replayOf(kind, [start(), append(2, "a", "\ud83d"), append(3, "a", "x"), end(4)], {
      onWarning: ({ code, subject }) => void heard.push([code, subject]),
    });
    for (const to of ["sse", "ndjson", "msgpack"] as const) {
      const consumer = engine(kind).createReducer({ protocol: "agentue", transport: to });
      consumer.push(replay.resumeFrom(1, { to }));
      expect(consumer.seq(), to).toBe(4);
      expect(consumer.finish().status).toBe("complete");
      consumer.close();
    }
    expect(heard).toEqual([["lossy", "surrogate"]]);
    for (const to of ["json", "protobuf", "x", 5])
      expect(thrown(() => replay.resumeLatest({ to: to as never }))?.code).toBe("unsupported_transport");
    replay.close();
    const whole = createReplay(engine(kind), { protocol: "agentue", transport: "json" });
    whole.append(utf8(JSON.stringify(start())));
    expect(thrown(() => whole.resumeLatest())?.code).toBe("unsupported_transport");
    expect(thrown(() => whole.append(utf8("")))?.code).toBe("bad_argument");
    expect(eventsIn(whole.resumeLatest({ to: "sse" }))).toEqual([start()]);
    whole.close();
  });

  it("leaves references in models of the past, or puts in what the application has kept for them", () => {
    const events = [
      start(),
      append(2, "a", "!"),
      set(3, { id: "r", ref: "other" }),
      set(4, { id: "r", type: "t", content: "inline" }),
    ];
    const references = (replay: ReturnType<typeof replayOf>, cursor: number): unknown[] => {
      const [first] = eventsIn(replay.resumeFrom(cursor)) as { model: { blocks: { id: string }[] } }[];
      return first!.model.blocks.filter(({ id }) => id === "r");
    };
    const plain = replayOf(kind, events);
    expect(references(plain, 2)).toEqual([{ id: "r", ref: "key" }]);
    expect(references(plain, 3)).toEqual([{ id: "r", ref: "other" }]);
    plain.close();
    const asked: unknown[] = [];
    const replay = replayOf(kind, events, {
      materialize(reference) {
        asked.push(reference);
        return reference.ref === "key" ? { id: "r", type: "t", content: "kept" } : undefined;
      },
    });
    expect(references(replay, 2)).toEqual([{ id: "r", type: "t", content: "kept" }]);
    expect(references(replay, 3)).toEqual([{ id: "r", ref: "other" }]);
    expect(asked).toEqual([
      { streamId: "", id: "r", ref: "key" },
      { streamId: "", id: "r", ref: "other" },
    ]);
    // the log itself is as it was
    expect(replay.snapshotAt<typeof MODEL>(2)?.blocks[3]).toEqual({ id: "r", ref: "key" });
    replay.close();
    const wrong = replayOf(kind, events, { materialize: () => ({ id: "x", type: "t" }) });
    expect(thrown(() => wrong.resumeFrom(1))?.code).toBe("missing_block");
    wrong.close();
  });

  it("applies patches of references whose bodies the application has kept, wherever it reads the log", () => {
    const events = [
      start(),
      append(2, "r", "1"),
      append(3, "a", "!"),
      append(4, "r", "2"),
      set(5, { id: "q", ref: "lost" }),
      append(6, "q", "x"),
      append(7, "r", "3"),
      end(8),
    ];
    const asked: string[] = [];
    for (const [interval, size] of [
      [1, 50],
      [1_000_000, Number.POSITIVE_INFINITY],
    ] as const) {
      const refused: string[] = [];
      const replay = replayOf(
        kind,
        events,
        {
          interval,
          onError: ({ code }) => void refused.push(code),
          materialize({ ref }) {
            asked.push(ref);
            return ref === "key" ? { id: "r", type: "t", content: "body " } : undefined;
          },
        },
        size,
      );
      expect(refused).toEqual(["unresolved_reference"]);
      const body = (seq: number): unknown => replay.snapshotAt<typeof MODEL>(seq)?.blocks[3]?.content;
      expect([1, 2, 3, 4, 7, 99].map(body)).toEqual([undefined, "body 1", "body 1", "body 12", "body 123", "body 123"]);
      for (const seq of [1, 2, 5, 6]) {
        const consumer = engine(kind).createReducer({ protocol: "agentue", transport: "sse" });
        consumer.push(replay.resumeFrom(seq));
        expect(consumer.snapshot(), `seq ${seq}`).toEqual(replay.snapshotAt(99));
        consumer.close();
      }
      replay.close();
    }
    expect(new Set(asked)).toEqual(new Set(["key", "lost"]));
    const wrong = replayOf(kind, [], { materialize: () => ({ id: "x", type: "t" }) });
    expect(thrown(() => wrong.append(sse(events.slice(0, 3))))?.code).toBe("bad_block");
    expect(wrong.seq()).toBe(3);
    wrong.close();
  });

  it("refuses options that make no sense", () => {
    const code = (options: unknown) => thrown(() => createReplay(engine(kind), options as ReplayOptions))?.code;
    expect(code({ protocol: "agentue", transport: "protobuf" })).toBe("unsupported_transport");
    for (const bad of [
      { interval: 0 },
      { checkpoints: -1 },
      { logBytes: 0.5 },
      { transfer: 1 },
      { materialize: 1 },
      { onEvent() {} },
      { middleware: {} },
      { keepEnded: 1 },
      { unresolved: "pause" },
      { nothing: 1 },
    ])
      expect(code({ ...AGENTUE, ...bad }), JSON.stringify(bad)).toBe("bad_argument");
    expect([code(null), code(undefined), code({ protocol: "ag-ui", transport: "sse", materialize() {} })]).toEqual([
      "bad_argument",
      "bad_argument",
      "bad_argument",
    ]);
  });

  it("says closed after close", () => {
    const replay = replayOf(kind, tokens(3));
    replay.close();
    replay.close();
    for (const use of [
      () => replay.append(utf8("x")),
      () => replay.finish(),
      () => replay.snapshotAt(1),
      () => replay.resumeFrom(1),
      () => replay.resumeLatest(),
      () => replay.stats(),
      () => replay.seq(),
      () => replay.streamIds(),
      () => replay.lastEventId,
    ])
      expect(thrown(use)?.code).toBe("closed");
  });

  it("reads chunks that the caller uses again, or keeps those that are given away", () => {
    const events = tokens(3000);
    const bytes = sse(events);
    const messages = events.map((event) => utf8(JSON.stringify(event)));
    for (const size of [1, 100, 20_000, 65_536, 100_000]) {
      for (const transfer of [undefined, false, true]) {
        if (size === 1 && transfer !== undefined) continue;
        const replay = createReplay(engine(kind), {
          ...AGENTUE,
          interval: 10_000,
          ...(transfer !== undefined && { transfer }),
        });
        const buffer = new Uint8Array(size);
        for (let at = 0; at < bytes.length; at += size) {
          const part = bytes.subarray(at, at + size);
          buffer.set(part);
          replay.append(transfer ? part.slice() : buffer.subarray(0, part.length));
          buffer.fill(0);
        }
        expect(eventsIn(replay.resumeFrom({ eventIndex: 0 })), `${size}, ${transfer}`).toEqual(events);
        replay.close();
      }
    }
    const whole = createReplay(engine(kind), { protocol: "agentue", transport: "json" });
    for (const text of messages) {
      const buffer = text.slice();
      whole.append(buffer);
      buffer.fill(0);
    }
    expect(eventsIn(whole.resumeFrom({ eventIndex: 0 }, { to: "sse" }))).toEqual(events);
    whole.close();
  });

  it("hands the memory of its log to the next one, which sees nothing of it", () => {
    const long = replayOf(kind, tokens(3000));
    long.close();
    const short = replayOf(kind, tokens(5));
    expect(eventsIn(short.resumeFrom({ eventIndex: 0 }))).toEqual(tokens(5));
    short.close();
    // what is closed while it is being read keeps its memory
    const events = [start(), append(2, "r", "1"), append(3, "a", "!")];
    let closes = false;
    const replay = replayOf(kind, events, {
      materialize() {
        if (closes) {
          replay.close();
          replayOf(kind, tokens(3000)).close();
        }
        return { id: "r", type: "t", content: "body" };
      },
    });
    closes = true;
    expect(thrown(() => replay.resumeFrom(1))?.code).toBe("closed");
    expect(thrown(() => replay.stats())?.code).toBe("closed");
  });
});

describe.each(KINDS)("an AG-UI log on %s", (kind) => {
  const lines = (events: readonly object[]): Uint8Array =>
    utf8(events.map((event) => `${JSON.stringify(event)}\n`).join(""));
  const resumed = (events: readonly object[], eventIndex: number): string[] => {
    const replay = createReplay(engine(kind), { protocol: "ag-ui", transport: "ndjson" });
    replay.append(lines(events));
    const text = new TextDecoder().decode(replay.resumeFrom({ eventIndex }));
    replay.close();
    return text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).type);
  };

  it("begins with the run, its messages and its state, opens what is open, and goes on", () => {
    const events = [
      started(),
      { type: "STEP_STARTED", stepName: "s" },
      textStart("m"),
      textContent("m", "a"),
      textContent("m", "b"),
      textEnd("m"),
    ];
    expect(resumed(events, 3)).toEqual([
      "RUN_STARTED",
      "MESSAGES_SNAPSHOT",
      "STATE_SNAPSHOT",
      "TEXT_MESSAGE_START",
      "STEP_STARTED",
      "TEXT_MESSAGE_CONTENT",
      "TEXT_MESSAGE_END",
    ]);
  });

  it("opens pending chunk streams last", () => {
    const events = [
      started(),
      toolStart("c"),
      toolChunk({ toolCallId: "d", toolCallName: "f", delta: "{" }),
      toolChunk({ delta: "}" }),
    ];
    expect(resumed(events, 2)).toEqual([
      "RUN_STARTED",
      "MESSAGES_SNAPSHOT",
      "STATE_SNAPSHOT",
      "TOOL_CALL_START",
      "TOOL_CALL_CHUNK",
      "TOOL_CALL_CHUNK",
    ]);
  });

  it("brings messages of runs before in a run of their own, so that they belong to nobody of this one", () => {
    const events = [
      started(),
      textStart("m"),
      textEnd("m"),
      { type: "RUN_FINISHED", threadId: "t", runId: "r" },
      started({ runId: "r2" }),
      textStart("n"),
      textStart("m", { subagentRunId: "s" }),
    ];
    expect(resumed(events, 5)).toEqual([
      "RUN_STARTED",
      "MESSAGES_SNAPSHOT",
      "STATE_SNAPSHOT",
      "RUN_FINISHED",
      "RUN_STARTED",
      "TEXT_MESSAGE_START",
      "TEXT_MESSAGE_START",
    ]);
  });

  it("brings what came before a run under an id that is none of the log's, the input included", () => {
    const input = {
      threadId: "t",
      runId: "r",
      messages: [{ id: "u", role: "user", content: "hi" }],
      state: { n: 1 },
    };
    const events = [
      started({ runId: "r" }),
      textStart("m"),
      textContent("m", "x"),
      // the message of the input belongs to nobody yet
      textStart("u", { subagentRunId: "s" }),
      textEnd("u", { subagentRunId: "s" }),
      textEnd("m"),
      { type: "RUN_FINISHED", threadId: "t", runId: "r" },
      started({ runId: "r2" }),
    ];
    const replay = createReplay(engine(kind), { protocol: "ag-ui", transport: "ndjson", input });
    const whole = engine(kind).createReducer({ protocol: "ag-ui", transport: "ndjson", input });
    const held = (reducer: typeof whole) => {
      const { messages, state } = reducer.snapshot<{ messages: unknown; state: unknown }>()!;
      return { messages, state };
    };
    const runs = (bytes: Uint8Array) =>
      new TextDecoder()
        .decode(bytes)
        .split("\n")
        .filter((line) => /RUN_(STARTED|FINISHED)/.test(line))
        .map((line) => [JSON.parse(line).type.slice(4), JSON.parse(line).runId].join(" "));
    // each delivery of now, and from each place to now, for a consumer that has no input
    const expectSame = (): void => {
      const deliveries = [replay.resumeLatest()];
      for (let eventIndex = 0; eventIndex < replay.stats().events; eventIndex++)
        deliveries.push(replay.resumeFrom({ eventIndex }));
      for (const [i, bytes] of deliveries.entries()) {
        const consumer = engine(kind).createReducer({ protocol: "ag-ui", transport: "ndjson" });
        consumer.push(bytes);
        expect(held(consumer), `delivery ${i} of ${deliveries.length}`).toEqual(held(whole));
        consumer.close();
      }
    };
    expectSame();
    expect(runs(replay.resumeLatest())).toEqual(["STARTED r/earlier", "FINISHED r/earlier"]);
    for (const [index, event] of events.entries()) {
      replay.append(lines([event]));
      whole.push(lines([event]));
      expectSame();
      if (index < 6)
        expect(runs(replay.resumeLatest())).toEqual(["STARTED r/earlier", "FINISHED r/earlier", "STARTED r"]);
      if (index === 6) expect(runs(replay.resumeLatest())).toEqual(["STARTED r", "FINISHED r"]);
      if (index === 7)
        expect(runs(replay.resumeLatest())).toEqual(["STARTED r2/earlier", "FINISHED r2/earlier", "STARTED r2"]);
    }
    replay.close();
    whole.close();
    // an input without a thread cannot be brought before the run names one
    const nameless = createReplay(engine(kind), { protocol: "ag-ui", transport: "ndjson", input: { state: { n: 1 } } });
    expect(nameless.resumeLatest().length).toBe(0);
    nameless.close();
  });

  it("sends the whole log where no events lead to a place: two messages of one id, ids minted for retired events", () => {
    const repeated = [
      started(),
      toolStart("c"),
      { type: "TOOL_CALL_RESULT", messageId: "x", toolCallId: "c", content: "1" },
      { type: "TOOL_CALL_RESULT", messageId: "x", toolCallId: "c", content: "2" },
    ];
    expect(resumed(repeated, 3)).toEqual(repeated.map(({ type }) => type));
    const retired = [
      started(),
      { type: "THINKING_START" },
      { type: "THINKING_TEXT_MESSAGE_START" },
      { type: "THINKING_TEXT_MESSAGE_CONTENT", delta: "x" },
    ];
    expect(resumed(retired, 2)).toEqual(retired.map(({ type }) => type));
    const replay = createReplay(engine(kind), { protocol: "ag-ui", transport: "ndjson" });
    replay.append(lines(repeated));
    expect(new TextDecoder().decode(replay.resumeLatest())).toBe(new TextDecoder().decode(lines(repeated)));
    replay.close();
  });

  it("knows neither seq nor ids, and one stream", () => {
    const replay = createReplay(engine(kind), { protocol: "ag-ui", transport: "sse" });
    replay.append(utf8(`id: 1\ndata: ${JSON.stringify(started())}\n\n`));
    for (const cursor of [1, { seq: 1 }, { id: "1" }])
      expect(thrown(() => replay.snapshotAt(cursor))?.code).toBe("bad_argument");
    expect(thrown(() => replay.resumeLatest({ streamId: "s" }))?.code).toBe("no_model");
    expect(replay.snapshotAt({ eventIndex: 0 }, { streamId: "s" })).toBeUndefined();
    replay.close();
  });
});

describe.each(WASM_KINDS)("memory of replays of %s", (kind) => {
  it("comes back to the byte", () => {
    const one = freshEngine(kind);
    const run = (): void => {
      const replay = createReplay(one, {
        ...AGENTUE,
        interval: 500,
        onViolation: "skip-event",
        onError() {},
        materialize: ({ id }) => ({ id, type: "t" }),
      });
      replay.append(sse([...MIXED, ...tokens(500, "t"), start(MODEL, { stream_id: "u" })]));
      replay.resumeFrom(2);
      replay.resumeFrom({ seq: 3, streamId: "s" }, { streamId: "s", to: "msgpack" });
      replay.snapshotAt({ seq: 200, streamId: "t" }, { streamId: "t" });
      replay.resumeFrom({ id: "id 8" });
      thrown(() => replay.resumeFrom({ id: "none" }));
      thrown(() => replay.snapshotBytesAt(0));
      replay.close();
    };
    run();
    const before = one.memory().live;
    for (let i = 0; i < 5; i++) {
      run();
      expect(one.memory().live).toBe(before);
    }
    one.close();
  });
});
