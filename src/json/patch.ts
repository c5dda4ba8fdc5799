import {
  R_BAD_INDEX,
  R_INDEX_RANGE,
  R_INTO_ITSELF,
  R_LIMIT_DEPTH,
  R_LIMIT_MODEL,
  R_NO_VALUE,
  R_NOT_CONTAINER,
  R_NOT_EQUAL,
  R_REMOVE_ROOT,
} from "../../assembly/abi/codes.js";
import type { Fault } from "../errors.js";
import { equalValues } from "./equal.js";
import { type JsonObject, own, put } from "./object.js";
import type { PatchOperation } from "./patch-form.js";
import { arrayIndex } from "./pointer.js";
import { Sharing } from "./sharing.js";
import { copyTree, isContainer, isObject, type Measure, measure, nameBound, scalarLength } from "./tree.js";

export { type PatchOperation, readPatch } from "./patch-form.js";

const COPIED_AT_ONCE = 1 << 20;

/** What a patch is applied to. */
export interface PatchTarget {
  /** An exact tree of our own; an operation on the pointer `""` puts another one here. */
  value: unknown;
}

/** What the result of each operation must keep to. */
export interface PatchBounds {
  /** Levels of nesting that the target's value may have. */
  depth: number;
  /** Bytes of compact JSON that the copies of one patch may bring together. Default: any number. */
  copies?: number;
  /**
   * Makes room for a change, or refuses it.
   *
   * @param bound at least as many bytes as the change adds to the compact JSON
   * @param growth the bytes it adds exactly, negative where it takes some away; costs a walk through what comes and goes
   */
  admit(bound: number, growth: () => number): boolean;
  /** From now on the bytes are to be known exactly, without another look at the whole, until `relax`. */
  count?(): void;
  relax?(): void;
}

/** What an event that may be refused in the end does with the steps of a patch: it runs `undo` from the end, or `keep` from the beginning. */
export interface PatchSteps {
  undo: (() => unknown)[];
  keep: (() => unknown)[];
}

/** What a caller may want beyond RFC 6902. */
export interface PatchExtras {
  /** Takes what is to be done when the patch stays, or is taken back after it was applied. Until then members that it has removed are undefined. */
  steps?: PatchSteps;
  /** Hears where an operation has changed something: its target, or the array in which an element came or went; `move` also tells what it left. */
  touched?: (pointer: string) => void;
  /**
   * Create what is missing: parents become objects, `replace` adds a missing member, `remove` of a missing member or element does nothing.
   * What is there and is no container, and elements of arrays that are not there, stay failures.
   */
  upsert?: boolean;
  /** Bytes that are copied before it is known that the patch applies; further copies share what they hold until then. Default 1 MiB. */
  copiedAtOnce?: number;
}

/**
 * Applies a patch: all operations or, after a fault, none, in value and in the order of members (RFC 6902 §5).
 *
 * @param target its value is changed in place and takes over the values of the operations, which must not be used again
 * @param operations from `readPatch`
 * @param bounds when a fault comes back, whatever `admit` had counted for this patch has to be taken back by the caller
 * @param extras by default none
 * @returns `delta_failed`, or `limit` (depth before bytes), with `opIndex` and the `path` that failed
 */
export function applyPatch(
  target: PatchTarget,
  operations: readonly PatchOperation[],
  bounds: PatchBounds,
  extras: PatchExtras = {},
): Fault | undefined {
  return new Application(target, bounds, extras).run(operations);
}

/**
 * The value at a pointer.
 *
 * @returns undefined where nothing is
 */
export function valueAt(root: unknown, tokens: readonly string[]): unknown {
  let value = root;
  for (const token of tokens) {
    const next = childOf(value, token);
    if (next.value === undefined) return undefined;
    value = next.value;
  }
  return value;
}

/** A step's result: a value, or the reason why there is none. */
interface Step {
  value: unknown;
  reason: number;
}

