import type { Bytes } from "../../../bytes.js";
import { MsgpackFault, MsgpackSplitter, writeMsgpack } from "../../../codec/msgpack/index.js";
import { LengthPrefixFrames } from "../../../codec/protobuf/frames.js";
import { decodeReplacing, decodeUtf8, encodeUtf8 } from "../../../codec/text.js";
import type { Fault } from "../../../errors.js";
import { writeJson } from "../../../json/exact.js";
import type {
  ArgumentText,
  ChangeSet,
  EngineSession,
  FinishResult,
  ModelFormat,
  Reference,
  Report,
  SessionOptions,
  Stats,
  StreamStatus,
} from "../../contract.js";
import { cloneValue } from "../codec/clone.js";
import { copyValue } from "../codec/value.js";
import { BinaryFramer } from "../frame/binary.js";
import { JsonFramer } from "../frame/json.js";
import { LineFramer } from "../frame/line.js";
import { type Framer, isBlank, isBlankOrDone } from "../frame/sink.js";
import { SseFramer } from "../frame/sse.js";
import { AgentueProtocol } from "./agentue.js";
import { AguiProtocol } from "./agui.js";
import { msgpackFault, readMsgpackTree } from "./binary.js";
import { readCheckpoint, writeCheckpoint } from "./checkpoint.js";
import { Counters, Pipeline } from "./pipeline.js";
import type { OwnedTree, Protocol } from "./protocol.js";
import { rebuild, save } from "./saving.js";
import { isWhole, readText } from "./text.js";

/**
 * One connection on the plain JavaScript engine (docs/semantics.md). Takes events as wire bytes, as text and as values, in any mix.
 */
export class JsSession implements EngineSession {
  private readonly options: SessionOptions;
  private readonly pipeline: Pipeline;
  private readonly protocol: Protocol;
  private finished = false;
  /** The body ended inside a message. */
  private cut = false;

  /** @param blank without the baseline of the options: it is about to get another model */
  constructor(options: SessionOptions, blank = false) {
    this.options = options;
    this.pipeline = new Pipeline(options, createFramer(options), (pipeline) => createProtocol(pipeline, blank));
    this.protocol = this.pipeline.protocol;
  }

  push(chunk: Uint8Array, reports: Report[]): number {
    const { pipeline } = this;
    if (pipeline.failure !== undefined) {
      reports.push({ kind: "error", fault: pipeline.failure });
      return 0;
    }
    if (this.finished) this.beginBody();
    const { counters } = pipeline;
    const before = counters.applied;
    counters.bytes += chunk.length;
    pipeline.begin(reports, true);
    // middleware and hooks run in the middle of the chunk, whose bytes are the caller's
    const { agui, transcode } = this.options;
    const calls = agui?.middleware !== undefined || transcode?.adapt?.block !== undefined;
    const bytes = calls ? new Uint8Array(chunk) : chunk;
    pipeline.framer.push(bytes, pipeline);
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
    if (pipeline.failure !== undefined || this.finished) {
      pipeline.begin(reports, true);
      // A run may have gone on by other means than the body.
      this.protocol.finish();
      this.endOutput();
      pipeline.end();
      return 0;
    }
    this.finished = true;
    const { framer } = pipeline;
    const before = pipeline.counters.applied;
    const use = options.unterminatedTail === "use";
    pipeline.begin(reports, true);
    if (framer.isPartial) {
      this.cut = true;
      framer.dropTail();
    }
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
    this.protocol.finish();
    this.endOutput();
    pipeline.end();
    return pipeline.counters.applied - before;
  }

  /** What is written ends with the body. */
  private endOutput(): void {
    const { outlet } = this.pipeline;
    if (outlet === undefined) return;
    outlet.beginEnd();
    this.protocol.endDelivery?.(this.finishResult().status === "complete");
    outlet.end();
  }

  finishResult(): FinishResult {
    const { failure, outlet } = this.pipeline;
    const whole = !this.cut && failure === undefined;
    // What passes on does not know of streams.
    if (outlet?.passes) return { status: whole ? "complete" : "truncated", streams: [] };
    return this.protocol.finishResult(whole);
  }

  takeOutput(): Bytes {
    return this.pipeline.outlet!.take();
  }

  failure(): Fault | undefined {
    return this.pipeline.failure;
  }

  reconnect(): void {
    this.beginBody();
    this.protocol.reconnect();
  }

  /** Another body: positions begin anew. */
  private beginBody(): void {
    const { pipeline } = this;
    const framer = createFramer(this.options);
    if (framer instanceof SseFramer && pipeline.framer instanceof SseFramer) {
      framer.lastEventId = pipeline.framer.lastEventId;
      framer.retry = pipeline.framer.retry;
    }
    pipeline.framer = framer;
    pipeline.failure = undefined;
    pipeline.counters.nextIndex = 0;
    this.protocol.beginBody?.();
    this.finished = false;
    this.cut = false;
  }

  reset(): void {
    const { pipeline, options } = this;
    pipeline.framer = createFramer(options);
    this.protocol.reset();
    pipeline.outlet?.reset();
    pipeline.counters = new Counters();
    pipeline.failure = undefined;
    this.finished = false;
    this.cut = false;
  }

  load(streamId: string, seq: number | undefined, model: Uint8Array, format: ModelFormat): Fault | undefined {
    const tree = readTree(model, format, streamId, this.options);
    return "code" in tree ? tree : this.protocol.load(streamId, seq, tree);
  }

  loadValue(streamId: string, seq: number | undefined, model: unknown): Fault | undefined {
    const tree = copyTree(model, this.options);
    return "code" in tree ? tree : this.protocol.load(streamId, seq, tree);
  }

