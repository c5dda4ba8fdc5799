import { activity, activityDelta, run, started, text, textStart, thought } from "../support/agui-events.js";
import { agui, assistant, refused } from "./agui.js";

const plan = (id: string, content: unknown, more = {}) => ({
  id,
  role: "activity",
  activityType: "PLAN",
  content,
  ...more,
});

agui("AG-UI activities", [
  {
    name: "V1, V2: a snapshot makes an activity message where it arrives, of any type",
    steps: run(
      text("a", []),
      activity("p", { x: 1 }, { activityType: "anything/at all", subagentRunId: "s" }),
      text("b", []),
    ),
    messages: [
      assistant("a", ""),
      { id: "p", role: "activity", activityType: "anything/at all", content: { x: 1 }, subagentRunId: "s" },
      assistant("b", ""),
    ],
  },
  {
    name: "V3: a later snapshot replaces content, type and owner",
    steps: run(
      activity("p", { x: 1 }, { subagentRunId: "s", metadata: { k: 1 } }),
      activity("p", { y: 1 }, { activityType: "OTHER" }),
    ),
    messages: [{ id: "p", role: "activity", activityType: "OTHER", content: { y: 1 }, metadata: { k: 1 } }],
  },
  {
    name: "V3: replace true says the same",
    steps: run(activity("p", { x: 1 }), activity("p", { y: 1 }, { replace: true, subagentRunId: "s" })),
    messages: [plan("p", { y: 1 }, { subagentRunId: "s" })],
  },
  {
    name: "V4, G1: replace false keeps content, type and owner of one that is there",
    steps: run(
      activity("p", { x: 1 }, { subagentRunId: "s" }),
      activity("p", { y: 1 }, { replace: false, activityType: "OTHER", metadata: { k: 1 } }),
      activityDelta("p", [{ op: "add", path: "/z", value: 2 }], { subagentRunId: "s" }),
    ),
    messages: [plan("p", { x: 1, z: 2 }, { subagentRunId: "s", metadata: { k: 1 } })],
  },
  {
    name: "V4: replace false makes one that is not there",
    steps: run(activity("p", { x: 1 }, { replace: false })),
    messages: [plan("p", { x: 1 })],
  },
  {
    name: "V3: a snapshot with the id of another message makes that message an activity in its place",
    steps: run(
      text("m", ["x"], { metadata: { k: 1 } }),
      text("n", []),
      activity("m", { x: 1 }, { metadata: { j: 1 } }),
    ),
    messages: [plan("m", { x: 1 }, { metadata: { j: 1 } }), assistant("n", "")],
  },
  {
    name: "V4: replace false leaves another message alone, with a warning",
    steps: run(text("m", ["x"]), activity("m", { x: 1 }, { replace: false })),
    messages: [assistant("m", "x")],
    warnings: [{ code: "target_mismatch", path: "/messageId", subject: "m", eventType: "ACTIVITY_SNAPSHOT" }],
  },
  {
    name: "V5, G3: a delta patches the content and sets the type",
    steps: run(
      activity("p", { steps: [{ done: false }] }),
      activityDelta("p", [{ op: "replace", path: "/steps/0/done", value: true }], { activityType: "DONE" }),
    ),
    messages: [{ id: "p", role: "activity", activityType: "DONE", content: { steps: [{ done: true }] } }],
  },
  {
    name: "V6: a delta for nothing, or for another message, is skipped with a warning",
    steps: run(
      text("m", ["x"]),
      thought("r", ["x"]),
      activityDelta("p", [{ op: "add", path: "/x", value: 1 }]),
      activityDelta("m", [{ op: "add", path: "/content", value: 1 }], { metadata: { k: 1 } }),
      activityDelta("r", [{ op: "add", path: "/x", value: 1 }]),
    ),
    messages: [assistant("m", "x"), { id: "r", role: "reasoning", content: "x" }],
    warnings: [
      { code: "target_missing", path: "/messageId", subject: "p", eventType: "ACTIVITY_DELTA" },
      { code: "target_mismatch", path: "/messageId", subject: "m" },
      { code: "target_mismatch", path: "/messageId", subject: "r" },
    ],
    status: "finished",
  },
  {
    name: "V8, G9: a delta that does not apply keeps content and type; its metadata merges",
    steps: run(
      activity("p", { x: 1 }),
      activityDelta(
        "p",
        [
          { op: "add", path: "/y", value: 1 },
          { op: "remove", path: "/z" },
        ],
        {
          activityType: "OTHER",
          metadata: { k: 1 },
        },
      ),
    ),
    messages: [plan("p", { x: 1 }, { metadata: { k: 1 } })],
    warnings: [
      {
        code: "delta_failed",
        path: "/z",
        opIndex: 1,
        eventType: "ACTIVITY_DELTA",
        message: "Failed to apply activity patch: there is no value at this pointer",
      },
    ],
  },
  {
    name: "V7: a delta that would leave no object fails",
    steps: run(
      activity("p", { x: 1 }),
      activityDelta("p", [{ op: "replace", path: "", value: [1] }], { activityType: "OTHER" }),
    ),
    messages: [plan("p", { x: 1 })],
    warnings: [{ code: "delta_failed", path: "", eventType: "ACTIVITY_DELTA", message: "it must be an object" }],
  },
  {
    name: "V7: a delta may replace the content by another object",
    steps: run(
      activity("p", { x: 1 }),
      activityDelta("p", [
        { op: "replace", path: "", value: [] },
        { op: "replace", path: "", value: { y: 1 } },
      ]),
    ),
    messages: [plan("p", { y: 1 })],
  },
  ...refused(
    "G9: with fail a delta of an activity that does not apply refuses the stream",
    [activity("p", { x: 1 })],
    activityDelta("p", [{ op: "remove", path: "/z" }], { metadata: { k: 1 } }),
    { code: "delta_failed", path: "/z", opIndex: 0 },
    { options: { onDeltaFailure: "fail" }, messages: [plan("p", { x: 1 })] },
  ),
  {
    name: "upsert is for activities, too",
    options: { onDeltaFailure: "upsert" },
    steps: run(activity("p", {}), activityDelta("p", [{ op: "replace", path: "/a/b", value: 1 }])),
    messages: [plan("p", { a: { b: 1 } })],
    warnings: [{ code: "delta_upserted", path: "/a/b", opIndex: 0, eventType: "ACTIVITY_DELTA" }],
  },
  {
    name: "F6: activities open nothing, and outlive their run",
    steps: [
      ...run(activity("p", { n: 1 })),
      started({ runId: "2" }),
      activityDelta("p", [{ op: "replace", path: "/n", value: 2 }]),
    ],
    messages: [plan("p", { n: 2 })],
    run: { open: { messages: [], toolCalls: [], reasoning: [], steps: [], subagents: [] } },
  },
  ...refused(
    "W8: a delta is held to the owner of its activity",
    [activity("p", {}, { subagentRunId: "s" })],
    activityDelta("p", [], { subagentRunId: "z" }),
    { code: "bad_attribution", path: "/subagentRunId" },
  ),
  {
    name: "W8: a replacing snapshot changes the owner, one that keeps does not",
    steps: [
      started(),
      activity("p", {}, { subagentRunId: "s" }),
      activity("p", {}, { subagentRunId: "z" }),
      activityDelta("p", [], { subagentRunId: "z" }),
      activity("p", {}, { replace: false, subagentRunId: "y" }),
      activityDelta("p", [], { subagentRunId: "z" }),
    ],
    messages: [plan("p", {}, { subagentRunId: "z" })],
  },
  {
    name: "an activity may be named like a message that is open",
    steps: run(textStart("m"), activity("p", {}), [{ type: "TEXT_MESSAGE_END", messageId: "m" }]),
    messages: [assistant("m", ""), plan("p", {})],
  },
]);
