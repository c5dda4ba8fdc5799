import {
  R_ARRAY,
  R_LIMIT_BLOCKS,
  R_LIMIT_DEPTH,
  R_LIMIT_MODEL,
  R_NON_EMPTY_STRING,
  R_NONE,
  R_NOT_A_REFERENCE,
  R_OBJECT,
  R_OBJECT_OR_NULL,
  R_OTHER_ID,
  R_REFERENCE_PATCH,
  R_REFERENCE_VERSION,
  R_STRING,
  R_STRING_OR_NULL,
} from "../../../../../assembly/abi/codes.js";
import { type JsonObject, own, put } from "../../../../json/object.js";
import { utf8Length } from "../../../../json/text.js";
import type { Limits } from "../../../../limits.js";
import { depthOf } from "../../codec/clone.js";
import { patchValue } from "./contents.js";
import { BlockEntry, type Document, jsonLength, memberGrowth } from "./document.js";
import { isNonEmptyString, isObject, isStringOrNull } from "./kinds.js";
import { type Mask, maskPointer } from "./mask.js";
import type { StreamState } from "./state.js";
import { judgeBlock, judgeErrorMembers, judgeInline } from "./validate.js";
import { below, type Violation } from "./violation.js";

/** What is known of the text or value that an event came from; the event is owned. */
export interface Source {
  /** No value in the event is nested deeper. */
  nesting: number;
  /** At least as many bytes as any value in the event has as compact JSON. */
  bytes: number;
  /** Whether the event may hold an `ExactNumber`. */
  exact: boolean;
}

/** Level of a block and of meta in a model, the model being level 1. */
const BLOCK_LEVEL = 3;
const META_LEVEL = 2;

/** A patch of a block that the model holds in storage frames only. */
const IN_FRAMES: Violation = { code: "unresolved_frames", reason: R_NONE, path: "/block" };

/**
 * `set` without mask (AgentUE §5.2); the block was judged but for the model's version.
 *
 * @param guard a block that is kept in frames is not to be patched
 */
export function setBlock(
  state: StreamState,
  block: JsonObject,
  source: Source,
  limits: Limits,
  guard: boolean,
): Violation | undefined {
  const document = state.document!;
  if (!document.references && Object.hasOwn(block, "ref")) {
    return { code: "bad_block", reason: R_REFERENCE_VERSION, path: "/block/ref" };
  }
  if (guard && document.isInFrames(block.id as string)) return IN_FRAMES;
  return placeBlock(state, document, block, source, limits, "/block");
}

/** Puts a judged block in the place of the one with its id, or behind the last. */
function placeBlock(
  state: StreamState,
  document: Document,
  block: JsonObject,
  source: Source,
  limits: Limits,
  path: string,
): Violation | undefined {
  const id = block.id as string;
  const entry = document.entries.get(id);
  if (entry === undefined && document.blocks.length >= limits.blocks) {
    return { code: "limit", reason: R_LIMIT_BLOCKS, path: "/block" };
  }
  if (isTooDeep(block, BLOCK_LEVEL, source, limits)) return { code: "limit", reason: R_LIMIT_DEPTH, path };
  const exact = document.exact || source.exact;
  const growth = (): number =>
    entry !== undefined
      ? jsonLength(block, exact) - jsonLength(entry.value, exact)
      : jsonLength(block, exact) + (document.blocks.length > 0 ? 1 : 0);
  if (!document.admit(source.bytes, limits.modelBytes, growth)) return { code: "limit", reason: R_LIMIT_MODEL, path };
  document.exact = exact;
  if (entry !== undefined) {
    state.changes.replace(entry, undefined);
    entry.replace(block);
    document.blocks[entry.index] = block;
    document.noteFrame(entry, block.type === "frame");
  } else {
    const added = new BlockEntry(id, document.blocks.length, block);
    document.entries.set(id, added);
    document.blocks.push(block);
    document.noteFrame(added, block.type === "frame");
    state.changes.insert(added);
  }
  return undefined;
}

