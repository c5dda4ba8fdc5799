import {
  R_ARRAY,
  R_LIMIT_BLOCKS,
  R_MISSING,
  R_NON_EMPTY_STRING,
  R_NONE,
  R_OBJECT,
  R_OBJECT_OR_NULL,
  R_REFERENCE_MEMBER,
  R_REFERENCE_VERSION,
  R_STRING,
  R_STRING_OR_NULL,
  R_VERSION,
} from "../../../../../assembly/abi/codes.js";
import type { ErrorCode } from "../../../../errors.js";
import { type JsonObject, own, pointerStep } from "../../../../json/object.js";
import { BlockEntry } from "./document.js";
import { isNonEmptyString, isObject, isStringOrNull } from "./kinds.js";
import { below, type Violation } from "./violation.js";

/** The members of an object inside the value that is being judged, in document order. */
export type NamesAt = (path: readonly (string | number)[], object: JsonObject) => readonly string[];

/**
 * A complete model (AgentUE §3.1; docs/semantics.md §3.5). Paths are below the model.
 *
 * @param limit blocks allowed
 * @param entries takes one entry per block
 */
export function judgeModel(
  model: JsonObject,
  limit: number,
  namesAt: NamesAt,
  entries: Map<string, BlockEntry>,
): Violation | undefined {
  const bad = (path: string, reason: number): Violation => ({
    code: "bad_model",
    reason: own(model, path.slice(1)) === undefined ? R_MISSING : reason,
    path,
  });
  const version = own(model, "version");
  if (version !== "1.0" && version !== "1.1") return bad("/version", R_VERSION);
  if (!isNonEmptyString(own(model, "biz"))) return bad("/biz", R_NON_EMPTY_STRING);
  const meta = own(model, "meta");
  if (!isObject(meta)) return bad("/meta", R_OBJECT);
  const fault = judgeMeta(meta);
  if (fault !== undefined) return below("/meta", fault);
  const blocks = own(model, "blocks");
  if (!Array.isArray(blocks)) return bad("/blocks", R_ARRAY);
  for (let i = 0; i < blocks.length; i++) {
    const block: unknown = blocks[i];
    if (i === limit) return { code: "limit", reason: R_LIMIT_BLOCKS, path: `/blocks/${i}` };
    if (!isObject(block)) return { code: "bad_block", reason: R_OBJECT, path: `/blocks/${i}` };
    const violation = judgeBlock(block, version === "1.1", (object) => namesAt(["blocks", i], object));
    if (violation !== undefined) return below(`/blocks/${i}`, violation);
    const id = block.id as string;
    if (entries.has(id)) return { code: "duplicate_id", reason: R_NONE, path: `/blocks/${i}/id` };
    entries.set(id, new BlockEntry(id, i, block));
  }
  return undefined;
}

function judgeMeta(meta: JsonObject): Violation | undefined {
  const error = own(meta, "error");
  if (error !== undefined && error !== null) {
    if (!isObject(error)) return { code: "bad_model", reason: R_OBJECT_OR_NULL, path: "/error" };
    const fault = judgeError(error, "bad_model");
    if (fault !== undefined) return below("/error", fault);
  }
  for (const name of ["task_id", "trace_id"]) {
    const value = own(meta, name);
    if (value !== undefined && !isStringOrNull(value))
      return { code: "bad_model", reason: R_STRING_OR_NULL, path: `/${name}` };
  }
  const stats = own(meta, "stats");
  if (stats !== undefined && stats !== null && !isObject(stats))
    return { code: "bad_model", reason: R_OBJECT_OR_NULL, path: "/stats" };
  return undefined;
}

/** An error object (AgentUE §3.2). Paths are below it. */
export function judgeError(error: JsonObject, code: ErrorCode): Violation | undefined {
  return judgeErrorMembers((name) => own(error, name), code);
}

/** The same for an object whose members a function tells. */
export function judgeErrorMembers(member: (name: string) => unknown, code: ErrorCode): Violation | undefined {
  for (const name of ["code", "message"]) {
    const value = member(name);
    if (typeof value !== "string")
      return { code, reason: value === undefined ? R_MISSING : R_STRING, path: `/${name}` };
  }
  for (const name of ["detail", "trace_id"]) {
    const value = member(name);
    if (value !== undefined && !isStringOrNull(value)) return { code, reason: R_STRING_OR_NULL, path: `/${name}` };
  }
  return undefined;
}

/**
 * A complete block, inline or reference (AgentUE §3.3, §3.4). Paths are below it.
 *
 * @param references whether references are allowed (models of version 1.1); true where the model is not known yet
 */
export function judgeBlock(
  block: JsonObject,
  references: boolean,
  names: (block: JsonObject) => readonly string[],
): Violation | undefined {
  if (!Object.hasOwn(block, "ref")) return judgeInline(block);
  const fault = judgeText(block, "id") ?? judgeText(block, "ref");
  if (fault !== undefined) return fault;
  const other = names(block).find((name) => name !== "id" && name !== "ref");
  if (other !== undefined) return { code: "bad_block", reason: R_REFERENCE_MEMBER, path: pointerStep(other) };
  return references ? undefined : { code: "bad_block", reason: R_REFERENCE_VERSION, path: "/ref" };
}

/** A complete inline block that is known to have no `ref`. */
export function judgeInline(block: JsonObject): Violation | undefined {
  return (
    judgeText(block, "id") ?? judgeText(block, "type") ?? judgeLink(block, "parent_id") ?? judgeLink(block, "group_id")
  );
}

function judgeText(block: JsonObject, name: string): Violation | undefined {
  const value = own(block, name);
  if (isNonEmptyString(value)) return undefined;
  return { code: "bad_block", reason: value === undefined ? R_MISSING : R_NON_EMPTY_STRING, path: `/${name}` };
}

function judgeLink(block: JsonObject, name: string): Violation | undefined {
  const value = own(block, name);
  return value === undefined || isStringOrNull(value)
    ? undefined
    : { code: "bad_block", reason: R_STRING_OR_NULL, path: `/${name}` };
}
