import {
  R_CHUNK_AMBIGUOUS,
  R_CHUNK_NAME,
  R_CHUNK_OWNER,
  R_CHUNK_PARENT,
  R_CHUNK_ROLE,
  R_CHUNK_TOOL,
  R_FIRST_ID,
} from "../../../../../assembly/abi/codes.js";
import { type JsonObject, own } from "../../../../json/object.js";
import type { Journal } from "./journal.js";
import { type Lane, type LaneKind, type Lanes, REASONING_LANE, TEXT_LANE, TOOL_LANE } from "./lanes.js";
import type { AguiViolation } from "./violation.js";

/** Chunks, and what they are chunks of. */
export const CHUNKS: ReadonlyMap<string, LaneKind> = /* @__PURE__ */ new Map([
  ["TEXT_MESSAGE_CHUNK", TEXT_LANE],
  ["TOOL_CALL_CHUNK", TOOL_LANE],
  ["REASONING_MESSAGE_CHUNK", REASONING_LANE],
]);
const STARTS = ["TEXT_MESSAGE_START", "TOOL_CALL_START", "REASONING_MESSAGE_START"] as const;
const CONTENTS = ["TEXT_MESSAGE_CONTENT", "TOOL_CALL_ARGS", "REASONING_MESSAGE_CONTENT"] as const;
const ENDS = ["TEXT_MESSAGE_END", "TOOL_CALL_END", "REASONING_MESSAGE_END"] as const;
const IDS = ["messageId", "toolCallId", "messageId"] as const;

/** Events that close the lane of their tag. */
export const CLOSES_OWN: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "TEXT_MESSAGE_START",
  "TEXT_MESSAGE_CONTENT",
  "TEXT_MESSAGE_END",
  "TOOL_CALL_START",
  "TOOL_CALL_ARGS",
  "TOOL_CALL_END",
  "TOOL_CALL_RESULT",
  "STATE_SNAPSHOT",
  "STATE_DELTA",
  "CUSTOM",
  "STEP_STARTED",
  "STEP_FINISHED",
  "REASONING_START",
  "REASONING_END",
  "REASONING_MESSAGE_START",
  "REASONING_MESSAGE_CONTENT",
  "REASONING_MESSAGE_END",
  "SUBAGENT_FINISHED",
  "SUBAGENT_ERROR",
]);
/** Events that close every lane. */
export const CLOSES_ALL: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "RUN_STARTED",
  "RUN_FINISHED",
  "RUN_ERROR",
  "MESSAGES_SNAPSHOT",
]);

/**
 * Spells out what a wire event stands for (docs/semantics-agui.md §5): the ENDs that it implies, itself or the START and CONTENT of a chunk.
 *
 * @param event enforced; shared with what comes back
 * @returns the events, possibly none, or why the chunk fits nowhere
 */
export function expand(event: JsonObject, lanes: Lanes, journal: Journal): JsonObject[] | AguiViolation {
  const type = event.type as string;
  const kind = CHUNKS.get(type);
  if (kind !== undefined) return expandChunk(event, type, kind, lanes, journal);
  if (lanes.size === 0) return [event];
  const events: JsonObject[] = [];
  if (CLOSES_ALL.has(type)) {
    for (const lane of lanes.all()) events.push(end(lane, lanes, journal));
  } else if (CLOSES_OWN.has(type)) {
    const lane = lanes.of(text(event, "subagentRunId"));
    if (lane !== undefined) events.push(end(lane, lanes, journal));
  }
  events.push(event);
  return events;
}

/** A member that enforcement knows to be a string or absent. */
function text(event: JsonObject, name: string): string | undefined {
  return own(event, name) as string | undefined;
}

