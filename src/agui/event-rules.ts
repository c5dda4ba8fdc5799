import { type JsonObject, own } from "../json/object.js";
import type { TokenUsage } from "./types.generated.js";

/** What is wrong with an event beyond the schema. */
export interface RuleFault {
  /** JSON pointer into the event. */
  path: string;
  detail: string;
}

/**
 * What an event of a known shape must keep to besides, by itself (AG-UI H2, O14, T9).
 *
 * @param event held to the schema before
 */
export function brokenRule(event: JsonObject): RuleFault | undefined {
  switch (event.type) {
    case "RUN_FINISHED":
      return doubledInterrupt(own(event, "outcome") as JsonObject | undefined) ?? inUsage(event);
    case "RUN_ERROR":
      return inUsage(event);
    case "MESSAGES_SNAPSHOT":
      return inMessages(event.messages as JsonObject[], "/messages");
    case "RUN_STARTED": {
      const input = own(event, "input") as JsonObject | undefined;
      return input === undefined ? undefined : inMessages(input.messages as JsonObject[], "/input/messages");
    }
    default:
      return undefined;
  }
}

function doubledInterrupt(outcome: JsonObject | undefined): RuleFault | undefined {
  if (outcome?.type !== "interrupt") return undefined;
  const seen = new Set<unknown>();
  for (const [index, { id }] of (outcome.interrupts as JsonObject[]).entries()) {
    if (seen.has(id)) return { path: `/outcome/interrupts/${index}/id`, detail: "another interrupt has this id" };
    seen.add(id);
  }
  return undefined;
}

function inUsage(event: JsonObject): RuleFault | undefined {
  for (const [index, usage] of ((own(event, "usage") as TokenUsage[] | undefined) ?? []).entries()) {
    const fault = brokenUsage(usage);
    if (fault !== undefined) return { path: `/usage/${index}${fault.path}`, detail: fault.detail };
  }
  return undefined;
}

/**
 * Whether counts hold together (AG-UI O14): what is read from or written to a cache is part of the input, reasoning part of the output, and the total
 * is input and output. Counts that are not there are not judged (O15).
 *
 * @returns the member at fault, as a pointer into the entry
 */
export function brokenUsage(usage: TokenUsage): RuleFault | undefined {
  const { inputTokens, outputTokens, totalTokens } = usage;
  const parts = [
    ["cachedInputTokens", "inputTokens"],
    ["cacheWriteInputTokens", "inputTokens"],
    ["reasoningTokens", "outputTokens"],
  ] as const;
  for (const [part, whole] of parts) {
    const count = usage[part];
    const most = usage[whole];
    if (count !== undefined && most !== undefined && count > most)
      return { path: `/${part}`, detail: `it is part of ${whole} and cannot be more` };
  }
  if (inputTokens === undefined || outputTokens === undefined || totalTokens === undefined) return undefined;
  if (totalTokens === inputTokens + outputTokens) return undefined;
  return { path: "/totalTokens", detail: "it is the sum of inputTokens and outputTokens" };
}

/** A type of an encrypted value goes with the value (T9), and no two messages have one id (B11). */
function inMessages(messages: readonly JsonObject[], path: string): RuleFault | undefined {
  const seen = new Set<unknown>();
  for (const [index, message] of messages.entries()) {
    const place = `${path}/${index}`;
    if (seen.has(message.id)) return { path: `${place}/id`, detail: "another message has this id" };
    seen.add(message.id);
    if (isTypeAlone(message)) return { path: `${place}/encryptedValueType`, detail: TYPE_ALONE };
    const calls = (own(message, "toolCalls") as JsonObject[] | undefined) ?? [];
    const call = calls.findIndex(isTypeAlone);
    if (call >= 0) return { path: `${place}/toolCalls/${call}/encryptedValueType`, detail: TYPE_ALONE };
  }
  return undefined;
}

const TYPE_ALONE = "there is no encryptedValue beside it";

function isTypeAlone(holder: JsonObject): boolean {
  return Object.hasOwn(holder, "encryptedValueType") && !Object.hasOwn(holder, "encryptedValue");
}
