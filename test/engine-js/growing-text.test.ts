import { expect, test } from "vitest";
import { GrowingText } from "../../src/engine/js/reduce/growing-text";
import { Rng } from "../support/rng";

test("a part of a growing text is what the whole text has there", () => {
  const random = new Rng(11);
  for (let round = 0; round < 40; round++) {
    const growing = new GrowingText();
    let text = "x".repeat(random.int(200));
    let plain = text;
    for (let i = 0; i < 300; i++) {
      const piece = random.pick(["", "a", "pie", "\u{1f600}x", "sixsix"]);
      text = growing.append(text, piece);
      plain += piece;
      const from = random.int(plain.length + 1);
      const to = from + random.int(plain.length - from + 1);
      expect(growing.slice(text, from, to)).toBe(plain.slice(from, to));
      expect(growing.slice(text, plain.length - piece.length, plain.length)).toBe(piece);
    }
    expect(text).toBe(plain);
    growing.settle();
    expect(growing.slice("other", 1, 3)).toBe("th");
    expect(growing.append("other", "s")).toBe("others");
  }
});
