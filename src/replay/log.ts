/** Chunks up to this size are gathered in blocks; larger ones are kept as they came. */
const SMALL = 16 * 1024;
const BLOCK = 64 * 1024;

interface Segment {
  /** Where it begins in the log. */
  at: number;
  bytes: Uint8Array;
}

/** The bytes of a log, in the order they came. */
export class Log {
  /** Bytes so far. */
  length = 0;
  readonly #segments: Segment[] = [];
  /** Each chunk is one message: none is joined with another one. */
  readonly #whole: boolean;
  /** The block that small chunks go into, and how much of it is taken. */
  #block = new Uint8Array(0);
  #used = 0;

  constructor(whole: boolean) {
    this.#whole = whole;
  }

  /** @param chunk not empty, not to be changed afterwards */
  append(chunk: Uint8Array): void {
    if (this.#whole || chunk.length > SMALL) this.#segments.push({ at: this.length, bytes: chunk });
    else this.#gather(chunk);
    this.length += chunk.length;
  }

  #gather(chunk: Uint8Array): void {
    const last = this.#segments.at(-1);
    const goesOn = last !== undefined && last.bytes.buffer === this.#block.buffer;
    if (!goesOn || this.#used + chunk.length > this.#block.length) {
      if (this.#used + chunk.length > this.#block.length) {
        this.#block = new Uint8Array(BLOCK);
        this.#used = 0;
      }
      this.#segments.push({ at: this.length, bytes: this.#block.subarray(this.#used, this.#used) });
    }
    this.#block.set(chunk, this.#used);
    this.#used += chunk.length;
    const segment = this.#segments.at(-1)!;
    const from = segment.bytes.byteOffset;
    segment.bytes = this.#block.subarray(from, from + segment.bytes.length + chunk.length);
  }

  /** Forgets what lies behind a place. */
  truncate(length: number): void {
    const segments = this.#segments;
    while (segments.length > 0 && segments.at(-1)!.at >= length) segments.pop();
    this.length = length;
    const last = segments.at(-1);
    if (last === undefined) return;
    last.bytes = last.bytes.subarray(0, length - last.at);
    // small chunks go on behind what is left
    if (last.bytes.buffer === this.#block.buffer) this.#used = last.bytes.byteOffset + last.bytes.length;
  }

  /** The bytes [from, to) in pieces of at most `size`; where chunks are messages, each whole one is one piece. */
  *pieces(from: number, to: number, size = Number.POSITIVE_INFINITY): Generator<Uint8Array> {
    const most = this.#whole ? Number.POSITIVE_INFINITY : size;
    for (let i = this.#indexOf(from); i < this.#segments.length; i++) {
      const { at, bytes } = this.#segments[i]!;
      if (at >= to) return;
      const end = Math.min(to - at, bytes.length);
      for (let start = Math.max(from - at, 0); start < end; start += most) {
        yield bytes.subarray(start, Math.min(start + most, end));
      }
    }
  }

  /** Bytes of the byte order mark at a place, where a body begins: 3 or none. */
  byteOrderMark(from: number): number {
    const first = [...this.pieces(from, from + 3)].flatMap((piece) => [...piece]);
    return first[0] === 0xef && first[1] === 0xbb && first[2] === 0xbf ? 3 : 0;
  }

  /** The first segment that holds something at or behind a place. */
  #indexOf(place: number): number {
    let low = 0;
    let high = this.#segments.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const { at, bytes } = this.#segments[middle]!;
      if (at + bytes.length <= place) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
