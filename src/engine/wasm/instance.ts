import { ABI_VERSION } from "../../../assembly/abi/codes.js";
import { INPUT_CAPACITY } from "../../../assembly/abi/layout.js";
import { StreamfoldError, usageError } from "../../errors.js";

/** The functions of the core (assembly/index.ts). Addresses and lengths come as signed 32-bit numbers: `>>> 0` them. */
export interface CoreExports {
  memory: WebAssembly.Memory;
  abi_version(): number;
  engine_init(seedLow: number, seedHigh: number, maxPages: number): number;
  engine_live(): number;
  engine_held(): number;
  engine_counter(i: number): number;
  input_pointer(): number;
  staging_reserve(n: number): number;
  staging_release(): void;
  id_reserve(n: number): number;
  document_open(n: number): number;
  document_close(h: number): void;
  document_patch(h: number, n: number): number;
  document_find(h: number, n: number): number;
  document_value(): number;
  document_size(h: number): number;
  frame_open(n: number, maxBytes: number): number;
  frame_id(n: number, isPrefix: number): number;
  frame_plan(): number;
  frame_size(): number;
  frame_write(): number;
  frame_join(n: number): number;
  frame_resolve(n: number): number;
  frame_resolved_length(): number;
  assembler_open(): number;
  assembler_close(h: number): void;
  assembler_feed(h: number, n: number): number;
  assembler_continue(h: number): number;
  assembler_finish(h: number): number;
  assembler_add(h: number, n: number): number;
  assembler_choose(h: number, n: number): number;
  assembler_text(h: number): number;
  assembler_text_length(h: number): number;
  assembler_numbers(h: number): number;
  assembler_drop(h: number): void;
  assembler_list(h: number): number;
  assembler_counter(h: number, i: number): number;
  assembler_materialize(h: number, session: number, idLength: number): number;
  frame_text(): number;
  frame_text_length(): number;
  result_pointer(): number;
  result_release(): void;
  fault_pointer(): number;
  session_open(): number;
  session_close(h: number): void;
  session_feed(h: number, n: number, last: number): number;
  session_feed_more(h: number, n: number, last: number): number;
  session_continue(h: number): number;
  session_state(h: number): number;
  session_apply(h: number, n: number, isValue: number): number;
  session_apply_held(h: number, n: number): number;
  session_drop_held(h: number): void;
  session_fail_held(h: number): void;
  session_finish(h: number): number;
  session_is_complete(h: number): number;
  session_reconnect(h: number): void;
  session_reset(h: number): number;
  session_adapt(h: number, biz: number, stream: number, most: number): number;
  session_baseline(h: number, n: number): number;
  session_argument_text(h: number, idLength: number, from: number): number;
  argument_fact(i: number): number;
  session_failure(h: number): number;
  session_checkpoint(h: number): number;
  session_restore(h: number, n: number): number;
  session_fork(h: number, from: number, idLength: number, asLength: number): number;
  session_stream_ids(h: number): number;
  session_stats(h: number): number;
  session_last_event_id(h: number): number;
  session_retry(h: number): number;
  report_pointer(): number;
  report_length(): number;
  wire_pointer(): number;
  wire_length(): number;
  stream_status(h: number, idLength: number): number;
  stream_seq(h: number, idLength: number): number;
  stream_version(h: number, idLength: number): number;
  stream_snapshot(h: number, idLength: number, format: number): number;
  stream_changes(h: number, idLength: number, since: number): number;
  stream_stats(h: number, idLength: number): number;
  stream_load(h: number, idLength: number, seq: number, n: number, format: number): number;
  stream_materialize(h: number, idLength: number, n: number, blockIdLength: number): number;
  stream_pause(h: number, idLength: number): number;
  stream_resume(h: number, idLength: number, skip: number): number;
  stream_unresolved(h: number, idLength: number, blockIdLength: number): number;
  stream_release(h: number, idLength: number): number;
}

/** Names that reports give by number. */
export interface ReportNames {
  /** Types of events; the first has the number 1, as the others have. */
  readonly eventTypes: readonly string[];
  /** What a transcoder may lose. */
  readonly losses: readonly (readonly [name: string, words: string])[];
}

const NO_NAMES: ReportNames = { eventTypes: [], losses: [] };

/** Views of outputs below so many bytes are kept. */
const KEPT_VIEWS = 1024;

