import { usageError } from "./errors.js";

/** Bounds on what a stream may make a reducer hold. All are checked before anything is allocated. */
export interface Limits {
  /** Bytes of one wire message, or of the text of one event. Default 16 MiB. */
  messageBytes: number;
  /** Nesting of one message; a model may be nested one level less. Default 512, at most 4096. */
  depth: number;
  /** Characters of one number text. Default 1024. */
  numberLength: number;
  /** Blocks of one model; messages of one AG-UI model. Default 100,000. */
  blocks: number;
  /** Bytes of one stream's model as compact JSON. Default 256 MiB. */
  modelBytes: number;
  /** Logical streams of one reducer. Default 65,536. */
  streams: number;
  /** Bytes of message text that one paused stream may queue. Default 4 MiB. */
  queuedBytes: number;
  /** Warnings and errors delivered per call; further ones are only counted. Default 1,000. */
  reports: number;
  /** AG-UI: messages, calls, spans, activities, steps and subagents that one run may name. Default 100,000. */
  items: number;
  /**
   * AG-UI that goes out as AgentUE: bytes of JSON text that the events of a stream may come to beyond what they bring, so that no call of a transcoder writes much
   * more than that (docs/adapter.md §8). Default 64 MiB.
   */
  outputBytes: number;
}

/** What holds for a limit that is not given. */
export const DEFAULT_LIMITS: Readonly<Limits> = Object.freeze({
  messageBytes: 16 * 1024 * 1024,
  depth: 512,
  numberLength: 1024,
  blocks: 100_000,
  modelBytes: 256 * 1024 * 1024,
  streams: 65_536,
  queuedBytes: 4 * 1024 * 1024,
  reports: 1_000,
  items: 100_000,
  outputBytes: 64 * 1024 * 1024,
});

/** The largest value that each limit takes. */
export const MAXIMUM_LIMITS: Readonly<Limits> = Object.freeze({
  messageBytes: 1024 * 1024 * 1024,
  depth: 4096,
  numberLength: 1024 * 1024,
  blocks: 16_000_000,
  modelBytes: 2 * 1024 * 1024 * 1024 - 65_536,
  streams: 16_000_000,
  queuedBytes: 1024 * 1024 * 1024,
  reports: 1_000_000,
  items: 16_000_000,
  outputBytes: Number.MAX_SAFE_INTEGER,
});

/**
 * Fills in defaults and checks every bound once.
 *
 * @param given a partial `Limits` object or undefined
 * @returns a complete `Limits` object
 * @throws StreamfoldError `bad_argument` for an unknown name or a value that is not an integer from 1 to its maximum
 */
export function resolveLimits(given: Partial<Limits> | undefined): Limits {
  return resolveBounds(given, DEFAULT_LIMITS, MAXIMUM_LIMITS);
}

/**
 * The same for limits of another kind.
 *
 * @param defaults what holds for a limit that is not given; it names those that there are
 * @param maxima the largest value that each takes
 * @throws StreamfoldError `bad_argument`, as `resolveLimits` does
 */
export function resolveBounds<Bounds extends { [Name in keyof Bounds]: number }>(
  given: unknown,
  defaults: Readonly<Bounds>,
  maxima: Readonly<Bounds>,
): Bounds {
  const bounds: Bounds = { ...defaults };
  if (given === undefined) return bounds;
  if (given === null || typeof given !== "object") throw usageError("bad_argument", "limits must be an object");
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(defaults, name)) throw usageError("bad_argument", `there is no limit named ${name}`);
    if (value === undefined) continue;
    const maximum = maxima[name as keyof Bounds];
    if (!Number.isInteger(value) || value < 1 || value > maximum) {
      throw usageError("bad_argument", `limits.${name} must be an integer from 1 to ${maximum}`);
    }
    bounds[name as keyof Bounds] = value;
  }
  return bounds;
}
