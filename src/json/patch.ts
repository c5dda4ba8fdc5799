import {
  R_ARRAY,
  R_BAD_INDEX,
  R_INDEX_RANGE,
  R_INTO_ITSELF,
  R_LIMIT_DEPTH,
  R_LIMIT_MODEL,
  R_LIMIT_OPERATIONS,
  R_MISSING,
  R_NO_VALUE,
  R_NOT_CONTAINER,
  R_NOT_EQUAL,
  R_OBJECT,
  R_OPERATION,
  R_POINTER,
  R_REMOVE_ROOT,
  R_STRING,
} from "../../assembly/abi/codes.js";
import type { Fault } from "../errors.js";
import { equalValues } from "./equal.js";
import { stringify } from "./exact.js";
import { type JsonObject, own, put } from "./object.js";
import { arrayIndex, parsePointer } from "./pointer.js";
import { utf8Length } from "./text.js";
import { copyTree, isContainer, isObject, measure, nameBound } from "./tree.js";

const NAMES = ["add", "remove", "replace", "move", "copy", "test"] as const;

/** One well-formed operation of a JSON Patch (RFC 6902 §4). */
export interface PatchOperation {
  op: (typeof NAMES)[number];
  /** The pointer `path` and its tokens. */
  path: string;
  tokens: string[];
  /** The pointer `from` of `move` and `copy`, and its tokens; empty for the others. */
  from: string;
  source: string[];
  /** What `add`, `replace` and `test` bring; undefined for the others. */
  value: unknown;
}

/** What a patch is applied to. */
export interface PatchTarget {
  /** An exact tree of our own; an operation on the pointer `""` puts another one here. */
  value: unknown;
}

/** What the result of each operation must keep to. */
export interface PatchBounds {
  /** Levels of nesting that the target's value may have. */
  depth: number;
  /**
   * Makes room for a change, or refuses it.
   *
   * @param bound at least as many bytes as the change adds to the compact JSON
   * @param growth the bytes it adds exactly, negative where it takes some away; costs a walk through what comes and goes
   */
  admit(bound: number, growth: () => number): boolean;
}

/** What a caller may want beyond RFC 6902. */
export interface PatchExtras {
  /** Takes what undoes the patch, to be run from the end, should the caller take it back after it was applied. */
  undo?: (() => unknown)[];
  /** Hears where an operation has changed something: its target, or the array in which an element came or went; `move` also tells what it left. */
  touched?: (pointer: string) => void;
  /**
   * Create what is missing: parents become objects, `replace` adds a missing member, `remove` of a missing member or element does nothing.
   * What is there and is no container, and elements of arrays that are not there, stay failures.
   */
  upsert?: boolean;
}

/**
 * Judges the form of a whole patch (RFC 6902 §3, §4; docs/semantics.md §11). The first fault in the order of the operations decides, in one
 * operation the order is `op`, `path`, `from`, `value`. Members that an operation does not need are ignored.
 *
 * @param patch an exact tree; the operations share its values
 * @param most operations allowed
 * @returns the operations, or the fault `bad_patch` with a path into the patch, or `limit`
 */
export function readPatch(patch: unknown, most: number): PatchOperation[] | Fault {
  if (!Array.isArray(patch)) return { code: "bad_patch", reason: R_ARRAY, path: "" };
  const operations: PatchOperation[] = [];
  for (const [opIndex, element] of patch.entries()) {
    if (opIndex === most) return { code: "limit", reason: R_LIMIT_OPERATIONS, opIndex };
    const bad = (reason: number, member = ""): Fault => {
      return { code: "bad_patch", reason, path: `/${opIndex}${member}`, opIndex };
    };
    if (!isObject(element)) return bad(R_OBJECT);
    const name = own(element, "op");
    if (typeof name !== "string") return bad(name === undefined ? R_MISSING : R_STRING, "/op");
    const op = NAMES.find((known) => known === name);
    if (op === undefined) return bad(R_OPERATION, "/op");
    const path = own(element, "path");
    const tokens = pointerOf(path);
    if (typeof tokens === "number") return bad(tokens, "/path");
    const operation: PatchOperation = { op, path: path as string, tokens, from: "", source: [], value: undefined };
    if (op === "move" || op === "copy") {
      const from = own(element, "from");
      const source = pointerOf(from);
      if (typeof source === "number") return bad(source, "/from");
      operation.from = from as string;
      operation.source = source;
    } else if (op !== "remove") {
      operation.value = own(element, "value");
      if (operation.value === undefined) return bad(R_MISSING, "/value");
    }
    operations.push(operation);
  }
  return operations;
}