function childOf(node: unknown, token: string): Step {
  if (Array.isArray(node)) {
    const index = arrayIndex(token);
    if (index < 0) return { value: undefined, reason: R_BAD_INDEX };
    return index < node.length ? { value: node[index], reason: 0 } : { value: undefined, reason: R_INDEX_RANGE };
  }
  if (!isObject(node)) return { value: undefined, reason: R_NOT_CONTAINER };
  return { value: own(node, token), reason: R_NO_VALUE };
}

type Container = unknown[] | JsonObject;

/** Where an operation puts or finds a value; `parent` undefined is the root. */
interface Place {
  parent: Container | undefined;
  /** A position in an array, a name in an object. */
  key: string | number;
  /** What lies there; undefined where nothing does. */
  value: unknown;
}

const OK = 0;
/** No reasons of a failure: there is no room for a parent that had to be made, or it would nest the value too deep. */
const TOO_LARGE = -1;
const TOO_DEEP = -2;

class Application {
  private readonly target: PatchTarget;
  private readonly bounds: PatchBounds;
  private readonly extras: PatchExtras;
  /** What takes the operations back, last one first. */
  private readonly undo: (() => unknown)[];
  /** Objects whose order of members is noted in `undo`. */
  private readonly ordered = new Set<JsonObject>();
  /** Members that were removed: undefined until it is sure that nothing puts them back, which they keep their place for. */
  private readonly removed: { object: JsonObject; name: string }[] = [];
  private readonly sharing = new Sharing();
  /** Bytes that were copied. */
  private copied = 0;
  /** Bytes that copies have brought, exactly, where they are bounded. */
  private brought = 0;
  /** Bytes are counted exactly. */
  private counts = false;
  /** Nothing can fail any more once this operation is done. */
  private last = false;
  /** The place that was found last. */
  private place: Place = { parent: undefined, key: "", value: undefined };

  constructor(target: PatchTarget, bounds: PatchBounds, extras: PatchExtras) {
    this.target = target;
    this.bounds = bounds;
    this.extras = extras;
    this.undo = extras.steps?.undo ?? [];
  }

  run(operations: readonly PatchOperation[]): Fault | undefined {
    const before = this.undo.length;
    for (const [opIndex, operation] of operations.entries()) {
      this.last = opIndex === operations.length - 1 && this.extras.steps === undefined;
      const fault = this.apply(operation);
      if (fault === undefined) continue;
      while (this.undo.length > before) this.undo.pop()!();
      return { ...fault, opIndex };
    }
    const { steps } = this.extras;
    if (steps === undefined) this.keep();
    else if (this.removed.length > 0 || this.counts) steps.keep.push(() => this.keep());
    return undefined;
  }

  /** Nothing is taken back any more. */
  private keep(): void {
    for (const { object, name } of this.removed) if (own(object, name) === undefined) delete object[name];
    if (!this.counts) return;
    if (this.sharing.active) this.sharing.settle(this.target.value);
    this.bounds.relax?.();
  }

  private apply(operation: PatchOperation): Fault | undefined {
    const { op, path, tokens, value } = operation;
    switch (op) {
      case "add": {
        const reason = this.findForAdd(tokens, value);
        return reason !== OK ? failed(reason, path) : this.put(operation, this.measure(value), value, true);
      }
      case "replace": {
        const reason = this.find(tokens, true);
        if (reason === R_NO_VALUE && this.extras.upsert) return this.apply({ ...operation, op: "add" });
        return reason !== OK ? failed(reason, path) : this.put(operation, this.measure(value), value, false);
      }
      case "remove": {
        if (tokens.length === 0) return failed(R_REMOVE_ROOT, path);
        const reason = this.find(tokens, true);
        if (this.extras.upsert && (reason === R_NO_VALUE || reason === R_INDEX_RANGE)) return undefined;
        if (reason !== OK) return failed(reason, path);
        const place = this.place;
        this.bounds.admit(0, () => -this.sizeOf(place.value) - seatSize(place, countOf(place.parent!) - 1));
        this.remove(place);
        this.touch(path, place, true);
        return undefined;
      }
      case "test": {
        const reason = this.find(tokens, false);
        if (reason !== OK) return failed(reason, path);
        return equalValues(this.place.value, value) ? undefined : failed(R_NOT_EQUAL, path);
      }
      case "copy":
        return this.copy(operation);
      default:
        return this.move(operation);
    }
  }

