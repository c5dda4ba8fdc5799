/**
 * Reads the table of shapes (agui-schema.txt says how it is written).
 *
 * @typedef {{ kind: string, value?: string, values?: string[], shape?: string, union?: string, of?: Rule, min?: number }} Rule
 * @typedef {{ name: string, rule: Rule, required: boolean, legacyNull: boolean }} Member
 * @typedef {{ name: string, type?: string, attributed: boolean, open: boolean, members: Member[] }} Shape
 * @typedef {{ name: string, discriminator: string, variants: [string, string][] }} Union
 * @typedef {{ enums: Map<string, string[]>, shapes: Map<string, Shape>, unions: Map<string, Union>, events: Shape[] }} Table
 */

const PLAIN = ["string", "boolean", "timestamp", "count", "any", "non-null", "open-object", "pointer", "patch"];

const member = (name, rule, required, legacyNull = false) => ({ name, rule, required, legacyNull });

/** What every event has behind its own members. */
const tail = (attributed) => [
  ...(attributed ? [member("subagentRunId", { kind: "string" }, false)] : []),
  member("timestamp", { kind: "timestamp" }, false),
  member("rawEvent", { kind: "non-null" }, false, true),
  member("metadata", { kind: "open-object" }, false),
];

function readRule(words, enums) {
  const [word, ...rest] = words;
  const single = (kind, key) => {
    if (rest.length !== 1) throw new Error(`${kind} takes one name`);
    return { kind, [key]: rest[0] };
  };
  if (word.startsWith("=") && rest.length === 0) return { kind: "const", value: word.slice(1) };
  switch (word) {
    case "enum": {
      const { values } = single("enum", "values");
      if (!enums.has(values)) throw new Error(`no enum ${values} above`);
      return { kind: "enum", name: values, values: enums.get(values) };
    }
    case "object":
      return single("object", "shape");
    case "union":
      return single("union", "union");
    case "list":
      return { kind: "list", of: readRule(rest, enums) };
    case "list+":
      return { kind: "list", of: readRule(rest, enums), min: 1 };
    case "text-or-list":
      return { kind: "text-or-list", of: readRule(rest, enums) };
    default:
      if (!PLAIN.includes(word) || rest.length > 0) throw new Error(`no such rule: ${words.join(" ")}`);
      return { kind: word };
  }
}

function readMember(words, enums) {
  const legacyNull = words.at(-1) === "legacy-null";
  const name = words[0].replace(/\?$/, "");
  return member(name, readRule(words.slice(1, legacyNull ? -1 : undefined), enums), name === words[0], legacyNull);
}

/** Names of the shapes and unions that a rule leads to. */
export function targetsOf(rule) {
  if (rule.of) return targetsOf(rule.of);
  if (rule.kind === "patch") return ["JsonPatchOperation"];
  return [rule.shape ?? rule.union].filter((name) => name !== undefined);
}

function check(table) {
  const known = (name) => table.shapes.has(name) || table.unions.has(name);
  for (const { name, members } of table.shapes.values()) {
    if (new Set(members.map((each) => each.name)).size !== members.length) throw new Error(`${name} has a member twice`);
    for (const target of members.flatMap((each) => targetsOf(each.rule)))
      if (!known(target)) throw new Error(`${name} names ${target}, which is not there`);
  }
  for (const { name, discriminator, variants } of table.unions.values()) {
    for (const [value, shape] of variants) {
      const rule = table.shapes.get(shape)?.members.find((each) => each.name === discriminator)?.rule;
      if (rule?.kind !== "const" || rule.value !== value) throw new Error(`${name}: ${shape} is not told apart by ${value}`);
    }
  }
}

/**
 * Reads the text of the table.
 *
 * @param {string} text
 * @returns {Table} events in the order of the table, `type` and the common members of events among their members; throws on what it cannot read
 */
export function readTable(text) {
  const table = { enums: new Map(), shapes: new Map(), unions: new Map(), events: [] };
  let current;
  for (const [index, line] of text.split("\n").entries()) {
    if (line === "" || line.startsWith("#")) continue;
    const words = line.trim().split(/\s+/);
    try {
      if (line.startsWith(" ")) current(words);
      else current = readHead(table, words);
    } catch (error) {
      throw new Error(`line ${index + 1}: ${error.message}`);
    }
  }
  for (const event of table.events) event.members.push(...tail(event.attributed));
  check(table);
  return table;
}

function readHead(table, [kind, name, ...rest]) {
  if (kind === "enum") {
    table.enums.set(name, rest);
    return undefined;
  }
  if (kind === "union") {
    const union = { name, discriminator: rest[0], variants: [] };
    table.unions.set(name, union);
    return ([value, shape]) => void union.variants.push([value, shape]);
  }
  if (kind !== "shape" && kind !== "event") throw new Error(`no such block: ${kind}`);
  const shape = { name, attributed: false, open: rest[0] === "open", members: [] };
  if (kind === "event") {
    shape.name = rest[0];
    shape.type = name;
    shape.attributed = rest[1] === "attributed";
    shape.members.push(member("type", { kind: "const", value: name }, true));
    table.events.push(shape);
  }
  if (table.shapes.has(shape.name)) throw new Error(`${shape.name} stands there twice`);
  table.shapes.set(shape.name, shape);
  return (words) => void shape.members.push(readMember(words, table.enums));
}
