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
import { warningMessage } from "../warnings.js";
import { AssemblerHandle, resolveAssemblerOptions } from "./assembler.js";
import { createDocument } from "./document.js";
import { resolveOptions, resolveTranscoderOptions } from "./engine-options.js";
import { frameBlock, resolveFrames, unframe } from "./frames.js";
import { Kept } from "./kept.js";
import { PartialArguments } from "./partial-args.js";
import { type OpenReducer, ReducerHandle } from "./reducer.js";
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

class EngineHandle implements Engine {
  readonly kind: EngineKind;
  readonly reason: string;
  readonly #kept: Kept<EngineCore>;

  constructor(core: EngineCore) {
    this.#kept = new Kept(core);
    this.kind = core.kind;
    this.reason = core.reason;
  }

  createReducer(options: ReducerOptions): Reducer {
    const core = this.#kept.open();
    const { session, listeners } = resolveOptions(options);
    return this.#openReducer(new Sessions(core, session), listeners);
  }

  createTranscoder(options: TranscoderOptions): Transcoder {
    const core = this.#kept.open();
    const { session, listeners } = resolveTranscoderOptions(options);
    const sessions = new Sessions(core, session);
    // made at once: what it writes is the engine's own session's
    sessions.bytes();
    return new TranscoderHandle(sessions, this.#openReducer(sessions, listeners));
  }

  createDocument(source: unknown, options?: DocumentOptions): JsonDocument {
    this.#kept.alive();
    return this.#kept.keep((onClose) =>
      createDocument(() => this.#kept.alive(), source, options, this.#kept.lending, onClose),
    );
  }

  frameBlock(block: unknown, options: FrameBlockOptions): Bytes {
    this.#kept.alive();
    return frameBlock(() => this.#kept.alive(), block, options, this.#kept.lending);
  }

  unframe(frames: ArrayBuffer | ArrayBufferView): Bytes {
    return unframe(() => this.#kept.alive(), frames);
  }

  // biome-ignore lint/suspicious/noExplicitAny: bytes give bytes, a value gives a value of its own type
  resolveFrames(model: unknown): any {
    return resolveFrames(() => this.#kept.alive(), model);
  }

  createFrameAssembler(options?: FrameAssemblerOptions): FrameAssembler {
    this.#kept.alive();
    const { limits, onError } = resolveAssemblerOptions(options);
    return this.#kept.keep(
      (onClose) => new AssemblerHandle(this.#kept.alive(), limits, onError, this.#kept.lending, onClose),
    );
  }

  memory(): EngineMemory {
    return this.#kept.memory();
  }

  close(): void {
    this.#kept.close();
  }

  readonly #openReducer: OpenReducer = (sessions, listeners) =>
    this.#kept.keep(
      (onClose) =>
        new ReducerHandle(sessions, listeners, this.#kept.lending, onClose, this.#openReducer, {
          describe: warningMessage,
          partialArguments: new PartialArguments(),
        }),
    );
}
