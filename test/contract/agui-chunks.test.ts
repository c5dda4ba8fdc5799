import {
  activity,
  activityDelta,
  custom,
  encrypted,
  finished,
  messagesSnapshot,
  raw,
  run,
  runError,
  spanEnd,
  spanStart,
  started,
  stateDelta,
  stateSnapshot,
  stepFinished,
  stepStarted,
  subagentError,
  subagentFinished,
  subagentStarted,
  text,
  textChunk,
  textContent,
  textEnd,
  textStart,
  thoughtChunk,
  thoughtContent,
  thoughtEnd,
  thoughtStart,
  toolArgs,
  toolChunk,
  toolEnd,
  toolResult,
  toolStart,
} from "../support/agui-events.js";
import { agui, assistant, call, caller, refused } from "./agui.js";

const START = "TEXT_MESSAGE_START";
const CONTENT = "TEXT_MESSAGE_CONTENT";
const END = "TEXT_MESSAGE_END";

agui("AG-UI chunks: expansion", [
  {
    name: "F7, F11: text chunks become START, CONTENT and END, and only those are delivered",
    steps: run(
      textChunk({ messageId: "m", delta: "Hel" }),
      textChunk({ messageId: "m", delta: "lo" }),
      textChunk({ delta: "!" }),
    ),
    messages: [assistant("m", "Hello!")],
    events: [
      started(),
      textStart("m", { role: "assistant" }),
      textContent("m", "Hel"),
      textContent("m", "lo"),
      textContent("m", "!"),
      textEnd("m"),
      finished(),
    ],
    status: "finished",
  },
  {
    name: "F7: tool chunks become START, ARGS and END",
    steps: run(
      toolChunk({ toolCallId: "c", toolCallName: "f", parentMessageId: "p", delta: "{" }),
      toolChunk({ delta: "}", toolCallId: "c" }),
    ),
    messages: [caller("p", call("c", "{}"))],
    events: [
      started(),
      { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "f", parentMessageId: "p" },
      toolArgs("c", "{"),
      toolArgs("c", "}"),
      toolEnd("c"),
      finished(),
    ],
  },
  {
    name: "F7: reasoning chunks become START, CONTENT and END of a reasoning message",
    steps: run(thoughtChunk({ messageId: "m", delta: "a" }), thoughtChunk({ delta: "b" })),
    messages: [{ id: "m", role: "reasoning", content: "ab" }],
    events: [
      started(),
      thoughtStart("m"),
      thoughtContent("m", "a"),
      thoughtContent("m", "b"),
      thoughtEnd("m"),
      finished(),
    ],
  },
  {
    name: "F23: the members of what is expanded stand in one order, whatever the chunk's",
    steps: run(
      '{"rawEvent":1,"metadata":{"k":1},"timestamp":5,"name":"n","subagentRunId":"s","delta":"x","role":"user","messageId":"m","type":"TEXT_MESSAGE_CHUNK"}' as never,
    ),
    events: [
      started(),
      { type: START, messageId: "m", role: "user", name: "n", subagentRunId: "s", metadata: { k: 1 } },
      { type: CONTENT, messageId: "m", delta: "x", subagentRunId: "s", metadata: { k: 1 }, rawEvent: 1 },
      { type: END, messageId: "m", subagentRunId: "s" },
      finished(),
    ],
  },
  {
    name: "F23: an opener without delta and rawEvent gives START alone; with a rawEvent an empty CONTENT too",
    steps: run(textChunk({ messageId: "m" }), textChunk({ messageId: "n", rawEvent: 1 })),
    events: [
      started(),
      textStart("m", { role: "assistant" }),
      textEnd("m"),
      textStart("n", { role: "assistant" }),
      textContent("n", "", { rawEvent: 1 }),
      textEnd("n"),
      finished(),
    ],
    messages: [assistant("m", ""), assistant("n", "")],
  },
  {
    name: "F21: a continuation with nothing but metadata reaches the message through an empty CONTENT",
    steps: run(
      textChunk({ messageId: "m", delta: "x", metadata: { a: 1, b: 1 } }),
      textChunk({ metadata: { b: 2 } }),
      textChunk({ messageId: "m" }),
    ),
    messages: [assistant("m", "x", { metadata: { a: 1, b: 2 } })],
    events: [
      started(),
      { type: START, messageId: "m", role: "assistant", metadata: { a: 1, b: 1 } },
      textContent("m", "x", { metadata: { a: 1, b: 1 } }),
      textContent("m", "", { metadata: { b: 2 } }),
      textEnd("m"),
      finished(),
    ],
  },
  {
    name: "F21: metadata of a chunk never reaches the message that it ends",
    steps: run(textChunk({ messageId: "m", delta: "x" }), textChunk({ messageId: "n", metadata: { k: 1 } })),
    messages: [assistant("m", "x"), assistant("n", "", { metadata: { k: 1 } })],
    types: ["RUN_STARTED", START, CONTENT, END, START, END, "RUN_FINISHED"],
  },
  {
    name: "F23: CONTENT carries the chunk's tag, or else the opener's",
    steps: run(
      textChunk({ messageId: "m", delta: "a", subagentRunId: "s" }),
      textChunk({ messageId: "m", delta: "b" }),
    ),
    events: [
      started(),
      { type: START, messageId: "m", role: "assistant", subagentRunId: "s" },
      textContent("m", "a", { subagentRunId: "s" }),
      textContent("m", "b", { subagentRunId: "s" }),
      textEnd("m", { subagentRunId: "s" }),
      finished(),
    ],
  },
  {
    name: "F12: another id ends the item of the lane and opens a new one, and an empty id is an id",
    steps: run(
      textChunk({ messageId: "a", delta: "1" }),
      textChunk({ messageId: "", delta: "2" }),
      textChunk({ delta: "3" }),
      textChunk({ messageId: "b", delta: "4" }),
    ),
    messages: [assistant("a", "1"), assistant("", "23"), assistant("b", "4")],
    types: ["RUN_STARTED", START, CONTENT, END, START, CONTENT, CONTENT, END, START, CONTENT, END, "RUN_FINISHED"],
  },
  {
    name: "F23: the end of the body ends no chunk stream",
    steps: [started(), textChunk({ messageId: "m", delta: "x" })],
    finish: "truncated",
    types: ["RUN_STARTED", START, CONTENT],
    run: { open: { messages: ["m"], toolCalls: [], reasoning: [], steps: [], subagents: [] } },
  },
]);

