import { R_NONE } from "../../../../assembly/abi/codes.js";
import type { Fault } from "../../../errors.js";
import type {
  ChangeSet,
  EngineSession,
  FinishResult,
  Report,
  SessionOptions,
  Stats,
  StreamStatus,
} from "../../contract.js";
import { cloneValue, writeJson } from "../codec/clone.js";
import { decodeReplacing, decodeUtf8, encodeUtf8 } from "../codec/utf8.js";
import { copyValue } from "../codec/value.js";
import { JsonFramer } from "../frame/json.js";
import { LineFramer } from "../frame/line.js";
import { type Framer, isBlank, isBlankOrDone } from "../frame/sink.js";
import { SseFramer } from "../frame/sse.js";
import type { Source } from "../reduce/agentue/operations.js";
import { ENDED, STATUS_NAMES, UNKNOWN_SEQ } from "../reduce/agentue/state.js";
import { readCheckpoint, writeCheckpoint } from "./checkpoint.js";
import { namesIn } from "./names.js";
import { Counters, Pipeline } from "./pipeline.js";
import { MessageQueue } from "./queue.js";
import { rebuild, type Saved, save } from "./saving.js";
import { Stream, Streams } from "./streams.js";
import { isWhole, readText } from "./text.js";

/**
 * One connection on the plain JavaScript engine (docs/semantics.md). Takes events as wire bytes, as text and as values, in any mix.
 */
export class JsSession implements EngineSession {
  private readonly options: SessionOptions;
  private readonly pipeline: Pipeline;
  private finished = false;
  /** The body ended inside a message. */
  private cut = false;

  constructor(options: SessionOptions) {
    this.options = options;
    this.pipeline = new Pipeline(options, createFramer(options), new Streams(options.keepEnded));
  }

  push(chunk: Uint8Array, reports: Report[]): number {
    const { pipeline } = this;
    if (pipeline.failure !== undefined) {
      reports.push({ kind: "error", fault: pipeline.failure });
      return 0;
    }
    if (this.finished) this.reconnect();
    const { counters } = pipeline;
    const before = counters.applied;
    counters.bytes += chunk.length;
    pipeline.begin(reports, true);
    pipeline.framer.push(chunk, pipeline);
    pipeline.end();
    return counters.applied - before;
  }

  applyText(bytes: Uint8Array, reports: Report[]): number {
    const { pipeline } = this;
    const before = pipeline.counters.applied;
    pipeline.begin(reports, false);
    pipeline.separate(decodeUtf8(bytes), bytes);
    pipeline.end();
    return pipeline.counters.applied - before;
  }

  applyValue(event: unknown, reports: Report[]): number {
    const { pipeline } = this;
    const before = pipeline.counters.applied;
    pipeline.begin(reports, false);
    pipeline.value(event);
    pipeline.end();
    return pipeline.counters.applied - before;
  }

  finish(reports: Report[]): number {
    const { pipeline, options } = this;
    if (pipeline.failure !== undefined || this.finished) return 0;
    this.finished = true;
    const { framer } = pipeline;
    const before = pipeline.counters.applied;
    const use = options.unterminatedTail === "use";
    pipeline.begin(reports, true);
    const bytes = framer.tail(pipeline, use);
    if (bytes !== undefined) {
      const strict = decodeUtf8(bytes);
      const text = strict ?? (options.utf8 === "replace" ? decodeReplacing(bytes) : undefined);
      const nothing = text !== undefined && (options.transport === "sse" ? isBlankOrDone(text) : isBlank(text));
      const usable = use && text !== undefined && isWhole(text, options.limits.depth);
      this.cut = !nothing && !usable;
      if (!nothing && usable && pipeline.tail(text, bytes, strict === undefined)) framer.acceptTail();
      else framer.dropTail();
    }
    pipeline.end();
    return pipeline.counters.applied - before;
  }

