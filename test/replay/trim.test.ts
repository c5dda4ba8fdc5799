import { describe, expect, it } from "vitest";
import { createReplay, type Replay } from "../../src/replay/index.js";
import { append, modelOf, ping, start } from "../contract/base.js";
import { started, textContent, textEnd, textStart, toolStart } from "../support/agui-events.js";
import { utf8 } from "../support/bytes.js";
import { engine, KINDS } from "../support/engines.js";
import { thrown } from "../support/fold.js";
import { Rng } from "../support/rng.js";
import { bodiesOf, open, places, record } from "./bodies.js";
import { eventsIn, MIXED, message, replayOf, sse, tokens } from "./logs.js";
import { consume, modelsOf, openReplay, randomLog, reducerOf } from "./random-log.js";

const AGENTUE = { protocol: "agentue", transport: "sse" } as const;

describe.each(KINDS)("logs whose beginning is trimmed, on %s", (kind) => {
  it.each(["agentue", "ag-ui"] as const)("of %s: what is left is as it was", (protocol) => {
    for (let seed = 1; seed <= 20; seed++) {
      const rng = new Rng(2000 + seed);
      const log = randomLog(rng, protocol);
      if (rng.chance(0.2)) log.options = { ...log.options, undecodable: "skip" };
      const bodies = bodiesOf(rng, log);
      const label = `seed ${seed}, ${log.wire} to ${log.to}`;
      const replay = openReplay(log, kind);
      for (const body of bodies) {
        record(replay, [body]);
        const { events, bytes, trimmed } = replay.stats();
        if (events === trimmed || rng.chance(0.6)) continue;
        const gone = replay.trim({ eventIndex: rng.between(Math.max(trimmed - 1, 0), events - 1) });
        expect(replay.stats().bytes, label).toBe(bytes - gone);
      }
      const plain = reducerOf(kind, protocol, log.wire, log.options);
      const ids = protocol === "ag-ui" ? [""] : ["", ...replay.streamIds()];
      const all = (of: (streamId: string) => unknown) => ids.map((streamId) => [streamId, of(streamId)]);
      const held = places(plain, bodies, log.wire === "json", () => all((streamId) => plain.snapshot({ streamId })));
      const { trimmed, events } = replay.stats();
      expect(events, label).toBe(held.length);
      for (const [eventIndex, models] of held.entries()) {
        const at = `${label}, event ${eventIndex} of ${held.length}, ${trimmed} trimmed`;
        expect(replay.has({ eventIndex }), at).toBe(eventIndex >= trimmed - 1);
        if (eventIndex < trimmed - 1) {
          expect(thrown(() => replay.snapshotAt({ eventIndex }))?.code, at).toBe("bad_argument");
          continue;
        }
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

  it("takes cursors of every kind, and refuses those before it", () => {
    for (const interval of [1, 1_000_000]) {
      for (const cursor of [{ seq: 2, streamId: "s" }, { id: "id 3" }, { eventIndex: 3 }]) {
        const replay = replayOf(kind, MIXED, { interval });
        const expected = [4, 5, 8, 12].map((eventIndex) => replay.snapshotAt({ eventIndex }));
        expect(replay.trim(cursor)).toBeGreaterThan(0);
        expect(replay.stats().trimmed).toBe("seq" in cursor ? 8 : 4);
        const left = [4, 5, 8, 12].map((eventIndex) => ({ eventIndex })).filter((one) => replay.has(one));
        expect(left.map((one) => replay.snapshotAt(one))).toEqual(expected.slice(-left.length));
        for (const gone of [{ eventIndex: 0 }, { id: "id 0" }, 0, { seq: 0, streamId: "s" }]) {
          expect(replay.has(gone)).toBe(false);
          expect(thrown(() => replay.resumeFrom(gone))?.code).toBe("bad_argument");
        }
        expect(() => replay.snapshotAt({ eventIndex: 0 })).toThrow("was trimmed");
        expect([replay.has(cursor), replay.has(99), replay.has({ id: "id 11" })]).toEqual([true, true, true]);
        expect(replay.trim(cursor)).toBe(0);
        // to the end, where what comes goes on
        replay.trim(99);
        expect(replay.stats()).toMatchObject({ bytes: 0, trimmed: MIXED.length });
        replay.append(message(start(modelOf({ id: "z", type: "t" }), { stream_id: "z" }), "last"));
        expect(eventsIn(replay.resumeFrom({ id: "id 12" })).at(-1)).toMatchObject({ op: "start", stream_id: "z" });
        replay.close();
      }
    }
  });

  it("makes room for what comes: a log within its bytes goes on for ever", () => {
    const chunk = sse(Array.from({ length: 50 }, (_, i) => ping(i)));
    const replay: Replay = createReplay(engine(kind), {
      ...AGENTUE,
      logBytes: 4 * chunk.length,
      interval: chunk.length,
      // inside of the call the log is not being read
      onError: ({ code }) => void (code === "limit" && replay.trim(replay.seq()!)),
    });
    replay.append(message(start(modelOf({ id: "a", type: "t", content: "" }))));
    let refused = 0;
    for (let seq = 2; seq < 40; seq++) {
      for (const bytes of [message(append(seq, "a", "x")), chunk]) {
        if (thrown(() => replay.append(bytes)) === undefined) continue;
        refused++;
        replay.append(bytes);
      }
      expect(replay.stats().bytes).toBeLessThanOrEqual(4 * chunk.length);
    }
    expect(refused).toBeGreaterThan(5);
    expect(replay.snapshotAt<{ blocks: { content: string }[] }>(99)?.blocks[0]?.content).toBe("x".repeat(38));
    replay.close();
  });

  it("keeps of AG-UI what consumers need to come to every later place", () => {
    const lines = (list: readonly object[]): Uint8Array => utf8(list.map((one) => `${JSON.stringify(one)}\n`).join(""));
    const events = [
      started(),
      textStart("m"),
      textContent("m", "x"),
      textEnd("m"),
      toolStart("c"),
      { type: "TOOL_CALL_RESULT", messageId: "x", toolCallId: "c", content: "1" },
      { type: "TOOL_CALL_RESULT", messageId: "x", toolCallId: "c", content: "2" },
    ];
    const replay = createReplay(engine(kind), { protocol: "ag-ui", transport: "ndjson", interval: 1 });
    for (const event of events) replay.append(lines([event]));
    // two messages of one id: no events lead there but those of the log
    replay.trim({ eventIndex: 6 });
    expect(replay.stats().trimmed).toBeGreaterThan(0);
    expect(replay.stats().trimmed).toBeLessThan(7);
    for (const bytes of [replay.resumeLatest(), replay.resumeFrom({ eventIndex: 6 })]) {
      const consumer = engine(kind).createReducer({ protocol: "ag-ui", transport: "ndjson" });
      consumer.push(bytes);
      expect(consumer.snapshot<{ messages: unknown }>()!.messages).toEqual(
        replay.snapshotAt<{ messages: unknown }>({ eventIndex: 6 })!.messages,
      );
      consumer.close();
    }
    replay.close();
    // without a checkpoint on the way nothing goes
    const whole = createReplay(engine(kind), { protocol: "ag-ui", transport: "ndjson", checkpoints: 0 });
    whole.append(lines(events));
    expect([whole.trim({ eventIndex: 6 }), whole.stats().trimmed]).toEqual([0, 0]);
    whole.close();
  });

  it("is refused while the log is being read, and after close", () => {
    const codes: unknown[] = [];
    const replay: Replay = createReplay(engine(kind), {
      ...AGENTUE,
      onError: () => codes.push(thrown(() => replay.trim(0))?.code),
      materialize() {
        codes.push(thrown(() => replay.trim(0))?.code);
        return undefined;
      },
    });
    replay.append(sse([start(), append(2, "r", "1"), append(3, "a", "x")]));
    replay.resumeFrom(1);
    expect(new Set(codes)).toEqual(new Set(["reentrant"]));
    expect(codes.length).toBeGreaterThan(2);
    expect(thrown(() => replay.trim({ id: "none" }))?.code).toBe("bad_argument");
    replay.close();
    expect(thrown(() => replay.trim(0))?.code).toBe("closed");
  });

  it("gives memory back", () => {
    const replay = replayOf(kind, tokens(3000), { interval: 10_000 });
    const before = replay.stats();
    const gone = replay.trim(2990);
    const after = replay.stats();
    expect([after.bytes, after.checkpoints < before.checkpoints]).toEqual([before.bytes - gone, true]);
    expect(after.bytes).toBeLessThan(before.bytes / 100);
    expect(after.checkpointBytes).toBeLessThan(before.checkpointBytes);
    expect(eventsIn(replay.resumeFrom(2990)).length).toBeGreaterThan(10);
    replay.close();
  });
});