/** The tokens of a pointer member, or the reason why there are none. */
function pointerOf(value: unknown): string[] | number {
  if (typeof value !== "string") return value === undefined ? R_MISSING : R_STRING;
  return parsePointer(value) ?? R_POINTER;
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

/** Where an operation puts or finds a value; `parent` undefined is the root. */
interface Place {
  parent: unknown[] | JsonObject | undefined;
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
  /** Nothing can fail any more once this operation is done. */
  private last = false;
  /** The place that was found last. */
  private place: Place = { parent: undefined, key: "", value: undefined };

  constructor(target: PatchTarget, bounds: PatchBounds, extras: PatchExtras) {
    this.target = target;
    this.bounds = bounds;
    this.extras = extras;
    this.undo = extras.undo ?? [];
  }

  run(operations: readonly PatchOperation[]): Fault | undefined {
    const before = this.undo.length;
    for (const [opIndex, operation] of operations.entries()) {
      this.last = opIndex === operations.length - 1 && this.extras.undo === undefined;
      const fault = this.apply(operation);
      if (fault === undefined) continue;
      while (this.undo.length > before) this.undo.pop()!();
      return { ...fault, opIndex };
    }
    return undefined;
  }

  private apply(operation: PatchOperation): Fault | undefined {
    const { op, path, tokens, value } = operation;
    switch (op) {
      case "add": {
        const reason = this.findForAdd(tokens, value);
        return reason !== OK ? failed(reason, path) : this.put(operation, this.place, value, true);
      }
      case "replace": {
        const reason = this.find(tokens);
        if (reason === R_NO_VALUE && this.extras.upsert) return this.apply({ ...operation, op: "add" });
        return reason !== OK ? failed(reason, path) : this.put(operation, this.place, value, false);
      }
      case "remove": {
        if (tokens.length === 0) return failed(R_REMOVE_ROOT, path);
        const reason = this.find(tokens);
        if (this.extras.upsert && (reason === R_NO_VALUE || reason === R_INDEX_RANGE)) return undefined;
        if (reason !== OK) return failed(reason, path);
        const place = this.place;
        this.bounds.admit(0, () => -sizeOf(place.value) - seatSize(place, countOf(place.parent!) - 1));
        this.remove(place);
        this.touch(path, place, true);
        return undefined;
      }
      case "test": {
        const reason = this.find(tokens);
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
    let reason = this.find(source);
    if (reason !== OK) return failed(reason, from);
    // Parents that have to be made are no part of what is copied.
    const early = this.extras.upsert && isPrefix(source, tokens);
    const value = early ? copyTree(this.place.value) : this.place.value;
    reason = this.findForAdd(tokens, value);
    if (reason !== OK) return failed(reason, path);
    return this.put(operation, this.place, value, true);
  }

  /** A removal and an addition (RFC 6902 §4.4). */
  private move({ path, tokens, from, source }: PatchOperation): Fault | undefined {
    let reason = this.find(source);
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
    if (tokens.length > source.length && tokens.length + measure(origin.value).depth > this.bounds.depth) {
      return { code: "limit", reason: R_LIMIT_DEPTH, path };
    }
    const growth = (): number => {
      // What held the value gives way to it.
      if (place.value !== undefined && isPrefix(tokens, source)) return sizeOf(origin.value) - sizeOf(place.value);
      const left = countOf(place.parent!) - (place.parent === origin.parent ? 1 : 0);
      const seat = place.value === undefined ? seatSize(place, left) : -sizeOf(place.value);
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

  /** Checks the bounds and stores a value that comes in; that of `copy` is copied between the two. */
  private put({ op, path, tokens }: PatchOperation, place: Place, value: unknown, insert: boolean): Fault | undefined {
    const { depth, bound } = measure(value);
    if (tokens.length + depth > this.bounds.depth) return { code: "limit", reason: R_LIMIT_DEPTH, path };
    const { parent, key } = place;
    const growth = (): number => {
      if (parent === undefined) return sizeOf(value) - sizeOf(this.target.value);
      const replaced = place.value !== undefined && !(insert && Array.isArray(parent));
      return sizeOf(value) + (replaced ? -sizeOf(place.value) : seatSize(place, countOf(parent)));
    };
    const seat = typeof key === "string" ? nameBound(key) : 2;
    if (!this.bounds.admit(bound + seat, growth)) return { code: "limit", reason: R_LIMIT_MODEL, path };
    this.store(place, op === "copy" ? copyTree(value) : value, insert);
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
      const name = key as string;
      if (!this.last) {
        this.undo.push(before === undefined ? () => delete parent[name] : () => put(parent, name, before));
      }
      put(parent, name, value);
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
    this.undo.push(() => delete parent[name]);
    const created: JsonObject = {};
    put(parent, name, created);
    return created;
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
    if (!this.last) {
      this.noteOrder(object);
      this.undo.push(() => put(object, name, value));
    }
    delete object[name];
  }

  /** A member that is put back comes last: once per object and patch its order is noted, and restored when all members are back. */
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

  /** Finds a value that must be there; `OK` and `place`, or the reason. */
  private find(tokens: readonly string[]): number {
    let value = this.target.value;
    let parent: unknown;
    for (const token of tokens) {
      const step = childOf(value, token);
      if (step.value === undefined) return step.reason;
      parent = value;
      value = step.value;
    }
    const name = tokens.at(-1) ?? "";
    this.place = {
      parent: parent as Place["parent"],
      key: Array.isArray(parent) ? Number(name) : name,
      value,
    };
    return OK;
  }

  /** Finds where `add` puts a value: the root, a member that is there or not, a position up to the array's length. */
  private findForAdd(tokens: readonly string[], value: unknown): number {
    if (tokens.length === 0) {
      this.place = { parent: undefined, key: "", value: this.target.value };
      return OK;
    }
    const last = tokens.length - 1;
    let parent = this.target.value;
    let makes = false;
    for (let i = 0; i < last; i++) {
      const step = childOf(parent, tokens[i]!);
      if (step.value === undefined) {
        if (step.reason !== R_NO_VALUE || !this.extras.upsert) return step.reason;
        // Judged before the first one: a pointer of megabytes must not make millions of objects.
        if (!makes && tokens.length + measure(value).depth > this.bounds.depth) return TOO_DEEP;
        makes = true;
        parent = this.create(parent as JsonObject, tokens[i]!);
        if (parent === undefined) return TOO_LARGE;
      } else {
        parent = step.value;
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

/** Bytes of a value as compact JSON. */
function sizeOf(value: unknown): number {
  return utf8Length(stringify(value));
}

function countOf(node: unknown[] | JsonObject): number {
  return Array.isArray(node) ? node.length : Object.keys(node).length;
}

/** Bytes that a value costs beyond its own: name, colon, and a comma when `others` share the container. */
function seatSize({ key }: Place, others: number): number {
  const name = typeof key === "string" ? sizeOf(key) + 1 : 0;
  return name + (others > 0 ? 1 : 0);
}
