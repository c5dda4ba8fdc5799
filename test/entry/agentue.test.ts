import { describe, expect, it } from "vitest";
import {
  type AgentUEEvent,
  type AgentUEInlineBlock,
  type AgentUEModel,
  type AgentUEReferenceBlock,
  isReferenceBlock,
  listReferences,
} from "../../src/agentue/index.js";
import { engine, KINDS } from "../support/engines.js";

const inline: AgentUEInlineBlock = { id: "a", type: "text", content: "x", parent_id: null };
const reference: AgentUEReferenceBlock = { id: "b", ref: "blob:1" };
const model: AgentUEModel = {
  version: "1.1",
  biz: "chat",
  meta: { task_id: null, error: null, custom: [1] },
  blocks: [inline, reference, { id: "c", type: "tool", tool: { ref: "not one" } }, { id: "d", ref: "blob:1" }],
};

describe("streamfold/agentue", () => {
  it("tells references from inline blocks", () => {
    expect(model.blocks.map(isReferenceBlock)).toEqual([false, true, false, true]);
  });

  it("lists references in block order", () => {
    const references = [
      { id: "b", ref: "blob:1" },
      { id: "d", ref: "blob:1" },
    ];
    expect(listReferences(model)).toEqual(references);
    expect(listReferences({ ...model, blocks: [] })).toEqual([]);
    expect(listReferences(undefined)).toEqual([]);
  });

  it.each(KINDS)("a materialized reference is one no more (%s)", (kind) => {
    const reducer = engine(kind).createReducer({ protocol: "agentue", transport: "ndjson" });
    reducer.load(model);
    reducer.materialize({ id: "b", type: "text", content: "there" });
    expect(listReferences(reducer.snapshot() as AgentUEModel)).toEqual([{ id: "d", ref: "blob:1" }]);
    reducer.close();
  });

  it("its types tell events apart and refuse what the protocol refuses", () => {
    const events: AgentUEEvent[] = [
      { op: "start", seq: 1, model },
      { op: "set", seq: 2, block: reference },
      { op: "set", seq: 3, mask: "block.tool.status", block: { id: "c", tool: { status: "done" } } },
      { op: "set", seq: 4, mask: "meta.stats", meta: { stats: {} } },
      { op: "append", seq: 5, mask: "block.content", block: { id: "a", content: "y" }, stream_id: "s" },
      { op: "error", seq: 6, mask: "meta.error", meta: { error: { code: "c", message: "m" } } },
      { op: "ping", seq: 6, ts: 1 },
      { op: "end", seq: 7 },
    ];
    const described = events.map((event) => {
      switch (event.op) {
        case "start":
          return event.model.biz;
        case "append":
          return event.block.id;
        case "error":
          return event.meta.error.code;
        case "set":
          return event.mask === undefined ? event.block.id : event.mask;
        default:
          return event.seq;
      }
    });
    expect(described).toEqual(["chat", "b", "block.tool.status", "meta.stats", "a", "c", 6, 7]);
    // @ts-expect-error a start carries no block
    const extra: AgentUEEvent = { op: "start", seq: 1, model, block: inline };
    // @ts-expect-error a reference has no body
    const mixed: AgentUEModel = { ...model, blocks: [{ id: "a", ref: "b", type: "text" }] };
    // @ts-expect-error append takes a mask
    const bare: AgentUEEvent = { op: "append", seq: 1, block: inline };
    expect([extra.op, mixed.biz, bare.op]).toEqual(["start", "chat", "append"]);
  });
});
