import type { Fault } from "../../../../errors.js";
import { applyPatch, type PatchOperation, type PatchTarget, readPatch } from "../../../../json/patch.js";
import type { Effect } from "./effect.js";
import type { AguiViolation } from "./violation.js";

/** What became of a patch. */
export interface Delta {
  /** The event is refused. */
  violation?: AguiViolation;
  /** It does not apply, and the target is as it was. */
  failure?: Fault;
  /** Where it changed something, in its order; empty after a failure. */
  touched: string[];
}

/**
 * Applies the patch of an event to a value of the model, in the way that `onDeltaFailure` asks for (docs/semantics-agui.md §7). The journal takes
 * it back.
 *
 * @param patch enforced
 * @param path of the member that holds it
 * @param level of the value in the snapshot
 * @param judge what is wrong with the result, as reason; 0 when nothing is
 */
export function applyDelta(
  effect: Effect,
  target: PatchTarget,
  patch: unknown,
  path: string,
  level: number,
  judge: (result: unknown) => number,
): Delta {
  const operations = readPatch(patch, Number.POSITIVE_INFINITY) as PatchOperation[];
  const first = attempt(effect, target, operations, level, judge, false);
  if (first.failure === undefined || first.failure.code === "limit") return settle(effect, first, path);
  if (effect.onDeltaFailure !== "upsert") return first;
  const second = attempt(effect, target, operations, level, judge, true);
  if (second.failure === undefined) {
    const { failure } = first;
    effect.warnings.push({ code: "delta_upserted", eventType: effect.type, ...placeOf(failure) });
  }
  return settle(effect, second, path);
}

/** A patch that does not apply: an error or a warning. */
export function failDelta(effect: Effect, failure: Fault): AguiViolation | undefined {
  const { reason = 0 } = failure;
  const place = placeOf(failure);
  if (effect.onDeltaFailure === "fail") return { code: "delta_failed", eventType: effect.type, ...place, reason };
  effect.warnings.push({ code: "delta_failed", eventType: effect.type, ...place, reason });
  return undefined;
}

function placeOf({ path, opIndex, reason }: Fault): { path?: string; opIndex?: number; reason?: number } {
  const place: { path?: string; opIndex?: number; reason?: number } = {};
  if (path !== undefined) place.path = path;
  if (opIndex !== undefined) place.opIndex = opIndex;
  if (reason !== undefined) place.reason = reason;
  return place;
}

/** A limit refuses the event, with the place of the patch. */
function settle(effect: Effect, delta: Delta, path: string): Delta {
  const { failure } = delta;
  if (failure?.code !== "limit") return delta;
  const { reason = 0, opIndex } = failure;
  const violation: AguiViolation = { code: "limit", reason, path, eventType: effect.type };
  if (opIndex !== undefined) violation.opIndex = opIndex;
  return { violation, touched: [] };
}

function attempt(
  effect: Effect,
  target: PatchTarget,
  operations: readonly PatchOperation[],
  level: number,
  judge: (result: unknown) => number,
  upsert: boolean,
): Delta {
  const { size } = effect.model;
  const { journal } = effect;
  const before = { size: size.save(), steps: journal.undo.length, kept: journal.keep.length };
  const touched: string[] = [];
  const bounds = {
    depth: effect.limits.depth - level + 1,
    copies: effect.limits.modelBytes,
    admit: (bound: number, growth: () => number) => size.admit(bound, growth),
    count: () => size.count(),
    relax: () => size.relax(),
  };
  const touch = (pointer: string) => touched.push(pointer);
  let failure = applyPatch(target, operations, bounds, { steps: journal, touched: touch, upsert });
  if (failure === undefined) {
    const reason = judge(target.value);
    if (reason === 0) return { touched };
    journal.keep.length = before.kept;
    while (journal.undo.length > before.steps) journal.undo.pop()!();
    failure = { code: "delta_failed", reason, path: "" };
  }
  size.restore(before.size);
  return { failure, touched: [] };
}
