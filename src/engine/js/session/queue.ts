import type { JsonObject } from "../../../json/object.js";
import { nestingOf, utf8Length } from "../../../json/text.js";

/** A message that waits for its stream to be resumed. */
export interface QueuedMessage {
  readonly eventIndex: number;
  /** Start of the message in the wire, -1 for an event that came as a value. */
  readonly byteOffset: number;
  readonly text: string;
}

/** What arrives for a paused stream; bounded in bytes of text. */
export class MessageQueue {
  readonly messages: QueuedMessage[] = [];
  /** An event was lost: the stream ends up refused. */
  lost = false;
  private bytes = 0;
  private readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** A queue of the same messages. */
  copy(): MessageQueue {
    const copy = new MessageQueue(this.limit);
    copy.messages.push(...this.messages);
    copy.lost = this.lost;
    copy.bytes = this.bytes;
    return copy;
  }

  /** @returns false when the message does not fit */
  add(message: QueuedMessage): boolean {
    const bytes = this.bytes + utf8Length(message.text);
    if (bytes > this.limit) return false;
    this.bytes = bytes;
    this.messages.push(message);
    return true;
  }
}

/** Strings, kept, and the white space between tokens. */
const SPACE = /("(?:[^"\\]|\\.)*")|[ \t\n\r]+/gs;

/** The message with its text as compact JSON. */
export function compact(message: QueuedMessage): QueuedMessage {
  return { ...message, text: message.text.replace(SPACE, "$1") };
}

/** The object that a queued text is, when it is one of no more than `depth` levels; else undefined. */
export function objectOf(text: string, depth: number): JsonObject | undefined {
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof event !== "object" || event === null || Array.isArray(event)) return undefined;
  return nestingOf(text, depth + 1) <= depth ? (event as JsonObject) : undefined;
}
