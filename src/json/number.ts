const DIGITS = /^-?[0-9]+$/;
const NUMBER = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;
/** From here on `String` writes doubles with an exponent. */
const EXPONENT_FROM = 1e21;
/** Longest text that `String` gives a finite double. */
export const LONGEST_DOUBLE = 25;

/** Whether a JSON number text is digits only, with an optional minus. */
export function isIntegerText(text: string): boolean {
  return DIGITS.test(text);
}

/** Whether a JSON number text denotes zero, with either sign. */
export function isZeroText(text: string): boolean {
  return /^-?0+(?:\.0+)?(?:[eE].*)?$/.test(text);
}

/**
 * The exact decimal that a JSON number text denotes, in one canonical spelling (sign, digits without outer zeros, power of ten).
 * Two texts denote the same value when this is equal; only `-0` keeps its sign.
 */
export function decimalOf(text: string): string {
  const [, sign, whole, fraction = "", power = "0"] = NUMBER.exec(text)!;
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  if (digits === "") return `${sign}0`;
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 0x30) end--;
  const scale = Number(power) - fraction.length + (digits.length - end);
  return `${sign}${digits.slice(0, end)}e${scale}`;
}

/**
 * The double that carries a JSON number text without loss: `String` writes the same exact decimal again, and a text of digits only
 * is that very integer. Undefined when there is none (`9007199254740993`, `1e400`, `-0`).
 */
export function exactDouble(text: string): number | undefined {
  const value = Number(text);
  if (!Number.isFinite(value)) return undefined;
  const shown = String(value);
  if (value > Number.MAX_SAFE_INTEGER || value < -Number.MAX_SAFE_INTEGER) {
    const digitsOnly = isIntegerText(text);
    if (digitsOnly && BigInt(text) !== BigInt(value)) return undefined;
    // 1e20 would be written as 21 digits, which claim a precision that the text did not.
    if (shown !== text && isPadded(value)) return undefined;
  }
  return shown === text || decimalOf(text) === decimalOf(shown) ? value : undefined;
}

/**
 * The text of a finite double whose `String` is another value's: -0, and integers from 2^53 to 1e21, which `String` pads with zeros; undefined for every other one.
 */
export function exactText(value: number): string | undefined {
  if (value === 0) return Object.is(value, -0) ? "-0" : undefined;
  return isPadded(value) ? BigInt(value).toString() : undefined;
}

/** Whether a finite double is an integer beyond ±(2^53-1) that `String` writes without an exponent, its last digits as zeros. */
export function isPadded(value: number): boolean {
  const size = Math.abs(value);
  return size > Number.MAX_SAFE_INTEGER && size < EXPONENT_FROM;
}

/** A JSON integer text that a double cannot hold exactly as a BigInt, every other number text as its nearest double. */
export function numberOrBigInt(text: string): number | bigint {
  const value = Number(text);
  if (text.length < 16 || !isIntegerText(text) || Object.is(value, -0)) return value;
  const exact = BigInt(text);
  return Number.isFinite(value) && BigInt(value) === exact ? value : exact;
}
