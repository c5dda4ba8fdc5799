import {
  finished,
  messagesSnapshot,
  run,
  runError,
  started,
  subagentError,
  subagentFinished,
  subagentStarted,
  textChunk,
  textContent,
  textEnd,
  textStart,
  toolChunk,
  toolResult,
  toolStart,
} from "../support/agui-events.js";
import { agui, assistant, call, caller, refused, user } from "./agui.js";

const THINKING = [
  { type: "THINKING_START" },
  { type: "THINKING_TEXT_MESSAGE_START" },
  { type: "THINKING_TEXT_MESSAGE_CONTENT", delta: "hm" },
  { type: "THINKING_TEXT_MESSAGE_END" },
  { type: "THINKING_END" },
];

const legacy = (subject: string, eventType: string) => ({ code: "legacy_event", path: "/type", subject, eventType });

/** Four bytes as JSON text, each. */
const LONGEST_RUN_ID = '\n"'.repeat(1024);

agui("AG-UI boundary: retired events", [
  {
    name: "ids are made of a run's id of 4,096 bytes of JSON text",
    steps: [started({ runId: LONGEST_RUN_ID }), { type: "THINKING_START" }],
    applied: 2,
    warnings: [legacy("THINKING_START", "REASONING_START")],
    events: [
      started({ runId: LONGEST_RUN_ID }),
      { type: "REASONING_START", messageId: `thinking-${LONGEST_RUN_ID}-1` },
    ],
    status: "running",
  },
  {
    name: "and of no longer one: each of thousands of small events would become as long as it is",
    options: { onViolation: "skip-event" },
    steps: [started({ runId: `${LONGEST_RUN_ID}x` }), ...THINKING],
    applied: 1,
    errors: THINKING.map((_, i) => ({ code: "limit", path: "/type", eventIndex: i + 1 })),
    warnings: [],
    status: "running",
  },
  {
    name: "J6: retired thinking events become reasoning events with minted ids",
    steps: run(THINKING),
    messages: [{ id: "thinking-r-2", role: "reasoning", content: "hm" }],
    status: "finished",
    events: [
      started(),
      { type: "REASONING_START", messageId: "thinking-r-1" },
      { type: "REASONING_MESSAGE_START", messageId: "thinking-r-2", role: "reasoning" },
      { type: "REASONING_MESSAGE_CONTENT", delta: "hm", messageId: "thinking-r-2" },
      { type: "REASONING_MESSAGE_END", messageId: "thinking-r-2" },
      { type: "REASONING_END", messageId: "thinking-r-1" },
      finished(),
    ],
    warnings: [
      { ...legacy("THINKING_START", "REASONING_START"), eventIndex: 1, message: "THINKING_START" },
      legacy("THINKING_TEXT_MESSAGE_START", "REASONING_MESSAGE_START"),
      legacy("THINKING_TEXT_MESSAGE_CONTENT", "REASONING_MESSAGE_CONTENT"),
      legacy("THINKING_TEXT_MESSAGE_END", "REASONING_MESSAGE_END"),
      legacy("THINKING_END", "REASONING_END"),
    ],
  },
  {
    name: "J6: a thinking event behind a failure that no run preceded",
    options: { onViolation: "skip-event" },
    steps: [{ type: "RUN_ERROR", message: "down" }, { type: "THINKING_END" }],
    applied: 1,
    errors: [{ code: "bad_order", eventIndex: 1 }],
    warnings: [legacy("THINKING_END", "REASONING_END")],
    status: "failed",
  },
  {
    name: "J4: a title that has no home is dropped with a warning",
    steps: run({ type: "THINKING_START", title: "Plan" }, { type: "THINKING_END" }),
    warnings: [
      legacy("THINKING_START", "REASONING_START"),
      { code: "legacy_dropped", path: "/title", eventType: "REASONING_START", eventIndex: 1 },
      legacy("THINKING_END", "REASONING_END"),
    ],
    messages: [],
  },
  {
    name: "I16: warnings of the boundary come before those of enforcement, that of the type first",
    steps: run({ rawEvent: null, title: "Plan", future: 1, type: "THINKING_START" }, { type: "THINKING_END" }),
    warnings: [
      legacy("THINKING_START", "REASONING_START"),
      { code: "legacy_null", path: "/rawEvent" },
      { code: "legacy_dropped", path: "/title" },
      { code: "unknown_property", path: "/future" },
      legacy("THINKING_END", "REASONING_END"),
    ],
    events: [
      started(),
      { type: "REASONING_START", messageId: "thinking-r-1" },
      { type: "REASONING_END", messageId: "thinking-r-1" },
      finished(),
    ],
  },
  {
    name: "members of a retired event called messageId or role are overwritten in place",
    steps: run(
      { type: "THINKING_START", messageId: "x", timestamp: 5 },
      { role: "assistant", type: "THINKING_TEXT_MESSAGE_START", timestamp: 6 },
      { type: "THINKING_TEXT_MESSAGE_END" },
      { type: "THINKING_END" },
    ),
    events: [
      started(),
      { type: "REASONING_START", messageId: "thinking-r-1", timestamp: 5 },
      { role: "reasoning", type: "REASONING_MESSAGE_START", timestamp: 6, messageId: "thinking-r-2" },
      { type: "REASONING_MESSAGE_END", messageId: "thinking-r-2" },
      { type: "REASONING_END", messageId: "thinking-r-1" },
      finished(),
    ],
    warnings: [
      legacy("THINKING_START", "REASONING_START"),
      legacy("THINKING_TEXT_MESSAGE_START", "REASONING_MESSAGE_START"),
      legacy("THINKING_TEXT_MESSAGE_END", "REASONING_MESSAGE_END"),
      legacy("THINKING_END", "REASONING_END"),
    ],
  },
  {
    name: "minted ids count on within a run, and from 1 in the next",
    merged: 5,
    steps: [...run(THINKING, THINKING), started({ runId: "r2" }), ...THINKING, finished({ runId: "r2" })],
    messages: ["thinking-r-2", "thinking-r-4", "thinking-r2-2"].map((id) => ({ id, role: "reasoning", content: "hm" })),
    warnings: [0, 1].flatMap(() => [
      legacy("THINKING_START", "REASONING_START"),
      legacy("THINKING_TEXT_MESSAGE_START", "REASONING_MESSAGE_START"),
      legacy("THINKING_TEXT_MESSAGE_CONTENT", "REASONING_MESSAGE_CONTENT"),
      legacy("THINKING_TEXT_MESSAGE_END", "REASONING_MESSAGE_END"),
      legacy("THINKING_END", "REASONING_END"),
    ]),
  },
  ...refused(
    "F2: retired content without an open message mints an id that verification refuses",
    [],
    { type: "THINKING_TEXT_MESSAGE_CONTENT", delta: "x" },
    {
      code: "bad_order",
      path: "/messageId",
      message: "No active reasoning message found with ID 'thinking-r-1'",
    },
    { warnings: [legacy("THINKING_TEXT_MESSAGE_CONTENT", "REASONING_MESSAGE_CONTENT")], messages: [] },
  ),
  {
    name: "what a refused event has minted is forgotten",
    options: { onViolation: "skip-event" },
    steps: [started(), { type: "THINKING_END" }, { type: "THINKING_START" }],
    applied: 2,
    errors: [{ code: "bad_order", path: "/messageId", eventIndex: 1 }],
    warnings: [legacy("THINKING_END", "REASONING_END"), legacy("THINKING_START", "REASONING_START")],
    events: [started(), { type: "REASONING_START", messageId: "thinking-r-1" }],
    run: { open: { messages: [], toolCalls: [], reasoning: ["thinking-r-1"], steps: [], subagents: [] } },
  },
  ...refused(
    "J3: a malformed member of a retired event stays malformed",
    [{ type: "THINKING_TEXT_MESSAGE_START" }],
    { type: "THINKING_TEXT_MESSAGE_CONTENT", delta: 5 },
    { code: "bad_event", path: "/delta", message: "expected string, received number" },
    { warnings: [legacy("THINKING_TEXT_MESSAGE_START", "REASONING_MESSAGE_START")] },
  ),
]);

