import type { DocumentLimits, EngineCore, EngineSession, SessionOptions } from "../../src/engine/contract.js";
import { createJsEngine } from "../../src/engine/js/engine.js";

/** A core that counts its sessions. Its own sessions take text only, as those of a WebAssembly engine do. */
export interface SpyCore extends EngineCore {
  log: string[];
}

/** @param change replaces methods of the core's own sessions, to make them fail */
export function spyCore(change: Partial<EngineSession> = {}): SpyCore {
  const inner = createJsEngine("test");
  const log: string[] = [];
  const spy = (name: string, session: EngineSession, overrides: object): EngineSession => {
    log.push(`open ${name}`);
    return new Proxy(session, {
      get(target, member) {
        if (Object.hasOwn(overrides, member)) return (overrides as Record<PropertyKey, unknown>)[member];
        if (member === "close") {
          return () => {
            log.push(`close ${name}`);
            target.close();
          };
        }
        const value = Reflect.get(target, member, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  };
  const textOnly = { applyValue: undefined, loadValue: undefined, materializeValue: undefined };
  return {
    kind: "wasm-simd",
    reason: "test",
    log,
    createSession: (options: SessionOptions) => spy("wire", inner.createSession(options), { ...textOnly, ...change }),
    createObjectSession: (options: SessionOptions) => spy("objects", inner.createObjectSession(options), {}),
    createDocument: (text: Uint8Array, limits: DocumentLimits) => inner.createDocument(text, limits),
    frameBlock: (block, maxBytes, ids) => inner.frameBlock(block, maxBytes, ids),
    unframe: (frames) => inner.unframe(frames),
    resolveFrames: (model) => inner.resolveFrames(model),
    createAssembler: (limits) => inner.createAssembler(limits),
    memory: () => inner.memory(),
    close: () => inner.close(),
  };
}