/** A core that is alive, lent out to a callback, or dead after a trap. */
export class Core {
  readonly exports: CoreExports;
  readonly names: ReportNames;
  /** The calls of each token. A member of the exports is looked up in a table at each use, which takes as long as the call. */
  readonly feed: CoreExports["session_feed"];
  readonly wireLength: CoreExports["wire_length"];
  readonly wirePointer: CoreExports["wire_pointer"];
  /** Address of the input window. */
  readonly input: number;
  #bytes: Uint8Array;
  #window: Uint8Array;
  /** The last view of each length. */
  readonly #views: (Uint8Array | undefined)[] = [];
  #lent = false;
  #entries = 0;
  #lost = false;
  #closed = false;

  /**
   * @param maxPages limit of the core's memory in 64 KiB pages; 0 = none
   * @param names what numbers of its reports stand for that AgentUE has not
   */
  constructor(module: WebAssembly.Module, maxPages = 0, names: ReportNames = NO_NAMES) {
    this.names = names;
    this.exports = new WebAssembly.Instance(module, {}).exports as unknown as CoreExports;
    if (this.exports.abi_version() !== ABI_VERSION) {
      throw usageError("engine_lost", "the WebAssembly binary belongs to another version of this package");
    }
    if (names !== NO_NAMES && this.exports.session_adapt === undefined) {
      throw usageError("engine_lost", "the WebAssembly binary is that of streamfold/slim, which knows AgentUE alone");
    }
    this.feed = this.exports.session_feed;
    this.wireLength = this.exports.wire_length;
    this.wirePointer = this.exports.wire_pointer;
    const seed = new Uint32Array(2);
    randomize(seed);
    if (!this.exports.engine_init(seed[0]!, seed[1]!, maxPages)) throw usageError("out_of_memory");
    this.input = this.exports.input_pointer() >>> 0;
    this.#bytes = new Uint8Array(this.exports.memory.buffer);
    this.#window = this.#bytes.subarray(this.input, this.input + INPUT_CAPACITY);
  }

  /** Linear memory as bytes. Good until the next call into the core: growth leaves old views with length 0. */
  bytes(): Uint8Array {
    if (this.#bytes.length === 0) this.#bytes = new Uint8Array(this.exports.memory.buffer);
    return this.#bytes;
  }

  /** `bytes()` from `from` on, `n` of them. Views of short outputs are kept: making one takes longer than copying what it shows. */
  view(from: number, n: number): Uint8Array {
    if (n >= KEPT_VIEWS) return this.bytes().subarray(from, from + n);
    const kept = this.#views[n];
    // growth of memory leaves a view with length 0
    if (kept !== undefined && kept.byteOffset === from && kept.length === n) return kept;
    const view = this.bytes().subarray(from, from + n);
    this.#views[n] = view;
    return view;
  }

  /** Copies a chunk into the input window. Its own idea of its length is not trusted: more than fits throws before anything is written. */
  putInput(chunk: Uint8Array): void {
    if (this.#window.length === 0) this.#window = this.bytes().subarray(this.input, this.input + INPUT_CAPACITY);
    try {
      this.#window.set(chunk);
    } catch {
      throw usageError("bad_argument", "the chunk does not have the length it says");
    }
  }

  /** Throws unless the core may be called now. */
  enter(): void {
    this.#entries++;
    if (this.#lost || this.#closed || this.#lent) this.#refuse();
  }

  /** How often `enter` was called: as long as it stays, nobody has used the input window. */
  get entries(): number {
    return this.#entries;
  }

  #refuse(): never {
    if (this.#lost) throw usageError("engine_lost");
    if (this.#closed) throw usageError("closed", "the engine is closed");
    throw usageError("reentrant", "the engine is lent to a callback");
  }

  /** What a call into the core threw: a trap ends the engine. */
  fail(error: unknown): never {
    if (error instanceof StreamfoldError) throw error;
    if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) {
      this.#lost = true;
      const lost = usageError("engine_lost");
      lost.cause = error;
      throw lost;
    }
    throw error;
  }

  /** Calls `use` with a view of memory; nobody may call the core meanwhile. */
  lend<T>(from: number, n: number, use: (view: Uint8Array) => T): T {
    this.#lent = true;
    try {
      return use(this.bytes().subarray(from, from + n));
    } finally {
      this.#lent = false;
    }
  }

  get isAlive(): boolean {
    return !this.#lost && !this.#closed;
  }

  close(): void {
    this.#closed = true;
    this.#bytes = new Uint8Array(0);
    this.#window = this.#bytes;
    this.#views.length = 0;
  }
}

function randomize(seed: Uint32Array<ArrayBuffer>): void {
  const source = globalThis.crypto;
  if (source?.getRandomValues) source.getRandomValues(seed);
  else for (let i = 0; i < seed.length; i++) seed[i] = Math.floor(Math.random() * 0x1_0000_0000);
}
