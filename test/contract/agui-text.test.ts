import {
  activity,
  activityDelta,
  custom,
  encrypted,
  messagesSnapshot,
  raw,
  run,
  runError,
  started,
  stepFinished,
  stepStarted,
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
  toolEnd,
  toolResult,
  toolStart,
} from "../support/agui-events.js";
import { agui, assistant, call, caller } from "./agui.js";

agui("AG-UI text messages", [
  {
    name: "F4, Q1: a text is its deltas in the order of arrival, nothing trimmed",
    steps: run(text("m", [" a ", "", "\n", "b ", " "])),
    messages: [assistant("m", " a \nb  ")],
  },
  {
    name: "F4: text is not normalised, and characters that deltas cut apart are whole again",
    steps: [
      started(),
      textStart("m"),
      '{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"e"}',
      '{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"\\u0301 \\ud83d"}',
      '{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"\\udc69\\u200d"}',
      textContent("m", "💻 中文 🇪"),
      textContent("m", '🇺\u0000\u2028"\\'),
    ],
    messages: [assistant("m", 'e\u0301 👩\u200d💻 中文 🇪🇺\u0000\u2028"\\')],
  },
  {
    name: "F4: half a character stays half when nothing completes it",
    steps: [
      started(),
      textStart("m"),
      '{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"\\udc00\\ud83d"}',
      textContent("m", "x"),
    ],
    messages: '[{"id":"m","role":"assistant","content":"\\udc00\\ud83dx"}]',
  },
  {
    name: "Q5: the role and the name of the START are stored",
    steps: run(
      ...["developer", "system", "assistant", "user"].map((role) => text(role, ["x"], { role, name: `n-${role}` })),
    ),
    messages: ["developer", "system", "assistant", "user"].map((role) => ({
      id: role,
      role,
      content: "x",
      name: `n-${role}`,
    })),
  },
  {
    name: "Q3: a message may be opened again: it grows, keeps its role and its place",
    steps: run(
      text("a", ["1"], { role: "user", name: "n" }),
      text("b", ["2"]),
      text("a", ["3"], { role: "system", name: "o" }),
    ),
    messages: [{ id: "a", role: "user", content: "13", name: "n" }, assistant("b", "2")],
  },
  {
    name: "Q3, O11: a message of an earlier run may be opened again",
    steps: [...run(text("a", ["1"])), ...run(text("a", ["2"]))],
    messages: [assistant("a", "12")],
  },
  {
    name: "members of a new message stand in one order",
    steps: [
      started(),
      '{"metadata":{"k":1},"name":"n","subagentRunId":"s","role":"user","messageId":"m","type":"TEXT_MESSAGE_START"}',
    ],
    messages: [{ id: "m", role: "user", content: "", name: "n", subagentRunId: "s", metadata: { k: 1 } }],
  },
  {
    name: "text appended to a message that a tool call made adds its content",
    steps: run(toolStart("c", "f", { parentMessageId: "p" }), toolEnd("c"), text("p", ["x"])),
    messages: [{ ...caller("p", call("c", "")), content: "x" }],
  },
  {
    name: "text for a message whose content is a list is ignored with a warning",
    steps: run(
      messagesSnapshot([{ id: "u", role: "user", content: [{ type: "text", text: "a" }] }]),
      textStart("u"),
      textContent("u", "x"),
      textEnd("u"),
    ),
    messages: [{ id: "u", role: "user", content: [{ type: "text", text: "a" }] }],
    warnings: [
      { code: "target_mismatch", path: "/messageId", subject: "u", eventType: "TEXT_MESSAGE_CONTENT", eventIndex: 3 },
    ],
  },
  {
    name: "text for an activity message is ignored with a warning",
    steps: run(activity("a", { x: 1 }), text("a", ["x"], { metadata: { k: 1 } })),
    messages: [{ id: "a", role: "activity", activityType: "PLAN", content: { x: 1 } }],
    warnings: ["START", "CONTENT", "END"].map((part) => ({
      code: "target_mismatch",
      path: "/messageId",
      subject: "a",
      eventType: `TEXT_MESSAGE_${part}`,
    })),
  },
  {
    name: "text for a message that a snapshot has taken away is ignored with a warning",
    steps: run(textStart("m"), messagesSnapshot([]), textContent("m", "x"), textEnd("m")),
    messages: [],
    warnings: ["CONTENT", "END"].map((part) => ({
      code: "target_missing",
      path: "/messageId",
      subject: "m",
      eventType: `TEXT_MESSAGE_${part}`,
    })),
  },
]);

