import {
  PROTOCOL_AG_UI,
  R_LIMIT_NUMBER,
  R_LIMIT_QUEUE,
  R_MIDDLEWARE,
  R_NONE,
  R_RUNNING,
} from "../../../../assembly/abi/codes.js";
import { type Fault, StreamfoldError, type WarningFacts } from "../../../errors.js";
import { mayHoldExactNumber, mayReorder, readExact, readOrdered } from "../../../json/exact.js";
import { isPlain, type JsonObject, own } from "../../../json/object.js";
import { hasShortDigitRuns } from "../../../json/text.js";
import { copyTree, measure } from "../../../json/tree.js";
import { isAtMost } from "../../../schema/version.js";
import type {
  AguiSessionOptions,
  ArgumentText,
  ChangeSet,
  FinishResult,
  SessionOptions,
  Stats,
  StreamStatus,
} from "../../contract.js";
import { cloneValue } from "../codec/clone.js";
import type { Source } from "../reduce/agentue/operations.js";
import { translate, typeOf } from "../reduce/agui/boundary.js";
import { loadModel, makeModel } from "../reduce/agui/load.js";
import { Model } from "../reduce/agui/model.js";
import { AguiReducer } from "../reduce/agui/reducer.js";
import { RunState } from "../reduce/agui/run.js";
import { isRejected, restoreModel, storeModel } from "../reduce/agui/stored.js";
import { CALL, OPEN_MESSAGE, RUNNING } from "../reduce/agui/track.js";
import { viewOf } from "../reduce/agui/view.js";
import type { AguiViolation } from "../reduce/agui/violation.js";
import { type Adapter, EXCEEDED } from "./adapt/adapter.js";
import { createAdapter } from "./adapt/create.js";
import { AguiChanges } from "./agui-changes.js";
import type { SavedStream } from "./checkpoint.js";
import { callHandler, handlerOf } from "./middleware.js";
import { NOWHERE, type Pipeline, UNMEASURED } from "./pipeline.js";
import type { ModelView, OwnedTree, Protocol } from "./protocol.js";
import { compact, MessageQueue, objectOf } from "./queue.js";
import { emptyStats } from "./stats.js";
import { LONG_RUN, MOST_BYTES, readString } from "./text.js";
import { orderedNames, PLAIN, readSpelledText, type Spelled } from "./transcode/spelled.js";

/** The newest protocol that knows no subagents. */
const BEFORE_SUBAGENTS: readonly number[] = [0, 0, 57];
/** A stream as checkpoints number it. */
const OPEN = 1;
const REFUSED = 4;
/** Runs that have come to an end of their own. */
const ENDED: ReadonlySet<string> = /* @__PURE__ */ new Set(["finished", "interrupted", "cancelled", "failed"]);

/** The stream that there is. */
const UNNAMED = { streamId: "" };

type Names = (object: JsonObject) => readonly string[];

/** AG-UI: one stream, the unnamed one, whose model is there from the start (docs/semantics-agui.md). */
export class AguiProtocol implements Protocol {
  readonly number = PROTOCOL_AG_UI;
  private readonly options: SessionOptions;
  private readonly agui: AguiSessionOptions;
  private readonly pipeline: Pipeline;
  private readonly reducer: AguiReducer;
  private readonly noSubagents: boolean;
  /** Types of events that are reported; undefined: all. */
  private readonly wanted: ReadonlySet<string> | undefined;
  private changeLog = new AguiChanges("");
  private queue: MessageQueue | undefined = undefined;
  /** Where accepted events go out as AgentUE. */
  private readonly adapter: Adapter | undefined;
  /** After a violation nothing is taken any more. */
  private rejected = false;
  /** For the outlet: what the tree of the event in hand does not tell. */
  private spelled: Spelled = PLAIN;
  private applied = 0;
  private skipped = 0;
  private dropped = 0;

  /**
   * @param blank without the baseline of the options
   * @throws StreamfoldError `limit` when the baseline of the options exceeds one
   */
  constructor(pipeline: Pipeline, blank = false) {
    const { options } = pipeline;
    this.options = options;
    this.agui = options.agui as AguiSessionOptions;
    this.pipeline = pipeline;
    this.noSubagents = isAtMost(this.agui.maxProtocolVersion, BEFORE_SUBAGENTS);
    this.wanted = options.eventTypes === undefined ? undefined : new Set(options.eventTypes);
    this.reducer = new AguiReducer(
      options.limits,
      this.agui,
      blank ? new Model(options.limits) : this.baseline(),
      this.idleRun(),
    );
    this.adapter = createAdapter(pipeline, this.reducer);
  }