  private copy(operation: PatchOperation): Fault | undefined {
    const { path, tokens, from, source } = operation;
    let reason = this.find(source, false);
    if (reason !== OK) return failed(reason, from);
    const measured = this.measure(this.place.value);
    this.copied += measured.bound;
    const share = this.copied > (this.extras.copiedAtOnce ?? COPIED_AT_ONCE);
    // A whole in which something is shared is not to be walked through.
    if (share && !this.counts) this.bounds.count?.();
    this.counts ||= share;
    // Parents that have to be made are no part of what is copied, and what is shared must not be where the copy goes.
    const early = (share || this.extras.upsert) && isPrefix(source, tokens);
    const { copies, depth } = this.bounds;
    if (copies !== undefined) this.brought += this.sizeOf(this.place.value);
    const copy = (value: unknown): unknown => (share ? this.sharing.copy(value) : copyTree(value));
    const value = early ? copy(this.place.value) : this.place.value;
    reason = this.findForAdd(tokens, value);
    if (reason !== OK) return failed(reason, path);
    if (copies !== undefined && this.brought > copies)
      return failed(tokens.length + measured.depth > depth ? TOO_DEEP : TOO_LARGE, path);
    return this.put(operation, measured, value, true, early ? undefined : copy);
  }

  /** Nesting of a value, and at least as many bytes as it has. */
  private measure(value: unknown): Measure {
    if (!this.sharing.active) return measure(value);
    const { depth, bytes } = this.sharing.weigh(value);
    return { depth, bound: bytes };
  }

  /** Bytes of a value as compact JSON. */
  private sizeOf(value: unknown): number {
    return this.sharing.weigh(value).bytes;
  }

  /** Takes a container that is about to be changed out of what is shared: a copy of it takes its place. */
  private unshare(parent: Container | undefined, key: string, shared: Container): Container {
    const copy = this.sharing.copy(shared) as Container;
    const set = (value: Container): void => {
      if (parent === undefined) this.target.value = value;
      else put(parent as JsonObject, key, value);
    };
    this.undo.push(() => set(shared));
    set(copy);
    return copy;
  }

  /** A removal and an addition (RFC 6902 §4.4). */
  private move({ path, tokens, from, source }: PatchOperation): Fault | undefined {
    let reason = this.find(source, true);
    if (reason !== OK) return failed(reason, from);
    if (isPrefix(source, tokens)) return source.length === tokens.length ? undefined : failed(R_INTO_ITSELF, path);
    const origin = this.place;
    // Elements behind a removed one move up, which decides where the target is. Taking a member out decides nothing for it.
    const list = Array.isArray(origin.parent) ? origin.parent : undefined;
    list?.splice(origin.key as number, 1);
    reason = this.findForAdd(tokens, origin.value);
    list?.splice(origin.key as number, 0, origin.value);
    if (reason !== OK) return failed(reason, path);
    const place = this.place;
    // A value that does not go down cannot make the document deeper.
    if (tokens.length > source.length && tokens.length + this.measure(origin.value).depth > this.bounds.depth) {
      return { code: "limit", reason: R_LIMIT_DEPTH, path };
    }
    const growth = (): number => {
      // What held the value gives way to it.
      if (place.value !== undefined && isPrefix(tokens, source))
        return this.sizeOf(origin.value) - this.sizeOf(place.value);
      const left = countOf(place.parent!) - (place.parent === origin.parent ? 1 : 0);
      const seat = place.value === undefined ? seatSize(place, left) : -this.sizeOf(place.value);
      return seat - seatSize(origin, countOf(origin.parent!) - 1);
    };
    const bound = typeof place.key === "string" ? nameBound(place.key) : 2;
    if (!this.bounds.admit(bound, growth)) return { code: "limit", reason: R_LIMIT_MODEL, path };
    this.remove(origin);
    this.store(place, origin.value, true);
    this.touch(path, place, true);
    this.touch(from, origin, true);
    return undefined;
  }

