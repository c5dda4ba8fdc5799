import { type JsonObject, own } from "../../../../json/object.js";
import type { RunStatus } from "../../../contract.js";

/** What a partial input tells of the run before there is one. */
export interface RunIds {
  threadId?: string;
  runId?: string;
  parentRunId?: string;
}

/** What the snapshot says of a run (docs/semantics-agui.md §8). Values are owned. */
export class RunState {
  status: RunStatus = "idle";
  threadId: string | undefined;
  runId: string | undefined;
  parentRunId: string | undefined;
  protocolVersion: string | undefined = undefined;
  outcome: JsonObject | undefined = undefined;
  result: unknown = undefined;
  error: JsonObject | undefined = undefined;
  usage: unknown = undefined;

  constructor({ threadId, runId, parentRunId }: RunIds = {}) {
    this.threadId = threadId;
    this.runId = runId;
    this.parentRunId = parentRunId;
  }

  /** A run of its own; its values are never changed, only replaced. */
  copy(): RunState {
    return Object.assign(new RunState(), this);
  }

  /** RUN_STARTED. */
  start(event: JsonObject): void {
    this.status = "running";
    this.threadId = own(event, "threadId") as string;
    this.runId = own(event, "runId") as string;
    this.parentRunId = own(event, "parentRunId") as string | undefined;
    this.protocolVersion = own(event, "protocolVersion") as string | undefined;
    this.outcome = undefined;
    this.result = undefined;
    this.error = undefined;
    this.usage = undefined;
  }

  /** RUN_FINISHED. */
  finish(event: JsonObject): void {
    this.outcome = (own(event, "outcome") as JsonObject | undefined) ?? { type: "success" };
    this.status = statusOfOutcome(this.outcome);
    this.result = own(event, "result");
    this.usage = own(event, "usage");
  }

  /** RUN_ERROR. */
  fail(event: JsonObject): void {
    this.status = "failed";
    this.outcome = undefined;
    this.result = undefined;
    this.error = { message: own(event, "message") };
    const code = own(event, "code");
    if (code !== undefined) this.error.code = code;
    this.usage = own(event, "usage") ?? this.usage;
  }

  /**
   * The members in the order of the snapshot, shared with this state.
   *
   * @param tracked `pendingToolCallIds` and `open`, which a checkpoint leaves out
   */
  view(tracked?: { pending: string[]; open: JsonObject }): JsonObject {
    const run: JsonObject = {};
    const add = (name: string, value: unknown): void => {
      if (value !== undefined) run[name] = value;
    };
    add("threadId", this.threadId);
    add("runId", this.runId);
    add("parentRunId", this.parentRunId);
    add("protocolVersion", this.protocolVersion);
    add("status", this.status);
    add("outcome", this.outcome);
    add("result", this.result);
    add("error", this.error);
    add("interrupts", this.interrupts);
    add("pendingToolCallIds", tracked?.pending);
    add("usage", this.usage);
    add("open", tracked?.open);
    return run;
  }

  get interrupts(): unknown[] {
    return this.outcome?.type === "interrupt" ? (this.outcome.interrupts as unknown[]) : [];
  }
}

/** The status that an outcome stands for. */
export function statusOfOutcome(outcome: JsonObject): RunStatus {
  return STATUS_OF[outcome.type as keyof typeof STATUS_OF];
}

const STATUS_OF = { success: "finished", interrupt: "interrupted", cancelled: "cancelled" } as const;
