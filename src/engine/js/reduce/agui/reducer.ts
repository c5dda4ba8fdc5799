import { R_X_OBJECT } from "../../../../../assembly/abi/codes.js";
import type { WarningFacts } from "../../../../errors.js";
import { type JsonObject, own } from "../../../../json/object.js";
import { isObject } from "../../../../json/tree.js";
import type { Limits } from "../../../../limits.js";
import { EVENT_SHAPES } from "../../../../schema/agui.generated.js";
import { type Enforced, enforceShape, kindOf } from "../../../../schema/enforce.js";
import type { AguiSessionOptions, RunStatus } from "../../../contract.js";
import type { Source } from "../agentue/operations.js";
import { applyEvent } from "./apply.js";
import { typeOf } from "./boundary.js";
import type { ModelChanges } from "./changes.js";
import { Effect } from "./effect.js";
import { CHUNKS, content, expand } from "./expansion.js";
import { Journal } from "./journal.js";
import type { LaneKind } from "./lanes.js";
import type { CallEntry, MessageEntry } from "./messages.js";
import { type Model, textBound } from "./model.js";
import { patchQuickly } from "./quick-delta.js";
import type { RunState } from "./run.js";
import { Thinking } from "./thinking.js";
import { CALL, type ItemKind, MESSAGE, OPEN_MESSAGE, REASONING, RUNNING, TRUNCATED, Track } from "./track.js";
import { Verifier } from "./verify.js";
import type { AguiViolation } from "./violation.js";
import { Warned } from "./warned.js";

/** What became of an event. */
export type AguiVerdict =
  | { kind: "accepted"; events: JsonObject[] }
  /** Dropped with a warning. */
  | { kind: "skipped" }
  | { kind: "refused"; violation: AguiViolation };

const SKIPPED: AguiVerdict = { kind: "skipped" };

/** Which item the quick events continue. */
const QUICK: ReadonlyMap<unknown, ItemKind> = /* @__PURE__ */ new Map<unknown, ItemKind>([
  ["TEXT_MESSAGE_CONTENT", MESSAGE],
  ["TOOL_CALL_ARGS", CALL],
  ["REASONING_MESSAGE_CONTENT", REASONING],
  ["TEXT_MESSAGE_CHUNK", MESSAGE],
  ["TOOL_CALL_CHUNK", CALL],
  ["REASONING_MESSAGE_CHUNK", REASONING],
]);

/** The AG-UI reducer: enforces, expands, verifies and applies one wire event after the other. */
export class AguiReducer {
  model: Model;
  run: RunState;
  readonly thinking = new Thinking();
  readonly warned = new Warned();
  private readonly limits: Limits;
  private readonly options: AguiSessionOptions;
  private readonly journal = new Journal();
  private readonly verifier: Verifier;
  private effect: Effect;
  /** The event that was accepted last goes on with a truncated run. */
  private continued = false;
  /** What the last quick event appended to. */
  private recentMessage: MessageEntry | undefined = undefined;
  private recentCall: CallEntry | undefined = undefined;

  /** @param model and run that are there before any event */
  constructor(limits: Limits, options: AguiSessionOptions, model: Model, run: RunState) {
    this.limits = limits;
    this.options = options;
    this.verifier = new Verifier(limits.items, this.journal);
    this.model = model;
    this.run = run;
    this.effect = new Effect(model, run, limits, options.onDeltaFailure, this.journal);
  }

  get track(): Track {
    return this.verifier.track;
  }

  /** Takes another model in the place of the one that is there. */
  adopt(model: Model, run: RunState, track = new Track()): void {
    model.messages.generation = this.model.messages.generation + 1;
    this.model = model;
    this.run = run;
    this.verifier.track = track;
    this.effect = new Effect(model, run, this.limits, this.options.onDeltaFailure, this.journal);
    this.forgetRecent();
    this.warned.reset();
  }

  /** Gives another reducer what this one has, as its own: values that both hold are copied by whoever changes them. */
  fork(target: AguiReducer): void {
    target.adopt(this.model.fork(), this.run.copy(), this.track.fork());
    target.thinking.assign(this.thinking);
    target.warned.assign(this.warned);
    this.forgetRecent();
  }

