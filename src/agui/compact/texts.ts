import { type JsonObject, own } from "../../json/object.js";
import { joinCommon } from "./folded-value.js";

/** Where a delta goes: a message or a tool call. */
export type Target = `m:${string}` | `c:${string}`;

/** Members that name what an event concerns, by what they name; other types concern neither messages nor calls. */
const CONCERNS: Readonly<Record<string, readonly [kind: "m" | "c", member: string][]>> = {
  TEXT_MESSAGE_START: [["m", "messageId"]],
  TEXT_MESSAGE_END: [["m", "messageId"]],
  REASONING_MESSAGE_START: [["m", "messageId"]],
  REASONING_MESSAGE_END: [["m", "messageId"]],
  // A call may bring its message, with the id of its parent or its own.
  TOOL_CALL_START: [
    ["c", "toolCallId"],
    ["m", "toolCallId"],
    ["m", "parentMessageId"],
  ],
  TOOL_CALL_END: [["c", "toolCallId"]],
  TOOL_CALL_RESULT: [["m", "messageId"]],
  ACTIVITY_SNAPSHOT: [["m", "messageId"]],
  ACTIVITY_DELTA: [["m", "messageId"]],
  REASONING_ENCRYPTED_VALUE: [
    ["m", "entityId"],
    ["c", "entityId"],
  ],
};

/** The deltas of a batch by what they are appended to, as long as nothing came in between that concerns it, too. */
export class OpenTexts {
  private readonly last = new Map<Target, JsonObject>();
  private readonly openers = new WeakSet<JsonObject>();
  private readonly most: number;

  /** @param most code units of a joined delta */
  constructor(most: number) {
    this.most = most;
  }

  /**
   * A delta becomes part of the one before, where that has the same spelling.
   *
   * @returns whether it has
   */
  join(target: Target, later: JsonObject): boolean {
    const earlier = this.last.get(target);
    if (earlier === undefined || earlier.type !== later.type) return false;
    // An opener's metadata counts even where its content does not, and comes before it.
    if (this.openers.has(earlier) && Object.hasOwn(later, "metadata")) return false;
    const text =
      ((own(earlier, "delta") as string | undefined) ?? "") + ((own(later, "delta") as string | undefined) ?? "");
    if (text.length > this.most) return false;
    earlier.delta = text;
    joinCommon(earlier, later);
    return true;
  }

  /** A delta that stands for itself; `isOpener`: a chunk that begins its item. */
  stand(target: Target, event: JsonObject, isOpener = false): void {
    this.last.set(target, event);
    if (isOpener) this.openers.add(event);
  }

  /** What an event concerns is not what it was for the deltas before it. */
  part(event: JsonObject): void {
    for (const [kind, member] of CONCERNS[event.type as string] ?? []) {
      const id = own(event, member);
      if (typeof id === "string") this.last.delete(`${kind}:${id}`);
    }
  }

  partAll(): void {
    this.last.clear();
  }
}