  /** @param moved an element of an array came or went */
  private touch(pointer: string, { parent }: Place, moved: boolean): void {
    const list = moved && Array.isArray(parent);
    this.extras.touched?.(list ? pointer.slice(0, pointer.lastIndexOf("/")) : pointer);
  }

  /** Checks the bounds and stores a value that comes in; `copy` makes it, between the two. */
  private put(
    { path, tokens }: PatchOperation,
    { depth, bound }: Measure,
    value: unknown,
    insert: boolean,
    copy?: (value: unknown) => unknown,
  ): Fault | undefined {
    const { place } = this;
    if (tokens.length + depth > this.bounds.depth) return { code: "limit", reason: R_LIMIT_DEPTH, path };
    const { parent, key } = place;
    const growth = (): number => {
      if (parent === undefined) return this.sizeOf(value) - this.sizeOf(this.target.value);
      const replaced = place.value !== undefined && !(insert && Array.isArray(parent));
      return this.sizeOf(value) + (replaced ? -this.sizeOf(place.value) : seatSize(place, countOf(parent)));
    };
    const seat = typeof key === "string" ? nameBound(key) : 2;
    if (!this.bounds.admit(bound + seat, growth)) return { code: "limit", reason: R_LIMIT_MODEL, path };
    this.store(place, copy === undefined ? value : copy(value), insert);
    this.touch(path, place, insert);
    return undefined;
  }

  /** @param insert arrays grow by an element; else the one that is there is replaced */
  private store({ parent, key, value: before }: Place, value: unknown, insert: boolean): void {
    if (parent === undefined) {
      const { target } = this;
      const former = target.value;
      if (!this.last) {
        this.undo.push(() => {
          target.value = former;
        });
      }
      target.value = value;
    } else if (!Array.isArray(parent)) {
      this.setMember(parent, key as string, before, value);
    } else if (insert) {
      const index = key as number;
      if (!this.last) this.undo.push(() => parent.splice(index, 1));
      if (index === parent.length) parent.push(value);
      else parent.splice(index, 0, value);
    } else {
      const index = key as number;
      if (!this.last) {
        this.undo.push(() => {
          parent[index] = before;
        });
      }
      parent[index] = value;
    }
  }

  /** Makes a missing parent; undefined when there is no room for it. */
  private create(parent: JsonObject, name: string): JsonObject | undefined {
    const seat: Place = { parent, key: name, value: undefined };
    if (!this.bounds.admit(nameBound(name) + 2, () => 2 + seatSize(seat, countOf(parent)))) return undefined;
    const created: JsonObject = {};
    this.setMember(parent, name, undefined, created);
    return created;
  }

  /** Sets a member; a new one comes last, also where one of its name was removed before. */
  private setMember(object: JsonObject, name: string, before: unknown, value: unknown): void {
    const wasRemoved = before === undefined && Object.hasOwn(object, name);
    if (wasRemoved) {
      if (!this.last) this.noteOrder(object);
      delete object[name];
    }
    if (!this.last) {
      const isNew = before === undefined && !wasRemoved;
      this.undo.push(isNew ? () => delete object[name] : () => put(object, name, before));
    }
    put(object, name, value);
  }

  /** Takes out what lies at a place that is not the root. */
  private remove({ parent, key, value }: Place): void {
    if (Array.isArray(parent)) {
      const index = key as number;
      if (!this.last) this.undo.push(() => parent.splice(index, 0, value));
      parent.splice(index, 1);
      return;
    }
    const object = parent as JsonObject;
    const name = key as string;
    if (this.last) {
      delete object[name];
      return;
    }
    this.undo.push(() => put(object, name, value));
    this.removed.push({ object, name });
    put(object, name, undefined);
  }

