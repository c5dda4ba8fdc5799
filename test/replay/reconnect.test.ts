import { describe, expect, it } from "vitest";
import type { EngineKind } from "../../src/engine/contract.js";
import { createReplay, type Replay } from "../../src/replay/index.js";
import { append, end, modelOf, start } from "../contract/base.js";
import { finished, started, textContent, textStart } from "../support/agui-events.js";
import { concat, utf8 } from "../support/bytes.js";
import { engine, engineWithin, KINDS, WASM_KINDS } from "../support/engines.js";
import { thrown } from "../support/fold.js";
import { Rng } from "../support/rng.js";
import { BROKEN, bodiesOf, MARK, open, places, record } from "./bodies.js";
import { eventsIn, message, textOf } from "./logs.js";
import { consume, modelsOf, openReplay, randomLog, reducerOf } from "./random-log.js";

const AGENTUE = { protocol: "agentue", transport: "sse" } as const;
describe.each(KINDS)("logs of several connections on %s", (kind: EngineKind) => {
  it.each(["agentue", "ag-ui"] as const)("of %s: every place is that of a reducer that did the same", (protocol) => {
    for (let seed = 1; seed <= 20; seed++) {
      const rng = new Rng(1000 + seed);
      const log = randomLog(rng, protocol);
      if (rng.chance(0.2)) log.options = { ...log.options, undecodable: "skip" };
      const bodies = bodiesOf(rng, log);
      const label = `seed ${seed}, ${log.wire} to ${log.to}`;
      const replay = openReplay(log, kind);
      record(replay, bodies);
      const plain = reducerOf(kind, protocol, log.wire, log.options);
      const ids = protocol === "ag-ui" ? [""] : ["", ...replay.streamIds()];
      const all = (of: (streamId: string) => unknown) => ids.map((streamId) => [streamId, of(streamId)]);
      const held = places(plain, bodies, log.wire === "json", () => all((streamId) => plain.snapshot({ streamId })));
      expect(replay.stats().events, label).toBe(held.length);
      expect(replay.stats().applied, label).toBe(plain.stats().applied);
      expect(replay.lastEventId, label).toBe(plain.lastEventId);
      for (const [eventIndex, models] of held.entries()) {
        const at = `${label}, event ${eventIndex} of ${held.length}`;
        const seen = all((streamId) => replay.snapshotAt({ eventIndex }, { streamId }));
        expect(open(seen), at).toEqual(open(models));
        if (held.length > 10 && !rng.chance(0.3)) continue;
        const consumer = consume(kind, protocol, log.to, replay.resumeFrom({ eventIndex }, { to: log.to }), at);
        expect(modelsOf(consumer, protocol), at).toEqual(modelsOf(plain, protocol));
        consumer.close();
      }
      const latest = consume(kind, protocol, log.to, replay.resumeLatest({ to: log.to }), `${label}, latest`);
      if (held.length > 0) expect(modelsOf(latest, protocol), label).toEqual(modelsOf(plain, protocol));
      for (const one of [latest, plain, replay]) one.close();
    }
  });

  const events = [
    start(modelOf({ id: "a", type: "t", content: "" })),
    append(2, "a", "1"),
    append(3, "a", "2"),
    append(4, "a", "3"),
    end(5),
  ] as const;

  it("goes on behind a message that was cut, with cursors of every kind on both sides of the joint", () => {
    for (const interval of [1, 1_000_000]) {
      const first = concat(events.slice(0, 3).map((event, index) => message(event, `id ${index}`)));
      for (const cut of [first.length - 20, first.length - 1]) {
        const replay = createReplay(engine(kind), { ...AGENTUE, interval });
        replay.append(first.subarray(0, cut));
        replay.reconnect();
        expect(replay.lastEventId).toBe("id 1");
        replay.append(concat(events.slice(2).map((event, index) => message(event, `id ${index + 2}`))));
        expect(replay.finish().status).toBe("complete");
        const contents = (cursors: (number | object)[]) =>
          cursors.map(
            (cursor) => replay.snapshotAt<{ blocks: { content: string }[] }>(cursor as number)?.blocks[0]?.content,
          );
        const expected = ["", "1", "12", "123", "123"];
        expect(contents([1, 2, 3, 4, 5])).toEqual(expected);
        expect(contents([0, 1, 2, 3, 4].map((eventIndex) => ({ eventIndex })))).toEqual(expected);
        expect(contents([0, 1, 2, 3, 4].map((index) => ({ id: `id ${index}` })))).toEqual(expected);
        expect(eventsIn(replay.resumeFrom(1)).map(({ op, seq }) => [op, seq])).toEqual([
          ["start", 1],
          ["append", 2],
          ["append", 3],
          ["append", 4],
          ["end", 5],
        ]);
        replay.close();
      }
    }
  });

  it("forgives a failed connection, and forgets the message that has failed it", () => {
    const replay = createReplay(engine(kind), { ...AGENTUE, onError() {} });
    replay.append(concat(events.slice(0, 2).map((event) => message(event))));
    const broken = concat([message(events[2]), BROKEN.sse!, message(events[3])]);
    expect(thrown(() => replay.append(broken))?.code).toBe("bad_json");
    expect(thrown(() => replay.append(message(events[3])))?.code).toBe("bad_json");
    replay.reconnect();
    expect(replay.stats()).toMatchObject({ events: 3, applied: 3 });
    replay.append(message(events[3]));
    expect(replay.stats()).toMatchObject({ events: 4, applied: 4 });
    expect(eventsIn(replay.resumeFrom({ eventIndex: 0 })).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(replay.stats().bytes).toBe(concat(events.slice(0, 4).map((event) => message(event))).length);
    replay.close();
  });

  it("opens another body behind finish, which alone takes nothing any more", async () => {
    const replay = createReplay(engine(kind), AGENTUE);
    const tail = message(events[1]);
    expect(await replay.load(concat([message(events[0]), tail.subarray(0, tail.length - 2)]))).toMatchObject({
      status: "truncated",
    });
    expect(thrown(() => replay.append(message(events[2])))?.code).toBe("bad_argument");
    expect(() => replay.append(message(events[2]))).toThrow("reconnect()");
    replay.reconnect();
    expect(replay.status).toBe("open");
    expect(await replay.load(concat([MARK, ...events.slice(2).map((event) => message(event))]))).toMatchObject({
      status: "complete",
    });
    expect(eventsIn(replay.resumeFrom(0))).toEqual(events);
    expect(textOf(replay.resumeFrom(0))).not.toContain("\ufeff");
    replay.close();
  });

  it("ends a run of AG-UI that was cut where another one follows, and no other", () => {
    const lines = (list: readonly object[]): Uint8Array => utf8(list.map((one) => `${JSON.stringify(one)}\n`).join(""));
    const types = (replay: Replay, eventIndex: number) =>
      textOf(replay.resumeFrom({ eventIndex }))
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).type);
    for (const interval of [1, 1_000_000]) {
      const replay = createReplay(engine(kind), { protocol: "ag-ui", transport: "ndjson", interval });
      replay.append(lines([started(), textStart("m")]));
      replay.reconnect();
      replay.append(lines([textContent("m", "x")]));
      replay.reconnect();
      replay.append(lines([started({ runId: "r2" }), finished({ runId: "r2" })]));
      expect(types(replay, 1).slice(-5)).toEqual([
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "RUN_ERROR",
        "RUN_STARTED",
        "RUN_FINISHED",
      ]);
      expect(replay.snapshotAt<{ run: object }>({ eventIndex: 2 })?.run).toMatchObject({ status: "running" });
      replay.close();
    }
  });

  it("is closed after close, and nothing for a listener to call", () => {
    let code: unknown;
    const replay: Replay = createReplay(engine(kind), {
      ...AGENTUE,
      onError() {
        code = thrown(() => replay.reconnect())?.code;
      },
    });
    replay.append(concat([message(events[0]), message({ op: "nope", seq: 2 })]));
    expect(code).toBe("reentrant");
    replay.reconnect();
    replay.reconnect();
    expect(replay.seq()).toBe(1);
    replay.close();
    expect(thrown(() => replay.reconnect())?.code).toBe("closed");
  });
});

