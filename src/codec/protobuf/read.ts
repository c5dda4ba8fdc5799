import type { Field } from "./fields.js";
import { ValueReader } from "./read-value.js";
import { carrierOf } from "./roles.js";
import { ARMS, MESSAGES, OPERATIONS } from "./table.generated.js";
import { JsonText } from "./text.js";
import { decodeUtf8, LENGTH, type ReadFault, type Span, Unreadable, VARINT, Wire } from "./wire.js";

/** What the bytes of a frame came to. */
export type ProtobufReading =
  | {
      /** The canonical JSON text of the event. */
      readonly text: string;
      /** Content parts of unknown kinds that were left out. */
      readonly dropped: number;
      /** Ill-formed UTF-8 was replaced by U+FFFD. */
      readonly replaced: boolean;
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
const VARINT_KINDS = new Set(["bool", "int64", "op", "type"]);
/** Kinds of fields that are members even where they are not on the wire, or take what other fields hold. */
const SHOWN_WHEN_ABSENT = new Set(["string", "op", "content"]);
const NOTHING: Span = { from: 0, to: 0 };

/**
 * Reads one frame's payload, an `ag_ui.Event` (docs/protobuf.md).
 *
 * @param bytes the payload without its length
 * @param maxDepth how many containers of the JSON form may be nested
 */
export function readProtobuf(bytes: Uint8Array, maxDepth: number): ProtobufReading {
  try {
    const reader = new EventReader(bytes, maxDepth);
    reader.readEnvelope();
    const { text, replaced } = reader.out;
    return { text, dropped: reader.dropped, replaced };
  } catch (error) {
    if (error instanceof Unreadable) return { fault: error.fault, offset: error.offset };
    throw error;
  }
}

class EventReader {
  readonly out: JsonText;
  dropped = 0;
  readonly #wire: Wire;
  readonly #values: ValueReader;
  readonly #maxDepth: number;
  /** The part under way has a source of an unknown kind. */
  #sourceUnknown = false;

  constructor(bytes: Uint8Array, maxDepth: number) {
    this.#wire = new Wire(bytes);
    this.out = new JsonText(this.#wire);
    this.#values = new ValueReader(this.#wire, this.out, maxDepth);
    this.#maxDepth = maxDepth;
  }

  /** Finds the one arm of the envelope and reads its event. */
  readEnvelope(): void {
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
    if (payloads.length > 0) {
      this.#readEvent(arm, payloads);
      return;
    }
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

  #readEvent(arm: number, spans: Span[]): void {
    const { type, number, message } = ARMS[arm - 1]!;
    const start = spans[0]!.from;
    if (this.#maxDepth < 1) throw new Unreadable("too-deep", start);
    const level = this.#level(message, spans);
    const base = level.slots[0] as Span[] | undefined;
    if (base === undefined) throw new Unreadable("malformed", start);
    const baseLevel = this.#level("BaseEvent", base);
    if ((baseLevel.slots[0] ?? 0) !== number) throw new Unreadable("malformed", baseLevel.start);
    // The type has to be the first member that anybody reads.
    this.out.text = `{"type":"${type}"`;
    this.#members(message, level, 1, false);
    this.#members("BaseEvent", baseLevel, 1, false);
    this.out.text += "}";
  }

  /** Reads the fields of a message. */
  #level(message: string, spans: readonly Span[]): Level {
    const wire = this.#wire;
    const fields = MESSAGES[message]!;
    const isOneof = ONEOFS.has(message);
    const slots: Level["slots"] = new Array(fields.length).fill(undefined);
    for (const { from, to } of spans) {
      let arm = -1;
      for (let at = from; at < to; ) {
        const tagAt = at;
        at = wire.tag(at, to);
        if (at < 0) throw new Unreadable("malformed", tagAt);
        const tag = wire.low;
        const place = (tag >>> 3) - 1;
        const field = fields[place];
        const wireType = field === undefined ? -1 : VARINT_KINDS.has(field.kind) ? VARINT : LENGTH;
        if (wireType !== (tag & 7)) {
          at = wire.skip(tag, at, to);
          if (at < 0) throw new Unreadable("malformed", tagAt);
        } else if (wireType === VARINT) {
          at = wire.varint(at, to);
          const value = at < 0 ? undefined : this.#varintOf(field!);
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

  /** Writes the members of a message, the first one behind a comma unless `isFirst`. */
  #members(message: string, level: Level, depth: number, isFirst: boolean): void {
    const fields = MESSAGES[message]!;
    for (let place = 0; place < fields.length; place++) {
      const field = fields[place]!;
      // Most fields of most messages are not there.
      if (level.slots[place] === undefined && !SHOWN_WHEN_ABSENT.has(field.kind) && !field.always) continue;
      const before = this.out.text.length;
      this.#member(message, level, place, field, depth, `${isFirst ? "" : ","}"${field.name}":`);
      if (this.out.text.length > before) isFirst = false;
    }
  }

  /** Writes one member under `name`, or nothing. */
  #member(message: string, level: Level, place: number, field: Field, depth: number, name: string): void {
    const out = this.out;
    const slot = level.slots[place];
    const spans = Array.isArray(slot) ? slot : [];
    switch (field.kind) {
      case "string":
      case "optional-string":
        if (spans.length === 0 && field.kind === "optional-string") return;
        out.text += name;
        out.string(spans.at(-1) ?? NOTHING);
        return;
      case "bool":
        if (slot !== undefined) out.text += `${name}${slot === 1}`;
        return;
      case "int64":
        if (slot !== undefined) out.text += `${name}${slot}`;
        return;
      case "op": {
        const number = typeof slot === "number" ? slot : 0;
        out.text += `${name}"${OPERATIONS[number] ?? number}"`;
        return;
      }
      case "value": {
        const value = this.#values.read(spans);
        if (value === undefined) return;
        out.text += name;
        this.#values.write(value, depth);
        return;
      }
      case "struct":
        if (spans.length === 0) return;
        out.text += name;
        this.#values.writeStruct(spans, depth);
        return;
      case "message":
        if (spans.length > 0) this.#nested(name, field.message!, spans, depth);
        return;
      case "messages":
      case "strings":
        if (field.ofOutcome ? spans.length === 0 || this.#outcome(message, level) !== undefined : false) return;
        if (spans.length === 0 && !field.always) return;
        out.text += name;
        this.#list(level, field, spans, depth);
        return;
      case "content":
        this.#content(message, level, name, depth);
        return;
      case "outcome":
        this.#writeOutcome(message, level, name, depth);
        return;
      default:
        return;
    }
  }

  #nested(name: string, message: string, spans: readonly Span[], depth: number): void {
    if (depth >= this.#maxDepth) throw new Unreadable("too-deep", spans[0]!.from);
    if (!ONEOFS.has(message)) {
      this.out.text += name;
      this.#object(message, spans, depth);
      return;
    }
    const level = this.#level(message, spans);
    if (level.slots.every((slot) => slot === undefined)) {
      this.#sourceUnknown = true;
      return;
    }
    this.out.text += name;
    this.#arm(message, level, depth);
  }

  #object(message: string, spans: readonly Span[], depth: number): void {
    if (depth >= this.#maxDepth) throw new Unreadable("too-deep", spans[0]!.from);
    const level = this.#level(message, spans);
    this.out.text += "{";
    this.#members(message, level, depth + 1, true);
    this.out.text += "}";
  }

  /** The arm of a oneof as an object whose `type` names it. */
  #arm(message: string, level: Level, depth: number): void {
    const place = level.slots.findIndex((slot) => slot !== undefined);
    const arm = MESSAGES[message]![place]!;
    this.out.text += `{"type":"${arm.name}"`;
    this.#members(arm.message!, this.#level(arm.message!, level.slots[place] as Span[]), depth + 1, false);
    this.out.text += "}";
  }

  #list(level: Level, field: Field, spans: readonly Span[], depth: number): void {
    if (depth >= this.#maxDepth) throw new Unreadable("too-deep", level.start);
    const out = this.out;
    out.text += "[";
    let isFirst = true;
    for (const span of spans) {
      // What a part leaves behind is decided at its end; a text of its own spares cutting a long one.
      const before = out.text;
      out.text = isFirst ? "" : ",";
      let isKept = true;
      if (field.kind === "strings") out.string(span);
      else if (field.kind === "messages") this.#object(field.message!, [span], depth + 1);
      else isKept = this.#part(span, depth + 1);
      out.text = isKept ? before + out.text : before;
      if (isKept) isFirst = false;
    }
    out.text += "]";
  }

  /** Writes a content part; false when its kind, or that of its source, is not known. */
  #part(span: Span, depth: number): boolean {
    if (depth >= this.#maxDepth) throw new Unreadable("too-deep", span.from);
    const level = this.#level("InputContent", [span]);
    let isKnown = level.slots.some((slot) => slot !== undefined);
    if (isKnown) {
      this.#sourceUnknown = false;
      this.#arm("InputContent", level, depth);
      isKnown = !this.#sourceUnknown;
    }
    if (!isKnown) this.dropped++;
    return isKnown;
  }

  /** Writes `content` from the carrier that the role uses; a second one is a contradiction. */
  #content(message: string, level: Level, name: string, depth: number): void {
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
    if (text !== undefined) {
      this.out.text += name;
      this.out.string(text);
    } else if (carrier === "parts") {
      this.out.text += name;
      this.#list(level, { kind: "parts" }, parts, depth);
    } else if (activity.length > 0) {
      this.out.text += name;
      this.#values.writeStruct(activity, depth);
    }
  }

  #roleOf(level: Level): string {
    const spans = level.slots[MESSAGES.Message!.findIndex((field) => field.name === "role")] as Span[] | undefined;
    return (spans && decodeUtf8(this.#wire.bytes, spans.at(-1)!)) ?? "";
  }

  /** The outcome of an event; an empty one is none. */
  #outcome(message: string, level: Level): Span | undefined {
    const place = MESSAGES[message]!.findIndex((field) => field.kind === "outcome");
    const span = (level.slots[place] as Span[] | undefined)?.at(-1);
    return span && span.to > span.from ? span : undefined;
  }

  /** Writes the outcome with the lists that stand beside it on the wire. */
  #writeOutcome(message: string, level: Level, name: string, depth: number): void {
    const type = this.#outcome(message, level);
    if (type === undefined) return;
    if (depth >= this.#maxDepth) throw new Unreadable("too-deep", level.start);
    const out = this.out;
    out.text += `${name}{"type":`;
    out.string(type);
    const isInterrupt = decodeUtf8(this.#wire.bytes, type) === "interrupt";
    for (const [place, field] of MESSAGES[message]!.entries()) {
      const spans = (field.ofOutcome ? level.slots[place] : undefined) as Span[] | undefined;
      if (spans === undefined && !(field.ofOutcome && isInterrupt && field.kind === "messages")) continue;
      out.text += `,${JSON.stringify(field.name)}:`;
      this.#list(level, field, spans ?? [], depth + 1);
    }
    out.text += "}";
  }
}
