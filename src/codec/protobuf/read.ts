import type { JsonObject } from "../../json/object.js";
import { decodeText } from "../text.js";
import { Building, type ProtobufOptions } from "./building.js";
import type { Field } from "./fields.js";
import { ValueReader } from "./read-value.js";
import { carrierOf } from "./roles.js";
import { ARMS, MESSAGES, OPERATIONS } from "./table.generated.js";
import { LENGTH, type ReadFault, type Span, Unreadable, VARINT, Wire } from "./wire.js";

/** What the bytes of a frame came to. */
export type ProtobufReading =
  | {
      /** The event as its JSON text would be read: own members only, in their order, `ExactNumber`s where a double loses digits. */
      readonly value: JsonObject;
      /** Content parts of unknown kinds that were left out. */
      readonly dropped: number;
      /** Ill-formed UTF-8 was replaced by U+FFFD. */
      readonly replaced: boolean;
      /** Levels of nesting. */
      readonly depth: number;
      /** It holds an `ExactNumber`. */
      readonly exact: boolean;
      /** It holds, or a repeated key hides, a number whose text is longer than `numberLength`. */
      readonly longNumber: boolean;
    }
  | {
      /** `unknown`: an event of a later version, to be dropped with a warning. */
      readonly fault: ReadFault;
      /** Byte offset in the frame: the tag of the field, or the start of the message, that it is about. */
      readonly offset: number;
    };

/** The fields of one message: payloads of a length-delimited field, the last value of a varint. */
interface Level {
  readonly slots: (Span[] | number | undefined)[];
  /** Where the message begins. */
  readonly start: number;
}

/** What may be told apart by one arm: content parts and their sources. */
const ONEOFS = new Set(["InputContent", "InputContentSource"]);
const VARINT_KINDS = /* @__PURE__ */ new Set(["bool", "int64", "op", "type"]);
/** The wire types of the fields of each message, by their places. */
const WIRE_TYPES = /* @__PURE__ */ wireTypes();
/** Kinds of fields that are members even where they are not on the wire, or take what other fields hold. */
const SHOWN_WHEN_ABSENT = new Set(["string", "op", "content"]);
const NOTHING: Span = { from: 0, to: 0 };

/**
 * Reads one frame's payload, an `ag_ui.Event` (docs/protobuf.md).
 *
 * @param bytes the payload without its length
 */
export function readProtobuf(bytes: Uint8Array, options: ProtobufOptions): ProtobufReading {
  try {
    const reader = new EventReader(bytes, options);
    const value = reader.readEnvelope();
    const { replaced, deepest: depth, exact, longNumber } = reader.out;
    return { value, dropped: reader.dropped, replaced, depth, exact, longNumber };
  } catch (error) {
    if (error instanceof Unreadable) return { fault: error.fault, offset: error.offset };
    throw error;
  }
}

function wireTypes(): Readonly<Record<string, readonly number[]>> {
  const types = Object.entries(MESSAGES).map(([message, fields]) => [
    message,
    fields.map(({ kind }) => (VARINT_KINDS.has(kind) ? VARINT : LENGTH)),
  ]);
  return Object.fromEntries(types);
}

class EventReader {
  readonly out: Building;
  dropped = 0;
  readonly #wire: Wire;
  readonly #values: ValueReader;
  /** The part under way has a source of an unknown kind. */
  #sourceUnknown = false;

  constructor(bytes: Uint8Array, options: ProtobufOptions) {
    this.#wire = new Wire(bytes);
    this.out = new Building(this.#wire, options);
    this.#values = new ValueReader(this.#wire, this.out);
  }

  /** Finds the one arm of the envelope and reads its event. */
  readEnvelope(): JsonObject {
    const wire = this.#wire;
    const end = wire.bytes.length;
    const payloads: Span[] = [];
    const others: Span[] = [];
    let arm = 0;
    let oddAt = -1;
    for (let at = 0; at < end; ) {
      const tagAt = at;
      at = wire.tag(at, end);
      if (at < 0) throw new Unreadable("malformed", tagAt);
      const tag = wire.low;
      const number = tag >>> 3;
      const isKnown = number <= ARMS.length;
      // A group is unknown whatever its number; any other field of a known number speaks of its event.
      if (isKnown && (tag & 7) !== 3 && (tag & 7) !== 4) {
        if (arm !== 0 && arm !== number) throw new Unreadable("malformed", tagAt);
        arm = number;
      }
      if ((tag & 7) === LENGTH) {
        const from = wire.length(at, end);
        if (from < 0) throw new Unreadable("malformed", tagAt);
        at = from + wire.low;
        if (isKnown) payloads.push({ from, to: at });
        else others.push({ from: tagAt, to: at });
        continue;
      }
      if (isKnown && oddAt < 0) oddAt = tagAt;
      at = wire.skip(tag, at, end);
      if (at < 0) throw new Unreadable("malformed", tagAt);
    }
    if (payloads.length > 0) return this.#readEvent(arm, payloads);
    if (oddAt >= 0) throw new Unreadable("malformed", oddAt);
    for (const field of others) this.#expectMessage(field);
    throw new Unreadable(others.length > 0 ? "unknown" : "malformed", 0);
  }

  /** An arm that is not known has to hold a message, or the bytes are broken rather than new. */
  #expectMessage({ from, to }: Span): void {
    const wire = this.#wire;
    let at = wire.length(wire.tag(from, to), to);
    while (at < to) {
      at = wire.tag(at, to);
      if (at >= 0) at = wire.skip(wire.low, at, to);
      if (at < 0) throw new Unreadable("malformed", from);
    }
  }

