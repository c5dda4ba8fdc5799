/**
 * Reads ag_ui.proto: as much of the language as that file uses, one declaration a line.
 *
 * @typedef {{ number: number, name: string, type: string, repeated: boolean, optional: boolean }} Field
 * @typedef {{ name: string, oneof?: string, fields: Field[] }} Message
 * @typedef {{ messages: Map<string, Message>, enums: Map<string, [string, number][]> }} Proto
 */

const MESSAGE = /^message (\w+) \{$/;
const ENUM = /^enum (\w+) \{$/;
const ONEOF = /^oneof (\w+) \{$/;
const FIELD = /^(repeated |optional )?([\w.]+) (\w+) = (\d+);$/;
const VALUE = /^(\w+) = (\d+);$/;
const HEAD = /^(syntax = "proto3"|package ag_ui|import "google\/protobuf\/struct\.proto");$/;
const SCALARS = ["string", "bool", "int64"];

/**
 * @param {string} text
 * @returns {Proto} nested messages as `Outer.Inner`; throws on a line it cannot read and on a type that is not there
 */
export function readProto(text) {
  const messages = new Map();
  const enums = new Map();
  const open = [];
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("//") || HEAD.test(line)) continue;
    const top = open.at(-1);
    const fail = () => {
      throw new Error(`line ${index + 1}: ${line}`);
    };
    let match = MESSAGE.exec(line);
    if (match) {
      const name = top ? `${top.message.name}.${match[1]}` : match[1];
      const message = { name, fields: [] };
      messages.set(name, message);
      open.push({ message });
    } else if ((match = ENUM.exec(line))) {
      const values = [];
      enums.set(match[1], values);
      open.push({ values });
    } else if ((match = ONEOF.exec(line)) && top?.message) {
      top.message.oneof = match[1];
      open.push({ message: top.message });
    } else if (line === "}") {
      if (!open.pop()) fail();
    } else if (top?.values && (match = VALUE.exec(line))) {
      top.values.push([match[1], Number(match[2])]);
    } else if (top?.message && (match = FIELD.exec(line))) {
      const [, label, type, name, number] = match;
      top.message.fields.push({ number: Number(number), name, type, repeated: label === "repeated ", optional: label === "optional " });
    } else fail();
  }
  for (const message of messages.values()) {
    for (const [index, field] of message.fields.entries()) {
      // the tables find a field by its number
      if (field.number !== index + 1) throw new Error(`${message.name}.${field.name}: numbers must run from 1 in order`);
      const nested = `${message.name}.${field.type}`;
      if (messages.has(nested)) field.type = nested;
      const known = messages.has(field.type) || enums.has(field.type) || SCALARS.includes(field.type);
      if (!known && !field.type.startsWith("google.protobuf.")) throw new Error(`${message.name}.${field.name}: no type ${field.type}`);
    }
  }
  return { messages, enums };
}

/** Every slot as `Message.field = 1`, `Message.oneof.field = 1` or `Enum.VALUE = 0`, sorted. @param {Proto} proto */
export function slots({ messages, enums }) {
  const found = [];
  for (const { name, oneof, fields } of messages.values())
    for (const field of fields) found.push(`${name}.${oneof ? `${oneof}.` : ""}${field.name} = ${field.number}`);
  for (const [name, values] of enums) for (const [value, number] of values) found.push(`${name}.${value} = ${number}`);
  return found.sort();
}
