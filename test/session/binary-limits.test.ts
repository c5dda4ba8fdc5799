import { describe, expect, it } from "vitest";
import type { Protocol } from "../../src/engine/contract.js";
import { modelOf, start } from "../contract/base.js";
import { failing } from "../reducer/expect-error.js";
import { started } from "../support/agui-events.js";
import { type BinaryTransport, carried } from "../support/binary.js";
import { everyN } from "../support/chunking.js";
import { engine, KINDS } from "../support/engines.js";

const WIRES: readonly [Protocol, BinaryTransport, object][] = [
  ["agentue", "msgpack", start(modelOf({ id: "x", type: "text", content: "some text" }))],
  ["ag-ui", "msgpack", started()],
  ["ag-ui", "protobuf", started()],
];

describe.each(KINDS)("messageBytes on binary wires (%s)", (kind) => {
  it.each(WIRES)(
    "%s over %s: a message of exactly so many bytes is taken, and none of one more",
    (protocol, transport, event) => {
      const bytes = carried(transport, JSON.stringify(event))!;
      // The length of a frame does not count.
      const size = bytes.length - (transport === "protobuf" ? 4 : 0);
      for (const piece of [bytes.length, 1, 3]) {
        const open = (messageBytes: number) =>
          engine(kind).createReducer({ protocol, transport, limits: { messageBytes } });
        const exact = open(size);
        let applied = 0;
        for (const chunk of everyN(bytes, piece)) applied += exact.push(chunk);
        expect(applied).toBe(1);
        exact.close();
        const short = open(size - 1);
        failing(() => {
          for (const chunk of everyN(bytes, piece)) short.push(chunk);
        }, "too_large");
        short.close();
      }
    },
  );
});
