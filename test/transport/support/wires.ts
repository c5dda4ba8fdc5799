import { decode as decodeProto } from "@ag-ui/proto";
import { decodeMulti } from "@msgpack/msgpack";
import { createParser } from "eventsource-parser";
import { Unpackr } from "msgpackr";
import type { Transport } from "../../../src/index.js";
import { text } from "../../support/bytes.js";

export const TRANSPORTS: readonly Transport[] = ["sse", "ndjson", "json", "msgpack", "protobuf"];
/** The wires that both protocols have, and whose values are those of JSON. */
export const COMMON: readonly Transport[] = ["sse", "ndjson", "json", "msgpack"];

const unpackr = new Unpackr({ int64AsType: "number", mapsAsObjects: true });

/** The messages in the body of a response, by decoders of others. */
export function decode(transport: Transport, bytes: Uint8Array): unknown[] {
  switch (transport) {
    case "sse": {
      const events: unknown[] = [];
      const parser = createParser({ onEvent: ({ data }) => events.push(JSON.parse(data)) });
      parser.feed(text(bytes));
      return events;
    }
    case "ndjson": {
      const lines = text(bytes).split("\n");
      if (lines.pop() !== "") throw new Error("the last line does not end");
      return lines.map((line) => JSON.parse(line) as unknown);
    }
    case "json":
      return bytes.length === 0 ? [] : [JSON.parse(text(bytes))];
    case "msgpack": {
      const events = [...decodeMulti(bytes)];
      // A second opinion, on bytes that it does not take for another view of its own.
      const others: unknown = unpackr.unpackMultiple(Uint8Array.from(bytes));
      if (JSON.stringify(others) !== JSON.stringify(events))
        throw new Error("two libraries read MessagePack differently");
      return events;
    }
    case "protobuf": {
      const events: unknown[] = [];
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      for (let at = 0; at < bytes.length; ) {
        const size = view.getUint32(at);
        events.push(JSON.parse(JSON.stringify(decodeProto(bytes.slice(at + 4, at + 4 + size)))));
        at += 4 + size;
      }
      return events;
    }
  }
}