  #readEvent(arm: number, spans: Span[]): JsonObject {
    const { type, number, message } = ARMS[arm - 1]!;
    const start = spans[0]!.from;
    this.out.enter(0, start);
    const level = this.#level(message, spans);
    const base = level.slots[0] as Span[] | undefined;
    if (base === undefined) throw new Unreadable("malformed", start);
    const baseLevel = this.#level("BaseEvent", base);
    if ((baseLevel.slots[0] ?? 0) !== number) throw new Unreadable("malformed", baseLevel.start);
    // The type has to be the first member that anybody reads.
    const event: JsonObject = { type };
    this.#members(message, level, 1, event);
    this.#members("BaseEvent", baseLevel, 1, event);
    return event;
  }

  /** Reads the fields of a message. */
  #level(message: string, spans: readonly Span[]): Level {
    const wire = this.#wire;
    const types = WIRE_TYPES[message]!;
    const isOneof = ONEOFS.has(message);
    const slots: Level["slots"] = new Array(types.length).fill(undefined);
    for (const { from, to } of spans) {
      let arm = -1;
      for (let at = from; at < to; ) {
        const tagAt = at;
        at = wire.tag(at, to);
        if (at < 0) throw new Unreadable("malformed", tagAt);
        const tag = wire.low;
        const place = (tag >>> 3) - 1;
        const wireType = place < types.length ? types[place] : -1;
        if (wireType !== (tag & 7)) {
          at = wire.skip(tag, at, to);
          if (at < 0) throw new Unreadable("malformed", tagAt);
        } else if (wireType === VARINT) {
          at = wire.varint(at, to);
          const value = at < 0 ? undefined : this.#varintOf(MESSAGES[message]![place]!);
          if (value === undefined) throw new Unreadable("malformed", tagAt);
          slots[place] = value;
        } else {
          at = wire.length(at, to);
          if (at < 0) throw new Unreadable("malformed", tagAt);
          const span = { from: at, to: at + wire.low };
          at = span.to;
          if (isOneof) {
            if (arm >= 0 && arm !== place) throw new Unreadable("malformed", tagAt);
            arm = place;
            // Of repeated oneofs the last arm counts, and what came before another one is gone.
            if (slots[place] === undefined) slots.fill(undefined);
          }
          const known = slots[place];
          if (Array.isArray(known)) known.push(span);
          else slots[place] = [span];
        }
      }
    }
    return { slots, start: spans[0]!.from };
  }

  #varintOf({ kind }: Field): number | undefined {
    if (kind === "int64") return this.#wire.exactInteger();
    if (kind === "bool") return this.#wire.low === 0 && this.#wire.high === 0 ? 0 : 1;
    // Enums have 32 bits, whatever was written.
    return this.#wire.low | 0;
  }

  /** Puts the members of a message into an object. */
  #members(message: string, level: Level, depth: number, target: JsonObject): void {
    const fields = MESSAGES[message]!;
    for (let place = 0; place < fields.length; place++) {
      const field = fields[place]!;
      // Most fields of most messages are not there.
      if (level.slots[place] === undefined && !SHOWN_WHEN_ABSENT.has(field.kind) && !field.always) continue;
      const value = this.#member(message, level, place, field, depth);
      if (value !== undefined) target[field.name!] = value;
    }
  }

  /** The value of one member; undefined: it is none. */
  #member(message: string, level: Level, place: number, field: Field, depth: number): unknown {
    const slot = level.slots[place];
    const spans = Array.isArray(slot) ? slot : [];
    switch (field.kind) {
      case "string":
      case "optional-string":
        if (spans.length === 0 && field.kind === "optional-string") return undefined;
        return this.out.string(spans.at(-1) ?? NOTHING);
      case "bool":
        return slot === undefined ? undefined : slot === 1;
      case "int64":
        return slot === undefined ? undefined : this.out.number(slot as number);
      case "op": {
        const number = typeof slot === "number" ? slot : 0;
        return OPERATIONS[number] ?? String(number);
      }
      case "value": {
        const value = this.#values.read(spans);
        return value === undefined ? undefined : this.#values.build(value, depth);
      }
      case "struct":
        return spans.length === 0 ? undefined : this.#values.buildStruct(spans, depth);
      case "message":
        return spans.length === 0 ? undefined : this.#nested(field.message!, spans, depth);
      case "messages":
      case "strings":
        if (field.ofOutcome ? spans.length === 0 || this.#outcome(message, level) !== undefined : false)
          return undefined;
        if (spans.length === 0 && !field.always) return undefined;
        return this.#list(level, field, spans, depth);
      case "content":
        return this.#content(message, level, depth);
      case "outcome":
        return this.#readOutcome(message, level, depth);
      default:
        return undefined;
    }
  }

  #nested(message: string, spans: readonly Span[], depth: number): JsonObject | undefined {
    if (!ONEOFS.has(message)) return this.#object(message, spans, depth);
    this.out.enter(depth, spans[0]!.from);
    const level = this.#level(message, spans);
    if (level.slots.every((slot) => slot === undefined)) {
      this.#sourceUnknown = true;
      return undefined;
    }
    return this.#arm(message, level, depth);
  }

  #object(message: string, spans: readonly Span[], depth: number): JsonObject {
    this.out.enter(depth, spans[0]!.from);
    const object: JsonObject = {};
    this.#members(message, this.#level(message, spans), depth + 1, object);
    return object;
  }

  /** The arm of a oneof as an object whose `type` names it. */
  #arm(message: string, level: Level, depth: number): JsonObject {
    const place = level.slots.findIndex((slot) => slot !== undefined);
    const arm = MESSAGES[message]![place]!;
    const object: JsonObject = { type: arm.name };
    this.#members(arm.message!, this.#level(arm.message!, level.slots[place] as Span[]), depth + 1, object);
    return object;
  }

  #list(level: Level, field: Field, spans: readonly Span[], depth: number): unknown[] {
    this.out.enter(depth, level.start);
    const list: unknown[] = [];
    for (const span of spans) {
      if (field.kind === "strings") {
        list.push(this.out.string(span));
      } else if (field.kind === "messages") {
        list.push(this.#object(field.message!, [span], depth + 1));
      } else {
        const part = this.#part(span, depth + 1);
        if (part !== undefined) list.push(part);
      }
    }
    return list;
  }

  /** A content part; undefined when its kind, or that of its source, is not known. */
  #part(span: Span, depth: number): JsonObject | undefined {
    this.out.enter(depth, span.from);
    const { longNumber } = this.out;
    const level = this.#level("InputContent", [span]);
    if (level.slots.some((slot) => slot !== undefined)) {
      this.#sourceUnknown = false;
      const part = this.#arm("InputContent", level, depth);
      if (!this.#sourceUnknown) return part;
    }
    // What is left out is not held.
    this.out.longNumber = longNumber;
    this.dropped++;
    return undefined;
  }

  /** `content` from the carrier that the role uses; a second one is a contradiction. */
  #content(message: string, level: Level, depth: number): unknown {
    const fields = MESSAGES[message]!;
    const spansOf = (kind: string): Span[] => {
      const place = fields.findIndex((field) => field.kind === kind);
      return (level.slots[place] as Span[] | undefined) ?? [];
    };
    const text = spansOf("content").at(-1);
    const parts = spansOf("parts");
    const activity = spansOf("activity");
    let carrier = message === "Message" ? carrierOf(this.#roleOf(level)) : "parts";
    if (carrier === "any") {
      const there = [text !== undefined, parts.length > 0, activity.length > 0];
      if (there.filter(Boolean).length > 1) throw new Unreadable("malformed", level.start);
      carrier = parts.length > 0 ? "parts" : activity.length > 0 ? "activity" : "text";
    }
    const isWrong =
      (parts.length > 0 && carrier !== "parts") ||
      (activity.length > 0 && carrier !== "activity") ||
      (text !== undefined && (carrier === "activity" || parts.length > 0));
    if (isWrong) throw new Unreadable("malformed", level.start);
    if (text !== undefined) return this.out.string(text);
    if (carrier === "parts") return this.#list(level, { kind: "parts" }, parts, depth);
    return activity.length > 0 ? this.#values.buildStruct(activity, depth) : undefined;
  }

  #roleOf(level: Level): string {
    const spans = level.slots[MESSAGES.Message!.findIndex((field) => field.name === "role")] as Span[] | undefined;
    return (spans && this.#textOf(spans.at(-1)!)) ?? "";
  }

  /** The text of a span; undefined when it is ill-formed. */
  #textOf({ from, to }: Span): string | undefined {
    return decodeText(this.#wire.bytes, from, to);
  }

  /** The outcome of an event; an empty one is none. */
  #outcome(message: string, level: Level): Span | undefined {
    const place = MESSAGES[message]!.findIndex((field) => field.kind === "outcome");
    const span = (level.slots[place] as Span[] | undefined)?.at(-1);
    return span && span.to > span.from ? span : undefined;
  }

  /** The outcome with the lists that stand beside it on the wire. */
  #readOutcome(message: string, level: Level, depth: number): JsonObject | undefined {
    const type = this.#outcome(message, level);
    if (type === undefined) return undefined;
    this.out.enter(depth, level.start);
    const outcome: JsonObject = { type: this.out.string(type) };
    const isInterrupt = this.#textOf(type) === "interrupt";
    for (const [place, field] of MESSAGES[message]!.entries()) {
      const spans = (field.ofOutcome ? level.slots[place] : undefined) as Span[] | undefined;
      if (spans === undefined && !(field.ofOutcome && isInterrupt && field.kind === "messages")) continue;
      outcome[field.name!] = this.#list(level, field, spans ?? [], depth + 1);
    }
    return outcome;
  }
}
