import { describe, expect, it } from "vitest";
import {
  type AguiEvent,
  activity,
  activityDelta,
  encrypted,
  finished,
  messagesSnapshot,
  run,
  spanStart,
  started,
  stateDelta,
  stateSnapshot,
  stepFinished,
  stepStarted,
  subagentFinished,
  subagentStarted,
  tagged,
  text,
  textChunk,
  textStart,
  thoughtChunk,
  thoughtStart,
  tool,
  toolArgs,
  toolChunk,
  toolEnd,
  toolResult,
  toolStart,
} from "../support/agui-events.js";
import { utf8 } from "../support/bytes.js";
import { readCheckpoint } from "../support/checkpoint.js";
import { engine, KINDS } from "../support/engines.js";
import { canonical } from "../support/exact-json.js";
import { Fold, type Options, thrown } from "../support/fold.js";
import { assistant, call, caller, user } from "./agui.js";

// docs/semantics-agui.md §12: fold(restore(checkpoint at k), events after k) is fold(all events), on every engine, from every engine.

interface Script {
  name: string;
  options?: Options;
  events: readonly AguiEvent[];
}

const SCRIPTS: readonly Script[] = [
  {
    name: "text, calls, reasoning, state and activities",
    options: { input: { threadId: "T", messages: [user("u")], state: { n: 0 } } },
    events: [
      started({ protocolVersion: "1.2", parentRunId: "p" }),
      ...text("m", ["a", "é😀", ""], { metadata: { k: 1 } }),
      spanStart("r"),
      thoughtStart("r"),
      { type: "REASONING_MESSAGE_CONTENT", messageId: "r", delta: "hm" },
      { type: "REASONING_MESSAGE_END", messageId: "r" },
      { type: "REASONING_END", messageId: "r" },
      encrypted("message", "r", "v", { encryptedValueType: "t" }),
      toolStart("c", "f", { parentMessageId: "m" }),
      toolArgs("c", '{"q":'),
      stateDelta([{ op: "replace", path: "/n", value: 1 }]),
      toolArgs("c", "1}"),
      toolEnd("c"),
      ...tool("d", ["{}"]),
      toolResult("t", "c", [{ type: "text", text: "x" }]),
      activity("a", { x: [1] }),
      activityDelta("a", [{ op: "add", path: "/x/-", value: 2 }]),
      finished({ result: { done: true }, usage: [{ inputTokens: 1 }] }),
      { type: "RUN_ERROR", message: "late", code: "c" },
    ],
  },
  {
    name: "chunks in several lanes, steps and subagents",
    events: [
      started(),
      stepStarted("s"),
      subagentStarted("x"),
      subagentStarted("y", { parentSubagentRunId: "x" }),
      textChunk({ messageId: "a", delta: "1", name: "n", role: "user" }),
      ...tagged("x", [toolChunk({ toolCallId: "c", toolCallName: "f", delta: "{", parentMessageId: "p" })]),
      ...tagged("y", [thoughtChunk({ messageId: "b", delta: "?" })]),
      textChunk({ delta: "2" }),
      toolChunk({ delta: "}" }),
      thoughtChunk({ delta: "!" }),
      stepStarted("s", { subagentRunId: "x" }),
      subagentFinished("y"),
      textChunk({ name: "n", delta: "3" }),
      subagentFinished("x", { outcome: { type: "suspended" } }),
      stepFinished("s", { subagentRunId: "x" }),
      stepFinished("s"),
      finished({ outcome: { type: "success", pendingToolCallIds: ["c"] } }),
      started({ runId: "2" }),
      ...text("a", ["4"]),
      finished({ runId: "2", outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "ask" }] } }),
    ],
  },
  {
    name: "thinking, snapshots of messages, refused and dropped events",
    options: { onViolation: "skip-event", onDeltaFailure: "upsert" },
    events: [
      textStart("early"),
      started(),
      { type: "THINKING_START" },
      { type: "THINKING_TEXT_MESSAGE_START" },
      { type: "THINKING_TEXT_MESSAGE_CONTENT", delta: "x" },
      { type: "THINKING_TEXT_MESSAGE_END" },
      { type: "THINKING_TEXT_MESSAGE_END" },
      { type: "THINKING_END" },
      { type: "FUTURE" },
      ...tagged("s", text("m", ["x"])),
      messagesSnapshot([{ ...assistant("m", "y"), subagentRunId: "z" }, caller("q", call("c", ""))]),
      textStart("m", { subagentRunId: "s" }),
      stateSnapshot([null, { a: 0 }]),
      stateDelta([{ op: "replace", path: "/0/a", value: 1 }]),
      { type: "CUSTOM", name: 5 },
      finished({ outcome: { type: "cancelled" } }),
    ],
  },
  {
    name: "a rejected stream",
    events: [started(), textStart("m"), textStart("m"), toolStart("c")],
  },
];

