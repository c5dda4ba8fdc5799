import type { EventInfo, Gap, ReducerOptions, SessionOptions, StreamSelector, Warning } from "../engine/contract.js";
import type { StreamfoldError } from "../errors.js";
import { usageError } from "../errors.js";
import { resolveLimits } from "../limits.js";
import { isTransport } from "../transport/transports.js";
import { describe } from "./bytes.js";

/** The callbacks of a reducer, bound to the options object they came in. */
export interface Listeners {
  onEvent: ((event: unknown, info: EventInfo) => void) | undefined;
  onWarning: ((warning: Warning) => void) | undefined;
  onError: ((error: StreamfoldError) => void) | undefined;
  onGap: ((gap: Gap) => void) | undefined;
}

/** Every option there is: a misspelt one would be left at its default in silence. */
const OPTION_NAMES: Record<keyof ReducerOptions, true> = {
  protocol: true,
  transport: true,
  limits: true,
  sequence: true,
  onViolation: true,
  utf8: true,
  unterminatedTail: true,
  undecodable: true,
  keepEnded: true,
  onEvent: true,
  onWarning: true,
  onError: true,
  onGap: true,
};

/**
 * Checks the options of a reducer and fills in the defaults.
 *
 * @throws StreamfoldError `unsupported_transport` for a transport this version does not read, `bad_argument` for anything else that
 *   is not as `ReducerOptions` says, a member of a plain object that is no option included
 */
export function resolveOptions(options: ReducerOptions): { session: SessionOptions; listeners: Listeners } {
  if (options === null || typeof options !== "object")
    throw usageError("bad_argument", "the options must be an object");
  refuseUnknown(options);
  const { protocol, transport } = options;
  if ((protocol as string) === "ag-ui") {
    throw usageError("bad_argument", 'the protocol "ag-ui" is not available in this version');
  }
  if (protocol !== "agentue") throw usageError("bad_argument", 'protocol must be "agentue"');
  if (typeof transport !== "string") throw usageError("bad_argument", 'transport must be "sse", "ndjson" or "json"');
  if (!isTransport(transport)) {
    throw usageError("unsupported_transport", `${JSON.stringify(transport)}; there are "sse", "ndjson" and "json"`);
  }
  const listeners: Listeners = {
    onEvent: listener(options, "onEvent"),
    onWarning: listener(options, "onWarning"),
    onError: listener(options, "onError"),
    onGap: listener(options, "onGap"),
  };
  return {
    listeners,
    session: {
      protocol,
      transport,
      limits: resolveLimits(options.limits),
      sequence: oneOf(options, "sequence", ["dedupe", "strict", "off"]),
      onViolation: oneOf(options, "onViolation", ["refuse-stream", "skip-event"]),
      utf8: oneOf(options, "utf8", ["fatal", "replace"]),
      unterminatedTail: oneOf(options, "unterminatedTail", ["use", "discard"]),
      undecodable: oneOf(options, "undecodable", ["fail", "skip"]),
      keepEnded: keepEnded(options.keepEnded),
      events: listeners.onEvent !== undefined,
    },
  };
}

/** Of plain objects only: an instance of a class may keep what its listeners need in members of its own. */
function refuseUnknown(options: object): void {
  const prototype: unknown = Object.getPrototypeOf(options);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return;
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(OPTION_NAMES, name));
  if (unknown !== undefined) throw usageError("bad_argument", `there is no option ${JSON.stringify(unknown)}`);
}

function oneOf<K extends keyof ReducerOptions>(
  options: ReducerOptions,
  name: K,
  values: readonly NonNullable<ReducerOptions[K]>[],
): NonNullable<ReducerOptions[K]> {
  const value = options[name];
  if (value === undefined) return values[0] as NonNullable<ReducerOptions[K]>;
  if (!values.includes(value)) {
    throw usageError("bad_argument", `${name} must be ${values.map((one) => JSON.stringify(one)).join(" or ")}`);
  }
  return value;
}

function keepEnded(value: number | undefined): number {
  if (value === undefined) return Number.POSITIVE_INFINITY;
  if (value !== Number.POSITIVE_INFINITY && (!Number.isSafeInteger(value) || value < 0)) {
    throw usageError("bad_argument", "keepEnded must be a non-negative integer or Infinity");
  }
  return value;
}

function listener<K extends keyof Listeners>(options: ReducerOptions, name: K): Listeners[K] {
  const value: unknown = options[name];
  if (value === undefined) return undefined;
  if (typeof value !== "function")
    throw usageError("bad_argument", `${name} must be a function, not ${describe(value)}`);
  return value.bind(options) as Listeners[K];
}

/**
 * The stream that a call is about: `""`, the unnamed one, when nothing is said (AgentUE §4.2).
 *
 * @throws StreamfoldError `bad_argument` for options that are no object or a `streamId` that is no string
 */
export function streamOf(options: StreamSelector | undefined): string {
  if (options === undefined) return "";
  if (options === null || typeof options !== "object") {
    throw usageError("bad_argument", `the options must be an object, not ${describe(options)}`);
  }
  const { streamId } = options;
  if (streamId === undefined) return "";
  if (typeof streamId !== "string")
    throw usageError("bad_argument", `streamId must be a string, not ${describe(streamId)}`);
  return streamId;
}

/**
 * Checks the `format` of a model that goes in or out.
 *
 * @throws StreamfoldError `unsupported_transport` for anything but "json"
 */
export function checkFormat(options: { format?: "json" } | undefined): void {
  const format: unknown = options?.format;
  if (format !== undefined && format !== "json") {
    throw usageError("unsupported_transport", `the format ${JSON.stringify(format)}; there is "json"`);
  }
}

/** A position that a caller passed (a seq or a version): undefined or an integer from 0 to 2^53-1, else `bad_argument`. */
export function checkPosition(name: string, value: number | undefined): number | undefined {
  if (value !== undefined && (!Number.isSafeInteger(value) || value < 0)) {
    throw usageError("bad_argument", `${name} must be an integer from 0 to 2^53-1`);
  }
  return value;
}
