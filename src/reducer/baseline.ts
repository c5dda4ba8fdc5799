import { R_LIMIT_BLOCKS, R_LIMIT_DEPTH, R_LIMIT_MODEL, R_LIMIT_NUMBER } from "../../assembly/abi/codes.js";
import type { Baseline } from "../engine/contract.js";
import { depthOf } from "../engine/js/codec/clone.js";
import { copyValue } from "../engine/js/codec/value.js";
import { StreamfoldError, usageError } from "../errors.js";
import { ExactNumber, stringify } from "../json/exact.js";
import { LONGEST_DOUBLE } from "../json/number.js";
import { pointerStep } from "../json/object.js";
import { utf8Length } from "../json/text.js";
import { isContainer, type Measure, measure } from "../json/tree.js";
import { type Limits, MAXIMUM_LIMITS } from "../limits.js";
import { enforceShape, type Removal } from "../schema/enforce.js";
import { translateInput } from "../schema/legacy.js";

/** A baseline may leave out what a run input must have. */
const OPTIONAL: ReadonlySet<string> = /* @__PURE__ */ new Set(["threadId", "runId", "messages"]);
/** What a reducer begins with; the other members of a run input are for the agent. */
const USED = ["threadId", "runId", "parentRunId", "messages", "state"] as const;
/** `{"messages":[],"state":{}}`: a limit below it does not refuse the empty model. */
const EMPTY_MODEL_BYTES = 26;
/** Bytes of the snapshot around messages and state. */
const FRAME_BYTES = 22;

/**
 * The run input a reducer begins with, as a value of its own that the schema allows (docs/semantics-agui.md §7). What older peers sent is
 * translated without a word. It is held to the limits here, so that no engine has to.
 *
 * @param onRemoval hears what the schema does not describe, which is left out: a code and a path into the input
 * @throws StreamfoldError `bad_argument` with the path of what the schema rejects, or of what is beyond a limit, which the reason names;
 *   `not_json` for a value that JSON cannot express
 */
export function baseline(input: unknown, limits: Limits, onRemoval: (removal: Removal) => void): Baseline | undefined {
  if (input === undefined) return undefined;
  const mistaken = () => usageError("bad_argument", "input must be an object: a run input, or a part of one");
  if (input === null || typeof input !== "object") throw mistaken();
  const copied = copyValue(input, MAXIMUM_LIMITS.depth, true);
  if ("code" in copied) {
    if (copied.code === "not_json") throw new StreamfoldError(copied);
    if (Array.isArray(input)) throw mistaken();
    throw beyond(R_LIMIT_DEPTH, /^\/[^/]*/.exec(copied.path)![0]);
  }
  if (Array.isArray(copied.value)) throw mistaken();
  // a state that has become null is a state: the schema's rule is about what is sent
  const value = copied.value as Record<string, unknown>;
  const isNull = value.state === null;
  if (isNull) delete value.state;
  translateInput(copied.value as Record<string, unknown>, "", () => {});
  const { fault, removals } = enforceShape(copied.value, "RunAgentInput", { unknownEnum: "fatal" }, OPTIONAL);
  if (fault !== undefined) throw new StreamfoldError({ code: "bad_argument", ...fault });
  if (isNull) value.state = null;
  const used = Object.fromEntries(USED.filter((name) => Object.hasOwn(value, name)).map((name) => [name, value[name]]));
  // Translation may have made messages larger.
  const { depth, bound } = used.messages === undefined ? copied : measure(used);
  judgeLimits(used, { depth, bound }, limits);
  for (const removal of removals) onRemoval(removal);
  return { members: used, depth, bound, exact: copied.exact };
}

/** Members that were held to the schema against the limits of a model, in the order of docs/semantics-agui.md §7 and §9. */
function judgeLimits(used: { messages?: unknown; state?: unknown }, { depth, bound }: Measure, limits: Limits): void {
  const { messages = [], state = {} } = used as { messages?: unknown[]; state?: unknown };
  if (limits.numberLength < LONGEST_DOUBLE) {
    for (const [name, value] of [
      ["messages", messages],
      ["state", state],
    ] as const) {
      const path = longNumber(value, `/${name}`, limits.numberLength);
      if (path !== undefined) throw beyond(R_LIMIT_NUMBER, path);
    }
  }
  if (messages.length > limits.blocks) throw beyond(R_LIMIT_BLOCKS, `/messages/${limits.blocks}`);
  // the root of the snapshot is level 1, that of the input too
  if (depth > limits.depth || limits.depth === 1) {
    if (used.messages !== undefined && depthOf(messages) >= limits.depth) throw beyond(R_LIMIT_DEPTH, "/messages");
    if (depthOf(state) >= limits.depth) throw beyond(R_LIMIT_DEPTH, "/state");
  }
  const most = Math.max(limits.modelBytes, EMPTY_MODEL_BYTES);
  if (bound + FRAME_BYTES > most && utf8Length(stringify({ messages, state })) > most) throw beyond(R_LIMIT_MODEL, "");
}

function beyond(reason: number, path: string): StreamfoldError {
  return new StreamfoldError({ code: "bad_argument", reason, path });
}

/** The path of the first number whose text has more than `limit` characters, in the order of the text. */
function longNumber(root: unknown, path: string, limit: number): string | undefined {
  const open: { value: unknown; path: string }[] = [{ value: root, path }];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const { value } = node;
    if (
      typeof value === "number"
        ? String(value).length > limit
        : value instanceof ExactNumber && value.text.length > limit
    ) {
      return node.path;
    }
    if (!isContainer(value)) continue;
    for (const [name, child] of Object.entries(value).reverse()) {
      if (typeof child === "number" || typeof child === "object")
        open.push({ value: child, path: node.path + pointerStep(name) });
    }
  }
  return undefined;
}
