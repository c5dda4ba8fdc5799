export {
  type InputWarning,
  type PreparedInput,
  type PrepareOptions,
  prepareRunInput,
} from "./agui/prepare-run-input.js";
export type { AdapterOptions, BlockContext, BlockHook } from "./engine/adapting.js";
export type {
  AppendChange,
  AssembledBlock,
  AssemblerLimits,
  AssemblerStats,
  Change,
  ChangeSet,
  DocumentLimits,
  DocumentOptions,
  Engine,
  EngineKind,
  EngineMemory,
  EventInfo,
  FinishResult,
  ForkOptions,
  FrameAssembler,
  FrameAssemblerOptions,
  FrameBlockOptions,
  Frames,
  Gap,
  InsertChange,
  JsonDocument,
  JsonPatchOperation,
  MetaChange,
  Middleware,
  MissingFrames,
  ModelFormat,
  OnDeltaFailure,
  OnViolation,
  Protocol,
  Reducer,
  ReducerOptions,
  Reference,
  ReferencePause,
  ReplaceChange,
  RunStatus,
  Sequence,
  StartChange,
  Stats,
  StreamSelector,
  StreamStatus,
  Transcoder,
  TranscoderOptions,
  Transport,
  UnknownEnum,
  Warning,
} from "./engine/contract.js";
export type { ErrorCode, ErrorScope, WarningCode } from "./errors.js";
export { StreamfoldError } from "./errors.js";
export type { Limits } from "./limits.js";
export { DEFAULT_LIMITS, MAXIMUM_LIMITS } from "./limits.js";
export { diff } from "./reducer/diff.js";
export { createEncoder, encodeEvent, encodeEvents, encodeSse } from "./transport/encode.js";
export type { EncodeOptions, Encoder, EncoderOptions } from "./transport/encoder.js";
export { mediaTypeOf, transportOfMediaType } from "./transport/media-types.js";
export { type Negotiated, type NegotiateOptions, negotiate } from "./transport/negotiate.js";
export type { SseFields } from "./transport/sse.js";
