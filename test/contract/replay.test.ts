import { describe, expect, it } from "vitest";
import { utf8 } from "../support/bytes.js";
import { engine, REDUCER_KINDS } from "../support/engines.js";
import { Fold } from "../support/fold.js";
import { Rng } from "../support/rng.js";
import { randomSpelling, sseEvent } from "../support/sse.js";
import { append, end, failure, MODEL, modelOf, ping, set, setBlock, setMeta, start } from "./base.js";

// AgentUE §6: snapshot(n) = reduce(start.model, patches[1..n]); a resumed delivery is a start like any other.

/** A start and accepted patches of every kind, seq from 1 without gaps. */
const EVENTS: Record<string, unknown>[] = [
  start(MODEL),
  append(2, "a", ", wörld 😀"),
  set(3, { id: "n", type: "text", content: "" }),
  append(4, "n", "1"),
  append(5, "n", "2"),
  setBlock(6, "block.tool.status", { id: "tool", tool: { status: "done" } }),
  { op: "append", seq: 7, mask: "block.items", block: { id: "list", items: [2, { x: [null] }] } },
  setMeta(8, "meta.stats.tokens", { stats: { tokens: 5 } }),
  set(9, { id: "a", ref: "stored" }),
  set(10, { id: "r", type: "text", content: "resolved" }),
  append(11, "r", "!"),
  setBlock(12, "block.deep.er", { id: "r", deep: { er: { est: 1 } } }),
  { op: "append", seq: 13, mask: "block.content", block: { id: "new", type: "text", content: "born" } },
  append(14, "new", " grown"),
  setBlock(15, "block.content", { id: "new", content: null }),
  append(16, "new", "again"),
  failure(17, { code: "c", message: "m" }),
  setMeta(18, "meta.error", { error: null }),
];

describe.each(REDUCER_KINDS)("replay, %s", (kind) => {
  const feed = (events: readonly unknown[], transport: "sse" | "ndjson" | "json" = "json"): Fold => {
    const fold = new Fold(engine(kind), transport);
    for (const event of events) {
      const text = JSON.stringify(event);
      fold.push(utf8(transport === "sse" ? sseEvent(text) : transport === "ndjson" ? `${text}\n` : text));
    }
    expect(fold.errors).toEqual([]);
    return fold;
  };
  const state = (fold: Fold): { seq: number | undefined; model: string | undefined } => {
    const { seq, model } = fold.stream("");
    fold.reducer.close();
    return { seq, model };
  };

  it("the model after n events is the fold of the first n, for every n", () => {
    const running = new Fold(engine(kind), "sse");
    EVENTS.forEach((event, n) => {
      running.push(utf8(sseEvent(JSON.stringify(event))));
      const { seq, model } = running.stream("");
      expect({ seq, model }, `after event ${n}`).toEqual(state(feed(EVENTS.slice(0, n + 1), "ndjson")));
      expect(running.stream("").version, `after event ${n}`).toBe(n + 1);
    });
    running.reducer.close();
  });

  it("resuming from any snapshot with the rest gives the same", () => {
    const wanted = state(feed(EVENTS));
    for (let n = 1; n <= EVENTS.length; n++) {
      const first = feed(EVENTS.slice(0, n));
      const model = first.reducer.snapshot();
      const bytes = first.reducer.snapshotBytes();
      first.reducer.close();
      const resumed = { op: "start", seq: n, model };
      expect(state(feed([resumed, ...EVENTS.slice(n)])), `a start with the snapshot after ${n}`).toEqual(wanted);
      expect(
        state(feed([...EVENTS.slice(0, 3), resumed, ...EVENTS.slice(n)])),
        `the same over an older model, after ${n}`,
      ).toEqual(wanted);
      const loaded = new Fold(engine(kind), "json");
      loaded.reducer.load(bytes, { seq: n });
      for (const event of EVENTS.slice(n)) loaded.push(utf8(JSON.stringify(event)));
      expect(state(loaded), `load of the snapshot after ${n}`).toEqual(wanted);
    }
  });

  it("a replayed tail of any length is skipped", () => {
    const wanted = state(feed(EVENTS));
    for (let n = 1; n < EVENTS.length; n++) {
      const fold = feed([...EVENTS, ...EVENTS.slice(n)]);
      expect(fold.warnings, `tail from ${n}`).toEqual([
        { code: "duplicate_seq", path: "/seq", streamId: "", seq: n + 1, eventIndex: EVENTS.length },
      ]);
      expect(state(fold), `tail from ${n}`).toEqual(wanted);
    }
  });

  it("interleaving with other streams, pings and any spelling changes nothing", () => {
    const wanted = feed(EVENTS);
    const model = wanted.stream("").model;
    for (let seed = 1; seed <= 20; seed++) {
      const rng = new Rng(seed);
      const fold = new Fold(engine(kind), "sse");
      const send = (event: unknown): number => fold.push(utf8(sseEvent(JSON.stringify(event), randomSpelling(rng))));
      send(start(modelOf({ id: "a", type: "t", content: "" }), { stream_id: "other" }));
      EVENTS.forEach((event, n) => {
        if (rng.chance(0.5)) send(append(2 + n, "a", "x", { stream_id: "other" }));
        send({ stream_id: "main", ...event });
        if (rng.chance(0.3)) send(ping(n + 1, { stream_id: "main" }));
      });
      send(end(19, { stream_id: "main" }));
      expect(fold.errors, `seed ${seed}`).toEqual([]);
      expect(fold.stream("main"), `seed ${seed}`).toEqual({
        streamId: "main",
        status: "ended",
        seq: 19,
        version: 18,
        model,
      });
      fold.reducer.close();
    }
    wanted.reducer.close();
  });
});
