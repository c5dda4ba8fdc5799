import { describe, expect, it } from "vitest";
import type { Protocol, TranscoderOptions, Transport } from "../../src/engine/contract.js";
import * as agui from "../support/agui-events.js";
import { concat } from "../support/bytes.js";
import { engine, KINDS } from "../support/engines.js";
import { hex } from "../support/msgpack.js";
import { messageOf, TO, transcode } from "../support/transcoding.js";

/** An event that loses something: JSON text, or the value of a CUSTOM event or of an AgentUE field as MessagePack in hexadecimal digits. */
type Lossy = string | { msgpack: string };

type To = TranscoderOptions["to"];

interface Row {
  subject: string;
  from: readonly Transport[];
  to: readonly To[];
  /** Only where nothing is enforced: enforcement strips it before. */
  passed?: true;
  events: readonly Lossy[];
  protocol: Protocol;
}

const TEXT: readonly Transport[] = ["sse", "ndjson", "json"];
const BINARY: readonly To[] = ["msgpack", "protobuf"];

const custom = (value: string): string => `{"type":"CUSTOM","name":"n","value":${value}}`;
const field = (value: string): string => `{"op":"set","seq":2,"mask":"block.x","block":{"id":"a","x":${value}}}`;
const json = (event: unknown): string => JSON.stringify(event);

const ROWS: readonly Row[] = [
  {
    subject: "number",
    protocol: "agentue",
    from: TEXT,
    to: ["msgpack"],
    events: ["18446744073709551617", "0.1000000000000000000001", "1e-400"].map(field),
  },
  {
    subject: "number",
    protocol: "ag-ui",
    from: TEXT,
    to: BINARY,
    events: ["18446744073709551617", "0.1000000000000000000001", "1e-400"].map(custom),
  },
  {
    subject: "number",
    protocol: "ag-ui",
    from: [...TEXT, "msgpack"],
    to: ["protobuf"],
    events: [...["9007199254740993", "-0"].map(custom), json(agui.custom("n", 1)).replace("{", '{"timestamp":-0,')],
  },
  {
    subject: "surrogate",
    protocol: "agentue",
    from: TEXT,
    to: ["msgpack"],
    events: ['"\\ud83d"', '"a\\ude00b"', '{"\\ud83d":1}', '["\\ud83dx"]'].map(field),
  },
  {
    subject: "surrogate",
    protocol: "ag-ui",
    from: TEXT,
    to: BINARY,
    events: ['"\\ud83d"', '{"\\ude00":1}'].map(custom),
  },
  { subject: "binary", protocol: "agentue", from: ["msgpack"], to: TO.agentue, events: [{ msgpack: "c4 01 ff" }] },
  { subject: "binary", protocol: "ag-ui", from: ["msgpack"], to: TO["ag-ui"], events: [{ msgpack: "91 c5 0001 00" }] },
  {
    subject: "timestamp",
    protocol: "agentue",
    from: ["msgpack"],
    to: TO.agentue,
    events: [{ msgpack: "d6 ff 00000000" }],
  },
  {
    subject: "timestamp",
    protocol: "ag-ui",
    from: ["msgpack"],
    to: TO["ag-ui"],
    events: [{ msgpack: "d6 ff 00000001" }],
  },
  {
    subject: "member",
    protocol: "ag-ui",
    from: [...TEXT, "msgpack"],
    to: ["protobuf"],
    events: [json(agui.stateDelta([{ op: "add", path: "/a", value: 1, why: "because" }]))],
  },
  {
    subject: "member",
    protocol: "ag-ui",
    from: [...TEXT, "msgpack"],
    to: ["protobuf"],
    passed: true,
    events: [
      json(agui.custom("n", 1, { future: 1 })),
      json(agui.finished({ outcome: { type: "cancelled", interrupts: [] } })),
    ],
  },
  {
    subject: "empty",
    protocol: "ag-ui",
    from: [...TEXT, "msgpack"],
    to: ["protobuf"],
    events: [
      json(agui.messagesSnapshot([{ id: "m", role: "assistant", content: "", toolCalls: [] }])),
      json(agui.finished({ outcome: { type: "success", pendingToolCallIds: [] } })),
    ],
  },
  {
    subject: "empty",
    protocol: "ag-ui",
    from: [...TEXT, "msgpack"],
    to: ["protobuf"],
    passed: true,
    events: [json(agui.custom("n", 1, { timestamp: null })), json(agui.finished({ result: null }))],
  },
  {
    subject: "part",
    protocol: "ag-ui",
    from: [...TEXT, "msgpack"],
    to: ["protobuf"],
    passed: true,
    events: [
      json(agui.toolResult("tr", "c", [{ type: "hologram" }])),
      json(agui.toolResult("tr", "c", [{ type: "image", source: { type: "future", value: "x" } }])),
    ],
  },
];

