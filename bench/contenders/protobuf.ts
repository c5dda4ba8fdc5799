import type { EventObject } from "./encoders.js";
import { installed, joined, once, type Reading } from "./installed.js";

/**
 * The messages that the measured events need, with the numbers of proto/ag_ui.proto. A program has all of the protocol's, which is a little
 * more work for the library: fewer favour it.
 */
const PROTO = `syntax = "proto3";
message Value { oneof kind { int32 null_value = 1; double number_value = 2; string string_value = 3; bool bool_value = 4; Struct struct_value = 5; List list_value = 6; } }
message Struct { map<string, Value> fields = 1; }
message List { repeated Value values = 1; }
message Base { int32 type = 1; optional int64 timestamp = 2; }
message MessageStart { Base base_event = 1; string message_id = 2; optional string role = 3; }
message Content { Base base_event = 1; string message_id = 2; string delta = 3; }
message MessageEnd { Base base_event = 1; string message_id = 2; }
message CallStart { Base base_event = 1; string tool_call_id = 2; string tool_call_name = 3; optional string parent_message_id = 4; }
message CallArgs { Base base_event = 1; string tool_call_id = 2; string delta = 3; }
message CallEnd { Base base_event = 1; string tool_call_id = 2; }
message CallResult { Base base_event = 1; string message_id = 3; string tool_call_id = 4; optional string content = 5; }
message Snapshot { Base base_event = 1; Value snapshot = 2; }
message Operation { int32 op = 1; string path = 2; optional string from = 3; Value value = 4; }
message Delta { Base base_event = 1; repeated Operation delta = 2; }
message Run { Base base_event = 1; string thread_id = 2; string run_id = 3; }
message Step { Base base_event = 1; string step_name = 2; }
message Reasoning { Base base_event = 1; string message_id = 3; }
message ReasoningStart { Base base_event = 1; string message_id = 3; string role = 4; }
message ReasoningContent { Base base_event = 1; string message_id = 3; string delta = 4; }
message Event { oneof event {
  MessageStart text_message_start = 1; Content text_message_content = 2; MessageEnd text_message_end = 3;
  CallStart tool_call_start = 4; CallArgs tool_call_args = 5; CallEnd tool_call_end = 6;
  Snapshot state_snapshot = 7; Delta state_delta = 8; Run run_started = 12; Run run_finished = 13;
  Step step_started = 15; Step step_finished = 16; CallResult tool_call_result = 22;
  Reasoning reasoning_start = 25; ReasoningStart reasoning_message_start = 26; ReasoningContent reasoning_message_content = 27;
  Reasoning reasoning_message_end = 28; Reasoning reasoning_end = 30;
} }`;

/** The arm and the number of each type. */
const ARMS: Readonly<Record<string, readonly [arm: string, number: number]>> = {
  TEXT_MESSAGE_START: ["textMessageStart", 0],
  TEXT_MESSAGE_CONTENT: ["textMessageContent", 1],
  TEXT_MESSAGE_END: ["textMessageEnd", 2],
  TOOL_CALL_START: ["toolCallStart", 3],
  TOOL_CALL_ARGS: ["toolCallArgs", 4],
  TOOL_CALL_END: ["toolCallEnd", 5],
  STATE_SNAPSHOT: ["stateSnapshot", 6],
  STATE_DELTA: ["stateDelta", 7],
  RUN_STARTED: ["runStarted", 11],
  RUN_FINISHED: ["runFinished", 12],
  STEP_STARTED: ["stepStarted", 14],
  STEP_FINISHED: ["stepFinished", 15],
  TOOL_CALL_RESULT: ["toolCallResult", 21],
  REASONING_START: ["reasoningStart", 24],
  REASONING_MESSAGE_START: ["reasoningMessageStart", 25],
  REASONING_MESSAGE_CONTENT: ["reasoningMessageContent", 26],
  REASONING_MESSAGE_END: ["reasoningMessageEnd", 27],
  REASONING_END: ["reasoningEnd", 29],
};

const OPERATIONS = ["add", "remove", "replace", "move", "copy", "test"] as const;

/** A decoded `ag_ui.Event`: `event` names the arm. What the arms hold is taken on trust, as everywhere in a baseline. */
// biome-ignore lint/suspicious/noExplicitAny: the library has no types for messages of a schema that is parsed at run time
export type EventMessage = { event: string } & Record<string, any>;

interface Protobufjs {
  parse(source: string): { root: { lookupType(name: string): EventType } };
  Reader: { create(bytes: Uint8Array): MessageReader };
}
interface MessageReader {
  pos: number;
}
interface EventType {
  encode(message: object): { finish(): Uint8Array };
  decode(reader: MessageReader, length: number): EventMessage;
}

