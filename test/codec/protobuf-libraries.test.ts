import { readFileSync } from "node:fs";
import protobufjs from "protobufjs";
import { describe, expect, it } from "vitest";
import { readProtobuf } from "../../src/codec/protobuf/read.js";
import { writeProtobuf } from "../../src/codec/protobuf/write.js";
import { stringify } from "../../src/json/exact.js";
import { frame } from "../support/binary.js";
import { concat } from "../support/bytes.js";
import { engine, KINDS } from "../support/engines.js";
import { Fold } from "../support/fold.js";
import { Rng } from "../support/rng.js";
import { EVENT_TYPES, type Event, randomEvent, randomJson, toHex } from "./support/protobuf.js";

// protobufjs with proto/ag_ui.proto: a library that knows nothing of AG-UI but its messages.

const SOURCE = readFileSync(new URL("../../proto/ag_ui.proto", import.meta.url), "utf8");
const root = protobufjs.Root.fromJSON(protobufjs.common.get("google/protobuf/struct.proto") as protobufjs.INamespace);
protobufjs.parse(SOURCE.replace(/^import .*$/m, ""), root);
root.resolveAll();
const EVENT = root.lookupType("ag_ui.Event");

function write(event: Event): Uint8Array {
  const writing = writeProtobuf(event);
  if (!("bytes" in writing)) throw new Error(`${writing.fault} at ${writing.path}`);
  return writing.bytes;
}

function read(bytes: Uint8Array): unknown {
  const reading = readProtobuf(bytes, { depth: 512 });
  if (!("value" in reading)) throw new Error(`${reading.fault} at ${reading.offset}`);
  return JSON.parse(stringify(reading.value));
}

/** A JSON value as the message google.protobuf.Value. */
function wireValue(value: unknown): object {
  if (value === null) return { nullValue: 0 };
  if (typeof value === "number") return { numberValue: value };
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (Array.isArray(value)) return { listValue: { values: value.map(wireValue) } };
  return {
    structValue: { fields: Object.fromEntries(Object.entries(value as object).map(([k, v]) => [k, wireValue(v)])) },
  };
}

describe("protobufjs", () => {
  it("reads every event that is written here, and writes the same bytes", () => {
    const rng = new Rng(61);
    let same = 0;
    for (const type of EVENT_TYPES) {
      for (let i = 0; i < 30; i++) {
        const event = randomEvent(rng, type, true);
        const bytes = write(event);
        const message = EVENT.decode(bytes);
        expect(EVENT.verify(message)).toBeNull();
        const json = JSON.stringify(event);
        const theirs = EVENT.encode(message).finish();
        expect(read(theirs), json).toEqual(read(bytes));
        // it writes the key of a map entry also where that is empty
        if (!json.includes('"":')) {
          expect(toHex(theirs), json).toBe(toHex(bytes));
          same++;
        }
      }
    }
    expect(same).toBeGreaterThan(500);
  });

  it("writes open JSON that is read here, and the text of it by every engine", () => {
    const rng = new Rng(62);
    for (let i = 0; i < 100; i++) {
      const snapshot = JSON.parse(JSON.stringify(randomJson(rng, 5)));
      const message = EVENT.fromObject({ stateSnapshot: { baseEvent: { type: 6 }, snapshot: wireValue(snapshot) } });
      const bytes = EVENT.encode(message).finish();
      expect(read(bytes)).toEqual({ type: "STATE_SNAPSHOT", snapshot });
      const started = write({ type: "RUN_STARTED", threadId: "t", runId: "r" });
      for (const kind of KINDS) {
        const fold = new Fold(engine(kind), "protobuf", { protocol: "ag-ui" });
        fold.push(concat([frame(started), frame(bytes)]));
        expect((fold.reducer.snapshot() as { state: unknown }).state, kind).toEqual(snapshot);
        fold.reducer.close();
      }
    }
  });

  it("writes events by their names, with defaults where nothing stands, that are read here", () => {
    const events: [object, Event][] = [
      [
        {
          textMessageContent: { baseEvent: { type: "TEXT_MESSAGE_CONTENT", timestamp: 5 }, messageId: "m", delta: "é" },
        },
        { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "é", timestamp: 5 },
      ],
      [{ textMessageEnd: { baseEvent: { type: "TEXT_MESSAGE_END" } } }, { type: "TEXT_MESSAGE_END", messageId: "" }],
      [
        {
          toolCallStart: {
            baseEvent: { type: "TOOL_CALL_START" },
            toolCallId: "c",
            toolCallName: "f",
            subagentRunId: "s",
          },
        },
        { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "f", subagentRunId: "s" },
      ],
      [
        {
          stateDelta: {
            baseEvent: { type: "STATE_DELTA" },
            delta: [{ op: "TEST", path: "/a", value: { listValue: {} } }, { path: "" }],
          },
        },
        {
          type: "STATE_DELTA",
          delta: [
            { op: "test", path: "/a", value: [] },
            { op: "add", path: "" },
          ],
        },
      ],
    ];
    for (const [message, event] of events) {
      expect(read(EVENT.encode(EVENT.fromObject(message)).finish())).toEqual(event);
    }
  });
});
