import { EVENT_SHAPES, EVENT_TYPES, SHAPES, UNIONS } from "../../../src/schema/agui.generated.js";
import type { Member, Rule } from "../../../src/schema/types.js";
import type { Rng } from "../../support/rng.js";

/** What enforcement says, by its number. */
export const VERDICTS = ["refused", "ok", "dropped", "held", "no memory"] as const;

export interface Outcome {
  verdict: (typeof VERDICTS)[number];
  /** The event as it goes on. */
  text?: string;
  /** `CODE path subject`, in the order of reporting. */
  warnings: string[];
  /** `CODE REASON path`, then what came and what was expected. */
  fault?: string;
}

export const ok = (event: unknown, ...warnings: string[]): Outcome => ({
  verdict: "ok",
  text: typeof event === "string" ? event : JSON.stringify(event),
  warnings,
});
export const refused = (fault: string): Outcome => ({ verdict: "refused", warnings: [], fault: `BAD_EVENT ${fault}` });
export const dropped = (...warnings: string[]): Outcome => ({ verdict: "dropped", warnings });

class Malformed extends Error {}

/** Marks a value that has to go. */
class Gone {
  readonly warning: string;
  constructor(warning: string) {
    this.warning = warning;
  }
}

/** Boundary-free enforcement over values, as docs/semantics-agui.md §4 puts it. */
export function enforce(event: Record<string, unknown>, strip: boolean): Outcome {
  const warnings: string[] = [];
  const kindOf = (value: unknown): string =>
    value === null ? "NULL" : Array.isArray(value) ? "ARRAY" : (typeof value).toUpperCase();
  const isObject = (value: unknown): value is Record<string, unknown> => kindOf(value) === "OBJECT";
  const fail = (reason: string, path: string, value?: unknown, subject = ""): never => {
    throw new Malformed(
      `${reason} ${path}${value === undefined ? "" : ` ${kindOf(value)}`}${subject && ` ${subject}`}`,
    );
  };
  const goes = (value: unknown, rule: Rule): string | undefined => {
    if (rule.kind === "enum")
      return strip && typeof value === "string" && !rule.values.includes(value) ? "UNKNOWN_ENUM" : undefined;
    if (!isObject(value)) return undefined;
    if (rule.kind === "object") return objectGoes(value, rule.shape);
    if (rule.kind !== "union") return undefined;
    const union = UNIONS[rule.union]!;
    const variant = value[union.discriminator];
    if (typeof variant !== "string") return undefined;
    return Object.hasOwn(union.variants, variant) ? objectGoes(value, union.variants[variant]!) : "UNKNOWN_VARIANT";
  };
  const goingMember = (value: Record<string, unknown>, shape: string): [Member, string] | undefined => {
    for (const member of SHAPES[shape]!.members) {
      if (!member.required || !Object.hasOwn(value, member.name)) continue;
      const warning = goes(value[member.name], member.rule);
      if (warning) return [member, warning];
    }
    return undefined;
  };
  const objectGoes = (value: Record<string, unknown>, shape: string): string | undefined =>
    goingMember(value, shape)?.[1];
  const list = (value: unknown[], of: Rule, path: string): unknown[] =>
    value.flatMap((element, i) => {
      const kept = walk(element, of, `${path}/${i}`);
      if (!(kept instanceof Gone)) return [kept];
      warnings.push(`${kept.warning} ${path}/${i}`);
      return [];
    });
  const object = (value: Record<string, unknown>, shape: string, path: string): Record<string, unknown> | Gone => {
    const going = objectGoes(value, shape);
    if (going) return new Gone(going);
    const kept: [string, unknown][] = [];
    for (const [key, inner] of Object.entries(value)) {
      const member = SHAPES[shape]!.members.find((each) => each.name === key);
      if (!member) {
        if (SHAPES[shape]!.open) kept.push([key, inner]);
        else warnings.push(`UNKNOWN_PROPERTY ${path}/${key}`);
        continue;
      }
      const left = walk(inner, member.rule, `${path}/${key}`);
      if (left instanceof Gone) warnings.push(`${left.warning} ${path}/${key}`);
      else kept.push([key, left]);
    }
    for (const { name, required } of SHAPES[shape]!.members)
      if (required && !Object.hasOwn(value, name)) fail("MISSING", `${path}/${name}`);
    return Object.fromEntries(kept);
  };
  const isInteger = (value: unknown): boolean => Number.isSafeInteger(value);
  const walk = (value: unknown, rule: Rule, path: string): unknown => {
    switch (rule.kind) {
      case "any":
        return value;
      case "string":
        return typeof value === "string" ? value : fail("X_STRING", path, value);
      case "boolean":
        return typeof value === "boolean" ? value : fail("X_BOOLEAN", path, value);
      case "timestamp":
        return isInteger(value) ? value : fail("X_INTEGER", path, value);
      case "count":
        return isInteger(value) && (value as number) >= 0 ? value : fail("X_COUNT", path, value);
      case "non-null":
        return value === null ? fail("X_NOT_NULL", path, value) : value;
      case "open-object":
        return isObject(value) ? value : fail("X_OBJECT", path, value);
      case "pointer":
        if (typeof value !== "string") return fail("X_STRING", path, value);
        return /^(\/([^/~]|~[01])*)*$/.test(value) ? value : fail("POINTER", path);
      case "const":
        return value === rule.value ? value : fail("X_CONST", path, value, rule.value);
      case "enum":
        if (typeof value === "string" && rule.values.includes(value)) return value;
        return strip && typeof value === "string" ? new Gone("UNKNOWN_ENUM") : fail("X_ENUM", path, value);
      case "object":
        return isObject(value) ? object(value, rule.shape, path) : fail("X_OBJECT", path, value);
      case "union": {
        if (!isObject(value)) return fail("X_OBJECT", path, value);
        const { discriminator, variants } = UNIONS[rule.union]!;
        const variant = value[discriminator];
        if (!Object.hasOwn(value, discriminator)) return fail("MISSING", `${path}/${discriminator}`);
        if (typeof variant !== "string") return fail("X_STRING", `${path}/${discriminator}`, variant);
        return Object.hasOwn(variants, variant) ? object(value, variants[variant]!, path) : new Gone("UNKNOWN_VARIANT");
      }
      case "list":
        if (!Array.isArray(value)) return fail("X_ARRAY", path, value);
        if (rule.min && value.length === 0) return fail("X_NON_EMPTY", path);
        return list(value, rule.of, path);
      case "patch":
        return Array.isArray(value)
          ? list(value, { kind: "union", union: "JsonPatchOperation" }, path)
          : fail("X_ARRAY", path, value);
      case "text-or-list":
        if (typeof value === "string") return value;
        return Array.isArray(value) ? list(value, rule.of, path) : fail("X_TEXT_OR_LIST", path, value);
    }
  };
  const shape = EVENT_SHAPES[event.type as string]!;
  const going = goingMember(event, shape);
  if (going) return dropped(`${going[1]} /${going[0].name}`);
  try {
    return ok(object(event, shape, ""), ...warnings);
  } catch (error) {
    if (error instanceof Malformed) return refused(error.message);
    throw error;
  }
}

