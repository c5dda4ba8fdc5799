import { describe, expect, it } from "vitest";
import { aguiEngine, binaryLibraries, byHand, patchLibraries } from "../../bench/agui/contenders.js";
import {
  type AguiEvent,
  type AguiModel,
  deltaBytes,
  Patches,
  setByHand,
  sseBytes,
  stateOf,
  type TextRun,
  textRun,
} from "../../bench/agui/fixtures.js";
import { MutableRun } from "../../bench/agui/mutable-run.js";
import { mixedRun, TURN_EVENTS, toolRun } from "../../bench/agui/runs.js";
import type { EncodedWire } from "../../bench/contenders/encoders.js";
import { loadEngines } from "../../bench/contenders/engines.js";
import { rechunk } from "../../bench/fixtures.js";
import { wireMessages } from "../../bench/wires.js";

const RUNS: [name: string, make: (seed: number) => TextRun][] = [
  ["text", (seed) => textRun(300, 5, 0.15, seed)],
  ["tool calls", (seed) => toolRun(300, 5, 0.15, seed)],
  ["mixed", (seed) => mixedRun(4, 0.15, seed)],
];
const engines = loadEngines().flatMap(({ engine }) => (engine === undefined ? [] : [aguiEngine(engine)]));
const decoder = new TextDecoder();

function share(events: AguiEvent[], type: string): number {
  return events.filter((event) => event.type === type).length / events.length;
}

describe("runs", () => {
  it.each(RUNS)("of %s are the same for the same seed, and differ for another", (_name, make) => {
    expect(make(1)).toEqual(make(1));
    expect(make(1).events).not.toEqual(make(2).events);
    expect(make(1).events).toHaveLength(make(2).events.length);
  });

  it("have the length and the shares that are said", () => {
    expect(textRun(1000, 20, 0.15, 1).events).toHaveLength(1000);
    const { events } = toolRun(1000, 20, 0.15, 1);
    expect(events).toHaveLength(1000);
    expect(share(events, "TOOL_CALL_ARGS")).toBeGreaterThan(0.9);
    const mixed = mixedRun(10, 0.15, 1).events;
    expect(mixed).toHaveLength(10 * TURN_EVENTS + 3);
    expect(share(mixed, "TEXT_MESSAGE_CONTENT")).toBeCloseTo(0.49, 1);
    expect(share(mixed, "STATE_DELTA")).toBeCloseTo(0.05, 1);
  });

  it("hold arguments that are JSON at the end", () => {
    const messages = toolRun(1000, 5, 0.5, 2).expected.messages as unknown as {
      toolCalls: [{ function: { arguments: string } }];
    }[];
    for (const { toolCalls } of messages) {
      const value = JSON.parse(toolCalls[0].function.arguments) as Record<string, string>;
      expect(Object.keys(value).length).toBeGreaterThan(5);
    }
  });

  it("keep a state of the bytes that are asked for, and patch what is there", () => {
    for (const bytes of [5_000, 100_000]) {
      const state = stateOf(bytes, 3);
      expect(Math.abs(JSON.stringify(state).length / bytes - 1)).toBeLessThan(0.2);
      for (const skew of [false, true]) {
        const patches = new Patches(state, 4, skew);
        const touched = new Set<string>();
        for (let number = 0; number < 2000; number++) {
          const operation = patches.next();
          touched.add(operation.path.split("/").slice(0, 5).join("/"));
          setByHand(state, operation);
        }
        expect(Math.abs(JSON.stringify(state).length / bytes - 1)).toBeLessThan(0.25);
        if (bytes === 100_000) expect(touched.size > 400).toBe(!skew);
      }
    }
  });
});

const wires: [wire: EncodedWire, contenders: typeof engines][] = [
  ["sse", [...engines, byHand]],
  ["msgpack", [...engines, ...binaryLibraries("msgpack")]],
  ["protobuf", [...engines, ...binaryLibraries("protobuf")]],
];

