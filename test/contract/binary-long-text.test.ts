import { describe, expect, it } from "vitest";
import type { Protocol } from "../../src/engine/contract.js";
import { finished, started, textContent, textEnd, textStart } from "../support/agui-events.js";
import { type BinaryTransport, carried } from "../support/binary.js";
import { concat, utf8 } from "../support/bytes.js";
import { MTU, randomCuts, WHOLE } from "../support/chunking.js";
import { engine, KINDS } from "../support/engines.js";
import { eventsIn, messageOf, transcode } from "../support/transcoding.js";
import { append, end, modelOf, start } from "./base.js";

// Readers and writers take long strings in parts: no run of characters beyond U+007F may carry one past the room that was made for its part.

const TEXTS: Record<string, string> = {
  "characters of two bytes": "é".repeat(10_000),
  "characters of three bytes": "中".repeat(40_000),
  "characters of four bytes": "😀".repeat(100_000),
  "controls before characters of three bytes": `${"\u0001".repeat(4095)}${"中".repeat(20_000)}`,
  "quotes before characters of four bytes": `${'"'.repeat(4093)}${"😀".repeat(20_000)}`,
  "all of them": 'é中\u0001😀a"'.repeat(20_000),
};

const EVENTS: Record<Protocol, (text: string) => readonly object[]> = {
  agentue: (text) => [start(modelOf({ id: "x", type: "text", content: "" })), append(2, "x", text), end(3)],
  "ag-ui": (text) => [started(), textStart("m"), textContent("m", text), textEnd("m"), finished()],
};

const WIRES: readonly [Protocol, BinaryTransport][] = [
  ["agentue", "msgpack"],
  ["ag-ui", "msgpack"],
  ["ag-ui", "protobuf"],
];

const read = (protocol: Protocol, value: unknown): string => {
  const model = value as { blocks: { content: string }[]; messages: { content: string }[] };
  return (protocol === "agentue" ? model.blocks : model.messages)[0]!.content;
};

describe.each(KINDS)("long strings over binary wires (%s)", (kind) => {
  describe.each(WIRES)("%s over %s", (protocol, transport) => {
    it.each(Object.keys(TEXTS))("%s", (name) => {
      const text = TEXTS[name]!;
      const events = EVENTS[protocol](text).map((event) => JSON.stringify(event));
      const body = concat(events.map((event) => carried(transport, event)!));
      for (const chunking of [WHOLE, MTU, randomCuts(3)]) {
        const reducer = engine(kind).createReducer({ protocol, transport });
        let applied = 0;
        for (const chunk of chunking.split(body)) applied += reducer.push(chunk);
        expect(applied, chunking.name).toBe(events.length);
        expect(read(protocol, reducer.snapshot()) === text, chunking.name).toBe(true);
        reducer.close();
      }
      // The way out, and the way through.
      for (const from of ["ndjson", transport] as const) {
        const messages = concat(events.map((event) => messageOf(from, event)));
        const run = transcode(engine(kind), { protocol, from, to: transport }, [messages]);
        expect(run.errors).toEqual([]);
        const sent = eventsIn(transport, run.output).map((event) => JSON.parse(event) as unknown);
        expect(sent).toEqual(events.map((event) => JSON.parse(event) as unknown));
      }
    });
  });

  it("replaced bytes after controls", () => {
    for (const [controls, broken] of [
      [1023, 1024],
      [4095, 9000],
      [0, 100_000],
    ] as const) {
      const long = `${"\u0001".repeat(controls)}${"x".repeat(broken)}`;
      const messages = EVENTS.agentue(long).map((event) => carried("msgpack", JSON.stringify(event))!);
      const at = messages[1]!.length - broken;
      const token = messages[1]!.slice();
      expect(new TextDecoder().decode(token.subarray(at))).toBe("x".repeat(broken));
      token.fill(0xff, at);
      const reducer = engine(kind).createReducer({
        protocol: "agentue",
        transport: "msgpack",
        utf8: "replace",
        onWarning: () => {},
      });
      reducer.push(concat([messages[0]!, token, messages[2]!]));
      const wanted = `${"\u0001".repeat(controls)}${"\ufffd".repeat(broken)}`;
      expect(read("agentue", reducer.snapshot()) === wanted, `${controls} and ${broken}`).toBe(true);
      reducer.close();
    }
  });

  it("replaced bytes of a text wire", () => {
    const reducer = engine(kind).createReducer({
      protocol: "agentue",
      transport: "ndjson",
      utf8: "replace",
      onWarning: () => {},
    });
    const [first, token, last] = EVENTS.agentue("x".repeat(50_000)).map((event) => utf8(`${JSON.stringify(event)}\n`));
    const from = new TextDecoder().decode(token!).indexOf("xxxx");
    token!.fill(0xff, from, from + 50_000);
    reducer.push(concat([first!, token!, last!]));
    expect(read("agentue", reducer.snapshot()) === "\ufffd".repeat(50_000)).toBe(true);
    reducer.close();
  });
});
