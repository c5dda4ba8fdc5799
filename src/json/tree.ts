import { ExactNumber } from "./exact.js";
import { LONGEST_DOUBLE } from "./number.js";
import { type JsonObject, put } from "./object.js";
import { utf8Length } from "./text.js";

/** What is known of a value after one walk. */
export interface Measure {
  /** Levels of nesting: 0 for a scalar, 1 for an empty object or array. */
  depth: number;
  /** At least as many bytes as its compact JSON has. */
  bound: number;
}

/** A control character or a lone half is written as six bytes. */
const LONGEST_UNIT = 6;

/** Whether a value of an exact tree is an object or array; an `ExactNumber` is a scalar. */
export function isContainer(value: unknown): value is unknown[] | JsonObject {
  return typeof value === "object" && value !== null && !(value instanceof ExactNumber);
}

/** Whether a value of an exact tree is an object, not an array. */
export function isObject(value: unknown): value is JsonObject {
  return isContainer(value) && !Array.isArray(value);
}

/** Nesting and a bound on the size of a value, without recursion. */
export function measure(root: unknown): Measure {
  if (!isContainer(root)) return { depth: 0, bound: scalarBound(root) };
  let level: (unknown[] | JsonObject)[] = [root];
  let depth = 0;
  let bound = 0;
  while (level.length > 0) {
    depth++;
    const below: (unknown[] | JsonObject)[] = [];
    for (const node of level) {
      bound += 2;
      if (Array.isArray(node)) {
        for (const child of node) {
          bound++;
          if (isContainer(child)) below.push(child);
          else bound += scalarBound(child);
        }
      } else {
        for (const name of Object.keys(node)) {
          const child = node[name];
          bound += nameBound(name);
          if (isContainer(child)) below.push(child);
          else bound += scalarBound(child);
        }
      }
    }
    level = below;
  }
  return { depth, bound };
}

/** At least as many bytes as a member's name takes, with quotes, colon and comma. */
export function nameBound(name: string): number {
  return LONGEST_UNIT * name.length + 4;
}

function scalarBound(value: unknown): number {
  if (typeof value === "string") return LONGEST_UNIT * value.length + 2;
  if (value instanceof ExactNumber) return value.text.length;
  return LONGEST_DOUBLE;
}

/**
 * Bytes of a value as compact JSON, without making the text; members that are undefined do not count.
 *
 * @param most of a value with more bytes than that only a part is counted, which has more, too
 */
export function jsonLength(root: unknown, most = Number.POSITIVE_INFINITY): number {
  if (!isContainer(root)) return scalarLength(root);
  const open: (unknown[] | JsonObject)[] = [root];
  let bytes = 0;
  for (let node = open.pop(); node !== undefined && bytes <= most; node = open.pop()) {
    let count = 0;
    const add = (child: unknown): void => {
      count++;
      if (isContainer(child)) open.push(child);
      else bytes += scalarLength(child);
    };
    if (Array.isArray(node)) for (const child of node) add(child);
    else
      for (const name of Object.keys(node)) {
        const child = node[name];
        if (child === undefined) continue;
        bytes += scalarLength(name) + 1;
        add(child);
      }
    bytes += count > 1 ? count + 1 : 2;
  }
  return bytes;
}

/** Bytes of a string, number, literal or `ExactNumber` as JSON. */
export function scalarLength(value: unknown): number {
  if (typeof value === "string") return utf8Length(JSON.stringify(value));
  return value instanceof ExactNumber ? value.text.length : String(value).length;
}

/** A copy that shares no object or array with the value; members keep their order, those that are undefined are left out. Does not recurse. */
export function copyTree(root: unknown): unknown {
  if (!isContainer(root)) return root;
  const top = emptyLike(root);
  const sources: (unknown[] | JsonObject)[] = [root];
  const targets: (unknown[] | JsonObject)[] = [top];
  for (;;) {
    const source = sources.pop();
    if (source === undefined) return top;
    const target = targets.pop()!;
    const copy = (child: unknown): unknown => {
      if (!isContainer(child)) return child;
      const opened = emptyLike(child);
      sources.push(child);
      targets.push(opened);
      return opened;
    };
    if (Array.isArray(source)) for (const child of source) (target as unknown[]).push(copy(child));
    else
      for (const name of Object.keys(source))
        if (source[name] !== undefined) put(target as JsonObject, name, copy(source[name]));
  }
}

function emptyLike(node: unknown[] | JsonObject): unknown[] | JsonObject {
  return Array.isArray(node) ? [] : {};
}
