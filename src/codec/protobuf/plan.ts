import type { Field, FieldKind } from "./fields.js";
import { ARMS, MESSAGES } from "./table.generated.js";

/** A field as the writer meets it. */
export interface Slot {
  readonly kind: FieldKind;
  /** The member that it is written from. */
  readonly name: string;
  /** Number and wire type 2, for all that has a length. */
  readonly tag: number;
  /** Number and wire type 0. */
  readonly varintTag: number;
  readonly field: Field;
}

/** The fields of a message that are written from members, the last number first. */
export type Plan = readonly Slot[];

export interface EventPlan {
  /** Number of the event's type. */
  readonly type: number;
  /** Tag of its arm in the envelope. */
  readonly tag: number;
  readonly message: string;
  readonly plan: Plan;
}

const plans = /* @__PURE__ */ new Map<string, Plan>();
let events: Map<unknown, EventPlan> | undefined;

/** How the message of that name is written. */
export function planOf(message: string): Plan {
  let plan = plans.get(message);
  if (plan === undefined) {
    plan = MESSAGES[message]!.flatMap((field, place) => {
      const name = field.kind === "parts" || field.kind === "activity" ? "content" : field.name;
      if (name === undefined || field.kind === "type") return [];
      return [{ kind: field.kind, name, tag: ((place + 1) << 3) | 2, varintTag: (place + 1) << 3, field }];
    }).reverse();
    plans.set(message, plan);
  }
  return plan;
}

/** How events of a type are written; undefined when the wire has no arm for it. */
export function eventPlan(type: unknown): EventPlan | undefined {
  events ??= new Map(
    ARMS.map(({ type, number, message }, arm) => [
      type,
      { type: number, tag: ((arm + 1) << 3) | 2, message, plan: planOf(message) },
    ]),
  );
  return events.get(type);
}
