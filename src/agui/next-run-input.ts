import { expectOptions, readable } from "../arguments.js";
import { usageError } from "../errors.js";
import { type Answer, buildResume, openInterrupts } from "./interrupts.js";
import type { AGUIModel } from "./model.js";
import { type PreparedInput, type PrepareOptions, prepareRunInput, type RunInputDraft } from "./prepare-run-input.js";
import { pendingToolCalls } from "./tools.js";
import type { Message, RunAgentInput } from "./types.generated.js";

/** What the next run on a thread begins with, besides the thread. */
export interface NextRun
  extends Pick<RunInputDraft, "parentRunId" | "tools" | "context" | "forwardedProps">,
    PrepareOptions {
  /** A new one: a thread uses no runId twice (AG-UI B10). */
  runId: string;
  /** What comes behind the thread's messages: answers of tools, what the user says. Answers are put first. */
  messages?: readonly Message[] | undefined;
  /** What the user has said to the open interrupts, by their ids. */
  answers?: ReadonlyMap<string, Answer> | Readonly<Record<string, Answer>> | undefined;
  /** For what has expired: milliseconds since 1970. Default: the clock. */
  now?: number | undefined;
}

const NAMES: readonly (keyof NextRun)[] = [
  "runId",
  "messages",
  "answers",
  "now",
  "maxProtocolVersion",
  "parentRunId",
  "tools",
  "context",
  "forwardedProps",
];

/**
 * The input of the next run on a thread: its id, its messages and the state that was left behind (AG-UI H7, U6), with what has to be answered, which is
 * checked before anything is sent: every pending call has its tool message (R14), every open interrupt its entry (H4-H6).
 *
 * @param snapshot `reducer.snapshot<AGUIModel>()` of a run that has ended
 * @returns as `prepareRunInput`
 * @throws StreamfoldError `bad_argument` for an option that there is not, and with a path into the run input (`/runId`, `/messages`, `/resume/…`), and as `prepareRunInput` does
 */
export function nextRunInput(snapshot: AGUIModel, next: NextRun): PreparedInput {
  if (readable(() => snapshot?.run) == null || next === null || typeof next !== "object")
    throw usageError("bad_argument", "the snapshot must be a model, and the next run an object with a runId");
  expectOptions(next, ...NAMES);
  const { run, messages: history, state } = snapshot;
  const {
    runId,
    messages = [],
    answers = {},
    now,
    maxProtocolVersion,
    parentRunId,
    tools,
    context,
    forwardedProps,
  } = next;
  const { threadId } = run;
  if (threadId === undefined) throw usageError("bad_argument", "the snapshot knows no thread yet");
  if (run.status === "running") throw usageError("bad_argument", "the run has not ended");
  if (runId === run.runId) throw usageError("bad_argument", "the run before has it", { path: "/runId" });
  const results = messages.filter(({ role }) => role === "tool");
  const all = [...history, ...results, ...messages.filter(({ role }) => role !== "tool")];
  const open = openInterrupts(snapshot);
  if (open.length === 0) refuseUnanswered(snapshot, all);
  const resume = buildResume(open, answers, now);
  const draft: RunInputDraft = {
    threadId,
    runId,
    parentRunId,
    state: state as RunAgentInput["state"],
    messages: all,
    tools,
    context,
    forwardedProps,
  };
  if (resume.length > 0) draft.resume = resume;
  return prepareRunInput(draft, { maxProtocolVersion });
}

/** After an interrupted run the agent goes on with its calls itself, so that they need no answer. */
function refuseUnanswered(snapshot: AGUIModel, messages: readonly Message[]): void {
  const answered = new Set(messages.map((message) => (message.role === "tool" ? message.toolCallId : undefined)));
  for (const { toolCallId } of pendingToolCalls(snapshot)) {
    if (answered.has(toolCallId)) continue;
    const detail = `the call ${JSON.stringify(toolCallId)} has no answer`;
    throw usageError("bad_argument", detail, { path: "/messages", subject: toolCallId });
  }
}