/** `set` with a mask, and `error` as `set meta.error` (AgentUE §5.2, §5.4). */
export function setPath(
  state: StreamState,
  event: JsonObject,
  mask: Mask,
  source: Source,
  limits: Limits,
  guard: boolean,
): Violation | undefined {
  const document = state.document!;
  const payload = event[mask.slot] as JsonObject;
  let root: JsonObject;
  let entry: BlockEntry | undefined;
  if (mask.slot === "meta") {
    root = document.claimMeta();
  } else {
    entry = document.entries.get(payload.id as string);
    if (entry === undefined) {
      if (guard && document.isInFrames(payload.id as string)) return IN_FRAMES;
      return { code: "missing_block", reason: R_NONE, path: "/block/id" };
    }
    if (entry.reference) return { code: "unresolved_reference", reason: R_NONE, path: "/block" };
    root = document.claim(entry);
  }

  // The deepest object on the way, and which segment is to be set in it.
  const segments = mask.segments;
  const last = segments.length - 1;
  let parent = root;
  let place = 0;
  while (place < last) {
    const next = own(parent, segments[place]!);
    if (next === undefined || next === null) break;
    if (!isObject(next)) return { code: "type_mismatch", reason: R_OBJECT, path: maskPointer(mask, place + 1) };
    parent = next;
    place++;
  }
  const value = patchValue(payload, mask);
  const fault = judgeResult(root, mask, value);
  if (fault !== undefined) return fault;

  const level = (mask.slot === "block" ? BLOCK_LEVEL : META_LEVEL) + segments.length;
  if (isTooDeep(value, level, source, limits)) return { code: "limit", reason: R_LIMIT_DEPTH, path: maskPointer(mask) };
  let member = value;
  for (let i = last; i > place; i--) {
    const created: JsonObject = {};
    put(created, segments[i]!, member);
    member = created;
  }
  const name = segments[place]!;
  const exact = document.exact || source.exact;
  const growth = (): number => memberGrowth(parent, name, member, exact);
  if (!document.admit(source.bytes, limits.modelBytes, growth)) {
    return { code: "limit", reason: R_LIMIT_MODEL, path: maskPointer(mask) };
  }
  document.exact = exact;
  const field = segments.join(".");
  if (entry !== undefined) {
    state.changes.replace(entry, field);
    entry.settle();
    if (segments[0] === "type") document.noteFrame(entry, true);
  } else {
    state.changes.meta(field);
  }
  put(parent, name, member);
  return undefined;
}

/** `append` (AgentUE §5.3). */
export function append(
  state: StreamState,
  payload: JsonObject,
  mask: Mask,
  source: Source,
  limits: Limits,
  guard: boolean,
): Violation | undefined {
  const document = state.document!;
  const entry = document.entries.get(payload.id as string);
  if (entry === undefined) {
    if (guard && document.isInFrames(payload.id as string)) return IN_FRAMES;
    return (
      below("/block", judgeInline(payload)) ?? placeBlock(state, document, payload, source, limits, maskPointer(mask))
    );
  }
  if (entry.reference) return { code: "unresolved_reference", reason: R_NONE, path: "/block" };
  const field = mask.segments[0]!;
  const current = own(document.claim(entry), field);
  const addition = payload[field] as string | unknown[];
  if (current === undefined || current === null) return setPath(state, { block: payload }, mask, source, limits, false);
  if (typeof addition === "string") {
    if (typeof current !== "string") return { code: "type_mismatch", reason: R_STRING, path: maskPointer(mask) };
    if (!document.admit(6 * addition.length, limits.modelBytes, () => textGrowth(current, addition))) {
      return { code: "limit", reason: R_LIMIT_MODEL, path: maskPointer(mask) };
    }
    entry.appendText(field, current, addition);
    if (field === "type") document.noteFrame(entry, true);
    state.changes.append(entry, field, current.length, current.length + addition.length, true);
    return undefined;
  }
  if (!Array.isArray(current)) return { code: "type_mismatch", reason: R_ARRAY, path: maskPointer(mask) };
  if (isTooDeep(addition, BLOCK_LEVEL + 1, source, limits))
    return { code: "limit", reason: R_LIMIT_DEPTH, path: maskPointer(mask) };
  const exact = document.exact || source.exact;
  // The brackets of the payload are not added, a comma between the two parts is.
  const growth = (): number => jsonLength(addition, exact) - 2 + (current.length > 0 && addition.length > 0 ? 1 : 0);
  if (!document.admit(source.bytes, limits.modelBytes, growth)) {
    return { code: "limit", reason: R_LIMIT_MODEL, path: maskPointer(mask) };
  }
  document.exact = exact;
  state.changes.append(entry, field, current.length, current.length + addition.length, false);
  for (const element of addition) current.push(element);
  return undefined;
}

