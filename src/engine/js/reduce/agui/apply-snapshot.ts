import { R_LIMIT_BLOCKS, R_LIMIT_DEPTH } from "../../../../../assembly/abi/codes.js";
import { type JsonObject, own } from "../../../../json/object.js";
import { copyTree } from "../../../../json/tree.js";
import type { Effect } from "./effect.js";
import { MessageEntry, MessageList } from "./messages.js";
import { STATE_LEVEL } from "./model.js";
import type { AguiViolation } from "./violation.js";

type Outcome = AguiViolation | undefined;

/** MESSAGES_SNAPSHOT: replaces, keeps, drops and appends messages, without changing their order. */
export function applySnapshot(effect: Effect, event: JsonObject): Outcome {
  const { model, limits, source } = effect;
  const before = model.messages;
  const messages = event.messages as JsonObject[];
  const brought = new Map(messages.map((message) => [message.id as string, message]));
  const keeps = new Set(["activity", "reasoning"].filter((role) => !messages.some((message) => message.role === role)));

  // What stays as an entry, what the snapshot brings as a value.
  const places: (MessageEntry | JsonObject)[] = [];
  const placed = new Set<string>();
  let repeats = false;
  for (const held of before) {
    const message = brought.get(held.id);
    if (message !== undefined) {
      repeats ||= placed.has(held.id);
      placed.add(held.id);
      places.push(message);
    } else if (keeps.has(held.role)) {
      places.push(held);
    }
  }
  for (const [id, message] of brought) if (!placed.has(id)) places.push(message);

  if (places.length > limits.blocks) return effect.refuse(R_LIMIT_BLOCKS, "/messages");
  if (model.isTooDeep(messages, STATE_LEVEL, source)) return effect.refuse(R_LIMIT_DEPTH, "/messages");
  const growth = (): number => {
    const lengths = new Map<MessageEntry | JsonObject, number>();
    // The brackets, and a comma before all but the first.
    let bytes = 2 + Math.max(places.length - 1, 0);
    for (const place of places) {
      let length = lengths.get(place);
      if (length === undefined) {
        length = model.lengthOf(place instanceof MessageEntry ? place.value : place);
        lengths.set(place, length);
      }
      bytes += length;
    }
    return bytes - model.lengthOf(before.values());
  };
  // Where several held messages have one id, what the event brings is no bound of what comes of it.
  const bound = repeats ? Number.POSITIVE_INFINITY : source.bytes;
  const refused = effect.refuse(model.admit(undefined, STATE_LEVEL, source, growth, bound), "/messages");
  if (refused !== undefined) return refused;

  const list = new MessageList();
  list.generation = before.generation + 1;
  const used = new Set<JsonObject>();
  for (const place of places) {
    if (place instanceof MessageEntry) {
      list.push(place);
    } else {
      list.push(new MessageEntry(used.has(place) ? (copyTree(place) as JsonObject) : place));
      used.add(place);
    }
  }
  // Nothing follows that could fail.
  model.messages = list;
  effect.tell((changes) => changes.start());
  return undefined;
}

/** RUN_STARTED.input: appends the messages whose ids are not held. */
export function appendInput(effect: Effect, event: JsonObject): Outcome {
  const input = own(event, "input") as JsonObject | undefined;
  if (input === undefined) return undefined;
  const { model, limits, source } = effect;
  const { messages } = model;
  const added = new Map<string, JsonObject>();
  for (const message of input.messages as JsonObject[]) {
    const id = message.id as string;
    if (messages.find(id) === undefined && !added.has(id)) added.set(id, message);
  }
  if (added.size === 0) return undefined;
  const path = "/input/messages";
  if (messages.length + added.size > limits.blocks) return effect.refuse(R_LIMIT_BLOCKS, path);
  const list = [...added.values()];
  const growth = (): number => model.lengthOf(list) - 2 + (messages.length > 0 ? 1 : 0);
  const refused = effect.refuse(model.admit(list, STATE_LEVEL, source, growth), path);
  if (refused !== undefined) return refused;
  for (const message of list) {
    const entry = new MessageEntry(message);
    const index = messages.length;
    messages.push(entry);
    effect.tell((changes) => changes.insert(entry, index));
  }
  return undefined;
}
