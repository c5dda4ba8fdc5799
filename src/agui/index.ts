export { type CompactOptions, type Compactor, compact, createCompactor } from "./compact/index.js";
export { type EventConstructors, type EventFields, type EventOf, event, events } from "./events.js";
export type { AGUIModel, AGUIRun } from "./model.js";
export {
  type InputWarning,
  type PreparedInput,
  type PrepareOptions,
  prepareRunInput,
  type RunInputDraft,
} from "./prepare-run-input.js";
export type * from "./types.generated.js";
