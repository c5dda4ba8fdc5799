import { expectOptions, optionOf } from "../../arguments.js";
import { cloneValue } from "../../engine/js/codec/clone.js";
import { translate, typeOf } from "../../engine/js/reduce/agui/boundary.js";
import { CHUNKS, CLOSES_ALL, CLOSES_OWN, expand } from "../../engine/js/reduce/agui/expansion.js";
import { Journal } from "../../engine/js/reduce/agui/journal.js";
import { Lanes, TOOL_LANE } from "../../engine/js/reduce/agui/lanes.js";
import { Thinking } from "../../engine/js/reduce/agui/thinking.js";
import type { AguiViolation } from "../../engine/js/reduce/agui/violation.js";
import { type Fault, StreamfoldError, usageError } from "../../errors.js";
import { type JsonObject, own } from "../../json/object.js";
import { copyTree, isObject } from "../../json/tree.js";
import { resolveLimits } from "../../limits.js";
import { EVENT_SHAPES } from "../../schema/agui.generated.js";
import { judgeShape, ownTree } from "../judge-value.js";
import type { AGUIEvent } from "../types.generated.js";
import { ACTIVITY_EVENTS, FoldedValue, joinCommon, STATE_EVENTS } from "./folded-value.js";
import { OpenTexts, type Target } from "./texts.js";

/** How events are compacted. */
export interface CompactOptions {
  /** The state before the first event, as the run's input has it; undefined: not known, so that deltas before the first snapshot stay as they are. */
  state?: unknown;
  /** Code units of a joined `delta`; further text begins another event. Default 1,048,576. */
  maxDelta?: number | undefined;
}

/** Compacts a log that comes in parts. */
export interface Compactor {
  /**
   * Takes the next event; one that is refused changes nothing.
   *
   * @throws StreamfoldError `bad_event`, `chunk_conflict` with a path, `not_json`, `too_deep`
   */
  add(event: unknown): void;
  /** What was added since the last call, compact, as values of the caller's own. What is open goes on in the next batch. */
  take(): AGUIEvent[];
}

const LONGEST_DELTA = 1 << 20;

/** An event as readers see it, or why it is left alone. */
interface Read {
  /** What is judged: what the compatibility boundary and enforcement leave of the event. */
  seen: JsonObject;
  /** Whether it has something that a reader would not see, or not as it is. */
  isForeign: boolean;
}

/** The rules are those of docs/agui-producing.md, "Compacting a log". */
export class EventCompactor implements Compactor {
  private out: JsonObject[] = [];
  private readonly lanes = new Lanes();
  private readonly journal = new Journal();
  private readonly texts: OpenTexts;
  private readonly state: FoldedValue;
  private readonly activities = new Map<string, FoldedValue>();
  private readonly limit: number;
  /** Whether it is known of every lane if a chunk stream is pending in it: not when the log begins inside of a run. */
  private isSettled = false;
  /** Lanes that are known to have been closed before that. */
  private readonly closed = new Set<string | undefined>();
  private added = 0;

  constructor(options?: CompactOptions) {
    if (options !== undefined) expectOptions(options, "maxDelta", "state");
    const maxDelta = optionOf(options, "maxDelta") ?? LONGEST_DELTA;
    if (!Number.isSafeInteger(maxDelta) || maxDelta < 1)
      throw usageError("bad_argument", "maxDelta must be an integer from 1 on");
    this.texts = new OpenTexts(maxDelta);
    this.limit = resolveLimits(undefined).modelBytes;
    this.state = new FoldedValue(STATE_EVENTS, this.limit);
    const state = optionOf(options, "state");
    if (state !== undefined) this.state.begin(ownTree(state).value);
  }

  add(event: unknown): void {
    const original = ownTree(event).value;
    if (!isObject(original)) throw this.refusal({ code: "bad_event", path: "", detail: "an event is an object" });
    const type = typeOf(original);
    if (typeof type !== "string") throw this.refusal(type);
    const read = readEvent(original, type);
    if (read !== undefined && "code" in read) throw this.refusal(read);
    const fault = read === undefined ? this.leaveAlone(original) : this.place(original, read);
    if (fault !== undefined) throw this.refusal(fault);
    this.added++;
  }

  take(): AGUIEvent[] {
    this.release();
    const events = this.out.map((event) => cloneValue(event, "number") as AGUIEvent);
    this.out = [];
    return events;
  }

  /** Nothing that follows becomes part of what was added so far. */
  private release(): void {
    this.texts.partAll();
    this.state.release();
    for (const activity of this.activities.values()) activity.release();
  }

  private forgetActivity(id: string): void {
    this.activities.get(id)?.release();
    this.activities.delete(id);
  }

  private forgetActivities(): void {
    for (const activity of this.activities.values()) activity.release();
    this.activities.clear();
  }

  private refusal(fault: Fault): StreamfoldError {
    return new StreamfoldError({ ...fault, eventIndex: this.added });
  }

  /** Nobody knows what it means to later readers: nothing is moved across it. */
  private leaveAlone(event: JsonObject): undefined {
    this.texts.partAll();
    this.state.forget();
    this.forgetActivities();
    this.out.push(event);
  }

