/** Ranges of integers, both ends included. */
export type Range = [from: number, to: number];

/**
 * What lies from 0 to `total` - 1 and not among `there`.
 *
 * @param there integers below `total`, each once; sorted in place
 */
export function missingRanges(total: number, there: Float64Array): Range[] {
  const ranges: Range[] = [];
  let next = 0;
  for (const number of there.sort()) {
    if (number > next) ranges.push([next, number - 1]);
    next = number + 1;
  }
  if (next < total) ranges.push([next, total - 1]);
  return ranges;
}

/** Ranges that are told one by one. */
const MOST_TOLD = 10;

/** The same in words: `2, 5-7 of 9`. */
export function missingText(total: number, there: Float64Array): string {
  const ranges = missingRanges(total, there);
  const told = ranges.slice(0, MOST_TOLD).map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
  if (ranges.length > told.length) told.push(`and ${ranges.length - told.length} more ranges`);
  return total === 0 ? "there are none" : `${told.join(", ")} of ${total}`;
}
