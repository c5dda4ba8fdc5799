import { describe, expect, it } from "vitest";
import { type CompactOptions, compact, createCompactor } from "../../src/agui/index.js";
import { StreamfoldError } from "../../src/errors.js";
import {
  type AguiEvent,
  encrypted,
  finished,
  runError,
  started,
  text,
  textChunk,
  textContent,
  textEnd,
  textStart,
  thoughtContent,
  thoughtStart,
  toolArgs,
  toolChunk,
  toolStart,
} from "../support/agui-events.js";
import { KINDS } from "../support/engines.js";
import { foldLog } from "./logs.js";

const raw: AguiEvent = { type: "RAW", event: 1 };
const snapshot = (value: unknown, more: object = {}): AguiEvent => ({
  type: "STATE_SNAPSHOT",
  snapshot: value,
  ...more,
});
const replace = (path: string, value: unknown, more: object = {}): AguiEvent => ({
  type: "STATE_DELTA",
  delta: [{ op: "replace", path, value }],
  ...more,
});
const activity = (messageId: string, content: object, more: object = {}): AguiEvent => ({
  type: "ACTIVITY_SNAPSHOT",
  messageId,
  activityType: "PLAN",
  content,
  ...more,
});
const change = (messageId: string, path: string, value: unknown, more: object = {}): AguiEvent => ({
  type: "ACTIVITY_DELTA",
  messageId,
  activityType: "PLAN",
  patch: [{ op: "replace", path, value }],
  ...more,
});

/** Compacts a run of these events, having seen that it folds to the same. */
function compacted(events: readonly AguiEvent[], options: CompactOptions = {}): AguiEvent[] {
  const log = [started(), ...events];
  const result = compact(log, options) as AguiEvent[];
  for (const kind of KINDS) {
    for (const onDeltaFailure of ["warn", "upsert"] as const) {
      const expected = foldLog(kind, log, { onDeltaFailure, state: options.state });
      const got = foldLog(kind, result, { onDeltaFailure, state: options.state });
      expect(expected.errors).toEqual([]);
      expect(got.errors).toEqual([]);
      expect(got.json).toBe(expected.json);
    }
  }
  expect(compact(result, options)).toEqual(result);
  expect(result[0]).toEqual(started());
  return result.slice(1);
}

