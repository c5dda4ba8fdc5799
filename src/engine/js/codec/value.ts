import { ExactNumber } from "../../../json/exact.js";
import { exactText, LONGEST_DOUBLE } from "../../../json/number.js";
import { isPlain, type JsonObject, pointerStep, put } from "../../../json/object.js";

/** Why a caller's value was not taken. */
export interface ValueFault {
  code: "not_json" | "too_deep";
  /** JSON pointer into the value. */
  path: string;
}

/** A caller's value as a tree of our own. */
export interface ValueCopy {
  value: unknown;
  /** Levels of nesting. */
  depth: number;
  /** At least as many bytes as its compact JSON has. */
  bound: number;
  /** Whether it holds an `ExactNumber`. */
  exact: boolean;
}

/**
 * Validates and copies a caller's value in one walk.
 *
 * JSON values only: plain objects (own enumerable members with string names) and arrays of them, strings, finite numbers, booleans, null.
 * Everything else (undefined, functions, symbols, BigInt, NaN, Date, Map, class instances, holes, accessors, cycles) is `not_json`; `toJSON` is not called.
 *
 * @param depth levels of nesting allowed; beyond them a cycle is `not_json` and anything else `too_deep`
 * @param skipUndefined whether members that are undefined are left out, as `JSON.stringify` does
 */
export function copyValue(root: unknown, depth: number, skipUndefined = false): ValueCopy | ValueFault {
  const walk = new Walk(depth, skipUndefined);
  try {
    return walk.run(root);
  } catch {
    // Only a Proxy's trap throws here.
    return { code: "not_json", path: walk.path(walk.names.length) };
  }
}

class Walk {
  readonly sources: object[] = [];
  readonly names: (string | number)[] = [];
  private readonly targets: (unknown[] | JsonObject)[] = [];
  private readonly keys: (string[] | undefined)[] = [];
  private readonly places: number[] = [];
  private readonly depth: number;
  private readonly skipUndefined: boolean;
  private bound = 0;
  private exact = false;
  private deepest = 0;

  constructor(depth: number, skipUndefined: boolean) {
    this.depth = depth;
    this.skipUndefined = skipUndefined;
  }

  run(root: unknown): ValueCopy | ValueFault {
    let source = root;
    let result: unknown;
    for (;;) {
      let value: unknown;
      if (typeof source === "object" && source !== null) {
        const fault = this.open(source);
        if (fault !== undefined) return fault;
        value = this.targets[this.targets.length - 1];
      } else {
        value = this.scalar(source);
        if (value === undefined) return { code: "not_json", path: this.path(this.names.length) };
      }
      // Attach to the container that was open before this value.
      const opened = typeof source === "object" && source !== null;
      const parent = this.targets[this.targets.length - (opened ? 2 : 1)];
      if (parent === undefined) result = value;
      else if (Array.isArray(parent)) parent.push(value);
      else put(parent, this.names[this.names.length - 1] as string, value);
      if (parent === undefined && !opened) return this.done(result);
      if (!opened) this.names.pop();

      let next = this.next();
      while (next === DONE) {
        this.sources.pop();
        this.targets.pop();
        this.keys.pop();
        this.places.pop();
        if (this.sources.length === 0) return this.done(result);
        this.names.pop();
        next = this.next();
      }
      if (next === FAULT) return { code: "not_json", path: this.path(this.names.length) };
      source = next;
    }
  }

  path(levels: number): string {
    return this.names
      .slice(0, levels)
      .map((name) => pointerStep(String(name)))
      .join("");
  }

  private done(value: unknown): ValueCopy {
    return { value, depth: this.deepest, bound: this.bound, exact: this.exact };
  }

  /** The next member's or element's value of the innermost container; its name is pushed. */
  private next(): unknown {
    const top = this.sources.length - 1;
    const source = this.sources[top]!;
    const keys = this.keys[top];
    const count = keys === undefined ? (source as unknown[]).length : keys.length;
    for (;;) {
      const place = this.places[top]!;
      if (place === count) return DONE;
      this.places[top] = place + 1;
      const name = keys === undefined ? place : keys[place]!;
      const property = Object.getOwnPropertyDescriptor(source, name);
      if (this.skipUndefined && keys !== undefined && property?.value === undefined && property?.get === undefined)
        continue;
      this.names.push(name);
      if (property === undefined || !("value" in property)) return FAULT;
      if (typeof name === "string") this.bound += 6 * name.length + 4;
      else this.bound++;
      return property.value;
    }
  }

  private open(source: object): ValueFault | undefined {
    const list = Array.isArray(source);
    if (!list && !isPlain(source)) return { code: "not_json", path: this.path(this.names.length) };
    if (this.sources.length === this.depth) return this.tooDeep(source);
    this.sources.push(source);
    this.keys.push(list ? undefined : Object.keys(source));
    this.targets.push(list ? [] : {});
    this.places.push(0);
    this.bound += 2;
    if (this.sources.length > this.deepest) this.deepest = this.sources.length;
    return undefined;
  }

  /** Nesting beyond the limit: a value that holds itself is no JSON, and then the first repetition is where it goes wrong. */
  private tooDeep(source: object): ValueFault {
    const chain = [...this.sources, source];
    const seen = new Set<object>();
    for (const [level, ancestor] of chain.entries()) {
      if (seen.has(ancestor)) return { code: "not_json", path: this.path(level) };
      seen.add(ancestor);
    }
    return { code: "too_deep", path: this.path(this.names.length) };
  }

  /** The value to keep, or undefined when it is no JSON scalar. */
  private scalar(source: unknown): unknown {
    switch (typeof source) {
      case "string":
        this.bound += 6 * source.length + 2;
        return source;
      case "number":
        this.bound += LONGEST_DOUBLE;
        return this.number(source);
      case "boolean":
        this.bound += 5;
        return source;
      default:
        // Objects were taken before, so that null is all that is left of "object".
        if (source !== null) return undefined;
        this.bound += 4;
        return null;
    }
  }

  private number(source: number): number | ExactNumber | undefined {
    if (!Number.isFinite(source)) return undefined;
    const text = exactText(source);
    if (text === undefined) return source;
    this.exact = true;
    return new ExactNumber(text);
  }
}

const DONE = Symbol("done");
const FAULT = Symbol("fault");
