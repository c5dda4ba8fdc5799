import { describe, expectOptions, readable } from "../arguments.js";
import type { Bytes } from "../bytes.js";
import type {
  AssembledBlock,
  AssemblerLimits,
  AssemblerStats,
  EngineAssembler,
  EngineCore,
  FrameAssembler,
  FrameAssemblerOptions,
  MissingFrames,
  Reducer,
  StreamSelector,
} from "../engine/contract.js";
import { type Fault, StreamfoldError, usageError } from "../errors.js";
import { missingRanges, missingText } from "../json/ranges.js";
import { DEFAULT_LIMITS, MAXIMUM_LIMITS, resolveBounds } from "../limits.js";
import { encodeText, isBufferSource, toBytes } from "./bytes.js";
import { failureOf } from "./deliver.js";
import { jsonText } from "./json-text.js";
import type { Lending } from "./kept.js";
import { MATERIALIZE, type ReducerHandle } from "./reducer.js";

/** Where the runtime lacks `Symbol.dispose`, compilers that lower `using` look under this name. */
const DISPOSE: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for("Symbol.dispose");

const DEFAULTS: Readonly<AssemblerLimits> = { groups: 10_000, bytes: DEFAULT_LIMITS.modelBytes, frames: 1_000_000 };
const MAXIMA: Readonly<AssemblerLimits> = {
  groups: 16_000_000,
  bytes: MAXIMUM_LIMITS.modelBytes,
  frames: 16_000_000,
};

/** Errors that one call delivers; further ones are only counted. */
const MOST_ERRORS = DEFAULT_LIMITS.reports;

type OnError = ((error: StreamfoldError) => void) | undefined;

/** @throws StreamfoldError `bad_argument` for options that are not as `FrameAssemblerOptions` says */
export function resolveAssemblerOptions(options: FrameAssemblerOptions | undefined): {
  limits: AssemblerLimits;
  onError: OnError;
} {
  return readable(() => {
    if (options === undefined) return { limits: { ...DEFAULTS }, onError: undefined };
    expectOptions(options, "limits", "onError");
    const onError: unknown = options.onError;
    if (onError !== undefined && typeof onError !== "function")
      throw usageError("bad_argument", `onError must be a function, not ${describe(onError)}`);
    return { limits: resolveBounds(options.limits, DEFAULTS, MAXIMA), onError: onError?.bind(options) as OnError };
  });
}

/** The public assembler: checks arguments, calls the listener, decides what is thrown. */
export class AssemblerHandle implements FrameAssembler {
  #assembler: EngineAssembler | undefined;
  readonly #onError: OnError;
  readonly #lending: Lending;
  readonly #onClose: () => void;
  #busy = false;

  constructor(core: EngineCore, limits: AssemblerLimits, onError: OnError, lending: Lending, onClose: () => void) {
    this.#assembler = core.createAssembler(limits);
    this.#onError = onError;
    this.#lending = lending;
    this.#onClose = onClose;
  }

  push(chunk: ArrayBuffer | ArrayBufferView): number {
    const assembler = this.#enter();
    const bytes = toBytes(chunk, "push takes NDJSON of frames, add takes one frame");
    return this.#collect(assembler, (refuse) => assembler.push(bytes, refuse));
  }