  /** The body has ended, or the connection: a run that is running is cut off. */
  truncate(changes: ModelChanges): void {
    if (this.track.phase !== RUNNING || this.run.status !== "running") return;
    this.track.phase = TRUNCATED;
    this.changeStatus("truncated", changes);
  }

  /** The stream is refused for good. */
  reject(changes: ModelChanges): void {
    if (this.run.status !== "rejected") this.changeStatus("rejected", changes);
  }

  private changeStatus(status: RunStatus, changes: ModelChanges): void {
    this.run.status = status;
    changes.next();
    changes.meta("run");
  }

  /**
   * Judges an event that has passed the boundary and middleware, and applies it when all is well.
   *
   * @param event owned from now on
   * @param names members of its objects in document order
   * @param before hears of what enforcement removed, before anything else is decided
   * @param keep gets the expanded events before they become part of the model
   */
  reduce(
    event: unknown,
    source: Source,
    names: (object: JsonObject) => readonly string[],
    before: (warnings: WarningFacts[]) => void,
    keep: (events: readonly JsonObject[]) => void,
  ): AguiVerdict {
    if (!isObject(event)) {
      return refused({ code: "bad_event", reason: R_X_OBJECT, path: "", received: kindOf(event) });
    }
    const type = typeOf(event);
    if (typeof type !== "string") return refused(type);
    if (!Object.hasOwn(EVENT_SHAPES, type)) {
      before([{ code: "unknown_event", path: "/type", subject: type }]);
      return SKIPPED;
    }
    const { unknownEnum } = this.options;
    const enforced = enforceShape(event, EVENT_SHAPES[type] as string, { unknownEnum, names });
    if (enforced.fault !== undefined) return refused({ code: "bad_event", eventType: type, ...enforced.fault });
    before(removalsOf(enforced, type));
    return enforced.gone ? SKIPPED : this.advance(event, source, keep);
  }

  /**
   * Expansion, verification and application: all of the event or nothing.
   *
   * @param event enforced, and owned from now on
   */
  advance(event: JsonObject, source: Source, keep: (events: readonly JsonObject[]) => void): AguiVerdict {
    const { verifier, journal, effect } = this;
    const { size } = this.model;
    size.begin();
    const count = size.save();
    const events = expand(event, verifier.track.lanes, journal);
    let violation: AguiViolation | undefined;
    if ("code" in events) {
      violation = events;
    } else {
      const starts = event.type === "RUN_STARTED";
      for (const one of events) {
        violation = verifier.verify(one, starts && one !== event);
        if (violation !== undefined) break;
      }
      if (violation === undefined) {
        keep(events);
        effect.begin(source);
        for (const one of events) {
          violation = applyEvent(effect, one);
          if (violation !== undefined) break;
        }
      }
    }
    if (violation !== undefined) {
      journal.rollback();
      size.restore(count);
      this.forgetRecent();
      return refused(violation);
    }
    journal.clear();
    this.forgetRecent();
    this.model.exact ||= source.exact;
    // A chunk that stands for nothing continues the run, too.
    if (this.track.phase === TRUNCATED) this.track.phase = RUNNING;
    this.continued = this.run.status === "truncated" && this.track.phase === RUNNING;
    if (this.continued) this.run.status = "running";
    if (event.type === "RUN_STARTED") {
      this.thinking.reset();
      this.warned.reset();
    }
    return { kind: "accepted", events: events as JsonObject[] };
  }

  /** What application has to say of the event that was accepted last. */
  get warnings(): readonly WarningFacts[] {
    return this.effect.warnings;
  }

  /** Tells what the event that was accepted last has changed. */
  tellChanges(changes: ModelChanges): void {
    changes.next();
    if (this.continued) changes.meta("run");
    this.effect.commit(changes);
  }

