import { cloneValue } from "../engine/js/codec/clone.js";
import { type Fault, StreamfoldError } from "../errors.js";
import { type JsonObject, own, put } from "../json/object.js";
import { isObject } from "../json/tree.js";
import { EVENT_SHAPES, EVENT_TYPES, SHAPES } from "../schema/agui.generated.js";
import { brokenRule } from "./event-rules.js";
import { type OwnTree, ownTree, strictFault } from "./judge-value.js";
import type { AGUIEvent, AGUIEventType } from "./types.generated.js";

/** The event of a type. */
export type EventOf<Type extends AGUIEventType> = Extract<AGUIEvent, { type: Type }>;

type OptionalKeys<T> = { [K in keyof T]-?: object extends Pick<T, K> ? K : never }[keyof T];
/** `role` has one value where the schema requires it. */
type Implied<Type extends AGUIEventType> = Type extends "REASONING_MESSAGE_START" ? "role" : never;

/** What a constructor takes: all members of the event but its `type`; optional ones may be undefined, which leaves them out. */
export type EventFields<Type extends AGUIEventType> = Omit<
  EventOf<Type>,
  "type" | OptionalKeys<EventOf<Type>> | Implied<Type>
> & { [K in OptionalKeys<EventOf<Type>> | Implied<Type>]?: EventOf<Type>[K & keyof EventOf<Type>] | undefined };

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Words<Tail>}`
  : Lowercase<Name>;
type Words<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Capitalize<Lowercase<Head>>}${Words<Tail>}`
  : Capitalize<Lowercase<Name>>;

/** One constructor for each type of event: `TEXT_MESSAGE_START` is `textMessageStart`. */
export type EventConstructors = {
  readonly [Type in AGUIEventType as CamelCase<Type>]: (fields: EventFields<Type>) => EventOf<Type>;
};

/**
 * Makes an event, or refuses it (AG-UI A2, B3, B6): members that the schema does not describe, members that it wants and that are missing, nulls in
 * the place of what is absent, values that it rejects; an interrupt's id that stands twice (H2), counts of tokens that contradict each other (O14),
 * the type of an encrypted value without the value (T9), two messages of one id (B11). Whether it may follow what was sent is the producer's to say.
 *
 * @param type one of the 31 event types
 * @param fields its other members, plain JSON values; they are copied, and those that are undefined left out. `role` of REASONING_MESSAGE_START is filled in
 * @returns a value of the caller's own
 * @throws StreamfoldError `bad_event` with a path into the event; `not_json`, `too_deep` (512 levels) with a path
 */
export function event<Type extends AGUIEventType>(type: Type, fields: EventFields<Type>): EventOf<Type> {
  if (typeof type !== "string") throw malformed({ path: "/type", detail: "it is a string" });
  const { value } = judgeFields(type, fields);
  return cloneValue(value, "number") as EventOf<Type>;
}

/** The constructors by name: `events.textMessageStart({ messageId: "m" })` is `event("TEXT_MESSAGE_START", { messageId: "m" })`. */
export const events: EventConstructors = /* @__PURE__ */ constructors();

function constructors(): EventConstructors {
  const made: Record<string, unknown> = {};
  for (const type of EVENT_TYPES) {
    const name = type.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    made[name] = (fields: EventFields<AGUIEventType>) => event(type as AGUIEventType, fields);
  }
  return Object.freeze(made) as EventConstructors;
}

function judgeFields(type: string, fields: unknown): OwnTree {
  const tree = ownTree(fields);
  if (!isObject(tree.value)) throw malformed({ path: "", detail: "the members of an event are an object" });
  if (Object.hasOwn(tree.value, "type"))
    throw malformed({ path: "/type", detail: "it is given apart", eventType: type });
  const whole: JsonObject = { type };
  const shape = Object.hasOwn(EVENT_SHAPES, type) ? SHAPES[EVENT_SHAPES[type] as string] : undefined;
  for (const { name, rule, required } of shape?.members ?? []) {
    if (required && rule.kind === "const" && name !== "type" && !Object.hasOwn(tree.value, name))
      whole[name] = rule.value;
  }
  for (const name of Object.keys(tree.value)) put(whole, name, tree.value[name]);
  judgeEvent(whole);
  return { ...tree, value: whole };
}

/**
 * Holds a whole event to the schema and the rules that it has to keep by itself.
 *
 * @param value of our own; not changed when it passes
 * @throws StreamfoldError `bad_event` with a path
 */
export function judgeEvent(value: unknown): asserts value is JsonObject & { type: AGUIEventType } {
  if (!isObject(value)) throw malformed({ path: "", detail: "an event is an object" });
  const type = own(value, "type");
  if (typeof type !== "string") throw malformed({ path: "/type", detail: "it must be a string" });
  if (!Object.hasOwn(EVENT_SHAPES, type))
    throw malformed({
      path: "/type",
      detail: "the protocol has no such event: CUSTOM and RAW carry what is private",
      eventType: type,
    });
  const fault = strictFault(value, EVENT_SHAPES[type] as string) ?? brokenRule(value);
  if (fault !== undefined) throw malformed({ ...fault, eventType: type });
}

function malformed(fault: Omit<Fault, "code">): StreamfoldError {
  return new StreamfoldError({ code: "bad_event", ...fault });
}
