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
  thought,
  thoughtChunk,
  tool,
  toolChunk,
  toolResult,
} from "../support/agui-events.js";
import { agui, assistant, call, refused, user } from "./agui.js";

/** Each of the 31 types, some more than once, every optional member somewhere. */
const EVERYTHING = [
  ...run(
    stepStarted("s"),
    text("m", ["a"], { name: "n", role: "user" }),
    textChunk({ messageId: "c", delta: "x" }),
    tool("t", ["{}"], { parentMessageId: "p" }),
    toolChunk({ toolCallId: "tc", toolCallName: "f", delta: "x" }),
    toolResult("tr", "t", "done", { role: "tool" }),
    spanStart("r"),
    thought("rm", ["x"]),
    thoughtChunk({ messageId: "rc", delta: "x" }),
    spanEnd("r"),
    encrypted("message", "rm", "e", { encryptedValueType: "k" }),
    stateSnapshot({ a: 1 }),
    stateDelta([{ op: "replace", path: "/a", value: 2 }]),
    activity("act", { x: 1 }, { replace: true }),
    activityDelta("act", [{ op: "add", path: "/y", value: 1 }]),
    messagesSnapshot([user("u")]),
    raw({ any: 1 }, { source: "src" }),
    custom("name", { v: null }),
    subagentStarted("sub", { description: "d", parentToolCallId: "t", parentMessageId: "m" }),
    subagentFinished("sub", { result: 1, outcome: { type: "suspended", interruptIds: ["i"] } }),
    subagentStarted("sub2", { parentSubagentRunId: "sub" }),
    subagentError("sub2", "x", { code: "c" }),
    stepFinished("s"),
  ),
  runError("late", { code: "c" }),
].map((event, timestamp) => ({ ...event, timestamp, rawEvent: { n: timestamp }, metadata: { k: null } }));

agui("AG-UI enforcement: what is described", [
  {
    name: "B2: all 31 event types pass with all their members and without a warning",
    steps: EVERYTHING,
    status: "failed",
    inspect(_, label) {
      const types = new Set(EVERYTHING.map(({ type }) => type));
      if (types.size !== 31) throw new Error(`${label}: ${types.size} types`);
    },
  },
  {
    name: "B4: events stay in the order of arrival, whatever their timestamps",
    steps: run(
      text("m", []).map((event, i) => ({ ...event, timestamp: 5 - i })),
      {
        ...textStart("n", { timestamp: -9007199254740991 }),
      },
      textEnd("n", { timestamp: 9007199254740991 }),
    ),
    messages: [assistant("m", ""), assistant("n", "")],
  },
  {
    name: "B4: an integer may be spelled in any way JSON has",
    steps: [
      started(),
      '{"type":"CUSTOM","name":"n","value":1,"timestamp":1.50e3}',
      '{"type":"CUSTOM","name":"n","value":1,"timestamp":-0.0}',
    ],
    status: "running",
  },
  ...["1.5", "9007199254740992", "1e400", '"1"', "true", "[1]"].flatMap((timestamp) =>
    refused(`B4: a timestamp of ${timestamp} is malformed`, [], `{"type":"RAW","event":1,"timestamp":${timestamp}}`, {
      code: "bad_event",
      path: "/timestamp",
    }),
  ),
  {
    name: "B7: a required payload may be null and is kept",
    steps: run(
      stateSnapshot(null),
      raw(null),
      custom("n", null),
      stateDelta([{ op: "replace", path: "", value: null }]),
    ),
    state: null,
    events: [
      started(),
      stateSnapshot(null),
      raw(null),
      custom("n", null),
      stateDelta([{ op: "replace", path: "", value: null }]),
      finished(),
    ],
  },
  {
    name: "D2, B8: keys of open objects are data at any depth, null too",
    steps: run(
      text("m", [], { metadata: { "ag-ui": null, __proto__x: { deep: [{ future: null }] } } }),
      activity("a", { n: null }),
    ),
    messages: [
      assistant("m", "", { metadata: { "ag-ui": null, __proto__x: { deep: [{ future: null }] } } }),
      { id: "a", role: "activity", activityType: "PLAN", content: { n: null } },
    ],
  },
  {
    name: "I11: responseSchema and payloads are kept whole",
    steps: [
      started(),
      finished({
        result: { future: 1 },
        outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "x", responseSchema: { future: { a: 1 } } }] },
      }),
    ],
    run: {
      interrupts: [{ id: "i", reason: "x", responseSchema: { future: { a: 1 } } }],
      result: { future: 1 },
    },
    status: "interrupted",
  },
]);

