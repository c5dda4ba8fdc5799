import { describe, expect, it } from "vitest";
import {
  type AGUIModel,
  buildResume,
  checkResume,
  type Interrupt,
  isExpired,
  matchResume,
  nextRunInput,
  openInterrupts,
  type ResumeEntry,
} from "../../src/agui/index.js";
import { StreamfoldError } from "../../src/errors.js";
import { finished, started, tool, toolResult } from "../support/agui-events.js";
import { engine, KINDS } from "../support/engines.js";

const NOW = Date.parse("2026-01-02T00:00:00Z");
const A: Interrupt = { id: "a", reason: "confirm", expiresAt: "2026-01-01T00:00:00Z" };
const B: Interrupt = { id: "b", reason: "input", expiresAt: "2026-01-03T00:00:00+01:00" };
const C: Interrupt = { id: "", reason: "input", expiresAt: "tomorrow" };
const resolved = (interruptId: string): ResumeEntry => ({ interruptId, status: "resolved" });
const cancelled = (interruptId: string): ResumeEntry => ({ interruptId, status: "cancelled" });

/** Path and subject of each failure. */
function failures(run: () => unknown): unknown[] {
  try {
    run();
  } catch (error) {
    if (!(error instanceof StreamfoldError)) throw error;
    expect(error.code).toBe("bad_argument");
    return (error.errors ?? [error]).map(({ path, subject }) => [path, subject]);
  }
  throw new Error("nothing was wrong");
}

describe("the interrupts of a run", () => {
  it.each(KINDS)("H3, H4: are open after a run that ended with them: %s", (kind) => {
    const reducer = engine(kind).createReducer({ protocol: "ag-ui", transport: "json" });
    const snapshot = (): AGUIModel => reducer.snapshot<AGUIModel>()!;
    reducer.apply(started());
    expect(openInterrupts(snapshot())).toEqual([]);
    reducer.apply(finished({ outcome: { type: "interrupt", interrupts: [A, B] } }));
    expect(openInterrupts(snapshot())).toEqual([A, B]);
    reducer.apply({ type: "RUN_ERROR", message: "late" });
    expect(openInterrupts(snapshot())).toEqual([]);
  });

  it("H6: expire at their time, and never without one that can be read", () => {
    expect(isExpired(A, NOW)).toBe(true);
    expect(isExpired(A, Date.parse(A.expiresAt as string))).toBe(true);
    expect(isExpired(A, Date.parse(A.expiresAt as string) - 1)).toBe(false);
    expect(isExpired(B, NOW)).toBe(false);
    expect(isExpired(C, NOW)).toBe(false);
    expect(isExpired({ id: "d", reason: "r" }, NOW)).toBe(false);
  });
});

describe("a resume", () => {
  it("H4, H5, H6: names what is open, all of it, each once, and resolves nothing that has expired", () => {
    const open = [A, B, C];
    checkResume(open, [cancelled("a"), resolved("b"), resolved("")], NOW);
    checkResume([], [], NOW);
    expect(
      failures(() => checkResume(open, [cancelled("a"), resolved("x"), resolved("b"), cancelled("")], NOW)),
    ).toEqual([["/resume/1/interruptId", "x"]]);
    expect(failures(() => checkResume(open, [resolved("b"), cancelled("b")], NOW))).toEqual([
      ["/resume/1/interruptId", "b"],
      ["/resume", "a"],
      ["/resume", ""],
    ]);
    expect(failures(() => checkResume(open, [resolved("a"), resolved("b"), resolved("")], NOW))).toEqual([
      ["/resume/0/status", "a"],
    ]);
    expect(failures(() => checkResume([], [resolved("a")], NOW))).toEqual([["/resume/0/interruptId", "a"]]);
    // Without a time the clock counts.
    expect(failures(() => checkResume([A], [resolved("a")]))).toEqual([["/resume/0/status", "a"]]);
  });

  it("is made of answers, in the order of the interrupts", () => {
    const answers = {
      b: { status: "resolved", payload: { ok: 1 }, metadata: { who: "x" } },
      a: { status: "cancelled" },
    } as const;
    const entries = [cancelled("a"), { ...resolved("b"), payload: { ok: 1 }, metadata: { who: "x" } }];
    expect(buildResume([A, B], answers, NOW)).toEqual(entries);
    expect(buildResume([A, B], new Map(Object.entries(answers)), NOW)).toEqual(entries);
    expect(failures(() => buildResume([A, B], { b: { status: "resolved" } }, NOW))).toEqual([["/resume", "a"]]);
    expect(failures(() => buildResume([B], { b: { status: "resolved" }, x: { status: "cancelled" } }, NOW))).toEqual([
      ["/resume/1/interruptId", "x"],
    ]);
  });

  it("H9, H10: an agent sees what is answered, what is not, and what was never asked", () => {
    const { accepted, uncovered, warnings } = matchResume([A, B], [resolved("x"), resolved("b"), cancelled("b")]);
    expect(accepted).toEqual([resolved("b")]);
    expect(uncovered).toEqual([A]);
    expect(warnings.map(({ code, path }) => [code, path])).toEqual([
      ["target_missing", "/resume/0/interruptId"],
      ["target_missing", "/resume/2/interruptId"],
    ]);
    expect(matchResume([A])).toEqual({ accepted: [], uncovered: [A], warnings: [] });
  });
});

