import type { Cutter } from "../codec/cutter.js";
import { MsgpackSplitter } from "../codec/msgpack/index.js";
import { LengthPrefixFrames } from "../codec/protobuf/frames.js";
import type { Transport } from "../engine/contract.js";
import type { Limits } from "../limits.js";

const LF = 10;
const CR = 13;

/** Finds places in the wire that no message stands across, from one such place on; between two of them is one message at most. */
export interface Cuts {
  /**
   * @param chunk the bytes behind those of the last call
   * @returns places in the chunk, ascending, each behind a byte
   */
  in(chunk: Uint8Array): number[];
}

/**
 * The cuts of a wire.
 *
 * @param anywhere a text wire is read from some place on, perhaps in the middle of a message
 */
export function cutsOf(transport: Transport, limits: Limits, anywhere = false): Cuts {
  switch (transport) {
    case "sse":
      return new BlankLines(!anywhere);
    case "ndjson":
      return new Lines();
    case "msgpack":
      return new Messages(new MsgpackSplitter(limits.messageBytes, limits.depth));
    case "protobuf":
      return new Messages(new LengthPrefixFrames(limits.messageBytes));
    case "json":
      return { in: (chunk) => [chunk.length] };
  }
}

/** NDJSON: every line is a message or none. */
class Lines implements Cuts {
  in(chunk: Uint8Array): number[] {
    const places: number[] = [];
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, at + 1)) places.push(at + 1);
    return places;
  }
}

/** Server-sent events: a blank line ends each. */
class BlankLines implements Cuts {
  /** The present line has no bytes. */
  #blank: boolean;
  /** The last byte was a CR: an LF behind it belongs to it. */
  #afterCr = false;
  /** The last line was blank. */
  #ended = false;

  constructor(blank: boolean) {
    this.#blank = blank;
  }

  in(chunk: Uint8Array): number[] {
    const places: number[] = [];
    const mixed = this.#afterCr || chunk.includes(CR);
    let start = 0;
    while (start < chunk.length) {
      const end = mixed ? lineEnd(chunk, start) : chunk.indexOf(LF, start);
      if (end < 0) break;
      const isLate = this.#afterCr && end === start && chunk[end] === LF;
      if (!isLate) this.#ended = this.#blank && end === start;
      if (this.#ended) places.push(end + 1);
      this.#blank = true;
      this.#afterCr = chunk[end] === CR;
      start = end + 1;
    }
    if (start < chunk.length) {
      this.#blank = false;
      this.#afterCr = false;
    }
    return places;
  }
}

function lineEnd(chunk: Uint8Array, from: number): number {
  for (let at = from; at < chunk.length; at++) if (chunk[at] === LF || chunk[at] === CR) return at;
  return -1;
}

/** Messages of a binary wire. */
class Messages implements Cuts {
  readonly #cutter: Cutter;

  constructor(cutter: Cutter) {
    this.#cutter = cutter;
  }

  in(chunk: Uint8Array): number[] {
    const places: number[] = [];
    const begin = this.#cutter.offset;
    this.#cutter.push(chunk, {
      message(bytes, offset) {
        places.push(offset + bytes.length - begin);
        return true;
      },
      // its rest is passed over, and ends with the next message at the latest
      tooLarge: () => true,
    });
    return places;
  }
}
