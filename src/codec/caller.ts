import { isPlain, pointerStep } from "../json/object.js";
import { Unwritable, type UnwritableCode } from "./unwritable.js";

/** The name of a member, or the position of an element; undefined for the root. */
export type Step = string | number | undefined;

/**
 * The objects and arrays of a caller's value that a writer has open. What there is to know of such values stands here: as for
 * `JSON.stringify`, `toJSON` speaks for a value and members that are undefined are left out; anything else that JSON does not have is a fault.
 */
export class OpenValues {
  readonly nodes: (object | undefined)[] = [];
  /** Names of an object's members; undefined for an array. */
  readonly names: (readonly string[] | undefined)[] = [];
  /** For each container but the innermost the number of members that were begun, the last of which is under way. */
  readonly places: number[] = [];
  /** How many are open. */
  level = 0;
  /** How many may be. */
  depth: number;

  constructor(depth: number) {
    this.depth = depth;
  }

  /** The event itself: an object. Throws Unwritable. */
  root(value: unknown): Readonly<Record<string, unknown>> {
    this.level = 0;
    const result = isScalar(value) ? value : this.resolve(value, undefined);
    if (result === undefined) throw this.fault("not_json", undefined);
    if (typeof result !== "object" || result === null || Array.isArray(result))
      throw this.fault("not_an_event", undefined);
    return result as Readonly<Record<string, unknown>>;
  }

  /**
   * What stands for a value that is no string, number, boolean, null or undefined: `toJSON` is asked, once. Containers come back as
   * themselves. Throws Unwritable.
   */
  resolve(value: unknown, step: Step): unknown {
    const { toJSON } = value as { toJSON?: unknown };
    const result = typeof toJSON === "function" ? toJSON.call(value, step === undefined ? "" : String(step)) : value;
    if (isScalar(result)) return result;
    if (typeof result === "object" && (Array.isArray(result) || isPlain(result))) return result;
    throw this.fault("not_json", step);
  }

  /** Opens a container that stands at `step` of the innermost one. Throws Unwritable beyond the depth. */
  enter(node: object, names: readonly string[] | undefined, step: Step): void {
    const { level } = this;
    if (level >= this.depth) throw this.tooDeep(node, step);
    this.nodes[level] = node;
    this.names[level] = names;
    this.level = level + 1;
  }

  /** Closes the innermost container; returns how many are left. */
  leave(): number {
    const level = --this.level;
    // Nothing of the caller's is held longer than it is needed.
    this.nodes[level] = undefined;
    this.names[level] = undefined;
    return level;
  }

  /** A fault of what stands at `step` of the innermost container. */
  fault(code: UnwritableCode, step: Step): Unwritable {
    let path = "";
    for (let level = 0; level + 1 < this.level; level++) path += pointerStep(String(this.stepOf(level)));
    return new Unwritable(code, step === undefined ? path : path + pointerStep(String(step)));
  }

  private stepOf(level: number): string | number {
    const place = this.places[level]! - 1;
    return this.names[level]?.[place] ?? place;
  }

  /** A value that holds itself is no JSON, and then the first repetition is where it goes wrong. */
  private tooDeep(node: object, step: Step): Unwritable {
    const seen = new Set<object | undefined>();
    for (let level = 0; level < this.level; level++) {
      if (seen.has(this.nodes[level])) {
        this.level = level;
        return this.fault("not_json", this.stepOf(level - 1));
      }
      seen.add(this.nodes[level]);
    }
    return this.fault(seen.has(node) ? "not_json" : "too_deep", step);
  }
}

/** Whether a value is none that `resolve` has to look at; numbers that are not finite are left to it. */
function isScalar(value: unknown): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "undefined":
      return true;
    case "number":
      return Number.isFinite(value);
    default:
      return value === null;
  }
}