  finishResult(): FinishResult {
    const { failure, streams } = this.pipeline;
    const all = [...streams.all()];
    const complete =
      !this.cut && failure === undefined && all.length > 0 && all.every((stream) => stream.status === ENDED);
    return {
      status: complete ? "complete" : "truncated",
      streams: all.map((stream) => ({ streamId: stream.id, status: STATUS_NAMES[stream.status]! })),
    };
  }

  failure(): Fault | undefined {
    return this.pipeline.failure;
  }

  reconnect(): void {
    const { pipeline } = this;
    const framer = createFramer(this.options);
    if (framer instanceof SseFramer && pipeline.framer instanceof SseFramer) {
      framer.lastEventId = pipeline.framer.lastEventId;
      framer.retry = pipeline.framer.retry;
    }
    pipeline.framer = framer;
    pipeline.failure = undefined;
    pipeline.counters.nextIndex = 0;
    this.finished = false;
    this.cut = false;
  }

  reset(): void {
    const { pipeline, options } = this;
    pipeline.framer = createFramer(options);
    pipeline.streams = new Streams(options.keepEnded);
    pipeline.counters = new Counters();
    pipeline.failure = undefined;
    this.finished = false;
    this.cut = false;
  }

  load(streamId: string, seq: number | undefined, model: Uint8Array): Fault | undefined {
    const read = readText(model, this.options.limits);
    if ("code" in read) return read.code === "limit" ? { ...read, streamId } : read;
    return this.loadTree(streamId, seq, read.value, read.text, read.source);
  }

  loadValue(streamId: string, seq: number | undefined, model: unknown): Fault | undefined {
    const copy = copyValue(model, this.options.limits.depth);
    if ("code" in copy) return copy;
    const source = { nesting: copy.depth, bytes: copy.bound, exact: copy.exact };
    return this.loadTree(streamId, seq, copy.value, undefined, source);
  }

  private loadTree(
    streamId: string,
    seq: number | undefined,
    model: unknown,
    text: string | undefined,
    source: Source,
  ): Fault | undefined {
    const { reducer, streams } = this.pipeline;
    const known = streams.find(streamId);
    const stream = known ?? new Stream(streamId);
    const full = known === undefined && streams.size >= this.options.limits.streams;
    const violation = reducer.load(stream, seq ?? UNKNOWN_SEQ, model, namesIn(text), source, full);
    if (violation !== undefined) return { ...violation, streamId };
    if (known === undefined) streams.add(stream);
    streams.followStatus(stream);
    return undefined;
  }

  materialize(streamId: string, block: Uint8Array): Fault | undefined {
    const read = readText(block, this.options.limits);
    if ("code" in read) return read.code === "limit" ? { ...read, streamId } : read;
    return this.materializeTree(streamId, read.value, read.source);
  }

  materializeValue(streamId: string, block: unknown): Fault | undefined {
    const copy = copyValue(block, this.options.limits.depth);
    if ("code" in copy) return copy;
    return this.materializeTree(streamId, copy.value, { nesting: copy.depth, bytes: copy.bound, exact: copy.exact });
  }

  private materializeTree(streamId: string, block: unknown, source: Source): Fault | undefined {
    const violation = this.pipeline.reducer.materialize(this.pipeline.streams.find(streamId), block, source);
    return violation === undefined ? undefined : { ...violation, streamId };
  }

  pause(streamId: string): Fault | undefined {
    const stream = this.pipeline.streams.find(streamId);
    if (stream === undefined) return { code: "no_model", reason: R_NONE, streamId };
    stream.queue ??= new MessageQueue(this.options.limits.queuedBytes);
    return undefined;
  }

  resume(streamId: string, reports: Report[]): number {
    const { pipeline } = this;
    const stream = pipeline.streams.find(streamId);
    if (stream?.queue === undefined) return 0;
    const { messages, lost } = stream.queue;
    stream.queue = undefined;
    const before = pipeline.counters.applied;
    pipeline.begin(reports, false);
    for (const message of messages) pipeline.replay(streamId, message);
    pipeline.end();
    if (lost) pipeline.refuse(streamId);
    return pipeline.counters.applied - before;
  }

