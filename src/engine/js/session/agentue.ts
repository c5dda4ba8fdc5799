import { PROTOCOL_AGENTUE, R_LIMIT_NUMBER, R_LIMIT_QUEUE, R_NONE, R_STRING } from "../../../../assembly/abi/codes.js";
import type { Fault } from "../../../errors.js";
import { mayHoldExactNumber, readExact } from "../../../json/exact.js";
import type { JsonObject } from "../../../json/object.js";
import { isPlain } from "../../../json/object.js";
import { hasShortDigitRuns } from "../../../json/text.js";
import type { ChangeSet, FinishResult, Reference, SessionOptions, Stats, StreamStatus } from "../../contract.js";
import { cloneValue } from "../codec/clone.js";
import { ACCEPTED, AgentueReducer, NO_GAP, SKIPPED, seqOf } from "../reduce/agentue/reducer.js";
import { ENDED, REFUSED, STATUS_NAMES, UNKNOWN_SEQ } from "../reduce/agentue/state.js";
import type { Violation } from "../reduce/agentue/violation.js";
import { rebuildStream, saveStream } from "./agentue-saving.js";
import type { SavedStream } from "./checkpoint.js";
import { namesIn } from "./names.js";
import { NOWHERE, type Pipeline } from "./pipeline.js";
import type { ModelView, OwnedTree, Protocol } from "./protocol.js";
import { MessageQueue } from "./queue.js";
import { emptyStats } from "./stats.js";
import { Stream, Streams } from "./streams.js";
import { LONG_RUN, MOST_BYTES } from "./text.js";
import { awaitedReference, dropWaiting, referenceOf } from "./waiting.js";

const queueFull = (): Violation => ({ code: "limit", reason: R_LIMIT_QUEUE, path: "/stream_id" });

/** Violations that say nothing about the stream's content. */
const HARMLESS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "no_model",
  "after_end",
  "unresolved_reference",
  "unresolved_frames",
]);

/** AgentUE: one model per logical stream; routing, queueing, reducing (docs/semantics.md §2.2 to §5). */
export class AgentueProtocol implements Protocol {
  readonly number = PROTOCOL_AGENTUE;
  private readonly options: SessionOptions;
  private readonly pipeline: Pipeline;
  private readonly reducer: AgentueReducer;
  private streams: Streams;

  constructor(pipeline: Pipeline) {
    this.options = pipeline.options;
    this.pipeline = pipeline;
    this.reducer = new AgentueReducer(this.options.limits, this.options.sequence, this.options.frames === "guard");
    this.streams = new Streams(this.options.keepEnded);
  }

  // ---------------------------------------------------------------- from message to effect

  take(event: JsonObject, reported: unknown): boolean {
    const id = event.stream_id;
    if (id !== undefined && typeof id !== "string") {
      const { pipeline } = this;
      return pipeline.fail({ code: "not_an_event", reason: R_STRING, path: "/stream_id", ...pipeline.start() });
    }
    const streamId = id ?? "";
    const stream = this.streams.find(streamId);
    // A start makes pointless what waits for a reference.
    const queues = stream?.queue !== undefined && !(stream.waiting && event.op === "start");
    if (queues) this.enqueue(stream, event);
    else if (this.apply(stream, streamId, event, reported, false)) this.wait(stream!, event);
    return true;
  }

  takeValue(value: unknown): boolean {
    if (typeof value !== "object" || value === null || !isPlain(value)) return false;
    const event = value as JsonObject;
    let stream: Stream | undefined;
    try {
      const { stream_id: id, block } = event;
      if (id !== undefined && typeof id !== "string") return false;
      stream = this.streams.find(id ?? "");
      if (stream === undefined || stream.queue !== undefined) return false;
      if (typeof block !== "object" || block === null || !isPlain(block)) return false;
      if (!this.reducer.appendText(stream, event)) return false;
    } catch {
      // An accessor or a Proxy has thrown: the long way tells where.
      return false;
    }
    this.pipeline.openValue();
    this.accept(stream, event);
    return true;
  }

