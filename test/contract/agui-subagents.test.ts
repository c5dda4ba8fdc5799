import {
  activity,
  encrypted,
  finished,
  messagesSnapshot,
  run,
  runError,
  spanStart,
  started,
  subagentError,
  subagentFinished,
  subagentStarted,
  tagged,
  text,
  textContent,
  textEnd,
  textStart,
  thought,
  thoughtStart,
  tool,
  toolArgs,
  toolResult,
  toolStart,
} from "../support/agui-events.js";
import { agui, assistant, call, caller, refused, user } from "./agui.js";

const mismatch = (subject: string) =>
  ({ code: "bad_attribution", path: "/subagentRunId", message: `subagentRunId '${subject}' does not match` }) as const;
const order = (message: string) => ({ code: "bad_order", path: "/subagentRunId", message }) as const;

agui("AG-UI subagents: lifecycle", [
  {
    name: "W12: invocations interleave and nest; the end of one closes nothing of another",
    steps: run(
      subagentStarted("a"),
      subagentStarted("b", { parentSubagentRunId: "a" }),
      tagged("a", [textStart("m"), textContent("m", "1")]),
      tagged("b", text("n", ["2"])),
      subagentFinished("a", { result: { any: 1 } }),
      tagged("a", [textContent("m", "3"), textEnd("m")]),
      subagentError("b", "broke", { code: "c" }),
    ),
    messages: [assistant("m", "13", { subagentRunId: "a" }), assistant("n", "2", { subagentRunId: "b" })],
    status: "finished",
  },
  {
    name: "W6: SUBAGENT_ERROR ends the invocation, not the run",
    steps: [started(), subagentStarted("s"), subagentError("s"), textStart("m")],
    status: "running",
    run: { error: undefined, open: { messages: ["m"], toolCalls: [], reasoning: [], steps: [], subagents: [] } },
  },
  {
    name: "W4: attribution without an announced invocation is accepted",
    steps: run(tagged("never announced", text("m", ["x"])), tagged("", tool("c", []))),
    messages: [
      assistant("m", "x", { subagentRunId: "never announced" }),
      { ...caller("c", call("c", "")), subagentRunId: "" },
    ],
    status: "finished",
  },
  {
    name: "W2: an id may come again in a later run",
    steps: [...run(subagentStarted("s"), subagentFinished("s")), ...run(subagentStarted("s"), subagentFinished("s"))],
    status: "finished",
  },
  ...refused(
    "W2: an active invocation cannot be started",
    [subagentStarted("s")],
    subagentStarted("s"),
    order("subagent 's' is already active"),
  ),
  ...refused(
    "W2: a finished invocation cannot be started again in its run",
    [subagentStarted("s"), subagentError("s")],
    subagentStarted("s"),
    order("subagent 's' has already finished in this run"),
  ),
  ...refused(
    "W5: SUBAGENT_FINISHED of what is not active is refused",
    [],
    subagentFinished("s"),
    order("Cannot send 'SUBAGENT_FINISHED': no active subagent found with ID 's'"),
  ),
  ...refused(
    "W5: SUBAGENT_ERROR after the end is refused",
    [subagentStarted("s"), subagentFinished("s")],
    subagentError("s"),
    order("Cannot send 'SUBAGENT_ERROR': no active subagent found with ID 's'"),
  ),
  ...refused(
    "W11: a parent that was never announced is refused",
    tagged("p", text("m", [])),
    subagentStarted("s", { parentSubagentRunId: "p" }),
    {
      code: "bad_order",
      path: "/parentSubagentRunId",
      message: "parentSubagentRunId 'p' has not been started in this run",
    },
  ),
  {
    name: "W11: a parent may have finished",
    steps: run(
      subagentStarted("p"),
      subagentFinished("p"),
      subagentStarted("s", { parentSubagentRunId: "p" }),
      subagentFinished("s"),
    ),
    status: "finished",
  },
  ...refused(
    "W3: RUN_FINISHED while an invocation is active is refused",
    [subagentStarted("s1"), subagentStarted("s2"), subagentFinished("s1")],
    finished(),
    {
      code: "bad_order",
      message: "Cannot send 'RUN_FINISHED' while subagents are still active: s2",
    },
  ),
  {
    name: "W14: RUN_ERROR abandons all invocations",
    steps: [started(), subagentStarted("s"), tagged("s", [textStart("m")]), runError()].flat(),
    status: "failed",
    run: { open: { messages: [], toolCalls: [], reasoning: [], steps: [], subagents: [] } },
  },
  {
    name: "W7: an invocation may be suspended, with and without interrupts",
    steps: run(
      subagentStarted("a"),
      subagentStarted("b"),
      subagentFinished("a", { outcome: { type: "suspended", interruptIds: ["i"] } }),
      subagentFinished("b", { outcome: { type: "suspended" } }),
    ),
    status: "finished",
  },
]);

