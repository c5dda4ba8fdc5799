import { describe, expect, it } from "vitest";
import { coreCounters } from "../../src/engine/wasm/engine.js";
import type { Transport } from "../../src/engine/contract.js";
import { encodeEvent } from "../../src/transport/encode.js";
import * as agui from "../support/agui-events.js";
import { agree, type Wire } from "../support/agreement.js";
import { msgpackOf } from "../support/binary.js";
import { openCore, WASM_KINDS } from "../support/engines.js";

// ENDs, spans and steps are judged where they lie. Whole, cut and by the engine that knows no such road they mean the same, and so does whatever is only
// nearly one of them.

const WIRES: readonly Transport[] = ["sse", "ndjson", "msgpack", "protobuf"];

const ID = "message-1";
const OPENING = [
  agui.started(),
  agui.subagentStarted("helper"),
  agui.textStart(ID),
  agui.textContent(ID, "a"),
  agui.toolStart("call"),
  agui.toolArgs("call", "{}"),
  agui.spanStart("span"),
  agui.thoughtStart("thought"),
  agui.thoughtContent("thought", "b"),
  agui.stepStarted("step"),
  agui.textStart("tagged", { subagentRunId: "helper" }),
  agui.stepStarted("other's", { subagentRunId: "helper" }),
].flat();

const CLOSING = [
  agui.textEnd(ID),
  agui.toolEnd("call"),
  agui.thoughtEnd("thought"),
  agui.spanEnd("span"),
  agui.stepFinished("step"),
];

/** Each stands behind the opening, and before the events that close all of it. */
const ODD: object[][] = [
  ...CLOSING.flatMap((event) => [
    [event],
    [event, event],
    [{ ...event, timestamp: 1_700_000_000_000 }],
    [{ ...event, subagentRunId: "helper" }],
  ]),
  ...["", "none", 'a"b', "é", ID.repeat(20)].flatMap((id) => [
    [agui.textEnd(id)],
    [agui.toolEnd(id)],
    [agui.thoughtEnd(id)],
    [agui.spanEnd(id)],
    [agui.spanStart(id), agui.spanEnd(id)],
    [agui.stepStarted(id), agui.stepFinished(id)],
    [agui.stepFinished(id)],
  ]),
  [agui.textEnd("tagged")],
  [agui.textEnd("tagged", { subagentRunId: "helper" })],
  [agui.stepFinished("other's")],
  [agui.stepFinished("other's", { subagentRunId: "helper" })],
  [agui.stepStarted("other's"), agui.stepFinished("other's")],
  [agui.stepStarted("step")],
  [agui.spanStart("span")],
  [agui.spanStart("thought"), agui.spanEnd("thought")],
  [agui.spanEnd("thought")],
  [agui.thoughtEnd("span")],
  [agui.textEnd("call")],
  [agui.toolEnd(ID)],
  [agui.messagesSnapshot([]), ...CLOSING],
  [agui.messagesSnapshot([{ id: ID, role: "activity", activityType: "x", content: {} }]), ...CLOSING],
  [agui.messagesSnapshot([{ id: ID, role: "user", content: "x" }]), ...CLOSING],
  [agui.textChunk({ messageId: "chunked", delta: "x" }), ...CLOSING],
  [agui.textChunk({ messageId: "chunked", delta: "x" }), agui.stepStarted("x"), agui.textEnd(ID)],
  [...CLOSING, agui.subagentFinished("helper"), agui.finished(), ...CLOSING.slice(0, 1)],
  [agui.runError("x"), ...CLOSING.slice(0, 1)],
].map((events) => events.flat());

describe.each(WIRES)("events that only open or close something (%s)", (transport) => {
  const wire: Wire = ["ag-ui", transport];
  const messageOf = (event: object): Uint8Array =>
    transport === "msgpack" ? msgpackOf(JSON.stringify(event)) : encodeEvent(event, { protocol: "ag-ui", transport });
  const opening = OPENING.map(messageOf);
  const closing = CLOSING.map(messageOf);

  it.each(WASM_KINDS)("they are taken before the call begins (%s)", (kind) => {
    const { core, engine: fresh } = openCore(kind);
    const reducer = fresh.createReducer({ protocol: "ag-ui", transport });
    for (const message of opening) reducer.push(message);
    const before = coreCounters(core).openedTokens;
    for (const message of closing) expect(reducer.push(message)).toBe(1);
    for (const event of [agui.spanStart("s"), agui.spanEnd("s"), agui.stepStarted("t"), agui.stepFinished("t")])
      expect(reducer.push(messageOf(event))).toBe(1);
    expect(coreCounters(core).openedTokens).toBe(before + closing.length + 4);
    fresh.close();
  });

  it("what is only nearly one, or has no place", () => {
    for (const events of ODD)
      for (const options of [{}, { onViolation: "skip-event" }])
        agree(wire, [...opening, ...events.map(messageOf), ...closing], JSON.stringify([events, options]), options);
  });

  it("damaged at every byte", () => {
    for (const message of [closing[0]!, closing[4]!])
      for (let at = 0; at < message.length; at++)
        for (const byte of [0x00, 0x22, 0x5c, 0x82, 0xff]) {
          const damaged = message.slice();
          damaged[at] = byte;
          agree(wire, [...opening, damaged], `byte ${at} is ${byte}`);
        }
  });

  it("limits that are in reach", () => {
    const messages = [...opening, ...closing, ...[agui.spanStart("s"), agui.stepStarted("t")].map(messageOf)];
    for (const limits of [
      { items: 8 },
      { items: 7 },
      { items: 6 },
      { messageBytes: 40 },
      { messageBytes: 50 },
      { depth: 1 },
    ])
      agree(wire, messages, JSON.stringify(limits), { limits });
  });

  it("listeners hear of them", () => {
    const heard: unknown[] = [];
    const options = { onEvent: (event: { type: string }) => void heard.push(event.type) };
    agree(wire, [...opening, ...closing], "listening", options);
    expect(heard.filter((type) => type === "STEP_FINISHED").length).toBe(
      heard.filter((type) => type === "RUN_STARTED").length,
    );
  });
});
