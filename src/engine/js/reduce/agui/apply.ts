import { type JsonObject, own } from "../../../../json/object.js";
import { applyActivity, patchActivity } from "./apply-activity.js";
import { appendContent, endMessage, startMessage, storeEncrypted } from "./apply-messages.js";
import { appendInput, applySnapshot } from "./apply-snapshot.js";
import { patchState, replaceState } from "./apply-state.js";
import { appendArguments, endCall, insertResult, startCall } from "./apply-tools.js";
import type { Effect } from "./effect.js";
import { judgeVersion } from "./version.js";
import type { AguiViolation } from "./violation.js";

type Apply = (effect: Effect, event: JsonObject) => AguiViolation | undefined;

const APPLY: ReadonlyMap<string, Apply> = /* @__PURE__ */ new Map<string, Apply>([
  ["TEXT_MESSAGE_START", startMessage],
  ["TEXT_MESSAGE_CONTENT", appendContent],
  ["TEXT_MESSAGE_END", endMessage],
  ["REASONING_MESSAGE_START", startMessage],
  ["REASONING_MESSAGE_CONTENT", appendContent],
  ["REASONING_MESSAGE_END", endMessage],
  ["REASONING_ENCRYPTED_VALUE", storeEncrypted],
  ["TOOL_CALL_START", startCall],
  ["TOOL_CALL_ARGS", appendArguments],
  ["TOOL_CALL_END", endCall],
  ["TOOL_CALL_RESULT", insertResult],
  ["STATE_SNAPSHOT", replaceState],
  ["STATE_DELTA", patchState],
  ["MESSAGES_SNAPSHOT", applySnapshot],
  ["ACTIVITY_SNAPSHOT", applyActivity],
  ["ACTIVITY_DELTA", patchActivity],
  ["RUN_STARTED", startRun],
  ["RUN_FINISHED", (effect, event) => changeRun(effect, () => effect.run.finish(event))],
  ["RUN_ERROR", (effect, event) => changeRun(effect, () => effect.run.fail(event))],
  ["STEP_STARTED", changeRun],
  ["STEP_FINISHED", changeRun],
  ["SUBAGENT_STARTED", changeRun],
  ["SUBAGENT_FINISHED", changeRun],
  ["SUBAGENT_ERROR", changeRun],
  ["REASONING_START", changeRun],
  ["REASONING_END", changeRun],
]);

/**
 * The effect of one expanded event that verification has let pass (docs/semantics-agui.md §7).
 *
 * @param event enforced; its values become part of the model
 * @returns why the event is refused after all; the journal takes back what was done
 */
export function applyEvent(effect: Effect, event: JsonObject): AguiViolation | undefined {
  const type = event.type as string;
  effect.type = type;
  return APPLY.get(type)?.(effect, event);
}

/** What the tracker shows of a run has changed; nothing that follows can fail. */
function changeRun(effect: Effect, change?: unknown): undefined {
  if (typeof change === "function") change();
  effect.tell((changes) => changes.meta("run"));
  return undefined;
}

function startRun(effect: Effect, event: JsonObject): AguiViolation | undefined {
  changeRun(effect);
  const refused = appendInput(effect, event);
  if (refused !== undefined) return refused;
  effect.run.start(event);
  const version = own(event, "protocolVersion") as string | undefined;
  const warning = version === undefined ? undefined : judgeVersion(version);
  if (warning !== undefined) effect.warn(warning, "/protocolVersion", version);
  return undefined;
}
