import { OpenValues, type Step } from "../caller.js";
import { type Output, putAscii, putPoint } from "../output.js";

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Up to here a string is written unit by unit: calls of the host cost as much. */
const SHORT = 96;
/** Room that a short string or any scalar takes, with a comma or colon beside it. */
const ROOM = 3 * SHORT + 4;
/** From here on `String` writes doubles with an exponent. */
const EXPONENT_FROM = 1e21;

/** For each ASCII character whether a string holds it as it is. */
const PLAIN = /* @__PURE__ */ Uint8Array.from({ length: 128 }, (_, c) =>
  c >= 0x20 && c !== QUOTE && c !== BACKSLASH ? 1 : 0,
);
/** Characters that JSON escapes; also halves of pairs, which it escapes when they are alone. */
const MAY_NEED_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Writes callers' values as compact JSON in UTF-8. Does not recurse. */
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
    const { out, open } = this;
    let node: object = open.root(event);
    let names: readonly string[] | undefined = Object.keys(node);
    let count = names.length;
    let place = 0;
    let isFirst = true;
    open.enter(node, names, undefined);
    out.reserve(1);
    out.bytes[out.length++] = OPEN_OBJECT;
    for (;;) {
      // For a bracket or comma, a short name and a short value.
      out.reserve(2 * ROOM);
      if (place === count) {
        out.bytes[out.length++] = names === undefined ? CLOSE_ARRAY : CLOSE_OBJECT;
        const level = open.leave() - 1;
        if (level < 0) return;
        node = open.nodes[level]!;
        names = open.names[level];
        count = names === undefined ? (node as unknown[]).length : names.length;
        place = open.places[level]!;
        isFirst = false;
        continue;
      }
      let step: string | number;
      let value: unknown;
      if (names === undefined) {
        step = place;
        value = (node as unknown[])[place++];
      } else {
        step = names[place++]!;
        value = (node as Readonly<Record<string, unknown>>)[step];
        if (value === undefined) continue;
      }
      if (typeof value === "object" ? value !== null : typeof value === "bigint" || typeof value === "function") {
        value = open.resolve(value, step);
        if (value === undefined && names !== undefined) continue;
      }
      if (!isFirst) out.bytes[out.length++] = COMMA;
      isFirst = false;
      if (names !== undefined) {
        this.string(step as string);
        out.bytes[out.length++] = COLON;
      }
      if (typeof value === "object" && value !== null) {
        open.places[open.level - 1] = place;
        node = value;
        names = Array.isArray(node) ? undefined : Object.keys(node);
        count = names === undefined ? (node as unknown[]).length : names.length;
        place = 0;
        isFirst = true;
        open.enter(node, names, step);
        out.bytes[out.length++] = names === undefined ? OPEN_ARRAY : OPEN_OBJECT;
      } else {
        this.scalar(value, step);
      }
    }
  }

  /** A scalar; room is there for it. */
  private scalar(value: unknown, step: Step): void {
    const { out } = this;
    if (typeof value === "string") this.string(value);
    else if (typeof value === "number") this.number(value, step);
    else if (value === null) out.length = putAscii(out.bytes, out.length, "null");
    else if (value === true) out.length = putAscii(out.bytes, out.length, "true");
    else if (value === false) out.length = putAscii(out.bytes, out.length, "false");
    else throw this.open.fault("not_json", step);
  }

  private number(value: number, step: Step): void {
    const { out } = this;
    if (Number.isSafeInteger(value) && (value > 0 || Object.is(value, 0))) {
      out.length = putInteger(out.bytes, out.length, value);
      return;
    }
    if (!Number.isFinite(value)) throw this.open.fault("not_json", step);
    let text = String(value);
    if (value === 0) text = "-0";
    // From 2^53 to 1e21 `String` pads with zeros: that would be the text of another integer.
    else if (Math.abs(value) > Number.MAX_SAFE_INTEGER && Math.abs(value) < EXPONENT_FROM)
      text = BigInt(value).toString();
    out.length = putAscii(out.bytes, out.length, text);
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
      out.reserve(1);
      out.bytes[out.length++] = QUOTE;
      out.utf8(text);
      out.reserve(1);
      out.bytes[out.length++] = QUOTE;
    }
    out.reserve(ROOM);
  }
}

/** Writes a short string; -1 when it needs escapes. */
function putShort(bytes: Uint8Array, at: number, text: string): number {
  const { length } = text;
  bytes[at++] = QUOTE;
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) {
      if (PLAIN[unit] === 0) return -1;
      bytes[at++] = unit;
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