  private place(original: JsonObject, { seen, isForeign }: Read): AguiViolation | undefined {
    const type = seen.type as string;
    const isChunk = CHUNKS.has(type);
    const isNameless = isChunk && own(seen, "messageId") === undefined && own(seen, "toolCallId") === undefined;
    if (isNameless && !this.isSettled) return this.leaveChunk(original);
    const meant = expand(seen, this.lanes, this.journal);
    if ("code" in meant) {
      this.journal.rollback();
      // The chunk may go on with what was opened before the log began.
      return isChunk && !this.isSettled ? this.leaveChunk(original) : meant;
    }
    this.journal.clear();
    const stays = this.closesLane(seen, type, meant.length);
    if (isForeign) return this.leaveAlone(original);
    if (isChunk) this.takeChunk(seen, meant);
    else this.takeEvent(seen, type, stays);
    return undefined;
  }

  private leaveChunk(chunk: JsonObject): undefined {
    this.closed.clear();
    return this.leaveAlone(chunk);
  }

  /** Whether the event ends a chunk stream where it stands, or may do so. */
  private closesLane(event: JsonObject, type: string, meant: number): boolean {
    if (CLOSES_ALL.has(type)) this.isSettled = true;
    if (CHUNKS.has(type)) return false;
    if (meant > 1) return true;
    if (this.isSettled || !CLOSES_OWN.has(type)) return false;
    const owner = own(event, "subagentRunId") as string | undefined;
    if (this.closed.has(owner)) return false;
    this.closed.add(owner);
    return true;
  }

  /** @param meant what the chunk stands for */
  private takeChunk(chunk: JsonObject, meant: readonly JsonObject[]): void {
    const content = meant[meant.length - 1];
    // It stands for nothing, whoever reads it.
    if (content === undefined) return;
    const isCall = CHUNKS.get(chunk.type as string) === TOOL_LANE;
    const target: Target = isCall ? `c:${content.toolCallId as string}` : `m:${content.messageId as string}`;
    const start = meant.find(({ type }) => (type as string).endsWith("_START"));
    if (start !== undefined) this.texts.part(start);
    else if (this.texts.join(target, chunk)) return;
    this.out.push(chunk);
    this.texts.stand(target, chunk, start !== undefined);
  }

  private takeEvent(event: JsonObject, type: string, stays: boolean): void {
    if (!this.becomesPart(event, type, stays)) this.out.push(event);
  }

  /** Whether the event has become part of an earlier one. */
  private becomesPart(event: JsonObject, type: string, stays: boolean): boolean {
    switch (type) {
      case "TEXT_MESSAGE_CONTENT":
      case "REASONING_MESSAGE_CONTENT":
        return this.takeDelta(`m:${event.messageId as string}`, event, stays);
      case "TOOL_CALL_ARGS":
        return this.takeDelta(`c:${event.toolCallId as string}`, event, stays);
      case "STATE_SNAPSHOT":
        if (stays || this.state.open === undefined) {
          this.state.stand(event);
          return false;
        }
        this.state.restate(event);
        return true;
      case "STATE_DELTA":
        return this.state.patch(event, stays);
      case "ACTIVITY_SNAPSHOT":
      case "ACTIVITY_DELTA": {
        // What becomes part of an earlier one was an activity before: texts of that id are ignored either way.
        const joined = type === "ACTIVITY_DELTA" ? this.patchActivity(event) : this.takeActivity(event);
        if (!joined) this.texts.part(event);
        return joined;
      }
      case "TOOL_CALL_RESULT":
        this.texts.part(event);
        // Its message may come to stand before the activity of that id.
        this.forgetActivity(event.messageId as string);
        break;
      case "MESSAGES_SNAPSHOT":
        this.texts.partAll();
        this.forgetActivities();
        break;
      case "RUN_STARTED":
      case "RUN_FINISHED":
      case "RUN_ERROR":
        this.release();
        break;
      default:
        this.texts.part(event);
    }
    return false;
  }

  private takeDelta(target: Target, event: JsonObject, stays: boolean): boolean {
    if (!stays && this.texts.join(target, event)) return true;
    this.texts.stand(target, event);
    return false;
  }

  /** Whether the snapshot has become part of an earlier event. */
  private takeActivity(event: JsonObject): boolean {
    const id = event.messageId as string;
    const held = this.activities.get(id);
    if (own(event, "replace") === false) {
      // Of what is held nothing but the metadata changes; what is not known may be new.
      if (held?.open === undefined) return false;
      joinCommon(held.open, event);
      return true;
    }
    const open = held?.openSnapshot;
    if (held !== undefined && open !== undefined && own(open, "subagentRunId") === own(event, "subagentRunId")) {
      held.restate(event);
      open.activityType = event.activityType;
      return true;
    }
    const activity = held ?? new FoldedValue(ACTIVITY_EVENTS, this.limit);
    this.activities.set(id, activity);
    activity.stand(event);
    return false;
  }

  private patchActivity(event: JsonObject): boolean {
    const id = event.messageId as string;
    const held = this.activities.get(id);
    if (held === undefined) return false;
    const { open } = held;
    if (!held.patch(event, false)) {
      if (!held.isKnown) this.activities.delete(id);
      return false;
    }
    (open as JsonObject).activityType = event.activityType;
    return true;
  }
}

/** Undefined for an event that readers of this version drop. */
function readEvent(original: JsonObject, type: string): Read | AguiViolation | undefined {
  const seen = copyTree(original) as JsonObject;
  const { type: eventType, warnings } = translate(seen, type, new Thinking(), "", false);
  if (!Object.hasOwn(EVENT_SHAPES, eventType)) return undefined;
  const { fault, gone, removals } = judgeShape(seen, EVENT_SHAPES[eventType] as string);
  if (fault !== undefined) return { code: "bad_event", eventType, ...fault };
  if (gone) return undefined;
  const isForeign = removals.length > 0 || warnings.some(({ code }) => code !== "legacy_null");
  return { seen, isForeign };
}
