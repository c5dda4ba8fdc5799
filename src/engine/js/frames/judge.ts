import {
  R_FRAME_HALF,
  R_FRAME_RANGE,
  R_FRAME_TOTAL,
  R_FRAME_TYPE,
  R_FRAMED_REFERENCE,
  R_INTEGER,
  R_MISSING,
  R_NESTED_FRAME,
  R_NON_EMPTY_STRING,
  R_OBJECT,
  R_STRING,
  R_STRING_OR_NULL,
} from "../../../../assembly/abi/codes.js";
import type { Fault } from "../../../errors.js";
import { type JsonObject, own } from "../../../json/object.js";
import { isWellFormed } from "../../../json/text.js";
import { isNonEmptyString, isObject, isStringOrNull, sequenceOf } from "../reduce/agentue/kinds.js";

/** A frame that was judged by itself (AgentUE §3.3). */
export interface Frame {
  id: string;
  blockId: string;
  seq: number;
  total: number;
  data: string;
}

function bad(member: string, reason: number): Fault {
  return { code: "bad_block", reason, path: `/${member}` };
}

/** What keeps a value from being an inline block. */
function inlineFault(value: unknown): Fault | undefined {
  if (!isObject(value)) return { code: "bad_block", reason: R_OBJECT, path: "" };
  return (
    needText(value, "id") ??
    (own(value, "ref") === undefined ? undefined : bad("ref", R_FRAMED_REFERENCE)) ??
    needText(value, "type") ??
    mayBeText(value, "parent_id") ??
    mayBeText(value, "group_id")
  );
}

function needText(block: JsonObject, name: string): Fault | undefined {
  const value = own(block, name);
  if (value === undefined) return bad(name, R_MISSING);
  return isNonEmptyString(value) ? undefined : bad(name, R_NON_EMPTY_STRING);
}

function mayBeText(block: JsonObject, name: string): Fault | undefined {
  const value = own(block, name);
  return value === undefined || isStringOrNull(value) ? undefined : bad(name, R_STRING_OR_NULL);
}

/** The id of a block that may be framed, or was restored: inline, and no frame itself. */
export function judgeFramed(value: unknown): { id: string } | Fault {
  const fault = inlineFault(value);
  if (fault !== undefined) return fault;
  const { id, type } = value as JsonObject;
  return type === "frame" ? bad("type", R_NESTED_FRAME) : { id: id as string };
}

/** A frame, judged by itself; numbers are exact. */
export function judgeFrame(value: unknown): Frame | Fault {
  const malformed = inlineFault(value);
  if (malformed !== undefined) return malformed;
  const block = value as JsonObject;
  if (block.type !== "frame") return bad("type", R_FRAME_TYPE);
  const fault = needText(block, "block_id");
  if (fault !== undefined) return fault;
  if (own(block, "seq") === undefined) return bad("seq", R_MISSING);
  const seq = sequenceOf(own(block, "seq"));
  if (seq < 0) return bad("seq", R_INTEGER);
  if (own(block, "total") === undefined) return bad("total", R_MISSING);
  const total = sequenceOf(own(block, "total"));
  if (total < 1) return bad("total", R_FRAME_TOTAL);
  const data = own(block, "data");
  if (data === undefined) return bad("data", R_MISSING);
  if (typeof data !== "string") return bad("data", R_STRING);
  if (!isWellFormed(data)) return bad("data", R_FRAME_HALF);
  if (seq >= total) return { code: "frame_conflict", reason: R_FRAME_RANGE, path: "/seq" };
  return { id: block.id as string, blockId: block.block_id as string, seq, total, data };
}
