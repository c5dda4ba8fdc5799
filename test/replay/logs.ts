import type { EngineKind } from "../../src/engine/contract.js";
import { createReplay, type Replay, type ReplayOptions } from "../../src/replay/index.js";
import { append, end, failure, modelOf, ping, set, start } from "../contract/base.js";
import { concat, utf8 } from "../support/bytes.js";
import { engine } from "../support/engines.js";

/** One event of an AgentUE log over SSE, with its id. */
export const message = (event: object, id?: string): Uint8Array =>
  utf8(`${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(event)}\n\n`);

/** One stream that grows token by token, with pings between; every event has its seq as id. */
export function tokens(count: number, streamId = ""): object[] {
  const to = streamId === "" ? {} : { stream_id: streamId };
  const events: object[] = [start(modelOf({ id: "a", type: "text", content: "" }), to)];
  for (let seq = 2; seq <= count; seq++) {
    events.push(append(seq, "a", ` ${seq}`, to));
    if (seq % 10 === 0) events.push(ping(seq, to));
  }
  return events;
}

/** A log with two streams, a repeat, a gap, a refused event, an error and the ends. */
export const MIXED: readonly object[] = [
  start(modelOf({ id: "a", type: "text", content: "A" })),
  start(modelOf({ id: "b", type: "text", content: "B" }), { stream_id: "s" }),
  append(2, "a", "1"),
  append(2, "b", "1", { stream_id: "s" }),
  append(2, "a", "repeated"),
  append(5, "a", "2"),
  set(6, { id: 5 }),
  ping(5),
  append(3, "b", "2", { stream_id: "s" }),
  failure(7, { code: "c", message: "m" }),
  end(8),
  append(4, "b", "3", { stream_id: "s" }),
  end(5, { stream_id: "s" }),
];

export const sse = (events: readonly object[]): Uint8Array =>
  concat(events.map((event, index) => message(event, `id ${index}`)));

/** A replay of events over SSE that skips what is refused. */
export function replayOf(
  kind: EngineKind,
  events: readonly object[],
  options: Partial<ReplayOptions> = {},
  size = Number.POSITIVE_INFINITY,
): Replay {
  const replay = createReplay(engine(kind), {
    protocol: "agentue",
    transport: "sse",
    onViolation: "skip-event",
    onError() {},
    ...options,
  });
  const bytes = sse(events);
  for (let at = 0; at < bytes.length; at += size) replay.append(bytes.subarray(at, at + size));
  return replay;
}

export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** The events in bytes of SSE. */
export function eventsIn(bytes: Uint8Array): Record<string, unknown>[] {
  const lines = textOf(bytes).split("\n");
  return lines.filter((line) => line.startsWith("data: ")).map((line) => JSON.parse(line.slice(6)));
}
