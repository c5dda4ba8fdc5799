import type { JsonObject } from "../../json/object.js";
import type { Draft } from "./draft.js";

/** Most bytes of an event of an append beside its delta and its names. */
const ENVELOPE = 256;

/** Appends to one field that wait to be written as one event. */
export class HeldAppends {
  /** Not less than the event will take. */
  bytes = ENVELOPE;
  private readonly event: JsonObject;
  private readonly block: JsonObject;
  private readonly field: string;
  private text = "";
  private readonly list: unknown[] | undefined;
  private ts: unknown;

  /** @param event, block of the first append; the emitter's own. Its delta is added like those of the others */
  constructor(event: JsonObject, block: JsonObject, field: string, list: unknown[] | undefined) {
    this.event = event;
    this.block = block;
    this.field = field;
    this.list = list;
  }

  /** UTF-16 code units, or elements. */
  get length(): number {
    return (this.list ?? this.text).length;
  }

  /** Whether an append would become one event with these. */
  joins({ op, mask, event_type, block }: Draft): boolean {
    return (
      op === "append" &&
      mask === this.event.mask &&
      event_type === this.event.event_type &&
      block !== undefined &&
      block.id === this.block.id &&
      Array.isArray(block[this.field]) === (this.list !== undefined)
    );
  }

  /** @param bytes not less than it takes; `ts` of its event */
  add(delta: string | readonly unknown[], bytes: number, ts: unknown): void {
    this.bytes += bytes;
    this.ts = ts;
    if (typeof delta === "string") this.text += delta;
    else for (const element of delta) this.list!.push(element);
  }

  /** The one event, at the time of the last of them. */
  whole(seq: number): JsonObject {
    const { event, block, field, text, list, ts } = this;
    const whole: JsonObject = { ...event, seq, block: { ...block, [field]: list ?? text } };
    if (ts !== undefined) whole.ts = ts;
    return whole;
  }

  copy(): HeldAppends {
    const copy = new HeldAppends(this.event, this.block, this.field, this.list?.slice());
    copy.bytes = this.bytes;
    copy.text = this.text;
    copy.ts = this.ts;
    return copy;
  }
}
