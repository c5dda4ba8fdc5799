import { type JsonObject, own } from "../../../../json/object.js";

/** Blocks of what has ended that are kept. */
const MOST_ENDED = 1024;

/** A step, a reasoning span or a subagent. */
interface Span {
  /** Messages that were held when it came. */
  readonly at: number;
  running: boolean;
  block: JsonObject;
}

/** What an event says of a block of this kind. */
export type SpanChange =
  | { readonly kind: "whole"; readonly block: JsonObject }
  | { readonly kind: "status"; readonly block: JsonObject }
  /** Too many have ended: they are gone. */
  | { readonly kind: "forgotten" };

/** Where the parent of a subagent is named, with what its block's id begins with, the first one first; the members that keep all of them. */
const PARENTS = [
  ["parentToolCallId", "tool:", "parent_tool_call_id"],
  ["parentMessageId", "message:", "parent_message_id"],
  ["parentSubagentRunId", "subagent:", "parent_subagent_run_id"],
] as const;

/** The blocks of steps, reasoning spans and subagents, which no snapshot keeps (docs/adapter.md §4). */
export class Spans {
  private spans: Span[] = [];
  /** Those that are running, by what the events call them. */
  private readonly running = new Map<string, Span>();
  private ended = 0;
  private count = 0;

  /** A run begins. */
  clear(): void {
    this.spans = [];
    this.running.clear();
    this.ended = 0;
  }

  /** Begins anew, as just made. */
  reset(): void {
    this.clear();
    this.count = 0;
  }

  /**
   * Follows an accepted event.
   *
   * @param at messages that are held
   */
  take(event: JsonObject, at: number): SpanChange | undefined {
    switch (event.type) {
      case "STEP_STARTED":
        return this.begin(keyOf("step", event.stepName, event.subagentRunId), at, {
          id: `step:${++this.count}`,
          type: "step",
          status: "running",
          ...groupOf(event),
          name: event.stepName,
        });
      case "REASONING_START":
        return this.begin(keyOf("span", event.messageId), at, {
          id: `span:${++this.count}`,
          type: "reasoning_span",
          status: "running",
          ...groupOf(event),
          span_id: event.messageId,
        });
      case "SUBAGENT_STARTED":
        return this.begin(keyOf("subagent", event.subagentRunId), at, subagentBlock(event));
      case "STEP_FINISHED":
        return this.end(keyOf("step", event.stepName, event.subagentRunId), ({ block }) => {
          block.status = "complete";
        });
      case "REASONING_END":
        return this.end(keyOf("span", event.messageId), ({ block }) => {
          block.status = "complete";
        });
      case "SUBAGENT_FINISHED":
      case "SUBAGENT_ERROR":
        return this.end(keyOf("subagent", event.subagentRunId), ({ block }) => endSubagent(block, event), true);
      default:
        return undefined;
    }
  }

  /** Gives the blocks in the order of a `start`: called with rising indexes of messages, at last with Infinity. */
  between(): (index: number) => readonly JsonObject[] {
    const { spans } = this;
    let next = 0;
    return (index) => {
      const from = next;
      while (next < spans.length && spans[next]!.at <= index) next++;
      return spans.slice(from, next).map(({ block }) => block);
    };
  }

  /** The block of that id; the youngest are asked for most. */
  find(id: string): JsonObject | undefined {
    return this.spans.findLast(({ block }) => block.id === id)?.block;
  }

  private begin(key: string, at: number, block: JsonObject): SpanChange {
    const span = { at, running: true, block };
    this.spans.push(span);
    this.running.set(key, span);
    return { kind: "whole", block };
  }

  private end(key: string, change: (span: Span) => void, whole = false): SpanChange | undefined {
    const span = this.running.get(key);
    if (span === undefined) return undefined;
    this.running.delete(key);
    span.running = false;
    change(span);
    if (++this.ended <= MOST_ENDED) return { kind: whole ? "whole" : "status", block: span.block };
    this.spans = this.spans.filter(({ running }) => running);
    this.ended = 0;
    return { kind: "forgotten" };
  }
}

function keyOf(...names: unknown[]): string {
  return JSON.stringify(names.map((name) => name ?? null));
}

function groupOf(event: JsonObject): JsonObject {
  const group = own(event, "subagentRunId");
  return group === undefined ? {} : { group_id: group };
}

function subagentBlock(event: JsonObject): JsonObject {
  const { subagentRunId: id } = event;
  const block: JsonObject = { id: `subagent:${id as string}`, type: "subagent", status: "running" };
  const parent = PARENTS.find(([member]) => own(event, member) !== undefined);
  if (parent !== undefined) block.parent_id = parent[1] + (event[parent[0]] as string);
  block.group_id = id;
  block.name = event.name;
  if (own(event, "description") !== undefined) block.description = event.description;
  for (const [member, , name] of PARENTS) if (own(event, member) !== undefined) block[name] = event[member];
  return block;
}

function endSubagent(block: JsonObject, event: JsonObject): void {
  if (event.type === "SUBAGENT_ERROR") {
    block.status = "failed";
    const error: JsonObject = { message: event.message };
    if (own(event, "code") !== undefined) error.code = event.code;
    block.error = error;
    return;
  }
  const outcome = own(event, "outcome") as JsonObject | undefined;
  block.status = outcome?.type === "suspended" ? "suspended" : "complete";
  if (outcome !== undefined) block.outcome = outcome;
  const result = own(event, "result");
  if (result !== undefined) block.result = result;
}
