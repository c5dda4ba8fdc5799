import { decimalOf } from "../../json/number.js";

const LEAST_INTEGER = -(2n ** 63n);
const GREATEST_INTEGER = 2n ** 64n - 1n;

/** The integer of 64 bits, signed or not, that a number text denotes exactly; undefined for anything else and for -0. */
export function integerOf(text: string): bigint | undefined {
  const [, digits, power] = /^(-?\d+)(?:e(.*))?$/.exec(decimalOf(text))!;
  if (power === undefined) return digits === "0" ? 0n : undefined;
  const zeros = Number(power);
  if (zeros < 0 || digits!.length + zeros > 21) return undefined;
  const value = BigInt(digits! + "0".repeat(zeros));
  return value >= LEAST_INTEGER && value <= GREATEST_INTEGER ? value : undefined;
}
