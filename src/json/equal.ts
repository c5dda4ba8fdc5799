import { ExactNumber } from "./exact.js";
import { isZeroText } from "./number.js";
import type { JsonObject } from "./object.js";
import { isContainer } from "./tree.js";

const NUMBER = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/**
 * Whether two values of exact trees are the same JSON value (RFC 6902 §4.6): numbers by exact decimal value (`1.0` is `1e0`, `-0` is `0`),
 * strings by their characters, arrays in order, objects whatever the order of their members. Linear time, no recursion.
 *
 * @param a may hold members that are undefined, as in a patch those do that it has removed: they do not count
 */
export function equalValues(a: unknown, b: unknown): boolean {
  if (!isContainer(a) || !isContainer(b)) return equalScalars(a, b);
  const ones: unknown[] = [a];
  const others: unknown[] = [b];
  while (ones.length > 0) {
    const one = ones.pop() as unknown[] | JsonObject;
    const other = others.pop() as unknown[] | JsonObject;
    const list = Array.isArray(one);
    if (list !== Array.isArray(other)) return false;
    const names = list ? undefined : Object.keys(one);
    const count = (names ?? (one as unknown[])).length;
    let left = (list ? (other as unknown[]) : Object.keys(other)).length;
    if (count < left || (list && count > left)) return false;
    for (let i = 0; i < count; i++) {
      const name = names === undefined ? i : names[i]!;
      const x = (one as JsonObject)[name];
      if (x === undefined) continue;
      if (left-- === 0 || (names !== undefined && !Object.hasOwn(other, name))) return false;
      const y = (other as JsonObject)[name];
      if (isContainer(x) && isContainer(y)) {
        ones.push(x);
        others.push(y);
      } else if (!equalScalars(x, y)) {
        return false;
      }
    }
    if (left > 0) return false;
  }
  return true;
}

/** Of two values that are not both objects or arrays. */
function equalScalars(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  // Two doubles that differ are two decimals: a tree holds a double only for the decimal that `String` gives.
  if (!(a instanceof ExactNumber) && !(b instanceof ExactNumber)) return false;
  const one = numberText(a);
  const other = numberText(b);
  return one !== undefined && other !== undefined && sameDecimal(one, other);
}

function numberText(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return value instanceof ExactNumber ? value.text : undefined;
}

/** Whether two JSON number texts denote the same decimal, however large their exponents are. */
export function sameDecimal(a: string, b: string): boolean {
  return a === b || decimalKey(a) === decimalKey(b);
}

/** One spelling for each decimal, whatever the text's zeros and exponent; `-0` is `0`. */
export function decimalKey(text: string): string {
  if (isZeroText(text)) return "0";
  const [, sign, whole, fraction = "", power = "0"] = NUMBER.exec(text)!;
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 0x30) end--;
  const shift = digits.length - end - fraction.length;
  // Beyond 15 digits an exponent is no exact double.
  const scale = power.length < 16 ? Number(power) + shift : BigInt(power) + BigInt(shift);
  return `${sign}${digits.slice(0, end)}e${scale}`;
}
