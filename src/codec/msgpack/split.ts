import { ByteBuffer } from "../bytes.js";
import type { Cutter, CutterSink } from "../cutter.js";

/** Bytes of size that follow the lead bytes C0 to DF, and further bytes (of a bin, str or ext as many more as the size says). */
const SIZES = [0, 0, 0, 0, 1, 2, 4, 1, 2, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 2, 4, 2, 4];
const BODIES = [0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 2, 3, 5, 9, 17, 0, 0, 0, 0, 0, 0, 0];

/**
 * Cuts a stream of MessagePack values into messages: each ends where its contents say, at every cut of the wire alike, and every byte is
 * looked at once. What kind of value a message is, and whether it is sound, is not its matter.
 *
 * A message that cannot be read to its end, for the byte C1 or for a container that opens a level too many, ends behind what tells:
 * a reader finds a fault there at the latest.
 */
export class MsgpackSplitter implements Cutter {
  offset = 0;
  skipping = false;
  private readonly limit: number;
  private readonly depth: number;
  private readonly held = new ByteBuffer();
  private start = 0;

  /** Items still to come per open level, outermost first; empty between messages. */
  private readonly levels: number[] = [];
  /** Bytes still to come of what has no items. */
  private body = 0;
  /** The lead byte whose size is being read, its bytes still to come, and the size so far. */
  private lead = 0;
  private sizeLeft = 0;
  private size = 0;

  /**
   * @param limit bytes of one message; judged by those that have come, whatever sizes are declared
   * @param depth levels of maps and arrays
   */
  constructor(limit: number, depth: number) {
    this.limit = limit;
    this.depth = depth;
  }

  get isPartial(): boolean {
    return this.levels.length > 0;
  }

  /** Cuts a chunk; stops when the sink says so, and counts the chunk as consumed all the same. */
  push(chunk: Uint8Array, sink: CutterSink): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.levels.length === 0) {
        this.levels.push(1);
        this.start = this.offset + at;
      }
      const end = this.scan(chunk, at);
      if (!this.endPiece(chunk, at, end, sink)) break;
      at = end;
    }
    this.offset += chunk.length;
  }

  drop(): void {
    this.close();
    this.skipping = false;
    this.held.clear();
  }

  /**
   * Wire bytes that bring a fresh splitter to the present state, but for `skipping`: those of the unfinished message, or, where these are
   * being skipped, others that stand for them.
   */
  partial(): Uint8Array {
    if (!this.skipping) return this.held.view().slice();
    const out: number[] = [];
    const sized = (lead: number, size: number): number =>
      out.push(lead, size >>> 24, (size >>> 16) & 255, (size >>> 8) & 255, size & 255);
    // The outermost level is the message itself.
    for (const left of this.levels.slice(1)) {
      // A map of 2^31 pairs and more has more items than an array can.
      if (left < 2 ** 32) sized(0xdd, left);
      else {
        sized(0xdf, Math.ceil(left / 2));
        if (left % 2 === 1) out.push(0xc0);
      }
    }
    if (this.body > 0) sized(0xc9, this.body - 1);
    if (this.sizeLeft > 0) {
      out.push(this.lead);
      for (let i = SIZES[this.lead - 0xc0]! - this.sizeLeft - 1; i >= 0; i--) out.push((this.size >>> (8 * i)) & 255);
    }
    return Uint8Array.from(out);
  }

  resume(partial: Uint8Array, offset: number, skipping: boolean): boolean {
    this.skipping = skipping;
    this.offset = offset - partial.length;
    // What stands for skipped bytes may be longer than they were.
    let isPart = skipping || this.offset >= 0;
    const stop = (): boolean => {
      isPart = false;
      return false;
    };
    this.push(partial, { message: stop, tooLarge: stop });
    return isPart && this.skipping === skipping && (this.isPartial || !skipping);
  }

  /** Deals with what `scan` went over. */
  private endPiece(chunk: Uint8Array, from: number, to: number, sink: CutterSink): boolean {
    const whole = this.levels.length === 0;
    if (this.skipping) {
      this.skipping = !whole;
      return true;
    }
    const { held } = this;
    if (held.length + to - from > this.limit) {
      held.clear();
      this.skipping = !whole;
      return sink.tooLarge(this.start);
    }
    if (whole && held.length === 0) return sink.message(chunk.subarray(from, to), this.start);
    held.append(chunk, from, to);
    if (!whole) return true;
    const message = held.view();
    held.clear();
    return sink.message(message, this.start);
  }

  private close(): void {
    this.levels.length = 0;
    this.body = 0;
    this.sizeLeft = 0;
  }

  /** Goes on in the message from `at`; returns where it ends (no level is left) or the chunk does. */
  private scan(chunk: Uint8Array, at: number): number {
    while (at < chunk.length && this.levels.length > 0) {
      if (this.body > 0) {
        const n = Math.min(this.body, chunk.length - at);
        at += n;
        this.body -= n;
        if (this.body === 0) this.endItem();
        continue;
      }
      const byte = chunk[at++]!;
      if (this.sizeLeft > 0) {
        this.size = this.size * 256 + byte;
        if (--this.sizeLeft === 0) this.begin(this.lead, this.size);
      } else if (byte < 0x80 || byte >= 0xe0) {
        this.endItem();
      } else if (byte < 0xa0) {
        this.begin(byte < 0x90 ? 0xde : 0xdc, byte & 15);
      } else if (byte < 0xc0) {
        this.begin(0xd9, byte & 31);
      } else if (byte === 0xc1) {
        this.close();
      } else if (SIZES[byte - 0xc0] === 0) {
        this.begin(byte, 0);
      } else {
        this.lead = byte;
        this.sizeLeft = SIZES[byte - 0xc0]!;
        this.size = 0;
      }
    }
    return at;
  }

  /** What a lead byte begins, once its size is known. */
  private begin(lead: number, size: number): void {
    if (lead < 0xdc) {
      this.body = size + BODIES[lead - 0xc0]!;
      if (this.body === 0) this.endItem();
    } else if (this.levels.length > this.depth) {
      this.close();
    } else if (size === 0) {
      this.endItem();
    } else {
      this.levels.push(lead < 0xde ? size : size * 2);
    }
  }

  /** An item is complete, and with it the containers whose last one it was. */
  private endItem(): void {
    for (let top = this.levels.length - 1; top >= 0; top--) {
      const left = this.levels[top]! - 1;
      this.levels[top] = left;
      if (left > 0) return;
      this.levels.pop();
    }
  }
}