const wrongNull = (path: string) => ({ code: "bad_event" as const, path });

agui("AG-UI boundary: nulls", [
  {
    name: "B9: the listed nulls count as absent, with a warning each",
    steps: [
      started({
        input: {
          threadId: "t",
          runId: "r",
          messages: [user("u", [{ type: "image", source: { type: "url", value: "x" }, metadata: null }])],
          tools: [
            { name: "a", description: "", parameters: {} },
            { name: "f", description: "", parameters: null },
          ],
          forwardedProps: null,
          resume: [{ interruptId: "i", status: "cancelled", payload: null }],
        },
      }),
      toolStart("c", "f", { parentMessageId: null, rawEvent: null }),
      { type: "TOOL_CALL_END", toolCallId: "c" },
      toolChunk({ toolCallId: "d", toolCallName: "g", parentMessageId: null }),
      toolResult("m", "c", [{ type: "document", source: { type: "file", value: "h" }, metadata: null }]),
      subagentStarted("s"),
      subagentFinished("s", { result: null }),
      finished({ outcome: null, result: null }),
    ],
    warnings: [
      "/input/messages/0/content/0/metadata",
      "/input/tools/1/parameters",
      "/input/forwardedProps",
      "/input/resume/0/payload",
      "/parentMessageId",
      "/rawEvent",
      "/parentMessageId",
      "/content/0/metadata",
      "/result",
      "/outcome",
      "/result",
    ].map((path) => ({ code: "legacy_null", path })),
    messages: [
      user("u", [{ type: "image", source: { type: "url", value: "x" } }]),
      caller("c", call("c", "")),
      {
        id: "m",
        toolCallId: "c",
        role: "tool",
        content: [{ type: "document", source: { type: "file", value: "h" } }],
      },
      caller("d", call("d", "", {}, "g")),
    ],
    status: "finished",
    run: { outcome: { type: "success" }, result: undefined },
  },
  ...refused("B6: timestamp is never null", [], textStart("m", { timestamp: null }), {
    code: "bad_event",
    path: "/timestamp",
    message: "expected an integer within ±(2^53-1), received null",
  }),
  ...refused("D1: metadata is never null", [], textStart("m", { metadata: null }), wrongNull("/metadata")),
  ...refused(
    "W1: subagentRunId is never null",
    [],
    textStart("m", { subagentRunId: null }),
    wrongNull("/subagentRunId"),
  ),
  ...refused(
    "an outcome of null is forgiven for runs only",
    [subagentStarted("s")],
    subagentFinished("s", { outcome: null }),
    wrongNull("/outcome"),
  ),
  ...refused(
    "metadata of a text part is never null",
    [],
    toolResult("m", "c", [{ type: "text", text: "a", metadata: null }]),
    wrongNull("/content/0/metadata"),
  ),
  ...refused(
    "metadata of a message is never null",
    [],
    messagesSnapshot([{ ...user("u"), metadata: null }]),
    wrongNull("/messages/0/metadata"),
  ),
  ...refused("the delta of a chunk is never null", [], textChunk({ messageId: "m", delta: null }), wrongNull("/delta")),
]);

