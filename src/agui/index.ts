export { type ReadCapabilities, type ReadCapabilitiesOptions, readCapabilities } from "./capabilities.js";
export { type CompactOptions, type Compactor, compact, createCompactor } from "./compact/index.js";
export { type EventConstructors, type EventFields, type EventOf, event, events } from "./events.js";
export {
  type Answer,
  buildResume,
  checkResume,
  type InterruptedRun,
  isExpired,
  type MatchedResume,
  matchResume,
  openInterrupts,
} from "./interrupts.js";
export type { AGUIModel, AGUIRun } from "./model.js";
export { type NextRun, nextRunInput } from "./next-run-input.js";
export {
  type InputWarning,
  type PreparedInput,
  type PrepareOptions,
  prepareRunInput,
  type RunInputDraft,
} from "./prepare-run-input.js";
export {
  type CancelFields,
  createProducer,
  type FailFields,
  type FinishFields,
  type Producer,
  type ProducerOptions,
  type StartFields,
} from "./producer.js";
export { errorStatus, type ReadInputOptions, readRunInput } from "./read-run-input.js";
export {
  type ClientTool,
  type PendingToolCall,
  pendingToolCalls,
  type RunToolsOptions,
  runTools,
  type ToolContext,
} from "./tools.js";
export type * from "./types.generated.js";
export { type SumOptions, sumUsage, usageByModel } from "./usage.js";
