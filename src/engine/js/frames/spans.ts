const QUOTE = 0x22;
const COMMA = 0x2c;
const CLOSE_ARRAY = 0x5d;
const BACKSLASH = 0x5c;
const CLOSE_OBJECT = 0x7d;

/** Where a value stands in a text. */
export interface Span {
  from: number;
  to: number;
}

/**
 * Where the elements of a member of the root object stand; of a repeated member the last.
 *
 * @param text well-formed JSON, an object whose member `name` is an array
 */
export function elementSpans(text: string, name: string): Span[] {
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  let array = 0;
  while (text.charCodeAt(at) === QUOTE) {
    const end = stringEnd(text, at);
    const value = skipSpace(text, skipSpace(text, end) + 1);
    if (JSON.parse(text.slice(at, end)) === name) array = value;
    at = next(text, valueEnd(text, value), CLOSE_OBJECT);
  }
  const spans: Span[] = [];
  for (let from = skipSpace(text, array + 1); text.charCodeAt(from) !== CLOSE_ARRAY; ) {
    const to = valueEnd(text, from);
    spans.push({ from, to });
    from = next(text, to, CLOSE_ARRAY);
  }
  return spans;
}

/** The next member or element behind a value, or the bracket that closes. */
function next(text: string, end: number, closer: number): number {
  const at = skipSpace(text, end);
  return text.charCodeAt(at) === closer ? at : skipSpace(text, at + 1);
}

function skipSpace(text: string, at: number): number {
  while (text.charCodeAt(at) <= 0x20) at++;
  return at;
}

/** Behind the string that begins at `at`. */
function stringEnd(text: string, at: number): number {
  for (;;) {
    at = text.indexOf('"', at + 1);
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++;
    if ((slashes & 1) === 0) return at + 1;
  }
}

/** Behind the value that begins at `at`. */
function valueEnd(text: string, at: number): number {
  let depth = 0;
  for (;;) {
    const c = text.charCodeAt(at);
    if (c === QUOTE) {
      at = stringEnd(text, at);
      if (depth === 0) return at;
    } else if ((c | 0x20) === 0x7b) {
      depth++;
      at++;
    } else if ((c | 0x20) === 0x7d) {
      // A scalar ends in front of the bracket that closes what it stands in.
      if (depth === 0) return at;
      at++;
      if (--depth === 0) return at;
    } else if (depth === 0 && (c <= 0x20 || c === COMMA)) {
      return at;
    } else {
      at++;
    }
  }
}