  // ---------------------------------------------------------------- from message to effect

  take(event: JsonObject): boolean {
    if (this.queue !== undefined) this.enqueue(this.queue, event);
    else this.apply(event);
    return true;
  }

  takeValue(value: unknown): boolean {
    if (this.rejected || this.queue !== undefined) return false;
    if (typeof value !== "object" || value === null || !isPlain(value)) return false;
    let told: JsonObject | undefined;
    try {
      told = this.appendText(value as JsonObject);
    } catch {
      // An accessor or a Proxy has thrown: the long way tells where.
      return false;
    }
    if (told === undefined) return false;
    this.pipeline.openValue();
    this.accept(told, true, told.type as string);
    return true;
  }

  dropUnknown(): void {
    if (this.rejected) {
      this.drop();
      return;
    }
    this.warnMerged([{ code: "unknown_event" }]);
    this.skip();
  }

  partsLeftOut(): void {
    if (!this.rejected) this.warnMerged([{ code: "unknown_variant" }]);
  }

  leftOut(type: string): void {
    this.warnMerged([{ code: "unknown_event", path: "/type", subject: type }]);
  }

  private appendText(event: JsonObject): JsonObject | undefined {
    const { middleware } = this.agui;
    if (middleware !== undefined && handlerOf(middleware, event.type) !== undefined) return undefined;
    return this.reducer.appendText(event, this.changeLog);
  }

  /** Listeners and middleware would see values that the model takes over: their events go the long way. */
  private patchState(event: JsonObject, text: string | undefined): boolean {
    if (this.options.events && this.wants(event)) return false;
    const { middleware } = this.agui;
    if (middleware !== undefined && handlerOf(middleware, event.type) !== undefined) return false;
    return this.reducer.patchState(event, text, this.changeLog);
  }

  private enqueue(queue: MessageQueue, event: JsonObject): void {
    if (queue.lost) {
      this.drop();
      return;
    }
    const { pipeline } = this;
    if (queue.add(pipeline.queued(event))) return;
    pipeline.report(this.faultOf({ code: "limit", reason: R_LIMIT_QUEUE }));
    if (this.options.onViolation === "refuse-stream") queue.lost = true;
  }

  private apply(event: JsonObject): void {
    const { pipeline } = this;
    const { text, source, outlet } = pipeline;
    if (!this.rejected && pipeline.quick && (text === undefined || hasShortDigitRuns(text, LONG_RUN))) {
      const told = this.appendText(event);
      if (told !== undefined) {
        if (this.adapter === undefined) outlet?.draftMessage(event, text);
        this.accept(told, false, event.type as string);
        return;
      }
      if (outlet === undefined && (text !== undefined || !source.exact) && this.patchState(event, text)) {
        this.count();
        return;
      }
    }
    const numberAt = pipeline.findLongNumber(event);
    if (numberAt !== undefined) {
      this.violate({ code: "limit", reason: R_LIMIT_NUMBER }, numberAt);
      return;
    }
    if (this.rejected) {
      this.drop();
      return;
    }
    let owned = event;
    let names: Names = Object.keys;
    this.spelled = PLAIN;
    if (text !== undefined) {
      source.bytes = MOST_BYTES * text.length;
      source.exact = mayHoldExactNumber(text);
      const read = outlet === undefined ? undefined : readSpelledText(text);
      if (read !== undefined) {
        const { orders } = read.spelled;
        owned = read.event;
        names = (object) => orderedNames(object, orders.get(object));
        this.spelled = read.spelled;
      } else if (mayReorder(text)) {
        const orders = new Map<object, string[]>();
        owned = readOrdered(text, orders) as JsonObject;
        names = (object) => orderedNames(object, orders.get(object));
      } else if (source.exact) {
        owned = readExact(text) as JsonObject;
      }
    } else {
      if (source.bytes === UNMEASURED) source.bytes = measure(event).bound;
      if (pipeline.orders.size > 0) {
        names = (object) => orderedNames(object, pipeline.orders.get(object));
        this.spelled = { ...PLAIN, orders: pipeline.orders };
      }
    }
    this.pass(owned, source, names);
  }

