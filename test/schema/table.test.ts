import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import * as agui from "../../assembly/abi/agui.js";
import { EVENT_SHAPES, EVENT_TYPES, SHAPES, UNIONS } from "../../src/schema/agui.generated.js";
import type { Member, Rule } from "../../src/schema/types.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** The specification does not come with this repository; where it lies is told by the environment. */
const SCHEMA = path.join(process.env.STREAMFOLD_SHARED ?? path.join(ROOT, "../shared"), "ag-ui-1.1/schema.json");
const MOST = Number.MAX_SAFE_INTEGER;

interface Node {
  $ref?: string;
  type?: string;
  const?: string;
  enum?: string[];
  oneOf?: Node[];
  not?: Node;
  items?: Node;
  minItems?: number;
  minimum?: number;
  maximum?: number;
  allOf?: Node[];
  properties?: Record<string, Node>;
  required?: string[];
  additionalProperties?: boolean;
  unevaluatedProperties?: boolean;
}

/** Rules and members of schema.json in the words of the table. */
class Specification {
  readonly #definitions: Record<string, Node>;

  constructor(text: string) {
    this.#definitions = (JSON.parse(text) as { $defs: Record<string, Node> }).$defs;
  }

  get names(): string[] {
    return Object.keys(this.#definitions);
  }

  node(name: string): Node {
    return this.#definitions[name]!;
  }

  name(node: Node): string | undefined {
    return node.$ref?.replace("#/$defs/", "");
  }

  rule(node: Node): Rule {
    const name = this.name(node);
    if (node.not?.type === "null") return { kind: "non-null" };
    if (name === "JsonPatch") return { kind: "patch" };
    if (name === "JsonPointer") return { kind: "pointer" };
    if (name !== undefined) {
      const target = this.node(name);
      if (target.oneOf) return { kind: "union", union: name };
      return target.properties ? { kind: "object", shape: name } : this.rule(target);
    }
    if (node.const !== undefined) return { kind: "const", value: node.const };
    if (node.enum) return { kind: "enum", values: node.enum };
    if (node.oneOf) return { kind: "text-or-list", of: this.rule(node.oneOf[1]!.items!) };
    if (node.type === "array") {
      return { kind: "list", of: this.rule(node.items!), ...(node.minItems ? { min: node.minItems } : {}) };
    }
    if (node.type === "object" && node.additionalProperties) return { kind: "open-object" };
    if (node.type === "integer" && node.maximum === MOST) {
      if (node.minimum === 0) return { kind: "count" };
      if (node.minimum === -MOST) return { kind: "timestamp" };
    }
    if (node.type === "string" || node.type === "boolean") return { kind: node.type };
    expect(Object.keys(node).filter((key) => key !== "description" && key !== "$anchor")).toEqual([]);
    return { kind: "any" };
  }

  members(name: string): Map<string, { rule: Rule; required: boolean }> {
    const node = this.node(name);
    const found = new Map((node.allOf ?? []).flatMap((each) => [...this.members(this.name(each)!)]));
    for (const [key, value] of Object.entries(node.properties ?? {}))
      found.set(key, { rule: this.rule(value), required: found.get(key)?.required ?? false });
    for (const key of node.required ?? []) found.get(key)!.required = true;
    return found;
  }
}

const plain = ({ name, rule, required }: Member): [string, { rule: Rule; required: boolean }] => [
  name,
  { rule, required },
];

describe("the table of the AG-UI event model", () => {
  it("gives the numbers of the core", () => {
    const numbers = agui as unknown as Record<string, number>;
    for (const [index, type] of EVENT_TYPES.entries()) expect(numbers[`AG_${type}`], type).toBe(index + 1);
    expect(agui.AG_COUNT).toBe(EVENT_TYPES.length + 1);
    const members = EVENT_TYPES.flatMap((type) => SHAPES[EVENT_SHAPES[type]!]!.members.map((member) => member.name));
    const fields = [...new Set(members)].map((name) => `F_${name.replace(/[A-Z]/g, "_$&").toUpperCase()}`);
    expect(fields.map((field) => numbers[field])).toEqual(fields.map((_, index) => index));
    expect(agui.F_COUNT).toBe(fields.length);
  });

  it("is what the generated files were written from", () => {
    execFileSync(process.execPath, [path.join(ROOT, "proto/generate.mjs"), "--check"], { stdio: "pipe" });
  });

  it("notes the nulls that older producers write", () => {
    const noted = Object.values(SHAPES).flatMap(({ name, members }) =>
      members.filter((member) => member.legacyNull).map((member) => `${name}.${member.name}`),
    );
    const events = EVENT_TYPES.map((type) => `${EVENT_SHAPES[type]}.rawEvent`);
    expect(noted.filter((each) => !events.includes(each)).sort()).toEqual(
      [
        "AudioPart.metadata",
        "DocumentPart.metadata",
        "ImagePart.metadata",
        "ResumeEntry.payload",
        "RunAgentInput.forwardedProps",
        "RunFinishedEvent.outcome",
        "RunFinishedEvent.result",
        "SubagentFinishedEvent.result",
        "Tool.parameters",
        "ToolCallChunkEvent.parentMessageId",
        "ToolCallStartEvent.parentMessageId",
        "VideoPart.metadata",
      ].sort(),
    );
    expect(noted).toEqual(expect.arrayContaining(events));
  });

  describe.skipIf(!existsSync(SCHEMA))("held against schema.json of the specification", () => {
    const specification = existsSync(SCHEMA)
      ? new Specification(readFileSync(SCHEMA, "utf8"))
      : new Specification('{"$defs":{}}');

    it("has its event types in its order", () => {
      expect(EVENT_TYPES).toEqual(specification.node("EventType").enum);
      expect(Object.values(EVENT_SHAPES)).toEqual(
        specification.node("Event").oneOf!.map((each) => specification.name(each)),
      );
    });

    it("has every object with the same members, rules and demands", () => {
      const fragments = ["BaseEvent", "Attributable", "BaseMessage", "Metadata"];
      const objects = specification.names.filter(
        (name) => specification.node(name).type === "object" && !fragments.includes(name),
      );
      expect(Object.keys(SHAPES).sort()).toEqual(objects.sort());
      for (const [name, { members, open }] of Object.entries(SHAPES)) {
        expect(Object.fromEntries(members.map(plain)), name).toEqual(Object.fromEntries(specification.members(name)));
        expect(open ?? false, name).toBe(specification.node(name).unevaluatedProperties !== false);
      }
    });

    it("has every union with the same members", () => {
      const unions = specification.names.filter((name) => name !== "Event" && specification.node(name).oneOf);
      expect(Object.keys(UNIONS).sort()).toEqual(unions.sort());
      for (const { name, discriminator, variants } of Object.values(UNIONS)) {
        const shapes = specification.node(name).oneOf!.map((each) => specification.name(each)!);
        expect(Object.values(variants), name).toEqual(shapes);
        for (const [value, shape] of Object.entries(variants)) {
          expect(specification.members(shape).get(discriminator)?.rule, shape).toEqual({ kind: "const", value });
        }
      }
    });
  });
});
