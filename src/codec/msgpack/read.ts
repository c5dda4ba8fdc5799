import { LOSS_BINARY, LOSS_TIMESTAMP } from "../../../assembly/abi/codes.js";
import { ExactNumber, noteOrder } from "../../json/exact.js";
import { exactDouble, isPadded } from "../../json/number.js";
import { type JsonObject, put } from "../../json/object.js";
import type { Losses } from "../losses.js";
import { decodeReplacing, decodeText, illFormedAt } from "../text.js";
import { base64Of } from "./base64.js";
import { MsgpackFault, type MsgpackReason } from "./fault.js";
import { isTimestampSize, readTimestamp, TIMESTAMP } from "./timestamp.js";

/** How a message is read. */
export interface MsgpackOptions {
  /** Levels of maps and arrays. */
  depth: number;
  /** Ill-formed UTF-8 in str becomes U+FFFD and is no fault. */
  replace: boolean;
  /** Takes, for each map with an integer-like name, the names in their order, as `readOrdered` does. */
  orders?: Map<object, string[]>;
  /** `longNumber` tells whether the text of a number is longer than this many characters. */
  numberLength?: number;
  /** Takes LOSS_BINARY and LOSS_TIMESTAMP, for bin and timestamps; without meaning after a fault. */
  losses?: Losses;
}

/** What a message holds. */
export interface MsgpackMessage {
  value: unknown;
  /** Ill-formed UTF-8 was replaced. */
  replaced: boolean;
  /** Where the value ends. */
  end: number;
  /** Levels of nesting: 0 for a scalar, 1 for an empty map or array. */
  depth: number;
  /** It holds an `ExactNumber`. */
  exact: boolean;
  /** It holds, or a repeated key hides, a number whose text is longer than `numberLength`. */
  longNumber: boolean;
}

/** Longest text of a number that MessagePack has. */
const LONGEST_NUMBER = 25;

/**
 * Reads the one MessagePack value that `bytes` are (docs/msgpack.md).
 *
 * @returns a value as `parseExact` gives it: plain objects with own members only (repeated keys: last value, first place), arrays, strings, doubles,
 *   `ExactNumber`s where a double loses digits; or the first fault in the order of the bytes
 */
export function readMsgpack(bytes: Uint8Array, options: MsgpackOptions): MsgpackMessage | MsgpackFault {
  const message = readMsgpackPrefix(bytes, options);
  if (message instanceof MsgpackFault || message.end === bytes.length) return message;
  return new MsgpackFault("bad_msgpack", message.end, "trailing");
}

/** Reads the MessagePack value that `bytes` begin with; what follows it is not looked at. Faults as for `readMsgpack`. */
export function readMsgpackPrefix(bytes: Uint8Array, options: MsgpackOptions): MsgpackMessage | MsgpackFault {
  const reader = new Reader(bytes, options);
  try {
    const value = reader.read();
    const { replaced, at: end, deepest: depth, exact, longNumber } = reader;
    return { value, replaced, end, depth, exact, longNumber };
  } catch (fault) {
    if (fault instanceof MsgpackFault) return fault;
    throw fault;
  }
}

const MAP_16 = 0xde;

class Reader {
  at = 0;
  replaced = false;
  deepest = 0;
  exact = false;
  longNumber = false;
  private readonly bytes: Uint8Array;
  private readonly options: MsgpackOptions;
  /** Made when it is needed: few messages have more than strings and small integers. */
  private dataView: DataView | undefined = undefined;

  constructor(bytes: Uint8Array, options: MsgpackOptions) {
    this.bytes = bytes;
    this.options = options;
  }

  private get view(): DataView {
    const { bytes } = this;
    this.dataView ??= new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return this.dataView;
  }

  read(): unknown {
    // The containers around the one in hand, the names of their members in hand and the items that are to come in them.
    const outer: (unknown[] | JsonObject)[] = [];
    const outerNames: string[] = [];
    const outerLeft: number[] = [];
    const { orders, depth, numberLength = LONGEST_NUMBER } = this.options;
    let node: unknown[] | JsonObject | undefined;
    let name = "";
    let left = 1;
    for (;;) {
      if (node !== undefined && !Array.isArray(node)) name = this.key();
      const start = this.at;
      const lead = this.byte();
      let value: unknown;
      if (isContainer(lead)) {
        const levels = node === undefined ? 0 : outer.length + 1;
        if (levels >= depth) throw new MsgpackFault("too_deep", start);
        if (levels >= this.deepest) this.deepest = levels + 1;
        const isMap = lead < 0x90 || lead >= MAP_16;
        const items = lead < 0xa0 ? lead & 15 : this.uint(lead & 1 ? 4 : 2);
        const opened: unknown[] | JsonObject = isMap ? {} : [];
        if (items > 0) {
          if (node !== undefined) {
            outer.push(node);
            outerNames.push(name);
            outerLeft.push(left);
          }
          node = opened;
          left = items;
          continue;
        }
        value = opened;
      } else {
        value = this.scalar(lead, start);
        if (numberLength < LONGEST_NUMBER && numberText(value).length > numberLength) this.longNumber = true;
      }
      for (;;) {
        if (node === undefined) return value;
        if (Array.isArray(node)) {
          node.push(value);
        } else {
          if (orders !== undefined) noteOrder(orders, node, name);
          put(node, name, value);
        }
        if (--left > 0) break;
        value = node;
        node = outer.pop();
        name = outerNames.pop() ?? "";
        left = outerLeft.pop() ?? 1;
      }
    }
  }

