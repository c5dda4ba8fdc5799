import { DEFAULT_LIMITS } from "../../../limits.js";
import type { EngineSession, SessionOptions } from "../../contract.js";

const OPTIONS: Omit<SessionOptions, "transport"> = {
  protocol: "agentue",
  limits: DEFAULT_LIMITS,
  sequence: "dedupe",
  frames: "keep",
  onViolation: "refuse-stream",
  unresolved: "error",
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

const AGUI: SessionOptions["agui"] = {
  maxProtocolVersion: undefined,
  onDeltaFailure: "warn",
  unknownEnum: "fatal",
  middleware: undefined,
  input: undefined,
};

const AGUI_START = [
  '{"type":"RUN_STARTED","threadId":"t","runId":"r"}',
  '{"type":"TEXT_MESSAGE_START","messageId":"m"}',
  '{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f"}',
];

/** The same traffic of AG-UI. */
const AGUI_DELTAS = [
  ...["TEXT_MESSAGE_CONTENT", "REASONING_MESSAGE_CONTENT", "TEXT_MESSAGE_CHUNK"].map((type) => [type, "messageId"]),
  ["TOOL_CALL_ARGS", "toolCallId"],
].flatMap(([type, id]) =>
  ["", ',"timestamp":1', ',"subagentRunId":""'].map((more) => `{"type":"${type}","${id}":"","delta":""${more}}`),
);

/**
 * Makes small sessions and events that are to live as long as their module.
 *
 * V8 forgets a hidden class that has no instance left at a full collection, and all code that was optimised for it. Where no other session
 * lives then, the next 20,000 events cost twice as much from the wire and ten times as much as values.
 */
export function keepShapes(create: (options: SessionOptions) => EngineSession): unknown[] {
  const encoder = new TextEncoder();
  const transports = ["sse", "ndjson", "json", "msgpack"] as const;
  const sessions = transports.map((transport) => create({ ...OPTIONS, transport }));
  for (const session of sessions) session.applyText(encoder.encode(START), []);
  const agui = [...transports, "protobuf" as const].map((transport) =>
    create({ ...OPTIONS, protocol: "ag-ui", transport, agui: AGUI }),
  );
  for (const session of agui) for (const event of AGUI_START) session.applyText(encoder.encode(event), []);
  return [...sessions, ...agui, ...[...APPENDS, ...AGUI_DELTAS].map((event) => JSON.parse(event))];
}
