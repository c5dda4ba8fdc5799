import { describe, expect, it } from "vitest";
import { concat, utf8 } from "../support/bytes.js";
import { type Chunking, ONE_BYTE, randomCuts, WHOLE } from "../support/chunking.js";
import { engine, KINDS } from "../support/engines.js";
import { messageOf, transcode } from "../support/transcoding.js";
import { check, checkRequest, expectationOf, FIXTURES, KEYS, run } from "./agui-corpus.js";

const CHUNKINGS: readonly Chunking[] = [WHOLE, ONE_BYTE, randomCuts(7), randomCuts(8)];

/** Streams that the protobuf wire cannot express: what they are about does not arrive. One that passes fails the run. */
const NOT_OVER_PROTOBUF: Readonly<Record<string, string>> = {
  "era-0-0-45-thinking-translated": "retired types have no arm",
  "unknown-event-dropped": "unknown types have no arm",
  "malformed-known-field-fatal": "a number has no form in a field of strings",
  "subagent-started-missing-name-fatal": "a required string that is missing arrives as an empty one",
  "unknown-outcome-array-fatal": "an outcome that is a list has no form",
  "state-delta-unknown-op-dropped": "an unknown operation has no number",
  "unknown-part-in-message-list": "an unknown part is left out before the wire",
  "unknown-property-stripped": "an unknown member is left out before the wire",
};

describe.skipIf(FIXTURES.length === 0)("official streams", () => {
  const all = FIXTURES.map((fixture) => [fixture.name, fixture] as const);

  it("are all there, and say nothing that is not looked at", () => {
    expect(all).toHaveLength(68);
    for (const [name, { expect: expected }] of all) {
      expect(
        Object.keys(expected).filter((key) => !KEYS.has(key)),
        name,
      ).toEqual([]);
    }
    expect(Object.keys(NOT_OVER_PROTOBUF).filter((name) => !all.some(([known]) => known === name))).toEqual([]);
  });

  describe.each(KINDS)("%s", (kind) => {
    it.each(all)("%s", (_name, fixture) => {
      const expected = expectationOf(fixture);
      const request = checkRequest(fixture, expected);
      const texts = fixture.stream.map((event) => JSON.stringify(event));
      for (const transport of ["sse", "ndjson", "msgpack"] as const) {
        const body = concat(texts.map((json) => messageOf(transport, json)));
        for (const chunking of CHUNKINGS) {
          const seen = run(kind, fixture, transport, chunking.split(body));
          check(seen, expected, request, `${transport}, ${chunking.name}`);
        }
      }
    });

    it.each(all)("%s, over protobuf", (name, fixture) => {
      const expected = expectationOf(fixture);
      const request = checkRequest(fixture, expected);
      const body = utf8(fixture.stream.map((event) => `${JSON.stringify(event)}\n`).join(""));
      // As it comes: what enforcement would make of it is the question.
      const wire = transcode(engine(kind), { protocol: "ag-ui", from: "ndjson", to: "protobuf", enforce: false }, [
        body,
      ]);
      const passes = (): void => {
        for (const chunking of CHUNKINGS)
          check(run(kind, fixture, "protobuf", chunking.split(wire.output)), expected, request, chunking.name);
      };
      if (name in NOT_OVER_PROTOBUF) expect(passes, NOT_OVER_PROTOBUF[name]).toThrow();
      else passes();
    });
  });
});
