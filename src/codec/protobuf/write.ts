import { ExactNumber } from "../../json/exact.js";
import { isZeroText } from "../../json/number.js";
import { pointerStep } from "../../json/object.js";
import { isObject } from "../../json/tree.js";
import { isForeign } from "../caller.js";
import type { Losses } from "../losses.js";
import { Unwritable, type UnwritableCode } from "../unwritable.js";
import { BackwardBytes } from "./bytes.js";
import { tellingMember } from "./legacy-part.js";
import { protobufLosses } from "./losses.js";
import { listOfOutcome } from "./outcomes.js";
import { eventPlan, type Plan, planOf, type Slot } from "./plan.js";
import { carrierOf } from "./roles.js";
import { MESSAGES, OPERATIONS } from "./table.generated.js";
import { ValueWriter } from "./write-value.js";

/** What an event came to. */
export type ProtobufWriting =
  | {
      /** The payload of a frame, without its length. */
      readonly bytes: Uint8Array;
    }
  | {
      /** `unknown`: its type has no arm; `unfit`: a member holds what its field cannot carry. */
      readonly fault: "unknown" | "unfit";
      /** JSON pointer (RFC 6901) to the value. */
      readonly path: string;
    };

type Json = Readonly<Record<string, unknown>>;

/** A buffer that has grown beyond this is not kept for the next event. */
const KEPT = 64 * 1024;

/**
 * Writes an event as the payload of a frame, an `ag_ui.Event`: fields in the order of their numbers, maps in the order of their members
 * (docs/protobuf.md). Members without a field are left out; what the schema demands is not judged.
 *
 * @param event JSON, `ExactNumber`s included; `null` for an optional member is an absent one
 * @param losses takes LOSS_NUMBER, LOSS_SURROGATE, LOSS_MEMBER, LOSS_EMPTY and LOSS_PART, unless there is a fault
 * @param orders the order of members of objects whose names JavaScript lists otherwise, as `readOrdered` tells it
 */
export function writeProtobuf(
  event: unknown,
  losses?: Losses,
  orders?: ReadonlyMap<object, readonly string[]>,
): ProtobufWriting {
  const writer = new ProtobufWriter(Number.POSITIVE_INFINITY);
  writer.orders = orders;
  try {
    writer.write(event);
    if (losses !== undefined) losses.bits |= protobufLosses(event as Readonly<Record<string, unknown>>);
    return { bytes: writer.out.copy() };
  } catch (error) {
    if (!(error instanceof Unwritable)) throw error;
    return { fault: faultOf(error), path: error.path };
  }
}

/** Why an event has no form on the wire: the wire does not know its type, or a member holds what its field cannot carry. */
export function faultOf(error: Unwritable): "unknown" | "unfit" {
  return error.path === "/type" ? "unknown" : "unfit";
}

/** Writes callers' events from the last byte to the first, so fields and elements come in reverse. */
export class ProtobufWriter {
  readonly out = new BackwardBytes();
  /** Where the object or list under way stands; of use when something does not fit. */
  private readonly path: (string | number)[] = [];
  private readonly values = new ValueWriter(this.out);
  /** The members of the messages that are open, each at its place. */
  private readonly rows: unknown[][] = [];
  private row = 0;
  private readonly depth: number;

  /** @param depth levels of nesting allowed */
  constructor(depth: number) {
    this.depth = depth;
  }

  /** As for `writeProtobuf`, of the events that are written from now on. */
  set orders(orders: ReadonlyMap<object, readonly string[]> | undefined) {
    this.values.orders = orders;
  }

  /**
   * Writes an event in place of the last one; its bytes are in `out`.
   *
   * @throws Unwritable `bad_event`, at `/type` when the wire has no arm for it, `not_an_event`, `not_json`, `too_deep`; and whatever a getter or
   *   `toJSON` throws
   */
  write(event: unknown): void {
    const { out, values } = this;
    out.clear(KEPT);
    this.path.length = 0;
    this.row = 0;
    const object = values.open.root(event);
    const arm = eventPlan(Object.hasOwn(object, "type") ? object.type : undefined);
    if (arm === undefined) throw this.fault("bad_event", Object.hasOwn(object, "type") ? "type" : undefined);
    const members = this.collect(arm, object);
    this.fields(arm, arm.slots, members);
    const before = out.size;
    this.fields(arm, arm.base, members);
    this.release(members);
    if (arm.type !== 0) {
      out.varint(arm.type);
      out.varint(0x08);
    }
    out.close(0x0a, before);
    out.close(arm.tag, 0);
  }

