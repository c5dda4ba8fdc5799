import type { JsonObject } from "../../../../json/object.js";
import { applyDelta, failDelta } from "./delta.js";
import type { Effect } from "./effect.js";
import { STATE_LEVEL } from "./model.js";
import type { AguiViolation } from "./violation.js";

/** STATE_SNAPSHOT. */
export function replaceState(effect: Effect, event: JsonObject): AguiViolation | undefined {
  const { model, source } = effect;
  const { snapshot } = event;
  const growth = (): number => model.lengthOf(snapshot) - model.lengthOf(model.state.value);
  const refused = effect.refuse(model.admit(snapshot, STATE_LEVEL, source, growth), "/snapshot");
  if (refused !== undefined) return refused;
  model.setState(snapshot);
  effect.tell((changes) => changes.meta("state"));
  return undefined;
}

/** STATE_DELTA. */
export function patchState(effect: Effect, event: JsonObject): AguiViolation | undefined {
  const { violation, failure, touched } = applyDelta(
    effect,
    effect.model.claimState(),
    event.delta,
    "/delta",
    STATE_LEVEL,
    () => 0,
  );
  if (violation !== undefined) return violation;
  if (failure !== undefined) return failDelta(effect, failure);
  for (const pointer of touched) effect.tell((changes) => changes.meta("state", pointer));
  return undefined;
}
