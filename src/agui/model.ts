import type { RunStatus } from "../engine/contract.js";
import type { Interrupt, Message, RunFinishedOutcome, TokenUsage } from "./types.generated.js";

/** What `snapshot()` of an AG-UI reducer shows of the run (docs/semantics-agui.md §8); members without a value are not there. */
export interface AGUIRun {
  threadId?: string;
  runId?: string;
  parentRunId?: string;
  protocolVersion?: string;
  status: RunStatus;
  outcome?: RunFinishedOutcome;
  result?: unknown;
  /** What the agent reported with RUN_ERROR. */
  error?: { message: string; code?: string };
  /** What a resuming run has to answer. */
  interrupts: Interrupt[];
  /** Tool calls that nobody has answered. */
  pendingToolCallIds: string[];
  usage?: TokenUsage[];
  /** What is still being streamed, in the order of opening: ids, of steps their names. */
  open: { messages: string[]; toolCalls: string[]; reasoning: string[]; steps: string[]; subagents: string[] };
}

/** The model of an AG-UI reducer: `reducer.snapshot<AGUIModel<MyState>>()`. */
export interface AGUIModel<State = unknown> {
  messages: Message[];
  state: State;
  run: AGUIRun;
}
