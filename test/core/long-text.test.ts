import { describe, expect, it } from "vitest";
import { concat, latin1, utf8 } from "../support/bytes.js";
import { Rng } from "../support/rng.js";
import { BUILDS, Probe, textOf } from "./support/probe.js";

/** Pieces of string contents, valid and not, one byte a code unit. */
const PIECES = [
  "a",
  "plain text ",
  '\\"',
  "\\\\",
  "\\n",
  "\\/",
  "\\u00e9",
  "\\ud83d\\ude00",
  "\xc3\xa9",
  "\xe4\xb8\xad",
  "\xf0\x9f\x98\x80",
  "x".repeat(70),
];
const WRONG = [
  "\\x",
  "\\u12g4",
  "\\",
  "\x01",
  "\n",
  "\xff",
  "\xc3",
  "\xed\xa0\x80",
  "\\\xc3\xa9",
  "\\\x1f",
  "\x00",
  "\\u12",
];

describe.each(BUILDS)("long texts (%s)", (kind) => {
  const probe = new Probe(kind);

  it("are scanned as short ones are, at every offset of a block", () => {
    const rng = new Rng(17);
    const wrong: string[] = [];
    let refused = 0;
    for (let round = 0; round < 6000; round++) {
      const parts = Array.from({ length: rng.int(30) }, () => rng.pick(PIECES));
      if (rng.chance(0.4)) parts.splice(rng.int(parts.length + 1), 0, rng.pick(WRONG));
      const contents = parts.join("");
      probe.rewind();
      const { p } = probe.put(latin1(`${"p".repeat(rng.int(64))}${contents}" and "more"`));
      const answers = ["scanString", "scanLongString"].map((name) => {
        probe.call("setScanFlags", 0);
        const end = probe.call(name, p);
        // What was seen in front of a fault is nobody's business.
        return [end, end === 0 ? 0 : probe.global("scanFlags")];
      });
      if (answers[0]![0] === 0) refused++;
      if (String(answers[0]) !== String(answers[1])) wrong.push(contents);
    }
    expect(wrong).toEqual([]);
    expect(refused).toBeGreaterThan(1000);
  });

  it("are unescaped as others are, right below themselves and elsewhere", () => {
    const rng = new Rng(18);
    for (let round = 0; round < 2000; round++) {
      const contents = Array.from({ length: rng.int(40) }, () => rng.pick(PIECES)).join("");
      const wanted = JSON.parse(`"${textOf(latin1(contents))}"`) as string;
      const gap = rng.pick([16, 17, 31, 64, 200]);
      probe.rewind();
      const { p, end } = probe.put(latin1(`${"g".repeat(gap)}${contents}`));
      const stop = probe.call("unescapeApart", p + gap, end, p);
      expect(textOf(probe.slice(p, stop)), contents).toBe(wanted);
    }
  });

  it("of JSON become the contents of a string as JSON.stringify writes them", () => {
    const rng = new Rng(19);
    for (let round = 0; round < 1000; round++) {
      const text = Array.from({ length: rng.int(60) }, () =>
        rng.pick(['"', "\\", "\n", "\t", "\r", "a", "é", "각", "😀", "plain text"]),
      ).join("");
      probe.rewind();
      const { p, end } = probe.put(utf8(text));
      const out = probe.put(new Uint8Array(2 * (end - p) + 32)).p;
      const stop = probe.call("escapeJson", p, end, out);
      expect(textOf(probe.slice(out, stop))).toBe(JSON.stringify(text).slice(1, -1));
    }
  });
});

it("the pieces are what they are taken for", () => {
  expect(() => JSON.parse(`"${textOf(concat(PIECES.map((piece) => latin1(piece))))}"`)).not.toThrow();
});
