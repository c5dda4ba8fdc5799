import type { JsonObject } from "../../../../json/object.js";
import { own } from "../../../../json/object.js";
import { insertMessage, isViolation, take } from "./apply-messages.js";
import { type Effect, NAME } from "./effect.js";
import type { CallEntry, MessageEntry } from "./messages.js";
import { CALL_LEVEL, CALL_MEMBER_LEVEL, textBound, textGrowth } from "./model.js";
import type { AguiViolation } from "./violation.js";

type Outcome = AguiViolation | undefined;

/** TOOL_CALL_START. */
export function startCall(effect: Effect, event: JsonObject): Outcome {
  const id = event.toolCallId as string;
  const name = event.toolCallName as string;
  const call = effect.model.messages.findCall(id);
  if (call !== undefined) return renameCall(effect, event, call, name);
  const value = take({ id, type: "function", function: { name, arguments: "" } }, event, "metadata");
  const parent = findParent(effect, event);
  return parent === undefined ? insertWithCall(effect, event, value) : addCall(effect, parent, value);
}

/** The call is held: it takes the event's name. */
function renameCall(effect: Effect, event: JsonObject, call: CallEntry, name: string): Outcome {
  const { model } = effect;
  call.message.claim();
  const before = call.function.name;
  if (before !== name) {
    const growth = (): number => model.lengthOf(name) - model.lengthOf(before);
    const refused = effect.refuse(
      model.admit(name, CALL_MEMBER_LEVEL, effect.source, growth, textBound(name) + NAME),
      "/toolCallName",
    );
    if (refused !== undefined) return refused;
    effect.set(call.function as unknown as JsonObject, "name", name);
    effect.warn("tool_renamed", "/toolCallName", call.id);
    effect.tell((changes) => changes.replace(call.message, `toolCalls.${call.index}.function.name`));
  }
  return effect.mergeIntoCall(event, call);
}

/** The assistant message that takes the call; undefined when a new one has to. */
function findParent(effect: Effect, event: JsonObject): MessageEntry | undefined {
  const { messages } = effect.model;
  const parentId = own(event, "parentMessageId") as string | undefined;
  if (parentId !== undefined) {
    const parent = messages.find(parentId);
    if (parent === undefined || parent.role === "assistant") return parent;
    effect.warn("target_mismatch", "/parentMessageId", parentId);
  }
  const namesake = messages.find(event.toolCallId as string);
  return namesake?.role === "assistant" ? namesake : undefined;
}

/** A new assistant message, for a parent that is missing or a call that has none. */
function insertWithCall(effect: Effect, event: JsonObject, call: JsonObject): Outcome {
  const { messages } = effect.model;
  const parentId = own(event, "parentMessageId") as string | undefined;
  const id = parentId !== undefined && messages.find(parentId) === undefined ? parentId : event.toolCallId;
  const value = take({ id, role: "assistant", toolCalls: [call] }, event, "subagentRunId");
  const inserted = insertMessage(effect, value, "/toolCallId");
  return isViolation(inserted) ? inserted : undefined;
}

function addCall(effect: Effect, message: MessageEntry, value: JsonObject): Outcome {
  const { model, journal } = effect;
  const { messages } = model;
  message.claim();
  const list = own(message.value, "toolCalls") as JsonObject[] | undefined;
  const growth = (): number => {
    if (list === undefined) return model.memberGrowth(message.value, "toolCalls", [value]);
    return model.lengthOf(value) + (list.length > 0 ? 1 : 0);
  };
  const bound = effect.source.bytes + NAME;
  const refused = effect.refuse(model.admit(value, CALL_LEVEL, effect.source, growth, bound), "/toolCallId");
  if (refused !== undefined) return refused;
  if (list === undefined) {
    effect.set(message.value, "toolCalls", [value]);
    effect.tell((changes) => changes.replace(message, "toolCalls"));
  } else {
    const from = list.length;
    list.push(value);
    journal.note(() => list.pop());
    effect.tell((changes) => changes.append(message, "toolCalls", from, from + 1, false));
  }
  const call = messages.addCall(message, value);
  journal.note(() => messages.dropCall(call));
  return undefined;
}

/** The call that an event names, unless it is not held any more. */
function findCall(effect: Effect, event: JsonObject): CallEntry | undefined {
  const id = event.toolCallId as string;
  const call = effect.model.messages.findCall(id);
  if (call === undefined) effect.warn("target_missing", "/toolCallId", id);
  return call;
}

/** TOOL_CALL_ARGS. */
export function appendArguments(effect: Effect, event: JsonObject): Outcome {
  const call = findCall(effect, event);
  if (call === undefined) return undefined;
  const { model, journal } = effect;
  call.message.claim();
  const holder = call.function;
  const delta = event.delta as string;
  const current = holder.arguments;
  const growth = (): number => textGrowth(current, delta);
  const refused = effect.refuse(
    model.admit(delta, CALL_MEMBER_LEVEL, effect.source, growth, textBound(delta)),
    "/delta",
  );
  if (refused !== undefined) return refused;
  holder.arguments = call.text.append(current, delta);
  journal.note(() => {
    holder.arguments = current;
    call.text.settle();
  });
  const to = current.length + delta.length;
  effect.tell((changes) => changes.append(call.message, call.field, current.length, to, true));
  return effect.mergeIntoCall(event, call);
}

/** TOOL_CALL_END. */
export function endCall(effect: Effect, event: JsonObject): Outcome {
  const call = findCall(effect, event);
  return call === undefined ? undefined : effect.mergeIntoCall(event, call);
}

/** TOOL_CALL_RESULT: behind the results that the holder of the call has already. */
export function insertResult(effect: Effect, event: JsonObject): Outcome {
  const { messages } = effect.model;
  const id = event.messageId;
  const value: JsonObject = { id, toolCallId: event.toolCallId, role: "tool", content: event.content };
  take(value, event, "subagentRunId", "metadata");
  const holder = messages.findCall(event.toolCallId as string)?.message;
  const before = holder === undefined ? undefined : messages.lastResultOf(holder);
  const inserted = insertMessage(effect, value, "/content", "/messageId", before);
  return isViolation(inserted) ? inserted : undefined;
}