  status(streamId: string): StreamStatus {
    return STATUS_NAMES[this.pipeline.streams.find(streamId)?.status ?? 0]!;
  }

  seq(streamId: string): number | undefined {
    const seq = this.pipeline.streams.find(streamId)?.seq ?? UNKNOWN_SEQ;
    return seq === UNKNOWN_SEQ ? undefined : seq;
  }

  snapshot(streamId: string, integers: "number" | "bigint"): unknown {
    const document = this.pipeline.streams.find(streamId)?.document;
    return document === undefined ? undefined : cloneValue(document.model, integers);
  }

  withSnapshotBytes<T>(streamId: string, use: (view: Uint8Array) => T): { value: T } | undefined {
    const document = this.pipeline.streams.find(streamId)?.document;
    if (document === undefined) return undefined;
    const bytes = encodeUtf8(writeJson(document.model, document.exact));
    document.settle();
    return { value: use(bytes) };
  }

  changes(streamId: string, since: number | undefined): ChangeSet {
    const stream = this.pipeline.streams.find(streamId);
    if (stream !== undefined) return stream.changes.read(since);
    return (since ?? 0) === 0 ? { version: 0, changes: [] } : { version: 0, resync: true };
  }

  stats(streamId?: string): Stats {
    const { counters, streams } = this.pipeline;
    const stream = streamId === undefined ? undefined : streams.find(streamId);
    const included = streamId === undefined ? [...streams.all()] : stream === undefined ? [] : [stream];
    let blocks = 0;
    let queued = 0;
    for (const { document, queue } of included) {
      blocks += document!.blocks.length;
      queued += queue?.messages.length ?? 0;
    }
    const { events, bytes, errors, warnings } = streamId === undefined ? counters : new Counters();
    const { applied, skipped, dropped } = streamId === undefined ? counters : (stream ?? new Counters());
    const version = stream?.changes.version ?? 0;
    return {
      events,
      bytes,
      applied,
      skipped,
      dropped,
      errors,
      warnings,
      streams: included.length,
      blocks,
      queued,
      version,
      memory: 0,
    };
  }

  streamIds(): string[] {
    return [...this.pipeline.streams.all()].map((stream) => stream.id);
  }

  get lastEventId(): string | undefined {
    return this.pipeline.framer instanceof SseFramer ? this.pipeline.framer.lastEventId : undefined;
  }

  get retry(): number | undefined {
    return this.pipeline.framer instanceof SseFramer ? this.pipeline.framer.retry : undefined;
  }

  release(streamId: string): boolean {
    return this.pipeline.streams.remove(streamId);
  }

  checkpoint(): Uint8Array {
    const { framer, streams, counters, failure } = this.pipeline;
    const state: Saved = { framer, streams, counters, finished: this.finished, cut: this.cut };
    return writeCheckpoint(save(state, this.options.transport, failure !== undefined));
  }

  restore(bytes: Uint8Array): Fault | undefined {
    const checkpoint = readCheckpoint(bytes);
    if (checkpoint === undefined) return { code: "bad_checkpoint" };
    const { pipeline, options } = this;
    const saved = rebuild(checkpoint, createFramer(options), options, pipeline.reducer);
    if (typeof saved === "string") return { code: "bad_checkpoint" };
    pipeline.framer = saved.framer;
    pipeline.streams = saved.streams;
    pipeline.counters = saved.counters;
    pipeline.failure = undefined;
    this.finished = saved.finished;
    this.cut = saved.cut;
    return undefined;
  }

  close(): void {
    this.reset();
  }
}

function createFramer({ transport, limits }: SessionOptions): Framer {
  if (transport === "sse") return new SseFramer(limits.messageBytes);
  return transport === "ndjson" ? new LineFramer(limits.messageBytes) : new JsonFramer(limits.messageBytes);
}
