import { describe, expect, it } from "vitest";
import {
  type AGUIEvent,
  type AGUIModel,
  createProducer,
  type Interrupt,
  type Producer,
  type ProducerOptions,
  type RunAgentInput,
} from "../../src/agui/index.js";
import type { Transport } from "../../src/engine/contract.js";
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
  thoughtStart,
  tool,
  toolArgs,
  toolChunk,
  toolEnd,
  toolResult,
  toolStart,
} from "../support/agui-events.js";
import { engine, KINDS } from "../support/engines.js";

const INPUT: RunAgentInput = { threadId: "t", runId: "r", messages: [] };
const user = { id: "u", role: "user", content: "hi" } as const;
const OWN = { subagentRunId: "s" };
const subagent = (subagentRunId = "s"): AguiEvent => ({ type: "SUBAGENT_STARTED", subagentRunId, name: "helper" });
const step = (stepName = "plan"): AguiEvent => ({ type: "STEP_STARTED", stepName });
const custom: AguiEvent = { type: "CUSTOM", name: "acme.x", value: 1 };

function producer(options: Partial<ProducerOptions> = {}): Producer {
  return createProducer({ transport: "ndjson", input: INPUT, ...options });
}

const emit = (to: Producer, ...list: AguiEvent[]): void => {
  for (const event of list) to.emit(event as AGUIEvent);
};

/** A producer that has sent these. */
function having(list: AguiEvent[], options: Partial<ProducerOptions> = {}): Producer {
  const made = producer(options);
  emit(made, ...list);
  return made;
}

/** Why an event is refused, having seen that the refusal changes nothing. */
function refusal(to: Producer, event: unknown): [code: string, path: string | undefined] {
  const before = JSON.stringify(to.snapshot());
  try {
    to.emit(event as AGUIEvent);
  } catch (error) {
    if (!(error instanceof StreamfoldError)) throw error;
    expect(JSON.stringify(to.snapshot())).toBe(before);
    return [error.code, error.path];
  }
  throw new Error("it was not refused");
}

const decoder = new TextDecoder();
const lines = (...pieces: Uint8Array[]): AguiEvent[] =>
  pieces
    .map((piece) => decoder.decode(piece))
    .join("")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as AguiEvent);

describe("what a producer writes", () => {
  it.each<Transport>(["sse", "ndjson", "json", "msgpack", "protobuf"])(
    "is read by every engine from %s",
    (transport) => {
      const to = producer({ transport });
      const pieces = [
        to.start(),
        ...[...text("m", ["a", "b"]), ...tool("c", ["{}"]), toolResult("res", "c", "done"), custom].map((event) =>
          to.emit(event as AGUIEvent),
        ),
        to.finish({ result: 1 }),
      ];
      for (const kind of KINDS) {
        const reducer = engine(kind).createReducer({ protocol: "ag-ui", transport });
        for (const piece of pieces) reducer.push(piece);
        expect(reducer.finish().status).toBe("complete");
        expect(reducer.snapshot()).toEqual(to.snapshot());
      }
      expect(to.status).toBe("finished");
    },
  );

  it("a plain delta of what is open, and one with more to say, come to the same", () => {
    const to = having([started(), textStart("m")]);
    expect(lines(to.emit(textContent("m", "a") as AGUIEvent))).toEqual([textContent("m", "a")]);
    const more = { metadata: { a: 1 }, timestamp: 5, rawEvent: undefined };
    expect(lines(to.emit(textContent("m", "b", more) as AGUIEvent))).toEqual([
      textContent("m", "b", { metadata: { a: 1 }, timestamp: 5 }),
    ]);
    expect(to.snapshot().messages[0]).toMatchObject({ content: "ab", metadata: { a: 1 } });
    expect(refusal(to, textContent("m", 1 as never))).toEqual(["bad_event", "/delta"]);
    expect(refusal(to, { ...textContent("m", "c"), extra: 1 })).toEqual(["bad_event", "/extra"]);
    expect(refusal(to, textContent("n", "c"))).toEqual(["bad_order", "/messageId"]);
    expect(refusal(to, textContent("m", "c", OWN))).toEqual(["bad_attribution", "/subagentRunId"]);
    expect(refusal(to, Object.assign(new (class {})(), textContent("m", "c")))[0]).toBe("not_json");
    expect(refusal(to, null)).toEqual(["bad_event", ""]);
  });

  it("what a wire cannot carry is refused", () => {
    const to = producer({ transport: "protobuf" });
    to.start();
    const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);
    expect(refusal(to, { ...custom, value: deep(600) })[0]).toBe("too_deep");
    expect(refusal(to, { ...custom, value: Number.NaN })).toEqual(["not_json", "/value"]);
  });

  it("limits bound what it remembers", () => {
    const to = having([started(), textStart("m")], { limits: { modelBytes: 200 } });
    expect(refusal(to, textContent("m", "x".repeat(300)))).toEqual(["limit", "/delta"]);
    expect(() => producer({ limits: { modelBytes: 0 } })).toThrow(StreamfoldError);
  });
});

