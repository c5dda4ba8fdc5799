import { jsonLength } from "../../../../json/tree.js";
import type { AguiReducer } from "../../reduce/agui/reducer.js";
import type { Pipeline } from "../pipeline.js";
import { Adapter } from "./adapter.js";
import { Allowance } from "./allowance.js";
import { Delivery } from "./delivery.js";
import { HookedDelivery } from "./hooked.js";

/** What says the events that a reducer accepts as AgentUE; undefined where the session's options do not ask for it. */
export function createAdapter(pipeline: Pipeline, reducer: AguiReducer): Adapter | undefined {
  const { transcode, limits, agui } = pipeline.options;
  const adapt = transcode?.adapt;
  const { outlet } = pipeline;
  if (adapt === undefined || outlet === undefined) return undefined;
  const { streamId } = adapt;
  const input = agui?.input === undefined ? 0 : jsonLength(agui.input.members);
  const allowance = new Allowance(limits.outputBytes, input);
  if (adapt.block === undefined) return new Adapter(reducer, new Delivery(outlet, streamId, allowance), adapt);
  const delivery = new HookedDelivery(outlet, streamId, allowance, {
    // asked for late: the public layer puts a guard around it when the session is there
    hook: (...given) => adapt.block!(...given),
    depth: limits.depth,
    report: (fault) => pipeline.report({ ...fault, streamId: "", eventIndex: pipeline.index, ...pipeline.start() }),
  });
  return new Adapter(reducer, delivery, adapt);
}
