import type { Engine, TranscoderOptions, Transport } from "../../src/engine/contract.js";
import type { AguiEvent } from "../support/agui-events.js";
import { eventsIn, messageOf } from "../support/transcoding.js";

export type Options = Omit<TranscoderOptions, "protocol" | "from" | "to" | "toProtocol">;

/** What goes out with each AG-UI event, as AgentUE events in text; the last list is that of the end of the body. */
export function adapted(
  engine: Engine,
  events: readonly AguiEvent[],
  options: Options = {},
  from: Transport = "sse",
): string[][] {
  const adapter = engine.createTranscoder({ ...options, protocol: "ag-ui", from, to: "ndjson", toProtocol: "agentue" });
  try {
    const out = events.map((event) => eventsIn("ndjson", adapter.push(messageOf(from, JSON.stringify(event)))));
    return [...out, eventsIn("ndjson", adapter.finish())];
  } finally {
    adapter.close();
  }
}

/** A model as it stands in a `start`; `run`: behind `{"thread_id":"t","run_id":"r"`. */
export function model(blocks: readonly string[], run = ',"status":"running"', stats = "null"): string {
  const meta = `{"run":{"thread_id":"t","run_id":"r"${run}},"stats":${stats},"error":null}`;
  return `{"version":"1.1","biz":"ag-ui","meta":${meta},"blocks":[${blocks.join(",")}]}`;
}

export const STATE = '{"id":"state","type":"state","state":{}}';

export const start = (seq: number, ...parts: Parameters<typeof model>): string =>
  `{"op":"start","seq":${seq},"model":${model(...parts)}}`;
export const set = (seq: number, block: string): string => `{"op":"set","seq":${seq},"block":${block}}`;
export const field = (seq: number, id: string, name: string, value: string): string =>
  `{"op":"set","seq":${seq},"mask":"block.${name}","block":{"id":"${id}","${name}":${value}}}`;
export const append = (seq: number, id: string, name: string, text: string): string =>
  `{"op":"append","seq":${seq},"mask":"block.${name}","block":{"id":"${id}","${name}":${text}}}`;
export const runSet = (seq: number, run: string): string =>
  `{"op":"set","seq":${seq},"mask":"meta.run","meta":{"run":{"thread_id":"t","run_id":"r"${run}}}}`;
export const failure = (seq: number, code: string, message: string): string =>
  `{"op":"error","seq":${seq},"mask":"meta.error","meta":{"error":{"code":"${code}","message":"${message}"}}}`;
export const end = (seq: number): string => `{"op":"end","seq":${seq}}`;
