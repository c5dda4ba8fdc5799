import { givePages, PAGE, takePage } from "./pages.js";

/** Of chunks that are ours, those up to this size are gathered in pages, too; larger ones are kept as they came. */
const SMALL = 16 * 1024;

interface Segment {
  /** Where it begins in the log. */
  at: number;
  bytes: Uint8Array;
  /** The page that it lies on. */
  page: Uint8Array | undefined;
}

/** The bytes of a log, in the order they came. */
export class Log {
  /** Where it ends: places count from the first byte that has ever come. */
  length = 0;
  /** Where it begins. */
  begin = 0;
  readonly #segments: Segment[] = [];
  /** Each chunk is one message: none is joined with another one. */
  readonly #whole: boolean;
  /** Chunks are ours. */
  readonly #owned: boolean;

  constructor(whole: boolean, owned: boolean) {
    this.#whole = whole;
    this.#owned = owned;
  }

  /** @param chunk not empty; one that is ours is not to be changed afterwards */
  append(chunk: Uint8Array): void {
    if (this.#whole || (this.#owned && chunk.length > SMALL)) {
      this.#segments.push({ at: this.length, bytes: this.#owned ? chunk : new Uint8Array(chunk), page: undefined });
      this.length += chunk.length;
      return;
    }
    for (let from = 0; from < chunk.length; ) {
      const { page, used } = this.#room();
      const part = chunk.subarray(from, from + PAGE - used);
      page.set(part, used);
      const last = this.#segments.at(-1);
      if (used > 0 && last?.page === page) last.bytes = page.subarray(last.bytes.byteOffset, used + part.length);
      else this.#segments.push({ at: this.length, bytes: page.subarray(used, used + part.length), page });
      from += part.length;
      this.length += part.length;
    }
  }

  /** A page that has room, and where. */
  #room(): { page: Uint8Array; used: number } {
    const last = this.#segments.at(-1);
    if (last?.page !== undefined) {
      const used = last.bytes.byteOffset + last.bytes.length;
      if (used < PAGE) return { page: last.page, used };
    }
    return { page: takePage(), used: 0 };
  }

  /** Forgets what lies behind a place. */
  truncate(length: number): void {
    const segments = this.#segments;
    while (segments.length > 0 && segments.at(-1)!.at >= length) segments.pop();
    this.length = length;
    const last = segments.at(-1);
    if (last !== undefined) last.bytes = last.bytes.subarray(0, length - last.at);
  }

  /** Forgets what lies before a place; nobody reads it any more. */
  trim(place: number): void {
    this.begin = place;
    const gone = this.#segments.splice(0, this.#indexOf(place));
    givePages(gone.flatMap(({ page }) => page ?? []));
  }

  /** Forgets everything; nobody reads it any more. */
  release(): void {
    givePages(this.#segments.flatMap(({ page }) => page ?? []));
    this.#segments.length = 0;
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
