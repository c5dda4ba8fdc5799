import * as codes from "../../../assembly/abi/codes.js";
import * as layout from "../../../assembly/abi/layout.js";
import type { Bytes } from "../../bytes.js";
import { concatenate } from "../../codec/output.js";
import { ResultPool } from "../../codec/result-pool.js";
import { errorScope, type Fault, usageError } from "../../errors.js";
import { parseWithBigInt } from "../../json/exact.js";
import type {
  ArgumentText,
  Change,
  ChangeSet,
  EngineAssembler,
  EngineSession,
  FinishResult,
  ModelFormat,
  Reference,
  Report,
  SessionOptions,
  Stats,
  StreamStatus,
} from "../contract.js";
import type { AguiSupport } from "./agui.js";
import type { WasmAssembler } from "./assembler.js";
import type { Core } from "./instance.js";
import { writeOptions } from "./options.js";
import { drainReports, faultOf, readFault } from "./reports.js";
import { expectResult, KEPT_BYTES, putContents, stage, stateAfter, takeResult, unstage } from "./staging.js";
import { decode, encodeContents } from "./text.js";

const STATUS: readonly StreamStatus[] = ["none", "open", "errored", "ended", "refused"];
const RUN_STATUS: readonly StreamStatus[] = [
  "idle",
  "running",
  "finished",
  "interrupted",
  "cancelled",
  "failed",
  "rejected",
  "truncated",
];
const CHANGE_KINDS: readonly Change["kind"][] = [
  "start",
  "start",
  "insert",
  "replace",
  "replace",
  "append",
  "append",
  "meta",
];
const FORMAT: Record<ModelFormat, number> = { json: codes.FORMAT_JSON, msgpack: codes.FORMAT_MSGPACK };
const NOTHING = new Uint8Array(0);

/** Where sessions come from and go to. */
export interface SessionHost {
  readonly core: Core;
  /** What AG-UI and transcoders need besides; missing where the core has neither. */
  readonly agui: AguiSupport | undefined;
  /** @param blank without the baseline of the options: it is about to get another model */
  open(options: SessionOptions, blank: boolean): WasmSession;
  onClose(session: WasmSession): void;
}

/** One connection whose decoder, streams and models live in linear memory. */
export class WasmSession implements EngineSession {
  readonly #core: Core;
  readonly #handle: number;
  readonly #host: SessionHost;
  readonly #wholeMessages: boolean;
  readonly #options: SessionOptions;
  readonly #hasMiddleware: boolean;
  /** What a transcoder has written and nobody has taken; undefined: it is a reducer's session. */
  readonly #written: Bytes[] | undefined;
  /** What a transcoder writes shares larger buffers. */
  readonly #pool: ResultPool | undefined;