  /** The compatibility boundary, and middleware where it wants the event. */
  private pass(event: JsonObject, source: Source, names: Names): void {
    const { reducer } = this;
    const { thinking, run } = reducer;
    const runId = run.status === "idle" ? "" : (run.runId ?? "");
    const type = typeOf(event, runId);
    if (typeof type !== "string") {
      this.violate(type);
      return;
    }
    const before = thinking.copy();
    const passage = translate(event, type, thinking, runId, this.noSubagents);
    if (passage.dropped) {
      this.warnMerged(passage.warnings);
      this.skip();
      return;
    }
    // Minted ids are in no text that was measured.
    if (passage.type !== type) source.bytes += MOST_BYTES * (runId.length + MINTED);
    const { middleware } = this.agui;
    const handler = middleware === undefined ? undefined : handlerOf(middleware, passage.type);
    if (handler !== undefined) {
      this.warnMerged(passage.warnings);
      this.passMiddleware(event, passage.type, handler);
      return;
    }
    if (!this.reduce(event, source, names, passage.warnings)) thinking.assign(before);
  }

  private passMiddleware(event: JsonObject, eventType: string, handler: (event: unknown) => unknown): void {
    const copies = callHandler(handler, event, this.options.limits.depth);
    if (!Array.isArray(copies)) {
      this.violate({ code: "middleware_failed", reason: R_MIDDLEWARE, eventType, ...copies });
      return;
    }
    if (copies.length === 0) this.skip();
    for (const { value, source } of copies) {
      if (this.rejected) this.drop();
      else this.reduce(value as JsonObject, source, Object.keys, []);
    }
  }

  /** Enforcement and everything behind it; whether the event was not refused. */
  private reduce(event: JsonObject, source: Source, names: Names, warnings: WarningFacts[]): boolean {
    const { reducer } = this;
    let reported: JsonObject[] = [];
    const verdict = reducer.reduce(
      event,
      source,
      names,
      (removals) => this.warnMerged([...warnings, ...removals]),
      (events) => {
        if (this.adapter === undefined) this.pipeline.outlet?.draftEvent(event, this.spelled);
        if (this.options.events)
          reported = events.filter((one) => this.wants(one)).map((one) => cloneValue(one, "number") as JsonObject);
      },
    );
    switch (verdict.kind) {
      case "refused":
        this.violate(verdict.violation);
        return false;
      case "skipped":
        this.skip();
        return true;
      default:
        reducer.tellChanges(this.adapter?.listen(this.changeLog) ?? this.changeLog);
        for (const warning of reducer.warnings) this.pipeline.warn(warning, "");
        this.count();
        this.deliver(reported);
        if (this.adapter === undefined) this.pipeline.outlet?.commit(UNNAMED);
        else if (!this.adapter.accepted(event, verdict.events, () => this.pipeline.size()))
          this.exceed(event.type as string);
        return true;
    }
  }

  /**
   * A quick event: nothing but what it stands for is to be told.
   *
   * @param copy it may be the caller's own
   * @param type of the event that came, perhaps a chunk
   */
  private accept(event: JsonObject, copy: boolean, type: string): void {
    this.count();
    if (this.options.events && this.wants(event)) this.deliver([copy ? { ...event } : event]);
    if (this.adapter === undefined) this.pipeline.outlet?.commit(UNNAMED);
    else if (!this.adapter.appended(event, type, () => this.pipeline.size())) this.exceed(type);
  }

  private count(): void {
    this.applied++;
    this.pipeline.counters.applied++;
  }

  private wants(event: JsonObject): boolean {
    return this.wanted === undefined || this.wanted.has(event.type as string);
  }

  private deliver(events: readonly JsonObject[]): void {
    const eventIndex = this.pipeline.index;
    for (const event of events) this.pipeline.deliver({ kind: "event", event, streamId: "", eventIndex });
  }

  /** Warnings of which a run reports each kind once. */
  private warnMerged(warnings: readonly WarningFacts[]): void {
    for (const warning of warnings) {
      if (this.reducer.warned.isNew(warning)) this.pipeline.warn(warning, "");
      else this.pipeline.counters.warnings++;
    }
  }

  private skip(): void {
    this.skipped++;
    this.pipeline.counters.skipped++;
  }

  private drop(): void {
    this.dropped++;
    this.pipeline.counters.dropped++;
  }

  private violate(violation: AguiViolation, byteOffset?: number): void {
    this.pipeline.report(this.faultOf(violation, byteOffset));
    if (this.options.onViolation !== "refuse-stream") return;
    this.reject();
    if (this.adapter?.rejected(violation.code) === false) this.pipeline.report(this.faultOf(EXCEEDED, byteOffset));
  }