const FIRST: Record<Protocol, string> = {
  agentue: json({
    op: "start",
    seq: 1,
    model: { version: "1.1", biz: "b", meta: {}, blocks: [{ id: "a", type: "t" }] },
  }),
  "ag-ui": json(agui.started()),
};

/** The event on its wire. */
function bytesOf(row: Row, from: Transport, event: Lossy): Uint8Array {
  if (typeof event === "string") return messageOf(from, event);
  const whole = messageOf("msgpack", row.protocol === "ag-ui" ? custom("null") : field("null"));
  const at = whole.lastIndexOf(0xc0);
  return concat([whole.subarray(0, at), hex(event.msgpack), whole.subarray(at + 1)]);
}

describe.each(KINDS)("what is lost (%s)", (kind) => {
  const list = ROWS.flatMap((row) => row.from.flatMap((from) => row.to.map((to) => [row, from, to] as const)));
  const named = list.map(
    (one) =>
      [
        `${one[0].subject}, ${one[0].protocol}${one[0].passed ? " passed on" : ""}: ${one[1]} to ${one[2]}`,
        one,
      ] as const,
  );

  it.each(named)("%s", (_, [row, from, to]) => {
    const { protocol, subject } = row;
    for (const enforce of row.passed ? [false] : [true, false]) {
      for (const event of row.events) {
        const lossy = bytesOf(row, from, event);
        // Nobody judges whether it may come twice when nothing is enforced.
        const chunks = [messageOf(from, FIRST[protocol]), lossy, ...(enforce ? [] : [lossy])];
        const run = transcode(engine(kind), { protocol, from, to, enforce }, chunks);
        const place = enforce || protocol === "ag-ui" ? { streamId: "" } : {};
        const seq = enforce && protocol === "agentue" ? { seq: 2 } : {};
        const label = typeof event === "string" ? event : event.msgpack;
        expect(run.warnings, label).toEqual([{ code: "lossy", subject, eventIndex: 1, ...place, ...seq }]);
        expect(run.errors, label).toEqual([]);
        expect(run.stats, label).toMatchObject({ applied: chunks.length, warnings: 1 });
      }
    }
  });

  it("tells each kind once, with the event that lost it first", () => {
    const events = [
      agui.started(),
      agui.custom("n", 1),
      agui.custom("n", "\ud83d"),
      agui.custom("n", 2 ** 60),
      agui.messagesSnapshot([{ id: "m", role: "assistant", toolCalls: [] }]),
      agui.custom("n", ["\ud83d"]),
    ].map((event) => messageOf("ndjson", json(event).replace("1152921504606847000", "1152921504606846975")));
    const run = transcode(engine(kind), { protocol: "ag-ui", from: "ndjson", to: "protobuf" }, events);
    expect(run.warnings.map(({ subject, eventIndex }) => [subject, eventIndex])).toEqual([
      ["surrogate", 2],
      ["number", 3],
      ["empty", 4],
    ]);
    const packed = transcode(engine(kind), { protocol: "ag-ui", from: "ndjson", to: "msgpack" }, [
      ...events.slice(0, 2),
      messageOf("ndjson", json(agui.custom("n", 5)).replace("5", "1e-400")),
      ...events.slice(2),
    ]);
    expect(packed.warnings.map(({ subject, eventIndex }) => [subject, eventIndex])).toEqual([
      ["number", 2],
      ["surrogate", 3],
    ]);
  });

  it("says it in words", () => {
    const heard: string[] = [];
    const transcoder = engine(kind).createTranscoder({
      protocol: "agentue",
      from: "ndjson",
      to: "msgpack",
      enforce: false,
      onWarning: ({ message }) => void heard.push(message),
    });
    transcoder.push(messageOf("ndjson", '{"n":1e-400,"s":"\\ud83d"}'));
    transcoder.close();
    expect(heard).toEqual([
      "Something is lost on the way to the other wire: digits of a number or the sign of its zero",
      "Something is lost on the way to the other wire: a surrogate half without its other half, which becomes U+FFFD",
    ]);
  });
});
