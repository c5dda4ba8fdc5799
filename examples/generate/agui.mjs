import { ExactNumber, stringify } from "./json.mjs";
import { paragraph, thought, tokens } from "./text.mjs";

const FIRST_MOMENT = 1_767_700_000_000;
const THREAD = "thread-4711";

/** The events of one connection: two runs on a thread, the first with a delegated search, the second resumed after a question. */
class Recording {
  constructor(random) {
    this.random = random;
    this.events = [];
  }

  add(type, members = {}) {
    const event = { type, ...members };
    if (this.random.chance(0.05)) event.timestamp = FIRST_MOMENT + this.events.length * 35;
    this.events.push(event);
    return this;
  }
}

/** A text message as START, CONTENT and END. */
function message(recording, random, id, text, owner = {}) {
  recording.add("TEXT_MESSAGE_START", { messageId: id, role: "assistant", ...owner });
  for (const delta of tokens(random, text)) recording.add("TEXT_MESSAGE_CONTENT", { messageId: id, delta, ...owner });
  const metadata = random.chance(0.3)
    ? { metadata: { "example/model": "tiny-1", "example/tokens": text.length >> 2 } }
    : {};
  recording.add("TEXT_MESSAGE_END", { messageId: id, ...owner, ...metadata });
}

/** The same as chunks: only the first has an id. */
function chunked(recording, random, id, text, owner) {
  let opener = { messageId: id, role: "assistant" };
  for (const delta of tokens(random, text)) {
    recording.add("TEXT_MESSAGE_CHUNK", { ...opener, delta, ...owner });
    opener = {};
  }
}

function reasoning(recording, random, id, text) {
  recording.add("REASONING_START", { messageId: id });
  recording.add("REASONING_MESSAGE_START", { messageId: `${id}-text`, role: "reasoning" });
  for (const delta of tokens(random, text))
    recording.add("REASONING_MESSAGE_CONTENT", { messageId: `${id}-text`, delta });
  recording.add("REASONING_MESSAGE_END", { messageId: `${id}-text` });
  recording.add("REASONING_ENCRYPTED_VALUE", {
    subtype: "message",
    entityId: `${id}-text`,
    encryptedValue: "c2VhbGVkIHJlYXNvbmluZw==",
    encryptedValueType: "example/sealed-v1",
  });
  recording.add("REASONING_END", { messageId: id });
}

function toolCall(recording, random, id, parent, name, args, result, owner = {}) {
  recording.add("TOOL_CALL_START", { toolCallId: id, toolCallName: name, parentMessageId: parent, ...owner });
  const text = stringify(args);
  for (let at = 0; at < text.length; ) {
    const size = random.integer(3, 9);
    recording.add("TOOL_CALL_ARGS", { toolCallId: id, delta: text.slice(at, at + size), ...owner });
    at += size;
  }
  recording.add("TOOL_CALL_END", { toolCallId: id, ...owner });
  if (result !== undefined) {
    recording.add("TOOL_CALL_RESULT", { messageId: `${id}-result`, toolCallId: id, content: result, ...owner });
  }
}

function delta(recording, ...operations) {
  recording.add("STATE_DELTA", { delta: operations });
}

/** The plan of the run, kept as state and as an activity. */
function plan(random) {
  return ["gather invoices", "compare amounts", "查询汇率", "write the answer"].map((title, index) => ({
    id: index + 1,
    title,
    done: false,
    notes: paragraph(random, 1),
  }));
}

function firstRun(recording, random) {
  const run = { threadId: THREAD, runId: "run-1" };
  recording.add("RUN_STARTED", {
    ...run,
    protocolVersion: "1.1",
    input: {
      ...run,
      messages: [{ id: "user-1", role: "user", content: "Are these two invoices the same? 你能检查一下吗?" }],
    },
  });
  const steps = plan(random);
  recording.add("STATE_SNAPSHOT", {
    snapshot: {
      plan: steps,
      progress: 0,
      account: { id: new ExactNumber("9007199254740993"), name: "Müller & Søn" },
      seen: {},
    },
  });
  recording.add("ACTIVITY_SNAPSHOT", {
    messageId: "plan",
    activityType: "PLAN",
    content: { steps: steps.map(({ id, title }) => ({ id, title, state: "open" })) },
  });
  reasoning(recording, random, "reason-1", thought(random, 6));
  for (let turn = 0; turn < 8; turn++) {
    recording.add("STEP_STARTED", { stepName: `turn ${turn + 1}` });
    message(recording, random, `answer-${turn}`, paragraph(random, 5));
    const amount = new ExactNumber(`${random.integer(10, 9999)}.${random.integer(10, 99)}`);
    toolCall(
      recording,
      random,
      `call-${turn}`,
      `answer-${turn}`,
      "compare_invoices",
      { left: `INV-${turn}`, right: `INV-${turn + 1}`, amount, note: "Rückfrage: “exakt”?" },
      random.chance(0.5) ? `equal up to ${amount.digits}` : [{ type: "text", text: "see the scan" }, scan(turn)],
    );
    delta(
      recording,
      { op: "replace", path: "/progress", value: turn + 1 },
      { op: "add", path: `/seen/INV-${turn}`, value: { turn, ok: random.chance(0.5) } },
      { op: "test", path: "/account/name", value: "Müller & Søn" },
      { op: "replace", path: `/plan/${turn % steps.length}/done`, value: turn >= steps.length },
    );
    recording.add("ACTIVITY_DELTA", {
      messageId: "plan",
      activityType: "PLAN",
      patch: [{ op: "replace", path: `/steps/${turn % steps.length}/state`, value: "running" }],
    });
    recording.add("STEP_FINISHED", { stepName: `turn ${turn + 1}` });
  }
  delegated(recording, random);
  recording.add("CUSTOM", { name: "example/telemetry", value: { p50: 31.5, p99: 212 } });
  recording.add("RUN_FINISHED", {
    ...run,
    outcome: {
      type: "interrupt",
      interrupts: [
        { id: "ask-1", reason: "example/approval", message: "Refund €20.90?", responseSchema: { type: "object" } },
      ],
    },
    usage: [{ provider: "example", model: "tiny-1", inputTokens: 5120, outputTokens: 2048 }],
  });
}

