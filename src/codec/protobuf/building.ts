import { ExactNumber } from "../../json/exact.js";
import { exactDouble, isPadded } from "../../json/number.js";
import { decodeReplacing, decodeText } from "../text.js";
import { type Span, Unreadable, type Wire } from "./wire.js";

/** How a frame is read. */
export interface ProtobufOptions {
  /** Containers of the JSON form that may be nested. */
  depth: number;
  /** Takes, for each object of open JSON with an integer-like name, the names in their order, as `readOrdered` does. */
  orders?: Map<object, string[]>;
  /** `longNumber` tells whether the text of a number is longer than this many characters. */
  numberLength?: number;
}

/** Longest text of a number that protobuf has. */
const LONGEST_NUMBER = 25;

/** Makes the parts of the JSON form, and notes what is to be known of it. */
export class Building {
  /** Ill-formed UTF-8 was replaced by U+FFFD. */
  replaced = false;
  /** It holds an `ExactNumber`. */
  exact = false;
  /** It holds, or a repeated key hides, a number whose text is longer than `numberLength`. */
  longNumber = false;
  /** Levels of nesting. */
  deepest = 0;
  readonly orders: Map<object, string[]> | undefined;
  readonly #wire: Wire;
  readonly #depth: number;
  readonly #numberLength: number;

  constructor(wire: Wire, { depth, orders, numberLength = LONGEST_NUMBER }: ProtobufOptions) {
    this.#wire = wire;
    this.#depth = depth;
    this.orders = orders;
    this.#numberLength = numberLength;
  }

  /** Opens a container inside of `depth` others; `at` is the place of a fault. Throws Unreadable. */
  enter(depth: number, at: number): void {
    if (depth >= this.#depth) throw new Unreadable("too-deep", at);
    if (depth >= this.deepest) this.deepest = depth + 1;
  }

  /** The UTF-8 text of a span. */
  string({ from, to }: Span): string {
    const { bytes } = this.#wire;
    const text = decodeText(bytes, from, to);
    if (text !== undefined) return text;
    this.replaced = true;
    return decodeReplacing(bytes, from, to);
  }

  /** A double as the number that JavaScript prints for it; JSON has no NaN and no infinity, which become null. */
  number(value: number): number | ExactNumber | null {
    if (!Number.isFinite(value)) return null;
    if (this.#numberLength < LONGEST_NUMBER && String(value).length > this.#numberLength) this.longNumber = true;
    // Minus zero is printed as zero.
    if (!isPadded(value)) return value + 0;
    const text = String(value);
    const double = exactDouble(text);
    if (double !== undefined) return double;
    this.exact = true;
    return new ExactNumber(text);
  }
}
