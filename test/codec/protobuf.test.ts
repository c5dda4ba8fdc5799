import { decode, encode } from "@ag-ui/proto";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { readProtobuf } from "../../src/codec/protobuf/read.js";
import { writeProtobuf } from "../../src/codec/protobuf/write.js";
import { stringify } from "../../src/json/exact.js";
import { Rng } from "../support/rng.js";
import {
  EVENT_TYPES,
  type Event,
  hex,
  RULES,
  randomEvent,
  randomJson,
  SAMPLES,
  toHex,
  type Verdict,
} from "./support/protobuf.js";

const DEPTH = 512;

function read(bytes: Uint8Array, maxDepth = DEPTH): Verdict {
  const reading = readProtobuf(bytes, { depth: maxDepth });
  return "value" in reading ? (asJson(reading.value) as Event) : { fault: reading.fault, at: reading.offset };
}

function write(event: Event): Uint8Array {
  const writing = writeProtobuf(event);
  if (!("bytes" in writing)) throw new Error(`${writing.fault} at ${writing.path}`);
  return writing.bytes;
}

/** What a value is once it has been text. */
const asJson = (value: unknown): unknown => JSON.parse(stringify(value));

describe("the protobuf wire in JavaScript", () => {
  it.each(SAMPLES)("reads and writes %s", (bytes, event) => {
    expect(read(hex(bytes))).toEqual(event);
    expect(toHex(write(event))).toBe(bytes.replaceAll(" ", ""));
  });

  it.each(RULES)("M9: reads %s by rule", (_, bytes, verdict) => {
    expect(read(hex(bytes))).toEqual(verdict);
  });

  it("tells what it left out and repaired", () => {
    const parts = RULES.find(([name]) => name === "a source of an unknown kind")!;
    expect(readProtobuf(hex(parts[1]), { depth: DEPTH })).toMatchObject({ dropped: 1, replaced: false });
    const text = RULES.find(([name]) => name === "ill-formed UTF-8")!;
    expect(readProtobuf(hex(text[1]), { depth: DEPTH })).toMatchObject({ dropped: 0, replaced: true });
  });

  it("takes the levels of the JSON form, and no more", () => {
    const nested = (levels: number): Uint8Array => {
      let value: unknown = 1;
      for (let i = 1; i < levels; i++) value = i % 2 ? [value] : { a: value };
      return write({ type: "STATE_SNAPSHOT", snapshot: value });
    };
    expect(read(nested(20), 20)).toHaveProperty("snapshot");
    expect(read(nested(21), 20)).toMatchObject({ fault: "too-deep" });
    expect(read(nested(4000), 4000)).toHaveProperty("snapshot");
    const part = { type: "image", source: { type: "url", value: "u" }, metadata: {} };
    const snapshot = write({ type: "MESSAGES_SNAPSHOT", messages: [{ id: "", role: "user", content: [part] }] });
    for (let depth = 0; depth < 6; depth++) expect(read(snapshot, depth)).toMatchObject({ fault: "too-deep" });
    expect(read(snapshot, 6)).toHaveProperty("messages");
  });

  it("M7: writes what the reference writes", () => {
    const rng = new Rng(1);
    for (const type of EVENT_TYPES) {
      for (let i = 0; i < 40; i++) {
        const event = randomEvent(rng, type, true);
        expect(toHex(write(event)), JSON.stringify(event)).toBe(toHex(encode(event as never)));
      }
    }
  });

  it("reads what the reference writes, as the reference does", () => {
    const rng = new Rng(2);
    for (const type of EVENT_TYPES) {
      for (let i = 0; i < 40; i++) {
        const bytes = encode(randomEvent(rng, type, true) as never);
        expect(read(bytes)).toEqual(asJson(decode(bytes)));
      }
    }
  });

  it("loses nothing that the table of losses does not name", () => {
    const rng = new Rng(3);
    /** Lists that are empty do not travel; those of an echoed input come back. */
    const seen = (event: Event): unknown => {
      const walk = (value: unknown, key: string): unknown => {
        if (Array.isArray(value)) return value.map((element) => walk(element, ""));
        if (typeof value !== "object" || value === null) return value;
        const lists = key === "input" ? { tools: [], context: [], resume: [] } : {};
        const kept = Object.entries({ ...lists, ...value }).filter(
          ([name, member]) =>
            key === "input" ||
            !(
              ["toolCalls", "usage", "pendingToolCallIds", "interruptIds"].includes(name) &&
              Array.isArray(member) &&
              member.length === 0
            ),
        );
        return Object.fromEntries(kept.map(([name, member]) => [name, walk(member, name)]));
      };
      return walk(event, "");
    };
    for (const type of EVENT_TYPES)
      for (let i = 0; i < 40; i++) {
        const event = randomEvent(rng, type);
        expect(seen(read(write(event)) as Event)).toEqual(seen(event));
      }
  });

  it("writes the retired binary part as a document", () => {
    const parts = [
      { type: "binary", mimeType: "image/png", data: "AA", filename: "f" },
      { type: "binary", mimeType: "image/png", url: "u", id: "i" },
      { type: "binary", mimeType: "", id: "i" },
    ];
    const event = { type: "MESSAGES_SNAPSHOT", messages: [{ id: "1", role: "user", content: parts }] };
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    expect(toHex(write(event))).toBe(toHex(encode(event as never)));
    const withParts = (content: unknown[]) => ({ ...event, messages: [{ id: "1", role: "user", content }] });
    expect(toHex(write(withParts([{ type: "binary" }, { type: "new" }, 5])))).toBe(toHex(write(withParts([]))));
  });

  it("takes null for an absent member, unless null is a value", () => {
    const event = {
      type: "CUSTOM",
      name: "n",
      value: null,
      rawEvent: null,
      timestamp: null,
      metadata: null,
      subagentRunId: null,
    };
    expect(read(write(event))).toEqual({ type: "CUSTOM", name: "n", value: null });
    expect(
      read(write({ type: "RUN_FINISHED", threadId: "", runId: "", result: null, outcome: null, usage: null })),
    ).toEqual({
      type: "RUN_FINISHED",
      threadId: "",
      runId: "",
    });
  });

  it.each<[Event, "unknown" | "unfit", string]>([
    [{}, "unfit", ""],
    [{ type: "THINKING_START" }, "unknown", "/type"],
    [{ type: 5 }, "unknown", "/type"],
    [{ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: 42 }, "unfit", "/delta"],
    [{ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "", timestamp: 1.5 }, "unfit", "/timestamp"],
    [{ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "", timestamp: 2 ** 53 }, "unfit", "/timestamp"],
    [{ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "", metadata: [] }, "unfit", "/metadata"],
    [
      {
        type: "STATE_DELTA",
        delta: [
          { op: "add", path: "" },
          { op: "new", path: "" },
        ],
      },
      "unfit",
      "/delta/1/op",
    ],
    [{ type: "STATE_DELTA", delta: {} }, "unfit", "/delta"],
    [{ type: "RUN_FINISHED", threadId: "", runId: "", outcome: [] }, "unfit", "/outcome"],
    [
      { type: "RUN_FINISHED", threadId: "", runId: "", outcome: { type: "success", pendingToolCallIds: [1] } },
      "unfit",
      "/outcome/pendingToolCallIds/0",
    ],
    [
      { type: "MESSAGES_SNAPSHOT", messages: [{ id: "", role: "assistant", content: [] }] },
      "unfit",
      "/messages/0/content",
    ],
    [
      { type: "MESSAGES_SNAPSHOT", messages: [{ id: "", role: "activity", content: "" }] },
      "unfit",
      "/messages/0/content",
    ],
    [
      { type: "MESSAGES_SNAPSHOT", messages: [{ id: "", role: "user", content: [{ type: "image", source: 5 }] }] },
      "unfit",
      "/messages/0/content/0/source",
    ],
    [{ type: "TOOL_CALL_RESULT", messageId: "", toolCallId: "", content: {} }, "unfit", "/content"],
    [{ type: "ACTIVITY_SNAPSHOT", messageId: "", activityType: "", content: {}, replace: 1 }, "unfit", "/replace"],
  ])("refuses to write %j", (event, fault, path) => {
    expect(writeProtobuf(event)).toEqual({ fault, path });
  });

  it("writes what JSON makes of a value", () => {
    const snapshot = { a: undefined, b: [-0, new Date(0)], c: "\ud800x\udc00" };
    expect(read(write({ type: "STATE_SNAPSHOT", snapshot }))).toEqual({
      type: "STATE_SNAPSHOT",
      snapshot: { b: [0, "1970-01-01T00:00:00.000Z"], c: "\ufffdx\ufffd" },
    });
    for (const value of [undefined, Number.NaN, Number.NEGATIVE_INFINITY, 1n, () => 1, new Map()])
      expect(writeProtobuf({ type: "STATE_SNAPSHOT", snapshot: { b: [0, value] } })).toEqual({
        fault: "unfit",
        path: "/snapshot/b/1",
      });
    const open = Object.fromEntries([["__proto__", randomJson(new Rng(4), 3)]]);
    const text = `{"type":"STATE_SNAPSHOT","snapshot":${JSON.stringify(open)}}`;
    const reading = readProtobuf(write(JSON.parse(text) as Event), { depth: DEPTH });
    expect("value" in reading && stringify(reading.value)).toBe(text);
  });
});
