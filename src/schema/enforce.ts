import {
  R_MISSING,
  R_POINTER,
  R_X_ARRAY,
  R_X_BOOLEAN,
  R_X_CONST,
  R_X_COUNT,
  R_X_ENUM,
  R_X_INTEGER,
  R_X_NON_EMPTY,
  R_X_NOT_NULL,
  R_X_OBJECT,
  R_X_STRING,
  R_X_TEXT_OR_LIST,
} from "../../assembly/abi/codes.js";
import { ExactNumber } from "../json/exact.js";
import { isZeroText } from "../json/number.js";
import { type JsonObject, own } from "../json/object.js";
import { formatPointer, parsePointer } from "../json/pointer.js";
import { isObject } from "../json/tree.js";
import { SHAPES, UNIONS } from "./agui.generated.js";
import type { Member, Rule, Shape, Union } from "./types.js";

/** Something that was removed. */
export interface Removal {
  code: "unknown_property" | "unknown_variant" | "unknown_enum";
  /** JSON pointer into the value as it was given; elements count with those that were removed. */
  path: string;
}

/** What the table rejects. */
export interface SchemaFault {
  /** `R_` of assembly/abi/codes.ts. */
  reason: number;
  path: string;
  /** What was expected, for a constant. */
  subject?: string;
  /** The kind of value that came instead. */
  received?: string;
}

/** What became of a value. */
export interface Enforced {
  /** The first fault; nothing else counts then. */
  fault: SchemaFault | undefined;
  /** The value itself has to go; the last of `removals` says why. */
  gone: boolean;
  /** In document order. */
  removals: Removal[];
}

export interface EnforceOptions {
  /** A string that a closed set does not list: a fault, or removed like an unknown variant. */
  unknownEnum: "fatal" | "strip";
  /** Names of an object's members in document order; `Object.keys` by default. */
  names?: ((object: JsonObject) => readonly string[]) | undefined;
}

/**
 * Holds a value to a shape of the AG-UI schema (docs/semantics-agui.md §4): removes what the table does not describe, finds what it rejects.
 *
 * @param value a tree of the caller's own, changed in place
 * @param shape name of a shape
 * @param optional members that may be missing although the table wants them
 */
export function enforceShape(
  value: unknown,
  shape: string,
  options: EnforceOptions,
  optional: ReadonlySet<string> = NONE,
): Enforced {
  const walk = new Walk(options);
  if (isObject(value)) {
    const known = shapeOf(shape);
    const removal = walk.removalIn(value, known);
    if (removal !== undefined) {
      walk.removals.push({ code: removal.code, path: formatPointer(removal.steps) });
      return { fault: undefined, gone: true, removals: walk.removals };
    }
    walk.object(value, known, optional);
  } else {
    walk.fail(R_X_OBJECT, value);
  }
  return { fault: walk.fault, gone: false, removals: walk.removals };
}

/** The same for a list of one union's values, such as messages. */
export function enforceList(value: unknown, union: string, options: EnforceOptions): Enforced {
  const walk = new Walk(options);
  walk.list(value, { kind: "union", union }, 0);
  return { fault: walk.fault, gone: false, removals: walk.removals };
}

/** The same for a value of one rule, which does not go. */
export function enforceRule(value: unknown, rule: Rule, options: EnforceOptions): Enforced {
  const walk = new Walk(options);
  const removal = walk.removalOf(value, rule);
  if (removal !== undefined) walk.removals.push({ code: removal.code, path: "" });
  else walk.value(value, rule);
  return { fault: walk.fault, gone: removal !== undefined, removals: walk.removals };
}

/** The kind of a JSON value, as faults name it. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return value instanceof ExactNumber ? "number" : typeof value;
}

const NONE: ReadonlySet<string> = /* @__PURE__ */ new Set();

/** A shape with what the walk looks up in it. */
interface KnownShape {
  shape: Shape;
  members: ReadonlyMap<string, Member>;
  required: number;
  /** Required members through which a value inside can make the whole one go. */
  carriers: readonly Member[];
}

const known = /* @__PURE__ */ new Map<string, KnownShape>();
const unions = /* @__PURE__ */ new Map<string, { union: Union; variants: ReadonlyMap<string, string> }>();

function shapeOf(name: string): KnownShape {
  let found = known.get(name);
  if (found === undefined) {
    const shape = SHAPES[name] as Shape;
    const required = shape.members.filter((member) => member.required);
    const carriers = required.filter(
      ({ rule }) => rule.kind === "union" || rule.kind === "object" || rule.kind === "enum",
    );
    const members = new Map(shape.members.map((member) => [member.name, member]));
    found = { shape, members, required: required.length, carriers };
    known.set(name, found);
  }
  return found;
}

function unionOf(name: string): { union: Union; variants: ReadonlyMap<string, string> } {
  let found = unions.get(name);
  if (found === undefined) {
    const union = UNIONS[name] as Union;
    found = { union, variants: new Map(Object.entries(union.variants)) };
    unions.set(name, found);
  }
  return found;
}

/** Why a value has to go, and where in it the reason lies. */
interface Going {
  code: "unknown_variant" | "unknown_enum";
  steps: string[];
}

/** Shapes nest a few levels only, and open values are not looked into: recursion is bounded by the table. */
class Walk {
  fault: SchemaFault | undefined;
  readonly removals: Removal[] = [];
  private readonly strip: boolean;
  private readonly names: (object: JsonObject) => readonly string[];
  private readonly path: (string | number)[] = [];

  constructor({ unknownEnum, names }: EnforceOptions) {
    this.strip = unknownEnum === "strip";
    this.names = names ?? Object.keys;
  }

