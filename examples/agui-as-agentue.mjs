#!/usr/bin/env node
/**
 * An AG-UI agent behind an AgentUE user interface: bytes of one protocol in, bytes of the other out (docs/adapter.md).
 *
 *   node examples/agui-as-agentue.mjs [FILE of AG-UI as server-sent events]
 *
 * A hook gives tool calls a title and keeps reasoning from the user. What goes out is folded as a client would fold it.
 */
import { createReadStream } from "node:fs";
import { fileURLToPath } from "node:url";
import { loadEngine } from "streamfold";

const file = process.argv[2] ?? fileURLToPath(new URL("research.agui.sse", import.meta.url));
const engine = await loadEngine();

const adapter = engine.createTranscoder({
  protocol: "ag-ui",
  from: "sse",
  to: "sse",
  toProtocol: "agentue",
  adapt: {
    streamId: "run",
    block: (block) => {
      if (block.type === "reasoning" || block.type === "reasoning_span") return undefined;
      return block.type === "tool" ? { ...block, title: `Calls ${block.name}` } : block;
    },
  },
  onError: ({ message }) => console.error(message),
});

const client = engine.createReducer({ protocol: "agentue", transport: "sse", sequence: "strict" });
let bytes = 0;
const send = (chunk) => {
  bytes += chunk.length;
  client.push(chunk);
};
for await (const chunk of createReadStream(file)) send(adapter.push(chunk));
send(adapter.finish());

const { meta, blocks } = client.snapshot({ streamId: "run" });
for (const { id, type, status, title, name, content } of blocks) {
  const text = typeof content === "string" ? content.slice(0, 60).replaceAll("\n", " ") : "";
  console.log([type.padEnd(12), id, status, title ?? name, text].filter(Boolean).join("  "));
}
console.log(`${adapter.status}: run ${meta.run.status}, ${bytes} bytes, seq ${client.seq({ streamId: "run" })}`);
if (adapter.status !== "complete") process.exitCode = 1;
engine.close();