agui("AG-UI enforcement: what is not described", [
  {
    name: "I1, I9, A3: an event of an unknown type is dropped with a warning that names it",
    steps: run(text("m", ["a"]), { type: "FUTURE_EVENT", messageId: 5, x: { y: [] } }),
    skipped: 1,
    warnings: [
      { code: "unknown_event", path: "/type", subject: "FUTURE_EVENT", eventIndex: 4, message: "FUTURE_EVENT" },
    ],
    messages: [assistant("m", "a")],
    types: ["RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "RUN_FINISHED"],
    status: "finished",
  },
  {
    name: "I1: an unknown event may come before the first run and after the last",
    steps: [{ type: "EARLY" }, ...run(), { type: "LATE" }],
    skipped: 2,
    warnings: [
      { code: "unknown_event", path: "/type", subject: "EARLY" },
      { code: "unknown_event", path: "/type", subject: "LATE" },
    ],
    status: "finished",
  },
  {
    name: "I2, I10: an undescribed member is removed with its path",
    steps: run(textStart("m", { futureProp: { a: 1 }, toString: 1 }), textEnd("m")),
    warnings: [
      { code: "unknown_property", path: "/futureProp", eventType: "TEXT_MESSAGE_START", message: "/futureProp" },
      { code: "unknown_property", path: "/toString" },
    ],
    events: [started(), textStart("m"), textEnd("m"), finished()],
  },
  {
    name: "I10: names like __proto__ are ordinary, and paths are escaped",
    steps: [
      started(),
      '{"type":"RAW","event":1,"__proto__":{"x":1},"a/b~c":2}',
      '{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"u","role":"user","content":"","__proto__":1}]}',
    ],
    warnings: [
      { code: "unknown_property", path: "/__proto__" },
      { code: "unknown_property", path: "/a~1b~0c" },
      { code: "unknown_property", path: "/messages/0/__proto__" },
    ],
    messages: [user("u", "")],
  },
  {
    name: "B13: a run has no subagentRunId, nor has a snapshot of messages",
    steps: [
      started({ subagentRunId: "s" }),
      messagesSnapshot([], { subagentRunId: "s" }),
      finished({ subagentRunId: "s" }),
      runError("x", { subagentRunId: null }),
    ],
    warnings: ["RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_FINISHED", "RUN_ERROR"].map((eventType) => ({
      code: "unknown_property",
      path: "/subagentRunId",
      eventType,
    })),
    status: "failed",
  },
  {
    name: "H11, W7: an outcome has its own members only",
    steps: run(subagentStarted("s"), subagentFinished("s", { outcome: { type: "success", interruptIds: ["i"] } })).map(
      (event) => (event.type === "RUN_FINISHED" ? { ...event, outcome: { type: "success", interrupts: [] } } : event),
    ),
    warnings: [
      { code: "unknown_property", path: "/outcome/interruptIds" },
      { code: "unknown_property", path: "/outcome/interrupts" },
    ],
    run: { outcome: { type: "success" } },
  },
  {
    name: "I3, I12, O5: an unknown outcome goes, and the run counts as a success",
    steps: [started(), finished({ outcome: { type: "future", more: { deep: 1 } }, result: 1 })],
    warnings: [{ code: "unknown_variant", path: "/outcome", eventType: "RUN_FINISHED" }],
    status: "finished",
    run: { outcome: { type: "success" }, result: 1 },
    events: [started(), finished({ result: 1 })],
  },
  {
    name: "I13: of a list only the unknown element goes",
    steps: run(
      messagesSnapshot([
        user("u", [
          { type: "text", text: "a" },
          { type: "hologram", x: 1 },
          { type: "text", text: "b" },
        ]),
      ]),
    ),
    warnings: [{ code: "unknown_variant", path: "/messages/0/content/1" }],
    messages: [
      user("u", [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ]),
    ],
  },
  {
    name: "I14, C10: what stands in a required position takes its container along, and only the outermost is named",
    steps: run(
      messagesSnapshot([
        { id: "w", role: "wizard", content: 5, bogus: 1 },
        user("u", [
          { type: "image", source: { type: "carrier-pigeon", value: 5 }, bogus: 1 },
          { type: "text", text: "b" },
        ]),
        { id: "x", role: "assistant", bogus: 2 },
      ]),
      toolResult("m", "c", [{ type: "audio", source: { type: "x" } }]),
    ),
    warnings: [
      { code: "unknown_variant", path: "/messages/0" },
      { code: "unknown_variant", path: "/messages/1/content/0" },
      { code: "unknown_property", path: "/messages/2/bogus" },
      { code: "unknown_variant", path: "/content/0" },
    ],
    messages: [
      user("u", [{ type: "text", text: "b" }]),
      { id: "x", role: "assistant" },
      { id: "m", toolCallId: "c", role: "tool", content: [] },
    ],
  },
  {
    name: "paths count elements with those that were removed",
    steps: run(
      messagesSnapshot([
        { id: "w", role: "wizard" },
        { id: "v", role: "wizard" },
        { ...user("u"), future: 1 },
      ]),
    ),
    warnings: [
      { code: "unknown_variant", path: "/messages/0" },
      { code: "unknown_variant", path: "/messages/1" },
      { code: "unknown_property", path: "/messages/2/future" },
    ],
    messages: [user("u")],
  },
  {
    name: "warnings of one code, type and path are reported once a run",
    merged: 2,
    steps: [
      ...run(
        textStart("m", { x: 1 }),
        textContent("m", "a", { x: 1 }),
        textContent("m", "b", { x: 1 }),
        textEnd("m", { x: 1, y: 1 }),
        { type: "F" },
        { type: "F" },
        { type: "G" },
      ),
      ...run(textStart("n", { x: 1 }), textEnd("n", { x: 1 }), { type: "F" }),
    ],
    skipped: 4,
    warnings: [
      { code: "unknown_property", path: "/x", eventType: "TEXT_MESSAGE_START", eventIndex: 1 },
      { code: "unknown_property", path: "/x", eventType: "TEXT_MESSAGE_CONTENT" },
      { code: "unknown_property", path: "/x", eventType: "TEXT_MESSAGE_END" },
      { code: "unknown_property", path: "/y" },
      { code: "unknown_event", path: "/type", subject: "F" },
      { code: "unknown_event", path: "/type", subject: "G" },
      { code: "unknown_property", path: "/x", eventType: "TEXT_MESSAGE_START", eventIndex: 10 },
      { code: "unknown_property", path: "/x", eventType: "TEXT_MESSAGE_END" },
      { code: "unknown_event", path: "/type", subject: "F" },
    ],
  },
  {
    name: "repeated members count once: the last value, in the first place",
    steps: [
      started(),
      '{"type":"RAW","messageId":1,"type":"TEXT_MESSAGE_START","messageId":"m","future":1,"future":2}',
    ],
    warnings: [{ code: "unknown_property", path: "/future" }],
    events: [started(), textStart("m")],
    messages: [assistant("m", "")],
  },
]);

agui("AG-UI enforcement: what is malformed", [
  ...[
    { name: "no type", event: { messageId: "m" }, message: "a member is missing" },
    { name: "an empty type", event: { type: "" }, message: "it must be a non-empty string" },
  ].flatMap(({ name, event, message }) =>
    refused(`B3: ${name} is malformed`, [], event as never, { code: "bad_event", path: "/type", message }),
  ),
  ...refused("B3: a type of 5 is malformed", [], '{"type":5}', {
    code: "bad_event",
    path: "/type",
    message: "expected string, received number",
  }),
  ...refused(
    "I4: a described member with a value of the wrong kind is fatal",
    text("m", ["kept"]).slice(0, 2),
    {
      ...textContent("m", ""),
      delta: 5,
    },
    { code: "bad_event", path: "/delta", message: "expected string, received number" },
    {
      messages: [assistant("m", "kept")],
      types: ["RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT"],
    },
  ),
  ...refused(
    "I4: a required member that is missing is fatal",
    [],
    { type: "SUBAGENT_STARTED", subagentRunId: "s" },
    {
      code: "bad_event",
      path: "/name",
    },
  ),
  ...refused("I5: an array in the place of an outcome is malformed", [], finished({ outcome: [] }), {
    code: "bad_event",
    path: "/outcome",
    message: "expected object, received array",
  }),
  ...refused("I5: an outcome without a type is malformed", [], finished({ outcome: { interrupts: [] } }), {
    code: "bad_event",
    path: "/outcome/type",
  }),
  ...refused("I5: a role that is no string is malformed", [], messagesSnapshot([{ id: "m", role: 5 }]), {
    code: "bad_event",
    path: "/messages/0/role",
    message: "expected string, received number",
  }),
  ...refused(
    "H1: an interrupt outcome has at least one interrupt",
    [],
    finished({ outcome: { type: "interrupt", interrupts: [] } }),
    {
      code: "bad_event",
      path: "/outcome/interrupts",
      message: "expected at least one element",
    },
  ),
  ...refused("I22: a role outside of the closed set is malformed", [], textStart("m", { role: "wizard" }), {
    code: "bad_event",
    path: "/role",
    message: "role",
  }),
  ...refused("T11: a subtype outside of the closed set is malformed", [], encrypted("future", "m", "v"), {
    code: "bad_event",
    path: "/subtype",
  }),
  ...refused(
    "T11: a subtype that is no string is malformed",
    [],
    { ...encrypted("", "m", "v"), subtype: 5 },
    {
      code: "bad_event",
      path: "/subtype",
    },
  ),
  ...refused(
    "I23: a const with another value is malformed, for a reasoning message",
    [],
    {
      type: "REASONING_MESSAGE_START",
      messageId: "m",
      role: "assistant",
    },
    { code: "bad_event", path: "/role", message: 'expected "reasoning"' },
  ),
  ...refused(
    "I23: a const with another value is malformed, for a tool result",
    [],
    toolResult("m", "c", "", { role: "user" }),
    {
      code: "bad_event",
      path: "/role",
      message: 'expected "tool"',
    },
  ),
  ...refused(
    "I23: a const with another value is malformed, for a tool call in a message",
    [],
    messagesSnapshot([{ id: "a", role: "assistant", toolCalls: [call("c", "", { type: "macro" })] }]),
    { code: "bad_event", path: "/messages/0/toolCalls/0/type" },
  ),
  ...refused(
    "T2: the role of a reasoning message is required",
    [],
    { type: "REASONING_MESSAGE_START", messageId: "m" },
    {
      code: "bad_event",
      path: "/role",
    },
  ),
  ...[[], "x", 5, null, true].flatMap((metadata) =>
    refused(`D1: metadata of ${JSON.stringify(metadata)} is malformed`, [], textStart("m", { metadata }), {
      code: "bad_event",
      path: "/metadata",
      message: "expected object",
    }),
  ),
  {
    name: "D1: metadata of a content part may be anything but null",
    steps: run(toolResult("m", "c", [{ type: "text", text: "a", metadata: [1, false] }])),
    messages: [
      { id: "m", toolCallId: "c", role: "tool", content: [{ type: "text", text: "a", metadata: [1, false] }] },
    ],
  },
  ...refused("members are judged in document order", [], '{"type":"TEXT_MESSAGE_CONTENT","delta":1,"messageId":2}', {
    code: "bad_event",
    path: "/delta",
  }),
  ...refused(
    "what is missing is judged last, in the schema's order",
    [],
    { type: "TEXT_MESSAGE_CONTENT", role: 5, timestamp: "x" },
    {
      code: "bad_event",
      path: "/timestamp",
    },
  ),
  ...refused(
    "the first of several missing members is named",
    [],
    { type: "TEXT_MESSAGE_CONTENT" },
    {
      code: "bad_event",
      path: "/messageId",
    },
  ),
  ...refused("warnings of a malformed event are not reported", [], textStart("m", { future: 1, role: 5 }), {
    code: "bad_event",
    path: "/role",
  }),
  ...refused("O15: a count is no negative number", [], finished({ usage: [{ inputTokens: -1 }] }), {
    code: "bad_event",
    path: "/usage/0/inputTokens",
    message: "expected an integer from 0 to 2^53-1",
  }),
]);

agui("AG-UI enforcement: unknownEnum strip", [
  {
    name: "I22: with strip the member goes with a warning where it is optional",
    options: { unknownEnum: "strip" },
    steps: run(textStart("m", { role: "wizard" }), textEnd("m")),
    warnings: [{ code: "unknown_enum", path: "/role", eventType: "TEXT_MESSAGE_START" }],
    messages: [assistant("m", "")],
  },
  {
    name: "I22, T11: with strip the event goes where the member is required",
    options: { unknownEnum: "strip" },
    steps: run(encrypted("future", "m", "v")),
    skipped: 1,
    warnings: [{ code: "unknown_enum", path: "/subtype" }],
    types: ["RUN_STARTED", "RUN_FINISHED"],
  },
  {
    name: "I22: with strip an entry of a list goes",
    options: { unknownEnum: "strip" },
    steps: [
      started({
        input: {
          threadId: "t",
          runId: "r",
          messages: [],
          resume: [
            { interruptId: "i", status: "maybe" },
            { interruptId: "j", status: "resolved" },
          ],
        },
      }),
    ],
    warnings: [{ code: "unknown_enum", path: "/input/resume/0" }],
    events: [
      started({
        input: { threadId: "t", runId: "r", messages: [], resume: [{ interruptId: "j", status: "resolved" }] },
      }),
    ],
  },
  ...refused(
    "I23: a const stays malformed with strip",
    [],
    toolResult("m", "c", "", { role: "user" }),
    { code: "bad_event", path: "/role" },
    { options: { unknownEnum: "strip" } },
  ),
  ...refused(
    "I22: a value that is no string stays malformed with strip",
    [],
    textStart("m", { role: 5 }),
    { code: "bad_event", path: "/role" },
    { options: { unknownEnum: "strip" } },
  ),
]);

agui("AG-UI enforcement: patches", [
  {
    name: "G6: further members of an operation stay on the delivered event and mean nothing",
    steps: run(stateDelta([{ op: "add", path: "/a", value: 1, comment: "why", from: 5 }])),
    state: { a: 1 },
    events: [started(), stateDelta([{ op: "add", path: "/a", value: 1, comment: "why", from: 5 }]), finished()],
  },
  {
    name: "G8: an unknown operation is dropped with a warning, the others apply",
    steps: run(
      stateDelta([
        { op: "frobnicate", path: 5 },
        { op: "add", path: "/a", value: 1 },
      ]),
    ),
    state: { a: 1 },
    warnings: [{ code: "unknown_variant", path: "/delta/0", message: "/delta/0" }],
    events: [started(), stateDelta([{ op: "add", path: "/a", value: 1 }]), finished()],
  },
  ...(
    [
      ["a patch that is no list", { op: "add" }, "/delta"],
      ["an operation that is no object", ["x"], "/delta/0"],
      ["an operation without op", [{ path: "/a" }], "/delta/0/op"],
      ["an op that is no string", [{ op: 5, path: "/a" }], "/delta/0/op"],
      ["an operation without path", [{ op: "remove" }], "/delta/0/path"],
      ["a path that is no string", [{ op: "remove", path: 5 }], "/delta/0/path"],
      ["a path that is no pointer", [{ op: "remove", path: "a" }], "/delta/0/path"],
      ["a path with a wrong escape", [{ op: "remove", path: "/a~2" }], "/delta/0/path"],
      ["add without value", [{ op: "add", path: "/a" }], "/delta/0/value"],
      ["test without value", [{ op: "test", path: "/a" }], "/delta/0/value"],
      ["move without from", [{ op: "move", path: "/a" }], "/delta/0/from"],
      ["copy from what is no pointer", [{ op: "copy", path: "/a", from: "b" }], "/delta/0/from"],
    ] as const
  ).flatMap(([name, delta, path]) =>
    refused(
      `G7: ${name} is malformed`,
      [stateSnapshot({ a: 1 })],
      stateDelta(delta),
      { code: "bad_event", path },
      {
        state: { a: 1 },
      },
    ),
  ),
  ...refused("G7: the patch of an activity is judged alike", [activity("a", {})], activityDelta("a", [{ op: "add" }]), {
    code: "bad_event",
    path: "/patch/0/path",
  }),
]);
