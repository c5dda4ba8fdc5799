import {
  R_FIRST_EVENT,
  R_LIMIT_ITEMS,
  R_NO_REASONING,
  R_NO_SPAN,
  R_NO_STEP,
  R_NO_SUBAGENT,
  R_NO_TEXT,
  R_NO_TOOL,
  R_OWNER,
  R_PARENT_OWNER,
  R_REASONING_OPEN,
  R_RUN_ACTIVE,
  R_RUN_ERRORED,
  R_RUN_FINISHED,
  R_SPAN_OPEN,
  R_STEP_OPEN,
  R_STEP_OWNER,
  R_STILL_REASONING,
  R_STILL_SPAN,
  R_STILL_STEP,
  R_STILL_SUBAGENT,
  R_STILL_TEXT,
  R_STILL_TOOL,
  R_SUBAGENT_ACTIVE,
  R_SUBAGENT_CLOSED,
  R_SUBAGENT_PARENT,
  R_TEXT_OPEN,
  R_TOOL_OPEN,
} from "../../../../../assembly/abi/codes.js";
import { type JsonObject, own } from "../../../../json/object.js";
import type { Journal } from "./journal.js";
import {
  ACTIVITY,
  CALL,
  ERRORED,
  FINISHED,
  type Item,
  type ItemKind,
  MESSAGE,
  NO_RUN,
  OPEN_MESSAGE,
  OPEN_SPAN,
  type Owner,
  REASONING,
  RUNNING,
  TRUNCATED,
  Track,
} from "./track.js";
import type { AguiViolation } from "./violation.js";

type Verdict = AguiViolation | undefined;

/** What starts, continues or ends an item: its name space, what of it is open, and the reason when it is (or is not) already. */
interface ItemRule {
  kind: ItemKind;
  bit: number;
  idName: "messageId" | "toolCallId";
  step: "start" | "content" | "end";
  reason: number;
}

const rule = (kind: ItemKind, bit: number, step: ItemRule["step"], reason: number): ItemRule => {
  return { kind, bit, idName: kind === CALL ? "toolCallId" : "messageId", step, reason };
};

const ITEM_RULES: ReadonlyMap<string, ItemRule> = /* @__PURE__ */ new Map([
  ["TEXT_MESSAGE_START", rule(MESSAGE, OPEN_MESSAGE, "start", R_TEXT_OPEN)],
  ["TEXT_MESSAGE_CONTENT", rule(MESSAGE, OPEN_MESSAGE, "content", R_NO_TEXT)],
  ["TEXT_MESSAGE_END", rule(MESSAGE, OPEN_MESSAGE, "end", R_NO_TEXT)],
  ["TOOL_CALL_START", rule(CALL, OPEN_MESSAGE, "start", R_TOOL_OPEN)],
  ["TOOL_CALL_ARGS", rule(CALL, OPEN_MESSAGE, "content", R_NO_TOOL)],
  ["TOOL_CALL_END", rule(CALL, OPEN_MESSAGE, "end", R_NO_TOOL)],
  ["REASONING_START", rule(REASONING, OPEN_SPAN, "start", R_SPAN_OPEN)],
  ["REASONING_END", rule(REASONING, OPEN_SPAN, "end", R_NO_SPAN)],
  ["REASONING_MESSAGE_START", rule(REASONING, OPEN_MESSAGE, "start", R_REASONING_OPEN)],
  ["REASONING_MESSAGE_CONTENT", rule(REASONING, OPEN_MESSAGE, "content", R_NO_REASONING)],
  ["REASONING_MESSAGE_END", rule(REASONING, OPEN_MESSAGE, "end", R_NO_REASONING)],
]);

/** A member that enforcement knows to be a string or absent. */
function text(event: JsonObject, name: string): string | undefined {
  return own(event, name) as string | undefined;
}

/** Judges expanded events against what their run has opened, and notes what they open (docs/semantics-agui.md §6). */
export class Verifier {
  track = new Track();
  private readonly limit: number;
  private readonly journal: Journal;

  /** @param limit names that a run may have */
  constructor(limit: number, journal: Journal) {
    this.limit = limit;
    this.journal = journal;
  }

