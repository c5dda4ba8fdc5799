import { BackwardBytes } from "./bytes.js";
import type { Field } from "./fields.js";
import { carrierOf } from "./roles.js";
import { ARMS, MESSAGES, OPERATIONS } from "./table.generated.js";
import { writeValue } from "./write-value.js";

/** What an event came to. */
export type ProtobufWriting =
  | {
      /** The payload of a frame, without its length. */
      readonly bytes: Uint8Array;
      /** Content parts that no field can carry. */
      readonly leftOut: number;
    }
  | {
      /** `unknown`: its type has no arm; `unfit`: a member holds what its field cannot carry. */
      readonly fault: "unknown" | "unfit";
      /** JSON pointer (RFC 6901) to the value. */
      readonly path: string;
    };

type Json = Readonly<Record<string, unknown>>;

class Unfit {
  readonly fault: "unknown" | "unfit";
  constructor(fault: "unknown" | "unfit") {
    this.fault = fault;
  }
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/** The list that an outcome of that type has. */
const LIST_OF_OUTCOME: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  RunFinishedEvent: { success: "pendingToolCallIds", interrupt: "interrupts" },
  SubagentFinishedEvent: { suspended: "interruptIds" },
};

/**
 * Writes an event as the payload of a frame, an `ag_ui.Event`: fields in the order of their numbers, maps in the order of their members
 * (docs/protobuf.md). Members without a field are left out; what the schema demands is not judged.
 *
 * @param event plain JSON; `null` for an optional member is an absent one
 */
export function writeProtobuf(event: Json): ProtobufWriting {
  const writer = new EventWriter();
  try {
    writer.writeEvent(event);
    return { bytes: writer.out.finish(), leftOut: writer.leftOut };
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
    const path = writer.path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
    return { fault: error.fault, path };
  }
}

/** Writes from the last byte to the first, so fields and elements come in reverse. */
class EventWriter {
  readonly out = new BackwardBytes();
  leftOut = 0;
  /** Where the value under way stands; of use when it does not fit. */
  readonly path: (string | number)[] = [];

  writeEvent(event: Json): void {
    if (!isObject(event) || !Object.hasOwn(event, "type")) throw new Unfit("unfit");
    const arm = ARMS.findIndex(({ type }) => type === event.type);
    if (arm < 0) {
      this.path.push("type");
      throw new Unfit("unknown");
    }
    const { number, message } = ARMS[arm]!;
    this.#fields(message, event);
    const before = this.out.size;
    this.#fields("BaseEvent", event);
    if (number !== 0) {
      this.out.varint(number);
      this.out.varint(0x08);
    }
    this.out.close(0x0a, before);
    this.out.close(((arm + 1) << 3) | 2, 0);
  }

