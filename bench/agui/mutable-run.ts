import type { AguiEvent, AguiModel, Operation } from "./fixtures.js";

/** Applies operations to a value in place, or gives another. */
export type Apply = (state: unknown, operations: Operation[]) => unknown;

interface Call {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

interface Message {
  [member: string]: unknown;
  id: string;
  role: string;
  content?: string;
  toolCalls?: Call[];
}

/** A mutable apply by hand: it checks less than RFC 6902 asks, and cannot roll back. */
export function mutableApply(state: unknown, operations: Operation[]): unknown {
  for (let index = 0; index < operations.length; index++) {
    const { path, value } = operations[index]!;
    let at = state as Record<string, unknown>;
    let from = 1;
    for (let next = path.indexOf("/", from); next >= 0; next = path.indexOf("/", from)) {
      at = at[unescapeToken(path.slice(from, next))] as Record<string, unknown>;
      from = next + 1;
    }
    const last = unescapeToken(path.slice(from));
    if (!(last in at)) throw new Error(`no member ${last}`);
    at[last] = value;
  }
  return state;
}

function unescapeToken(token: string): string {
  return token.includes("~") ? token.replaceAll("~1", "/").replaceAll("~0", "~") : token;
}

/** The hand-tuned reducer of an AG-UI program: a Map for messages, one for calls, `+=`. It checks next to nothing. */
export class MutableRun {
  readonly #messages: Message[] = [];
  readonly #byId = new Map<string, Message>();
  readonly #calls = new Map<string, { call: Call; message: Message }>();
  readonly #apply: Apply;
  // tokens of one item come in runs, and comparing with the last id is cheaper than a lookup
  #lastId: string | undefined;
  #lastMessage: Message | undefined;
  #lastCallId: string | undefined;
  #lastCall: Call | undefined;
  #state: unknown;

  constructor(state: unknown, apply: Apply = mutableApply) {
    this.#state = state === undefined ? {} : structuredClone(state);
    this.#apply = apply;
  }

  model(): AguiModel {
    return { messages: this.#messages, state: this.#state };
  }

  /** Applies one event; the event must not be used afterwards. */
  apply(event: AguiEvent): void {
    switch (event.type) {
      case "TEXT_MESSAGE_CONTENT":
      case "REASONING_MESSAGE_CONTENT":
        this.text(event.messageId as string, event.delta as string);
        break;
      case "TOOL_CALL_ARGS":
        this.args(event.toolCallId as string, event.delta as string);
        break;
      case "TEXT_MESSAGE_START": {
        const id = event.messageId as string;
        this.#add({ id, role: (event.role as string | undefined) ?? "assistant", content: "" });
        break;
      }
      case "REASONING_MESSAGE_START":
        this.#add({ id: event.messageId as string, role: "reasoning", content: "" });
        break;
      case "STATE_DELTA":
        this.#state = this.#apply(this.#state, event.delta as Operation[]);
        break;
      case "STATE_SNAPSHOT":
        this.#state = event.snapshot;
        break;
      case "TOOL_CALL_START":
        this.#call(event);
        break;
      case "TOOL_CALL_RESULT":
        this.#result(event);
        break;
    }
  }

  text(messageId: string, delta: string): void {
    if (messageId !== this.#lastId) {
      this.#lastMessage = this.#byId.get(messageId);
      this.#lastId = messageId;
    }
    if (this.#lastMessage === undefined) throw new Error("no such message");
    this.#lastMessage.content += delta;
  }

  args(toolCallId: string, delta: string): void {
    if (toolCallId !== this.#lastCallId) {
      this.#lastCall = this.#calls.get(toolCallId)?.call;
      this.#lastCallId = toolCallId;
    }
    if (this.#lastCall === undefined) throw new Error("no such call");
    this.#lastCall.function.arguments += delta;
  }

  #add(message: Message): void {
    this.#messages.push(message);
    this.#byId.set(message.id, message);
    this.#lastId = undefined;
  }

  #call(event: AguiEvent): void {
    const id = event.toolCallId as string;
    const owner = (event.parentMessageId as string | undefined) ?? id;
    let message = this.#byId.get(owner);
    if (message === undefined) {
      message = { id: owner, role: "assistant" };
      this.#add(message);
    }
    const call: Call = { id, type: "function", function: { name: event.toolCallName as string, arguments: "" } };
    message.toolCalls ??= [];
    message.toolCalls.push(call);
    this.#calls.set(id, { call, message });
    this.#lastCallId = undefined;
  }

  /** A result stands behind the message that holds its call, and the results that are there already. */
  #result(event: AguiEvent): void {
    const { messageId, toolCallId, content } = event as AguiEvent & Record<string, string>;
    const result = { id: messageId!, toolCallId, role: "tool", content: content! };
    const held = this.#calls.get(toolCallId!);
    let at = held === undefined ? this.#messages.length : this.#messages.lastIndexOf(held.message) + 1;
    while (at < this.#messages.length && this.#messages[at]!.role === "tool") at++;
    this.#messages.splice(at, 0, result);
    this.#byId.set(result.id, result);
  }
}
