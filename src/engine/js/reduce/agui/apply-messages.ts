import { R_LIMIT_BLOCKS } from "../../../../../assembly/abi/codes.js";
import { type JsonObject, own } from "../../../../json/object.js";
import { type Effect, NAME } from "./effect.js";
import { MessageEntry } from "./messages.js";
import { CALL_MEMBER_LEVEL, MEMBER_LEVEL, MESSAGE_LEVEL, textBound, textGrowth } from "./model.js";
import type { AguiViolation } from "./violation.js";

type Outcome = AguiViolation | undefined;

/** Copies the members of an event that are there. */
export function take(target: JsonObject, event: JsonObject, ...names: string[]): JsonObject {
  for (const name of names) {
    const value = own(event, name);
    if (value !== undefined) target[name] = value;
  }
  return target;
}

/**
 * Puts a new message behind the others, or behind one of them.
 *
 * @param path of a limit of depth or bytes
 * @param idPath of a limit of messages
 */
export function insertMessage(
  effect: Effect,
  value: JsonObject,
  path: string,
  idPath = path,
  before?: MessageEntry,
): MessageEntry | AguiViolation {
  const { model, limits, source } = effect;
  const { messages } = model;
  if (messages.length >= limits.blocks) return effect.refuse(R_LIMIT_BLOCKS, idPath)!;
  const growth = (): number => model.lengthOf(value) + (messages.length > 0 ? 1 : 0);
  // The id of a call may become that of its message, too.
  const refused = effect.refuse(model.admit(value, MESSAGE_LEVEL, source, growth, 2 * source.bytes + NAME), path);
  if (refused !== undefined) return refused;
  const entry = new MessageEntry(value);
  if (before === undefined) {
    messages.push(entry);
    const index = messages.length - 1;
    effect.tell((changes) => changes.insert(entry, index));
    effect.journal.note(() => messages.pop());
  } else {
    // A result is all that its event brings: nothing that follows can fail.
    const index = messages.insertBehind(before, entry);
    effect.tell((changes) => changes.insert(entry, index));
  }
  return entry;
}

export function isViolation(result: MessageEntry | AguiViolation): result is AguiViolation {
  return !(result instanceof MessageEntry);
}

/** TEXT_MESSAGE_START, REASONING_MESSAGE_START. */
export function startMessage(effect: Effect, event: JsonObject): Outcome {
  const id = event.messageId as string;
  const entry = effect.model.messages.find(id);
  if (entry !== undefined) {
    if (entry.role !== "activity") return effect.mergeIntoMessage(event, entry);
    effect.warn("target_mismatch", "/messageId", id);
    return undefined;
  }
  const role = event.type === "REASONING_MESSAGE_START" ? "reasoning" : (own(event, "role") ?? "assistant");
  const value: JsonObject = { id, role, content: "" };
  if (role !== "reasoning") take(value, event, "name");
  const inserted = insertMessage(effect, take(value, event, "subagentRunId", "metadata"), "/messageId");
  return isViolation(inserted) ? inserted : undefined;
}

/** The message that a text or reasoning event names, unless it is missing or an activity. */
function findTarget(effect: Effect, event: JsonObject): MessageEntry | undefined {
  const id = event.messageId as string;
  const entry = effect.model.messages.find(id);
  if (entry === undefined) effect.warn("target_missing", "/messageId", id);
  else if (entry.role === "activity") effect.warn("target_mismatch", "/messageId", id);
  else return entry;
  return undefined;
}

/** TEXT_MESSAGE_CONTENT, REASONING_MESSAGE_CONTENT. */
export function appendContent(effect: Effect, event: JsonObject): Outcome {
  const entry = findTarget(effect, event);
  if (entry === undefined) return undefined;
  const { model, journal } = effect;
  entry.claim();
  const { value } = entry;
  const delta = event.delta as string;
  const current = own(value, "content");
  if (current === undefined) {
    const growth = (): number => model.memberGrowth(value, "content", delta);
    const refused = effect.refuse(
      model.admit(delta, MEMBER_LEVEL, effect.source, growth, textBound(delta) + NAME),
      "/delta",
    );
    if (refused !== undefined) return refused;
    effect.set(value, "content", delta);
    effect.tell((changes) => changes.replace(entry, "content"));
  } else if (typeof current !== "string") {
    effect.warn("target_mismatch", "/messageId", entry.id);
    return undefined;
  } else {
    const growth = (): number => textGrowth(current, delta);
    const refused = effect.refuse(model.admit(delta, MEMBER_LEVEL, effect.source, growth, textBound(delta)), "/delta");
    if (refused !== undefined) return refused;
    value.content = entry.content.append(current, delta);
    journal.note(() => {
      value.content = current;
      entry.content.settle();
    });
    const to = current.length + delta.length;
    effect.tell((changes) => changes.append(entry, "content", current.length, to, true));
  }
  return effect.mergeIntoMessage(event, entry);
}

/** TEXT_MESSAGE_END, REASONING_MESSAGE_END. */
export function endMessage(effect: Effect, event: JsonObject): Outcome {
  const entry = findTarget(effect, event);
  return entry === undefined ? undefined : effect.mergeIntoMessage(event, entry);
}

/** REASONING_ENCRYPTED_VALUE: of a message or a tool call. */
export function storeEncrypted(effect: Effect, event: JsonObject): Outcome {
  const id = event.entityId as string;
  const { messages } = effect.model;
  const call = event.subtype === "tool-call" ? messages.findCall(id) : undefined;
  const entry = event.subtype === "tool-call" ? call?.message : messages.find(id);
  if (entry === undefined) {
    effect.warn("target_missing", "/entityId", id);
    return undefined;
  }
  if (call === undefined && entry.role === "activity") {
    effect.warn("target_mismatch", "/entityId", id);
    return undefined;
  }
  const { model } = effect;
  entry.claim();
  const target = call === undefined ? entry.value : call.value;
  const value = event.encryptedValue as string;
  const kind = own(event, "encryptedValueType");
  const held = own(target, "encryptedValueType");
  const growth = (): number => {
    // Neither is the first member: an id comes before.
    const bytes = model.memberGrowth(target, "encryptedValue", value);
    if (kind !== undefined) return bytes + model.memberGrowth(target, "encryptedValueType", kind);
    return held === undefined ? bytes : bytes - model.lengthOf({ encryptedValueType: held }) + 1;
  };
  const level = call === undefined ? MEMBER_LEVEL : CALL_MEMBER_LEVEL;
  const refused = effect.refuse(
    model.admit(value, level, effect.source, growth, effect.source.bytes + NAME),
    "/encryptedValue",
  );
  if (refused !== undefined) return refused;
  effect.set(target, "encryptedValue", value);
  if (kind !== undefined) effect.set(target, "encryptedValueType", kind);
  else effect.unset(target, "encryptedValueType");
  const field = call === undefined ? "encryptedValue" : `toolCalls.${call.index}.encryptedValue`;
  effect.tell((changes) => changes.replace(entry, field));
  return undefined;
}
