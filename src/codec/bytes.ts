/** Capacity that is kept when a buffer is emptied. */
const KEPT = 64 * 1024;

/** A byte buffer that grows by doubling, so that any number of small pieces costs linear time. */
export class ByteBuffer {
  private bytes: Uint8Array = new Uint8Array(0);
  length = 0;

  append(source: Uint8Array, from: number, to: number): void {
    this.reserve(this.length + to - from);
    this.bytes.set(source.subarray(from, to), this.length);
    this.length += to - from;
  }

  appendByte(byte: number): void {
    this.reserve(this.length + 1);
    this.bytes[this.length++] = byte;
  }

  /** The content; valid until something is appended. */
  view(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  /** Forgets the content; the bytes of a view stay until something is appended. */
  clear(): void {
    this.length = 0;
    if (this.bytes.length > KEPT) this.bytes = new Uint8Array(0);
  }

  private reserve(length: number): void {
    if (length <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(256, length, this.bytes.length * 2));
    grown.set(this.view());
    this.bytes = grown;
  }
}
