#!/usr/bin/env node
/**
 * A client that reconciles messages and state from an AG-UI stream.
 *
 *   node examples/agui-agent.mjs &
 *   node examples/agui-client.mjs [http://127.0.0.1:3124/agent]
 *
 * A patch that does not apply is a warning with its path and the number of the operation: the state stays as it was, and the
 * run goes on to its end.
 */
import { loadEngine } from "streamfold";

const url = process.argv[2] ?? "http://127.0.0.1:3124/agent";
const engine = await loadEngine();

const show = {
  RUN_STARTED: (event) => `[run] started thread=${event.threadId} run=${event.runId}`,
  TEXT_MESSAGE_END: (event) => `[message] ${messageOf(event.messageId).content}`,
  STATE_SNAPSHOT: () => `[state] snapshot ${JSON.stringify(reducer.snapshot().state)}`,
  STATE_DELTA: () => `[state] after delta ${JSON.stringify(reducer.snapshot().state)}`,
  TOOL_CALL_ARGS: (event) => `[tool] arguments so far ${JSON.stringify(reducer.partialArgs(event.toolCallId))}`,
  RUN_FINISHED: () => "[run] finished",
};

const reducer = engine.createReducer({
  protocol: "ag-ui",
  transport: "sse",
  onEvent: (event) => show[event.type] && console.log(show[event.type](event)),
  onWarning: ({ message, path, opIndex }) => console.warn(`[warning] ${message}`, { path, opIndex }),
});

const messageOf = (id) => reducer.snapshot().messages.find((message) => message.id === id);

const response = await fetch(url).catch(({ cause }) => {
  console.error(`no agent answers at ${url} (${cause?.code}): start examples/agui-agent.mjs first`);
  process.exit(1);
});
if (!response.ok || !response.headers.get("content-type")?.startsWith("text/event-stream")) {
  throw new Error(`unexpected answer: ${response.status}`);
}
for await (const chunk of response.body) reducer.push(chunk);

const { status } = reducer.finish();
const { state, run } = reducer.snapshot();
console.log(`[end] ${status}, the run is ${run.status}; final state:`, JSON.stringify(state));
engine.close();
if (run.status !== "finished") process.exitCode = 1;
