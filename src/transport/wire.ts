import { JsonWriter } from "../codec/json/write.js";
import { MsgpackWriter } from "../codec/msgpack/write-event.js";
import type { Output } from "../codec/output.js";
import type { Transport } from "../engine/contract.js";
import { NdjsonWire } from "./ndjson.js";
import { ProtobufWire } from "./protobuf.js";
import { type SseFields, SseWire } from "./sse.js";

/** Writes events as the messages of one wire. */
export interface Wire {
  /** Appends one message. Throws Unwritable, usage errors and whatever a getter or `toJSON` throws; what it has appended then means nothing. */
  write(event: unknown, fields: SseFields | undefined): void;
}

/** The writer of a wire. MessagePack ends by itself, and of `json` each message is a body of its own: neither has a frame. */
export function wireOf(transport: Transport, out: Output, depth: number): Wire {
  switch (transport) {
    case "sse":
      return new SseWire(out, depth);
    case "ndjson":
      return new NdjsonWire(out, depth);
    case "json":
      return new JsonWriter(out, depth);
    case "msgpack":
      return new MsgpackWriter(out, depth);
    case "protobuf":
      return new ProtobufWire(out, depth);
  }
}