  private lose(bit: number): void {
    if (this.options.losses !== undefined) this.options.losses.bits |= bit;
  }

  private bad(reason: MsgpackReason, at: number): never {
    throw new MsgpackFault("bad_msgpack", at, reason);
  }

  /** Goes behind `size` bytes that must be there; returns where they begin. */
  private take(size: number): number {
    const from = this.at;
    if (this.bytes.length - from < size) this.bad("short", this.bytes.length);
    this.at = from + size;
    return from;
  }

  private byte(): number {
    return this.bytes[this.take(1)]!;
  }

  private uint(size: number): number {
    const at = this.take(size);
    return size === 1 ? this.bytes[at]! : size === 2 ? (this.bytes[at]! << 8) | this.bytes[at + 1]! : this.word(at);
  }

  /** The four bytes at `at`, which are there. */
  private word(at: number): number {
    const { bytes } = this;
    return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
  }

  private key(): string {
    const start = this.at;
    const lead = this.byte();
    if (!isString(lead)) this.bad(lead === 0xc1 ? "reserved" : "key", start);
    return this.string(lead);
  }

  private string(lead: number): string {
    const size = lead < 0xc0 ? lead & 31 : this.uint(1 << (lead - 0xd9));
    const from = this.take(size);
    const text = decodeText(this.bytes, from, this.at);
    if (text !== undefined) return text;
    if (!this.options.replace) throw new MsgpackFault("invalid_utf8", illFormedAt(this.bytes, from, this.at));
    this.replaced = true;
    return decodeReplacing(this.bytes, from, this.at);
  }

  private scalar(lead: number, start: number): unknown {
    if (lead < 0x80) return lead;
    if (lead >= 0xe0) return lead - 256;
    if (isString(lead)) return this.string(lead);
    switch (lead) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xc4:
      case 0xc5:
      case 0xc6: {
        const from = this.take(this.uint(1 << (lead - 0xc4)));
        this.lose(LOSS_BINARY);
        return base64Of(this.bytes, from, this.at);
      }
      case 0xca:
        return this.double(this.view.getFloat32(this.take(4)), start);
      case 0xcb:
        return this.double(this.view.getFloat64(this.take(8)), start);
      case 0xcc:
      case 0xcd:
      case 0xce:
        return this.uint(1 << (lead - 0xcc));
      case 0xcf:
        return this.uint64();
      case 0xd0:
        return this.view.getInt8(this.take(1));
      case 0xd1:
        return this.view.getInt16(this.take(2));
      case 0xd2:
        return this.view.getInt32(this.take(4));
      case 0xd3:
        return this.int64();
      case 0xc1:
        return this.bad("reserved", start);
      default:
        return this.extension(lead, start);
    }
  }

  private double(value: number, start: number): number | ExactNumber {
    if (!Number.isFinite(value)) this.bad("not_finite", start);
    if (Object.is(value, -0)) {
      this.exact = true;
      return new ExactNumber("-0");
    }
    return isPadded(value) ? this.integer(BigInt(value)) : value;
  }

  private uint64(): number | ExactNumber {
    const from = this.take(8);
    // Sums beyond what is safe are rounded, but never to what is.
    const value = this.word(from) * 2 ** 32 + this.word(from + 4);
    return value <= Number.MAX_SAFE_INTEGER ? value : this.integer(this.view.getBigUint64(from));
  }

  private int64(): number | ExactNumber {
    const value = this.view.getBigInt64(this.take(8));
    const double = Number(value);
    return Number.isSafeInteger(double) ? double : this.integer(value);
  }

  /** The integer as a double where that holds all of its digits. */
  private integer(value: bigint): number | ExactNumber {
    const text = value.toString();
    const double = exactDouble(text);
    if (double !== undefined) return double;
    this.exact = true;
    return new ExactNumber(text);
  }

  private extension(lead: number, start: number): string {
    const size = lead < 0xd4 ? this.uint(1 << (lead - 0xc7)) : 1 << (lead - 0xd4);
    const type = this.view.getInt8(this.take(1));
    if (type !== TIMESTAMP) this.bad("extension", start);
    if (!isTimestampSize(size)) this.bad("timestamp", start);
    this.lose(LOSS_TIMESTAMP);
    return readTimestamp(this.view, this.take(size), size) ?? this.bad("timestamp", start);
  }
}

function isContainer(lead: number): boolean {
  return (lead >= 0x80 && lead < 0xa0) || (lead >= 0xdc && lead < 0xe0);
}

function isString(lead: number): boolean {
  return (lead >= 0xa0 && lead < 0xc0) || (lead >= 0xd9 && lead < 0xdc);
}

/** The JSON text of a number, nothing for other scalars. */
function numberText(value: unknown): string {
  return typeof value === "number" ? String(value) : value instanceof ExactNumber ? value.text : "";
}
