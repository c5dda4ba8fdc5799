import { describe, expect, it } from "vitest";
import { type AgentUEModel, isReferenceBlock } from "../../src/agentue/index.js";
import type { ReducerOnly } from "../../src/engine/contract.js";
import type { Change, ReducerOptions, TranscoderOptions } from "../../src/index.js";
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

/** The marked lines fail to compile only where the types refuse what `createTranscoder` refuses. */
const WIRES: Pick<TranscoderOptions, "protocol" | "from" | "to"> = { protocol: "ag-ui", from: "json", to: "sse" };
const REFUSED: TranscoderOptions[] = [
  // @ts-expect-error: json has no framing
  { ...WIRES, to: "json" },
  // @ts-expect-error: from is its name here
  { ...WIRES, transport: "sse" },
  // @ts-expect-error: nobody reads its events
  { ...WIRES, onEvent() {} },
  // @ts-expect-error: nobody reads its events
  { ...WIRES, eventTypes: ["CUSTOM"] },
  // @ts-expect-error: there are no objects to hand to a middleware
  { ...WIRES, middleware: {} },
  // @ts-expect-error: nobody reads its models
  { ...WIRES, keepEnded: 1 },
  // @ts-expect-error: it never sees more than the events
  { ...WIRES, unresolved: "pause" },
  // @ts-expect-error: nothing pauses
  { ...WIRES, onUnresolved() {} },
];
/** One for each option that only a reducer takes: a new one fails to compile until it is listed above, too. */
const ALL_REFUSED: Record<ReducerOnly, true> = {
  transport: true,
  onEvent: true,
  eventTypes: true,
  middleware: true,
  keepEnded: true,
  unresolved: true,
  onUnresolved: true,
};

describe.each(KINDS)("types of what a transcoder takes (%s)", (kind) => {
  it("refuse what it refuses", () => {
    for (const options of REFUSED) expect(() => engine(kind).createTranscoder(options)).toThrow();
    const names = REFUSED.map((options) => Object.keys(options).find((name) => !(name in WIRES)) ?? "to");
    expect(names).toEqual(["to", ...Object.keys(ALL_REFUSED)]);
    const both: TranscoderOptions = { ...WIRES, limits: {}, onWarning() {}, utf8: "replace", unknownEnum: "strip" };
    engine(kind).createTranscoder(both).close();
    // @ts-expect-error: a reducer has one wire
    const wrong: ReducerOptions = { protocol: "agentue", transport: "sse", to: "ndjson" };
    expect(() => engine(kind).createReducer(wrong)).toThrow();
  });
});

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
