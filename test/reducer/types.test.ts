import { describe, expect, it } from "vitest";
import { type AgentUEModel, isReferenceBlock } from "../../src/agentue/index.js";
import type { Change } from "../../src/index.js";
import { engine, KINDS } from "../support/engines.js";
import { append, ndjson, START } from "./wire.js";

/** Reads the members that each kind has; the marked line fails to compile only where `kind` tells them apart. */
function describeChange(change: Change): string {
  switch (change.kind) {
    case "start":
      // @ts-expect-error: a start concerns no block
      return `start ${change.id}`;
    case "append":
      return `append ${change.id.length} ${change.field.length} ${change.to - change.from} ${change.text?.length}`;
    case "insert":
      return `insert ${change.id.length}`;
    case "replace":
      return `replace ${change.id.length} ${change.field?.length}`;
    case "meta":
      return `meta ${change.field.length}`;
  }
}

describe.each(KINDS)("types of what a reducer gives (%s)", (kind) => {
  it("changes are told apart by their kind, a snapshot is what the caller takes it for", () => {
    const reducer = engine(kind).createReducer({ protocol: "agentue", transport: "ndjson" });
    const { version } = reducer.changes();
    reducer.push(
      ndjson(
        START,
        append(2, "!!"),
        { op: "set", seq: 3, block: { id: "b", type: "t" } },
        { op: "set", seq: 4, mask: "block.x", block: { id: "b", x: 1 } },
        { op: "set", seq: 5, mask: "meta.y", meta: { y: 1 } },
      ),
    );
    const described = reducer.changes({ since: version }).changes?.map(describeChange);
    expect(described).toEqual(["start undefined", "append 6 7 2 2", "insert 1", "replace 1 1", "meta 1"]);
    const model = reducer.snapshot<AgentUEModel>();
    expect(model?.blocks.filter((block) => !isReferenceBlock(block)).map(({ type }) => type)).toEqual(["text", "t"]);
    // @ts-expect-error: without being told, nothing is known of a model
    expect(reducer.snapshot()?.blocks).toHaveLength(2);
    reducer.close();
  });
});