function expandChunk(
  chunk: JsonObject,
  type: string,
  kind: LaneKind,
  lanes: Lanes,
  journal: Journal,
): JsonObject[] | AguiViolation {
  const idName = IDS[kind];
  const id = text(chunk, idName);
  const tag = text(chunk, "subagentRunId");
  const conflict = (reason: number, subject: string | undefined, name?: string): AguiViolation => {
    const violation: AguiViolation = { code: "chunk_conflict", reason, eventType: type };
    if (subject !== undefined) violation.subject = subject;
    if (name !== undefined) violation.path = `/${name}`;
    return violation;
  };

  let owner = tag;
  if (id !== undefined) {
    const holder = lanes.holding(kind, id);
    if (holder !== undefined) {
      if (tag !== undefined && tag !== holder.owner) return conflict(R_CHUNK_OWNER, tag, "subagentRunId");
      owner = holder.owner;
    }
  } else if (tag === undefined && lanes.of(undefined)?.kind !== kind) {
    const only = lanes.only(kind);
    if (only === "several") return conflict(R_CHUNK_AMBIGUOUS, undefined);
    owner = only?.owner;
  }

  const pending = lanes.of(owner);
  const continues = pending !== undefined && pending.kind === kind && (id === undefined || id === pending.id);
  if (continues) {
    for (const [name, established, reason] of repeatable(pending)) {
      const value = text(chunk, name);
      if (value !== undefined && value !== established) return conflict(reason, value, name);
    }
    const { rawEvent, delta, metadata } = chunk;
    if (delta === undefined && rawEvent === undefined && metadata === undefined) return [];
    return [content(chunk, pending)];
  }

  const nameless = kind === TOOL_LANE && text(chunk, "toolCallName") === undefined;
  const subject = id === undefined ? idName : nameless ? "toolCallName" : undefined;
  if (subject !== undefined) {
    return { code: "bad_event", reason: R_FIRST_ID, path: `/${subject}`, eventType: type, subject };
  }
  const events: JsonObject[] = [];
  if (pending !== undefined) events.push(end(pending, lanes, journal));
  const lane = laneOf(chunk, kind, id as string, owner, tag);
  lanes.open(lane, journal);
  events.push(start(chunk, lane));
  if (own(chunk, "delta") !== undefined || own(chunk, "rawEvent") !== undefined) events.push(content(chunk, lane));
  return events;
}

function laneOf(
  chunk: JsonObject,
  kind: LaneKind,
  id: string,
  owner: string | undefined,
  tag: string | undefined,
): Lane {
  const [first, second] =
    kind === TEXT_LANE
      ? [text(chunk, "role") ?? "assistant", text(chunk, "name")]
      : kind === TOOL_LANE
        ? [text(chunk, "toolCallName"), text(chunk, "parentMessageId")]
        : [undefined, undefined];
  return { owner, kind, id, first, second, tag };
}

/** What a continuation may say again, and with which value. */
function repeatable({ kind, first, second }: Lane): [name: string, established: string | undefined, reason: number][] {
  if (kind === TEXT_LANE) {
    return [
      ["role", first, R_CHUNK_ROLE],
      ["name", second, R_CHUNK_NAME],
    ];
  }
  if (kind === REASONING_LANE) return [];
  return [
    ["toolCallName", first, R_CHUNK_TOOL],
    ["parentMessageId", second, R_CHUNK_PARENT],
  ];
}

function start(chunk: JsonObject, { kind, id, first, second, tag }: Lane): JsonObject {
  const event: JsonObject = { type: STARTS[kind], [IDS[kind]]: id };
  if (kind === TEXT_LANE) {
    event.role = first;
    set(event, "name", second);
  } else if (kind === TOOL_LANE) {
    event.toolCallName = first;
    set(event, "parentMessageId", second);
  } else {
    event.role = "reasoning";
  }
  set(event, "subagentRunId", tag);
  set(event, "metadata", own(chunk, "metadata"));
  return event;
}

/** The CONTENT or ARGS of a chunk. */
export function content(chunk: JsonObject, { kind, id, tag }: Lane): JsonObject {
  const event: JsonObject = { type: CONTENTS[kind], [IDS[kind]]: id, delta: own(chunk, "delta") ?? "" };
  set(event, "subagentRunId", own(chunk, "subagentRunId") ?? tag);
  set(event, "metadata", own(chunk, "metadata"));
  set(event, "rawEvent", own(chunk, "rawEvent"));
  return event;
}

/** Closes a lane; the END of what it held. */
function end(lane: Lane, lanes: Lanes, journal: Journal): JsonObject {
  lanes.close(lane, journal);
  const event: JsonObject = { type: ENDS[lane.kind], [IDS[lane.kind]]: lane.id };
  set(event, "subagentRunId", lane.tag);
  return event;
}

function set(event: JsonObject, name: string, value: unknown): void {
  if (value !== undefined) event[name] = value;
}