  private enqueue(stream: Stream, event: JsonObject): void {
    const queue = stream.queue!;
    if (queue.lost && event.op !== "start") {
      this.drop(stream);
      return;
    }
    const { pipeline } = this;
    if (queue.add(pipeline.queued(event))) {
      // From a start that is kept on nothing was lost.
      queue.lost = false;
      return;
    }
    pipeline.report(this.faultOf(queueFull(), stream.id, event, pipeline.start().byteOffset));
    if (this.options.onViolation === "refuse-stream") queue.lost = true;
  }

  /** The event in hand has met a reference: its stream pauses before it. */
  private wait(stream: Stream, event: JsonObject): void {
    const { pipeline } = this;
    const queue = new MessageQueue(this.options.limits.queuedBytes);
    if (!queue.add(pipeline.queued(event))) {
      this.violate(stream, stream.id, event, queueFull(), pipeline.start().byteOffset);
      return;
    }
    this.pauseBefore(stream, queue, event);
  }

  /** @param queue begins with the event in hand */
  private pauseBefore(stream: Stream, queue: MessageQueue, event: JsonObject): void {
    stream.queue = queue;
    stream.waiting = true;
    const { id, value } = awaitedReference(stream)!;
    const { index: eventIndex } = this.pipeline;
    const pause = { streamId: stream.id, id, ref: value.ref as string, seq: seqOf(event)!, eventIndex };
    this.pipeline.deliver({ kind: "unresolved", pause });
  }

  /**
   * @param skip whether an unresolved reference is an error, whatever the options say
   * @returns whether the event has met a reference that it is to wait for; nothing has happened then
   */
  private apply(
    stream: Stream | undefined,
    streamId: string,
    event: JsonObject,
    reported: unknown,
    skip: boolean,
  ): boolean {
    const { pipeline } = this;
    const { text, source } = pipeline;
    if (
      stream !== undefined &&
      pipeline.quick &&
      event.op === "append" &&
      (text === undefined || hasShortDigitRuns(text, LONG_RUN)) &&
      this.reducer.appendText(stream, event)
    ) {
      pipeline.outlet?.draftMessage(event, text);
      this.accept(stream, reported ?? this.told(event));
      return false;
    }
    const numberAt = pipeline.findLongNumber(event);
    if (numberAt !== undefined) {
      // Digits that a double loses can make an integer of what is none.
      const judged = text === undefined ? event : (readExact(text) as JsonObject);
      this.violate(stream, streamId, judged, { code: "limit", reason: R_LIMIT_NUMBER }, numberAt);
      return false;
    }
    if (stream !== undefined && stream.status === REFUSED && event.op !== "start") {
      stream.skipping = false;
      this.drop(stream);
      return false;
    }
    let owned = event;
    let told = reported;
    if (text === undefined) {
      told ??= this.told(event);
    } else {
      source.bytes = MOST_BYTES * text.length;
      source.exact = mayHoldExactNumber(text);
      if (source.exact) owned = readExact(text) as JsonObject;
      // The listeners get the other copy.
      else if (this.options.events) owned = JSON.parse(text);
    }
    const target = stream ?? (event.op === "start" ? new Stream(streamId) : undefined);
    const full = stream === undefined && this.streams.size >= this.options.limits.streams;
    const { namesAt } = pipeline;
    pipeline.outlet?.draftMessage(event, text);
    const verdict = this.reducer.reduce(target, owned, namesAt([], owned), namesAt, source, full);
    if (verdict === ACCEPTED) {
      if (stream === undefined) this.streams.add(target!);
      else if (owned.op === "start") pipeline.counters.dropped += dropWaiting(stream);
      this.accept(target!, told);
    } else if (verdict === SKIPPED) {
      this.skip(stream!, owned);
    } else if (
      !skip &&
      this.options.unresolved === "pause" &&
      this.reducer.violation!.code === "unresolved_reference"
    ) {
      return true;
    } else {
      // as judged: a double may show an integer where the text holds none (1e-400)
      this.violate(stream, streamId, owned, this.reducer.violation!, pipeline.start().byteOffset);
    }
    return false;
  }

  /** What listeners get of an event that came as MessagePack. */
  private told(event: JsonObject): unknown {
    return this.options.events ? cloneValue(event, "number") : event;
  }