const OPEN_TEXT = [textChunk({ messageId: "m", delta: "x" })];
const OPEN_TOOL = [toolChunk({ toolCallId: "c", toolCallName: "f", delta: "x" })];

agui("AG-UI chunks: openers", [
  ...refused("F9: the first text chunk has an id", [], textChunk({ delta: "x" }), {
    code: "bad_event",
    path: "/messageId",
    message: "First TEXT_MESSAGE_CHUNK must have a messageId",
  }),
  ...refused("F9: the first reasoning chunk has an id", [], thoughtChunk({ delta: "x" }), {
    code: "bad_event",
    path: "/messageId",
    message: "First REASONING_MESSAGE_CHUNK must have a messageId",
  }),
  ...refused("F10: the first tool chunk has an id", [], toolChunk({ toolCallName: "f", delta: "x" }), {
    code: "bad_event",
    path: "/toolCallId",
    message: "First TOOL_CALL_CHUNK must have a toolCallId",
  }),
  ...refused("F10: the first tool chunk has a name", [], toolChunk({ toolCallId: "c", delta: "x" }), {
    code: "bad_event",
    path: "/toolCallName",
    message: "First TOOL_CALL_CHUNK must have a toolCallName",
  }),
  ...refused(
    "F1: a chunk that opens what is open is refused",
    [textStart("m")],
    textChunk({ messageId: "m", delta: "x" }),
    { code: "bad_order", path: "/messageId", message: "already in progress" },
    { messages: [assistant("m", "")] },
  ),
  {
    name: "F12, Q3: a chunk may reopen a message that has ended",
    steps: run(text("m", ["a"]), textChunk({ messageId: "m", delta: "b" })),
    messages: [assistant("m", "ab")],
  },
  ...refused(
    "F22: a chunk is judged as an event of its own",
    OPEN_TEXT,
    textChunk({ messageId: "m", role: "wizard" }),
    {
      code: "bad_event",
      path: "/role",
    },
    { messages: [assistant("m", "x")], types: ["RUN_STARTED", START, CONTENT] },
  ),
  ...refused("F22: an id of a chunk is a string", [], textChunk({ messageId: 5 }), {
    code: "bad_event",
    path: "/messageId",
  }),
]);

