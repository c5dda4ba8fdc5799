import { ExactNumber } from "../../json/exact.js";
import { decimalOf } from "../../json/number.js";
import type { JsonObject } from "../../json/object.js";
import { utf8Length } from "../../json/text.js";
import { MsgpackFault } from "./fault.js";

const encoder = /* @__PURE__ */ new TextEncoder();

const LEAST_INTEGER = -(2n ** 63n);
const GREATEST_INTEGER = 2n ** 64n - 1n;
/** Up to here a string is written unit by unit: a call of the encoder costs as much. */
const SHORT = 24;

/**
 * Writes a JSON value as MessagePack in its shortest form (docs/msgpack.md): the same bytes for the same value.
 *
 * @param value plain objects, arrays, strings, finite numbers, booleans, null and `ExactNumber`s; nested to any depth
 * @param orders the order of members of objects whose names JavaScript lists otherwise, as `readOrdered` tells it
 * @returns bytes of the caller's own; a `MsgpackFault` with reason `range` for a number beyond the range of a double
 */
export function writeMsgpack(value: unknown, orders?: ReadonlyMap<object, string[]>): Uint8Array | MsgpackFault {
  try {
    return new Writer(orders).write(value);
  } catch (fault) {
    if (fault instanceof MsgpackFault) return fault;
    throw fault;
  }
}

class Writer {
  private bytes = new Uint8Array(256);
  private view = new DataView(this.bytes.buffer);
  private length = 0;
  private readonly orders: ReadonlyMap<object, string[]> | undefined;

  constructor(orders: ReadonlyMap<object, string[]> | undefined) {
    this.orders = orders;
  }

  write(root: unknown): Uint8Array {
    const nodes: (unknown[] | JsonObject)[] = [];
    const names: (string[] | undefined)[] = [];
    const places: number[] = [];
    let value = root;
    for (;;) {
      if (Array.isArray(value)) {
        this.header(value.length, 0x90, 0xdc);
        nodes.push(value);
        names.push(undefined);
        places.push(0);
      } else if (typeof value === "object" && value !== null && !(value instanceof ExactNumber)) {
        const keys = this.orders?.get(value) ?? Object.keys(value);
        this.header(keys.length, 0x80, 0xde);
        nodes.push(value as JsonObject);
        names.push(keys);
        places.push(0);
      } else {
        this.scalar(value);
      }
      for (;;) {
        const top = nodes.length - 1;
        if (top < 0) return this.bytes.slice(0, this.length);
        const node = nodes[top]!;
        const keys = names[top];
        const place = places[top]!;
        if (place < (keys ?? (node as unknown[])).length) {
          places[top] = place + 1;
          if (keys === undefined) {
            value = (node as unknown[])[place];
          } else {
            this.string(keys[place]!);
            value = (node as JsonObject)[keys[place]!];
          }
          break;
        }
        nodes.pop();
        names.pop();
        places.pop();
      }
    }
  }

  /** Makes room for `more` bytes; returns where they begin, and counts them as written. */
  private take(more: number): number {
    const at = this.length;
    if (at + more > this.bytes.length) {
      const grown = new Uint8Array(Math.max(at + more, this.bytes.length * 2));
      grown.set(this.bytes.subarray(0, at));
      this.bytes = grown;
      this.view = new DataView(grown.buffer);
    }
    this.length = at + more;
    return at;
  }

  private byte(value: number): void {
    const at = this.take(1);
    this.bytes[at] = value;
  }

  /** A lead byte and an unsigned number of 1, 2 or 4 bytes. */
  private sized(lead: number, value: number, size: 1 | 2 | 4): void {
    const at = this.take(1 + size);
    this.bytes[at] = lead;
    if (size === 1) this.bytes[at + 1] = value;
    else if (size === 2) this.view.setUint16(at + 1, value);
    else this.view.setUint32(at + 1, value);
  }

  /** A container of n members; `small` and `lead` begin its formats. */
  private header(n: number, small: number, lead: number): void {
    if (n < 16) this.byte(small | n);
    else if (n < 65536) this.sized(lead, n, 2);
    else this.sized(lead + 1, n, 4);
  }

  private scalar(value: unknown): void {
    if (typeof value === "string") this.string(value);
    else if (typeof value === "number") this.number(value);
    else if (value instanceof ExactNumber) this.exact(value.text);
    else this.byte(value === null ? 0xc0 : value === true ? 0xc3 : 0xc2);
  }

  private string(text: string): void {
    const n = utf8Length(text);
    if (n < 32) this.byte(0xa0 | n);
    else if (n < 256) this.sized(0xd9, n, 1);
    else if (n < 65536) this.sized(0xda, n, 2);
    else this.sized(0xdb, n, 4);
    const at = this.take(n);
    if (n === text.length && n <= SHORT) {
      for (let i = 0; i < n; i++) this.bytes[at + i] = text.charCodeAt(i);
    } else {
      // Lone halves become U+FFFD, three bytes, as they were counted.
      encoder.encodeInto(text, this.bytes.subarray(at, at + n));
    }
  }

  private number(value: number): void {
    if (Number.isSafeInteger(value) && !Object.is(value, -0)) this.safeInteger(value);
    else if (Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 64 && value !== 0)
      this.large(BigInt(value));
    else this.double(value);
  }

  /** A number text: integers of 64 bits by their value, anything else as the nearest double. */
  private exact(text: string): void {
    const value = integerOf(text);
    if (value === undefined) {
      const double = Number(text);
      if (!Number.isFinite(double)) throw new MsgpackFault("bad_msgpack", 0, "range");
      this.number(double);
    } else if (value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER) this.safeInteger(Number(value));
    else this.large(value);
  }

  private safeInteger(value: number): void {
    if (value >= 0) {
      if (value < 128) this.byte(value);
      else if (value < 256) this.sized(0xcc, value, 1);
      else if (value < 65536) this.sized(0xcd, value, 2);
      else if (value < 2 ** 32) this.sized(0xce, value, 4);
      else this.large(BigInt(value));
    } else if (value >= -32) this.byte(value & 255);
    else if (value >= -128) this.sized(0xd0, value & 255, 1);
    else if (value >= -32768) this.sized(0xd1, value & 65535, 2);
    else if (value >= -(2 ** 31)) this.sized(0xd2, value, 4);
    else this.large(BigInt(value));
  }

  private large(value: bigint): void {
    const at = this.take(9);
    this.bytes[at] = value < 0n ? 0xd3 : 0xcf;
    this.view.setBigUint64(at + 1, BigInt.asUintN(64, value));
  }

  private double(value: number): void {
    const short = Math.fround(value) === value;
    const at = this.take(short ? 5 : 9);
    this.bytes[at] = short ? 0xca : 0xcb;
    if (short) this.view.setFloat32(at + 1, value);
    else this.view.setFloat64(at + 1, value);
  }
}

/** The integer of 64 bits that a number text denotes exactly; undefined for anything else and for -0. */
function integerOf(text: string): bigint | undefined {
  const [, digits, power] = /^(-?\d+)(?:e(.*))?$/.exec(decimalOf(text))!;
  if (power === undefined) return digits === "0" ? 0n : undefined;
  const zeros = Number(power);
  if (zeros < 0 || digits!.length + zeros > 21) return undefined;
  const value = BigInt(digits! + "0".repeat(zeros));
  return value >= LEAST_INTEGER && value <= GREATEST_INTEGER ? value : undefined;
}
