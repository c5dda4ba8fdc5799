import { copyValue } from "../engine/js/codec/value.js";
import { StreamfoldError } from "../errors.js";
import { DEFAULT_LIMITS } from "../limits.js";
import { type Enforced, enforceList, enforceShape, type SchemaFault } from "../schema/enforce.js";

/** A caller's value as a tree of our own: numbers that a double's text does not give are `ExactNumber`s. */
export interface OwnTree {
  value: unknown;
  depth: number;
  bound: number;
  exact: boolean;
}

/**
 * Copies a caller's value; members that are undefined are left out.
 *
 * @throws StreamfoldError `not_json` and `too_deep`, with the path
 */
export function ownTree(value: unknown, depth = DEFAULT_LIMITS.depth): OwnTree {
  const copied = copyValue(value, depth, true);
  if ("code" in copied) throw new StreamfoldError(copied);
  return copied;
}

/** What a shape of the schema says of a value of our own: the first fault, or what was removed. */
export function judgeShape(value: unknown, shape: string): Enforced {
  return enforceShape(value, shape, { unknownEnum: "fatal" });
}

/**
 * A run input that the caller has made, held to the schema.
 *
 * @throws StreamfoldError `bad_argument` with the path into it
 */
export function judgeInput(input: unknown): OwnTree {
  const tree = ownTree(input);
  const fault = strictFault(tree.value, "RunAgentInput");
  if (fault !== undefined) throw new StreamfoldError({ code: "bad_argument", ...fault });
  return tree;
}

/** Why the schema does not let pass what a writer of its own values says; `undefined` where it does. */
export function strictFault(value: unknown, shape: string): (SchemaFault & { detail?: string }) | undefined {
  const { fault, removals } = judgeShape(value, shape);
  if (fault !== undefined) return fault;
  const removal = removals[0];
  if (removal === undefined) return undefined;
  const detail =
    removal.code === "unknown_property" ? "the schema does not describe it" : "the schema has no such kind of value";
  return { reason: 0, path: removal.path, detail };
}

/** Whether a value is a list of content parts that the schema knows; a list of none is not. */
export function isPartList(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0) return false;
  const { fault, removals } = enforceList(ownTree(value).value, "ContentPart", { unknownEnum: "fatal" });
  return fault === undefined && removals.length === 0;
}
