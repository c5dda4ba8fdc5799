import type { Bytes } from "../bytes.js";
import { encodeUtf8 } from "./text.js";

/** Bytes of a buffer that results share; it is left behind when it is full. */
export const POOL = 16 * 1024;
/** Results that share are smaller; a larger one would hold its neighbours in memory for too long. */
export const POOLED = POOL / 4;

const encoder = /* @__PURE__ */ new TextEncoder();

/**
 * Hands out small results as parts of larger buffers, which are never written to again at that place: with a buffer of its own, a result of 150 bytes
 * costs 300 ns and more for the collector, as a part of a larger one 60 ns.
 */
export class ResultPool {
  private bytes: Bytes = new Uint8Array(0);
  private buffer = this.bytes.buffer;
  /** Bytes that have been handed out. */
  private length = 0;

  /** The bytes of `source`; many have a buffer of their own. */
  copy(source: Uint8Array): Bytes {
    const { length } = source;
    if (length >= POOLED) return source.slice();
    this.reserve(length);
    this.bytes.set(source, this.length);
    return this.take(length);
  }

  /** The UTF-8 of a string; lone halves of characters become U+FFFD. */
  utf8(text: string): Bytes {
    const most = 3 * text.length;
    if (most >= POOLED) return encodeUtf8(text);
    this.reserve(most);
    return this.take(encoder.encodeInto(text, this.bytes.subarray(this.length)).written);
  }

  private reserve(size: number): void {
    if (this.length + size <= this.bytes.length) return;
    this.bytes = new Uint8Array(POOL);
    this.buffer = this.bytes.buffer;
    this.length = 0;
  }

  private take(size: number): Bytes {
    const from = this.length;
    this.length += size;
    // a third of the time of subarray
    return new Uint8Array(this.buffer, from, size);
  }
}
