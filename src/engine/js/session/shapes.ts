import { DEFAULT_LIMITS } from "../../../limits.js";
import type { EngineSession, SessionOptions } from "../../contract.js";

const OPTIONS: Omit<SessionOptions, "transport"> = {
  protocol: "agentue",
  limits: DEFAULT_LIMITS,
  sequence: "dedupe",
  onViolation: "refuse-stream",
  utf8: "fatal",
  unterminatedTail: "use",
  undecodable: "fail",
  keepEnded: Number.POSITIVE_INFINITY,
  events: false,
};

const START =
  '{"op":"start","seq":0,"model":{"version":"1.1","biz":"b","meta":{},"blocks":[{"id":"a","type":"t","content":""}]}}';

/** The traffic that matters, with members in the order of AgentUE §4, with and without the optional ones. */
const APPENDS = [
  '"mask":""',
  '"mask":"","event_type":""',
  '"stream_id":"","mask":"","event_type":""',
  '"stream_id":"","ts":1,"mask":"","event_type":""',
].flatMap((members) =>
  ['"id":""', '"id":"","type":""'].map((block) => `{"op":"","seq":1,${members},"block":{${block},"content":""}}`),
);

/**
 * Makes small sessions and events that are to live as long as their module.
 *
 * V8 forgets a hidden class that has no instance left at a full collection, and all code that was optimised for it. Where no other session
 * lives then, the next 20,000 events cost twice as much from the wire and ten times as much as values.
 */
export function keepShapes(create: (options: SessionOptions) => EngineSession): unknown[] {
  const start = new TextEncoder().encode(START);
  const sessions = (["sse", "ndjson", "json"] as const).map((transport) => create({ ...OPTIONS, transport }));
  for (const session of sessions) session.applyText(start, []);
  return [...sessions, ...APPENDS.map((event) => JSON.parse(event))];
}
