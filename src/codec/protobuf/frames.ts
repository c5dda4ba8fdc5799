import type { Cutter, CutterSink } from "../cutter.js";

const PREFIX = 4;
/** Bytes that are kept for the next unfinished frame. */
const KEPT = 64 * 1024;

/** Cuts a wire of frames, each a big-endian uint32 and as many bytes, at every cut alike. Memory is taken for bytes that have come, never for a length. */
export class LengthPrefixFrames implements Cutter {
  offset = 0;
  readonly #limit: number;
  /** Bytes of the unfinished frame, its length included; more than `#held` may be allocated. */
  #bytes: Uint8Array = new Uint8Array(0);
  #held = 0;
  /** Bytes of a frame that is too large which have not come yet. */
  #skip = 0;

  /** @param limit bytes of one payload */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get isPartial(): boolean {
    return this.#held > 0 || this.#skip > 0;
  }

  get skipping(): boolean {
    return this.#skip > 0;
  }

  /**
   * What brings fresh frames to the present state, but for `skipping`: the bytes of the unfinished frame with its length, or the number of
   * bytes that have yet to come of one that is passed over, as a big-endian uint32.
   */
  partial(): Uint8Array {
    if (this.#skip === 0) return this.#bytes.slice(0, this.#held);
    const out = new Uint8Array(PREFIX);
    new DataView(out.buffer).setUint32(0, this.#skip);
    return out;
  }

  resume(partial: Uint8Array, offset: number, skipping: boolean): boolean {
    if (skipping) {
      this.offset = offset;
      this.#skip = partial.length === PREFIX ? lengthAt(partial, 0) : 0;
      return this.#skip > 0;
    }
    this.offset = offset - partial.length;
    let isPart = this.offset >= 0;
    const stop = (): boolean => {
      isPart = false;
      return false;
    };
    this.push(partial, { message: stop, tooLarge: stop });
    return isPart;
  }

  drop(): void {
    this.#held = 0;
    this.#skip = 0;
    if (this.#bytes.length > KEPT) this.#bytes = new Uint8Array(0);
  }

  /** Cuts a chunk. Stops behind the frame or the fault at which the sink said so; the rest of the chunk is not looked at. */
  push(chunk: Uint8Array, sink: CutterSink): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#skip > 0) {
        const n = Math.min(this.#skip, chunk.length - at);
        this.#skip -= n;
        at += n;
        continue;
      }
      if (this.#held < PREFIX) {
        const n = Math.min(PREFIX - this.#held, chunk.length - at);
        if (n < PREFIX || this.#held > 0) {
          this.#hold(chunk, at, n);
          at += n;
          if (this.#held < PREFIX) break;
        }
      }
      const isHeld = this.#held > 0;
      const length = isHeld ? lengthAt(this.#bytes, 0) : lengthAt(chunk, at);
      const begin = this.offset + at - this.#held;
      if (length > this.#limit) {
        this.#skip = length;
        this.#held = 0;
        if (!isHeld) at += PREFIX;
        if (!sink.tooLarge(begin)) break;
        continue;
      }
      if (!isHeld && chunk.length - at - PREFIX >= length) {
        const payload = chunk.subarray(at + PREFIX, at + PREFIX + length);
        at += PREFIX + length;
        if (!sink.message(payload, begin + PREFIX)) break;
        continue;
      }
      const n = Math.min(PREFIX + length - this.#held, chunk.length - at);
      this.#hold(chunk, at, n);
      at += n;
      if (this.#held < PREFIX + length) break;
      this.#held = 0;
      const payload = this.#bytes.subarray(PREFIX, PREFIX + length);
      if (this.#bytes.length > KEPT) this.#bytes = new Uint8Array(0);
      if (!sink.message(payload, begin + PREFIX)) break;
    }
    this.offset += at;
  }

  #hold(chunk: Uint8Array, at: number, n: number): void {
    if (this.#held + n > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(256, (this.#held + n) * 2));
      grown.set(this.#bytes.subarray(0, this.#held));
      this.#bytes = grown;
    }
    this.#bytes.set(chunk.subarray(at, at + n), this.#held);
    this.#held += n;
  }
}

function lengthAt(bytes: Uint8Array, at: number): number {
  return bytes[at]! * 0x1000000 + ((bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!);
}
