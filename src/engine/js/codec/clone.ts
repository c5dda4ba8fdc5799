import { ExactNumber, parseWithBigInt, stringify } from "../../../json/exact.js";
import { numberOrBigInt } from "../../../json/number.js";
import { type JsonObject, put } from "../../../json/object.js";
import { isContainer } from "../../../json/tree.js";

/** Levels copied by recursion; deeper parts go through text, so that no nesting can exhaust the call stack. */
const RECURSION = 200;

/**
 * A fresh copy of a model's value for the application, with `ExactNumber`s as doubles or, with "bigint", as BigInts where the text is an
 * integer that no double holds.
 */
export function cloneValue(value: unknown, integers: "number" | "bigint"): unknown {
  return clone(value, integers === "bigint", 0);
}

function clone(value: unknown, bigint: boolean, level: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof ExactNumber) return bigint ? numberOrBigInt(value.text) : Number(value.text);
  if (level === RECURSION) return bigint ? parseWithBigInt(stringify(value)) : JSON.parse(stringify(value));
  if (Array.isArray(value)) {
    const copy = new Array(value.length);
    for (let i = 0; i < value.length; i++) copy[i] = clone(value[i], bigint, level + 1);
    return copy;
  }
  const copy: JsonObject = {};
  for (const name of Object.keys(value)) {
    const member = (value as JsonObject)[name];
    put(copy, name, typeof member === "object" ? clone(member, bigint, level + 1) : member);
  }
  return copy;
}

/** Levels of nesting: 0 for a scalar, 1 for an empty object or array. */
export function depthOf(root: unknown): number {
  if (!isContainer(root)) return 0;
  let level: object[] = [root];
  let depth = 0;
  while (level.length > 0) {
    depth++;
    const below: object[] = [];
    for (const node of level) {
      for (const child of Object.values(node)) if (isContainer(child)) below.push(child);
    }
    level = below;
  }
  return depth;
}
