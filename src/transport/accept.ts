/** One member of an `Accept` header (RFC 9110 §12.5.1), its names in lower case. */
export interface MediaRange {
  readonly type: string;
  readonly subtype: string;
  /** Its weight, 0 to 1. */
  readonly q: number;
  /** Parameters other than the weight: none, the charset of every text here, or others, which none of our media types has. */
  readonly parameters: "none" | "utf-8" | "other";
}

/** How well a range fits a media type: not at all, by `*` and `*`, by its type, in full. */
export type Fit = 0 | 1 | 2 | 3;

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** A weight as RFC 9110 §12.4.2 has it, and as clients write it: `.2`, more than three digits. */
const WEIGHT = /^(?:[01](?:\.[0-9]*)?|\.[0-9]+)$/;

/** Reads an `Accept` header; members that are malformed are left out. */
export function parseAccept(header: string): MediaRange[] {
  return split(header, ",").flatMap((member) => parseRange(member) ?? []);
}

/** How well a range fits a media type, given in lower case. */
export function fitOf(range: MediaRange, mediaType: string): Fit {
  const slash = mediaType.indexOf("/");
  const type = mediaType.slice(0, slash);
  if (range.type === "*") return 1;
  if (range.type !== type) return 0;
  if (range.subtype === "*") return 2;
  return range.subtype === mediaType.slice(slash + 1) ? 3 : 0;
}

function parseRange(member: string): MediaRange | undefined {
  const [name, ...rest] = split(member, ";");
  const [type, subtype, more] = name!.trim().toLowerCase().split("/");
  if (type === undefined || subtype === undefined || more !== undefined) return undefined;
  if (!TOKEN.test(type) || !TOKEN.test(subtype) || (type === "*" && subtype !== "*")) return undefined;
  let parameters = "none" as MediaRange["parameters"];
  for (const parameter of rest) {
    const text = parameter.trim();
    // Parameters may be empty: `a/b; ;q=1` (RFC 9110 §5.6.6).
    if (text === "") continue;
    const equals = text.indexOf("=");
    const key = text.slice(0, Math.max(equals, 0)).toLowerCase();
    const value = unquoted(text.slice(equals + 1));
    if (value === undefined || !TOKEN.test(key)) return undefined;
    // What follows the weight says nothing about the type.
    if (key === "q") return WEIGHT.test(value) && Number(value) <= 1 ? range(Number(value)) : undefined;
    parameters = key === "charset" && /^utf-?8$/i.test(value) && parameters !== "other" ? "utf-8" : "other";
  }
  return range(1);

  function range(q: number): MediaRange {
    return { type: type!, subtype: subtype!, q, parameters };
  }
}

/** The value of a parameter; undefined when it is neither a token nor a quoted string. */
function unquoted(value: string): string | undefined {
  if (TOKEN.test(value)) return value;
  const quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(value);
  return quoted === null ? undefined : quoted[1]!.replaceAll(/\\(.)/g, "$1");
}

/** Splits a list at a separator, but not inside of quoted strings. */
function split(text: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (isQuoted && c === "\\") i++;
    else if (c === '"') isQuoted = !isQuoted;
    else if (c === separator && !isQuoted) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}