  private accept(stream: Stream, event: unknown): void {
    const { pipeline } = this;
    stream.skipping = false;
    stream.applied++;
    pipeline.counters.applied++;
    const lastSeq = this.reducer.gap;
    const eventIndex = pipeline.index;
    if (lastSeq !== NO_GAP) {
      const { op } = event as { op: "set" | "append" | "error" | "ping" | "end" };
      const seq = seqOf(event as JsonObject)!;
      pipeline.deliver({ kind: "gap", gap: { streamId: stream.id, op, lastSeq, seq, eventIndex } });
    }
    if (this.options.events) pipeline.deliver({ kind: "event", event, streamId: stream.id, eventIndex });
    pipeline.outlet?.commit({ streamId: stream.id, seq: seqOf(event as JsonObject)! });
    this.streams.followStatus(stream);
  }

  private skip(stream: Stream, event: JsonObject): void {
    stream.skipped++;
    this.pipeline.counters.skipped++;
    if (!stream.skipping) this.pipeline.warn({ code: "duplicate_seq", path: "/seq" }, stream.id, seqOf(event));
    stream.skipping = true;
  }

  private drop(stream: Stream): void {
    stream.dropped++;
    this.pipeline.counters.dropped++;
  }

  /** Reports a violation and refuses the stream where that is asked for. */
  private violate(
    stream: Stream | undefined,
    streamId: string,
    event: JsonObject,
    violation: Violation,
    byteOffset?: number,
  ): void {
    this.pipeline.report(this.faultOf(violation, streamId, event, byteOffset));
    if (stream === undefined) return;
    stream.skipping = false;
    if (this.options.onViolation === "refuse-stream" && !HARMLESS.has(violation.code)) this.refuse(streamId);
  }

  /** The stream takes nothing but a `start` from now on. */
  private refuse(streamId: string): void {
    const stream = this.streams.find(streamId);
    if (stream === undefined) return;
    stream.status = REFUSED;
    this.streams.followStatus(stream);
  }

  private faultOf(violation: Violation, streamId: string, event: JsonObject, byteOffset = NOWHERE): Fault {
    const fault: Fault = { ...violation, streamId, eventIndex: this.pipeline.index };
    const seq = seqOf(event);
    if (seq !== undefined) fault.seq = seq;
    if (byteOffset >= 0) fault.byteOffset = byteOffset;
    return fault;
  }

  // ---------------------------------------------------------------- the body and the session

  finish(): void {}

  finishResult(whole: boolean): FinishResult {
    const all = [...this.streams.all()];
    const complete = whole && all.length > 0 && all.every((stream) => stream.status === ENDED);
    return {
      status: complete ? "complete" : "truncated",
      streams: all.map((stream) => ({ streamId: stream.id, status: STATUS_NAMES[stream.status]! })),
    };
  }

  reconnect(): void {}

  reset(): void {
    this.streams = new Streams(this.options.keepEnded);
  }

  // ---------------------------------------------------------------- streams

  load(streamId: string, seq: number | undefined, model: OwnedTree): Fault | undefined {
    const { streams } = this;
    const known = streams.find(streamId);
    const stream = known ?? new Stream(streamId);
    const full = known === undefined && streams.size >= this.options.limits.streams;
    const names = namesIn(model.text, model.orders);
    const violation = this.reducer.load(stream, seq ?? UNKNOWN_SEQ, model.value, names, model.source, full);
    if (violation !== undefined) return { ...violation, streamId };
    if (known === undefined) streams.add(stream);
    streams.followStatus(stream);
    this.pipeline.counters.dropped += dropWaiting(stream);
    return undefined;
  }

  materialize(streamId: string, block: OwnedTree, id: string | undefined): Fault | undefined {
    const stream = this.streams.find(streamId);
    const violation = this.reducer.materialize(stream, block.value, block.source, id);
    if (violation !== undefined) return { ...violation, streamId };
    // Once the block has its body the stream is paused like any other.
    if (stream!.waiting && awaitedReference(stream!) === undefined) stream!.waiting = false;
    return undefined;
  }

