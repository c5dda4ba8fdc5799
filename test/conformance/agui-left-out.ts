import type { AguiEvent } from "../support/agui-events.js";

/** What streamfold and `@ag-ui/client` 1.0.0 are known to take differently. Such events are given to neither; everything else must come out alike. */
export interface LeftOut {
  name: string;
  /** Why they differ, and what streamfold does. */
  reason: string;
  applies(event: AguiEvent, before: Before): boolean;
}

/** What the stream has named so far. */
interface Before {
  messages: Set<string>;
  /** Messages whose content is a list of parts. */
  lists: Set<string>;
  /** Ids that two messages may have. */
  twice: Set<string>;
}

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const operations = (event: AguiEvent): unknown[] => listOf(event.type === "ACTIVITY_DELTA" ? event.patch : event.delta);
const isPatch = ({ type }: AguiEvent): boolean => type === "STATE_DELTA" || type === "ACTIVITY_DELTA";
const pointers = (operation: unknown): string[] =>
  isObject(operation) ? [operation.path, operation.from].filter((pointer) => typeof pointer === "string") : [];

const lacks = (value: unknown, discriminator: string): boolean =>
  isObject(value) && typeof value[discriminator] !== "string";
const partsLack = (content: unknown): boolean =>
  listOf(content).some((part) => lacks(part, "type") || (isObject(part) && lacks(part.source, "type")));

export const LEFT_OUT: readonly LeftOut[] = [
  {
    name: "a type that is no string or empty",
    reason: "the client judges it in its reader of SSE, which events given as objects never pass; here it is bad_event",
    applies: ({ type }) => typeof type !== "string" || type === "",
  },
  {
    name: "a patch operation without an op that is a string",
    reason: "the client removes it like an unknown operation; the specification says that wrong members are malformed",
    applies: (event) => isPatch(event) && operations(event).some((one) => isObject(one) && typeof one.op !== "string"),
  },
  {
    name: "a patch through __proto__ or constructor/prototype",
    reason:
      "the client's patch library refuses these names; here they are ordinary members that a JSON pointer reaches",
    applies: (event) =>
      isPatch(event) &&
      operations(event).some((one) => pointers(one).some((pointer) => pointer.includes("/__proto__"))),
  },
  {
    name: "a move into itself",
    reason: "the client's patch library makes a value that contains itself; here the patch fails (RFC 6902 §4.4)",
    applies: (event) =>
      isPatch(event) &&
      operations(event).some(
        (one) => isObject(one) && one.op === "move" && String(one.path).startsWith(`${one.from}/`),
      ),
  },
  {
    name: "a move out of an array to below one of its other elements",
    reason:
      "the client's patch library looks for the target before the source is gone, and the elements behind it have moved up",
    applies: (event) =>
      isPatch(event) &&
      operations(event).some((one) => {
        if (!isObject(one) || one.op !== "move") return false;
        const [, array] = /^(.*\/)\d+$/.exec(String(one.from)) ?? [];
        return (
          array !== undefined &&
          String(one.path).startsWith(array) &&
          String(one.path).slice(array.length).includes("/")
        );
      }),
  },
  {
    name: "a patch that removes the root, or goes on below one that it has set",
    reason: "the client takes null for what is left, and writes below strings; here both patches fail",
    applies: (event) =>
      isPatch(event) &&
      operations(event).some(
        (one, index, { length }) => isObject(one) && one.path === "" && (one.op === "remove" || index < length - 1),
      ),
  },
  {
    name: "a patch of an activity's whole content",
    reason: "the client stores what is no object; here the patch fails",
    applies: (event) => event.type === "ACTIVITY_DELTA" && operations(event).some((one) => pointers(one).includes("")),
  },
  {
    name: "a member of a union that does not say which",
    reason:
      "the client removes it like one that it does not know; here a missing role or type is malformed, like any other member",
    applies: ({ messages, input, content, outcome }) =>
      [...listOf(messages), ...listOf(isObject(input) ? input.messages : undefined)].some(
        (message) => lacks(message, "role") || (isObject(message) && partsLack(message.content)),
      ) ||
      partsLack(content) ||
      lacks(outcome, "type"),
  },
  {
    name: "metadata null in a part of a tool result",
    reason: "the client forgives it in messages only; here in parts wherever they are",
    applies: ({ type, content }) =>
      type === "TOOL_CALL_RESULT" && listOf(content).some((part) => isObject(part) && part.metadata === null),
  },
  {
    name: "a call without an assistant's message for a parent, whose id a message has",
    reason: "the client adds a second message of that id; here an assistant's message of that id takes the call",
    applies: ({ type, toolCallId, parentMessageId }, { messages }) =>
      (type === "TOOL_CALL_START" || type === "TOOL_CALL_CHUNK") &&
      (typeof parentMessageId !== "string" || messages.has(parentMessageId)) &&
      messages.has(toolCallId as string),
  },
  {
    name: "a snapshot with a message whose id two held messages have",
    reason: "the client puts one object in both places, so that text for the first comes to both; here each is its own",
    applies: ({ type, messages }, { twice }) =>
      type === "MESSAGES_SNAPSHOT" &&
      listOf(messages).some((message) => isObject(message) && twice.has(message.id as string)),
  },
  {
    name: "text for a message whose content is a list",
    reason: "the client writes over the list; here the text is ignored with a warning",
    applies: ({ type, messageId }, { lists }) =>
      /^(TEXT|REASONING)_MESSAGE_/.test(type) && lists.has(messageId as string),
  },
  {
    name: "the empty id as parent of a call",
    reason: "the client takes it for none; here it is an id like others",
    applies: ({ parentMessageId }) => parentMessageId === "",
  },
];

/** The events that both are given; `used` counts what was left out by name. */
export function comparable(events: readonly AguiEvent[], used: Map<string, number>): AguiEvent[] {
  const before: Before = { messages: new Set(), lists: new Set(), twice: new Set() };
  return events.filter((event) => {
    const left = LEFT_OUT.filter(({ applies }) => typeof event.type === "string" && applies(event, before));
    if (typeof event.type !== "string") left.push(LEFT_OUT[0] as LeftOut);
    for (const { name } of left) used.set(name, (used.get(name) ?? 0) + 1);
    if (left.length > 0) return false;
    remember(event, before);
    return true;
  });
}

function remember(
  { type, messageId, parentMessageId, toolCallId, content, messages, input }: AguiEvent,
  before: Before,
) {
  if (type === "TOOL_CALL_RESULT" && before.messages.has(messageId as string)) before.twice.add(messageId as string);
  for (const id of [messageId, parentMessageId]) if (typeof id === "string") before.messages.add(id);
  if (type.startsWith("TOOL_CALL") && typeof toolCallId === "string") before.messages.add(toolCallId);
  const echoed = isObject(input) ? input.messages : undefined;
  for (const message of [{ id: messageId, content }, ...listOf(messages), ...listOf(echoed)]) {
    if (!isObject(message) || typeof message.id !== "string") continue;
    before.messages.add(message.id);
    if (Array.isArray(message.content)) before.lists.add(message.id);
  }
}
