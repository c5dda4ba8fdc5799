import type { Bytes } from "../bytes.js";
import type {
  DocumentOptions,
  Engine,
  EngineCore,
  EngineKind,
  EngineMemory,
  FrameAssembler,
  FrameAssemblerOptions,
  FrameBlockOptions,
  JsonDocument,
  Reducer,
  ReducerOptions,
  Transcoder,
  TranscoderOptions,
} from "../engine/contract.js";
import { usageError } from "../errors.js";
import { AssemblerHandle, resolveAssemblerOptions } from "./assembler.js";
import { createDocument, type DocumentHandle } from "./document.js";
import { frameBlock, resolveFrames, unframe } from "./frames.js";
import { resolveOptions, resolveTranscoderOptions } from "./options.js";
import { type Lending, type OpenReducer, ReducerHandle } from "./reducer.js";
import { Sessions } from "./sessions.js";
import { TranscoderHandle } from "./transcoder.js";

/**
 * The public engine over a loaded core.
 *
 * @param core what engine/load or an engine without WebAssembly gave
 * @returns an engine whose reducers and documents are closed with it
 */
export function createEngine(core: EngineCore): Engine {
  return new EngineHandle(core);
}

type Closable = ReducerHandle | DocumentHandle | AssemblerHandle;

class EngineHandle implements Engine {
  readonly kind: EngineKind;
  readonly reason: string;
  /** Let go by close(), and linear memory with it. */
  #core: EngineCore | undefined;
  readonly #lending: Lending = { active: false };
  /** Reducers and documents that are open. */
  readonly #open = new Set<WeakRef<Closable>>();
  readonly #dropped = new FinalizationRegistry<WeakRef<Closable>>((reference) => this.#open.delete(reference));

  constructor(core: EngineCore) {
    this.#core = core;
    this.kind = core.kind;
    this.reason = core.reason;
  }

  createReducer(options: ReducerOptions): Reducer {
    if (this.#core === undefined) throw usageError("closed");
    const { session, listeners } = resolveOptions(options);
    return this.#openReducer(new Sessions(this.#core, session), listeners);
  }

  createTranscoder(options: TranscoderOptions): Transcoder {
    if (this.#core === undefined) throw usageError("closed");
    const { session, listeners } = resolveTranscoderOptions(options);
    const sessions = new Sessions(this.#core, session);
    // made at once: what it writes is the engine's own session's
    sessions.bytes();
    return new TranscoderHandle(sessions, this.#openReducer(sessions, listeners));
  }

  createDocument(source: unknown, options?: DocumentOptions): JsonDocument {
    this.#alive();
    return this.#keep((onClose) => createDocument(() => this.#alive(), source, options, this.#lending, onClose));
  }

  frameBlock(block: unknown, options: FrameBlockOptions): Bytes {
    this.#alive();
    return frameBlock(() => this.#alive(), block, options, this.#lending);
  }

  unframe(frames: ArrayBuffer | ArrayBufferView): Bytes {
    return unframe(() => this.#alive(), frames);
  }

  // biome-ignore lint/suspicious/noExplicitAny: bytes give bytes, a value gives a value of its own type
  resolveFrames(model: unknown): any {
    return resolveFrames(() => this.#alive(), model);
  }

  createFrameAssembler(options?: FrameAssemblerOptions): FrameAssembler {
    this.#alive();
    const { limits, onError } = resolveAssemblerOptions(options);
    return this.#keep((onClose) => new AssemblerHandle(this.#alive(), limits, onError, this.#lending, onClose));
  }

  memory(): EngineMemory {
    if (this.#lending.active) throw usageError("reentrant");
    return this.#core?.memory() ?? { live: 0, held: 0 };
  }

  close(): void {
    if (this.#core === undefined) return;
    const open = [...this.#open].map((reference) => reference.deref()).filter((one) => one !== undefined);
    if (this.#lending.active || open.some((one) => "busy" in one && one.busy)) throw usageError("reentrant");
    for (const one of open) one.close();
    this.#core.close();
    this.#core = undefined;
  }

  readonly #openReducer: OpenReducer = (sessions, listeners) =>
    this.#keep((onClose) => new ReducerHandle(sessions, listeners, this.#lending, onClose, this.#openReducer));

  /** The core, unless the engine is closed or its memory is lent. */
  #alive(): EngineCore {
    if (this.#core === undefined) throw usageError("closed");
    if (this.#lending.active) throw usageError("reentrant");
    return this.#core;
  }

  /** Notes what is made until it is closed; weakly, so that what nobody holds any more is not kept alive by its engine. */
  #keep<T extends Closable>(make: (onClose: () => void) => T): T {
    const made = make(() => {
      this.#open.delete(reference);
      this.#dropped.unregister(reference);
    });
    const reference = new WeakRef<Closable>(made);
    this.#open.add(reference);
    this.#dropped.register(made, reference, reference);
    return made;
  }
}
