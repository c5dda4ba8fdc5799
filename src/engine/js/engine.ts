import type { EngineCore, EngineMemory, EngineSession, SessionOptions } from "../contract.js";
import { jsonText } from "./codec/json-text.js";
import { createJsDocument } from "./document.js";
import { JsAssembler } from "./frames/assembler.js";
import { frameBlock } from "./frames/frame-block.js";
import { resolveFrames } from "./frames/resolve.js";
import { unframe } from "./frames/unframe.js";
import { JsSession } from "./session/session.js";
import { keepShapes } from "./session/shapes.js";

/** A process that makes this many sessions makes more of them: from here on their shapes are kept alive between them. */
const MANY = 4;
let made = 0;
const shapes: unknown[] = [];

/**
 * The plain JavaScript engine: the same answers as the WASM core (docs/semantics.md), without WebAssembly.
 *
 * @param reason why this kind was chosen
 */
export function createJsEngine(reason = "the plain JavaScript engine was asked for"): EngineCore {
  return {
    kind: "js",
    reason,
    createSession: createJsSession,
    createObjectSession: createJsSession,
    createDocument: createJsDocument,
    frameBlock,
    unframe,
    resolveFrames,
    createAssembler: (limits) => new JsAssembler(limits),
    memory: (): EngineMemory => ({ live: 0, held: 0 }),
    close: () => {},
  };
}

/** How this engine deals with values, for one that takes text only. */
export const JS_OBJECTS = { createSession: createJsSession, textOf: jsonText };

/**
 * One connection's state on the plain JavaScript engine; it takes bytes, texts and values alike.
 *
 * @param options complete and checked
 */
export function createJsSession(options: SessionOptions): EngineSession {
  if (shapes.length === 0 && ++made === MANY) shapes.push(...keepShapes((given) => new JsSession(given)));
  return new JsSession(options);
}