describe("compacted texts", () => {
  it("deltas of one message, call or thought are joined, and everything else keeps its place", () => {
    expect(
      compacted([
        ...text("m", ["a", "", "b"]),
        toolStart("c"),
        thoughtStart("r"),
        toolArgs("c", "{"),
        thoughtContent("r", "x"),
        raw,
        toolArgs("c", "}"),
        thoughtContent("r", "y"),
      ]),
    ).toEqual([
      ...text("m", ["ab"]),
      toolStart("c"),
      thoughtStart("r"),
      toolArgs("c", "{}"),
      thoughtContent("r", "xy"),
      raw,
    ]);
  });

  it("halves of a character meet", () => {
    expect(compacted([textStart("m"), textContent("m", "\ud83d"), textContent("m", "\ude00")])).toEqual([
      textStart("m"),
      textContent("m", "😀"),
    ]);
  });

  it("D4, D5: metadata is merged in order, the last value wins; rawEvent of what was joined is gone", () => {
    expect(
      compacted([
        textStart("m", { metadata: { s: 1 } }),
        textContent("m", "a", { metadata: { a: 1, o: { x: 1 } }, rawEvent: 1, timestamp: 5 }),
        textContent("m", "b", { metadata: { o: { y: 1 }, ["__proto__"]: 2 }, rawEvent: 2 }),
        textEnd("m", { metadata: { s: 2 } }),
      ]),
    ).toEqual([
      textStart("m", { metadata: { s: 1 } }),
      textContent("m", "ab", { metadata: { a: 1, o: { y: 1 }, ["__proto__"]: 2 }, timestamp: 5 }),
      textEnd("m", { metadata: { s: 2 } }),
    ]);
    const alone = [textStart("m"), textContent("m", "a", { rawEvent: 1 }), textEnd("m")];
    expect(compacted(alone)).toEqual(alone);
  });

  it("nothing is joined across what concerns the message, too", () => {
    const user = { id: "m", role: "user", content: "z" };
    for (const between of [
      { type: "MESSAGES_SNAPSHOT", messages: [user] },
      thoughtStart("m"),
      encrypted("message", "m", "v"),
      toolStart("c", "f", { parentMessageId: "m" }),
      toolStart("m"),
      { type: "TOOL_CALL_RESULT", messageId: "m", toolCallId: "c", content: "" },
      activity("m", {}),
      { type: "FUTURE_EVENT" },
      { ...raw, futureProp: 1 },
    ]) {
      const log = [textStart("m"), textContent("m", "a"), between as AguiEvent, textContent("m", "b")];
      expect(compacted(log)).toEqual(log);
    }
  });

  it("two kinds of deltas for one message keep their order", () => {
    const log = [
      textStart("m"),
      thoughtStart("m"),
      textContent("m", "a"),
      thoughtContent("m", "b"),
      textContent("m", "c"),
    ];
    expect(compacted(log)).toHaveLength(5);
  });

  it("a joined delta has an end", () => {
    const log = [textStart("m"), ..."abcdefg".split("").map((delta) => textContent("m", delta))];
    expect(compacted(log, { maxDelta: 3 })).toEqual([
      textStart("m"),
      textContent("m", "abc"),
      textContent("m", "def"),
      textContent("m", "g"),
    ]);
    expect(() => compact([], { maxDelta: 0 })).toThrow(StreamfoldError);
  });
});

describe("compacted chunks", () => {
  it("stay chunks, and the event that ends a chunk stream stays where it is", () => {
    expect(
      compacted([
        textStart("m"),
        textContent("m", "a"),
        textChunk({ messageId: "k", delta: "x", metadata: { a: 1 } }),
        textChunk({ delta: "y", metadata: { b: 1 } }),
        raw,
        textChunk({ messageId: "k", role: "assistant", delta: "z" }),
        textChunk({}),
        textContent("m", "b"),
        textContent("m", "c"),
        textEnd("m"),
        finished(),
      ]),
    ).toEqual([
      textStart("m"),
      textContent("m", "a"),
      textChunk({ messageId: "k", delta: "x", metadata: { a: 1 } }),
      textChunk({ delta: "yz", metadata: { b: 1 } }),
      raw,
      textContent("m", "bc"),
      textEnd("m"),
      finished(),
    ]);
  });

  it("a state that ends one stays, too, and goes on from there", () => {
    const chunk = toolChunk({ toolCallId: "c", toolCallName: "f", delta: "{" });
    expect(
      compacted([snapshot({ a: 1, b: 1 }), replace("/a", 2), chunk, replace("/a", 3), replace("/b", 2), finished()]),
    ).toEqual([
      snapshot({ a: 2, b: 1 }),
      chunk,
      {
        type: "STATE_DELTA",
        delta: [
          { op: "replace", path: "/a", value: 3 },
          { op: "replace", path: "/b", value: 2 },
        ],
      },
      finished(),
    ]);
  });

  it("a log that begins inside of a run takes no chunk for an opener", () => {
    const tail = [textChunk({ delta: "b" }), textChunk({ delta: "c" }), toolChunk({ toolCallId: "c", delta: "x" })];
    expect(compact(tail)).toEqual(tail);
    const head = [started(), textChunk({ messageId: "k", delta: "a" })];
    const rest = [textChunk({ delta: "b" }), textChunk({ delta: "c" }), textStart("m"), textEnd("m"), finished()];
    for (const kind of KINDS) {
      const expected = foldLog(kind, [...head, ...rest]);
      expect(foldLog(kind, [...compact(head), ...compact(rest)]).json).toBe(expected.json);
      expect(foldLog(kind, compact([...compact(head), ...rest])).json).toBe(expected.json);
    }
    // The first delta may end a chunk stream that was opened before: it stays, and so it is for each owner.
    const deltas = ["s", undefined, "s", undefined].map((tag) =>
      textContent("m", "x", tag === undefined ? {} : { subagentRunId: tag }),
    );
    expect(compact(deltas)).toEqual([deltas[0], textContent("m", "xxx")]);
  });
});

