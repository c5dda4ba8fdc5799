import type { EngineKind } from "../../src/engine/contract.js";

/** A case in which one engine is known not to give the stated answer. */
export interface KnownDifference {
  /** `topic > case name`, as the runner prints it. */
  case: string;
  engine: EngineKind;
  /** Why it is left so, and what the engine does instead. */
  reason: string;
}

/** The only place where an engine may differ from its twin; an entry that no longer differs fails the run. */
export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [];
