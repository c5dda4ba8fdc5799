import type { EngineSession, Report, SessionOptions } from "../../src/engine/contract.js";
import { createJsSession } from "../../src/engine/js/engine.js";
import type { Fault } from "../../src/errors.js";
import { DEFAULT_LIMITS, type Limits } from "../../src/limits.js";

export type Overrides = Partial<Omit<SessionOptions, "limits">> & { limits?: Partial<Limits> };

export function options({ limits, ...rest }: Overrides = {}): SessionOptions {
  return {
    protocol: "agentue",
    transport: "sse",
    sequence: "dedupe",
    frames: "keep",
    onViolation: "refuse-stream",
    unresolved: "error",
    utf8: "fatal",
    unterminatedTail: "use",
    undecodable: "fail",
    keepEnded: Number.POSITIVE_INFINITY,
    events: false,
    ...rest,
    limits: { ...DEFAULT_LIMITS, ...limits },
  };
}

export function open(overrides?: Overrides): EngineSession {
  return createJsSession(options(overrides));
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export const bytesOf = (text: string): Uint8Array => encoder.encode(text);
export const textOf = (bytes: Uint8Array): string => decoder.decode(bytes);

/** Events as an SSE body. */
export const sse = (...events: (object | string)[]): Uint8Array =>
  bytesOf(events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join(""));

export const model = (blocks: unknown[] = [], meta: object = {}, version = "1.1"): object => ({
  version,
  biz: "chat",
  meta,
  blocks,
});

export const start = (seq = 1, blocks: unknown[] = [], meta: object = {}, version = "1.1"): object => ({
  op: "start",
  seq,
  model: model(blocks, meta, version),
});

export const append = (seq: number, content: unknown, id = "a"): object => ({
  op: "append",
  seq,
  mask: "block.content",
  block: { id, type: "text", content },
});

/** Applies one event as text and returns the fault, if it was refused. */
export function apply(session: EngineSession, event: unknown): Fault | undefined {
  const reports: Report[] = [];
  session.applyText(bytesOf(typeof event === "string" ? event : JSON.stringify(event)), reports);
  return faults(reports)[0];
}

export function faults(reports: Report[]): Fault[] {
  return reports.flatMap((report) => (report.kind === "error" ? [report.fault] : []));
}

/** A fault as `code path`. */
export function short(fault: Fault | undefined): string {
  if (fault === undefined) return "ok";
  return fault.path === undefined ? fault.code : `${fault.code} ${fault.path}`;
}

export function snapshotText(session: EngineSession, streamId = ""): string | undefined {
  const answer = session.withSnapshotBytes(streamId, "json", (view) => textOf(view));
  if (answer !== undefined && "code" in answer) throw new Error(answer.code);
  return answer?.value;
}

/** Pushes a body cut at the given places. */
export function pushCut(
  session: EngineSession,
  body: Uint8Array,
  cuts: readonly number[],
  reports: Report[] = [],
): Report[] {
  let from = 0;
  for (const to of [...cuts, body.length]) {
    session.push(body.slice(from, to), reports);
    from = to;
  }
  return reports;
}

/** Everything observable about a session after a body. */
export function outcome(session: EngineSession, reports: Report[]): unknown {
  const streams = session
    .streamIds()
    .map((id) => [
      id,
      session.status(id),
      session.seq(id),
      snapshotText(session, id),
      session.changes(id, undefined),
      session.stats(id),
    ]);
  return {
    reports,
    streams,
    stats: session.stats(),
    id: session.lastEventId,
    retry: session.retry,
    failure: session.failure(),
  };
}

/** A seeded generator of numbers in [0, 1). */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