describe.each(WASM_KINDS)("a replay without memory on %s", (kind) => {
  it("goes on behind the message that found none", () => {
    // 4 MiB: room for the engine and a model
    const small = engineWithin(64, kind);
    const options = { protocol: "agentue", transport: "ndjson" } as const;
    const replay = createReplay(small, { ...options, interval: 100_000, onError() {} });
    const lines = (event: object): Uint8Array => utf8(`${JSON.stringify(event)}\n`);
    replay.append(lines(start(modelOf({ id: "a", type: "t", content: "" }))));
    // another reducer takes what is left
    const other = small.createReducer(options);
    const large = JSON.stringify(modelOf({ id: "x", type: "t", content: "x".repeat(100_000) }));
    for (let i = 0; i < 100; i++) if (thrown(() => other.load(large, { streamId: `${i}` })) !== undefined) break;
    let seq = 1;
    let code: string | undefined;
    while (code === undefined && seq < 2000)
      code = thrown(() => replay.append(lines(append(++seq, "a", "x".repeat(5000)))))?.code;
    expect(code).toBe("out_of_memory");
    expect(thrown(() => replay.append(lines(append(seq, "a", "x"))))?.code).toBe("out_of_memory");
    const before = replay.seq();
    // there may be none to look back either: then nothing has changed
    thrown(() => replay.reconnect());
    expect(replay.seq()).toBe(before);
    other.close();
    replay.reconnect();
    replay.append(lines(append(seq, "a", "!")));
    replay.append(lines(end(seq + 1)));
    expect([replay.seq(), replay.finish().status]).toEqual([seq + 1, "complete"]);
    const content = (model: unknown): unknown => (model as { blocks: { content: string }[] }).blocks[0]!.content;
    const consumer = engine(kind).createReducer({ protocol: "agentue", transport: "ndjson" });
    consumer.push(replay.resumeFrom({ eventIndex: 0 }));
    expect(content(consumer.snapshot())).toBe(`${"x".repeat(5000 * (seq - 2))}!`);
    expect(content(replay.snapshotAt(seq - 1))).toBe("x".repeat(5000 * (seq - 2)));
    for (const one of [consumer, replay, small]) one.close();
  });
});