agui("AG-UI chunks: what a continuation repeats", [
  {
    name: "F13: a continuation may repeat what the opener said",
    steps: run(
      textChunk({ messageId: "m", role: "user", name: "n", delta: "a" }),
      textChunk({ role: "user", name: "n", delta: "b" }),
      toolChunk({ toolCallId: "c", toolCallName: "f", parentMessageId: "p" }),
      toolChunk({ toolCallName: "f", parentMessageId: "p", delta: "x" }),
      textChunk({ messageId: "k", delta: "" }),
      textChunk({ messageId: "k", role: "assistant" }),
    ),
    messages: [{ id: "m", role: "user", content: "ab", name: "n" }, caller("p", call("c", "x")), assistant("k", "")],
  },
  ...refused(
    "F13: another role is a conflict",
    [textChunk({ messageId: "m", role: "user" })],
    textChunk({ role: "system" }),
    {
      code: "chunk_conflict",
      path: "/role",
      message: "does not match the open stream's role",
    },
  ),
  ...refused(
    "F13, F11: an opener without a role has established assistant",
    OPEN_TEXT,
    textChunk({ messageId: "m", role: "user" }),
    {
      code: "chunk_conflict",
      path: "/role",
    },
  ),
  ...refused("F13: a name where the opener had none is a conflict", OPEN_TEXT, textChunk({ name: "n" }), {
    code: "chunk_conflict",
    path: "/name",
    message: "does not match the open stream's name",
  }),
  ...refused("F13: another tool name is a conflict", OPEN_TOOL, toolChunk({ toolCallId: "c", toolCallName: "g" }), {
    code: "chunk_conflict",
    path: "/toolCallName",
    message: "does not match the open stream's toolCallName",
  }),
  ...refused("F13: a parent where the opener had none is a conflict", OPEN_TOOL, toolChunk({ parentMessageId: "p" }), {
    code: "chunk_conflict",
    path: "/parentMessageId",
    message: "does not match the open stream's parentMessageId",
  }),
]);

/** Whether an event between an opener and a nameless continuation ends the chunk stream: the continuation is then refused. */
const CLOSING = [
  ...text("k", ["x"]),
  toolStart("k"),
  toolArgs("k", "x"),
  toolEnd("k"),
  toolResult("k", "c", ""),
  stateSnapshot(1),
  stateDelta([]),
  custom("n"),
  stepStarted("s"),
  stepFinished("s"),
  spanStart("k"),
  thoughtStart("k"),
  thoughtContent("k", "x"),
  thoughtEnd("k"),
  spanEnd("k"),
  messagesSnapshot([]),
];
/** What has to be open for them. */
const OPENED = [textStart("k"), toolStart("k"), stepStarted("s"), spanStart("k"), thoughtStart("k")];
const IS_OPENER = new Set([START, "TOOL_CALL_START", "STEP_STARTED", "REASONING_START", "REASONING_MESSAGE_START"]);

