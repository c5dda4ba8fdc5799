const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Indents compact JSON by two spaces. It works on the text, piece by piece, so numbers keep their digits and members their
 * order, and a large model needs no second copy as objects.
 */
export class Indenter {
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** A bracket was opened and nothing has followed yet. */
  #fresh = false;

  /**
   * @param json the next piece of compact, valid JSON as UTF-8
   * @returns that piece, indented
   */
  indent(json: Uint8Array): Uint8Array {
    const out: Uint8Array[] = [];
    let from = 0;
    const cut = (to: number, ...inserted: string[]): void => {
      out.push(json.subarray(from, to), ...inserted.map((text) => Buffer.from(text)));
      from = to;
    };
    for (let at = 0; at < json.length; at++) {
      const byte = json[at]!;
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inString = false;
        continue;
      }
      const closes = byte === CLOSE_BRACKET || byte === CLOSE_BRACE;
      if (closes) this.#depth--;
      if (closes ? !this.#fresh : this.#fresh) cut(at, this.#newLine());
      this.#fresh = byte === OPEN_BRACKET || byte === OPEN_BRACE;
      if (this.#fresh) this.#depth++;
      else if (byte === COMMA) cut(at + 1, this.#newLine());
      else if (byte === COLON) cut(at + 1, " ");
      else if (byte === QUOTE) this.#inString = true;
    }
    cut(json.length);
    return Buffer.concat(out);
  }

  #newLine(): string {
    return `\n${"  ".repeat(this.#depth)}`;
  }
}
