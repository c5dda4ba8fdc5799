import { describe, expect, it } from "vitest";
import { concat, latin1, utf8 } from "../support/bytes.js";
import { engine, KINDS } from "../support/engines.js";
import { Fold } from "../support/fold.js";

// Exhaustive tables against JSON.parse over a fatal UTF-8 decoder: every byte in every place of the grammar, every short sequence.

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(decoder.decode(bytes));
    return true;
  } catch {
    return false;
  }
}

/** The indexes of the messages whose text is refused, each message an ndjson line of its own. */
function refusedLines(kind: (typeof KINDS)[number], lines: readonly Uint8Array[]): Set<number> {
  const refused = new Set<number>();
  const fold = new Fold(engine(kind), "ndjson", { undecodable: "skip", limits: { reports: 1_000_000 } });
  const LF = Uint8Array.of(10);
  fold.push(concat(lines.flatMap((line) => [line, LF])));
  for (const { code, eventIndex } of fold.errors) {
    if (code === "bad_json" || code === "invalid_utf8") refused.add(eventIndex as number);
    else expect(code).toBe("not_an_event");
  }
  expect(fold.errors.length, "one report for each line").toBe(lines.length);
  fold.reducer.close();
  return refused;
}

function compare(kind: (typeof KINDS)[number], lines: readonly Uint8Array[]): void {
  const refused = refusedLines(kind, lines);
  lines.forEach((line, index) => {
    if (refused.has(index) === isJson(line)) {
      expect.fail(
        `${JSON.stringify(Buffer.from(line).toString("latin1"))} is ${isJson(line) ? "valid but refused" : "invalid but accepted"}`,
      );
    }
  });
}

/** `_` stands for the byte. No context is an object, so that an accepted line has no route and is reported too. */
const CONTEXTS = [
  "_[]",
  "[_]",
  "[]_",
  "[_1]",
  "[1_]",
  "[1_1]",
  "[-_]",
  "[0_]",
  "[0_1]",
  "[1._]",
  "[1._1]",
  "[1e_]",
  "[1e_1]",
  "[1e1_]",
  "[1,_2]",
  "[1_,2]",
  "[tru_]",
  "[true_]",
  "[nul_]",
  "[fals_]",
  "[_ull]",
  '["_"]',
  '["a_b"]',
  '["0123456789abcde_0123456789abcdef"]',
  '["\\_"]',
  '["\\_0041"]',
  '["\\u_041"]',
  '["\\u004_"]',
  '["\\ud83d\\ude0_"]',
  '[_""]',
  '[""_]',
  '[""_,1]',
  "[{_}]",
  '[{_"a":1}]',
  '[{"a"_1}]',
  '[{"a"_:1}]',
  '[{"a":_1}]',
  '[{"a":1_}]',
  '[{"a":1_"b":2}]',
  '[{"a":1,_"b":2}]',
  '[{"_":1}]',
  "[[]_]",
  "[[_]]",
  "[{}_]",
  "_",
];

describe.each(KINDS)("JSON byte by byte, %s", (kind) => {
  it("every byte in every place", () => {
    const lines: Uint8Array[] = [];
    for (const context of CONTEXTS) {
      const [before, after] = context.split("_") as [string, string];
      for (let byte = 0; byte < 256; byte++) {
        if (byte === 10 || (context === "_" && [9, 13, 32].includes(byte))) continue;
        lines.push(concat([latin1(before), Uint8Array.of(byte), latin1(after)]));
      }
    }
    compare(kind, lines);
  });

  it("every pair of bytes from 0x80 on in a string", () => {
    const lines: Uint8Array[] = [];
    for (let a = 0x80; a < 256; a++)
      for (let b = 0; b < 256; b++) if (b !== 10) lines.push(Uint8Array.of(0x5b, 0x22, a, b, 0x22, 0x5d));
    compare(kind, lines);
  });

  it("sequences of three and four bytes at the bounds of every range", () => {
    const leads = [0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff];
    const seconds = [0x22, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0];
    const rest = [0x22, 0x7f, 0x80, 0xbf, 0xc0, 0xe1];
    const lines: Uint8Array[] = [];
    for (const a of leads)
      for (const b of seconds)
        for (const c of rest) {
          lines.push(concat([latin1('["'), Uint8Array.of(a, b, c), latin1('"]')]));
          for (const d of rest) {
            lines.push(concat([latin1('["'), Uint8Array.of(a, b, c, d), latin1('"]')]));
            // across the sixteen bytes that a vector register holds
            lines.push(concat([latin1('["0123456789ab'), Uint8Array.of(a, b, c, d), latin1('0123456789abcdef"]')]));
          }
        }
    compare(kind, lines);
  });

  it("a quote, a backslash, a control character and an ill-formed byte at every distance", () => {
    const lines: Uint8Array[] = [];
    for (let length = 0; length < 70; length++) {
      const run = "x".repeat(length);
      for (const special of [
        '"',
        "\\",
        "\\n",
        "\\q",
        "\t",
        "\0",
        "\x1f",
        "\x20",
        "\x7f",
        "\x80",
        "\xc3\xa9",
        "\xc3",
        "\xf0\x9f\x98\x80",
        "\xf0\x9f\x98",
        "\\u12",
      ]) {
        lines.push(latin1(`["${run}${special}"]`), latin1(`["${run}${special}${run}"]`));
      }
    }
    compare(kind, lines);
  });

  it("nesting of 511, 512, 513 and 100,000 levels", () => {
    const shapes: [string, (levels: number) => string][] = [
      ["arrays", (levels) => "[".repeat(levels) + "]".repeat(levels)],
      ["objects", (levels) => `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`],
      [
        "both in turn",
        (levels) =>
          Array.from({ length: levels }, (_, i) => (i % 2 ? '{"a":' : "[")).join("") +
          (levels % 2 ? "" : "1") +
          Array.from({ length: levels }, (_, i) => ((levels - 1 - i) % 2 ? "}" : "]")).join(""),
      ],
      ["never closed", (levels) => "[".repeat(levels)],
    ];
    for (const [name, shape] of shapes) {
      for (const levels of [511, 512, 513, 100_000]) {
        const fold = new Fold(engine(kind), "json", { undecodable: "skip", onViolation: "skip-event" });
        fold.push(utf8(shape(levels)));
        const { code, byteOffset } = fold.errors[0] ?? {};
        const label = `${name}, ${levels} levels`;
        if (levels > 512) {
          expect(code, label).toBe("too_deep");
          expect(byteOffset, label).toBe(name === "objects" ? 512 * 5 : name === "both in turn" ? 256 * 6 : 512);
        } else if (name === "never closed")
          expect({ code, byteOffset }, label).toEqual({ code: "bad_json", byteOffset: levels });
        else expect(["not_an_event", "unknown_field"], label).toContain(code);
        fold.reducer.close();
      }
    }
  });
});