/** An event made from the table, with a few things wrong with it; nothing in it concerns the boundary. */
export function randomEvent(rng: Rng): Record<string, unknown> {
  const odd = rng.pick([0, 0.01, 0.05]);
  const scalar = (): unknown => rng.pick<unknown>([0, 1.5, "", "text", true, [], {}, [1], { a: null }, -1]);
  const value = (rule: Rule): unknown => {
    if (rng.chance(odd)) return scalar();
    switch (rule.kind) {
      case "string":
        return rng.pick(["", "m-1", "ä\n", "type"]);
      case "boolean":
        return rng.chance(0.5);
      case "timestamp":
        return rng.pick([0, -5, Number.MAX_SAFE_INTEGER]);
      case "count":
        return rng.pick([0, 17]);
      case "any":
      case "non-null":
        return scalar();
      case "open-object":
        return { key: [null, { type: 1 }] };
      case "pointer":
        return rng.chance(odd) ? "no" : rng.pick(["", "/a", "/~0~1/"]);
      case "const":
        return rule.value;
      case "enum":
        return rng.chance(odd * 2) ? "new" : rng.pick([...rule.values]);
      case "object":
        return object(rule.shape);
      case "union": {
        const { variants, discriminator } = UNIONS[rule.union]!;
        const made = object(rng.pick(Object.values(variants)));
        if (rng.chance(odd * 2)) made[discriminator] = rng.pick<unknown>(["new", "toString", 5]);
        return made;
      }
      case "patch":
        return list({ kind: "union", union: "JsonPatchOperation" }, 0);
      case "list":
        return list(rule.of, rng.chance(odd) ? 0 : (rule.min ?? 0));
      case "text-or-list":
        return rng.chance(0.5) ? "text" : list(rule.of, 0);
    }
  };
  const list = (of: Rule, least: number): unknown[] => Array.from({ length: rng.pick([least, 1, 3]) }, () => value(of));
  const object = (name: string): Record<string, unknown> => {
    const members = SHAPES[name]!.members.filter((member) =>
      member.required ? !rng.chance(odd / 2) : rng.chance(0.4),
    );
    const entries = members.map((member): [string, unknown] => [member.name, value(member.rule)]);
    while (rng.chance(odd * 3)) entries.push([rng.pick(["futureProp", "constructor", "value", "id"]), scalar()]);
    return Object.fromEntries(rng.shuffle(entries));
  };
  const type = rng.pick([...EVENT_TYPES]);
  const event = object(EVENT_SHAPES[type]!);
  event.type = type;
  return event;
}

/** JSON text in which some members stand twice; what stands first for them is overridden, but for its place. */
export function withRepeats(rng: Rng, value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((element) => withRepeats(rng, element)).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}:${withRepeats(rng, inner)}`);
  for (const key of Object.keys(value)) {
    if (rng.chance(0.1)) members.unshift(`${JSON.stringify(key)}:${rng.pick(["5", '"x"', '{"type":"new"}', "[]"])}`);
  }
  return `{${members.join()}}`;
}