describe("compacted values", () => {
  it("a snapshot takes in the deltas and snapshots that follow in its run", () => {
    expect(
      compacted([snapshot({ a: 1 }), replace("/a", 2), raw, snapshot({ b: 0 }), replace("/b", 1), finished()]),
    ).toEqual([snapshot({ b: 1 }), raw, finished()]);
  });

  it("G9: a delta that does not apply stays with what it does not apply to, and the state is not known after it", () => {
    expect(
      compacted([snapshot({ a: 1 }), replace("/a", 2), replace("/x/y", 1), replace("/a", 3), replace("/a", 4)]),
    ).toEqual([snapshot({ a: 2 }), replace("/x/y", 1), replace("/a", 3), replace("/a", 4)]);
    expect(compacted([snapshot({}), replace("/x", 1), snapshot(1), snapshot(2)])).toEqual([
      snapshot({}),
      replace("/x", 1),
      snapshot(2),
    ]);
  });

  it("deltas of a state that is not known stay as they are; of a known one they are joined", () => {
    const deltas = [replace("/a", 1), replace("/a", 2)];
    expect(compacted(deltas)).toEqual(deltas);
    const joined = { type: "STATE_DELTA", delta: deltas.flatMap(({ delta }) => delta) };
    expect(compacted(deltas, { state: { a: 0 } })).toEqual([joined]);
    const before = [snapshot({ a: 0 }), finished(), started({ runId: "s" })];
    expect(compacted([...before, ...deltas])).toEqual([...before, joined]);
    // A snapshot takes the place of what applies for sure.
    expect(compacted([...before, ...deltas, snapshot(7)])).toEqual([...before, snapshot(7)]);
  });

  it("a run ends as it ended", () => {
    const log = [snapshot({ a: 1 }), finished(), started({ runId: "s" }), snapshot({ a: 2 }), finished({ runId: "s" })];
    expect(compacted(log)).toEqual(log);
    const closed = [...text("m", ["a"]), runError(), started({ runId: "s" }), ...text("m", ["b"])];
    expect(compacted(closed)).toEqual(closed);
  });

  it("activities: content, type and metadata come together in the first snapshot", () => {
    expect(
      compacted([
        activity("a", { n: 1 }, { metadata: { x: 1 } }),
        change("a", "/n", 2, { activityType: "SEARCH", metadata: { y: 1 } }),
        activity("a", { n: 5 }, { replace: false, metadata: { z: 1 } }),
        change("a", "/n", 3, { activityType: "DONE" }),
      ]),
    ).toEqual([activity("a", { n: 3 }, { activityType: "DONE", metadata: { x: 1, y: 1, z: 1 } })]);
  });

  it("activities: another owner, a failing patch, an unknown one and no object are left alone", () => {
    const own = { subagentRunId: "s" };
    for (const log of [
      [activity("a", { n: 1 }), activity("a", { n: 2 }, own)],
      [activity("a", { n: 1 }), change("a", "/x", 1), change("a", "/n", 1), change("a", "/n", 2)],
      [activity("a", { n: 1 }), change("a", "", 1), change("a", "/n", 1)],
      [activity("a", {}, { replace: false }), change("a", "/n", 1), change("a", "/n", 2)],
      [change("b", "/n", 1), change("b", "/n", 2)],
    ])
      expect(compacted(log)).toEqual(log);
  });

  it("copies of copies are not followed beyond what a model may have", () => {
    const doubling = {
      type: "STATE_DELTA",
      delta: Array.from({ length: 40 }, () => ({ op: "copy", from: "", path: "/-" })),
    };
    const log = [started(), snapshot(["x".repeat(1000)]), doubling, replace("/0", 1)];
    expect(compact(log)).toEqual(log);
  });
});

