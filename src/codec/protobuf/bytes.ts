import { putUtf8 } from "../output.js";
import { Unwritable } from "../unwritable.js";

const encoder = /* @__PURE__ */ new TextEncoder();

/** Up to here a string is written unit by unit: a call of the host's encoder costs as much. */
const SHORT = 96;
/** Room for a short string, its length and its tag, or for any number and its tag. */
const ROOM = 3 * SHORT + 16;

/**
 * Protobuf bytes, written from the last one to the first: a length is known when it is due. What is written later stands in front.
 */
export class BackwardBytes {
  private bytes = new Uint8Array(1024);
  private view = new DataView(this.bytes.buffer);
  private start = 1024;

  /** Bytes so far. */
  get size(): number {
    return this.bytes.length - this.start;
  }

  /** Begins anew; the buffer stays unless it has grown beyond `kept` bytes. */
  clear(kept: number): void {
    if (this.bytes.length > kept) this.replace(new Uint8Array(1024));
    this.start = this.bytes.length;
  }

  /** The bytes, as a copy. */
  copy(): Uint8Array {
    return this.bytes.slice(this.start);
  }

  /** Writes the bytes to where room is for them. */
  copyTo(target: Uint8Array, at: number): void {
    const { bytes, start } = this;
    const end = bytes.length;
    if (end - start > SHORT) target.set(bytes.subarray(start), at);
    else for (let i = start; i < end; i++) target[at++] = bytes[i]!;
  }

  /** A varint from 0 to 2^53-1. */
  varint(value: number): void {
    if (this.start < ROOM) this.grow(ROOM);
    if (value < 128) {
      this.bytes[--this.start] = value;
      return;
    }
    let size = 1;
    for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++;
    let at = this.start - size;
    this.start = at;
    for (; size > 1; size--) {
      this.bytes[at++] = (value % 128) | 128;
      value = Math.floor(value / 128);
    }
    this.bytes[at] = value;
  }

  /** A signed integer of 64 bits within ±(2^53-1): two's complement, ten bytes when it is negative. */
  int64(value: number): void {
    if (value >= 0) {
      this.varint(value);
      return;
    }
    if (this.start < ROOM) this.grow(ROOM);
    let bits = BigInt.asUintN(64, BigInt(value));
    let at = this.start - 10;
    this.start = at;
    for (let i = 0; i < 9; i++, bits >>= 7n) this.bytes[at++] = Number(bits & 127n) | 128;
    this.bytes[at] = Number(bits);
  }

  double(value: number): void {
    if (this.start < ROOM) this.grow(ROOM);
    this.start -= 8;
    this.view.setFloat64(this.start, value, true);
  }

  /** A tag, a length and UTF-8; lone halves of characters become U+FFFD. */
  string(tag: number, text: string): void {
    const { length } = text;
    if (length > SHORT) this.longText(text);
    else {
      if (this.start < ROOM) this.grow(ROOM);
      const { bytes } = this;
      const end = this.start;
      let at = end;
      for (let i = length - 1; i >= 0; i--) {
        const unit = text.charCodeAt(i);
        if (unit >= 0x80) {
          // The rest is counted in the other direction.
          const rest = putUtf8(SCRATCH, 0, text.slice(0, i + 1));
          at -= rest;
          for (let j = 0; j < rest; j++) bytes[at + j] = SCRATCH[j]!;
          break;
        }
        bytes[--at] = unit;
      }
      this.start = at;
      if (end - at < 128 && tag < 128) {
        bytes[at - 1] = end - at;
        bytes[at - 2] = tag;
        this.start = at - 2;
        return;
      }
      this.varint(end - at);
      this.varint(tag);
      return;
    }
    this.varint(this.written);
    this.varint(tag);
  }

  /** Closes what began when there were `before` bytes: its length and its tag. */
  close(tag: number, before: number): void {
    this.varint(this.size - before);
    this.varint(tag);
  }

  /** Bytes of the last long text. */
  private written = 0;

  private longText(text: string): void {
    const { length } = text;
    if (this.start < length) this.grow(length);
    // Where it is ASCII, it stands where it belongs.
    const at = this.start - length;
    let { read, written } = encoder.encodeInto(text, this.bytes.subarray(at, this.start));
    if (read < length || written < length) {
      if (this.start < 3 * length) this.grow(3 * length);
      const room = this.bytes.subarray(this.start - 3 * length, this.start);
      ({ read, written } = encoder.encodeInto(text, room));
      room.copyWithin(room.length - written, 0, written);
    }
    this.written = written;
    this.start -= written;
  }

  private grow(more: number): void {
    const { size } = this;
    let grown: Uint8Array<ArrayBuffer>;
    try {
      grown = new Uint8Array((size + more) * 2);
    } catch (cause) {
      throw new Unwritable("out_of_memory", "", cause);
    }
    grown.set(this.bytes.subarray(this.start), grown.length - size);
    this.replace(grown);
    this.start = grown.length - size;
  }

  private replace(bytes: Uint8Array<ArrayBuffer>): void {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer);
  }
}

/** Holds a short string that is not ASCII. */
const SCRATCH = /* @__PURE__ */ new Uint8Array(3 * SHORT);
