import { REASONING_LANE, TEXT_LANE, TOOL_LANE } from "../engine/js/reduce/agui/lanes.js";
import type { CallEntry, MessageEntry } from "../engine/js/reduce/agui/messages.js";
import type { AguiReducer } from "../engine/js/reduce/agui/reducer.js";
import { CALL, MESSAGE, REASONING, RUNNING } from "../engine/js/reduce/agui/track.js";
import type { Fault } from "../errors.js";
import { type JsonObject, own } from "../json/object.js";
import type { Interrupt } from "./types.generated.js";

type Verdict = Fault | undefined;

/** What a producer knows of its thread besides what it has sent. */
export interface Thread {
  /** Of the run input. */
  threadId: string | undefined;
  /** Names of the tools that the client runs itself. */
  clientTools: ReadonlySet<string>;
  /** Interrupts of the run before that the input does not answer. */
  uncovered: readonly Interrupt[];
  /** What RUN_STARTED declares; null: nothing. */
  protocolVersion: string | null;
}

/**
 * What binds producers and no consumer looks for: how an event agrees with what it continues (docs/agui-producing.md). Events have been expanded;
 * what a verifier refuses is left to it.
 */
export class ProducerRules {
  private readonly reducer: AguiReducer;
  private readonly thread: Thread;
  /** Ids of the runs that have started. */
  private readonly runIds = new Set<string>();
  /** Subagents that events of this run were attributed to. */
  private tags = new Set<string>();

  constructor(reducer: AguiReducer, thread: Thread) {
    this.reducer = reducer;
    this.thread = thread;
  }

  /** An event was accepted. */
  accept(event: JsonObject): void {
    if (event.type === "RUN_STARTED") {
      this.runIds.add(event.runId as string);
      this.tags = new Set();
      return;
    }
    const tag = own(event, "subagentRunId") as string | undefined;
    if (tag !== undefined) this.tags.add(tag);
  }

  /**
   * @param event one of those that the given one stands for
   * @param given it itself, or the chunk
   */
  judge(event: JsonObject, given: JsonObject): Verdict {
    const type = event.type as string;
    if (type === "RUN_STARTED") return this.judgeStart(event);
    if (this.reducer.track.phase !== RUNNING) return undefined;
    switch (type) {
      case "RUN_FINISHED":
        return this.judgeFinish(event);
      case "TEXT_MESSAGE_START":
      case "REASONING_MESSAGE_START":
        return this.judgeMessage(event, type, given);
      case "TOOL_CALL_START":
        return this.judgeCall(event);
      case "TOOL_CALL_RESULT":
        return this.judgeResult(event);
      case "ACTIVITY_SNAPSHOT":
      case "ACTIVITY_DELTA":
        return this.judgeActivity(event, type);
      case "REASONING_ENCRYPTED_VALUE":
        return this.judgeEncrypted(event);
      case "MESSAGES_SNAPSHOT":
        return this.judgeSnapshot(event);
      case "SUBAGENT_STARTED": {
        const id = event.subagentRunId as string;
        if (!this.tags.has(id) || this.reducer.track.subagents.has(id)) return undefined;
        return bad(event, "bad_order", "subagentRunId", "events were attributed to it before it was announced");
      }
      default:
        return undefined;
    }
  }

  // ---------------------------------------------------------------- runs

  /** B10, C2, J7, J11 */
  private judgeStart(event: JsonObject): Verdict {
    const { threadId, protocolVersion } = this.thread;
    if (threadId !== undefined && event.threadId !== threadId)
      return bad(event, "bad_event", "threadId", "it is not the threadId of the input");
    if (this.runIds.has(event.runId as string))
      return bad(event, "bad_event", "runId", "a run of this stream had it before");
    if ((own(event, "protocolVersion") ?? null) !== protocolVersion)
      return bad(event, "bad_event", "protocolVersion", "it is not the version that this producer declares");
    return undefined;
  }

  /** C2, R11, R12, H10 */
  private judgeFinish(event: JsonObject): Verdict {
    const { run, track } = this.reducer;
    for (const name of ["threadId", "runId"] as const) {
      if (event[name] !== run[name]) return bad(event, "bad_event", name, "it is not that of the run");
    }
    const outcome = own(event, "outcome") as JsonObject | undefined;
    const pending = track.pendingCalls();
    const named = outcome === undefined ? undefined : (own(outcome, "pendingToolCallIds") as string[] | undefined);
    if (named !== undefined && (named.length !== pending.length || named.some((id, i) => id !== pending[i])))
      return bad(event, "bad_event", "outcome/pendingToolCallIds", `the calls without a result are ${list(pending)}`);
    const interrupts = outcome?.type === "interrupt" ? (outcome.interrupts as Interrupt[]) : undefined;
    const theirs = interrupts === undefined ? undefined : pending.find((id) => this.isClients(id));
    if (theirs !== undefined)
      return bad(
        event,
        "bad_order",
        "outcome",
        `the call ${JSON.stringify(theirs)} is the client's: such a run is no interrupted one`,
      );
    if (outcome?.type === "cancelled") return undefined;
    const raised = new Set(interrupts?.map(({ id }) => id));
    const dropped = this.thread.uncovered.filter(({ id }) => !raised.has(id)).map(({ id }) => id);
    if (dropped.length === 0) return undefined;
    return bad(
      event,
      "bad_order",
      "outcome",
      `nobody has answered the interrupts ${list(dropped)}: they are raised again`,
    );
  }

  // ---------------------------------------------------------------- messages

