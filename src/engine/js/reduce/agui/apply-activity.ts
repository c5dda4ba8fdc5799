import { R_OBJECT } from "../../../../../assembly/abi/codes.js";
import { type JsonObject, own } from "../../../../json/object.js";
import type { PatchTarget } from "../../../../json/patch.js";
import { isObject } from "../../../../json/tree.js";
import { insertMessage, isViolation, take } from "./apply-messages.js";
import { applyDelta, failDelta } from "./delta.js";
import { type Effect, NAME } from "./effect.js";
import type { MessageEntry } from "./messages.js";
import { MEMBER_LEVEL, MESSAGE_LEVEL, textBound } from "./model.js";
import type { AguiViolation } from "./violation.js";

type Outcome = AguiViolation | undefined;

/** ACTIVITY_SNAPSHOT. */
export function applyActivity(effect: Effect, event: JsonObject): Outcome {
  const { messages } = effect.model;
  const id = event.messageId as string;
  const { activityType, content } = event;
  const entry = messages.find(id);
  const keep = own(event, "replace") === false;
  if (entry !== undefined && entry.role === "activity") {
    return keep ? effect.mergeIntoMessage(event, entry) : restateActivity(effect, event, entry);
  }
  if (entry !== undefined && keep) {
    effect.warn("target_mismatch", "/messageId", id);
    return undefined;
  }
  const value = take({ id, role: "activity", activityType, content }, event, "subagentRunId", "metadata");
  if (entry !== undefined) return becomeActivity(effect, entry, value);
  const inserted = insertMessage(effect, value, "/content", "/messageId");
  return isViolation(inserted) ? inserted : undefined;
}

/** A held activity takes type, content and owner. */
function restateActivity(effect: Effect, event: JsonObject, entry: MessageEntry): Outcome {
  const { model, source } = effect;
  entry.claim();
  const { value } = entry;
  const { activityType, content } = event;
  const owner = own(event, "subagentRunId");
  const growth = (): number => {
    let bytes = model.memberGrowth(value, "activityType", activityType) + model.memberGrowth(value, "content", content);
    const held = own(value, "subagentRunId");
    if (owner !== undefined) bytes += model.memberGrowth(value, "subagentRunId", owner);
    else if (held !== undefined) bytes -= model.lengthOf({ subagentRunId: held }) - 1;
    return bytes;
  };
  const refused = effect.refuse(model.admit(content, MEMBER_LEVEL, source, growth, source.bytes + NAME), "/content");
  if (refused !== undefined) return refused;
  effect.set(value, "activityType", activityType);
  effect.set(value, "content", content);
  if (owner !== undefined) effect.set(value, "subagentRunId", owner);
  else effect.unset(value, "subagentRunId");
  effect.tell((changes) => changes.replace(entry));
  return effect.merge(event, value, MEMBER_LEVEL);
}

/** A message of another role becomes the activity, in its place. */
function becomeActivity(effect: Effect, entry: MessageEntry, value: JsonObject): Outcome {
  const { model, source } = effect;
  const growth = (): number => model.lengthOf(value) - model.lengthOf(entry.value);
  const refused = effect.refuse(model.admit(value, MESSAGE_LEVEL, source, growth, source.bytes + NAME), "/content");
  if (refused !== undefined) return refused;
  // Nothing follows that could fail.
  const heldCalls = entry.calls.length > 0;
  model.messages.replace(entry, value);
  effect.tell((changes) => {
    changes.replace(entry);
    if (heldCalls) changes.losesCalls?.();
  });
  return undefined;
}

/** ACTIVITY_DELTA: the content, then the type; metadata in any case. */
export function patchActivity(effect: Effect, event: JsonObject): Outcome {
  const { messages } = effect.model;
  const id = event.messageId as string;
  const entry = messages.find(id);
  if (entry === undefined) {
    effect.warn("target_missing", "/messageId", id);
    return undefined;
  }
  if (entry.role !== "activity") {
    effect.warn("target_mismatch", "/messageId", id);
    return undefined;
  }
  const { model } = effect;
  entry.claim();
  const { value } = entry;
  const target: PatchTarget = {
    get value(): unknown {
      return value.content;
    },
    set value(content: unknown) {
      value.content = content;
    },
  };
  const level = MEMBER_LEVEL;
  const delta = applyDelta(effect, target, event.patch, "/patch", level, (result) => (isObject(result) ? 0 : R_OBJECT));
  if (delta.violation !== undefined) return delta.violation;
  if (delta.failure !== undefined) {
    const failed = failDelta(effect, delta.failure);
    if (failed !== undefined) return failed;
  } else {
    const before = value.activityType;
    const { activityType } = event;
    if (before !== activityType) {
      const growth = (): number => model.lengthOf(activityType) - model.lengthOf(before);
      const bound = textBound(activityType as string) + NAME;
      const refused = effect.refuse(model.admit(activityType, level, effect.source, growth, bound), "/patch");
      if (refused !== undefined) return refused;
      effect.set(value, "activityType", activityType);
    }
    const { touched } = delta;
    effect.tell((changes) =>
      before === activityType ? changes.replace(entry, "content", touched) : changes.replace(entry),
    );
  }
  return effect.mergeIntoMessage(event, entry);
}