describe("the runs of a producer", () => {
  it("O1, O2, O3, O4: what a consumer refuses is refused", () => {
    expect(refusal(producer(), custom)).toEqual(["bad_order", undefined]);
    expect(refusal(having([started()]), started({ runId: "s" }))).toEqual(["bad_order", undefined]);
    expect(refusal(having([started(), finished()]), custom)).toEqual(["bad_order", undefined]);
    expect(refusal(having([started(), runError()]), finished())).toEqual(["bad_order", undefined]);
    emit(having([started(), finished()]), runError());
    expect(having([runError(), started()]).status).toBe("running");
  });

  it("F3, O13, T1, W3: everything that was opened is closed before RUN_FINISHED", () => {
    const span: AguiEvent = { type: "REASONING_START", messageId: "r" };
    for (const open of [textStart("m"), toolStart("c"), thoughtStart("r"), span, step(), subagent()])
      expect(refusal(having([started(), open]), finished())).toEqual(["bad_order", undefined]);
  });

  it("C2, C13: a run has the ids of the input, and ends with its own", () => {
    expect(lines(producer().start())).toEqual([started({ protocolVersion: "1.1" })]);
    const input = { ...INPUT, parentRunId: "p" };
    expect(lines(producer({ input }).start())).toEqual([started({ parentRunId: "p", protocolVersion: "1.1" })]);
    expect(refusal(producer(), started({ threadId: "other" }))).toEqual(["bad_event", "/threadId"]);
    expect(refusal(having([started()]), finished({ runId: "other" }))).toEqual(["bad_event", "/runId"]);
    expect(refusal(having([started()]), finished({ threadId: "other" }))).toEqual(["bad_event", "/threadId"]);
    const state = producer({ input: { ...INPUT, messages: [user], state: { n: 1 } } });
    state.start();
    emit(state, { type: "STATE_DELTA", delta: [{ op: "replace", path: "/n", value: 2 }] });
    expect(state.snapshot()).toMatchObject({ messages: [user], state: { n: 2 } });
    expect(having([started()]).snapshot().state).toEqual({});
  });

  it("B10, L7: no two runs of a stream have one id, and there may be several", () => {
    const to = having([started(), finished(), started({ runId: "s" }), finished({ runId: "s" })]);
    expect(refusal(to, started())).toEqual(["bad_event", "/runId"]);
    expect(to.snapshot().run.runId).toBe("s");
  });

  it("J7, J11: every run declares the producer's version, whatever the input does", () => {
    const to = producer({ input: { ...INPUT, protocolVersion: "1.0" } });
    expect(lines(to.start(), to.finish(), to.emit(started({ runId: "s" }) as AGUIEvent))).toEqual([
      started({ protocolVersion: "1.1" }),
      finished(),
      started({ runId: "s", protocolVersion: "1.1" }),
    ]);
    expect(refusal(producer(), started({ protocolVersion: "1.2" }))).toEqual(["bad_event", "/protocolVersion"]);
    const proxy = producer({ protocolVersion: "1.0" });
    expect(lines(proxy.start())).toEqual([started({ protocolVersion: "1.0" })]);
    const silent = producer({ protocolVersion: null });
    expect(refusal(silent, started({ protocolVersion: "1.1" }))).toEqual(["bad_event", "/protocolVersion"]);
    expect(lines(silent.start())).toEqual([started()]);
  });

  it("O6: a run that is stopped closes what is open, and is cancelled", () => {
    const list = [
      started(),
      subagent(),
      step(),
      { ...step("inner"), ...OWN },
      textStart("m", OWN),
      { type: "REASONING_START", messageId: "r" },
      thoughtStart("r"),
      toolStart("c"),
      textChunk({ messageId: "k", delta: "x", ...OWN }),
    ];
    const to = having(list);
    const before = to.snapshot();
    expect(() => to.cancel({ usage: [{ inputTokens: -1 }] })).toThrow(StreamfoldError);
    expect(() => to.cancel({ result: () => 1 })).toThrow(StreamfoldError);
    expect(to.snapshot()).toEqual(before);
    const pieces = to.cancel({ usage: [{ inputTokens: 1 }] });
    expect(lines(...pieces).map(({ type }) => type)).toEqual([
      "TOOL_CALL_END",
      "REASONING_MESSAGE_END",
      "REASONING_END",
      "TEXT_MESSAGE_END",
      "STEP_FINISHED",
      "STEP_FINISHED",
      "SUBAGENT_ERROR",
      "RUN_FINISHED",
    ]);
    expect(to.status).toBe("cancelled");
    expect(to.snapshot().run).toMatchObject({
      outcome: { type: "cancelled" },
      usage: [{ inputTokens: 1 }],
      pendingToolCallIds: [],
    });
    for (const kind of KINDS) {
      const reducer = engine(kind).createReducer({ protocol: "ag-ui", transport: "ndjson" });
      for (const event of list) reducer.apply(event);
      for (const piece of pieces) reducer.push(piece);
      expect(reducer.snapshot<AGUIModel>()?.run.status).toBe("cancelled");
    }
  });

  it("O8: a run may fail at any time", () => {
    const to = having([started(), textStart("m")]);
    expect(lines(to.fail("no", { code: "x" }))).toEqual([runError("no", { code: "x" })]);
    expect(to.status).toBe("failed");
  });

  it("O14: usage that contradicts itself is refused", () => {
    const usage = [{ inputTokens: 1, outputTokens: 1, totalTokens: 3 }];
    expect(refusal(having([started()]), finished({ usage }))).toEqual(["bad_event", "/usage/0/totalTokens"]);
  });
});

