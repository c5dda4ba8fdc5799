import { LOSS_SURROGATE } from "../../assembly/abi/codes.js";
import { ExactNumber } from "../json/exact.js";
import { isWellFormed } from "../json/text.js";

/** Takes what the bytes or the value do not say any more: bits of `LOSS_` in assembly/abi/codes.ts, which are added to those that are there. */
export interface Losses {
  bits: number;
}

/** The bits for a string on a wire of UTF-8. */
export function textLosses(text: string): number {
  return isWellFormed(text) ? 0 : LOSS_SURROGATE;
}

/**
 * The bits for a JSON value of any shape on a wire of UTF-8. Does not recurse.
 *
 * @param root plain objects, arrays, strings, numbers, booleans, null and `ExactNumber`s; members that are undefined are none
 * @param numberLosses the bits for a number
 */
export function jsonLosses(root: unknown, numberLosses: (number: number | ExactNumber) => number): number {
  let bits = 0;
  const rest = [root];
  while (rest.length > 0) {
    const value = rest.pop();
    if (typeof value === "string") bits |= textLosses(value);
    else if (typeof value === "number" || value instanceof ExactNumber) bits |= numberLosses(value);
    else if (Array.isArray(value)) for (const element of value) rest.push(element);
    else if (typeof value === "object" && value !== null) {
      for (const name of Object.keys(value)) {
        const member = (value as Readonly<Record<string, unknown>>)[name];
        if (member === undefined) continue;
        bits |= textLosses(name);
        rest.push(member);
      }
    }
  }
  return bits;
}
