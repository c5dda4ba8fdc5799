import { align, type Pair } from "./align.js";
import { decimalKey, sameDecimal } from "./equal.js";
import { ExactNumber } from "./exact.js";
import { type JsonObject, own, pointerStep } from "./object.js";
import { utf8Length } from "./text.js";
import { isContainer } from "./tree.js";

/** What a difference is made of (RFC 6902 §4.1 to §4.3). */
export type DiffOperation = { op: "add" | "replace"; path: string; value: unknown } | { op: "remove"; path: string };

type Container = unknown[] | JsonObject;

/** Bytes of `{"op":"…","path":"…"}` and a comma, without the names and the pointer; a value costs `,"value":` too. */
const OPERATION_SIZE = `{"op":"","path":""},`.length;
const VALUE_SIZE = `,"value":`.length;

/**
 * A patch that turns one value into another (RFC 6902). Arrays are aligned by a long common subsequence; a container is replaced as a
 * whole where that is shorter than the operations inside, so that the patch is never longer than one `replace` of the root.
 * Time and memory are linear in the two values (names are sorted).
 *
 * @param before exact tree
 * @param after exact tree; the operations share its values
 * @returns operations to apply in order; the result equals `after` but for the order of members
 */
export function diffTrees(before: unknown, after: unknown): DiffOperation[] {
  return new Differ(new Values(before, after)).run(before, after);
}

/** Two containers of one kind that differ. */
interface Task {
  before: Container;
  after: Container;
  path: string;
  /** Bytes of the path inside a JSON string. */
  pathSize: number;
  parent: Task | undefined;
  operations: DiffOperation[];
  /** Bytes of its operations and of those below it. */
  cost: number;
  /** It, or one above it, is replaced as a whole. */
  replaced: boolean;
}

class Differ {
  private readonly values: Values;
  /** A container comes before those inside it: when their operations are applied, positions above them are final. */
  private readonly tasks: Task[] = [];

  constructor(values: Values) {
    this.values = values;
  }

  run(before: unknown, after: unknown): DiffOperation[] {
    if (this.values.id(before) === this.values.id(after)) return [];
    if (!isAlike(before, after)) return [{ op: "replace", path: "", value: after }];
    this.open(before as Container, after as Container, "", 0, undefined);
    for (const task of this.tasks) {
      if (Array.isArray(task.before)) this.compareArrays(task, task.before, task.after as unknown[]);
      else this.compareObjects(task, task.before, task.after as JsonObject);
    }
    for (let i = this.tasks.length - 1; i >= 0; i--) {
      const task = this.tasks[i]!;
      const whole = "replace".length + OPERATION_SIZE + VALUE_SIZE + task.pathSize + this.values.size(task.after);
      if (task.cost > whole) {
        task.operations = [{ op: "replace", path: task.path, value: task.after }];
        task.cost = whole;
        task.replaced = true;
      }
      if (task.parent !== undefined) task.parent.cost += task.cost;
    }
    const operations: DiffOperation[] = [];
    for (const task of this.tasks) {
      if (task.parent?.replaced) task.replaced = true;
      else for (const operation of task.operations) operations.push(operation);
    }
    return operations;
  }

  private open(before: Container, after: Container, path: string, pathSize: number, parent: Task | undefined): void {
    this.tasks.push({ before, after, path, pathSize, parent, operations: [], cost: 0, replaced: false });
  }

  private emit(task: Task, op: DiffOperation["op"], step: string, value?: unknown): void {
    const path = task.path + step;
    task.cost += op.length + OPERATION_SIZE + task.pathSize + stringSize(step);
    if (op === "remove") {
      task.operations.push({ op, path });
    } else {
      task.cost += VALUE_SIZE + this.values.size(value);
      task.operations.push({ op, path, value });
    }
  }

  /** A value that is there before and after. */
  private change(task: Task, before: unknown, after: unknown, step: string): void {
    if (this.values.id(before) === this.values.id(after)) return;
    if (!isAlike(before, after)) this.emit(task, "replace", step, after);
    else {
      const pathSize = task.pathSize + stringSize(step);
      this.open(before as Container, after as Container, task.path + step, pathSize, task);
    }
  }

  private compareObjects(task: Task, before: JsonObject, after: JsonObject): void {
    for (const name of Object.keys(before)) {
      if (!Object.hasOwn(after, name)) this.emit(task, "remove", pointerStep(name));
    }
    for (const name of Object.keys(after)) {
      if (Object.hasOwn(before, name)) this.change(task, before[name], after[name], pointerStep(name));
      else this.emit(task, "add", pointerStep(name), after[name]);
    }
  }

  private compareArrays(task: Task, before: unknown[], after: unknown[]): void {
    const pairs = align(
      before.map((value) => this.values.id(value)),
      after.map((value) => this.values.id(value)),
    );
    this.eachGap(before, after, pairs, (i, iEnd, j, jEnd) => this.fillGap(task, before, after, [i, j], [iEnd, jEnd]));
  }