  add(frame: unknown): number {
    const assembler = this.#enter();
    const text = this.#textOf(frame);
    // A proxy among the values may have closed it.
    this.#enter();
    return this.#collect(assembler, (refuse) => {
      const fault = assembler.add(text);
      if (fault !== undefined) refuse(fault);
    });
  }

  finish(): { status: "complete" | "truncated"; missing: MissingFrames[] } {
    const assembler = this.#enter();
    this.#collect(assembler, (refuse) => assembler.finish(refuse));
    const missing = this.missing();
    return { status: missing.length === 0 ? "complete" : "truncated", missing };
  }

  blocks(): AssembledBlock[] {
    return this.#alive().list();
  }

  missing(blockId?: string): MissingFrames[] {
    const assembler = this.#alive();
    const ids =
      blockId === undefined
        ? assembler
            .list()
            .filter(({ whole }) => !whole)
            .map((block) => block.blockId)
        : [checkId(blockId)];
    const missing: MissingFrames[] = [];
    for (const id of ids) {
      const there = assembler.numbers(id);
      if (there === undefined) continue;
      missing.push({ blockId: id, total: there.total, missing: missingRanges(there.total, there.numbers) });
    }
    return missing;
  }

  take(blockId: string): Bytes {
    const assembler = this.#enter();
    const text = assembler.text(checkId(blockId));
    if (text === undefined) throw notWhole(assembler, blockId);
    assembler.drop(blockId);
    return text;
  }

  materialize(reducer: Reducer, blockId: string, options?: StreamSelector): void {
    const assembler = this.#enter();
    const hand = readable(() => (reducer as Partial<ReducerHandle> | undefined)?.[MATERIALIZE]);
    if (typeof hand !== "function") throw usageError("bad_argument", "materialize takes a reducer of this package");
    if (!assembler.isWhole(checkId(blockId))) throw notWhole(assembler, blockId);
    hand.call(reducer as ReducerHandle, assembler, blockId, options);
    assembler.drop(blockId);
  }

  release(blockId: string): boolean {
    return this.#enter().drop(checkId(blockId));
  }

  stats(): AssemblerStats {
    return this.#alive().stats();
  }

  close(): void {
    if (this.#assembler === undefined) return;
    const assembler = this.#enter();
    this.#assembler = undefined;
    this.#onClose();
    assembler.close();
  }

  [DISPOSE](): void {
    this.close();
  }

  /** Whether the listener is running, so that the engine must not be closed now. */
  get busy(): boolean {
    return this.#busy;
  }

  /** Guard of calls that read. */
  #alive(): EngineAssembler {
    if (this.#assembler === undefined) throw usageError("closed");
    if (this.#lending.active) throw usageError("reentrant");
    return this.#assembler;
  }

  /** Guard of calls that change. */
  #enter(): EngineAssembler {
    const assembler = this.#alive();
    if (this.#busy) throw usageError("reentrant");
    return assembler;
  }

  #textOf(frame: unknown): Uint8Array {
    if (typeof frame === "string") return encodeText(frame);
    if (isBufferSource(frame)) return toBytes(frame, "");
    this.#busy = true;
    try {
      const text = jsonText(frame, MAXIMUM_LIMITS.depth);
      if ("code" in text) throw new StreamfoldError(text);
      return text;
    } finally {
      this.#busy = false;
    }
  }

  /** Runs a call that may refuse frames, tells the listener, and throws the first error when there is none. */
  #collect(assembler: EngineAssembler, run: (refuse: (fault: Fault) => void) => void): number {
    const errors: StreamfoldError[] = [];
    const before = assembler.taken;
    let broken: StreamfoldError | undefined;
    try {
      run((fault) => {
        if (errors.length < MOST_ERRORS) errors.push(new StreamfoldError(fault));
      });
    } catch (error) {
      // Out of memory, or the end of the engine: what was refused before is told all the same.
      if (!(error instanceof StreamfoldError)) throw error;
      broken = error;
    }
    const thrown = this.#tell(errors);
    if (broken !== undefined)
      throw broken.code === "engine_lost" ? broken : failureOf(broken, assembler.taken - before, errors);
    const taken = assembler.taken - before;
    if (this.#onError === undefined && errors.length > 0) throw failureOf(errors[0]!, taken, errors);
    if (thrown !== undefined) throw thrown.value;
    return taken;
  }

  /** Calls the listener for each; the first exception of it. */
  #tell(errors: readonly StreamfoldError[]): { value: unknown } | undefined {
    let thrown: { value: unknown } | undefined;
    this.#busy = true;
    for (const error of errors) {
      try {
        this.#onError?.(error);
      } catch (exception) {
        thrown ??= { value: exception };
      }
    }
    this.#busy = false;
    return thrown;
  }
}

function checkId(blockId: unknown): string {
  if (typeof blockId !== "string")
    throw usageError("bad_argument", `the block id must be a string, not ${describe(blockId)}`);
  return blockId;
}

/** Why a block cannot be handed out. */
function notWhole(assembler: EngineAssembler, blockId: string): StreamfoldError {
  const there = assembler.numbers(blockId);
  if (there === undefined) return new StreamfoldError({ code: "missing_block", subject: blockId });
  return new StreamfoldError({
    code: "missing_frames",
    subject: blockId,
    detail: missingText(there.total, there.numbers),
  });
}