describe("the messages of a producer", () => {
  const held: RunAgentInput = {
    ...INPUT,
    messages: [
      user,
      {
        id: "a",
        role: "assistant",
        name: "bot",
        content: "x",
        ...OWN,
        toolCalls: [{ id: "c", type: "function", function: { name: "f", arguments: "" } }],
      },
      { id: "p", role: "activity", activityType: "PLAN", content: {} },
    ],
  };

  it("F1, F2, Q2, R1: what is open is not started, and what is not open neither goes on nor ends", () => {
    expect(refusal(having([started(), textStart("m")]), textStart("m"))).toEqual(["bad_order", "/messageId"]);
    expect(refusal(having([started()]), textContent("m", ""))).toEqual(["bad_order", "/messageId"]);
    expect(refusal(having([started()]), textEnd("m"))).toEqual(["bad_order", "/messageId"]);
    expect(refusal(having([started(), toolStart("c")]), toolStart("c"))).toEqual(["bad_order", "/toolCallId"]);
    expect(refusal(having([started()]), toolArgs("c", ""))).toEqual(["bad_order", "/toolCallId"]);
  });

  it("F8, F9, F10, F13, F20: the shorthand is judged like its expansion", () => {
    expect(refusal(having([started()]), textChunk({ delta: "a" }))).toEqual(["bad_event", "/messageId"]);
    expect(refusal(having([started()]), toolChunk({ toolCallId: "c" }))).toEqual(["bad_event", "/toolCallName"]);
    const open = () => having([started(), textChunk({ messageId: "m", delta: "a" })]);
    expect(refusal(open(), textChunk({ role: "user" }))).toEqual(["chunk_conflict", "/role"]);
    expect(refusal(open(), textChunk({ messageId: "m", ...OWN }))).toEqual(["chunk_conflict", "/subagentRunId"]);
    expect(refusal(open(), textContent("m", "b"))).toEqual(["bad_order", "/messageId"]);
    const to = open();
    emit(to, textChunk({ delta: "b" }), textChunk({ messageId: "m", delta: "c" }), custom);
    expect(to.snapshot().messages[0]).toMatchObject({ content: "abc" });
    expect(refusal(having([started()], { input: held }), textChunk({ messageId: "u", delta: "a" }))).toEqual([
      "bad_event",
      "/messageId",
    ]);
  });

  it("Q3, Q4, B11: a message that is opened again is the one that it was", () => {
    const to = () => having([started()], { input: held });
    expect(refusal(to(), textStart("u"))).toEqual(["bad_event", "/messageId"]);
    expect(refusal(to(), textStart("a", { role: "user" }))).toEqual(["bad_event", "/role"]);
    expect(refusal(to(), textStart("a", { name: "other" }))).toEqual(["bad_event", "/name"]);
    expect(refusal(to(), textStart("a", { subagentRunId: "z" }))).toEqual(["bad_attribution", "/subagentRunId"]);
    expect(refusal(to(), textStart("p"))).toEqual(["bad_event", "/messageId"]);
    expect(refusal(to(), thoughtStart("a"))).toEqual(["bad_event", "/messageId"]);
    emit(to(), textStart("a", { name: "bot", role: "assistant", ...OWN }));
    const parts = { ...INPUT, messages: [{ ...user, content: [] }] };
    expect(refusal(having([started()], { input: parts }), textStart("u", { role: "user" }))).toEqual([
      "bad_event",
      "/messageId",
    ]);
    const again = to();
    emit(again, textStart("u", { role: "user" }), textContent("u", "!"), textEnd("u"));
    expect(again.snapshot().messages[0]).toEqual({ ...user, content: "hi!" });
  });

  it("R2, R5, W10: a call agrees with its message, and with itself when it is opened again", () => {
    const to = () => having([started()], { input: held });
    expect(refusal(to(), toolStart("c", "g"))).toEqual(["bad_event", "/toolCallName"]);
    expect(refusal(to(), toolStart("c", "f", { parentMessageId: "x" }))).toEqual(["bad_event", "/parentMessageId"]);
    expect(refusal(to(), toolStart("c", "f", { subagentRunId: "z" }))).toEqual(["bad_attribution", "/subagentRunId"]);
    expect(refusal(to(), toolStart("d", "f", { parentMessageId: "u" }))).toEqual(["bad_event", "/parentMessageId"]);
    expect(refusal(to(), toolStart("d", "f", { parentMessageId: "a", subagentRunId: "z" }))).toEqual([
      "bad_attribution",
      "/subagentRunId",
    ]);
    expect(refusal(to(), toolStart("u"))).toEqual(["bad_event", "/toolCallId"]);
    emit(
      to(),
      toolStart("c", "f", { parentMessageId: "a" }),
      toolEnd("c"),
      toolStart("d", "f", { parentMessageId: "new" }),
    );
  });

  it("B11: a result and an activity have messages of their own", () => {
    const to = () => having([started(), ...tool("d", [])], { input: held });
    expect(refusal(to(), toolResult("u", "d", ""))).toEqual(["bad_event", "/messageId"]);
    const plan = { type: "ACTIVITY_SNAPSHOT", messageId: "u", activityType: "PLAN", content: {} };
    expect(refusal(to(), plan)).toEqual(["bad_event", "/messageId"]);
  });

  it("G5, V7: a delta has its baseline, applies to it, and leaves an activity an object", () => {
    const delta = (messageId: string, path: string, value: unknown) => ({
      type: "ACTIVITY_DELTA",
      messageId,
      activityType: "PLAN",
      patch: [{ op: "add", path, value }],
    });
    const to = () => having([started()], { input: held });
    expect(refusal(to(), delta("new", "/a", 1))).toEqual(["bad_order", "/messageId"]);
    expect(refusal(to(), delta("u", "/a", 1))).toEqual(["bad_event", "/messageId"]);
    expect(refusal(to(), delta("p", "/a/b", 1))).toEqual(["delta_failed", "/a/b"]);
    expect(refusal(to(), delta("p", "", 1))).toEqual(["delta_failed", ""]);
    emit(to(), delta("p", "/a", 1));
    const state = { type: "STATE_DELTA", delta: [{ op: "replace", path: "/n", value: 1 }] };
    expect(refusal(to(), state)).toEqual(["delta_failed", "/n"]);
  });

  it("O12: a snapshot of messages keeps what is open", () => {
    const snapshot = (...messages: object[]) => ({ type: "MESSAGES_SNAPSHOT", messages });
    const assistant = { id: "m", role: "assistant", content: "" };
    const thought = { id: "r", role: "reasoning", content: "" };
    const call = { id: "c", type: "function", function: { name: "f", arguments: "" } };
    const lost = ["bad_order", "/messages"];
    const open = () => having([started(), textStart("m")]);
    expect(refusal(open(), snapshot())).toEqual(lost);
    expect(refusal(open(), snapshot({ ...assistant, role: "user" }))).toEqual(lost);
    emit(open(), snapshot(assistant), textContent("m", "a"), textEnd("m"));
    emit(having([started(), textChunk({ messageId: "m" })]), snapshot(), finished());
    emit(having([started(), thoughtStart("r")]), snapshot(assistant));
    emit(having([started(), thoughtStart("r")]), snapshot(thought));
    expect(refusal(having([started(), thoughtStart("r")]), snapshot({ ...thought, id: "q" }))).toEqual(lost);
    expect(refusal(having([started(), toolStart("c")]), snapshot(assistant))).toEqual(lost);
    emit(having([started(), toolStart("c")]), snapshot({ ...assistant, toolCalls: [call] }), toolEnd("c"));
  });

  it("T4, T6, T9: an encrypted value has something that keeps it", () => {
    const to = () => having([started()], { input: held });
    expect(refusal(to(), encrypted("message", "x", "v"))).toEqual(["bad_order", "/entityId"]);
    expect(refusal(to(), encrypted("tool-call", "u", "v"))).toEqual(["bad_order", "/entityId"]);
    expect(refusal(to(), encrypted("message", "p", "v"))).toEqual(["bad_event", "/entityId"]);
    const { encryptedValue: _, ...alone } = encrypted("message", "u", "v", { encryptedValueType: "t" });
    expect(refusal(to(), alone)).toEqual(["bad_event", "/encryptedValue"]);
    emit(to(), encrypted("message", "a", "v"), encrypted("tool-call", "c", "v", { encryptedValueType: "t" }));
  });

  it("W2, W3, W5, W11: subagents are announced before anything of theirs, once in a run", () => {
    expect(refusal(having([started(), textStart("m", OWN)]), subagent())).toEqual(["bad_order", "/subagentRunId"]);
    expect(refusal(having([started(), textChunk({ messageId: "m", ...OWN })]), subagent())).toEqual([
      "bad_order",
      "/subagentRunId",
    ]);
    expect(refusal(having([started(), subagent()]), subagent())).toEqual(["bad_order", "/subagentRunId"]);
    expect(refusal(having([started()]), { type: "SUBAGENT_FINISHED", subagentRunId: "s" })).toEqual([
      "bad_order",
      "/subagentRunId",
    ]);
    expect(refusal(having([started()]), { ...subagent(), parentSubagentRunId: "x" })).toEqual([
      "bad_order",
      "/parentSubagentRunId",
    ]);
    emit(having([started(), { ...custom, ...OWN }, finished()]), started({ runId: "s" }), subagent());
  });
});

