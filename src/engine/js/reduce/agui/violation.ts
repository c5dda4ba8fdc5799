import type { ErrorCode } from "../../../../errors.js";

/** Why an event was refused (docs/semantics-agui.md §4 to §7). */
export interface AguiViolation {
  code: ErrorCode;
  /** `R_` of assembly/abi/codes.ts. */
  reason: number;
  /** JSON pointer into the event; of `delta_failed` into the document. */
  path?: string;
  eventType?: string;
  subject?: string;
  received?: string;
  opIndex?: number;
  detail?: string;
  cause?: unknown;
}