  private message(tag: number, message: string, object: unknown, step: string | number): void {
    if (!isObject(object)) throw this.fault("bad_event", step);
    this.enter(step);
    const before = this.out.size;
    const plan = planOf(message);
    const members = this.collect(plan, object);
    this.fields(plan, plan.slots, members);
    this.release(members);
    this.out.close(tag, before);
    this.path.pop();
  }

  /** The members of an object that have fields. Listed with `for … in` they are read by their place, whatever the object's shape. */
  private collect({ places }: Plan, object: Json): readonly unknown[] {
    const { mayInherit } = this.values.open;
    const members = this.rows[this.row] ?? [];
    this.rows[this.row++] = members;
    for (let i = members.length; i < places.size; i++) members.push(undefined);
    for (const name in object) {
      const place = places.get(name);
      if (place !== undefined && (!mayInherit || Object.hasOwn(object, name))) members[place] = object[name];
    }
    return members;
  }

  /** Forgets the members of the innermost message. */
  private release(members: readonly unknown[]): void {
    this.row--;
    (members as unknown[]).fill(undefined);
  }

  private fields(plan: Plan, slots: readonly Slot[], members: readonly unknown[]): void {
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i]!;
      let value = members[slot.place];
      if (value === undefined) continue;
      if (typeof value === "string") {
        if (slot.kind === "string") {
          if (value !== "") this.out.string(slot.tag, value);
          continue;
        }
        if (slot.kind === "optional-string") {
          this.out.string(slot.tag, value);
          continue;
        }
      } else {
        value = this.resolve(value, slot.name);
        if (value === undefined || (value === null && !slot.field.keepsNull)) continue;
      }
      this.field(plan, members, slot, value);
    }
  }

  private field(plan: Plan, members: readonly unknown[], slot: Slot, value: unknown): void {
    const { out } = this;
    const { name, tag, field } = slot;
    if (field.ofOutcome) {
      this.outcomeList(plan.message, value, slot);
      return;
    }
    switch (slot.kind) {
      case "string":
      case "optional-string":
        if (typeof value !== "string") throw this.fault("bad_event", name);
        if (value !== "" || slot.kind === "optional-string") out.string(tag, value);
        return;
      case "value":
        this.value(tag, value, name, false);
        return;
      case "struct":
        if (!isObject(value)) throw this.fault("bad_event", name);
        this.value(tag, value, name, true);
        return;
      case "message":
        if (field.message === "InputContentSource") this.oneof(tag, field.message, value, name);
        else this.message(tag, field.message!, value, name);
        return;
      case "messages":
        this.each(value, name, (element, i) => this.message(tag, field.message!, element, i));
        return;
      case "strings":
        this.strings(tag, value, name);
        return;
      case "bool":
        if (typeof value !== "boolean") throw this.fault("bad_event", name);
        out.varint(value ? 1 : 0);
        out.varint(slot.varintTag);
        return;
      case "int64": {
        // The one integer that no double carries without loss as JSON text.
        const integer = value instanceof ExactNumber && isZeroText(value.text) ? 0 : value;
        if (!Number.isSafeInteger(integer)) throw this.fault("bad_event", name);
        out.int64(integer as number);
        out.varint(slot.varintTag);
        return;
      }
      case "op": {
        const operation = OPERATIONS.indexOf(value as string);
        if (operation < 0) throw this.fault("bad_event", name);
        if (operation === 0) return;
        out.varint(operation);
        out.varint(slot.varintTag);
        return;
      }
      case "content":
        this.expectCarrier(plan, members, value);
        if (typeof value === "string") out.string(tag, value);
        return;
      case "parts":
        if (Array.isArray(value)) this.each(value, name, (part, i) => this.part(tag, part, i));
        return;
      case "activity":
        if (isObject(value)) this.value(tag, value, name, true);
        return;
      case "outcome":
        if (!isObject(value) || typeof value.type !== "string") throw this.fault("bad_event", name);
        if (value.type !== "") out.string(tag, value.type);
        return;
      default:
        return;
    }
  }

  /** Visits the elements of a list, the last one first. */
  private each(value: unknown, step: string, visit: (element: unknown, i: number) => void): void {
    if (!Array.isArray(value)) throw this.fault("bad_event", step);
    this.enter(step);
    for (let i = value.length - 1; i >= 0; i--) visit(this.resolve(value[i], i), i);
    this.path.pop();
  }

  private strings(tag: number, value: unknown, step: string): void {
    this.each(value, step, (element, i) => {
      if (typeof element !== "string") throw this.fault("bad_event", i);
      this.out.string(tag, element);
    });
  }

  /** Open JSON that stands at `step`. */
  private value(tag: number, value: unknown, step: string, asStruct: boolean): void {
    try {
      this.values.write(tag, value, asStruct, this.depth - this.path.length - 1);
    } catch (error) {
      if (!(error instanceof Unwritable) || error.code === "out_of_memory") throw error;
      throw new Unwritable(error.code, this.pointer(step) + error.path);
    }
  }

  /** The content has to be what the role takes. */
  private expectCarrier({ message, places }: Plan, members: readonly unknown[], value: unknown): void {
    const role = members[places.get("role")!];
    const carrier = message === "Message" ? carrierOf(typeof role === "string" ? role : "") : "parts";
    const fits =
      typeof value === "string"
        ? carrier !== "activity"
        : Array.isArray(value)
          ? carrier === "parts" || carrier === "any"
          : isObject(value) && (carrier === "activity" || carrier === "any");
    if (!fits) throw this.fault("bad_event", "content");
  }

  /** The list of an outcome, when its type has one. */
  private outcomeList(message: string, outcome: unknown, { tag, field }: Slot): void {
    if (!isObject(outcome) || typeof outcome.type !== "string") return;
    const name = field.name!;
    if (listOfOutcome(message, outcome.type) !== name) return;
    this.enter("outcome");
    const value = Object.hasOwn(outcome, name) ? this.resolve(outcome[name], name) : null;
    if (value !== null && value !== undefined) {
      if (field.kind === "strings") this.strings(tag, value, name);
      else this.each(value, name, (element, i) => this.message(tag, field.message!, element, i));
    }
    this.path.pop();
  }

  /** The place of the arm that an object names; -1 when there is none. */
  private armOf(oneof: string, value: unknown): number {
    return isObject(value) ? MESSAGES[oneof]!.findIndex((arm) => arm.name === value.type) : -1;
  }

  private oneof(tag: number, oneof: string, value: unknown, step: string | number): void {
    const place = this.armOf(oneof, value);
    if (place < 0) throw this.fault("bad_event", step);
    const before = this.out.size;
    this.message(((place + 1) << 3) | 2, MESSAGES[oneof]![place]!.message!, value, step);
    this.out.close(tag, before);
  }

  private part(tag: number, part: unknown, i: number): void {
    const isKnown = this.armOf("InputContent", part) >= 0;
    if (!isKnown && isObject(part) && part.type === "binary" && this.legacyPart(tag, part, i)) return;
    // Without its source a part would be another one.
    const hasNewSource = isObject(part) && isObject(part.source) && this.armOf("InputContentSource", part.source) < 0;
    if (isKnown && !hasNewSource) this.oneof(tag, "InputContent", part, i);
  }

  /** The retired `binary` part, as a document whose metadata says what it was; false when it says nothing that could travel. */
  private legacyPart(tag: number, part: Json, i: number): boolean {
    const held = tellingMember(part);
    if (held === undefined) return false;
    const { mimeType, filename, id } = part;
    const source = { type: held === "data" ? "data" : "url", value: part[held], mimeType };
    const metadata = { legacyBinary: true, filename, id };
    this.oneof(tag, "InputContent", { type: "document", source, metadata }, i);
    return true;
  }

  /** What stands for a member: objects may speak for themselves. */
  private resolve(value: unknown, step: string | number): unknown {
    // The one class whose instances are JSON here.
    if (!isForeign(value) || value instanceof ExactNumber) return value;
    const { open } = this.values;
    open.level = 0;
    try {
      return open.resolve(value, step);
    } catch (error) {
      throw error instanceof Unwritable ? this.fault(error.code, step) : error;
    }
  }

  /** Goes into an object or a list. */
  private enter(step: string | number): void {
    if (this.path.length + 1 >= this.depth) throw this.fault("too_deep", step);
    this.path.push(step);
  }

  private fault(code: UnwritableCode, step: string | number | undefined): Unwritable {
    return new Unwritable(code, this.pointer(step));
  }

  private pointer(step: string | number | undefined): string {
    return [...this.path, ...(step === undefined ? [] : [step])].map((each) => pointerStep(String(each))).join("");
  }
}