  #message(tag: number, message: string, value: unknown): void {
    if (!isObject(value)) throw new Unfit("unfit");
    const before = this.out.size;
    this.#fields(message, value);
    this.out.close(tag, before);
  }

  #fields(message: string, object: Json): void {
    const fields = MESSAGES[message]!;
    for (let place = fields.length - 1; place >= 0; place--) {
      const field = fields[place]!;
      const name = field.kind === "parts" || field.kind === "activity" ? "content" : field.name;
      if (name === undefined) continue;
      this.path.push(name);
      this.#field(message, object, field, name, place + 1);
      this.path.pop();
    }
  }

  #field(message: string, object: Json, field: Field, name: string, number: number): void {
    const { out } = this;
    const tag = (number << 3) | 2;
    if (field.ofOutcome) {
      this.#outcomeList(message, object, field, tag);
      return;
    }
    const value = Object.hasOwn(object, name) ? object[name] : undefined;
    if (value === undefined || (value === null && !field.keepsNull)) return;
    switch (field.kind) {
      case "string":
      case "optional-string":
        if (typeof value !== "string") throw new Unfit("unfit");
        if (value !== "" || field.kind !== "string") out.string(tag, value);
        return;
      case "value":
        writeValue(out, tag, value);
        return;
      case "struct":
        if (!isObject(value)) throw new Unfit("unfit");
        writeValue(out, tag, value, true);
        return;
      case "message":
        if (field.message === "InputContentSource") this.#oneof(tag, field.message, value);
        else this.#message(tag, field.message!, value);
        return;
      case "messages":
        this.#each(value, (element) => this.#message(tag, field.message!, element));
        return;
      case "strings":
        this.#strings(tag, value);
        return;
      case "bool":
        if (typeof value !== "boolean") throw new Unfit("unfit");
        out.varint(value ? 1 : 0);
        out.varint(number << 3);
        return;
      case "int64":
        if (!Number.isSafeInteger(value)) throw new Unfit("unfit");
        out.int64(value as number);
        out.varint(number << 3);
        return;
      case "op": {
        const operation = OPERATIONS.indexOf(value as string);
        if (operation < 0) throw new Unfit("unfit");
        if (operation === 0) return;
        out.varint(operation);
        out.varint(number << 3);
        return;
      }
      case "content":
        this.#expectCarrier(message, object, value);
        if (typeof value === "string") out.string(tag, value);
        return;
      case "parts":
        if (Array.isArray(value)) this.#each(value, (part) => this.#part(tag, part));
        return;
      case "activity":
        if (isObject(value)) writeValue(out, tag, value, true);
        return;
      case "outcome":
        if (!isObject(value) || typeof value.type !== "string") throw new Unfit("unfit");
        if (value.type !== "") out.string(tag, value.type);
        return;
      default:
        return;
    }
  }

  /** Visits the elements of a list, the last one first. */
  #each(value: unknown, visit: (element: unknown) => void): void {
    if (!Array.isArray(value)) throw new Unfit("unfit");
    for (let i = value.length - 1; i >= 0; i--) {
      this.path.push(i);
      visit(value[i]);
      this.path.pop();
    }
  }

  #strings(tag: number, value: unknown): void {
    this.#each(value, (element) => {
      if (typeof element !== "string") throw new Unfit("unfit");
      this.out.string(tag, element);
    });
  }

  /** The content has to be what the role takes. */
  #expectCarrier(message: string, object: Json, value: unknown): void {
    const carrier = message === "Message" ? carrierOf(typeof object.role === "string" ? object.role : "") : "parts";
    const fits =
      typeof value === "string"
        ? carrier !== "activity"
        : Array.isArray(value)
          ? carrier === "parts" || carrier === "any"
          : isObject(value) && (carrier === "activity" || carrier === "any");
    if (!fits) throw new Unfit("unfit");
  }

  /** The list of an outcome, when its type has one. */
  #outcomeList(message: string, { outcome }: Json, field: Field, tag: number): void {
    if (!isObject(outcome) || typeof outcome.type !== "string") return;
    const lists = LIST_OF_OUTCOME[message]!;
    if (!Object.hasOwn(lists, outcome.type) || lists[outcome.type] !== field.name) return;
    const value = Object.hasOwn(outcome, field.name) ? outcome[field.name] : null;
    if (value === null || value === undefined) return;
    this.path.splice(-1, 1, "outcome", field.name);
    if (field.kind === "strings") this.#strings(tag, value);
    else this.#each(value, (element) => this.#message(tag, field.message!, element));
    this.path.pop();
  }

  /** The place of the arm that an object names; -1 when there is none. */
  #armOf(oneof: string, value: unknown): number {
    return isObject(value) ? MESSAGES[oneof]!.findIndex((arm) => arm.name === value.type) : -1;
  }

  #oneof(tag: number, oneof: string, value: unknown): void {
    const place = this.#armOf(oneof, value);
    if (place < 0) throw new Unfit("unfit");
    const before = this.out.size;
    this.#message(((place + 1) << 3) | 2, MESSAGES[oneof]![place]!.message!, value);
    this.out.close(tag, before);
  }

  #part(tag: number, part: unknown): void {
    const isKnown = this.#armOf("InputContent", part) >= 0;
    if (!isKnown && isObject(part) && part.type === "binary" && this.#legacyPart(tag, part)) return;
    // Without its source a part would be another one.
    const hasNewSource = isObject(part) && isObject(part.source) && this.#armOf("InputContentSource", part.source) < 0;
    if (!isKnown || hasNewSource) {
      this.leftOut++;
      return;
    }
    this.#oneof(tag, "InputContent", part);
  }

  /** The retired `binary` part, as a document whose metadata says what it was; false when it says nothing that could travel. */
  #legacyPart(tag: number, { data, url, id, mimeType, filename }: Json): boolean {
    const value = [data, url, id].find(isText);
    if (value === undefined) return false;
    const source = { type: value === data ? "data" : "url", value, mimeType };
    const metadata = { legacyBinary: true, filename, id };
    this.#oneof(tag, "InputContent", { type: "document", source, metadata });
    return true;
  }
}
