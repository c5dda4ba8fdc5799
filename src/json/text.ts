/** Whether a string has no surrogate half without its other half. */
export function isWellFormed(text: string): boolean {
  // String.prototype.isWellFormed is younger than some supported browsers.
  const native = (text as { isWellFormed?(): boolean }).isWellFormed;
  return native === undefined ? !/\p{Surrogate}/u.test(text) : native.call(text);
}

/** UTF-8 bytes of a part of a string; lone surrogate halves count as U+FFFD, three bytes. */
export function utf8Length(text: string, from = 0, to = text.length): number {
  let bytes = to - from;
  for (let i = from; i < to; i++) {
    const c = text.charCodeAt(i);
    if (c < 0x80) continue;
    if (c < 0x800) {
      bytes++;
    } else {
      bytes += 2;
      // A pair is four bytes for two units.
      if (c >= 0xd800 && c < 0xdc00 && i + 1 < to && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) i++;
    }
  }
  return bytes;
}

/**
 * Levels of nesting of a well-formed JSON text, counted no further than `limit`; one pass that does not look into strings.
 * A text too short for `limit` levels is not read: half its length is answered then, an upper bound.
 */
export function nestingOf(text: string, limit: number): number {
  // Each level takes two brackets.
  if (text.length < 2 * limit) return text.length >> 1;
  let level = 0;
  let deepest = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x22) {
      do {
        i = text.indexOf('"', i + 1);
      } while (isEscaped(text, i));
    } else if (c === 0x7b || c === 0x5b) {
      if (++level > deepest) {
        deepest = level;
        if (level === limit) return limit;
      }
    } else if (c === 0x7d || c === 0x5d) {
      level--;
    }
  }
  return deepest;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes++;
  return (slashes & 1) === 1;
}

/**
 * Whether no run of `run` or more digits and dots stands anywhere in a text; looks at every `run`-th character only.
 * Such a text holds no number of more than `2 * run + 1` characters, and none whose digits a double loses, unless it has an exponent or is minus zero.
 */
export function hasShortDigitRuns(text: string, run: number): boolean {
  for (let i = run - 1; i < text.length; i += run) {
    if (!isDigitOrDot(text.charCodeAt(i))) continue;
    let from = i;
    let to = i + 1;
    while (to - from < run && isDigitOrDot(text.charCodeAt(to))) to++;
    while (to - from < run && isDigitOrDot(text.charCodeAt(from - 1))) from--;
    if (to - from >= run) return false;
  }
  return true;
}

function isDigitOrDot(c: number): boolean {
  return (c >= 0x30 && c <= 0x39) || c === 0x2e;
}

/** Whether a text may hold a number of more than `limit` characters; looks at every `limit + 1`-th character and its neighbours only. */
export function mayHoldLongNumber(text: string, limit: number): boolean {
  for (let i = limit; i < text.length; i += limit + 1) {
    if (!isNumberUnit(text.charCodeAt(i))) continue;
    let from = i;
    let to = i + 1;
    while (to - from <= limit && isNumberUnit(text.charCodeAt(to))) to++;
    while (to - from <= limit && isNumberUnit(text.charCodeAt(from - 1))) from--;
    if (to - from > limit) return true;
  }
  return false;
}

/** Digits and `+ - . e E`. */
export function isNumberUnit(c: number): boolean {
  return (c >= 0x30 && c <= 0x39) || c === 0x2d || c === 0x2e || c === 0x2b || c === 0x45 || c === 0x65;
}
