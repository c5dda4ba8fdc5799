import { equalValues } from "../../../../json/equal.js";
import { memberTexts, stringify } from "../../../../json/exact.js";
import { type JsonObject, own } from "../../../../json/object.js";
import { isObject } from "../../../../json/tree.js";
import type { Limits } from "../../../../limits.js";
import { type EnforceOptions, enforceList, enforceRule } from "../../../../schema/enforce.js";
import type { Rule } from "../../../../schema/types.js";
import type { RunStatus } from "../../../contract.js";
import { makeModel } from "./load.js";
import type { Model } from "./model.js";
import type { AguiReducer } from "./reducer.js";
import { RunState, statusOfOutcome } from "./run.js";
import { readTrack, writeTrack } from "./stored-track.js";
import type { Thinking } from "./thinking.js";
import { REJECTED, type Track } from "./track.js";

/** A model as `readText` reads it. */
export interface StoredText {
  text: string;
  value: unknown;
  source: { nesting: number; bytes: number; exact: boolean };
}

/** What a checkpoint's model brings. */
export interface Restored {
  model: Model;
  run: RunState;
  track: Track;
  thinking: Thinking;
}

/** A run's status in each phase. */
const STATUS_IN_PHASE: readonly (readonly RunStatus[])[] = [
  ["idle"],
  ["running"],
  ["finished", "interrupted", "cancelled"],
  ["failed"],
  ["rejected"],
  ["truncated"],
];

const STRICT: EnforceOptions = { unknownEnum: "fatal" };
const STRING: Rule = { kind: "string" };
const RUN_RULES: Readonly<Record<string, Rule>> = {
  threadId: STRING,
  runId: STRING,
  parentRunId: STRING,
  protocolVersion: STRING,
  status: STRING,
  outcome: { kind: "union", union: "RunFinishedOutcome" },
  result: { kind: "non-null" },
  error: { kind: "open-object" },
  interrupts: { kind: "list", of: { kind: "object", shape: "Interrupt" } },
  usage: { kind: "list", of: { kind: "object", shape: "TokenUsage" } },
};

/** The model of a checkpoint as compact JSON (docs/semantics-agui.md §12). */
export function storeModel({ model, run, track, thinking }: AguiReducer, rejected: boolean): string {
  return stringify({
    messages: model.messages.values(),
    state: model.state.value,
    run: run.view(),
    track: writeTrack(track, thinking, rejected),
  });
}

/** The same read back; undefined when it says what no engine could have written, or is beyond a limit. */
export function restoreModel({ text, value, source }: StoredText, limits: Limits): Restored | undefined {
  if (!isObject(value)) return undefined;
  const members = memberTexts(text);
  const texts = new Map(members);
  const runText = texts.get("run");
  const trackText = texts.get("track");
  if (members.length !== 4 || runText === undefined || trackText === undefined) return undefined;
  const messages = own(value, "messages");
  const state = own(value, "state");
  const run = readRun(own(value, "run"), runText);
  const tracked = readTrack(trackText, limits.items);
  if (run === undefined || tracked === undefined || state === undefined) return undefined;
  const { track, thinking } = tracked;
  if (!(STATUS_IN_PHASE[track.phase] as readonly string[]).includes(run.status)) return undefined;
  if (!equalValues(track.named ?? [], namedBy(run.outcome))) return undefined;
  const { fault, removals } = enforceList(messages, "Message", STRICT);
  if (fault !== undefined || removals.length > 0) return undefined;
  const model = makeModel(messages as JsonObject[], state, source, limits, undefined, true);
  return "code" in model ? undefined : { model, run, track, thinking };
}

/** Whether a restored stream takes nothing any more. */
export function isRejected({ track }: Restored): boolean {
  return track.phase === REJECTED;
}

function readRun(stored: unknown, text: string): RunState | undefined {
  if (!isObject(stored) || memberTexts(text).length !== Object.keys(stored).length) return undefined;
  for (const name of Object.keys(stored)) {
    const rule = Object.hasOwn(RUN_RULES, name) ? RUN_RULES[name] : undefined;
    if (rule === undefined) return undefined;
    const { fault, gone, removals } = enforceRule(stored[name], rule, STRICT);
    if (fault !== undefined || gone || removals.length > 0) return undefined;
  }
  const run = new RunState(stored);
  run.status = own(stored, "status") as RunStatus;
  run.protocolVersion = own(stored, "protocolVersion") as string | undefined;
  run.outcome = own(stored, "outcome") as JsonObject | undefined;
  run.result = own(stored, "result");
  run.error = own(stored, "error") as JsonObject | undefined;
  run.usage = own(stored, "usage");
  const errorText = new Map(memberTexts(text)).get("error");
  if (run.error !== undefined && !isRunError(run.error, memberTexts(errorText!).length)) return undefined;
  if (!isPossible(run)) return undefined;
  return equalValues(own(stored, "interrupts"), run.interrupts) ? run : undefined;
}

/**
 * Whether events can have brought these members together: RUN_STARTED brings both ids and the version and takes the rest away, RUN_FINISHED
 * comes behind it and brings an outcome, RUN_ERROR may come first and leaves neither outcome nor result.
 */
function isPossible({ status, threadId, runId, protocolVersion, outcome, result, error, usage }: RunState): boolean {
  const started = threadId !== undefined && runId !== undefined;
  if ((protocolVersion !== undefined || outcome !== undefined) && !started) return false;
  if (outcome === undefined ? result !== undefined : error !== undefined) return false;
  if (usage !== undefined && outcome === undefined && error === undefined) return false;
  switch (status) {
    case "rejected":
      return true;
    case "idle":
      return outcome === undefined && error === undefined && protocolVersion === undefined;
    case "failed":
      return error !== undefined;
    case "running":
    case "truncated":
      return started && outcome === undefined && error === undefined;
    default:
      return outcome !== undefined && statusOfOutcome(outcome) === status;
  }
}

/** The calls that a success outcome names as pending. */
function namedBy(outcome: JsonObject | undefined): unknown {
  return (outcome?.type === "success" ? own(outcome, "pendingToolCallIds") : undefined) ?? [];
}

function isRunError(error: JsonObject, length: number): boolean {
  const code = own(error, "code");
  if (typeof own(error, "message") !== "string") return false;
  return code === undefined ? length === 1 : typeof code === "string" && length === 2;
}
