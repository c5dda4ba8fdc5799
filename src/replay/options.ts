import { describe, readable } from "../arguments.js";
import type { ReducerOptions, Transport } from "../engine/contract.js";
import { usageError } from "../errors.js";
import { type Limits, resolveLimits } from "../limits.js";

/** The inline body of a reference that a model of the past holds (AgentUE §3.4). */
export interface ReferenceAt {
  streamId: string;
  id: string;
  ref: string;
}

/** What a replay is made with: the options of a reducer that judge events, and bounds on what is kept. */
export interface ReplayOptions
  extends Omit<
    ReducerOptions,
    "onEvent" | "eventTypes" | "middleware" | "keepEnded" | "unresolved" | "onUnresolved" | "limits"
  > {
  limits?: Partial<Limits>;
  /** Bytes of the log between two checkpoints, at least; they are further apart where models are large. Default 6 MiB. */
  interval?: number;
  /** Checkpoints kept: with one more every other one is given up and the interval doubles. Default 16; 0 keeps none. */
  checkpoints?: number;
  /** Bytes that all checkpoints may take together, with the same consequence. Default 64 MiB. */
  checkpointBytes?: number;
  /** Bytes of the log that are kept; a chunk beyond them is refused. Default 1 GiB. */
  logBytes?: number;
  /** Chunks are given away: large ones are kept as they came instead of copied, and must not be changed afterwards. Default false. */
  transfer?: boolean;
  /**
   * AgentUE: the inline body for a reference that an event of the log is about to patch, or that stands in a model that goes out; nothing leaves the reference.
   * The same reference has to get the same body each time.
   */
  materialize?(reference: ReferenceAt): unknown;
}

/** Options checked and filled in. */
export interface Resolved {
  /** For reducers and transcoders, without listeners. */
  judging: Omit<ReducerOptions, "onWarning" | "onError" | "onGap" | "transport">;
  transport: Transport;
  limits: Limits;
  interval: number;
  checkpoints: number;
  checkpointBytes: number;
  logBytes: number;
  transfer: boolean;
  materialize: ((reference: ReferenceAt) => unknown) | undefined;
  listeners: Pick<ReducerOptions, "onWarning" | "onError" | "onGap">;
}

const BOUNDS = {
  interval: { least: 1, usual: 6 * 1024 * 1024 },
  checkpoints: { least: 0, usual: 16 },
  checkpointBytes: { least: 0, usual: 64 * 1024 * 1024 },
  logBytes: { least: 1, usual: 1024 * 1024 * 1024 },
} as const;

/**
 * Checks what is the replay's own; a reducer that is made of the rest checks that.
 *
 * @throws StreamfoldError `bad_argument`
 */
export function resolveOptions(options: ReplayOptions): Resolved {
  return readable(() => {
    if (options === null || typeof options !== "object") {
      throw usageError("bad_argument", `the options must be an object, not ${describe(options)}`);
    }
    for (const name of ["onEvent", "eventTypes", "middleware", "keepEnded", "unresolved", "onUnresolved"]) {
      if (name in options) throw usageError("bad_argument", `there is no option ${JSON.stringify(name)}`);
    }
    const { interval, checkpoints, checkpointBytes, logBytes, transfer, materialize, transport, ...others } = options;
    const { onWarning, onError, onGap, ...judging } = others;
    if (transfer !== undefined && typeof transfer !== "boolean") {
      throw usageError("bad_argument", `transfer must be a boolean, not ${describe(transfer)}`);
    }
    if (materialize !== undefined && (typeof materialize !== "function" || options.protocol === "ag-ui")) {
      throw usageError("bad_argument", "materialize must be a function, of an AgentUE log");
    }
    return {
      judging,
      transport,
      limits: resolveLimits(options.limits),
      interval: bounded("interval", interval),
      checkpoints: bounded("checkpoints", checkpoints),
      checkpointBytes: bounded("checkpointBytes", checkpointBytes),
      logBytes: bounded("logBytes", logBytes),
      transfer: transfer === true,
      materialize: materialize?.bind(options),
      listeners: {
        ...(onWarning && { onWarning: onWarning.bind(options) }),
        ...(onError && { onError: onError.bind(options) }),
        ...(onGap && { onGap: onGap.bind(options) }),
      },
    };
  });
}

function bounded(name: keyof typeof BOUNDS, value: number | undefined): number {
  const { least, usual } = BOUNDS[name];
  if (value === undefined) return usual;
  if (!Number.isSafeInteger(value) || value < least) {
    throw usageError("bad_argument", `${name} must be an integer from ${least} to 2^53-1`);
  }
  return value;
}
