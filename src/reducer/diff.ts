import type { JsonPatchOperation } from "../engine/contract.js";
import { cloneValue } from "../engine/js/codec/clone.js";
import { copyValue } from "../engine/js/codec/value.js";
import { readText } from "../engine/js/session/text.js";
import { StreamfoldError } from "../errors.js";
import { diffTrees } from "../json/diff.js";
import { MAXIMUM_LIMITS } from "../limits.js";
import { isBufferSource, toBytes } from "./bytes.js";

/**
 * A JSON Patch (RFC 6902) that turns `before` into `after`: what a producer sends instead of the whole value. It holds `add`, `remove` and
 * `replace` only; a string that has grown is one `replace` of that string. Never longer than one `replace` of the root.
 *
 * Numbers are doubles, as `JSON.parse` gives them: digits beyond those neither make a difference nor come through.
 *
 * @param before a plain value, or JSON text as bytes (ArrayBuffer or any view)
 * @param after the same; nested at most 4,096 levels
 * @returns operations with values of their own. Applied to `before` they give `after`; the order of members may be another
 * @throws StreamfoldError `not_json` or `too_deep` for a value (also for bytes with a number beyond the doubles), `bad_json`, `invalid_utf8`,
 *   `too_deep` or `limit` (a number of more than 1,048,576 characters) for bytes
 */
export function diff(before: unknown, after: unknown): JsonPatchOperation[] {
  const from = treeOf(before);
  const to = treeOf(after);
  const operations = diffTrees(from.value, to.value);
  if (to.exact) {
    for (const operation of operations) {
      if (operation.op !== "remove") operation.value = cloneValue(operation.value, "number");
    }
  }
  return operations;
}

/** A copy of a value, which may then be handed out. */
function treeOf(source: unknown): { value: unknown; exact: boolean } {
  const copy = copyValue(isBufferSource(source) ? parse(toBytes(source, "")) : source, MAXIMUM_LIMITS.depth);
  if ("code" in copy) throw new StreamfoldError(copy);
  return copy;
}

function parse(bytes: Uint8Array): unknown {
  const read = readText(bytes, MAXIMUM_LIMITS);
  if ("code" in read) throw new StreamfoldError(read);
  return JSON.parse(read.text);
}
