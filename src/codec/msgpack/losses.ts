import { LOSS_NUMBER, LOSS_SURROGATE } from "../../../assembly/abi/codes.js";
import { ExactNumber } from "../../json/exact.js";
import { decimalOf, exactText } from "../../json/number.js";
import { jsonLosses } from "../losses.js";
import { integerOf } from "./integer.js";

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
  return exactText(value) ?? String(value);
}