agui("AG-UI chunks: what closes a lane", [
  ...CLOSING.flatMap((event) => {
    const before = IS_OPENER.has(event.type) ? [] : OPENED;
    return refused(
      `F14, F16: ${event.type} closes the chunk stream`,
      [...before, ...OPEN_TEXT, event],
      textChunk({ delta: "x" }),
      { code: "bad_event", path: "/messageId", message: "First TEXT_MESSAGE_CHUNK must have a messageId" },
      { types: ["RUN_STARTED", ...before.map(({ type }) => type), START, CONTENT, END, event.type] },
    );
  }),
  ...[
    raw(1),
    activity("k", {}),
    activityDelta("k", []),
    encrypted("message", "m", "v"),
    subagentStarted("s"),
    { type: "FUTURE_EVENT" },
  ].map((event) => ({
    name: `F15: ${event.type} does not close the chunk stream`,
    steps: [started(), activity("k", {}), ...OPEN_TEXT, event, textChunk({ delta: "y" })],
    ...(event.type === "FUTURE_EVENT"
      ? { skipped: 1, warnings: [{ code: "unknown_event", path: "/type", subject: "FUTURE_EVENT" }] }
      : {}),
    types: [
      "RUN_STARTED",
      "ACTIVITY_SNAPSHOT",
      START,
      CONTENT,
      ...(event.type === "FUTURE_EVENT" ? [] : [event.type]),
      CONTENT,
    ],
    run: {
      open: {
        messages: ["m"],
        toolCalls: [],
        reasoning: [],
        steps: [],
        subagents: event.type === "SUBAGENT_STARTED" ? ["s"] : [],
      },
    },
  })),
  {
    name: "F14: a chunk of another kind closes the lane",
    steps: run(OPEN_TEXT, OPEN_TOOL, thoughtChunk({ messageId: "r", delta: "x" }), textChunk({ messageId: "n" })),
    types: [
      "RUN_STARTED",
      ...[START, CONTENT, END],
      ...["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END"],
      ...["REASONING_MESSAGE_START", "REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_END"],
      ...[START, END],
      "RUN_FINISHED",
    ],
  },
  {
    name: "F14: events of one lane leave the streams of other lanes open",
    steps: [
      started(),
      textChunk({ messageId: "m", delta: "a", subagentRunId: "s" }),
      custom("n"),
      stateSnapshot(1),
      custom("n", 1, { subagentRunId: "other" }),
      textChunk({ messageId: "m", delta: "b" }),
      custom("n", 1, { subagentRunId: "s" }),
    ],
    messages: [assistant("m", "ab", { subagentRunId: "s" })],
    types: ["RUN_STARTED", START, CONTENT, "CUSTOM", "STATE_SNAPSHOT", "CUSTOM", CONTENT, END, "CUSTOM"],
  },
  ...[finished(), runError(), messagesSnapshot([assistant("b", ""), assistant("a", "")])].map((event) => ({
    name: `F16: ${event.type} closes every lane, in the order of opening, and comes after their ENDs`,
    steps: [
      started(),
      textChunk({ messageId: "b", subagentRunId: "s" }),
      textChunk({ messageId: "a" }),
      toolChunk({ toolCallId: "c", toolCallName: "f", subagentRunId: "z" }),
      event,
    ],
    types: ["RUN_STARTED", START, START, "TOOL_CALL_START", END, END, "TOOL_CALL_END", event.type],
    inspect(fold: { events: unknown[] }) {
      const ids = (fold.events as { type: string; messageId?: string }[])
        .filter(({ type }) => type === END)
        .map(({ messageId }) => messageId);
      if (ids.join() !== "b,a") throw new Error(`closed in the order ${ids.join()}`);
    },
  })),
  {
    name: "F17: the terminal of a subagent closes its lane only, before itself",
    steps: [
      started(),
      subagentStarted("s"),
      subagentStarted("z"),
      textChunk({ messageId: "a" }),
      textChunk({ messageId: "b", subagentRunId: "s" }),
      textChunk({ messageId: "c", subagentRunId: "z" }),
      subagentFinished("s"),
      subagentError("z"),
      textChunk({ messageId: "a", delta: "x" }),
    ],
    types: [
      "RUN_STARTED",
      "SUBAGENT_STARTED",
      "SUBAGENT_STARTED",
      ...[START, START, START],
      ...[END, "SUBAGENT_FINISHED", END, "SUBAGENT_ERROR"],
      CONTENT,
    ],
    run: { open: { messages: ["a"], toolCalls: [], reasoning: [], steps: [], subagents: [] } },
  },
  ...refused(
    "F8: an explicit event with a chunk's id ends the chunk first and is then judged",
    OPEN_TEXT,
    textContent("m", "y"),
    { code: "bad_order", path: "/messageId", message: "No active text message found with ID 'm'" },
    { messages: [assistant("m", "x")], types: ["RUN_STARTED", START, CONTENT] },
  ),
  {
    name: "F8: an explicit START with a chunk's id reopens the message",
    steps: run(OPEN_TEXT, textStart("m"), textContent("m", "y"), textEnd("m")),
    messages: [assistant("m", "xy")],
    types: ["RUN_STARTED", START, CONTENT, END, START, CONTENT, END, "RUN_FINISHED"],
  },
  {
    name: "what a refused event would have ended stays open",
    options: { onViolation: "skip-event" },
    steps: [started(), ...OPEN_TEXT, textContent("other", "y"), textChunk({ delta: "z" })],
    applied: 3,
    errors: [{ code: "bad_order", path: "/messageId", eventIndex: 2 }],
    messages: [assistant("m", "xz")],
    types: ["RUN_STARTED", START, CONTENT, CONTENT],
  },
]);

