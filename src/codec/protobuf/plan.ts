import type { Field, FieldKind } from "./fields.js";
import { ARMS, MESSAGES } from "./table.generated.js";

/** A field as the writer meets it. */
export interface Slot {
  readonly kind: FieldKind;
  /** The member that it is written from, and the place of that among the values of the message. */
  readonly name: string;
  readonly place: number;
  /** Number and wire type 2, for all that has a length. */
  readonly tag: number;
  /** Number and wire type 0. */
  readonly varintTag: number;
  readonly field: Field;
}

/** How a message is written. */
export interface Plan {
  readonly message: string;
  /** Its fields, the last number first. */
  readonly slots: readonly Slot[];
  /** The place of the value of each member that is read. */
  readonly places: ReadonlyMap<string, number>;
}

/** How an event is written: its fields and those of its base come from the members of one object. */
export interface EventPlan extends Plan {
  /** Number of the event's type. */
  readonly type: number;
  /** Tag of its arm in the envelope. */
  readonly tag: number;
  readonly base: readonly Slot[];
}

const plans = /* @__PURE__ */ new Map<string, Plan>();
let events: Map<unknown, EventPlan> | undefined;

/** How the message of that name is written. */
export function planOf(message: string): Plan {
  let plan = plans.get(message);
  if (plan === undefined) {
    const places = new Map<string, number>();
    plan = { message, slots: slotsOf(message, places), places };
    plans.set(message, plan);
  }
  return plan;
}

/** How events of a type are written; undefined when the wire has no arm for it. */
export function eventPlan(type: unknown): EventPlan | undefined {
  events ??= new Map(
    ARMS.map(({ type, number, message }, arm) => {
      const places = new Map<string, number>();
      const slots = slotsOf(message, places);
      const base = slotsOf("BaseEvent", places);
      return [type, { message, slots, base, places, type: number, tag: ((arm + 1) << 3) | 2 }];
    }),
  );
  return events.get(type);
}

/** The fields of a message that are written from members; gives each member a place. */
function slotsOf(message: string, places: Map<string, number>): Slot[] {
  const placeOf = (name: string): number => {
    const place = places.get(name) ?? places.size;
    places.set(name, place);
    return place;
  };
  return MESSAGES[message]!.flatMap((field, i) => {
    let { name } = field;
    if (field.kind === "parts" || field.kind === "activity") name = "content";
    // The list of an outcome stands in it.
    else if (field.ofOutcome) name = "outcome";
    if (name === undefined || field.kind === "type") return [];
    return [{ kind: field.kind, name, place: placeOf(name), tag: ((i + 1) << 3) | 2, varintTag: (i + 1) << 3, field }];
  }).reverse();
}
