/** An AG-UI event as a producer writes it. */
export type AguiEvent = { type: string } & Record<string, unknown>;

type More = Record<string, unknown>;

const RUN = { threadId: "t", runId: "r" };

export const started = (more: More = {}): AguiEvent => ({ type: "RUN_STARTED", ...RUN, ...more });
export const finished = (more: More = {}): AguiEvent => ({ type: "RUN_FINISHED", ...RUN, ...more });
export const runError = (message = "failed", more: More = {}): AguiEvent => ({ type: "RUN_ERROR", message, ...more });

export const textStart = (messageId: string, more: More = {}): AguiEvent => ({
  type: "TEXT_MESSAGE_START",
  messageId,
  ...more,
});
export const textContent = (messageId: string, delta: string, more: More = {}): AguiEvent => ({
  type: "TEXT_MESSAGE_CONTENT",
  messageId,
  delta,
  ...more,
});
export const textEnd = (messageId: string, more: More = {}): AguiEvent => ({
  type: "TEXT_MESSAGE_END",
  messageId,
  ...more,
});
export const textChunk = (more: More): AguiEvent => ({ type: "TEXT_MESSAGE_CHUNK", ...more });

/** A whole message: START, one CONTENT for each delta, END. */
export const text = (messageId: string, deltas: readonly string[], more: More = {}): AguiEvent[] => [
  textStart(messageId, more),
  ...deltas.map((delta) => textContent(messageId, delta)),
  textEnd(messageId),
];

export const toolStart = (toolCallId: string, toolCallName = "f", more: More = {}): AguiEvent => ({
  type: "TOOL_CALL_START",
  toolCallId,
  toolCallName,
  ...more,
});
export const toolArgs = (toolCallId: string, delta: string, more: More = {}): AguiEvent => ({
  type: "TOOL_CALL_ARGS",
  toolCallId,
  delta,
  ...more,
});
export const toolEnd = (toolCallId: string, more: More = {}): AguiEvent => ({
  type: "TOOL_CALL_END",
  toolCallId,
  ...more,
});
export const toolChunk = (more: More): AguiEvent => ({ type: "TOOL_CALL_CHUNK", ...more });
export const toolResult = (messageId: string, toolCallId: string, content: unknown, more: More = {}): AguiEvent => ({
  type: "TOOL_CALL_RESULT",
  messageId,
  toolCallId,
  content,
  ...more,
});

/** A whole call: START, one ARGS for each delta, END. */
export const tool = (toolCallId: string, deltas: readonly string[], more: More = {}): AguiEvent[] => [
  toolStart(toolCallId, "f", more),
  ...deltas.map((delta) => toolArgs(toolCallId, delta)),
  toolEnd(toolCallId),
];

export const spanStart = (messageId: string, more: More = {}): AguiEvent => ({
  type: "REASONING_START",
  messageId,
  ...more,
});
export const spanEnd = (messageId: string, more: More = {}): AguiEvent => ({
  type: "REASONING_END",
  messageId,
  ...more,
});
export const thoughtStart = (messageId: string, more: More = {}): AguiEvent => ({
  type: "REASONING_MESSAGE_START",
  messageId,
  role: "reasoning",
  ...more,
});
export const thoughtContent = (messageId: string, delta: string, more: More = {}): AguiEvent => ({
  type: "REASONING_MESSAGE_CONTENT",
  messageId,
  delta,
  ...more,
});
export const thoughtEnd = (messageId: string, more: More = {}): AguiEvent => ({
  type: "REASONING_MESSAGE_END",
  messageId,
  ...more,
});
export const thoughtChunk = (more: More): AguiEvent => ({ type: "REASONING_MESSAGE_CHUNK", ...more });
export const thought = (messageId: string, deltas: readonly string[], more: More = {}): AguiEvent[] => [
  thoughtStart(messageId, more),
  ...deltas.map((delta) => thoughtContent(messageId, delta)),
  thoughtEnd(messageId),
];
export const encrypted = (subtype: string, entityId: string, encryptedValue: string, more: More = {}): AguiEvent => ({
  type: "REASONING_ENCRYPTED_VALUE",
  subtype,
  entityId,
  encryptedValue,
  ...more,
});

export const stateSnapshot = (snapshot: unknown, more: More = {}): AguiEvent => ({
  type: "STATE_SNAPSHOT",
  snapshot,
  ...more,
});
export const stateDelta = (delta: unknown, more: More = {}): AguiEvent => ({ type: "STATE_DELTA", delta, ...more });
export const messagesSnapshot = (messages: unknown, more: More = {}): AguiEvent => ({
  type: "MESSAGES_SNAPSHOT",
  messages,
  ...more,
});
export const activity = (messageId: string, content: unknown, more: More = {}): AguiEvent => ({
  type: "ACTIVITY_SNAPSHOT",
  messageId,
  activityType: "PLAN",
  content,
  ...more,
});
export const activityDelta = (messageId: string, patch: unknown, more: More = {}): AguiEvent => ({
  type: "ACTIVITY_DELTA",
  messageId,
  activityType: "PLAN",
  patch,
  ...more,
});

export const raw = (event: unknown = null, more: More = {}): AguiEvent => ({ type: "RAW", event, ...more });
export const custom = (name: string, value: unknown = null, more: More = {}): AguiEvent => ({
  type: "CUSTOM",
  name,
  value,
  ...more,
});
export const stepStarted = (stepName: string, more: More = {}): AguiEvent => ({
  type: "STEP_STARTED",
  stepName,
  ...more,
});
export const stepFinished = (stepName: string, more: More = {}): AguiEvent => ({
  type: "STEP_FINISHED",
  stepName,
  ...more,
});
export const subagentStarted = (subagentRunId: string, more: More = {}): AguiEvent => ({
  type: "SUBAGENT_STARTED",
  subagentRunId,
  name: "helper",
  ...more,
});
export const subagentFinished = (subagentRunId: string, more: More = {}): AguiEvent => ({
  type: "SUBAGENT_FINISHED",
  subagentRunId,
  ...more,
});
export const subagentError = (subagentRunId: string, message = "failed", more: More = {}): AguiEvent => ({
  type: "SUBAGENT_ERROR",
  subagentRunId,
  message,
  ...more,
});

/** The events with one tag. */
export const tagged = (subagentRunId: string, events: readonly AguiEvent[]): AguiEvent[] =>
  events.map((event) => ({ ...event, subagentRunId }));

/** A whole run of these events. */
export const run = (...events: readonly (AguiEvent | readonly AguiEvent[])[]): AguiEvent[] => [
  started(),
  ...events.flat(),
  finished(),
];
