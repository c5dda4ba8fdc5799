import { decodeUtf8, repairUtf8, type Span, type Wire } from "./wire.js";

/** Characters that no JSON string holds as they are; decoded UTF-8 has no lone halves of characters. */
const NEEDS_ESCAPES = /["\\\u0000-\u001f]/;

/** JSON text in the making, and what was repaired in it. */
export class JsonText {
  text = "";
  /** Ill-formed UTF-8 was replaced by U+FFFD. */
  replaced = false;
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** The UTF-8 text of a span as a JSON string. */
  string(span: Span): void {
    let value = decodeUtf8(this.#wire.bytes, span);
    if (value === undefined) {
      this.replaced = true;
      value = repairUtf8(this.#wire.bytes, span);
    }
    this.text += NEEDS_ESCAPES.test(value) ? JSON.stringify(value) : `"${value}"`;
  }

  /** A double as JavaScript prints it; JSON has no NaN and no infinity, which become null. */
  number(value: number): void {
    this.text += JSON.stringify(value);
  }
}
