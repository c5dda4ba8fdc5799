import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { FoldContender } from "../../bench/contenders/contender.js";
import { engineContender, loadEngines } from "../../bench/contenders/engines.js";
import { BASELINES } from "../../bench/contenders/index.js";
import {
  type AgentueEvent,
  type FoldShape,
  foldPayload,
  type Model,
  rechunk,
  sseMessages,
} from "../../bench/fixtures.js";

const SHAPE: FoldShape = { events: 200, blocks: 3, streams: 1, odd: 0.15, shapes: 8, mixed: 0.15 };
const encoder = new TextEncoder();

function fold(contender: FoldContender, chunks: Uint8Array[], streamIds: Iterable<string>): Map<string, unknown> {
  const folder = contender.open();
  for (const chunk of chunks) folder.push(chunk);
  const models = new Map<string, unknown>();
  for (const id of streamIds) {
    models.set(id, structuredClone(folder.value(id)));
    expect(JSON.parse(new TextDecoder().decode(folder.bytes(id)))).toEqual(models.get(id));
  }
  folder.close();
  return models;
}

function wire(text: string): Uint8Array[] {
  return [encoder.encode(text)];
}

const engines = loadEngines().flatMap(({ engine }) => (engine === undefined ? [] : [engineContender(engine)]));

describe.each([...engines, ...BASELINES])("$name", (contender) => {
  it.each([1, 3, 64])("folds what the fixtures say, %i streams", (streams) => {
    const { events, expected } = foldPayload({ ...SHAPE, streams }, 5);
    const messages = sseMessages(events);
    for (const chunks of [messages, ...[1, 7, 4096, 65_536].map((size) => rechunk(messages, size))]) {
      expect(fold(contender, chunks, expected.keys())).toEqual(expected);
    }
  });

  it("folds the recorded session at every chunk size as the JavaScript engine does", () => {
    const bytes = new Uint8Array(readFileSync(new URL("../../examples/support-session.sse", import.meta.url)));
    const ids = ["message-1042", "message-1043", "agent/research", "客服-7", "message-1044", "message-1045"];
    const reference = fold(engines.at(-1)!, [bytes], ids);
    expect(fold(contender, rechunk([bytes], 1000), ids)).toEqual(reference);
    expect(fold(contender, [bytes], ids)).toEqual(reference);
  });

  it("skips repeated events, keeps streams apart and stops at end", () => {
    const events: AgentueEvent[] = [
      { op: "start", seq: 1, model: model("a") },
      { op: "start", seq: 5, stream_id: "s", model: model("a") },
      append(2, "one"),
      append(2, "again"),
      { ...append(6, "six"), stream_id: "s" },
      append(1, "old"),
      append(4, "two"),
      { op: "end", seq: 4 },
    ];
    expect(fold(contender, sseMessages(events), ["", "s"])).toEqual(
      new Map([
        ["", model("a", "onetwo")],
        ["s", model("a", "six")],
      ]),
    );
  });

  it("lets a start replace the model and every text that was open in it", () => {
    const events = [
      { op: "start", seq: 1, model: model("a") },
      append(2, "gone"),
      { op: "start", seq: 1, model: model("a", "new ") },
      append(2, "text"),
      { op: "set", seq: 3, block: { id: "a", type: "text", content: "whole " } },
      append(4, "again"),
    ];
    expect(fold(contender, sseMessages(events), [""])).toEqual(new Map([["", model("a", "whole again")]]));
  });

  it("joins surrogate halves of two deltas and reads every escape", () => {
    const deltas = [
      "\\ud83d",
      "\\ude00",
      "\\u00e9\\u4e2d\\ud83d\\ude00",
      '\\"\\\\\\/\\b\\f\\n\\r\\t',
      "\ufeffx",
      "é中😀",
    ];
    const messages = deltas.map(
      (delta, index) =>
        `data: {"op":"append","seq":${index + 2},"mask":"block.content","block":{"id":"a","content":"${delta}"}}\n\n`,
    );
    const start = `data: ${JSON.stringify({ op: "start", seq: 1, model: model("a") })}\n\n`;
    const text = '😀é中😀"\\/\b\f\n\r\t\ufeffxé中😀';
    expect(fold(contender, wire(start + messages.join("")), [""])).toEqual(new Map([["", model("a", text)]]));
  });

  it("reads comments, ids, CR and CRLF, several data lines, a BOM and a closing [DONE]", () => {
    const start = JSON.stringify({ op: "start", seq: 1, model: model("a") });
    const lines = ["\ufeff: hello", "retry: 10", "", `id: 1`, `data:${start}`, "", "event: patch"];
    const more = [
      'data: {"op":"append","seq":2,',
      'data: "mask":"block.content","block":{"id":"a","content":"x"}}',
      "",
      "data: [DONE]",
      "",
      "",
    ];
    for (const eol of ["\n", "\r\n", "\r"]) {
      const bytes = wire([...lines, ...more].join(eol));
      for (const chunks of [bytes, rechunk(bytes, 1)])
        expect(fold(contender, chunks, [""])).toEqual(new Map([["", model("a", "x")]]));
    }
  });
});

describe.each([...BASELINES])("$name", (contender) => {
  it("replaces ill-formed UTF-8 delta by delta", () => {
    const head = `data: ${JSON.stringify({ op: "start", seq: 1, model: model("a") })}\n\n`;
    const parts = ["\xe4\xb8", "\xad", "\xf0\x9f\x98\x80", "\xed\xa0\x80"].map(
      (bytes, index) =>
        `data: {"op":"append","seq":${index + 2},"mask":"block.content","block":{"id":"a","content":"${bytes}"}}\n\n`,
    );
    const bytes = new Uint8Array(Buffer.from(head + parts.join(""), "latin1"));
    const text = "\ufffd\ufffd😀\ufffd\ufffd\ufffd";
    expect(fold(contender, [bytes], [""])).toEqual(new Map([["", model("a", text)]]));
  });
});

function model(id: string, content = ""): Model {
  return { version: "1.1", biz: "chat", meta: {}, blocks: [{ id, type: "text", content }] };
}

function append(seq: number, content: string): AgentueEvent {
  return { op: "append", seq, mask: "block.content", block: { id: "a", type: "text", content } };
}
