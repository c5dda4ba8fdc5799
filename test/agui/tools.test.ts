import { describe, expect, it } from "vitest";
import {
  type AGUIModel,
  type ClientTool,
  nextRunInput,
  pendingToolCalls,
  type RunToolsOptions,
  runTools,
  type ToolContext,
} from "../../src/agui/index.js";
import { StreamfoldError } from "../../src/errors.js";
import { type AguiEvent, finished, started, tool, toolChunk, toolResult, toolStart } from "../support/agui-events.js";
import { engine, KINDS } from "../support/engines.js";

function folded(events: readonly AguiEvent[], kind = KINDS[0]!): AGUIModel {
  const reducer = engine(kind).createReducer({ protocol: "ag-ui", transport: "json" });
  for (const event of [started(), ...events]) reducer.apply(event);
  return reducer.snapshot<AGUIModel>()!;
}

const call = (id: string, name: string, args: string): AguiEvent[] => [
  toolChunk({ toolCallId: id, toolCallName: name, delta: args }),
];
const add: ClientTool = { run: (args) => (args as { a: number; b: number }).a + (args as { b: number }).b };

/** The answers, without their ids. */
async function answers(
  events: readonly AguiEvent[],
  options: Partial<RunToolsOptions> & Pick<RunToolsOptions, "tools">,
) {
  const snapshot = folded(events);
  const messages = await runTools({ snapshot, consent: () => true, newId: () => "id", ...options });
  return messages.map(({ id: _, role, ...rest }) => {
    expect(role).toBe("tool");
    return rest;
  });
}

describe("pending calls", () => {
  it.each(KINDS)("R12, R13: are those without an answer, with their arguments as text: %s", (kind) => {
    const events = [
      { type: "TEXT_MESSAGE_START", messageId: "m" },
      { type: "TEXT_MESSAGE_END", messageId: "m" },
      toolStart("c", "f", { parentMessageId: "m" }),
      { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: '{"a":' },
      { type: "TOOL_CALL_END", toolCallId: "c" },
      ...tool("d", ["{}"]),
      toolResult("res", "d", "done"),
      toolChunk({ toolCallId: "e", toolCallName: "g", subagentRunId: "s" }),
      finished(),
    ];
    expect(pendingToolCalls(folded(events, kind))).toEqual([
      { toolCallId: "c", name: "f", arguments: '{"a":', messageId: "m", subagentRunId: undefined },
      { toolCallId: "e", name: "g", arguments: "", messageId: "e", subagentRunId: "s" },
    ]);
  });

  it("may be held by no message any more", () => {
    const events = [...tool("c", ["{}"]), { type: "MESSAGES_SNAPSHOT", messages: [] }, finished()];
    expect(pendingToolCalls(folded(events))).toEqual([
      { toolCallId: "c", name: undefined, arguments: "", messageId: undefined, subagentRunId: undefined },
    ]);
  });
});

