import { ByteBuffer } from "../bytes.js";
import type { Cutter, CutterSink } from "../cutter.js";

const PREFIX = 4;

/** Cuts a wire of frames, each a big-endian uint32 and as many bytes, at every cut alike. Memory is taken for bytes that have come, never for a length. */
export class LengthPrefixFrames implements Cutter {
  offset = 0;
  readonly #limit: number;
  /** The unfinished frame, its length included. */
  readonly #held = new ByteBuffer();
  /** Bytes of a frame that is too large which have not come yet. */
  #skip = 0;

  /** @param limit bytes of one payload */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get isPartial(): boolean {
    return this.#held.length > 0 || this.#skip > 0;
  }

  get skipping(): boolean {
    return this.#skip > 0;
  }

  /**
   * What brings fresh frames to the present state, but for `skipping`: the bytes of the unfinished frame with its length, or the number of
   * bytes that have yet to come of one that is passed over, as a big-endian uint32.
   */
  partial(): Uint8Array {
    if (this.#skip === 0) return this.#held.view().slice();
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
    this.#held.clear();
    this.#skip = 0;
  }

  /** Cuts a chunk. Stops behind the frame or the fault at which the sink said so; the rest of the chunk is not looked at. */
  push(chunk: Uint8Array, sink: CutterSink): void {
    const held = this.#held;
    let at = 0;
    while (at < chunk.length) {
      if (this.#skip > 0) {
        const n = Math.min(this.#skip, chunk.length - at);
        this.#skip -= n;
        at += n;
        continue;
      }
      if (held.length < PREFIX) {
        const n = Math.min(PREFIX - held.length, chunk.length - at);
        if (n < PREFIX || held.length > 0) {
          held.append(chunk, at, at + n);
          at += n;
          if (held.length < PREFIX) break;
        }
      }
      const isHeld = held.length > 0;
      const length = isHeld ? lengthAt(held.view(), 0) : lengthAt(chunk, at);
      const begin = this.offset + at - held.length;
      if (length > this.#limit) {
        this.#skip = length;
        held.clear();
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
      const n = Math.min(PREFIX + length - held.length, chunk.length - at);
      held.append(chunk, at, at + n);
      at += n;
      if (held.length < PREFIX + length) break;
      const payload = held.view().subarray(PREFIX);
      held.clear();
      if (!sink.message(payload, begin + PREFIX)) break;
    }
    this.offset += at;
  }
}

function lengthAt(bytes: Uint8Array, at: number): number {
  return bytes[at]! * 0x1000000 + ((bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!);
}
