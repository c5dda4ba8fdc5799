import { describe, expectOptions as expectKnown, namesIn, optionOf, readable, shown } from "../arguments.js";
import type {
  AguiSessionOptions,
  EventInfo,
  Gap,
  Middleware,
  ModelFormat,
  Protocol,
  ReducerOnly,
  ReducerOptions,
  ReferencePause,
  SessionOptions,
  StreamSelector,
  TranscoderOptions,
  Transport,
  Unresolved,
  Warning,
} from "../engine/contract.js";
import { type StreamfoldError, usageError, warningMessage } from "../errors.js";
import { type Limits, resolveLimits } from "../limits.js";
import { EVENT_TYPES } from "../schema/agui.generated.js";
import { parseVersion } from "../schema/version.js";
import { isTransport, transportsOf } from "../transport/transports.js";
import { adaptOptions, writtenProtocol } from "./adapt-options.js";
import { baseline } from "./baseline.js";

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

/**
 * Checks the options of a reducer and fills in the defaults.
 * @throws StreamfoldError `unsupported_transport` for a transport this version does not read, `bad_argument` for anything else that
 *   is not as `ReducerOptions` says, a member of a plain object that is no option included
 */
export function resolveOptions(options: ReducerOptions): Resolved {
  return reading((warn) => {
    expectOptions(options, "reducer");
    return resolve(options, options, "transport", warn);
  });
}

/**
 * Checks the options of a transcoder and fills in the defaults.
 *
 * @throws StreamfoldError `unsupported_transport` for a wire that the protocol does not have, and for "json" as `to`; `bad_argument` for anything else that is
 *   not as `TranscoderOptions` says
 */
export function resolveTranscoderOptions(options: TranscoderOptions): Resolved {
  return reading((warn) => {
    expectOptions(options, "transcoder");
    const { session, listeners } = resolve(options, {}, "from", warn);
    const { to, enforce = true, toProtocol, adapt, pool = false } = options;
    if (typeof enforce !== "boolean") throw usageError("bad_argument", "enforce must be true or false");
    if (typeof pool !== "boolean") throw usageError("bad_argument", "pool must be true or false");
    if (typeof to !== "string") throw usageError("bad_argument", 'to must be a name such as "sse"');
    const written = writtenProtocol(toProtocol, session.protocol);
    if (!isTransport(to, written) || (to as Transport) === "json") {
      throw usageError("unsupported_transport", `${JSON.stringify(to)} cannot be written for "${written}"`);
    }
    if (written === session.protocol) {
      if (adapt !== undefined) throw usageError("bad_argument", 'adapt belongs to toProtocol "agentue"');
      return { session: { ...session, transcode: { to, enforce, pool } }, listeners };
    }
    if (!enforce)
      throw usageError(
        "bad_argument",
        `with toProtocol "agentue" enforce must be true: nothing can be said of an event that was not judged`,
      );
    return { session: { ...session, transcode: { to, enforce, pool, adapt: adaptOptions(adapt) } }, listeners };
  });
}

type Warn = (warning: Warning) => void;

/** Reads options, which may throw, and tells what there is to warn about when all is well. */
function reading(read: (warn: Warn) => Resolved): Resolved {
  const warnings: Warning[] = [];
  const resolved = readable(() => read((warning) => warnings.push(warning)));
  for (const warning of warnings) resolved.listeners.onWarning?.(warning);
  return resolved;
}

/** Refuses what is no object, no protocol, and options that nobody here takes. */
function expectOptions(options: ReducerOptions | TranscoderOptions, user: User): void {
  if (options === null || typeof options !== "object")
    throw usageError("bad_argument", "the options must be an object");
  const { protocol } = options;
  if (protocol !== "agentue" && protocol !== "ag-ui") {
    throw usageError("bad_argument", 'protocol must be "agentue" or "ag-ui"');
  }
  refuseUnknown(options, user, protocol);
}

/** What reducers and transcoders have in common: both read their options off the caller's own object, which may inherit them. */
type Shared = Omit<ReducerOptions, ReducerOnly> & { [Name in "transport" | "from"]?: Transport };

/**
 * @param readers the options of those who are told events and see the model
 * @param wire the name of the option that says which wire is read
 */
function resolve(options: Shared, readers: Partial<ReducerOptions>, wire: "transport" | "from", warn: Warn): Resolved {
  const { protocol } = options;
  const transport: unknown = options[wire];
  if (typeof transport !== "string") throw usageError("bad_argument", `${wire} must be a name such as "sse"`);
  if (!isTransport(transport, protocol)) {
    const names = transportsOf(protocol).map((name) => JSON.stringify(name));
    throw usageError("unsupported_transport", `${JSON.stringify(transport)}; "${protocol}" has ${names.join(", ")}`);
  }
  const listeners = listenersOf(options as Partial<Listeners>, readers as Partial<Listeners>);
  const limits = resolveLimits(options.limits);
  return {
    listeners,
    session: {
      protocol,
      transport,
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
      ...(protocol === "ag-ui" && {
        eventTypes: eventTypes(readers.eventTypes),
        agui: aguiOptions(options, readers.middleware, limits, warn),
      }),
    },
  };
}