  /**
   * @param closing whether it is an END that a RUN_STARTED implies
   * @returns why the event must not stand here; the journal takes back what was noted
   */
  verify(event: JsonObject, closing: boolean): Verdict {
    const type = event.type as string;
    const { track, journal } = this;
    const phase = this.judgePhase(type, track.phase);
    if (phase !== undefined) return phase;
    if (type === "RUN_STARTED") return this.startRun(event);
    if (track.phase === TRUNCATED && !closing) track.setPhase(RUNNING, journal);

    const known = ITEM_RULES.get(type);
    if (known !== undefined) return this.judgeItem(event, type, known);
    switch (type) {
      case "TOOL_CALL_RESULT": {
        const full = this.setOwner(
          MESSAGE,
          text(event, "messageId")!,
          text(event, "subagentRunId"),
          type,
          "/messageId",
        );
        if (full !== undefined) return full;
        const call = text(event, "toolCallId")!;
        if (track.calls.has(call)) track.setCall(call, true, journal);
        return undefined;
      }
      case "ACTIVITY_SNAPSHOT": {
        const id = text(event, "messageId")!;
        if (own(event, "replace") === false && track.find(ACTIVITY, id) !== undefined) return undefined;
        return this.setOwner(ACTIVITY, id, text(event, "subagentRunId"), type, "/messageId");
      }
      case "ACTIVITY_DELTA":
        return this.judgeOwner(event, type, track.find(ACTIVITY, text(event, "messageId")!));
      case "REASONING_ENCRYPTED_VALUE": {
        const id = text(event, "entityId")!;
        const item =
          event.subtype === "tool-call" ? track.find(CALL, id) : (track.find(MESSAGE, id) ?? track.find(REASONING, id));
        return this.judgeOwner(event, type, item);
      }
      case "MESSAGES_SNAPSHOT":
        return this.setOwners(event.messages as JsonObject[], true, type, "/messages");
      case "STEP_STARTED":
      case "STEP_FINISHED":
        return this.judgeStep(event, type);
      case "SUBAGENT_STARTED":
      case "SUBAGENT_FINISHED":
      case "SUBAGENT_ERROR":
        return this.judgeSubagent(event, type);
      case "RUN_FINISHED":
        return this.finishRun(event, type);
      case "RUN_ERROR":
        // The last event of its message, and nothing that follows can refuse it.
        track.setPhase(ERRORED, journal);
        track.closeAll();
        return undefined;
      default:
        return undefined;
    }
  }

  private judgePhase(type: string, phase: number): Verdict {
    const starts = type === "RUN_STARTED";
    const bad = (reason: number): Verdict => ({ code: "bad_order", reason, eventType: type });
    switch (phase) {
      case NO_RUN:
        return starts || type === "RUN_ERROR" ? undefined : bad(R_FIRST_EVENT);
      case FINISHED:
        return starts || type === "RUN_ERROR" ? undefined : bad(R_RUN_FINISHED);
      case ERRORED:
        return starts ? undefined : bad(R_RUN_ERRORED);
      case RUNNING:
        return starts ? bad(R_RUN_ACTIVE) : undefined;
      default:
        return undefined;
    }
  }

  // ---------------------------------------------------------------- items and owners

  private judgeItem(event: JsonObject, type: string, { kind, bit, idName, step, reason }: ItemRule): Verdict {
    const { track, journal } = this;
    const id = text(event, idName)!;
    const item = track.find(kind, id);
    const isOpen = item !== undefined && (item.open & bit) !== 0;
    if (isOpen === (step === "start")) {
      return { code: "bad_order", reason, path: `/${idName}`, eventType: type, subject: id };
    }
    let owner = text(event, "subagentRunId");
    if (type === "TOOL_CALL_START") {
      const parent = text(event, "parentMessageId");
      const message = parent === undefined ? undefined : track.find(MESSAGE, parent);
      if (message !== undefined) {
        if (owner === undefined && item === undefined) owner = message.owner;
        const agrees =
          owner === undefined ? item === undefined || item.owner === message.owner : owner === message.owner;
        if (!agrees) {
          const subject = parent as string;
          return { code: "bad_attribution", reason: R_PARENT_OWNER, path: "/subagentRunId", eventType: type, subject };
        }
      }
    }
    const foreign = this.judgeOwner(event, type, item);
    if (foreign !== undefined) return foreign;
    if (step === "end") {
      track.close(item!, bit, journal);
    } else if (step === "start") {
      if (item === undefined && this.isFull()) return this.full(type, `/${idName}`);
      track.open(item ?? track.add(kind, id, owner, journal), bit, journal);
      if (kind === CALL && !track.calls.has(id)) track.setCall(id, false, journal);
    }
    return undefined;
  }

  /** A tag has to be the owner's; a missing one always agrees. */
  private judgeOwner(event: JsonObject, type: string, item: Item | undefined): Verdict {
    const tag = text(event, "subagentRunId");
    if (tag === undefined || item === undefined || item.owner === tag) return undefined;
    return { code: "bad_attribution", reason: R_OWNER, path: "/subagentRunId", eventType: type, subject: tag };
  }

  private setOwner(kind: ItemKind, id: string, owner: Owner, type: string, path: string): Verdict {
    const { track, journal } = this;
    const item = track.find(kind, id);
    if (item !== undefined) {
      track.setOwner(item, owner, journal);
    } else {
      if (this.isFull()) return this.full(type, path);
      track.add(kind, id, owner, journal);
    }
    return undefined;
  }