  fail(reason: number, received?: unknown, subject?: string): false {
    this.fault = { reason, path: formatPointer(this.path) };
    if (received !== undefined) this.fault.received = kindOf(received);
    if (subject !== undefined) this.fault.subject = subject;
    return false;
  }

  private remove(code: Removal["code"], step: string | number): void {
    this.path.push(step);
    this.removals.push({ code, path: formatPointer(this.path) });
    this.path.pop();
  }

  /** Whether all is well; what must go has been looked for before. */
  object(value: JsonObject, { shape, members, required }: KnownShape, optional = NONE): boolean {
    let present = 0;
    for (const name of this.names(value)) {
      const member = members.get(name);
      if (member === undefined) {
        if (shape.open) continue;
        this.remove("unknown_property", name);
        delete value[name];
        continue;
      }
      const inside = value[name];
      const { rule } = member;
      if (rule.kind === "string" && typeof inside === "string") {
        if (member.required) present++;
        continue;
      }
      const going = member.required ? undefined : this.removalOf(inside, rule);
      if (going !== undefined) {
        this.remove(going.code, name);
        delete value[name];
        continue;
      }
      this.path.push(name);
      if (!this.value(inside, rule)) return false;
      this.path.pop();
      if (member.required) present++;
    }
    if (present === required) return true;
    for (const member of shape.members) {
      if (!member.required || optional.has(member.name) || Object.hasOwn(value, member.name)) continue;
      this.path.push(member.name);
      return this.fail(R_MISSING);
    }
    return true;
  }

  list(value: unknown, of: Rule, min: number): boolean {
    if (!Array.isArray(value)) return this.fail(R_X_ARRAY, value);
    let kept = 0;
    for (let i = 0; i < value.length; i++) {
      const element: unknown = value[i];
      const going = this.removalOf(element, of);
      if (going !== undefined) {
        this.remove(going.code, i);
        continue;
      }
      this.path.push(i);
      if (!this.value(element, of)) return false;
      this.path.pop();
      value[kept++] = element;
    }
    value.length = kept;
    return kept >= min || this.fail(R_X_NON_EMPTY);
  }

  /** Whether a value that does not go is what the rule wants. */
  value(value: unknown, rule: Rule): boolean {
    switch (rule.kind) {
      case "string":
        return typeof value === "string" || this.fail(R_X_STRING, value);
      case "boolean":
        return typeof value === "boolean" || this.fail(R_X_BOOLEAN, value);
      case "timestamp":
        return isInteger(value) || this.fail(R_X_INTEGER, value);
      case "count":
        return (isInteger(value) && !((value as number) < 0)) || this.fail(R_X_COUNT, value);
      case "any":
        return true;
      case "non-null":
        return value !== null || this.fail(R_X_NOT_NULL, value);
      case "open-object":
        return isObject(value) || this.fail(R_X_OBJECT, value);
      case "pointer":
        if (typeof value !== "string") return this.fail(R_X_STRING, value);
        return parsePointer(value) !== undefined || this.fail(R_POINTER);
      case "const":
        return value === rule.value || this.fail(R_X_CONST, value, rule.value);
      case "enum":
        return rule.values.includes(value as string) || this.fail(R_X_ENUM, value);
      case "object":
        if (!isObject(value)) return this.fail(R_X_OBJECT, value);
        return this.object(value, shapeOf(rule.shape));
      case "list":
        return this.list(value, rule.of, rule.min ?? 0);
      case "patch":
        return this.list(value, OPERATION, 0);
      case "text-or-list":
        if (typeof value === "string") return true;
        return Array.isArray(value) ? this.list(value, rule.of, 0) : this.fail(R_X_TEXT_OR_LIST, value);
      case "union": {
        if (!isObject(value)) return this.fail(R_X_OBJECT, value);
        const { union, variants } = unionOf(rule.union);
        const tag = own(value, union.discriminator);
        if (typeof tag === "string") return this.object(value, shapeOf(variants.get(tag) as string));
        this.path.push(union.discriminator);
        return this.fail(tag === undefined ? R_MISSING : R_X_STRING, tag);
      }
    }
  }

  /** Whether a value has to go: for what it is, or for what stands in its required members. */
  removalOf(value: unknown, rule: Rule): Going | undefined {
    switch (rule.kind) {
      case "enum":
        if (!this.strip || typeof value !== "string" || rule.values.includes(value)) return undefined;
        return { code: "unknown_enum", steps: [] };
      case "object":
        return isObject(value) ? this.removalIn(value, shapeOf(rule.shape)) : undefined;
      case "union": {
        if (!isObject(value)) return undefined;
        const { union, variants } = unionOf(rule.union);
        const tag = own(value, union.discriminator);
        if (typeof tag !== "string") return undefined;
        const variant = variants.get(tag);
        return variant === undefined ? { code: "unknown_variant", steps: [] } : this.removalIn(value, shapeOf(variant));
      }
      default:
        return undefined;
    }
  }

  removalIn(value: JsonObject, { carriers }: KnownShape): Going | undefined {
    for (const { name, rule } of carriers) {
      const going = this.removalOf(own(value, name), rule);
      if (going !== undefined) return { code: going.code, steps: [name, ...going.steps] };
    }
    return undefined;
  }
}

const OPERATION: Rule = { kind: "union", union: "JsonPatchOperation" };

/** An integer within ±(2^53−1) in any spelling. */
function isInteger(value: unknown): boolean {
  if (typeof value === "number") return Number.isSafeInteger(value);
  return value instanceof ExactNumber && isZeroText(value.text);
}
