export type {
  Change,
  ChangeSet,
  Engine,
  EngineKind,
  EngineMemory,
  EventInfo,
  FinishResult,
  Gap,
  OnViolation,
  Protocol,
  Reducer,
  ReducerOptions,
  Sequence,
  Stats,
  StreamSelector,
  StreamStatus,
  Transport,
  Warning,
} from "./engine/contract.js";
export type { ErrorCode, ErrorScope, WarningCode } from "./errors.js";
export { StreamfoldError } from "./errors.js";
export type { Limits } from "./limits.js";
export { DEFAULT_LIMITS, MAXIMUM_LIMITS } from "./limits.js";
