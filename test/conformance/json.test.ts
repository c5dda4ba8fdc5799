import { describe, expect, it } from "vitest";
import type { ErrorCode } from "../../src/errors.js";
import { concat, latin1, text, utf8 } from "../support/bytes.js";
import { engine, KINDS } from "../support/engines.js";
import { canonical } from "../support/exact-json.js";
import { type ErrorRecord, Fold } from "../support/fold.js";
import { same } from "../support/same.js";
import { ACCEPTED, ALL_INPUTS, FREE, ORIGINAL, REFUSED, TRANSFORM, type Vector } from "./vectors.js";

const START = utf8(
  '{"op":"start","seq":1,"model":{"version":"1.1","biz":"b","meta":{},"blocks":[{"id":"x","type":"t"}]}}',
);
const HEAD = utf8('{"op":"set","seq":2,"mask":"block.v","block":{"id":"x","v":');
const TAIL = utf8("}}");
const TEXT_FAULTS: readonly string[] = ["bad_json", "invalid_utf8", "too_deep"];

/** What each implementation-defined vector must come to: accepted, or refused with this code. RFC 8259 and docs/semantics.md §2. */
const EXPECTED: Readonly<Record<string, "accepted" | ErrorCode>> = {
  "i_number_double_huge_neg_exp.json": "accepted",
  "i_number_huge_exp.json": "accepted",
  "i_number_neg_int_huge_exp.json": "accepted",
  "i_number_pos_double_huge_exp.json": "accepted",
  "i_number_real_neg_overflow.json": "accepted",
  "i_number_real_pos_overflow.json": "accepted",
  "i_number_real_underflow.json": "accepted",
  "i_number_too_big_neg_int.json": "accepted",
  "i_number_too_big_pos_int.json": "accepted",
  "i_number_very_big_negative_int.json": "accepted",
  "i_object_key_lone_2nd_surrogate.json": "accepted",
  "i_string_1st_surrogate_but_2nd_missing.json": "accepted",
  "i_string_1st_valid_surrogate_2nd_invalid.json": "accepted",
  "i_string_incomplete_surrogate_and_escape_valid.json": "accepted",
  "i_string_incomplete_surrogate_pair.json": "accepted",
  "i_string_incomplete_surrogates_escape_valid.json": "accepted",
  "i_string_invalid_lonely_surrogate.json": "accepted",
  "i_string_invalid_surrogate.json": "accepted",
  "i_string_inverted_surrogates_U+1D11E.json": "accepted",
  "i_string_lone_second_surrogate.json": "accepted",
  "i_structure_500_nested_arrays.json": "accepted",
  "i_structure_UTF-8_BOM_empty_object.json": "bad_json",
  "i_string_UTF-16LE_with_BOM.json": "invalid_utf8",
  "i_string_UTF-8_invalid_sequence.json": "invalid_utf8",
  "i_string_UTF8_surrogate_U+D800.json": "invalid_utf8",
  "i_string_invalid_utf-8.json": "invalid_utf8",
  "i_string_iso_latin_1.json": "invalid_utf8",
  "i_string_lone_utf8_continuation_byte.json": "invalid_utf8",
  "i_string_not_in_unicode_range.json": "invalid_utf8",
  "i_string_overlong_sequence_2_bytes.json": "invalid_utf8",
  "i_string_overlong_sequence_6_bytes.json": "invalid_utf8",
  "i_string_overlong_sequence_6_bytes_null.json": "invalid_utf8",
  "i_string_truncated-utf-8.json": "invalid_utf8",
  "i_string_utf16BE_no_BOM.json": "bad_json",
  "i_string_utf16LE_no_BOM.json": "bad_json",
};

describe("the vectors", () => {
  it("are all there", () => {
    expect([ACCEPTED.length, REFUSED.length, FREE.length]).toEqual([95, 188, 35]);
    expect(FREE.map(({ name }) => name).sort()).toEqual(Object.keys(EXPECTED).sort());
  });

  it("restored bytes decode to what the package holds, and no vector lacks its bytes", () => {
    for (const { name, input } of ALL_INPUTS) {
      const original = ORIGINAL[name];
      if (original === undefined) expect(input, name).not.toContain("\ufffd");
      else expect(Buffer.from(latin1(original)).toString("utf8"), name).toBe(input);
    }
    for (const name of Object.keys(ORIGINAL))
      expect(
        ALL_INPUTS.some((one) => one.name === name),
        name,
      ).toBe(true);
  });
});

/** Every way in which a vector can stand in a stream: as a whole message, and as a value inside of an event. */
const PLACES = [
  { place: "value over json", transport: "json", event: true },
  { place: "value over ndjson", transport: "ndjson", event: true },
  { place: "value over sse", transport: "sse", event: true },
  { place: "message over json", transport: "json", event: false },
  { place: "message over ndjson", transport: "ndjson", event: false },
  { place: "message over sse", transport: "sse", event: false },
] as const;

