/** A run of bytes, as offsets. A message that stands on the wire several times is the list of its runs. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Why bytes could not be read. */
export type ReadFault = "malformed" | "unknown" | "too-deep";

/** Thrown inside of the reader: the fault and the offset of the field, or of the message, that it is about. */
export class Unreadable {
  readonly fault: ReadFault;
  readonly offset: number;

  constructor(fault: ReadFault, offset: number) {
    this.fault = fault;
    this.offset = offset;
  }
}

export const VARINT = 0;
export const FIXED64 = 1;
export const LENGTH = 2;
const GROUP = 3;
const END_GROUP = 4;
const FIXED32 = 5;

/** Nested groups that are followed; deeper ones are malformed. */
const DEEPEST_GROUP = 100;

/** Reads the primitives of the protobuf wire. Every method that takes an `end` answers with the offset behind what it read, -1 when that does not stand before `end`. */
export class Wire {
  readonly bytes: Uint8Array;
  /** The halves of the last varint, both unsigned. */
  low = 0;
  high = 0;
  /** Made when it is needed: few events have doubles. */
  #view: DataView | undefined;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** A varint of at most 64 bits. */
  varint(at: number, end: number): number {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70 && at < end; shift += 7) {
      const byte = this.bytes[at++]!;
      // The tenth byte has one bit left.
      if (shift === 63 && byte > 1) return -1;
      const bits = byte & 127;
      if (shift < 28) low |= bits << shift;
      else if (shift > 28) high |= bits << (shift - 32);
      else {
        low |= bits << 28;
        high = bits >> 4;
      }
      if (byte < 128) {
        this.low = low >>> 0;
        this.high = high >>> 0;
        return at;
      }
    }
    return -1;
  }

  /** A tag or a length into `low`: at most five bytes and 32 bits. */
  varint32(at: number, end: number): number {
    const byte = this.bytes[at]!;
    if (at < end && byte < 128) {
      this.low = byte;
      return at + 1;
    }
    const next = this.varint(at, Math.min(end, at + 5));
    return next < 0 || this.high !== 0 ? -1 : next;
  }

  /** A tag into `low`; field number 0 is none. */
  tag(at: number, end: number): number {
    const next = this.varint32(at, end);
    return this.low < 8 ? -1 : next;
  }

  /** The length of a payload into `low`; the answer is where the payload begins. */
  length(at: number, end: number): number {
    const next = this.varint32(at, end);
    return next < 0 || end - next < this.low ? -1 : next;
  }

  /** The value of a field whose tag was read. */
  skip(tag: number, at: number, end: number): number {
    switch (tag & 7) {
      case VARINT:
        return this.varint(at, end);
      case FIXED64:
        return at + 8 <= end ? at + 8 : -1;
      case FIXED32:
        return at + 4 <= end ? at + 4 : -1;
      case LENGTH: {
        const next = this.length(at, end);
        return next < 0 ? -1 : next + this.low;
      }
      case GROUP:
        return this.#skipGroup(tag >>> 3, at, end);
      default:
        return -1;
    }
  }

  #skipGroup(number: number, at: number, end: number): number {
    const open = [number];
    while (open.length > 0) {
      at = this.tag(at, end);
      if (at < 0) return -1;
      const tag = this.low;
      const wire = tag & 7;
      if (wire === END_GROUP) {
        if (open.pop() !== tag >>> 3) return -1;
      } else if (wire === GROUP) {
        if (open.push(tag >>> 3) > DEEPEST_GROUP) return -1;
      } else {
        at = this.skip(tag, at, end);
        if (at < 0) return -1;
      }
    }
    return at;
  }

  /** The last varint as a signed integer of 64 bits; undefined when a double is not exact for it. */
  exactInteger(): number | undefined {
    const value = (this.high | 0) * 0x100000000 + this.low;
    return Number.isSafeInteger(value) ? value : undefined;
  }

  double(at: number): number {
    const { bytes } = this;
    this.#view ??= new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return this.#view.getFloat64(at, true);
  }
}