describe("the client's tools", () => {
  it("R14: every call is answered, in order: with what the tool gives, or the reason why there is nothing", async () => {
    const order: string[] = [];
    const tools: Record<string, ClientTool> = {
      add: {
        run: (args, context) => {
          order.push("add");
          return add.run(args, context);
        },
      },
      slow: {
        run: async () => {
          await new Promise((done) => setTimeout(done, 5));
          order.push("slow");
          return { ok: [null] };
        },
      },
      text: { run: () => "plain" },
      parts: { run: () => [{ type: "text", text: "a" }] },
      list: { run: () => [{ type: "text" }] },
      nothing: { run: () => undefined },
      throws: {
        run: () => {
          throw new Error("no disk");
        },
      },
    };
    const events = [
      ...call("1", "slow", "{}"),
      ...call("2", "add", '{"a":1,"b":2}'),
      ...call("3", "text", ""),
      ...call("4", "parts", "{}"),
      ...call("5", "list", "{}"),
      ...call("6", "nothing", " "),
      ...call("7", "throws", "{}"),
      ...call("8", "toString", "{}"),
      ...call("9", "add", '{"a":1'),
      finished(),
    ];
    const told: unknown[] = [];
    expect(
      await answers(events, {
        tools,
        onError: (error, { toolCallId }) => void told.push([toolCallId, (error as Error).message]) as undefined,
      }),
    ).toEqual([
      { toolCallId: "1", content: '{"ok":[null]}' },
      { toolCallId: "2", content: "3" },
      { toolCallId: "3", content: "plain" },
      { toolCallId: "4", content: [{ type: "text", text: "a" }] },
      { toolCallId: "5", content: '[{"type":"text"}]' },
      { toolCallId: "6", content: "" },
      { toolCallId: "7", content: "", error: "no disk" },
      { toolCallId: "8", content: "", error: 'there is no tool "toString"' },
      { toolCallId: "9", content: "", error: expect.stringContaining("not well-formed JSON") },
    ]);
    expect(order).toEqual(["slow", "add"]);
    expect(told).toEqual([
      ["7", "no disk"],
      ["9", expect.stringContaining('"9"')],
    ]);
  });

  it("A4, A5: nothing with side effects runs without the user's consent", async () => {
    const ran: string[] = [];
    const tools: Record<string, ClientTool> = {
      write: { run: () => void ran.push("write") },
      read: { run: () => void ran.push("read"), sideEffects: false },
    };
    const events = [...call("1", "write", '{"a":1}'), ...call("2", "read", ""), finished()];
    const refused = { toolCallId: "1", content: "", error: "the user has not consented to this call" };
    const fine = { toolCallId: "2", content: "" };
    for (const consent of [undefined, () => false, async () => false, () => "yes" as never, () => undefined as never]) {
      expect(await answers(events, { tools, consent: consent as never })).toEqual([refused, fine]);
    }
    expect(ran).toEqual(Array(5).fill("read"));
    const asked: unknown[] = [];
    const consent = async ({ toolCallId }: { toolCallId: string }, args: unknown) => asked.push([toolCallId, args]) > 0;
    expect(await answers(events, { tools, consent })).toEqual([{ ...fine, toolCallId: "1" }, fine]);
    expect(asked).toEqual([["1", { a: 1 }]]);
  });

  it("A6, R17: arguments are judged before consent is asked and anything runs, and are those that were judged", async () => {
    const asked: unknown[] = [];
    const tools: Record<string, ClientTool> = {
      add: {
        ...add,
        validate: (args) => {
          const { a, b } = args as Record<string, unknown>;
          if (typeof a !== "number" || typeof b !== "number") throw new Error("a and b are numbers");
          return { a: a + 10, b };
        },
      },
    };
    const events = [...call("1", "add", '{"a":1,"b":2}'), ...call("2", "add", '{"a":"x"}'), finished()];
    const consent = (_: unknown, args: unknown) => asked.push(args) > 0;
    expect(await answers(events, { tools, consent })).toEqual([
      { toolCallId: "1", content: "13" },
      { toolCallId: "2", content: "", error: "a and b are numbers" },
    ]);
    expect(asked).toEqual([{ a: 11, b: 2 }]);
    const validate = (_: unknown, { toolCallId }: { toolCallId: string }) => {
      if (toolCallId === "1") throw new Error("not today");
      return { a: 0, b: 0 };
    };
    expect(await answers(events, { tools, validate })).toEqual([
      { toolCallId: "1", content: "", error: "not today" },
      { toolCallId: "2", content: "10" },
    ]);
  });

  it("an error's text is the application's to choose", async () => {
    const tools = {
      f: {
        run: () => {
          throw "secret";
        },
      },
    };
    const events = [...call("1", "f", ""), finished()];
    expect(await answers(events, { tools, onError: () => "it failed" })).toEqual([
      { toolCallId: "1", content: "", error: "it failed" },
    ]);
    expect(await answers(events, { tools })).toEqual([{ toolCallId: "1", content: "", error: "secret" }]);
  });

  it("a client that is stopped runs nothing more, and answers all the same", async () => {
    const stop = new AbortController();
    const tools = {
      f: {
        run: (_: unknown, { signal }: ToolContext) => {
          stop.abort();
          return String(signal?.aborted);
        },
      },
    };
    const events = [...call("1", "f", ""), ...call("2", "f", ""), finished()];
    expect(await answers(events, { tools, signal: stop.signal })).toEqual([
      { toolCallId: "1", content: "true" },
      { toolCallId: "2", content: "", error: "the call was not run: the client was stopped" },
    ]);
  });

  it("R4: the calls of a run that did not end are answered and not run", async () => {
    const reducer = engine("js").createReducer({ protocol: "ag-ui", transport: "json", onError: () => {} });
    for (const event of [started(), ...tool("c", ["{}"]), toolStart("d")]) reducer.apply(event);
    const tools = { f: { run: () => "x" } };
    const running = reducer.snapshot<AGUIModel>()!;
    await expect(runTools({ snapshot: running, tools, consent: () => true })).rejects.toThrow(StreamfoldError);
    reducer.finish();
    const cut = reducer.snapshot<AGUIModel>()!;
    reducer.apply(toolStart("d"));
    const refused = reducer.snapshot<AGUIModel>()!;
    expect([cut.run.status, refused.run.status]).toEqual(["truncated", "rejected"]);
    for (const snapshot of [cut, refused]) {
      const answers = await runTools({ snapshot, tools, consent: () => true });
      expect(answers.map(({ toolCallId, error }) => [toolCallId, error])).toEqual(
        ["c", "d"].map((id) => [id, "the call was not run: its run did not end"]),
      );
    }
  });

  it("after an interrupted run, what the agent goes on with itself is left alone", async () => {
    const interrupts = [{ id: "i", reason: "confirm", toolCallId: "1" }];
    const events = [
      ...call("1", "f", ""),
      ...call("2", "backend", ""),
      ...call("3", "f", ""),
      finished({ outcome: { type: "interrupt", interrupts } }),
    ];
    expect(await answers(events, { tools: { f: { run: () => "x" } } })).toEqual([{ toolCallId: "3", content: "x" }]);
  });

  it("the answers make the next run's input", async () => {
    const snapshot = folded([...call("1", "add", '{"a":1,"b":2}'), finished()]);
    const messages = await runTools({ snapshot, tools: { add }, consent: () => true });
    expect(messages[0]?.id).toMatch(/^[0-9a-f-]{36}$/);
    const { input } = nextRunInput(snapshot, { runId: "s", messages });
    expect(input.messages.at(-1)).toEqual({ id: messages[0]?.id, role: "tool", toolCallId: "1", content: "3" });
    await expect(runTools({ snapshot, tools: null as never })).rejects.toThrow(StreamfoldError);
    await expect(runTools({ snapshot: {} as never, tools: {} })).rejects.toThrow(StreamfoldError);
  });
});
