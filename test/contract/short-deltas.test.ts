import { describe, expect, it } from "vitest";
import type { Protocol } from "../../src/engine/contract.js";
import { coreCounters } from "../../src/engine/wasm/engine.js";
import type { StreamfoldError } from "../../src/errors.js";
import { started, textContent, textStart, toolArgs, toolStart } from "../support/agui-events.js";
import { type BinaryTransport, carried } from "../support/binary.js";
import { concat } from "../support/bytes.js";
import { randomCuts, WHOLE } from "../support/chunking.js";
import { engine, KINDS, openCore, WASM_KINDS } from "../support/engines.js";
import { append, modelOf, start } from "./base.js";

// Deltas of a few bytes are brought to JSON without loops: whatever may be wrong or has to be escaped in them stands at every place once.

type Wire = readonly [name: string, Protocol, BinaryTransport];

const WIRES: readonly Wire[] = [
  ["AgentUE appends", "agentue", "msgpack"],
  ["texts", "ag-ui", "msgpack"],
  ["arguments", "ag-ui", "msgpack"],
  ["texts", "ag-ui", "protobuf"],
  ["arguments", "ag-ui", "protobuf"],
];

function eventsOf([name, protocol]: Wire, deltas: readonly string[]): object[] {
  if (protocol === "agentue")
    return [
      start(modelOf({ id: "x", type: "text", content: "" })),
      ...deltas.map((delta, index) => append(index + 2, "x", delta)),
    ];
  return name === "texts"
    ? [started(), textStart("m"), ...deltas.map((delta) => textContent("m", delta))]
    : [started(), toolStart("c"), ...deltas.map((delta) => toolArgs("c", delta))];
}

function textIn([name, protocol]: Wire, snapshot: unknown): string {
  if (protocol === "agentue") return (snapshot as { blocks: { content: string }[] }).blocks[0]!.content;
  const message = (snapshot as { messages: { content: string; toolCalls: { function: { arguments: string } }[] }[] })
    .messages[0]!;
  return name === "texts" ? message.content : message.toolCalls[0]!.function.arguments;
}

/** The first and last characters of each length in UTF-8, what JSON escapes, and the neighbours of that. */
const CHARACTERS = ['"', "\\", "\n", "\u0000", "\u001f", " ", "!", "#", "/", "\u007f", "\u0080", "\u07ff", "\u0800"];
CHARACTERS.push(
  "\u0fff",
  "\u1000",
  "\ucfff",
  "\ud7ff",
  "\ue000",
  "\uffff",
  "\u{10000}",
  "\u{3ffff}",
  "\u{10ffff}",
  "😀",
);

const GOOD = [0, 1, 2, 5, 6, 7, 8, 11, 12, 13, 14, 15, 16].flatMap((before) =>
  CHARACTERS.flatMap((character) =>
    ["", "y", "yz", character].map((behind) => "abcdefghijklmnop".slice(0, before) + character + behind),
  ),
);

/** Ill-formed by the table of Unicode: no leads, overlong forms, surrogates, beyond U+10FFFF, cut characters. */
const ILL_FORMED = ["80", "bf", "c0", "c180", "c3", "c328", "e09fbf", "e4b8", "e4b841", "eda080", "f08fbfbf", "f09f98"]
  .concat(["f09f9841", "f4908080", "f5808080", "fe", "ff", "c3a980", "e4b8adbf", "f09f988080"])
  .map((hex) => Uint8Array.from(hex.match(/../g)!, (byte) => Number.parseInt(byte, 16)));

describe.each(WIRES)("short %s (%s over %s)", (...wire) => {
  const [, protocol, transport] = wire;
  const bytesOf = (deltas: readonly string[]): Uint8Array[] =>
    eventsOf(wire, deltas).map((event) => carried(transport, JSON.stringify(event))!);

  it.each(KINDS)("every character at every place (%s)", (kind) => {
    const chunks = bytesOf(GOOD);
    for (const chunking of [WHOLE, randomCuts(7)]) {
      const reducer = engine(kind).createReducer({ protocol, transport });
      for (const chunk of chunks.slice(0, -GOOD.length)) reducer.push(chunk);
      const since = reducer.changes({ since: 0 }).version;
      for (const chunk of chunking.split(concat(chunks.slice(-GOOD.length)))) reducer.push(chunk);
      expect(textIn(wire, reducer.snapshot()) === GOOD.join(""), chunking.name).toBe(true);
      // counts of code units are what a change says
      const { changes } = reducer.changes({ since }) as { changes?: { kind: string; to?: number; text?: string }[] };
      const change = changes?.find(({ kind: what }) => what === "append");
      expect(change?.to).toBe(GOOD.join("").length);
      expect(change?.text === GOOD.join("")).toBe(true);
      reducer.close();
    }
  });

  it.each(WASM_KINDS)("they are folded where they lie (%s)", (kind) => {
    const { core, engine: fresh } = openCore(kind);
    const reducer = fresh.createReducer({ protocol, transport });
    for (const chunk of bytesOf(GOOD)) reducer.push(chunk);
    // the first of a block teaches where it stands
    expect(coreCounters(core).binaryTokens).toBeGreaterThanOrEqual(GOOD.length - 1);
    fresh.close();
  });

  it.each(KINDS)("ill-formed bytes at every place (%s)", (kind) => {
    for (const bytes of ILL_FORMED) {
      for (let before = 0; before <= 16; before++) {
        for (const behind of ["", "y", "yyyyyyyy"]) {
          const shape = "x".repeat(before) + "#".repeat(bytes.length) + behind;
          const chunks = bytesOf(["k", shape]);
          const token = chunks.pop()!;
          token.set(bytes, new TextDecoder("latin1").decode(token).lastIndexOf(shape) + before);
          const replaced = transport === "protobuf";
          const open = (utf8: "fatal" | "replace") => {
            const reducer = engine(kind).createReducer({
              protocol,
              transport,
              onWarning: () => {},
              ...(replaced ? {} : { utf8 }),
            });
            for (const chunk of chunks) reducer.push(chunk);
            return reducer;
          };
          const name = `${Buffer.from(bytes).toString("hex")} behind ${before}, before ${behind.length}`;
          const lenient = open("replace");
          lenient.push(token);
          expect(textIn(wire, lenient.snapshot()), name).toBe(
            `k${"x".repeat(before)}${new TextDecoder().decode(concat([bytes, new TextEncoder().encode(behind)]))}`,
          );
          lenient.close();
          if (replaced) continue;
          const strict = open("fatal");
          let error: StreamfoldError | undefined;
          try {
            strict.push(token);
          } catch (thrown) {
            error = thrown as StreamfoldError;
          }
          expect(error?.code, name).toBe("invalid_utf8");
          expect(textIn(wire, strict.snapshot()), name).toBe("k");
          strict.close();
        }
      }
    }
  });
});
