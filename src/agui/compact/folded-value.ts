import { Size } from "../../engine/js/codec/size.js";
import { type JsonObject, own, put } from "../../json/object.js";
import { applyPatch, type PatchOperation, readPatch } from "../../json/patch.js";
import { copyTree, isObject, jsonLength, measure } from "../../json/tree.js";

/** The two kinds of events that make a value: the state of a thread, or the content of an activity. */
export interface ValueEvents {
  /** Member of a snapshot that holds the value. */
  snapshot: "snapshot" | "content";
  /** Member of a delta that holds the patch. */
  patch: "delta" | "patch";
  /** Whether the value stays an object (AG-UI V7). */
  isObject: boolean;
}

export const STATE_EVENTS: ValueEvents = { snapshot: "snapshot", patch: "delta", isObject: false };
export const ACTIVITY_EVENTS: ValueEvents = { snapshot: "content", patch: "patch", isObject: true };

/** Operations of one joined patch. */
const MOST_OPERATIONS = 1000;

/** A value that snapshots and patches make, as far as it is known, and the event of the batch that later ones become part of. */
export class FoldedValue {
  /** Undefined where it is not known. */
  private held: { value: unknown } | undefined = undefined;
  private target: JsonObject | undefined = undefined;
  private size: Size;
  private readonly events: ValueEvents;
  private readonly limit: number;

  /** @param limit bytes of the value as compact JSON; a patch that would exceed them is not followed */
  constructor(events: ValueEvents, limit: number) {
    this.events = events;
    this.limit = limit;
    this.size = new Size(limit, 0, () => 0);
  }

  get isKnown(): boolean {
    return this.held !== undefined;
  }

  /** The event that later ones become part of: a snapshot, or a delta of a known value. */
  get open(): JsonObject | undefined {
    return this.target;
  }

  get openSnapshot(): JsonObject | undefined {
    return this.target !== undefined && Object.hasOwn(this.target, this.events.snapshot) ? this.target : undefined;
  }

  /** The value that is there before any event. */
  begin(value: unknown): void {
    const held = { value };
    this.held = held;
    this.size = new Size(this.limit, measure(value).bound, () => jsonLength(held.value));
  }

  /** A snapshot that stands for itself. */
  stand(snapshot: JsonObject): void {
    this.release();
    this.begin(own(snapshot, this.events.snapshot));
    this.target = snapshot;
  }

  /** A snapshot takes the place of what the open event says. */
  restate(snapshot: JsonObject): void {
    const target = this.target as JsonObject;
    if (this.openSnapshot === undefined) {
      delete target[this.events.patch];
      target.type = snapshot.type;
    }
    target[this.events.snapshot] = null;
    this.begin(own(snapshot, this.events.snapshot));
    joinCommon(target, snapshot);
  }

  /**
   * A delta.
   *
   * @param stays whether it has to stay where it is, whatever it says
   * @returns whether it has become part of the open event
   */
  patch(delta: JsonObject, stays: boolean): boolean {
    if (this.held === undefined) return false;
    const name = this.events.patch;
    const operations = own(delta, name) as JsonObject[];
    const joined = stays ? undefined : this.target;
    const earlier = joined === undefined ? undefined : (own(joined, name) as JsonObject[] | undefined);
    const isFull = earlier !== undefined && earlier.length + operations.length > MOST_OPERATIONS;
    if (joined === undefined || isFull) this.release();
    if (!this.apply(operations)) {
      // It depends on `onDeltaFailure` of the reader what the value is now.
      this.forget();
      return false;
    }
    if (joined === undefined || isFull) {
      this.target = delta;
      return false;
    }
    earlier?.push(...operations);
    joinCommon(joined, delta);
    return true;
  }

  /** Nothing later becomes part of the open event, which gets what has come together. */
  release(): void {
    const snapshot = this.openSnapshot;
    if (snapshot !== undefined && this.held !== undefined) snapshot[this.events.snapshot] = copyTree(this.held.value);
    this.target = undefined;
  }

  /** The value is not known from here on. */
  forget(): void {
    this.release();
    this.held = undefined;
  }

  /** Whether a patch applies; one that does not leaves the value as it was. */
  private apply(patch: readonly JsonObject[]): boolean {
    const held = this.held as { value: unknown };
    const { size } = this;
    size.begin();
    const count = size.save();
    const steps = { undo: [] as (() => unknown)[], keep: [] as (() => unknown)[] };
    const bounds = {
      depth: Number.POSITIVE_INFINITY,
      admit: (bound: number, growth: () => number) => size.admit(bound, growth),
      count: () => size.count(),
      relax: () => size.relax(),
    };
    const operations = readPatch(copyTree(patch), Number.POSITIVE_INFINITY) as PatchOperation[];
    const failure = applyPatch(held, operations, bounds, { steps });
    if (failure === undefined && (!this.events.isObject || isObject(held.value))) {
      for (const step of steps.keep) step();
      return true;
    }
    for (let i = steps.undo.length - 1; i >= 0; i--) steps.undo[i]!();
    size.restore(count);
    return false;
  }
}

/** What two events that become one have in common: metadata is merged; `rawEvent` was that of one of them alone. */
export function joinCommon(earlier: JsonObject, later: JsonObject): void {
  delete earlier.rawEvent;
  const metadata = own(later, "metadata") as JsonObject | undefined;
  if (metadata === undefined) return;
  const held = own(earlier, "metadata") as JsonObject | undefined;
  if (held === undefined) earlier.metadata = metadata;
  else for (const name of Object.keys(metadata)) put(held, name, metadata[name]);
}
