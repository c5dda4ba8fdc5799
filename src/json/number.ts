const DIGITS = /^-?[0-9]+$/;
const NUMBER = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;
/** From here on `String` writes doubles with an exponent. */
const EXPONENT_FROM = 1e21;

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
  const large = value > Number.MAX_SAFE_INTEGER || value < -Number.MAX_SAFE_INTEGER;
  if (large) {
    const digitsOnly = isIntegerText(text);
    if (digitsOnly && BigInt(text) !== BigInt(value)) return undefined;
    // 1e20 would be written as 21 digits, which claim a precision that the text did not.
    if (shown !== text && Math.abs(value) < EXPONENT_FROM) return undefined;
  }
  return shown === text || decimalOf(text) === decimalOf(shown) ? value : undefined;
}

/** A JSON integer text that a double cannot hold exactly as a BigInt, every other number text as its nearest double. */
export function numberOrBigInt(text: string): number | bigint {
  const value = Number(text);
  if (text.length < 16 || !isIntegerText(text) || Object.is(value, -0)) return value;
  const exact = BigInt(text);
  return Number.isFinite(value) && BigInt(value) === exact ? value : exact;
}
