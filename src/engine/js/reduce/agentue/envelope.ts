import {
  R_INTEGER,
  R_MASK_META_ERROR,
  R_MASK_ONE_SEGMENT,
  R_MISSING,
  R_NONE,
  R_NOT_ALLOWED,
  R_OBJECT,
  R_STRING,
} from "../../../../../assembly/abi/codes.js";
import { type JsonObject, own, pointerStep } from "../../../../json/object.js";
import { isObject, sequenceOf } from "./kinds.js";
import { type Mask, parseMask } from "./mask.js";
import type { Violation } from "./violation.js";

export type Op = "start" | "set" | "append" | "error" | "ping" | "end";

const OPS: ReadonlySet<string> = /* @__PURE__ */ new Set<Op>(["start", "set", "append", "error", "ping", "end"]);

/**
 * The envelope's members in document order, then the missing ones (AgentUE §4; docs/semantics.md §3.3).
 * `stream_id` was judged when the event was routed.
 *
 * @param names the members in document order
 */
export function judgeEnvelope(event: JsonObject, names: readonly string[]): Violation | undefined {
  let hasOp = false;
  let hasSeq = false;
  for (const name of names) {
    const value = event[name];
    switch (name) {
      case "op":
        if (typeof value !== "string") return { code: "bad_field", reason: R_STRING, path: "/op" };
        if (!OPS.has(value)) return { code: "unknown_op", reason: R_NONE, path: "/op" };
        hasOp = true;
        break;
      case "seq":
      case "ts":
        if (sequenceOf(value) < 0) return { code: "bad_field", reason: R_INTEGER, path: `/${name}` };
        hasSeq ||= name === "seq";
        break;
      case "mask":
      case "event_type":
        if (typeof value !== "string") return { code: "bad_field", reason: R_STRING, path: `/${name}` };
        break;
      case "model":
      case "meta":
      case "block":
        if (!isObject(value)) return { code: "bad_field", reason: R_OBJECT, path: `/${name}` };
        break;
      case "stream_id":
        break;
      default:
        return { code: "unknown_field", reason: R_NONE, path: pointerStep(name) };
    }
  }
  if (!hasOp) return { code: "missing_field", reason: R_MISSING, path: "/op" };
  if (!hasSeq) return { code: "missing_field", reason: R_MISSING, path: "/seq" };
  return undefined;
}

/**
 * Which slots the op carries and its mask's grammar (docs/semantics.md §3.4).
 *
 * @returns the mask, undefined for an event that has none, or the violation
 */
export function judgeSlots(event: JsonObject): Mask | Violation | undefined {
  const op = event.op as Op;
  const text = own(event, "mask") as string | undefined;
  let mask: Mask | undefined;
  if (op === "append" || op === "error") {
    if (text === undefined) return { code: "missing_field", reason: R_MISSING, path: "/mask" };
  } else if (op !== "set" && text !== undefined) {
    return { code: "bad_field", reason: R_NOT_ALLOWED, path: "/mask" };
  }
  if (text !== undefined) {
    mask = parseMask(text);
    let fault = mask.fault;
    if (fault === 0 && op === "append" && (mask.slot !== "block" || mask.segments.length !== 1))
      fault = R_MASK_ONE_SEGMENT;
    if (fault === 0 && op === "error" && text !== "meta.error") fault = R_MASK_META_ERROR;
    if (fault !== 0) return { code: "bad_mask", reason: fault, path: "/mask" };
  }
  const takesModel = op === "start";
  const takesMeta = op === "error" || (op === "set" && mask?.slot === "meta");
  const takesBlock = op === "append" || (op === "set" && mask?.slot !== "meta");
  return (
    judgeSlot(event, "model", takesModel) ??
    judgeSlot(event, "meta", takesMeta) ??
    judgeSlot(event, "block", takesBlock) ??
    mask
  );
}

function judgeSlot(event: JsonObject, slot: "model" | "meta" | "block", taken: boolean): Violation | undefined {
  if (Object.hasOwn(event, slot) === taken) return undefined;
  return taken
    ? { code: "missing_field", reason: R_MISSING, path: `/${slot}` }
    : { code: "bad_field", reason: R_NOT_ALLOWED, path: `/${slot}` };
}
