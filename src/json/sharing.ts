import type { JsonObject } from "./object.js";
import { put } from "./object.js";
import { copyTree, isContainer, scalarLength } from "./tree.js";

type Container = unknown[] | JsonObject;

/** What a value weighs. */
interface Weight {
  /** Levels of nesting: 0 for a scalar, 1 for an empty object or array. */
  depth: number;
  /** Bytes as compact JSON. */
  bytes: number;
}

/**
 * Copies inside of a patch that are not made before it is known that the patch applies: a copy has members of its own, and what is below them it
 * shares with the original. Forty copies of the root into itself are 2^40 values, of which the first ones that are too many are refused.
 * A shared container is never changed: who wants to puts a copy of it in its place first.
 */
export class Sharing {
  private readonly shared = new Set<Container>();
  private readonly weights = new Map<Container, Weight>();

  /** Whether some container may be held more than once. */
  get active(): boolean {
    return this.shared.size > 0;
  }

  holds(value: unknown): value is Container {
    return this.active && isContainer(value) && this.shared.has(value);
  }

  /** A copy whose containers are shared with the original from now on. */
  copy(value: unknown): unknown {
    if (!isContainer(value)) return value;
    for (const child of Object.values(value)) if (isContainer(child)) this.shared.add(child);
    if (Array.isArray(value)) return value.slice();
    const copy: JsonObject = {};
    for (const name of Object.keys(value)) if (value[name] !== undefined) put(copy, name, value[name]);
    return copy;
  }

  /** Nesting and bytes of a value; what is shared is looked at once. */
  weigh(root: unknown): Weight {
    if (!isContainer(root)) return { depth: 0, bytes: scalarLength(root) };
    let level: Container[] = [root];
    let depth = 0;
    let deepest = 0;
    let bytes = 0;
    while (level.length > 0) {
      depth++;
      const below: Container[] = [];
      for (const node of level) {
        let count = 0;
        const list = Array.isArray(node);
        for (const [name, child] of Object.entries(node)) {
          if (child === undefined) continue;
          count++;
          if (!list) bytes += scalarLength(name) + 1;
          if (!isContainer(child)) bytes += scalarLength(child);
          else if (this.shared.has(child)) {
            const weight = this.weightOf(child);
            bytes += weight.bytes;
            deepest = Math.max(deepest, depth + weight.depth);
          } else below.push(child);
        }
        bytes += 2 + Math.max(0, count - 1);
      }
      level = below;
    }
    return { depth: Math.max(depth, deepest), bytes };
  }

  /** Gives every holder of a shared container one of its own. */
  settle(root: unknown): void {
    const seen = new Set<Container>();
    const open: Container[] = isContainer(root) ? [root] : [];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      for (const [name, child] of Object.entries(node)) {
        if (!isContainer(child)) continue;
        if (!seen.has(child)) {
          if (this.shared.has(child)) seen.add(child);
          open.push(child);
        } else put(node as JsonObject, name, copyTree(child));
      }
    }
    this.shared.clear();
    this.weights.clear();
  }

  private weightOf(shared: Container): Weight {
    let weight = this.weights.get(shared);
    if (weight === undefined) {
      weight = this.weigh(shared);
      this.weights.set(shared, weight);
    }
    return weight;
  }
}
