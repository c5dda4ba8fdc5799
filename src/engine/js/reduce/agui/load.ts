import {
  R_LIMIT_BLOCKS,
  R_LIMIT_DEPTH,
  R_LIMIT_MODEL,
  R_MISSING,
  R_X_OBJECT,
} from "../../../../../assembly/abi/codes.js";
import { type JsonObject, own } from "../../../../json/object.js";
import { isContainer, isObject } from "../../../../json/tree.js";
import type { Limits } from "../../../../limits.js";
import { enforceList, kindOf } from "../../../../schema/enforce.js";
import { translateMessages } from "../../../../schema/legacy.js";
import type { Source } from "../agentue/operations.js";
import { MessageEntry } from "./messages.js";
import { MESSAGE_LEVEL, Model, STATE_LEVEL } from "./model.js";
import type { AguiViolation } from "./violation.js";

/**
 * A model of messages and state that were judged.
 *
 * @param messages and state: owned by the model from now on
 * @param held what it takes the place of: a model that is no larger may be beyond `modelBytes`
 * @param isStored it comes from a checkpoint: then no depth refuses an empty state, which every model begins with
 * @returns the model, or the limit that it exceeds, with a path from the root of what was given
 */
export function makeModel(
  messages: readonly JsonObject[],
  state: unknown,
  source: Source,
  limits: Limits,
  held = new Model(limits),
  isStored = false,
): Model | AguiViolation {
  if (messages.length > limits.blocks) {
    return { code: "limit", reason: R_LIMIT_BLOCKS, path: `/messages/${limits.blocks}` };
  }
  const model = new Model(limits, state, source.bytes, source.exact);
  for (const message of messages) {
    if (model.isTooDeep(message, MESSAGE_LEVEL, source)) {
      return { code: "limit", reason: R_LIMIT_DEPTH, path: "/messages" };
    }
    model.messages.push(new MessageEntry(message));
  }
  const isEmpty = isStored && isContainer(state) && Object.keys(state).length === 0;
  if (!isEmpty && model.isTooDeep(state, STATE_LEVEL, source))
    return { code: "limit", reason: R_LIMIT_DEPTH, path: "/state" };
  if (!model.size.admit(0, () => 0) && model.size.exact() > held.size.exact())
    return { code: "limit", reason: R_LIMIT_MODEL, path: "" };
  return model;
}

/**
 * What `load` takes, a stored snapshot: messages, perhaps a state, and a run that does not count (docs/semantics-agui.md §9).
 *
 * @param stored owned from now on
 * @param names members of its objects in document order
 * @param held what it takes the place of
 * @returns the model; `bad_model` or `limit` with a path into what was given
 */
export function loadModel(
  stored: unknown,
  source: Source,
  limits: Limits,
  names: (object: JsonObject) => readonly string[],
  held: Model,
): Model | AguiViolation {
  if (!isObject(stored)) return { code: "bad_model", reason: R_X_OBJECT, path: "", received: kindOf(stored) };
  const messages = own(stored, "messages");
  if (messages === undefined) return { code: "bad_model", reason: R_MISSING, path: "/messages" };
  translateMessages(messages, "/messages", () => {});
  const { fault } = enforceList(messages, "Message", { unknownEnum: "fatal", names });
  if (fault !== undefined) return { code: "bad_model", ...fault, path: `/messages${fault.path}` };
  const state = own(stored, "state");
  return makeModel(messages as JsonObject[], state === undefined ? {} : state, source, limits, held);
}
