#!/usr/bin/env node
/**
 * An agent and a client of AG-UI in one process: a tool of the client's, an approval, and the log of it all, compacted.
 *
 *   node examples/agui-approval.mjs [--refuse]
 *
 * The agent writes SSE through a producer, the client folds it with a reducer. Each of the three runs begins with an input that was
 * checked before it was sent and read before it was answered. With `--refuse` the user says no.
 */
import { loadEngine } from "streamfold";
import { compact, createProducer, events, nextRunInput, openInterrupts, readRunInput, runTools } from "streamfold/agui";

const consent = !process.argv.includes("--refuse");
const engine = await loadEngine();
const log = [];

// ------------------------------------------------------------------ the agent

let raised = [];

/** Answers a request's body with the bytes of a run. */
async function* answer(body) {
  const { input } = readRunInput(body);
  const producer = createProducer({ transport: "sse", input, openInterrupts: raised });
  const { runId, messages } = input;
  const say = function* (text) {
    const messageId = `${runId}-text`;
    yield producer.emit(events.textMessageStart({ messageId }));
    for (const delta of text.split(/(?<= )/)) yield producer.emit(events.textMessageContent({ messageId, delta }));
    yield producer.emit(events.textMessageEnd({ messageId }));
  };

  yield producer.start();
  const [decision] = producer.resume;
  if (decision !== undefined) {
    yield* say(decision.status === "resolved" ? "The report is sent." : "The report stays here.");
    yield producer.finish();
  } else if (messages.at(-1).role === "tool") {
    yield* say(`The report would go to ${messages.at(-1).content}.`);
    const interrupts = [{ id: `${runId}-send`, reason: "confirm", message: "Send the report?" }];
    yield producer.finish({ outcome: { type: "interrupt", interrupts } });
  } else {
    yield* say("I need the address for this.");
    yield producer.emit(
      events.toolCallChunk({ toolCallId: `${runId}-call`, toolCallName: "address", delta: '{"name":' }),
    );
    yield producer.emit(events.toolCallChunk({ delta: '"Ada"}' }));
    yield producer.finish();
  }
  raised = openInterrupts(producer.snapshot());
}

// ------------------------------------------------------------------ the client

const tools = [{ name: "address", description: "Looks up an address", parameters: { type: "object" } }];
const run = { address: { sideEffects: false, run: ({ name }) => `${name.toLowerCase()}@example.com` } };
const ask = (question) => {
  console.log(`[ask] ${question} ${consent ? "yes" : "no"}`);
  return consent;
};

const reducer = engine.createReducer({
  protocol: "ag-ui",
  transport: "sse",
  input: { threadId: "thread-1" },
  onEvent: (event) => void log.push(event),
  onWarning: ({ message }) => console.warn(`[warning] ${message}`),
});

let messages = [{ id: "user-1", role: "user", content: "Send the report to Ada." }];
let answers = {};
for (let number = 1; messages.length > 0 || Object.keys(answers).length > 0; number++) {
  const before = reducer.snapshot();
  const { input } = nextRunInput(before, { runId: `run-${number}`, messages, answers, tools });
  reducer.load({ messages: [...before.messages, ...messages], state: before.state });
  for await (const chunk of answer(JSON.stringify(input))) reducer.push(chunk);

  const after = reducer.snapshot();
  console.log(
    `[run ${number}] ${after.run.status}: ${after.messages.findLast(({ role, content }) => role === "assistant" && content).content}`,
  );
  messages = await runTools({ snapshot: after, tools: run });
  for (const { content } of messages) console.log(`[tool] ${content}`);
  answers = {};
  for (const { id, message } of openInterrupts(after))
    answers[id] = { status: ask(message) ? "resolved" : "cancelled" };
}

// ------------------------------------------------------------------ the log

const stored = compact(log);
const folded = engine.createReducer({ protocol: "ag-ui", transport: "json" });
for (const event of stored) folded.apply(event);
console.log(`[log] ${log.length} events, compacted ${stored.length}; the run is ${folded.snapshot().run.status}`);
engine.close();
