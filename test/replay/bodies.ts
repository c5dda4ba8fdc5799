import type { Reducer } from "../../src/engine/contract.js";
import type { Replay } from "../../src/replay/index.js";
import { concat, latin1 } from "../support/bytes.js";
import { everyN } from "../support/chunking.js";
import { thrown } from "../support/fold.js";
import type { Rng } from "../support/rng.js";
import type { Logged } from "./random-log.js";

export const MARK = latin1("\xef\xbb\xbf");
/** What fails the connection. */
export const BROKEN: Record<string, Uint8Array> = {
  sse: latin1("data: {]\n\n"),
  ndjson: latin1("{]\n"),
  json: latin1("{]"),
  msgpack: latin1("\xc1"),
  protobuf: latin1("\x00\x00\x00\x01\xff"),
};

/** What one connection brings, and whether it is said to have come to its end. */
export interface Body {
  chunks: Uint8Array[];
  finishes: boolean;
}

/** A log that comes over several connections: cut anywhere, broken, ended, with parts that come again. */
export function bodiesOf(rng: Rng, { wire, messages }: Logged): Body[] {
  const bodies: Body[] = [];
  for (let at = 0; at < messages.length && bodies.length < 40; ) {
    const to = Math.min(messages.length, at + rng.between(0, 20));
    const parts = messages.slice(at, to).map(({ bytes }) => bytes);
    if (rng.chance(0.3)) parts.splice(rng.int(parts.length + 1), 0, BROKEN[wire]!);
    if (wire === "sse" && rng.chance(0.3)) parts.unshift(MARK);
    const all = concat(parts);
    const cut = rng.chance(0.6) ? rng.int(all.length + 1) : all.length;
    const chunks = wire === "json" ? parts : everyN(all.subarray(0, cut), rng.pick([1, 7, 100, 1500]));
    bodies.push({ chunks, finishes: rng.chance(0.4) });
    at = rng.chance(0.3) ? Math.max(0, to - rng.int(3)) : to;
  }
  return bodies;
}

export function record(replay: Replay, bodies: readonly Body[]): void {
  for (const { chunks, finishes } of bodies) {
    for (const chunk of chunks) thrown(() => replay.append(chunk));
    if (finishes) thrown(() => replay.finish());
    replay.reconnect();
  }
}

/** What a plain reducer holds behind each message, but for those that fail their connection. */
export function places(reducer: Reducer, bodies: readonly Body[], isWhole: boolean, read: () => unknown): unknown[] {
  const held: unknown[] = [];
  for (const { chunks, finishes } of bodies) {
    let failed = false;
    const feed = (run: () => unknown): void => {
      const { events } = reducer.stats();
      failed ||= thrown(run) !== undefined;
      if (!failed && reducer.stats().events > events) held.push(read());
    };
    const pieces = isWhole ? chunks : chunks.flatMap((chunk) => everyN(chunk, 1));
    for (const piece of pieces) feed(() => reducer.push(piece));
    // the end of the body comes behind the message that it reads, in the same call
    if (finishes) feed(() => reducer.finish());
    reducer.reconnect();
  }
  return held;
}

/** The end of a body truncates a running run: whether it has come yet is not looked at. */
export function open(models: unknown): unknown {
  return JSON.parse(JSON.stringify(models), (key, value) =>
    key === "status" && value === "truncated" ? "running" : value,
  );
}