function scan(turn) {
  return {
    type: "image",
    source: { type: "url", value: `https://example.com/scan/${turn}.png`, mimeType: "image/png" },
  };
}

/** Two subagents whose chunk streams interleave. */
function delegated(recording, random) {
  const owners = ["search-a", "search-b"].map((subagentRunId) => ({ subagentRunId }));
  for (const owner of owners)
    recording.add("SUBAGENT_STARTED", { ...owner, name: "searcher", description: "looks things up" });
  const parts = owners.map((owner) => {
    const part = new Recording(random);
    chunked(part, random, `found-by-${owner.subagentRunId}`, paragraph(random, 12), owner);
    return part.events;
  });
  while (parts.some((part) => part.length > 0)) {
    const part = random.pick(parts.filter((events) => events.length > 0));
    recording.events.push(...part.splice(0, random.integer(1, 4)));
  }
  for (const owner of owners) recording.add("SUBAGENT_FINISHED", { ...owner, outcome: { type: "success" } });
}

function secondRun(recording, random) {
  const run = { threadId: THREAD, runId: "run-2" };
  recording.add("RUN_STARTED", { ...run, protocolVersion: "1.1", parentRunId: "run-1" });
  message(recording, random, "closing", paragraph(random, 20));
  toolCall(recording, random, "call-refund", "closing", "show_refund", {
    amount: new ExactNumber("20.90"),
    currency: "EUR",
  });
  delta(recording, { op: "move", from: "/seen/INV-0", path: "/first" }, { op: "remove", path: "/plan/0" });
  recording.add("RUN_FINISHED", { ...run, outcome: { type: "success", pendingToolCallIds: ["call-refund"] } });
}

/** The recorded connection: about two thousand events. */
export function aguiRuns(random) {
  const recording = new Recording(random);
  firstRun(recording, random);
  secondRun(recording, random);
  return recording.events;
}

/**
 * A short AG-UI stream with many different violations and warnings: `[what a verifier reports, path or undefined, message]`.
 */
export function brokenAguiMessages() {
  const run = { threadId: "t", runId: "r" };
  return [
    ["bad_order", undefined, { type: "TEXT_MESSAGE_START", messageId: "early" }],
    [undefined, undefined, { type: "RUN_STARTED", ...run }],
    ["bad_order", undefined, { type: "RUN_STARTED", threadId: "t", runId: "nested" }],
    ["unknown_event", "/type", { type: "FUTURE_EVENT", anything: 1 }],
    ["bad_event", "/type", { messageId: "m" }],
    [undefined, undefined, { type: "TEXT_MESSAGE_START", messageId: "m" }],
    ["unknown_property", "/futureProp", { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "kept", futureProp: 1 }],
    ["bad_event", "/delta", { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: 5 }],
    ["bad_event", "/delta", { type: "TEXT_MESSAGE_CONTENT", messageId: "m" }],
    ["bad_order", "/messageId", { type: "TEXT_MESSAGE_CONTENT", messageId: "nobody", delta: "x" }],
    [
      "bad_attribution",
      "/subagentRunId",
      { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "x", subagentRunId: "s" },
    ],
    ["bad_event", "/role", { type: "TEXT_MESSAGE_START", messageId: "n", role: "wizard" }],
    ["bad_order", "/stepName", { type: "STEP_FINISHED", stepName: "never begun" }],
    ["bad_order", "/subagentRunId", { type: "SUBAGENT_FINISHED", subagentRunId: "unknown" }],
    [
      "delta_failed",
      "/missing/deep",
      { type: "STATE_DELTA", delta: [{ op: "replace", path: "/missing/deep", value: 1 }] },
    ],
    ["unknown_variant", "/delta/0", { type: "STATE_DELTA", delta: [{ op: "frobnicate", path: "/a" }] }],
    ["bad_event", "/delta/0/path", { type: "STATE_DELTA", delta: [{ op: "remove", path: "no-slash" }] }],
    ["target_missing", "/messageId", { type: "ACTIVITY_DELTA", messageId: "none", activityType: "PLAN", patch: [] }],
    ["bad_order", undefined, { type: "RUN_FINISHED", ...run }],
    [undefined, undefined, { type: "TEXT_MESSAGE_END", messageId: "m" }],
    ["bad_event", "/messageId", { type: "TEXT_MESSAGE_CHUNK", delta: "no id" }],
    [undefined, undefined, { type: "TEXT_MESSAGE_CHUNK", messageId: "c", delta: "chunk" }],
    ["chunk_conflict", "/role", { type: "TEXT_MESSAGE_CHUNK", messageId: "c", role: "user", delta: "x" }],
    ["legacy_event", "/type", { type: "THINKING_START" }],
    ["legacy_event", "/type", { type: "THINKING_END" }],
    ["legacy_null", "/outcome", { type: "RUN_FINISHED", ...run, outcome: null }],
    ["bad_order", undefined, { type: "CUSTOM", name: "late", value: null }],
  ];
}