  /**
   * The owners that messages bring along.
   *
   * @param anew whether they replace those that are known
   */
  private setOwners(messages: readonly JsonObject[], anew: boolean, type: string, path: string): Verdict {
    for (const message of messages) {
      const owner = text(message, "subagentRunId");
      const role = message.role as string;
      const kind = role === "reasoning" ? REASONING : role === "activity" ? ACTIVITY : MESSAGE;
      const named: [ItemKind, string][] = [[kind, message.id as string]];
      const calls = own(message, "toolCalls") as JsonObject[] | undefined;
      for (const call of calls ?? []) named.push([CALL, call.id as string]);
      for (const [space, id] of named) {
        if (!anew && this.track.find(space, id) !== undefined) continue;
        const full = this.setOwner(space, id, owner, type, path);
        if (full !== undefined) return full;
      }
    }
    return undefined;
  }

  private isFull(): boolean {
    return this.track.names >= this.limit;
  }

  private full(type: string, path: string): Verdict {
    return { code: "limit", reason: R_LIMIT_ITEMS, path, eventType: type };
  }

  // ---------------------------------------------------------------- steps, subagents, runs

  private judgeStep(event: JsonObject, type: string): Verdict {
    const { track, journal } = this;
    const name = text(event, "stepName")!;
    const owner = text(event, "subagentRunId");
    const bad = (reason: number): Verdict => {
      return { code: "bad_order", reason, path: "/stepName", eventType: type, subject: name };
    };
    const isOpen = track.hasStep(name, owner);
    if (type === "STEP_STARTED") {
      if (isOpen) return bad(R_STEP_OPEN);
      if (this.isFull()) return this.full(type, "/stepName");
      track.startStep(name, owner, journal);
      return undefined;
    }
    if (isOpen) {
      track.finishStep(name, owner, journal);
      return undefined;
    }
    if (!track.hasStepOfAnybody(name)) return bad(R_NO_STEP);
    return { code: "bad_attribution", reason: R_STEP_OWNER, path: "/subagentRunId", eventType: type, subject: name };
  }

  private judgeSubagent(event: JsonObject, type: string): Verdict {
    const { track, journal } = this;
    const id = text(event, "subagentRunId")!;
    const bad = (reason: number, subject = id, path = "/subagentRunId"): Verdict => {
      return { code: "bad_order", reason, path, eventType: type, subject };
    };
    const active = track.subagents.get(id);
    if (type !== "SUBAGENT_STARTED") {
      if (active !== true) return bad(R_NO_SUBAGENT);
      track.setSubagent(id, false, journal);
      return undefined;
    }
    if (active !== undefined) return bad(active ? R_SUBAGENT_ACTIVE : R_SUBAGENT_CLOSED);
    const parent = text(event, "parentSubagentRunId");
    if (parent !== undefined && !track.subagents.has(parent)) {
      return bad(R_SUBAGENT_PARENT, parent, "/parentSubagentRunId");
    }
    if (this.isFull()) return this.full(type, "/subagentRunId");
    track.setSubagent(id, true, journal);
    return undefined;
  }

  /** A new run forgets all of the run before. */
  private startRun(event: JsonObject): Verdict {
    const before = this.track;
    this.journal.note(() => {
      this.track = before;
    });
    this.track = new Track();
    this.track.phase = RUNNING;
    const input = own(event, "input") as JsonObject | undefined;
    if (input === undefined) return undefined;
    return this.setOwners(input.messages as JsonObject[], false, "RUN_STARTED", "/input/messages");
  }

  private finishRun(event: JsonObject, type: string): Verdict {
    const { track, journal } = this;
    const open: [string | undefined, number][] = [
      [track.openItems(MESSAGE)[0]?.id, R_STILL_TEXT],
      [track.openItems(CALL)[0]?.id, R_STILL_TOOL],
      [track.openItems(REASONING)[0]?.id, R_STILL_REASONING],
      [track.openItems(REASONING, OPEN_SPAN)[0]?.id, R_STILL_SPAN],
      [track.steps()[0]?.name, R_STILL_STEP],
      [track.activeSubagents()[0], R_STILL_SUBAGENT],
    ];
    for (const [subject, reason] of open) {
      if (subject !== undefined) return { code: "bad_order", reason, eventType: type, subject };
    }
    track.setPhase(FINISHED, journal);
    const outcome = own(event, "outcome") as JsonObject | undefined;
    const named =
      outcome?.type === "success" ? (own(outcome, "pendingToolCallIds") as string[] | undefined) : undefined;
    // An empty list says nothing.
    track.named = named !== undefined && named.length > 0 ? [...named] : undefined;
    return undefined;
  }
}