  /** A name that comes back comes last: once per object and patch its order is noted, to be restored when what came behind is gone. */
  private noteOrder(object: JsonObject): void {
    if (this.ordered.has(object)) return;
    this.ordered.add(object);
    const names = Object.keys(object);
    this.undo.push(() => {
      for (const name of names) {
        const value = object[name];
        delete object[name];
        put(object, name, value);
      }
    });
  }

  /**
   * Finds a value that must be there; `OK` and `place`, or the reason.
   *
   * @param changes its parent is about to be changed
   */
  private find(tokens: readonly string[], changes: boolean): number {
    let value = changes && tokens.length > 0 ? this.ownRoot() : this.target.value;
    let parent: unknown;
    for (const [i, token] of tokens.entries()) {
      const step = childOf(value, token);
      if (step.value === undefined) return step.reason;
      parent = value;
      value = changes && i < tokens.length - 1 ? this.ownChild(parent, token, step.value) : step.value;
    }
    const name = tokens.at(-1) ?? "";
    this.place = {
      parent: parent as Place["parent"],
      key: Array.isArray(parent) ? Number(name) : name,
      value,
    };
    return OK;
  }

  /** The root, which is about to be changed. */
  private ownRoot(): unknown {
    const { value } = this.target;
    return this.sharing.holds(value) ? this.unshare(undefined, "", value) : value;
  }

  /** A value below which something is about to be changed. */
  private ownChild(parent: unknown, token: string, value: unknown): unknown {
    return this.sharing.holds(value) ? this.unshare(parent as Container, token, value) : value;
  }

  /** Finds where `add` puts a value: the root, a member that is there or not, a position up to the array's length. */
  private findForAdd(tokens: readonly string[], value: unknown): number {
    if (tokens.length === 0) {
      this.place = { parent: undefined, key: "", value: this.target.value };
      return OK;
    }
    const last = tokens.length - 1;
    let parent = this.ownRoot();
    let makes = false;
    for (let i = 0; i < last; i++) {
      const step = childOf(parent, tokens[i]!);
      if (step.value === undefined) {
        if (step.reason !== R_NO_VALUE || !this.extras.upsert) return step.reason;
        // Judged before the first one: a pointer of megabytes must not make millions of objects.
        if (!makes && tokens.length + this.measure(value).depth > this.bounds.depth) return TOO_DEEP;
        makes = true;
        parent = this.create(parent as JsonObject, tokens[i]!);
        if (parent === undefined) return TOO_LARGE;
      } else {
        parent = this.ownChild(parent, tokens[i]!, step.value);
      }
    }
    if (!isContainer(parent)) return R_NOT_CONTAINER;
    const token = tokens[last]!;
    if (!Array.isArray(parent)) {
      this.place = { parent, key: token, value: own(parent, token) };
      return OK;
    }
    const index = token === "-" ? parent.length : arrayIndex(token);
    if (index < 0) return R_BAD_INDEX;
    if (index > parent.length) return R_INDEX_RANGE;
    // What lies there moves up.
    this.place = { parent, key: index, value: undefined };
    return OK;
  }
}

function failed(reason: number, path: string): Fault {
  if (reason === TOO_LARGE) return { code: "limit", reason: R_LIMIT_MODEL, path };
  if (reason === TOO_DEEP) return { code: "limit", reason: R_LIMIT_DEPTH, path };
  return { code: "delta_failed", reason, path };
}

/** Whether a pointer names a value that holds the other's, or the same. */
function isPrefix(tokens: readonly string[], of: readonly string[]): boolean {
  return tokens.length <= of.length && tokens.every((token, i) => token === of[i]);
}

/** Members or elements; those that were removed are undefined. */
function countOf(node: Container): number {
  if (Array.isArray(node)) return node.length;
  let count = 0;
  for (const name of Object.keys(node)) if (node[name] !== undefined) count++;
  return count;
}

/** Bytes that a value costs beyond its own: name, colon, and a comma when `others` share the container. */
function seatSize({ key }: Place, others: number): number {
  const name = typeof key === "string" ? scalarLength(key) + 1 : 0;
  return name + (others > 0 ? 1 : 0);
}
