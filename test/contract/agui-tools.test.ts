import {
  finished,
  messagesSnapshot,
  run,
  runError,
  started,
  text,
  textStart,
  thought,
  tool,
  toolArgs,
  toolEnd,
  toolResult,
  toolStart,
} from "../support/agui-events.js";
import { agui, assistant, call, caller, user } from "./agui.js";

const result = (id: string, toolCallId: string, content: unknown = "ok", more = {}) => ({
  id,
  toolCallId,
  role: "tool",
  content,
  ...more,
});

agui("AG-UI tool calls", [
  {
    name: "R3, R4: arguments are text: pieces are put together, and END says complete, not valid",
    steps: run(tool("c", ['{"q":', ' "x', ""]), tool("d", ["not json"])),
    messages: [caller("c", call("c", '{"q": "x')), caller("d", call("d", "not json"))],
    status: "finished",
  },
  {
    name: "R18: a call goes to the assistant message that it names",
    steps: run(
      text("p", ["x"]),
      tool("c", ["1"], { parentMessageId: "p" }),
      tool("d", ["2"], { parentMessageId: "p" }),
    ),
    messages: [{ ...assistant("p", "x"), toolCalls: [call("c", "1"), call("d", "2")] }],
  },
  {
    name: "R18: the parent is made when there is none, without content",
    steps: run(tool("c", ["1"], { parentMessageId: "p", subagentRunId: "s" })),
    messages: [{ ...caller("p", call("c", "1")), subagentRunId: "s" }],
  },
  {
    name: "R18: a parent of another role is not used: the message is named like the call",
    steps: run(text("p", ["x"], { role: "user" }), tool("c", [], { parentMessageId: "p" })),
    messages: [user("p", "x"), caller("c", call("c", ""))],
    warnings: [{ code: "target_mismatch", path: "/parentMessageId", subject: "p", eventIndex: 4 }],
  },
  {
    name: "R18: without a parent the call goes to the assistant message of its own id, or makes one",
    steps: run(text("c", ["x"]), tool("c", []), text("d", [], { role: "user" }), tool("d", [])),
    messages: [
      { ...assistant("c", "x"), toolCalls: [call("c", "")] },
      { id: "d", role: "user", content: "" },
      caller("d", call("d", "")),
    ],
  },
  {
    name: "R5: a call that is held goes on, renamed with a warning, and keeps its arguments",
    steps: run(tool("c", ["{"]), toolStart("c", "g", { parentMessageId: "other" }), toolArgs("c", "}"), toolEnd("c")),
    messages: [caller("c", call("c", "{}", {}, "g"))],
    warnings: [{ code: "tool_renamed", path: "/toolCallName", subject: "c", eventIndex: 4 }],
  },
  {
    name: "R5: a call of history goes on without a warning when it keeps its name",
    steps: run(messagesSnapshot([caller("a", call("c", "{"))]), tool("c", ["}"])),
    messages: [caller("a", call("c", "{}"))],
  },
  {
    name: "R6, R18: a result is a message of its own, behind its call's message and the results there",
    steps: run(
      tool("c", [], { parentMessageId: "p" }),
      tool("d", [], { parentMessageId: "p" }),
      text("later", []),
      toolResult("r2", "d", "2"),
      toolResult("r1", "c", "1"),
    ),
    messages: [
      caller("p", call("c", ""), call("d", "")),
      result("r2", "d", "2"),
      result("r1", "c", "1"),
      assistant("later", ""),
    ],
  },
  {
    name: "R6: a result without a call goes to the end and does not reopen anything",
    steps: run(text("m", []), toolResult("r", "nobody", "x", { subagentRunId: "s" })),
    messages: [assistant("m", ""), result("r", "nobody", "x", { subagentRunId: "s" })],
    status: "finished",
  },
  {
    name: "R6: results of one id are both kept",
    steps: run(tool("c", []), toolResult("r", "c", "1"), toolResult("r", "c", "2")),
    messages: [caller("c", call("c", "")), result("r", "c", "1"), result("r", "c", "2")],
  },
  {
    name: "R7, R9, C7: the parts of a result are stored unchanged, file handles too",
    steps: run(
      toolResult("r", "c", [
        { type: "text", text: "a", id: "1" },
        { type: "document", source: { type: "file", value: "https://not/fetched#x", provider: "anthropic" } },
        { type: "image", source: { type: "data", value: "AA==", mimeType: "image/png" }, metadata: { any: [null] } },
      ]),
      toolResult("empty", "c", []),
    ),
    messages: [
      result("r", "c", [
        { type: "text", text: "a", id: "1" },
        { type: "document", source: { type: "file", value: "https://not/fetched#x", provider: "anthropic" } },
        { type: "image", source: { type: "data", value: "AA==", mimeType: "image/png" }, metadata: { any: [null] } },
      ]),
      result("empty", "c", []),
    ],
  },
  {
    name: "arguments for a call that a snapshot has taken away are ignored with a warning",
    steps: run(toolStart("c"), messagesSnapshot([]), toolArgs("c", "{"), toolEnd("c")),
    messages: [],
    warnings: ["ARGS", "END"].map((part) => ({
      code: "target_missing",
      path: "/toolCallId",
      subject: "c",
      eventType: `TOOL_CALL_${part}`,
    })),
  },
  {
    name: "a call may be held by a message of any place in history",
    steps: run(
      messagesSnapshot([caller("a", call("x", "")), user("u"), caller("b", call("y", ""))]),
      toolResult("r", "x", "1"),
      tool("y", ["2"]),
    ),
    messages: [caller("a", call("x", "")), result("r", "x", "1"), user("u"), caller("b", call("y", "2"))],
  },
]);

