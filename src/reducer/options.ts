import { describe, namesIn } from "../arguments.js";
import type {
  EventInfo,
  Gap,
  Protocol,
  ReducerOnly,
  ReducerOptions,
  ReferencePause,
  SessionOptions,
  TranscoderOptions,
  Transport,
  Unresolved,
  Warning,
} from "../engine/contract.js";
import { type StreamfoldError, usageError } from "../errors.js";
import { type Limits, resolveLimits } from "../limits.js";

/** The callbacks of a reducer, bound to the options object they came in. */
export interface Listeners {
  onEvent: ((event: unknown, info: EventInfo) => void) | undefined;
  onWarning: ((warning: Warning) => void) | undefined;
  onError: ((error: StreamfoldError) => void) | undefined;
  onGap: ((gap: Gap) => void) | undefined;
  onUnresolved: ((pause: ReferencePause) => void) | undefined;
}

/** Options as the sessions and the reducer take them. */
export interface Resolved {
  session: SessionOptions;
  listeners: Listeners;
}

type OptionName = keyof ReducerOptions | keyof TranscoderOptions;
type User = "reducer" | "transcoder";
/** Who takes an option. */
type UserOf<Name> = Name extends keyof ReducerOptions
  ? Name extends keyof TranscoderOptions
    ? "both"
    : "reducer"
  : "transcoder";

/** Every option there is, who takes it and whose it is: a misspelt one, or one for somebody else, would be left out in silence. */
const OPTIONS: { readonly [Name in OptionName]: readonly [UserOf<Name>, Protocol | "both"] } = {
  protocol: ["both", "both"],
  transport: ["reducer", "both"],
  from: ["transcoder", "both"],
  to: ["transcoder", "both"],
  enforce: ["transcoder", "both"],
  toProtocol: ["transcoder", "both"],
  adapt: ["transcoder", "ag-ui"],
  pool: ["transcoder", "both"],
  limits: ["both", "both"],
  onViolation: ["both", "both"],
  utf8: ["both", "both"],
  unterminatedTail: ["both", "both"],
  undecodable: ["both", "both"],
  onEvent: ["reducer", "both"],
  onWarning: ["both", "both"],
  onError: ["both", "both"],
  sequence: ["both", "agentue"],
  frames: ["both", "agentue"],
  keepEnded: ["reducer", "agentue"],
  onGap: ["both", "agentue"],
  unresolved: ["reducer", "agentue"],
  onUnresolved: ["reducer", "agentue"],
  input: ["both", "ag-ui"],
  maxProtocolVersion: ["both", "ag-ui"],
  middleware: ["reducer", "ag-ui"],
  onDeltaFailure: ["both", "ag-ui"],
  unknownEnum: ["both", "ag-ui"],
  eventTypes: ["reducer", "ag-ui"],
};

/** Refuses what is no object, none of the protocols that there are, and options that nobody here takes. */
export function expectOptions(
  options: { protocol: Protocol },
  user: User,
  protocols: readonly Protocol[] = ["agentue", "ag-ui"],
): void {
  if (options === null || typeof options !== "object")
    throw usageError("bad_argument", "the options must be an object");
  const { protocol } = options;
  if (!protocols.includes(protocol)) {
    throw usageError("bad_argument", `protocol must be ${oneOfNames(protocols)}`);
  }
  refuseUnknown(options, user, protocol);
}

const oneOfNames = (names: readonly unknown[]): string => names.map((name) => JSON.stringify(name)).join(" or ");

/** What reducers and transcoders have in common: both read their options off the caller's own object, which may inherit them. */
export type Shared = Omit<ReducerOptions, ReducerOnly> & { [Name in "transport" | "from"]?: Transport };

/**
 * Options of a reducer or transcoder whose names are known to be its own.
 *
 * @param readers the options of those who are told events and see the model
 * @param wire the name of the option that says which wire is read
 * @param wires those that there are
 * @param more what else the sessions of the protocol want
 */
