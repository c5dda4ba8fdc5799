import * as agui from "../support/agui-events.js";

type Json = Record<string, unknown>;

const block = (id: string, more: Json = {}): Json => ({ id, type: "text", content: "", ...more });

/** Two AgentUE streams, with every op, that every wire carries as they stand. */
export const AGENTUE: readonly string[] = [
  {
    op: "start",
    seq: 1,
    ts: 1767600000000,
    model: { version: "1.1", biz: "chat", meta: { error: null, x: { "10": 1, a: 2, "2": [] } }, blocks: [block("a")] },
  },
  { op: "start", seq: 1, stream_id: "s😀", model: { version: "1.0", biz: "b", meta: {}, blocks: [] } },
  { op: "append", seq: 2, mask: "block.content", block: { id: "a", content: "Grüße, " } },
  { op: "append", seq: 2, stream_id: "s😀", mask: "block.content", block: block("b", { content: '中文 "\\\n\u0001' }) },
  { op: "append", seq: 3, mask: "block.content", event_type: "delta", block: { id: "a", content: "😀" } },
  { op: "append", seq: 4, mask: "block.items", block: { id: "a", items: [1, -1.5, 1e300, "x", null, [true, {}]] } },
  { op: "append", seq: 5, mask: "block.items", block: { id: "a", items: [4294967296, -129, 255] } },
  { op: "set", seq: 6, mask: "block.x.y.z", block: { id: "a", x: { y: { z: { deep: ["a/b", "~"] } } } } },
  { op: "set", seq: 7, block: block("c", { parent_id: null, group_id: "g" }) },
  { op: "set", seq: 8, mask: "meta.stats", meta: { stats: { tokens: 12, cost: 0.25 } } },
  { op: "set", seq: 9, block: { id: "r", ref: "key" } },
  { op: "ping", seq: 9, ts: 5 },
  { op: "error", seq: 3, stream_id: "s😀", mask: "meta.error", meta: { error: { code: "c", message: "m" } } },
  { op: "end", seq: 4, stream_id: "s😀" },
  { op: "append", seq: 10, mask: "block.content", block: { id: "a", content: "" } },
  { op: "end", seq: 11 },
].map((event) => JSON.stringify(event));

/** An AG-UI run with every type of event, that every wire carries as it stands, but for the order of members. */
export const AG_UI: readonly string[] = [
  agui.started({
    protocolVersion: "1.1",
    parentRunId: "p",
    input: {
      threadId: "t",
      runId: "r",
      state: { a: [1, "x", null, { b: false }] },
      messages: [{ id: "u", role: "user", content: "?" }],
      tools: [{ name: "f", description: "d", parameters: { type: "object" } }],
      context: [{ description: "d", value: "v" }],
      forwardedProps: {},
    },
  }),
  agui.stepStarted("plan"),
  agui.stateSnapshot({ list: [1, 2.5, -3], text: "é", none: null, empty: { list: [], object: {} } }),
  agui.stateDelta([
    { op: "add", path: "/list/-", value: { k: null } },
    { op: "move", from: "/text", path: "/moved" },
    { op: "test", path: "/none", value: null },
  ]),
  agui.textStart("m", { role: "assistant", name: "n", metadata: { k: [1, { l: "x" }] } }),
  agui.textContent("m", "Grüße, ", { timestamp: 1767600000000 }),
  agui.textContent("m", '😀 "\\\n', { rawEvent: { from: "provider", n: [1] } }),
  agui.textContent("m", ""),
  agui.textEnd("m", { metadata: { done: true } }),
  agui.toolStart("c", "search", { parentMessageId: "m" }),
  agui.toolArgs("c", '{"q":'),
  agui.toolArgs("c", '"é"}'),
  agui.toolEnd("c"),
  agui.toolResult("tr", "c", "found", { role: "tool" }),
  agui.toolResult("ti", "c", [
    { type: "text", text: "see" },
    { type: "image", source: { type: "data", value: "AA==", mimeType: "image/png" }, metadata: { w: 1 } },
    { type: "document", source: { type: "url", value: "https://example.com/x.pdf", mimeType: "application/pdf" } },
  ]),
  agui.subagentStarted("s", { description: "helps", parentToolCallId: "c" }),
  agui.textChunk({ messageId: "k", delta: "chunk", role: "assistant", subagentRunId: "s" }),
  agui.textChunk({ delta: "ed", subagentRunId: "s" }),
  agui.toolChunk({ toolCallId: "d", toolCallName: "g", delta: "{}", subagentRunId: "s" }),
  agui.thoughtChunk({ messageId: "e", delta: "hm", subagentRunId: "s" }),
  agui.subagentFinished("s", { result: { ok: true } }),
  agui.subagentStarted("z"),
  agui.subagentError("z", "broken", { code: "c" }),
  agui.spanStart("sp"),
  agui.thoughtStart("th"),
  agui.thoughtContent("th", "thinking"),
  agui.thoughtEnd("th"),
  agui.spanEnd("sp"),
  agui.encrypted("message", "th", "cipher"),
  agui.activity("act", { steps: [{ done: false }], n: 1 }, { replace: true }),
  agui.activityDelta("act", [{ op: "replace", path: "/steps/0/done", value: true }]),
  agui.messagesSnapshot([
    {
      id: "m",
      role: "assistant",
      content: "all",
      toolCalls: [{ id: "c", type: "function", function: { name: "search", arguments: "{}" } }],
    },
    { id: "tr", role: "tool", content: "found", toolCallId: "c" },
    { id: "act", role: "activity", activityType: "PLAN", content: { n: 2 } },
    { id: "th", role: "reasoning", content: "thinking" },
  ]),
  agui.raw({ any: ["thing"] }, { source: "s" }),
  agui.custom("name", { v: [0.5] }),
  agui.stepFinished("plan"),
  agui.finished({ result: { answer: 42 }, outcome: { type: "success", pendingToolCallIds: ["d"] } }),
  agui.started({ runId: "r2" }),
  agui.runError("failed", { code: "c" }),
].map((event) => JSON.stringify(event));

export const CLEAN = { agentue: AGENTUE, "ag-ui": AG_UI } as const;
