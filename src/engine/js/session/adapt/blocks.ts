import { type JsonObject, own } from "../../../../json/object.js";
import type { CallEntry, MessageEntry, MessageList } from "../../reduce/agui/messages.js";
import type { Model } from "../../reduce/agui/model.js";
import type { RunState } from "../../reduce/agui/run.js";
import { CALL, MESSAGE, OPEN_MESSAGE, REASONING, type Track } from "../../reduce/agui/track.js";

/** Id and type of the block of the state. */
export const STATE = "state";

/** Types of message blocks by role; any other one is a text. */
const TYPES: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ["tool", "tool_result"],
  ["activity", "activity"],
  ["reasoning", "reasoning"],
]);

/** Members of a message that are said as they are, behind the others. */
const KEPT = ["name", "content", "error", "metadata"] as const;

/**
 * The id of a message's block (docs/adapter.md §2).
 *
 * @param index of the message, where it is known
 */
export function messageBlockId(messages: MessageList, entry: MessageEntry, index?: number): string {
  const place = messages.find(entry.id) === entry ? "" : (index ?? messages.indexOf(entry));
  return `message${place}:${entry.id}`;
}

/** The id of a call's block; `index`: of its message, where it is known. */
export function callBlockId(messages: MessageList, call: CallEntry, index?: number): string {
  if (messages.findCall(call.id) === call) return `tool:${call.id}`;
  return `tool${index ?? messages.indexOf(call.message)}.${call.index}:${call.id}`;
}

/** `status` of a message's block. */
export function messageStatus(messages: MessageList, track: Track, entry: MessageEntry): string {
  const isOpen = isItemOpen(track, MESSAGE, entry.id) || isItemOpen(track, REASONING, entry.id);
  return isOpen && messages.find(entry.id) === entry ? "streaming" : "complete";
}

/** `status` of a call's block. */
export function callStatus(messages: MessageList, track: Track, call: CallEntry): string {
  const answered = track.calls.get(call.id);
  if (answered === undefined || messages.findCall(call.id) !== call) return "complete";
  if (isItemOpen(track, CALL, call.id)) return answered ? "answered" : "streaming";
  return answered ? "complete" : "called";
}

function isItemOpen(track: Track, kind: typeof MESSAGE | typeof CALL | typeof REASONING, id: string): boolean {
  return ((track.find(kind, id)?.open ?? 0) & OPEN_MESSAGE) !== 0;
}

/** The block of a message; its values are the model's own. */
export function messageBlock(messages: MessageList, track: Track, entry: MessageEntry, index?: number): JsonObject {
  const { value, role } = entry;
  const block: JsonObject = {
    id: messageBlockId(messages, entry, index),
    type: TYPES.get(role) ?? "text",
    role,
    status: messageStatus(messages, track, entry),
  };
  if (role === "tool") block.parent_id = `tool:${value.toolCallId as string}`;
  add(block, "group_id", own(value, "subagentRunId"));
  add(block, "activity_type", own(value, "activityType"));
  for (const name of KEPT) add(block, name, own(value, name));
  return block;
}

/** The block of a call. */
export function callBlock(messages: MessageList, track: Track, call: CallEntry, index?: number): JsonObject {
  const { message, value } = call;
  const block: JsonObject = {
    id: callBlockId(messages, call, index),
    type: "tool",
    status: callStatus(messages, track, call),
    parent_id: messageBlockId(messages, message, index),
  };
  add(block, "group_id", own(message.value, "subagentRunId"));
  block.name = call.function.name;
  block.arguments = call.function.arguments;
  add(block, "metadata", own(value, "metadata"));
  return block;
}

/** `meta.run`: what the snapshot shows of the run. */
export function runOf(run: RunState): JsonObject {
  const shown: JsonObject = {};
  add(shown, "thread_id", run.threadId);
  add(shown, "run_id", run.runId);
  add(shown, "parent_run_id", run.parentRunId);
  add(shown, "protocol_version", run.protocolVersion);
  shown.status = run.status;
  add(shown, "outcome", run.outcome);
  add(shown, "result", run.result);
  add(shown, "error", run.error);
  return shown;
}

/** `meta.stats`. */
export function statsOf(run: RunState): JsonObject | null {
  return run.usage === undefined ? null : { usage: run.usage };
}

/** The block of the state. */
export function stateBlock(model: Model): JsonObject {
  return { id: STATE, type: STATE, state: model.state.value };
}

/** All blocks in the order of a `start`; `between` gives those that stand before the message of an index, or, for Infinity, all that are left. */
export function allBlocks(model: Model, track: Track, between: (index: number) => readonly JsonObject[]): JsonObject[] {
  const { messages } = model;
  const blocks: JsonObject[] = [stateBlock(model)];
  let index = 0;
  for (const entry of messages) {
    for (const block of between(index)) blocks.push(block);
    blocks.push(messageBlock(messages, track, entry, index));
    for (const call of entry.calls) blocks.push(callBlock(messages, track, call, index));
    index++;
  }
  for (const block of between(Number.POSITIVE_INFINITY)) blocks.push(block);
  return blocks;
}

function add(object: JsonObject, name: string, value: unknown): void {
  if (value !== undefined) object[name] = value;
}