/** The inline body of a reference takes its place (AgentUE §3.4). Paths are below the block. */
export function materialize(
  state: StreamState | undefined,
  block: JsonObject,
  source: Source,
  limits: Limits,
  id: string | undefined,
): Violation | undefined {
  if (Object.hasOwn(block, "ref")) return { code: "bad_block", reason: R_REFERENCE_PATCH, path: "/ref" };
  const fault = judgeBlock(block, false, Object.keys);
  if (fault !== undefined) return fault;
  if (id !== undefined && block.id !== id) return { code: "bad_block", reason: R_OTHER_ID, path: "/id" };
  const document = state?.document;
  if (state === undefined || document === undefined) return { code: "no_model", reason: R_NONE };
  const entry = document.entries.get(block.id as string);
  if (entry === undefined) return { code: "missing_block", reason: R_NONE, path: "/id" };
  if (!entry.reference) return { code: "bad_block", reason: R_NOT_A_REFERENCE, path: "/id" };
  return placeBlock(state, document, block, source, limits, "");
}

/** Whether a value at `level` of a model makes it deeper than a `start` may carry; containers on the way count. */
export function isTooDeep(value: unknown, level: number, source: Source, limits: Limits): boolean {
  const room = limits.depth - level;
  // The value's own level counts only when it is a container itself.
  if (source.nesting <= room) return false;
  const depth = depthOf(value);
  return level - 1 + depth > limits.depth - 1;
}

function textGrowth(current: string, addition: string): number {
  const length = utf8Length(JSON.stringify(addition)) - 2;
  // Two lone halves, six bytes each, become one character of four.
  const joins =
    (current.charCodeAt(current.length - 1) & 0xfc00) === 0xd800 && (addition.charCodeAt(0) & 0xfc00) === 0xdc00;
  return joins ? length - 8 : length;
}

/** The protocol's own fields after a patch of block or meta at the mask's path (docs/semantics.md §3.8). */
function judgeResult(root: JsonObject, mask: Mask, value: unknown): Violation | undefined {
  const [first, second] = mask.segments as [string, string | undefined];
  const bad = (reason: number): Violation => ({ code: "bad_field", reason, path: maskPointer(mask, 1) });
  // With more segments the field is an object after the patch.
  const result = second === undefined ? value : {};
  if (mask.slot === "block") {
    if (first === "type") return isNonEmptyString(result) ? undefined : bad(R_NON_EMPTY_STRING);
    if (first === "parent_id" || first === "group_id")
      return isStringOrNull(result) ? undefined : bad(R_STRING_OR_NULL);
    return undefined;
  }
  switch (first) {
    case "task_id":
    case "trace_id":
      return isStringOrNull(result) ? undefined : bad(R_STRING_OR_NULL);
    case "stats":
      return result === null || isObject(result) ? undefined : bad(R_OBJECT_OR_NULL);
    case "error": {
      if (result === null) return undefined;
      if (!isObject(result)) return bad(R_OBJECT_OR_NULL);
      const before = own(root, "error");
      const member = (name: string): unknown => {
        if (second === undefined) return own(result, name);
        if (name === second) return mask.segments.length === 2 ? value : {};
        return isObject(before) ? own(before, name) : undefined;
      };
      return below("/meta/error", judgeErrorMembers(member, "bad_field"));
    }
    default:
      return undefined;
  }
}
