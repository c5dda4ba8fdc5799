import { ExactNumber } from "../json/exact.js";
import { exactText } from "../json/number.js";
import { isPlain, type JsonObject, pointerStep, put } from "../json/object.js";
import { Unwritable, type UnwritableCode } from "./unwritable.js";

/** The name of a member, or the position of an element; undefined for the root. */
export type Step = string | number | undefined;

/** Levels that a writer may take by recursion; what lies deeper goes through `OpenValues.copy`. */
export const RECURSION = 128;

const EMPTY = {};

/**
 * The objects and arrays of a caller's value that a writer has open. What there is to know of such values stands here: as for
 * `JSON.stringify`, `toJSON` speaks for a value and members that are undefined are left out; anything else that JSON does not have is a fault.
 */
export class OpenValues {
  /** How many are open. */
  level = 0;
  /** How many may be. */
  depth: number;
  /** Whether an object may show members that it has inherited when they are listed with `for … in`. */
  mayInherit = false;
  readonly nodes: (object | undefined)[] = [];
  /** Where each of them stands in the one around it. */
  private readonly steps: Step[] = [];

  constructor(depth: number) {
    this.depth = depth;
  }

  /** Begins with the event: an object. Throws Unwritable. */
  root(value: unknown): JsonObject {
    this.level = 0;
    this.mayInherit = false;
    for (const _ in EMPTY) this.mayInherit = true;
    const result = isScalar(value) ? value : this.resolve(value, undefined);
    if (result === undefined) throw this.fault("not_json", undefined);
    if (typeof result !== "object" || result === null || Array.isArray(result))
      throw this.fault("not_an_event", undefined);
    return result as JsonObject;
  }

  /**
   * What stands for a value that is no string, finite number, boolean, null or undefined: `toJSON` is asked, once. Objects and arrays
   * come back as themselves. Throws Unwritable.
   */
  resolve(value: unknown, step: Step): unknown {
    const { toJSON } = value as { toJSON?: unknown };
    const result = typeof toJSON === "function" ? toJSON.call(value, step === undefined ? "" : String(step)) : value;
    if (typeof result === "object" && result !== null) {
      if (Array.isArray(result)) return result;
      const prototype = Object.getPrototypeOf(result);
      if (prototype === Object.prototype || prototype === null) return result;
      if (isPlain(result)) {
        this.mayInherit = true;
        return result;
      }
    } else if (isScalar(result)) return result;
    throw this.fault("not_json", step);
  }

  /** Opens a container that stands at `step` of the innermost one. Throws Unwritable beyond the depth. */
  enter(node: object, step: Step): void {
    const { level } = this;
    if (level >= this.depth) throw this.tooDeep(node, step);
    this.nodes[level] = node;
    this.steps[level] = step;
    this.level = level + 1;
  }

  /** Closes the innermost container; returns how many are left. */
  leave(): number {
    const level = --this.level;
    // Nothing of the caller's is held longer than it is needed.
    this.nodes[level] = undefined;
    return level;
  }

  /**
   * A copy of a container that stands at `step` of the innermost one: plain objects and arrays of their own members, and `ExactNumber`s where the text
   * of a double is not its value. Does not recurse. Throws Unwritable.
   */
  copy(root: object, step: Step): unknown[] | JsonObject {
    const base = this.level;
    const top = emptyLike(root);
    const sources: object[] = [root];
    const targets: (unknown[] | JsonObject)[] = [top];
    const names: string[][] = [Object.keys(root)];
    const places: number[] = [0];
    this.enter(root, step);
    while (this.level > base) {
      const last = this.level - base - 1;
      const source = sources[last]!;
      const place = places[last]++;
      const isList = Array.isArray(source);
      if (place === (isList ? source.length : names[last]!.length)) {
        sources.pop();
        targets.pop();
        names.pop();
        places.pop();
        this.leave();
        continue;
      }
      const name = isList ? place : names[last]![place]!;
      let value: unknown = (source as Readonly<Record<string | number, unknown>>)[name];
      if (!isScalar(value)) value = this.resolve(value, name);
      if (value === undefined && !isList) continue;
      if (value === undefined) throw this.fault("not_json", name);
      let copied: unknown = typeof value === "number" ? exactly(value) : value;
      if (typeof value === "object" && value !== null) {
        copied = emptyLike(value);
        this.enter(value, name);
        sources.push(value);
        targets.push(copied as unknown[] | JsonObject);
        names.push(Array.isArray(value) ? [] : Object.keys(value));
        places.push(0);
      }
      const target = targets[last]!;
      if (Array.isArray(target)) target.push(copied);
      else put(target, name as string, copied);
    }
    return top;
  }

  /** A fault of what stands at `step` of the innermost container. */
  fault(code: UnwritableCode, step: Step): Unwritable {
    let path = "";
    for (let level = 1; level < this.level; level++) path += pointerStep(String(this.steps[level]));
    return new Unwritable(code, step === undefined ? path : path + pointerStep(String(step)));
  }

  /** A value that holds itself is no JSON, and then the first repetition is where it goes wrong. */
  private tooDeep(node: object, step: Step): Unwritable {
    const seen = new Set<object | undefined>();
    for (let level = 0; level < this.level; level++) {
      if (seen.has(this.nodes[level])) {
        this.level = level;
        return this.fault("not_json", this.steps[level]);
      }
      seen.add(this.nodes[level]);
    }
    return this.fault(seen.has(node) ? "not_json" : "too_deep", step);
  }
}

function exactly(value: number): number | ExactNumber {
  const text = exactText(value);
  return text === undefined ? value : new ExactNumber(text);
}

function emptyLike(node: object): unknown[] | JsonObject {
  return Array.isArray(node) ? [] : {};
}

/** Whether a value is one that `resolve` does not have to look at. */
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

/** Whether `OpenValues.resolve` has to look at a value that may be undefined, or no finite number. */
export function isForeign(value: unknown): boolean {
  return typeof value === "object" ? value !== null : typeof value === "bigint" || typeof value === "function";
}
