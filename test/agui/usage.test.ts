import { describe, expect, it } from "vitest";
import { events, sumUsage, usageByModel } from "../../src/agui/index.js";
import { StreamfoldError } from "../../src/errors.js";

const A = {
  provider: "acme",
  model: "large",
  inputTokens: 10,
  outputTokens: 4,
  reasoningTokens: 3,
  cachedInputTokens: 8,
};
const B = { provider: "acme", model: "small", inputTokens: 1, outputTokens: 1, totalTokens: 2 };

describe("token usage", () => {
  it("O14: totals are input and output, and parts are not added to what they are part of", () => {
    expect(sumUsage([A])).toEqual({ ...A, totalTokens: 14 });
    expect(sumUsage([A, A])).toEqual({
      provider: "acme",
      model: "large",
      inputTokens: 20,
      outputTokens: 8,
      totalTokens: 28,
      reasoningTokens: 6,
      cachedInputTokens: 16,
    });
  });

  it("O15: what an entry does not know is not known of the sum, unless it may be at least that", () => {
    expect(sumUsage([A, B])).toEqual({ provider: "acme", inputTokens: 11, outputTokens: 5, totalTokens: 16 });
    expect(sumUsage([A, B], { atLeast: true })).toEqual({
      provider: "acme",
      inputTokens: 11,
      outputTokens: 5,
      totalTokens: 16,
      reasoningTokens: 3,
      cachedInputTokens: 8,
    });
    expect(sumUsage([{ inputTokens: 1 }, {}])).toEqual({});
    expect(sumUsage([{ inputTokens: 0 }])).toEqual({ inputTokens: 0 });
    expect(sumUsage([])).toEqual({});
  });

  it("is grouped by provider and model, as RUN_FINISHED has it", () => {
    const usage = usageByModel([A, B, { inputTokens: 1 }, B, { model: "small", inputTokens: 2 }]);
    expect(usage).toEqual([
      { ...A, totalTokens: 14 },
      { provider: "acme", model: "small", inputTokens: 2, outputTokens: 2, totalTokens: 4 },
      { inputTokens: 1 },
      { model: "small", inputTokens: 2 },
    ]);
    expect(events.runFinished({ threadId: "t", runId: "r", usage }).usage).toEqual(usage);
  });

  it("ends at 2^53-1", () => {
    expect(() => sumUsage([{ inputTokens: Number.MAX_SAFE_INTEGER }, { inputTokens: 1 }])).toThrow(StreamfoldError);
  });
});