describe("the tools and interrupts of a producer", () => {
  const input: RunAgentInput = { ...INPUT, tools: [{ name: "f", description: "" }] };
  const ask = (id: string): Interrupt => ({ id, reason: "confirm" });
  const interrupted = (...ids: string[]) => finished({ outcome: { type: "interrupt", interrupts: ids.map(ask) } });

  it("R11: the client's tools are answered by the client, in a run that is a success", () => {
    const to = () => having([started(), ...tool("c", ["{}"])], { input });
    expect(refusal(to(), toolResult("m", "c", ""))).toEqual(["bad_order", "/toolCallId"]);
    expect(refusal(to(), interrupted("i"))).toEqual(["bad_order", "/outcome"]);
    const ended = to();
    expect(lines(ended.finish())).toEqual([finished({ outcome: { type: "success", pendingToolCallIds: ["c"] } })]);
    expect(ended.pendingToolCallIds).toEqual(["c"]);
  });

  it("R12: pendingToolCallIds are the calls without a result, in their order", () => {
    const to = () =>
      having([started(), ...tool("c", []), ...tool("d", []), ...tool("e", []), toolResult("m", "d", "")]);
    const ended = (...ids: string[]) => finished({ outcome: { type: "success", pendingToolCallIds: ids } });
    for (const ids of [[], ["c"], ["e", "c"], ["c", "d", "e"], ["c", "e", "x"]])
      expect(refusal(to(), ended(...ids))).toEqual(["bad_event", "/outcome/pendingToolCallIds"]);
    emit(to(), ended("c", "e"));
    emit(to(), finished());
    const done = to();
    expect(lines(done.finish({ outcome: { type: "success" }, result: 1 }))).toEqual([
      { ...ended("c", "e"), result: 1 },
    ]);
  });

  it("H1, H2: an interrupt outcome has interrupts with ids of their own", () => {
    expect(refusal(having([started()]), interrupted())).toEqual(["bad_event", "/outcome/interrupts"]);
    expect(refusal(having([started()]), interrupted("i", "i"))).toEqual(["bad_event", "/outcome/interrupts/1/id"]);
    const to = having([started(), interrupted("i")]);
    expect(to.status).toBe("interrupted");
    expect(refusal(to, custom)).toEqual(["bad_order", undefined]);
  });

  it("H9: an entry of resume for what was never raised is passed over with a warning", () => {
    const warnings: unknown[] = [];
    const resume = [
      { interruptId: "i", status: "resolved" as const, payload: 1 },
      { interruptId: "x", status: "cancelled" as const },
      { interruptId: "i", status: "cancelled" as const },
    ];
    const onWarning = ({ code, path }: { code: string; path?: string }) => void warnings.push([code, path]);
    const to = producer({ input: { ...INPUT, resume }, openInterrupts: [ask("i")], onWarning });
    expect(warnings).toEqual([
      ["target_missing", "/resume/1/interruptId"],
      ["target_missing", "/resume/2/interruptId"],
    ]);
    expect(to.resume).toEqual(resume.slice(0, 1));
    expect(to.uncoveredInterrupts).toEqual([]);
    expect(producer({ input: { ...INPUT, resume }, openInterrupts: [] }).resume).toEqual([]);
    expect(producer({ input: { ...INPUT, resume } }).resume).toEqual(resume);
  });

  it("H10: what nobody has answered is raised again, or the run does not end well", () => {
    const open = [ask("i"), ask("j")];
    const resume = [{ interruptId: "i", status: "resolved" as const }];
    const to = () => having([started()], { input: { ...INPUT, resume }, openInterrupts: open });
    expect(to().uncoveredInterrupts).toEqual([ask("j")]);
    expect(refusal(to(), finished())).toEqual(["bad_order", "/outcome"]);
    expect(refusal(to(), finished({ outcome: { type: "success" } }))).toEqual(["bad_order", "/outcome"]);
    expect(refusal(to(), interrupted("k"))).toEqual(["bad_order", "/outcome"]);
    emit(to(), interrupted("k", "j"));
    emit(to(), runError());
    to().cancel();
  });
});

