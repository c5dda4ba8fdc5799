#!/usr/bin/env node
/**
 * A mock agent: answers `GET /agent` with one AG-UI run as server-sent events.
 *
 *   node examples/agui-agent.mjs [--port 3124] [--path /done]
 *
 * `--path` is where its state delta points; `/missing/deep` shows what a client does with a patch that does not apply.
 */
import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: { port: { type: "string", default: "3124" }, path: { type: "string", default: "/done" } },
});
const run = { threadId: "thread_demo", runId: "run_1" };

/** The events of the run; a number is a pause in milliseconds. */
function* events() {
  yield { type: "RUN_STARTED", ...run, protocolVersion: "1.1" };
  yield 50;
  yield { type: "TEXT_MESSAGE_START", messageId: "msg_1", role: "assistant" };
  for (const delta of ["Parsing request…", "Searching…", "Producing plan."]) {
    yield { type: "TEXT_MESSAGE_CONTENT", messageId: "msg_1", delta };
    yield 50;
  }
  yield { type: "TEXT_MESSAGE_END", messageId: "msg_1" };
  yield { type: "STATE_SNAPSHOT", snapshot: { todos: ["parse input", "call tool"], done: 0 } };
  yield 50;
  yield { type: "STATE_DELTA", delta: [{ op: "replace", path: values.path, value: 1 }] };
  yield { type: "TOOL_CALL_START", toolCallId: "call_1", toolCallName: "search_docs" };
  for (const delta of ['{"que', 'ry":"a', '2a"}']) {
    yield { type: "TOOL_CALL_ARGS", toolCallId: "call_1", delta };
    yield 50;
  }
  yield { type: "TOOL_CALL_END", toolCallId: "call_1" };
  yield 50;
  yield { type: "RUN_FINISHED", ...run };
}

const server = createServer(async (request, response) => {
  if (request.url !== "/agent") {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const event of events()) {
    if (typeof event === "number") await wait(event);
    else response.write(`data: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
});

server.listen(Number(values.port), "127.0.0.1", () => {
  console.log(`the agent listens on http://127.0.0.1:${server.address().port}/agent`);
});