const png = { type: "image", source: { type: "data", value: "AA==", mimeType: "image/png" } };

agui("AG-UI boundary: binary parts", [
  {
    name: "J6: binary parts become image, audio, video and document parts",
    steps: run(
      messagesSnapshot([
        user("u", [
          { type: "binary", mimeType: "image/png", data: "AA==" },
          { type: "text", text: "and" },
          { type: "binary", mimeType: "audio/ogg", url: "https://x/a", data: "" },
          { filename: "v.mp4", mimeType: "video/mp4", url: "u", data: "d", type: "binary", id: "b" },
          { type: "binary", mimeType: "text/plain", url: "u" },
        ]),
      ]),
    ),
    messages: [
      user("u", [
        png,
        { type: "text", text: "and" },
        { type: "audio", source: { type: "url", value: "https://x/a", mimeType: "audio/ogg" } },
        {
          type: "video",
          source: { type: "data", value: "d", mimeType: "video/mp4" },
          metadata: { filename: "v.mp4" },
        },
        { type: "document", source: { type: "url", value: "u", mimeType: "text/plain" } },
      ]),
    ],
    warnings: [0, 2, 3, 4].map((part) => ({
      code: "legacy_part",
      path: `/messages/0/content/${part}`,
      eventType: "MESSAGES_SNAPSHOT",
    })),
  },
  {
    name: "a binary part that stands beside its modern twin is removed",
    steps: run(
      messagesSnapshot([
        user("u", [
          { type: "binary", mimeType: "image/png", data: "AA==" },
          { ...png, id: "p" },
        ]),
      ]),
    ),
    messages: [user("u", [{ ...png, id: "p" }])],
    warnings: [{ code: "legacy_part", path: "/messages/0/content/0" }],
  },
  {
    name: "a binary part that cannot be translated is an unknown part",
    steps: run(
      messagesSnapshot([
        user("u", [
          { type: "binary", mimeType: "image/png", id: "only" },
          { type: "text", text: "kept" },
        ]),
      ]),
    ),
    messages: [user("u", [{ type: "text", text: "kept" }])],
    warnings: [{ code: "unknown_variant", path: "/messages/0/content/0" }],
  },
  {
    name: "binary parts are translated in the echoed input, not in tool results",
    steps: [
      started({
        input: {
          threadId: "t",
          runId: "r",
          messages: [user("u", [{ type: "binary", mimeType: "image/png", data: "AA==" }])],
        },
      }),
      toolResult("m", "c", [{ type: "binary", mimeType: "image/png", data: "AA==" }]),
    ],
    messages: [user("u", [png]), { id: "m", toolCallId: "c", role: "tool", content: [] }],
    warnings: [
      { code: "legacy_part", path: "/input/messages/0/content/0" },
      { code: "unknown_variant", path: "/content/0" },
    ],
  },
]);

