import { R_MASK_GRAMMAR, R_MASK_PROTECTED } from "../../../../../assembly/abi/codes.js";
import { pointerStep } from "../../../../json/object.js";

/** A parsed mask (AgentUE §5.2, §5.3). */
export interface Mask {
  readonly text: string;
  /** 0, or why it is `bad_mask`; the other members count only when it is 0. */
  readonly fault: number;
  readonly slot: "meta" | "block";
  readonly segments: readonly string[];
  /** The field that a plain `block.<field>` names, when no inherited member has that name; else "". */
  readonly field: string;
}

const GRAMMAR = /^(?:meta|block)(?:\.[^.]+)+$/;
/** Producers use a handful of masks; more than this many different ones start over. */
const KEPT = 64;
const known = /* @__PURE__ */ new Map<string, Mask>();

/** Parses a mask; masks seen before are remembered. */
export function parseMask(text: string): Mask {
  let mask = known.get(text);
  if (mask === undefined) {
    mask = parse(text);
    if (known.size >= KEPT) known.clear();
    // Long ones would hold on to memory.
    if (text.length <= 256) known.set(text, mask);
  }
  return mask;
}

function parse(text: string): Mask {
  if (!GRAMMAR.test(text)) return { text, fault: R_MASK_GRAMMAR, slot: "block", segments: [], field: "" };
  const [slot, ...segments] = text.split(".") as ["meta" | "block", ...string[]];
  const first = segments[0]!;
  const fault = slot === "block" && (first === "id" || first === "ref") ? R_MASK_PROTECTED : 0;
  const field = fault === 0 && slot === "block" && segments.length === 1 && !(first in Object.prototype) ? first : "";
  return { text, fault, slot, segments, field };
}

/** The mask, or its first `count` segments, as a JSON pointer into the event. */
export function maskPointer(mask: Mask, count = mask.segments.length): string {
  return `/${mask.slot}${mask.segments.slice(0, count).map(pointerStep).join("")}`;
}
