import { ExactNumber } from "../../../../json/exact.js";
import { isZeroText } from "../../../../json/number.js";
import type { JsonObject } from "../../../../json/object.js";

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

export function isNonEmptyString(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

export function isStringOrNull(value: unknown): value is string | null {
  return typeof value === "string" || value === null;
}

/** An integer from 0 to 2^53-1 in any spelling, or -1 for everything else. */
export function sequenceOf(value: unknown): number {
  if (typeof value === "number") return Number.isSafeInteger(value) && value >= 0 ? value + 0 : -1;
  return value instanceof ExactNumber && isZeroText(value.text) ? 0 : -1;
}
