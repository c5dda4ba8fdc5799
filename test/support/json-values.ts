import type { JsonPatchOperation } from "../../src/engine/contract.js";
import type { Rng } from "./rng.js";

/** Names that are easily taken for something else. */
export const NAMES: readonly string[] = [
  "a",
  "b",
  "id",
  "",
  "__proto__",
  "constructor",
  "a/b",
  "m~n",
  "~1",
  "é",
  "\ud800",
  "-",
  'q"\\',
];

const SCALARS: readonly unknown[] = [
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  1e21,
  "",
  "a",
  "text",
  "é€😀",
  '"\\\n\u0001',
  "\ud800",
];

type Members = Record<string, unknown>;

/** Sets an own member, `__proto__` too. */
function define(object: Members, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

/** A value of at most so many levels. Names are never digits, since JavaScript objects put those first. */
export function randomValue(rng: Rng, levels: number): unknown {
  if (levels === 0 || rng.chance(0.25)) return rng.pick(SCALARS);
  const size = rng.int(5);
  if (rng.chance(0.5)) return Array.from({ length: size }, () => randomValue(rng, levels - 1));
  const object: Members = {};
  for (let i = 0; i < size; i++) define(object, rng.pick(NAMES), randomValue(rng, levels - 1));
  return object;
}

/** The value with some of it changed, added and taken away. */
export function randomVariant(rng: Rng, value: unknown): unknown {
  if (rng.chance(0.1)) return randomValue(rng, 2);
  if (typeof value === "string") return rng.chance(0.3) ? `${value} more` : value;
  if (Array.isArray(value)) {
    const out = value.filter(() => !rng.chance(0.15)).map((element) => randomVariant(rng, element));
    while (rng.chance(0.3)) out.splice(rng.int(out.length + 1), 0, randomValue(rng, 2));
    return out;
  }
  if (typeof value !== "object" || value === null) return value;
  const out: Members = {};
  for (const [name, member] of Object.entries(value))
    if (!rng.chance(0.15)) define(out, name, randomVariant(rng, member));
  while (rng.chance(0.3)) define(out, rng.pick(NAMES), randomValue(rng, 2));
  return out;
}

/** The pointers of all values in a value, the root first. */
export function pointersOf(value: unknown, path = ""): string[] {
  const out = [path];
  if (typeof value !== "object" || value === null) return out;
  for (const [name, member] of Object.entries(value)) {
    out.push(...pointersOf(member, `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`));
  }
  return out;
}

/** Where a pointer leads: its last step's container, and the value there if there is one. Undefined when a step before it leads nowhere. */
export function parentAndToken(
  root: unknown,
  path: string,
): { parent: object | undefined; token: string; value: unknown } | undefined {
  if (path === "") return { parent: undefined, token: "", value: root };
  const tokens = path
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
  const token = tokens.pop()!;
  let parent = root;
  for (const step of tokens) {
    parent = childOf(parent, step);
    if (parent === undefined) return undefined;
  }
  if (typeof parent !== "object" || parent === null) return undefined;
  return { parent, token, value: childOf(parent, token) };
}

function childOf(node: unknown, token: string): unknown {
  if (typeof node !== "object" || node === null) return undefined;
  if (Array.isArray(node)) return /^(?:0|[1-9]\d*)$/.test(token) ? node[Number(token)] : undefined;
  return Object.hasOwn(node, token) ? (node as Members)[token] : undefined;
}

/** JSON Patch as plainly as it can be written: on a copy of the whole, by the letter of RFC 6902. */
export function referencePatch(
  root: unknown,
  patch: readonly JsonPatchOperation[],
): { value: unknown } | { failed: number } {
  const box = { root: structuredClone(root) };
  for (const [index, operation] of patch.entries()) {
    if (!applyOne(box, structuredClone(operation))) return { failed: index };
  }
  return { value: box.root };
}

function applyOne(box: { root: unknown }, operation: JsonPatchOperation): boolean {
  const there = parentAndToken(box.root, operation.path)?.value;
  switch (operation.op) {
    case "add":
      return add(box, operation.path, operation.value);
    case "remove":
      return operation.path !== "" && there !== undefined && remove(box, operation.path);
    case "replace": {
      if (there === undefined) return false;
      const place = parentAndToken(box.root, operation.path)!;
      if (place.parent === undefined) box.root = operation.value;
      else if (Array.isArray(place.parent)) place.parent[Number(place.token)] = operation.value;
      else define(place.parent as Members, place.token, operation.value);
      return true;
    }
    case "test":
      return there !== undefined && same(there, operation.value);
    default: {
      const value = parentAndToken(box.root, operation.from)?.value;
      if (value === undefined) return false;
      if (operation.op === "copy") return add(box, operation.path, structuredClone(value));
      if (operation.from === operation.path) return true;
      if (operation.path.startsWith(`${operation.from}/`)) return false;
      return remove(box, operation.from) && add(box, operation.path, value);
    }
  }
}

function add(box: { root: unknown }, path: string, value: unknown): boolean {
  const place = parentAndToken(box.root, path);
  if (place === undefined) return false;
  const { parent, token } = place;
  if (parent === undefined) box.root = value;
  else if (!Array.isArray(parent)) define(parent as Members, token, value);
  else {
    if (token !== "-" && !/^(?:0|[1-9]\d*)$/.test(token)) return false;
    const index = token === "-" ? parent.length : Number(token);
    if (index > parent.length) return false;
    parent.splice(index, 0, value);
  }
  return true;
}

function remove(box: { root: unknown }, path: string): boolean {
  const { parent, token } = parentAndToken(box.root, path)!;
  if (Array.isArray(parent)) parent.splice(Number(token), 1);
  else delete (parent as Members)[token];
  return true;
}

function same(a: unknown, b: unknown): boolean {
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(sorted);
    if (typeof value !== "object" || value === null) return value;
    return {
      members: Object.entries(value)
        .map(([name, member]) => [name, sorted(member)])
        .sort(([x], [y]) => ((x as string) < (y as string) ? -1 : 1)),
    };
  };
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}
