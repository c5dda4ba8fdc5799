export {
  type AppendOptions,
  createEmitter,
  type Emitter,
  type EventOptions,
  type NewModel,
} from "./emitter/emitter.js";
export type { ConsumerLimits, Emitted, EmitterOptions, EmitterTransport } from "./emitter/options.js";
export { type AgentUEReference, isReferenceBlock, listReferences } from "./references.js";
export {
  type BlockAddress,
  createResolver,
  type FailedReference,
  type LoadRequest,
  type Resolver,
  type ResolverOptions,
} from "./resolver.js";
export type {
  AgentUEAppendEvent,
  AgentUEBlock,
  AgentUEEndEvent,
  AgentUEError,
  AgentUEErrorEvent,
  AgentUEEvent,
  AgentUEFrameBlock,
  AgentUEInlineBlock,
  AgentUEMeta,
  AgentUEModel,
  AgentUEPingEvent,
  AgentUEReferenceBlock,
  AgentUESetBlockEvent,
  AgentUESetEvent,
  AgentUESetFieldEvent,
  AgentUESetMetaEvent,
  AgentUEStartEvent,
} from "./types.js";
