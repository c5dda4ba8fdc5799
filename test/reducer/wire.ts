import { utf8 } from "../support/bytes.js";

/** Small AgentUE events for the tests of the public layer. */
export const START = {
  op: "start",
  seq: 1,
  model: { version: "1.1", biz: "chat", meta: {}, blocks: [{ id: "answer", type: "text", content: "Hello" }] },
} as const;

export const start = (stream_id?: string, seq = 1): object => ({ ...START, seq, ...(stream_id && { stream_id }) });

export const append = (seq: number, content: string, stream_id?: string): object => ({
  op: "append",
  seq,
  ...(stream_id && { stream_id }),
  mask: "block.content",
  block: { id: "answer", content },
});

export const end = (seq: number, stream_id?: string): object => ({ op: "end", seq, ...(stream_id && { stream_id }) });

export const ndjson = (...events: unknown[]): Uint8Array =>
  utf8(events.map((event) => `${typeof event === "string" ? event : JSON.stringify(event)}\n`).join(""));

export const sse = (...events: unknown[]): Uint8Array =>
  utf8(events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join(""));

/** The model that START comes to with this text in its block. */
export const modelWith = (content: string): object => ({
  ...START.model,
  blocks: [{ id: "answer", type: "text", content }],
});