describe("the input of the next run", () => {
  const user = { id: "u", role: "user", content: "go on" } as const;
  const answer = { id: "res", role: "tool", toolCallId: "c", content: "1" } as const;

  function ended(...events: object[]): AGUIModel {
    const reducer = engine("js").createReducer({ protocol: "ag-ui", transport: "json" });
    for (const event of [started(), { type: "STATE_SNAPSHOT", snapshot: { n: 1 } }, ...events]) reducer.apply(event);
    return reducer.snapshot<AGUIModel>()!;
  }

  it("H7, U6: has the thread, its messages and its state, and answers what is open", () => {
    const snapshot = ended(finished({ outcome: { type: "interrupt", interrupts: [B] } }));
    const { input, warnings } = nextRunInput(snapshot, {
      runId: "s",
      answers: { b: { status: "cancelled" } },
      now: NOW,
    });
    expect(input).toEqual({
      threadId: "t",
      runId: "s",
      protocolVersion: "1.1",
      state: { n: 1 },
      messages: [],
      resume: [cancelled("b")],
    });
    expect(warnings).toEqual([]);
    expect(failures(() => nextRunInput(snapshot, { runId: "s" }))).toEqual([["/resume", "b"]]);
    expect(
      failures(() => nextRunInput(ended(finished()), { runId: "s", answers: { b: { status: "cancelled" } } })),
    ).toEqual([["/resume/0/interruptId", "b"]]);
  });

  it("R14: answers every pending call, before anything else", () => {
    const snapshot = ended(...tool("c", ["{}"]), finished());
    expect(nextRunInput(snapshot, { runId: "s", messages: [user, answer] }).input.messages).toEqual([
      ...snapshot.messages,
      answer,
      user,
    ]);
    expect(failures(() => nextRunInput(snapshot, { runId: "s", messages: [user] }))).toEqual([["/messages", "c"]]);
    const done = ended(...tool("c", ["{}"]), toolResult("m", "c", "1"), finished());
    expect(nextRunInput(done, { runId: "s", messages: [user] }).input.messages).toHaveLength(3);
  });

  it("R14: after an interrupted run the agent goes on with its calls", () => {
    const interrupts = [{ ...B, toolCallId: "c" }];
    const snapshot = ended(...tool("c", ["{}"]), finished({ outcome: { type: "interrupt", interrupts } }));
    const { input } = nextRunInput(snapshot, { runId: "s", answers: { b: { status: "resolved" } }, now: NOW });
    expect(input.resume).toEqual([resolved("b")]);
  });

  it("B10: is of another run, on a thread that there is, behind a run that has ended", () => {
    const snapshot = ended(finished());
    expect(failures(() => nextRunInput(snapshot, { runId: "r" }))).toEqual([["/runId", undefined]]);
    expect(failures(() => nextRunInput(ended(), { runId: "s" }))).toEqual([[undefined, undefined]]);
    const empty = engine("js").createReducer({ protocol: "ag-ui", transport: "json" }).snapshot<AGUIModel>()!;
    expect(failures(() => nextRunInput(empty, { runId: "s" }))).toEqual([[undefined, undefined]]);
  });

  it("C3, C6: is prepared for the peer", () => {
    const activity = { type: "ACTIVITY_SNAPSHOT", messageId: "p", activityType: "PLAN", content: {} };
    const next = { runId: "s", messages: [user], maxProtocolVersion: "1.0", tools: [{ name: "f", description: "" }] };
    expect(nextRunInput(ended(activity, finished()), next).input).toEqual({
      threadId: "t",
      runId: "s",
      state: { n: 1 },
      messages: [user],
      tools: next.tools,
    });
  });
});

describe("what is no list of interrupts or entries", () => {
  it("is a bad argument", () => {
    for (const wrong of [
      null,
      5,
      {},
      [null],
      new Proxy(
        {},
        {
          get: () => {
            throw new Error("trap");
          },
        },
      ),
    ] as never[]) {
      const bad = expect.objectContaining({ code: "bad_argument" });
      expect(() => checkResume(wrong, [])).toThrow(bad);
      expect(() => checkResume([], wrong)).toThrow(bad);
      expect(() => buildResume(wrong, {})).toThrow(bad);
      expect(() => matchResume(wrong, [])).toThrow(bad);
      expect(() => matchResume([], wrong)).toThrow(bad);
      expect(() => openInterrupts(wrong)).toThrow(bad);
    }
    expect(() => isExpired(null as never, 0)).toThrow(expect.objectContaining({ code: "bad_argument" }));
  });
});
