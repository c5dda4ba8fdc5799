import { describe, expect, it } from "vitest";
import { createReplay, type Replay, type ReplayCursor } from "../../src/replay/index.js";
import { append, end, modelOf, ping, start } from "../contract/base.js";
import { utf8 } from "../support/bytes.js";
import { engine, freshEngine, KINDS } from "../support/engines.js";
import { thrown } from "../support/fold.js";
import { eventsIn, MIXED, message, replayOf, sse, textOf, tokens } from "./logs.js";

interface Model {
  blocks: { id: string; content: string }[];
}

describe.each(KINDS)("places of a log on %s", (kind) => {
  const contentAt = (replay: ReturnType<typeof replayOf>, cursor: ReplayCursor, streamId = ""): string | undefined =>
    replay.snapshotAt<Model>(cursor, { streamId })?.blocks[0]?.content;

  it("seq: everything of the stream up to it, whatever the other one does", () => {
    const replay = replayOf(kind, MIXED);
    expect([0, 1, 2, 3, 4, 5, 6, 8, 99].map((seq) => contentAt(replay, seq))).toEqual([
      undefined,
      "A",
      "A1",
      "A1",
      "A1",
      "A12",
      "A12",
      "A12",
      "A12",
    ]);
    expect([0, 1, 2, 3, 4, 5].map((seq) => contentAt(replay, { seq, streamId: "s" }, "s"))).toEqual([
      undefined,
      "B",
      "B1",
      "B12",
      "B123",
      "B123",
    ]);
    // the stream of the options is the one that a bare seq means
    expect(contentAt(replay, 2, "s")).toBe("B1");
    // and another one may be looked at there
    expect(contentAt(replay, { seq: 2, streamId: "s" })).toBe("A12");
    replay.close();
  });

  it("eventIndex: behind that message, the refused ones included", () => {
    const replay = replayOf(kind, MIXED);
    expect(MIXED.map((_, eventIndex) => contentAt(replay, { eventIndex }))).toEqual([
      "A",
      "A",
      "A1",
      "A1",
      "A1",
      "A12",
      "A12",
      "A12",
      "A12",
      "A12",
      "A12",
      "A12",
      "A12",
    ]);
    replay.close();
  });

  it("id: behind the first message that has it", () => {
    const replay = replayOf(kind, MIXED);
    expect(MIXED.map((_, index) => contentAt(replay, { id: `id ${index}` }, "s"))).toEqual([
      undefined,
      "B",
      "B",
      "B1",
      "B1",
      "B1",
      "B1",
      "B1",
      "B12",
      "B12",
      "B12",
      "B123",
      "B123",
    ]);
    replay.close();
    const twice = replayOf(kind, []);
    twice.append(message(start(modelOf({ id: "a", type: "t", content: "" })), "x"));
    twice.append(message(append(2, "a", "1")));
    twice.append(message(append(3, "a", "2"), "x"));
    twice.append(message(append(4, "a", "3"), ""));
    expect([contentAt(twice, { id: "x" }), contentAt(twice, { id: "" })]).toEqual(["", "123"]);
    twice.close();
  });

  it("refuses what is no place of the log", () => {
    const replay = replayOf(kind, MIXED);
    const bad = [
      { eventIndex: MIXED.length },
      { id: "id 99" },
      { id: "id" },
      -1,
      1.5,
      { seq: "1" },
      null,
      "id 1",
      {},
      { id: 1 },
    ];
    for (const cursor of bad) {
      expect(thrown(() => replay.snapshotAt(cursor as never))?.code, JSON.stringify(cursor)).toBe("bad_argument");
      expect(thrown(() => replay.resumeFrom(cursor as never))?.code, JSON.stringify(cursor)).toBe("bad_argument");
    }
    replay.close();
  });

  it("takes the stream of the cursor where the options name none", () => {
    const replay = replayOf(kind, MIXED);
    const content = (options?: object) =>
      replay.snapshotAt<Model>({ seq: 2, streamId: "s" }, options)?.blocks[0]?.content;
    expect([content(), content({}), content({ streamId: "s" }), content({ streamId: "" })]).toEqual([
      "B1",
      "B1",
      "B1",
      "A12",
    ]);
    expect(JSON.parse(textOf(replay.snapshotBytesAt({ seq: 3, streamId: "s" }))).blocks[0].content).toBe("B12");
    expect(thrown(() => replay.snapshotBytesAt({ seq: 3, streamId: "none" }))?.code).toBe("no_model");
    // the streams that go out are all of them nevertheless
    expect(eventsIn(replay.resumeFrom({ seq: 3, streamId: "s" })).length).toBeGreaterThan(4);
    replay.close();
  });

  it("refuses a cursor with more than it takes", () => {
    const replay = replayOf(kind, MIXED);
    for (const cursor of [
      { seq: 1, eventIndex: 77 },
      { seq: 1, id: "nope" },
      { id: "id 1", eventIndex: 1 },
      { seq: 1, streamID: "x" },
      { eventIndex: 1, streamId: "s" },
      { id: "id 1", streamId: "s" },
      { seq: 1, streamId: 5 },
      { streamId: "s" },
    ]) {
      const label = JSON.stringify(cursor);
      for (const use of [
        () => replay.snapshotAt(cursor as never),
        () => replay.resumeFrom(cursor as never),
        () => replay.has(cursor as never),
      ]) {
        expect(thrown(use)?.code, label).toBe("bad_argument");
        expect(use, label).toThrow("a cursor is a seq, { seq, streamId? }, { eventIndex } or { id }");
      }
    }
    // what is undefined is not there
    expect(replay.has({ seq: 1, streamId: undefined as never, id: undefined } as never)).toBe(true);
    replay.close();
  });

  it("says whether there is a place, without an exception for what clients send", () => {
    const replay = replayOf(kind, MIXED);
    const there = [
      0,
      5,
      99,
      { seq: 2, streamId: "s" },
      { seq: 2, streamId: "none" },
      { eventIndex: 0 },
      { id: "id 0" },
    ];
    const last = [{ eventIndex: MIXED.length - 1 }, { id: `id ${MIXED.length - 1}` }];
    for (const cursor of [...there, ...last]) {
      expect(replay.has(cursor), JSON.stringify(cursor)).toBe(true);
      replay.resumeFrom(cursor);
    }
    const missing = [
      Number.NaN,
      -1,
      1.5,
      { seq: "2" },
      { seq: 2 ** 60 },
      { eventIndex: MIXED.length },
      { eventIndex: -1 },
    ];
    for (const cursor of [...missing, { id: "id 99" }, { id: "" }, { id: 5 }]) {
      expect(replay.has(cursor as never), JSON.stringify(cursor)).toBe(false);
      expect(thrown(() => replay.resumeFrom(cursor as never))?.code, JSON.stringify(cursor)).toBe("bad_argument");
    }
    for (const cursor of [null, undefined, "id 1", {}, []])
      expect(thrown(() => replay.has(cursor as never))?.code).toBe("bad_argument");
    replay.close();
    expect(thrown(() => replay.has(1))?.code).toBe("closed");
    const run = createReplay(engine(kind), { protocol: "ag-ui", transport: "sse" });
    expect([run.has({ id: "x" }), run.has({ eventIndex: 0 })]).toEqual([false, false]);
    expect(thrown(() => run.has(1))?.code).toBe("bad_argument");
    run.close();
  });

  it("reads a log once for an id that later lines overrule", () => {
    const replay = createReplay(engine(kind), { protocol: "agentue", transport: "sse" });
    replay.append(message(start(modelOf()), "first"));
    const count = 100;
    for (let i = 0; i < count; i++) replay.append(utf8(`id: x\nid: y\ndata: ${JSON.stringify(ping(1))}\n\n`));
    expect(thrown(() => replay.snapshotAt({ id: "x" }))?.code).toBe("bad_argument");
    expect(replay.stats().folded).toBeLessThanOrEqual(count + 1);
    replay.append(message(ping(1), "x"));
    expect(eventsIn(replay.resumeFrom({ id: "x" })).map(({ op }) => op)).toEqual(["start"]);
    replay.close();
  });

  it("cannot be closed by a listener, and is closed afterwards", () => {
    const own = freshEngine(kind);
    const codes: unknown[] = [];
    const replay: Replay = createReplay(own, {
      protocol: "agentue",
      transport: "ndjson",
      onError: () => codes.push(thrown(() => replay.close())?.code),
    });
    replay.append(utf8(`${JSON.stringify(start(modelOf()))}\n{"op":"nope","seq":2}\n`));
    expect([codes, replay.seq()]).toEqual([["reentrant"], 1]);
    replay.close();
    expect(own.memory().live).toBe(0);
    own.close();
  });

  it("takes what cannot be read for a bad argument", () => {
    const replay = createReplay(engine(kind), { protocol: "agentue", transport: "ndjson" });
    const trap = (): never => {
      throw new Error("trap");
    };
    const unreadable = new Proxy({}, { get: trap, has: trap }) as never;
    const calls: (() => unknown)[] = [
      () => createReplay(unreadable, { protocol: "agentue", transport: "ndjson" }),
      () => createReplay(undefined as never, { protocol: "agentue", transport: "ndjson" }),
    ];
    for (const wrong of [unreadable, null as never]) {
      calls.push(
        () => replay.snapshotAt(wrong),
        () => replay.resumeFrom(wrong),
        () => replay.resumeFrom(0, wrong),
        () => replay.snapshotAt(0, wrong),
        () => replay.resumeLatest(wrong),
      );
    }
    for (const [i, run] of calls.entries()) expect(thrown(run)?.code, `call ${i}`).toBe("bad_argument");
    for (const to of [unreadable, 5n as never])
      expect(thrown(() => replay.resumeLatest({ to }))?.code).toBe("unsupported_transport");
    replay.close();
  });

  it("gives the model in the forms of a reducer", () => {
    const replay = replayOf(kind, [start(modelOf({ id: "a", type: "t", n: 9007199254740992 }))]);
    replay.append(message(append(2, "a", "x")));
    const json = '{"version":"1.1","biz":"chat","meta":{},"blocks":[{"id":"a","type":"t","n":9007199254740992}]}';
    expect(textOf(replay.snapshotBytesAt(1))).toBe(json);
    expect(replay.snapshotBytesAt(1, { format: "msgpack" }).length).toBeLessThan(json.length);
    expect(replay.snapshotAt(1, { integers: "bigint" })).toEqual(JSON.parse(json));
    expect(thrown(() => replay.snapshotBytesAt(0))?.code).toBe("no_model");
    replay.close();
  });

  it("resumes by AgentUE §6: a start with the seq that it covers, then what has a greater one, then the end", () => {
    const replay = replayOf(kind, MIXED);
    const short = ({ op, seq, stream_id }: Record<string, unknown>) => [op, seq, stream_id ?? ""].join(" ").trim();
    expect(eventsIn(replay.resumeFrom(2, { streamId: "" })).map(short)).toEqual([
      "start 2",
      "append 5",
      "ping 5",
      "error 7",
      "end 8",
    ]);
    expect(eventsIn(replay.resumeFrom(0, { streamId: "" })).map(short)).toEqual([
      "start 1",
      "append 2",
      "append 5",
      "ping 5",
      "error 7",
      "end 8",
    ]);
    expect(eventsIn(replay.resumeFrom(8, { streamId: "" })).map(short)).toEqual(["start 8", "end 8"]);
    expect(eventsIn(replay.resumeFrom({ seq: 3, streamId: "s" }, { streamId: "s" })).map(short)).toEqual([
      "start 3 s",
      "append 4 s",
      "end 5 s",
    ]);
    expect(eventsIn(replay.resumeFrom({ eventIndex: 10 })).map(short)).toEqual([
      "start 8",
      "end 8",
      "start 3 s",
      "append 4 s",
      "end 5 s",
    ]);
    expect(eventsIn(replay.resumeLatest()).map(short)).toEqual(["start 8", "end 8", "start 5 s", "end 5 s"]);
    expect(eventsIn(replay.resumeLatest({ streamId: "s" })).map(short)).toEqual(["start 5 s", "end 5 s"]);
    expect(eventsIn(replay.resumeLatest({ streamId: "none" }))).toEqual([]);
    replay.close();
  });

  it("gives the start the id of its place, and leaves those of the log", () => {
    const replay = replayOf(kind, tokens(5));
    const text = textOf(replay.resumeFrom(3));
    expect(text.match(/^id: .*$/gm)).toEqual(["id: id 2", "id: id 3", "id: id 4"]);
    replay.close();
  });

  it("where a stream goes back, the place is one that has no more than the seq, and what follows leads to the end", () => {
    const again = [...tokens(30), ...tokens(20), append(21, "a", " 21"), end(22)];
    for (const interval of [1, 400, 1_000_000]) {
      const replay = replayOf(kind, again, { interval });
      for (const seq of [0, 1, 15, 20, 21, 25, 30]) {
        const events = eventsIn(replay.resumeFrom(seq));
        if (seq > 0) expect(events[0]).toMatchObject({ op: "start" });
        expect((events[0] as { seq: number }).seq).toBeLessThanOrEqual(Math.max(seq, 1));
        const consumer = engine(kind).createReducer({ protocol: "agentue", transport: "sse" });
        consumer.push(replay.resumeFrom(seq));
        expect(consumer.snapshot()).toEqual(replay.snapshotAt(99));
        consumer.close();
      }
      replay.close();
    }
  });

  it("reaches any place from the nearest checkpoint", () => {
    const events = tokens(3000);
    const bytes = sse(events).length;
    const replay = replayOf(kind, events, { interval: 10_000, checkpoints: 100 }, 777);
    const { checkpoints, folded } = replay.stats();
    expect(folded).toBe(0);
    expect(checkpoints).toBeGreaterThan(3);
    // a checkpoint takes the place of a message at most one interval later; intervals grow with the model
    const perByte = events.length / bytes;
    for (const seq of [5, 700, 1500, 2900, 2999]) {
      const before = replay.stats().folded;
      replay.snapshotAt(seq);
      // messages are looked at once to find the place, and once to go there
      const read = replay.stats().folded - before;
      expect(read, `seq ${seq}`).toBeLessThan(2 * perByte * (4 * 30_000 + 10_000));
      const then = replay.stats().folded;
      replay.snapshotAt({ eventIndex: seq });
      expect(replay.stats().folded - then, `event ${seq}`).toBeLessThan(perByte * (4 * 30_000 + 10_000));
    }
    const before = replay.stats().folded;
    replay.snapshotAt(3000);
    replay.resumeLatest();
    replay.snapshotAt({ eventIndex: events.length - 1 });
    expect(replay.stats().folded).toBe(before);
    replay.close();
  });

  it("copies what follows as it is where nothing was refused", () => {
    const events = tokens(2000);
    const replay = replayOf(kind, events, { interval: 5000, checkpoints: 100 });
    const before = replay.stats().folded;
    const bytes = replay.resumeFrom({ eventIndex: 5 });
    expect(replay.stats().folded - before).toBeLessThan(10);
    expect(eventsIn(bytes).slice(1)).toEqual(events.slice(6));
    replay.close();
  });

  it("says the same however the log came, and whatever is kept of it", () => {
    const events = [...MIXED, ...tokens(200, "t"), ping(200, { stream_id: "t" })];
    const bytesOf = (options: object, size?: number): string[] => {
      const replay = replayOf(kind, events, options, size);
      const all = [1, 2, 5, 8].map((seq) => replay.resumeFrom(seq));
      all.push(replay.resumeFrom({ eventIndex: 20 }), replay.resumeFrom({ id: "id 50" }), replay.resumeLatest());
      all.push(replay.resumeFrom({ seq: 77, streamId: "t" }, { to: "msgpack" }));
      replay.close();
      return all.map((bytes) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
    };
    const whole = bytesOf({});
    expect(bytesOf({}, 1)).toEqual(whole);
    expect(bytesOf({ interval: 1 }, 13)).toEqual(whole);
    expect(bytesOf({ interval: 100, checkpoints: 3 }, 1000)).toEqual(whole);
    expect(bytesOf({ checkpoints: 0 }, 64)).toEqual(whole);
    expect(bytesOf({ checkpointBytes: 0 }, 64)).toEqual(whole);
  });
});

describe("replays of all engines", () => {
  it("come to the same values", () => {
    const deliveries = KINDS.map((kind) => {
      const replay = replayOf(kind, MIXED, { interval: 50 }, 100);
      const all = [replay.resumeFrom(2), replay.resumeFrom({ eventIndex: 7 }), replay.resumeLatest()].map(eventsIn);
      replay.close();
      return all;
    });
    for (const delivery of deliveries) expect(delivery).toEqual(deliveries[0]);
  });
});
