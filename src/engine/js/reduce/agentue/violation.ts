import type { ErrorCode } from "../../../../errors.js";

/** A fault in one event, model or block (docs/semantics.md §3). */
export interface Violation {
  code: ErrorCode;
  /** `R_` of assembly/abi/codes.ts. */
  reason: number;
  /** JSON pointer into the event, model or block. */
  path?: string;
}

/** The same violation below `prefix`. */
export function below(prefix: string, violation: Violation | undefined): Violation | undefined {
  if (violation?.path !== undefined) violation.path = prefix + violation.path;
  return violation;
}
