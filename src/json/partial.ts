import { type JsonObject, put } from "./object.js";

// What may come next, or what is being read.
const VALUE = 0;
const FIRST_ELEMENT = 1;
const FIRST_NAME = 2;
const NAME = 3;
const COLON = 4;
const NEXT = 5;
const END = 6;
const STRING = 7;
const ESCAPE = 8;
const HEX = 9;
const LITERAL = 10;
// Numbers: a state where the text may end is at least NUMBER_END.
const MINUS = 11;
const POINT = 12;
const EXPONENT = 13;
const EXPONENT_SIGN = 14;
const NUMBER_END = 15;
const ZERO = 15;
const INTEGER = 16;
const FRACTION = 17;
const EXPONENT_DIGITS = 18;

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};
const LITERALS: Readonly<Record<string, readonly [string, unknown]>> = {
  t: ["true", true],
  f: ["false", false],
  n: ["null", null],
};
const NO_LITERAL: readonly [string, unknown] = ["", undefined];

/**
 * Reads one JSON text (RFC 8259) that arrives in pieces, and always has a value: open strings and containers are taken as closed, what is not
 * certain yet (an incomplete escape, literal or number, half of a surrogate pair, a member without a value) is held back
 * (docs/semantics-agui.md §11). Reading a piece costs its length, whatever came before; nothing recurses.
 */
export class PartialJson {
  /** What an empty text reads as; a text that turns out to be an object fills it. */
  readonly #empty: JsonObject = {};
  #root: unknown = this.#empty;
  /** The first place at which the text stopped being the beginning of a JSON text. */
  #fault = -1;
  /** The text was said to be complete and is not. */
  #cut = false;
  #state = VALUE;
  #blank = true;
  /** Code units read before the piece in hand. */
  #read = 0;

  /** Open containers, the innermost last. */
  readonly #open: (unknown[] | JsonObject)[] = [];
  /** For each open container the name of the member that is being read. */
  readonly #names: string[] = [];
  /** The value that is being read stands in its container already. */
  #placed = false;
  /** The string that is being read is a name. */
  #naming = false;
  /** The characters of the string or number that is being read. */
  #text = "";
  /** The first half of a surrogate pair, while it waits for the second. */
  #half = "";
  #hex = "";
  #literal = NO_LITERAL;
  #matched = 0;

  /** The value so far. Containers are live: later pieces fill the same ones. */
  get value(): unknown {
    return this.#root;
  }

