#!/usr/bin/env node
/**
 * A store whose rows are small: large blocks of a model are kept in frames, and the model comes back as it was.
 *
 *   node examples/frames.mjs
 */
import { loadEngine } from "streamfold";

const ROW_BYTES = 1024;
const engine = await loadEngine();
const model = {
  version: "1.1",
  biz: "docs",
  meta: {},
  blocks: [
    { id: "title", type: "text", content: "Report" },
    { id: "body", type: "text", content: "A chapter “of its own”. ".repeat(200) },
    { id: "log", type: "tool", rows: Array.from({ length: 100 }, (_, row) => ({ row, ok: row % 7 > 0 })) },
  ],
};

// Rows: a block as it is where it fits, otherwise its frames.
const rows = [];
for (const block of model.blocks) {
  const text = JSON.stringify(block);
  if (Buffer.byteLength(text) <= ROW_BYTES) rows.push(text);
  else
    rows.push(
      ...Buffer.from(engine.frameBlock(block, { maxBytes: ROW_BYTES }))
        .toString()
        .trimEnd()
        .split("\n"),
    );
}
console.log(`${rows.length} rows of at most ${Math.max(...rows.map((row) => Buffer.byteLength(row)))} bytes`);

// All rows of the model at once, in their order: the model is resolved.
const stored = Buffer.from(JSON.stringify({ ...model, blocks: rows.map((row) => JSON.parse(row)) }));
const restored = Buffer.from(engine.resolveFrames(stored)).toString();
console.log(`resolved: ${restored === JSON.stringify(model)}`);

// Frames as they come, in any order: blocks are restored one by one.
const assembler = engine.createFrameAssembler();
const frames = rows.filter((row) => JSON.parse(row).type === "frame").reverse();
for (const frame of frames.slice(1)) assembler.add(frame);
for (const { blockId, total, missing } of assembler.missing())
  console.log(`${blockId} lacks ${JSON.stringify(missing)} of ${total}`);
assembler.add(frames[0]);
for (const { blockId, whole } of assembler.blocks()) console.log(`${blockId} whole: ${whole}`);

// A reference whose body was kept in frames takes it without leaving the core.
const reducer = engine.createReducer({ protocol: "agentue", transport: "ndjson" });
reducer.load({ ...model, blocks: [model.blocks[0], { id: "body", ref: "rows:body" }] });
assembler.materialize(reducer, "body");
console.log(`materialized: ${reducer.snapshot().blocks[1].content.length} characters`);
engine.close();