const tag = (subagentRunId: string, more: Record<string, unknown>) => textChunk({ subagentRunId, ...more });

agui("AG-UI chunks: lanes", [
  {
    name: "F18: an open id wins wherever it is open",
    steps: run(
      tag("s", { messageId: "a", delta: "1" }),
      tag("z", { messageId: "b", delta: "2" }),
      textChunk({ messageId: "c", delta: "3" }),
      textChunk({ messageId: "a", delta: "4" }),
      textChunk({ messageId: "b", delta: "5" }),
    ),
    messages: [
      assistant("a", "14", { subagentRunId: "s" }),
      assistant("b", "25", { subagentRunId: "z" }),
      assistant("c", "3"),
    ],
  },
  {
    name: "F18: without an id the tag decides",
    steps: run(
      textChunk({ messageId: "a", delta: "1" }),
      tag("s", { messageId: "b", delta: "2" }),
      tag("s", { delta: "3" }),
      tag("", { messageId: "c", delta: "4" }),
      tag("", { delta: "5" }),
    ),
    messages: [
      assistant("a", "1"),
      assistant("b", "23", { subagentRunId: "s" }),
      assistant("c", "45", { subagentRunId: "" }),
    ],
  },
  {
    name: "F18: with neither, the parent's stream of that kind is meant",
    steps: run(
      tag("s", { messageId: "b", delta: "1" }),
      textChunk({ messageId: "a", delta: "2" }),
      textChunk({ delta: "3" }),
    ),
    messages: [assistant("b", "1", { subagentRunId: "s" }), assistant("a", "23")],
  },
  {
    name: "F18: with neither and none of the parent's, the only stream of that kind is meant",
    steps: run(
      tag("s", { messageId: "b", delta: "1" }),
      toolChunk({ toolCallId: "c", toolCallName: "f" }),
      textChunk({ delta: "2" }),
      toolChunk({ delta: "{}" }),
    ),
    messages: [assistant("b", "12", { subagentRunId: "s" }), caller("c", call("c", "{}"))],
  },
  ...refused(
    "F19: several streams and none of the parent's are ambiguous",
    [tag("s", { messageId: "a" }), tag("z", { messageId: "b" })],
    textChunk({ delta: "x" }),
    { code: "chunk_conflict", message: "Ambiguous TEXT_MESSAGE_CHUNK" },
  ),
  ...refused(
    "F20: a tag that disagrees with the lane of the id is a conflict",
    [tag("s", { messageId: "a" })],
    tag("z", { messageId: "a", delta: "x" }),
    {
      code: "chunk_conflict",
      path: "/subagentRunId",
      message: "chunk subagentRunId 'z' does not match the open stream's subagent",
    },
  ),
  ...refused(
    "F20: a tag that disagrees is a conflict even where nothing would follow",
    [textChunk({ messageId: "a" })],
    tag("z", { messageId: "a" }),
    { code: "chunk_conflict", path: "/subagentRunId" },
  ),
  {
    name: "F18: ids of another kind do not hold a lane",
    steps: run(
      toolChunk({ toolCallId: "x", toolCallName: "f", subagentRunId: "s" }),
      textChunk({ messageId: "x", delta: "t" }),
    ),
    messages: [{ ...caller("x", call("x", "")), subagentRunId: "s", content: "t" }],
  },
]);