  /** Elements between two that stay: those that look like each other are changed in place, the others replaced, added, removed. */
  private fillGap(task: Task, before: unknown[], after: unknown[], from: Pair, to: Pair): void {
    const removed = before.slice(from[0], to[0]);
    const inserted = after.slice(from[1], to[1]);
    // Of as many elements the first is taken for the first; else an identifier tells which belong together.
    const pairs =
      removed.length === inserted.length
        ? []
        : align(
            removed.map((value) => this.values.likeness(value)),
            inserted.map((value) => this.values.likeness(value)),
          );
    const between = (i: number, iEnd: number, j: number, jEnd: number): void => {
      const both = Math.min(iEnd - i, jEnd - j);
      for (let k = 0; k < both; k++) {
        this.change(task, removed[i + k], inserted[j + k], `/${from[1] + j + k}`);
      }
      for (let k = j + both; k < jEnd; k++) this.emit(task, "add", `/${from[1] + k}`, inserted[k]);
      for (let k = i + both; k < iEnd; k++) this.emit(task, "remove", `/${from[1] + jEnd}`);
    };
    this.eachGap(removed, inserted, pairs, between, (i, j) =>
      this.change(task, removed[i], inserted[j], `/${from[1] + j}`),
    );
  }

  /** Calls back for what lies between pairs, and for the pairs, from left to right: so far as it has come, positions are final. */
  private eachGap(
    left: readonly unknown[],
    right: readonly unknown[],
    pairs: readonly Pair[],
    between: (i: number, iEnd: number, j: number, jEnd: number) => void,
    paired?: (i: number, j: number) => void,
  ): void {
    let i = 0;
    let j = 0;
    for (const [iNext, jNext] of pairs) {
      if (i < iNext || j < jNext) between(i, iNext, j, jNext);
      paired?.(iNext, jNext);
      i = iNext + 1;
      j = jNext + 1;
    }
    if (i < left.length || j < right.length) between(i, left.length, j, right.length);
  }
}

/** Numbers for the values of two trees: equal values have one number, so that comparing them costs nothing however deep they are. */
class Values {
  private readonly known = new Map<unknown, number>();
  private readonly ids = new Map<Container, number>();
  private readonly sizes = new Map<Container, number>();

  constructor(...roots: readonly unknown[]) {
    for (const root of roots) {
      const nodes: Container[] = isContainer(root) ? [root] : [];
      for (const node of nodes) for (const child of Object.values(node)) if (isContainer(child)) nodes.push(child);
      // Backwards: what a container holds is known before it.
      for (let i = nodes.length - 1; i >= 0; i--) this.note(nodes[i]!);
    }
  }

  id(value: unknown): number {
    return isContainer(value) ? this.ids.get(value)! : this.number(scalarKey(value));
  }

  /** Bytes as compact JSON. */
  size(value: unknown): number {
    if (isContainer(value)) return this.sizes.get(value)!;
    if (typeof value === "string") return stringSize(value) + 2;
    return (value instanceof ExactNumber ? value.text : String(value)).length;
  }

  /** One number for what may be two states of one thing: objects with the same `id`, else with the same names; arrays; equal scalars. */
  likeness(value: unknown): number {
    if (!isContainer(value)) return this.id(value);
    if (Array.isArray(value)) return this.number("a");
    const id = own(value, "id");
    if (id !== undefined) return this.number(`i${this.id(id)}`);
    return this.number(`o${JSON.stringify(Object.keys(value).sort())}`);
  }

  private note(node: Container): void {
    let size = 2;
    let key: string;
    if (Array.isArray(node)) {
      key = "[";
      for (const value of node) {
        key += `${this.id(value)},`;
        size += this.size(value) + 1;
      }
      if (node.length > 0) size--;
    } else {
      const names = Object.keys(node).sort();
      key = "{";
      for (const name of names) {
        const value = node[name];
        key += `${JSON.stringify(name)}${this.id(value)},`;
        size += stringSize(name) + this.size(value) + 4;
      }
      if (names.length > 0) size--;
    }
    this.ids.set(node, this.number(key));
    this.sizes.set(node, size);
  }

  private number(key: unknown): number {
    let id = this.known.get(key);
    if (id === undefined) {
      id = this.known.size;
      this.known.set(key, id);
    }
    return id;
  }
}

/** A key that equal scalars share; those of strings begin with a quote, and no other key does. */
function scalarKey(value: unknown): unknown {
  if (typeof value === "string") return `"${value}`;
  if (!(value instanceof ExactNumber)) return value;
  const double = Number(value.text);
  // A map takes -0 for 0.
  if (Number.isFinite(double) && sameDecimal(String(double), value.text)) return double;
  return `#${decimalKey(value.text)}`;
}

/** Bytes of a text inside a JSON string. */
function stringSize(text: string): number {
  return utf8Length(JSON.stringify(text)) - 2;
}

/** Both objects, or both arrays. */
function isAlike(a: unknown, b: unknown): boolean {
  return isContainer(a) && isContainer(b) && Array.isArray(a) === Array.isArray(b);
}
