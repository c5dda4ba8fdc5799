import type { JsonObject } from "../../../../json/object.js";
import type { AguiReducer } from "./reducer.js";
import { CALL, MESSAGE } from "./track.js";

/** The snapshot (docs/semantics-agui.md §8); its values are shared with the model. */
export function viewOf({ model, run, track }: AguiReducer): {
  messages: JsonObject[];
  state: unknown;
  run: JsonObject;
} {
  const { status } = run;
  const settled = status === "idle" || status === "cancelled" || status === "failed";
  const pending = settled ? [] : (track.named ?? track.pendingCalls());
  const open = {
    messages: track.openItems(MESSAGE).map(({ id }) => id),
    toolCalls: track.openItems(CALL).map(({ id }) => id),
    reasoning: track.openReasoning(),
    steps: track.steps().map(({ name }) => name),
    subagents: track.activeSubagents(),
  };
  return { messages: model.messages.values(), state: model.state.value, run: run.view({ pending, open }) };
}
