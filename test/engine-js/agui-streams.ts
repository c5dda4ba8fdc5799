import type { Rng } from "../support/rng.js";

type Event = Record<string, unknown>;

const IDS = ["a", "b", "c", "\u00e9", ""];
const OWNERS = [undefined, undefined, undefined, "s", "t"];
const TEXTS = ["x", "", "\ud83d", "\ude00", "long ".repeat(20), '"\\\n\u0000'];

/** A value for a member: mostly as it should be. */
function value(rng: Rng, depth = 2): unknown {
  switch (rng.int(depth > 0 ? 9 : 6)) {
    case 0:
      return null;
    case 1:
      return rng.pick(TEXTS);
    case 2:
      return rng.pick([0, -1, 1.5, 2 ** 53, 1e21]);
    case 3:
      return rng.chance(0.5);
    case 4:
      return "s";
    case 5:
      return {};
    case 6:
      return [value(rng, depth - 1), value(rng, depth - 1)];
    default:
      return object(rng, depth - 1);
  }
}

function object(rng: Rng, depth = 2): Event {
  const made: Event = {};
  for (let left = rng.int(4); left > 0; left--) {
    const name = rng.pick(["k", "l", "7", "10", "constructor", "a/b"]);
    made[name] = value(rng, depth);
  }
  return made;
}

function patch(rng: Rng): unknown[] {
  const path = () => rng.pick(["/k", "/l/k", "/l/0", "/l/-", "", "/a~1b", "/7", "/missing/deep", "/k/0"]);
  return Array.from({ length: rng.between(0, 3) }, () => {
    const op = rng.pick(["add", "add", "replace", "remove", "move", "copy", "test", "future"]);
    return { op, from: path(), path: path(), value: value(rng, 1) };
  });
}

function parts(rng: Rng): unknown {
  if (rng.chance(0.5)) return rng.pick(TEXTS);
  return Array.from({ length: rng.int(4) }, () =>
    rng.pick<unknown>([
      { type: "text", text: "t" },
      { type: "image", source: { type: "url", value: "u" }, metadata: null },
      { type: "image", source: { type: "future", value: "u" } },
      { type: "hologram" },
      { type: "binary", mimeType: "image/png", data: "AA" },
      { type: "image", source: { type: "data", value: "AA", mimeType: "image/png" } },
    ]),
  );
}

function message(rng: Rng): Event {
  const id = rng.pick(IDS);
  const owner = rng.pick(OWNERS);
  const base: Event = { id, ...(owner !== undefined && { subagentRunId: owner }) };
  switch (rng.int(6)) {
    case 0:
      return { ...base, role: "user", content: parts(rng) };
    case 1:
      return {
        ...base,
        role: "assistant",
        toolCalls: [{ id: rng.pick(IDS), type: "function", function: { name: "f", arguments: "{" } }],
      };
    case 2:
      return { ...base, role: "tool", toolCallId: rng.pick(IDS), content: parts(rng) };
    case 3:
      return { ...base, role: "activity", activityType: "p", content: object(rng) };
    case 4:
      return { ...base, role: "reasoning", content: "r", encryptedValue: "e" };
    default:
      return { ...base, role: rng.pick(["system", "assistant", "future"]), content: "s" };
  }
}

function messages(rng: Rng): Event[] {
  return Array.from({ length: rng.int(4) }, () => message(rng));
}

const RUN = { threadId: "t", runId: "r" };

