import { sequenceLength } from "../../../codec/text.js";
import { isNumberUnit } from "../../../json/text.js";

/** Where a message stops being a prefix of a valid text (docs/semantics.md §2.1). */
export interface TextFault {
  code: "bad_json" | "invalid_utf8" | "too_deep";
  /** Byte position in the message. */
  position: number;
}

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SIMPLE_ESCAPES = '"\\/bfnrt';

/**
 * Finds the fault of lowest offset in one message: RFC 8259 in full, UTF-8, nesting of at most `depth`.
 *
 * @param replace ill-formed UTF-8 counts as U+FFFD, so that it is a fault outside of strings only
 * @returns undefined for a valid text
 */
export function findTextFault(bytes: Uint8Array, depth: number, replace: boolean): TextFault | undefined {
  return new TextJudge(bytes, depth, replace).judge();
}

/** The position of the first number text of more than `limit` characters in a valid message, or -1. */
export function findLongNumber(bytes: Uint8Array, limit: number): number {
  let at = 0;
  while (at < bytes.length) {
    const c = bytes[at]!;
    if (c === QUOTE) {
      at++;
      while (bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
      at++;
    } else if (c === MINUS || isDigit(c)) {
      const start = at;
      do {
        at++;
      } while (at < bytes.length && isNumberUnit(bytes[at]!));
      if (at - start > limit) return start;
    } else {
      at++;
    }
  }
  return -1;
}

class TextJudge {
  private readonly bytes: Uint8Array;
  private readonly depth: number;
  private readonly replace: boolean;
  /** Closing brackets of the open levels, innermost last. */
  private readonly closers: number[] = [];
  private at = 0;

  constructor(bytes: Uint8Array, depth: number, replace: boolean) {
    this.bytes = bytes;
    this.depth = depth;
    this.replace = replace;
  }

  judge(): TextFault | undefined {
    for (;;) {
      // A value is due.
      this.skipSpace();
      const c = this.bytes[this.at];
      let ended: boolean;
      if (c === OPEN_OBJECT || c === OPEN_ARRAY) {
        if (this.closers.length === this.depth) return { code: "too_deep", position: this.at };
        this.at++;
        this.skipSpace();
        // Both closing brackets stand two behind their opening ones.
        ended = this.bytes[this.at] === c + 2;
        if (ended) {
          this.at++;
        } else {
          this.closers.push(c + 2);
          if (c === OPEN_OBJECT && !this.name()) return this.fault();
        }
      } else {
        if (!this.scalar(c)) return this.fault();
        ended = true;
      }
      while (ended) {
        this.skipSpace();
        const closer = this.closers[this.closers.length - 1];
        if (closer === undefined) return this.at < this.bytes.length ? this.fault() : undefined;
        const next = this.bytes[this.at];
        if (next === closer) {
          this.closers.pop();
          this.at++;
        } else if (next === COMMA) {
          this.at++;
          if (closer === CLOSE_OBJECT) {
            this.skipSpace();
            if (!this.name()) return this.fault();
          }
          ended = false;
        } else {
          return this.fault();
        }
      }
    }
  }

  /** The fault at the present position. */
  private fault(): TextFault {
    const illFormed = !this.replace && this.at < this.bytes.length && sequenceLength(this.bytes, this.at) === 0;
    return { code: illFormed ? "invalid_utf8" : "bad_json", position: this.at };
  }

  private skipSpace(): void {
    for (;;) {
      const c = this.bytes[this.at];
      if (c !== SPACE && c !== LF && c !== CR && c !== TAB) return;
      this.at++;
    }
  }

  /** A member's name and its colon. */
  private name(): boolean {
    if (this.bytes[this.at] !== QUOTE || !this.string()) return false;
    this.skipSpace();
    if (this.bytes[this.at] !== COLON) return false;
    this.at++;
    return true;
  }

  private scalar(c: number | undefined): boolean {
    if (c === QUOTE) return this.string();
    if (c === 0x74) return this.literal("true");
    if (c === 0x66) return this.literal("false");
    if (c === 0x6e) return this.literal("null");
    return this.number();
  }

  private literal(word: string): boolean {
    for (let i = 0; i < word.length; i++, this.at++) {
      if (this.bytes[this.at] !== word.charCodeAt(i)) return false;
    }
    return true;
  }

  private number(): boolean {
    if (this.bytes[this.at] === MINUS) this.at++;
    if (this.bytes[this.at] === 0x30) this.at++;
    else if (!this.digits()) return false;
    if (this.bytes[this.at] === 0x2e) {
      this.at++;
      if (!this.digits()) return false;
    }
    const c = this.bytes[this.at];
    if (c === 0x65 || c === 0x45) {
      this.at++;
      const sign = this.bytes[this.at];
      if (sign === 0x2b || sign === MINUS) this.at++;
      if (!this.digits()) return false;
    }
    return true;
  }

  private digits(): boolean {
    if (!isDigit(this.bytes[this.at])) return false;
    do {
      this.at++;
    } while (isDigit(this.bytes[this.at]));
    return true;
  }

  /** From the opening quote to behind the closing one. */
  private string(): boolean {
    this.at++;
    for (;;) {
      const c = this.bytes[this.at];
      if (c === QUOTE) {
        this.at++;
        return true;
      }
      if (c === undefined || c < SPACE) return false;
      if (c === BACKSLASH) {
        this.at++;
        if (!this.escape()) return false;
      } else if (c < 0x80) {
        this.at++;
      } else {
        const length = sequenceLength(this.bytes, this.at);
        if (length === 0 && !this.replace) return false;
        this.at += length || 1;
      }
    }
  }

  private escape(): boolean {
    const c = this.bytes[this.at];
    if (c === undefined) return false;
    if (c !== 0x75) {
      if (c >= 0x80 || !SIMPLE_ESCAPES.includes(String.fromCharCode(c))) return false;
      this.at++;
      return true;
    }
    for (let i = 0; i < 4; i++) {
      this.at++;
      if (!isHexDigit(this.bytes[this.at])) return false;
    }
    this.at++;
    return true;
  }
}

function isDigit(c: number | undefined): boolean {
  return c !== undefined && c >= 0x30 && c <= 0x39;
}

function isHexDigit(c: number | undefined): boolean {
  return isDigit(c) || (c !== undefined && (c | 0x20) >= 0x61 && (c | 0x20) <= 0x66);
}