type Place = (typeof PLACES)[number];

/** Line breaks end messages of ndjson and lines of sse; a vector that holds one inside cannot stand there. */
function fits({ bytes }: Vector, { transport, event }: Place): boolean {
  if (transport === "json") return true;
  const inside = transport === "ndjson" && !event && bytes.at(-1) === 10 ? bytes.subarray(0, -1) : bytes;
  if (inside.some((byte) => byte === 10 || byte === 13)) return false;
  return transport !== "sse" || event || bytes.some((byte) => byte > 32);
}

function deliver(fold: Fold, bytes: Uint8Array, transport: Place["transport"]): void {
  const [before, after] = transport === "sse" ? ["data:", "\n\n"] : ["", transport === "ndjson" ? "\n" : ""];
  fold.push(concat([utf8(before), bytes, utf8(after)]));
}

/** The reports of one vector in one place; the stream must go on behind it. */
function run(
  kind: (typeof KINDS)[number],
  vector: Vector,
  place: Place,
): { errors: ErrorRecord[]; model: string | undefined } {
  const fold = new Fold(engine(kind), place.transport, { undecodable: "skip", onViolation: "skip-event" });
  deliver(fold, START, place.transport);
  deliver(fold, place.event ? concat([HEAD, vector.bytes, TAIL]) : vector.bytes, place.transport);
  const { errors } = fold;
  const { model } = fold.stream("");
  deliver(fold, utf8('{"op":"ping","seq":1}'), place.transport);
  same(fold.applied, place.event && errors.length === 0 ? 3 : 2, `${vector.name}: a ping behind it`);
  fold.reducer.close();
  return { errors, model };
}

describe.each(KINDS)("JSONTestSuite, %s", (kind) => {
  describe.each(PLACES)("$place", (place) => {
    const accept = (vector: Vector): void => {
      const { errors, model } = run(kind, vector, place);
      if (place.event) {
        expect(errors, vector.name).toEqual([]);
        expect(model, vector.name).toBe(
          canonical(`{"version":"1.1","biz":"b","meta":{},"blocks":[{"id":"x","type":"t","v":${text(vector.bytes)}}]}`),
        );
        return;
      }
      // No vector is an event: what is no object has no route, what is one lacks everything else.
      const value: unknown = JSON.parse(text(vector.bytes));
      const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
      expect(
        errors.map((error) => error.scope),
        vector.name,
      ).toEqual([isObject ? "stream" : "connection"]);
      if (!isObject) expect(errors[0]?.code, vector.name).toBe("not_an_event");
    };
    const refuse = (vector: Vector, code?: ErrorCode): void => {
      const { errors } = run(kind, vector, place);
      expect(errors.length, vector.name).toBe(1);
      expect(errors[0]?.scope, vector.name).toBe("connection");
      if (code === undefined) expect(TEXT_FAULTS, vector.name).toContain(errors[0]?.code);
      else expect(errors[0]?.code, vector.name).toBe(code);
    };

    it("y_: accepted with the value that JSON.parse gives", () => {
      for (const vector of ACCEPTED.filter((one) => fits(one, place))) {
        accept(vector);
        if (place.event) {
          const fold = new Fold(engine(kind), "json");
          fold.push(START);
          fold.push(concat([HEAD, vector.bytes, TAIL]));
          const { blocks } = fold.reducer.snapshot() as { blocks: { v: unknown }[] };
          expect(JSON.stringify(blocks[0]?.v), vector.name).toBe(JSON.stringify(JSON.parse(text(vector.bytes))));
          fold.reducer.close();
        }
      }
    });

    it("n_: refused with a connection code", () => {
      for (const vector of REFUSED.filter((one) => fits(one, place))) {
        // White space alone is nothing in a line; in the framing of sse it is dropped above.
        if (
          !place.event &&
          place.transport === "ndjson" &&
          vector.bytes.every((byte) => [9, 10, 13, 32].includes(byte))
        )
          continue;
        refuse(vector);
      }
    });

    it("i_: as stated", () => {
      for (const vector of FREE.filter((one) => fits(one, place))) {
        const expected = EXPECTED[vector.name] as "accepted" | ErrorCode;
        // A mark at the very start of an sse body belongs to the framing; here it follows other bytes.
        if (expected === "accepted") accept(vector);
        else refuse(vector, expected);
      }
    });

    it("transform: kept exactly", () => {
      for (const vector of TRANSFORM.filter((one) => fits(one, place))) {
        if (ORIGINAL[vector.name] === undefined) accept(vector);
        else refuse(vector, "invalid_utf8");
      }
    });
  });
});
