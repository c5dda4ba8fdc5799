import { describe, expect, it } from "vitest";
import type { EngineKind, Reducer } from "../../src/engine/contract.js";
import type { ErrorCode, StreamfoldError } from "../../src/errors.js";
import { failing } from "../reducer/expect-error.js";
import { freshEngine, KINDS } from "../support/engines.js";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const event = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const modelOf = (...blocks: object[]): object => ({ version: "1.1", biz: "chat", meta: {}, blocks });
const start = (...blocks: object[]): string => event({ op: "start", seq: 0, model: modelOf(...blocks) });
const TEXT = { id: "b1", type: "text", data: "x" };

describe.each(KINDS)("%s", (kind: EngineKind) => {
  const open = (options: object = {}, engine = freshEngine(kind)): Reducer =>
    engine.createReducer({ protocol: "agentue", transport: "sse", ...options });

  it.each([1, 2, 200])(
    "a number that is too long behind replaced bytes stands at its wire byte (%i data lines)",
    (lines) => {
      const head = `data: {"op":"ping",\n${"data:\n".repeat(lines - 1)}data:"seq":1,"event_type":"`;
      const middle = '",\ndata: "x":';
      const wire = new Uint8Array([...bytes(head), 0xff, 0xfe, ...bytes(`${middle}${"1".repeat(2000)}}\n\n`)]);
      const error = failing(() => open({ utf8: "replace" }).push(wire), "limit");
      expect(error.byteOffset).toBe(head.length + 2 + middle.length);
    },
  );

  it("an escaped id finds its block, however many members the payload has", () => {
    const reducer = open();
    reducer.push(bytes(start(TEXT)));
    const more = Array.from({ length: 20 }, (_, i) => `"m${i}":${i}`).join(",");
    const payload = `{"id":"b\\u0031","data":"YY","type":"evil",${more}}`;
    reducer.push(bytes(`data: {"op":"append","seq":1,"mask":"block.data","block":${payload}}\n\n`));
    expect(reducer.snapshot()).toEqual(modelOf({ ...TEXT, data: "xYY" }));
  });

  it("a chunk that lies about its length harms nobody", () => {
    class Liar extends Uint8Array {
      override get length(): number {
        return 10;
      }
    }
    const engine = freshEngine(kind);
    const other = open({}, engine);
    other.push(bytes(start(TEXT)));
    try {
      open({}, engine).push(new Liar(200_000).fill(0x41));
    } catch (error) {
      expect((error as StreamfoldError).code).toBe("bad_argument");
    }
    expect(other.snapshot()).toEqual(modelOf(TEXT));
    expect(open({}, engine).push(bytes(start(TEXT)))).toBe(1);
  });

  it.each<[string, object, string, ErrorCode]>([
    ["nesting", { depth: 6 }, `[[[[[[1]]]]]]`, "too_deep"],
    ["a long number", { numberLength: 20 }, "1".repeat(30), "limit"],
  ])("what one reducer has learned does not carry its limits to another: %s", (_, limits, value, code) => {
    const engine = freshEngine(kind);
    const append = (seq: number, extra: string): Uint8Array =>
      bytes(`data: {"op":"append","seq":${seq},"mask":"block.data","block":{"id":"b1","data":"y"${extra}}}\n\n`);
    const wide = open({}, engine);
    wide.push(bytes(start(TEXT)));
    for (let seq = 1; seq < 20; seq++) wide.push(append(seq, `,"x":${value}`));
    const narrow = open({ limits }, engine);
    narrow.push(bytes(start(TEXT)));
    for (let seq = 1; seq < 5; seq++) narrow.push(append(seq, ""));
    failing(() => narrow.push(append(5, `,"x":${value}`)), code);
    expect(narrow.seq()).toBe(4);
  });

  it("what is learned on one transport means nothing on another", () => {
    const engine = freshEngine(kind);
    const body = (seq: number): string =>
      `{"op":"append","seq":${seq},"mask":"block.data","block":{"id":"b1","data":"y"}}`;
    const sse = open({}, engine);
    const lines = open({ transport: "ndjson" }, engine);
    sse.push(bytes(start(TEXT)));
    lines.push(bytes(`${start(TEXT).slice(6).trim()}\n`));
    for (let seq = 1; seq < 10; seq++) {
      sse.push(bytes(`data: ${body(seq)}\n\n`));
      lines.push(bytes(`${body(seq)}\n`));
    }
    expect(sse.push(bytes(`${body(10)}\n\n`))).toBe(0);
    failing(() => lines.push(bytes(`data: ${body(10)}\n\n`)), "bad_json");
  });

  it("a very long path is not kept as a change: older versions are answered with resync", () => {
    const reducer = open();
    reducer.push(bytes(start(TEXT)));
    const { version } = reducer.changes();
    const name = "n".repeat(2000);
    reducer.push(bytes(event({ op: "set", seq: 1, mask: `block.${name}`, block: { id: "b1", [name]: 1 } })));
    expect(reducer.changes({ since: version })).toEqual({ version: 2, resync: true });
    reducer.push(bytes(event({ op: "append", seq: 2, mask: "block.data", block: { id: "b1", data: "y" } })));
    expect(reducer.changes({ since: 2 })).toEqual({
      version: 3,
      changes: [{ streamId: "", kind: "append", id: "b1", field: "data", from: 1, to: 2, text: "y" }],
    });
  });
});

it("a damaged checkpoint gets the same verdict from every engine", () => {
  const source = freshEngine("js").createReducer({ protocol: "agentue", transport: "sse" });
  source.push(bytes(`id: 7\n${start(TEXT)}${event({ op: "start", seq: 3, stream_id: "s", model: modelOf() })}`));
  source.pause({ streamId: "s" });
  source.push(
    bytes(`${event({ op: "ping", seq: 3, stream_id: "s" })}${event({ op: "end", seq: 1 })}id: 8\ndata: {"op":`),
  );
  const sound = source.checkpoint();
  const engines = KINDS.map((kind) => freshEngine(kind));
  const differing: string[] = [];
  for (let at = 0; at < sound.length; at++) {
    for (const mask of [0x01, 0x04, 0x20, 0x80]) {
      const damaged = sound.slice();
      damaged[at] = (damaged[at] as number) ^ mask;
      const verdicts = engines.map((engine) => {
        const reducer = engine.createReducer({ protocol: "agentue", transport: "sse" });
        let verdict = "restored";
        try {
          reducer.restore(damaged);
        } catch (error) {
          verdict = (error as StreamfoldError).code;
        }
        reducer.close();
        return verdict;
      });
      if (new Set(verdicts).size > 1) differing.push(`byte ${at} ^ ${mask}: ${verdicts.join(" / ")}`);
    }
  }
  expect(differing).toEqual([]);
});