  /** An event was applied that comes to more than may be said. */
  private exceed(eventType: string): void {
    this.violate({ ...EXCEEDED, eventType });
    if (!this.rejected) this.adapter!.cut();
  }

  private reject(): void {
    this.rejected = true;
    this.reducer.reject(this.changeLog);
  }

  private faultOf(violation: AguiViolation, byteOffset = this.pipeline.start().byteOffset ?? NOWHERE): Fault {
    const fault: Fault = { ...violation, streamId: "", eventIndex: this.pipeline.index };
    if (byteOffset >= 0) fault.byteOffset = byteOffset;
    return fault;
  }

  // ---------------------------------------------------------------- the body and the session

  finish(): void {
    this.reducer.truncate(this.changeLog);
  }

  beginBody(): void {
    this.adapter?.beginBody();
  }

  endDelivery(whole: boolean): void {
    if (this.adapter?.finish(whole) === false) this.pipeline.report(this.faultOf(EXCEEDED));
  }

  finishResult(whole: boolean): FinishResult {
    const { status } = this.reducer.run;
    return {
      status: whole && ENDED.has(status) ? "complete" : "truncated",
      streams: [{ streamId: "", status }],
    };
  }

  reconnect(): void {
    this.reducer.truncate(this.changeLog);
  }

  reset(): void {
    this.adopt(this.baseline());
    this.changeLog = new AguiChanges("");
    this.queue = undefined;
    this.applied = 0;
    this.skipped = 0;
    this.dropped = 0;
    this.adapter?.reset();
  }

  /** Begins anew with a model. */
  private adopt(model: Model): void {
    this.reducer.adopt(model, this.idleRun());
    this.reducer.thinking.reset();
    this.rejected = false;
  }

  /** What the options give to begin with; it was held to the schema and the limits before. */
  private baseline(): Model {
    const { limits } = this.options;
    const { input } = this.agui;
    if (input === undefined) return new Model(limits);
    const { depth, bound, exact } = input;
    const copy = copyTree(input.members) as JsonObject;
    const source: Source = { nesting: depth, bytes: bound, exact };
    const state = own(copy, "state");
    const messages = (own(copy, "messages") as JsonObject[] | undefined) ?? [];
    const model = makeModel(messages, state === undefined ? {} : state, source, limits);
    if ("code" in model) throw new StreamfoldError({ ...model, code: "bad_argument" });
    return model;
  }

  private idleRun(): RunState {
    return new RunState(this.agui.input?.members ?? {});
  }

  // ---------------------------------------------------------------- the stream

  load(streamId: string, _seq: number | undefined, { value, text, source, orders }: OwnedTree): Fault | undefined {
    if (streamId !== "") return { code: "no_model", reason: R_NONE, streamId };
    if (this.reducer.track.phase === RUNNING && !this.rejected) {
      return { code: "bad_order", reason: R_RUNNING, streamId };
    }
    let stored = value;
    let order: ReadonlyMap<object, readonly string[]> | undefined = orders;
    if (text !== undefined && mayReorder(text)) {
      const read = new Map<object, string[]>();
      stored = readOrdered(text, read);
      order = read;
    }
    const names: Names = order === undefined ? Object.keys : (object) => orderedNames(object, order.get(object));
    const model = loadModel(stored, source, this.options.limits, names, this.reducer.model);
    if ("code" in model) return { ...model, streamId };
    this.adopt(model);
    this.changeLog.next();
    this.changeLog.start();
    return undefined;
  }

  materialize(streamId: string): Fault {
    return { code: "bad_argument", reason: R_NONE, streamId };
  }

  pause(streamId: string): Fault | undefined {
    if (streamId !== "") return { code: "no_model", reason: R_NONE, streamId };
    this.queue ??= new MessageQueue(this.options.limits.queuedBytes);
    return undefined;
  }

  resume(streamId: string): void {
    if (streamId !== "" || this.queue === undefined) return;
    const { messages, lost } = this.queue;
    this.queue = undefined;
    for (const message of messages) this.apply(this.pipeline.reopen(message));
    if (lost) this.reject();
  }

  release(): boolean {
    return false;
  }