interface WireValue {
  kind?: string;
  numberValue?: number;
  stringValue?: string;
  boolValue?: boolean;
  structValue?: { fields: Record<string, WireValue> };
  listValue?: { values: WireValue[] };
}

/** A JSON value as protobufjs takes it. */
function wireValue(value: unknown): WireValue {
  if (value === null) return { nullValue: 0 } as WireValue;
  if (typeof value === "number") return { numberValue: value };
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (Array.isArray(value)) return { listValue: { values: value.map(wireValue) } };
  const fields: Record<string, WireValue> = {};
  for (const [name, member] of Object.entries(value as EventObject)) fields[name] = wireValue(member);
  return { structValue: { fields } };
}

/** A value that protobufjs has decoded, as JSON. */
function jsonValue(value: WireValue): unknown {
  switch (value.kind) {
    case "stringValue":
      return value.stringValue;
    case "numberValue":
      return value.numberValue;
    case "boolValue":
      return value.boolValue;
    case "structValue": {
      const object: Record<string, unknown> = {};
      const { fields } = value.structValue!;
      for (const name of Object.keys(fields)) object[name] = jsonValue(fields[name]!);
      return object;
    }
    case "listValue":
      return value.listValue!.values.map(jsonValue);
    default:
      return null;
  }
}

/** An event as the message that protobufjs encodes. */
function messageOf(event: EventObject): object {
  const [arm, type] = ARMS[event.type as string]!;
  const { timestamp } = event;
  const baseEvent = { type, timestamp };
  switch (arm) {
    case "textMessageContent": {
      const { messageId, delta } = event;
      return { textMessageContent: { baseEvent, messageId, delta } };
    }
    case "toolCallArgs": {
      const { toolCallId, delta } = event;
      return { toolCallArgs: { baseEvent, toolCallId, delta } };
    }
    case "stateSnapshot":
      return { stateSnapshot: { baseEvent, snapshot: wireValue(event.snapshot) } };
    case "stateDelta": {
      const delta = (event.delta as EventObject[]).map(({ op, path, from, value }) => ({
        op: OPERATIONS.indexOf(op as (typeof OPERATIONS)[number]),
        path,
        from,
        ...(value === undefined ? {} : { value: wireValue(value) }),
      }));
      return { stateDelta: { baseEvent, delta } };
    }
    default:
      // the other events hold strings, whose names the schema shares; it passes over `type`
      return { [arm]: { ...event, baseEvent } };
  }
}

/** A decoded message as the event that a text wire would have brought. */
export function eventOf(message: EventMessage): EventObject {
  const arm = message[message.event];
  const event = bare(message.event, arm);
  // absent, it is a zero of the prototype
  if (Object.hasOwn(arm.baseEvent, "timestamp")) event.timestamp = Number(arm.baseEvent.timestamp);
  return event;
}

