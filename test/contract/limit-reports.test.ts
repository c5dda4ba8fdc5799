import { describe, expect, it } from "vitest";
import { concat, latin1, utf8 } from "../support/bytes.js";
import { engine, REDUCER_KINDS } from "../support/engines.js";
import { Fold, thrown } from "../support/fold.js";
import { append, modelOf, set, start } from "./base.js";

// docs/semantics.md §8: how much one call reports; and what limits may be set to.

const X = { id: "x", type: "t", content: "" };
const nest = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

describe.each(REDUCER_KINDS)("limits > reports, %s", (kind) => {
  const lines = (count: number): Uint8Array =>
    utf8(
      Array.from({ length: count }, (_, i) => `${JSON.stringify(append(i, "x", "a", { stream_id: `s${i}` }))}\n`).join(
        "",
      ),
    );

  it("delivers as many of one call as the limit says and counts the rest", () => {
    const fold = new Fold(engine(kind), "ndjson", { limits: { reports: 5 } });
    fold.push(lines(5));
    expect(fold.errors.length).toBe(5);
    fold.push(lines(6));
    expect(fold.errors.length).toBe(10);
    expect(fold.errors.slice(5).map((error) => error.eventIndex)).toEqual([5, 6, 7, 8, 9]);
    expect(fold.reducer.stats()).toMatchObject({ events: 11, errors: 11, applied: 0 });
    fold.reducer.close();
  });

  it("counts warnings and errors together, in the order of the wire; events and gaps are no reports", () => {
    const fold = new Fold(engine(kind), "ndjson", { limits: { reports: 2 }, onViolation: "skip-event" });
    const events = [
      start(modelOf(X)),
      append(1, "x", "a"),
      append(3, "x", "a"),
      set(4, { id: 5 }),
      append(5, "x", "b"),
      append(5, "x", "c"),
      append(6, "x", "d"),
      set(7, { id: 5 }),
    ];
    fold.push(utf8(events.map((event) => `${JSON.stringify(event)}\n`).join("")));
    expect(fold.log.map((entry) => entry.kind)).toEqual([
      "event",
      "warning",
      "gap",
      "event",
      "error",
      "gap",
      "event",
      "event",
    ]);
    expect(fold.reducer.stats()).toMatchObject({ warnings: 2, errors: 2, applied: 4, skipped: 2 });
    fold.reducer.close();
  });

  it("a connection failure beyond the limit is still thrown", () => {
    const fold = new Fold(engine(kind), "ndjson", { limits: { reports: 2 } });
    fold.push(concat([lines(4), utf8("{]\n")]));
    expect(fold.failure).toMatchObject({ code: "bad_json", eventIndex: 4 });
    expect(fold.reducer.stats()).toMatchObject({ errors: 5 });
    fold.reducer.close();
  });

  it("unknown limits and values out of range are refused", () => {
    for (const limits of [
      { depth: 0 },
      { depth: 4097 },
      { depth: 1.5 },
      { blocks: -1 },
      { nope: 1 },
      { streams: Number.NaN },
      { reports: "5" },
    ]) {
      const error = thrown(() =>
        engine(kind).createReducer({ protocol: "agentue", transport: "sse", limits: limits as never }),
      );
      expect(error, JSON.stringify(limits)).toMatchObject({ code: "bad_argument", scope: "usage" });
    }
  });

  it("depth at its maximum works on both sides of the bound", () => {
    const fold = new Fold(engine(kind), "json", { limits: { depth: 4096 } });
    fold.push(utf8(JSON.stringify(start(modelOf(X)))));
    fold.push(latin1(`{"op":"set","seq":2,"mask":"meta.v","meta":{"v":${nest(4093)}}}`));
    expect(fold.reducer.seq()).toBe(2);
    fold.push(latin1(`{"op":"set","seq":3,"mask":"meta.v","meta":{"v":${nest(4095)}}}`));
    expect(fold.failure?.code).toBe("too_deep");
    expect(fold.reducer.snapshotBytes().length).toBeGreaterThan(8000);
    fold.reducer.close();
  });
});
