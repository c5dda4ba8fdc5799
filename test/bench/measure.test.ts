import { describe, expect, it } from "vitest";
import { type Contender, time, verify, WrongAnswer } from "../../bench/measure.js";
import { isMet, type RowResult, ratioOf, usualRatio } from "../../bench/results.js";
import { sameJson } from "../../bench/same-json.js";
import { quantile, summarize } from "../../bench/statistics.js";

const calls: string[] = [];

function busy(name: string, side: Contender["side"], milliseconds: number, answer: unknown = 1): Contender {
  return {
    name,
    side,
    prepare(payload) {
      calls.push(`${name}${payload}`);
      return {
        run() {
          const end = performance.now() + milliseconds;
          while (performance.now() < end);
        },
        answer: () => answer,
        close() {},
      };
    },
  };
}

function trial(contenders: Contender[]) {
  return { contenders, payloads: 4, verified: 2, expected: () => 1, ops: 10 };
}

describe("verification", () => {
  it("accepts right answers and refuses the first wrong one by name", () => {
    expect(() => verify(trial([busy("a", "js", 0), busy("b", "wasm", 0)]))).not.toThrow();
    expect(() => verify(trial([busy("a", "js", 0), busy("b", "wasm", 0, 2)]))).toThrow(WrongAnswer);
    expect(() => verify(trial([busy("liar", "js", 0, { x: 1 })]))).toThrow(/liar/);
  });

  it("compares values as JSON does", () => {
    expect(sameJson({ a: [1, { b: null }], c: "x" }, { c: "x", a: [1, { b: null }] })).toBe(true);
    expect(sameJson(Object.assign(Object.create(null), { a: 1 }), { a: 1 })).toBe(true);
    for (const [a, b] of [
      [[], {}],
      [{ a: 1 }, {}],
      [{}, { a: 1 }],
      [
        [1, 2],
        [2, 1],
      ],
      [1, "1"],
      [null, {}],
      [{ a: undefined }, { b: undefined }],
    ]) {
      expect(sameJson(a, b)).toBe(false);
    }
  });
});

describe("timing", () => {
  it("alternates the contenders, rotates the payloads and reports per operation", () => {
    calls.length = 0;
    const contenders = [busy("slow", "js", 2), busy("fast", "wasm", 0.5)];
    const result = time(trial(contenders), { milliseconds: 0, rounds: [4, 4], iterations: 2 }, 1);
    const [slow, fast] = result.contenders;
    expect(slow!.samples).toBe(8);
    expect(slow!.median).toBeGreaterThanOrEqual(200_000);
    expect(fast!.median).toBeGreaterThanOrEqual(50_000);
    expect(fast!.median).toBeLessThan(slow!.median);
    expect(result.ratio).toMatchObject({ wasm: "fast", js: "slow" });
    // of the rounds, not of all samples together
    expect(slow!.paired).toEqual({ value: result.ratio!.value, low: result.ratio!.low, high: result.ratio!.high });
    expect(result.ratio!.value).toBeGreaterThan(1);
    expect(result.ratio!.low).toBeLessThanOrEqual(result.ratio!.value);
    expect(result.ratio!.high).toBeGreaterThanOrEqual(result.ratio!.value);
    // Warm-up and four rounds of two: each round gives both the same payloads, and who goes first changes.
    expect(calls).toHaveLength(20);
    const rounds = Array.from({ length: 5 }, (_, round) => calls.slice(round * 4, round * 4 + 4));
    for (const round of rounds)
      expect(round.map((call) => call.slice(4)).slice(0, 2)).toEqual(round.map((call) => call.slice(4)).slice(2));
    expect(new Set(rounds.map((round) => round[0]!.slice(0, 4))).size).toBe(2);
    expect(new Set(calls.map((call) => call.slice(4)))).toEqual(new Set(["0", "1", "2", "3"]));
  });

  it("stops between the least and the most rounds", () => {
    const long = time(trial([busy("a", "js", 1)]), { milliseconds: 1, rounds: [3, 50], iterations: 1 }, 1);
    expect(long.contenders[0]!.samples).toBe(3);
    expect(long.ratio).toBeUndefined();
    const short = time(trial([busy("a", "js", 0)]), { milliseconds: 5000, rounds: [1, 6], iterations: 1 }, 1);
    expect(short.contenders[0]!.samples).toBe(6);
  });
});

describe("figures", () => {
  it("interpolate quantiles", () => {
    expect(quantile([1, 2, 3, 4], 0.5)).toBe(2.5);
    expect(quantile([7], 0.75)).toBe(7);
    expect(summarize([5, 1, 3, 2, 4])).toEqual({ median: 3, p25: 2, p75: 4, min: 1, max: 5, samples: 5 });
  });

  it("take the best of each side and leave limits aside", () => {
    const contender = (name: string, side: Contender["side"], value: number) => ({ name, side, ...summarize([value]) });
    const all = [
      contender("w1", "wasm", 4),
      contender("w2", "wasm", 2),
      contender("j1", "js", 30),
      contender("j2", "js", 20),
      contender("l", "limit", 1),
    ];
    expect(ratioOf(all)).toEqual({ value: 10, wasm: "w2", js: "j2" });
    expect(ratioOf(all.slice(2))).toBeUndefined();
    const paired = { value: 9, low: 8, high: 11 };
    expect(ratioOf(all.map((each) => (each.name === "j2" ? { ...each, paired } : each)))).toEqual({
      ...paired,
      wasm: "w2",
      js: "j2",
    });
    expect(usualRatio(all)).toBeUndefined();
    expect(usualRatio([...all, contender("x + JSON.parse", "js", 25), contender("JSON.stringify", "js", 50)])).toBe(
      12.5,
    );
    const row: RowResult = { id: "x", group: "g", title: "t", unit: "us", contenders: all, ratio: ratioOf(all)! };
    expect(isMet(row)).toBeUndefined();
    expect(isMet({ ...row, target: { kind: "ratio-at-least", value: 10 } })).toBe(true);
    expect(isMet({ ...row, target: { kind: "ratio-at-least", value: 10.1 } })).toBe(false);
    expect(isMet({ ...row, target: { kind: "figure-at-most", value: 1.25 } })).toBeUndefined();
    expect(isMet({ ...row, target: { kind: "figure-at-most", value: 1.25 }, figure: { value: 1.2, text: "" } })).toBe(
      true,
    );
    expect(isMet({ ...row, target: { kind: "figure-at-most", value: 1.25 }, figure: { value: 1.3, text: "" } })).toBe(
      false,
    );
  });
});