it("every library of the binary wires takes part in a checkout", () => {
  expect([...binaryLibraries("msgpack"), ...binaryLibraries("protobuf")].map(({ name }) => name)).toEqual([
    "@msgpack/msgpack + mutable reducer",
    "msgpackr + mutable reducer",
    "protobufjs + mutable reducer",
    "@ag-ui/proto + mutable reducer",
  ]);
});

describe.each(wires.flatMap(([wire, list]) => list.map((contender) => ({ wire, contender, name: contender.name }))))(
  "$name over $wire",
  ({ wire, contender }) => {
    const fold = (chunks: Uint8Array[]): AguiModel => {
      const folder = contender.open(wire, undefined);
      for (const chunk of chunks) folder.push(chunk);
      const model = structuredClone(folder.model());
      const bytes = JSON.parse(decoder.decode(folder.stateBytes())) as AguiModel;
      expect({ messages: bytes.messages, state: bytes.state }).toEqual(model);
      folder.close();
      return model;
    };

    it.each(RUNS)("folds %s as the fixtures say, at every chunk size", (_name, make) => {
      const { events, expected } = make(5);
      const messages = wireMessages(wire, events);
      for (const chunks of [messages, ...[5, 1000, 65_536].map((size) => rechunk(messages, size))])
        expect(fold(chunks)).toEqual(expected);
    });

    it("takes whole messages, then messages that are cut", () => {
      const { events, expected } = mixedRun(2, 0.15, 6);
      const messages = wireMessages(wire, events);
      const chunks = [...messages.slice(0, 20), ...rechunk(messages.slice(20), 50)];
      expect(fold(chunks)).toEqual(expected);
    });
  },
);

it("the events of the text wire are those of the fixtures", () => {
  const { events } = mixedRun(1, 0.15, 7);
  expect(Buffer.concat(sseBytes(events)).equals(Buffer.concat(wireMessages("sse", events)))).toBe(true);
});

describe("state deltas", async () => {
  const contenders = [...engines, byHand, ...(await patchLibraries())];

  it("are applied by three libraries in a checkout", () => {
    expect(contenders).toHaveLength(engines.length + 4);
  });

  it.each(contenders)("come out of $name as they are said to", ({ open }) => {
    const state = stateOf(5000, 8);
    const folder = open("json", state);
    const patches = new Patches(state, 9, false);
    for (let number = 0; number < 300; number++) {
      const operation = patches.next();
      setByHand(state, operation);
      folder.push(deltaBytes(operation));
    }
    expect(folder.model().state).toEqual(state);
    folder.close();
  });
});

describe("the mutable run", () => {
  it("puts results behind the message that holds their call, one after the other", () => {
    const run = new MutableRun(undefined);
    const events: AguiEvent[] = [
      { type: "TEXT_MESSAGE_START", messageId: "a" },
      { type: "TOOL_CALL_START", toolCallId: "1", toolCallName: "x", parentMessageId: "a" },
      { type: "TOOL_CALL_START", toolCallId: "2", toolCallName: "y", parentMessageId: "a" },
      { type: "TEXT_MESSAGE_START", messageId: "b" },
      { type: "TOOL_CALL_RESULT", messageId: "r2", toolCallId: "2", content: "second" },
      { type: "TOOL_CALL_RESULT", messageId: "r1", toolCallId: "1", content: "first" },
    ];
    for (const event of events) run.apply(event);
    expect(run.model().messages.map(({ id }) => id)).toEqual(["a", "r2", "r1", "b"]);
  });

  it("throws for what it cannot apply, so that a wrong fold is seen", () => {
    const run = new MutableRun(undefined);
    expect(() => run.text("nobody", "x")).toThrow("no such message");
    expect(() => run.args("nobody", "x")).toThrow("no such call");
    expect(() => run.apply({ type: "STATE_DELTA", delta: [{ op: "replace", path: "/missing", value: 1 }] })).toThrow(
      "no member missing",
    );
  });
});
