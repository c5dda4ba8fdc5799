import type { EngineKind, EngineMemory, ReducerOptions, SlimReducer } from "./contract.js";

/** What a reducer of `streamfold/slim` is made with: the options of a reducer of AgentUE, and a text wire. */
export interface SlimReducerOptions
  extends Omit<
    ReducerOptions,
    | "protocol"
    | "transport"
    | "input"
    | "maxProtocolVersion"
    | "middleware"
    | "onDeltaFailure"
    | "unknownEnum"
    | "eventTypes"
  > {
  protocol: "agentue";
  transport: "sse" | "ndjson" | "json";
}

/** An engine of `streamfold/slim`, built for AgentUE over text wires alone. */
export interface SlimEngine {
  readonly kind: Exclude<EngineKind, "js">;
  readonly reason: string;
  /**
   * @throws StreamfoldError `unsupported_transport` for a wire that is not one of text, `bad_argument` for another protocol and anything else that is not as
   *   `SlimReducerOptions` says
   */
  createReducer(options: SlimReducerOptions): SlimReducer;
  memory(): EngineMemory;
  close(): void;
}