// biome-ignore lint/suspicious/noExplicitAny: as for EventMessage
function bare(name: string, arm: any): Record<string, unknown> {
  switch (name) {
    case "textMessageContent":
      return { type: "TEXT_MESSAGE_CONTENT", messageId: arm.messageId, delta: arm.delta };
    case "toolCallArgs":
      return { type: "TOOL_CALL_ARGS", toolCallId: arm.toolCallId, delta: arm.delta };
    case "reasoningMessageContent":
      return { type: "REASONING_MESSAGE_CONTENT", messageId: arm.messageId, delta: arm.delta };
    case "stateDelta":
      return { type: "STATE_DELTA", delta: operationsOf(arm) };
    case "stateSnapshot":
      return { type: "STATE_SNAPSHOT", snapshot: jsonValue(arm.snapshot) };
    case "textMessageStart": {
      const event = { type: "TEXT_MESSAGE_START", messageId: arm.messageId };
      return arm.role === null ? event : { ...event, role: arm.role };
    }
    case "textMessageEnd":
      return { type: "TEXT_MESSAGE_END", messageId: arm.messageId };
    case "toolCallStart": {
      const { toolCallId, toolCallName, parentMessageId } = arm;
      const event = { type: "TOOL_CALL_START", toolCallId, toolCallName };
      return parentMessageId === null ? event : { ...event, parentMessageId };
    }
    case "toolCallEnd":
      return { type: "TOOL_CALL_END", toolCallId: arm.toolCallId };
    case "toolCallResult":
      return {
        type: "TOOL_CALL_RESULT",
        messageId: arm.messageId,
        toolCallId: arm.toolCallId,
        content: arm.content,
      };
    case "runStarted":
      return { type: "RUN_STARTED", threadId: arm.threadId, runId: arm.runId };
    case "runFinished":
      return { type: "RUN_FINISHED", threadId: arm.threadId, runId: arm.runId };
    case "stepStarted":
      return { type: "STEP_STARTED", stepName: arm.stepName };
    case "stepFinished":
      return { type: "STEP_FINISHED", stepName: arm.stepName };
    case "reasoningStart":
      return { type: "REASONING_START", messageId: arm.messageId };
    case "reasoningMessageStart":
      return { type: "REASONING_MESSAGE_START", messageId: arm.messageId, role: arm.role };
    case "reasoningMessageEnd":
      return { type: "REASONING_MESSAGE_END", messageId: arm.messageId };
    case "reasoningEnd":
      return { type: "REASONING_END", messageId: arm.messageId };
    default:
      throw new Error(`no event ${name}`);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: as for EventMessage
function operationsOf(arm: any): EventObject[] {
  return arm.delta.map(
    ({ op, path, from, value }: { op: number; path: string; from: string | null; value: WireValue | null }) => ({
      op: OPERATIONS[op],
      path,
      ...(from === null ? {} : { from }),
      ...(value === null ? {} : { value: jsonValue(value) }),
    }),
  );
}

/** Frames of a stream: a length of four bytes and so many bytes. */
abstract class FrameReading<T> implements Reading<T> {
  #rest: Uint8Array | undefined;

  push(chunk: Uint8Array, use: (event: T) => void): void {
    const bytes = joined(this.#rest, chunk);
    this.begin(bytes);
    let at = 0;
    while (at + 4 <= bytes.length) {
      const length = ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
      const end = at + 4 + length;
      if (end > bytes.length) break;
      use(this.frame(at + 4, length));
      at = end;
    }
    this.#rest = at < bytes.length ? bytes.slice(at) : undefined;
  }

  /** Gets the bytes in which the next frames lie. */
  protected abstract begin(bytes: Uint8Array): void;

  protected abstract frame(start: number, length: number): T;
}

/** Messages as protobufjs decodes them where they stand, without a view of each. */
class MessageReading extends FrameReading<EventMessage> {
  readonly #library: Protobufjs;
  readonly #type: EventType;
  #reader: MessageReader | undefined;

  constructor(library: Protobufjs, type: EventType) {
    super();
    this.#library = library;
    this.#type = type;
  }

  protected begin(bytes: Uint8Array): void {
    this.#reader = this.#library.Reader.create(bytes);
  }

  protected frame(start: number, length: number): EventMessage {
    this.#reader!.pos = start;
    return this.#type.decode(this.#reader!, length);
  }
}

class OfficialReading extends FrameReading<EventObject> {
  readonly #decode: (bytes: Uint8Array) => EventObject;
  #bytes: Uint8Array = new Uint8Array();

  constructor(decode: (bytes: Uint8Array) => EventObject) {
    super();
    this.#decode = decode;
  }

  protected begin(bytes: Uint8Array): void {
    this.#bytes = bytes;
  }

  protected frame(start: number, length: number): EventObject {
    return this.#decode(this.#bytes.subarray(start, start + length));
  }
}

/** protobufjs with a schema that is parsed at the start, for which it generates code. */
export interface ProtobufjsLibrary {
  open(): Reading<EventMessage>;
  /** The payload of a frame. */
  encode(event: EventObject): Uint8Array;
}

/** The official library of the protocol. */
export interface OfficialLibrary {
  open(): Reading<EventObject>;
  /** The payload of a frame. */
  encode(event: EventObject): Uint8Array;
}

/** protobufjs, where it is installed. */
export const protobufjs = once((): ProtobufjsLibrary | undefined => {
  const library = installed<Protobufjs>("protobufjs");
  if (library === undefined) return undefined;
  const type = library.parse(PROTO).root.lookupType("Event");
  return {
    open: () => new MessageReading(library, type),
    encode: (event) => type.encode(messageOf(event)).finish(),
  };
});

/** The official library, where it is installed. */
export const officialProto = once((): OfficialLibrary | undefined => {
  const library = installed<{ encode(event: unknown): Uint8Array; decode(bytes: Uint8Array): EventObject }>(
    "@ag-ui/proto",
  );
  if (library === undefined) return undefined;
  return { open: () => new OfficialReading(library.decode), encode: (event) => library.encode(event) };
});

/** A payload with its length before it. */
export function framed(payload: Uint8Array): Uint8Array {
  return framedAll([payload]);
}

/** Payloads as frames in one piece. */
export function framedAll(payloads: readonly Uint8Array[]): Uint8Array {
  let size = 0;
  for (const payload of payloads) size += 4 + payload.length;
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const payload of payloads) {
    const { length } = payload;
    bytes[at] = length >>> 24;
    bytes[at + 1] = length >>> 16;
    bytes[at + 2] = length >>> 8;
    bytes[at + 3] = length;
    bytes.set(payload, at + 4);
    at += 4 + length;
  }
  return bytes;
}
