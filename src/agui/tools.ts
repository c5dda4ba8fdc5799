import { expectOptions, readable } from "../arguments.js";
import { StreamfoldError, usageError } from "../errors.js";
import { openInterrupts } from "./interrupts.js";
import { isPartList } from "./judge-value.js";
import type { AGUIModel } from "./model.js";
import type { ContentPart, ToolMessage } from "./types.generated.js";

/** A tool call that nobody has answered. */
export interface PendingToolCall {
  toolCallId: string;
  /** The tool; undefined when no message holds the call any more. */
  name: string | undefined;
  /** The argument text, as it came: untrusted, and perhaps no JSON (AG-UI R3, R17). */
  arguments: string;
  /** The assistant message that holds the call. */
  messageId: string | undefined;
  subagentRunId: string | undefined;
}

/** One tool of the client. */
export interface ClientTool {
  /**
   * Does what the call asks for.
   *
   * @param args what `validate` gave
   * @returns the content of the answer: a string, a list of content parts, or another JSON value, which is written as text; undefined is an empty text
   */
  run(args: unknown, context: ToolContext): unknown;
  /** Judges arguments before anything is done with them: gives those to use, or throws. */
  validate?(args: unknown, call: PendingToolCall): unknown;
  /** Whether a call changes anything; then it is asked for consent (AG-UI A5). Default true. */
  sideEffects?: boolean;
}

export interface ToolContext {
  call: PendingToolCall;
  signal: AbortSignal | undefined;
}

export interface RunToolsOptions {
  /** `reducer.snapshot<AGUIModel>()` of a run that has ended. */
  snapshot: AGUIModel;
  /** By name. */
  tools: Readonly<Record<string, ClientTool>>;
  /** Judges the arguments of every call before the tool's own `validate`: gives those to use, or throws (AG-UI A6). */
  validate?: (args: unknown, call: PendingToolCall) => unknown;
  /**
   * Asks the user before a call that has side effects (AG-UI A4, A5); anything but true is a refusal, and without this hook there are no such calls.
   * The arguments are those the tool will get.
   */
  consent?: (call: PendingToolCall, args: unknown) => boolean | Promise<boolean>;
  /** Makes the ids of the answers. Default: random UUIDs. */
  newId?: () => string;
  /** After it has aborted no further call is run: those are answered with an error. */
  signal?: AbortSignal;
  /** Hears of what has thrown; its message also is the answer's `error`, unless this gives another text. */
  onError?: (error: unknown, call: PendingToolCall) => string | undefined;
}

/**
 * The calls that wait for an answer (AG-UI R12, R13), in their order.
 *
 * @param snapshot `reducer.snapshot<AGUIModel>()`
 * @throws StreamfoldError `bad_argument` for what is no snapshot
 */
export function pendingToolCalls(snapshot: Pick<AGUIModel, "run" | "messages">): PendingToolCall[] {
  return readable(() => waitingIn(snapshot));
}

function waitingIn({ run, messages }: Pick<AGUIModel, "run" | "messages">): PendingToolCall[] {
  const waiting = new Map<string, PendingToolCall>();
  for (const toolCallId of run.pendingToolCallIds) {
    waiting.set(toolCallId, {
      toolCallId,
      name: undefined,
      arguments: "",
      messageId: undefined,
      subagentRunId: undefined,
    });
  }
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const { id, function: called } of message.toolCalls ?? []) {
      const call = waiting.get(id);
      if (call === undefined || call.name !== undefined) continue;
      call.name = called.name;
      call.arguments = called.arguments;
      call.messageId = message.id;
      call.subagentRunId = message.subagentRunId;
    }
  }
  return [...waiting.values()];
}

/**
 * Runs the calls that wait for the client, one after the other, and gives their answers for the next run's messages (AG-UI R14). Every call is answered:
 * one that fails, is refused, has arguments that are not valid or names no tool, with the reason in the message's `error`.
 *
 * Calls of a run that was cut off or refused are not run, because their arguments may be incomplete (R4); they are answered with an error.
 * After an interrupted run the calls that an interrupt is about, and those of other tools than the client's, are the agent's: they are left alone.
 *
 * @returns the tool messages in the order of the calls
 * @throws StreamfoldError `bad_argument` for options, and while the run is running; nothing that a hook or tool throws
 */
export async function runTools(options: RunToolsOptions): Promise<ToolMessage[]> {
  expectOptions(options, ...OPTIONS);
  const { snapshot, tools, newId } = readable(() => {
    const { snapshot, tools, newId = () => crypto.randomUUID() } = options;
    return { snapshot, tools, newId };
  });
  if (readable(() => snapshot?.run) == null || tools === null || typeof tools !== "object")
    throw usageError("bad_argument", "snapshot is a model, and tools an object of tools by their names");
  if (snapshot.run.status === "running") throw usageError("bad_argument", "the run has not ended");
  const asked = new Set(openInterrupts(snapshot).map(({ toolCallId }) => toolCallId));
  const isInterrupted = snapshot.run.status === "interrupted";
  const answers: ToolMessage[] = [];
  for (const call of pendingToolCalls(snapshot)) {
    const tool = call.name !== undefined && Object.hasOwn(tools, call.name) ? tools[call.name] : undefined;
    if (asked.has(call.toolCallId) || (isInterrupted && tool === undefined)) continue;
    answers.push({ id: newId(), role: "tool", toolCallId: call.toolCallId, ...(await answer(call, tool, options)) });
  }
  return answers;
}

const OPTIONS: readonly (keyof RunToolsOptions)[] = [
  "snapshot",
  "tools",
  "validate",
  "consent",
  "newId",
  "signal",
  "onError",
];

/** After which runs calls are complete and meant; one that was cut off or refused is neither. */
const ENDED: ReadonlySet<string> = /* @__PURE__ */ new Set(["finished", "interrupted"]);

type Answer = Pick<ToolMessage, "content" | "error">;

async function answer(call: PendingToolCall, tool: ClientTool | undefined, options: RunToolsOptions): Promise<Answer> {
  const { snapshot, validate, consent, signal } = options;
  if (!ENDED.has(snapshot.run.status)) return { content: "", error: "the call was not run: its run did not end" };
  if (signal?.aborted) return { content: "", error: "the call was not run: the client was stopped" };
  if (tool === undefined) return { content: "", error: `there is no tool ${JSON.stringify(call.name ?? "")}` };
  try {
    let args = parseArguments(call);
    if (validate !== undefined) args = await validate(args, call);
    if (tool.validate !== undefined) args = await tool.validate(args, call);
    if (tool.sideEffects !== false && (await consent?.(call, args)) !== true)
      return { content: "", error: "the user has not consented to this call" };
    return { content: contentOf(await tool.run(args, { call, signal })) };
  } catch (error) {
    const told = options.onError?.(error, call);
    return { content: "", error: told ?? (error instanceof Error ? error.message : String(error)) };
  }
}

function parseArguments(call: PendingToolCall): unknown {
  if (call.arguments.trim() === "") return {};
  try {
    return JSON.parse(call.arguments);
  } catch {
    throw new StreamfoldError({
      code: "bad_json",
      detail: `the arguments of the call ${JSON.stringify(call.toolCallId)}`,
    });
  }
}

/** What a tool gave, as content that the schema knows. */
function contentOf(result: unknown): string | ContentPart[] {
  if (typeof result === "string") return result;
  if (result === undefined) return "";
  if (isPartList(result)) return result as ContentPart[];
  return JSON.stringify(result) ?? "";
}
