import { R_LIMIT_RUN_ID, R_MISSING, R_NON_EMPTY_STRING, R_X_STRING } from "../../../../../assembly/abi/codes.js";
import type { WarningFacts } from "../../../../errors.js";
import { type JsonObject, own } from "../../../../json/object.js";
import { isObject, jsonLength } from "../../../../json/tree.js";
import { EVENT_SHAPES, SHAPES } from "../../../../schema/agui.generated.js";
import { kindOf } from "../../../../schema/enforce.js";
import {
  dropNull,
  type OnLegacy,
  translateInput,
  translateMessages,
  translateParts,
} from "../../../../schema/legacy.js";
import type { Thinking } from "./thinking.js";
import type { AguiViolation } from "./violation.js";

/** Retired event types and what they are called now. */
const RETIRED: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ["THINKING_START", "REASONING_START"],
  ["THINKING_END", "REASONING_END"],
  ["THINKING_TEXT_MESSAGE_START", "REASONING_MESSAGE_START"],
  ["THINKING_TEXT_MESSAGE_CONTENT", "REASONING_MESSAGE_CONTENT"],
  ["THINKING_TEXT_MESSAGE_END", "REASONING_MESSAGE_END"],
]);

const SUBAGENT_EVENTS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "SUBAGENT_STARTED",
  "SUBAGENT_FINISHED",
  "SUBAGENT_ERROR",
]);

/** Bytes of a run's id as JSON text that ids are made of. */
const LONGEST_RUN_ID = 4096;

/** What the boundary says of an event. */
export interface Passage {
  /** Its type after translation. */
  type: string;
  /** The peer must not send it: it is dropped. */
  dropped: boolean;
  warnings: WarningFacts[];
}

/** The type of an event, or why it has none, or why it cannot be translated in a run of that id. */
export function typeOf(event: JsonObject, runId = ""): string | AguiViolation {
  const type = own(event, "type");
  if (typeof type === "string" && type !== "") return retiredFault(type, runId) ?? type;
  const bad = (reason: number): AguiViolation => ({ code: "bad_event", reason, path: "/type" });
  if (type === undefined) return bad(R_MISSING);
  return typeof type === "string" ? bad(R_NON_EMPTY_STRING) : { ...bad(R_X_STRING), received: kindOf(type) };
}

function retiredFault(type: string, runId: string): AguiViolation | undefined {
  const eventType = RETIRED.get(type);
  if (eventType === undefined) return undefined;
  // a text has a byte for each unit at least: a long one is not measured at every event
  if (runId.length <= LONGEST_RUN_ID && jsonLength(runId) - 2 <= LONGEST_RUN_ID) return undefined;
  return { code: "limit", reason: R_LIMIT_RUN_ID, path: "/type", eventType };
}

/**
 * The compatibility boundary (docs/semantics-agui.md §2): translates what older peers send, before anything judges it.
 *
 * @param event changed in place
 * @param type of `typeOf`
 * @param runId for minted ids
 * @param noSubagents the peer knows no subagents
 */
export function translate(
  event: JsonObject,
  type: string,
  thinking: Thinking,
  runId: string,
  noSubagents: boolean,
): Passage {
  const warnings: WarningFacts[] = [];
  const passage: Passage = { type: RETIRED.get(type) ?? type, dropped: false, warnings };
  if (noSubagents) {
    if (SUBAGENT_EVENTS.has(type)) {
      warnings.push({ code: "downgraded", path: "/type", eventType: type, subject: type });
      passage.dropped = true;
      return passage;
    }
    dropOwners(event, type);
  }
  const eventType = passage.type;
  const onLegacy: OnLegacy = (code, path) => warnings.push({ code, path, eventType });
  if (eventType !== type) translateRetired(event, type, eventType, thinking, runId, warnings);
  for (const name of Object.keys(event)) {
    const value = event[name];
    if (name === "title" && type === "THINKING_START") dropTitle(event, eventType, warnings);
    else if (value === null) dropMember(event, name, eventType, onLegacy);
    else if (typeof value === "object") translateInside(value, name, eventType, onLegacy);
  }
  return passage;
}

/** A whole null that older peers wrote for an absent member. */
function dropMember(event: JsonObject, name: string, type: string, onLegacy: OnLegacy): void {
  const shape = Object.hasOwn(EVENT_SHAPES, type) ? SHAPES[EVENT_SHAPES[type] as string] : undefined;
  if (shape?.members.find((member) => member.name === name)?.legacyNull) dropNull(event, name, "", onLegacy);
}

/** Messages, parts and inputs that an event carries. */
function translateInside(value: unknown, name: string, type: string, onLegacy: OnLegacy): void {
  if (type === "TOOL_CALL_RESULT" && name === "content") translateParts(value, "/content", false, onLegacy);
  else if (type === "MESSAGES_SNAPSHOT" && name === "messages") translateMessages(value, "/messages", onLegacy);
  else if (type === "RUN_STARTED" && name === "input" && isObject(value)) translateInput(value, "/input", onLegacy);
}

function translateRetired(
  event: JsonObject,
  type: string,
  eventType: string,
  thinking: Thinking,
  runId: string,
  warnings: WarningFacts[],
): void {
  warnings.push({ code: "legacy_event", path: "/type", eventType, subject: type });
  event.type = eventType;
  event.messageId = `thinking-${runId}-${thinking.numberFor(type)}`;
  if (type === "THINKING_TEXT_MESSAGE_START") event.role = "reasoning";
}

/** Labels of spans have no place any more. */
function dropTitle(event: JsonObject, eventType: string, warnings: WarningFacts[]): void {
  delete event.title;
  warnings.push({ code: "legacy_dropped", path: "/title", eventType });
}

/** Takes out what names subagents. */
function dropOwners(event: JsonObject, type: string): void {
  delete event.subagentRunId;
  if (type === "MESSAGES_SNAPSHOT") dropOwnersIn(own(event, "messages"));
  const input = type === "RUN_STARTED" ? own(event, "input") : undefined;
  if (isObject(input)) dropOwnersIn(own(input, "messages"));
  const outcome = type === "RUN_FINISHED" ? own(event, "outcome") : undefined;
  if (isObject(outcome)) dropOwnersIn(own(outcome, "interrupts"));
}

function dropOwnersIn(list: unknown): void {
  if (!Array.isArray(list)) return;
  for (const element of list) if (isObject(element)) delete element.subagentRunId;
}
