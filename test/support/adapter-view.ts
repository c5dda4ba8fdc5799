// The contract of the adapter (docs/adapter.md §9): what the AgentUE model says is what the AG-UI snapshot shows.

type Json = Record<string, unknown>;

/** What both sides come to; sets as sorted lists. */
export interface View {
  messages: Json[];
  state: unknown;
  run: Json;
}

const OPEN = new Set(["streaming", "answered"]);
const PENDING = new Set(["streaming", "called"]);
const SETTLED = new Set(["idle", "cancelled", "failed"]);
const RUN_NAMES = [
  ["thread_id", "threadId"],
  ["run_id", "runId"],
  ["parent_run_id", "parentRunId"],
  ["protocol_version", "protocolVersion"],
  ["status", "status"],
  ["outcome", "outcome"],
  ["result", "result"],
  ["error", "error"],
] as const;

/** Reads the AG-UI snapshot back out of an AgentUE model. */
export function fold(model: unknown): View {
  const { meta, blocks } = model as { meta: { run: Json; stats: Json | null }; blocks: Json[] };
  const tools = new Map<unknown, Json[]>();
  for (const block of blocks) {
    if (block.type !== "tool") continue;
    const siblings = tools.get(block.parent_id);
    if (siblings === undefined) tools.set(block.parent_id, [block]);
    else siblings.push(block);
  }
  const messages: Json[] = [];
  const open = {
    items: new Set<string>(),
    toolCalls: new Set<string>(),
    steps: [] as string[],
    subagents: [] as string[],
  };
  const spans: string[] = [];
  const pending = new Set<string>();
  let state: unknown;
  for (const block of blocks) {
    const id = (block.id as string).slice((block.id as string).indexOf(":") + 1);
    if (block.type === "state") state = block.state;
    else if (block.type === "tool") {
      if (OPEN.has(block.status as string)) open.toolCalls.add(id);
      if (PENDING.has(block.status as string)) pending.add(id);
    } else if (block.type === "step") {
      if (block.status === "running") open.steps.push(block.name as string);
    } else if (block.type === "subagent") {
      if (block.status === "running") open.subagents.push(block.group_id as string);
    } else if (block.type === "reasoning_span") {
      if (block.status === "running") spans.push(block.span_id as string);
    } else {
      messages.push(messageOf(block, id, tools.get(block.id)));
      if (block.status === "streaming") open.items.add(id);
    }
  }
  const held = new Set(messages.map(({ id }) => id));
  for (const id of spans) if (held.has(id)) open.items.add(id);
  const run: Json = {};
  for (const [from, to] of RUN_NAMES) if (meta.run[from] !== undefined) run[to] = meta.run[from];
  const { outcome } = run as { outcome?: { type: string; interrupts?: unknown[]; pendingToolCallIds?: string[] } };
  run.interrupts = outcome?.type === "interrupt" ? outcome.interrupts : [];
  if (meta.stats !== null) run.usage = meta.stats.usage;
  const failed = run.error !== undefined;
  run.open = {
    items: failed ? [] : sorted(open.items),
    toolCalls: failed ? [] : sorted(open.toolCalls),
    steps: failed ? [] : open.steps.sort(),
    subagents: failed ? [] : open.subagents.sort(),
  };
  const named = outcome?.type === "success" ? (outcome.pendingToolCallIds ?? []) : [];
  const calls = new Set(messages.flatMap(({ toolCalls = [] }) => (toolCalls as Json[]).map(({ id }) => id as string)));
  const shown = named.length > 0 ? named.filter((id) => calls.has(id)) : [...pending];
  run.pendingToolCallIds = SETTLED.has(run.status as string) ? [] : sorted(shown);
  return { messages, state, run };
}

function messageOf(block: Json, id: string, tools: Json[] | undefined): Json {
  const message: Json = { id, role: block.role };
  for (const name of ["name", "content", "error", "metadata"]) if (name in block) message[name] = block[name];
  if ("group_id" in block) message.subagentRunId = block.group_id;
  if ("activity_type" in block) message.activityType = block.activity_type;
  if (block.role === "tool") message.toolCallId = (block.parent_id as string).slice("tool:".length);
  if (tools !== undefined) {
    message.toolCalls = tools.map((tool) => ({
      id: (tool.id as string).slice((tool.id as string).indexOf(":") + 1),
      type: "function",
      function: { name: tool.name, arguments: tool.arguments },
      ...("metadata" in tool && { metadata: tool.metadata }),
    }));
  }
  return message;
}

/** What the AgentUE model has to say of an AG-UI snapshot. */
export function view(snapshot: unknown): View {
  const { messages, state, run } = snapshot as { messages: Json[]; state: unknown; run: Json };
  const shown = messages.map(({ encryptedValue: _, encryptedValueType: __, toolCalls, ...message }) => {
    const calls = (toolCalls ?? []) as Json[];
    if (calls.length === 0) return message;
    return { ...message, toolCalls: calls.map(({ encryptedValue: _, encryptedValueType: __, ...call }) => call) };
  });
  const held = new Set(shown.map(({ id }) => id as string));
  const calls = new Set(messages.flatMap(({ toolCalls = [] }) => (toolCalls as Json[]).map(({ id }) => id as string)));
  const open = run.open as Record<"messages" | "toolCalls" | "reasoning" | "steps" | "subagents", string[]>;
  return {
    messages: shown,
    state,
    run: {
      ...run,
      open: {
        items: sorted(new Set([...open.messages, ...open.reasoning].filter((id) => held.has(id)))),
        toolCalls: sorted(open.toolCalls.filter((id) => calls.has(id))),
        steps: [...open.steps].sort(),
        subagents: [...open.subagents].sort(),
      },
      pendingToolCallIds: sorted((run.pendingToolCallIds as string[]).filter((id) => calls.has(id))),
    },
  };
}

function sorted(ids: Iterable<string>): string[] {
  return [...ids].sort();
}