  fork(streamId: string, _as: string, target: this): Fault | undefined {
    if (streamId !== "") return { code: "no_model", reason: R_NONE, streamId };
    this.reducer.fork(target.reducer);
    target.rejected = this.rejected;
    target.changeLog.restore(this.changeLog.version);
    target.queue = this.queue?.copy();
    target.applied = this.applied;
    target.skipped = this.skipped;
    target.dropped = this.dropped;
    return undefined;
  }

  status(streamId: string): StreamStatus {
    return streamId === "" ? this.reducer.run.status : "none";
  }

  seq(): undefined {
    return undefined;
  }

  view(streamId: string): ModelView | undefined {
    if (streamId !== "") return undefined;
    return { value: viewOf(this.reducer), exact: this.reducer.model.exact };
  }

  settle(streamId: string): void {
    if (streamId === "") this.reducer.model.messages.settle();
  }

  changes(streamId: string, since: number | undefined): ChangeSet {
    if (streamId === "") return this.changeLog.read(since);
    return (since ?? 0) === 0 ? { version: 0, changes: [] } : { version: 0, resync: true };
  }

  stats(streamId: string | undefined): Stats {
    const stats = emptyStats();
    if (streamId !== undefined && streamId !== "") return stats;
    stats.streams = 1;
    stats.blocks = this.reducer.model.messages.length;
    stats.queued = this.queue?.messages.length ?? 0;
    if (streamId === undefined) return stats;
    stats.applied = this.applied;
    stats.skipped = this.skipped;
    stats.dropped = this.dropped;
    stats.version = this.changeLog.version;
    return stats;
  }

  streamIds(): string[] {
    return [""];
  }

  argumentText(toolCallId: string, from: number): ArgumentText | undefined {
    const { model, track } = this.reducer;
    const call = model.messages.findCall(toolCallId);
    if (call === undefined) return undefined;
    const text = call.function.arguments;
    const item = track.find(CALL, toolCallId);
    const complete = item === undefined || (item.open & OPEN_MESSAGE) === 0;
    const start = from <= text.length ? from : 0;
    return {
      text: call.text.slice(text, start, text.length),
      from: start,
      generation: model.messages.generation,
      complete,
    };
  }

  // ---------------------------------------------------------------- checkpoints

  save(): SavedStream[] {
    const { queue } = this;
    return [
      {
        id: "",
        status: this.rejected ? REFUSED : OPEN,
        seq: undefined,
        paused: queue !== undefined,
        skipping: false,
        lost: queue?.lost === true,
        version: this.changeLog.version,
        applied: this.applied,
        skipped: this.skipped,
        dropped: this.dropped,
        endOrder: 0,
        queue: (queue?.messages ?? []).map(compact),
        model: storeModel(this.reducer, this.rejected),
      },
    ];
  }

  rebuild(streams: readonly SavedStream[]): (() => void) | undefined {
    const saved = streams.length === 1 ? (streams[0] as SavedStream) : undefined;
    if (saved === undefined || saved.id !== "" || saved.seq !== undefined || saved.skipping || saved.endOrder > 0) {
      return undefined;
    }
    if (saved.waiting || (saved.status !== OPEN && saved.status !== REFUSED)) return undefined;
    const { limits } = this.options;
    const depth = Math.max(limits.depth + 1, LEAST_STORED);
    const text = readString(saved.model, { depth, numberLength: limits.numberLength });
    const restored = text === undefined ? undefined : restoreModel(text, limits);
    if (restored === undefined || isRejected(restored) !== (saved.status === REFUSED)) return undefined;
    const queue = saved.paused ? new MessageQueue(limits.queuedBytes) : undefined;
    for (const message of saved.queue) {
      if (objectOf(message.text, limits.depth) === undefined || !queue?.add(message)) return undefined;
    }
    return () => {
      const { model, run, track, thinking } = restored;
      this.reducer.adopt(model, run, track);
      this.reducer.thinking.assign(thinking);
      this.rejected = saved.status === REFUSED;
      this.changeLog = new AguiChanges("");
      this.changeLog.restore(saved.version);
      if (queue !== undefined) queue.lost = saved.lost;
      this.queue = queue;
      this.applied = saved.applied;
      this.skipped = saved.skipped;
      this.dropped = saved.dropped;
    };
  }
}

/** Nesting that the model of any checkpoint may have, for the track; a run's outcome and result lie one level deeper than in their event. */
const LEAST_STORED = 8;

/** Characters of a minted id besides the run's, and of the members around it. */
const MINTED = 96;
