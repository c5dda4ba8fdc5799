import { expectOptions, optionOf } from "../arguments.js";
import type { Warning } from "../engine/contract.js";
import { cloneValue } from "../engine/js/codec/clone.js";
import { copyValue } from "../engine/js/codec/value.js";
import { StreamfoldError, usageError, type WarningCode } from "../errors.js";
import { DEFAULT_LIMITS } from "../limits.js";
import { enforceShape } from "../schema/enforce.js";
import { translateInput } from "../schema/legacy.js";
import { isAtMost, OWN_VERSION, parseVersion } from "../schema/version.js";
import { warningMessage } from "../warnings.js";
import type { RunAgentInput } from "./types.generated.js";

/** Options of `prepareRunInput`. */
export interface PrepareOptions {
  /** The newest protocol version the peer knows (`"0.0.57"`); undefined: a current peer. */
  maxProtocolVersion?: string | undefined;
}

/** What `prepareRunInput` found worth saying: `{ code, message, path }`. */
export type InputWarning = Pick<Warning, "code" | "message" | "path">;

export interface PreparedInput {
  /** What is sent, a value of its own. */
  input: RunAgentInput;
  warnings: InputWarning[];
}

type Json = Record<string, unknown>;

/** Peers up to these versions do not know what the comment says. */
const NO_PARTS = [0, 0, 39]; // content parts, parentRunId
const NO_SUBAGENTS = [0, 0, 57]; // subagentRunId

/** A run input in the making: members may be undefined, and the version is declared for it. */
export type RunInputDraft = { [K in keyof RunAgentInput]?: RunAgentInput[K] | undefined } & Pick<
  RunAgentInput,
  "threadId" | "runId" | "messages"
>;

/**
 * Makes the run input that is sent to an agent out of the one an application holds: activity messages stay at home (AG-UI C6), retired
 * binary parts become media parts, what an older peer cannot mean is taken out with a warning (J1-J4), unknown members are removed with a warning and
 * malformed ones refused (I19), and the version is declared (C3), unless the peer is older than it.
 *
 * @param input a RunAgentInput as a plain value; it is not changed, and members that are undefined are left out
 * @param options the peer's ceiling
 * @returns what is sent, and the warnings in the order of the members
 * @throws StreamfoldError `bad_argument` for options, and with the path of what the schema rejects, `not_json` for a value that JSON cannot express, `too_deep`
 *   for one that is nested deeper than 512 levels
 */
export function prepareRunInput(input: RunInputDraft, options: PrepareOptions = {}): PreparedInput {
  expectOptions(options, "maxProtocolVersion");
  const ceiling = parseVersion(optionOf(options, "maxProtocolVersion"));
  if (ceiling === null)
    throw usageError("bad_argument", 'maxProtocolVersion must be a version such as "1.0" or "0.0.57"');
  const copied = copyValue(input, DEFAULT_LIMITS.depth, true);
  if ("code" in copied) throw new StreamfoldError(copied);
  const own = copied.value as Json;
  const warnings: InputWarning[] = [];
  const warn = (code: WarningCode, path: string, message?: string) =>
    void warnings.push({ code, path, message: message ?? warningMessage({ code, path, eventType: "the run input" }) });
  if (isObject(own)) {
    withoutActivities(own);
    // a state may have become null, but an input with none leaves the member out (B6)
    if (own.state === null) {
      delete own.state;
      warn("legacy_null", "/state", "a state of null is not sent: the agent takes an absent one for {}");
    }
    translateInput(own, "", (code, path) => {
      if (code === "legacy_null") warn(code, path);
    });
    if (isAtMost(ceiling, NO_PARTS)) withoutParts(own, warn);
    if (isAtMost(ceiling, NO_SUBAGENTS)) withoutSubagents(own, warn);
  }
  const { fault, removals } = enforceShape(own, "RunAgentInput", { unknownEnum: "fatal" });
  if (fault !== undefined) throw new StreamfoldError({ code: "bad_argument", ...fault });
  for (const { code, path } of removals) warn(code, path);
  const sent = cloneValue(own, "number") as RunAgentInput;
  if (ceiling === undefined || isAtMost(OWN_VERSION, ceiling)) sent.protocolVersion = OWN_VERSION.join(".");
  else delete sent.protocolVersion;
  return { input: sent, warnings };
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The messages that are objects, with their place in the list. */
function messagesOf(input: Json): [message: Json, index: number][] {
  const { messages } = input;
  if (!Array.isArray(messages)) return [];
  return messages.flatMap((message: unknown, index): [Json, number][] => (isObject(message) ? [[message, index]] : []));
}

function withoutActivities(input: Json): void {
  if (Array.isArray(input.messages)) {
    input.messages = input.messages.filter((message: unknown) => !isObject(message) || message.role !== "activity");
  }
}

type Warn = (code: WarningCode, path: string, message?: string) => void;

/** Content as one text. What is malformed stays, for the schema to refuse: a downgrade repairs nothing (J3). */
function withoutParts(input: Json, warn: Warn): void {
  if (Object.hasOwn(input, "parentRunId")) {
    delete input.parentRunId;
    warn("downgraded", "/parentRunId", "dropping parentRunId, which a peer of 0.0.39 or older does not know");
  }
  for (const [message, index] of messagesOf(input)) {
    const { content } = message;
    if (content === undefined && message.role === "assistant") message.content = "";
    if (!Array.isArray(content)) continue;
    const texts = content.filter((part: unknown): part is Json => isObject(part) && part.type === "text");
    if (texts.some(({ text }) => typeof text !== "string")) continue;
    const lost = content.filter((part: unknown) => !texts.includes(part as Json));
    if (!lost.every(isObject)) continue;
    message.content = texts.map(({ text }) => text).join("");
    if (lost.length === 0) continue;
    const kinds = [...new Set(lost.map(({ type }) => String(type)))].join(", ");
    const why = `a peer of 0.0.39 or older takes text only, so flattening DROPS non-text parts (${kinds}); a newer peer keeps them`;
    warn("downgraded", `/messages/${index}/content`, why);
  }
}

function withoutSubagents(input: Json, warn: Warn): void {
  for (const [message, index] of messagesOf(input)) {
    if (!Object.hasOwn(message, "subagentRunId")) continue;
    delete message.subagentRunId;
    const why = "dropping subagentRunId, which a peer of 0.0.57 or older does not know";
    warn("downgraded", `/messages/${index}/subagentRunId`, why);
  }
}
