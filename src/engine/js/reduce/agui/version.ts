/** What this consumer speaks. */
const MAJOR = 1;
const MINOR = 1;

const GRAMMAR = /^([0-9]+)\.([0-9]+)$/;

/**
 * What is to be said of a producer's version (docs/semantics-agui.md §7); undefined for this one and older ones.
 *
 * @param version of RUN_STARTED
 */
export function judgeVersion(version: string): "version_newer" | "version_unreadable" | undefined {
  const parts = GRAMMAR.exec(version);
  if (parts === null) return "version_unreadable";
  const difference = compareDigits(parts[1] as string, MAJOR) || compareDigits(parts[2] as string, MINOR);
  return difference > 0 ? "version_newer" : undefined;
}

/** Compares digits by value, however many there are. */
function compareDigits(digits: string, value: number): number {
  const significant = digits.replace(/^0+/, "");
  // More digits than a double holds are more than any version that is meant here.
  return significant.length > 15 ? 1 : Number(significant) - value;
}
