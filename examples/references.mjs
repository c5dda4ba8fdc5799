#!/usr/bin/env node
/**
 * A stream whose long block is kept elsewhere: the reducer pauses before the first patch of it, the resolver loads the body, the stream goes on.
 *
 *   node examples/references.mjs
 */
import { setTimeout as wait } from "node:timers/promises";
import { encodeEvents, loadEngine } from "streamfold";
import { createResolver } from "streamfold/agentue";

const store = new Map([["blob:7", { id: "report", type: "text", content: "Chapter 1 …" }]]);
const blocks = [
  { id: "title", type: "text", content: "" },
  { id: "report", ref: "blob:7" },
];
const append = (seq, id, content) => ({ op: "append", seq, mask: "block.content", block: { id, content } });
const body = encodeEvents(
  [
    { op: "start", seq: 1, model: { version: "1.1", biz: "docs", meta: {}, blocks } },
    append(2, "title", "Report"),
    append(3, "report", " Chapter 2 …"),
    append(4, "title", ", final"),
    { op: "end", seq: 5 },
  ],
  { transport: "ndjson" },
);

const engine = await loadEngine();
const reducer = engine.createReducer({ protocol: "agentue", transport: "ndjson", unresolved: "pause" });
const resolver = createResolver(reducer, {
  async load({ id, ref }) {
    console.log(`loading ${id} (${ref})`);
    await wait(10);
    return store.get(ref);
  },
  onError(error) {
    console.error(error.message);
    process.exitCode = 1;
  },
});

reducer.push(body);
console.log(`waits at seq ${reducer.seq()} with ${reducer.stats({ streamId: "" }).queued} events`);
await resolver.idle();
console.log(`went on to seq ${reducer.seq()}, ${reducer.finish().status}`);
for (const block of reducer.snapshot().blocks) console.log(`${block.id}: ${block.content}`);
engine.close();