describe("the options of a producer", () => {
  it("are judged", () => {
    for (const [options, code, path] of [
      [undefined, "bad_argument", undefined],
      [{}, "bad_argument", undefined],
      [{ transport: "carrier pigeon" }, "unsupported_transport", undefined],
      [{ transport: "sse", depth: 0 }, "bad_argument", undefined],
      [{ transport: "sse", colour: 1 }, "bad_argument", undefined],
      [{ transport: "sse", protocolVersion: 1 }, "bad_argument", undefined],
      [{ transport: "sse", onWarning: 1 }, "bad_argument", undefined],
      [
        { transport: "sse", input: { ...INPUT, messages: [{ id: "u", role: "user" }] } },
        "bad_argument",
        "/messages/0/content",
      ],
      [{ transport: "sse", input: { ...INPUT, extra: 1 } }, "bad_argument", "/extra"],
    ] as const) {
      let error: unknown;
      try {
        createProducer(options as never);
      } catch (thrown) {
        error = thrown;
      }
      expect(error).toBeInstanceOf(StreamfoldError);
      expect([(error as StreamfoldError).code, (error as StreamfoldError).path]).toEqual([code, path]);
    }
    expect(() => createProducer({ transport: "sse" }).start()).toThrow(StreamfoldError);
    expect(createProducer({ transport: "sse" }).start({ threadId: "t", runId: "r" })).toBeInstanceOf(Uint8Array);
    expect(createProducer({ transport: "sse" }).mediaType).toBe("text/event-stream");
  });
});
