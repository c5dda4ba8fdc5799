import type { OnDeltaFailure, Reducer } from "../../src/engine/contract.js";
import { AguiGenerator } from "../fuzz/agui-generate.js";
import { engine, type KINDS } from "../support/engines.js";
import type { Rng } from "../support/rng.js";

export type Kind = (typeof KINDS)[number];

/** What folding a log gives. */
export interface Folded {
  /** The snapshot's JSON, members in their order. */
  json: string;
  /** The same at the end of each run, and of each batch where batches are given. */
  ends: string[];
  warnings: string[];
  errors: string[];
}

const ENDS = new Set(["RUN_FINISHED", "RUN_ERROR"]);
const decoder = new TextDecoder();

const json = (reducer: Reducer): string => decoder.decode(reducer.snapshotBytes());

export interface FoldOptions {
  onDeltaFailure?: OnDeltaFailure;
  state?: unknown;
}

/** Folds events, refusing the stream at the first violation. */
export function foldLog(
  kind: Kind,
  events: readonly unknown[],
  { onDeltaFailure = "warn", state }: FoldOptions = {},
): Folded {
  const warnings: string[] = [];
  const errors: string[] = [];
  const reducer = engine(kind).createReducer({
    protocol: "ag-ui",
    transport: "json",
    onDeltaFailure,
    ...(state === undefined ? {} : { input: { state } }),
    onWarning: ({ code, path, subject }) => void warnings.push(`${code} ${path} ${subject}`),
    onError: ({ code, path }) => void errors.push(`${code} ${path}`),
  });
  const ends: string[] = [];
  for (const event of events) {
    reducer.apply(event as object);
    if (ENDS.has((event as { type: string }).type)) ends.push(json(reducer));
  }
  const folded = { json: json(reducer), ends, warnings, errors };
  reducer.close();
  return folded;
}

/** Events of a generator that a verifier lets pass, one after the other. */
export function validLog(rng: Rng, length: number, { onDeltaFailure = "warn", state }: FoldOptions = {}): unknown[] {
  const generator = new AguiGenerator(rng, { mutations: 0, odd: rng.chance(0.7), apart: rng.chance(0.5) });
  let fine = true;
  const reducer = engine("js").createReducer({
    protocol: "ag-ui",
    transport: "json",
    onViolation: "skip-event",
    onDeltaFailure,
    ...(state === undefined ? {} : { input: { state } }),
    onWarning: () => {},
    onError: () => {
      fine = false;
    },
  });
  const log: unknown[] = [];
  let last = generator.event();
  while (log.length < length) {
    // Much of a real log is one delta after the other.
    const event = REPEATED.has(last.type) && rng.chance(0.5) ? structuredClone(last) : generator.event();
    last = event;
    if (rng.chance(0.04)) event.futureProp = 1;
    if (rng.chance(0.04)) event.rawEvent = null;
    if (rng.chance(0.1)) event.metadata = { [rng.pick(["a", "b", "__proto__"])]: log.length };
    fine = true;
    reducer.apply(structuredClone(event));
    if (fine) log.push(event);
  }
  return log;
}

const REPEATED: ReadonlySet<string> = new Set([
  "TEXT_MESSAGE_CONTENT",
  "TOOL_CALL_ARGS",
  "REASONING_MESSAGE_CONTENT",
  "TEXT_MESSAGE_CHUNK",
  "TOOL_CALL_CHUNK",
  "REASONING_MESSAGE_CHUNK",
  "STATE_SNAPSHOT",
  "STATE_DELTA",
  "ACTIVITY_SNAPSHOT",
  "ACTIVITY_DELTA",
]);
