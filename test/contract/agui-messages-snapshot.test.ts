import {
  activity,
  messagesSnapshot,
  run,
  runError,
  started,
  text,
  textContent,
  textStart,
  thought,
  tool,
  toolResult,
  toolStart,
} from "../support/agui-events.js";
import { agui, assistant, call, caller, refused, user } from "./agui.js";

const plan = (id: string, content: unknown = {}) => ({ id, role: "activity", activityType: "PLAN", content });
const reasoning = (id: string, content = "x") => ({ id, role: "reasoning", content });

agui("AG-UI snapshots of messages", [
  {
    name: "U2: held messages are replaced where they stand, new ones come to the end in the snapshot's order",
    steps: run(
      text("a", ["1"]),
      text("b", ["2"]),
      text("c", ["3"]),
      messagesSnapshot([user("new2"), assistant("c", "C"), user("new1"), assistant("a", "A"), assistant("b", "2")]),
    ),
    messages: [assistant("a", "A"), assistant("b", "2"), assistant("c", "C"), user("new2"), user("new1")],
  },
  {
    name: "U2: a message is replaced whole, its role and its calls too",
    steps: run(
      tool("c", ["{}"], { parentMessageId: "m", metadata: { k: 1 } }),
      messagesSnapshot([{ role: "user", id: "m", content: [{ type: "text", text: "x" }] }]),
      tool("c", ["1"]),
    ),
    messages: [{ role: "user", id: "m", content: [{ type: "text", text: "x" }] }, caller("c", call("c", "1"))],
  },
  {
    name: "U3: messages that the snapshot does not have go, activities and reasoning stay",
    steps: run(
      text("a", ["1"]),
      activity("p", { x: 1 }),
      thought("r", ["x"]),
      text("b", ["2"]),
      toolResult("t", "c", ""),
      messagesSnapshot([assistant("b", "B")]),
    ),
    messages: [plan("p", { x: 1 }), reasoning("r"), assistant("b", "B")],
  },
  {
    name: "U4: a snapshot with an activity owns all activities, and leaves reasoning alone",
    steps: run(activity("p", {}), activity("q", {}), thought("r", ["x"]), messagesSnapshot([plan("q", { new: 1 })])),
    messages: [plan("q", { new: 1 }), reasoning("r")],
  },
  {
    name: "U4: a snapshot with reasoning owns all reasoning, and leaves activities alone",
    steps: run(activity("p", {}), thought("r", ["x"]), thought("s", ["y"]), messagesSnapshot([reasoning("new")])),
    messages: [plan("p"), reasoning("new")],
  },
  {
    name: "U4: an activity that a snapshot makes another message counts by what it was and is",
    steps: run(activity("p", {}), activity("q", {}), messagesSnapshot([assistant("p", "now text")])),
    messages: [assistant("p", "now text"), plan("q")],
  },
  {
    name: "G1: an empty snapshot leaves activities and reasoning only",
    steps: run(text("a", ["1"]), activity("p", {}), thought("r", ["x"]), messagesSnapshot([])),
    messages: [plan("p"), reasoning("r")],
  },
  {
    name: "of repeated ids in a snapshot the last counts, in the first place",
    steps: run(messagesSnapshot([assistant("a", "1"), assistant("b", "2"), assistant("a", "3")])),
    messages: [assistant("a", "3"), assistant("b", "2")],
  },
  {
    name: "U4: repeated ids count each for whether there is an activity or reasoning",
    steps: run(
      activity("p", {}),
      thought("r", ["x"]),
      messagesSnapshot([plan("a"), assistant("a", "3"), reasoning("b"), user("b")]),
    ),
    messages: [assistant("a", "3"), user("b")],
  },
  {
    name: "a held id that occurs twice is replaced in both places",
    steps: run(toolResult("r", "c", "1"), toolResult("r", "c", "2"), messagesSnapshot([assistant("r", "x")])),
    messages: [assistant("r", "x"), assistant("r", "x")],
  },
  {
    name: "U2: members that the protocol describes are kept in the snapshot's order",
    steps: run(
      messagesSnapshot([
        { metadata: { k: 1 }, content: "c", role: "developer", encryptedValue: "e", name: "n", id: "d" },
        {
          toolCalls: [{ function: { arguments: "{}", name: "f" }, type: "function", id: "x" }],
          id: "a",
          role: "assistant",
        },
        { id: "t", toolCallId: "x", error: "e", content: "", role: "tool" },
      ]),
    ),
    messages: [
      { metadata: { k: 1 }, content: "c", role: "developer", encryptedValue: "e", name: "n", id: "d" },
      {
        toolCalls: [{ function: { arguments: "{}", name: "f" }, type: "function", id: "x" }],
        id: "a",
        role: "assistant",
      },
      { id: "t", toolCallId: "x", error: "e", content: "", role: "tool" },
    ],
  },
  {
    name: "F6: an open message goes on in what the snapshot says about it",
    steps: [
      started(),
      textStart("m"),
      textContent("m", "old"),
      messagesSnapshot([assistant("m", "new")]),
      textContent("m", "er"),
    ],
    messages: [assistant("m", "newer")],
    status: "running",
  },
  ...refused(
    "U5: a snapshot sets the owners of its messages",
    [textStart("m"), messagesSnapshot([{ ...assistant("m", ""), subagentRunId: "s" }])],
    textContent("m", "x", { subagentRunId: "z" }),
    { code: "bad_attribution", path: "/subagentRunId" },
  ),
  {
    name: "U5: what the snapshot says of an owner replaces what was said before",
    steps: [
      started(),
      textStart("m"),
      messagesSnapshot([{ ...assistant("m", ""), subagentRunId: "s" }]),
      textContent("m", "x", { subagentRunId: "s" }),
    ],
    messages: [{ ...assistant("m", "x"), subagentRunId: "s" }],
  },
  ...refused(
    "U5: tool calls have the owner of their message",
    [messagesSnapshot([{ ...caller("m", call("c", "")), subagentRunId: "s" }])],
    toolStart("c", "f", { subagentRunId: "z" }),
    { code: "bad_attribution", path: "/subagentRunId" },
  ),
  ...refused(
    "U2: a snapshot with a malformed message changes nothing",
    text("a", ["1"]),
    messagesSnapshot([user("u"), { id: "b", role: "user" }]),
    {
      code: "bad_event",
      path: "/messages/1/content",
    },
    { messages: [assistant("a", "1")] },
  ),
  ...refused("U2: messages are a list", [], messagesSnapshot({}), { code: "bad_event", path: "/messages" }),
  {
    name: "O10: what a snapshot said stays after a failure",
    steps: [started(), messagesSnapshot([user("u")]), runError()],
    messages: [user("u")],
  },
]);
