import {
  activity,
  encrypted,
  messagesSnapshot,
  run,
  spanEnd,
  spanStart,
  started,
  text,
  thought,
  thoughtContent,
  thoughtEnd,
  thoughtStart,
  tool,
} from "../support/agui-events.js";
import { agui, assistant, call, caller, user } from "./agui.js";

const reasoning = (id: string, content: string, more = {}) => ({ id, role: "reasoning", content, ...more });

agui("AG-UI reasoning", [
  {
    name: "T1, T3: a span makes no message; the messages in it have ids of their own",
    steps: run(
      spanStart("s"),
      thought("a", ["x", "y"]),
      thought("b", []),
      spanEnd("s"),
      spanStart("empty"),
      spanEnd("empty"),
    ),
    messages: [reasoning("a", "xy"), reasoning("b", "")],
    status: "finished",
  },
  {
    name: "T1: reasoning messages need no span, and may be opened again",
    steps: run(thought("a", ["x"]), thought("a", ["z"], { metadata: { k: 1 } })),
    messages: [reasoning("a", "xz", { metadata: { k: 1 } })],
  },
  {
    name: "members of a new reasoning message stand in one order",
    steps: [
      started(),
      '{"metadata":{},"subagentRunId":"s","messageId":"r","role":"reasoning","type":"REASONING_MESSAGE_START"}',
    ],
    messages: [reasoning("r", "", { subagentRunId: "s", metadata: {} })],
  },
  {
    name: "reasoning for an activity message is ignored with a warning",
    steps: run(activity("a", {}), thought("a", ["x"])),
    messages: [{ id: "a", role: "activity", activityType: "PLAN", content: {} }],
    warnings: ["START", "CONTENT", "END"].map((part) => ({
      code: "target_mismatch",
      path: "/messageId",
      subject: "a",
      eventType: `REASONING_MESSAGE_${part}`,
    })),
  },
  {
    name: "reasoning for a message that a snapshot has taken away is ignored with a warning",
    steps: run(
      thoughtStart("r"),
      messagesSnapshot([reasoning("other", "")]),
      thoughtContent("r", "x"),
      thoughtEnd("r"),
    ),
    messages: [reasoning("other", "")],
    warnings: ["CONTENT", "END"].map((part) => ({
      code: "target_missing",
      path: "/messageId",
      subject: "r",
      eventType: `REASONING_MESSAGE_${part}`,
    })),
  },
]);

agui("AG-UI encrypted values", [
  {
    name: "T4, T7: a value and its type are stored with the message or call, unread",
    steps: run(
      thought("r", ["x"]),
      tool("c", []),
      text("m", ["y"]),
      encrypted("message", "r", "opaque/+==", { encryptedValueType: "vendor.kind" }),
      encrypted("tool-call", "c", "", { encryptedValueType: "" }),
      encrypted("message", "m", "v"),
    ),
    messages: [
      reasoning("r", "x", { encryptedValue: "opaque/+==", encryptedValueType: "vendor.kind" }),
      caller("c", call("c", "", { encryptedValue: "", encryptedValueType: "" })),
      assistant("m", "y", { encryptedValue: "v" }),
    ],
  },
  {
    name: "T8: a new value replaces the old one, and a type that does not come again goes",
    steps: run(
      thought("r", []),
      tool("c", []),
      encrypted("message", "r", "1", { encryptedValueType: "a" }),
      encrypted("tool-call", "c", "1", { encryptedValueType: "a" }),
      encrypted("message", "r", "2"),
      encrypted("tool-call", "c", "2", { encryptedValueType: "b" }),
    ),
    messages: [
      reasoning("r", "", { encryptedValue: "2" }),
      caller("c", call("c", "", { encryptedValue: "2", encryptedValueType: "b" })),
    ],
  },
  {
    name: "T8: the same value without a type removes the type",
    steps: run(
      messagesSnapshot([{ ...user("u"), encryptedValueType: "a", encryptedValue: "1" }]),
      encrypted("message", "u", "1"),
    ),
    messages: [{ ...user("u"), encryptedValue: "1" }],
  },
  {
    name: "T10: a snapshot of messages replaces value and type with the message",
    steps: run(
      thought("r", ["x"]),
      thought("q", ["x"]),
      encrypted("message", "r", "1", { encryptedValueType: "a" }),
      encrypted("message", "q", "1", { encryptedValueType: "a" }),
      messagesSnapshot([reasoning("r", "x"), reasoning("q", "x", { encryptedValue: "2", encryptedValueType: "b" })]),
    ),
    messages: [reasoning("r", "x"), reasoning("q", "x", { encryptedValue: "2", encryptedValueType: "b" })],
  },
  {
    name: "T5, T6: a value for what is not there, or for an activity, is dropped with a warning and makes nothing",
    steps: run(
      activity("a", {}),
      encrypted("message", "nobody", "v"),
      encrypted("tool-call", "a", "v"),
      encrypted("message", "a", "v"),
    ),
    messages: [{ id: "a", role: "activity", activityType: "PLAN", content: {} }],
    warnings: [
      { code: "target_missing", path: "/entityId", subject: "nobody" },
      { code: "target_missing", path: "/entityId", subject: "a" },
      { code: "target_mismatch", path: "/entityId", subject: "a" },
    ],
    status: "finished",
  },
  {
    name: "T6: a message and a call of one id are told apart by the subtype",
    steps: run(text("x", []), tool("x", []), encrypted("tool-call", "x", "c"), encrypted("message", "x", "m")),
    messages: [{ ...assistant("x", ""), toolCalls: [call("x", "", { encryptedValue: "c" })], encryptedValue: "m" }],
  },
]);