  /**
   * The traffic that matters: a delta of an open message or call, as an event that no chunk stream is in the way of, or as a chunk that
   * continues one. Takes nothing but events that are valid beyond doubt, and leaves all others to the long way.
   *
   * @param event a value with JSON members; only those that are read need to be JSON
   * @returns the event that it stands for, undefined when it was not accepted
   */
  appendText(event: JsonObject, changes: ModelChanges): JsonObject | undefined {
    const { type, delta, timestamp, subagentRunId: tag } = event;
    const kind = QUICK.get(type);
    const { track } = this;
    if (kind === undefined || track.phase !== RUNNING || typeof delta !== "string") return undefined;
    let id = kind === CALL ? event.toolCallId : event.messageId;
    let members = id === undefined ? 2 : 3;
    if (timestamp !== undefined) {
      // Zero could be a number too small for a double.
      if (!Number.isSafeInteger(timestamp) || timestamp === 0) return undefined;
      members++;
    }
    if (tag !== undefined) members++;
    // As many members as were looked at: there is no other one.
    for (const _ in event) members--;
    if (members !== 0) return undefined;
    let told = event;
    if (CHUNKS.has(type as string)) {
      // Kinds of lanes and of the items that they name have the same numbers.
      const lane = typeof id === "string" ? track.lanes.holding(kind as LaneKind, id) : track.lanes.of(undefined);
      if (lane === undefined || lane.kind !== kind || (id !== undefined && id !== lane.id)) return undefined;
      if (tag !== undefined && tag !== lane.owner) return undefined;
      id = lane.id;
      told = content(event, lane);
    } else if (track.lanes.size > 0) {
      return undefined;
    }
    if (typeof id !== "string") return undefined;
    const item = track.find(kind, id);
    if (item === undefined || (item.open & OPEN_MESSAGE) === 0) return undefined;
    const owner = told.subagentRunId;
    if (owner !== undefined && item.owner !== owner) return undefined;
    const done = kind === CALL ? this.appendToCall(id, delta, changes) : this.appendToMessage(id, delta, changes);
    return done ? told : undefined;
  }

  /**
   * A STATE_DELTA of one plain operation (`patchQuickly`) in a run that no chunk stream is pending of.
   *
   * @param event owned from now on when it was accepted
   * @param text of the event, without long runs of digits; undefined when the event is beyond doubt without it, as it holds no `ExactNumber`
   * @returns whether it was accepted
   */
  patchState(event: JsonObject, text: string | undefined, changes: ModelChanges): boolean {
    if (event.type !== "STATE_DELTA" || this.run.status !== "running") return false;
    if (this.track.phase !== RUNNING || this.track.lanes.size > 0) return false;
    const pointer = patchQuickly(event, text, this.model, this.limits.depth);
    if (pointer === undefined) return false;
    changes.next();
    changes.meta("state", pointer);
    return true;
  }

  private appendToMessage(id: string, delta: string, changes: ModelChanges): boolean {
    let entry = this.recentMessage;
    if (entry === undefined || entry.id !== id) {
      entry = this.model.messages.find(id);
      if (entry === undefined || entry.role === "activity") return false;
      entry.claim();
      this.recentMessage = entry;
    }
    const current = own(entry.value, "content");
    if (typeof current !== "string" || !this.model.size.addBound(textBound(delta))) return false;
    entry.value.content = entry.content.append(current, delta);
    changes.next();
    changes.append(entry, "content", current.length, current.length + delta.length, true);
    return true;
  }

  private appendToCall(id: string, delta: string, changes: ModelChanges): boolean {
    let call = this.recentCall;
    if (call === undefined || call.id !== id) {
      call = this.model.messages.findCall(id);
      if (call === undefined) return false;
      call.message.claim();
      this.recentCall = call;
    }
    if (!this.model.size.addBound(textBound(delta))) return false;
    const holder = call.function;
    const current = holder.arguments;
    holder.arguments = call.text.append(current, delta);
    changes.next();
    changes.append(call.message, call.field, current.length, current.length + delta.length, true);
    return true;
  }

  /** Other events may have replaced what was appended to. */
  private forgetRecent(): void {
    this.recentMessage = undefined;
    this.recentCall = undefined;
  }
}

function refused(violation: AguiViolation): AguiVerdict {
  return { kind: "refused", violation };
}

function removalsOf({ removals }: Enforced, eventType: string): WarningFacts[] {
  return removals.map(({ code, path }) => ({ code, path, eventType }));
}
