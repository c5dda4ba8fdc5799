import {
  R_ARRAY,
  R_LIMIT_OPERATIONS,
  R_MISSING,
  R_OBJECT,
  R_OPERATION,
  R_POINTER,
  R_STRING,
} from "../../assembly/abi/codes.js";
import type { Fault } from "../errors.js";
import { own } from "./object.js";
import { parsePointer } from "./pointer.js";
import { isObject } from "./tree.js";

const NAMES = ["add", "remove", "replace", "move", "copy", "test"] as const;

/** One well-formed operation of a JSON Patch (RFC 6902 §4). */
export interface PatchOperation {
  op: (typeof NAMES)[number];
  /** The pointer `path` and its tokens. */
  path: string;
  tokens: string[];
  /** The pointer `from` of `move` and `copy`, and its tokens; empty for the others. */
  from: string;
  source: string[];
  /** What `add`, `replace` and `test` bring; undefined for the others. */
  value: unknown;
}

/**
 * Judges the form of a whole patch (RFC 6902 §3, §4; docs/semantics.md §11). The first fault in the order of the operations decides, in one
 * operation the order is `op`, `path`, `from`, `value`. Members that an operation does not need are ignored.
 *
 * @param patch an exact tree; the operations share its values
 * @param most operations allowed
 * @returns the operations, or the fault `bad_patch` with a path into the patch, or `limit`
 */
export function readPatch(patch: unknown, most: number): PatchOperation[] | Fault {
  if (!Array.isArray(patch)) return { code: "bad_patch", reason: R_ARRAY, path: "" };
  const operations: PatchOperation[] = [];
  for (const [opIndex, element] of patch.entries()) {
    if (opIndex === most) return { code: "limit", reason: R_LIMIT_OPERATIONS, opIndex };
    const bad = (reason: number, member = ""): Fault => {
      return { code: "bad_patch", reason, path: `/${opIndex}${member}`, opIndex };
    };
    if (!isObject(element)) return bad(R_OBJECT);
    const name = own(element, "op");
    if (typeof name !== "string") return bad(name === undefined ? R_MISSING : R_STRING, "/op");
    const op = NAMES.find((known) => known === name);
    if (op === undefined) return bad(R_OPERATION, "/op");
    const path = own(element, "path");
    const tokens = pointerOf(path);
    if (typeof tokens === "number") return bad(tokens, "/path");
    const operation: PatchOperation = { op, path: path as string, tokens, from: "", source: [], value: undefined };
    if (op === "move" || op === "copy") {
      const from = own(element, "from");
      const source = pointerOf(from);
      if (typeof source === "number") return bad(source, "/from");
      operation.from = from as string;
      operation.source = source;
    } else if (op !== "remove") {
      operation.value = own(element, "value");
      if (operation.value === undefined) return bad(R_MISSING, "/value");
    }
    operations.push(operation);
  }
  return operations;
}

/** The tokens of a pointer member, or the reason why there are none. */
function pointerOf(value: unknown): string[] | number {
  if (typeof value !== "string") return value === undefined ? R_MISSING : R_STRING;
  return parsePointer(value) ?? R_POINTER;
}
