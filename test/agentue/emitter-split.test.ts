import { describe, expect, it } from "vitest";
import { createEmitter, type Emitter, type EmitterTransport } from "../../src/agentue/index.js";
import { isWellFormed } from "../../src/json/text.js";
import { engine, KINDS } from "../support/engines.js";
import { type Json, TRANSPORTS } from "./support.js";

const LONG = `${"plain text, ".repeat(40)}${"é世😀".repeat(60)}${'"\\\n\u0001'.repeat(30)}`;
const LIST = Array.from({ length: 60 }, (_, i) => (i % 3 === 0 ? 0.5 + i : i % 3 === 1 ? `element ${i}` : { n: i }));

interface Message {
  event: Json;
  bytes: number;
}

/** What an emitter writes, message by message. */
function written(
  transport: EmitterTransport,
  splitAt: number,
  act: (emitter: Emitter) => (Uint8Array | Uint8Array[])[],
) {
  const emitter = createEmitter({ transport, splitAt }) as Emitter;
  const outputs = act(emitter).flatMap((output) => (Array.isArray(output) ? output : [output]));
  const messages: Message[] = [];
  let model: unknown;
  for (const kind of KINDS) {
    const events: Json[] = [];
    const reducer = engine(kind).createReducer({
      protocol: "agentue",
      transport,
      sequence: "strict",
      onEvent: (event) => void events.push(event as Json),
    });
    // A byte at a time tells where each message ends.
    let from = 0;
    let at = 0;
    messages.length = 0;
    for (const output of outputs) {
      const chunks = transport === "json" ? [output] : Array.from(output, (_, i) => output.subarray(i, i + 1));
      for (const chunk of chunks) {
        at += chunk.length;
        if (reducer.push(chunk) === 0) continue;
        messages.push({ event: events.at(-1)!, bytes: at - from });
        from = at;
      }
    }
    model = reducer.snapshot();
    expect(model).toEqual(emitter.snapshot());
    reducer.close();
  }
  return { messages, model: model as { blocks: Json[] } };
}

describe.each(TRANSPORTS as readonly EmitterTransport[])("splitting over %s", (transport) => {
  it("an append of a text, at every size: no pair is cut, no message is larger, few are much smaller", () => {
    for (let splitAt = 128; splitAt < 2000; splitAt += splitAt < 200 ? 1 : 97) {
      const { messages, model } = written(transport, splitAt, (emitter) => [
        emitter.start({ biz: "chat", blocks: [{ id: "a", type: "text", content: "begin " }] }),
        emitter.append("a", "content", LONG),
        emitter.append("a", "content", " end"),
      ]);
      expect(model.blocks[0]!.content).toBe(`begin ${LONG} end`);
      const parts = messages.slice(1, -1);
      for (const { event, bytes } of parts) {
        expect(bytes, `${splitAt}`).toBeLessThanOrEqual(splitAt);
        expect(isWellFormed(String((event.block as Json).content)), `${splitAt}`).toBe(true);
      }
      const total = parts.reduce((sum, { bytes }) => sum + bytes, 0);
      if (splitAt > 400) expect(parts.length).toBeLessThanOrEqual(2 * Math.ceil(total / splitAt) + 1);
      expect(messages.map(({ event }) => event.seq)).toEqual(messages.map((_, i) => i + 1));
    }
  });

  it("an append of a list, by its elements", () => {
    for (const splitAt of [128, 150, 220, 400, 1000, 5000]) {
      const { messages, model } = written(transport, splitAt, (emitter) => [
        emitter.start({ biz: "chat", blocks: [{ id: "a", type: "list", items: [-1] }] }),
        emitter.append("a", "items", LIST),
      ]);
      expect(model.blocks[0]!.items).toEqual([-1, ...LIST]);
      for (const { bytes } of messages.slice(1)) expect(bytes).toBeLessThanOrEqual(splitAt);
      expect(messages.length > 2).toBe(splitAt < 1000);
    }
  });

  it("a whole block by its head and appends, a field by its beginning and appends, an inserting append", () => {
    const block = {
      id: "b",
      type: "text",
      content: LONG,
      parent_id: "p".repeat(30),
      items: LIST,
      "a.b": "kept",
      tool: { x: 1 },
    };
    for (const splitAt of [250, 300, 500, 900]) {
      const { messages, model } = written(transport, splitAt, (emitter) => [
        emitter.start({ biz: "chat", blocks: [{ id: "b", type: "old", gone: true }] }),
        emitter.set(block),
        emitter.setField("b", "note", LONG, { eventType: "e" }),
        emitter.append("n", "content", LONG, { insert: { type: "text", extra: [1] } }),
      ]);
      expect(model.blocks).toEqual([
        { ...block, note: LONG },
        { id: "n", type: "text", extra: [1], content: LONG },
      ]);
      expect(Object.keys(model.blocks[0]!)).toEqual([...Object.keys(block), "note"]);
      for (const { event, bytes } of messages.slice(1))
        expect(bytes, JSON.stringify(event)).toBeLessThanOrEqual(splitAt);
      expect(messages.filter(({ event }) => event.event_type === "e").length).toBeGreaterThan(1);
    }
  });

  it("leaves whole what cannot be split: elements, protocol fields, deep fields, meta, a start, the held that fits", () => {
    const { messages, model } = written(transport, 128, (emitter) => [
      emitter.start({ biz: "chat", blocks: [{ id: "a", type: "text", content: LONG }] }),
      emitter.setField("a", "tool.text", LONG),
      emitter.setField("a", "type", LONG),
      emitter.setMeta("text", LONG),
      emitter.append("a", "items", [LONG, LONG]),
      emitter.error({ code: "c", message: LONG }),
    ]);
    expect(messages.map(({ event }) => event.op)).toEqual(["start", "set", "set", "set", "append", "append", "error"]);
    expect(model.blocks[0]).toMatchObject({ tool: { text: LONG }, type: LONG, items: [LONG, LONG] });
  });

  it("splits what was held together", () => {
    const emitter = createEmitter({ transport, splitAt: 200, coalesce: 1000 }) as Emitter;
    emitter.start({ biz: "chat", blocks: [{ id: "a", type: "text", content: "" }] });
    for (let i = 0; i < 90; i++) emitter.append("a", "content", "0123456789");
    expect(emitter.seq).toBe(1);
    emitter.flush();
    expect(emitter.seq).toBeGreaterThan(5);
    expect((emitter.snapshot()!.blocks[0] as Json).content).toBe("0123456789".repeat(90));
  });

  it("refuses an event whose parts would go beyond the last seq", () => {
    const emitter = createEmitter({ transport, splitAt: 128, seq: 2 ** 53 - 4 }) as Emitter;
    emitter.start({ biz: "chat", blocks: [{ id: "a", type: "text", content: "" }] });
    const before = [emitter.seq, emitter.snapshot()];
    expect(() => emitter.append("a", "content", LONG)).toThrow(
      expect.objectContaining({ code: "bad_field", path: "/seq" }),
    );
    expect([emitter.seq, emitter.snapshot()]).toEqual(before);
    emitter.append("a", "content", "x");
    expect(emitter.seq).toBe(2 ** 53 - 2);
  });
});
