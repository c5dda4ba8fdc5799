import { describe, expect, it } from "vitest";
import type { Protocol } from "../../src/engine/contract.js";
import { coreCounters } from "../../src/engine/wasm/engine.js";
import { encodeEvent } from "../../src/transport/encode.js";
import * as agui from "../support/agui-events.js";
import { agree, type Wire } from "../support/agreement.js";
import { msgpackOf } from "../support/binary.js";
import { concat } from "../support/bytes.js";
import { openCore, WASM_KINDS } from "../support/engines.js";
import { hex } from "../support/msgpack.js";
import { setBlock, setMeta, start } from "./base.js";

// A patch of one value over a binary wire is applied without becoming text. Whole, cut and by the engine that knows no such road it means the same,
// and whatever is only nearly one.

const WIRES: readonly Wire[] = [
  ["agentue", "msgpack"],
  ["ag-ui", "msgpack"],
  ["ag-ui", "protobuf"],
];

const nested = (levels: number): unknown =>
  levels === 0 ? 1 : levels % 2 ? [nested(levels - 1)] : { a: nested(levels - 1) };

const VALUES: unknown[] = [
  null,
  true,
  false,
  0,
  -0,
  1,
  -1,
  127,
  128,
  -32,
  -33,
  65_535,
  65_536,
  2 ** 32,
  -(2 ** 31),
  2 ** 53,
]
  .concat([
    1.5,
    -2.25e-7,
    1e300,
    1e21,
    "",
    "plain",
    'é"\n',
    "\u0000",
    "中文😀",
    "x".repeat(40),
    "long ".repeat(300),
  ] as never[])
  .concat([[], {}, [1, { a: [2, null] }], { a: 1, b: { c: "d" } }, { "": 0 }, { __proto__x: 1 }, [[]]] as never[])
  .concat(Array.from({ length: 10 }, (_, levels) => nested(levels + 14)) as never[]);

const STATE = { n: 0, deep: { x: 1, y: [1, 2] }, list: [0, { a: 1 }], "a/b": 1, "a~b": 2, é: 3, "": 4 };
const replace = (path: string, value: unknown, more: object = {}): object => ({ op: "replace", path, value, ...more });
const delta = (...operations: object[]): object => agui.stateDelta(operations);

/** What the road is for. */
const ORDINARY: Record<Protocol, (value: unknown, seq: number) => object[]> = {
  agentue: (value, seq) => [
    setBlock(seq, "block.n", { id: "tool", n: value }),
    setBlock(seq + 1, "block.tool.args.q", { id: "tool", tool: { args: { q: value } } }),
    setMeta(seq + 2, "meta.open.deep.x", { open: { deep: { x: value } } }, { ts: 1_700_000_000_000, event_type: "e" }),
  ],
  "ag-ui": (value) => ["/n", "/deep/x", "/deep/y/1", "/list/0", "/list/1/a"].map((path) => delta(replace(path, value))),
};

const OPENING: Record<Protocol, object[]> = {
  agentue: [start()],
  "ag-ui": [agui.started(), agui.stateSnapshot(STATE)],
};

/** What is nearly one, or does not apply. */
const ODD: Record<Protocol, object[]> = {
  agentue: [
    setBlock(1, "block.n", { id: "tool", n: 1 }),
    setBlock(4, "block.n", { id: "tool", n: 1 }),
    setBlock(2, "block.n", { id: "tool", n: 1, empty: 2 }),
    setBlock(2, "block.n", { n: 1, id: "tool" }),
    setBlock(2, "block.n", { id: "tool" }),
    setBlock(2, "block.n", { id: "", n: 1 }),
    setBlock(2, "block.n", { id: "none", n: 1 }),
    setBlock(2, "block.n", { id: "r", n: 1 }),
    setBlock(2, "block.type", { id: "tool", type: "x" }),
    setBlock(2, "block.id", { id: "tool" }),
    setBlock(2, "block.ref", { id: "tool", ref: "x" }),
    setBlock(2, "block.parent_id", { id: "tool", parent_id: 4 }),
    setBlock(2, "block.new", { id: "tool", new: 1 }),
    setBlock(2, "block.tool.new.x", { id: "tool", tool: { new: { x: 1 } } }),
    setBlock(2, "block.tool.args.q", { id: "tool", tool: { args: { q: 1, r: 2 } } }),
    setBlock(2, "block.tool.args.q", { id: "tool", tool: { args: {} } }),
    setBlock(2, "block..q", { id: "tool", "": { q: 1 } }),
    setBlock(2, "block.n", { id: "tool", n: 1 }, { stream_id: "other" }),
    setBlock(2, "block.n", { id: "tool", n: 1 }, { stream_id: "" }),
    setBlock(2, "block.n", { id: "tool", n: 1 }, { event_type: 'odd "' }),
    setBlock(2, "block.n", { id: "tool", n: 1 }, { extra: "x" }),
    setMeta(2, "meta.task_id", { task_id: 4 }),
    setMeta(2, "meta.error", { error: "x" }),
    setMeta(2, "meta.stats", { stats: 1 }),
    setMeta(2, "meta.count", { count: 1, nothing: 1 }),
    { op: "set", seq: 2, block: { id: "tool", n: 3 }, mask: "block.n" },
    { op: "set", mask: "block.n", block: { id: "tool", n: 3 } },
    { op: "set", seq: 2, mask: "meta.count", block: { id: "tool", n: 3 } },
    { op: "set", seq: "2", mask: "block.n", block: { id: "tool", n: 3 } },
    { op: "set", seq: 2, mask: "block.n", meta: { n: 1 } },
    { seq: 2, op: "set", mask: "block.n", block: { id: "tool", n: 3 } },
  ],
  "ag-ui": [
    ...[
      "/",
      "/missing",
      "/list/2",
      "/list/-",
      "/list/01",
      "/list/1/a/b",
      "/deep/x/y",
      "n",
      "",
      "/a~1b",
      "/a~0b",
      "/é",
    ].map((path) => delta(replace(path, 1))),
    delta(),
    delta(replace("/n", 1), replace("/deep/x", 2)),
    delta({ op: "add", path: "/n", value: 1 }),
    delta({ op: "remove", path: "/n" }),
    delta({ op: "test", path: "/n", value: 1 }),
    delta({ op: "move", path: "/n", from: "/deep" }),
    agui.stateDelta([replace("/n", 1)], { timestamp: 1_700_000_000_000 }),
    agui.stateDelta([replace("/n", 1)], { rawEvent: { a: 1 } }),
  ],
};