/** An event that often fits where it comes, since all draw from a few names. */
function event(rng: Rng): Event {
  const id = rng.pick(IDS);
  const common: Event = {};
  const owner = rng.pick(OWNERS);
  if (owner !== undefined) common.subagentRunId = owner;
  if (rng.chance(0.15)) common.metadata = object(rng);
  if (rng.chance(0.05)) common.rawEvent = value(rng);
  if (rng.chance(0.05)) common.timestamp = rng.pick([1, 0, -5, 1.5, null]);
  if (rng.chance(0.04)) common[rng.pick(["future", "3", "__proto__2"])] = value(rng, 1);
  switch (rng.int(26)) {
    case 0:
    case 1:
      return {
        type: "TEXT_MESSAGE_START",
        messageId: id,
        ...(rng.chance(0.3) && { role: "user", name: "n" }),
        ...common,
      };
    case 2:
    case 3:
    case 4:
      return { type: "TEXT_MESSAGE_CONTENT", messageId: id, delta: rng.pick(TEXTS), ...common };
    case 5:
      return { type: "TEXT_MESSAGE_END", messageId: id, ...common };
    case 6:
    case 7:
      return {
        type: "TEXT_MESSAGE_CHUNK",
        ...(rng.chance(0.6) && { messageId: id }),
        ...(rng.chance(0.8) && { delta: rng.pick(TEXTS) }),
        ...(rng.chance(0.1) && { role: "user" }),
        ...common,
      };
    case 8: {
      const parent = rng.chance(0.5) ? { parentMessageId: rng.pick([...IDS, null]) } : {};
      return { type: "TOOL_CALL_START", toolCallId: id, toolCallName: rng.pick(["f", "g"]), ...parent, ...common };
    }
    case 9:
      return { type: "TOOL_CALL_ARGS", toolCallId: id, delta: rng.pick(TEXTS), ...common };
    case 10:
      return { type: "TOOL_CALL_END", toolCallId: id, ...common };
    case 11:
      return {
        type: "TOOL_CALL_CHUNK",
        ...(rng.chance(0.6) && { toolCallId: id, toolCallName: "f" }),
        ...(rng.chance(0.8) && { delta: rng.pick(TEXTS) }),
        ...common,
      };
    case 12:
      return { type: "TOOL_CALL_RESULT", messageId: id, toolCallId: rng.pick(IDS), content: parts(rng), ...common };
    case 13:
      return { type: "STATE_SNAPSHOT", snapshot: value(rng, 3), ...common };
    case 14:
    case 15:
      return { type: "STATE_DELTA", delta: patch(rng), ...common };
    case 16:
      return { type: "MESSAGES_SNAPSHOT", messages: messages(rng) };
    case 17: {
      const replace = rng.chance(0.3) ? { replace: rng.chance(0.5) } : {};
      return {
        type: "ACTIVITY_SNAPSHOT",
        messageId: id,
        activityType: "p",
        content: object(rng),
        ...replace,
        ...common,
      };
    }
    case 18:
      return {
        type: "ACTIVITY_DELTA",
        messageId: id,
        activityType: rng.pick(["p", "q"]),
        patch: patch(rng),
        ...common,
      };
    case 19:
      return rng.pick<Event>([
        { type: "RUN_STARTED", ...RUN, ...(rng.chance(0.3) && { input: { ...RUN, messages: messages(rng) } }) },
        {
          type: "RUN_FINISHED",
          ...RUN,
          result: value(rng),
          ...(rng.chance(0.3) && { outcome: { type: "cancelled" } }),
        },
        { type: "RUN_ERROR", message: "m" },
      ]);
    case 20:
      return rng.pick<Event>([
        { type: "REASONING_START", messageId: id, ...common },
        { type: "REASONING_END", messageId: id, ...common },
        { type: "THINKING_START", title: "t" },
        { type: "THINKING_END" },
      ]);
    case 21:
      return rng.pick<Event>([
        { type: "REASONING_MESSAGE_START", messageId: id, role: "reasoning", ...common },
        { type: "REASONING_MESSAGE_END", messageId: id, ...common },
        { type: "THINKING_TEXT_MESSAGE_START" },
        { type: "THINKING_TEXT_MESSAGE_CONTENT", delta: "d" },
        { type: "THINKING_TEXT_MESSAGE_END" },
      ]);
    case 22:
      return rng.pick<Event>([
        { type: "REASONING_MESSAGE_CONTENT", messageId: id, delta: rng.pick(TEXTS), ...common },
        { type: "REASONING_MESSAGE_CHUNK", messageId: id, delta: rng.pick(TEXTS), ...common },
      ]);
    case 23: {
      const kind = rng.chance(0.5) ? { encryptedValueType: "k" } : {};
      const subtype = rng.pick(["message", "tool-call"]);
      return { type: "REASONING_ENCRYPTED_VALUE", subtype, entityId: id, encryptedValue: "v", ...kind, ...common };
    }
    case 24:
      return rng.pick<Event>([
        { type: "STEP_STARTED", stepName: id, ...common },
        { type: "STEP_FINISHED", stepName: id, ...common },
        { type: "SUBAGENT_STARTED", subagentRunId: id, name: "n" },
        { type: "SUBAGENT_FINISHED", subagentRunId: id },
      ]);
    default:
      return rng.pick<Event>([
        { type: "CUSTOM", name: "n", value: value(rng), ...common },
        { type: "RAW", event: value(rng), ...common },
        { type: "FUTURE", x: 1 },
        { type: "TEXT_MESSAGE_CONTENT", messageId: id },
      ]);
  }
}

/** A run's events: a beginning, a middle that mostly fits, what a producer may do wrong. */
export function randomEvents(rng: Rng, length: number): Event[] {
  const events: Event[] = [{ type: "RUN_STARTED", ...RUN }];
  while (events.length < length) {
    events.push(event(rng));
    if (rng.chance(0.02)) events.push({ type: "RUN_ERROR", message: "m" }, { type: "RUN_STARTED", ...RUN, runId: "q" });
  }
  return events;
}