  /** The first syntax error, in UTF-16 code units from the start of the text; a complete text that breaks off errs at its end. */
  get error(): { position: number } | undefined {
    if (this.#fault >= 0) return { position: this.#fault };
    return this.#cut ? { position: this.#read } : undefined;
  }

  /**
   * Reads one more piece.
   *
   * @param text UTF-16, cut anywhere
   * @param complete no more is expected; should there be more all the same, it continues the text
   */
  push(text: string, complete: boolean): void {
    if (this.#fault < 0) {
      let at = 0;
      while (at < text.length && this.#fault < 0)
        at = this.#state === STRING ? this.#inString(text, at) : this.#step(text, at);
    }
    this.#read += text.length;
    if (this.#fault >= 0) return;
    const inText = this.#state >= STRING && this.#state <= HEX;
    if (inText && !this.#naming) this.#place(this.#text);
    const number = this.#state >= NUMBER_END;
    if (complete && number) this.#place(Number(this.#text));
    this.#cut = complete && !this.#blank && this.#state !== END && !(number && this.#open.length === 0);
  }

  /** Contents of a string, up to its end, an escape or the end of the piece; returns the place behind. */
  #inString(text: string, from: number): number {
    let at = from;
    let c = 0;
    while (at < text.length) {
      c = text.charCodeAt(at);
      if (c === 0x22 || c === 0x5c || c < 0x20) break;
      at++;
    }
    if (at > from) this.#add(text.slice(from, at));
    if (at === text.length) return at;
    if (c === 0x22) this.#closeString();
    else if (c === 0x5c) this.#state = ESCAPE;
    else this.#fail(at);
    return at + 1;
  }

  /** Adds characters to the string; a half that may become a character is held back. */
  #add(characters: string): void {
    const all = this.#half + characters;
    const last = all.length - 1;
    const waits = (all.charCodeAt(last) & 0xfc00) === 0xd800;
    this.#half = waits ? all.slice(last) : "";
    this.#text += waits ? all.slice(0, last) : all;
  }

  #closeString(): void {
    const text = this.#text + this.#half;
    this.#half = "";
    if (this.#naming) {
      this.#names[this.#names.length - 1] = text;
      this.#state = COLON;
    } else {
      this.#finish(text);
    }
  }

  /** One code unit outside of plain string contents; returns the place behind what was read. */
  #step(text: string, at: number): number {
    const state = this.#state;
    const character = text[at] as string;
    if (state === ESCAPE) {
      if (character === "u") {
        this.#hex = "";
        this.#state = HEX;
      } else {
        const meant = Object.hasOwn(ESCAPES, character) ? ESCAPES[character] : undefined;
        if (meant === undefined) return this.#fail(at);
        this.#add(meant);
        this.#state = STRING;
      }
      return at + 1;
    }
    if (state === HEX) {
      if (!/[0-9a-fA-F]/.test(character)) return this.#fail(at);
      this.#hex += character;
      if (this.#hex.length === 4) {
        this.#add(String.fromCharCode(Number.parseInt(this.#hex, 16)));
        this.#state = STRING;
      }
      return at + 1;
    }
    if (state === LITERAL) {
      const [word, value] = this.#literal;
      if (character !== word[this.#matched]) return this.#fail(at);
      if (++this.#matched === word.length) this.#finish(value);
      return at + 1;
    }
    if (state >= MINUS) {
      const next = numberState(state, character);
      if (next !== 0) {
        this.#text += character;
        this.#state = next;
        return at + 1;
      }
      if (state < NUMBER_END) return this.#fail(at);
      this.#finish(Number(this.#text));
      return at;
    }
    if (character === " " || character === "\n" || character === "\t" || character === "\r") return at + 1;
    this.#blank = false;
    return this.#token(character, at);
  }

  /** A token outside of strings, numbers and literals. */
  #token(character: string, at: number): number {
    switch (this.#state) {
      case FIRST_NAME:
      case NAME:
        if (character === '"') return this.#openString(true, at);
        if (character === "}" && this.#state === FIRST_NAME) return this.#close(at);
        return this.#fail(at);
      case COLON:
        if (character !== ":") return this.#fail(at);
        this.#state = VALUE;
        return at + 1;
      case NEXT: {
        const list = Array.isArray(this.#open[this.#open.length - 1]);
        if (character === ",") {
          this.#state = list ? VALUE : NAME;
          return at + 1;
        }
        return character === (list ? "]" : "}") ? this.#close(at) : this.#fail(at);
      }
      case END:
        return this.#fail(at);
      case FIRST_ELEMENT:
        return character === "]" ? this.#close(at) : this.#begin(character, at);
      default:
        return this.#begin(character, at);
    }
  }

  /** The first character of a value. */
  #begin(character: string, at: number): number {
    this.#placed = false;
    if (character === '"') return this.#openString(false, at);
    if (character === "{" || character === "[") {
      const list = character === "[";
      const opened = list ? [] : this.#open.length === 0 ? this.#empty : {};
      this.#place(opened);
      this.#open.push(opened);
      this.#names.push("");
      this.#state = list ? FIRST_ELEMENT : FIRST_NAME;
      return at + 1;
    }
    if (Object.hasOwn(LITERALS, character)) {
      this.#literal = LITERALS[character] as readonly [string, unknown];
      this.#matched = 1;
      this.#state = LITERAL;
      return at + 1;
    }
    const number = character === "-" ? MINUS : character === "0" ? ZERO : isDigit(character) ? INTEGER : 0;
    if (number === 0) return this.#fail(at);
    this.#text = character;
    this.#state = number;
    return at + 1;
  }

  #openString(naming: boolean, at: number): number {
    this.#naming = naming;
    this.#text = "";
    this.#half = "";
    this.#state = STRING;
    return at + 1;
  }

  /** The innermost container is complete. */
  #close(at: number): number {
    this.#open.pop();
    this.#names.pop();
    this.#state = this.#open.length === 0 ? END : NEXT;
    return at + 1;
  }

  /** A value that is no container is complete. */
  #finish(value: unknown): void {
    this.#place(value);
    this.#text = "";
    this.#state = this.#open.length === 0 ? END : NEXT;
  }

  /** Puts the value that is being read where it stands, again when it has grown. */
  #place(value: unknown): void {
    const parent = this.#open[this.#open.length - 1];
    if (parent === undefined) this.#root = value;
    else if (!Array.isArray(parent)) put(parent, this.#names[this.#names.length - 1] as string, value);
    else if (this.#placed) parent[parent.length - 1] = value;
    else parent.push(value);
    this.#placed = true;
  }

  #fail(at: number): number {
    // What was read of a string that breaks stays.
    if (this.#state >= STRING && this.#state <= HEX && !this.#naming) this.#place(this.#text);
    this.#fault = this.#read + at;
    return at + 1;
  }
}

function isDigit(character: string): boolean {
  return character >= "0" && character <= "9";
}

/** Where a character leads inside of a number (RFC 8259 §6); 0 when it is no part of it. */
function numberState(state: number, character: string): number {
  const digit = isDigit(character);
  switch (state) {
    case MINUS:
      return character === "0" ? ZERO : digit ? INTEGER : 0;
    case POINT:
      return digit ? FRACTION : 0;
    case EXPONENT:
      return digit ? EXPONENT_DIGITS : character === "+" || character === "-" ? EXPONENT_SIGN : 0;
    case EXPONENT_SIGN:
    case EXPONENT_DIGITS:
      return digit ? EXPONENT_DIGITS : 0;
    case INTEGER:
      if (digit) return INTEGER;
      break;
    case FRACTION:
      if (digit) return FRACTION;
      return character === "e" || character === "E" ? EXPONENT : 0;
  }
  // Behind the integer part.
  if (character === ".") return POINT;
  return character === "e" || character === "E" ? EXPONENT : 0;
}
