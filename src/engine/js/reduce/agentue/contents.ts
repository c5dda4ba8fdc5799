import {
  R_MISSING,
  R_NON_EMPTY_STRING,
  R_OBJECT,
  R_REFERENCE_PATCH,
  R_STRING_OR_ARRAY,
} from "../../../../../assembly/abi/codes.js";
import { type JsonObject, own } from "../../../../json/object.js";
import type { Op } from "./envelope.js";
import { isNonEmptyString, isObject } from "./kinds.js";
import { type Mask, maskPointer } from "./mask.js";
import { judgeBlock, judgeError, type NamesAt } from "./validate.js";
import { below, type Violation } from "./violation.js";

/**
 * What the slots of a `set`, `append` or `error` hold, as far as it can be judged without the model (docs/semantics.md §3.5).
 * A `start`'s model is judged where its index is built.
 */
export function judgeContents(
  event: JsonObject,
  op: Op,
  mask: Mask | undefined,
  namesAt: NamesAt,
): Violation | undefined {
  switch (op) {
    case "set": {
      if (mask !== undefined) return judgePatch(event, mask);
      return below(
        "/block",
        judgeBlock(event.block as JsonObject, true, (block) => namesAt(["block"], block)),
      );
    }
    case "append": {
      const fault = judgePatch(event, mask!);
      if (fault !== undefined) return fault;
      const value = own(event.block as JsonObject, mask!.segments[0]!);
      if (typeof value === "string" || Array.isArray(value)) return undefined;
      return { code: "bad_field", reason: R_STRING_OR_ARRAY, path: maskPointer(mask!) };
    }
    case "error": {
      const error = own(event.meta as JsonObject, "error");
      if (error === undefined) return { code: "missing_field", reason: R_MISSING, path: "/meta/error" };
      if (!isObject(error)) return { code: "bad_field", reason: R_OBJECT, path: "/meta/error" };
      return below("/meta/error", judgeError(error, "bad_field"));
    }
    default:
      return undefined;
  }
}

function judgePatch(event: JsonObject, mask: Mask): Violation | undefined {
  const payload = event[mask.slot] as JsonObject;
  if (mask.slot === "block") {
    if (Object.hasOwn(payload, "ref")) return { code: "bad_block", reason: R_REFERENCE_PATCH, path: "/block/ref" };
    const id = own(payload, "id");
    if (id === undefined) return { code: "missing_field", reason: R_MISSING, path: "/block/id" };
    if (!isNonEmptyString(id)) return { code: "bad_block", reason: R_NON_EMPTY_STRING, path: "/block/id" };
  }
  const last = mask.segments.length - 1;
  let at = payload;
  for (let i = 0; i <= last; i++) {
    const value = own(at, mask.segments[i]!);
    if (value === undefined) return { code: "missing_field", reason: R_MISSING, path: maskPointer(mask, i + 1) };
    if (i === last) break;
    if (!isObject(value)) return { code: "bad_field", reason: R_OBJECT, path: maskPointer(mask, i + 1) };
    at = value;
  }
  return undefined;
}

/** The value at the mask's path in a payload that was judged. */
export function patchValue(payload: JsonObject, mask: Mask): unknown {
  let value: unknown = payload;
  for (const segment of mask.segments) value = (value as JsonObject)[segment];
  return value;
}
