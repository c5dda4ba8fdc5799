#!/usr/bin/env node
/**
 * Emits a short answer as server-sent events, then only what a changed model differs by.
 *
 *   node examples/emitter.mjs
 */
import { loadEngine } from "streamfold";
import { createEmitter } from "streamfold/agentue";

const emitter = createEmitter({
  transport: "sse",
  coalesce: 16,
  id: ({ seq }) => String(seq),
  redact: (event) => JSON.parse(JSON.stringify(event).replaceAll(/sk-\w+/g, "***")),
});
const reducer = (await loadEngine()).createReducer({ protocol: "agentue", transport: "sse", sequence: "strict" });
const send = (bytes) => {
  process.stdout.write(bytes);
  reducer.push(bytes);
};

send(emitter.start({ biz: "chat", blocks: [{ id: "answer", type: "text", content: "" }] }));
for (const token of ["The ", "key ", "is ", "sk-123", "."]) send(emitter.append("answer", "content", token));
send(emitter.flush());

const model = emitter.snapshot();
model.blocks[0].content += " Done.";
model.blocks.push({ id: "sources", type: "list", items: ["https://example.org"] });
send(emitter.update(model));
send(emitter.flush());

try {
  emitter.append("nobody", "content", "x");
} catch (error) {
  console.log(`refused: ${error.message}`);
}
send(emitter.end());
console.log(`consumer: ${reducer.finish().status}, ${JSON.stringify(reducer.snapshot().blocks)}`);
