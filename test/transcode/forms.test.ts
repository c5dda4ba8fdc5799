import { describe, expect, it } from "vitest";
import type { Transport } from "../../src/engine/contract.js";
import * as agui from "../support/agui-events.js";
import { concat, utf8 } from "../support/bytes.js";
import { ONE_BYTE, randomCuts, WHOLE } from "../support/chunking.js";
import { engine, KINDS } from "../support/engines.js";
import { eventsIn, messageOf, TO, transcode, type Wanted } from "../support/transcoding.js";

const json = (event: unknown): string => JSON.stringify(event);
const lines = (...events: unknown[]): Uint8Array =>
  utf8(events.map((event) => `${typeof event === "string" ? event : json(event)}\n`).join(""));

const start = (stream_id?: string) => ({
  op: "start",
  seq: 1,
  ...(stream_id !== undefined && { stream_id }),
  model: { version: "1.1", biz: "b", meta: {}, blocks: [] },
});
const end = (seq: number, stream_id?: string) => ({ op: "end", seq, ...(stream_id !== undefined && { stream_id }) });
const ping = (seq: number) => ({ op: "ping", seq });
const meta = (seq: number, x: unknown) => ({ op: "set", seq, mask: "meta.x", meta: { x } });

describe.each(KINDS)("what goes out (%s)", (kind) => {
  /** NDJSON in, at several cuts, with one answer. */
  const run = (options: Omit<Wanted, "from">, body: Uint8Array) => {
    const runs = [WHOLE, ONE_BYTE, randomCuts(5)].map((chunking) =>
      transcode(engine(kind), { ...options, from: "ndjson" }, chunking.split(body)),
    );
    for (const other of runs) expect(other).toEqual(runs[0]);
    return runs[0]!;
  };

  describe("an event without a form is left out, and the stream goes on", () => {
    it("a number beyond the range of a double, to msgpack", () => {
      const large = json(meta(2, 0)).replace("0}}", "[1e400]}}");
      const body = lines(start(), large, large.replace('"seq":2', '"seq":3'), meta(4, 1), end(5));
      const enforced = run({ protocol: "agentue", to: "msgpack" }, body);
      expect(enforced.errors).toEqual([
        { code: "limit", scope: "stream", streamId: "", seq: 2, eventIndex: 1, byteOffset: lines(start()).length },
        expect.objectContaining({ code: "limit", seq: 3, eventIndex: 2 }),
      ]);
      expect(enforced).toMatchObject({ status: "complete", warnings: [], stats: { applied: 5, errors: 2 } });
      const passed = run({ protocol: "agentue", to: "msgpack", enforce: false }, body);
      expect(passed.errors[0]).toEqual({
        code: "limit",
        scope: "stream",
        eventIndex: 1,
        byteOffset: lines(start()).length,
      });
      for (const { output } of [enforced, passed])
        expect(eventsIn("msgpack", output)).toEqual([start(), meta(4, 1), end(5)].map(json));
      // Text wires spell it.
      expect(run({ protocol: "agentue", to: "ndjson" }, body)).toMatchObject({
        output: body,
        errors: [],
        warnings: [],
      });
    });

    it("a type that has no arm, to protobuf: merged by type", () => {
      const future = (type: unknown) => ({ type, future: 1 });
      const body = lines(
        ...[future("FUTURE"), agui.stepStarted("s"), future("FUTURE"), future("LATER"), future("")],
        ...[agui.run(), future("FUTURE"), { type: "THINKING_START" }].flat(),
      );
      const passed = run({ protocol: "ag-ui", to: "protobuf", enforce: false }, body);
      const warning = { code: "unknown_event", path: "/type", streamId: "" };
      expect(passed.warnings).toEqual([
        { ...warning, subject: "FUTURE", eventIndex: 0 },
        { ...warning, subject: "LATER", eventIndex: 3 },
        { ...warning, subject: "", eventIndex: 4 },
        { ...warning, subject: "THINKING_START", eventIndex: 8 },
      ]);
      expect(passed).toMatchObject({ errors: [], status: "complete", stats: { events: 9, warnings: 6 } });
      expect(eventsIn("protobuf", passed.output).map((text) => JSON.parse(text).type)).toEqual([
        "STEP_STARTED",
        "RUN_STARTED",
        "RUN_FINISHED",
      ]);
      // Other wires know no types.
      expect(run({ protocol: "ag-ui", to: "ndjson", enforce: false }, body).output).toEqual(body);
    });

    it("members that their fields cannot hold, to protobuf", () => {
      const bad = [
        {},
        { type: 5 },
        { type: null },
        { type: "STEP_STARTED", stepName: 5 },
        { type: "STATE_DELTA", delta: [{ op: "frobnicate", path: "/a" }] },
        { type: "RUN_FINISHED", threadId: "t", runId: "r", outcome: [] },
        { type: "MESSAGES_SNAPSHOT", messages: [{ id: "m", role: "user", content: {} }] },
        { type: "STEP_STARTED", stepName: "s", timestamp: 0.5 },
        `{"type":"STEP_STARTED","stepName":"s","metadata":1e400}`,
        `{"type":"STEP_STARTED","stepName":"s","timestamp":1e400}`,
      ];
      const body = lines(...bad.flatMap((event) => [event, agui.stepStarted("s")]));
      const passed = run({ protocol: "ag-ui", to: "protobuf", enforce: false }, body);
      expect(passed.errors).toEqual(
        bad.map((_, i) => ({
          code: "bad_event",
          scope: "stream",
          streamId: "",
          eventIndex: 2 * i,
          byteOffset: expect.any(Number),
        })),
      );
      expect(passed.warnings).toEqual([]);
      expect(eventsIn("protobuf", passed.output)).toEqual(bad.map(() => json(agui.stepStarted("s"))));
    });
  });

  describe("enforcement", () => {
    it("an AG-UI event goes out as it has left it, chunks as chunks", () => {
      const events = [
        agui.started({ future: 1, rawEvent: null }),
        { type: "THINKING_START", title: "hm", subagentRunId: "s" },
        { type: "THINKING_TEXT_MESSAGE_START" },
        { type: "THINKING_TEXT_MESSAGE_CONTENT", delta: "?", x: 1 },
        { type: "THINKING_TEXT_MESSAGE_END" },
        { type: "THINKING_END" },
        { type: "FUTURE" },
        agui.textChunk({ messageId: "m", delta: "a", metadata: { future: 1 } }),
        agui.textChunk({ delta: "b" }),
        agui.textChunk({}),
        agui.toolResult("tr", "c", [{ type: "text", text: "x", y: 1 }, { type: "hologram" }]),
        agui.messagesSnapshot([
          { id: "m", role: "user", content: [{ type: "binary", mimeType: "image/png", data: "AA==", filename: "f" }] },
        ]),
        agui.stateDelta([
          { op: "frobnicate", path: "/a" },
          { op: "add", path: "/a", value: {}, why: 1 },
          { op: "add", path: "/a/b", value: 1 },
        ]),
        agui.finished({ outcome: { type: "future" } }),
      ];
      const wanted = [
        agui.started(),
        { type: "REASONING_START", subagentRunId: "s", messageId: "thinking-r-1" },
        { type: "REASONING_MESSAGE_START", messageId: "thinking-r-2", role: "reasoning" },
        { type: "REASONING_MESSAGE_CONTENT", delta: "?", messageId: "thinking-r-2" },
        { type: "REASONING_MESSAGE_END", messageId: "thinking-r-2" },
        { type: "REASONING_END", messageId: "thinking-r-1" },
        agui.textChunk({ messageId: "m", delta: "a", metadata: { future: 1 } }),
        agui.textChunk({ delta: "b" }),
        agui.textChunk({}),
        agui.toolResult("tr", "c", [{ type: "text", text: "x" }]),
        agui.messagesSnapshot([
          {
            id: "m",
            role: "user",
            content: [
              {
                type: "image",
                source: { type: "data", value: "AA==", mimeType: "image/png" },
                metadata: { filename: "f" },
              },
            ],
          },
        ]),
        agui.stateDelta([
          { op: "add", path: "/a", value: {}, why: 1 },
          { op: "add", path: "/a/b", value: 1 },
        ]),
        agui.finished(),
      ];
      for (const to of ["ndjson", "sse", "msgpack"] as const) {
        const out = run({ protocol: "ag-ui", to }, lines(...events));
        expect(eventsIn(to, out.output)).toEqual(wanted.map(json));
        expect(out.errors).toEqual([]);
        const passed = run({ protocol: "ag-ui", to, enforce: false }, lines(...events));
        expect(eventsIn(to, passed.output)).toEqual(events.map(json));
        expect(passed).toMatchObject({ errors: [], warnings: [], status: "complete" });
      }
      const model = { protocol: "ag-ui", to: "ndjson", maxProtocolVersion: "0.0.57" } as const;
      const older = run(
        model,
        lines(...agui.run(agui.subagentStarted("s"), agui.textChunk({ messageId: "m", subagentRunId: "s" }))),
      );
      expect(eventsIn("ndjson", older.output)).toEqual(agui.run(agui.textChunk({ messageId: "m" })).map(json));
    });

    it("stays what it is for the events that come after: its own model is not what it hands out", () => {
      const events = agui.run(
        agui.stateDelta([
          { op: "add", path: "/a", value: {} },
          { op: "add", path: "/a/b", value: [1] },
          { op: "add", path: "/a/b/-", value: 2 },
          { op: "move", from: "/a/b", path: "/c" },
        ]),
        agui.activity("act", { list: [] }),
        agui.activityDelta("act", [
          { op: "add", path: "/list/-", value: { k: 1 } },
          { op: "replace", path: "/list/0/k", value: 2 },
        ]),
      );
      for (const to of TO["ag-ui"]) {
        const out = run({ protocol: "ag-ui", to }, lines(...events));
        expect(out).toMatchObject({ errors: [], warnings: [], status: "complete" });
        expect(out.output).toEqual(concat(events.map((event) => messageOf(to, json(event)))));
      }
    });

    it.each(TO.agentue)(
      "what is refused, dropped or skipped does not go out; what comes before and after does (%s)",
      (to) => {
        const good = [start(), start("s"), ping(1), meta(2, 1)];
        const events = [
          ...good,
          meta(2, "replayed"),
          { op: "jump", seq: 3 },
          meta(4, "dropped"),
          { ...ping(2), stream_id: "s" },
          { ...start(), seq: 9 },
          meta(10, 2),
          { op: "append", seq: 11, mask: "block.x", block: { id: "nobody", x: "" } },
          end(2, "s"),
        ];
        const refusing = run({ protocol: "agentue", to }, lines(...events));
        const sent = [...good, { ...ping(2), stream_id: "s" }, { ...start(), seq: 9 }, meta(10, 2), end(2, "s")];
        expect(eventsIn(to, refusing.output)).toEqual(sent.map(json));
        expect(refusing.errors.map(({ code, eventIndex }) => [code, eventIndex])).toEqual([
          ["unknown_op", 5],
          ["bad_block", 10],
        ]);
        expect(refusing.warnings).toMatchObject([{ code: "duplicate_seq", eventIndex: 4 }]);
        expect(refusing).toMatchObject({ status: "truncated", stats: { applied: 8, skipped: 1, dropped: 1 } });
        const skipping = run({ protocol: "agentue", to, onViolation: "skip-event" }, lines(...events));
        expect(eventsIn(to, skipping.output)).toEqual(
          [...sent.slice(0, 4), meta(4, "dropped"), ...sent.slice(4)].map(json),
        );
        const passing = run({ protocol: "agentue", to, enforce: false }, lines(...events));
        expect(eventsIn(to, passing.output)).toEqual(events.map(json));
        expect(passing).toMatchObject({
          errors: [],
          warnings: [],
          status: "complete",
          stats: { applied: events.length },
        });
      },
    );

    it("an AG-UI stream that is rejected sends nothing any more, with skip-event it goes on", () => {
      const events = [agui.started(), agui.textEnd("nobody"), agui.custom("n"), agui.finished()];
      const rejected = run({ protocol: "ag-ui", to: "protobuf" }, lines(...events));
      expect(eventsIn("protobuf", rejected.output)).toHaveLength(1);
      expect(rejected).toMatchObject({ status: "truncated", errors: [{ code: "bad_order" }], stats: { dropped: 2 } });
      const skipped = run({ protocol: "ag-ui", to: "protobuf", onViolation: "skip-event" }, lines(...events));
      expect(eventsIn("protobuf", skipped.output)).toHaveLength(3);
      expect(skipped.status).toBe("complete");
    });

    it("passes on whatever is an object: no route, no protocol, many streams", () => {
      const events = [{}, { stream_id: 5, op: "append", mask: "block.x", block: { id: "a", x: "\ud83d" } }, { a: [] }];
      for (const to of TO.agentue) {
        const passed = run({ protocol: "agentue", to, enforce: false, limits: { streams: 1 } }, lines(...events));
        expect(passed).toMatchObject({ errors: [], status: "complete", stats: { applied: 3, streams: 0 } });
        expect(eventsIn(to, passed.output)).toHaveLength(3);
      }
      const refused = run({ protocol: "agentue", to: "sse", enforce: false }, lines({}, "[]", {}));
      expect(refused).toMatchObject({ errors: [{ code: "not_an_event", eventIndex: 1 }], status: "truncated" });
      expect(eventsIn("sse", refused.output)).toEqual(["{}"]);
      const long = lines("{}", '{"n":12345}', "{}");
      const passed = run({ protocol: "agentue", to: "ndjson", enforce: false, limits: { numberLength: 4 } }, long);
      expect(passed).toMatchObject({ output: long, errors: [] });
    });
  });

  describe("the end", () => {
    it.each(TO.agentue)("a failed connection keeps what was written (%s)", (to) => {
      const body = lines(start(), "{]", end(2));
      for (const enforce of [true, false]) {
        const out = run({ protocol: "agentue", to, enforce }, body);
        expect(eventsIn(to, out.output)).toEqual([json(start())]);
        expect(out).toMatchObject({ status: "truncated", errors: [{ code: "bad_json", eventIndex: 1 }] });
        const skipping = run({ protocol: "agentue", to, enforce, undecodable: "skip" }, body);
        expect(eventsIn(to, skipping.output)).toEqual([start(), end(2)].map(json));
        expect(skipping).toMatchObject({ status: "complete", errors: [{ code: "bad_json" }] });
      }
    });

    it("a body that is cut inside of a message, or before its streams have ended, is truncated", () => {
      for (const from of ["ndjson", "msgpack"] as Transport[]) {
        const whole = concat([start(), end(2)].map((event) => messageOf(from, json(event))));
        for (const enforce of [true, false]) {
          const options = { protocol: "agentue", from, to: "ndjson", enforce } as const;
          expect(transcode(engine(kind), options, [whole]).status).toBe("complete");
          const cut = transcode(engine(kind), options, [whole.subarray(0, -2)]);
          expect(cut).toMatchObject({ status: "truncated", errors: [], output: lines(start()) });
          const open = transcode(engine(kind), options, [messageOf(from, json(start()))]);
          expect(open.status).toBe(enforce ? "truncated" : "complete");
        }
      }
      const frames = concat([agui.started(), agui.finished()].map((event) => messageOf("protobuf", json(event))));
      for (let at = 0; at <= frames.length; at++) {
        const options = { protocol: "ag-ui", from: "protobuf", to: "ndjson" } as const;
        const { status, errors } = transcode(engine(kind), options, [frames.subarray(0, at)]);
        expect([status, errors], `cut at ${at}`).toEqual([at === frames.length ? "complete" : "truncated", []]);
      }
    });

    it("uses a tail without its terminator, or discards it", () => {
      const body = lines(start(), end(2)).subarray(0, -1);
      const used = run({ protocol: "agentue", to: "ndjson" }, body);
      expect(used).toMatchObject({ status: "complete", output: lines(start(), end(2)) });
      const discarded = run({ protocol: "agentue", to: "ndjson", unterminatedTail: "discard" }, body);
      expect(discarded).toMatchObject({ status: "truncated", output: lines(start()) });
    });

    it("no message at all: nothing goes out", () => {
      for (const enforce of [true, false]) {
        const { output, status } = run({ protocol: "agentue", to: "msgpack", enforce }, utf8(""));
        expect([output.length, status]).toEqual([0, enforce ? "truncated" : "complete"]);
      }
    });
  });
});
