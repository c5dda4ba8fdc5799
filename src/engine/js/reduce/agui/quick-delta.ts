import { mayHoldExactNumber } from "../../../../json/exact.js";
import { type JsonObject, put } from "../../../../json/object.js";
import { isContainer, measure, nameBound } from "../../../../json/tree.js";
import { type Model, STATE_LEVEL } from "./model.js";

const NONE = -1;

/**
 * The traffic that matters: a STATE_DELTA of one `add` of a member, or of one `replace` of a value that is there. Takes nothing but events that
 * are valid beyond doubt, and leaves all others to the long way; their cost follows the path, not the state.
 *
 * @param event its value is part of the model afterwards
 * @param text of the event, without long runs of digits; undefined when the event came without one and holds no `ExactNumber`
 * @param depth levels of nesting allowed in the snapshot
 * @returns the pointer to what was changed; undefined when nothing was
 */
export function patchQuickly(
  event: JsonObject,
  text: string | undefined,
  model: Model,
  depth: number,
): string | undefined {
  const { delta } = event;
  if (!Array.isArray(delta) || delta.length !== 1 || !hasMembers(event, 2)) return undefined;
  const operation = delta[0] as unknown;
  if (!isContainer(operation) || !hasMembers(operation as JsonObject, 3)) return undefined;
  const { op, path, value } = operation as JsonObject;
  if (value === undefined || typeof path !== "string" || (op !== "replace" && op !== "add")) return undefined;
  if (text !== undefined && mayBeExact(value) && mayHoldExactNumber(text)) return undefined;
  if (path.charCodeAt(0) !== 0x2f || path.includes("~")) return undefined;
  let parent = model.claimState().value;
  let tokens = 1;
  let from = 1;
  for (let to = path.indexOf("/", from); to >= 0; to = path.indexOf("/", from)) {
    parent = childOf(parent, path.slice(from, to));
    if (parent === undefined) return undefined;
    from = to + 1;
    tokens++;
  }
  const name = path.slice(from);
  const isNew = op === "add" && isContainer(parent) && !Array.isArray(parent);
  if (!isNew && (op === "add" || childOf(parent, name) === undefined)) return undefined;
  const { depth: levels, bound } = measure(value);
  if (tokens + levels > depth - STATE_LEVEL + 1 || !model.size.addBound(bound + nameBound(name))) return undefined;
  if (Array.isArray(parent)) parent[indexOf(name)] = value;
  else put(parent as JsonObject, name, value);
  return path;
}

function hasMembers(object: JsonObject, count: number): boolean {
  for (const _ in object) count--;
  return count === 0;
}

/** Whether a value may come of a number that a double does not carry. Short runs of digits make a safe integer exact; zero may have been too small. */
function mayBeExact(value: unknown): boolean {
  return typeof value === "number" ? !Number.isSafeInteger(value) || value === 0 : isContainer(value);
}

/** What lies in a container under a name or a position; undefined where nothing does. */
function childOf(node: unknown, token: string): unknown {
  if (Array.isArray(node)) {
    const index = indexOf(token);
    return index === NONE ? undefined : node[index];
  }
  return isContainer(node) && Object.hasOwn(node, token) ? (node as JsonObject)[token] : undefined;
}

/** A position in plain digits, of at most nine; else NONE. */
function indexOf(token: string): number {
  const { length } = token;
  if (length === 0 || length > 9 || (length > 1 && token.charCodeAt(0) === 0x30)) return NONE;
  let index = 0;
  for (let at = 0; at < length; at++) {
    const digit = token.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return NONE;
    index = index * 10 + digit;
  }
  return index;
}
