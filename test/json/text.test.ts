import { describe, expect, it } from "vitest";
import { hasShortDigitRuns, mayHoldLongNumber, nestingOf, utf8Length } from "../../src/json/text.js";
import { random } from "../engine-js/support.js";

describe("text", () => {
  it("measures UTF-8", () => {
    const encoder = new TextEncoder();
    for (const text of [
      "",
      "abc",
      "é",
      "中",
      "😀",
      "\ud83d",
      "\ude00",
      "a\ud83d\ud83d\ude00é\ude00中",
      "\u07ff\u0800\uffff",
    ]) {
      expect(utf8Length(text)).toBe(encoder.encode(text).length);
      for (let i = 0; i <= text.length; i++) expect(utf8Length(text, i)).toBe(encoder.encode(text.slice(i)).length);
    }
  });

  it("measures nesting, and no further than asked", () => {
    expect(nestingOf("[[]]", 2)).toBe(2);
    expect(nestingOf('[["]]",[]],{"a":{"[":"\\"[\\\\"}}]', 3)).toBe(3);
    expect(nestingOf('["[[[[[[[[[[","\\\\","[[[["]', 5)).toBe(1);
    expect(nestingOf("[[[[1]]]]", 3)).toBe(3);
    // Too short for ten levels: half its length is good enough.
    expect(nestingOf("[[1]]", 10)).toBe(2);
  });

  it("finds runs of digits and long numbers wherever they stand", () => {
    const next = random(7);
    const alphabet = 'a"12.-e5,:[9';
    for (let round = 0; round < 4000; round++) {
      let text = "";
      const length = Math.floor(next() * 40);
      while (text.length < length) {
        text += next() < 0.2 ? "1".repeat(Math.floor(next() * 8)) : alphabet[Math.floor(next() * alphabet.length)];
      }
      expect(hasShortDigitRuns(text, 5), text).toBe(!/[\d.]{5}/.test(text));
      expect(mayHoldLongNumber(text, 6), text).toBe(/[-+.eE\d]{7}/.test(text));
    }
  });
});