agui("AG-UI metadata", [
  {
    name: "D4: metadata of all events of a message is merged, the last value wins",
    steps: run(
      textStart("m", { metadata: { a: 1, b: 1 } }),
      textContent("m", "x", { metadata: { b: 2, c: null } }),
      textEnd("m", { metadata: { c: 3, a: [1] } }),
    ),
    messages: [assistant("m", "x", { metadata: { a: [1], b: 2, c: 3 } })],
  },
  {
    name: "D5: the merge is shallow",
    steps: run(textStart("m", { metadata: { a: { x: 1, y: 1 } } }), textEnd("m", { metadata: { a: { y: 2 } } })),
    messages: [assistant("m", "", { metadata: { a: { y: 2 } } })],
  },
  {
    name: "D5: __proto__ is a key like others, and keys keep their order",
    steps: [
      started(),
      '{"type":"TEXT_MESSAGE_START","messageId":"m","metadata":{"z":1,"__proto__":{"a":1},"1":0}}',
      '{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"","metadata":{"b":2,"__proto__":[],"0":1}}',
    ],
    messages: '[{"id":"m","role":"assistant","content":"","metadata":{"z":1,"__proto__":[],"1":0,"b":2,"0":1}}]',
  },
  {
    name: "D4: metadata of later events comes to the end of a message that had none, empty metadata too",
    steps: run(
      textStart("m", { name: "n" }),
      textContent("m", "x", { metadata: {} }),
      textEnd("m", { metadata: { k: 1 } }),
    ),
    messages: [assistant("m", "x", { name: "n", metadata: { k: 1 } })],
  },
  {
    name: "D6: metadata of reasoning goes to the reasoning message",
    steps: run(
      thoughtStart("r", { metadata: { a: 1 } }),
      thoughtContent("r", "x", { metadata: { b: 1 } }),
      thoughtEnd("r", { metadata: { a: 2 } }),
    ),
    messages: [{ id: "r", role: "reasoning", content: "x", metadata: { a: 2, b: 1 } }],
  },
  {
    name: "D6: metadata of a result goes to its tool message",
    steps: run(toolResult("m", "c", "x", { metadata: { a: 1 } })),
    messages: [{ id: "m", toolCallId: "c", role: "tool", content: "x", metadata: { a: 1 } }],
  },
  {
    name: "D6: metadata of activities goes to the activity message and accumulates",
    steps: run(
      activity("a", {}, { metadata: { a: 1, b: 1 } }),
      activityDelta("a", [], { metadata: { b: 2 } }),
      activity("a", { x: 1 }, { metadata: { c: 3 } }),
      activity("a", { y: 1 }, { replace: false, metadata: { a: 4 } }),
    ),
    messages: [{ id: "a", role: "activity", activityType: "PLAN", content: { x: 1 }, metadata: { a: 4, b: 2, c: 3 } }],
  },
  {
    name: "D6: metadata of chunks goes where their expansion goes",
    steps: run(
      thoughtChunk({ messageId: "r", delta: "x", metadata: { a: 1 } }),
      thoughtChunk({ metadata: { b: 1 } }),
      textChunk({ messageId: "m", metadata: { c: 1 } }),
    ),
    messages: [
      { id: "r", role: "reasoning", content: "x", metadata: { a: 1, b: 1 } },
      assistant("m", "", { metadata: { c: 1 } }),
    ],
  },
  {
    name: "D7: metadata of a call's events goes to the call, not to its message",
    steps: run(
      toolStart("c", "f", { parentMessageId: "p", metadata: { a: 1 } }),
      toolArgs("c", "{}", { metadata: { b: 1 } }),
      toolEnd("c", { metadata: { a: 2 } }),
    ),
    messages: [caller("p", call("c", "{}", { metadata: { a: 2, b: 1 } }))],
  },
  {
    name: "D8: metadata of other events goes nowhere and is delivered",
    steps: [
      started({ metadata: { k: 1 } }),
      ...text("m", []),
      stepStarted("s", { metadata: { k: 1 } }),
      stepFinished("s", { metadata: { k: 1 } }),
      raw(1, { metadata: { k: 1 } }),
      custom("n", 1, { metadata: { k: 1 } }),
      encrypted("message", "m", "v", { metadata: { k: 1 } }),
      subagentStarted("x", { metadata: { k: 1 } }),
      runError("e", { metadata: { k: 1 } }),
    ],
    messages: [{ ...assistant("m", ""), encryptedValue: "v" }],
    inspect(fold) {
      const kept = fold.events.filter((event) => (event as { metadata?: unknown }).metadata !== undefined);
      if (kept.length !== 8) throw new Error(`${kept.length} events with metadata`);
    },
  },
  {
    name: "D9: a message of a snapshot brings its own metadata, which replaces the old",
    steps: run(
      text("m", ["x"], { metadata: { a: 1 } }),
      text("n", [], { metadata: { a: 1 } }),
      messagesSnapshot([assistant("m", "y", { metadata: { b: 1 } }), assistant("n", "")]),
    ),
    messages: [assistant("m", "y", { metadata: { b: 1 } }), assistant("n", "")],
  },
  {
    name: "Q3: metadata of a second START is merged, too",
    steps: run(text("m", [], { metadata: { a: 1 } }), text("m", [], { metadata: { b: 1 } })),
    messages: [assistant("m", "", { metadata: { a: 1, b: 1 } })],
  },
]);
