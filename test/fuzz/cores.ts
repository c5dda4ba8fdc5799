import type { Engine, EngineCore, EngineKind } from "../../src/engine/contract.js";
import { openCore } from "../support/engines.js";

const open = new Map<EngineKind, { core: EngineCore; engine: Engine }>();

/** An engine that goes on learning until `renew`, with its core, which can be asked which road it took. */
export function load(kind: EngineKind): { core: EngineCore; engine: Engine } {
  const one = open.get(kind) ?? openCore(kind);
  open.set(kind, one);
  return one;
}

/**
 * Closes the engines; the next ones begin to learn anew.
 *
 * @param leave sees each core before it goes
 */
export function renew(leave?: (kind: EngineKind, core: EngineCore) => void): void {
  for (const [kind, { core, engine }] of open) {
    leave?.(kind, core);
    engine.close();
  }
  open.clear();
}