agui("AG-UI pending tool calls", [
  {
    name: "R13: what has been started and not answered is pending, in order",
    steps: [started(), ...tool("b", []), ...tool("a", []), ...tool("c", []), toolResult("r", "a", ""), finished()],
    run: { pendingToolCallIds: ["b", "c"] },
    status: "finished",
  },
  {
    name: "R13: an empty list in the outcome does not mean that nothing is pending",
    steps: [started(), ...tool("a", []), finished({ outcome: { type: "success", pendingToolCallIds: [] } })],
    run: { pendingToolCallIds: ["a"], outcome: { type: "success", pendingToolCallIds: [] } },
  },
  {
    name: "R12: a list in the success outcome is taken as it is",
    steps: [
      started(),
      ...tool("a", []),
      ...tool("b", []),
      finished({ outcome: { type: "success", pendingToolCallIds: ["b", "x"] } }),
    ],
    run: { pendingToolCallIds: ["b", "x"] },
  },
  {
    name: "R13: an interrupted run has pending calls, too",
    steps: [
      started(),
      ...tool("a", []),
      finished({ outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "ask" }] } }),
    ],
    run: { pendingToolCallIds: ["a"] },
    status: "interrupted",
  },
  {
    name: "R13: calls of an earlier run are not pending, nor those of a failed one",
    steps: [...run(tool("a", [])), started({ runId: "2" }), ...tool("b", [])],
    run: { pendingToolCallIds: ["b"] },
  },
  {
    name: "R13: nothing is pending after a failure",
    steps: [started(), ...tool("b", []), runError()],
    run: { pendingToolCallIds: [] },
  },
  {
    name: "R13: a result that comes before its call answers nothing",
    steps: [started(), toolResult("r", "c", ""), ...tool("c", [])],
    run: { pendingToolCallIds: ["c"] },
  },
  {
    name: "R13: a call that is started again is still one call, and answered stays answered",
    steps: [
      started(),
      ...tool("c", []),
      toolResult("r", "c", ""),
      ...tool("c", []),
      ...tool("d", []),
      ...tool("d", []),
    ],
    run: { pendingToolCallIds: ["d"] },
  },
]);

agui("AG-UI reasoning and calls together", [
  {
    name: "F5: reasoning does not disturb where results go",
    steps: run(
      tool("c", []),
      thought("t", ["x"]),
      textStart("m"),
      [toolResult("r", "c", "")],
      [{ type: "TEXT_MESSAGE_END", messageId: "m" }],
    ),
    messages: [
      caller("c", call("c", "")),
      result("r", "c", ""),
      { id: "t", role: "reasoning", content: "x" },
      assistant("m", ""),
    ],
  },
]);
