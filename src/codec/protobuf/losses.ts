import { LOSS_EMPTY, LOSS_MEMBER, LOSS_NUMBER, LOSS_PART, LOSS_SURROGATE } from "../../../assembly/abi/codes.js";
import type { ExactNumber } from "../../json/exact.js";
import { decimalOf, exactText } from "../../json/number.js";
import { isObject } from "../../json/tree.js";
import { jsonLosses, textLosses } from "../losses.js";
import type { Field } from "./fields.js";
import { tellingMember } from "./legacy-part.js";
import { listOfOutcome } from "./outcomes.js";
import { carrierOf } from "./roles.js";
import { ARMS, MESSAGES } from "./table.generated.js";

type Json = Readonly<Record<string, unknown>>;

/** What the retired `binary` part keeps whatever it holds. */
const LEGACY_MEMBERS = ["type", "mimeType", "filename", "id"];

/** All that `protobufLosses` may find. */
export const PROTOBUF_LOSSES = LOSS_NUMBER | LOSS_SURROGATE | LOSS_MEMBER | LOSS_EMPTY | LOSS_PART;

/**
 * What the bytes of an event that can be written do not say of it: bits of PROTOBUF_LOSSES, judged by
 * what the reader makes of them (docs/protobuf.md).
 */
export function protobufLosses(event: Json): number {
  const { message } = ARMS.find(({ type }) => type === event.type)!;
  return membersLosses(event, message, "event");
}

const fieldsOfMessages = /* @__PURE__ */ new Map<string, ReadonlyMap<string, Field>>();

/** The fields that members of a message are written to, by name. The lists of an outcome stand inside of it. */
function fieldsOf(message: string): ReadonlyMap<string, Field> {
  let fields = fieldsOfMessages.get(message);
  if (fields === undefined) {
    fields = new Map(
      MESSAGES[message]!.flatMap((field) => (field.name && !field.ofOutcome ? [[field.name, field]] : [])),
    );
    fieldsOfMessages.set(message, fields);
  }
  return fields;
}

/** The bits for the members of an object: an event has those of all events too, and `type` of an arm needs no field. */
function membersLosses(object: Json, message: string, as: "event" | "message" | "arm"): number {
  const fields = fieldsOf(message);
  let bits = 0;
  for (const name of Object.keys(object)) {
    const value = object[name];
    if (value === undefined || (as === "arm" && name === "type")) continue;
    const field = fields.get(name) ?? (as === "event" ? fieldsOf("BaseEvent").get(name) : undefined);
    if (field === undefined) bits |= LOSS_MEMBER;
    else if (value === null && !field.keepsNull) bits |= LOSS_EMPTY;
    else bits |= fieldLosses(object, message, field, value);
  }
  return bits;
}

function fieldLosses(object: Json, message: string, field: Field, value: unknown): number {
  switch (field.kind) {
    case "string":
    case "optional-string":
      return textLosses(value as string);
    case "value":
    case "struct":
      return jsonLosses(value, numberLosses);
    case "int64":
      return numberLosses(value as number | ExactNumber);
    case "message":
      return messageLosses(field.message!, value as Json);
    case "messages":
      return listLosses(value as Json[], field.always === true, (element) => messageLosses(field.message!, element));
    case "content":
      return contentLosses(object, message, value);
    case "outcome":
      return outcomeLosses(message, value as Json);
    default:
      return 0;
  }
}

/** The bits for a list; an empty one is lost unless readers show it in any case. */
function listLosses<T>(list: readonly T[], isShown: boolean, judge: (element: T) => number): number {
  if (list.length === 0) return isShown ? 0 : LOSS_EMPTY;
  return list.reduce((bits, element) => bits | judge(element), 0);
}

function messageLosses(name: string, object: Json): number {
  if (name === "InputContentSource") return armLosses(name, object);
  return membersLosses(object, name, "message");
}

/** The name of the message that an object is, whose `type` names an arm of a oneof; undefined when it names none. */
function armOf(oneof: string, value: unknown): string | undefined {
  return isObject(value) ? MESSAGES[oneof]!.find((arm) => arm.name === value.type)?.message : undefined;
}

function armLosses(oneof: string, object: Json): number {
  const name = armOf(oneof, object)!;
  return membersLosses(object, name, "arm");
}

function contentLosses(object: Json, message: string, content: unknown): number {
  if (typeof content === "string") return textLosses(content);
  if (!Array.isArray(content)) return jsonLosses(content, numberLosses);
  // Readers show parts where the role asks for them, even none.
  const carrier = message === "Message" ? carrierOf(typeof object.role === "string" ? object.role : "") : "parts";
  return listLosses(content, carrier === "parts", partLosses);
}

function partLosses(part: unknown): number {
  if (armOf("InputContent", part) === undefined) return isObject(part) ? retiredPartLosses(part) : LOSS_PART;
  const { source } = part as Json;
  if (isObject(source) && armOf("InputContentSource", source) === undefined) return LOSS_PART;
  return armLosses("InputContent", part as Json);
}

/** The bits for a part of an unknown kind; the retired one becomes a document with one of its data, its address and its id. */
function retiredPartLosses(part: Json): number {
  const held = tellingMember(part);
  if (part.type !== "binary" || held === undefined) return LOSS_PART;
  let bits = 0;
  for (const [name, value] of Object.entries(part)) {
    if (value === undefined) continue;
    if (name !== held && !LEGACY_MEMBERS.includes(name)) bits |= LOSS_MEMBER;
    else if (name === "mimeType" && value === null) bits |= LOSS_EMPTY;
    else bits |= jsonLosses(value, numberLosses);
  }
  return bits;
}

/** The bits for an outcome: its type and the list that belongs to that type travel. */
function outcomeLosses(message: string, outcome: Json): number {
  const type = outcome.type as string;
  const list = listOfOutcome(message, type);
  let bits = type === "" ? LOSS_EMPTY : textLosses(type);
  for (const [name, value] of Object.entries(outcome)) {
    if (value === undefined || name === "type") continue;
    if (name !== list) bits |= LOSS_MEMBER;
    else if (value === null) bits |= LOSS_EMPTY;
    else if (name === "interrupts")
      bits |= listLosses(value as Json[], true, (each) => messageLosses("Interrupt", each));
    else bits |= listLosses(value as string[], false, textLosses);
  }
  return bits;
}

/** Readers show doubles as JavaScript prints them, -0 as 0; null for what is beyond their range. */
function numberLosses(number: number | ExactNumber): number {
  if (typeof number === "number") {
    // A double of a caller's own says its sign and all of its digits.
    const text = exactText(number);
    return text === undefined || text === String(number) ? 0 : LOSS_NUMBER;
  }
  const value = Number(number.text);
  const isShown = Number.isFinite(value) && decimalOf(String(value)) === decimalOf(number.text);
  return isShown ? 0 : LOSS_NUMBER;
}
