import { MsgpackFault, readMsgpack, writeMsgpack } from "../../src/codec/msgpack/index.js";
import { readProtobuf } from "../../src/codec/protobuf/read.js";
import { writeProtobuf } from "../../src/codec/protobuf/write.js";
import { readOrdered, stringify } from "../../src/json/exact.js";
import { concat } from "./bytes.js";
import { canonical } from "./exact-json.js";

/** The wires whose messages are no text. */
export type BinaryTransport = "msgpack" | "protobuf";

const DEPTH = 100_000;

/** JSON text as MessagePack, with its members in their order; throws for a number beyond the range of a double. */
export function msgpackOf(json: string): Uint8Array {
  const orders = new Map<object, string[]>();
  const bytes = writeMsgpack(readOrdered(json, orders), orders);
  if (bytes instanceof MsgpackFault) throw new Error(`${bytes.reason}: ${json}`);
  return bytes;
}

/** MessagePack as JSON text, with its members in their order; throws for what cannot be read. */
export function jsonOfMsgpack(bytes: Uint8Array): string {
  const orders = new Map<object, string[]>();
  const message = readMsgpack(bytes, { depth: DEPTH, replace: false, orders });
  if (message instanceof MsgpackFault) throw new Error(`${message.code} at ${message.offset}`);
  return stringify(message.value, orders);
}

/** A payload with its length before it. */
export function frame(payload: Uint8Array): Uint8Array {
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, payload.length);
  return concat([length, payload]);
}

/** An event as a frame of AG-UI's protobuf; throws for one that has no form there. */
export function protobufOf(json: string): Uint8Array {
  const writing = writeProtobuf(JSON.parse(json) as Record<string, unknown>);
  if (!("bytes" in writing)) throw new Error(`${writing.fault} at ${writing.path}: ${json}`);
  return frame(writing.bytes);
}

/** A frame as JSON text; throws for what cannot be read. */
export function jsonOfProtobuf(bytes: Uint8Array): string {
  const orders = new Map<object, string[]>();
  const reading = readProtobuf(bytes.subarray(4), { depth: DEPTH, orders });
  if ("value" in reading) return stringify(reading.value, orders);
  throw new Error(`${reading.fault} at ${reading.offset}`);
}

/** The event as a message of a binary wire; undefined when it does not arrive there as it stands, to the order of its members and its digits. */
export function carried(transport: BinaryTransport, json: string): Uint8Array | undefined {
  try {
    const bytes = transport === "msgpack" ? msgpackOf(json) : protobufOf(json);
    const back = transport === "msgpack" ? jsonOfMsgpack(bytes) : jsonOfProtobuf(bytes);
    return canonical(back) === canonical(json) ? bytes : undefined;
  } catch {
    return undefined;
  }
}
