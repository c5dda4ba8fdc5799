import { type Output, putUtf8 } from "../output.js";

/** Up to here a string is written unit by unit: a call of the host's encoder costs as much. */
const SHORT = 64;
/** Room that a name, a number or another scalar takes when it is short. */
export const ROOM = 3 * SHORT + 9;

/** Lead bytes of containers: of up to 15 members, and of 16-bit sizes; that of 32 bits is the next one. */
export const ARRAY = 0x90;
export const MAP = 0x80;
const LARGE_ARRAY = 0xdc;
const LARGE_MAP = 0xde;

/** Writes items in their shortest form (docs/msgpack.md §3) behind what is in `out`. Room for short ones must be there, and is there again behind long ones. */
export class MsgpackItems {
  readonly out: Output;
  private view: DataView<ArrayBuffer>;

  constructor(out: Output) {
    this.out = out;
    this.view = new DataView(out.bytes.buffer);
  }

  byte(value: number): void {
    this.out.bytes[this.out.length++] = value;
  }

  /** The head of a container of n members. */
  head(kind: typeof ARRAY | typeof MAP, n: number): void {
    if (n < 16) this.byte(kind | n);
    else {
      const lead = kind === ARRAY ? LARGE_ARRAY : LARGE_MAP;
      if (n < 65536) this.sized(lead, n, 2);
      else this.sized(lead + 1, n, 4);
    }
  }

  /** Tells the number of members of a map that has the head of an empty one `head` bytes behind `out.from`, and all of them behind that. */
  setCount(head: number, n: number): void {
    const { out } = this;
    if (n < 16) {
      out.bytes[out.from + head] = MAP | n;
      return;
    }
    const more = n < 65536 ? 2 : 4;
    out.reserve(more);
    const at = out.from + head;
    out.bytes.copyWithin(at + 1 + more, at + 1, out.length);
    const end = out.length + more;
    out.length = at;
    this.head(MAP, n);
    out.length = end;
  }

  string(text: string): void {
    const { out } = this;
    const { length } = text;
    const before = out.length;
    if (length > SHORT) out.reserve(length + 5);
    // The size is told before the bytes are counted: for text of ASCII it holds.
    const head = headOf(length);
    out.length += head;
    if (length <= SHORT) out.length = putUtf8(out.bytes, out.length, text);
    else {
      const start = before - out.from;
      out.utf8(text);
      out.reserve(ROOM);
      this.closeString(start + out.from, head);
      return;
    }
    this.closeString(before, head);
  }

  /** A finite double. */
  number(value: number): void {
    if (Number.isSafeInteger(value)) {
      if (value > 0 || Object.is(value, 0)) this.positive(value);
      else if (value < 0) this.negative(value);
      else this.double(value);
    } else if (Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 64) this.large(BigInt(value));
    else this.double(value);
  }

  /** An integer of 64 bits, from -2^63 to 2^64-1, that is none of up to 32. */
  large(value: bigint): void {
    const at = this.out.length;
    this.out.bytes[at] = value < 0n ? 0xd3 : 0xcf;
    this.ready().setBigUint64(at + 1, BigInt.asUintN(64, value));
    this.out.length = at + 9;
  }

  private positive(value: number): void {
    if (value < 128) this.byte(value);
    else if (value < 256) this.sized(0xcc, value, 1);
    else if (value < 65536) this.sized(0xcd, value, 2);
    else if (value < 2 ** 32) this.sized(0xce, value, 4);
    else this.long(0xcf, value);
  }

  private negative(value: number): void {
    if (value >= -32) this.byte(value & 255);
    else if (value >= -128) this.sized(0xd0, value & 255, 1);
    else if (value >= -32768) this.sized(0xd1, value & 65535, 2);
    else if (value >= -(2 ** 31)) this.sized(0xd2, value, 4);
    else this.long(0xd3, value);
  }

  /** A safe integer in two's complement of 64 bits. */
  private long(lead: number, value: number): void {
    this.sized(lead, Math.floor(value / 2 ** 32), 4);
    const { bytes } = this.out;
    let at = this.out.length;
    bytes[at++] = value >>> 24;
    bytes[at++] = value >>> 16;
    bytes[at++] = value >>> 8;
    bytes[at++] = value;
    this.out.length = at;
  }

  private double(value: number): void {
    const isShort = Math.fround(value) === value;
    const at = this.out.length;
    const view = this.ready();
    this.out.bytes[at] = isShort ? 0xca : 0xcb;
    if (isShort) view.setFloat32(at + 1, value);
    else view.setFloat64(at + 1, value);
    this.out.length = at + (isShort ? 5 : 9);
  }

  private sized(lead: number, value: number, size: 1 | 2 | 4): void {
    const { bytes } = this.out;
    let at = this.out.length;
    bytes[at++] = lead;
    if (size === 4) {
      bytes[at++] = value >>> 24;
      bytes[at++] = value >>> 16;
    }
    if (size >= 2) bytes[at++] = value >>> 8;
    bytes[at++] = value;
    this.out.length = at;
  }

  /** Writes the head of a string whose bytes stand behind room for a head of `head` bytes at `before`. */
  private closeString(before: number, head: number): void {
    const { out } = this;
    const size = out.length - before - head;
    const needed = headOf(size);
    if (needed !== head) {
      out.reserve(needed - head);
      out.bytes.copyWithin(before + needed, before + head, out.length);
    }
    out.length = before;
    if (size < 32) this.byte(0xa0 | size);
    else if (size < 256) this.sized(0xd9, size, 1);
    else if (size < 65536) this.sized(0xda, size, 2);
    else this.sized(0xdb, size, 4);
    out.length += size;
  }

  /** The view of the buffer that is there now. */
  private ready(): DataView<ArrayBuffer> {
    if (this.view.buffer !== this.out.bytes.buffer) this.view = new DataView(this.out.bytes.buffer);
    return this.view;
  }
}

/** Bytes of the head of a string. */
function headOf(size: number): number {
  return size < 32 ? 1 : size < 256 ? 2 : size < 65536 ? 3 : 5;
}
