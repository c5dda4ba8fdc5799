import { MsgpackFault } from "../src/codec/msgpack/fault.js";
import { readMsgpackPrefix } from "../src/codec/msgpack/read.js";
import { readProtobuf } from "../src/codec/protobuf/read.js";
import { encodeEvent } from "../src/transport/encode.js";
import type { EncodedWire } from "./contenders/encoders.js";

const decoder = new TextDecoder();

/** Every event as one message of a wire in its own buffer. */
export function wireMessages(wire: EncodedWire, events: readonly object[]): Uint8Array[] {
  return events.map((event) => encodeEvent(event, { transport: wire }));
}

/** One MessagePack value, by a reader that shares nothing with the core and the libraries. */
export function readPacked(bytes: Uint8Array): { value: unknown; end: number } {
  const read = readMsgpackPrefix(bytes, { depth: 512, replace: false });
  if (read instanceof MsgpackFault) throw new Error(read.reason);
  return read;
}

/** The events that bytes of a wire hold, by readers that share nothing with the writers. */
export function readEvents(wire: EncodedWire, bytes: Uint8Array): unknown[] {
  const events: unknown[] = [];
  if (wire === "sse") {
    for (const message of decoder.decode(bytes).split("\n\n").slice(0, -1))
      events.push(JSON.parse(message.slice("data: ".length)));
    return events;
  }
  for (let at = 0; at < bytes.length; ) {
    if (wire === "msgpack") {
      const { value, end } = readPacked(bytes.subarray(at));
      events.push(value);
      at += end;
    } else {
      const end = at + 4 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(at);
      const read = readProtobuf(bytes.subarray(at + 4, end), { depth: 512 });
      if ("fault" in read) throw new Error(read.fault);
      events.push(read.value);
      at = end;
    }
  }
  return events;
}
