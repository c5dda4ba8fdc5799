// Public names of streamfold/slim.
export type {
  AppendChange,
  Change,
  ChangeSet,
  EngineMemory,
  EventInfo,
  FinishResult,
  ForkOptions,
  Frames,
  Gap,
  InsertChange,
  MetaChange,
  OnViolation,
  Reference,
  ReferencePause,
  ReplaceChange,
  Sequence,
  SlimReducer,
  StartChange,
  Stats,
  StreamSelector,
  StreamStatus,
  Warning,
} from "./engine/contract.js";
export type { SlimKind, SlimLoadOptions } from "./engine/load-slim.js";
export type { SlimEngine, SlimReducerOptions } from "./engine/slim-contract.js";
export type { WasmBinary, WasmInput } from "./engine/loading.js";
export type { ErrorCode, ErrorScope, WarningCode } from "./errors.js";
export { StreamfoldError } from "./errors.js";
export type { Limits } from "./limits.js";
export { DEFAULT_LIMITS, MAXIMUM_LIMITS } from "./limits.js";