/** Everything that must come out the same wherever a fold was moved on its way. */
function outcome(fold: Fold): unknown {
  const { memory: _, ...stats } = fold.reducer.stats();
  return {
    log: fold.log,
    snapshot: new TextDecoder().decode(fold.reducer.snapshotBytes()),
    stats,
    version: fold.reducer.stats({ streamId: "" }).version,
    status: fold.reducer.status(),
    checkpoint: readCheckpoint(fold.reducer.checkpoint()),
    finish: fold.finish(),
    after: new TextDecoder().decode(fold.reducer.snapshotBytes()),
  };
}

const bytesOf = (event: AguiEvent) => new TextEncoder().encode(JSON.stringify(event));
const options = ({ options: more }: Script): Options => ({ protocol: "ag-ui", ...more });

describe.each(SCRIPTS.map((script) => [script.name, script] as const))("AG-UI checkpoints: %s", (_, script) => {
  const whole = (kind: (typeof KINDS)[number]): unknown => {
    const fold = new Fold(engine(kind), "json", options(script));
    for (const event of script.events) fold.push(bytesOf(event));
    const result = outcome(fold);
    fold.reducer.close();
    return result;
  };

  it("all engines agree", () => {
    for (const kind of KINDS) expect(whole(kind), kind).toEqual(whole(KINDS[0] as never));
  });

  it.each(KINDS.flatMap((from) => KINDS.map((to) => [from, to] as const)))(
    "from %s to %s after every event",
    (from, to) => {
      const wanted = whole(from);
      for (let at = 0; at <= script.events.length; at++) {
        let fold = new Fold(engine(from), "json", options(script));
        for (const event of script.events.slice(0, at)) fold.push(bytesOf(event));
        fold = fold.migrate(engine(to));
        for (const event of script.events.slice(at)) fold.push(bytesOf(event));
        // Which warnings have been reported is not kept, so that those behind the checkpoint may come again.
        expect(withoutWarnings(outcome(fold)), `after ${at} events`).toEqual(withoutWarnings(wanted));
        fold.reducer.close();
      }
    },
  );
});

function withoutWarnings(result: unknown): unknown {
  const { log, stats, checkpoint, ...rest } = result as {
    log: { kind: string }[];
    stats: Record<string, unknown>;
    checkpoint: { counters: Record<string, unknown> };
  };
  return {
    ...rest,
    log: log.filter(({ kind }) => kind !== "warning"),
    stats: { ...stats, warnings: 0 },
    checkpoint: { ...checkpoint, counters: { ...checkpoint.counters, warnings: 0 } },
  };
}