  /** Q3: a message that goes on is what it was. */
  private judgeMessage(event: JsonObject, type: string, given: JsonObject): Verdict {
    const held = this.find(event, "messageId");
    if (held === undefined) return undefined;
    const role = type === "REASONING_MESSAGE_START" ? "reasoning" : (own(event, "role") ?? "assistant");
    if (role !== held.role) {
      const name = type === "TEXT_MESSAGE_START" && Object.hasOwn(given, "role") ? "role" : "messageId";
      return bad(event, "bad_event", name, `the message is of the role ${JSON.stringify(held.role)}`);
    }
    if (Array.isArray(own(held.value, "content")))
      return bad(event, "bad_event", "messageId", "the message has parts, and no text to go on with");
    const name = own(event, "name");
    if (name !== undefined && name !== own(held.value, "name"))
      return bad(event, "bad_event", "name", "the message has another one");
    return foreign(event, held);
  }

  /** R2, R5, W10, B11 */
  private judgeCall(event: JsonObject): Verdict {
    const call = this.findCall(event.toolCallId as string);
    const parentId = own(event, "parentMessageId") as string | undefined;
    if (call !== undefined) {
      if (call.function.name !== event.toolCallName)
        return bad(event, "bad_event", "toolCallName", "the call has another one");
      if (parentId !== undefined && parentId !== call.message.id)
        return bad(event, "bad_event", "parentMessageId", "the call has another one");
      return foreign(event, call.message);
    }
    const parent = parentId === undefined ? undefined : this.find(event, "parentMessageId");
    if (parent !== undefined) {
      if (parent.role !== "assistant")
        return bad(event, "bad_event", "parentMessageId", "the message is no assistant's");
      return foreign(event, parent);
    }
    const namesake = parentId === undefined ? this.find(event, "toolCallId") : undefined;
    if (namesake !== undefined && namesake.role !== "assistant")
      return bad(event, "bad_event", "toolCallId", "the call needs a message of this id, and another one has it");
    return undefined;
  }

  /** R11, B11 */
  private judgeResult(event: JsonObject): Verdict {
    if (this.isClients(event.toolCallId as string))
      return bad(event, "bad_order", "toolCallId", "the tool is the client's, which answers in the next run");
    if (this.find(event, "messageId") !== undefined)
      return bad(event, "bad_event", "messageId", "another message has it");
    return undefined;
  }

  /** G5, B11 */
  private judgeActivity(event: JsonObject, type: string): Verdict {
    const held = this.find(event, "messageId");
    if (held === undefined) {
      if (type === "ACTIVITY_SNAPSHOT") return undefined;
      return bad(event, "bad_order", "messageId", "a delta needs the snapshot of its activity first");
    }
    if (held.role === "activity") return undefined;
    return bad(event, "bad_event", "messageId", "the message is no activity");
  }

  /** What is open goes on in the message or call that the snapshot has of it; chunk streams end before it. */
  private judgeSnapshot(event: JsonObject): Verdict {
    const { track } = this.reducer;
    const messages = event.messages as JsonObject[];
    const lost = (id: string) => {
      return bad(event, "bad_order", "messages", `${JSON.stringify(id)} is open and would not be there any more`);
    };
    const texts = [
      ...track.openItems(MESSAGE).filter(({ id }) => track.lanes.holding(TEXT_LANE, id) === undefined),
      ...track.openItems(REASONING).filter(({ id }) => track.lanes.holding(REASONING_LANE, id) === undefined),
    ];
    for (const { id } of texts) {
      const role = this.reducer.model.messages.find(id)?.role;
      const restated = messages.find((message) => message.id === id);
      const keeps =
        restated === undefined && role === "reasoning" && !messages.some((message) => message.role === role);
      if (!keeps && (restated?.role !== role || Array.isArray(restated?.content))) return lost(id);
    }
    for (const { id } of track.openItems(CALL)) {
      if (track.lanes.holding(TOOL_LANE, id) !== undefined) continue;
      const holds = (message: JsonObject) =>
        (own(message, "toolCalls") as JsonObject[] | undefined)?.some((call) => call.id === id);
      if (!messages.some(holds)) return lost(id);
    }
    return undefined;
  }

  private judgeEncrypted(event: JsonObject): Verdict {
    const id = event.entityId as string;
    const isCall = event.subtype === "tool-call";
    const held = isCall ? this.findCall(id)?.message : this.find(event, "entityId");
    if (held === undefined)
      return bad(event, "bad_order", "entityId", `there is no ${isCall ? "call" : "message"} of this id to keep it`);
    if (!isCall && held.role === "activity")
      return bad(event, "bad_event", "entityId", "activities keep no encrypted value");
    return undefined;
  }

  private find(event: JsonObject, name: string): MessageEntry | undefined {
    return this.reducer.model.messages.find(event[name] as string);
  }

  private findCall(id: string): CallEntry | undefined {
    return this.reducer.model.messages.findCall(id);
  }

  private isClients(toolCallId: string): boolean {
    const name = this.findCall(toolCallId)?.function.name;
    return name !== undefined && this.thread.clientTools.has(name);
  }
}

/** A tag that is not the owner's; a missing one always agrees. */
function foreign(event: JsonObject, held: MessageEntry): Verdict {
  const tag = own(event, "subagentRunId");
  if (tag === undefined || tag === own(held.value, "subagentRunId")) return undefined;
  return bad(event, "bad_attribution", "subagentRunId", "it is not the owner of what it names");
}

function bad(
  event: JsonObject,
  code: "bad_event" | "bad_order" | "bad_attribution",
  name: string,
  detail: string,
): Fault {
  return { code, path: `/${name}`, detail, eventType: event.type as string };
}

function list(ids: readonly string[]): string {
  return ids.length === 0 ? "none" : ids.map((id) => JSON.stringify(id)).join(", ");
}
