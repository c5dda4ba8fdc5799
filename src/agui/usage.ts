import { expectOptions, readable } from "../arguments.js";
import { usageError } from "../errors.js";
import type { TokenUsage } from "./types.generated.js";

const COUNTS = [
  "inputTokens",
  "outputTokens",
  "totalTokens",
  "reasoningTokens",
  "cachedInputTokens",
  "cacheWriteInputTokens",
] as const;

export interface SumOptions {
  /** Whether a count that some entries do not have is summed over the others, and then says "at least". Default false: it is left out. */
  atLeast?: boolean | undefined;
}

/**
 * The sum of usages. An absent count is not zero (AG-UI O15): a count that one of the entries does not have is not known of the sum, so it is left out, and
 * no count at all comes of no entries. Where `totalTokens` is not there it is input and output, if both are known (O14). Counts that are part of others
 * are never added to them.
 *
 * @param entries `usage` of one run, or of several
 * @returns counts alone; with `provider` and `model` where all entries have the same
 * @throws StreamfoldError `bad_argument` for options, for a sum beyond 2^53-1, and for what is no list of usages
 */
export function sumUsage(entries: Iterable<TokenUsage>, options: SumOptions = {}): TokenUsage {
  expectOptions(options, "atLeast");
  const { all, atLeast } = readable(() => ({ all: [...entries].map(withTotal), atLeast: options.atLeast ?? false }));
  const sum: TokenUsage = {};
  for (const name of ["provider", "model"] as const) {
    const value = all[0]?.[name];
    if (value !== undefined && all.every((entry) => entry[name] === value)) sum[name] = value;
  }
  for (const name of COUNTS) {
    const counts = all.flatMap((entry) => entry[name] ?? []);
    if (counts.length === 0 || (counts.length < all.length && !atLeast)) continue;
    const count = counts.reduce((a, b) => a + b);
    if (!Number.isSafeInteger(count))
      throw usageError("bad_argument", "the sum is beyond 2^53-1", { path: `/${name}` });
    sum[name] = count;
  }
  return sum;
}

/**
 * One entry for each provider and model, in the order of their first appearance: the form that `usage` of RUN_FINISHED and RUN_ERROR has. For a
 * producer: give it the calls of the run and of its subagents, not those of child runs or of the run that it resumes (AG-UI H8, O14).
 *
 * @throws StreamfoldError `bad_argument` as `sumUsage` does
 */
export function usageByModel(entries: Iterable<TokenUsage>, options: SumOptions = {}): TokenUsage[] {
  expectOptions(options, "atLeast");
  const groups = new Map<string, TokenUsage[]>();
  readable(() => {
    for (const entry of entries) {
      const key = JSON.stringify([entry.provider ?? null, entry.model ?? null]);
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [entry]);
      else group.push(entry);
    }
  });
  return [...groups.values()].map((group) => sumUsage(group, options));
}

function withTotal(entry: TokenUsage): TokenUsage {
  const { inputTokens, outputTokens, totalTokens } = entry;
  if (totalTokens !== undefined || inputTokens === undefined || outputTokens === undefined) return entry;
  return { ...entry, totalTokens: inputTokens + outputTokens };
}