agui("AG-UI subagents: attribution", [
  ...refused(
    "W8: content with another tag is refused",
    tagged("s", [textStart("m")]),
    textContent("m", "x", { subagentRunId: "z" }),
    mismatch("z"),
  ),
  ...refused(
    "W8: no owner is an owner, too",
    [textStart("m")],
    textContent("m", "x", { subagentRunId: "s" }),
    mismatch("s"),
    {
      messages: [assistant("m", "")],
    },
  ),
  ...refused(
    "W8: the empty id is not the parent agent",
    tagged("", [textStart("m")]),
    textContent("m", "x", { subagentRunId: "s" }),
    mismatch("s"),
  ),
  {
    name: "W8: a missing tag always agrees",
    steps: run(
      tagged("s", [textStart("m"), toolStart("c"), thoughtStart("r"), spanStart("r"), activity("p", {})]),
      textContent("m", "x"),
      textEnd("m"),
      toolArgs("c", "{}"),
      [{ type: "TOOL_CALL_END", toolCallId: "c" }],
      [
        { type: "REASONING_MESSAGE_END", messageId: "r" },
        { type: "REASONING_END", messageId: "r" },
      ],
      [{ type: "ACTIVITY_DELTA", messageId: "p", activityType: "PLAN", patch: [] }],
    ),
    status: "finished",
  },
  ...refused(
    "W8: arguments with another tag are refused",
    tagged("s", [toolStart("c")]),
    toolArgs("c", "x", { subagentRunId: "z" }),
    mismatch("z"),
  ),
  ...refused(
    "W8: the END of a call with another tag is refused",
    [toolStart("c")],
    { type: "TOOL_CALL_END", toolCallId: "c", subagentRunId: "z" },
    mismatch("z"),
  ),
  ...refused(
    "W8: a span and a reasoning message of one id share an owner",
    tagged("s", [spanStart("r")]),
    thoughtStart("r", { subagentRunId: "z" }),
    mismatch("z"),
  ),
  ...refused(
    "W8: a message that has ended keeps its owner in its run",
    tagged("s", text("m", ["x"])),
    textStart("m", { subagentRunId: "z" }),
    mismatch("z"),
  ),
  {
    name: "W8: a new run knows no owners",
    steps: [...run(tagged("s", text("m", ["x"]))), ...run(tagged("z", text("m", ["y"])))],
    messages: [assistant("m", "xy", { subagentRunId: "s" })],
  },
  {
    name: "W8: owners stand in name spaces: messages, calls, reasoning, activities",
    steps: run(
      tagged("a", text("x", [])),
      tagged("b", tool("x", [], { parentMessageId: "other" })),
      tagged("c", thought("x2", [])),
      tagged("d", [activity("x3", {})]),
      tagged("e", text("x2", [])),
    ),
    status: "finished",
  },
  ...refused(
    "W8: an encrypted value is held to the owner of its call",
    tagged("s", tool("c", [])),
    encrypted("tool-call", "c", "v", { subagentRunId: "z" }),
    mismatch("z"),
  ),
  ...refused(
    "W8: an encrypted value is held to the owner of its reasoning message",
    tagged("s", thought("r", [])),
    encrypted("message", "r", "v", { subagentRunId: "z" }),
    mismatch("z"),
  ),
  {
    name: "W8: a result sets the owner of its message, and may answer the call of another",
    steps: run(tagged("s", tool("c", [])), toolResult("r", "c", "x", { subagentRunId: "z" })),
    status: "finished",
  },
  ...refused(
    "W8: text for the message of a result is held to its owner",
    [toolResult("r", "c", "x", { subagentRunId: "s" })],
    textStart("r", { subagentRunId: "z" }),
    mismatch("z"),
  ),
  ...refused(
    "W10: a call whose tag differs from its parent's is refused",
    tagged("s", text("p", [])),
    toolStart("c", "f", { parentMessageId: "p", subagentRunId: "z" }),
    { code: "bad_attribution", path: "/subagentRunId", message: "does not match the owner of its parent message 'p'" },
  ),
  ...refused(
    "W10: a call of nobody inherits the owner of its parent",
    [...tagged("s", text("p", [])), toolStart("c", "f", { parentMessageId: "p" })],
    toolArgs("c", "x", { subagentRunId: "z" }),
    mismatch("z"),
  ),
  {
    name: "W10: the owner that a call inherits agrees with its tag",
    steps: run(
      tagged("s", text("p", [])),
      toolStart("c", "f", { parentMessageId: "p" }),
      toolArgs("c", "x", { subagentRunId: "s" }),
      [{ type: "TOOL_CALL_END", toolCallId: "c", subagentRunId: "s" }],
    ),
    messages: [{ ...assistant("p", "", { subagentRunId: "s" }), toolCalls: [call("c", "x")] }],
  },
  ...refused(
    "W8: the echoed input sets owners of messages",
    [started({ input: { threadId: "t", runId: "r", messages: [{ ...user("u"), subagentRunId: "s" }] } })],
    textStart("u", { subagentRunId: "z" }),
    mismatch("z"),
    { start: false },
  ),
  ...refused(
    "U5: owners of a snapshot hold for reasoning and activities of their own",
    [messagesSnapshot([{ id: "r", role: "reasoning", content: "", subagentRunId: "s" }])],
    thoughtStart("r", { subagentRunId: "z" }),
    mismatch("z"),
  ),
]);
