import { pointerStep } from "./object.js";

/** An array index of a pointer (RFC 6901 §4): no leading zeros, no sign. */
const INDEX = /^(?:0|[1-9][0-9]*)$/;
const BAD_TILDE = /~(?![01])/;

/**
 * The reference tokens of a JSON pointer, decoded (RFC 6901 §3, §4).
 *
 * @param text `""` for the root, else `/` and tokens; `~` stands only in `~0` and `~1`
 * @returns undefined for anything else
 */
export function parsePointer(text: string): string[] | undefined {
  if (text === "") return [];
  if (text.charCodeAt(0) !== 0x2f) return undefined;
  const tokens = text.slice(1).split("/");
  if (!text.includes("~")) return tokens;
  if (BAD_TILDE.test(text)) return undefined;
  return tokens.map((token) => (token.includes("~") ? token.replaceAll("~1", "/").replaceAll("~0", "~") : token));
}

/** The pointer of reference tokens, names and positions alike (RFC 6901 §3). */
export function formatPointer(tokens: readonly (string | number)[]): string {
  let text = "";
  for (const token of tokens) text += typeof token === "number" ? `/${token}` : pointerStep(token);
  return text;
}

/**
 * The position that a reference token names in an array (RFC 6901 §4).
 *
 * @returns an integer, which may lie beyond every array (`Infinity` included); -1 when the token is no index, as `-` is none
 */
export function arrayIndex(token: string): number {
  return INDEX.test(token) ? Number(token) : -1;
}
