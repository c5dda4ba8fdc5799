import { copyValue } from "../engine/js/codec/value.js";
import { StreamfoldError, usageError } from "../errors.js";
import { MAXIMUM_LIMITS } from "../limits.js";
import { enforceShape, type Removal } from "../schema/enforce.js";
import { translateInput } from "../schema/legacy.js";

/** A baseline may leave out what a run input must have. */
const OPTIONAL: ReadonlySet<string> = /* @__PURE__ */ new Set(["threadId", "runId", "messages"]);

/**
 * The run input a reducer begins with, as a value of its own that the schema allows (docs/semantics-agui.md §7). What older peers sent is
 * translated without a word.
 *
 * @param onRemoval hears what the schema does not describe, which is left out: a code and a path into the input
 *
 * @throws StreamfoldError `bad_argument` with the path of what the schema rejects, `not_json` for a value that JSON cannot express
 */
export function baseline(input: unknown, onRemoval: (removal: Removal) => void): unknown {
  if (input === undefined) return undefined;
  if (input === null || typeof input !== "object" || Array.isArray(input)) {
    throw usageError("bad_argument", "input must be an object: a run input, or a part of one");
  }
  const copied = copyValue(input, MAXIMUM_LIMITS.depth, true);
  if ("code" in copied) throw new StreamfoldError(copied);
  // a state that has become null is a state: the schema's rule is about what is sent
  const value = copied.value as Record<string, unknown>;
  const isNull = value.state === null;
  if (isNull) delete value.state;
  translateInput(copied.value as Record<string, unknown>, "", () => {});
  const { fault, removals } = enforceShape(copied.value, "RunAgentInput", { unknownEnum: "fatal" }, OPTIONAL);
  if (fault !== undefined) throw new StreamfoldError({ code: "bad_argument", ...fault });
  for (const removal of removals) onRemoval(removal);
  if (isNull) value.state = null;
  return copied.value;
}
