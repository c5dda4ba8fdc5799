import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ARMS, MESSAGES } from "../../src/codec/protobuf/table.generated.js";
import { EVENT_SHAPES, EVENT_TYPES, SHAPES } from "../../src/schema/agui.generated.js";
import { publishedAgui } from "../support/shared.js";

interface ProtoReader {
  readProto(text: string): { messages: Map<string, unknown>; enums: Map<string, unknown> };
  slots(proto: unknown): string[];
}

const READER = new URL("../../proto/read-proto.mjs", import.meta.url).href;
const WRITER = new URL("../../proto/write-protobuf.mjs", import.meta.url).href;
const { readProto, slots } = (await import(READER)) as ProtoReader;
const { writeProtobufCore } = (await import(WRITER)) as { writeProtobufCore(proto: unknown): string };
const PROTO = readFileSync(new URL("../../proto/ag_ui.proto", import.meta.url), "utf8");
const proto = readProto(PROTO);
const FREEZE = publishedAgui("proto-freeze.txt");

describe("the protobuf messages of AG-UI", () => {
  it("have 301 slots, each number once", () => {
    const all = slots(proto);
    expect(all).toHaveLength(301);
    expect(new Set(all.map((slot) => slot.replace(/\.\w+ =/, " ="))).size).toBe(301);
  });

  it("have an arm for each type of event, and a field for each of its members", () => {
    expect(ARMS.map((arm) => arm.type).sort()).toEqual([...EVENT_TYPES].sort());
    const base = MESSAGES.BaseEvent!.map((field) => field.name);
    for (const { type, message } of ARMS) {
      const names = MESSAGES[message]!.map((field) => field.name);
      const members = SHAPES[EVENT_SHAPES[type]!]!.members.map((member) => member.name);
      expect([...names, ...base], type).toEqual(expect.arrayContaining(members));
      const own = MESSAGES[message]!.flatMap((field) => (field.name && !field.ofOutcome ? [field.name] : []));
      expect(members, type).toEqual(expect.arrayContaining(own));
    }
  });

  it("refuse what the generator cannot read", () => {
    expect(() => readProto("message A {\n  string a = 2;\n}")).toThrow("numbers must run from 1");
    expect(() => readProto("message A {\n  Other a = 1;\n}")).toThrow("no type Other");
    expect(() => readProto("service A {")).toThrow("line 1");
  });

  it("refuse what the tables of the core have no room for", () => {
    const last = "  optional string encrypted_value_type = 14;\n";
    const fields = (count: number, type = "string") =>
      Array.from({ length: count }, (_, i) => `  optional ${type} f${i} = ${i + 1};\n`).join("");
    const below = (fields: string): string => `${PROTO.replace(last, "  Deep0 deep = 14;\n")}\n${fields}`;
    const chain = (length: number) =>
      Array.from(
        { length },
        (_, i) => `message Deep${i} {\n  ${i + 1 < length ? `Deep${i + 1}` : "string"} f = 1;\n}\n`,
      ).join("");
    const write = (text: string): string => writeProtobufCore(readProto(text));

    expect(PROTO).toContain(last);
    expect(() => write(`${PROTO}message Wide {\n${fields(14)}}\n`)).not.toThrow();
    expect(() => write(PROTO.replace(last, `${last}  optional string more = 15;\n`))).toThrow("Message: 15 fields");
    expect(() => write(`${PROTO}message Wide {\n${fields(40)}}\n`)).toThrow("Wide: 40 fields");
    // A run's input, its messages and what they hold are the deepest there are: event, base, input, message, part, arm, source, arm.
    expect(() => write(below(chain(8)))).not.toThrow();
    expect(() => write(below(chain(9)))).toThrow("13 levels deep");
    expect(() => write(below("message Deep0 {\n  Message f = 1;\n}\n"))).toThrow(/holds itself/);
    const many = Array.from(
      { length: 20 },
      (_, i) => `message Many${i} {\n${fields(14).replaceAll(" f", ` m${i}_f`)}}\n`,
    ).join("");
    expect(() => write(PROTO + many)).toThrow("texts");
  });

  describe.skipIf(FREEZE === undefined)("held against the published ledger of slots", () => {
    it("are the same, slot by slot", () => {
      const published = readFileSync(FREEZE!, "utf8")
        .split("\n")
        .filter((line) => line !== "" && !line.startsWith("#"));
      expect(slots(proto)).toEqual(published.sort());
    });
  });
});
