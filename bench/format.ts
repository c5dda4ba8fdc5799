import { type RowResult, type Target, type Unit, usualRatio } from "./results.js";

/** A number with three significant digits, without an exponent. */
export function short(value: number): string {
  if (value >= 100) return value.toFixed(0);
  if (value >= 10) return value.toFixed(1);
  return value.toFixed(2);
}

const UNIT_TEXT: Record<Unit, string> = { "ns/event": "ns", us: "µs", ms: "ms", "B/B": "B/B" };

/** A figure with its unit; nanoseconds are per event, microseconds per operation. */
export function figure(value: number, unit: Unit): string {
  if (unit === "us" && value >= 1000) return figure(value / 1000, "ms");
  return `${short(value)} ${UNIT_TEXT[unit]}`;
}

/** "10.2x", or an empty text where only one side took part. */
export function ratioText(row: RowResult): string {
  return row.ratio === undefined ? "" : `${short(row.ratio.value)}x`;
}

/** The ratio to the best contender on JSON.parse or JSON.stringify, where there is one. */
export function usualText(row: RowResult): string {
  const value = usualRatio(row.contenders);
  return value === undefined ? "" : `${short(value)}x`;
}

/** Quartiles of the ratio over the rounds. */
export function ratioSpread(row: RowResult): string {
  const { low, high } = row.ratio ?? {};
  return low === undefined || high === undefined ? "" : `${short(low)}–${short(high)}`;
}

export function targetText(target: Target | undefined): string {
  if (target === undefined) return "";
  if (target.kind === "ratio-to-each")
    return Object.entries(target.over)
      .map(([library, least]) => `≥ ${least}x ${library}`)
      .join(", ");
  return target.kind === "ratio-at-least" ? `≥ ${target.value}x` : `≤ ${target.value}`;
}

export function metText(row: RowResult): string {
  return row.met === undefined ? "" : row.met ? "met" : "missed";
}
