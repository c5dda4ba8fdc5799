import type { Bytes } from "../bytes.js";
import { usageError } from "../errors.js";
import { Unwritable } from "./unwritable.js";

const encoder = /* @__PURE__ */ new TextEncoder();

/**
 * Bytes in the making, in a buffer that grows. What stands before `from` is done with: it stays behind when the buffer grows.
 * `bytes` is another buffer then, and `length` and `from` move, so nobody keeps them over a call that may grow it.
 */
export class Output {
  bytes: Bytes;
  /** Where the next byte goes. */
  length = 0;
  /** Where the bytes begin that must be kept. */
  from = 0;
  private readonly least: number;

  /** @param least bytes of a buffer at least */
  constructor(least: number) {
    this.least = least;
    this.bytes = new Uint8Array(least);
  }

  /** Makes room for `more` bytes behind `length`. Throws Unwritable. */
  reserve(more: number): void {
    if (this.length + more > this.bytes.length) this.grow(more);
  }

  /** Bytes from `from` on, in a buffer of their own. */
  copy(): Bytes {
    return this.bytes.slice(this.from, this.length);
  }

  /** Begins anew in a buffer of the least size. */
  renew(): void {
    this.bytes = new Uint8Array(this.least);
    this.length = 0;
    this.from = 0;
  }

  /** Appends the UTF-8 of a string by a call of the host's encoder; lone halves of characters become U+FFFD. */
  utf8(text: string): void {
    const { length } = text;
    this.reserve(length);
    let { read, written } = encoder.encodeInto(text, this.bytes.subarray(this.length));
    this.length += written;
    if (read === length) return;
    const rest = text.slice(read);
    this.reserve(3 * rest.length);
    ({ read, written } = encoder.encodeInto(rest, this.bytes.subarray(this.length)));
    this.length += written;
  }

  private grow(more: number): void {
    const kept = this.length - this.from;
    let grown: Bytes;
    try {
      grown = new Uint8Array(Math.max(this.least, kept + more, 2 * kept));
    } catch (cause) {
      throw new Unwritable("out_of_memory", "", cause);
    }
    grown.set(this.bytes.subarray(this.from, this.length));
    this.bytes = grown;
    this.length = kept;
    this.from = 0;
  }
}

/** Pieces of bytes as one, in a buffer of their own. @throws StreamfoldError `out_of_memory` */
export function concatenate(parts: readonly Uint8Array[]): Bytes {
  const all = bytesFor(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function bytesFor(length: number): Bytes {
  try {
    return new Uint8Array(length);
  } catch (cause) {
    const fault = usageError("out_of_memory");
    fault.cause = cause;
    throw fault;
  }
}

/** Writes a string of ASCII; room must be there. Returns the offset behind it. */
export function putAscii(bytes: Uint8Array, at: number, text: string): number {
  for (let i = 0; i < text.length; i++) bytes[at++] = text.charCodeAt(i);
  return at;
}

/** Writes the UTF-8 of a string unit by unit, for which 3 bytes a unit must be there; lone halves become U+FFFD. Returns the offset behind it. */
export function putUtf8(bytes: Uint8Array, at: number, text: string): number {
  const { length } = text;
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes[at++] = unit;
    else {
      let point = unit;
      if ((unit & 0xf800) === 0xd800) {
        point = text.codePointAt(i)!;
        if (point > 0xffff) i++;
        else point = 0xfffd;
      }
      at = putPoint(bytes, at, point);
    }
  }
  return at;
}

/** Writes a code point from U+0080 on. */
export function putPoint(bytes: Uint8Array, at: number, point: number): number {
  if (point < 0x800) {
    bytes[at++] = 0xc0 | (point >> 6);
  } else {
    if (point < 0x10000) {
      bytes[at++] = 0xe0 | (point >> 12);
    } else {
      bytes[at++] = 0xf0 | (point >> 18);
      bytes[at++] = 0x80 | ((point >> 12) & 63);
    }
    bytes[at++] = 0x80 | ((point >> 6) & 63);
  }
  bytes[at++] = 0x80 | (point & 63);
  return at;
}