const OLD = { maxProtocolVersion: "0.0.57" };
const downgraded = (subject: string) => ({
  code: "downgraded",
  path: "/type",
  subject,
  eventType: subject,
  message: `dropping ${subject}`,
});

agui("AG-UI boundary: an old peer", [
  {
    name: "J4: subagents are dropped with a warning for a peer that does not know them",
    options: OLD,
    steps: run(
      subagentStarted("s"),
      textStart("m", { subagentRunId: "s" }),
      textContent("m", "x", { subagentRunId: "other" }),
      textEnd("m"),
      subagentFinished("s"),
      subagentError("s"),
    ),
    skipped: 3,
    warnings: ["SUBAGENT_STARTED", "SUBAGENT_FINISHED", "SUBAGENT_ERROR"].map(downgraded),
    messages: [assistant("m", "x")],
    types: ["RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "RUN_FINISHED"],
    status: "finished",
  },
  {
    name: "J14: a downgrade removes tags silently, from messages and interrupts too",
    options: OLD,
    steps: [
      started({
        input: { threadId: "t", runId: "r", messages: [{ ...user("u"), subagentRunId: "s" }] },
        subagentRunId: "s",
      }),
      messagesSnapshot([
        { ...user("u"), subagentRunId: "s" },
        { ...assistant("a", "x"), subagentRunId: null },
      ]),
      finished({ outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "ask", subagentRunId: "s" }] } }),
    ],
    messages: [user("u"), assistant("a", "x")],
    run: { interrupts: [{ id: "i", reason: "ask" }] },
    status: "interrupted",
  },
  ...["0.0.58", "0.1", "1.0"].map((maxProtocolVersion) => ({
    name: `J13: nothing is downgraded for a peer of ${maxProtocolVersion}`,
    options: { maxProtocolVersion },
    steps: run(subagentStarted("s"), textStart("m", { subagentRunId: "s" }), textEnd("m"), subagentFinished("s")),
    messages: [assistant("m", "", { subagentRunId: "s" })],
    status: "finished" as const,
  })),
  {
    name: "J8: the peer's version is compared number by number",
    options: { maxProtocolVersion: "0.0.9" },
    steps: run(subagentStarted("s")),
    skipped: 1,
    warnings: [downgraded("SUBAGENT_STARTED")],
    status: "finished",
  },
  {
    name: "translations are silent where nothing is old",
    steps: [runError(), started(), messagesSnapshot([user("u", [png])])],
    messages: [user("u", [png])],
    status: "running",
  },
]);
