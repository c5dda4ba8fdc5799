import { equalValues } from "../../json/equal.js";
import { type JsonObject, own } from "../../json/object.js";
import { type Draft, isAddressable, PROTOCOL_MEMBERS, payloadAt } from "./draft.js";

/** With more patches than this a block is set as a whole, unless one of them is an append. */
const MOST_PATCHES = 4;

/**
 * The events that make one model of another: growing texts and lists are appended, changed fields are set at the deepest path that holds the whole change, a block
 * that has lost a member is set, new blocks come at the end.
 *
 * @param before, after models as `JSON.parse` gives them, well-formed
 * @returns undefined where only a `start` can say it: removed, reordered or inserted blocks, members of the model or of meta that are gone or that no mask can name
 */
export function differences(before: JsonObject, after: JsonObject): Draft[] | undefined {
  const { meta: oldMeta, blocks: oldBlocks, ...oldRest } = before;
  const { meta, blocks, ...rest } = after;
  if (!equalValues(oldRest, rest)) return undefined;
  const drafts = metaPatches(oldMeta as JsonObject, meta as JsonObject);
  if (drafts === undefined) return undefined;
  const former = oldBlocks as JsonObject[];
  const present = blocks as JsonObject[];
  if (present.length < former.length) return undefined;
  for (const [i, block] of present.entries()) {
    const old = former[i];
    if (old === undefined) drafts.push({ op: "set", block });
    else if (old.id !== block.id) return undefined;
    else drafts.push(...(blockPatches(old, block) ?? [{ op: "set", block }]));
  }
  return drafts;
}

function metaPatches(before: JsonObject, after: JsonObject): Draft[] | undefined {
  const names = changedMembers(before, after);
  return names?.map((name) => {
    // An error is whole or none (AgentUE §3.2).
    const path = name === "error" ? [name] : deepest(before, after, name);
    return { op: "set", mask: `meta.${path.join(".")}`, meta: payloadAt(path, valueAt(after, path)) };
  });
}

/** Undefined: the block is to be set as a whole. */
function blockPatches(before: JsonObject, after: JsonObject): Draft[] | undefined {
  if (Object.hasOwn(before, "ref") || Object.hasOwn(after, "ref")) return equalValues(before, after) ? [] : undefined;
  const names = changedMembers(before, after);
  if (names === undefined) return undefined;
  const id = after.id;
  const drafts = names.map((name): Draft => {
    const more = PROTOCOL_MEMBERS.has(name) ? undefined : growth(own(before, name), after[name]);
    if (more !== undefined) return { op: "append", mask: `block.${name}`, block: { id, [name]: more } };
    const path = deepest(before, after, name);
    return { op: "set", mask: `block.${path.join(".")}`, block: { id, ...payloadAt(path, valueAt(after, path)) } };
  });
  return drafts.length > MOST_PATCHES && drafts.every(({ op }) => op === "set") ? undefined : drafts;
}

/** Names of members that are new or changed; undefined when a member is gone, or no mask can name one of them. */
function changedMembers(before: JsonObject, after: JsonObject): string[] | undefined {
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) return undefined;
  const names = Object.keys(after).filter(
    (name) => !Object.hasOwn(before, name) || !equalValues(before[name], after[name]),
  );
  return names.every(isAddressable) ? names : undefined;
}

/** What a text or list has grown by at its end; undefined when it has not. */
function growth(before: unknown, after: unknown): unknown {
  if (typeof before === "string" && typeof after === "string") {
    // A half that meets its other half would be another character on a wire that has no halves.
    const joins = (after.charCodeAt(before.length) & 0xfc00) === 0xdc00;
    return after.startsWith(before) && !joins ? after.slice(before.length) : undefined;
  }
  if (!Array.isArray(before) || !Array.isArray(after) || after.length <= before.length) return undefined;
  return before.every((element, i) => equalValues(element, after[i])) ? after.slice(before.length) : undefined;
}

/** The path from a changed member down to the one place that holds the whole change. */
function deepest(before: JsonObject, after: JsonObject, name: string): string[] {
  const path = [name];
  let old = own(before, name);
  let present = after[name];
  while (isObject(old) && isObject(present)) {
    const names = changedMembers(old, present);
    if (names?.length !== 1) break;
    const next = names[0]!;
    path.push(next);
    old = own(old, next);
    present = present[next];
  }
  return path;
}

function valueAt(root: JsonObject, path: readonly string[]): unknown {
  let value: unknown = root;
  for (const name of path) value = (value as JsonObject)[name];
  return value;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
