/** Quantile of sorted numbers, interpolated; `q` from 0 to 1. */
export function quantile(sorted: readonly number[], q: number): number {
  const position = (sorted.length - 1) * q;
  const low = Math.floor(position);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted[low]! + (sorted[high]! - sorted[low]!) * (position - low);
}

export interface Summary {
  median: number;
  p25: number;
  p75: number;
  min: number;
  max: number;
  samples: number;
}

/** Median, quartiles and extremes of samples (at least one). */
export function summarize(samples: readonly number[]): Summary {
  const sorted = [...samples].sort((a, b) => a - b);
  return {
    median: quantile(sorted, 0.5),
    p25: quantile(sorted, 0.25),
    p75: quantile(sorted, 0.75),
    min: sorted[0]!,
    max: sorted.at(-1)!,
    samples: sorted.length,
  };
}
