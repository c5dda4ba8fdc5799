import { stringify } from "../../json/exact.js";
import { exactText } from "../../json/number.js";
import { isForeign, OpenValues, RECURSION, type Step } from "../caller.js";
import { type Output, putAscii, putPoint } from "../output.js";

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const LETTER_U = 0x75;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Up to here a string is written unit by unit: calls of the host cost as much. */
const SHORT = 96;
/** Room that a short string takes when all of it is escaped, and more than any other scalar does; with a comma or colon beside it. */
const ROOM = 6 * SHORT + 4;

/** For each ASCII character: 0 when a string holds it as it is, the letter behind the backslash, or 1 for an escape by number. */
const ESCAPES = /* @__PURE__ */ escapes();
const DIGITS = "0123456789abcdef";
/** Characters that JSON escapes; also halves of pairs, which it escapes when they are alone. */
const MAY_NEED_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Writes callers' values as compact JSON in UTF-8. */
export class JsonWriter {
  private readonly out: Output;
  private readonly open: OpenValues;

  /** @param depth levels of nesting allowed */
  constructor(out: Output, depth: number) {
    this.out = out;
    this.open = new OpenValues(depth);
  }

  /**
   * Appends an event: the text of `JSON.stringify`, but for -0 and integers from 2^53 on, which keep their sign and their digits
   * (docs/transports.md says what a value may be).
   *
   * @throws Unwritable `not_json`, `not_an_event`, `too_deep`; and whatever a getter or `toJSON` throws
   */
  write(event: unknown): void {
    const object = this.open.root(event);
    this.out.reserve(ROOM);
    this.object(object, undefined);
  }

  /** An object; room is there for its bracket, as it is for the others' first bytes. */
  private object(node: Readonly<Record<string, unknown>>, step: Step): void {
    const { out, open } = this;
    open.enter(node, step);
    out.bytes[out.length++] = OPEN_OBJECT;
    let isFirst = true;
    // With the names of `for … in` the members are read by their place, whatever the object's shape.
    for (const name in node) {
      let value = node[name];
      if (open.mayInherit && !Object.hasOwn(node, name)) continue;
      if (isForeign(value)) value = open.resolve(value, name);
      if (value === undefined) continue;
      // For a comma, a short name and a short value.
      out.reserve(2 * ROOM);
      if (!isFirst) out.bytes[out.length++] = COMMA;
      isFirst = false;
      this.string(name);
      out.bytes[out.length++] = COLON;
      this.value(value, name);
    }
    out.reserve(1);
    out.bytes[out.length++] = CLOSE_OBJECT;
    open.leave();
  }

  private array(node: readonly unknown[], step: Step): void {
    const { out, open } = this;
    open.enter(node, step);
    out.bytes[out.length++] = OPEN_ARRAY;
    for (let i = 0; i < node.length; i++) {
      let value = node[i];
      if (isForeign(value)) value = open.resolve(value, i);
      out.reserve(2 * ROOM);
      if (i > 0) out.bytes[out.length++] = COMMA;
      this.value(value, i);
    }
    out.reserve(1);
    out.bytes[out.length++] = CLOSE_ARRAY;
    open.leave();
  }

  /** A value for which `toJSON` has spoken; room is there for a scalar. */
  private value(value: unknown, step: Step): void {
    const { out } = this;
    if (typeof value === "string") this.string(value);
    else if (typeof value === "number") this.number(value, step);
    else if (value === null) out.length = putAscii(out.bytes, out.length, "null");
    else if (value === true) out.length = putAscii(out.bytes, out.length, "true");
    else if (value === false) out.length = putAscii(out.bytes, out.length, "false");
    else if (typeof value !== "object") throw this.open.fault("not_json", step);
    else if (this.open.level >= RECURSION) out.utf8(stringify(this.open.copy(value, step)));
    else if (Array.isArray(value)) this.array(value, step);
    else this.object(value as Readonly<Record<string, unknown>>, step);
  }

  private number(value: number, step: Step): void {
    const { out } = this;
    if (Number.isSafeInteger(value) && (value > 0 || Object.is(value, 0))) {
      out.length = putInteger(out.bytes, out.length, value);
      return;
    }
    if (!Number.isFinite(value)) throw this.open.fault("not_json", step);
    out.length = putAscii(out.bytes, out.length, exactText(value) ?? String(value));
  }

  /** A string; room is there for a short one, and is there again behind a long one for a name's colon and a value. */
  private string(text: string): void {
    const { out } = this;
    if (text.length <= SHORT) {
      const end = putShort(out.bytes, out.length, text);
      if (end > 0) {
        out.length = end;
        return;
      }
    }
    if (MAY_NEED_ESCAPE.test(text)) {
      out.utf8(JSON.stringify(text));
    } else {
      out.bytes[out.length++] = QUOTE;
      out.utf8(text);
      out.reserve(1);
      out.bytes[out.length++] = QUOTE;
    }
    out.reserve(ROOM);
  }
}

function escapes(): Uint8Array {
  const table = new Uint8Array(128).fill(1, 0, 0x20);
  const letters = { '"': '"', "\\": "\\", "\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t" };
  for (const [character, letter] of Object.entries(letters)) table[character.charCodeAt(0)] = letter.charCodeAt(0);
  return table;
}

/** Writes a short string; -1 when it holds half of a pair alone. */
function putShort(bytes: Uint8Array, at: number, text: string): number {
  const { length } = text;
  bytes[at++] = QUOTE;
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) {
      const letter = ESCAPES[unit]!;
      if (letter === 0) {
        bytes[at++] = unit;
        continue;
      }
      bytes[at++] = BACKSLASH;
      if (letter > 1) bytes[at++] = letter;
      else {
        bytes[at++] = LETTER_U;
        at = putAscii(bytes, at, "00");
        bytes[at++] = DIGITS.charCodeAt(unit >> 4);
        bytes[at++] = DIGITS.charCodeAt(unit & 15);
      }
    } else if ((unit & 0xf800) !== 0xd800) {
      at = putPoint(bytes, at, unit);
    } else {
      const point = text.codePointAt(i)!;
      if (point < 0x10000) return -1;
      at = putPoint(bytes, at, point);
      i++;
    }
  }
  bytes[at] = QUOTE;
  return at + 1;
}

/** Writes the digits of an integer from 0 to 2^53-1. */
function putInteger(bytes: Uint8Array, at: number, value: number): number {
  // Beyond 31 bits a division is one of doubles, so the digits go in halves.
  if (value > 0x7fffffff) {
    const high = Math.floor(value / 1e8);
    at = putInteger(bytes, at, high);
    let low = value - high * 1e8;
    for (let i = at + 7; i >= at; i--) {
      const rest = (low / 10) | 0;
      bytes[i] = 0x30 + low - rest * 10;
      low = rest;
    }
    return at + 8;
  }
  let digits = 1;
  for (let rest = value; rest >= 10; rest = (rest / 10) | 0) digits++;
  const end = at + digits;
  for (let i = end - 1; i >= at; i--) {
    const rest = (value / 10) | 0;
    bytes[i] = 0x30 + value - rest * 10;
    value = rest;
  }
  return end;
}