describe.each(WIRES)("patches of one value (%s over %s)", (...wire) => {
  const [protocol, transport] = wire;
  const messageOf = (event: object): Uint8Array =>
    transport === "msgpack" ? msgpackOf(JSON.stringify(event)) : encodeEvent(event, { protocol, transport });
  const opening = OPENING[protocol].map(messageOf);

  it("every kind of value, at every kind of place", () => {
    VALUES.forEach((value, index) => {
      const events = ORDINARY[protocol](value, 2);
      agree(wire, [...opening, ...events.map(messageOf)], `${index}: ${JSON.stringify(value).slice(0, 60)}`);
    });
  });

  it.each(WASM_KINDS)("they are taken before the call begins (%s)", (kind) => {
    const { core, engine: fresh } = openCore(kind);
    // a control character is written as an escape that the road leaves alone, as over text
    const values = VALUES.slice(0, 30).filter((value) => value !== "\u0000");
    const events = values.flatMap((value, index) => ORDINARY[protocol](value, 2 + 3 * index));
    const reducer = fresh.createReducer({ protocol, transport });
    for (const message of [...opening, ...events.map(messageOf)]) reducer.push(message);
    expect(coreCounters(core).quickDeltas).toBe(events.length);
    expect(coreCounters(core).openedTokens).toBe(events.length);
    fresh.close();
  });

  it("what is only nearly one, or does not apply", () => {
    for (const event of ODD[protocol]) {
      for (const more of [{}, { onViolation: "skip-event" }, { sequence: "off" }]) {
        if (protocol === "ag-ui" && "sequence" in more) continue;
        const messages = [...opening, messageOf(event), ...ORDINARY[protocol]("after", 2).map(messageOf)];
        agree(wire, messages, `${JSON.stringify(event)} ${JSON.stringify(more)}`, more);
      }
    }
  });

  it("damaged at every byte", () => {
    const message = messageOf(ORDINARY[protocol]({ a: ["é", 1.5, null] }, 2)[0]!);
    for (let at = 0; at < message.length; at++)
      for (const byte of [0x00, 0x7f, 0x80, 0x91, 0xa1, 0xc1, 0xff]) {
        const damaged = message.slice();
        damaged[at] = byte;
        agree(wire, [...opening, damaged], `byte ${at} is ${byte}`);
      }
  });

  it("limits that are in reach", () => {
    const messages = [...opening, ...ORDINARY[protocol]("x".repeat(100), 2).map(messageOf)];
    for (const limits of [
      { modelBytes: 500 },
      { messageBytes: 120 },
      { depth: 3 },
      { depth: 4 },
      { depth: 6 },
      { numberLength: 14 },
    ])
      agree(wire, messages, JSON.stringify(limits), { limits });
    const long = [...opening, ...ORDINARY[protocol](1.234567890123456e-7, 2).map(messageOf)];
    for (const numberLength of [14, 15, 16, 20, 21])
      agree(wire, long, `numbers of ${numberLength}`, { limits: { numberLength } });
  });
});

/** Values that only MessagePack has, put in the place of a nil. */
const VALUES_OF_MSGPACK = [
  "c4020102",
  "d6ff5f000000",
  "a2c328",
  "cb7ff8000000000000",
  "c1",
  "8101c0",
  "ca3fc00000",
  "d0ff",
  "dd00000001c0",
];

describe.each(WIRES.slice(0, 2))("values of MessagePack alone (%s)", (...wire) => {
  it.each(["fatal", "replace"])("have one verdict (utf8: %s)", (utf8) => {
    const [protocol] = wire;
    for (const digits of VALUES_OF_MSGPACK)
      for (const event of ORDINARY[protocol](null, 2)) {
        const message = msgpackOf(JSON.stringify(event));
        const at = message.lastIndexOf(0xc0);
        const spelled = concat([message.subarray(0, at), hex(digits), message.subarray(at + 1)]);
        const opening = OPENING[protocol].map((one) => msgpackOf(JSON.stringify(one)));
        agree(wire, [...opening, spelled], `${digits} in ${JSON.stringify(event)}`, { utf8 });
      }
  });
});
