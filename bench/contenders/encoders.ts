import { createEncoder, encodeEvent, encodeEvents } from "../../src/transport/encode.js";
import { msgpackLibraries } from "./msgpack.js";
import { framed, framedAll, officialProto, protobufjs } from "./protobuf.js";

/** The wires whose writers are compared: `ndjson` and `json` are written as `sse` is. */
export type EncodedWire = "sse" | "msgpack" | "protobuf";

export type EventObject = Readonly<Record<string, unknown>>;

/** A way to turn events into bytes. */
export interface EncodeContender {
  name: string;
  /** Whether it is ours. */
  isOurs: boolean;
  /** One event as one message. */
  encode(event: EventObject): Uint8Array;
  /** Events as one piece of bytes. */
  encodeAll(events: readonly EventObject[]): Uint8Array;
}

function ours(transport: EncodedWire): EncodeContender[] {
  const own = createEncoder({ transport });
  const pooled = createEncoder({ transport, pool: true });
  const gather = (events: readonly EventObject[]): Uint8Array => {
    for (const event of events) own.add(event);
    return own.take();
  };
  return [
    {
      name: "streamfold encodeEvent(s)",
      isOurs: true,
      encode: (event) => encodeEvent(event, { transport }),
      encodeAll: (events) => encodeEvents(events, { transport }),
    },
    { name: "streamfold encoder", isOurs: true, encode: (event) => own.encode(event), encodeAll: gather },
    {
      name: "streamfold encoder, pool",
      isOurs: true,
      encode: (event) => pooled.encode(event),
      encodeAll: (events) => {
        for (const event of events) pooled.add(event);
        return pooled.take();
      },
    },
  ];
}

function jsonContenders(): EncodeContender[] {
  const encoder = new TextEncoder();
  const text = (event: EventObject): string => `data: ${JSON.stringify(event)}\n\n`;
  const join = (events: readonly EventObject[]): string => {
    let all = "";
    for (const event of events) all += text(event);
    return all;
  };
  return [
    {
      name: "JSON.stringify + TextEncoder",
      isOurs: false,
      encode: (event) => encoder.encode(text(event)),
      encodeAll: (events) => encoder.encode(join(events)),
    },
    {
      name: "JSON.stringify + Buffer.from",
      isOurs: false,
      encode: (event) => Buffer.from(text(event)),
      encodeAll: (events) => Buffer.from(join(events)),
    },
  ];
}

function msgpackContenders(): EncodeContender[] {
  return msgpackLibraries().map(({ name, encode }) => ({
    name,
    isOurs: false,
    encode,
    encodeAll: (events) => Buffer.concat(events.map(encode)),
  }));
}

function protobufContenders(): EncodeContender[] {
  const libraries = { protobufjs: protobufjs(), "@ag-ui/proto": officialProto() };
  return Object.entries(libraries).flatMap(([name, library]) => {
    if (library === undefined) return [];
    const { encode } = library;
    return [
      {
        name,
        isOurs: false,
        encode: (event: EventObject) => framed(encode(event)),
        encodeAll: (events: readonly EventObject[]) => framedAll(events.map(encode)),
      },
    ];
  });
}

/** Everybody who writes a wire here, ours first. Libraries that are not installed do not take part. */
export function encodeContenders(wire: EncodedWire): EncodeContender[] {
  const others = { sse: jsonContenders, msgpack: msgpackContenders, protobuf: protobufContenders }[wire]();
  return [...ours(wire), ...others];
}