describe.each(KINDS)("AG-UI checkpoint of %s", (kind) => {
  const saved = (events: readonly AguiEvent[]) => {
    const fold = new Fold(engine(kind), "sse", { protocol: "ag-ui" });
    for (const event of events) fold.apply(event);
    const checkpoint = readCheckpoint(fold.reducer.checkpoint());
    fold.reducer.close();
    return checkpoint;
  };

  it("holds the track as documented", () => {
    const { protocol, transport, streams, counters } = saved([
      started(),
      ...tagged("s", [textStart("m")]),
      spanStart("r"),
      thoughtStart("r"),
      toolStart("c", "f", { subagentRunId: "z" }),
      toolEnd("c"),
      activity("a", {}),
      toolResult("t", "c", ""),
      stepStarted("step", { subagentRunId: "s" }),
      subagentStarted("one"),
      subagentFinished("one"),
      subagentStarted("two"),
      textChunk({ messageId: "k", delta: "x" }),
      toolChunk({ toolCallId: "l", toolCallName: "g", subagentRunId: "s", parentMessageId: "m" }),
    ]);
    expect([protocol, transport, streams.length]).toEqual([2, 1, 1]);
    expect(counters).toMatchObject({ applied: 14, skipped: 0, dropped: 0, errors: 0 });
    const [stream] = streams;
    expect(stream).toMatchObject({ streamId: "", status: 1, version: 14, queue: [] });
    const { track, run: shown } = JSON.parse(stream!.model) as { track: unknown; run: object };
    expect(track).toEqual({
      phase: 1,
      items: [
        [0, "m", "s", 1, 1],
        [2, "r", null, 3, 3, 2],
        [1, "c", "z", 0],
        [3, "a", null, 0],
        [0, "t", null, 0],
        [0, "k", null, 1, 5],
        [1, "l", "s", 1, 6],
      ],
      steps: [["step", "s"]],
      subagents: [
        ["one", false],
        ["two", true],
      ],
      calls: [
        ["c", true],
        ["l", false],
      ],
      lanes: [
        [null, 0, "k", "assistant", null, null],
        ["s", 1, "l", "g", "m", "s"],
      ],
      thinking: [0, 0, 0],
      named: null,
    });
    expect(Object.keys(shown)).toEqual(["threadId", "runId", "status", "interrupts"]);
  });

  it("says that a stream is rejected, and what an outcome named", () => {
    expect(saved([started(), textStart("m"), textStart("m")]).streams[0]).toMatchObject({ status: 4 });
    const named = saved([started(), finished({ outcome: { type: "success", pendingToolCallIds: ["x"] } })]);
    const { track } = JSON.parse(named.streams[0]!.model) as { track: { named: unknown; phase: number } };
    expect(track).toMatchObject({ named: ["x"], phase: 2 });
  });

  it("keeps what is queued", () => {
    const fold = new Fold(engine(kind), "json", { protocol: "ag-ui" });
    fold.apply(started());
    fold.reducer.pause();
    fold.apply(textStart("m"));
    const next = fold.migrate(engine(KINDS[0] as never));
    expect(next.resume("")).toBe(1);
    expect(next.reducer.snapshot()).toMatchObject({ messages: [assistant("m", "")] });
    next.reducer.close();
  });

  it("an empty model is taken under a depth of 1, which is below its own", () => {
    for (const to of KINDS) {
      const options = { protocol: "ag-ui", transport: "ndjson", limits: { depth: 1 } } as const;
      const reducer = engine(kind).createReducer(options);
      expect(reducer.apply(started())).toBe(1);
      // the first bytes move what came as objects, by checkpoint
      expect(reducer.push(utf8('{"type":"CUSTOM","name":"n","value":1}\n'))).toBe(1);
      const restored = engine(to).createReducer(options);
      restored.restore(reducer.checkpoint());
      expect(restored.snapshot(), to).toEqual(reducer.snapshot());
      for (const one of [reducer, restored]) one.close();
    }
  });

  it("is taken under a depth below that of its track", () => {
    const options: Options = { protocol: "ag-ui", limits: { depth: 2 } };
    for (const to of KINDS) {
      const fold = new Fold(engine(kind), "json", options);
      fold.push(utf8(JSON.stringify(started())));
      fold.push(utf8(JSON.stringify(stepStarted("s"))));
      const before = canonical(fold.reducer.snapshotBytes());
      const next = fold.migrate(engine(to));
      expect(canonical(next.reducer.snapshotBytes()), to).toBe(before);
      next.reducer.close();
    }
  });

  it("refuses checkpoints of the other protocol, cut ones and ones whose track says what cannot be", () => {
    const fold = new Fold(engine(kind), "json", { protocol: "ag-ui" });
    for (const event of [...run(text("m", ["x"])), started(), textStart("m")]) fold.apply(event);
    const bytes = fold.reducer.checkpoint();
    const before = canonical(fold.reducer.snapshotBytes());
    const other = new Fold(engine(kind), "json", { protocol: "agentue" });
    expect(thrown(() => other.reducer.restore(bytes))).toMatchObject({ code: "bad_checkpoint" });
    expect(thrown(() => fold.reducer.restore(other.reducer.checkpoint()))).toMatchObject({ code: "bad_checkpoint" });
    for (let length = 0; length < bytes.length; length += 7)
      expect(thrown(() => fold.reducer.restore(bytes.subarray(0, length)))).toMatchObject({ code: "bad_checkpoint" });
    const text1 = new TextDecoder("latin1").decode(bytes);
    for (const [from, to] of [
      ['"phase":1', '"phase":9'],
      ['"phase":1', '"phase":0'],
      ['"track"', '"trick"'],
      ['[0,"m",null,1,1]', '[5,"m",null,1,1]'],
      ['[0,"m",null,1,1]', '[0,"m",null,9,1]'],
      ['[0,"m",null,1,1]', '[0,"m",1234,1,1]'],
      ['"status":"running"', '"status":"walking"'],
      ['"role":"assistant"', '"role":"assistanx"'],
    ] as const) {
      expect(text1, from).toContain(from);
      const changed = Uint8Array.from(text1.replace(from, to), (c) => c.charCodeAt(0));
      expect(
        thrown(() => fold.reducer.restore(changed)),
        `${from} as ${to}`,
      ).toMatchObject({ code: "bad_checkpoint" });
    }
    expect(canonical(fold.reducer.snapshotBytes())).toBe(before);
    other.reducer.close();
    fold.reducer.close();
  });
});
