import { type JsonObject, own } from "../../../../json/object.js";
import { isObject } from "../../../../json/tree.js";

/** A patch with more pointers sets the whole. */
const MOST_POINTERS = 64;

/** A field to be set: names from the patched value on, none for the whole, and the value that is there now. */
export interface Target {
  readonly names: readonly string[];
  readonly value: unknown;
}

/**
 * The nearest whole fields of what a patch has touched (docs/adapter.md §5).
 *
 * @param root the patched value as it is now
 * @param pointers RFC 6901, in the order of the operations
 */
export function targetsOf(root: unknown, pointers: readonly string[]): Target[] {
  if (pointers.length > MOST_POINTERS) return [{ names: [], value: root }];
  const targets = pointers.map((pointer) => targetOf(root, pointer));
  return targets.filter(({ names }, i) => !targets.some((other, j) => covers(other.names, names, i, j)));
}

/** Whether the names at `j` make those at `i` pointless: they lie above, or are the same and came before. */
function covers(above: readonly string[], names: readonly string[], i: number, j: number): boolean {
  if (above.length > names.length || (above.length === names.length && j >= i)) return false;
  return above.every((name, k) => name === names[k]);
}

function targetOf(root: unknown, pointer: string): Target {
  const names: string[] = [];
  let value = root;
  if (pointer === "") return { names, value };
  for (const token of pointer.slice(1).split("/")) {
    const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (name === "" || name.includes(".") || !isObject(value) || !Object.hasOwn(value, name)) break;
    names.push(name);
    value = own(value as JsonObject, name);
  }
  return { names, value };
}

/** An object that holds a value at the end of a path. */
export function nest(names: readonly string[], value: unknown): unknown {
  return names.reduceRight<unknown>((inner, name) => {
    const holder: JsonObject = {};
    // a name may be __proto__
    Object.defineProperty(holder, name, { value: inner, enumerable: true, configurable: true, writable: true });
    return holder;
  }, value);
}