  materialize(streamId: string, block: Uint8Array, id?: string): Fault | undefined {
    const tree = readTree(block, "json", streamId, this.options);
    return "code" in tree ? tree : this.protocol.materialize(streamId, tree, id);
  }

  materializeValue(streamId: string, block: unknown, id?: string): Fault | undefined {
    const tree = copyTree(block, this.options);
    return "code" in tree ? tree : this.protocol.materialize(streamId, tree, id);
  }

  pause(streamId: string): Fault | undefined {
    return this.protocol.pause(streamId);
  }

  unresolved(streamId: string, id?: string): Reference | undefined {
    return this.protocol.unresolved?.(streamId, id);
  }

  resume(streamId: string, reports: Report[], skip = false): number {
    const { pipeline } = this;
    const before = pipeline.counters.applied;
    pipeline.begin(reports, false);
    this.protocol.resume(streamId, skip);
    pipeline.end();
    return pipeline.counters.applied - before;
  }

  status(streamId: string): StreamStatus {
    return this.protocol.status(streamId);
  }

  seq(streamId: string): number | undefined {
    return this.protocol.seq(streamId);
  }

  snapshot(streamId: string, integers: "number" | "bigint"): unknown {
    const view = this.protocol.view(streamId);
    return view === undefined ? undefined : cloneValue(view.value, integers);
  }

  withSnapshotBytes<T>(
    streamId: string,
    format: ModelFormat,
    use: (view: Uint8Array) => T,
  ): { value: T } | Fault | undefined {
    const view = this.protocol.view(streamId);
    if (view === undefined) return undefined;
    const bytes = format === "json" ? encodeUtf8(writeJson(view.value, view.exact)) : writeMsgpack(view.value);
    this.protocol.settle(streamId);
    return bytes instanceof MsgpackFault ? msgpackFault(bytes) : { value: use(bytes) };
  }

  changes(streamId: string, since: number | undefined): ChangeSet {
    return this.protocol.changes(streamId, since);
  }

  stats(streamId?: string): Stats {
    const stats = this.protocol.stats(streamId);
    if (streamId !== undefined) return stats;
    const { events, bytes, applied, skipped, dropped, errors, warnings } = this.pipeline.counters;
    return { ...stats, events, bytes, applied, skipped, dropped, errors, warnings };
  }

  streamIds(): string[] {
    return this.protocol.streamIds();
  }

  argumentText(toolCallId: string, from: number): ArgumentText | undefined {
    return this.protocol.argumentText?.(toolCallId, from);
  }

  get lastEventId(): string | undefined {
    return this.ids?.lastEventId;
  }

  get retry(): number | undefined {
    return this.ids?.retry;
  }

  /** Where ids and delays of the transport are kept; AG-UI knows none. */
  private get ids(): SseFramer | undefined {
    const { framer } = this.pipeline;
    return framer instanceof SseFramer && this.options.protocol === "agentue" ? framer : undefined;
  }

  release(streamId: string): boolean {
    return this.protocol.release(streamId);
  }

  checkpoint(): Bytes {
    const { framer, counters, failure } = this.pipeline;
    const state = { framer, counters, finished: this.finished, cut: this.cut };
    return writeCheckpoint(save(state, this.protocol, this.options, failure !== undefined));
  }

  restore(bytes: Uint8Array): Fault | undefined {
    const checkpoint = readCheckpoint(bytes);
    if (checkpoint === undefined) return { code: "bad_checkpoint" };
    const { pipeline, options } = this;
    const saved = rebuild(checkpoint, createFramer(options), this.protocol, options);
    if (saved === undefined) return { code: "bad_checkpoint" };
    saved.adopt();
    pipeline.framer = saved.framer;
    pipeline.counters = saved.counters;
    pipeline.failure = undefined;
    this.finished = saved.finished;
    this.cut = saved.cut;
    return undefined;
  }

  fork(streamId: string, as: string, options: SessionOptions): JsSession | Fault {
    const fork = new JsSession(options, true);
    return this.protocol.fork(streamId, as, fork.protocol) ?? fork;
  }

  close(): void {
    this.reset();
  }
}

/** A caller's bytes as a tree of our own, or their fault. */
function readTree(
  bytes: Uint8Array,
  format: ModelFormat,
  streamId: string,
  { limits }: SessionOptions,
): OwnedTree | Fault {
  const read = format === "json" ? readText(bytes, limits) : readMsgpackTree(bytes, limits);
  return "code" in read && read.code === "limit" ? { ...read, streamId } : read;
}

/** A caller's value as a tree of our own, or its fault. */
function copyTree(value: unknown, { limits }: SessionOptions): OwnedTree | Fault {
  const copy = copyValue(value, limits.depth);
  if ("code" in copy) return copy;
  const source = { nesting: copy.depth, bytes: copy.bound, exact: copy.exact };
  return { value: copy.value, text: undefined, source };
}

function createProtocol(pipeline: Pipeline, blank: boolean): Protocol {
  return pipeline.options.protocol === "ag-ui" ? new AguiProtocol(pipeline, blank) : new AgentueProtocol(pipeline);
}

function createFramer({ transport, limits }: SessionOptions): Framer {
  const { messageBytes } = limits;
  switch (transport) {
    case "sse":
      return new SseFramer(messageBytes);
    case "ndjson":
      return new LineFramer(messageBytes);
    case "json":
      return new JsonFramer(messageBytes);
    case "msgpack":
      return new BinaryFramer(new MsgpackSplitter(messageBytes, limits.depth));
    case "protobuf":
      return new BinaryFramer(new LengthPrefixFrames(messageBytes));
  }
}
