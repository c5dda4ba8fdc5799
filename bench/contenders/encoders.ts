import { createRequire } from "node:module";
import { createEncoder, encodeEvent, encodeEvents } from "../../src/transport/encode.js";

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

const require = createRequire(import.meta.url);

/** A package, where it is installed. */
function load<T>(name: string): T | undefined {
  try {
    return require(name) as T;
  } catch {
    return undefined;
  }
}

/** One event after the other, and what came out in one piece. */
function one(name: string, encode: (event: EventObject) => Uint8Array): EncodeContender {
  return { name, isOurs: false, encode, encodeAll: (events) => Buffer.concat(events.map(encode)) };
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
  const contenders: EncodeContender[] = [];
  const msgpack = load<{ Encoder: new () => { encode(value: unknown): Uint8Array } }>("@msgpack/msgpack");
  if (msgpack !== undefined) {
    const encoder = new msgpack.Encoder();
    contenders.push(one("@msgpack/msgpack", (event) => encoder.encode(event)));
  }
  const msgpackr = load<{ Packr: new (options: object) => { pack(value: unknown): Uint8Array } }>("msgpackr");
  if (msgpackr !== undefined) {
    const packr = new msgpackr.Packr({ useRecords: false });
    contenders.push(one("msgpackr", (event) => packr.pack(event)));
  }
  return contenders;
}

/** The messages that the measured events need. */
const PROTO = `syntax = "proto3";
message Value { oneof kind { int32 null_value = 1; double number_value = 2; string string_value = 3; bool bool_value = 4; Struct struct_value = 5; List list_value = 6; } }
message Struct { map<string, Value> fields = 1; }
message List { repeated Value values = 1; }
message Base { int32 type = 1; int64 timestamp = 2; }
message Content { Base base_event = 1; string message_id = 2; string delta = 3; }
message Snapshot { Base base_event = 1; Value snapshot = 2; }
message Event { oneof event { Content text_message_content = 2; Snapshot state_snapshot = 7; } }`;

interface Protobufjs {
  parse(source: string): { root: { lookupType(name: string): ProtobufjsType } };
}
interface ProtobufjsType {
  encode(message: object): { finish(): Uint8Array };
}

/** A JSON value as protobufjs takes it. */
function wireValue(value: unknown): object {
  if (value === null) return { nullValue: 0 };
  if (typeof value === "number") return { numberValue: value };
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (Array.isArray(value)) return { listValue: { values: value.map(wireValue) } };
  const fields: Record<string, object> = {};
  for (const [name, member] of Object.entries(value as EventObject)) fields[name] = wireValue(member);
  return { structValue: { fields } };
}

function framed(payload: Uint8Array): Uint8Array {
  const frame = new Uint8Array(4 + payload.length);
  new DataView(frame.buffer).setUint32(0, payload.length);
  frame.set(payload, 4);
  return frame;
}

function protobufContenders(): EncodeContender[] {
  const contenders: EncodeContender[] = [];
  const protobufjs = load<Protobufjs>("protobufjs");
  if (protobufjs !== undefined) {
    const type = protobufjs.parse(PROTO).root.lookupType("Event");
    const wrap = (event: EventObject): object => {
      if (event.type === "STATE_SNAPSHOT")
        return { stateSnapshot: { baseEvent: { type: 6 }, snapshot: wireValue(event.snapshot) } };
      const { messageId, delta, timestamp } = event;
      return { textMessageContent: { baseEvent: { type: 1, timestamp }, messageId, delta } };
    };
    contenders.push(one("protobufjs", (event) => framed(type.encode(wrap(event)).finish())));
  }
  const official = load<{ encode(event: unknown): Uint8Array }>("@ag-ui/proto");
  if (official !== undefined) contenders.push(one("@ag-ui/proto", (event) => framed(official.encode(event))));
  return contenders;
}

/** Everybody who writes a wire here, ours first. Libraries that are not installed do not take part. */
export function encodeContenders(wire: EncodedWire): EncodeContender[] {
  const others = { sse: jsonContenders, msgpack: msgpackContenders, protobuf: protobufContenders }[wire]();
  return [...ours(wire), ...others];
}