describe("a compactor", () => {
  it("gives batches to be stored one behind the other, with what is open going on in the next", () => {
    const compactor = createCompactor();
    const first = [started(), snapshot({ n: 0 }), textChunk({ messageId: "k", delta: "a" }), textChunk({ delta: "b" })];
    const second = [
      textChunk({ delta: "c" }),
      textChunk({ delta: "d" }),
      replace("/n", 1),
      replace("/n", 2),
      finished(),
    ];
    for (const event of first) compactor.add(event);
    const stored = compactor.take();
    expect(stored).toEqual([started(), snapshot({ n: 0 }), textChunk({ messageId: "k", delta: "ab" })]);
    for (const event of second) compactor.add(event);
    const more = compactor.take();
    expect(more).toEqual([
      textChunk({ delta: "cd" }),
      { type: "STATE_DELTA", delta: [1, 2].map((value) => ({ op: "replace", path: "/n", value })) },
      finished(),
    ]);
    expect(compactor.take()).toEqual([]);
    for (const kind of KINDS)
      expect(foldLog(kind, [...stored, ...more]).json).toBe(foldLog(kind, [...first, ...second]).json);
  });

  it("refuses what is malformed, and is then as it was", () => {
    const compactor = createCompactor();
    const refusal = (event: unknown): unknown => {
      try {
        compactor.add(event);
      } catch (error) {
        const { code, path, eventIndex } = error as StreamfoldError;
        return [code, path, eventIndex];
      }
      return undefined;
    };
    for (const event of [started(), textChunk({ messageId: "m", delta: "a" })]) compactor.add(event);
    expect(refusal({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: null })).toEqual(["bad_event", "/delta", 2]);
    expect(refusal(textChunk({ role: "user" }))).toEqual(["chunk_conflict", "/role", 2]);
    expect(refusal(toolChunk({ toolCallId: "t" }))).toEqual(["bad_event", "/toolCallName", 2]);
    expect(refusal({})).toEqual(["bad_event", "/type", 2]);
    expect(refusal("x")).toEqual(["bad_event", "", 2]);
    expect(refusal({ type: "RAW", event: () => 1 })).toEqual(["not_json", "/event", undefined]);
    compactor.add(textChunk({ delta: "b" }));
    expect(compactor.take()).toEqual([started(), textChunk({ messageId: "m", delta: "ab" })]);
  });

  it("leaves alone what only other versions know, and takes listed nulls for absent members", () => {
    const foreign = [
      { type: "FUTURE_EVENT", delta: 1 },
      { type: "THINKING_START", title: "t" },
      { type: "THINKING_END" },
      textStart("m"),
      textContent("m", "a", { futureProp: 1 }),
      textContent("m", "b", { futureProp: 2 }),
    ];
    expect(compacted(foreign)).toEqual(foreign);
    expect(
      compacted([textStart("n"), ...["a", "b"].map((delta) => textContent("n", delta, { rawEvent: null }))]),
    ).toEqual([textStart("n"), textContent("n", "ab")]);
  });

  it("is done in time that follows the log", () => {
    const log = [started(), snapshot({ n: 0 }), textStart("m")];
    for (let i = 0; i < 20_000; i++) log.push(textContent("m", "token "), replace("/n", i));
    const result = compact(log);
    expect(result).toHaveLength(4);
    expect((result[3] as AguiEvent).delta).toHaveLength(120_000);
    expect(result[1]).toEqual(snapshot({ n: 19_999 }));
  });
});
