/** A number that a double cannot carry: written digit for digit. */
export class ExactNumber {
  constructor(digits) {
    this.digits = digits;
  }
}

/** Compact JSON text of a value that may hold `ExactNumber`s. */
export function stringify(value) {
  if (value instanceof ExactNumber) return value.digits;
  if (Array.isArray(value)) return `[${value.map(stringify).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${stringify(member)}`).join(",")}}`;
}

/** The same JSON text with every character outside of ASCII as a `\u` escape, as many producers write it. */
export function escapeNonAscii(json) {
  return json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