  unresolved(streamId: string, id: string | undefined): Reference | undefined {
    const stream = this.streams.find(streamId);
    if (stream === undefined) return undefined;
    const entry = id !== undefined ? referenceOf(stream, id) : stream.waiting ? awaitedReference(stream) : undefined;
    if (entry === undefined) return undefined;
    const { number: generation, model } = stream.document!;
    return { generation, biz: model.biz as string, id: entry.id, ref: entry.value.ref as string };
  }

  pause(streamId: string): Fault | undefined {
    const stream = this.streams.find(streamId);
    if (stream === undefined) return { code: "no_model", reason: R_NONE, streamId };
    stream.queue ??= new MessageQueue(this.options.limits.queuedBytes);
    stream.waiting = false;
    return undefined;
  }

  resume(streamId: string, skip: boolean): void {
    const stream = this.streams.find(streamId);
    if (stream?.queue === undefined) return;
    const { messages, lost } = stream.queue;
    stream.queue = undefined;
    stream.waiting = false;
    for (const [number, message] of messages.entries()) {
      const event = this.pipeline.reopen(message);
      // What was applied before may have released the stream.
      const present = this.streams.find(streamId);
      if (!this.apply(present, streamId, event, event, skip && number === 0)) continue;
      const rest = new MessageQueue(this.options.limits.queuedBytes);
      for (const waiting of messages.slice(number)) rest.add(waiting);
      rest.lost = lost;
      this.pauseBefore(present!, rest, event);
      return;
    }
    if (lost) this.refuse(streamId);
  }

  release(streamId: string): boolean {
    return this.streams.remove(streamId);
  }

  status(streamId: string): StreamStatus {
    return STATUS_NAMES[this.streams.find(streamId)?.status ?? 0]!;
  }

  seq(streamId: string): number | undefined {
    const seq = this.streams.find(streamId)?.seq ?? UNKNOWN_SEQ;
    return seq === UNKNOWN_SEQ ? undefined : seq;
  }

  view(streamId: string): ModelView | undefined {
    const document = this.streams.find(streamId)?.document;
    return document === undefined ? undefined : { value: document.model, exact: document.exact };
  }

  settle(streamId: string): void {
    this.streams.find(streamId)?.document?.settle();
  }

  changes(streamId: string, since: number | undefined): ChangeSet {
    const stream = this.streams.find(streamId);
    if (stream !== undefined) return stream.changes.read(since);
    return (since ?? 0) === 0 ? { version: 0, changes: [] } : { version: 0, resync: true };
  }

  stats(streamId: string | undefined): Stats {
    const stats = emptyStats();
    const stream = streamId === undefined ? undefined : this.streams.find(streamId);
    const included = streamId === undefined ? [...this.streams.all()] : stream === undefined ? [] : [stream];
    stats.streams = included.length;
    for (const { document, queue } of included) {
      stats.blocks += document!.blocks.length;
      stats.queued += queue?.messages.length ?? 0;
    }
    if (stream === undefined) return stats;
    stats.applied = stream.applied;
    stats.skipped = stream.skipped;
    stats.dropped = stream.dropped;
    stats.version = stream.changes.version;
    return stats;
  }

  streamIds(): string[] {
    return [...this.streams.all()].map((stream) => stream.id);
  }

  fork(streamId: string, as: string, target: this): Fault | undefined {
    const stream = this.streams.find(streamId);
    if (stream === undefined) return { code: "no_model", reason: R_NONE, streamId };
    const fork = stream.fork(as);
    target.streams.add(fork);
    target.streams.followStatus(fork);
    return undefined;
  }

  // ---------------------------------------------------------------- checkpoints

  save(): SavedStream[] {
    return [...this.streams.all()].map(saveStream);
  }

  rebuild(saved: readonly SavedStream[]): (() => void) | undefined {
    if (saved.length > this.options.limits.streams) return undefined;
    const streams = new Streams(this.options.keepEnded);
    for (const one of saved) {
      const stream = rebuildStream(one, this.options, this.reducer);
      if (stream === undefined) return undefined;
      streams.add(stream);
    }
    streams.restoreEnded();
    return () => {
      this.streams = streams;
    };
  }
}
