import {
  R_LIMIT_NUMBER,
  R_WIRE_EXTENSION,
  R_WIRE_KEY,
  R_WIRE_NOT_FINITE,
  R_WIRE_RANGE,
  R_WIRE_RESERVED,
  R_WIRE_SHORT,
  R_WIRE_TIMESTAMP,
  R_WIRE_TRAILING,
} from "../../../../assembly/abi/codes.js";
import { MsgpackFault, type MsgpackReason, readMsgpack } from "../../../codec/msgpack/index.js";
import type { Fault } from "../../../errors.js";
import type { Limits } from "../../../limits.js";
import type { OwnedTree } from "./protocol.js";

const REASONS: Readonly<Record<MsgpackReason, number>> = {
  short: R_WIRE_SHORT,
  trailing: R_WIRE_TRAILING,
  reserved: R_WIRE_RESERVED,
  key: R_WIRE_KEY,
  extension: R_WIRE_EXTENSION,
  timestamp: R_WIRE_TIMESTAMP,
  not_finite: R_WIRE_NOT_FINITE,
  range: R_WIRE_RANGE,
};

/** Most bytes of compact JSON for one byte of MessagePack: a control character is written as six. */
export const MOST_BYTES_OF_MSGPACK = 6;

/** What a MessagePack fault comes to, without its place. */
export function msgpackFault({ code, reason }: MsgpackFault): Fault {
  return reason === undefined ? { code } : { code, reason: REASONS[reason] };
}

/**
 * Reads the one MessagePack value that a caller gave.
 *
 * @returns a fault with the byte offset: `bad_msgpack`, `invalid_utf8`, `too_deep`, or `limit` for a number text, at the value
 */
export function readMsgpackTree(bytes: Uint8Array, limits: Pick<Limits, "depth" | "numberLength">): OwnedTree | Fault {
  const { depth, numberLength } = limits;
  const orders = new Map<object, string[]>();
  const message = readMsgpack(bytes, { depth, numberLength, replace: false, orders });
  if (message instanceof MsgpackFault) return { ...msgpackFault(message), byteOffset: message.offset };
  if (message.longNumber) return { code: "limit", reason: R_LIMIT_NUMBER, byteOffset: 0 };
  const source = { nesting: message.depth, bytes: MOST_BYTES_OF_MSGPACK * bytes.length, exact: message.exact };
  return { value: message.value, text: undefined, source, orders };
}