function aguiOptions(
  options: Shared,
  handlers: Middleware | undefined,
  limits: Limits,
  warn: Warn,
): AguiSessionOptions {
  return {
    maxProtocolVersion: ceiling(options.maxProtocolVersion),
    onDeltaFailure: oneOf(options, "onDeltaFailure", ["warn", "fail", "upsert"]),
    unknownEnum: oneOf(options, "unknownEnum", ["fatal", "strip"]),
    middleware: middleware(handlers),
    input: baseline(options.input, limits, ({ code, path }) => {
      const message = warningMessage({ code, path, eventType: "the option input" });
      warn({ code, path, message, streamId: "", eventIndex: 0 });
    }),
  };
}

function ceiling(version: string | undefined): readonly number[] | undefined {
  const numbers = parseVersion(version);
  if (numbers === null) {
    throw usageError("bad_argument", 'maxProtocolVersion must be a version such as "1.0" or "0.0.57"');
  }
  return numbers;
}

function middleware(value: Middleware | undefined): Middleware | undefined {
  if (value === undefined) return undefined;
  if (value === null || typeof value !== "object") {
    throw usageError("bad_argument", "middleware must be an object of functions by event type");
  }
  const own: Middleware = Object.create(null);
  for (const [type, handle] of Object.entries(value)) {
    if (typeof handle !== "function") {
      throw usageError("bad_argument", `middleware.${type} must be a function, not ${describe(handle)}`);
    }
    own[type] = handle;
  }
  return Object.keys(own).length === 0 ? undefined : own;
}

function eventTypes(value: readonly string[] | undefined): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) throw usageError("bad_argument", "eventTypes must be an array of event types");
  for (const type of value as readonly unknown[]) {
    if (!EVENT_TYPES.includes(type as string)) {
      throw usageError("bad_argument", `eventTypes names ${shown(type)}, which is no event type`);
    }
    if ((type as string).endsWith("_CHUNK")) {
      throw usageError("bad_argument", `eventTypes names ${type}, but chunks are told as what they expand to`);
    }
  }
  return value;
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

function oneOf<K extends keyof Shared & keyof ReducerOptions>(
  options: Shared,
  name: K,
  values: readonly Exclude<ReducerOptions[K], undefined>[],
): Exclude<ReducerOptions[K], undefined> {
  const value = options[name];
  if (value === undefined) return values[0] as Exclude<ReducerOptions[K], undefined>;
  if (!values.includes(value as Exclude<ReducerOptions[K], undefined>)) {
    throw usageError("bad_argument", `${name} must be ${values.map((one) => JSON.stringify(one)).join(" or ")}`);
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

/**
 * The stream that a call is about: `""`, the unnamed one, when nothing is said (AgentUE §4.2).
 *
 * @param one name of another option of the call
 * @param two and of one more
 * @throws StreamfoldError `bad_argument` for options that are no object, unknown ones, or a `streamId` that is no string
 */
export function streamOf(options: StreamSelector | undefined, one = "streamId", two = one): string {
  if (options === undefined) return "";
  if (!isKnown(options, one, two)) expectKnown(options, "streamId", one, two);
  return selectedStream(options);
}

/** Whether options have members of these names alone. `changes` is asked after every token: by way of lists of names that would take it 60 ns more. */
function isKnown(options: StreamSelector, one: string, two: string): boolean {
  return readable(() => {
    for (const name in options) if (name !== "streamId" && name !== one && name !== two) return false;
    return true;
  });
}

/** The same for a call that knows its options itself. */
export function selectedStream(options: StreamSelector | undefined): string {
  if (options === undefined) return "";
  if (options === null || typeof options !== "object") {
    throw usageError("bad_argument", `the options must be an object, not ${describe(options)}`);
  }
  const streamId: unknown = optionOf(options, "streamId");
  if (streamId === undefined) return "";
  if (typeof streamId !== "string")
    throw usageError("bad_argument", `streamId must be a string, not ${describe(streamId)}`);
  return streamId;
}

/**
 * The `id` of a block, where one was given.
 *
 * @throws StreamfoldError `bad_argument` for anything but a non-empty string
 */
export function blockIdOf(options: { id?: string } | undefined): string | undefined {
  const id: unknown = optionOf(options, "id");
  if (id === undefined || (typeof id === "string" && id !== "")) return id;
  throw usageError("bad_argument", `id must be the id of a block, not ${describe(id)}`);
}

/**
 * The `format` of a model that goes in or out.
 *
 * @throws StreamfoldError `unsupported_transport` for anything but "json", the default, and "msgpack"
 */
export function formatOf(options: { format?: ModelFormat } | undefined): ModelFormat {
  const format: unknown = optionOf(options, "format") ?? "json";
  if (format !== "json" && format !== "msgpack") {
    throw usageError("unsupported_transport", `the format ${shown(format)}; there are "json" and "msgpack"`);
  }
  return format;
}

/** A position that a caller passed (a seq or a version): undefined or an integer from 0 to 2^53-1, else `bad_argument`. */
export function checkPosition(name: string, value: number | undefined): number | undefined {
  if (value !== undefined && (!Number.isSafeInteger(value) || value < 0)) {
    throw usageError("bad_argument", `${name} must be an integer from 0 to 2^53-1`);
  }
  return value;
}
