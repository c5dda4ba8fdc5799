const encoder = new TextEncoder();

/**
 * Protobuf bytes, written from the last one to the first: a length is known when it is due. What is written later stands in front.
 */
export class BackwardBytes {
  #bytes = new Uint8Array(256);
  #start = 256;

  /** Bytes so far. */
  get size(): number {
    return this.#bytes.length - this.#start;
  }

  /** The bytes, as a copy. */
  finish(): Uint8Array {
    return this.#bytes.slice(this.#start);
  }

  /** Makes room for `n` bytes in front and answers where they end. */
  #reserve(n: number): number {
    if (n > this.#start) {
      const size = this.size;
      const grown = new Uint8Array(Math.max((size + n) * 2, 512));
      grown.set(this.#bytes.subarray(this.#start), grown.length - size);
      this.#bytes = grown;
      this.#start = grown.length - size;
    }
    return this.#start;
  }

  /** A varint from 0 to 2^53-1. */
  varint(value: number): void {
    let size = 1;
    for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++;
    let at = this.#reserve(size) - size;
    this.#start = at;
    for (; size > 1; size--) {
      this.#bytes[at++] = (value % 128) | 128;
      value = Math.floor(value / 128);
    }
    this.#bytes[at] = value;
  }

  /** A signed integer of 64 bits within ±(2^53-1): two's complement, ten bytes when it is negative. */
  int64(value: number): void {
    if (value >= 0) {
      this.varint(value);
      return;
    }
    let bits = BigInt.asUintN(64, BigInt(value));
    let at = this.#reserve(10) - 10;
    this.#start = at;
    for (let i = 0; i < 9; i++, bits >>= 7n) this.#bytes[at++] = Number(bits & 127n) | 128;
    this.#bytes[at] = Number(bits);
  }

  double(value: number): void {
    this.#start = this.#reserve(8) - 8;
    new DataView(this.#bytes.buffer).setFloat64(this.#start, value, true);
  }

  /** A tag, a length and UTF-8; lone halves of characters become U+FFFD. */
  string(tag: number, text: string): void {
    const end = this.#reserve(text.length * 3);
    const room = this.#bytes.subarray(end - text.length * 3, end);
    const { written } = encoder.encodeInto(text, room);
    room.copyWithin(room.length - written, 0, written);
    this.#start = end - written;
    this.varint(written);
    this.varint(tag);
  }

  /** Closes what began when there were `before` bytes: its length and its tag. */
  close(tag: number, before: number): void {
    this.varint(this.size - before);
    this.varint(tag);
  }
}