export function resolveShared(
  options: Shared,
  readers: Partial<ReducerOptions>,
  wire: "transport" | "from",
  wires: readonly Transport[],
  more?: (limits: Limits) => Pick<SessionOptions, "agui" | "eventTypes">,
): Resolved {
  const { protocol } = options;
  const transport: unknown = options[wire];
  if (typeof transport !== "string") throw usageError("bad_argument", `${wire} must be a name such as "sse"`);
  if (!wires.includes(transport as Transport)) {
    const names = wires.map((name) => JSON.stringify(name)).join(", ");
    throw usageError("unsupported_transport", `${JSON.stringify(transport)}; "${protocol}" has ${names}`);
  }
  const listeners = listenersOf(options as Partial<Listeners>, readers as Partial<Listeners>);
  const limits = resolveLimits(options.limits);
  return {
    listeners,
    session: {
      protocol,
      transport: transport as Transport,
      limits,
      sequence: oneOf(options, "sequence", ["dedupe", "strict", "off"]),
      frames: oneOf(options, "frames", ["keep", "guard"]),
      onViolation: oneOf(options, "onViolation", ["refuse-stream", "skip-event"]),
      unresolved: unresolved(readers.unresolved),
      utf8: oneOf(options, "utf8", ["fatal", "replace"]),
      unterminatedTail: oneOf(options, "unterminatedTail", ["use", "discard"]),
      undecodable: oneOf(options, "undecodable", ["fail", "skip"]),
      keepEnded: keepEnded(readers.keepEnded),
      events: listeners.onEvent !== undefined,
      ...more?.(limits),
    },
  };
}

/** Of plain objects only: an instance of a class may keep what its listeners need in members of its own. */
function refuseUnknown(options: object, user: User, protocol: Protocol): void {
  for (const name of namesIn(options)) {
    if (!Object.hasOwn(OPTIONS, name)) throw usageError("bad_argument", `there is no option ${JSON.stringify(name)}`);
    if ((options as Record<string, unknown>)[name] === undefined) continue;
    const [takenBy, belongsTo] = OPTIONS[name as OptionName];
    if (takenBy !== "both" && takenBy !== user)
      throw usageError("bad_argument", `the option ${JSON.stringify(name)} is for a ${takenBy}, not for a ${user}`);
    if (belongsTo !== "both" && belongsTo !== protocol)
      throw usageError("bad_argument", `the option ${JSON.stringify(name)} belongs to the protocol "${belongsTo}"`);
  }
}

/** The value of an option that is one of a few names, the first of which holds by default; `bad_argument` for another. */
export function oneOf<K extends keyof Shared & keyof ReducerOptions>(
  options: Shared,
  name: K,
  values: readonly Exclude<ReducerOptions[K], undefined>[],
): Exclude<ReducerOptions[K], undefined> {
  const value = options[name];
  if (value === undefined) return values[0] as Exclude<ReducerOptions[K], undefined>;
  if (!values.includes(value as Exclude<ReducerOptions[K], undefined>)) {
    throw usageError("bad_argument", `${name} must be ${oneOfNames(values)}`);
  }
  return value as Exclude<ReducerOptions[K], undefined>;
}

function unresolved(value: Unresolved | undefined): Unresolved {
  if (value === undefined || value === "error" || value === "pause") return value ?? "error";
  throw usageError("bad_argument", 'unresolved must be "error" or "pause"');
}

function keepEnded(value: number | undefined): number {
  if (value === undefined) return Number.POSITIVE_INFINITY;
  if (value !== Number.POSITIVE_INFINITY && (!Number.isSafeInteger(value) || value < 0)) {
    throw usageError("bad_argument", "keepEnded must be a non-negative integer or Infinity");
  }
  return value;
}

/**
 * The callbacks among some options.
 *
 * @param readers the options of those who are told events
 * @throws StreamfoldError `bad_argument` for one that is no function
 */
export function listenersOf(options: Partial<Listeners>, readers = options): Listeners {
  return {
    onEvent: listener(readers, "onEvent"),
    onWarning: listener(options, "onWarning"),
    onError: listener(options, "onError"),
    onGap: listener(options, "onGap"),
    onUnresolved: listener(readers, "onUnresolved"),
  };
}

function listener<K extends keyof Listeners>(options: Partial<Listeners>, name: K): Listeners[K] {
  const value: unknown = options[name];
  if (value === undefined) return undefined;
  if (typeof value !== "function")
    throw usageError("bad_argument", `${name} must be a function, not ${describe(value)}`);
  return value.bind(options) as Listeners[K];
}