  /** @throws StreamfoldError `out_of_memory`, `bad_argument` with a path for an AG-UI baseline that is malformed */
  constructor(host: SessionHost, options: SessionOptions, blank: boolean) {
    const { core } = host;
    this.#core = core;
    this.#host = host;
    this.#wholeMessages = options.transport === "json";
    this.#options = options;
    this.#hasMiddleware = options.agui?.middleware !== undefined;
    this.#written = options.transcode === undefined ? undefined : [];
    this.#pool = options.transcode?.pool ? new ResultPool() : undefined;
    writeOptions(core, options, host.agui);
    this.#handle = this.#call(() => core.exports.session_open());
    if (!this.#handle) throw usageError("out_of_memory");
    try {
      host.agui?.begin(core, this.#handle, options, blank);
    } catch (error) {
      if (core.isAlive) core.exports.session_close(this.#handle);
      throw error;
    }
  }

  get handle(): number {
    return this.#handle;
  }

  push(chunk: Uint8Array, reports: Report[]): number {
    const core = this.#core;
    core.enter();
    // middleware runs in the middle of the chunk, whose bytes are the caller's
    if (this.#hasMiddleware) chunk = new Uint8Array(chunk);
    const n = chunk.length;
    if (n > layout.INPUT_CAPACITY) return this.#pushLarge(chunk, reports);
    core.putInput(chunk);
    try {
      const accepted = core.feed(this.#handle, n, 1);
      if (this.#written !== undefined) this.#collect();
      return accepted & layout.FEED_ATTENTION ? this.#attend(accepted, reports, 0, chunk) : accepted;
    } catch (error) {
      return core.fail(error);
    }
  }

  #pushLarge(chunk: Uint8Array, reports: Report[]): number {
    const core = this.#core;
    let accepted = 0;
    for (let at = 0; at < chunk.length; at += layout.INPUT_CAPACITY) {
      const end = Math.min(at + layout.INPUT_CAPACITY, chunk.length);
      const window = chunk.subarray(at, end);
      core.putInput(window);
      const feed = at === 0 ? core.exports.session_feed : core.exports.session_feed_more;
      const done = this.#call(() => feed(this.#handle, end - at, this.#wholeMessages && end < chunk.length ? 0 : 1));
      if (this.#written !== undefined) this.#collect();
      if (!(done & layout.FEED_ATTENTION)) {
        accepted += done;
        continue;
      }
      accepted = this.#attend(done, reports, accepted, window);
      if (core.exports.session_state(this.#handle) === layout.FEED_FAILED) break;
    }
    return accepted;
  }

  /**
   * Drains the output queue, and goes on where a full one or an event for the middleware had stopped the call.
   *
   * @param before events accepted before
   * @param window what was put into the input window
   * @returns the events accepted, `before` included
   */
  #attend(result: number, reports: Report[], before = 0, window?: Uint8Array): number {
    const core = this.#core;
    const { exports } = core;
    let accepted = before;
    for (;;) {
      accepted += result & ~layout.FEED_ATTENTION;
      const held = drainReports(core, reports);
      const state = stateAfter(core, this.#handle, accepted);
      if (state === layout.FEED_HELD)
        accepted = this.#host.agui!.passOn(core, this.#handle, this.#options, held!, reports, accepted, window);
      else if (state !== layout.FEED_FULL) return accepted;
      result = this.#call(() => exports.session_continue(this.#handle));
      if (this.#written !== undefined) this.#collect();
    }
  }

  applyText(text: Uint8Array, reports: Report[], isValue = false): number {
    this.#stage(text);
    const result = this.#call(() => this.#core.exports.session_apply(this.#handle, text.length, isValue ? 1 : 0));
    unstage(this.#core, text.length);
    return result & layout.FEED_ATTENTION ? this.#attend(result, reports) : result;
  }

  finish(reports: Report[]): number {
    this.#core.enter();
    const result = this.#call(() => this.#core.exports.session_finish(this.#handle));
    if (this.#written !== undefined) this.#collect();
    return result & layout.FEED_ATTENTION ? this.#attend(result, reports) : result;
  }

  /** Takes what the call under way has written out of linear memory. */
  #collect(): void {
    const core = this.#core;
    const n = core.wireLength();
    if (n === 0) return;
    const view = core.view(core.wirePointer() >>> 0, n);
    this.#written!.push(this.#pool === undefined ? view.slice() : this.#pool.copy(view));
  }

  takeOutput(): Bytes {
    const written = this.#written!;
    if (written.length === 1) return written.pop()!;
    const all = concatenate(written);
    written.length = 0;
    return all;
  }

  finishResult(): FinishResult {
    const streams = this.streamIds().map((streamId) => ({ streamId, status: this.status(streamId) }));
    const complete = this.#call(() => this.#core.exports.session_is_complete(this.#handle));
    return { status: complete ? "complete" : "truncated", streams };
  }

  failure(): Fault | undefined {
    this.#core.enter();
    if (!this.#call(() => this.#core.exports.session_failure(this.#handle))) return undefined;
    const reports: Report[] = [];
    drainReports(this.#core, reports);
    const report = reports[0];
    return report?.kind === "error" ? report.fault : undefined;
  }

  reconnect(): void {
    this.#core.enter();
    this.#call(() => this.#core.exports.session_reconnect(this.#handle));
  }

  reset(): void {
    this.#core.enter();
    this.#fault(
      this.#call(() => this.#core.exports.session_reset(this.#handle)),
      undefined,
    );
    if (this.#written !== undefined) this.#written.length = 0;
    this.#host.agui?.setBaseline(this.#core, this.#handle, this.#options);
  }

  load(streamId: string, seq: number | undefined, model: Uint8Array, format: ModelFormat): Fault | undefined {
    this.#stage(model);
    const id = this.#putId(streamId);
    const code = this.#call(() =>
      this.#core.exports.stream_load(this.#handle, id, seq ?? -1, model.length, FORMAT[format]),
    );
    unstage(this.#core, model.length);
    return this.#fault(code, streamId);
  }

  materialize(streamId: string, block: Uint8Array, blockId?: string): Fault | undefined {
    const wanted = blockId === undefined ? NOTHING : encodeContents(blockId);
    // the core reads the id 64 bytes behind the block
    const staged = wanted.length === 0 ? block : concatenate([block, new Uint8Array(64), wanted]);
    this.#stage(staged);
    const id = this.#putId(streamId);
    const code = this.#call(() => this.#core.exports.stream_materialize(this.#handle, id, block.length, wanted.length));
    unstage(this.#core, staged.length);
    return this.#fault(code, streamId);
  }

  materializeAssembled(streamId: string, assembler: EngineAssembler, blockId: string): Fault | undefined | false {
    if (!isOf(assembler, this.#core) || !assembler.isWhole(blockId)) return false;
    const id = this.#putId(streamId);
    const code = this.#call(() => this.#core.exports.assembler_materialize(assembler.handle, this.#handle, id));
    const fault = this.#fault(code, streamId);
    this.#core.exports.staging_release();
    return fault;
  }

  pause(streamId: string): Fault | undefined {
    const id = this.#putId(streamId);
    return this.#fault(
      this.#call(() => this.#core.exports.stream_pause(this.#handle, id)),
      streamId,
    );
  }

  unresolved(streamId: string, blockId?: string): Reference | undefined {
    const wanted = blockId === undefined ? undefined : encodeContents(blockId);
    if (wanted !== undefined) this.#stage(wanted);
    const id = this.#putId(streamId);
    const length = wanted?.length ?? layout.AWAITED_BLOCK;
    const n = this.#call(() => this.#core.exports.stream_unresolved(this.#handle, id, length));
    return n === -1 ? undefined : (JSON.parse(takeResult(this.#core, n, decode)) as Reference);
  }

  resume(streamId: string, reports: Report[], skip = false): number {
    const id = this.#putId(streamId);
    const result = this.#call(() => this.#core.exports.stream_resume(this.#handle, id, skip ? 1 : 0));
    return result & layout.FEED_ATTENTION ? this.#attend(result, reports) : result;
  }

  checkpoint(): Bytes {
    this.#core.enter();
    const n = this.#call(() => this.#core.exports.session_checkpoint(this.#handle));
    return takeResult(this.#core, n, (view) => new Uint8Array(view));
  }

  restore(bytes: Uint8Array): Fault | undefined {
    this.#stage(bytes);
    const code = this.#call(() => this.#core.exports.session_restore(this.#handle, bytes.length));
    unstage(this.#core, bytes.length);
    return this.#fault(code, undefined);
  }

  status(streamId: string): StreamStatus {
    const id = this.#putId(streamId);
    const status = this.#call(() => this.#core.exports.stream_status(this.#handle, id));
    return (this.#options.agui !== undefined && streamId === "" ? RUN_STATUS : STATUS)[status]!;
  }

  seq(streamId: string): number | undefined {
    const id = this.#putId(streamId);
    const seq = this.#call(() => this.#core.exports.stream_seq(this.#handle, id));
    return seq < 0 ? undefined : seq;
  }

  snapshot(streamId: string, integers: "number" | "bigint"): unknown {
    const n = this.#writeSnapshot(streamId, "json");
    if (n < 0) return undefined;
    const text = takeResult(this.#core, n, decode);
    return integers === "bigint" ? parseWithBigInt(text) : JSON.parse(text);
  }

  withSnapshotBytes<T>(
    streamId: string,
    format: ModelFormat,
    use: (view: Uint8Array) => T,
  ): { value: T } | Fault | undefined {
    const n = this.#writeSnapshot(streamId, format);
    if (n === -3) return readFault(this.#core);
    if (n < 0) return undefined;
    const from = this.#core.exports.result_pointer() >>> 0;
    try {
      return { value: this.#core.lend(from, n, use) };
    } finally {
      if (n > KEPT_BYTES && this.#core.isAlive) this.#core.exports.result_release();
    }
  }

  changes(streamId: string, since: number | undefined): ChangeSet {
    const { exports } = this.#core;
    const n = this.#putId(streamId);
    const version = this.#call(() => exports.stream_version(this.#handle, n));
    const from = since ?? 0;
    const again = this.#putId(streamId);
    const length = this.#call(() => exports.stream_changes(this.#handle, again, from));
    if (length === -1) return from === 0 ? { version: 0, changes: [] } : { version: 0, resync: true };
    const records = JSON.parse(takeResult(this.#core, length, decode)) as { kind: number }[] | null;
    if (records === null) return { version, resync: true };
    const changes = records.map(({ kind, ...rest }) => ({ streamId, kind: CHANGE_KINDS[kind]!, ...rest }) as Change);
    return { version, changes };
  }

  stats(streamId?: string): Stats {
    const { exports } = this.#core;
    let from: number;
    if (streamId === undefined) {
      this.#core.enter();
      from = this.#call(() => exports.session_stats(this.#handle)) >>> 0;
    } else {
      const id = this.#putId(streamId);
      from = this.#call(() => exports.stream_stats(this.#handle, id)) >>> 0;
    }
    const at = from === 0 ? undefined : new Float64Array(exports.memory.buffer, from, layout.STAT_COUNT);
    const read = (i: number) => at?.[i] ?? 0;
    return {
      events: read(layout.STAT_EVENTS),
      bytes: read(layout.STAT_BYTES),
      applied: read(layout.STAT_APPLIED),
      skipped: read(layout.STAT_SKIPPED),
      dropped: read(layout.STAT_DROPPED),
      errors: read(layout.STAT_ERRORS),
      warnings: read(layout.STAT_WARNINGS),
      streams: read(layout.STAT_STREAMS),
      blocks: read(layout.STAT_BLOCKS),
      queued: read(layout.STAT_QUEUED),
      version: read(layout.STAT_VERSION),
      memory: read(layout.STAT_MEMORY),
    };
  }

  streamIds(): string[] {
    this.#core.enter();
    const n = this.#call(() => this.#core.exports.session_stream_ids(this.#handle));
    return JSON.parse(takeResult(this.#core, n, decode)) as string[];
  }

  get lastEventId(): string | undefined {
    this.#core.enter();
    const n = this.#call(() => this.#core.exports.session_last_event_id(this.#handle));
    return n === -1 ? undefined : takeResult(this.#core, n, decode);
  }

  get retry(): number | undefined {
    this.#core.enter();
    const retry = this.#core.exports.session_retry(this.#handle);
    return retry < 0 ? undefined : retry;
  }

  argumentText(toolCallId: string, from: number): ArgumentText | undefined {
    return this.#host.agui?.argumentText(this.#core, this.#handle, toolCallId, from);
  }

  release(streamId: string): boolean {
    const id = this.#putId(streamId);
    return this.#call(() => this.#core.exports.stream_release(this.#handle, id)) === 1;
  }

  fork(streamId: string, as: string, options: SessionOptions): WasmSession | Fault {
    const fork = this.#host.open(options, true);
    try {
      const id = encodeContents(streamId);
      const name = encodeContents(as);
      const both = new Uint8Array(id.length + name.length);
      both.set(id);
      both.set(name, id.length);
      this.#core.enter();
      putContents(this.#core, both);
      const code = this.#call(() => this.#core.exports.session_fork(fork.handle, this.#handle, id.length, name.length));
      const fault = this.#fault(code, streamId);
      if (fault === undefined) return fork;
      fork.close();
      return fault;
    } catch (error) {
      fork.close();
      throw error;
    }
  }

  close(): void {
    this.#host.onClose(this);
  }

  #call<T>(call: () => T): T {
    try {
      return call();
    } catch (error) {
      return this.#core.fail(error);
    }
  }

  #putId(streamId: string): number {
    this.#core.enter();
    return putContents(this.#core, streamId === "" ? NOTHING : encodeContents(streamId));
  }

  #stage(bytes: Uint8Array): void {
    this.#core.enter();
    stage(this.#core, bytes);
  }

  /** The length of the model in the result; -1: there is none, -3: it has no such form. */
  #writeSnapshot(streamId: string, format: ModelFormat): number {
    const id = this.#putId(streamId);
    return expectResult(this.#call(() => this.#core.exports.stream_snapshot(this.#handle, id, FORMAT[format])));
  }

  #fault(code: number, streamId: string | undefined): Fault | undefined {
    const fault = faultOf(this.#core, code);
    // the text handed over is nobody's stream yet
    if (fault !== undefined && streamId !== undefined && errorScope(fault.code) === "stream") fault.streamId = streamId;
    return fault;
  }
}

/** Whether an assembler lives in that core. */
function isOf(assembler: EngineAssembler, core: Core): assembler is WasmAssembler {
  return (assembler as Partial<WasmAssembler>).core === core;
}
