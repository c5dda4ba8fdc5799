import type { EngineCore, EngineKind, EngineSession, SessionOptions } from "../contract.js";
import { aguiSupport } from "./agui.js";
import { WasmAssembler } from "./assembler.js";
import { noteCore } from "./counters.js";
import { WasmDocument } from "./document.js";
import { frameBlock, resolveFrames, unframe } from "./frames.js";
import { Handles } from "./handles.js";
import type { TextOf } from "./middleware.js";

export { type CoreCounters, coreCounters } from "./counters.js";

/** What values need: engines of one rank do not know each other. */
export interface ObjectSupport {
  /** Makes sessions for events that arrive as objects. */
  createSession(options: SessionOptions): EngineSession;
  textOf: TextOf;
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
  const handles = new Handles(module, aguiSupport(objects.textOf), maxPages);
  const { core, host, onClose } = handles;
  const engine: EngineCore = {
    kind,
    reason,
    createSession: (options) => host.open(options, false),
    createObjectSession: objects.createSession,
    createDocument(text, limits) {
      const document = WasmDocument.open(core, text, limits, onClose);
      return "code" in document ? document : handles.keep(document, "document_close");
    },
    frameBlock: (block, maxBytes, ids) => frameBlock(core, block, maxBytes, ids),
    unframe: (frames) => unframe(core, frames),
    resolveFrames: (model) => resolveFrames(core, model),
    createAssembler: (limits) => handles.keep(new WasmAssembler(core, limits, onClose), "assembler_close"),
    memory: () => handles.memory(),
    close: () => handles.close(),
  };
  return noteCore(engine, core);
}
