import type { EngineCore, EngineKind, EngineSession, SessionOptions } from "../contract.js";
import { WasmAssembler } from "./assembler.js";
import { WasmDocument } from "./document.js";
import { frameBlock, resolveFrames, unframe } from "./frames.js";
import { Core } from "./instance.js";
import type { TextOf } from "./middleware.js";
import { type SessionHost, WasmSession } from "./session.js";

/** How often the core took which road; for tests and measurements. */
export interface CoreCounters {
  /** Events that were read where they lay in the chunk. */
  directEvents: number;
  /** Messages that were framed and copied first. */
  framedMessages: number;
  /** Appends that went straight to a remembered text chain. */
  hotAppends: number;
  /** Events folded by a template. */
  templateHits: number;
  /** Deltas of an AG-UI state, and patches of a field of AgentUE, folded in one pass. */
  quickDeltas: number;
  /** Tokens of the binary wires that were folded, or passed on, where they lay, by a template or without one. */
  binaryTokens: number;
  /** Tokens of AG-UI that were written as AgentUE from where they were folded. */
  adaptedTokens: number;
  /** Tokens that went out on another wire from where they were read. */
  relayedTokens: number;
  /** Tokens that went out in a form that their template has kept. */
  writtenTokens: number;
  /** Tokens, and patches of one value, that a chunk began with and that were folded before its call had begun. */
  openedTokens: number;
  /** Events of AgentUE that had a form: those of `templateHits` that were compared as a whole. */
  formHits: number;
}

/** What values need: engines of one rank do not know each other. */
export interface ObjectSupport {
  /** Makes sessions for events that arrive as objects. */
  createSession(options: SessionOptions): EngineSession;
  textOf: TextOf;
}

const cores = new WeakMap<EngineCore, Core>();

/** A module that uses one SIMD instruction: i8x16.splat and drop. */
const SIMD_PROBE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 9, 1, 7, 0, 65, 0, 253, 15, 26, 11,
]);

/** Whether this runtime accepts SIMD instructions. */
export function simdSupported(): boolean {
  try {
    return typeof WebAssembly === "object" && WebAssembly.validate(SIMD_PROBE);
  } catch {
    return false;
  }
}

/**
 * An engine on a compiled core.
 *
 * @param module dist/streamfold.wasm or dist/streamfold.simd.wasm
 * @param kind which of the two it is
 * @param objects how the plain JavaScript engine deals with values
 * @param reason what `engine.reason` says
 * @param maxPages limit of the core's memory in 64 KiB pages; 0 = none
 * @throws StreamfoldError `engine_lost` for a binary of another version, `out_of_memory`
 */
export function createWasmEngine(
  module: WebAssembly.Module,
  kind: Exclude<EngineKind, "js">,
  objects: ObjectSupport,
  reason: string,
  maxPages = 0,
): EngineCore {
  const core = new Core(module, maxPages);
  /** What is open, and how it is closed; all kinds of handles come from one table. */
  const open = new Map<number, "session_close" | "document_close" | "assembler_close">();
  // a net for what was dropped without close(); it must not hold the session, document or assembler itself
  const net = new FinalizationRegistry<number>((handle) => closeHandle(handle));

  function closeHandle(handle: number): void {
    const close = open.get(handle);
    if (close === undefined) return;
    open.delete(handle);
    if (core.isAlive) core.exports[close](handle);
  }

  function onClose(closing: WasmSession | WasmDocument | WasmAssembler): void {
    net.unregister(closing);
    closeHandle(closing.handle);
  }

  const host: SessionHost = {
    core,
    textOf: objects.textOf,
    open(options, blank) {
      const session = new WasmSession(host, options, blank);
      open.set(session.handle, "session_close");
      net.register(session, session.handle, session);
      return session;
    },
    onClose,
  };

  const engine: EngineCore = {
    kind,
    reason,
    createSession: (options) => host.open(options, false),
    createObjectSession: objects.createSession,
    createDocument(text, limits) {
      const document = WasmDocument.open(core, text, limits, onClose);
      if ("code" in document) return document;
      open.set(document.handle, "document_close");
      net.register(document, document.handle, document);
      return document;
    },
    frameBlock: (block, maxBytes, ids) => frameBlock(core, block, maxBytes, ids),
    unframe: (frames) => unframe(core, frames),
    resolveFrames: (model) => resolveFrames(core, model),
    createAssembler(limits) {
      const assembler = new WasmAssembler(core, limits, onClose);
      open.set(assembler.handle, "assembler_close");
      net.register(assembler, assembler.handle, assembler);
      return assembler;
    },
    memory() {
      core.enter();
      return { live: core.exports.engine_live() >>> 0, held: core.exports.engine_held() >>> 0 };
    },
    close() {
      core.close();
      open.clear();
    },
  };
  cores.set(engine, core);
  return engine;
}

/** Counters of an engine that `createWasmEngine` made. */
export function coreCounters(engine: EngineCore): CoreCounters {
  const core = cores.get(engine);
  const read = (i: number) => (core === undefined ? 0 : core.exports.engine_counter(i) >>> 0);
  return {
    directEvents: read(0),
    framedMessages: read(1),
    hotAppends: read(2),
    templateHits: read(3),
    quickDeltas: read(4),
    binaryTokens: read(5),
    adaptedTokens: read(6),
    relayedTokens: read(7),
    writtenTokens: read(8),
    openedTokens: read(9),
    formHits: read(10),
  };
}
