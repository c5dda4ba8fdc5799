import { LOSS_NUMBER, LOSS_SURROGATE } from "../../../assembly/abi/codes.js";
import { ExactNumber } from "../../json/exact.js";
import { decimalOf } from "../../json/number.js";
import { jsonLosses } from "../losses.js";

const LEAST_INTEGER = -(2n ** 63n);
const GREATEST_INTEGER = 2n ** 64n - 1n;
/** From here on the reader writes integers as JavaScript does. */
const EXPONENT_FROM = 1e21;

/** All that `msgpackLosses` may find. */
export const MSGPACK_LOSSES = LOSS_NUMBER | LOSS_SURROGATE;

/** What MessagePack bytes do not say of a value: bits of MSGPACK_LOSSES, judged by what the reader makes of them (docs/msgpack.md §2, §3). */
export function msgpackLosses(value: unknown): number {
  return jsonLosses(value, numberLosses);
}

function numberLosses(number: number | ExactNumber): number {
  // A double has a format of its own.
  return number instanceof ExactNumber && decimalOf(number.text) !== decimalOf(readAgain(number.text))
    ? LOSS_NUMBER
    : 0;
}

/** The text that is read once this one has been written. */
function readAgain(text: string): string {
  const integer = integerOf(text);
  if (integer !== undefined) return integer.toString();
  const value = Number(text);
  if (Object.is(value, -0)) return "-0";
  return Number.isInteger(value) && Math.abs(value) < EXPONENT_FROM ? BigInt(value).toString() : String(value);
}

/** The integer of 64 bits that a text denotes; undefined for anything else and for -0. */
function integerOf(text: string): bigint | undefined {
  const match = /^(-?\d+)e(\d+)$/.exec(decimalOf(text));
  if (match === null || Number(match[2]) > 20) return undefined;
  const value = BigInt(match[1]!) * 10n ** BigInt(match[2]!);
  return value >= LEAST_INTEGER && value <= GREATEST_INTEGER ? value : undefined;
}
